// What the page can do, found by name (Ctrl+K); and jobs that are named in words, which light up in every view.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, finished, screenshot } from "./browser.mjs";

const { open } = browser();

const field = (page) => page.getByRole("combobox", { name: /or for what to do$/ });

const options = (page) => page.getByRole("listbox", { name: "Found" }).getByRole("option");

/** Types words into what Ctrl+K opens, and takes what is found first. */
async function choose(page, words, found) {
  await page.keyboard.press("Control+k");
  await field(page).fill(words);
  await options(page).first().waitFor();
  assert.match(await options(page).first().textContent(), found);
  await page.keyboard.press("Enter");
  await field(page).waitFor({ state: "detached" });
}

test("views, schedulers, settings, samples and exports are found by name", async (t) => {
  const page = await open(t, "index.html#v=1&run=fifo&run=las");
  await finished(page, 2);
  await choose(page, "compare", /^Comparethe runs in numbers/);
  await page.getByRole("tab", { name: "Compare", selected: true }).waitFor();

  await choose(page, "add srtf", /^Add SRTF \(oracle\)scheduler$/);
  await finished(page, 3);

  // The field stands in what was closed.
  await choose(page, "restart cost", /^Restart costs?.*setting$/);
  const label = () => page.evaluate(() => document.activeElement.closest("label.field")?.textContent);
  await page.waitForFunction(() => document.activeElement.closest("label.field"));
  assert.match(await label(), /^Restart cost/);
  const place = await page.evaluate(() => {
    const { left, top, width, height } = document.activeElement.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2) === document.activeElement;
  });
  assert.ok(place, "it is in sight");
  // While something is typed, too.
  await page.keyboard.press("Control+k");
  await field(page).fill("tim");
  await options(page).filter({ hasText: /^Timelinewhich job held/ }).waitFor();
  await screenshot(page, "commands");
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.keyboard.press("Escape");

  const [file] = await Promise.all([page.waitForEvent("download"), choose(page, "metrics as json", /^Metrics as JSONexport$/)]);
  assert.match(file.suggestedFilename(), /results\.json$/);

  await choose(page, "open two", /^Open Two teamssample$/);
  await page.locator("header .facts strong", { hasNotText: "A lab's day" }).waitFor();
});

test("on a phone a setting that is found is in sight", async (t) => {
  const page = await open(t, "index.html#v=1&run=fifo", { viewport: { width: 390, height: 844 } });
  await finished(page, 1);
  await choose(page, "restart cost", /setting$/);
  await page.waitForFunction(() => document.activeElement.closest("label.field"));
  await page.waitForTimeout(400);
  const place = await page.evaluate(() => {
    const { left, top, width, height } = document.activeElement.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2) === document.activeElement;
  });
  assert.ok(place, "it is in sight");
});

test("a job that is named lights up on the yard as long as it is pointed at", async (t) => {
  const page = await open(t, "index.html#v=1&t=39000&run=fifo&run=las&job=183");
  await finished(page, 2);
  const name = page.locator(".inspector .sentence button.link").first();
  await name.scrollIntoViewIfNeeded();
  const yard = page.locator("canvas").first();
  const picture = async () => (await yard.screenshot()).toString("base64");
  await page.mouse.move(5, 5);
  await page.waitForTimeout(300);
  const before = await picture();
  const { x, y, width, height } = await name.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.waitForTimeout(300);
  assert.ok((await picture()) !== before, "it is lit");
  await page.mouse.move(5, 5);
  await page.waitForTimeout(300);
  assert.ok((await picture()) === before, "and no more");
});

test("the chosen job stands beside the view, which makes room", async (t) => {
  const page = await open(t, "index.html#v=1&t=39000&run=fifo&run=las&job=183", { viewport: { width: 1440, height: 900 } });
  await finished(page, 2);
  const inspector = await page.locator(".inspector").boundingBox();
  for (const yard of await page.locator(".view canvas").all()) {
    const { x, width } = await yard.boundingBox();
    assert.ok(x + width <= inspector.x + 1, "nothing of the yards is behind it");
  }
});
