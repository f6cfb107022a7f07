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

/** How many colours an image has, and its size, looked at in the page. */
const looked = (page, bytes) =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 112, image.width, image.height - 164);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return { width: image.width, height: image.height, colours: colours.size, ground: Array.from(pen.getImageData(2, 2, 1, 1).data) };
  }, bytes.toString("base64"));

for (const view of ["yard", "timeline", "compare"]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`a card of ${view} is an image twice as wide as high, ${colorScheme}`, async (t) => {
      const page = await shared(t, view, { colorScheme, viewport: { width: 1440, height: 900 } });
      const [name, bytes] = await saved(t, page, "Save card");
      assert.equal(name, `a-lab-s-day-${view}.png`);
      const { width, height, colours, ground } = await looked(page, bytes);
      assert.deepEqual([width, height], [1200, 600]);
      assert.ok(colours > 10, `${colours} colours`);
      assert.ok(colorScheme === "dark" ? ground[0] < 60 : ground[0] > 200, `${ground}`);
      await page.getByText(`Saved as ${name}`).waitFor();
    });
  }
}

test("a view without a picture has a card too, and so has a phone", async (t) => {
  const page = await shared(t, "jobs", { viewport: { width: 390, height: 844 } });
  const [name, bytes] = await saved(t, page, "Save card");
  assert.equal(name, "a-lab-s-day-jobs.png");
  assert.equal((await looked(page, bytes)).width, 1200);
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
