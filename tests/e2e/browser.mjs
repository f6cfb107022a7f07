// The browser that the tests look at the page with.
//
// How to add a test: make a file `<subject>.test.mjs` in this folder, as follows. `cargo xtask test`
// finds it by its name; after `cargo xtask build`, `node --test tests/e2e/<subject>.test.mjs` runs it
// alone.
//
//     import assert from "node:assert/strict";
//     import { test } from "node:test";
//     import { browser, screenshot } from "./browser.mjs";
//
//     const { open } = browser();
//
//     test("the yard fits a phone", async (t) => {
//       const page = await open(t, "index.html", { viewport: { width: 390, height: 844 } });
//       assert.ok(await page.locator("canvas").isVisible());
//       await screenshot(page, "yard-390");
//     });
//
// `page` is Playwright's. A test fails by itself on an error in the console, on an uncaught
// exception in the page, on a request that fails, and on any request to another server.
// `accessibilityProblems(page)` lists what axe finds.
//
// The environment that `cargo xtask test` prepares, all of it optional: SWITCHYARD_CHROMIUM, the
// browser; SWITCHYARD_CLI, the command line tool; SWITCHYARD_TRACES, the folder of real traces;
// SWITCHYARD_LONG=1, which has the long tests run, too.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { serve } from "./server.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The built page. */
export const dist = join(here, "../../dist");

/** The page as `cargo xtask serve` builds it. */
export const served = join(here, "../../target/web/serve");

/** The options of a test that takes minutes and seldom fails alone: only `cargo xtask test --long` runs it. */
export const long = { skip: !process.env.SWITCHYARD_LONG && "long: cargo xtask test --long runs it" };

/** Few tests take so long: of one that hangs the page is closed, and it fails where it is. */
const MOST_MS = 600_000;

const watched = new WeakMap();

/** What has gone wrong in a page so far, one line each. */
export const problemsOf = (page) => watched.get(page);

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * A browser and a server of the built page, for the time that the tests of one file take.
 * @param {string[]} flags further flags for Chromium, such as `--enable-unsafe-webgpu`
 * @param {string} folder what is served instead of the built page
 */
export function browser(flags = [], folder = dist) {
  let chrome;
  let server;

  before(async () => {
    assert.ok(existsSync(folder), `there is no ${folder}: run \`cargo xtask build\` first`);
    server = await serve(folder);
    chrome = await chromium.launch({
      executablePath: process.env.SWITCHYARD_CHROMIUM ?? "/usr/bin/chromium",
      args: [...FLAGS, ...flags],
    });
  });

  after(async () => {
    await chrome?.close();
    await server?.close();
  });

  /**
   * Opens an address in a browser profile of its own, until the test `t` ends.
   * @param {string} address relative to the served page, or of a file or another server of the test's
   * @param {object} options Playwright's for a context: `viewport`, `colorScheme`, …; `before`, which
   *   is given the page before it opens the address; `tolerated`, what problems that the test makes say;
   *   `most`, milliseconds until it is taken to hang
   */
  async function open(t, address, { before, tolerated, most = MOST_MS, ...options } = {}) {
    // What a page keeps for when there is no network comes between it and the requests that tests look at.
    const context = await chrome.newContext({ serviceWorkers: "block", ...options });
    const page = await context.newPage();
    await before?.(page);
    const url = new URL(address, server.url).href;
    const folder = url.startsWith(server.url) ? server.url : new URL(".", url).href;
    const problems = watch(context, page, url.startsWith("file:") ? url : folder, tolerated);
    watched.set(page, problems);
    const hangs = setTimeout(() => context.close(), most);
    t.after(async () => {
      clearTimeout(hangs);
      await context.close();
      assert.deepEqual(problems, [], "the page had problems of its own");
    });
    await page.goto(url);
    return page;
  }

  return { open };
}

/** Collects what goes wrong in a page without any test asking for it. */
function watch(context, page, home, tolerated) {
  const problems = [];
  const complain = (problem) => tolerated?.test(problem) || problems.push(problem);
  const isOurs = (url) => url.startsWith(home) || url.startsWith("data:") || url.startsWith("blob:");
  page.on("console", (message) => {
    if (message.type() === "error") complain(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complain(`uncaught: ${error.stack ?? error}`));
  context.on("request", (request) => {
    if (!isOurs(request.url())) complain(`foreign request: ${request.url()}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) complain(`${response.status()}: ${response.url()}`);
  });
  context.on("requestfailed", (request) => {
    const { errorText } = request.failure() ?? {};
    // What is still under way when a page closes is no fault of its own.
    if (errorText !== "net::ERR_ABORTED") complain(`${errorText}: ${request.url()}`);
  });
  return problems;
}

/** What axe finds wrong on the page as it stands, one line for each rule. */
export async function accessibilityProblems(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html)}`);
}

/** A number that another picture on the canvas would hardly have. */
export const picture = (canvas) =>
  canvas.evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let hash = 0;
    for (let i = 0; i < data.length; i += 4) hash = (hash * 31 + data[i] * 3 + data[i + 1] * 5 + data[i + 2]) | 0;
    return hash;
  });

/** Selects a range of time on a timeline by a drag with Shift: between two parts of its width. */
export async function selectRange(page, canvas, from, to) {
  const { x, y, width } = await canvas.boundingBox();
  await page.keyboard.down("Shift");
  await page.mouse.move(x + width * from, y + 150);
  await page.mouse.down();
  await page.mouse.move(x + width * to, y + 150, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
}

/** Plays for three seconds; says in words how long the script of each of these frames took. */
export async function frames(page) {
  const before = (await page.evaluate(() => switchyardFrameTimes())).length;
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.waitForTimeout(3000);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  // The page keeps the last 300.
  const all = await page.evaluate(() => switchyardFrameTimes());
  const times = all.slice(all.length < 300 ? before : -100).sort((a, b) => a - b);
  assert.ok(times.length > 20, `only ${times.length} frames were painted`);
  const at = (share) => times[Math.floor(share * (times.length - 1))].toFixed(1);
  return `median ${at(0.5)} ms, 95 % ${at(0.95)} ms of ${times.length} frames`;
}

/** Keeps a picture of the page in `tests/e2e/out/<name>.png`. */
export async function screenshot(page, name, options = {}) {
  const folder = join(here, "out");
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, ...options });
  return path;
}

/** Waits until this many schedulers have run to their end. */
export async function finished(page, runs, timeout = 60_000) {
  await page.waitForFunction(
    (runs) => document.querySelectorAll("[data-status=done]").length === runs,
    runs,
    { timeout },
  );
}

/** A folder for as long as a test takes. */
export function emptyFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A file of a test's own, as Playwright takes it. */
export const table = (name, lines) => ({ name, mimeType: "text/csv", buffer: Buffer.from(`${lines.join("\n")}\n`) });

/** Opens files by the page's file picker. */
export const give = (page, ...files) => page.getByTestId("file-picker").setInputFiles(files);

/** The results as the page saves them as JSON. */
export const results = (page) => page.evaluate(() => switchyardEmbed.page.results());

/** The schedulers of the page's list (static/embed.js). */
export const cards = (page) => page.evaluate(() => switchyardEmbed.page.cards());
