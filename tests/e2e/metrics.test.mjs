// One answer wherever it is asked: every metric of page, module and command line, to the last bit, for all policies.
// (python/tests/test_run.py holds the wheel to the command line.) And a run that leaves jobs behind is never a
// better run, in Compare, in the yard, in files and in the editor.
//
// Usually on the smallest sample and on one workload with everything on; SWITCHYARD_ALL=1 takes every sample.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { browser, dist, emptyFolder, finished, long, results, screenshot } from "./browser.mjs";
import { begin, write } from "./editor.mjs";

const { open } = browser();
const module = await import(pathToFileURL(join(dist, "module", "switchyard.js")).href);
const cli = process.env.SWITCHYARD_CLI;
const skip = !cli && "no SWITCHYARD_CLI";

/** What of a run is no metric: its name, where and how fast it ran, and what only some write of each job. */
const metrics = ({ label, wall_ms, log_budget, per_job, columns, segments, places, ...run }) => run;

const pageRuns = async (t, link, count) => {
  const page = await open(t, `index.html#${link}`);
  await finished(page, count, 300_000);
  const { runs } = await results(page);
  await page.close();
  return runs.map(metrics);
};

/** So many schedulers fit into the page's list. */
const MOST = 8;
const inGroups = (all) => Array.from({ length: Math.ceil(all.length / MOST) }, (_, at) => all.slice(at * MOST, (at + 1) * MOST));

// The policies that run without a text or file of one's own or a record of what happened, and those of them that adapt jobs.
const offered = (await module.policies()).filter(({ name, replays }) => !replays && !["script", "plugin"].includes(name));
const names = offered.map(({ name }) => name);
const adaptive = ["pollux", "optimus"];
assert.ok(adaptive.every((name) => names.includes(name)));

const EVERYTHING = {
  link: "cluster=6x4:v100%2B4x4:t4/racks=2&contention=true&mtbf=200&mttr=1&checkpoint=1800&checkpoint-cost=30&restart=20&seed=7",
  options: { cluster: "6x4:v100+4x4:t4/racks=2", contention: true, mtbf: 200, mttr: 1, checkpoint_interval: 1800, checkpoint_cost: 30, restart_cost: 20, seed: 7 },
};
const flags = (options) =>
  Object.entries(options).flatMap(([key, value]) => (value === true ? [`--${key.replaceAll("_", "-")}`] : [`--${key.replaceAll("_", "-")}`, String(value)]));

const worlds = [{ title: "the sample lab", sample: "lab", link: "", options: {}, isLong: true }, { title: "everything on", sample: "lab", ...EVERYTHING }];
if (process.env.SWITCHYARD_ALL) {
  for (const { name } of await module.samples()) if (name !== "lab") worlds.push({ title: `the sample ${name}`, sample: name, link: "", options: {} });
}

for (const { title, sample, link, options, isLong } of worlds) {
  test(`page, module and command line tell the same of ${names.length} policies: ${title}`, { skip: skip || (isLong && long.skip) }, async (t) => {
    const trace = await module.open(`sample:${sample}`);
    t.after(() => trace.close());
    // By itself a policy has plain jobs; beside one that adapts jobs, all train applications.
    const plain = names.filter((name) => !adaptive.includes(name));
    const lists = [...inGroups(plain), ...inGroups(names).map((list) => [...list.slice(0, MOST - 1), adaptive[0]])];
    for (const list of lists) {
      const said = execFileSync(cli, ["run", `sample:${sample}`, ...list.flatMap((name) => ["--policy", name]), ...flags(options), "--json", "-"], { encoding: "utf8", maxBuffer: 1 << 28 });
      const native = JSON.parse(said).runs.map(metrics);
      const here = await module.run(trace, { policies: list, ...options });
      assert.deepEqual(JSON.parse(JSON.stringify(here.runs.map(metrics))), native, `module, ${list}`);
      const page = await pageRuns(t, `v=1&sample=${sample}&${link}${list.map((name) => `&run=${name}`).join("")}`, list.length);
      assert.deepEqual(page, native, `page, ${list}`);
    }
  });
}

// ---- Jobs left behind ----

const fixture = (name) => join(import.meta.dirname, "../fixtures", name);
/** Starts only what wants one GPU: 91 of lab's 240 jobs wait for ever. */
const SMALL_ONLY = fixture("small_only.rhai");
const NOTHING = fixture("starts_nothing.rhai");

test("the command line prints – for what cannot be known, compares nothing with it, and ends with 3", { skip }, () => {
  const run = (...more) => spawnSync(cli, ["compare", "sample:lab", "--policy", "fifo", "--policy", "srtf", ...more], { encoding: "utf8" });
  const whole = run();
  assert.equal(whole.status, 0);
  const { status, stdout, stderr } = run("--policy", `script:${SMALL_ONLY}`, "--policy", `script:${NOTHING}`);
  assert.equal(status, 3);
  assert.match(stderr, /91 of 240 jobs never end/);
  const row = (name, of = stdout) => of.split("\n").find((line) => line.startsWith(name));
  assert.match(stdout, /149 of 240 finished +0 of 240 finished/);
  const cells = row("mean JCT").split(/ {2,}/);
  assert.match(cells[2], /\([\d.]+x\)$/);
  assert.doesNotMatch(cells[3], /x\)/);
  assert.equal(cells[4], "–");
  assert.equal(row("makespan").split(/ {2,}/)[3], "–");
  // Over the jobs that finished in all the script may be compared.
  const common = run("--policy", `script:${SMALL_ONLY}`, "--finished-in-all");
  assert.equal(common.status, 3);
  assert.match(common.stdout, /compared over the 149 of 240 jobs that finished under all/);
  assert.match(row("mean JCT", common.stdout).split(/ {2,}/)[3], /x\)$/);
  const json = JSON.parse(run("--policy", `script:${NOTHING}`, "--finished-in-all", "--json", "-").stdout);
  assert.equal(json.finished_in_all, 0);
  const [, , left] = json.runs;
  assert.deepEqual([left.finished, left.jct.mean, left.makespan, left.over_finished_in_all.jct.mean], [0, null, null, null]);
});

test("every job rejected: no mean, in words and as JSON, and status 3", { skip }, (t) => {
  const folder = emptyFolder(t);
  const trace = join(folder, "wide.csv");
  writeFileSync(trace, "job_id,submit_time,duration,num_gpus\na,0,10,8\nb,5,10,8\n");
  const run = (...more) => spawnSync(cli, ["run", trace, "--cluster", "1x4", ...more], { encoding: "utf8" });
  const said = run();
  assert.equal(said.status, 3, said.stderr);
  assert.match(said.stdout.split("\n").find((line) => line.startsWith("mean JCT")), /^mean JCT +– +–$/);
  assert.equal(JSON.parse(run("--json", "-").stdout).runs[0].jct.mean, null);
});

test("a script that leaves jobs behind is the best of nothing, in the editor, the yard, Compare and files", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=srtf", { viewport: { width: 1440, height: 900 } });
  await begin(page);
  await write(page, readFileSync(SMALL_ONLY, "utf8"));
  await finished(page, 4);
  const editor = page.locator(".editor table");
  await editor.getByText("149 of 240 finished").waitFor();
  assert.equal(await editor.locator(".better, .worse").count(), 0);
  assert.match(await editor.locator("caption").textContent(), /not compared/);
  const yard = page.getByRole("region", { name: "Yard of My FIFO", exact: true });
  await yard.getByText("149 of 240 finished").waitFor();
  assert.doesNotMatch(await yard.locator("h2").textContent(), /shorter|longer/);

  await page.getByRole("tab", { name: "Compare" }).click();
  const headline = page.getByRole("region", { name: "Headline", exact: true });
  const row = headline.getByRole("row").filter({ hasText: "149 of 240 finished" });
  await row.waitFor();
  assert.equal(await row.getByText("best", { exact: true }).count(), 0);
  assert.doesNotMatch(await row.textContent(), /shorter|longer|fewer/);
  // The others are still compared with one another.
  assert.ok((await headline.getByText("best", { exact: true }).count()) > 0);
  await screenshot(page, "left-behind");
  const left = (await results(page)).runs.at(-1);
  assert.deepEqual([left.finished, left.jct.mean > 0, left.makespan], [149, true, null]);
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Table for a paper as LaTeX", exact: true }).click();
  const tex = readFileSync(await (await saving).path(), "utf8");
  await page.keyboard.press("Escape");
  const own = tex.split("\n").find((line) => line.startsWith("My FIFO ("));
  assert.match(own, /^My FIFO \(149 of 240 finished\) & /);
  assert.doesNotMatch(own, /\\textbf/);
  assert.match(tex, /\\textbf/, "the best of the others is marked");

  await headline.getByLabel("compare over the jobs that finished in all runs").check();
  await headline.getByText("Compared over the 149 jobs that finished in all runs.").waitFor();
  assert.match(await row.textContent(), /shorter|longer/);
  await page.waitForFunction(() => /compare-over=finished-in-all/.test(location.hash));
  await screenshot(page, "finished-in-all");
});

test("where jobs train applications because of one scheduler, Compare and the command line say so", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=pollux&view=compare");
  const why = page.getByText("Jobs train applications under every scheduler here, because Pollux adapts them.");
  await why.waitFor();
  if (cli) {
    const said = execFileSync(cli, ["run", "sample:lab", "--policy", "fifo", "--policy", "pollux"], { encoding: "utf8" });
    assert.match(said, /because Pollux adapts them/);
  }
  await page.goto(page.url().replace("&run=pollux", ""));
  await why.waitFor({ state: "detached" });
});

test("in a sweep, what leaves jobs behind is hollow, on no front, and nothing is divided by it", async (t) => {
  // Two nodes of four GPUs have no room for lab's gangs of 16.
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=srtf&t=0&view=sweep&sweep=nodes&sweep-values=2 4 8");
  await finished(page, 2);
  await page.getByRole("button", { name: "Run the sweep", exact: true }).click();
  await page.getByText("All 6 runs are over.").waitFor();
  const explorer = page.getByRole("region", { name: "Table of the sweep" });
  await explorer.getByText("2 runs leave jobs behind, unfinished or rejected: they are drawn hollow").waitFor();
  const hollow = () => explorer.locator("figure circle").evaluateAll((dots) => dots.map((dot) => dot.getAttribute("fill") === "var(--surface)"));
  assert.deepEqual((await hollow()).filter(Boolean).length, 2);
  assert.match(await explorer.locator("figure a").first().getAttribute("aria-label"), /over only the jobs that finished/);
  await screenshot(page, "hollow");
  // Of a front, points that others beat are hollow as well.
  await explorer.getByRole("button", { name: "Pareto front", exact: true }).click();
  await explorer.getByLabel("GPUs of the cluster", { exact: true }).selectOption({ label: "8" });
  await explorer.getByText("2 runs leave jobs behind, unfinished or rejected: they are on no front, their numbers").waitFor();
  await explorer.getByRole("button", { name: "Lines", exact: true }).click();
  await explorer.getByLabel("Relative to", { exact: true }).selectOption({ label: "fifo" });
  await page.waitForFunction(() => document.querySelectorAll(".explorer figure circle").length === 4);
});
