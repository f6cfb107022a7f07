// How smooth the page is while much comes in: told, and not judged, since machines differ.
//
// With real traces: SWITCHYARD_TRACES=FOLDER node --test tests/e2e/scale.test.mjs

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { browser, finished } from "./browser.mjs";

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
