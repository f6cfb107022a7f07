// Opening traces as a visitor does: files that belong together, tables of unknown columns, large
// files, other jobs of a trace, traces kept in the browser, experiments, and files that are none.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessibilityProblems, browser, emptyFolder, finished, give, problemsOf, screenshot, table } from "./browser.mjs";

const { open } = browser();
const fixture = (name) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const fixtures = (...names) => names.map(fixture);

/** The page with its sample run to the end. */
async function ready(t, options) {
  const page = await open(t, "index.html#v=1&t=0", options);
  await finished(page, 2);
  return page;
}

const facts = (page) => page.locator("header .facts").textContent();
const report = (page) => page.getByTestId("import-report");
const summary = (page) => report(page).locator("summary").first();
const dialog = (page) => page.getByRole("dialog", { name: "Which column is which?" });

/** Waits until the header says this many jobs. */
const jobs = (page, count) => page.locator("header .facts").getByText(`${count} ${count === 1 ? "job" : "jobs"}`, { exact: true }).waitFor();

/** What a button of the Export menu saves. */
async function saved(page, name) {
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name }).click();
  const path = await (await download).path();
  await page.keyboard.press("Escape");
  return { path, text: readFileSync(path, "utf8") };
}

const results = async (page) => JSON.parse((await saved(page, "Metrics as JSON")).text);

const UNKNOWN = ["Ticket,When,Took,Cards,Who", "a,0,30,2,x", "b,10,60,1,y", "c,20,90,4,x"];

for (const colorScheme of ["light", "dark"]) {
  test(`an unknown table, in ${colorScheme}: a person says once which column is which`, async (t) => {
    const page = await ready(t, { colorScheme });
    await give(page, table("tickets.csv", UNKNOWN));
    await dialog(page).waitFor();
    assert.match(await dialog(page).textContent(), /no column tells when a job was submitted/);
    assert.match(await dialog(page).textContent(), /Still to say: when jobs were submitted, how long they ran, their GPUs\./);
    assert.deepEqual(await dialog(page).locator("tbody tr").first().locator("td").allTextContents(), ["a", "0", "30", "2", "x"]);
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, `columns-${colorScheme}-1280`);

    // The rest of the page is out of reach: neither keys nor Tab get there.
    await page.keyboard.press("3");
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press("Tab");
      const inside = () => document.activeElement === document.body || !!document.activeElement.closest("dialog");
      assert.ok(await page.evaluate(inside));
    }
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    assert.equal(await page.getByRole("tab", { name: "Yard" }).getAttribute("aria-selected"), "true");
    assert.match(await facts(page), /A lab's day/);

    await page.getByRole("button", { name: "Choose columns…" }).click();
    await dialog(page).waitFor();
    const choose = (column, role) => dialog(page).getByLabel(`${column} is`).selectOption(role);
    const openIt = dialog(page).getByRole("button", { name: "Open" });
    await choose("When", "submitted");
    await choose("Took", "duration");
    assert.ok(await openIt.isDisabled());
    await choose("Cards", "GPUs");
    await choose("Who", "tenant");
    await dialog(page).getByLabel("Unit of times").selectOption("minutes");
    const text = await dialog(page).getByLabel("On the command line").inputValue();
    assert.equal(text, "--map 'submit=When,duration=Took,gpus=Cards,tenant=Who,unit=min'");
    await openIt.click();
    await dialog(page).waitFor({ state: "detached" });
    await jobs(page, 3);
    // 30 min × 2 + 60 min × 1 + 90 min × 4.
    assert.match(await facts(page), /8 GPU·h/);

    // The next file with this header, after a reload, needs no asking.
    await page.waitForFunction(() => /file=tickets/.test(location.hash));
    await page.getByText("Held for this tab").waitFor();
    await page.reload();
    await jobs(page, 3);
    await give(page, table("more.csv", ["Ticket,When,Took,Cards,Who", "d,0,60,3,y"]));
    await jobs(page, 1);
    assert.match(await facts(page), /3 GPU·h/);
    assert.match(await report(page).textContent(), /Columns are read as you chose for an earlier file with the same header/);

    // What was said can be changed, and a mapping that makes no trace says why.
    await page.getByRole("button", { name: "Change columns and units…" }).click();
    await dialog(page).waitFor();
    await choose("Who", "duration");
    await openIt.click();
    await dialog(page).getByText(/no job that can be replayed/).waitFor();
    await choose("Took", "duration");
    await dialog(page).getByLabel("Unit of times").selectOption("seconds");
    await openIt.click();
    await page.locator("header .facts").getByText("0.05 GPU·h").waitFor();
  });
}

test("files that belong together come in any order, at once or one after the other", async (t) => {
  const page = await ready(t);
  const nodes = page.getByLabel("Nodes", { exact: true });
  for (const names of [["tiresias.csv", "tiresias_cluster.csv"], ["tiresias_cluster.csv", "tiresias.csv"]]) {
    await give(page, ...fixtures(...names));
    await report(page).waitFor();
    assert.match(await summary(page).textContent(), /^tiresias.*\.csv: 3 of 3 rows kept$/);
    assert.match(await page.locator("#rail").textContent(), /came with the trace/);
    await page.getByLabel("Sample").selectOption("lab");
    await report(page).waitFor({ state: "detached" });
  }

  // A trace, and then its cluster.
  await give(page, fixture("helios.csv"));
  await report(page).waitFor();
  await give(page, fixture("tiresias_cluster.csv"));
  await page.getByText(/The cluster is now .*, as the file says/).waitFor();
  assert.ok(Number(await nodes.inputValue()) > 0);
  assert.match(await summary(page).textContent(), /helios/);

  // Halves of a trace: one alone is refused with the next step, and then waits for the other.
  await give(page, fixture("pai_task_table.csv"));
  await page.locator(".refusal > p").getByText(/open pai_job_table and pai_task_table together.*Open the other one now\./).waitFor();
  assert.match(await facts(page), /Helios/);
  await give(page, fixture("pai_job_table.csv"));
  await page.locator("header .facts").getByText("Alibaba PAI v2020").waitFor();
  const alone = await report(page).textContent();
  await give(page, ...fixtures("pai_machine_spec.csv", "pai_task_table.csv", "pai_job_table.csv"));
  await page.getByText(/pai_machine_spec\.csv: .* machines with/).waitFor();
  assert.match(await page.locator("#rail").textContent(), /came with the trace/);
  assert.ok(alone.includes("plan_gpu ÷ 100 × inst_num"));
});

test("a cluster that is guessed says why, and its neighbours are a button away", async (t) => {
  const page = await ready(t);
  const jobs = Array.from({ length: 200 }, (_, i) => `j${i},${432 * i},8640,4`);
  await give(page, table("long.csv", ["job_id,submit_time,duration,num_gpus", "long,0,1728000,1", ...jobs]));
  const rail = page.locator("#rail");
  await rail.getByText("112 GPUs, guessed: 1.1 × the mean demand while jobs came, 100.5 GPUs").waitFor();
  const button = (name) => rail.getByRole("button", { name, exact: true });
  await button("168 GPUs (larger)").click();
  await rail.getByText("168 GPUs, chosen by you").waitFor();
  await button("76 GPUs (smaller)").click();
  await rail.getByText("76 GPUs, chosen by you").waitFor();
  await button("112 GPUs (as guessed)").click();
  await rail.getByText(/^112 GPUs, /).waitFor();
  assert.equal(await button("112 GPUs (as guessed)").count(), 0);
});

test("files dropped on the page are opened", async (t) => {
  const page = await ready(t);
  const files = ["tiresias.csv", "tiresias_cluster.csv"].map((name) => ({ name, text: readFileSync(fixture(name), "utf8") }));
  const transfer = await page.evaluateHandle((files) => {
    const transfer = new DataTransfer();
    for (const { name, text } of files) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  await page.dispatchEvent("main", "dragover", { dataTransfer: transfer });
  await page.getByText("Drop a job trace").waitFor();
  await screenshot(page, "drop-hint");
  await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
  await report(page).waitFor();
  await page.getByText("Drop a job trace").waitFor({ state: "detached" });
});

test("a list of outages: shown, in link and file, removed; a wrong one spoils nothing", async (t) => {
  const page = await ready(t);
  const shown = page.getByTestId("outages");
  const before = await facts(page);
  await give(page, table("down.csv", ["node,from,to", "1,0,1h", "1,2h,1d", "2,60,30"]));
  await page.getByText("down.csv, line 4: node 2's outage ends at 30 s, before it begins at 60 s").waitFor();
  assert.equal(await facts(page), before);
  assert.equal(await shown.count(), 0);

  await give(page, table("down.csv", ["node,from,to", "1,0,1h", "1,2h,1d", "2,60,90"]));
  await shown.waitFor();
  assert.match(await shown.textContent(), /^3 outages of 2 nodes, from 0 s to 24 h/);
  assert.equal(await facts(page), before);
  await finished(page, 2);
  const { failures } = (await results(page)).runs[0];
  assert.equal(failures.node_failures, 3);
  await page.waitForFunction(() => location.hash.includes("outages=1:0..3600,2:60..90,1:7200..86400"));
  const file = await saved(page, /experiment/i);
  assert.match(file.text, /^#outages 1:0\.\.3600,2:60\.\.90,1:7200\.\.86400$/m);

  await page.getByRole("button", { name: "Remove the outages" }).click();
  await shown.waitFor({ state: "detached" });
  await give(page, table("down.csv", ["node,from,to", "99,0,1h"]));
  await page.getByText("there is no node 99 to fail: the cluster's nodes are 0 to 7").first().waitFor();
});

test("opening a large file shows progress, can be cancelled, and reads slices", async (t) => {
  const page = await ready(t);
  await give(page, fixture("helios.csv"));
  await report(page).waitFor();
  const before = await facts(page);

  // Of a million rows every thousandth asks for GPUs.
  const folder = emptyFolder(t);
  const path = join(folder, "large.csv");
  const file = await openFile(path, "w");
  await file.write("job_id,submit_time,duration,num_gpus,user,state,comment\n");
  const rows = 1_000_000;
  const words = "some words that nobody reads ".repeat(5);
  for (let from = 0; from < rows; from += 10_000) {
    const row = (i) => `job-${i},${i * 3},${60 + (i % 7) * 100},${i % 1000 ? 0 : 2},user-${i % 40},COMPLETED,${words}`;
    await file.write(`${Array.from({ length: 10_000 }, (_, i) => row(from + i)).join("\n")}\n`);
  }
  await file.close();
  const megabytes = readFileSync(path).length / 1e6;
  assert.ok(megabytes > 150, `${megabytes} MB`);

  await give(page, path);
  const bar = page.getByRole("progressbar", { name: "Opening" });
  await bar.waitFor();
  await page.locator(".busy").getByText(/^[1-9]\d? %, .* of .* MB, [\d,]+ rows$/).waitFor();
  // At once: until a button has stood still for two frames the file may have been read.
  await page.getByRole("button", { name: "Cancel opening" }).click({ force: true });
  await bar.waitFor({ state: "detached" });
  assert.equal(await facts(page), before);
  // The trace before it is as much at hand as ever.
  await page.getByText("Jobs replayed: all").click();
  await page.getByTestId("job-choice").getByLabel(/^completed/).check();
  await jobs(page, 1);
  assert.match(await report(page).textContent(), /not of a chosen status/);

  const start = Date.now();
  await give(page, path);
  await bar.waitFor();
  await screenshot(page, "progress");
  await jobs(page, "1,000");
  t.diagnostic(`${(megabytes / ((Date.now() - start) / 1000)).toFixed(0)} MB/s, ${megabytes.toFixed(0)} MB`);
  assert.match(await summary(page).textContent(), /large\.csv: 1,000 of 1,000,000 rows kept/);
  assert.match(await report(page).textContent(), /999,000 no GPU requested/);
});

const SEVERAL = [
  "job_id,submit_time,duration,num_gpus,vc,state",
  "a,0,3600,0.5,north,Pass",
  "b,3600,3600,4,north,Killed",
  "c,90000,3600,8,south,Pass",
  "d,180000,3600,64,south,Failed",
];

test("other jobs of a trace: window, tenants, ends, fractions, gangs too large", async (t) => {
  const page = await ready(t);
  const nodes = ["num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node", "1,2,4,8,16"];
  await give(page, table("several.csv", SEVERAL), table("nodes.csv", nodes));
  await jobs(page, 4);
  await finished(page, 2);
  assert.equal(await page.getByLabel("As text").inputValue(), "2x4");
  await page.getByText("Jobs replayed: all").click();
  const choice = page.getByTestId("job-choice");
  const hours = (text) => page.locator("header .facts").getByText(`${text} GPU·h`, { exact: true }).waitFor();
  await hours(77);

  await choice.getByLabel("Fractions of a GPU (1 job)").selectOption("get whole GPUs for a shorter time");
  await hours(76.5);
  await choice.getByLabel("Fractions of a GPU (1 job)").selectOption("are left out");
  await jobs(page, 3);
  await choice.getByLabel("Fractions of a GPU (1 job)").selectOption("get whole GPUs");
  await choice.getByLabel(/^north/).check();
  await jobs(page, 2);
  await choice.getByLabel(/^south/).check();
  await jobs(page, 4);
  await choice.getByLabel(/^north/).uncheck();
  await jobs(page, 2);
  await choice.getByLabel(/^south/).uncheck();
  await choice.getByLabel(/^completed/).check();
  await jobs(page, 2);
  await choice.getByLabel(/^completed/).uncheck();
  await jobs(page, 4);
  await finished(page, 2);
  const window = choice.getByLabel(/^Submitted within/);
  await window.fill("1h..2d");
  await window.press("Enter");
  await jobs(page, 2);
  await finished(page, 2);
  await window.fill("soon");
  await window.press("Enter");
  await page.locator(".refusal > p").getByText(/'soon' is not a window: write FROM\.\.TO/).waitFor();
  await jobs(page, 2);
  await window.fill("");
  await window.press("Enter");
  await jobs(page, 4);
  await choice.getByLabel("Jobs larger than the cluster").selectOption("are left out");
  await jobs(page, 3);
  await finished(page, 2);
  const run = await results(page);
  assert.deepEqual(run.runs.map((run) => run.rejected), [0, 0]);

  // What is too large depends on the cluster.
  await page.getByLabel("Nodes", { exact: true }).fill("1");
  await page.getByLabel("Nodes", { exact: true }).press("Enter");
  await jobs(page, 2);
  await finished(page, 2);
  assert.equal(await page.getByLabel("As text").inputValue(), "1x4");
  await screenshot(page, "choice");
  assert.deepEqual(await accessibilityProblems(page), []);
});

test("a trace kept in the browser is found again, as it was opened, and can be removed", async (t) => {
  const page = await ready(t);
  await give(page, table("several.csv", SEVERAL));
  await jobs(page, 4);
  await page.getByText("Jobs replayed: all").click();
  await page.getByTestId("job-choice").getByLabel(/^north/).check();
  await jobs(page, 2);
  await page.getByRole("button", { name: "Keep in this browser" }).click();
  await page.getByText("several.csv is kept in this browser").waitFor();
  await page.getByRole("button", { name: "Keep in this browser" }).waitFor({ state: "detached" });
  const kept = page.getByRole("group", { name: "Kept" });
  assert.match(await kept.textContent(), /several\.csv2 jobs, 1 KB/);

  const again = async () => {
    await page.waitForFunction(() => /file=several/.test(location.hash) && /north/.test(location.hash));
    await page.reload();
  };
  // The same link opens it by itself.
  await again();
  await jobs(page, 2);
  await page.getByLabel("Sample").selectOption("lab");
  await jobs(page, 240);
  await kept.getByRole("button", { name: "several.csv", exact: true }).click();
  await jobs(page, 2);
  assert.match(await summary(page).textContent(), /several\.csv: 2 of 4 rows kept/);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "kept");
  await kept.getByRole("button", { name: "Remove several.csv from this browser" }).click();
  await kept.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Keep in this browser" }).waitFor();
  await again();
  await page.getByText("This link shows several.csv").waitFor();
  assert.equal(await kept.count(), 0);
});

test("a browser without room says so", async (t) => {
  const page = await ready(t);
  await page.evaluate(() => {
    IDBObjectStore.prototype.add = () => {
      throw new DOMException("no room", "QuotaExceededError");
    };
  });
  await give(page, fixture("helios.csv"));
  await page.getByRole("button", { name: "Keep in this browser" }).click();
  await page.getByText(/helios\.csv is not kept: it needs 0\.0 MB and this browser gives no more room: remove a kept trace first\./).waitFor();
});

test("an experiment saved from the page brings everything back", async (t) => {
  const page = await open(t, "index.html#v=1&t=0&cluster=6x4&placement=spread&restart=30&spread=v100&restart-by-model=true&seed=9&run=srtf&run=tiresias-las[queues=2,thresholds=3600]");
  await finished(page, 2);
  const first = await results(page);
  const { path, text } = await saved(page, "Experiment: jobs and settings as CSV");
  assert.match(text, /^#switchyard 1\n#title A lab's day\n#cluster 6x4\n#policy srtf\n/);

  await page.goto(page.url().replace(/#.*/, "#v=1&t=0&sample=three-jobs&run=fifo"));
  await page.reload();
  await finished(page, 1);
  await give(page, path);
  await jobs(page, 240);
  await finished(page, 2);
  const again = await results(page);
  assert.deepEqual(again.runs.map(({ policy, seed, log_hash }) => [policy, seed, log_hash]), first.runs.map(({ policy, seed, log_hash }) => [policy, seed, log_hash]));
  assert.deepEqual(again.cluster, first.cluster);
  assert.match(await facts(page), /^A lab's day/);
  await page.waitForFunction(() => ["placement=spread", "restart=30", "restart-by-model=true", "spread=v100"].every((of) => location.hash.split("&").includes(of)));

  const swf = await saved(page, "Jobs alone as SWF");
  assert.match(swf.text, /^; Version: 2\.2\n/);
  const csv = await saved(page, "Jobs as Tiresias reads them as CSV");
  assert.match(csv.text, /^job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n/);
  await give(page, csv.path);
  await page.locator("header .facts").getByText("Tiresias").waitFor();
  await jobs(page, 240);
});

test("a file that is no trace is refused with the reason and the next step", async (t) => {
  const page = await ready(t);
  const before = await facts(page);
  const raw = (name, bytes) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) });
  for (const [file, message] of [
    [raw("jobs.csv.xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00]), /jobs\.csv\.xz is .*xz.*, which is not read here: /i],
    [fixture("bad_lfs_pointer.tar.gz"), /is a Git LFS pointer, not the data: download the real file/],
    [fixture("bad_empty.csv"), /bad_empty\.csv is empty: check that it was downloaded whole/],
    [fixture("bad_services.csv"), /bad_services\.csv/],
    [table("requests.csv", ["TIMESTAMP,ContextTokens,GeneratedTokens", "2023-11-16 18:15:46,374,44"]), /a log of requests to a model.*: its rows are requests of tokens/],
    [table("jobs.csv", ["time,application,num_replicas", "0,bert,4"]), /jobs\.csv/],
  ]) {
    await give(page, file);
    const error = page.locator(".refusal > p");
    await error.filter({ hasText: message }).waitFor();
    t.diagnostic(await error.textContent());
    assert.equal(await facts(page), before);
    assert.equal(await dialog(page).count(), 0);
  }
  for (const [file, message] of [
    [fixture("columnar_brotli.parquet"), /columnar_brotli\.parquet is a Parquet file and cannot be read: it is compressed with Brotli/],
    [fixture("columnar_zstd.arrow"), /columnar_zstd\.arrow is an Arrow file and cannot be read: it is compressed with zstd/],
    [raw("cut.parquet", readFileSync(fixture("jobs.parquet")).subarray(0, -9)), /cut\.parquet is a Parquet file and cannot be read: it is damaged or ends early/],
  ]) {
    await give(page, file);
    await page.locator(".refusal > p").filter({ hasText: message }).waitFor();
    assert.equal(await facts(page), before);
  }
});

test("Parquet is opened by a part that is fetched when it comes, and is the same table as CSV", async (t) => {
  const page = await ready(t);
  const fetched = [];
  page.on("request", (request) => /columnar/.test(request.url()) && fetched.push(request.url()));
  await give(page, fixture("columnar_jobs.csv"));
  await summary(page).filter({ hasText: "40 of 40 rows kept" }).waitFor();
  const csv = (await facts(page)).replace("columnar_jobs.csv", "");
  const hashOf = async () => (await finished(page, 2), (await results(page)).runs.map((run) => run.log_hash));
  const hashes = await hashOf();
  assert.deepEqual(fetched, []);

  await give(page, fixture("columnar_zstd.parquet"));
  await summary(page).filter({ hasText: "columnar_zstd.parquet: 40 of 40 rows kept" }).waitFor();
  assert.match(await report(page).textContent(), /it is a Parquet file/);
  assert.equal((await facts(page)).replace("columnar_zstd.parquet", ""), csv);
  assert.deepEqual(await hashOf(), hashes);
  assert.equal(fetched.length, 2, fetched.join(" "));

  // Other jobs of it, and beside another file.
  await page.getByText("Jobs replayed: all").click();
  await give(page, fixture("jobs.parquet"), fixture("tiresias_cluster.csv"));
  await summary(page).filter({ hasText: "jobs.parquet: 2 of 2 rows kept" }).waitFor();
  assert.match(await page.locator("#rail").textContent(), /came with the trace/);
  assert.equal(fetched.length, 2);
});

test("without a network, Parquet is refused in words and what is open stays", async (t) => {
  const page = await ready(t);
  const before = await facts(page);
  await page.route(/\/columnar[._]/, (route) => route.abort());
  await give(page, fixture("jobs.parquet"));
  await page.locator(".refusal > p").filter({ hasText: /what reads Parquet and Arrow could not be fetched .* export the file as CSV/ }).waitFor();
  assert.equal(await facts(page), before);
  // The request that has failed is the one meant to.
  problemsOf(page).length = 0;
});

for (const colorScheme of ["light", "dark"]) {
  test(`on a phone, in ${colorScheme}: report, choice and dialog are accessible and fit`, async (t) => {
    const page = await ready(t, { viewport: { width: 390, height: 844 }, colorScheme });
    await page.getByRole("button", { name: "Trace, schedulers and cluster" }).click();
    await give(page, table("several.csv", SEVERAL));
    await report(page).waitFor();
    await page.getByText("Distributions").click();
    await page.getByText("Jobs replayed: all").click();
    const fits = async () => {
      assert.deepEqual(await accessibilityProblems(page), []);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
    };
    assert.equal(await report(page).locator("figure svg").count(), 3);
    await fits();
    await report(page).scrollIntoViewIfNeeded();
    await screenshot(page, `report-${colorScheme}-390`);
    await give(page, table("tickets.csv", UNKNOWN));
    await dialog(page).waitFor();
    await fits();
    await screenshot(page, `columns-${colorScheme}-390`);
  });
}
