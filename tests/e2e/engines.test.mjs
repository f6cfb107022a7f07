// The page in Firefox and in WebKit, with a real trace where there is one: every view draws, every
// plain control answers, nothing goes wrong and nothing is cut off. And there, too, the element for articles
// and the module for code.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { dist } from "./browser.mjs";
import { engines } from "./engines.mjs";
import { serve } from "./server.mjs";

const traces = process.env.SWITCHYARD_TRACES;
const trace = traces
  ? join(traces, "helios-venus/helios_trace.csv")
  : fileURLToPath(new URL("../fixtures/helios_converted.csv", import.meta.url));
const out = fileURLToPath(new URL("out", import.meta.url));

const figure = (id, more) => `<switchyard-view id="${id}" src="three-jobs" t="3" speed="1" ${more} style="height: 240px"></switchyard-view>`;
const ARTICLE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>An article</title><main>
  ${figure("a", 'policy="fifo srtf" group="g" controls caption="Three jobs"')}${figure("b", 'policy="fifo srtf" group="g"')}</main>
  <script type="module" src="view.js"></script></html>`;

let server;
before(async () => {
  mkdirSync(out, { recursive: true });
  server = await serve(dist, "/some/sub/path/", { pages: { "article.html": ARTICLE } });
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
  if (!view) return false;
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
    for (const opened of [false, true]) {
      if (opened) {
        // What was pressed may have opened other jobs, and may yet.
        await page.evaluate(dropFile, [trace.split("/").at(-1), readFileSync(trace).toString("base64")]);
        await until(page, "the trace is open", () => document.querySelector("header .facts").textContent.includes("Helios"));
        await until(page, "the trace has run", finished, 2);
        t.diagnostic(await page.evaluate(() => document.querySelector("header .facts").textContent));
      }
      for (const view of ["yard", "timeline", "compare", "jobs", "queues", "start", "sweep", "goodput", "fragmentation"]) {
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

/** Notes what elements tell, from before their first word: their script is a module, and frames load for long. */
function heed() {
  globalThis.noted = [];
  for (const name of ["ready", "time", "select", "done", "goal", "error"]) addEventListener(name, ({ target, detail }) => target?.id && noted.push([target.id, name, detail]), true);
}

const told = (id, name) => noted.some(([of, what]) => of === id && what === name);
const later = (id, t) => noted.some(([of, what, detail]) => of === id && what === "time" && detail.playing && detail.t > t);
const workersOf = () => {
  const { tasks, places } = document.querySelector("iframe[name=switchyard-workers]").contentWindow.switchyardSharing;
  return { tasks: tasks.size, places: places.size, lines: [...tasks.values()].reduce((sum, { lines }) => sum + lines.size, 0) };
};

for (const [name, engine] of Object.entries(engines)) {
  test(`figures in an article work in ${name}, on one clock and with workers in common`, { skip: engine.missing }, async (t) => {
    const page = await engine.open(t, `${server.url}article.html`, { width: 900, height: 900 });
    await page.evaluate(listen);
    await page.evaluate(heed);
    // Whoever has told before that is asked.
    for (const id of ["a", "b"]) {
      const summary = await page.evaluate((id) => customElements.whenDefined("switchyard-view").then(() => document.getElementById(id).summary()), id);
      assert.deepEqual(summary.runs.map(({ policy }) => policy), ["fifo", "srtf"]);
    }
    await page.evaluate(() => document.getElementById("a").seek(5));
    await until(page, "a moment is sought in both", () => ["a", "b"].every((id) => noted.some(([of, what, detail]) => of === id && what === "time" && detail.t === 5)));
    await page.evaluate(() => void document.getElementById("b").play());
    for (const id of ["a", "b"]) await until(page, `${id} plays`, later, id, 5);
    await page.evaluate(() => document.getElementById("a").pause());
    await page.evaluate(() => document.getElementById("b").select("J2"));
    await until(page, "the chosen job is told", told, "b", "select");
    await page.evaluate(() => document.getElementById("a").goal("late", "t >= 6 and mean(srtf) <= mean(fifo)") && undefined);
    await page.evaluate(() => document.getElementById("a").seek(7));
    await until(page, "a goal is reached", told, "a", "goal");
    writeFileSync(join(out, `${name.toLowerCase()}-article.png`), await page.screenshot());
    // One trace, two runs; each figure's page has a line to all three.
    const { tasks, places, lines } = await page.evaluate(workersOf);
    assert.deepEqual([tasks, lines], [3, 6]);
    assert.ok(places <= 8, `${places} workers`);
    assert.ok(await page.evaluate(() => document.getElementById("a").picture().then((picture) => picture.width > 100)));
    // Who goes lets go of them.
    await page.evaluate(() => document.getElementById("b").remove());
    await until(page, "the other's lines are closed", () => {
      const { tasks } = document.querySelector("iframe[name=switchyard-workers]").contentWindow.switchyardSharing;
      return [...tasks.values()].every(({ lines }) => lines.size === 1);
    });
    const other = await page.evaluate(() => document.getElementById("a").run({ policy: "fewest-gpus", cluster: "1x4" }));
    assert.deepEqual([other.runs[0].policy, other.cluster.spec], ["fewest-gpus", "1x4"]);
    assert.deepEqual(await page.evaluate(() => [...wrong, ...noted.filter(([, what]) => what === "error").map(([, , { message }]) => message)]), []);
  });

  test(`the module runs in ${name}, bit for bit as in Node`, { skip: engine.missing }, async (t) => {
    const { open, run } = await import(pathToFileURL(join(dist, "module/switchyard.js")).href);
    const options = { policies: ["srtf", "tiresias-las"], seed: 7 };
    const trace = await open("sample:lab");
    t.after(() => trace.close());
    const here = await run(trace, options);
    const page = await engine.open(t, `${server.url}article.html`, { width: 900, height: 700 });
    const there = await page.evaluate(async (options) => {
      const { open, run } = await import(new URL("module/switchyard.js", location).href);
      const trace = await open("sample:lab");
      const shares = [];
      const { runs } = await run(trace, { ...options, onProgress: (progress) => shares.push(JSON.stringify(progress)) });
      const gone = new AbortController();
      const aborted = run(trace, { ...options, signal: gone.signal }).catch(({ name }) => name);
      gone.abort();
      const why = await aborted;
      const again = await run(trace, { policies: "fifo" });
      const functions = await run(trace, { policies: ["fewest-gpus", { key(job) { return job.gpus; } }] });
      const wrong = {
        key: (job) =>
          job.gpus + around,
      };
      const { message } = await run(trace, { policies: wrong }).catch((error) => error);
      trace.close();
      return { functions: functions.runs.map(({ log_hash }) => log_hash), message, hashes: runs.map(({ log_hash }) => log_hash), isTyped: runs[0].columns.jct_s instanceof Float64Array, told: shares.length, why, again: again.runs[0].policy };
    }, options);
    assert.deepEqual(there.hashes, here.runs.map(({ log_hash }) => log_hash));
    assert.deepEqual([there.isTyped, there.why, there.again], [true, "AbortError", "fifo"]);
    assert.ok(there.told > 0, "progress is told");
    assert.equal(there.functions[1], there.functions[0]);
    assert.match(there.message, /^key ends at 0 s: line 2: job 'lab-000': ReferenceError: .*around/);
  });
}
