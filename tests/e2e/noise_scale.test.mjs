// The gradient noise scale by WebGPU: the same WGSL as natively, in a browser whose GPU is software.

import assert from "node:assert/strict";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browser } from "./browser.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

// A page of its own, with nothing but the module and its kernel.
const folder = await mkdtemp(join(tmpdir(), "switchyard-gns-"));

before(async () => {
  await copyFile(join(root, "web/assets/gns.js"), join(folder, "gns.js"));
  await copyFile(join(root, "bench/kernels/gns.wgsl"), join(folder, "gns.wgsl"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>gns</title><link rel=icon href=data:,>");
});

after(() => rm(folder, { recursive: true }));

// SwiftShader instead of a GPU; headless Chromium hides WebGPU otherwise.
const { open } = browser(["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"], folder);
const { open: openWithout } = browser([], folder);

/** Runs `measure` in a page. */
function measure(page, options) {
  return page.evaluate(async (options) => {
    const { measure } = await import("./gns.js");
    const wgsl = await (await fetch("gns.wgsl")).text();
    const progress = [];
    const result = await measure((share, what) => progress.push([share, what]), wgsl, options);
    return { ...result, progress };
  }, options);
}

test("the GPU's estimate is the CPU's", async (t) => {
  const page = await open(t, "index.html");
  const found = await measure(page, {});
  t.diagnostic(
    `${found.adapter}: ${(found.bandwidth / 1e9).toFixed(2)} GB/s, copy ` +
      `${(found.copyBandwidth / 1e9).toFixed(2)} GB/s, φ ${found.phi}, CPU ${found.phiCpu}`,
  );
  assert.match(found.adapter, /swiftshader/i);
  assert.ok(found.isSoftware);
  assert.ok(found.error < 1e-5, `off by ${found.error}`);
  assert.ok(Math.abs(found.phi / found.phiCpu - 1) < 1e-5, `${found.phi} and ${found.phiCpu}`);
  // As the gradients were made: 4 batches of one replica.
  assert.ok(Math.abs(found.phiCpu - 4) < 0.1, `${found.phiCpu}`);
  assert.ok(found.bandwidth > 0 && found.copyBandwidth > 0);
  const shares = found.progress.map(([share]) => share);
  assert.deepEqual(shares, shares.toSorted((a, b) => a - b));
  assert.equal(shares.at(-1), 1);
});

test("gradients smaller than a chunk are measured too", async (t) => {
  const page = await open(t, "index.html");
  const found = await measure(page, { bytes: 8 * 16 * 102 });
  assert.equal(found.bytes, 8 * 16 * 101);
  assert.ok(found.error < 1e-5, `off by ${found.error}`);
});

test("without a GPU it says so", async (t) => {
  const page = await openWithout(t, "index.html");
  const message = await measure(page, {}).catch((error) => error.message);
  assert.match(message, /This browser (has no WebGPU|knows WebGPU, but finds no GPU)/);
});
