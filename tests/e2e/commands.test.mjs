// What the page can do, found by name (Ctrl+K); and jobs that are named in words, which light up in every view.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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

/** What Ctrl+K has opened has closed, and the focus is where it goes from there. */
async function closed(page) {
  await field(page).waitFor({ state: "detached" });
  await page.waitForTimeout(300);
}

/** Types words into what Ctrl+K has opened; waits for an entry that reads so. */
async function finds(page, words, found) {
  await field(page).fill(words);
  const wanted = typeof found === "string" ? new RegExp(`^${found.replace(/[^\w\s]/g, "\\$&")}$`) : found;
  await options(page).locator("span:first-child").filter({ hasText: wanted }).first().waitFor();
}

test("every option of a view, every setting of the rail and every item of Export has an entry", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=tiresias-las&t=30000", { viewport: { width: 1440, height: 900 } });
  await finished(page, 2);
  const [rail, exported] = await page.evaluate(() => {
    const words = (of) => of?.textContent.split(/\s+/).join(" ").trim();
    const controls = document.querySelectorAll("#rail :is(input, select, textarea):not([hidden])");
    const name = (control) => words(control.closest("label")?.querySelector("span")) || control.ariaLabel || words(control.closest("label"));
    return [[...controls].map(name), [...document.querySelectorAll("#export-panel button")].map((button) => button.ariaLabel)];
  });
  assert.ok(rail.length > 30 && rail.every((name) => name), JSON.stringify(rail));
  for (const name of ["Timeline as PNG", "Timeline as SVG", "What changed as PNG", "What changed as SVG", "Where the jobs' time went as CSV"]) {
    assert.ok(exported.includes(name), name);
  }
  await page.keyboard.press("Control+k");
  for (const name of new Set([...rail, ...exported])) await finds(page, name.slice(0, 50), name.length > 58 ? /./ : name);
  await page.keyboard.press("Escape");
  await closed(page);

  const table = readFileSync(new URL("../../web/src/state/view_options.rs", import.meta.url), "utf8");
  const described = /pub static \w+: ViewOption\s*=[^;]*?\(\s*"([a-z]*)",\s*"([^"]+)",\s*"([a-z-]+)"/g;
  const all = [...table.matchAll(described)].map(([, view, name, link]) => ({ view, name, link }));
  assert.equal(all.length, table.match(/OPTIONS: &\[&ViewOption\] = &\[([^\]]*)\]/)[1].match(/&\w+/g).length);
  for (const { view, name, link } of all.filter((of) => of.view)) {
    await page.keyboard.press("Control+k");
    await field(page).waitFor();
    await finds(page, name, name);
    assert.match(await options(page).first().textContent(), /setting · /);
    await page.keyboard.press("Enter");
    await closed(page);
    await page.locator(`#tab-${view}[aria-selected=true]`).waitFor();
    // Where there is nothing to choose from, the view has the focus.
    await page.waitForFunction((link) => {
      const place = `[data-option="${link}"]`;
      const isThere = [...document.querySelectorAll(place)].some((of) => of.offsetWidth);
      return document.activeElement.closest(place) || (!isThere && document.activeElement.id === "view");
    }, link);
  }
});

test("what is set, shown and told elsewhere is found by the words that people have for it", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=tiresias-las&t=30000");
  await finished(page, 2);
  await page.keyboard.press("Control+k");
  for (const [words, found] of Object.entries({
    colour: /^Colour by tenant$/,
    color: /^Colour by gang size$/,
    zoom: /^Show all of time$/,
    "select a range": /^Select the range of time that is shown$/,
    filter: /^Filter jobs$/,
    sort: /^Sort jobs$/,
    theme: /^Theme: dark$/,
    figure: /^Open as a figure for a talk/,
    film: /^Film ten seconds$/,
    "moving picture": /^Film ten seconds$/,
    perfetto: /^Timeline of .* as Chrome trace$/,
    lessons: /^nine lessons$/,
    article: /^Embed$/,
    speed: /^Speed$/,
  })) {
    await finds(page, words, found);
  }
  await page.keyboard.press("Escape");
  await choose(page, "colour by tenant", /^Colour by tenant/);
  await page.waitForFunction(() => location.hash.includes("colour=tenant"));
  await choose(page, "rows of the timeline: job", /^Rows of the timeline: job/);
  await page.locator("#tab-timeline[aria-selected=true]").waitFor();
  await page.getByRole("button", { name: "by job", pressed: true }).waitFor();
  await choose(page, "show all of time", /^Show all of time/);
  await choose(page, "theme: dark", /^Theme: dark/);
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  const [file] = await Promise.all([page.waitForEvent("download"), choose(page, "time went as csv", /^Where the jobs' time went as CSV/)]);
  assert.match(file.suggestedFilename(), /lives\.csv$/);
  await choose(page, "open as a figure", /^Open as a figure/);
  await page.waitForFunction(() => /figure/.test(document.activeElement.getAttribute("href") ?? ""));
  assert.match(await page.evaluate(() => document.activeElement.getAttribute("href")), /colour=tenant/);
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
