// How ten places look, light and dark, on a phone and on a desk, beside references (looks.json): the grey of each cell of a
// coarse grid. That tells a layout that is broken. They are of one font: on a machine with another, nothing is compared.
// UPDATE_LOOKS=1 writes them anew; look at the pictures in tests/e2e/out before you commit them.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { browser, finished, screenshot } from "./browser.mjs";

const { open } = browser();

const FILE = new URL("looks.json", import.meta.url);
const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } };
/** Cells across and down, by size. */
const GRID = { phone: [20, 44], desk: [48, 30] };
/** A cell differs where its grey does by so much, of 255; so many of a hundred may. */
const FAR = 12;
const MOST = 8;

const RUNS = "#v=1&sample=lab&t=30000&speed=1000&run=fifo&run=tiresias-las";
const whole = (runs) => (page) => finished(page, runs);
/** Where, and until when one waits. */
const PLACES = {
  yard: [`index.html${RUNS}&view=yard`, whole(2)],
  "a chosen job": [`index.html${RUNS}&view=yard`, async (page) => {
    await finished(page, 2);
    await page.evaluate(() => switchyardEmbed.page.select("lab-131"));
    await page.locator(".inspector .spent-parts").nth(1).waitFor();
  }],
  timeline: [`index.html${RUNS}&view=timeline`, whole(2)],
  compare: [`index.html${RUNS}&view=compare`, async (page) => {
    await finished(page, 2);
    await page.locator(".lives .spent-bar").first().waitFor();
  }],
  jobs: [`index.html${RUNS}&view=jobs`, whole(2)],
  queues: ["index.html#v=1&sample=two-teams&t=30000&view=queues", whole(2)],
  start: [`index.html${RUNS}&view=start`, whole(2)],
  goodput: [`index.html${RUNS}&view=goodput`, async (page) => {
    await finished(page, 2);
    await page.locator("#view svg").first().waitFor();
  }],
  lessons: ["lessons/index.html", (page) => page.locator(".lessons li").first().waitFor()],
  lesson: ["lessons/1-waiting.html", (page) => page.locator("switchyard-view").first().evaluate((figure) => figure.summary())],
};

/** The greys of a picture's cells, as a text: two digits of a number of base 16 each. */
const greys = (page, png, [across, down]) =>
  page.evaluate(async ({ base64, across, down }) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(across, down);
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    const small = await createImageBitmap(image, { resizeWidth: across, resizeHeight: down, resizeQuality: "high" });
    pen.drawImage(small, 0, 0);
    const { data } = pen.getImageData(0, 0, across, down);
    let text = "";
    for (let i = 0; i < data.length; i += 4) {
      const grey = Math.round(0.299 * data[i] + 0.587 * data[i + 1] + 0.114 * data[i + 2]);
      text += grey.toString(16).padStart(2, "0");
    }
    return text;
  }, { base64: png.toString("base64"), across, down });

/** How many of a hundred cells are far from the reference's. */
function apart(one, other) {
  assert.equal(one.length, other.length);
  let far = 0;
  for (let at = 0; at < one.length; at += 2) {
    const [a, b] = [one, other].map((text) => parseInt(text.slice(at, at + 2), 16));
    if (Math.abs(a - b) >= FAR) far++;
  }
  return (100 * far) / (one.length / 2);
}

/** How wide some words are: what tells fonts apart. */
const widthOfWords = (page) =>
  page.evaluate(() => {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = "100px system-ui, sans-serif";
    return Math.round(pen.measureText("Watch how GPU-cluster schedulers run").width);
  });

const references = async () => JSON.parse(await readFile(FILE, "utf8").catch(() => "{}"));
const updates = Boolean(process.env.UPDATE_LOOKS);
const found = {};

async function look(page, name, size) {
  // What moves by itself has come to rest.
  await page.waitForTimeout(600);
  const path = await screenshot(page, `looks-${name.replaceAll(" ", "-")}`);
  // A page without a policy looks at it.
  const blank = await page.context().newPage();
  const text = await greys(blank, await readFile(path), GRID[size]);
  await blank.close();
  return text;
}

for (const [place, [address, waits]] of Object.entries(PLACES)) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    test(`${place} looks as it did, ${size}, light and dark`, async (t) => {
      const known = await references();
      for (const colorScheme of ["light", "dark"]) {
        const name = `${place} ${size} ${colorScheme}`;
        const page = await open(t, address, { viewport, colorScheme, reducedMotion: "reduce" });
        await waits(page);
        found.width ??= await widthOfWords(page);
        if (!updates && found.width !== known.width) return t.skip("the references are of another font");
        found[name] = await look(page, name, size);
        if (updates) continue;
        assert.ok(known[name], `${name} has no reference: UPDATE_LOOKS=1 writes it`);
        const far = apart(found[name], known[name]);
        t.diagnostic(`${name}: ${far.toFixed(1)} % of its cells differ`);
        assert.ok(far <= MOST, `${name}: ${far.toFixed(1)} % of its cells differ, of which ${MOST} may: look at tests/e2e/out/looks-${name.replaceAll(" ", "-")}.png`);
      }
    });
  }
}

test("a layout that is broken is told from the reference", { skip: updates }, async (t) => {
  const known = await references();
  const page = await open(t, PLACES.yard[0], { viewport: SIZES.desk, colorScheme: "light", reducedMotion: "reduce" });
  await PLACES.yard[1](page);
  if ((await widthOfWords(page)) !== known.width) return t.skip("the references are of another font");
  for (const [what, breaks] of Object.entries({
    "the rail over the view": (rail) => (rail.style.cssText = "position: fixed; inset: 0 auto 0 0; width: 700px; z-index: 9"),
    "no view": (rail) => (rail.parentElement.querySelector("main").style.display = "none"),
    "letters twice as large": (rail) => (rail.parentElement.style.zoom = "2"),
  })) {
    const rail = page.locator("#rail");
    const before = await rail.evaluate((rail) => [rail.style.cssText, rail.parentElement.style.cssText]);
    await rail.evaluate(breaks);
    const far = apart(await look(page, "broken", "desk"), known["yard desk light"]);
    t.diagnostic(`${what}: ${far.toFixed(1)} % of its cells differ`);
    assert.ok(far > MOST, `${what}: ${far.toFixed(1)} %`);
    await rail.evaluate((rail, [own, above]) => {
      [rail.style.cssText, rail.parentElement.style.cssText] = [own, above];
      rail.parentElement.querySelector("main").style.cssText = "";
    }, before);
  }
});

test("references are written where that is asked for", { skip: !updates }, async () => {
  await writeFile(FILE, `${JSON.stringify(found, null, 1)}\n`);
});
