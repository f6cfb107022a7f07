// Three walks through the page, as its users meet it: a researcher with a trace, an author with a figure,
// a student on a phone. What a machine can judge of what each of them is promised is asserted on the way.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessibilityProblems, browser, finished, screenshot } from "./browser.mjs";

const { open } = browser();
const fixture = (name) => join(dirname(fileURLToPath(import.meta.url)), "../fixtures", name);
const traces = process.env.SWITCHYARD_TRACES;

const tab = (page, name) => page.getByRole("tab", { name, exact: true }).click();
const yard = (page, name) => page.getByRole("region", { name: `Yard of ${name}` });
const places = (page) =>
  page.locator(".yard canvas").evaluateAll((all) => all.map((canvas) => {
    const { x, y, width, height } = canvas.getBoundingClientRect();
    return [x, y, width, height].map(Math.round).join(" ");
  }));

/** What a button saves, as text. */
async function saved(page, button) {
  const saving = page.waitForEvent("download");
  await button.click();
  return readFileSync(await (await saving).path(), "utf8");
}

async function results(page) {
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const text = await saved(page, page.getByRole("button", { name: "Metrics as JSON" }));
  await page.keyboard.press("Escape");
  return JSON.parse(text);
}
const hashes = async (page) => (await results(page)).runs.map(({ policy, log_hash }) => [policy, log_hash]);

/** Nothing is cut off, nothing hidden from those who do not see it. */
async function isInOrder(page, where) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${where} is ${wide} px too wide`);
  assert.deepEqual(await accessibilityProblems(page), [], where);
}

test("a researcher: a trace of one's own, who waits and why, what changed, and the way to show it", { timeout: 240_000 }, async (t) => {
  const page = await open(t, "index.html", { viewport: { width: 1440, height: 900 } });
  await finished(page, 2);
  const trace = traces ? join(traces, "helios-venus/helios_trace.csv") : fixture("helios.csv");
  await page.getByTestId("file-picker").setInputFiles(trace);
  await page.getByTestId("import-report").waitFor();
  await finished(page, 2, 120_000);

  // A dropped trace opens at a busy moment, never on an empty gap.
  const facts = yard(page, "FIFO").locator("dl");
  await page.getByRole("button", { name: "Pause" }).click();
  const used = (await facts.innerText()).match(/in use\s*([\d.]+)\s%/);
  assert.ok(used && Number(used[1]) > 0, await facts.innerText());
  // Under it one sentence, and the footer: finished, GPUs in use, ρ, restarts.
  await yard(page, "FIFO").getByText(/GPUs? (is|are)? ?idle|nothing waits|jobs? waits?|GPUs? idle/).first().waitFor();
  for (const word of ["finished", "in use", "ρ", "restarts"]) assert.ok((await facts.innerText()).includes(word), word);

  // The layout of a cluster never changes while it is watched.
  const before = await places(page);
  await page.keyboard.press(" ");
  await page.waitForTimeout(800);
  await page.keyboard.press(" ");
  assert.deepEqual(await places(page), before);
  await isInOrder(page, "the yard");

  // The headline comes first, the best of it marked; then what changed.
  await page.getByLabel("Add a scheduler").selectOption("srtf");
  await finished(page, 3, 120_000);
  await tab(page, "Compare");
  const headline = page.getByRole("region", { name: "Headline of the runs" });
  assert.match(await headline.getByRole("row").filter({ hasText: "SRTF" }).textContent(), /best/);
  assert.ok((await headline.boundingBox()).y < (await page.getByRole("region", { name: "What changed" }).boundingBox()).y);
  await isInOrder(page, "comparing");
  const { runs } = await results(page);
  assert.ok(runs.every((run) => run.finished + run.rejected === run.jobs));

  // Back and Forward walk what was done.
  await page.goBack();
  await page.getByRole("tab", { name: "Yard", selected: true }).waitFor();
  await page.goForward();
  await page.getByRole("tab", { name: "Compare", selected: true }).waitFor();

  // A job that changed much opens, is followed from there, and is marked in every view.
  const changed = page.getByRole("region", { name: "What changed" });
  const job = changed.locator(".ranking").getByRole("button").first();
  const name = await job.textContent();
  await job.click();
  await page.getByRole("region", { name: `Job ${name}` }).getByRole("button", { name: "Follow" }).click();
  await changed.locator(".ring.followed").waitFor();
  await page.keyboard.press("Escape");
  for (const view of ["Timeline", "Yard", "Jobs"]) {
    await tab(page, view);
    await page.getByText(`Following ${name}`).waitFor();
  }
  await page.getByRole("button", { name: `Stop following ${name}` }).click();

  // One time axis: a range in the timeline is the range of the charts.
  await tab(page, "Timeline");
  const { x, y, width } = await page.locator(".timeline canvas").first().boundingBox();
  await page.getByRole("button", { name: "Select a range" }).click();
  await page.mouse.move(x + width * 0.4, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.7, y + 60, { steps: 4 });
  await page.mouse.up();
  const bar = page.getByRole("region", { name: "Selected range" });
  await bar.waitFor();
  assert.match(await bar.textContent(), /GPU·h held/);
  await isInOrder(page, "the timeline");

  // The link says what it carries, and what it cannot.
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const share = page.locator("#share-panel");
  await share.getByText(/It carries the view and what is chosen in it, 3 schedulers/).waitFor();
  await share.getByText(/travel within|stay on this computer/).waitFor();
  await screenshot(page, "walk-researcher");
});

test("an author: runs with names, figures for a paper, a table in LaTeX, a link with everything in it", { timeout: 180_000 }, async (t) => {
  const page = await open(t, "index.html#v=1&t=0&sample=three-jobs&run=srsf&run=tiresias-gittins[thresholds=4,history=oracle]", { viewport: { width: 1440, height: 900 } });
  await finished(page, 2);
  // A name of one's own stands everywhere.
  await page.locator(".card .name").first().click();
  const field = page.getByLabel("Name", { exact: true });
  await field.fill("Shortest first");
  await field.press("Enter");
  await page.locator(".card").filter({ hasText: "Shortest first" }).waitFor();
  await tab(page, "Compare");
  await page.getByRole("region", { name: "Headline of the runs" }).getByText("Shortest first").waitFor();

  // A chart: light on a dark page or not, its width in inches, text as text, the numbers that are drawn.
  const what = "Completion times of jobs";
  await page.getByRole("button", { name: `Save “${what}”`, exact: true }).click();
  const panel = page.locator(".saver-panel");
  assert.equal(await panel.getByLabel("Width, inches").inputValue(), "3.5");
  const svg = await saved(page, page.getByRole("button", { name: `Save “${what}” as SVG` }));
  assert.match(svg, /width='3\.5in'/);
  assert.match(svg, /<text[^>]*>Shortest first<\/text>/);
  assert.match(await panel.getByLabel("Caption").inputValue(), /Trace: .+ Cluster: .+ Schedulers: srsf; tiresias-gittins\[thresholds=4,history=oracle\]\. Seed 0\. Switchyard \d/);
  const rows = (await saved(page, page.getByRole("button", { name: `Save “${what}” as CSV` }))).trim().split("\n");
  assert.ok(rows.length > 3 && rows[1].startsWith('"Shortest first",'), rows[1]);
  await page.keyboard.press("Escape");

  // What changed, as a picture and as the numbers in it.
  await page.getByRole("button", { name: "Save “What changed”", exact: true }).click();
  const dots = await saved(page, page.getByRole("button", { name: "Save “What changed” as SVG" }));
  assert.equal(dots.match(/<circle/g).length, 3, "a dot a job");
  const table = (await saved(page, page.getByRole("button", { name: "Save “What changed” as CSV" }))).trim().split("\n");
  const { runs } = await results(page);
  const other = await page.locator(".card .name").nth(1).textContent();
  assert.equal(table[0], `job,"JCT under Shortest first (s)","JCT under ${other} (s)"`);
  for (const row of table.slice(1)) {
    const [name, there, here] = row.replaceAll('"', "").split(",");
    assert.deepEqual([Number(there), Number(here)], runs.map((run) => run.per_job[name]), name);
  }
  await page.keyboard.press("Escape");

  // The table for the paper.
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const latex = await saved(page, page.getByRole("button", { name: "Table for a paper as LaTeX" }));
  assert.match(latex, /\\begin\{tabular\}/);
  assert.match(latex, /Shortest first/);
  await page.keyboard.press("Escape");

  // Whoever has the link has it all: the same runs in another browser, names too.
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const link = await page.getByLabel("The link", { exact: true }).inputValue();
  const expected = await (async () => {
    await page.keyboard.press("Escape");
    return hashes(page);
  })();
  const reader = await open(t, `index.html${new URL(link).hash}`);
  await finished(reader, 2);
  assert.deepEqual(await hashes(reader), expected);
  await reader.locator(".card").filter({ hasText: "Shortest first" }).waitFor();
  await reader.getByRole("tab", { name: "Compare", selected: true }).waitFor();
  await screenshot(page, "walk-author");
});

test("a student on a phone: what this is, one question, Play; then jobs by one's own hand", { timeout: 180_000 }, async (t) => {
  const page = await open(t, "index.html", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await finished(page, 2);
  const intro = page.getByRole("region", { name: "What this is" });
  const play = intro.getByRole("button", { name: "Play" });
  const { y, height } = await play.boundingBox();
  assert.ok(y + height <= 844, "Play is seen without scrolling");
  assert.match(await intro.textContent(), /\?/);
  await play.tap();
  const clock = page.getByTestId("clock");
  const first = await clock.textContent();
  await page.waitForFunction((first) => document.querySelector("[data-testid=clock]").textContent !== first, first);
  await isInOrder(page, "the first minute");

  // Step by step, to the end.
  await page.getByRole("button", { name: "Step by step" }).tap();
  const guide = page.getByRole("region", { name: "Guide: three jobs" });
  await guide.waitFor();
  for (let steps = 0; (await guide.count()) > 0; steps += 1) {
    assert.ok(steps < 12, "the guide ends");
    await isInOrder(page, `step ${steps + 1}`);
    await guide.getByRole("button", { name: /^(Next|Done)$/ }).tap();
    await page.waitForTimeout(150);
  }

  // In a toy of 14 seconds there is no "day 0".
  assert.doesNotMatch(await clock.textContent(), /day 0/);

  // Jobs of one's own: a longer one changes the mean at once.
  await page.goto(`${page.url().split("#")[0]}#v=1&t=0&sample=three-jobs&view=jobs&run=fifo&run=srtf`);
  await finished(page, 2);
  await page.getByRole("button", { name: "Edit these jobs" }).tap();
  const table = page.getByRole("region", { name: "Jobs made by hand" });
  await table.waitFor();
  await finished(page, 2);
  const told = await table.locator("output").textContent();
  const duration = table.getByLabel("Duration of J1", { exact: true }).first();
  await duration.fill("600");
  await duration.press("Enter");
  await page.waitForFunction((told) => document.querySelector(".by-hand output").textContent !== told, told);
  await isInOrder(page, "jobs by hand");

  // Each job is not submitted yet, waiting, running or finished: of three such words one.
  await tab(page, "Jobs");
  const rows = await page.getByRole("grid", { name: "Jobs" }).locator("tbody tr[id]").allInnerTexts();
  assert.equal(rows.length, 3);
  for (const row of rows) {
    const words = ["not submitted yet", "finished", "rejected"].filter((word) => row.includes(word));
    assert.ok(words.length <= 1, row);
  }
  await screenshot(page, "walk-student");
});

test("the timeline's range by finger, and nothing on the page is moved by it", async (t) => {
  const page = await open(t, "index.html#v=1&view=timeline&t=0&run=fifo", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await finished(page, 1);
  await page.getByRole("button", { name: "Select a range" }).tap();
  const canvas = page.locator(".timeline canvas");
  await canvas.scrollIntoViewIfNeeded();
  const { x, y, width } = await canvas.boundingBox();
  const scrolled = await page.evaluate(() => scrollY);
  const devtools = await page.context().newCDPSession(page);
  const touch = (type, part) =>
    devtools.send("Input.dispatchTouchEvent", { type, touchPoints: part === undefined ? [] : [{ x: x + width * part, y: y + 80 }] });
  await touch("touchStart", 0.4);
  for (const part of [0.5, 0.6, 0.7]) await touch("touchMove", part);
  await touch("touchEnd");
  const bar = page.getByRole("region", { name: "Selected range" });
  await bar.waitFor();
  const [from, to] = [Number(await bar.getAttribute("data-from")), Number(await bar.getAttribute("data-to"))];
  assert.ok(to > from, `from ${from} to ${to}`);
  assert.equal(await page.evaluate(() => scrollY), scrolled);
});
