// What the page says is in sight where one looks, and the keyboard reaches it: errors of opening, colours, a
// cluster on which nothing waits, what changed job by job, tabs, dialogs that close, long names, and what is
// saved of curves.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { accessibilityProblems, browser, emptyFolder, finished, give, picture, results, screenshot, table } from "./browser.mjs";

const { open } = browser();

const JOBS = ["job,submit,duration,gpus", "a,0,60,2", "b,10,600,2", "c,20,90,4"];
const jobs = (page, count) => page.locator("header .facts").getByText(`${count} jobs`, { exact: true }).waitFor({ state: "attached" });

/** Drops a file on an element. */
const drop = (page, on, name, text) =>
  page.locator(on).evaluate((element, [name, text]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name, { type: "text/csv" }));
    for (const what of ["dragover", "drop"]) {
      const event = new DragEvent(what, { dataTransfer, bubbles: true, cancelable: true, composed: true });
      element.dispatchEvent(event);
      if (!event.defaultPrevented) throw new Error(`${what} is left to the browser`);
    }
  }, [name, text]);

const refusal = (page) => page.locator(".stage .refusal");

/** That something lies in the window, and that a click at its middle is its own: at once, or when the page has settled. */
async function isInSight(page, locator) {
  const hit = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && element.contains(at);
  };
  // The element is looked up anew each time: a page that draws itself again puts another in its place.
  const until = Date.now() + 5_000;
  while (!(await locator.evaluate(hit))) {
    if (Date.now() > until) assert.fail(`${await locator.textContent()} is out of sight`);
    await page.waitForTimeout(50);
  }
}

for (const [width, height] of [[1440, 900], [390, 780]]) {
  test(`at ${width} px, why a file cannot be opened stands over the stage with the next step, until something else opens`, async (t) => {
    const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0", { viewport: { width, height } });
    await finished(page, 1);
    const isNarrow = width < 760;
    if (isNarrow) await page.getByRole("button", { name: "Trace, schedulers and cluster" }).click();
    await page.locator("#rail").hover();
    await page.mouse.wheel(0, 10_000);
    await page.waitForFunction(() => {
      const { scrollTop, clientHeight, scrollHeight } = document.getElementById("rail");
      return scrollTop + clientHeight >= scrollHeight - 1;
    });
    await drop(page, ".stage", "empty.csv", "");
    await refusal(page).getByText("empty.csv is empty").waitFor();
    const another = refusal(page).getByRole("button", { name: "Open another file" });
    await isInSight(page, another);
    await screenshot(page, `refusal-${width}`);
    assert.deepEqual(await accessibilityProblems(page), []);

    // A link that is followed has nothing to do with it.
    await page.evaluate(() => (location.hash = "v=1&sample=three-jobs&run=srtf&t=0"));
    await refusal(page).waitFor({ state: "detached" });

    // Nor has what opens next.
    await drop(page, ".stage", "empty.csv", "");
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), another.click()]);
    await chooser.setFiles(table("mine.csv", JOBS));
    await refusal(page).waitFor({ state: "detached" });
    await jobs(page, 3);

    // It is read and gone.
    await drop(page, ".stage", "empty.csv", "");
    await refusal(page).getByRole("button", { name: "Dismiss" }).click();
    await refusal(page).waitFor({ state: "detached" });
  });
}

test("a table of unknown columns can have its columns chosen later, from where it was dropped", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0");
  await finished(page, 1);
  await drop(page, ".stage", "odd.csv", "A,B,C\n1,2,3\n2,3,4\n");
  const dialog = page.getByRole("dialog", { name: "Which column is which?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  const choose = refusal(page).getByRole("button", { name: "Choose columns…" });
  await isInSight(page, choose);
  await choose.click();
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Choose columns…");
});

test("an address that fails can be fetched again", async (t) => {
  let answers = 0;
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0", {
    tolerated: /traces\.example|404|Content Security Policy|Failed to load/,
    before: (page) =>
      page.route("https://traces.example/**", (route) => {
        answers += 1;
        const headers = { "access-control-allow-origin": "*" };
        return answers === 1 ? route.fulfill({ status: 404, headers }) : route.fulfill({ body: JOBS.join("\n"), headers });
      }),
  });
  await finished(page, 1);
  await page.evaluate(() => (location.hash = `v=1&url=${encodeURIComponent("https://traces.example/mine.csv")}&run=fifo&t=0`));
  await refusal(page).getByText("mine.csv cannot be opened from traces.example").waitFor();
  await refusal(page).getByRole("button", { name: "Try again" }).click();
  await refusal(page).waitFor({ state: "detached" });
  await page.locator("[data-testid=from-host]").waitFor({ state: "attached" });
  assert.equal(answers, 2);
});

test("a scheduler keeps its colour when a node dies beside it, another goes, and the link is opened again", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&run=srtf&run=las&view=compare&t=2");
  await finished(page, 3);
  const headline = page.getByRole("region", { name: "Headline of the runs" });
  const colours = async () => {
    const rows = headline.locator("tbody th");
    const read = (rows) => rows.map((row) => [row.querySelector(".run").textContent, getComputedStyle(row.querySelector(".swatch")).backgroundColor]);
    return Object.fromEntries(await rows.evaluateAll(read));
  };
  const before = await colours();
  await page.getByRole("tab", { name: "Yard" }).click();
  await page.getByRole("button", { name: "What if a node dies now? (FIFO)" }).click();
  await page.getByRole("button", { name: "for 1 h" }).click();
  await finished(page, 4);
  await page.getByRole("tab", { name: "Compare" }).click();
  await headline.getByText("node 0 down").waitFor();
  const beside = await colours();
  for (const [name, colour] of Object.entries(before)) assert.equal(beside[name], colour, name);
  assert.equal(new Set(Object.values(beside)).size, 4, JSON.stringify(beside));
  await page.getByRole("button", { name: /^Remove FIFO$/ }).click();
  await headline.getByText("FIFO", { exact: true }).waitFor({ state: "detached" });
  const left = await colours();
  assert.equal(Object.keys(left).length, 3);
  for (const [name, colour] of Object.entries(left)) assert.equal(beside[name], colour, name);
  await page.waitForFunction(() => /hue=/.test(location.hash));
  await page.reload();
  await finished(page, 3);
  assert.deepEqual(await colours(), left);
  // The charts have them, too.
  const strokes = await page.locator(".chart").first().locator("polyline[stroke-linejoin]").evaluateAll((lines) => lines.map((line) => line.getAttribute("stroke")));
  const rgb = (hex) => `rgb(${[1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).join(", ")})`;
  for (const colour of Object.values(left)) assert.ok(strokes.map(rgb).includes(colour), `${colour}: ${strokes}`);
});

test("where no job waits under any scheduler the page says so, with what would make schedulers matter", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&run=srtf&t=0");
  await finished(page, 2);
  const idle = page.getByText(/^Nothing waits here/);
  assert.equal(await idle.count(), 0);
  const pairs = Array.from({ length: 40 }, (_, at) => [0, 1].map((of) => `j${at}-${of},${3600 * at},${600 + of},8`)).flat();
  await give(page, table("wide.csv", ["job,submit,duration,gpus", ...pairs]));
  await jobs(page, 80);
  const text = page.getByLabel("As text");
  await page.locator("#rail summary").filter({ hasText: /^More$/ }).first().click();
  await text.fill("50x8");
  await text.press("Enter");
  await idle.waitFor();
  assert.match(await idle.textContent(), /under every scheduler jobs start as soon as they come, since they hold 0\.6\d % of the 400 GPUs/);
  await isInSight(page, page.getByRole("button", { name: "On 1 node" }));
  await screenshot(page, "idle");
  await page.getByRole("button", { name: "On 1 node" }).click();
  await page.waitForFunction(() => /cluster=1x8/.test(location.hash));
  await finished(page, 2);
  await idle.waitFor({ state: "detached" });
  await text.fill("50x8");
  await text.press("Enter");
  await idle.waitFor();
  await page.getByRole("button", { name: "Jobs 100 times as fast" }).click();
  await page.waitForFunction(() => /load=100/.test(location.hash));
});

test("the timeline's clock says the day", async (t) => {
  const page = await open(t, "index.html#v=1&sample=fleet&run=fifo&view=timeline&t=129600", {
    before: (page) =>
      page.addInitScript(() => {
        globalThis.written = new Set();
        const { fillText } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
          written.add(text);
          return fillText.call(this, text, ...rest);
        };
      }),
  });
  await finished(page, 1, 120_000);
  await page.waitForFunction(() => written.has("day 1, 12:00:00"));
});

test("who gains and loses most goes by time, and not by the ratio of a job of a second", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&run=srtf&view=compare&t=0");
  // Under SRTF the second that waits behind ten hours does not, a ratio of 36,001; the six hours gain more.
  await give(page, table("mine.csv", ["job,submit,duration,gpus", "long,0,36000,8", "middle,1,21600,8", "second,2,1,8", "last,3,3600,8"]));
  await jobs(page, 4);
  await page.evaluate(() => (location.hash = "v=1&file=mine.csv&cluster=1x8&run=fifo&run=srtf&view=compare&t=0"));
  await finished(page, 2);
  const changed = page.getByRole("region", { name: "What changed" });
  const { runs } = await results(page);
  const gain = (job) => runs[0].per_job[job] - runs[1].per_job[job];
  const most = Math.max(...Object.keys(runs[0].per_job).map(gain));
  const first = changed.getByRole("table", { name: "Largest winners, by the time they gain" }).locator("tr").first();
  assert.ok(gain(await first.getByRole("button").textContent()) > most - 1e-6);
  assert.match(await first.locator("td").last().textContent(), /^[\d.]+ (h|min|d) sooner$/);
});

test("a crowd of dots is shown by how densely they lie, in the colours of gang sizes", async (t) => {
  const page = await open(t, "index.html#v=1&sample=fleet&run=fifo&run=srtf&view=compare&t=0");
  await finished(page, 2, 120_000);
  const changed = page.getByRole("region", { name: "What changed" });
  await changed.getByText("The fuller a colour, the more jobs there").waitFor();
  const legend = changed.getByRole("group", { name: "What the colours stand for" });
  await legend.getByRole("button", { name: "1 GPU", exact: true }).waitFor();
  const canvas = changed.locator("canvas");
  const before = await picture(canvas);
  const shades = await canvas.evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const all = new Set();
    for (let at = 0; at < data.length; at += 4) if (data[at + 3]) all.add((data[at] << 24) + (data[at + 1] << 16) + (data[at + 2] << 8) + data[at + 3]);
    return all.size;
  });
  assert.ok(shades > 20, `${shades} shades are no density`);
  // To select a class is to choose its colours, everywhere.
  await legend.getByRole("button", { name: "1 GPU", exact: true }).click();
  await page.waitForFunction(() => /colour=gpus/.test(location.hash) && /jobs-filter=gpus%3C2|jobs-filter=gpus<2/.test(location.hash));
  assert.notEqual(await picture(canvas), before);
  await screenshot(page, "density");
});

test("jobs that took a job's GPUs are buttons, and a long name is short in a list", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=tiresias-las[thresholds=4]&t=0");
  await finished(page, 1);
  const ids = ["5dc7d9cd-c300-9a4f-c3cd-dc2cc0935548", "ec42aa41-3a0d-71f3-62dc-31b28dfb54c4", "4feb9f90-7722-d636-5cec-0cd5dcf8732c"];
  const rows = [[2, 2], [8, 1], [6, 2]].map(([duration, gpus], at) => `${ids[at]},0,${duration},${gpus}`);
  await give(page, table("mine.csv", ["job,submit,duration,gpus", ...rows]));
  await jobs(page, 3);
  await page.evaluate(() => (location.hash = "v=1&file=mine.csv&cluster=1x2&run=tiresias-las[thresholds=4]&view=yard&t=7&job=1"));
  await finished(page, 1);
  const inspector = page.getByRole("region", { name: `Job ${ids[1]}` });
  await inspector.getByText("its GPUs went to").waitFor();
  const taker = inspector.locator(".of-jobs button");
  assert.equal(await taker.textContent(), "4feb9f90-7722-d…dcf8732c");
  assert.equal(await taker.getAttribute("title"), ids[2]);
  await taker.click();
  await page.getByRole("region", { name: `Job ${ids[2]}` }).waitFor();
});

test("the tabs are one stop of the Tab key, walked by arrows, Home and End; the chosen one is in sight", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&view=fragmentation&t=0", { viewport: { width: 390, height: 780 } });
  await finished(page, 1);
  const chosen = page.locator("[role=tab][aria-selected=true]");
  const name = () => chosen.textContent();
  assert.equal(await name(), "Fragmentation");
  const within = () =>
    chosen.evaluate((tab) => {
      const [own, strip] = [tab.getBoundingClientRect(), tab.parentElement.getBoundingClientRect()];
      return own.left >= strip.left && own.right <= strip.right + 1;
    });
  assert.ok(await within(), "the chosen tab is out of sight");
  await chosen.focus();
  for (const [key, to] of [["Home", "Yard"], ["ArrowRight", "Timeline"], ["ArrowLeft", "Yard"], ["ArrowLeft", "Fragmentation"], ["End", "Fragmentation"], ["ArrowRight", "Yard"]]) {
    await page.keyboard.press(key);
    await page.waitForFunction((to) => document.querySelector("[role=tab][aria-selected=true]").textContent === to, to);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), to, key);
    assert.ok(await within(), `${to} is out of sight`);
  }
  assert.equal(await page.locator("[role=tab][tabindex='0']").count(), 1);
  const panel = page.getByRole("tabpanel", { name: "Yard" });
  assert.equal(await chosen.getAttribute("aria-controls"), await panel.getAttribute("id"));
});

test("the first Tab leads past everything to the view", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0");
  await finished(page, 1);
  const address = page.url();
  await page.keyboard.press("Tab");
  const skip = page.getByRole("button", { name: "Skip to the view" });
  assert.ok(await skip.evaluate((skip) => skip === document.activeElement));
  await isInSight(page, skip);
  await page.keyboard.press("Enter");
  assert.ok(await page.getByRole("tabpanel").evaluate((view) => view === document.activeElement));
  assert.equal(page.url().split("#")[1].replace(/&t=[^&]*/, ""), address.split("#")[1].replace(/&t=[^&]*/, ""));
});

test("closing a panel gives the focus back to the control that opened it", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&run=srtf&view=compare&t=0");
  await finished(page, 2);
  const hasFocus = async (of, what) => assert.ok(await of.evaluate((of) => of === document.activeElement), `the focus is lost after ${what}`);
  const help = page.getByRole("button", { name: "Help", exact: true });
  await help.focus();
  for (const close of [() => page.keyboard.press("Escape"), () => page.getByRole("button", { name: "Close help" }).press("Enter")]) {
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await close();
    await page.getByRole("dialog", { name: "Help" }).waitFor({ state: "detached" });
    await hasFocus(help, "Help");
  }
  const save = page.getByRole("button", { name: "Save “What changed”", exact: true });
  await save.press("Enter");
  await page.getByLabel("Width, inches").focus();
  await page.keyboard.press("Escape");
  await hasFocus(save, "Save");
  const job = page.locator(".ranking button").first();
  await job.press("Enter");
  await page.getByRole("button", { name: "Close the job" }).press("Enter");
  await hasFocus(job, "a job");
  await job.press("Enter");
  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: "Look for a job" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Look for a job" }).waitFor({ state: "detached" });
  await hasFocus(job, "Search");
  const embed = page.getByRole("button", { name: "Embed" });
  await embed.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await hasFocus(embed, "Embed");
});

for (const width of [390, 768, 1440]) {
  test(`at ${width} px, very long names do not scroll Compare sideways`, async (t) => {
    const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0", { viewport: { width, height: 900 } });
    const long = "W".repeat(200);
    await give(page, table("mine.csv", ["job,submit,duration,gpus", ...[0, 1, 2, 3].map((at) => `${long}${at},0,${3600 * (4 - at)},4`)]));
    await jobs(page, 4);
    const names = ["M", "W", "Q"].map((letter, at) => `run=${["fifo", "srtf", "las"][at]}&name=${letter.repeat(60)}`);
    await page.evaluate((names) => (location.hash = `v=1&file=mine.csv&cluster=1x4&${names}&view=compare&t=0`), names.join("&"));
    await finished(page, 3);
    await page.locator(".ranking button").first().waitFor();
    await page.locator(".scatter-frame").hover();
    const over = await page.locator(".compare").evaluate((compare) => compare.scrollWidth - compare.clientWidth);
    await screenshot(page, `names-${width}`);
    assert.equal(over, 0);
  });
}

for (const [view, titles] of [["goodput", /goodput/i], ["fragmentation", /fragment/i]]) {
  test(`the curves of ${view} are saved as a picture and as numbers`, async (t) => {
    const page = await open(t, `index.html#v=1&sample=three-jobs&run=fifo&view=${view}&pods=invented&arrivals=1&t=0`);
    const curves = page.locator(".saved-plot");
    await curves.first().waitFor({ timeout: 120_000 });
    const curve = curves.filter({ hasText: titles }).first();
    const title = await curve.locator("figcaption").textContent();
    await curve.getByRole("button", { name: `Save “${title}”`, exact: true }).click();
    const saved = async (kind) => {
      const download = page.waitForEvent("download");
      await curve.getByRole("button", { name: `Save “${title}” as ${kind}` }).click();
      const file = await download;
      return [file.suggestedFilename(), readFileSync(await file.path(), "utf8")];
    };
    const [name, svg] = await saved("SVG");
    assert.match(name, /^switchyard-[a-z0-9-]+\.svg$/);
    assert.match(svg, /^<svg xmlns='http:\/\/www\.w3\.org\/2000\/svg' width='3\.5in'/);
    const isSound = (svg) => !new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("parsererror");
    // Trusted Types let nobody parse it on the page itself.
    const blank = await page.context().newPage();
    assert.ok(await blank.evaluate(isSound, svg));
    await blank.close();
    assert.doesNotMatch(svg, /NaN|class=/);
    const [, csv] = await saved("CSV");
    assert.ok(csv.trim().split("\n").length > 10, csv);
    assert.ok((await curve.getByLabel("Caption").inputValue()).startsWith(title));
    await screenshot(page, `saved-${view}`);
  });
}

test("the page saved as one file opens at the view and moment chosen in its dialog", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&run=srtf&t=0");
  await finished(page, 2);
  await page.getByRole("button", { name: "Embed" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("View").selectOption("compare");
  await dialog.getByLabel("Moment, s").fill("7");
  await dialog.getByLabel("Theme").selectOption("dark");
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save as one file" }).click();
  const folder = emptyFolder(t);
  const path = join(folder, "one.html");
  await (await download).saveAs(path);
  const single = await open(t, pathToFileURL(path).href);
  await finished(single, 2);
  assert.equal(await single.getByRole("tab", { selected: true }).textContent(), "Compare");
  await single.getByTestId("clock").filter({ hasText: "00:00:07" }).waitFor();
  assert.match(single.url(), /theme=dark/);
});

test("a file that is dropped on a dialog is opened as anywhere else", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo");
  await finished(page, 1);
  await drop(page, "main", "unknown.csv", "when,how long,cards\n2024-03-01 08:00:00,120,4\n2024-03-01 09:00:00,120,4\n");
  await page.locator("dialog.columns[open]").waitFor();
  await drop(page, "dialog.columns[open]", "known.csv", "job_id,submit_time,duration,num_gpus\na,0,10,1\nb,5,10,1\n");
  await page.locator("header .facts").getByText("2 jobs").waitFor();
  await page.locator("dialog.columns[open]").waitFor({ state: "detached" });
});
