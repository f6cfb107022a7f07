// Everything can be seen and pressed (pressed.mjs), and everything drawn fits its box (drawn.mjs): in all
// views, narrow and wide, zoomed in, with one run and with many.
//
// SWITCHYARD_LONG=1 has all views × 4 widths × 2 themes × 1, 3, 6 and 8 runs looked at.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, finished, long } from "./browser.mjs";
import { drawnWrongly } from "./drawn.mjs";
import { unpressable, unpressableWithin } from "./pressed.mjs";

const { open } = browser();

const SIZES = {
  phone: { viewport: { width: 390, height: 844 } },
  tablet: { viewport: { width: 768, height: 1024 } },
  laptop: { viewport: { width: 1440, height: 900 } },
  desktop: { viewport: { width: 1920, height: 1080 } },
};

/** A laptop at 200 % zoom. */
const ZOOMED = { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 };

const POLICIES = ["fifo", "tiresias-las", "srtf", "las", "fewest-gpus", "gandiva", "yarn-cs", "themis"];
const link = (runs, view, more = "") => `index.html#v=1&sample=lab&t=30000&${POLICIES.slice(0, runs).map((run) => `run=${run}`).join("&")}&view=${view}${more}`;

/** Waits until Compare says where the jobs' time went, which comes last. */
const compared = (page) => page.waitForFunction(() => document.querySelector(".lives .spent-parts") && !document.querySelector(".lives [aria-live]"));

/** The page with so many runs at their end. */
async function opened(t, runs, view, options, more) {
  const page = await open(t, link(runs, view, more), options);
  await finished(page, runs);
  if (view === "compare") await compared(page);
  return page;
}

const tabs = (page) => page.getByRole("tab").evaluateAll((tabs) => tabs.map((tab) => tab.id));

/** Goes to a view by its tab, which is pressed where it lies. */
async function show(page, tab) {
  const at = page.locator(`#${tab}`);
  await at.evaluate((tab) => {
    const [own, list] = [tab, tab.parentElement].map((of) => of.getBoundingClientRect());
    tab.parentElement.scrollLeft += own.left - list.left - 20;
  });
  const { x, y, width, height } = await at.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
  await page.locator(`#${tab}[aria-selected=true]`).waitFor();
  if (tab === "tab-compare") await compared(page);
}

/** Where something lies once it is within the window and has stopped moving. */
async function atRest(locator) {
  const { height } = locator.page().viewportSize();
  for (let before = null, tries = 0; tries < 50; tries++) {
    const box = await locator.boundingBox();
    if (before?.y === box.y && box.y + box.height <= height) return box;
    before = box;
    await locator.page().waitForTimeout(100);
  }
  assert.fail("it does not come into the window");
}

/** What is wrong with every view that there is, one line each. */
async function wrongInViews(page) {
  const wrong = [];
  for (const tab of await tabs(page)) {
    await show(page, tab);
    const { problems, count } = await drawnWrongly(page);
    if (["tab-yard", "tab-timeline", "tab-compare"].includes(tab)) assert.ok(count > 0, `${tab} draws nothing`);
    const pressed = await unpressableWithin(page);
    wrong.push(...[...problems, ...pressed.problems].map((problem) => `${tab}: ${problem}`));
  }
  return wrong;
}

for (const [name, options] of Object.entries({ ...SIZES, "laptop at 200 %": ZOOMED })) {
  test(`on a ${name} everything in Export is saved with a mouse`, async (t) => {
    const page = await opened(t, 3, "compare", options);
    await unpressable(page);
    const button = await page.getByRole("button", { name: "Export", exact: true }).boundingBox();
    await page.mouse.click(button.x + button.width / 2, button.y + button.height / 2);
    // What has come with it.
    const { count, problems } = await unpressable(page);
    assert.ok(count >= 22);
    assert.deepEqual(problems, []);
    // The last one, as far below as a wheel goes.
    const panel = await page.locator("#export-panel").boundingBox();
    await page.mouse.move(panel.x + 20, panel.y + panel.height / 2);
    await page.mouse.wheel(0, 5000);
    const last = await atRest(page.locator("#export-panel button").last());
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.mouse.click(last.x + last.width / 2, last.y + last.height / 2),
    ]);
    assert.match(file.suggestedFilename(), /^lab-8x4-[a-z-]+\.svg$/);
  });

  test(`on a ${name} every control can be pressed, and of all that opens`, async (t) => {
    const page = await opened(t, 3, "yard", options);
    assert.deepEqual(await wrongInViews(page), []);
  });
}

test("of many schedulers each can be chosen in the timelines, on a phone too", async (t) => {
  for (const options of [SIZES.phone, SIZES.tablet]) {
    const page = await opened(t, 8, "timeline", options);
    const { count, problems } = await unpressable(page);
    assert.ok(count > 8);
    assert.deepEqual(problems, [], `${options.viewport.width}`);
  }
});

test("of a chosen job everything can be pressed, on a phone and on a laptop", async (t) => {
  for (const options of [SIZES.phone, SIZES.laptop, ZOOMED]) {
    const page = await opened(t, 3, "yard", options);
    // What the sheet lies over is the view's.
    await unpressable(page);
    await page.evaluate(() => switchyardEmbed.page.select("lab-133"));
    // Where its time went comes a little later than what else there is of it.
    for (const run of [0, 1, 2]) await page.locator(".inspector .spent-parts").nth(run).waitFor();
    const { problems } = await unpressableWithin(page);
    assert.deepEqual(problems, [], `${options.viewport.width}`);
  }
});

test("dialogs opened by a file or a button can be pressed: columns, search, editor", async (t) => {
  for (const options of [SIZES.phone, SIZES.laptop, ZOOMED]) {
    const page = await opened(t, 2, "yard", options);
    const looked = async (what, opened) => {
      await page.locator(opened).first().waitFor();
      const { problems, count } = await unpressable(page);
      assert.ok(count > 0, `${what} has nothing to press`);
      assert.deepEqual(problems, [], `${what}, ${options.viewport.width}`);
    };
    await unpressable(page);
    const csv = `when,how long,cards,who,what,more\n${"2024-03-01 08:00:00,120,4,ann,resnet,1\n".repeat(5)}`;
    await page.getByTestId("file-picker").setInputFiles({ name: "unknown.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await looked("the dialog about columns", "dialog.columns[open]");
    await page.keyboard.press("Escape");
    await page.locator(".refusal").getByRole("button", { name: "Dismiss" }).click();
    await show(page, "tab-timeline");
    await unpressable(page);
    const find = await page.getByRole("button", { name: "Find a job, a tenant or a node" }).boundingBox();
    await page.mouse.click(find.x + find.width / 2, find.y + find.height / 2);
    await page.locator(".search input").pressSequentially("lab-1");
    await looked("the search", ".search [role=option]");
    await page.keyboard.press("Escape");
    if (options !== SIZES.laptop) await page.getByRole("button", { name: "Trace, schedulers and cluster" }).click();
    await page.getByRole("button", { name: "Write a scheduler" }).click();
    await looked("the editor", ".editor .cm-content");
  }
});

test("a first visitor with a zoomed page sees the yards and can press every control", async (t) => {
  const page = await open(t, "index.html", ZOOMED);
  await finished(page, 2);
  await page.getByRole("region", { name: "What this is" }).waitFor();
  const { problems, count } = await drawnWrongly(page);
  assert.ok(count > 0);
  assert.deepEqual(problems, []);
  const canvas = page.locator(".yard canvas").first();
  assert.ok((await canvas.boundingBox()).height >= 100);
  assert.deepEqual((await unpressableWithin(page)).problems, []);
});

test("the meaning of a term opens within the window", async (t) => {
  for (const options of [SIZES.phone, SIZES.laptop]) {
    const page = await opened(t, 2, "yard", options);
    for (const view of ["yard", "compare"]) {
      await show(page, `tab-${view}`);
      for (const term of (await page.locator("button.term:visible").all()).slice(0, 12)) {
        await term.focus();
        const meaning = page.locator(".meaning:visible");
        const box = await meaning.boundingBox();
        const { width, height } = options.viewport;
        assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height, `${await meaning.textContent()} ${JSON.stringify(box)}`);
      }
    }
  }
});

test("the question what if a node dies stands beside the facts or below, never over them", async (t) => {
  const page = await opened(t, 3, "yard", SIZES.laptop);
  for (const width of [768, 1100, 1260, 1366, 1440, 1536, 1720, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const over = await page.evaluate(() =>
      [...document.querySelectorAll(".yard")].flatMap((yard) => {
        const ask = yard.querySelector(".ask").getBoundingClientRect();
        const facts = [...yard.querySelectorAll(".yard-facts dl div, .situation")].map((fact) => fact.getBoundingClientRect());
        const covers = (fact) => fact.left < ask.right && ask.left < fact.right && fact.top < ask.bottom && ask.top < fact.bottom;
        const isCut = (fact) => fact.right > yard.getBoundingClientRect().right;
        return facts.filter((fact) => covers(fact) || isCut(fact));
      }),
    );
    assert.deepEqual(over, [], `${width}`);
  }
});

for (const runs of [1, 6, 8]) {
  test(`with ${runs} ${runs === 1 ? "run" : "runs"} all that is drawn fits its box: as runs come, after a resize, with a chosen job, after another view`, async (t) => {
    const page = await open(t, link(1, "compare"), { ...SIZES.laptop, deviceScaleFactor: 1.5 });
    await finished(page, 1);
    // Runs come one after the other: what stood in the page before stays.
    for (let at = 2; at <= runs; at += 1) {
      await page.getByLabel("Add a scheduler").selectOption(POLICIES[at - 1]);
      await finished(page, at);
    }
    const fits = async (when) => {
      const { problems, count } = await drawnWrongly(page);
      assert.ok(count >= (runs > 1 ? 7 : 6), `${when}: ${count} drawn`);
      assert.deepEqual(problems, [], when);
    };
    await fits("at first");
    // Each name in a legend has its line before it, whole.
    const lines = await page.locator(".chart .legend svg").evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().width));
    assert.ok(lines.every((width) => width === 22) && lines.length >= (runs > 3 ? 5 * runs : 0), `${lines}`);
    await page.setViewportSize({ width: 1100, height: 800 });
    await fits("after a resize");
    await page.evaluate(() => switchyardEmbed.page.select("lab-131"));
    await page.locator(".inspector").waitFor();
    await fits("with a chosen job");
    await page.evaluate(() => switchyardEmbed.page.select("lab-12"));
    await fits("with another one");
    await show(page, "tab-yard");
    await show(page, "tab-compare");
    await fits("after another view");
    await page.keyboard.press("Escape");
    await fits("without a chosen job");
  });
}

test("all views × 4 widths × 2 themes × 1, 3, 6 and 8 runs", long, async (t) => {
  for (const [name, options] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"]) {
      for (const runs of [1, 3, 6, 8]) {
        await t.test(`${name}, ${colorScheme}, ${runs}`, async (t) => {
          const page = await opened(t, runs, "yard", { ...options, colorScheme });
          const { problems } = await unpressableWithin(page);
          assert.deepEqual([...problems, ...(await wrongInViews(page))], []);
        });
      }
    }
  }
});
