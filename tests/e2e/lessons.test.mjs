// The lessons, the field behind them, their front page and the article: walked from the first step to the last goal, on a phone and
// on a desk; what they are without scripts and on paper. `lessons/tests/` checks what they claim.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { accessibilityProblems, browser, dist, finished, long, screenshot } from "./browser.mjs";
import { serve } from "./server.mjs";

const { open } = browser();
const lessons = readdirSync(join(dist, "lessons")).filter((name) => /^\d.*\.html$/.test(name));
const SIZES = { 390: { width: 390, height: 844 }, 768: { width: 768, height: 1024 }, 1440: { width: 1440, height: 900 } };

const widthOf = (page) => page.evaluate(() => document.documentElement.scrollWidth);

/** Chooses until the open step's goal is ticked off; by the clock or a job where it is about these. */
async function reach(step) {
  const goal = step.locator(".goal");
  if ((await goal.count()) === 0) return;
  const wanted = JSON.parse(await goal.getAttribute("data-goal"));
  const figure = step.locator("switchyard-view").first();
  const done = (timeout) => step.locator(".goal.done").waitFor({ timeout }).then(() => true, () => false);
  assert.equal(await step.locator(".goal.done").count(), 0, "a goal is not there for nothing");
  if (wanted.select !== undefined) {
    await figure.evaluate((figure, job) => figure.select(job), wanted.select);
  } else if (wanted.all[0][0] === "time") {
    await figure.evaluate((figure, t) => figure.seek(t), wanted.all[0][2]);
  } else {
    const choices = step.locator(".control .choices button");
    for (const choice of await choices.all()) {
      // What the figure shows already is not run again.
      if ((await choice.getAttribute("aria-pressed")) === "true") continue;
      // Heard from before the choice: what another figure has run is over at once.
      await figure.evaluate((figure) => {
        figure.over = new Promise((resolve) => figure.addEventListener("done", () => resolve(), { once: true }));
      });
      await choice.press("Enter");
      assert.equal(await choice.getAttribute("aria-pressed"), "true");
      await figure.evaluate((figure) => figure.over);
      if (await done(2_000)) return;
    }
  }
  assert.ok(await done(30_000), `not reached: ${await goal.textContent()}`);
}

for (const name of lessons) {
  for (const width of [390, 1440]) {
    test(`${name} is walked to its last goal at ${width}`, width === 390 ? long : {}, async (t) => {
      const page = await open(t, `lessons/${name}`, { viewport: SIZES[width] });
      const count = await page.locator(".step").count();
      for (let at = 1; at <= count; at++) {
        const step = page.locator(`#step-${at}`);
        assert.equal(await page.locator(".step:visible").count(), 1);
        await step.locator("switchyard-view").first().evaluate((figure) => figure.scrollIntoView());
        await step.locator("switchyard-view").first().evaluate((figure) => figure.summary());
        const guess = step.locator(".guess");
        if (await guess.count()) {
          assert.equal(await guess.locator(".reveal").isVisible(), false, "an answer waits for a guess");
          await guess.locator("[data-right]").press("Enter");
          assert.match(await guess.locator(".reveal").textContent(), /^Right\./);
        }
        await reach(step);
        assert.ok((await widthOf(page)) <= width, `step ${at} is wider than the screen`);
        assert.deepEqual(await accessibilityProblems(page), [], `step ${at}`);
        if (at < count) {
          await step.getByRole("button", { name: "Continue" }).press("Enter");
          assert.equal(await page.evaluate(() => document.activeElement.id), `title-${at + 1}`);
        }
      }
      assert.ok(await page.locator(".next").isVisible());
      await page.goBack();
      assert.ok(await page.locator(`#step-${count - 1}`).isVisible(), "Back goes a step back");
      await screenshot(page, `lesson-${name}-${width}`);
    });
  }
}

test("without scripts a lesson is text and stills", async (t) => {
  const page = await open(t, `lessons/${lessons[0]}`, { viewport: SIZES[390], javaScriptEnabled: false });
  assert.equal(await page.locator(".step:visible").count(), await page.locator(".step").count());
  assert.ok(await page.locator(".reveal").first().isVisible());
  const stills = await page.locator("switchyard-view img").all();
  assert.ok(stills.length > 0);
  for (const still of stills) {
    await still.scrollIntoViewIfNeeded();
    assert.ok((await still.boundingBox()).height > 50);
  }
  assert.equal(await page.locator(".control:visible, .goal:visible, .go:visible").count(), 0);
});

test("on paper a lesson is a handout", async (t) => {
  const page = await open(t, `lessons/${lessons[0]}`, { viewport: SIZES[768] });
  // Living figures are paper, too, as those are that nobody has come to.
  await page.locator("switchyard-view").first().evaluate((figure) => figure.summary());
  await page.emulateMedia({ media: "print" });
  for (const figure of await page.locator("switchyard-view").all()) {
    const high = await figure.evaluate(async (figure) => {
      const still = figure.shadowRoot.querySelector("img");
      await still.decode();
      const others = [...figure.shadowRoot.querySelectorAll("iframe, canvas")].filter(({ clientHeight }) => clientHeight);
      return others.length ? 0 : Math.min(still.clientHeight, figure.clientHeight);
    });
    assert.ok(high > 50, `a figure is ${high} high`);
  }
  assert.equal(await page.locator(".step:visible").count(), await page.locator(".step").count());
  const answers = page.locator(".reveal");
  assert.equal(await page.locator(".reveal:visible").count(), await answers.count());
  assert.equal(await page.locator("button:visible", { hasText: "Continue" }).count(), 0);
  assert.ok((await page.pdf({ format: "A4" })).length > 20_000);
});

test("the front page: one question, two yards on one clock, Play", async (t) => {
  const page = await open(t, "lessons/index.html", { viewport: SIZES[1440] });
  const figures = page.locator("switchyard-view");
  for (const figure of await figures.all()) await figure.evaluate((figure) => figure.summary());
  // Whoever has not guessed is not told.
  const told = () =>
    Promise.all(page.frames().filter((frame) => /embed=/.test(frame.url())).map((frame) =>
      frame.locator(".yard h2 .figure").evaluate((figure) => getComputedStyle(figure).visibility)));
  assert.deepEqual(await told(), ["hidden", "hidden"]);
  await page.locator(".guess .choices button").first().click();
  await page.waitForTimeout(300);
  assert.deepEqual(await told(), ["visible", "visible"]);
  const both = page.evaluate(() =>
    Promise.all([...document.querySelectorAll("switchyard-view")].map((figure) => new Promise((resolve) => {
      const first = { t: null };
      figure.addEventListener("time", ({ detail }) => {
        first.t ??= detail.t;
        if (detail.playing && detail.t > first.t) resolve(true);
      });
    }))));
  await page.getByRole("button", { name: "Play" }).first().click();
  assert.deepEqual(await both, [true, true]);
  // And the page behind them.
  assert.equal(await page.locator(".lessons a").count(), lessons.length + 1);
  await screenshot(page, "lessons-front");
});

for (const width of [390, 1440]) {
  test(`the last page at ${width}: the field, whose table alone is wider than a phone`, async (t) => {
    const page = await open(t, `lessons/${lessons.at(-1)}`, { viewport: SIZES[width] });
    while (!(await page.locator(".next").isVisible())) await page.getByRole("button", { name: "Continue" }).filter({ visible: true }).press("Enter");
    await page.locator(".next a").first().click();
    await page.getByRole("heading", { name: "One page of the field" }).waitFor();
    assert.ok((await widthOf(page)) <= width);
    assert.deepEqual(await accessibilityProblems(page), []);
    // Keys reach what is beside the screen.
    const table = page.locator(".wide").nth(1);
    await table.focus();
    assert.equal(await table.evaluate((table) => table === document.activeElement), true);
    assert.ok((await page.locator(".wide td:nth-child(2) a").count()) > 30);
    await screenshot(page, `lesson-field-${width}`);
  });
}

test("names of the field run beside FIFO: one of each kind of jobs", async (t) => {
  const field = await open(t, "lessons/field.html", { viewport: SIZES[1440] });
  for (const name of ["tiresias-las", "gavel", "pollux", "muri-s", "kueue", "graph-rl", "recorded", "script", "plugin"]) {
    const link = field.locator(".wide td:nth-child(2)").getByRole("link", { name, exact: true });
    const page = await open(t, `lessons/${await link.getAttribute("href")}`, { viewport: SIZES[1440] });
    await finished(page, 2);
    assert.equal(await page.locator(".notice").filter({ hasText: "Not all of this link" }).count(), 0, name);
    await page.close();
  }
});

for (const width of [390, 768, 1440]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`the article at ${width}, ${colorScheme}, under a strict policy and another path`, async (t) => {
      const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self'; img-src 'self' data: blob:; connect-src 'self' blob:";
      const server = await serve(dist, "/deep/er/", { headers: { "content-security-policy": policy } });
      t.after(() => server.close());
      const page = await open(t, `${server.url}article/index.html`, {
        viewport: SIZES[width],
        colorScheme,
        // Those of the folder above are ours, too.
        tolerated: new RegExp(`^foreign request: ${server.url}`),
      });
      assert.equal(await page.locator("switchyard-view").count(), 5);
      for (const figure of await page.locator("switchyard-view").all()) {
        await figure.evaluate((figure) => figure.scrollIntoView());
        await figure.evaluate((figure) => figure.summary());
      }
      const last = page.locator("switchyard-view[group=four]").last();
      await last.evaluate((figure) => {
        figure.there = new Promise((resolve) => figure.addEventListener("time", ({ detail }) => detail.t >= 21_599 && resolve()));
      });
      await page.getByRole("button", { name: "the sixth" }).click();
      await last.evaluate((figure) => figure.there);
      assert.ok((await widthOf(page)) <= width);
      assert.deepEqual(await accessibilityProblems(page), []);
      await screenshot(page, `article-${width}-${colorScheme}`);
    });
  }
}

test("every link between lesson pages leads to a page", () => {
  for (const path of ["lessons/index.html", "article/index.html", "view.js"]) assert.ok(existsSync(join(dist, path)), path);
});

test("the page leads to the lessons that lie beside it, and the lessons back to the page", async (t) => {
  const page = await open(t, "index.html#v=1&t=0");
  await page.getByRole("link", { name: "six lessons" }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.match(page.url(), /\/lessons\/index\.html$/);
  await page.getByRole("link", { name: "Switchyard", exact: true }).first().click();
  await page.getByRole("tab", { name: "Yard" }).waitFor();
  // One's own trace is there again afterwards, with its settings.
  await finished(page, 2);
  await page.getByTestId("file-picker").setInputFiles({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from("job,submit,duration,gpus\na,0,60,2\nb,10,600,2\n") });
  await page.locator("header .facts").getByText("2 jobs", { exact: true }).waitFor();
  await page.evaluate(() => (location.hash += "&seed=9&view=jobs"));
  await finished(page, 2);
  await page.waitForFunction(() => /file=mine/.test(location.hash) && /seed=9/.test(location.hash));
  await page.goto(new URL("lessons/1-waiting.html", page.url()).href);
  await page.getByRole("link", { name: "Switchyard", exact: true }).first().click();
  await page.locator("header .facts").getByText("2 jobs", { exact: true }).waitFor();
  assert.match(page.url(), /seed=9/);
});

test("a job that a lesson names lights up in its figure as long as it is pointed at, and is chosen by a click", async (t) => {
  const page = await open(t, "lessons/1-waiting.html", { viewport: SIZES[1440] });
  const step = page.locator("#step-1");
  const figure = step.locator("switchyard-view").first();
  await figure.evaluate((figure) => figure.scrollIntoView());
  await figure.evaluate((figure) => figure.summary());
  await figure.evaluate((figure) => figure.pause());
  const frame = page.frames().find((of) => of.url().includes("embed="));
  const seen = () => frame.locator(".yard canvas").first().evaluate((canvas) => canvas.toDataURL());
  const become = async (is) => {
    for (let tries = 0; tries < 40; tries++) {
      if (is(await seen())) return;
      await page.waitForTimeout(50);
    }
    assert.fail("the figure stays as it is");
  };
  await page.waitForTimeout(500);
  const before = await seen();
  const name = step.locator("[data-job=giant]");
  const { x, y, width, height } = await name.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await become((now) => now !== before);
  await page.mouse.move(5, 5);
  await become((now) => now === before);
  await page.mouse.click(x + width / 2, y + height / 2);
  await frame.waitForFunction(() => switchyardEmbed.page.look().selected === "giant", null, { timeout: 10_000 });
  assert.deepEqual(await accessibilityProblems(page), []);
});
