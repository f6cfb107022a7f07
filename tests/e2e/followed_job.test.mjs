// A job that is followed: marked in every view, its events in words, the clock slow beside them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, finished, picture, screenshot } from "./browser.mjs";

const { open } = browser();

/** lab-133 wants 8 GPUs: under FIFO it waits for an hour, under 2D-LAS it is preempted again and again. */
const LINK = "index.html#v=1&t=25000&run=fifo&run=tiresias-las&job=133";
const yard = (page, name) => page.getByRole("region", { name: `Yard of ${name}` });
const clock = (page) => page.getByTestId("clock").innerText();

/** Seconds since the trace's start. */
async function now(page) {
  const [, h, m, s] = (await clock(page)).match(/(\d+):(\d+):(\d+)/).map(Number);
  return (h * 60 + m) * 60 + s;
}

test("a followed job is marked everywhere, and each of its events is a way there", async (t) => {
  const page = await open(t, LINK, { viewport: { width: 1440, height: 900 } });
  await finished(page, 2);
  const inspector = page.getByRole("region", { name: "Job lab-133" });
  await inspector.getByRole("button", { name: "Follow" }).click();
  await page.getByText("Following lab-133").waitFor();
  await inspector.getByRole("button", { name: "preempted" }).first().waitFor();
  // Its life under each scheduler, in a line of words.
  assert.deepEqual(await inspector.locator(".journey").allInnerTexts(), [
    "submitted › started after 60.5 min › finished after 16.6 h",
    "submitted › started at once › preempted after 15 min › restarted after 87.1 min › preempted after 46.1 s … 11 more › finished",
  ]);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "follow-1440");
  await inspector.getByRole("button", { name: "Close the job" }).click();
  // Who lets go of the inspector goes on following, and nothing has moved.
  const canvas = yard(page, "FIFO").locator("canvas");
  const place = await canvas.boundingBox();
  const faded = await picture(canvas);
  await yard(page, "Tiresias").getByRole("button", { name: "preempted" }).first().click();
  await page.waitForFunction(() => /06:05:0\d$/.test(document.querySelector("[data-testid=clock]").innerText));
  await yard(page, "FIFO").getByRole("button", { name: "started" }).click();
  await page.waitForFunction(() => /06:50:[34]\d$/.test(document.querySelector("[data-testid=clock]").innerText));
  assert.equal(await yard(page, "FIFO").locator("[aria-current=step]").innerText(), "started");
  for (const view of ["Timeline", "Jobs", "Yard"]) {
    await page.getByRole("tab", { name: view }).click();
    assert.ok(await page.getByText("Following lab-133").isVisible(), view);
  }
  assert.deepEqual(await canvas.boundingBox(), place);
  await page.getByRole("button", { name: "Stop following lab-133" }).click();
  await yard(page, "FIFO").getByText(/jobs wait/).waitFor();
  await page.waitForTimeout(300);
  assert.notEqual(await picture(canvas), faded, "nobody stands back");
});

test("the clock is slow beside a followed job's events and fast between them", async (t) => {
  // Submitted at 21,008 s, started at 24,639 s.
  const page = await open(t, "index.html#v=1&t=21010&speed=100&run=fifo&job=133", {
    viewport: { width: 1440, height: 900 },
  });
  await finished(page, 1);
  await page.keyboard.press("j");
  await page.getByText("Following lab-133").waitFor();
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForTimeout(400);
  assert.ok((await now(page)) < 21_050, `${await clock(page)}: at its speed it would be at 21,050 s`);
  // At its speed it would take 36 s to the start.
  await yard(page, "FIFO").locator("[aria-current=step]", { hasText: "started" }).waitFor({ timeout: 20_000 });
  await page.keyboard.press("Space");
  assert.ok((await now(page)) < 24_800, await clock(page));
});
