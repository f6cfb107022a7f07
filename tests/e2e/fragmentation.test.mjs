// Placements of pods that share GPUs: FGD's figure, on invented lists and on those that are open.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessibilityProblems, browser, screenshot } from "./browser.mjs";

const { open } = browser();

const fixture = (name) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

/** The rows of the table, as numbers by name. */
async function figures(page) {
  const rows = await page.locator(".packers tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
  );
  return Object.fromEntries(rows.map(([name, ...cells]) => [name, cells.map(parseFloat)]));
}

for (const [colorScheme, width] of [["light", 1280], ["dark", 390]]) {
  test(`six placements are measured, ${colorScheme}, ${width} px`, async (t) => {
    const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&view=fragmentation", {
      colorScheme,
      viewport: { width, height: 900 },
    });
    await page.getByText("1,200 pods on 160 machines with 768 GPUs; means of 10 of 10 runs").waitFor({ timeout: 60_000 });
    const told = await figures(page);
    assert.equal(Object.keys(told).length, 6);
    const { FGD, ...rivals } = told;
    for (const [fragmentation] of Object.values(rivals)) assert.ok(FGD[0] < fragmentation, JSON.stringify(told));
    assert.equal(await page.locator(".plots figure").count(), 2);
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, `fragmentation-${colorScheme}-${width}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} px wide`);
  });
}

test("the lists that are open are measured, and fewer runs are fewer", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&view=fragmentation");
  await page.locator("input[type=file]").first().setInputFiles([fixture("openb_pods.csv"), fixture("openb_nodes.csv")]);
  await page.getByText("12 pods on 5 machines with 20 GPUs; means of 10 of 10 runs").waitFor();
  await page.getByLabel("Runs of each placement").fill("2");
  await page.keyboard.press("Enter");
  await page.getByText("means of 2 of 2 runs").waitFor();
  await page.getByRole("button", { name: "Invented" }).click();
  await page.getByText("1,200 pods on 160 machines").waitFor();
});
