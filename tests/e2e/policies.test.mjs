// Schedulers that learn from a file, and what placement costs: options of a run.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { browser, finished } from "./browser.mjs";

const { open } = browser();
const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));

const mean = (page, position) => page.locator("[data-status=done] .hint").nth(position).textContent();

test("a service history from a file replaces what Gittins learns online", async (t) => {
  const page = await open(t, "index.html#v=1&t=0&run=tiresias-gittins");
  await finished(page, 1);
  const online = await mean(page, 0);
  await page.getByRole("button", { name: "Tiresias 2D-Gittins", exact: true }).click();
  const file = page.getByLabel("A file of services, GPU·s per line");

  await file.setInputFiles(join(fixtures, "bad_services.csv"));
  await page.getByText("line 3 of the service history is 'long': expected GPU·s, a number above 0").waitFor();
  assert.equal(await mean(page, 0), online);

  await file.setInputFiles(join(fixtures, "services.csv"));
  await page.getByRole("button", { name: "Tiresias 2D-Gittins (history=services.csv)", exact: true }).waitFor();
  await finished(page, 1);
  await page.getByText("mean JCT").first().waitFor();
});

test("a history that is not open is asked for", async (t) => {
  const page = await open(t, "index.html#v=1&t=0&run=gittins[history=lost.csv]");
  await page.getByText("asks for the service history 'lost.csv', which has not been opened").waitFor();
});

test("where spread gangs are slow, placement by skew beats running spread", async (t) => {
  const runs = "run=tiresias-las[placement=spread]&run=tiresias-las[placement=skew]&view=compare";
  const page = await open(t, `index.html#v=1&t=0&sample=cluster&${runs}`);
  await finished(page, 2);
  const row = page.getByRole("region", { name: "Metrics of the runs" }).getByRole("row").filter({ hasText: "Mean JCT" });
  const free = await row.textContent();
  await page.getByText("More", { exact: true }).click();
  await page.getByLabel("Spread gangs slow down").selectOption("v100");
  await finished(page, 2);
  await page.waitForFunction(() => /spread=v100/.test(location.hash));
  const slow = await row.textContent();
  assert.notEqual(slow, free);
  assert.match(slow, /shorter/);
});

test("a run has the name that people give it, in every view and in the link", async (t) => {
  const page = await open(t, "index.html#v=1&t=0&run=fifo&run=tiresias-las");
  await finished(page, 2);
  await page.getByRole("button", { name: "Tiresias 2D-LAS", exact: true }).click();
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("Ours");
  await name.press("Enter");
  await page.getByRole("region", { name: "Yard of Ours" }).waitFor();
  // It is not run again for that.
  await finished(page, 2);
  await page.waitForFunction(() => /run=tiresias-las&name=Ours/.test(location.hash));
  const queues = page.getByLabel("queues", { exact: true });
  await page.getByText("How many queues (K); one more than there are thresholds.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Reset queues" }).count(), 0);
  await queues.fill("4");
  await queues.press("Enter");
  await page.getByRole("button", { name: "Reset queues" }).click();
  await page.getByRole("button", { name: "Reset queues" }).waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("region", { name: "Yard of Ours" }).waitFor();
});
