// The page in Firefox and in WebKit, with a real trace where there is one: every view draws, every
// plain control answers, nothing goes wrong and nothing is cut off.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { dist } from "./browser.mjs";
import { engines } from "./engines.mjs";
import { serve } from "./server.mjs";

const traces = process.env.SWITCHYARD_TRACES;
const trace = traces
  ? join(traces, "helios-venus/helios_trace.csv")
  : fileURLToPath(new URL("../fixtures/helios_converted.csv", import.meta.url));
const out = fileURLToPath(new URL("out", import.meta.url));

let server;
before(async () => {
  mkdirSync(out, { recursive: true });
  server = await serve(dist);
});
after(() => server.close());

/** Waits until a function holds in the page. */
async function until(page, what, holds, ...args) {
  for (let turn = 0; turn < 600; turn += 1) {
    if (await page.evaluate(holds, ...args)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const wrong = await page.evaluate(() => globalThis.wrong);
  const text = await page.evaluate(() => document.querySelector("main").innerText);
  assert.fail(`it never comes that ${what}\n${wrong}\n${text}`);
}

const finished = (runs) => document.querySelectorAll("[data-status=done]").length === runs;

/** Collects what goes wrong from now on. */
function listen() {
  globalThis.wrong = [];
  addEventListener("error", ({ message }) => wrong.push(message));
  addEventListener("unhandledrejection", ({ reason }) => wrong.push(String(reason)));
  const { error } = console;
  console.error = (...words) => {
    wrong.push(words.join(" "));
    error(...words);
  };
}

/** Whether something is shown: a canvas that is painted, a plot, rows of a table, or a form to begin with. */
function isDrawn() {
  const view = document.querySelector("[role=tabpanel]");
  const canvases = [...view.querySelectorAll("canvas")].filter((canvas) => canvas.clientWidth > 0);
  const isPainted = (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return seen.size > 2;
  };
  const hasForm = view.querySelector("form [type=submit]") !== null;
  return hasForm || canvases.some(isPainted) || view.querySelectorAll("svg :is(path, polyline, line, circle), [role=row], tr").length > 1;
}

/** What is wider than where it stands: the page, and what is painted up to a yard's right edge. */
function cutOff() {
  const cut = document.documentElement.scrollWidth > innerWidth ? ["the page"] : [];
  for (const canvas of document.querySelectorAll(".yard canvas")) {
    const edge = Math.round(3 * devicePixelRatio);
    const { data } = canvas.getContext("2d").getImageData(canvas.width - edge, 0, edge, canvas.height);
    const pixels = new Uint32Array(data.buffer);
    if (pixels.some((pixel) => pixel !== pixels[0])) cut.push("what a yard shows");
  }
  return cut;
}

async function dropFile([name, text]) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer }));
}

/** Uses every plain control of the view once, but for those that save a file: each takes room of WebKit's window. */
async function pressAll() {
  for (const control of document.querySelectorAll("[role=tabpanel] :is(button, summary)")) {
    const saves = /PNG|SVG|CSV|JSON/.test(`${control.textContent} ${control.ariaLabel} ${control.title}`);
    if (control.isConnected && !control.disabled && !saves) control.click();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

for (const [name, engine] of Object.entries(engines)) {
  test(`every view works in ${name}`, { skip: engine.missing }, async (t) => {
    const address = `${server.url}index.html#v=1&t=20000&run=fifo&run=tiresias-las`;
    const page = await engine.open(t, address, { width: 1280, height: 860 });
    await page.evaluate(listen);
    await until(page, "the sample has run", finished, 2);
    const before = await page.evaluate(() => document.querySelector("header .facts").textContent);
    for (const opened of [false, true]) {
      if (opened) {
        await page.evaluate(dropFile, [trace.split("/").at(-1), readFileSync(trace).toString("base64")]);
        await until(page, "the trace is open", (before) => document.querySelector("header .facts").textContent !== before, before);
        await until(page, "the trace has run", finished, 2);
        t.diagnostic(await page.evaluate(() => document.querySelector("header .facts").textContent));
      }
      for (const view of ["yard", "timeline", "compare", "jobs", "queues", "sweep", "goodput", "fragmentation"]) {
        await page.evaluate((view) => document.getElementById(`tab-${view}`).click(), view);
        await until(page, `${view} is drawn`, isDrawn);
        writeFileSync(join(out, `${name.toLowerCase()}-${view}${opened ? "-trace" : ""}.png`), await page.screenshot());
        assert.deepEqual(await page.evaluate(cutOff), [], view);
        if (!opened) await page.evaluate(pressAll);
      }
    }
    assert.deepEqual(await page.evaluate(() => wrong), []);
  });
}
