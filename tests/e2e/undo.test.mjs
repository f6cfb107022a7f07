// Undo and Redo: whatever is set, chosen or shown is taken back, and done again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, finished } from "./browser.mjs";

const { open } = browser();

const LINK = "index.html#v=1&sample=lab&t=30000&run=fifo&run=tiresias-las&view=yard";
const button = (page, name) => page.getByRole("button", { name, exact: true });
const load = (page) => page.getByLabel("Load (×)");
const view = (page, name) => page.locator(`#tab-${name}[aria-selected=true]`);

async function opened(t, options) {
  const page = await open(t, LINK, { viewport: { width: 1440, height: 900 }, ...options });
  await finished(page, 2);
  await page.waitForFunction(() => location.hash.includes("speed="));
  return page;
}

test("a setting, a scheduler that is removed and a view are undone, and done again", async (t) => {
  const page = await opened(t);
  assert.ok(await button(page, "Undo").isDisabled() && await button(page, "Redo").isDisabled());
  await load(page).fill("2");
  await load(page).press("Enter");
  await page.waitForFunction(() => /load=2\b|load%3D2/.test(location.hash));
  await finished(page, 2);
  await button(page, "Remove FIFO").click();
  await page.locator(".card").nth(1).waitFor({ state: "detached" });
  await page.locator("#tab-compare").click();
  await view(page, "compare").waitFor();
  await page.waitForFunction(() => location.hash.includes("view=compare"));

  await button(page, "Undo").click();
  await view(page, "yard").waitFor();
  assert.equal(await page.locator(".card").count(), 1);
  await button(page, "Undo").click();
  await page.locator(".card").nth(1).waitFor();
  await finished(page, 2);
  assert.equal(await load(page).inputValue(), "2");
  await button(page, "Undo").click();
  await page.waitForFunction(() => !/load/.test(location.hash));
  await finished(page, 2);
  assert.equal(await load(page).inputValue(), "1");
  assert.ok(await button(page, "Undo").isDisabled());

  for (let step = 0; step < 3; step++) {
    await button(page, "Redo").click();
    await page.waitForTimeout(400);
  }
  await view(page, "compare").waitFor();
  assert.equal(await page.locator(".card").count(), 1);
  assert.ok(await button(page, "Redo").isDisabled());
  // What is changed anew ends what could be done again.
  await button(page, "Undo").click();
  await view(page, "yard").waitFor();
  await page.locator("#tab-jobs").click();
  await view(page, "jobs").waitFor();
  await page.waitForFunction(() => location.hash.includes("view=jobs"));
  assert.ok(await button(page, "Redo").isDisabled());
});

test("Ctrl+Z and Ctrl+Shift+Z do the same, but not while something is written, nor out of the page", async (t) => {
  const page = await opened(t);
  await page.locator("#tab-jobs").click();
  await view(page, "jobs").waitFor();
  await page.waitForFunction(() => location.hash.includes("view=jobs"));
  await load(page).click();
  await page.keyboard.type("5");
  await page.keyboard.press("Control+z");
  await view(page, "jobs").waitFor();
  await load(page).fill("1");
  await page.locator("#tab-jobs").focus();
  await page.keyboard.press("Control+z");
  await view(page, "yard").waitFor();
  const here = page.url().split("#")[0];
  for (let press = 0; press < 3; press++) await page.keyboard.press("Control+z");
  await page.waitForTimeout(500);
  assert.equal(page.url().split("#")[0], here);
  await page.locator("#tab-yard").focus();
  await page.keyboard.press("Control+Shift+Z");
  await view(page, "jobs").waitFor();
});

test("in a field whose text has been taken Ctrl+Z is the page's, and the field shows what holds then", async (t) => {
  const page = await opened(t);
  const nodes = page.getByRole("spinbutton", { name: "Nodes", exact: true });
  const value = async (wanted) => {
    for (let tries = 0; tries < 50 && (await nodes.inputValue()) !== wanted; tries++) await page.waitForTimeout(100);
    assert.equal(await nodes.inputValue(), wanted);
  };
  const before = await nodes.inputValue();
  const is12 = () => page.waitForFunction(() => /cluster=12x4/.test(location.hash));
  await nodes.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("12");
  await page.keyboard.press("Enter");
  await is12();
  await finished(page, 2);
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => !/cluster=12x4/.test(location.hash));
  await value(before);
  await page.waitForTimeout(300);
  await page.keyboard.press("Control+Shift+Z");
  await is12();
  await value("12");
  await finished(page, 2);
  // What is being written is the field's own.
  await page.keyboard.press("End");
  await page.keyboard.type("5");
  await page.keyboard.press("Control+z");
  await page.waitForTimeout(300);
  await is12();
  assert.notEqual(await nodes.inputValue(), before);
});

test("other rows of the timeline bring a zoom, which goes with them", async (t) => {
  const page = await opened(t);
  await page.locator("#tab-timeline").click();
  await view(page, "timeline").waitFor();
  await page.waitForFunction(() => location.hash.includes("view=timeline"));
  const zoom = () => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("zoom"));
  assert.equal(await zoom(), null);
  await page.getByRole("group", { name: "Rows" }).getByRole("button", { name: "by job" }).click();
  await page.waitForFunction(() => location.hash.includes("timeline-rows=job") && location.hash.includes("zoom="));
  const own = await zoom();
  await button(page, "Undo").click();
  await page.waitForFunction(() => !location.hash.includes("timeline-rows=job"));
  await page.waitForTimeout(1500);
  assert.equal(await zoom(), null, "all of time is seen again");
  await button(page, "Redo").click();
  await page.waitForFunction(() => location.hash.includes("timeline-rows=job"));
  await page.waitForTimeout(1500);
  assert.equal(await zoom(), own);
});

test("after a reload what was done before it is undone as well", async (t) => {
  const page = await opened(t);
  await page.locator("#tab-jobs").click();
  await view(page, "jobs").waitFor();
  await page.waitForFunction(() => location.hash.includes("view=jobs"));
  await page.reload();
  await view(page, "jobs").waitFor();
  await finished(page, 2);
  await button(page, "Undo").click();
  await view(page, "yard").waitFor();
});

test("what is not as the sample has it is marked, also where it is folded away, with a way back", async (t) => {
  const page = await opened(t);
  const rail = page.locator("#rail");
  const more = rail.locator("summary", { hasText: /^More/ });
  assert.equal(await rail.locator("summary .changed").count(), 0);
  assert.equal(await button(page, "Reset the cluster").count(), 0);
  await more.click();
  const cost = page.getByLabel("Restart cost (s)", { exact: true });
  await cost.fill("90");
  await cost.press("Enter");
  await more.locator(".changed", { hasText: "1 changed" }).waitFor();
  await page.getByLabel("As text").fill("4x4");
  await page.getByLabel("As text").press("Enter");
  await more.click();
  await button(page, "Reset the cluster").click();
  await page.waitForFunction(() => !/4x4/.test(location.hash));
  await more.click();
  await button(page, "Reset Restart cost (s)").click();
  await more.locator(".changed").waitFor({ state: "detached" });
  assert.equal(await button(page, "Reset the cluster").count(), 0);
});

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test("on a phone Undo and Redo are at hand, and nothing of the top line is cut", async (t) => {
  for (const width of [390, 360, 320]) {
    const page = await opened(t, { ...PHONE, viewport: { width, height: 844 } });
    const { scrollWidth, clientWidth } = await page.locator("header").evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
    assert.ok(scrollWidth <= clientWidth && clientWidth <= width, `${scrollWidth} of ${width}`);
    await page.locator("#tab-jobs").tap();
    await view(page, "jobs").waitFor();
    await page.waitForFunction(() => location.hash.includes("view=jobs"));
    await button(page, "Undo").tap();
    await view(page, "yard").waitFor();
    if (width < 380) continue;
    await button(page, "Redo").tap();
    await view(page, "jobs").waitFor();
  }
});

test("on a phone trace, schedulers and cluster are a sheet of half the height, closed by its button, Escape and a tap beside it", async (t) => {
  const page = await opened(t, PHONE);
  const opener = button(page, "Trace, schedulers and cluster");
  const rail = page.locator("#rail");
  const isSheet = async () => {
    await rail.waitFor();
    const [sheet, player, yard] = await Promise.all([rail, page.locator(".player"), page.locator(".yard canvas").first()].map((of) => of.boundingBox()));
    assert.ok(sheet.height > 844 * 0.4 && sheet.height < 844 * 0.67, `${sheet.height}`);
    assert.ok(Math.abs(sheet.y + sheet.height - player.y) < 2, "the player stays below it");
    assert.ok(sheet.y > yard.y + 60, "above it is the yard");
  };
  const close = button(page, "Close the sheet");
  for (const closes of [() => close.tap(), () => page.keyboard.press("Escape"), () => page.touchscreen.tap(195, 250), () => opener.tap()]) {
    await opener.tap();
    await isSheet();
    await closes();
    await rail.waitFor({ state: "hidden" });
    assert.ok(await opener.evaluate((element) => element === document.activeElement), "the focus is back");
    assert.equal(await page.locator(".inspector").count(), 0, "a tap beside it chooses nothing");
  }
  await opener.tap();
  // What is far down is scrolled to, and the way out stays.
  const more = rail.locator("summary", { hasText: /^Failures/ });
  await more.scrollIntoViewIfNeeded();
  await more.tap();
  await close.tap();
  await rail.waitFor({ state: "hidden" });
});
