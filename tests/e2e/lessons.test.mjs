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
    // Heard from before the choice: what another figure has run is over at once.
    const hear = () =>
      figure.evaluate((figure) => {
        figure.over = new Promise((resolve) => figure.addEventListener("done", () => resolve(), { once: true }));
      });
    const slider = step.locator(".slider input");
    if (await slider.count()) {
      const most = Number(await slider.getAttribute("max"));
      // From one end to the other, by keys.
      for (let at = 0; at <= most; at++) {
        const isThere = (await slider.inputValue()) === String(at);
        if (!isThere) await hear();
        await slider.press(at ? "ArrowRight" : "Home");
        assert.equal(await slider.inputValue(), String(at));
        assert.equal(await step.locator(".slider output").textContent(), await slider.getAttribute("aria-valuetext"));
        if (isThere) continue;
        await figure.evaluate((figure) => figure.over);
        if (await done(2_000)) return;
      }
    }
    const choices = step.locator(".control .choices button");
    for (const choice of await choices.all()) {
      // What the figure shows already is not run again.
      if ((await choice.getAttribute("aria-pressed")) === "true") continue;
      await hear();
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

test("progress is kept, and the certificate is a link with one's own guesses beside the answers", async (t) => {
  const page = await open(t, "lessons/1-waiting.html", { viewport: SIZES[390] });
  const first = page.locator("#step-1 .guess");
  await first.locator(".choices button").nth(0).click();
  // The first one counts.
  await first.locator("[data-right]").click();
  await page.locator("#step-1").getByRole("button", { name: "Continue" }).click();
  await page.locator("#step-2 switchyard-view").evaluate((figure) => figure.seek(18_000));
  await page.locator("#step-2 .goal.done").waitFor();
  // There again later.
  await page.goto(new URL("1-waiting.html", page.url()).href);
  assert.equal(await page.locator("#step-1 .choices button").nth(0).getAttribute("aria-pressed"), "true");
  assert.ok(await page.locator("#step-1 .reveal").isVisible());
  assert.equal(await page.locator("#step-2 .goal.done").count(), 1);
  await page.goto(new URL("1-waiting.html#step-2", page.url()).href);
  await page.goto(new URL("index.html", page.url()).href);
  const link = page.locator(".lessons a").first();
  assert.match(await link.getAttribute("href"), /#step-2$/);
  assert.match(await page.locator(".lessons .far").textContent(), /step 2 of \d/);
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole("link", { name: "Your certificate" }).click();
  await page.getByText("You guessed 1 of").waitFor();
  const own = page.locator(".asked").first();
  assert.equal(await own.locator(".mine").count(), 1);
  assert.match(await own.locator(".mine").textContent(), /\(guessed\)/);
  assert.equal(await own.locator(".mine[data-right]").count(), 0);
  assert.match(await own.locator(".reached").textContent(), /^1 of \d guessed, 1 of \d goals reached$/);
  // What is not guessed is not told.
  assert.equal(await page.locator(".question-asked .reveal:visible").count(), 1);
  assert.ok((await widthOf(page)) <= 390);
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByLabel("Your name, if you like:").fill("<b>Ada</b>");
  await page.getByText("<b>Ada</b> guessed 1 of").waitFor();
  await screenshot(page, "lesson-certificate-390");
  // Somebody else sees the same, and keeps what is theirs.
  const { hash } = new URL(page.url());
  const other = await open(t, `lessons/certificate.html${hash}`, { viewport: SIZES[1440] });
  await other.getByText("<b>Ada</b> guessed 1 of").waitFor();
  assert.equal(await other.locator(".mine").count(), 1);
  assert.equal(await other.locator("#anew").isVisible(), false);
  assert.equal(await other.evaluate(() => localStorage.getItem("switchyard lessons")), null);
  assert.deepEqual(await accessibilityProblems(other), []);
  // Guesses of another text of the lesson are told so, and what is no guess is none.
  for (const wrong of ["1-waiting=0000.0.1", "1-waiting=zzzz.9.1", "%F0=1&name=%00", "1-waiting"]) {
    await other.goto(new URL(`certificate.html?${Math.random()}#v=1&${wrong}`, other.url()).href);
    await other.getByText(/is guessed yet|guessed 0 of/).waitFor();
    assert.equal(await other.locator(".mine").count(), 0, wrong);
    assert.equal(await other.locator(".changed:visible").count(), wrong.includes("0000") ? 1 : 0, wrong);
  }
  await page.getByRole("button", { name: "Forget all guesses" }).click();
  await page.getByText("Nothing is guessed yet").waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("switchyard lessons")), null);
});

test("what is kept is not believed", async (t) => {
  for (const kept of ["7", "nonsense", '{"1-waiting":{"mark":7}}', '{"1-waiting":{"mark":"0000","guesses":[{}],"goals":"x"}}', '{"__proto__":{"mark":"0000"}}']) {
    const page = await open(t, "lessons/1-waiting.html", {
      viewport: SIZES[390],
      before: (page) => page.addInitScript((kept) => localStorage.setItem("switchyard lessons", kept), kept),
    });
    await page.locator("#step-1 .guess [data-right]").press("Enter");
    assert.match(await page.locator("#step-1 .reveal").textContent(), /^Right\./, kept);
    await page.close();
  }
});

for (const [name, width] of [["teachers", 390], ["teachers", 1440], ["exercises", 390]]) {
  test(`${name} at ${width}`, async (t) => {
    const page = await open(t, `lessons/${name}.html`, { viewport: SIZES[width] });
    assert.ok((await widthOf(page)) <= width);
    assert.deepEqual(await accessibilityProblems(page), []);
    if (name === "teachers") {
      const answers = page.locator("details");
      assert.equal(await answers.count(), lessons.length);
      await answers.first().locator("summary").press("Enter");
      assert.ok(await answers.first().locator(".reveal").first().isVisible());
    }
    assert.ok((await page.locator("pre").count()) > 1);
    await screenshot(page, `lesson-${name}-${width}`);
  });
}

test("the exercise sheet leads to the editor", async (t) => {
  const page = await open(t, "lessons/exercises.html", { viewport: SIZES[1440] });
  await page.locator("a[href*='?write']").first().click();
  await page.locator("#editor .cm-content").waitFor();
});

test("teams are named with the colour that they have in the figure", async (t) => {
  const page = await open(t, "lessons/7-quotas.html", { viewport: SIZES[1440] });
  for (const team of ["vision", "speech"]) {
    assert.ok(await page.locator(`#step-1 .team:has(code:text-is("${team}")) svg`).first().isVisible(), team);
  }
  const fills = await page.locator("#step-1 .team rect").evaluateAll((all) => new Set(all.map((one) => one.getAttribute("fill"))).size);
  assert.equal(fills, 4, "two teams, by day and by night");
});

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
    await page.locator(".next a").filter({ hasText: "One page of the field" }).click();
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
  await page.getByRole("link", { name: "nine lessons" }).click();
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
