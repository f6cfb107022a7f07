// Adaptive jobs: the goodput model to play with, what jobs train, and a round of Pollux.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { accessibilityProblems, browser, finished, screenshot } from "./browser.mjs";

const { open } = browser();

/** The results as the Export menu saves them. */
async function results(page) {
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Metrics as JSON" }).click();
  const text = readFileSync(await (await download).path(), "utf8");
  await page.keyboard.press("Escape");
  return JSON.parse(text);
}

const fixture = (name) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const fact = (page, term) => page.locator(".model .job-facts div", { hasText: term }).locator("dd").first();

async function slide(page, label, value) {
  await page.getByLabel(label, { exact: true }).evaluate((input, value) => {
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, String(value));
}

test("the goodput model answers to every slider, without a trace's help", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0");
  await page.getByRole("tab", { name: "Goodput" }).waitFor();
  await page.getByRole("tab", { name: "Goodput" }).click();
  const batch = fact(page, "batch size M");
  await batch.waitFor();
  const samples = async () => Number((await batch.textContent()).split(" ")[0].replaceAll(",", ""));
  await slide(page, "GPUs", 4);
  await slide(page, "Gradient noise scale", 2);
  await page.waitForFunction(() => document.querySelector(".model output")?.textContent === "4");
  const settled = async (than) => {
    await page.waitForFunction(
      (than) => document.querySelector(".model .job-facts dd").textContent !== than,
      than,
    );
    return samples();
  };
  await page.waitForTimeout(300);
  const quiet = await samples();
  const before = await batch.textContent();
  await slide(page, "Gradient noise scale", 5);
  const noisy = await settled(before);
  assert.ok(noisy > quiet, `with more noise larger batches pay: ${noisy} after ${quiet}`);
  await page.getByRole("button", { name: "The application's own noise scale" }).click();
  await page.getByText("Step time and batch sizes").click();
  // What cannot be is said in place, and what was drawn stays.
  await page.getByLabel("least m per GPU").fill("100000");
  await page.keyboard.press("Tab");
  await page.getByRole("alert").getByText("exceeds").waitFor();
  assert.ok(await batch.isVisible());
  await page.getByLabel("Application").selectOption("bert");
  await page.waitForFunction(() => document.querySelector(".model [role=alert]") === null);
  assert.equal(await page.locator(".model .plots svg[role=img]").count(), 3);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "goodput-model");
});

for (const [colorScheme, width] of [["light", 1280], ["dark", 390]]) {
  test(`the goodput view holds together, ${colorScheme}, ${width} px`, async (t) => {
    const page = await open(t, "index.html#v=1&sample=lab&run=pollux&view=goodput&t=20000", {
      colorScheme,
      viewport: { width, height: 844 },
    });
    await finished(page, 1, 120_000);
    await page.getByRole("region", { name: "Round of pollux" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${overflow} px too wide`);
    await page.locator(".round .rows").scrollIntoViewIfNeeded();
    await screenshot(page, `goodput-round-${colorScheme}-${width}`);
  });
}

test("jobs train applications where a scheduler adapts them, under every scheduler", async (t) => {
  const golden = readFileSync(fileURLToPath(new URL("../golden/hashes.txt", import.meta.url)), "utf8");
  const hash = (name, policy) => golden.split("\n").find((line) => line.startsWith(`${name} ${policy} `)).split(" ")[2];
  const hashes = async () => (await results(page)).runs.map((run) => run.log_hash);
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=20000");
  await finished(page, 1, 120_000);
  assert.deepEqual(await hashes(), [hash("lab", "fifo")]);
  assert.equal(await page.getByText("What jobs train").count(), 0);
  await page.goto(page.url().replace("run=fifo", "run=fifo&run=pollux"));
  await page.reload();
  await finished(page, 2, 120_000);
  assert.deepEqual(await hashes(), [hash("bound", "fifo"), hash("bound", "pollux")]);
  // Another rule runs everything again; a wrong one is answered by every run.
  await page.getByText("What jobs train").click();
  await page.getByLabel("By GPU-hours", { exact: true }).fill("1: cifar10; gpt");
  await page.keyboard.press("Tab");
  await page.getByText("there is no application 'gpt'").first().waitFor();
  await page.getByLabel("By GPU-hours", { exact: true }).fill("cifar10");
  await page.keyboard.press("Tab");
  await finished(page, 2, 120_000);
  await page.waitForTimeout(1200);
  assert.match(page.url(), /binding=cifar10/);
});

test("a Pollux workload opens and runs as it is", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0");
  await finished(page, 1, 120_000);
  assert.equal(await page.getByText("What jobs train").count(), 0);
  await page.locator("input[type=file]").first().setInputFiles(fixture("adaptdl.csv"));
  await page.getByText("What jobs train").waitFor();
  await finished(page, 1, 120_000);
  assert.equal((await results(page)).runs[0].finished, 2);
});

test("a job's curves are in the inspector", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=pollux&t=20000&job=115");
  await finished(page, 1, 120_000);
  const running = page.getByRole("region", { name: /^Job / });
  await running.waitFor();
  const why = page.getByRole("region", { name: /^Job / });
  await why.getByText("Goodput by batch size").first().waitFor();
  for (const title of ["Batch size", "GPUs", "fficiency", "earning-rate"]) {
    assert.ok((await why.locator("figcaption", { hasText: title }).count()) > 0, title);
  }
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "goodput-inspector");
});

test("measured profiles stand in for the fitted ones, and are let go again", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=pollux&t=0");
  await finished(page, 1, 120_000);
  const table = (name, text) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.locator("input[type=file]").first().setInputFiles([
    table("placements.csv", "placement,local_bsz,step_time,sync_time\n1,32,0.1,0\n1,64,0.2,0\n2,32,0.12,0.02\n2,64,0.22,0.02\n11,32,0.15,0.05\n11,64,0.25,0.05\n"),
    table("validation-32.csv", "progress,grad_sqr,grad_var\n100,1,2\n200,1,4\n"),
    table("validation-256.csv", "progress,grad_sqr,grad_var\n100,1,3\n200,1,6\n"),
  ]);
  await page.getByText("Jobs now train the applications of these measured profiles").waitFor();
  // The paper's rule names applications that these profiles do not hold.
  await page.getByText("there is no application 'cifar10'").first().waitFor();
  await page.getByText("What jobs train").click();
  await page.getByLabel("By GPU-hours", { exact: true }).fill("application");
  await page.keyboard.press("Tab");
  await finished(page, 1, 120_000);
  await page.getByRole("button", { name: "Use the fitted models again" }).click();
  await page.getByText("there is no application 'application'").first().waitFor();
});

test("an application described by the sliders can be trained by jobs", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=pollux&view=goodput&t=0");
  await finished(page, 1, 120_000);
  await page.getByRole("button", { name: "Let jobs train this" }).click();
  await page.getByText("Jobs now train this application").waitFor();
  await finished(page, 1, 120_000);
  await page.getByText("What jobs train").click();
  assert.equal(await page.getByLabel("By GPU-hours", { exact: true }).inputValue(), "mine");
  await page.getByRole("button", { name: "Let go of it" }).click();
  await finished(page, 1, 120_000);
  assert.match(await page.getByLabel("By GPU-hours", { exact: true }).inputValue(), /^1: cifar10/);
});

const { open: openWithGpu } = browser(["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]);

test("the visitor's GPU is measured where there is one, and said to be missing where not", async (t) => {
  const pages = [await openWithGpu(t, "index.html#v=1&run=fifo&view=goodput"), await open(t, "index.html#v=1&run=fifo&view=goodput")];
  for (const page of pages) await page.getByRole("button", { name: "Measure your GPU" }).click();
  const facts = pages[0].locator(".gpu dd");
  await facts.first().waitFor({ timeout: 120_000 });
  const [adapter, , , , gpu, cpu] = await facts.allTextContents();
  assert.match(adapter, /software, no GPU/);
  assert.equal(gpu, cpu);
  await pages[1].getByText(/This browser (has no WebGPU|knows WebGPU, but finds no GPU)/).waitFor();
  assert.deepEqual(await accessibilityProblems(pages[0]), []);
});

const traces = process.env.SWITCHYARD_TRACES;
test("workload-1 of Pollux' artifact, on 16 nodes of 4", { skip: !traces }, async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&cluster=16x4&run=pollux&run=optimus&run=tiresias-tuned&t=0");
  await finished(page, 3, 120_000);
  await page.locator("input[type=file]").first().setInputFiles(join(traces, "pollux/workloads/workload-1.csv"));
  await page.locator("header .facts").getByText("160 jobs").waitFor();
  await page.getByLabel("Preset").selectOption("16x4");
  await page.waitForTimeout(500);
  await finished(page, 3, 120_000);
  const { runs } = await results(page);
  const jct = Object.fromEntries(runs.map((run) => [run.policy, run.jct.mean]));
  t.diagnostic(`mean JCT in seconds: ${JSON.stringify(jct)}; simulated in ${runs.map((run) => Math.round(run.wall_ms))} ms`);
  // The artifact: Pollux ÷ Optimus 0.51, Pollux ÷ Tiresias 0.85.
  assert.ok(Math.abs(jct.pollux / jct.optimus / 0.51 - 1) < 0.1, JSON.stringify(jct));
  assert.ok(Math.abs(jct.pollux / jct["tiresias-tuned"] / 0.85 - 1) < 0.1, JSON.stringify(jct));
});
