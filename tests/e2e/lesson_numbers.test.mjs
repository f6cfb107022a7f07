// Numbers in sentences open how they come about: with the mouse and by keys, beside the number, on the screen,
// without scripts; and not on paper. `lessons/src/formula.rs` tests that the sums are right.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, screenshot } from "./browser.mjs";

const { open } = browser();
const SIZES = { 390: { width: 390, height: 844 }, 1440: { width: 1440, height: 900 }, 1920: { width: 1920, height: 1080 } };

/** Presses a number where it is seen; its card. */
async function press(page, number) {
  await number.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await number.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
  return page.locator(`#${await number.getAttribute("popovertarget")}`);
}

for (const [width, colorScheme] of [[390, "light"], [1440, "light"], [1440, "dark"], [1920, "light"]]) {
  test(`a number opens beside itself at ${width}, ${colorScheme}`, async (t) => {
    const viewport = SIZES[width];
    const page = await open(t, "lessons/1-waiting.html#step-3", { viewport, colorScheme });
    const number = page.locator("#step-3 .number").first();
    const card = await press(page, number);
    await card.waitFor();
    assert.match(await card.textContent(), /Mean JCT[\s\S]*mean of finish − submit[\s\S]*∕ 6 = 21,560 s = 5\.99 h[\s\S]*giant[\s\S]*fifo[\s\S]*6 jobs on 8 GPUs/);
    const [of, at] = [await number.boundingBox(), await card.boundingBox()];
    assert.ok(at.x >= 0 && at.x + at.width <= width && at.y >= 0 && at.y + at.height <= viewport.height, "it is on the screen");
    const apart = Math.max(at.y - of.y - of.height, of.y - at.y - at.height);
    assert.ok(apart >= 0 && apart < 20, `it stands ${apart} from its number`);
    assert.ok(at.x < of.x + of.width && at.x + at.width > of.x, "above or below it");
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, `lesson-number-${width}-${colorScheme}`);
    await page.mouse.click(5, viewport.height - 5);
    await card.waitFor({ state: "hidden" });
  });
}

test("by keys: Enter opens a number, Escape goes back to it", async (t) => {
  const page = await open(t, "lessons/1-waiting.html#step-3", { viewport: SIZES[1440] });
  const number = page.locator("#step-3 .number").first();
  await number.focus();
  await page.keyboard.press("Enter");
  const card = page.locator(`#${await number.getAttribute("popovertarget")}`);
  await card.waitFor();
  assert.ok(await card.evaluate((card) => card === document.activeElement), "the card is read next");
  await page.keyboard.press("Escape");
  await card.waitFor({ state: "hidden" });
  assert.ok(await number.evaluate((number) => number === document.activeElement));
});

test("both sides of a percentage are opened, too", async (t) => {
  const page = await open(t, "lessons/5-learned.html", { viewport: SIZES[1440] });
  await page.locator(".number", { hasText: "11 %" }).evaluate((number) => {
    const { id } = number.closest(".step");
    location.hash = id;
  });
  await page.locator(".step:visible .guess [data-right]").click();
  const card = await press(page, page.locator(".number", { hasText: "11 %" }));
  await card.waitFor();
  assert.equal(await card.locator("dl").count(), 3);
  await screenshot(page, "lesson-number-sides");
});

test("a number opens without scripts, and is text on paper", async (t) => {
  const page = await open(t, "lessons/1-waiting.html", { viewport: SIZES[390], javaScriptEnabled: false });
  const number = page.locator(".number").nth(2);
  const card = await press(page, number);
  await card.waitFor();
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator(".card:visible").count(), 0);
  assert.equal(await number.evaluate((number) => getComputedStyle(number).borderBottomStyle), "none");
});

test("where browsers know no anchors, lesson.js has the card stand beside its number", async (t) => {
  const page = await open(t, "lessons/1-waiting.html#step-3", {
    viewport: SIZES[1440],
    before: (page) =>
      page.addInitScript(() => {
        const supports = CSS.supports.bind(CSS);
        CSS.supports = (...what) => !String(what[0]).startsWith("position-area") && supports(...what);
        addEventListener("DOMContentLoaded", () => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(".card { position-area: none !important; }");
          document.adoptedStyleSheets = [sheet];
        });
      }),
  });
  const number = page.locator("#step-3 .number").first();
  const card = await press(page, number);
  await card.waitFor();
  const [of, at] = [await number.boundingBox(), await card.boundingBox()];
  assert.ok(Math.abs(at.y - of.y - of.height - 6) < 2 || Math.abs(of.y - at.y - at.height - 6) < 2, JSON.stringify([of, at]));
});
