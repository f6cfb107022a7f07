// Numbers open their arithmetic, which comes to what they say; a term is marked where it stands first.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, finished } from "./browser.mjs";

const { open } = browser();

const BASE = "index.html#v=1&sample=lab&t=30000&run=fifo&run=tiresias-las";
const UNITS = { s: 1, min: 60, h: 3600, d: 86_400 };

/** Presses a number as a mouse does, and returns the card that comes. */
async function press(page, number) {
  const { x, y, width, height } = await number.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
  const card = page.locator(".arithmetic:popover-open");
  await card.waitFor();
  return card;
}

/** What a sum's text says that comes out, and what does: `3,049,574 ∕ 240 = 12,706.5583 s, that is 3.53 h`. */
function read(text) {
  const [, formula, said, shown] = /^(?:(.*) = )?([\d,.]+)(?: \S+)?, that is (.*)$/.exec(text.replaceAll("\u00a0", " "));
  const plain = (text) => text.replaceAll(",", "");
  const script = plain(formula ?? said).replaceAll("∕", "/").replaceAll("−", "-").replaceAll("×", "*").replace(/([\d.]+)²/g, "$1**2");
  assert.match(script, /^[\d.()+*/ -]+$/);
  return { result: new Function(`return ${script}`)(), said: Number(plain(said)), shown };
}

test("every number of the headline comes to what its values give, and names the jobs that they are of", async (t) => {
  const page = await open(t, `${BASE}&view=compare`);
  await finished(page, 2);
  const numbers = page.locator(".headline button.number");
  assert.equal(await numbers.count(), 12);
  for (let at = 0; at < 12; at++) {
    const card = await press(page, numbers.nth(at));
    const { result, said, shown } = read(await card.locator(".sum").textContent());
    assert.ok(Math.abs(result - said) <= 1e-4 * Math.max(1, said), `${result} is not ${said}`);
    assert.equal(shown, await numbers.nth(at).textContent());
    const [value, unit] = shown.replaceAll(",", "").split(" ");
    const rounded = Number(value) * (UNITS[unit] ?? 1);
    assert.ok(Math.abs(rounded - said) <= 0.006 * Math.max(said, 1), `${shown} is not ${said}`);
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
  }
  const card = await press(page, numbers.first());
  const job = card.getByRole("button").first();
  const name = await job.textContent();
  assert.match(name, /^lab-\d+$/);
  assert.deepEqual(await accessibilityProblems(page), []);
  await job.click();
  await page.getByRole("region", { name: `Job ${name}` }).waitFor();
});

test("a number of some jobs is of those, by keys alone, and a job's numbers open theirs", async (t) => {
  const page = await open(t, `${BASE}&view=compare&jobs-filter=gpus%3E%3D8&job=139`);
  await finished(page, 2);
  const number = page.locator(".headline button.number").first();
  await number.focus();
  await page.keyboard.press("Enter");
  const card = page.locator(".arithmetic:popover-open");
  const said = await page.getByRole("region", { name: /^Selected/ }).locator("strong", { hasText: " of " }).textContent();
  const jobs = await card.locator("dl div", { hasText: /^jobs/ }).locator("dd").textContent();
  assert.equal(jobs, said.split(" of ")[0]);
  await page.keyboard.press("Escape");
  const inspector = page.getByRole("region", { name: "Job lab-139" });
  const wait = inspector.locator(".job-numbers button.number").nth(1);
  await wait.scrollIntoViewIfNeeded();
  const own = await press(page, wait);
  const { result, said: told } = read(await own.locator(".sum").textContent());
  assert.ok(Math.abs(result - told) <= 1e-3 * told);
  assert.match(await own.textContent(), /its JCT.*its time on GPUs/);
});

test("of a term that stands more than once, the keyboard stops at the first, and all tell what it means", async (t) => {
  const page = await open(t, `${BASE}&view=yard`);
  await finished(page, 2);
  const stops = () => page.locator("[data-term=finished]").evaluateAll((all) => all.map(({ tabIndex }) => tabIndex));
  await page.waitForFunction(() => document.querySelectorAll("[data-term=finished][tabindex='-1']").length === 1);
  assert.deepEqual(await stops(), [0, -1]);
  const second = page.locator("[data-term=finished]").nth(1);
  await second.hover();
  await page.getByRole("tooltip").filter({ hasText: "run to their end" }).filter({ visible: true }).waitFor();
  // The first goes, and the second is the first.
  await page.mouse.move(5, 5);
  await page.locator(".yard").first().locator("h2").waitFor();
  await page.evaluate(() => (location.hash = location.hash.replace("&run=fifo", "")));
  await page.waitForFunction(() => document.querySelectorAll("[data-term=finished]").length === 1);
  await page.waitForFunction(() => document.querySelector("[data-term=finished]").tabIndex === 0);
});

test("numbers behind a decision have their thousands apart, as their sums do", async (t) => {
  const page = await open(t, `${BASE}&job=139`);
  await finished(page, 2);
  const facts = page.locator(".inspector .why .job-facts dd");
  await facts.filter({ hasText: /GPU·s/ }).first().waitFor();
  const values = await facts.allTextContents();
  assert.ok(values.some((value) => /\d,\d{3}/.test(value)), `${values}`);
  for (const value of values) assert.doesNotMatch(value, /\d{4}/);
});
