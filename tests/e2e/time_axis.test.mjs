// One axis of time: zooming, selecting and looking for something moves every view, and pictures are for
// papers.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { accessibilityProblems, browser, finished, picture, selectRange } from "./browser.mjs";

const { open } = browser();

const param = (page, name) =>
  page.evaluate((name) => new URLSearchParams(location.hash.slice(1)).get(name), name);

const saved = async (page, button) => {
  const download = page.waitForEvent("download");
  await button.click();
  return readFileSync(await (await download).path());
};

/** Rows of a table of quoted cells that hold no quotes or line ends, by column. */
const table = (csv) => {
  const [head, ...rows] = csv.trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
};

test("zooming one view moves all of them, and two clicks show all of time again", async (t) => {
  const page = await open(t, "index.html#v=1&view=timeline&t=0&run=fifo&run=srtf");
  await finished(page, 2);
  const [first, second] = await page.locator(".timeline canvas").all();
  const strip = page.locator("canvas.strip");
  const pictures = async () => [await picture(first), await picture(second), await picture(strip)];
  await page.mouse.move(5, 5);
  await page.waitForTimeout(300);
  const whole = await pictures();
  const { x, y, width } = await first.boundingBox();
  await page.mouse.move(x + width / 2, y + 150);
  for (let i = 0; i < 4; i += 1) await page.keyboard.press("w");
  await page.waitForFunction(() => location.hash.includes("zoom="));
  const zoom = await param(page, "zoom");
  const [from, to] = zoom.split("..").map(Number);
  assert.ok(from > 0 && to > from, zoom);
  await page.mouse.move(5, 5);
  const zoomed = await pictures();
  zoomed.forEach((hash, at) => assert.notEqual(hash, whole[at], `picture ${at} follows`));

  // The charts over time are of the same window, and a drag on one moves the others.
  await page.keyboard.press("3");
  const chart = page.locator(".chart", { has: page.getByRole("heading", { name: "Queue length" }) });
  await chart.locator("svg[role=img]").waitFor();
  // It comes above the charts, which are where they stay once it is there.
  await page.getByRole("region", { name: "What the jobs' time was spent on" }).waitFor();
  await chart.getByRole("button", { name: "Save “Queue length”", exact: true }).click();
  const csv = table((await saved(page, chart.getByRole("button", { name: "Save “Queue length” as CSV" }))).toString());
  const times = csv.map((row) => Number(row['"time since the first submission"']));
  assert.ok(Math.min(...times) >= from - 0.01 && Math.max(...times) <= to + 0.01, "the chart shows the window");
  await page.keyboard.press("Escape");
  const frame = await chart.locator(".chart-frame").boundingBox();
  const middle = frame.y + frame.height / 2;
  await page.mouse.move(frame.x + frame.width / 2, middle);
  await page.mouse.down();
  await page.mouse.move(frame.x + frame.width / 2 - 90, middle, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((zoom) => !location.hash.includes(zoom), zoom);
  const [later] = (await param(page, "zoom")).split("..").map(Number);
  assert.ok(later > from, "dragging to the left shows what is later");

  // A link brings the window back; two clicks on the player's strip let go of it.
  await page.reload();
  await finished(page, 2);
  assert.equal((await param(page, "zoom")).split("..")[0], String(later));
  const box = await strip.boundingBox();
  await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForFunction(() => !location.hash.includes("zoom="));
});

test("a range shows totals that are those of the table of every job", async (t) => {
  const page = await open(t, "index.html#v=1&view=timeline&t=0&run=fifo");
  await finished(page, 1);
  const canvas = page.locator(".timeline canvas");
  await selectRange(page, canvas, 0.35, 0.55);
  await page.mouse.move(5, 5);
  const bar = page.getByRole("region", { name: "Selected range" });
  await bar.waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  const [from, to] = [Number(await bar.getAttribute("data-from")), Number(await bar.getAttribute("data-to"))];
  assert.ok(from > 0 && to > from);

  await page.getByRole("button", { name: "Export", exact: true }).click();
  const panel = page.locator("#export-panel");
  const jobs = table((await saved(page, panel.getByRole("button", { name: "Jobs as CSV" }))).toString());
  await page.keyboard.press("Escape");
  const inside = (time) => time >= from && time < to;
  const numbers = jobs.map((job) => ({
    submit: Number(job.submit_s),
    start: Number(job.submit_s) + Number(job.first_wait_s),
    end: Number(job.submit_s) + Number(job.jct_s),
    gpus: Number(job.gpus),
    wait: Number(job.queueing_s),
  }));
  assert.ok(numbers.every((job) => Object.values(job).every(Number.isFinite)), "columns are as they were");
  const submitted = numbers.filter((job) => inside(job.submit));
  // Under fifo a job keeps its GPUs from its first start to its end.
  const held = numbers.reduce((sum, { start, end, gpus }) => sum + gpus * Math.max(0, Math.min(end, to) - Math.max(start, from)), 0);
  const wait = submitted.reduce((sum, job) => sum + job.wait, 0) / submitted.length;
  assert.ok(submitted.length > 3);
  assert.match(await bar.textContent(), new RegExp(`${submitted.length} jobs submitted`));
  const cells = bar.locator("tbody td");
  assert.equal(Number(await cells.nth(0).textContent()), numbers.filter((job) => inside(job.end)).length);
  assert.ok(Math.abs(Number(await cells.nth(1).getAttribute("data-value")) - held) < 1e-6 * held);
  assert.ok(Math.abs(Number(await cells.nth(2).getAttribute("data-value")) - wait) < 1e-6 * wait);

  // The player stays in it, over and over.
  await bar.getByRole("button", { name: "Replay only this" }).click();
  const seconds = () => page.getByTestId("clock").textContent();
  const start = await seconds();
  await page.waitForFunction((start) => document.querySelector("[data-testid=clock]").textContent !== start, start);
  await page.keyboard.press(" ");
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
});

test("“/” finds a job, a tenant and a node, by keyboard alone", async (t) => {
  const page = await open(t, "index.html#v=1&view=timeline&t=0&run=fifo");
  await finished(page, 1);
  await page.keyboard.press("/");
  const field = page.getByRole("combobox", { name: "Look for a job, a tenant or a node" });
  await field.fill("lab-13");
  await page.getByRole("option", { name: /^lab-130/ }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: /^Job lab-13/ }).waitFor();
  await field.waitFor({ state: "detached" });

  await page.keyboard.press("/");
  await field.fill("robot");
  await page.getByRole("option", { name: /robot/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
  await page.waitForFunction(() => location.hash.includes("colour=tenant")).catch(async (error) => {
    error.message += ` ${await page.evaluate(() => `${location.hash} ${document.activeElement.outerHTML}`)}`;
    throw error;
  });

  await page.keyboard.press("/");
  await field.fill("node 7");
  const before = await picture(page.locator(".timeline canvas"));
  await page.keyboard.press("Enter");
  await page.waitForTimeout(400);
  assert.notEqual(await picture(page.locator(".timeline canvas")), before, "the node is marked");
  await page.keyboard.press("/");
  await field.fill("nobody");
  await page.getByText("Nothing has this name.").waitFor();
});

test("pictures are for papers: their width, text as text, dashes as dashes, and a caption", async (t) => {
  const page = await open(t, "index.html#v=1&view=compare&t=0&run=fifo&run=srtf", { colorScheme: "dark" });
  await finished(page, 2);
  // The page itself makes no markup from text.
  const reader = await page.context().newPage();
  const svg = async (what) => {
    const button = page.getByRole("button", { name: `Save “${what}” as SVG` });
    const text = (await saved(page, button)).toString();
    const parsed = await reader.evaluate((text) => {
      const drawn = new DOMParser().parseFromString(text, "image/svg+xml");
      const all = (name) => [...drawn.querySelectorAll(name)];
      return {
        error: drawn.querySelector("parsererror")?.textContent,
        width: drawn.documentElement.getAttribute("width"),
        fontSize: drawn.documentElement.getAttribute("font-size"),
        background: drawn.querySelector("rect").getAttribute("fill"),
        texts: all("text").map((text) => text.textContent),
        dashed: all("[stroke-dasharray]").length,
        images: all("image").length,
      };
    }, text);
    assert.equal(parsed.error, undefined);
    return parsed;
  };
  await page.getByRole("button", { name: "Save “Completion times of jobs”", exact: true }).click();
  const panel = page.locator(".saver-panel");
  await panel.getByLabel("Width, inches").fill("4.5");
  await panel.getByLabel("Width, inches").press("Enter");
  await panel.getByLabel("Text, points").fill("9");
  await panel.getByLabel("Text, points").press("Enter");
  const chart = await svg("Completion times of jobs");
  assert.deepEqual([chart.width, chart.fontSize, chart.background, chart.images], ["4.5in", "12", "#ffffff", 0]);
  assert.ok(chart.texts.includes("job completion time") && chart.texts.includes("FIFO"));
  assert.ok(!chart.texts.includes("Completion times of jobs"), "no title inside unless wanted");
  assert.ok(chart.dashed >= 2, "the second run is dashed");
  assert.match(await panel.getByLabel("Caption").inputValue(), /Trace: .*240 jobs.*Cluster: 8x4.*Schedulers: .+; .+Seed 0\. Switchyard \d/);

  await page.keyboard.press("2");
  await page.getByRole("button", { name: "Save “Timeline”", exact: true }).click();
  const timeline = await svg("Timeline");
  assert.deepEqual([timeline.width, timeline.images], ["4.5in", 0], "as it was last chosen");
  assert.ok(["node 0", "FIFO", "time since the first submission"].every((text) => timeline.texts.includes(text)));
});
