// How smooth the page is while much comes in: told, and not judged, since machines differ.
//
// With real traces: SWITCHYARD_TRACES=FOLDER node --test tests/e2e/scale.test.mjs

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { browser, emptyFolder, finished, frames, long } from "./browser.mjs";

const { open } = browser();
const traces = process.env.SWITCHYARD_TRACES;
const POLICIES = ["fifo", "sjf", "srtf", "las", "tiresias-las", "tiresias-gittins", "gavel", "fifo[backfill=true]"];

/** Notes from now on how long each frame comes after the last, milliseconds. */
const note = (page) => page.evaluate(() => {
  const apart = (window.apart = []);
  let last = performance.now();
  const frame = (now) => {
    if (apart !== window.apart) return;
    apart.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
});

/** What was noted, in words. */
async function told(page) {
  const apart = (await page.evaluate(() => window.apart)).sort((a, b) => a - b);
  assert.ok(apart.length > 20, `only ${apart.length} frames were painted`);
  const seconds = apart.reduce((sum, of) => sum + of, 0) / 1000;
  const at = (share) => apart[Math.floor(share * (apart.length - 1))].toFixed(0);
  return `${(apart.length / seconds).toFixed(1)} frames a second for ${seconds.toFixed(1)} s; apart: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`;
}

test("frames while eight schedulers run 125,303 jobs, and while these are played", { skip: !traces && "no SWITCHYARD_TRACES" }, async (t) => {
  const page = await open(t, "index.html#v=1&view=yard&t=0&run=fifo", { viewport: { width: 1440, height: 900 } });
  await finished(page, 1);
  await page.getByTestId("file-picker").setInputFiles(join(traces, "helios-venus/helios_trace.csv"));
  await page.getByText("helios_trace.csv: 125,303 of 125,303 rows kept").waitFor();
  await finished(page, 1, 60_000);
  await page.evaluate((policies) => {
    const runs = policies.map((policy) => `&run=${policy}`).join("");
    location.hash = location.hash.replace(/&run=[^&]*/g, "") + runs;
  }, POLICIES);
  await note(page);
  await finished(page, POLICIES.length, 300_000);
  t.diagnostic(`while they run: ${await told(page)}`);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await note(page);
  await page.waitForTimeout(4000);
  t.diagnostic(`while they are played: ${await told(page)}`);
});

/** Notes the page's programs as they come, for their memory. */
const noteProgram = (page) => page.addInitScript(() => {
  window.programs = [];
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const make = WebAssembly[name];
    WebAssembly[name] = async (...given) => {
      const made = await make.apply(WebAssembly, given);
      window.programs.push(made.instance ?? made);
      return made;
    };
  }
});

/** What the page's program and its scripts hold, MB, once what nobody holds is gone. */
async function held(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  const program = await page.evaluate(() => Math.max(...window.programs.map((of) => of.exports.memory?.buffer.byteLength ?? 0)));
  return { scripts: usedSize / 1e6, program: program / 1e6 };
}

/** How long the longest task was while `act` went on, milliseconds. */
async function longest(page, act) {
  await page.evaluate(() => {
    window.tasks = [0];
    window.observer ??= new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => window.tasks.push(duration)));
    window.observer.observe({ type: "longtask" });
  });
  await act();
  await page.waitForTimeout(300);
  return page.evaluate(() => Math.round(Math.max(...window.tasks)));
}

/** A trace of so many jobs for 16,384 GPUs, which take 87 of 100 of them: gangs of 1 to 512, more by day. */
function* million(jobs) {
  let state = 20261130;
  const draw = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
  const gangs = [[0.58, 1], [0.68, 2], [0.77, 4], [0.9, 8], [0.95, 16], [0.975, 32], [0.99, 64], [0.996, 128], [0.9987, 256], [1, 512]];
  const told = Array.from({ length: jobs }, () => {
    const at = draw();
    const [, gpus] = gangs.find(([share]) => at < share);
    return { gpus, duration: Math.round(Math.min(Math.max(1500 * Math.exp(1.6 * normal()), 10), 172_800)) };
  });
  const span = told.reduce((sum, { gpus, duration }) => sum + gpus * duration, 0) / (16_384 * 0.87);
  const times = Array.from({ length: jobs }, () => draw() * span).map((t) => t + 5500 * (1 + Math.sin((2 * Math.PI * t) / 86_400)));
  times.sort((a, b) => a - b);
  yield "#switchyard 1\n#title A million jobs\n#cluster 2048x8\n#policy fifo[backfill=true]\njob,submit,duration,gpus,tenant\n";
  for (const [i, { gpus, duration }] of told.entries()) {
    yield `j${i},${(times[i] - times[0]).toFixed(1)},${duration},${gpus},team-${Math.floor(16 * draw() ** 2)}\n`;
  }
}

test("a million jobs on 16,384 GPUs: opened, run, played, drawn and sorted", long, async (t) => {
  const file = join(emptyFolder(t), "million.csv");
  writeFileSync(file, [...million(1_000_000)].join(""));
  const page = await open(t, "index.html", { viewport: { width: 1440, height: 900 }, before: noteProgram });
  await finished(page, 2);
  await page.getByTestId("file-picker").setInputFiles(file);
  await page.getByText("million.csv: 1,000,000 of 1,000,000 rows kept").waitFor({ timeout: 120_000 });
  await finished(page, 1, 240_000);
  t.diagnostic(`one run: ${JSON.stringify(await held(page))}`);
  await page.evaluate(() => (location.hash = `${location.hash}&run=gavel`));
  await note(page);
  await finished(page, 2, 240_000);
  t.diagnostic(`while the second runs: ${await told(page)}`);
  t.diagnostic(`two runs: ${JSON.stringify(await held(page))}`);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await note(page);
  await page.waitForTimeout(4000);
  t.diagnostic(`while two are played: ${await told(page)}`);
  await page.keyboard.press("Space");
  const show = (view) => page.locator(`#tab-${view}`).click();
  for (const [view, wait] of [["timeline", 8000], ["compare", 6000], ["jobs", 2000]]) {
    const ms = await longest(page, async () => {
      await show(view);
      await page.waitForTimeout(wait);
    });
    t.diagnostic(`${view}: longest task ${ms} ms`);
  }
  const sort = await longest(page, async () => {
    await page.getByRole("columnheader", { name: "Duration" }).getByRole("button").click();
    await page.getByRole("columnheader", { name: "Duration" }).and(page.locator("[aria-sort=ascending]")).waitFor({ timeout: 60_000 });
  });
  t.diagnostic(`sorted by duration: longest task ${sort} ms`);
  assert.ok(sort < 1500, `sorting takes ${sort} ms`);
  await page.locator(".rail").getByText("A million jobs").or(page.locator("header", { hasText: "A million jobs" })).first().waitFor();
});

test("eight runs of a million jobs on 16,384 GPUs, played and looked through", long, async (t) => {
  const file = join(emptyFolder(t), "million.csv");
  writeFileSync(file, [...million(1_000_000)].join(""));
  const page = await open(t, "index.html", { viewport: { width: 1440, height: 900 }, before: noteProgram, most: 40 * 60_000 });
  await finished(page, 2);
  await page.getByTestId("file-picker").setInputFiles(file);
  await page.getByText("million.csv: 1,000,000 of 1,000,000 rows kept").waitFor({ timeout: 120_000 });
  await finished(page, 1, 240_000);
  await page.evaluate((policies) => {
    const runs = policies.map((policy) => `&run=${policy}`).join("");
    location.hash = `${location.hash.replace(/&run=[^&]*/g, "")}${runs}&log-budget=3000`;
  }, POLICIES);
  await note(page);
  await finished(page, POLICIES.length, 30 * 60_000);
  t.diagnostic(`while they run: ${await told(page)}`);
  t.diagnostic(`eight runs: ${JSON.stringify(await held(page))}`);
  t.diagnostic(`script of a frame while all are played: ${await frames(page)}`);
  for (const [view, wait] of [["timeline", 15_000], ["compare", 15_000], ["jobs", 5000]]) {
    const ms = await longest(page, async () => {
      await page.locator(`#tab-${view}`).click();
      await page.waitForTimeout(wait);
    });
    t.diagnostic(`${view}: longest task ${ms} ms`);
    if (view === "timeline") t.diagnostic(`script of a frame of it: ${await frames(page)}`);
  }
  t.diagnostic(`after all views: ${JSON.stringify(await held(page))}`);
});

// SWITCHYARD_MINUTES=60 for an hour.
test("a page that is left playing does not grow", long, async (t) => {
  const minutes = Number(process.env.SWITCHYARD_MINUTES ?? 10);
  const page = await open(t, "index.html#v=1&sample=lab&view=yard&t=0&speed=1000&run=fifo&run=tiresias-las", { before: noteProgram, most: (minutes + 15) * 60_000 });
  await finished(page, 2);
  // The page itself begins again: what a test asks of it stays in its memory.
  await page.evaluate(() => setInterval(() => {
    const { page } = switchyardEmbed;
    if (page.look().playing) return;
    page.seek(0);
    page.play();
  }, 5000));
  const seen = [];
  for (let minute = 0; minute <= minutes; minute += 5) {
    await page.waitForTimeout(5 * 60_000);
    const { scripts, program } = await held(page);
    seen.push({ scripts, program });
    t.diagnostic(`scripts ${scripts.toFixed(1)} MB, program ${program.toFixed(1)} MB`);
  }
  const [first, last] = [seen[1], seen.at(-1)];
  assert.ok(last.scripts < first.scripts * 1.1 + 1, `scripts: ${first.scripts} to ${last.scripts} MB`);
  assert.ok(last.program <= first.program * 1.05, `program: ${first.program} to ${last.program} MB`);
});
