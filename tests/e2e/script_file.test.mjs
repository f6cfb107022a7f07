// A script in a file: the page's file picker opens it in the editor, and it becomes one more scheduler of the list.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, finished } from "./browser.mjs";

const { open } = browser();

const SMALLEST = "fn key(job, now) {\n  job.gpus\n}\n";

const cards = (page) =>
  page.evaluate(() => {
    const flat = switchyardEmbed.ask("cards");
    return Array.from({ length: flat.length / 11 }, (_, at) => ({ spec: flat[at * 11 + 1], name: flat[at * 11 + 2] }));
  });
const pick = (page, ...files) =>
  page.getByTestId("file-picker").setInputFiles(
    files.map(([name, text]) => ({ name, mimeType: "", buffer: Buffer.from(text) })),
  );
const text = (page) => page.locator(".cm-content");
const wrong = (page) => page.locator(".editor [role=alert]");

test("a script's file is a scheduler and no trace; one with a mistake is shown with it, and nothing is lost", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0");
  await finished(page, 1);
  await pick(page, ["smallest.rhai", SMALLEST]);
  await finished(page, 2, 120_000);
  const [, own] = await cards(page);
  assert.equal(own.name, "smallest");
  assert.match(own.spec, /^script\[code=/);
  assert.equal((await text(page).innerText()).trim(), SMALLEST.trim());
  assert.equal(await page.locator(".refusal").filter({ hasText: "smallest.rhai" }).count(), 0, "no trace was looked for");

  await pick(page, ["broken.rhai", "fn key(job, now) {\n  job.gpus +\n}\n"]);
  await wrong(page).getByText("Line 3").waitFor();
  assert.match(await text(page).innerText(), /job\.gpus \+/);
  assert.equal((await cards(page)).length, 2, "the others stay as they are");

  await pick(page, ["long.rhai", "/".repeat(65 * 1024)]);
  await page.locator(".refusal").getByText("long.rhai is longer than 64 KB").waitFor();

  // Two at once are two schedulers.
  await pick(page, ["first.rhai", SMALLEST], ["second.rhai", "fn key(job, now) { -job.gpus }"]);
  await finished(page, 4, 120_000);
  assert.deepEqual((await cards(page)).slice(2).map(({ name }) => name), ["first", "second"]);
});
