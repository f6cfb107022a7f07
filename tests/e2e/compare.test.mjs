// Compare: the runs in numbers, what changed job by job, by GPU type, what failures cost.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { browser, finished, screenshot } from "./browser.mjs";

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
  assert.match(words, /FIFO: median V100 [\d.]+ \w+, T4 [\d.]+ \w+\. SRTF \(oracle\): median V100/);
  const { runs } = await results(page);
  const of = runs.map((run) => run.by_gpu_type);
  assert.deepEqual(of[0].map((one) => [one.gpu_type, one.gpus]), [["v100", 20], ["t4", 12]]);
  for (const [at, types] of of.entries()) {
    assert.equal(rows[1][at + 1], `${types[0].jobs}`);
    assert.equal(types[0].jobs + types[1].jobs, runs[at].finished);
    assert.ok(types[0].jct_mean > 0 && types[0].gpu_allocation > 0 && types[0].gpu_allocation <= 1);
  }
});

test("the comparison on a page of its own, to print", async (t) => {
  const page = await open(t, "index.html#v=1&run=fifo&run=srtf&view=compare&restart=30");
  await finished(page, 2);
  await page.getByRole("region", { name: "What the jobs' time was spent on" }).waitFor();
  const { runs } = await results(page);
  const { name, text } = await saved(page, "Comparison as HTML");
  assert.match(name, /comparison\.html$/);
  // It asks for nothing and runs nothing.
  assert.doesNotMatch(text, /<script|<link|url\(|src=.http/);
  const paper = await page.context().newPage();
  await paper.setContent(text);
  assert.equal(await paper.locator("h1").textContent(), "A lab's day");
  const rows = await paper.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(rows.map((row) => row.length), [7, 7]);
  assert.equal(rows[0][0], "FIFO");
  assert.equal(rows[1].at(-1), runs[1].restarts.toLocaleString("en"));
  assert.equal(await paper.locator(".bar").count(), 2);
  await paper.waitForFunction(() => [...document.images].length === 4 && [...document.images].every((image) => image.naturalWidth > 100));
  const said = await paper.locator("body").innerText();
  assert.match(said, /Schedulers: fifo, srtf\. Settings: Restart cost 30 s\./);
  assert.match(await paper.locator("a").getAttribute("href"), /index\.html#v=1&.*restart=30/);
  assert.equal((await paper.pdf({ preferCSSPageSize: true })).subarray(0, 4).toString(), "%PDF");
  await screenshot(paper, "comparison-on-a-page", { fullPage: true });
  await paper.close();
});

test("on paper four runs fit one page, each cause has its colour before it, and no number parts from its unit", async (t) => {
  const page = await open(t, "index.html#v=1&run=fifo&run=tiresias-las&run=srtf&run=las&view=compare");
  await finished(page, 4);
  await page.getByRole("region", { name: "What the jobs' time was spent on" }).waitFor();
  const { text } = await saved(page, "Comparison as HTML");
  const paper = await page.context().newPage();
  await paper.setContent(text);
  await paper.waitForFunction(() => [...document.images].length === 4 && [...document.images].every((image) => image.naturalWidth > 100));
  const pages = (await paper.pdf({ preferCSSPageSize: true })).toString("latin1").match(/\/Type\s*\/Page\b/g);
  assert.equal(pages.length, 1);
  const runs = await paper.locator(".run").evaluateAll((runs) =>
    runs.map((run) => {
      const colours = (of) => [...run.querySelectorAll(of)].map((sign) => sign.style.background).sort().join();
      return { named: colours(".part > i:first-child"), drawn: colours(".bar i") };
    }),
  );
  assert.equal(runs.length, 4);
  for (const { named, drawn } of runs) assert.ok(named && named === drawn, `${named} and ${drawn}`);
  for (const words of await paper.locator(".run p, td, .about").allTextContents()) assert.doesNotMatch(words, /\d [%GhdC]/);
  await paper.close();
});

test("in Compare's tables names stand over their numbers, and marks and differences on the numbers' line", async (t) => {
  for (const width of [1440, 1920]) {
    const page = await open(t, `${LAB}&view=compare`, { viewport: { width, height: 1000 } });
    await finished(page, 3);
    for (const name of ["Numbers by group", "Metrics of the runs"]) {
      const region = page.getByRole("region", { name, exact: true });
      await region.locator(".difference", { hasText: "×" }).first().waitFor();
      const seen = await region.evaluate((table) => {
        const right = (element) => Math.round(element.getBoundingClientRect().right);
        // The bottom of a box without height is the line that letters stand on.
        const line = (element) => {
          const foot = document.createElement("span");
          foot.style.display = "inline-block";
          element.prepend(foot);
          const { bottom } = foot.getBoundingClientRect();
          foot.remove();
          return bottom;
        };
        const row = [...table.querySelectorAll("tbody tr")].find((row) => row.querySelector(".value"));
        const cells = [...table.querySelectorAll("td > div")];
        const off = cells.flatMap((cell) => {
          const value = cell.querySelector(".value");
          const on = line(value.querySelector("button") ?? value);
          return [...cell.querySelectorAll(".mark, .difference")].filter((words) => words.textContent && Math.abs(line(words) - on) > 0.5);
        });
        return {
          heads: [...table.querySelectorAll("thead label")].map(right),
          numbers: [...row.querySelectorAll(".value")].map(right),
          off: off.map((words) => words.parentElement.textContent),
        };
      });
      assert.equal(seen.heads.length, 3);
      seen.heads.forEach((head, at) => assert.ok(Math.abs(head - seen.numbers[at]) <= 1, `${name}, ${width}: ${seen.heads} over ${seen.numbers}`));
      assert.deepEqual(seen.off, []);
    }
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
  assert.match(tex.text, /\\toprule\nScheduler & Mean JCT \(s\)[^]*\nFIFO & [\d,]+ &[^]*\nSRTF \(oracle\) & \\textbf\{[\d,]+\}/);
  assert.match(md.text, /\| SRTF \(oracle\) \| \*\*[\d,]+\*\* \|/);
  const rows = csv.text.trim().split("\n").slice(1).map((row) => row.split(","));
  assert.deepEqual(rows.map((row) => row[0]), ["FIFO", "SRTF (oracle)"]);
  for (const [at, run] of runs.entries()) assert.equal(Number(rows[at][1]), run.jct.mean);
});

test("what failures cost: goodput, what was lost, saved and restored, in table, chart and file", async (t) => {
  const failing = "mtbf=40&mttr=1&checkpoint=1800&checkpoint-cost=30&restart=20";
  const page = await open(t, `index.html#v=1&${failing}&run=fifo&run=las&view=compare`);
  await finished(page, 2);
  const rows = await rowsBelow(page, "Failures and checkpoints");
  assert.deepEqual(rows.map(([name]) => name), [
    "Goodput", "Node failures", "Evictions", "GPU-hours held", "Lost to failures", "Spent on checkpoints",
    "Spent on restoring", "GPUs available",
  ]);
  const { runs } = await results(page);
  for (const [at, { failures }] of runs.entries()) {
    const spent = failures.lost_gpu_hours + failures.checkpoint_gpu_hours + failures.restore_gpu_hours;
    assert.ok(failures.lost_gpu_hours > 0 && failures.checkpoint_gpu_hours > 0 && failures.restore_gpu_hours > 0);
    const goodput = 100 * (1 - spent / failures.executed_gpu_hours);
    assert.ok(Math.abs(parseFloat(rows[0][at + 1]) - goodput) < 0.1, `${rows[0]} is not ${goodput}`);
    assert.equal(rows[2][at + 1], `${failures.evictions}`);
  }
  const words = await chart(page, "Work lost to failures").getAttribute("aria-label");
  assert.match(words, /FIFO: at most [\d.]+/);
});

test("a run without failures and of one GPU type shows neither table", async (t) => {
  const page = await open(t, "index.html#v=1&run=fifo&view=compare");
  await finished(page, 1);
  await chart(page, "Completion times of jobs").waitFor();
  assert.equal(await page.locator(".metrics .group").count(), 0);
  assert.equal(await page.locator(".chart").count(), 6);
});

const LAB = "index.html#v=1&t=0&run=fifo&run=tiresias-las&run=srtf";

test("the runs in a row of numbers each, against the run that is chosen, the best marked", async (t) => {
  const page = await open(t, `${LAB}&view=compare`);
  await finished(page, 3);
  const headline = page.getByRole("region", { name: "Headline of the runs" });
  assert.deepEqual(await headline.locator("thead .term").allTextContents(), [
    "Mean JCT", "Median JCT", "p95 JCT", "Makespan", "Mean fairness ρ", "Restarts",
  ]);
  const row = (name) => headline.getByRole("row").filter({ hasText: name });
  const { runs } = await results(page);
  const ratio = runs[0].jct.mean / runs[1].jct.mean;
  assert.match(await row("Tiresias 2D-LAS").textContent(), new RegExp(`${ratio.toFixed(1)}× shorter`));
  assert.match(await row("SRTF").locator("td").first().textContent(), /best/);
  await page.getByRole("radio", { name: "Compare with Tiresias 2D-LAS" }).check();
  assert.match(await row("FIFO").textContent(), new RegExp(`${ratio.toFixed(1)}× longer`));
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save this table as CSV" }).click(),
  ]);
  const table = (await readFile(await file.path(), "utf8")).trim().split("\n");
  assert.match(table[1], /^Tiresias 2D-LAS,/);
  await screenshot(page, "compare-headline");
});

test("what changed: winners and losers, and a dot that opens its job", async (t) => {
  const page = await open(t, `${LAB}&view=compare`);
  await finished(page, 3);
  const changed = page.getByRole("region", { name: "What changed" });
  const { runs } = await results(page);
  const ratios = Object.keys(runs[0].per_job).map((job) => runs[1].per_job[job] / runs[0].per_job[job]);
  const sooner = ratios.filter((ratio) => ratio * 1.005 < 1).length;
  await changed.getByText(`Under Tiresias 2D-LAS, ${sooner} of 240 jobs finish sooner than under FIFO`).waitFor();
  const first = changed.locator(".ranking").first().getByRole("button").first();
  const name = await first.textContent();
  await first.click();
  await page.getByRole("region", { name: `Job ${name}` }).waitFor();
  const ring = changed.locator(".ring.chosen");
  await ring.waitFor();
  // The same dot, by its place.
  const frame = changed.locator(".scatter-frame");
  const [at, within] = [await ring.boundingBox(), await frame.boundingBox()];
  const position = { x: at.x + at.width / 2 - within.x, y: at.y + at.height / 2 - within.y };
  await changed.locator(".ranking").last().getByRole("button").first().click();
  await page.getByRole("region", { name: `Job ${name}` }).waitFor({ state: "detached" });
  await frame.click({ position });
  await page.getByRole("region", { name: `Job ${name}` }).waitFor();
});

test("jobs are filtered by what two runs made of them, and shown as ratios", async (t) => {
  const page = await open(t, `${LAB}&view=jobs`);
  await finished(page, 3);
  const { runs } = await results(page);
  const jobs = Object.keys(runs[0].per_job);
  const worse = jobs.filter((job) => runs[1].per_job[job] > 1.5 * runs[0].per_job[job]);
  const filter = page.getByRole("searchbox", { name: "Filter jobs" });
  await filter.fill("tiresias.jct > 1.5 * fifo.jct");
  await page.locator("output", { hasText: `${worse.length} of 240 jobs` }).waitFor();
  await filter.fill("nobody.jct > 1");
  await page.getByText("No one run is called “nobody”. Write one of fifo, tiresias-2d-las, srtf-oracle.").waitFor();
  await filter.fill(worse[0]);
  await page.getByLabel("Per run").selectOption("JCT ÷ baseline's");
  const cells = page.getByRole("grid", { name: "Jobs" }).locator("tbody tr[id] td.number");
  const ratio = runs[1].per_job[worse[0]] / runs[0].per_job[worse[0]];
  await cells.nth(2).filter({ hasText: `${ratio.toFixed(2)}×` }).or(cells.nth(2).filter({ hasText: `${ratio.toFixed(1)}×` })).waitFor();
  assert.equal(await cells.nth(1).textContent(), "1×");
});
