// Scrolling over moments moves a figure's clock, and back; chooses jobs and moves the timeline's window; leaves a figure
// alone until one has scrolled; and lets one play. With the wheel, at the sizes of a desk and of a phone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, screenshot } from "./browser.mjs";

const { open } = browser();
const SIZES = { 390: { width: 390, height: 844 }, 1440: { width: 1440, height: 900 }, 1920: { width: 1920, height: 1080 } };
const STEP = "lessons/1-waiting.html#step-2";

/** A step with moments, its figure there, which notes all times that it tells. */
async function opened(t, address, options) {
  const page = await open(t, address, options);
  const list = page.locator(".moments:visible").first();
  const figure = page.locator(`#${await list.getAttribute("data-figure")}`);
  await figure.evaluate(async (figure) => {
    figure.times = [];
    figure.addEventListener("time", ({ detail }) => figure.times.push(detail));
    await figure.summary();
  });
  return { page, list, figure };
}

/** The page in the figure's frame. */
const frameOf = async (figure) => (await figure.locator("iframe").elementHandle()).contentFrame();
const look = async (figure) => (await frameOf(figure)).evaluate(() => switchyardEmbed.page.look());
const zoomOf = async (figure) => (await frameOf(figure)).evaluate(() => /zoom=([^&]*)/.exec(switchyardEmbed.page.link())?.[1]);

/** Turns the wheel over the text until so much of the way from this moment to the next is above the reading line. */
async function wheelTo(page, list, at, part = 0) {
  const { x, y } = await list.locator("li").first().evaluate((item) => {
    const { left, width } = item.getBoundingClientRect();
    return { x: left + width / 2, y: innerHeight * 0.9 };
  });
  await page.mouse.move(x, y);
  for (let tries = 0; tries < 60; tries++) {
    const by = await list.evaluate(
      async (list, [at, part]) => {
        const { ahead } = await import(new URL("../lessons/moments.js", location.href).href);
        const below = ahead(list);
        return Math.ceil(below[at] + part * ((below[at + 1] ?? 0) - below[at]));
      },
      [at, part],
    );
    // The last is reached at the end of the page.
    if (by <= 0 && by > -3) return;
    await page.mouse.wheel(0, Math.max(-150, Math.min(by, 150)));
    await page.waitForTimeout(60);
  }
  assert.fail(`moment ${at} is not reached by scrolling`);
}

/** Waits until the clock stands within these seconds. */
async function stands(figure, from, to = from) {
  let t;
  for (let tries = 0; tries < 100; tries++) {
    ({ t } = await look(figure));
    if (t >= from - 1e-3 && t <= to + 1e-3) return t;
    await figure.page().waitForTimeout(50);
  }
  assert.fail(`the clock stands at ${t}, not within ${from}..${to}`);
}

const present = (list) => list.locator("[aria-current=step]").evaluateAll((items) => items.map(({ dataset }) => dataset.t));

for (const [width, colorScheme] of [[390, "light"], [1440, "light"], [1440, "dark"], [1920, "light"]]) {
  test(`scrolling leads the clock there and back at ${width}, ${colorScheme}`, async (t) => {
    const { page, list, figure } = await opened(t, STEP, { viewport: SIZES[width], colorScheme });
    // Until one has scrolled, the figure is as its step has it.
    assert.deepEqual(await present(list), []);
    await stands(figure, 9000);
    await wheelTo(page, list, 1);
    // A pixel of the way to the next moment may be a minute.
    await stands(figure, 300, 700);
    assert.deepEqual(await present(list), ["300"]);
    assert.equal((await look(figure)).selected, "mine");
    assert.equal(await zoomOf(figure), "0..3600");
    await wheelTo(page, list, 2, 0.5);
    const between = await stands(figure, 13_500, 15_300);
    assert.ok(between % 1800 !== 0, "it glides");
    assert.equal((await look(figure)).selected, "giant");
    assert.equal(await zoomOf(figure), "0..28800");
    await screenshot(page, `lesson-moments-${width}-${colorScheme}`);
    assert.deepEqual(await accessibilityProblems(page), []);
    await wheelTo(page, list, 4);
    await stands(figure, 25_200);
    await page.locator("#step-2 .goal.done").waitFor();
    // The figure stays in sight.
    const { y, height } = await figure.boundingBox();
    assert.ok(y >= -1 && y + height <= SIZES[width].height, `the figure is at ${y}, ${height} high`);
    await wheelTo(page, list, 0);
    await stands(figure, 60, 65);
    assert.deepEqual(await present(list), ["60"]);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
  });
}

test("by keys: the time of a moment goes there", async (t) => {
  const { page, list, figure } = await opened(t, STEP, { viewport: SIZES[1440] });
  const time = list.locator(".time").nth(3);
  await time.focus();
  await page.keyboard.press("Enter");
  await stands(figure, 18_000);
  assert.deepEqual(await present(list), ["18000"]);
  assert.ok(await time.evaluate((time) => time === document.activeElement && time.getBoundingClientRect().top < innerHeight));
});

test("with reduced motion the clock goes from moment to moment", async (t) => {
  const { page, list, figure } = await opened(t, STEP, { viewport: SIZES[1440], reducedMotion: "reduce" });
  await wheelTo(page, list, 2, 0.6);
  await stands(figure, 10_800);
  await wheelTo(page, list, 3, 0.4);
  await stands(figure, 18_000);
  const times = await figure.evaluate((figure) => figure.times.map(({ t }) => t));
  assert.deepEqual(times.filter((t) => ![60, 300, 9000, 10_800, 18_000].includes(t)), []);
});

test("who plays goes on playing until another moment comes", async (t) => {
  const { page, list, figure } = await opened(t, STEP, { viewport: SIZES[1440] });
  await wheelTo(page, list, 2, 0.2);
  await stands(figure, 10_801, 14_000);
  const frame = await frameOf(figure);
  await frame.getByRole("button", { name: "Play", exact: true }).click();
  await page.waitForTimeout(300);
  await wheelTo(page, list, 2, 0.5);
  await page.waitForTimeout(300);
  assert.equal((await look(figure)).playing, true, "within a moment it plays on");
  await wheelTo(page, list, 3);
  await stands(figure, 18_000, 18_300);
  assert.equal((await look(figure)).playing, false);
});

test("one request is under way at most", async (t) => {
  const { page, list, figure } = await opened(t, STEP, { viewport: SIZES[1440] });
  await figure.evaluate((figure) => {
    figure.most = figure.under = 0;
    for (const method of ["seek", "zoom", "select", "pause"]) {
      const own = figure[method].bind(figure);
      figure[method] = async (...of) => {
        figure.most = Math.max(figure.most, ++figure.under);
        await own(...of).finally(() => (figure.under -= 1));
      };
    }
  });
  await wheelTo(page, list, 4);
  await wheelTo(page, list, 0);
  assert.equal(await figure.evaluate((figure) => figure.most), 1);
});

test("an article has moments, too", async (t) => {
  for (const width of [390, 1440]) {
    const { page, list, figure } = await opened(t, "article/index.html", { viewport: SIZES[width] });
    await list.scrollIntoViewIfNeeded();
    await wheelTo(page, list, 2);
    await stands(figure, 50_443, 51_000);
    assert.equal((await look(figure)).selected, "lab-133");
    await screenshot(page, `article-moments-${width}`);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    await page.close();
  }
});

for (const [lesson, step, at, job] of [["3-goodput", 4, 1, "lab-092"], ["5-learned", 1, 1, "lab-227"], ["6-fairness", 4, 2, "lab-172"], ["7-quotas", 4, 1, "see-4"], ["8-failures", 2, 1, "train"], ["9-types", 2, 1, "games"]]) {
  test(`scrolling leads a figure of ${lesson}`, async (t) => {
    const { page, list, figure } = await opened(t, `lessons/${lesson}.html#step-${step}`, { viewport: SIZES[1440] });
    const times = await list.locator("li").evaluateAll((items) => items.map(({ dataset }) => Number(dataset.t)));
    assert.ok(times.length >= 3);
    await wheelTo(page, list, at);
    await stands(figure, times[at], times[at] + 0.1 * (times[at + 1] - times[at]));
    assert.deepEqual(await present(list), [`${times[at]}`]);
    assert.equal((await look(figure)).selected, job);
    await screenshot(page, `lesson-moments-${lesson}`);
    await wheelTo(page, list, times.length - 1);
    await stands(figure, times.at(-1));
    assert.deepEqual(await accessibilityProblems(page), []);
  });
}

test("names of jobs in moments and questions are live", async (t) => {
  const { page, list, figure } = await opened(t, STEP, { viewport: SIZES[1440] });
  for (const job of ["giant", "mine", "survey", "sweep"]) assert.ok(await list.locator(`[data-job=${job}]`).count(), job);
  assert.equal(await page.locator("#step-1 .guess > p [data-job=mine]").count(), 1);
  const name = list.locator("[data-job=survey]");
  await name.scrollIntoViewIfNeeded();
  await page.waitForTimeout(500);
  const { x, y, width, height } = await name.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
  for (let tries = 0; tries < 60 && (await look(figure)).selected !== "survey"; tries++) await page.waitForTimeout(50);
  assert.equal((await look(figure)).selected, "survey");
});

test("a job that is live once is so wherever it is named beside its figure", async (t) => {
  for (const address of ["1-waiting", "2-guessing", "3-goodput", "4-placement", "5-learned", "6-fairness", "7-quotas", "8-failures", "9-types", "../article/index"]) {
    const page = await open(t, `lessons/${address}.html`, { javaScriptEnabled: false });
    // In choices it is part of what is pressed; what a number opens is about the number.
    const dead = await page.locator(".step, main > section").evaluateAll((steps) =>
      steps.flatMap((step) => {
        const live = new Set([...step.querySelectorAll("[data-job]")].map(({ dataset }) => dataset.job));
        return [...step.querySelectorAll("code")].filter((of) => live.has(of.textContent) && !of.closest("button, .card")).map((of) => of.textContent);
      }),
    );
    assert.deepEqual(dead, [], address);
    const { moments, live } = await page.locator(".moments").evaluateAll((lists) => ({
      moments: lists.length,
      live: lists.filter((list) => list.querySelector("[data-job]")).length,
    }));
    assert.ok(moments > 0 && live === moments, `${address}: ${live} of ${moments} moments name a job`);
    await page.close();
  }
});

test("without scripts and on paper moments are a list with their times", async (t) => {
  const page = await open(t, "lessons/1-waiting.html", { viewport: SIZES[390], javaScriptEnabled: false });
  const first = page.locator("#step-2 .moments li").first();
  assert.match(await first.textContent(), /^00:01:00 giant comes\./);
  assert.ok((await first.boundingBox()).height < 200);
  await page.emulateMedia({ media: "print" });
  assert.ok(await first.isVisible());
  await page.emulateMedia({ media: "screen" });
  const scripted = await open(t, "lessons/1-waiting.html", { viewport: SIZES[1440] });
  await scripted.emulateMedia({ media: "print" });
  const box = await scripted.locator("#step-2 .moments li").first().boundingBox();
  assert.ok(box.height < 120, `a moment is ${box.height} high on paper`);
});
