// What changes its text does not move what stands around it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, finished } from "./browser.mjs";

const { open } = browser();

test("on a phone the player is as high at every speed", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&t=30000&run=fifo", { viewport: { width: 390, height: 844 } });
  await finished(page, 1);
  const heights = await page.evaluate(async () => {
    const range = document.querySelector(".player input[type=range]");
    const heights = [];
    for (let power = 0; power <= 6; power += 0.5) {
      range.value = String(power);
      range.dispatchEvent(new InputEvent("input", { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 250));
      heights.push(document.querySelector(".player").getBoundingClientRect().height);
    }
    return heights;
  });
  assert.equal(new Set(heights).size, 1, `${heights}`);
  // The clock stands beside the speed.
  const [speed, clock] = await page.evaluate(() => [".speed", ".clock"].map((of) => document.querySelector(`.player ${of}`).getBoundingClientRect().bottom));
  assert.ok(Math.abs(speed - clock) < 20, `${speed} ${clock}`);
});
