// The page as a visitor uses it: the sample at once, a trace of one's own, comparing, exporting,
// links, bad files, keys, and no request once it is loaded.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessibilityProblems, browser, finished, frames, long, screenshot } from "./browser.mjs";

const { open } = browser();
const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));
const fixture = (name) => join(fixtures, name);

async function openFiles(page, ...names) {
  await page.getByTestId("file-picker").setInputFiles(names.map(fixture));
}

async function add(page, policy) {
  await page.getByLabel("Add a scheduler").selectOption(policy);
}

/** The results as the Export menu saves them. */
async function results(page) {
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Metrics as JSON" }).click();
  const text = readFileSync(await (await download).path(), "utf8");
  await page.keyboard.press("Escape");
  return JSON.parse(text);
}

/** Whether anything but background is painted on a canvas. */
function isPainted(canvas) {
  return canvas.evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return seen.size > 4;
  });
}

test("a visitor sees the sample at work without touching anything", async (t) => {
  const page = await open(t, "index.html");
  await finished(page, 2);
  assert.equal(await page.locator(".yard").count(), 2);
  for (const yard of await page.locator(".yard canvas").all()) assert.ok(await isPainted(yard));
  const clock = page.getByTestId("clock");
  const before = await clock.textContent();
  await page.waitForFunction((before) => document.querySelector("[data-testid=clock]").textContent !== before, before);
  t.diagnostic(`first picture ${await page.evaluate(() => Math.round(switchyardFirstPicture))} ms after navigation`);
});

test("phone and desktop show what this is, one question, and Play", async (t) => {
  for (const viewport of [{ width: 390, height: 844 }, { width: 1440, height: 900 }]) {
    const page = await open(t, "index.html", { viewport });
    await finished(page, 2);
    const intro = page.getByRole("region", { name: "What this is" });
    await intro.getByText("Switchyard replays the jobs of a GPU cluster under different schedulers.").waitFor();
    await intro.getByText("FIFO and Tiresias 2D-LAS run the same 240 jobs on the same 32 GPUs: which finishes them sooner, and why?").waitFor();
    for (const name of ["Play", "Compare them", "Step by step"]) {
      const { x, y, width, height } = await intro.getByRole("button", { name }).boundingBox();
      assert.ok(x >= 0 && x + width <= viewport.width && y >= 0 && y + height <= viewport.height, name);
    }
    await intro.getByRole("button", { name: "Compare them" }).click();
    await page.getByRole("region", { name: "Headline of the runs" }).waitFor();
    await intro.getByRole("button", { name: "Close this introduction" }).click();
    await intro.waitFor({ state: "detached" });
    await page.close();
  }
  const linked = await open(t, "index.html#v=1&run=srtf");
  await finished(linked, 1);
  assert.equal(await linked.getByRole("region", { name: "What this is" }).count(), 0);
});

test("a trace of one's own: three schedulers, scrub, compare, choose a job", async (t) => {
  const page = await open(t, "index.html#v=1&t=0");
  await openFiles(page, "tiresias.csv", "tiresias_cluster.csv");
  await page.getByTestId("import-report").waitFor();
  await add(page, "srtf");
  await finished(page, 3);
  assert.match(await page.locator("header .facts").textContent(), /Tiresias/);

  const strip = page.locator("canvas.strip");
  const { x, y, width, height } = await strip.boundingBox();
  const before = await page.getByTestId("clock").textContent();
  await page.mouse.click(x + width / 2, y + height / 2);
  await page.waitForFunction((before) => document.querySelector("[data-testid=clock]").textContent !== before, before);

  await page.getByRole("tab", { name: "Compare" }).click();
  const table = page.getByRole("table").first();
  await table.waitFor();
  assert.match(await table.textContent(), /Mean JCT/);
  const { runs } = await results(page);
  assert.deepEqual(runs.map((run) => run.policy), ["fifo", "tiresias-las", "srtf"]);
  assert.ok(runs.every((run) => run.finished + run.rejected === run.jobs && run.jct.mean > 0));

  await page.getByRole("tab", { name: "Jobs" }).click();
  await page.locator("[role=row], tbody tr").nth(1).click();
  await page.getByText("Why, at the clock's time").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Why, at the clock's time").waitFor({ state: "detached" });
});

test("everything that can be exported is a file of its kind", async (t) => {
  const page = await open(t, "index.html#v=1&t=0");
  await finished(page, 2);
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const save = async (button) => {
    const download = page.waitForEvent("download");
    await button.click();
    const bytes = readFileSync(await (await download).path());
    // Chromium drops the eleventh download of a page within a second.
    await page.waitForTimeout(120);
    return bytes;
  };
  const panel = page.locator("#export-panel");
  const csv = (await save(panel.getByRole("button", { name: "Jobs as CSV" }))).toString();
  assert.equal(csv.trim().split("\n").length, 1 + 2 * 240);
  for (const button of await panel.getByRole("button", { name: /as Chrome trace$/ }).all()) {
    const { traceEvents } = JSON.parse(await save(button));
    assert.ok(traceEvents.filter((event) => event.ph === "X").length >= 240);
  }
  const charts = await panel.getByRole("button", { name: /as SVG$/ }).all();
  assert.ok(charts.length >= 4);
  for (const button of charts) assert.match((await save(button)).toString(), /^<svg [\s\S]*<\/svg>\s*$/);
  for (const button of await panel.getByRole("button", { name: /as PNG$/ }).all()) {
    assert.deepEqual([...(await save(button)).subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  }
});

test("a link brings back view and settings", async (t) => {
  const page = await open(t, "index.html");
  await finished(page, 2);
  await add(page, "srsf");
  await finished(page, 3);
  await page.keyboard.press(" ");
  await page.keyboard.press("3");
  await page.keyboard.press("c");
  await page.waitForFunction(() => /view=compare/.test(location.hash) && /colour=model/.test(location.hash) && /run=srsf/.test(location.hash));
  await page.waitForTimeout(1000);
  const hash = new URL(page.url()).hash;
  const first = await results(page);
  await page.reload();
  await finished(page, 3);
  assert.equal(await page.getByRole("tab", { name: "Compare" }).getAttribute("aria-selected"), "true");
  assert.deepEqual((await results(page)).runs.map((run) => run.log_hash), first.runs.map((run) => run.log_hash));
  const param = (name) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get(name);
  assert.equal(param("t"), new URLSearchParams(hash.slice(1)).get("t"));
});

test("every malformed file is refused in words, and what is open stays open", async (t) => {
  const page = await open(t, "index.html#v=1&t=0");
  await finished(page, 2);
  const facts = await page.locator("header .facts").textContent();
  for (const name of readdirSync(fixtures).filter((name) => name.startsWith("bad_"))) {
    await openFiles(page, name);
    await page.locator(".busy").waitFor({ state: "detached" });
    const refusal = page.locator(".refusal > p");
    const report = page.getByTestId("import-report");
    await refusal.or(report).first().waitFor();
    if (await refusal.count()) {
      // Of a table, one is asked which column is which.
      await page.keyboard.press("Escape");
      const text = await refusal.textContent();
      assert.ok(text.length > 30, `${name}: ${text}`);
      t.diagnostic(`${name}: ${text}`);
      assert.equal(await page.locator("header .facts").textContent(), facts, name);
      // Read, so that the next answer is the next file's.
      await page.locator(".refusal").getByRole("button", { name: "Dismiss" }).click();
      await refusal.waitFor({ state: "detached" });
    } else {
      // Some have good rows beside the bad ones: those are kept, and the others accounted for.
      t.diagnostic(`${name}: ${await report.locator("summary").first().textContent()}`);
      assert.ok((await report.locator("li").count()) > 0, name);
      await page.getByLabel("Sample").selectOption("lab");
      await report.waitFor({ state: "detached" });
      await finished(page, 2);
    }
  }
});

test("runs can be edited, cancelled and removed", async (t) => {
  // The first takes long enough to be cancelled, however slow the machine is.
  const page = await open(t, "index.html#v=1&sample=fleet&cluster=4x8&run=las[quantum=20]&run=tiresias-las&t=0");
  const long = page.locator(".card").first();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await long.getByText(/cancelled at/).waitFor();
  await long.getByRole("button", { name: /^Remove/ }).click();
  await page.getByRole("button", { name: "Run Tiresias 2D-LAS" }).click();
  await finished(page, 1);

  await page.getByRole("button", { name: "Tiresias 2D-LAS", exact: true }).first().click();
  const text = page.locator(".params").getByLabel("As text");
  await text.fill("tiresias-las[queues=4]");
  await text.press("Enter");
  await page.getByText("4 queues need 3 thresholds, not 2").waitFor();
  await text.fill("tiresias-las[queues=2,threshold=57600]");
  await text.press("Enter");
  await page.getByRole("button", { name: "Run Tiresias 2D-LAS (queues=2, thresholds=57600)" }).waitFor();
  await finished(page, 1);
  await page.getByRole("button", { name: /^Remove/ }).click();
  await page.getByText("Add a scheduler on the left to see its yard.").waitFor();
});

test("keys: play, step, views, help", async (t) => {
  const page = await open(t, "index.html#v=1&t=0");
  await finished(page, 2);
  const clock = () => page.getByTestId("clock").textContent();
  const start = await clock();
  await page.keyboard.press(".");
  await page.waitForFunction((start) => document.querySelector("[data-testid=clock]").textContent !== start, start);
  const stepped = await clock();
  await page.keyboard.press(",");
  await page.waitForFunction((stepped) => document.querySelector("[data-testid=clock]").textContent !== stepped, stepped);
  await page.keyboard.press("2");
  assert.equal(await page.getByRole("tab", { name: "Timeline" }).getAttribute("aria-selected"), "true");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Help" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Help" }).waitFor({ state: "detached" });
  await page.keyboard.press(" ");
  await page.getByRole("button", { name: "Pause" }).waitFor();
});

test("once it is loaded, the page requests nothing from the network", async (t) => {
  const page = await open(t, "index.html#v=1&t=0");
  await finished(page, 2);
  const requests = [];
  page.context().on("request", (request) => {
    if (!request.url().startsWith("blob:")) requests.push(request.url());
  });
  await add(page, "fewest-gpus");
  await openFiles(page, "helios.csv");
  await finished(page, 3);
  for (const view of ["Timeline", "Compare", "Jobs"]) await page.getByRole("tab", { name: view }).click();
  await results(page);
  assert.deepEqual(requests, []);
});

for (const scheme of ["light", "dark"]) {
  for (const width of [390, 1280, 1920]) {
    const isOften = (scheme === "light") === (width === 390);
    test(`every view in ${scheme}, ${width} px wide: accessible, nothing cut off`, isOften ? {} : long, async (t) => {
      const viewport = { width, height: width === 390 ? 844 : 860 };
      const page = await open(t, "index.html#v=1&t=30000", { viewport, colorScheme: scheme });
      await finished(page, 2);
      for (const view of ["Yard", "Timeline", "Compare", "Jobs"]) {
        await page.getByRole("tab", { name: view }).click();
        await page.waitForTimeout(400);
        assert.deepEqual(await accessibilityProblems(page), [], view);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${view} is ${overflow} px too wide`);
        await screenshot(page, `${view.toLowerCase()}-${scheme}-${width}`);
      }
    });
  }
}

const crowds = [
  ["two runs", ["fifo", "tiresias-las"]],
  ["eight runs", ["fifo", "fewest-gpus", "srtf", "srsf", "las", "tiresias-las", "tiresias-gittins", "gittins"]],
];
for (const [runs, policies] of crowds) {
  test(`a frame of 1,152 GPUs is painted in a few milliseconds, ${runs} at once`, async (t) => {
    const list = policies.map((policy) => `run=${policy}`).join("&");
    const page = await open(t, `index.html#v=1&sample=fleet&${list}&t=250000&speed=3600`, { viewport: { width: 1920, height: 1080 } });
    await finished(page, policies.length, 180_000);
    const measure = async (view) => {
      await page.getByRole("tab", { name: view }).click();
      t.diagnostic(`${view}, ${runs} at once: ${await frames(page)}`);
    };
    await measure("Yard");
    await measure("Timeline");
  });
}

test("the browser's workers write the same logs as native code, for every policy", async (t) => {
  const golden = readFileSync(fileURLToPath(new URL("../golden/hashes.txt", import.meta.url)), "utf8");
  // Where a scheduler adapts jobs they train applications: goodput.test.mjs has those. And the golden
  // rows of what has learned are of other weights than the page's, so that training changes no row.
  // Nor does the sample tell when its jobs ran.
  const others = /^lab (pollux|optimus|sia|graph-rl|recorded)/;
  const expected = golden.split("\n").filter((line) => line.startsWith("lab ") && !others.test(line));
  const policies = expected.map((line) => line.split(" ")[1]);
  const runs = policies.map((policy) => `run=${policy}`).join("&");
  const page = await open(t, `index.html#v=1&sample=lab&t=0&${runs}`);
  await finished(page, policies.length);
  const written = (await results(page)).runs.map((run) => `lab ${run.policy} ${run.log_hash}`);
  assert.deepEqual(written, expected);
});
