// The page in the hand: what is typed stays, what is open beside a change stays, and what is shown
// follows the clock.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, dist } from "./browser.mjs";

// Yew checks its tree only where debug assertions are on.
const { open } = browser([], process.env.SWITCHYARD_PAGE ?? dist);

/** Waits until this many schedulers have run to their end. */
async function finished(page, runs) {
  await page.waitForFunction(
    (runs) => document.querySelectorAll("[data-status=done]").length === runs,
    runs,
    { timeout: 60_000 },
  );
}

/** Marks an element, to see later whether it is still the same one. */
const mark = (locator) => locator.evaluate((element) => (element.isTheSame = true));
const isMarked = (locator) => locator.evaluate((element) => element.isTheSame === true);

/** A number that another picture on the canvas would hardly have. */
const picture = (canvas) =>
  canvas.evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let hash = 0;
    for (let i = 0; i < data.length; i += 4) hash = (hash * 31 + data[i] * 3 + data[i + 1] * 5 + data[i + 2]) | 0;
    return hash;
  });

test("every view opens, queues of several schedulers too", async (t) => {
  const page = await open(t, "index.html#v=1&t=30000&run=fifo&run=tiresias-las&run=tiresias-las[queues=2]");
  await finished(page, 3);
  for (const view of ["Queues", "Goodput", "Jobs", "Compare", "Timeline", "Queues", "Yard"]) {
    await page.getByRole("tab", { name: view }).click();
    await page.locator(`.view[aria-label="${view}"]`).waitFor();
    await page.waitForTimeout(200);
  }
  await page.getByRole("tab", { name: "Queues" }).click();
  await page.getByRole("region", { name: "Yard of tiresias-las", exact: true }).waitFor();
  await page.getByRole("group", { name: "Scheduler shown" }).getByRole("button").nth(1).click();
  await page.getByRole("region", { name: "Yard of tiresias-las[queues=2]" }).waitFor();
});

test("choosing and closing a job leaves the list of jobs as it was", async (t) => {
  const page = await open(t, "index.html#v=1&view=jobs&t=0&run=fifo");
  await finished(page, 1);
  const filter = page.getByRole("searchbox", { name: "Filter jobs" });
  await filter.fill("gpus<=4");
  await page.getByRole("button", { name: "Duration" }).click();
  await page.getByRole("columnheader", { name: "Duration" }).and(page.locator("[aria-sort=ascending]")).waitFor();
  const list = page.locator(".jobs-list");
  await list.evaluate((list) => (list.scrollTop = 28 * 20));
  const grid = page.getByRole("grid", { name: "Jobs" });
  await grid.focus();
  await page.waitForTimeout(200);
  await mark(grid);
  const as = async (when) => {
    assert.ok(await isMarked(grid), `${when}: the same table`);
    assert.equal(await filter.inputValue(), "gpus<=4", when);
    assert.equal(await list.evaluate((list) => list.scrollTop), 28 * 20, when);
    assert.equal(await page.locator("th[aria-sort=ascending]").textContent(), "Duration▲", when);
    assert.ok(await grid.evaluate((grid) => grid === document.activeElement), `${when}: the focus`);
  };
  await page.locator("tbody tr[aria-rowindex]").nth(15).dispatchEvent("click");
  await page.getByRole("region", { name: /^Job / }).waitFor();
  await as("a job is chosen");
  await page.keyboard.press("Escape");
  await page.getByRole("region", { name: /^Job / }).waitFor({ state: "detached" });
  await as("it is closed");
});

test("a timeline keeps its zoom, and keys their canvas, when a job is chosen", async (t) => {
  const page = await open(t, "index.html#v=1&view=timeline&t=0&run=fifo");
  await finished(page, 1);
  const canvas = page.locator(".timeline canvas");
  const { x, y, width, height } = await canvas.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.waitForTimeout(300);
  const whole = await picture(canvas);
  for (let i = 0; i < 4; i += 1) await page.keyboard.press("w");
  await page.waitForTimeout(600);
  assert.notEqual(await picture(canvas), whole, "w zooms");
  await mark(canvas);
  await page.mouse.click(x + width / 2, y + height / 2);
  const inspector = page.getByRole("region", { name: /^Job / });
  await inspector.waitFor();
  assert.ok(await isMarked(canvas), "choosing keeps the canvas");
  await inspector.getByRole("button", { name: "Close the job" }).focus();
  await page.keyboard.press("Escape");
  await inspector.waitFor({ state: "detached" });
  assert.ok(await isMarked(canvas), "closing keeps the canvas");
});

test("keys reach a view that was opened by a key", async (t) => {
  const page = await open(t, "index.html#v=1&view=yard&t=0&run=fifo");
  await finished(page, 1);
  await page.keyboard.press("2");
  const canvas = page.locator(".timeline canvas");
  await canvas.waitFor();
  await page.waitForTimeout(400);
  const before = await picture(canvas);
  await page.keyboard.press("w");
  await page.waitForTimeout(600);
  assert.notEqual(await picture(canvas), before, "w zooms");
});
