// Pictures that people send on: a card of the moment and a film of ten seconds, from Share.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { browser, emptyFolder, finished } from "./browser.mjs";

const { open } = browser();

const LINK = "index.html#v=1&sample=lab&t=30000&run=fifo&run=tiresias-las&view=";

async function shared(t, view, options) {
  const page = await open(t, LINK + view, options);
  await finished(page, 2);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  return page;
}

/** What is saved when a button is pressed. */
async function saved(t, page, button, timeout = 30_000) {
  const [download] = await Promise.all([page.waitForEvent("download", { timeout }), page.getByRole("button", { name: button }).click()]);
  const file = join(emptyFolder(t), download.suggestedFilename());
  await download.saveAs(file);
  return [download.suggestedFilename(), await readFile(file)];
}

/** What an image is like, looked at in the page: its size, and of the room below the title how many colours it has, which
    share is not the ground, and where that begins and ends. */
const looked = (page, bytes) =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data, width } = pen.getImageData(0, 112, image.width, image.height - 164);
    const ground = Array.from(pen.getImageData(2, 2, 1, 1).data);
    const colours = new Set();
    let [painted, left, right] = [0, width, 0];
    for (let i = 0; i < data.length; i += 4) {
      colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      if ([0, 1, 2].every((part) => Math.abs(data[i + part] - ground[part]) < 24)) continue;
      painted += 1;
      [left, right] = [Math.min(left, (i / 4) % width), Math.max(right, (i / 4) % width)];
    }
    // The two dots of schedulers, in the line of their names.
    const line = pen.getImageData(600, 82, 600, 1).data;
    const dots = [];
    for (let i = 0; i < line.length; i += 4) {
      const colour = `rgb(${line[i]}, ${line[i + 1]}, ${line[i + 2]})`;
      if (dots.at(-1) !== colour && line.slice(i, i + 40).every((part, at) => part === line[i + (at % 4)])) dots.push(colour);
    }
    return { width: image.width, height: image.height, colours: colours.size, share: (4 * painted) / data.length, left, right, ground, dots };
  }, bytes.toString("base64"));

/** Notes how high letters on the picture are, of all that is written while it is made. */
const noteLetters = (page) =>
  page.addInitScript(() => {
    globalThis.letters = [];
    globalThis.written = [];
    const { drawImage, fillText } = CanvasRenderingContext2D.prototype;
    // What a drawing says is written, too.
    CanvasRenderingContext2D.prototype.drawImage = function (image, ...of) {
      if (this.canvas.width === 1200 && image.src) {
        const texts = decodeURIComponent(image.src).matchAll(/<text[^>]*>([^<]*)/g);
        globalThis.written.push(...[...texts].map(([, said]) => said.trim()));
      }
      return drawImage.call(this, image, ...of);
    };
    CanvasRenderingContext2D.prototype.fillText = function (...of) {
      if (!/[\p{L}\p{N}]/u.test(of[0])) return fillText.apply(this, of);
      const high = parseFloat(/([\d.]+)px/.exec(this.font)[1]) * this.getTransform().a;
      if (this.canvas.width === 1200) {
        globalThis.letters.push(high);
        globalThis.written.push(of[0]);
      }
      // What the view itself paints is seen as much larger as it is wider there.
      else if (document.documentElement.dataset.laid !== undefined && this.canvas.closest(".view"))
        globalThis.letters.push((high / devicePixelRatio) * (1136 / 874));
      return fillText.apply(this, of);
    };
  });

const VIEWS = ["yard", "timeline", "compare", "jobs", "queues", "start", "sweep", "goodput", "fragmentation"];

for (const view of VIEWS) {
  for (const colorScheme of ["light", "dark"]) {
    test(`a card of ${view} shows something, twice as wide as high, ${colorScheme}`, async (t) => {
      const page = await shared(t, view, { colorScheme, viewport: { width: 1440, height: 900 }, before: noteLetters });
      const [name, bytes] = await saved(t, page, "Save card");
      assert.equal(name, `a-lab-s-day-${view}.png`);
      const { width, height, colours, share, left, right, ground, dots } = await looked(page, bytes);
      assert.deepEqual([width, height], [1200, 600]);
      assert.ok(colours > 40, `${colours} colours`);
      assert.ok(share > 0.02, `${share} of it is painted`);
      // Below the title's first letter, and to the end of its line.
      assert.ok(left >= 30 && left <= 40, `it begins at ${left}`);
      assert.ok(right > 900 && right <= 1168, `it ends at ${right}`);
      assert.ok(colorScheme === "dark" ? ground[0] < 60 : ground[0] > 200, `${ground}`);
      // Each number has its scheduler's colour, in the order of the yards.
      const swatches = await page.locator(".cards .swatch").evaluateAll((all) => all.map((of) => getComputedStyle(of).backgroundColor));
      assert.deepEqual(dots.filter((colour) => swatches.includes(colour)), swatches);
      const letters = await page.evaluate(() => Math.min(...globalThis.letters));
      assert.ok(letters >= 14, `letters are ${letters} high`);
      await page.getByText(`Saved as ${name}`).waitFor();
      // All is as it was.
      assert.equal(await page.locator(`#tab-${view}`).getAttribute("aria-selected"), "true");
      assert.equal(await page.locator(".card-cover").count(), 0);
      const { x, width: wide } = await page.locator(".view").boundingBox();
      assert.ok(x + wide > 1400, "the view is as large as before");
    });
  }
}

for (const [what, selector, titles] of [["charts", "figure.chart:has-text(\"Completion times of jobs\")", ["Completion times of jobs", "job completion time"]], ["the scatter of jobs", ".scatter", ["JCT", "under", "FIFO"]]]) {
  test(`a card of ${what} that one has scrolled to shows these with their titles, and all stays where it is`, async (t) => {
    const page = await open(t, `${LINK}compare`, { viewport: { width: 1440, height: 900 }, before: noteLetters });
    await finished(page, 2);
    const chart = page.locator(selector).first();
    // All that comes above it is there, too.
    for (const part of [chart, page.locator(".scatter canvas")]) await part.waitFor();
    const { x, y, width, height } = await page.locator(".compare").boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    for (let tries = 0; tries < 60 && (await chart.boundingBox()).y > y + 100; tries++) {
      await page.mouse.wheel(0, 100);
      await page.waitForTimeout(50);
    }
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const scrolled = () => page.locator(".compare").evaluate((of) => of.scrollTop);
    const before = await scrolled();
    assert.ok(before > 300, `${before}`);
    const [, bytes] = await saved(t, page, "Save card");
    const { colours, share } = await looked(page, bytes);
    assert.ok(colours > 100 && share > 0.03, `${colours} colours, ${share} painted`);
    const written = await page.evaluate(() => globalThis.written);
    for (const word of titles) assert.ok(written.includes(word), `${word} is none of ${written}`);
    assert.equal(await scrolled(), before);
  });
}

test("a phone has a card, too", async (t) => {
  const page = await shared(t, "jobs", { viewport: { width: 390, height: 844 } });
  const [name, bytes] = await saved(t, page, "Save card");
  assert.equal(name, "a-lab-s-day-jobs.png");
  const { width, share } = await looked(page, bytes);
  assert.equal(width, 1200);
  assert.ok(share > 0.02, `${share} of it is painted`);
});

test("a card is copied", async (t) => {
  const page = await shared(t, "yard", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByRole("button", { name: "Copy card" }).click();
  await page.getByText("Copied.").waitFor();
  const types = await page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => types));
  assert.deepEqual(types, ["image/png"]);
});

test("ten seconds of the yard are filmed as they play, and what stood still stands still again", async (t) => {
  const page = await shared(t, "yard", { viewport: { width: 1440, height: 900 } });
  const before = await page.getByTestId("clock").textContent();
  const saving = saved(t, page, "Film ten seconds");
  await page.getByText(/^Filming: [5-8] s left\.$/).waitFor();
  const [name, bytes] = await saving;
  assert.equal(name, "a-lab-s-day-yard.webm");
  assert.notEqual(await page.getByTestId("clock").textContent(), before);
  await page.getByRole("button", { name: "Play", exact: true }).last().waitFor();
  // The page's policy lets no film be shown in it.
  const blank = await page.context().newPage();
  const seen = await blank.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const film = Object.assign(document.createElement("video"), { src: URL.createObjectURL(new Blob([bytes], { type: "video/webm" })), muted: true });
    const at = async (time) => {
      const there = new Promise((resolve) => (film.onseeked = resolve));
      film.currentTime = time;
      await there;
      const canvas = new OffscreenCanvas(film.videoWidth, film.videoHeight);
      const pen = canvas.getContext("2d");
      pen.drawImage(film, 0, 0);
      const { data } = pen.getImageData(0, 112, canvas.width, canvas.height - 164);
      let sum = 0;
      for (let i = 0; i < data.length; i++) sum = (sum * 31 + data[i]) | 0;
      return sum;
    };
    await new Promise((resolve, reject) => ([film.onloadeddata, film.onerror] = [resolve, () => reject(new Error(film.error?.message))]));
    return { width: film.videoWidth, height: film.videoHeight, pictures: new Set([await at(1), await at(5), await at(8)]).size };
  }, bytes.toString("base64"));
  assert.deepEqual(seen, { width: 1200, height: 600, pictures: 3 });
});
