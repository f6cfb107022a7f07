// Nodes, tenants and queues that words name: pointed at they are lit in the figures, pressed one goes there. And numbers
// of a decision open what they come from.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, finished, picture } from "./browser.mjs";

const { open } = browser();

const WIDE = { viewport: { width: 1440, height: 900 } };
const LAB = "index.html#v=1&sample=lab&t=25000&run=fifo&run=tiresias-las&job=133";
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash));

/** Points at a name as a mouse does: what the canvas shows differs, and is as before once the pointer has gone. */
async function lights(page, name, canvas) {
  await name.scrollIntoViewIfNeeded();
  const shown = async () => {
    await page.waitForTimeout(200);
    return picture(canvas);
  };
  const apart = async () => {
    await page.mouse.move(5, 5);
    return shown();
  };
  // Until a view that has just come stands still, and a busy machine has painted what is pointed at.
  let why = "";
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const before = await apart();
    const { x, y, width, height } = await name.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    why = (await shown()) === before ? "nothing is lit" : "it stays lit";
    if (why === "it stays lit" && (await apart()) === before) return;
  }
  assert.fail(why);
}

test("a node of the list of events is lit in the yard and on the timeline, and is gone to", async (t) => {
  const page = await open(t, `${LAB}&view=yard`, WIDE);
  await finished(page, 2);
  const inspector = page.getByRole("region", { name: "Job lab-133" });
  const node = inspector.locator("details[open] .events [data-names]").first();
  const yard = page.getByRole("region", { name: "Yard of FIFO" }).locator("canvas");
  await lights(page, node, yard);
  assert.deepEqual(await accessibilityProblems(page), []);
  await node.click();
  await page.waitForFunction(() => location.hash.includes("view=timeline"));
  await lights(page, inspector.locator("details[open] .events [data-names]").first(), page.locator(".timeline canvas").first());
});

test("a tenant's jobs are lit and selected, and a queue by attained service is lit", async (t) => {
  const page = await open(t, `${LAB}&view=yard`, WIDE);
  await finished(page, 2);
  const inspector = page.getByRole("region", { name: "Job lab-133" });
  const yard = page.getByRole("region", { name: "Yard of Tiresias" }).locator("canvas");
  const level = inspector.locator(".why [data-names^=level]");
  await level.waitFor();
  await lights(page, level, yard);
  const tenant = inspector.locator(".job-facts [data-names^=tenant]").first();
  await lights(page, tenant, yard);
  await tenant.click();
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes("jobs-filter=tenant="));
  await level.click();
  await page.waitForFunction(() => location.hash.includes("view=queues"));
});

test("a queue of the tree is lit and gone to, with its jobs", async (t) => {
  const page = await open(t, "index.html#v=1&sample=two-teams&cluster=2x8&t=3600&view=yard&job=1", WIDE);
  await finished(page, 2);
  const queue = page.locator(".why [data-names^=queue]").first();
  await queue.waitFor();
  await lights(page, queue, page.locator(".yard canvas").first());
  await queue.click();
  await page.waitForFunction(() => location.hash.includes("view=queues"));
  assert.match(await hash(page), /jobs-filter=\w+=/);
});

test("a number behind a decision opens its formula with its values", async (t) => {
  const page = await open(t, `${LAB}&view=yard`, WIDE);
  await finished(page, 2);
  const number = page.locator(".why button.number").first();
  await number.scrollIntoViewIfNeeded();
  // A card goes when its number is scrolled away: the scrolling is to be over.
  await page.waitForTimeout(300);
  const { x, y, width, height } = await number.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
  const card = page.locator(".arithmetic:popover-open");
  await card.waitFor();
  const text = (await card.locator(".sum").textContent()).replaceAll("\u00a0", " ");
  const [, gpus, seconds, service, shown] = /^([\d,.]+) × ([\d,.]+) = ([\d,.]+) GPU·s, that is ([\d,.]+) GPU·s$/.exec(text);
  const value = (text) => Number(text.replaceAll(",", ""));
  assert.ok(Math.abs(value(gpus) * value(seconds) - value(service)) <= 1e-3 * value(service), text);
  assert.ok(Math.abs(value(service) - value(shown)) <= 0.5, text);
  assert.match(await card.textContent(), /its GPUs × its time on them/);
  assert.match(await card.locator(".source").textContent(), /NSDI/);
  assert.deepEqual(await accessibilityProblems(page), []);
});
