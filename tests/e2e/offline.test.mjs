// The published page without a network: what is kept of it, and nothing else; how a newer version is told of; and where
// nothing is kept (static/offline.js, static/service-worker.js).

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { deflateRawSync } from "node:zlib";
import { accessibilityProblems, browser, dist, emptyFolder, finished, give, screenshot, table } from "./browser.mjs";
import { serve } from "./server.mjs";

const { open } = browser();

/** What the page does not ask for. */
const LEFT_OUT = ["module", "article", "switchyard.html"];
const KEEPER = "service-worker.js";
const START = "index.html#v=1&sample=three-jobs&run=fifo";
const SCRIPT = "fn key(job, now) { job.submit }";
const JOBS = table("mine.csv", ["job,submit,duration,gpus", "a,0,60,1", "b,5,60,2", "c,9,30,1"]);

/** What a service worker is told of the files. */
const told = (folder) => {
  const script = readFileSync(join(folder, KEEPER), "utf8");
  const [, json, code] = script.match(/^const KEPT = (\{[\s\S]*?\n\});\n([\s\S]*)$/);
  return { kept: JSON.parse(json), code };
};

const tell = (folder, { kept, code }) => writeFileSync(join(folder, KEEPER), `const KEPT = ${JSON.stringify(kept, null, 2)};\n${code}`);

const hash = (file) => `sha256-${createHash("sha256").update(readFileSync(file)).digest("base64")}`;

/** The page on a server of its own, whose files a test may change. */
async function host(t, headers = {}) {
  const folder = join(emptyFolder(t), "page");
  const isAsked = (path) => !LEFT_OUT.includes(relative(dist, path).split(sep)[0]);
  cpSync(dist, folder, { recursive: true, filter: isAsked });
  const server = await serve(folder, undefined, { headers });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  t.after(close);
  return { ...server, folder, close };
}

/** Opens an address, with service workers as everybody has them. */
const visit = (t, address, options) => open(t, address, { serviceWorkers: "allow", ...options });

const isKept = (page) => page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated", null, { timeout: 60_000 });

/** The addresses of all that is kept, below the page's folder. */
const keptBy = (page, url) =>
  page.evaluate(async (url) => {
    const all = [];
    for (const name of await caches.keys()) {
      for (const { url: address } of await (await caches.open(name)).keys()) all.push(`./${address.slice(url.length)}`);
    }
    return all.sort();
  }, url);

/** Waits until what is kept is this, and says what else it is if that does not come. */
async function keeps(page, url, expected) {
  expected = [...expected].sort();
  for (let tries = 0; tries < 300; tries += 1) {
    if (isDeepStrictEqual(await keptBy(page, url), expected)) return;
    await page.waitForTimeout(100);
  }
  assert.deepEqual(await keptBy(page, url), expected);
}

/** A newer page, which says so. */
function publish(folder, mark) {
  const index = join(folder, "index.html");
  writeFileSync(index, readFileSync(index, "utf8").replace("</title>", `</title><!-- ${mark} -->`));
  const { kept, code } = told(folder);
  kept.first["./"] = hash(index);
  kept.version = mark;
  tell(folder, { kept, code });
}

const isNewer = (page, mark) => page.evaluate((mark) => document.documentElement.outerHTML.includes(`<!-- ${mark} -->`), mark);

test("without a network the page opens, shows a sample and a file, and runs them", async (t) => {
  const { url, folder, asked, close } = await host(t);
  const page = await visit(t, `${url}${START}`);
  await finished(page, 1);
  await isKept(page);
  const { first, later } = told(folder).kept;
  // What few need has not been asked for, and what is kept is what the page is made of.
  assert.deepEqual(await keptBy(page, url), Object.keys(first).sort());
  for (const name of asked) assert.ok(!(`./${name}` in later), `${name} was asked for`);
  assert.ok(Object.keys(first).some((name) => name.includes("worker_bg.wasm")));

  await close();
  await page.context().setOffline(true);
  await page.reload();
  await finished(page, 1);
  await page.goto(`${url}index.html?x=1#v=1&sample=lab&run=fifo&run=srtf`);
  await finished(page, 2);
  await give(page, JOBS);
  await page.getByText("mine.csv").first().waitFor();
  await finished(page, 2);
  assert.equal(await page.locator("#newer").count(), 0);
});

test("what few need is kept once it has been used, all of it by an installed app, and nothing else ever", async (t) => {
  const { url, folder, close } = await host(t);
  writeFileSync(join(folder, "elsewhere.csv"), JOBS.buffer);
  const { first, later } = told(folder).kept;
  const page = await visit(t, `${url}index.html#v=1&url=${encodeURIComponent(`${url}elsewhere.csv`)}&run=fifo`, { tolerated: /nothing-|404/ });
  await finished(page, 1);
  await isKept(page);
  // A trace is fetched anew with the page there to keep it, and is not kept.
  await page.reload();
  await finished(page, 1);
  await page.evaluate(() => fetch("./elsewhere.csv?v=0123456789abcdef").then((response) => response.text()));
  await page.evaluate(() => fetch("./nothing-0123456789abcdef.js").catch(() => {}));
  assert.deepEqual(await keptBy(page, url), Object.keys(first).sort());

  const notices = await page.context().newPage();
  await notices.goto(`${url}THIRD-PARTY.txt`);
  await keeps(page, url, [...Object.keys(first), "./THIRD-PARTY.txt"]);

  // As a browser tells that the page has been installed.
  await page.evaluate(() => dispatchEvent(new Event("appinstalled")));
  await keeps(page, url, [...Object.keys(first), ...Object.keys(later)]);
  await close();
  // Of files that nobody has asked for yet: scripts, and a lesson with its figures.
  const script = `script[code=${deflateRawSync(SCRIPT).toString("base64url")}]`;
  await page.goto(`${url}index.html?again#v=1&sample=three-jobs&run=${encodeURIComponent(script)}`);
  await finished(page, 1);
  await notices.goto(`${url}lessons/1-waiting.html`);
  await notices.locator("switchyard-view").first().waitFor();
});

test("a newer version is told of in words, and is there when a person reloads", async (t) => {
  const { url, folder } = await host(t);
  const page = await visit(t, `${url}${START}`);
  await finished(page, 1);
  await isKept(page);
  publish(folder, "second");
  await page.reload();
  await page.evaluate(() => (globalThis.stays = true));
  const newer = page.locator("#newer");
  await newer.getByText("A new version of this page is there: reload it when you like.").waitFor({ timeout: 60_000 });
  await finished(page, 1);
  assert.ok(!(await isNewer(page, "second")) && (await page.evaluate(() => stays)), "the page reloads by itself");
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "offline-newer-1440");
  await page.setViewportSize({ width: 390, height: 844 });
  await screenshot(page, "offline-newer-390");
  // It stands in nobody's way who plays.
  const boxes = await Promise.all([newer, page.getByRole("button", { name: "Play", exact: true })].map((of) => of.boundingBox()));
  assert.ok(boxes[0].y + boxes[0].height <= boxes[1].y, JSON.stringify(boxes));
  // The page that is open has what it was built with, though the server has another.
  const { first } = told(folder).kept;
  const worker = Object.keys(first).find((name) => name.includes("worker.js"));
  writeFileSync(join(folder, "worker.js"), "of another version");
  assert.ok(!(await page.evaluate((worker) => fetch(worker).then((response) => response.text()), worker)).includes("another version"));
  await newer.getByRole("button", { name: "Reload" }).click();
  await page.waitForFunction(() => !globalThis.stays);
  await finished(page, 1);
  assert.ok(await isNewer(page, "second"));
  assert.equal(await newer.count(), 0);

  // Who does not want it now is not asked again, and of older versions no more than one is kept.
  for (const mark of ["third", "fourth"]) {
    publish(folder, mark);
    writeFileSync(join(folder, "worker.js"), readFileSync(join(dist, "worker.js")));
    await page.reload();
    await newer.getByRole("button", { name: "Later" }).click();
    assert.equal(await newer.count(), 0);
  }
  const versions = () => page.evaluate(async () => (await caches.keys()).map((name) => name.split(" ").at(-1)));
  for (let tries = 0; tries < 100 && (await versions()).length > 2; tries += 1) await page.waitForTimeout(100);
  assert.deepEqual(await versions(), ["third", "fourth"]);
});

test("where what was kept is gone, the page comes from the network, and is kept anew", async (t) => {
  const { url, folder, close } = await host(t);
  const page = await visit(t, `${url}${START}`);
  await finished(page, 1);
  await isKept(page);
  await page.evaluate(async () => Promise.all((await caches.keys()).map((name) => caches.delete(name))));
  await page.reload();
  await finished(page, 1);
  const { first } = told(folder).kept;
  // The browser alone asks for the manifest.
  await keeps(page, url, Object.keys(first).filter((name) => !/manifest/.test(name)));
  await close();
  await page.reload();
  await finished(page, 1);
});

test("what arrives damaged is not kept, and the page works as ever", async (t) => {
  const { url, folder, asked } = await host(t);
  const { kept, code } = told(folder);
  const name = Object.keys(kept.first).find((name) => name.includes("worker_bg.wasm"));
  kept.first[name] = hash(join(folder, "index.html"));
  tell(folder, { kept, code });
  // The page that is closed at the end asks once more.
  const page = await visit(t, `${url}${START}`, { tolerated: /ERR_CONNECTION_REFUSED/ });
  await finished(page, 1);
  // It is asked for once more, past what the browser has: then there is nothing to be had.
  const damaged = () => asked.filter((asked) => `./${asked}` === name).length;
  while (damaged() < 3) await page.waitForTimeout(50);
  const isThere = () => page.evaluate(async () => Boolean((await navigator.serviceWorker.getRegistration())?.active));
  await page.waitForTimeout(500);
  assert.equal(await isThere(), false);
  await page.reload();
  await finished(page, 1);
});

test("the page does not wait for what keeps it", async (t) => {
  const { url, folder, asked } = await host(t);
  const page = await visit(t, `${url}${START}`);
  await finished(page, 1);
  await isKept(page);
  const { first } = told(folder).kept;
  const before = asked.slice(0, asked.indexOf(KEEPER));
  // All that the page itself is made of had been asked for, its workers too.
  for (const name of Object.keys(first).filter((name) => name !== "./" && !/manifest/.test(name))) {
    assert.ok(before.includes(name.slice(2)), `${name} was asked for after ${KEEPER}`);
  }
});

test("a host may forbid what keeps the page, and the page says nothing of it", async (t) => {
  const { url, asked } = await host(t, { "content-security-policy": "worker-src blob:" });
  const note = (page) =>
    page.addInitScript(() => {
      const { register } = ServiceWorkerContainer.prototype;
      ServiceWorkerContainer.prototype.register = function (...given) {
        globalThis.registered = register.apply(this, given);
        return globalThis.registered;
      };
    });
  const page = await visit(t, `${url}${START}`, { before: note, tolerated: /Content Security Policy/ });
  await finished(page, 1);
  await page.waitForFunction(() => Boolean(globalThis.registered));
  assert.match(await page.evaluate(() => registered.then(() => "registered", (error) => error.name)), /Error/);
  await page.waitForTimeout(200);
  assert.equal(await page.locator(".stopped").count(), 0);
  assert.ok(!asked.includes(KEEPER));
});

test("a host can take back what keeps the page", async (t) => {
  const { url, folder } = await host(t);
  const page = await visit(t, `${url}${START}`);
  await finished(page, 1);
  await isKept(page);
  const guide = readFileSync(new URL("../../docs/hosting.md", import.meta.url), "utf8");
  writeFileSync(join(folder, KEEPER), /`(skipWaiting\(\);[^`]*)`/.exec(guide)[1]);
  await page.reload();
  const registrations = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  for (let tries = 0; tries < 100 && (await registrations()) > 0; tries += 1) await page.waitForTimeout(100);
  assert.equal(await registrations(), 0);
  await page.goto(`${url}index.html?anew#v=1&sample=three-jobs&run=fifo`);
  await finished(page, 1);
  assert.equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
});

for (const [where, address] of [
  ["as one file from a disk", pathToFileURL(join(dist, "switchyard.html")).href],
  ["as a figure", "index.html?embed=yard#v=1&sample=three-jobs&run=fifo"],
  ["in a frame", "framed.html"],
]) {
  test(`nothing is kept of the page ${where}`, async (t) => {
    const server = await serve(dist, "/framed/", { pages: { "framed.html": `<!doctype html><link rel="icon" href="data:,"><iframe title="f" src="${START}"></iframe>` } });
    t.after(() => server.close());
    const note = (page) =>
      page.addInitScript(() => {
        globalThis.registered = 0;
        const container = self.origin === "null" ? null : navigator.serviceWorker;
        if (container) container.register = async () => void (globalThis.registered += 1);
      });
    const page = await visit(t, new URL(address, server.url).href, { before: note });
    const framed = where === "in a frame" ? page.frames().find((frame) => frame !== page.mainFrame()) : page.mainFrame();
    await framed.locator("canvas").first().waitFor();
    await framed.evaluate(async () => {
      await switchyardProgram;
      await switchyardWorkers.have();
      await new Promise((resolve) => setTimeout(resolve, 500));
    });
    assert.equal(await framed.evaluate(() => globalThis.registered), 0);
    assert.ok(!server.asked.includes(KEEPER));
  });
}

test("the page is an app that browsers can install", async (t) => {
  const page = await visit(t, START);
  await finished(page, 1);
  const devtools = await page.context().newCDPSession(page);
  const { errors, data } = await devtools.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  const manifest = JSON.parse(data);
  assert.equal(manifest.name, "Switchyard");
  const icon = await page.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    return image.naturalWidth;
  }, manifest.icons[0].src);
  assert.ok(icon > 0);
  await isKept(page);
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  // A window of a test's own is a private one.
  assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito"), []);
});
