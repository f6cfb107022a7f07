// Jobs that adapt on GPUs of three types: the sample, the matrix of a round of Sia, and "why". What decides is in the
// program of scripts, which is fetched when first needed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, finished, results, screenshot } from "./browser.mjs";

const { open } = browser();

const SAMPLE = "index.html#v=1&sample=three-types";

test("the sample opens from the trace panel, and who tells types apart is done sooner", async (t) => {
  const page = await open(t, "index.html", { viewport: { width: 1440, height: 900 } });
  await finished(page, 2);
  await page.getByRole("button", { name: "three types at once" }).click();
  await page.waitForFunction(() => /sample=three-types/.test(location.hash));
  await finished(page, 3);
  const { runs } = await results(page);
  assert.deepEqual(runs.map((run) => run.policy), ["sia", "pollux", "gavel[types=true]"]);
  const [sia, pollux, gavel] = runs.map((run) => run.jct.mean);
  assert.ok(sia < 0.9 * pollux && pollux < 0.7 * gavel, `${sia}, ${pollux}, ${gavel} s`);
});

for (const [width, colorScheme] of [[1440, "light"], [1440, "dark"], [390, "light"], [390, "dark"]]) {
  test(`a round tells what each job could have, ${width}, ${colorScheme}`, async (t) => {
    const page = await open(t, `${SAMPLE}&run=sia&t=7200&view=goodput`, { viewport: { width, height: 900 }, colorScheme });
    await finished(page, 1);
    const region = page.getByRole("region", { name: "What each job could have" });
    await region.scrollIntoViewIfNeeded();
    const [types, numbers] = await region.locator("thead tr").evaluateAll((rows) =>
      rows.map((row) => [...row.cells].map((cell) => [cell.textContent, cell.colSpan])));
    assert.deepEqual(types.slice(1), [["t4", 8], ["a100", 5], ["2080ti", 6]]);
    assert.deepEqual(numbers.slice(1).map(([gpus]) => Number(gpus)), [1, 2, 4, 8, 12, 16, 20, 24, 1, 2, 4, 8, 16, 1, 2, 4, 8, 16, 24]);
    // What is given is one number a job, and no more of a type than there is.
    const rows = await region.locator("tbody tr").evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll("td")].flatMap((cell, at) => (cell.classList.contains("chosen") ? [[at, parseFloat(cell.textContent)]] : []))));
    assert.ok(rows.length >= 5, `${rows.length} jobs`);
    const given = [0, 0, 0];
    for (const chosen of rows) {
      assert.ok(chosen.length <= 1);
      for (const [at, worth] of chosen) {
        assert.ok(worth >= 1, `${worth}`);
        given[at < 8 ? 0 : at < 13 ? 1 : 2] += Number(numbers[at + 1][0]);
      }
    }
    assert.ok(given[0] <= 24 && given[1] <= 16 && given[2] <= 24, given.join());
    assert.ok(given.some((gpus) => gpus > 0));
    // Nothing but the table scrolls sideways.
    const [left, right] = await region.evaluate((region) => [region.getBoundingClientRect().left, region.getBoundingClientRect().right]);
    assert.ok(left >= 0 && right <= width, `${left} to ${right}`);
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, `three-types-${width}-${colorScheme}`);
  });
}

test("why says what a job was given, what it would have by itself, and draws both", async (t) => {
  const page = await open(t, `${SAMPLE}&run=sia&t=7200`, { viewport: { width: 1440, height: 900 } });
  await finished(page, 1);
  const goodput = page.getByRole("tab", { name: "Goodput" });
  await goodput.click();
  const region = page.getByRole("region", { name: "What each job could have" });
  const given = region.locator("tbody tr").filter({ has: page.locator("td.chosen") }).first();
  await given.locator("th button").click();
  const why = page.getByRole("region", { name: /^Job / }).or(page.locator(".inspector"));
  await why.getByText("if it were alone").first().waitFor();
  await why.getByText("restart factor").first().waitFor();
  await why.getByText("Worth of configurations in the last round").first().waitFor();
  await screenshot(page, "three-types-why");
});
