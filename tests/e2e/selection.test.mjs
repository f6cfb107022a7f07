// The selection: a range of time and a set of jobs, which every view shows, with totals, in the link.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { accessibilityProblems, browser, finished, picture, selectRange } from "./browser.mjs";

const { open } = browser();

const BASE = "index.html#v=1&sample=lab&t=30000&run=fifo&run=tiresias-las";
const filter = (page) => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("jobs-filter") ?? "");
const chosen = async (page, text) => page.waitForFunction(
  (text) => (new URLSearchParams(location.hash.slice(1)).get("jobs-filter") ?? "") === text, text);
const bar = (page) => page.getByRole("region", { name: /^Selected/ });
const show = (page, view) => page.locator(`#tab-${view}`).click();

/** How many jobs the bar says are selected. */
async function count(page) {
  const text = await bar(page).locator("strong", { hasText: " of " }).textContent();
  return Number(text.split(" of ")[0].replaceAll(",", ""));
}

/** Rows of a table of cells without quotes, by column. */
const table = (csv) => {
  const [head, ...rows] = csv.trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
};

async function saved(page, button) {
  const download = page.waitForEvent("download");
  await button.click();
  return readFileSync(await (await download).path(), "utf8");
}

test("what is pressed in the legend is selected in yard, table, charts and numbers, and let go", async (t) => {
  const page = await open(t, `${BASE}&view=yard&colour=gpus`);
  await finished(page, 2);
  const yard = page.locator(".yard canvas").first();
  await page.mouse.move(5, 5);
  const before = await picture(yard);
  const legend = page.getByRole("group", { name: "What the colours stand for" });
  const four = legend.getByRole("button", { name: /^4/ });
  await four.click();
  await chosen(page, "gpus>=4 gpus<8");
  assert.equal(await four.getAttribute("aria-pressed"), "true");
  await page.mouse.move(5, 5);
  await bar(page).waitFor();
  const jobs = await count(page);
  assert.notEqual(await picture(yard), before, "others stand back");
  assert.deepEqual(await accessibilityProblems(page), []);

  // The table lists them, and its file's figures are the totals of the bar.
  await bar(page).getByRole("button", { name: "List them" }).click();
  const grid = page.getByRole("grid", { name: "Jobs" });
  await grid.waitFor();
  assert.equal(Number(await grid.getAttribute("aria-rowcount")), jobs + 1);
  assert.equal(await page.getByLabel("Filter jobs").inputValue(), "gpus>=4 gpus<8");
  const rows = table(await saved(page, bar(page).getByRole("button", { name: "CSV", exact: true })));
  assert.equal(rows.length, 2 * jobs);
  assert.ok(rows.every((row) => Number(row.gpus) >= 4 && Number(row.gpus) < 8));
  const cells = await bar(page).locator("tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.dataset.value ?? cell.textContent)));
  const mean = (rows, column) => rows.reduce((sum, row) => sum + Number(row[column]), 0) / rows.length;
  for (const [at, policy] of ["fifo", "tiresias-las"].entries()) {
    const own = rows.filter((row) => row.policy.startsWith(policy));
    assert.equal(own.length, jobs);
    assert.equal(Number(cells[at][0]), jobs);
    for (const [cell, column] of [[2, "queueing_s"], [3, "jct_s"]]) {
      assert.ok(Math.abs(Number(cells[at][cell]) - mean(own, column)) < 1e-6 * (1 + mean(own, column)), column);
    }
  }

  // Compare tells the same of the same jobs.
  await show(page, "compare");
  await page.getByText(`Of the ${jobs} of 240 jobs that are selected.`).waitFor();
  const chart = page.locator(".chart", { has: page.getByRole("heading", { name: "Completion times of jobs" }) });
  await chart.locator("svg[role=img]").waitFor();
  await chart.getByRole("button", { name: "Save “Completion times of jobs”", exact: true }).click();
  const drawn = table((await saved(page, chart.getByRole("button", { name: /as CSV$/ }))).replaceAll('"', ""));
  const fifo = drawn.filter((row) => row.series === "FIFO").map((row) => Number(Object.values(row)[1]));
  const jct = rows.filter((row) => row.policy.startsWith("fifo")).map((row) => Number(row.jct_s));
  assert.equal(fifo.length, 2 * jct.length, "a step a job");
  assert.equal(Math.max(...fifo), Math.max(...jct));
  await page.keyboard.press("Escape");

  await bar(page).getByRole("button", { name: "Let go of the jobs" }).click();
  await chosen(page, "");
  await bar(page).waitFor({ state: "detached" });
});

test("a drag over the dots, over a distribution and a click on a group select jobs; a link brings them back", async (t) => {
  const page = await open(t, `${BASE}&view=compare`);
  await finished(page, 2);
  await page.getByRole("region", { name: "What the jobs' time was spent on" }).waitFor();
  const frame = page.locator(".scatter-frame");
  await frame.scrollIntoViewIfNeeded();
  const box = await frame.boundingBox();
  await page.mouse.move(box.x + box.width * 0.35, box.y + box.height * 0.2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.8, box.y + box.height * 0.7, { steps: 5 });
  await page.mouse.up();
  await bar(page).waitFor();
  assert.match(await filter(page), /^fifo\.jct>=\S+ fifo\.jct<=\S+ tiresias-2d-las\.jct>=\S+ tiresias-2d-las\.jct<=\S+$/);
  const within = await count(page);
  assert.ok(within > 0 && within < 240, `${within} of 240`);
  const link = page.url();

  // What is told job by job, and where the time went, is of them alone.
  const changed = page.getByRole("region", { name: "What changed" });
  await changed.getByText(`of ${within} selected jobs finish sooner`).waitFor();
  const listed = table(await saved(page, bar(page).getByRole("button", { name: "CSV", exact: true })));
  const chosenJobs = new Set(listed.map((row) => row.job));
  const losers = await changed.locator("table").last().locator("button.link").allTextContents();
  assert.ok(losers.every((job) => chosenJobs.has(job)), `${losers} of ${[...chosenJobs].slice(0, 5)}`);
  const spent = page.getByRole("region", { name: "Where the jobs' time went" });
  await spent.getByRole("option", { name: "the selected jobs" }).waitFor({ state: "attached" });
  const hours = listed.filter((row) => row.policy === listed[0].policy).reduce((sum, row) => sum + Number(row.gpus) * Number(row.queueing_s) / 3600, 0);
  await spent.getByText(new RegExp(`^${Number(hours.toPrecision(3)).toLocaleString("en-US")} of `)).first().waitFor();

  const gang = page.locator(".chart", { has: page.getByRole("heading", { name: "Completion times by gang size" }) });
  await page.keyboard.press("Escape");
  await chosen(page, "");
  await gang.scrollIntoViewIfNeeded();
  await gang.locator("svg[role=img]").waitFor();
  const plot = await gang.locator(".chart-frame").boundingBox();
  await page.mouse.click(plot.x + plot.width * 0.16, plot.y + plot.height / 2);
  await chosen(page, "gpus<2");

  const cdf = page.locator(".chart", { has: page.getByRole("heading", { name: "Completion times of jobs" }) });
  await cdf.scrollIntoViewIfNeeded();
  const curve = await cdf.locator(".chart-frame").boundingBox();
  await page.mouse.move(curve.x + curve.width * 0.4, curve.y + curve.height / 2);
  await page.mouse.down();
  await page.mouse.move(curve.x + curve.width * 0.7, curve.y + curve.height / 2, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => /jobs-filter=fifo\.jct/.test(decodeURIComponent(location.hash)));

  // A group's name selects its jobs; with Shift, among those that are selected.
  const groups = page.getByRole("region", { name: "Numbers by group" });
  await groups.scrollIntoViewIfNeeded();
  const name = groups.locator("button.group-name").first();
  const who = await name.textContent();
  await name.click({ modifiers: ["Shift"] });
  await page.waitForFunction((who) => decodeURIComponent(location.hash.replaceAll("+", " ")).includes(who), who);
  assert.match(await filter(page), /^fifo\.jct>=\S+ fifo\.jct<=\S+ \S+=/);
  assert.equal(await name.getAttribute("aria-pressed"), "true");
  await name.click();
  assert.doesNotMatch(await filter(page), /jct/);

  const again = await open(t, link.slice(link.indexOf("index.html")));
  await finished(again, 2);
  await bar(again).waitFor();
  assert.equal(await count(again), within);
  await show(again, "jobs");
  assert.equal(Number(await again.getByRole("grid", { name: "Jobs" }).getAttribute("aria-rowcount")), within + 1);
});

test("a curve around dots selects their jobs, and its outline stays as long as they are selected", async (t) => {
  const page = await open(t, `${BASE}&view=compare`);
  await finished(page, 2);
  await page.getByRole("region", { name: "What the jobs' time was spent on" }).waitFor();
  await page.getByText("Drag around the dots").waitFor();
  const frame = page.locator(".scatter-frame");
  await frame.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await frame.boundingBox();
  // A triangle under the diagonal of the box between its corners.
  const around = [[0.3, 0.85], [0.9, 0.85], [0.9, 0.15], [0.32, 0.83]];
  const at = ([across, down]) => [x + width * across, y + height * down];
  await page.mouse.move(...at(around[0]));
  await page.mouse.down();
  for (const corner of around.slice(1)) await page.mouse.move(...at(corner), { steps: 12 });
  const outline = page.locator(".scatter-frame .lasso polygon");
  await outline.waitFor({ state: "attached" });
  await page.mouse.up();
  await bar(page).waitFor();
  assert.match(await filter(page), /^id=[\d,-]+$/);
  const within = await count(page);
  assert.ok(within > 0 && within < 240, `${within} of 240`);
  await page.mouse.move(5, 5);
  assert.ok((await outline.getAttribute("points")).trim().split(" ").length > 20, "it is the curve");
  assert.deepEqual(await accessibilityProblems(page), []);
  // The box from corner to corner has more.
  await page.keyboard.press("Escape");
  await chosen(page, "");
  await outline.waitFor({ state: "detached" });
  await page.mouse.move(...at([0.3, 0.85]));
  await page.mouse.down();
  await page.mouse.move(...at([0.9, 0.15]), { steps: 8 });
  await page.mouse.up();
  await bar(page).waitFor();
  assert.match(await filter(page), /jct>=/);
  assert.equal((await outline.getAttribute("points")).trim().split(" ").length, 4, "it is a box");
  assert.ok(await count(page) >= within);
});

test("rows of the table are selected, and a range's jobs; both together have totals", async (t) => {
  const page = await open(t, `${BASE}&view=jobs`);
  await finished(page, 2);
  const row = (at) => page.locator(`tr[aria-rowindex="${at}"]`);
  await row(3).click();
  await row(6).click({ modifiers: ["Shift"], position: { x: 300, y: 10 } });
  assert.equal(await page.evaluate(() => `${getSelection()}`), "", "rows are chosen, not their text");
  await chosen(page, "id=1-4");
  assert.equal(await count(page), 4);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await chosen(page, "");

  await show(page, "timeline");
  const canvas = page.locator(".timeline canvas").first();
  await selectRange(page, canvas, 0.3, 0.6);
  const range = page.getByRole("region", { name: "Selected range", exact: true });
  await range.waitFor();
  const before = await picture(canvas);
  await range.getByRole("button", { name: "Select its jobs" }).click();
  const both = page.getByRole("region", { name: "Selected jobs in the selected range" });
  await both.waitFor();
  await page.mouse.move(5, 5);
  await page.waitForTimeout(300);
  assert.notEqual(await picture(canvas), before, "jobs submitted before stand back");
  const submitted = Number((await both.locator(".hint").first().textContent()).match(/([\d,]+) jobs? submitted/)[1]);
  assert.equal(await count(page), submitted);
  assert.deepEqual(await accessibilityProblems(page), []);
  await both.getByRole("button", { name: "Zoom to them" }).click();
  await page.waitForFunction(() => location.hash.includes("zoom="));
});

test("who is pointed at in a list is ringed among the dots", async (t) => {
  const page = await open(t, `${BASE}&view=compare`);
  await finished(page, 2);
  const ring = page.locator(".scatter .ring.hovered");
  assert.equal(await ring.count(), 0);
  await page.locator("table.ranking button.link").first().hover();
  await ring.waitFor();
  await page.mouse.move(5, 5);
  await ring.waitFor({ state: "detached" });
});

test("another trace begins with all of its jobs, and the way back has the selection", async (t) => {
  const page = await open(t, `${BASE}&view=jobs&jobs-filter=gpus%3E=4`);
  await finished(page, 2);
  await bar(page).waitFor();
  const jobs = await count(page);
  await page.getByLabel("Sample").selectOption("three-jobs");
  await page.waitForFunction(() => location.hash.includes("three-jobs"));
  await finished(page, 2);
  await bar(page).waitFor({ state: "detached" });
  assert.equal(await filter(page), "");
  await page.goBack();
  await page.waitForFunction(() => location.hash.includes("gpus"));
  await finished(page, 2);
  await bar(page).waitFor();
  assert.equal(await count(page), jobs);
});

test("Share opens the view as a figure: one sentence and the yards alone, which Space plays", async (t) => {
  const page = await open(t, `${BASE}&view=yard`);
  await finished(page, 2);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const address = await page.getByRole("link", { name: /figure for a talk/ }).getAttribute("href");
  const figure = await open(t, `index.html${address}`, { viewport: { width: 1280, height: 720 } });
  await figure.getByRole("heading", { name: /^A lab's day: mean JCT .+ under Tiresias 2D-LAS, .+ under FIFO$/ }).waitFor();
  assert.equal(await figure.locator("canvas:visible").count(), 2);
  assert.equal(await figure.locator("button:visible, select:visible, a:visible").count(), 0);
  const box = await figure.locator(".yard canvas").last().boundingBox();
  assert.ok(box.y + box.height <= 720 && box.x + box.width <= 1280, "it fits");
  const yard = figure.locator(".yard canvas").first();
  const before = await picture(yard);
  await figure.keyboard.press("Space");
  await figure.waitForTimeout(700);
  assert.notEqual(await picture(yard), before, "it plays");
  assert.deepEqual(await accessibilityProblems(figure), []);
});

test("a bar of a file's distributions selects the jobs that it counts", async (t) => {
  const page = await open(t, "index.html#v=1&run=fifo&view=jobs");
  const rows = Array.from({ length: 60 }, (_, at) => `j${at},${at * 10},${60 * (1 + at % 7)},${[1, 2, 4, 8][at % 4]}`);
  const file = { name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(["job,submit,duration,gpus", ...rows].join("\n")) };
  await page.getByTestId("file-picker").setInputFiles([file]);
  const report = page.getByTestId("import-report");
  await report.locator("summary").first().click();
  await report.getByText("Distributions", { exact: true }).click();
  await finished(page, 1);
  const chart = report.locator("figure", { hasText: /^GPUs/ });
  const bars = await chart.locator("svg title").allTextContents();
  const at = bars.findIndex((bar) => bar.startsWith("3 to 4 GPUs: 15 jobs"));
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.locator("svg").boundingBox();
  await page.mouse.click(box.x + box.width * ((at + 0.5) / bars.length), box.y + box.height / 2);
  await chosen(page, "gpus>2 gpus<=4");
  assert.equal(await count(page), 15);
});
