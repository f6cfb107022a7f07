// What the lessons' figures show at first: the job that a lesson is about, jobs that wait, and no answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser } from "./browser.mjs";

const { open } = browser();

/** The page in the frame of a figure. */
const frameOf = async (figure) => {
  await figure.scrollIntoViewIfNeeded();
  await figure.evaluate((figure) => figure.summary());
  return (await figure.locator("iframe").elementHandle()).contentFrame();
};

test("the front page opens where jobs wait, and does not tell ρ before the guess", async (t) => {
  const page = await open(t, "lessons/index.html", { viewport: { width: 1440, height: 900 } });
  const frame = await frameOf(page.locator("switchyard-view").first());
  assert.match(await frame.locator(".situation").first().textContent(), /[1-9]\d* jobs wait/);
  const outcome = () => frame.locator(".yard-facts .outcome").evaluate((fact) => getComputedStyle(fact).visibility);
  assert.equal(await outcome(), "hidden");
  await page.locator(".guess .choices button").first().click();
  await frame.waitForFunction(() => getComputedStyle(document.querySelector(".yard-facts .outcome")).visibility === "visible");
});

test("lesson 3 opens on the application that it asks about, lesson 6 names its teams", async (t) => {
  const goodput = await open(t, "lessons/3-goodput.html", { viewport: { width: 1440, height: 900 } });
  const model = await frameOf(goodput.locator("#step-1 switchyard-view"));
  await model.waitForFunction(() => [...document.querySelectorAll("select")].some((list) => list.value === "ncf"));
  const fairness = await open(t, "lessons/6-fairness.html#step-4", { viewport: { width: 1440, height: 900 } });
  const teams = await frameOf(fairness.locator("#step-4 switchyard-view"));
  for (const team of ["vision", "language", "speech", "robotics"]) {
    await teams.getByText(team, { exact: false }).first().waitFor();
  }
});

test("a figure of a lesson is the view alone, as high as what it shows; elsewhere it has its tools", async (t) => {
  const lesson = await open(t, "lessons/7-quotas.html", { viewport: { width: 1440, height: 900 } });
  const figure = lesson.locator("#step-1 switchyard-view");
  const yard = await frameOf(figure);
  const shown = (frame, what) => frame.locator(what).first().isVisible();
  assert.deepEqual([await shown(yard, ".toolbar select"), await shown(yard, ".yard-facts dl"), await shown(yard, ".legend"), await shown(yard, ".situation")], [false, false, true, true]);
  // A property and a call, too, and it can be taken back.
  await figure.evaluate((figure) => (figure.plain = false));
  await yard.locator(".toolbar select").first().waitFor();
  await lesson.evaluate(() => (location.hash = "step-5"));
  const compared = await frameOf(lesson.locator("#step-5 switchyard-view"));
  assert.deepEqual([await shown(compared, ".headline table"), await shown(compared, ".charts")], [true, false]);
  const heights = await lesson.locator("switchyard-view").evaluateAll((all) => all.map((one) => parseFloat(getComputedStyle(one).height)));
  const failures = await open(t, "lessons/8-failures.html", { viewport: { width: 1440, height: 900 } });
  const low = await failures.locator("#step-1 switchyard-view").evaluate((one) => parseFloat(getComputedStyle(one).height));
  assert.ok(low < Math.min(...heights), `${low} of ${heights}`);
  // What failures cost stands there where there are some.
  await failures.evaluate(() => (location.hash = "step-4"));
  const cost = await frameOf(failures.locator("#step-4 switchyard-view"));
  await cost.getByRole("button", { name: "Lost to failures" }).waitFor();
  assert.equal(await shown(cost, ".lives"), false);
  const article = await open(t, "article/index.html", { viewport: { width: 1440, height: 900 } });
  const other = await frameOf(article.locator("switchyard-view").first());
  await other.locator(".toolbar select").first().waitFor();
});
