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
