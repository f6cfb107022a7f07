// The first second of a visit: what is seen when, on slow lines and slow computers.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { browser, dist } from "./browser.mjs";
import { difference, picture, written } from "./picture.mjs";
import { serve } from "./server.mjs";

const { open } = browser();

let server;
before(async () => (server = await serve(dist, "/", { gzip: true })));
after(() => server?.close());

/** Bits and milliseconds of a line, and by what the processor is slower. */
const LINES = {
  "at home": null,
  "10 Mbit/s, 40 ms": { megabits: 10, latency: 40, slower: 1 },
  "9 Mbit/s, 85 ms, a processor slowed four times": { megabits: 9, latency: 85, slower: 4 },
};

/** Notes in the page when what is first seen. */
function watch() {
  globalThis.firstSeen = {};
  const is = {
    picture: () => [...document.querySelectorAll("#picture svg")].some((of) => of.getClientRects().length),
    page: () => document.querySelector("#app .page"),
    live: () => !document.getElementById("picture") && document.querySelectorAll("[data-status=done]").length === 2,
    playing: () => document.querySelector("#app .player [aria-label=Pause]"),
  };
  const look = () => {
    for (const [name, seen] of Object.entries(is)) if (seen() && !firstSeen[name]) firstSeen[name] = performance.now();
    if (!firstSeen.live) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

async function visit(t, line) {
  const before = async (page) => {
    await page.addInitScript(watch);
    if (!line) return;
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const bytes = (line.megabits * 1e6) / 8;
    await session.send("Network.emulateNetworkConditions", { offline: false, latency: line.latency, downloadThroughput: bytes, uploadThroughput: bytes });
    await session.send("Emulation.setCPUThrottlingRate", { rate: line.slower });
  };
  const page = await open(t, server.url, { before, viewport: { width: 1440, height: 900 } });
  await page.waitForFunction(() => firstSeen.live, null, { timeout: 60_000 });
  return page;
}

for (const [name, line] of Object.entries(LINES)) {
  test(`a picture, then the page, playing, before any worker has come: ${name}`, async (t) => {
    const page = await visit(t, line);
    const { seen, programs } = await page.evaluate(() => ({
      seen: { paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, ...firstSeen },
      programs: performance.getEntriesByType("resource").filter(({ name }) => name.includes(".wasm")).map(({ name, responseEnd }) => [name.split("/").at(-1), responseEnd]),
    }));
    t.diagnostic(Object.entries(seen).map(([what, ms]) => `${what} ${(ms / 1000).toFixed(2)} s`).join(", "));
    const [[own, ownEnd], ...others] = programs;
    assert.match(own, /^app/);
    const workers = others.filter(([other]) => !other.startsWith("rest-"));
    assert.ok(workers.every(([other]) => other.startsWith("worker_")), "no other program is needed");
    // The picture is there long before the program, on a line where that takes its time.
    if (line) assert.ok(seen.picture < ownEnd, `${seen.picture} ${ownEnd}`);
    if (line) assert.ok(workers.every(([, end]) => end > seen.live), "no worker's program has come");
    t.diagnostic(`the rest of the program was waited for ${await page.evaluate(() => switchyardRest.waits())} times`);
    assert.deepEqual(await page.evaluate(() => [document.getElementById("picture"), document.getElementById("loading")]), [null, null]);
  });
}

/** Holds the page's program, or a part of it, back until it is let go, or for so long. */
function holding(part = /\/app-[^/]*\.wasm$/, most = 60_000) {
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  setTimeout(letGo, most).unref();
  const before = (page) => page.route(part, async (route) => {
    await held;
    await route.continue();
  });
  return { before, letGo };
}

const live = (page) => page.waitForFunction(() => !document.getElementById("picture") && document.querySelectorAll("[data-status=done]").length === 2);

/** Where things lie, by what they are and say. */
const boxes = (page, root) =>
  page.locator(root).evaluate((root) => {
    const all = [...root.querySelectorAll("button:not(.skip), h1, h2, select, input, summary, .hint, .painted, .intro p, .situation, dt, .rail, .player, .tabs")];
    return all.filter((of) => of.checkVisibility()).map((of) => {
      const { left, top, width, height } = of.getBoundingClientRect();
      const isDrawn = of.matches(".painted");
      // A select's words are all of its options, a term's also what it means.
      const words = isDrawn || of.matches("select, dt") ? "" : of.textContent.trim().slice(0, 20);
      return [isDrawn ? "drawing" : `${of.tagName} ${words}`, ...[left, top, width, height].map(Math.round)];
    }).filter(([, left, top]) => top < innerHeight && left < innerWidth);
  });

for (const [width, height] of [[390, 844], [768, 1024], [1280, 720], [1440, 900], [1920, 1080]]) {
  test(`the page takes the picture's place without a jump, ${width}`, async (t) => {
    const { before, letGo } = holding();
    // Nothing plays: words stay as they are.
    const page = await open(t, "index.html", { before, viewport: { width, height }, reducedMotion: "reduce" });
    await page.locator("#picture .yard").first().waitFor();
    const drawn = await boxes(page, "#picture .page");
    letGo();
    await live(page);
    await page.getByText("What if a node dies now?").first().waitFor();
    const painted = await boxes(page, "#app .page");
    const missingIn = (others, ours) => ours.filter(([what, ...box]) => !others.some(([other, ...there]) => other === what && box.every((at, i) => Math.abs(at - there[i]) <= 1)));
    assert.ok(drawn.length > 30, `${drawn.length}`);
    assert.deepEqual([missingIn(painted, drawn), missingIn(drawn, painted)], [[], []]);
  });
}

test("what is pressed in the picture is pressed when the page is there", async (t) => {
  const { before, letGo } = holding();
  const page = await open(t, "index.html", { before, viewport: { width: 1440, height: 900 } });
  const { x, y, width, height } = await page.locator("#picture button").filter({ hasText: "Compare them" }).boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
  await page.getByText(/^Loading/).waitFor();
  letGo();
  await live(page);
  await page.locator("#tab-compare[aria-selected=true]").waitFor();
});

/** Of the program (xtask/src/parts.rs): what the first picture does without. */
const REST = /\/rest-[^/]*\.wasm$/;

const hasRest = (page) => page.evaluate(() => switchyardRest.isThere());

/** A page that stands still for the rest does so no longer. */
const HELD_MS = 8_000;

test("the page is live before the rest of its program has come, which then joins", async (t) => {
  // What is called for want of time is not always known before: of three visits one must do without.
  let didWithout = false;
  for (let visit = 0; visit < 3 && !didWithout; visit++) {
    const { before, letGo } = holding(REST, HELD_MS);
    const page = await open(t, "index.html", { before, viewport: { width: 1440, height: 900 } });
    await live(page);
    didWithout = !(await hasRest(page));
    letGo();
    await page.waitForFunction(() => switchyardRest.isThere());
    await page.getByRole("tab", { name: "Compare" }).click();
    await page.locator("#tab-compare[aria-selected=true]").waitFor();
  }
  assert.ok(didWithout);
});

test("who needs the rest before it has come waits for it, and gets what was pressed", async (t) => {
  const { before, letGo } = holding(REST, HELD_MS);
  const page = await open(t, "index.html", { before, viewport: { width: 1440, height: 900 } });
  await live(page);
  const { x, y } = await page.locator("#tab-compare").boundingBox();
  // The page stands still as long.
  const pressed = page.mouse.click(x + 5, y + 5);
  await new Promise((resolve) => setTimeout(resolve, 500));
  letGo();
  await pressed;
  await page.locator("#tab-compare[aria-selected=true]").waitFor();
  assert.ok(await page.evaluate(() => switchyardRest.waits()) > 0, "it was waited for");
});

test("where the rest cannot be had, the page goes on; who needs it is told", async (t) => {
  const page = await open(t, "index.html", { before: (page) => page.route(REST, (route) => route.abort()), tolerated: /rest|fetch|ERR_FAILED|XMLHttpRequest/ });
  const told = page.getByRole("alert");
  await told.or(page.locator("[data-status=done]").nth(1)).first().waitFor();
  if ((await told.count()) === 0) {
    const { x, y } = await page.locator("#tab-compare").boundingBox();
    await page.mouse.click(x + 5, y + 5);
  }
  await page.getByRole("alert").filter({ hasText: "The rest of the program could not be loaded" }).waitFor();
});

test("under a link the whole program is there before it starts", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=srtf&view=compare");
  await page.locator("[data-status=done]").first().waitFor();
  assert.deepEqual(await page.evaluate(() => [switchyardRest.isThere(), switchyardRest.waits()]), [true, 0]);
});

test("no picture of something else is shown: under a link, in a frame, where the introduction has been closed", async (t) => {
  const { before, letGo } = holding();
  const page = await open(t, "index.html#v=1&sample=lab&run=srtf", { before });
  await page.locator("#starting").waitFor();
  assert.equal(await page.locator("#picture").isVisible(), false);
  letGo();
  await page.locator("[data-status=done]").waitFor();

  const again = holding();
  const read = await open(t, "index.html", { before: async (page) => {
    await page.addInitScript(() => localStorage.setItem("switchyard introduction closed", "yes"));
    await again.before(page);
  } });
  await read.locator("#picture .yard").first().waitFor();
  assert.equal(await read.locator("#picture .intro").isVisible(), false);
  again.letGo();
  await live(read);
  assert.equal(await read.locator(".intro").count(), 0);
});

test("what comes with the page is what is simulated here, and both are told apart", async (t) => {
  const page = await open(t, "index.html");
  await live(page);
  const hashes = () => page.evaluate(() => switchyardEmbed.page.results().runs.map((run) => [run.label, run.log_hash, run.summary]));
  const came = await hashes();
  assert.ok(came.length === 2 && came.every(([, hash]) => hash));
  assert.equal(await page.getByText("came with the page").count(), 2);
  for (const name of ["FIFO", "Tiresias 2D-LAS"]) await page.getByRole("button", { name: `Run ${name}`, exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll("[data-status=done]").length === 2 && !document.body.textContent.includes("came with the page"));
  assert.equal(await page.getByText(/simulated in/).count(), 2);
  assert.deepEqual(await hashes(), came);
});

test("a run that came with the page is asked why, which its worker answers", async (t) => {
  const page = await open(t, "index.html");
  await live(page);
  await page.evaluate(() => switchyardEmbed.page.select("lab-131"));
  await page.locator(".inspector .spent-parts").first().waitFor();
});

test("the picture is of the page as it is: node tests/e2e/picture.mjs writes it anew", async () => {
  const chrome = await chromium.launch({ executablePath: process.env.SWITCHYARD_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const [now, then] = [await picture(chrome, server.url), await written()];
    for (const [at, text] of now.entries()) assert.ok(text === then[at], difference(then[at], text));
  } finally {
    await chrome.close();
  }
});
