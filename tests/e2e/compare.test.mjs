// Compare: by GPU type, and what failures cost, where there is something to tell.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { browser, finished } from "./browser.mjs";

const { open } = browser();

/** The rows of the metrics below a heading, up to the next: names and values by run. */
const rowsBelow = (page, heading) =>
  page.locator(".metrics tbody", { has: page.getByRole("rowheader", { name: heading, exact: true }) }).evaluate((body) =>
    [...body.rows].slice(1).map((row) => [
      row.querySelector("button.term").textContent,
      ...[...row.querySelectorAll("td .value")].map((value) => value.textContent),
    ]),
  );

/** What a button of the export menu saves. */
async function saved(page, name) {
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name, exact: true }).click(),
  ]);
  await page.keyboard.press("Escape");
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
}

const results = async (page) => JSON.parse((await saved(page, "Metrics as JSON")).text);

const chart = (page, name) => page.getByRole("img", { name: new RegExp(`^${name}\\.`) });

test("by GPU type: use, jobs, completion and waiting, in table, chart and file", async (t) => {
  const page = await open(t, "index.html#v=1&cluster=5x4:v100%2B3x4:t4&run=fifo&run=srtf&view=compare");
  await finished(page, 2);
  const rows = await rowsBelow(page, "On V100: 20 GPUs");
  assert.deepEqual(rows.map(([name]) => name), ["GPU allocation", "Finished jobs", "Mean JCT", "Mean queueing delay"]);
  const words = await chart(page, "Completion times by GPU type").getAttribute("aria-label");
  assert.match(words, /fifo: median V100 [\d.]+ \w+, T4 [\d.]+ \w+\. srtf: median V100/);
  const { runs } = await results(page);
  const of = runs.map((run) => run.by_gpu_type);
  assert.deepEqual(of[0].map((one) => [one.gpu_type, one.gpus]), [["v100", 20], ["t4", 12]]);
  for (const [at, types] of of.entries()) {
    assert.equal(rows[1][at + 1], `${types[0].jobs}`);
    assert.equal(types[0].jobs + types[1].jobs, runs[at].finished);
    assert.ok(types[0].mean_jct > 0 && types[0].allocation > 0 && types[0].allocation <= 1);
  }
});

test("the table of a paper, in LaTeX, Markdown and CSV", async (t) => {
  const page = await open(t, "index.html#v=1&run=fifo&run=srtf&view=compare");
  await finished(page, 2);
  const { runs } = await results(page);
  const tex = await saved(page, "Table for a paper as LaTeX");
  const md = await saved(page, "Table for a paper as Markdown");
  const csv = await saved(page, "Table for a paper as CSV");
  assert.match(tex.name, /table\.tex$/);
  assert.match(tex.text, /\\toprule\nScheduler & Mean JCT \(s\)[^]*\nfifo & [\d,]+ &[^]*\nsrtf & \\textbf\{[\d,]+\}/);
  assert.match(md.text, /\| srtf \| \*\*[\d,]+\*\* \|/);
  const rows = csv.text.trim().split("\n").slice(1).map((row) => row.split(","));
  assert.deepEqual(rows.map((row) => row[0]), ["fifo", "srtf"]);
  for (const [at, run] of runs.entries()) assert.equal(Number(rows[at][1]), run.jct.mean);
});

test("what failures cost: goodput, what was lost, saved and restored, in table, chart and file", async (t) => {
  const failing = "mtbf=40&mttr=1&checkpoint=1800&checkpoint-cost=30&restart=20";
  const page = await open(t, `index.html#v=1&${failing}&run=fifo&run=las&view=compare`);
  await finished(page, 2);
  const rows = await rowsBelow(page, "Failures and checkpoints");
  assert.deepEqual(rows.map(([name]) => name), [
    "Goodput", "GPU-hours held", "Lost to failures", "Spent on checkpoints", "Spent on restoring", "Evictions",
    "Node failures", "GPUs available",
  ]);
  const { runs } = await results(page);
  for (const [at, { failures }] of runs.entries()) {
    const spent = failures.lost_gpu_hours + failures.checkpoint_gpu_hours + failures.restore_gpu_hours;
    assert.ok(failures.lost_gpu_hours > 0 && failures.checkpoint_gpu_hours > 0 && failures.restore_gpu_hours > 0);
    const goodput = 100 * (1 - spent / failures.executed_gpu_hours);
    assert.ok(Math.abs(parseFloat(rows[0][at + 1]) - goodput) < 0.1, `${rows[0]} is not ${goodput}`);
    assert.equal(rows[5][at + 1], `${failures.evictions}`);
  }
  const words = await chart(page, "Work lost to failures").getAttribute("aria-label");
  assert.match(words, /fifo: at most [\d.]+/);
});

test("a plain world has neither", async (t) => {
  const page = await open(t, "index.html#v=1&run=fifo&view=compare");
  await finished(page, 1);
  await chart(page, "Completion times of jobs").waitFor();
  assert.equal(await page.locator(".metrics .group").count(), 0);
  assert.equal(await page.locator(".chart").count(), 6);
});
