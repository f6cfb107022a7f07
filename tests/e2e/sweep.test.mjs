// Sweeps: one thing is varied, and every value run under every scheduler; a page beside another link; and the
// tables that sweeps leave, opened and explored.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { METRICS, inWords } from "../../web/explorer/src/metrics.js";
import { read } from "../../web/explorer/src/read.js";
import { accessibilityProblems, browser, cards, dist, finished, screenshot } from "./browser.mjs";

const { open } = browser();

const form = (page) => page.getByRole("form", { name: "Sweep" });
const run = (page) => form(page).getByRole("button", { name: "Run the sweep" });
const over = (page, text) => page.getByRole("status").filter({ hasText: text }).waitFor({ timeout: 120_000 });
const fill = async (page, label, text) => {
  await form(page).getByLabel(label, { exact: true }).fill(text);
  await form(page).getByLabel(label, { exact: true }).press("Tab");
};
const explorer = (page) => page.getByRole("region", { name: "Table of the sweep" });
/** A mark of the charts that is one run, by what it says first. */
const point = (page, name) => explorer(page).locator("figure").getByRole("link", { name });
/** One that stands for several. */
const cell = (page, name) => explorer(page).locator("figure").getByRole("button", { name });
const choose = (page, label, option) => explorer(page).getByLabel(label, { exact: true }).selectOption(option);

test("load is varied over the workers: a line a scheduler, a link a run, and the same numbers there", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=srtf&t=0");
  await finished(page, 2);
  await page.getByRole("button", { name: /vary load, × as recorded/i }).click();
  await page.getByRole("tab", { name: "Sweep", selected: true }).waitFor();
  await fill(page, "Values", "0.5 1 2");
  await form(page).getByText("3 values × 2 schedulers: 6 runs").waitFor();
  await run(page).click();
  await over(page, "All 6 runs are over.");
  await page.waitForFunction(() => document.querySelectorAll(".explorer figure a").length === 6);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "sweep");
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV", exact: true }).click();
  const csv = readFileSync(await (await saving).path(), "utf8");
  // The table that all sweeps have: it opens like theirs.
  const { count, columns } = await read([new File([csv], "own.csv")]);
  assert.equal(count, 6);
  assert.deepEqual(columns.get("load"), [0.5, 0.5, 1, 1, 2, 2]);
  const mean = columns.get("jct_mean");
  assert.ok(mean[4] > mean[0], "twice the load waits longer");
  // Every point of a chart leads to its run.
  const said = inWords(METRICS[0], mean[5]);
  const leads = point(page, /^srtf, load 2: mean JCT /);
  assert.equal(await leads.getAttribute("aria-label"), `srtf, load 2: mean JCT ${said}, one run: opens it`);
  await leads.click();
  await page.waitForFunction(() => /load=2/.test(location.hash));
  await finished(page, 2);
  assert.ok((await page.locator(".card").nth(1).textContent()).includes(`mean JCT ${said}`));
  assert.equal(await page.getByLabel("Load (×)").inputValue(), "2");
  await page.goBack();
  await page.getByRole("tab", { name: "Sweep", selected: true }).waitFor();
  assert.equal(await explorer(page).locator("figure a").count(), 6);
});

test("how many nodes a bound takes: as the command line finds it", { skip: !process.env.SWITCHYARD_CLI && "no SWITCHYARD_CLI" }, async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=srtf&t=0&view=sweep&sweep=capacity&sweep-bound=30min&sweep-values=1..24");
  await finished(page, 2);
  await form(page).getByRole("button", { name: "Search" }).click();
  const answers = page.getByRole("list", { name: "How many nodes it takes" }).getByRole("listitem");
  await form(page).getByRole("button", { name: "Search" }).waitFor({ timeout: 120_000 });
  const said = await answers.allTextContents();
  const flags = ["capacity", "sample:lab", "--policy", "fifo", "--policy", "srtf", "--metric", "wait-p95", "--at-most", "30min", "--most", "24", "--json", "-"];
  const found = JSON.parse(execFileSync(process.env.SWITCHYARD_CLI, flags, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  assert.equal(said.length, 2);
  for (const [at, { nodes, points }] of found.entries()) {
    assert.ok(points.find((point) => point.nodes === nodes).holds);
    assert.ok(said[at].includes(`${nodes} nodes for `), said[at]);
  }
  // The chart shows what is bounded, the bound, and the answers.
  const chart = explorer(page);
  assert.equal(await chart.getByLabel("Metric", { exact: true }).inputValue(), "queueing_p95");
  await chart.getByText("The dashed line is the bound, 30 min;").waitFor();
  assert.equal(await chart.locator('figure line[stroke-dasharray="6 4"], figure [stroke-dasharray="6 4"] line').count(), 1);
  for (const { nodes } of found) await chart.locator("figure text").getByText(`${nodes} nodes`, { exact: true }).first().waitFor();
  assert.equal(await point(page, /, the answer: \d+ nodes, one run: opens it$/).count(), 2);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "sweep-capacity");
  // Another metric has neither.
  await choose(page, "Metric", "jct_mean");
  await chart.getByText("The dashed line is the bound").waitFor({ state: "detached" });
  // A bound that is none is said at its field.
  await fill(page, "Bound", "soon");
  await form(page).getByText("cannot be bounded by 'soon'").waitFor();
});

test("a quota is varied, and its run has the tree", async (t) => {
  const page = await open(t, "index.html#v=1&sample=two-teams&view=sweep&sweep=queue:gpus:vision&sweep-values=4 12");
  await finished(page, 2);
  await run(page).click();
  await over(page, "All 4 runs are over.");
  await point(page, /^kueue, .*12: /).first().click();
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes("vision,parent=lab,gpus=12"));
});

test("a parameter is varied where it stands, and a run of it joins the list", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=tiresias-las&t=0");
  await finished(page, 2);
  await page.locator(".card .name").nth(1).click();
  await page.getByRole("button", { name: /vary queues/i }).click();
  await fill(page, "Values", "2 3 4");
  await run(page).click();
  await over(page, "All 3 runs are over.");
  await point(page, /queues of tiresias-las 4: mean JCT/).click();
  await finished(page, 3);
  assert.match(page.url(), /run=tiresias-las\[queues=4/);
  // What is no value says so.
  await page.goBack();
  await page.getByRole("tab", { name: "Sweep", selected: true }).waitFor();
  await fill(page, "Values", "many");
  await run(page).click();
  await page.getByRole("alert").filter({ hasText: "queues cannot be many: " }).waitFor();
});

test("a sweep that is ended keeps what is done", async (t) => {
  const page = await open(t, "index.html#v=1&sample=fleet&run=fifo&run=srtf&t=0&view=sweep&sweep=set:seed&sweep-values=1..64/64", { viewport: { width: 390, height: 844 } });
  await finished(page, 2);
  await run(page).click();
  await over(page, /^[1-9]\d* of 128 runs are over\.$/);
  await form(page).getByRole("button", { name: "Cancel" }).click();
  await over(page, /^Ended after [1-9]\d* of 128 runs\.$/);
  await run(page).waitFor();
  await screenshot(page, "sweep-390");
});

test("another link's runs stand beside the page's, with what differs in words", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0&view=sweep&sweep=link");
  await finished(page, 1);
  await fill(page, "Link to compare with", "https://example.org/#v=1&sample=lab&run=fifo&run=srtf&restart=30&cluster=8x2");
  await form(page).getByRole("button", { name: "Compare", exact: true }).click();
  await over(page, "All 3 runs are over.");
  const told = await page.getByRole("list", { name: "What differs" }).getByRole("listitem").allTextContents();
  assert.match(told[0], /^Cluster: \S+ here, 8x2 there\.$/);
  assert.deepEqual(told.slice(1), ["Restart cost: 0 s here, 30 s there.", "Only there: srtf."]);
  assert.equal(await page.locator(".sweep tbody tr").count(), 3);
  await screenshot(page, "beside");
  // A link to other jobs: they are opened beside, and what is open stays.
  await fill(page, "Link to compare with", "https://example.org/#v=1&sample=cluster&run=fifo");
  await form(page).getByRole("button", { name: "Compare", exact: true }).click();
  await over(page, "All 2 runs are over.");
  const jobs = await page.getByRole("list", { name: "What differs" }).getByRole("listitem").first().textContent();
  assert.match(jobs, /^Jobs: .+, [\d,]+ here, .+, [\d,]+ there\.$/);
  assert.match(page.url(), /sample=lab/);
  // And a file.
  await fill(page, "Link to compare with", "https://example.org/#v=1&file=gone.csv&run=fifo");
  await form(page).getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "jobs of the file gone.csv, which this page does not have: choose it below" }).waitFor();
});

test("an experiment stands beside the page as it was saved", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=srtf&restart=60&cluster=6x4&t=0");
  await finished(page, 1);
  const mean = (await page.locator(".card").first().textContent()).match(/mean JCT ([\d.]+ \w+)/)[1];
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  await page.getByRole("button", { name: /Experiment: jobs and settings/ }).click();
  const saved = readFileSync(await (await saving).path());
  const other = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0&view=sweep&sweep=link");
  await finished(other, 1);
  const file = other.getByLabel("File to compare with");
  await file.setInputFiles({ name: "theirs.csv", mimeType: "text/csv", buffer: saved });
  await over(other, "All 2 runs are over.");
  const told = await other.getByRole("list", { name: "What differs" }).getByRole("listitem").allTextContents();
  assert.ok(told.includes("Restart cost: 0 s here, 60 s there."), told.join("\n"));
  assert.ok(told.some((of) => /^Cluster: \S+ here, 6x4 there\.$/.test(of)), told.join("\n"));
  const rows = await other.locator(".sweep tbody tr").allInnerTexts();
  assert.ok(rows[1].includes(mean), `${rows[1]}: ${mean} where it was saved`);
  // What is no trace is refused, and the page stays.
  await file.setInputFiles({ name: "no.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
  await other.getByRole("alert").filter({ hasText: "no.csv cannot be opened: " }).waitFor();
  assert.equal(await other.locator(".card").count(), 1);
});

// Tables of `switchyard sweep`

const cli = process.env.SWITCHYARD_CLI;
const skip = !cli && "no SWITCHYARD_CLI";
const LAB = "index.html#v=1&sample=lab&run=fifo&run=srtf&t=0";

/** A sweep of the lab's day: three policies, five loads, three seeds with failing nodes. */
let folder;
before(() => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), "switchyard-sweep-"));
  writeFileSync(
    join(folder, "grid.toml"),
    `traces = ["sample:lab"]
policies = ["fifo", "srtf", "tiresias-las"]
loads = "0.5..1.5/5"
seeds = "1..3/3"
settings.mtbf = 240
`,
  );
  execFileSync(cli, ["sweep", join(folder, "grid.toml"), "--out", join(folder, "results")], { stdio: "ignore" });
});
const result = (name) => join(folder, "results", name);
const bytesOf = (name) => readFileSync(result(name));

/** Drops files on the page. */
const drop = async (page, ...files) => {
  const data = await page.evaluateHandle(
    (files) => {
      const data = new DataTransfer();
      for (const { name, bytes } of files) data.items.add(new File([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], name));
      return data;
    },
    files.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes).toString("base64") })),
  );
  await page.dispatchEvent(".drop", "drop", { dataTransfer: data });
};
const facts = (page, text) => explorer(page).getByText(text).waitFor();
const WHOLE = "45 runs; 5 × load, 3 × policy, 3 × seed; jobs of sample:lab.";

for (const [where, address] of [
  ["as it is published", LAB],
  ["in the single file", pathToFileURL(join(dist, "switchyard.html")).href],
]) {
  test(`who opens no sweep downloads nothing of the explorer, ${where}`, { skip }, async (t) => {
    const seen = [];
    const note = (page) => page.on("request", (request) => seen.push(request.url()));
    const page = await open(t, address, { before: note });
    const ofIt = () => seen.filter((url) => /\/explorer\.js/.test(url)).length;
    await finished(page, 2);
    await page.getByRole("tab", { name: "Sweep" }).click();
    await page.getByRole("button", { name: "Open a sweep’s table…" }).waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(ofIt(), 0);
    await page.getByLabel("Tables of sweeps").setInputFiles(result("results.parquet"));
    await facts(page, WHOLE);
    assert.equal(ofIt(), address === LAB ? 1 : 0);
  });
}

test("the size of the explorer is printed, compressed", (t) => {
  const kilobytes = gzipSync(readFileSync(join(dist, "explorer.js")), { level: 9 }).length / 1024;
  t.diagnostic(`explorer: ${kilobytes.toFixed(1)} KB`);
  assert.ok(kilobytes <= 180, "small enough to be waited for");
});

test("a table that is dropped is explored, nothing that is open is lost, and a run of it comes to its number", { skip }, async (t) => {
  const page = await open(t, LAB);
  await finished(page, 2);
  await drop(page, { name: "results.parquet", bytes: bytesOf("results.parquet") });
  await page.getByRole("tab", { name: "Sweep", selected: true }).waitFor();
  await facts(page, WHOLE);
  await facts(page, /Means over seeds \(n = 3\), with the 95 % interval/);
  assert.equal(await page.locator(".card").count(), 2);
  assert.equal(await explorer(page).locator("figure a").count(), 15);
  assert.deepEqual(await accessibilityProblems(page), []);
  // The CSV of the same sweep shows the same.
  const shown = () => explorer(page).locator("figure a").evaluateAll((all) => all.map((of) => of.getAttribute("aria-label")));
  const ofParquet = await shown();
  await page.getByTestId("file-picker").setInputFiles(result("results.csv"));
  await explorer(page).getByRole("heading", { name: "results.csv", exact: true }).waitFor();
  assert.deepEqual(await shown(), ofParquet);
  // Three seeds behind a point: listed, each a link. By keyboard.
  const where = cell(page, /^tiresias-las, load 1\.25: mean JCT .* 3 runs: lists them$/);
  await where.focus();
  await page.keyboard.press("Enter");
  const runs = explorer(page).getByRole("region", { name: "Runs of tiresias-las, load 1.25", exact: true }).first();
  assert.deepEqual(await runs.getByRole("link").allTextContents(), ["seed 1", "seed 2", "seed 3"]);
  assert.deepEqual(await accessibilityProblems(page), []);
  const { columns } = await read([new File([bytesOf("results.csv")], "results.csv")]);
  const at = [...columns.get("seed").keys()].find((row) => columns.get("policy")[row] === "tiresias-las" && columns.get("load")[row] === 1.25 && columns.get("seed")[row] === 2);
  await runs.getByRole("link", { name: "seed 2" }).click();
  await page.waitForFunction(() => /load=1\.25/.test(location.hash) && /seed=2/.test(location.hash));
  await finished(page, 1);
  const [{ jct_mean: mean }] = await cards(page);
  assert.equal(mean, columns.get("jct_mean")[at]);
  // Back: both tables are still there.
  await page.getByRole("tab", { name: "Sweep" }).click();
  await explorer(page).getByRole("button", { name: "results.parquet", exact: true }).click();
  await explorer(page).getByRole("heading", { name: "results.parquet", exact: true }).waitFor();
});

test("a table that is being read can be given up, and another takes its place", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&view=sweep&t=0");
  await finished(page, 1);
  const runs = (seeds) => ["trace,cluster,scheduler,policy,load,seed,jobs,finished,jct_mean", ...seeds.map((seed) => `lab,4x4,fifo,fifo,1,${seed},3,3,${10 + seed}`)].join("\n");
  const give = (name, ...seeds) => page.getByLabel("Tables of sweeps").setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(runs(seeds)) });
  const read = explorer(page).getByRole("heading", { name: /\.csv/ });
  await give("first.csv", 1, 2);
  await read.filter({ hasText: "first.csv" }).waitFor();
  // A file that never ends.
  await page.evaluate(() => {
    globalThis.opens = switchyardExplorer.open;
    switchyardExplorer.open = (_, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const cancel = page.getByRole("button", { name: "Cancel", exact: true });
  await give("endless.csv", 1);
  await cancel.click();
  await over(page, "Cancelled: no table is opened.");
  assert.ok(await read.filter({ hasText: "first.csv" }).isVisible(), "what was open stays");
  await give("endless.csv", 1);
  await cancel.waitFor();
  await page.evaluate(() => (switchyardExplorer.open = opens));
  await give("second.csv", 3, 4);
  await read.filter({ hasText: "second.csv" }).waitFor();
  assert.equal(await cancel.isVisible(), false);
});

test("heat map, front, panels and a baseline show the same runs", { skip }, async (t) => {
  const page = await open(t, LAB);
  await finished(page, 2);
  await drop(page, { name: "results.csv", bytes: bytesOf("results.csv") });
  await facts(page, WHOLE);
  const view = (name) => explorer(page).getByRole("button", { name, exact: true }).click();
  await view("Heat map");
  assert.equal(await explorer(page).locator("figure a").count(), 15);
  await choose(page, "Relative to", { label: "fifo" });
  // Each run beside itself.
  await cell(page, "fifo, load 1: mean JCT 1 ×, 3 runs: lists them").waitFor();
  await screenshot(page, "sweep-heat");
  assert.deepEqual(await accessibilityProblems(page), []);
  await choose(page, "Relative to", { label: "nothing" });
  await view("Pareto front");
  // At the load as recorded: a point a policy.
  assert.equal(await explorer(page).getByLabel("Load, × as recorded", { exact: true }).locator("option:checked").textContent(), "1");
  assert.equal(await explorer(page).locator("figure a").count(), 3);
  await screenshot(page, "sweep-pareto");
  await choose(page, "Panels", { label: "Load, × as recorded" });
  assert.equal(await explorer(page).locator("figure").count(), 5);
  assert.deepEqual(await accessibilityProblems(page), []);
  // The table below sorts, and is a file.
  const means = explorer(page).getByRole("region", { name: "Means", exact: true });
  await means.getByRole("button", { name: /^mean JCT, / }).click();
  const sorted = page.waitForEvent("download");
  await explorer(page).getByRole("button", { name: "Save these as CSV" }).click();
  const lines = readFileSync(await (await sorted).path(), "utf8").trim().split("\n");
  assert.equal(lines[0], "load,policy,runs,failed,leaving_jobs,front,jct_mean,jct_mean_low,jct_mean_high,jct_p99,jct_p99_low,jct_p99_high");
  assert.equal(lines.length, 16);
  const saving = page.waitForEvent("download");
  await view("Lines");
  await explorer(page).getByRole("button", { name: "Save SVG" }).click();
  const svg = readFileSync(await (await saving).path(), "utf8");
  assert.ok(svg.startsWith("<svg") && !/var\(|<a /.test(svg), "it stands alone");
});

test("a dropped file that is no sweep table is refused in words, files beside it open, and nothing is lost", { skip }, async (t) => {
  const page = await open(t, LAB);
  await finished(page, 2);
  const csv = bytesOf("results.csv").toString();
  await drop(page, { name: "results.csv", bytes: csv });
  await facts(page, WHOLE);
  const refused = async (name, bytes, words) => {
    await drop(page, { name, bytes });
    await page.getByRole("alert").filter({ hasText: words }).waitFor();
    await facts(page, WHOLE);
    assert.equal(await page.locator(".card").count(), 2);
  };
  const parquet = bytesOf("results.parquet");
  await refused("results.parquet", parquet.subarray(0, parquet.length / 2), "results.parquet is cut off");
  // The version stands within, as text of the same length.
  const other = Buffer.from(parquet);
  const key = other.lastIndexOf("switchyard.sweep") + "switchyard.sweep".length;
  other[other.indexOf("1", key)] = "2".charCodeAt(0);
  await refused("results.parquet", other, "is a sweep's table of version 2, and this page reads version 1");
  await refused("half.csv", csv.split("\n")[0] + "\n", "half.csv has no runs: its header stands alone");
  // A run that failed is said, and in no mean.
  const lines = csv.trim().split("\n");
  const head = lines[0].split(",");
  const cells = lines[1].split(",");
  const emptied = cells.map((of, at) => (at > head.indexOf("seed") ? "" : of));
  emptied[head.indexOf("failure")] = "run";
  emptied[head.indexOf("error")] = "it does not end";
  await drop(page, { name: "failed.csv", bytes: [lines[0], emptied.join(","), ...lines.slice(2)].join("\n") });
  await facts(page, "45 runs, of which 1 failed;");
  await explorer(page).getByText("1 run that failed").click();
  await explorer(page).getByText("did not end: it does not end").waitFor();
  await facts(page, /1 run has failed and is in no mean/);
  // A trace beside a table is opened as ever.
  const trace = "job_id,submit_time,duration,num_gpus\na,0,60,1\nb,10,60,2\n";
  await drop(page, { name: "jobs.csv", bytes: trace }, { name: "results.csv", bytes: csv });
  await page.locator("header .facts").filter({ hasText: "2 jobs" }).waitFor();
  await page.getByRole("tab", { name: "Sweep", selected: true }).waitFor();
});

for (const [name, options] of [
  ["light, 390", { viewport: { width: 390, height: 844 }, colorScheme: "light" }],
  ["dark, 1920", { viewport: { width: 1920, height: 1080 }, colorScheme: "dark" }],
]) {
  test(`a table fits and is in order, ${name}`, { skip }, async (t) => {
    const page = await open(t, LAB, options);
    await finished(page, 2);
    await drop(page, { name: "results.parquet", bytes: bytesOf("results.parquet") });
    await facts(page, WHOLE);
    assert.deepEqual(await accessibilityProblems(page), []);
    const [wide, room] = await explorer(page).evaluate((of) => [Math.max(...[...of.querySelectorAll("svg")].map((svg) => svg.getBoundingClientRect().right)), innerWidth]);
    assert.ok(wide <= room, `${wide} of ${room}`);
    await screenshot(page, `explorer-${options.viewport.width}`);
  });
}

test.after(() => folder && rmSync(folder, { recursive: true }));
