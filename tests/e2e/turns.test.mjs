// Jobs that take turns on the same GPUs: the sample, and the drawing of a cycle beside "why".

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, finished, results, screenshot } from "./browser.mjs";

const { open } = browser();

const SAMPLE = "index.html#v=1&sample=in-turns";

test("the sample opens from the trace panel, and jobs that take turns are done sooner", async (t) => {
  const page = await open(t, "index.html", { viewport: { width: 1440, height: 900 } });
  await finished(page, 2);
  await page.getByRole("button", { name: "taking turns" }).click();
  await page.waitForFunction(() => /sample=in-turns/.test(location.hash));
  await finished(page, 2);
  const { runs } = await results(page);
  assert.deepEqual(runs.map((run) => run.policy), ["muri-s[interval=60]", "srsf"]);
  assert.ok(runs[0].jct.mean < 0.85 * runs[1].jct.mean, `${runs[0].jct.mean} of ${runs[1].jct.mean} s`);
});

for (const [width, colorScheme] of [[1440, "light"], [1440, "dark"], [390, "light"], [390, "dark"]]) {
  test(`a cycle is drawn, with a row a resource and a link a job, ${width}, ${colorScheme}`, async (t) => {
    const page = await open(t, `${SAMPLE}&t=2700&job=0`, { viewport: { width, height: 900 }, colorScheme });
    await finished(page, 2);
    const cycle = page.locator("figure.turns");
    await cycle.scrollIntoViewIfNeeded();
    assert.match(await cycle.locator("figcaption").textContent(), /^One cycle of \d/);
    const rows = cycle.locator("svg");
    assert.equal(await rows.count(), 3);
    const jobs = cycle.locator(".turns-jobs button");
    const count = await jobs.count();
    assert.ok(count >= 2 && count <= 4, `${count} jobs`);
    for (const at of [0, 1, 2]) {
      // Nobody has the GPUs, or the network, at the same time as another; storage and CPUs are two.
      const bars = await rows.nth(at).locator("rect").evaluateAll((bars) => bars.map((bar) => ["x", "width"].map((name) => parseFloat(bar.getAttribute(name)))));
      assert.ok(bars.length >= 1);
      bars.sort((a, b) => a[0] - b[0]);
      assert.ok(bars.every(([x, width]) => x >= 0 && x + width <= 100.02), JSON.stringify(bars));
      if (at > 0) for (let i = 1; i < bars.length; i += 1) assert.ok(bars[i - 1][0] + bars[i - 1][1] <= bars[i][0] + 0.02, JSON.stringify(bars));
    }
    const { x, width: wide } = await cycle.boundingBox();
    assert.ok(x >= 0 && x + wide <= width, `${x} and ${wide} of ${width}`);
    await screenshot(page, `turns-${width}-${colorScheme}`);
    assert.deepEqual(await accessibilityProblems(page), []);
    const other = jobs.nth(count - 1);
    const name = await other.textContent();
    await other.click();
    await page.waitForFunction((name) => document.querySelector(".inspector")?.textContent.includes(name), name);
  });
}
