// A policy's queues: the lanes and what can be played with, the inspector's account of them, and
// the guide through three jobs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, finished, frames, long, screenshot } from "./browser.mjs";

const { open } = browser();

const words = (page) => page.getByRole("list", { name: "The queues in words" }).getByRole("listitem").allTextContents();
const lanes = (page) => page.locator(".lanes canvas");
const toy = "index.html#v=1&sample=three-jobs&run=tiresias-las[thresholds=4]&view=queues&t=7";

/** The colours on a canvas in a rectangle of CSS pixels, by how often they are there. */
function colours(canvas, x, y, w, h) {
  return canvas.evaluate((canvas, [x, y, w, h]) => {
    const { data } = canvas.getContext("2d").getImageData(x, y, w, h);
    const seen = {};
    for (let i = 0; i < data.length; i += 4) {
      const colour = `${data[i]},${data[i + 1]},${data[i + 2]}`;
      seen[colour] = (seen[colour] ?? 0) + 1;
    }
    return seen;
  }, [x, y, w, h]);
}

/** Places on a canvas, in CSS pixels 8 apart, where something is drawn. */
const drawnAt = (canvas) =>
  canvas.evaluate((canvas) => {
    const { width, height } = canvas.getBoundingClientRect();
    const scale = canvas.width / width;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colour = (x, y) => {
      const at = 4 * (Math.round(y * scale) * canvas.width + Math.round(x * scale));
      return data.slice(at, at + 3).join();
    };
    const places = [];
    for (let y = 8; y < height; y += 8) for (let x = 8; x < width; x += 8) places.push([x, y, colour(x, y)]);
    const counts = Map.groupBy(places, ([, , colour]) => colour);
    const ground = [...counts].reduce((most, next) => (next[1].length > most[1].length ? next : most))[0];
    return places.filter(([, , colour]) => colour !== ground);
  });

/** The places on the lanes under which a job's tooltip is found, one for each job. */
async function chips(page) {
  const { x, y } = await lanes(page).boundingBox();
  const found = new Map();
  for (const [across, down] of await drawnAt(lanes(page))) {
    await page.mouse.move(x + across, y + down);
    const text = await page.locator("#tooltip").textContent();
    const [name] = text.split("\n");
    if (/^J\d$/.test(name) && !found.has(name)) found.set(name, { x: x + across, y: y + down, text });
  }
  return found;
}

test("jobs stand in the lanes by attained service", async (t) => {
  const page = await open(t, toy, { viewport: { width: 900, height: 560 } });
  await finished(page, 1);
  await page.waitForTimeout(400);
  assert.deepEqual(await words(page), [
    "queue 1 of 2: from 0 GPU·s to 4 GPU·s: 1 running",
    "queue 2 of 2: from 4 GPU·s on: 1 waiting",
  ]);
  const found = await chips(page);
  assert.deepEqual([...found.keys()].sort(), ["J2", "J3"]);
  assert.match(found.get("J3").text, /queue 1 of 2: 2 GPU·s of 4 GPU·s/);
  assert.match(found.get("J2").text, /queue 2 of 2, the last: 4 GPU·s/);
  assert.ok(found.get("J2").y > found.get("J3").y && found.get("J2").x < found.get("J3").x);
  // A click chooses.
  await page.mouse.click(found.get("J2").x, found.get("J2").y);
  await page.getByRole("region", { name: "Job J2" }).waitFor();
  const bar = page.locator(".service-bar");
  await bar.waitFor();
  assert.match(await bar.getAttribute("aria-label"), /queue 2 of 2, the last: 4 GPU·s/);
  await page.getByText("the jobs before it leave 0").waitFor();
  await screenshot(page, "queues-toy");
});

test("a change in the playground runs at once, and a value out of range is answered in place", async (t) => {
  const page = await open(t, toy);
  await finished(page, 1);
  const form = page.getByRole("form", { name: "Queues of Tiresias 2D-LAS" });
  const card = (spec) => page.getByRole("button", { name: `Run ${spec}`, exact: true });
  const threshold = (i) => form.getByLabel(`Threshold between queue ${i} and ${i + 1}, GPU·s`);
  await form.getByText("mean JCT 10 s").waitFor();

  await threshold(1).fill("8");
  await threshold(1).press("Enter");
  await card("Tiresias 2D-LAS (thresholds=8)").waitFor();
  await form.getByText("mean JCT 9.33 s").waitFor();

  await form.getByRole("button", { name: "One queue more" }).click();
  await card("Tiresias 2D-LAS (thresholds=8:16)").waitFor();
  await threshold(2).fill("soon");
  await threshold(2).press("Enter");
  const alert = form.getByRole("alert");
  assert.match(await alert.textContent(), /'8:soon' is no value for 'thresholds', which takes ascending positive numbers/);
  assert.equal(await threshold(2).inputValue(), "soon");
  assert.equal(await threshold(2).getAttribute("aria-invalid"), "true");
  await threshold(2).fill("3");
  await threshold(2).press("Enter");
  assert.match(await alert.textContent(), /'8:3' is no value/);
  await threshold(2).fill("12");
  await threshold(2).press("Enter");
  await alert.waitFor({ state: "detached" });
  await card("Tiresias 2D-LAS (thresholds=8:12)").waitFor();
  assert.equal((await words(page)).length, 3);

  await form.getByRole("slider", { name: "Threshold between queue 1 and 2, slider" }).press("ArrowLeft");
  await card("Tiresias 2D-LAS (thresholds=8:12)").waitFor({ state: "detached" });
  await form.getByRole("button", { name: "Remove the threshold between queue 1 and 2" }).click();
  await page.getByRole("button", { name: /^Run Tiresias 2D-LAS \((queues=2, )?thresholds=12\)$/ }).waitFor();
  await form.getByLabel("Promotion knob").fill("-1");
  await form.getByLabel("Promotion knob").press("Enter");
  assert.match(await alert.textContent(), /'-1' is no value for 'knob'/);
  await form.getByLabel("Promotion knob").fill("2");
  await form.getByLabel("Promotion knob").press("Enter");
  await page.waitForFunction(() => /knob=2/.test(decodeURIComponent(location.hash)));
  await form.getByRole("button", { name: "One queue fewer" }).click();
  await page.waitForFunction(() => /queues=1/.test(decodeURIComponent(location.hash)));
  assert.equal((await words(page)).length, 1);
});

test("a demoted job glides to its lane, and jumps where less motion is asked for", async (t) => {
  for (const reducedMotion of ["no-preference", "reduce"]) {
    const page = await open(t, toy.replace("t=7", "t=2"), { viewport: { width: 900, height: 560 }, reducedMotion });
    await finished(page, 1);
    await page.waitForTimeout(500);
    // The pictures between J2's place above and its place below, frame by frame.
    const pictures = await page.evaluate(async () => {
      const canvas = document.querySelector(".lanes canvas");
      const picture = () => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let hash = 0;
        for (let i = 0; i < data.length; i += 4) hash = (hash * 31 + data[i] * 3 + data[i + 1] * 5 + data[i + 2]) | 0;
        return hash;
      };
      const seen = new Set([picture()]);
      dispatchEvent(new KeyboardEvent("keydown", { key: "." }));
      for (let i = 0; i < 40; i += 1) {
        await new Promise(requestAnimationFrame);
        seen.add(picture());
      }
      return seen.size;
    });
    if (reducedMotion === "reduce") assert.equal(pictures, 2);
    else assert.ok(pictures > 4, `${pictures} pictures`);
  }
});

test("thousands of jobs are counted, and a frame stays short", async (t) => {
  const page = await open(t, "index.html#v=1&sample=fleet&cluster=36x8&run=tiresias-las&view=queues&t=900000&speed=3600");
  await finished(page, 1);
  const took = await frames(page);
  t.diagnostic(`${(await words(page)).join("; ")}`);
  t.diagnostic(took);
  const { width, height } = await lanes(page).boundingBox();
  assert.ok(Object.keys(await colours(lanes(page), 0, 0, width | 0, height | 0)).length > 4);
  await screenshot(page, "queues-fleet");
});

test("without queues the view has no tab, and says how to get queues", async (t) => {
  const page = await open(t, "index.html#v=1&run=fifo&t=0");
  await finished(page, 1);
  assert.equal(await page.getByRole("tab", { name: "Queues" }).count(), 0);
  await page.keyboard.press("5");
  await page.getByRole("button", { name: "Add Tiresias 2D-LAS" }).click();
  await lanes(page).waitFor();
});

test("the guide walks through three jobs, by keyboard", async (t) => {
  const page = await open(t, "index.html#v=1&t=0");
  await finished(page, 2);
  await page.getByRole("button", { name: "Three jobs, step by step" }).press("Enter");
  const guide = page.getByRole("region", { name: "Guide: three jobs" });
  await guide.waitFor();
  assert.ok(await guide.evaluate((guide) => guide.contains(document.activeElement)));
  await page.locator("header .facts").getByText("Three jobs").waitFor();
  await finished(page, 3);
  const next = guide.getByRole("button", { name: "Next" });
  await guide.getByText("1 of 5").waitFor();
  await next.press("Enter");
  await guide.getByText("2 of 5").waitFor();
  await page.locator("[data-testid=clock]", { hasText: "00:00:07" }).waitFor();
  await next.press("Enter");
  await lanes(page).waitFor();
  await next.press("Enter");
  const inspector = page.getByRole("region", { name: "Job J2" });
  await inspector.waitFor();
  await inspector.locator("figure.plot", { hasText: "Gittins index" }).waitFor();
  await inspector.locator("figure.plot", { hasText: "Service of 3 jobs it learned from" }).waitFor();
  await inspector.getByText("its GPUs went to").first().waitFor();
  await next.press("Enter");
  const means = page.getByRole("table").first().locator("tbody");
  assert.match(await means.textContent(), /9\.33 s.*10 s.*11\.7 s/);
  await page.keyboard.press("Escape");
  await guide.waitFor({ state: "detached" });
});

for (const scheme of ["light", "dark"]) {
  for (const width of [390, 1280]) {
    const isOften = (scheme === "light") === (width === 390);
    test(`queues, inspector and guide in ${scheme}, ${width} px wide: accessible, nothing cut off`, isOften ? {} : long, async (t) => {
      const viewport = { width, height: width === 390 ? 844 : 860 };
      const page = await open(t, "index.html#v=1&t=30000&view=queues&run=fifo&run=tiresias-las&run=tiresias-las[queues=5,thresholds=600:3600:14400:57600]", { viewport, colorScheme: scheme });
      await finished(page, 3);
      const check = async (what) => {
        await page.waitForTimeout(400);
        assert.deepEqual(await accessibilityProblems(page), [], what);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${what} is ${overflow} px too wide`);
        await screenshot(page, `${what}-${scheme}-${width}`);
      };
      await check("queues");
      if (width === 390) await page.getByRole("button", { name: /Trace, schedulers and cluster/ }).first().click();
      await page.getByRole("button", { name: "Three jobs, step by step" }).click();
      await page.getByRole("button", { name: "Open the guide" }).click();
      const next = page.getByRole("region", { name: "Guide: three jobs" }).getByRole("button", { name: "Next" });
      await page.locator(`[aria-label="Run SRSF (oracle)"]`).waitFor({ state: "attached" });
      await finished(page, 3);
      for (let step = 1; step < 5; step += 1) {
        await check(`guide-${step}`);
        await next.click();
      }
      await check("guide-5");
    });
  }
}
