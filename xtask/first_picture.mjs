// Notes what a first picture of the page calls: node first_picture.mjs CHROMIUM DIST PROGRAM WATCHED CALLED. The page in
// DIST is opened with WATCHED in place of its program (xtask/src/parts.rs), on a large and on a small screen. Once it
// is live it plays, is pointed at and paused. CALLED gets the numbers of the functions that were called.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";

const [chromium, dist, program, watched, called] = process.argv.slice(2);
const PATIENCE_MS = 120_000;
const SIZES = ["1440,900", "500,844"];
/** What is done for want of time is called on a slow computer alone; and some of it not each time. */
const VISITS = SIZES.flatMap((size) => [{ size, isSlow: false }, { size, isSlow: true }, { size, isSlow: false }]);
const TYPES = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Runs in the page, before all else. */
function note(slows) {
  const PLAYED_MS = 3_000;
  const BUSY_MS = 40;
  if (slows) {
    setInterval(() => {
      for (const begin = performance.now(); performance.now() - begin < BUSY_MS; );
    }, BUSY_MS / 4);
  }
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const named = (name) => document.querySelector(`#app .player [aria-label=${name}]`);
  let exports;
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const made = WebAssembly[name];
    WebAssembly[name] = async (...given) => {
      const result = await made.apply(WebAssembly, given);
      exports ??= result.instance?.exports ?? result.exports;
      return result;
    };
  }
  const isLive = () => !document.getElementById("picture") && document.querySelectorAll("[data-status=done]").length === 2;
  const event = (Kind, type, target, x, y) => target.dispatchEvent(new Kind(type, { bubbles: true, cancelable: true, composed: true, clientX: x, clientY: y, button: 0, pointerId: 1 }));
  const middle = (element, part = 0.5) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return [left + width * part, top + height * part];
  };
  const move = (target, at) => {
    for (const type of ["over", "enter", "move"]) {
      event(PointerEvent, `pointer${type}`, target, ...at);
      event(MouseEvent, `mouse${type}`, target, ...at);
    }
  };
  const press = async (target) => {
    const at = middle(target);
    move(target, at);
    for (const [pointer, mouse] of [["pointerdown", "mousedown"], ["pointerup", "mouseup"]]) {
      event(PointerEvent, pointer, target, ...at);
      event(MouseEvent, mouse, target, ...at);
    }
    target.focus();
    target.click();
    await wait(200);
  };
  const key = async (name) => {
    for (const type of ["keydown", "keyup"]) (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent(type, { key: name, bubbles: true, cancelable: true }));
    await wait(200);
  };
  (async () => {
    while (!isLive()) await wait(50);
    await wait(PLAYED_MS);
    for (const canvas of document.querySelectorAll("canvas")) {
      for (const part of [0.3, 0.5, 0.7]) {
        move(canvas, middle(canvas, part));
        await wait(50);
      }
      for (const type of ["out", "leave"]) event(PointerEvent, `pointer${type}`, canvas, 0, 0);
    }
    await press(named("Pause"));
    const words = (of) => of.textContent.trim();
    await press([...document.querySelectorAll("#app .intro button")].find((of) => words(of) === "Play") ?? named("Play"));
    await press(named("Pause"));
    await press(named("Play"));
    document.activeElement?.blur();
    await key(" ");
    await key(" ");
    scrollBy(0, 200);
    await wait(200);
    const all = Object.entries(exports).filter(([name, { value }]) => name.startsWith("called ") && value === 1);
    await fetch("called", { method: "POST", body: all.map(([name]) => name.slice(7)).join("\n") });
  })();
}

let slows = false;
const files = { [program]: () => readFile(watched), "note.js": async () => `(${note})(${slows})` };
const seen = new Set();
let isSeen;
const server = createServer(async (request, response) => {
  const name = decodeURIComponent(new URL(request.url, "http://localhost").pathname.slice(1)) || "index.html";
  if (request.method === "POST") {
    let text = "";
    for await (const part of request) text += part;
    for (const number of text.split("\n")) seen.add(Number(number));
    response.end();
    isSeen();
    return;
  }
  try {
    let content = await (files[name] ?? (() => readFile(join(dist, name))))();
    if (name === "index.html") content = String(content).replace("<script", '<script src="note.js"></script><script');
    response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(content);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

/** Opens the page in a window of that size until it has said what was called. */
async function look({ size, isSlow }) {
  slows = isSlow;
  const profile = mkdtempSync(join(tmpdir(), "switchyard-first-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", `--user-data-dir=${profile}`, `--window-size=${size}`];
  const browser = spawn(chromium, [...flags, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore", detached: true });
  const ended = new Promise((resolve) => browser.once("exit", resolve));
  let timer;
  try {
    await Promise.race([
      new Promise((resolve) => (isSeen = resolve)),
      new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`the page was not live within ${PATIENCE_MS / 1000} s in ${chromium}`)), PATIENCE_MS);
        browser.once("error", reject);
        browser.once("exit", () => reject(new Error(`${chromium} has ended`)));
      }),
    ]);
  } finally {
    clearTimeout(timer);
    // With all of its processes: one that lives on would write into the profile.
    if (browser.exitCode === null) process.kill(-browser.pid, "SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

for (const visit of VISITS) await look(visit);
server.close();
writeFileSync(called, [...seen].sort((a, b) => a - b).join("\n"));
