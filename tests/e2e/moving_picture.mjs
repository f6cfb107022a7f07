// Makes `docs/yard.png`, the moving picture of the README: two schedulers on the lab's day, side by side in the yard.
// `node tests/e2e/moving_picture.mjs [FOLDER OF A BUILT PAGE]`; without a folder it takes `dist/`.
//
// Each frame is a picture of the page at one moment of its clock, so that the same page gives the same picture. A
// frame holds only the pixels that have changed. By hand, since an APNG is a few chunks around zlib's bytes.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync } from "node:zlib";
import { chromium } from "playwright-core";
import { serve } from "./server.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = process.argv[2] ?? join(root, "dist");
const target = join(root, "docs/yard.png");

const SIZE = { width: 1000, height: 600 };
const LINK = "v=1&sample=lab&run=fifo&run=tiresias-las&view=yard&theme=light";
const FRAMES = 28;
const FRAME_MS = 250;
/** Seconds of the trace: jobs pile up behind a wide one, and what comes of it. */
const [FROM, TO] = [21_600, 43_200];
const MOST_BYTES = 600_000;

/** A chunk of a PNG: its length, its name, what it holds, and a checksum. */
function chunk(name, ...parts) {
  const body = Buffer.concat([Buffer.from(name, "latin1"), ...parts]);
  return Buffer.concat([numbers(4, body.length - 4), body, numbers(4, crc32(body))]);
}

/** Numbers of `bytes` bytes each, the highest byte first. */
function numbers(bytes, ...values) {
  const buffer = Buffer.alloc(bytes * values.length);
  values.forEach((value, at) => buffer.writeUIntBE(value, at * bytes, bytes));
  return buffer;
}

/** Pixels as a PNG stores them: each row has its filter in front, here always none. */
function compressed(rgba) {
  const row = SIZE.width * 4;
  const rows = Array.from({ length: SIZE.height }, (_, y) => [Buffer.alloc(1), rgba.subarray(y * row, (y + 1) * row)]);
  return deflateSync(Buffer.concat(rows.flat()), { level: 9, memLevel: 9 });
}

/** Frames as one animation that repeats (https://www.w3.org/TR/png-3/#apng-frame-based-animation). */
function animation(frames) {
  const size = numbers(4, SIZE.width, SIZE.height);
  const [bits, colourWithAlpha] = [8, 6];
  const [keeps, blends] = [0, 1];
  let sequence = 0;
  const control = () =>
    chunk("fcTL", numbers(4, sequence++), size, numbers(4, 0, 0), numbers(2, FRAME_MS, 1000), numbers(1, keeps, blends));
  const [first, ...others] = frames.map(compressed);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", size, numbers(1, bits, colourWithAlpha, 0, 0, 0)),
    chunk("acTL", numbers(4, frames.length, 0)),
    control(),
    chunk("IDAT", first),
    ...others.flatMap((frame) => [control(), chunk("fdAT", numbers(4, sequence++), frame)]),
    chunk("IEND"),
  ]);
}

/** In the browser: the pixels of a screenshot, transparent where they are as they were in the one before. */
async function difference(png) {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
  const changed = pixels.map((pixel, at) => (pixel === globalThis.before?.[at] ? 0 : pixel));
  globalThis.before = pixels;
  const reader = new FileReader();
  reader.readAsDataURL(new Blob([changed]));
  await new Promise((resolve) => (reader.onload = resolve));
  return reader.result.split(",")[1];
}

const server = await serve(folder);
const browser = await chromium.launch({
  executablePath: process.env.SWITCHYARD_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: "light" });
  const encoder = await browser.newPage();
  const frames = [];
  for (let frame = 0; frame < FRAMES; frame++) {
    const time = Math.round(FROM + ((TO - FROM) * frame) / (FRAMES - 1));
    await page.goto(`${server.url}index.html#${LINK}&t=${time}`);
    if (frame === 0) {
      await page.waitForFunction(() => document.querySelectorAll("[data-status=done]").length === 2, null, { timeout: 120_000 });
    }
    await page.waitForTimeout(500);
    const still = await page.screenshot({ animations: "disabled" });
    frames.push(Buffer.from(await encoder.evaluate(difference, still.toString("base64")), "base64"));
  }
  const picture = animation(frames);
  assert.ok(picture.length < MOST_BYTES, `${picture.length} bytes are too many for a README`);
  writeFileSync(target, picture);
  console.log(`${target}: ${FRAMES} frames, ${picture.length} bytes`);
} finally {
  await browser.close();
  await server.close();
}
