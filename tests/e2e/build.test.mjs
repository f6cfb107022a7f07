// What `cargo xtask build` makes: it loads from anywhere, asks nobody else for anything, and is small.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { accessibilityProblems, browser, dist, screenshot } from "./browser.mjs";

const { open } = browser();

for (const [where, address] of [
  ["under a sub-path", "index.html"],
  ["from a disk, as a single file", pathToFileURL(join(dist, "switchyard.html")).href],
]) {
  test(`the page starts ${where}`, async (t) => {
    const page = await open(t, address);
    await page.locator("canvas").first().waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, address === "index.html" ? "build-dist" : "build-single-file");
  });

  test(`a worker starts later without asking the server, ${where}`, async (t) => {
    const page = await open(t, address);
    await page.waitForLoadState("networkidle");
    const asked = [];
    const isOwn = (url) => /^(blob|data):/.test(url);
    page.on("request", (request) => isOwn(request.url()) || asked.push(request.url()));
    const said = await page.evaluate(async () => {
      const worker = await globalThis.switchyardWorkers.start("runner");
      return new Promise((resolve, reject) => {
        worker.onmessage = () => resolve("something");
        worker.onerror = (event) => reject(new Error(event.message));
      }).finally(() => worker.terminate());
    });
    assert.equal(said, "something");
    assert.deepEqual(asked, []);
  });
}

test("whose code the page contains is told beside it, and by the single file", async (t) => {
  const isWhole = (notices) => {
    const texts = [/^yew \d.*: MIT OR Apache-2\.0/m, /Boost Software License/, /TERMS AND CONDITIONS/, /THE SOFTWARE IS PROVIDED/];
    for (const text of texts) assert.match(notices, text);
  };
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo");
  const link = (page) => page.getByRole("link", { name: "Whose code this page contains" });
  await page.getByRole("button", { name: "Help", exact: true }).click();
  const opened = page.waitForEvent("popup");
  await link(page).click();
  isWhole(await (await opened).locator("body").textContent());

  const single = await open(t, pathToFileURL(join(dist, "switchyard.html")).href);
  await single.getByRole("button", { name: "Help", exact: true }).click();
  const saved = single.waitForEvent("download");
  await link(single).click();
  isWhole(readFileSync(await (await saved).path(), "utf8"));
});

test("the page is there before its workers", async (t) => {
  let arrive;
  const arrived = new Promise((resolve) => (arrive = resolve));
  const hold = (page) =>
    page.route(/\/worker[._]/, async (route) => {
      await arrived;
      await route.continue();
    });
  const page = await open(t, "index.html", { before: hold });
  // What is seen first has come with it.
  await page.waitForFunction(() => document.querySelectorAll("[data-status=done]").length === 2);
  await page.getByRole("button", { name: "Run FIFO", exact: true }).click();
  await page.locator("[data-status=running]").waitFor();
  arrive();
  await page.waitForFunction(() => document.querySelectorAll("[data-status=done]").length === 2);
});

// Of all that a page fetches before it can open a trace and run it.
test("page and workers are together at most 2500 KB, compressed", (t) => {
  let all = 0;
  // The page's program comes in two parts.
  for (const [program, files] of [[/^(app-[0-9a-f]+(\.js|_bg\.wasm)|rest-[0-9a-f]+\.wasm)$/, 3], [/^worker(\.js|_bg\.wasm)$/, 2]]) {
    const names = readdirSync(dist).filter((name) => program.test(name));
    assert.equal(names.length, files, `${names}`);
    const sizes = names.map((name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length);
    const kilobytes = sizes.reduce((sum, size) => sum + size) / 1024;
    t.diagnostic(`${names.join(" + ")}: ${kilobytes.toFixed(1)} KB`);
    all += kilobytes;
  }
  t.diagnostic(`all: ${all.toFixed(1)} KB`);
  assert.ok(all <= 2500, `${all.toFixed(1)} KB`);
});
