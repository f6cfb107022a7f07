// The page while somebody works with it: what is typed stays, what is open beside a change stays, and what is shown
// follows the clock.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, dist, finished, picture, screenshot } from "./browser.mjs";

// Yew checks its tree only where debug assertions are on.
const { open } = browser([], process.env.SWITCHYARD_PAGE ?? dist);

/** Marks an element, to see later whether it is still the same one. */
const mark = (locator) => locator.evaluate((element) => (element.isTheSame = true));
const isMarked = (locator) => locator.evaluate((element) => element.isTheSame === true);

test("every view opens, queues of several schedulers too", async (t) => {
  const page = await open(t, "index.html#v=1&t=30000&run=fifo&run=tiresias-las&run=tiresias-las[queues=2]");
  await finished(page, 3);
  for (const view of ["Queues", "Goodput", "Jobs", "Compare", "Timeline", "Queues", "Yard"]) {
    await page.getByRole("tab", { name: view }).click();
    await page.locator(`.view[aria-labelledby="tab-${view.toLowerCase()}"]`).waitFor();
    await page.waitForTimeout(200);
  }
  await page.getByRole("tab", { name: "Queues" }).click();
  await page.getByRole("region", { name: "Yard of Tiresias 2D-LAS", exact: true }).waitFor();
  await page.getByRole("group", { name: "Scheduler shown" }).getByRole("button").nth(1).click();
  await page.getByRole("region", { name: "Yard of Tiresias 2D-LAS (queues=2)" }).waitFor();
});

test("choosing and closing a job leaves the list of jobs as it was", async (t) => {
  const page = await open(t, "index.html#v=1&view=jobs&t=0&run=fifo");
  await finished(page, 1);
  const filter = page.getByRole("searchbox", { name: "Filter jobs" });
  await filter.fill("gpus<=4");
  await page.getByRole("button", { name: "Duration" }).click();
  await page.getByRole("columnheader", { name: "Duration" }).and(page.locator("[aria-sort=ascending]")).waitFor();
  const list = page.locator(".jobs-list");
  await list.evaluate((list) => (list.scrollTop = 28 * 20));
  const grid = page.getByRole("grid", { name: "Jobs" });
  await grid.focus();
  await page.waitForTimeout(200);
  await mark(grid);
  const as = async (when) => {
    assert.ok(await isMarked(grid), `${when}: the same table`);
    assert.equal(await filter.inputValue(), "gpus<=4", when);
    assert.equal(await list.evaluate((list) => list.scrollTop), 28 * 20, when);
    assert.equal(await page.locator("th[aria-sort=ascending]").textContent(), "Duration▲", when);
    assert.ok(await grid.evaluate((grid) => grid === document.activeElement), `${when}: the focus`);
  };
  await page.locator("tbody tr[aria-rowindex]").nth(15).dispatchEvent("click");
  await page.getByRole("region", { name: /^Job / }).waitFor();
  await as("a job is chosen");
  await page.keyboard.press("Escape");
  await page.getByRole("region", { name: /^Job / }).waitFor({ state: "detached" });
  await as("it is closed");
});

test("a timeline keeps its zoom, and keys their canvas, when a job is chosen", async (t) => {
  const page = await open(t, "index.html#v=1&view=timeline&t=0&run=fifo");
  await finished(page, 1);
  const canvas = page.locator(".timeline canvas");
  const { x, y, width, height } = await canvas.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.waitForTimeout(300);
  const whole = await picture(canvas);
  for (let i = 0; i < 4; i += 1) await page.keyboard.press("w");
  await page.waitForTimeout(600);
  assert.notEqual(await picture(canvas), whole, "w zooms");
  await mark(canvas);
  await page.mouse.click(x + width / 2, y + height / 2);
  const inspector = page.getByRole("region", { name: /^Job / });
  await inspector.waitFor();
  assert.ok(await isMarked(canvas), "choosing keeps the canvas");
  await inspector.getByRole("button", { name: "Close the job" }).focus();
  await page.keyboard.press("Escape");
  await inspector.waitFor({ state: "detached" });
  assert.ok(await isMarked(canvas), "closing keeps the canvas");
});

test("keys reach a view that was opened by a key", async (t) => {
  const page = await open(t, "index.html#v=1&view=yard&t=0&run=fifo");
  await finished(page, 1);
  await page.keyboard.press("2");
  const canvas = page.locator(".timeline canvas");
  await canvas.waitFor();
  await page.waitForTimeout(400);
  const before = await picture(canvas);
  await page.keyboard.press("w");
  await page.waitForTimeout(600);
  assert.notEqual(await picture(canvas), before, "w zooms");
});

/** The fields of the rail that hold settings of all runs, and what is typed into them. */
const SETTINGS = [
  ["Nodes", "12"],
  ["GPUs per node", "6"],
  ["As text", "3x4"],
  ["Restart cost (s)", "45"],
  ["Interference (share lost)", "0.25"],
  ["Seed", "77"],
];

test("text that is being typed stays while schedulers run", async (t) => {
  const page = await open(t, "index.html#v=1&sample=fleet&cluster=2x8&t=0&run=las[quantum=60]&run=gandiva[quantum=60]");
  const rail = page.getByRole("complementary", { name: "Trace, schedulers and cluster" });
  const running = page.locator("[data-status=running]");
  await running.first().waitFor();
  await rail.getByText("More", { exact: true }).click();
  const field = (name) => rail.getByLabel(name, { exact: true }).first();
  for (const [name, typed] of SETTINGS) {
    await field(name).focus();
    // What was typed before is taken in when its field loses the focus, and may change this one.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await page.keyboard.press("Control+A");
    for (const key of typed) {
      await page.keyboard.type(key);
      // Progress is told several times a second: each time the page is rendered anew.
      const before = await rail.locator(".cards").innerText();
      await page.waitForFunction((before) => document.querySelector(".cards").innerText !== before, before);
    }
    assert.equal(await field(name).inputValue(), typed, name);
  }
  assert.ok((await running.count()) > 0, "the test needs runs that are still under way");
});

test("quick edits add up", async (t) => {
  const page = await open(t, "index.html#v=1&t=0&run=tiresias-las");
  await finished(page, 1);
  const rail = page.getByRole("complementary", { name: "Trace, schedulers and cluster" });
  await rail.getByText("More", { exact: true }).click();
  await rail.getByRole("button", { name: "Tiresias 2D-LAS", exact: true }).click();
  // All within one turn: nothing is rendered between one edit and the next.
  await page.evaluate((edits) => {
    for (const [name, typed] of edits) {
      const named = (label) => label.firstChild.textContent === name;
      const input = [...document.querySelectorAll(".rail label")].find(named).querySelector("input");
      input.value = typed;
      input.dispatchEvent(new InputEvent("input", { bubbles: true }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }, [["Nodes", "3"], ["GPUs per node", "2"], ["Restart cost (s)", "45"], ["Seed", "77"], ["queues", "2"], ["knob", "4"]]);
  await rail.getByText("6 GPUs, chosen by you").waitFor();
  const value = (name) => rail.getByLabel(name, { exact: true }).first().inputValue();
  assert.equal(await value("Nodes"), "3");
  assert.equal(await value("Restart cost (s)"), "45");
  assert.equal(await value("Seed"), "77");
  assert.equal(await rail.locator(".params").getByLabel("As text").inputValue(), "tiresias-las[queues=2,knob=4]");
});

test("a refused value stays in its field, with the reason below it", async (t) => {
  const page = await open(t, "index.html#v=1&t=0&run=fifo");
  await finished(page, 1);
  const nodes = page.getByRole("spinbutton", { name: "Nodes", exact: true });
  await nodes.fill("0");
  await nodes.press("Enter");
  const alert = page.locator(".pair").getByRole("alert");
  await alert.waitFor();
  assert.equal(await nodes.inputValue(), "0");
  assert.equal(await nodes.getAttribute("aria-invalid"), "true");
  await nodes.fill("5");
  await nodes.press("Enter");
  await alert.waitFor({ state: "detached" });
  await page.getByText("20 GPUs, chosen by you").waitFor();
});

test("an embedded view is the one that is named, and nothing in it lies on anything else", async (t) => {
  for (const [view, content] of [["timeline", ".timeline canvas"], ["jobs", ".jobs-list"], ["yard", ".yard canvas"]]) {
    const page = await open(t, `index.html?embed=${view}#v=1&t=30000&run=fifo`, { viewport: { width: 390, height: 480 } });
    await page.locator(content).first().waitFor();
    const boxes = await page.locator("main, .player > *, .way-back").evaluateAll((elements) =>
      elements.map((element) => ({ name: element.className || element.tagName, ...element.getBoundingClientRect().toJSON() })));
    for (const [i, a] of boxes.entries()) {
      assert.ok(a.right <= 390 && a.bottom <= 480, `${a.name} is cut off`);
      for (const b of boxes.slice(i + 1)) {
        const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        assert.ok(apart, `${a.name} lies on ${b.name}`);
      }
    }
  }
});

test("the scrubber has room at every width", async (t) => {
  for (const width of [390, 601, 720, 1024]) {
    const page = await open(t, "index.html#v=1&t=30000&run=fifo", { viewport: { width, height: 800 } });
    await finished(page, 1);
    const { width: room } = await page.locator(".player .strip").boundingBox();
    assert.ok(room >= 150, `${room} px of ${width}`);
  }
});

test("an explanation is shown for its own moment only, and tooltips follow the clock", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=las[quantum=1]&t=1&speed=1&view=yard");
  await finished(page, 1);
  // The place of a job on the yard.
  const canvas = page.locator(".yard canvas");
  const { x, y, width, height } = await canvas.boundingBox();
  const tooltip = page.locator("#tooltip");
  let found = null;
  for (let down = 20; down < height && !found; down += 12) {
    for (let across = 20; across < width && !found; across += 12) {
      await page.mouse.move(x + across, y + down);
      if (/^J\d/.test(await tooltip.textContent()) && (await tooltip.isVisible())) found = { across, down };
    }
  }
  assert.ok(found, "a job is on the yard");
  await page.mouse.click(x + found.across, y + found.down);
  const why = page.locator(".why").first();
  await why.locator(".job-facts > div").first().waitFor();
  assert.equal(await why.locator(".as-of").count(), 0);
  // The pointer rests on what it has found while time passes.
  await page.mouse.move(x + found.across + 1, y + found.down);
  await page.waitForTimeout(200);
  const before = await tooltip.textContent();
  await page.keyboard.press(" ");
  await page.waitForFunction((before) => document.querySelector("#tooltip").textContent !== before || document.querySelector("#tooltip").hidden, before);
  await why.getByText(/as of .*00:00:01/).waitFor();
  await why.getByText(/pause the clock to ask again/).waitFor();
  await page.keyboard.press(" ");
  await why.locator(".as-of").waitFor({ state: "detached" });
  // A tooltip does not outlive what it is about.
  await page.mouse.move(x + found.across, y + found.down);
  await page.keyboard.press("3");
  await page.locator(".compare").waitFor();
  assert.ok(await tooltip.isHidden());
});

test("no duration has a sign that it should not have, no sentence two ends", async (t) => {
  const page = await open(t, "index.html#v=1&t=30000&run=fifo&job=3");
  await finished(page, 1);
  const life = page.locator(".life-bar svg").first();
  await life.waitFor();
  assert.match(await life.getAttribute("aria-label"), /restarts 0 s/);
  for (const title of await page.locator(".card .name").evaluateAll((names) => names.map((name) => name.title))) {
    assert.doesNotMatch(title, /\.\./);
  }
});

test("the guide asks before it takes the place of what is open", async (t) => {
  const page = await open(t, "index.html#v=1&t=30000&run=las");
  await finished(page, 1);
  const wish = page.getByRole("button", { name: "Three jobs, step by step" });
  const guide = page.getByRole("region", { name: "Guide: three jobs" });
  await wish.click();
  await guide.getByText("instead of your list of schedulers").waitFor();
  await guide.getByRole("button", { name: "Stay here" }).click();
  await guide.waitFor({ state: "detached" });
  assert.equal(await page.locator(".card").count(), 1);
  const samples = page.getByRole("combobox", { name: /^Sample/ });
  await samples.selectOption("three-jobs");
  await guide.waitFor();
  assert.equal(await samples.inputValue(), "lab", "the list of samples shows what is still open");
  await page.keyboard.press("Escape");
  await guide.waitFor({ state: "detached" });
  await wish.click();
  await guide.getByRole("button", { name: "Open the guide" }).click();
  await guide.getByText("1 of 5").waitFor();
  await page.locator("header .facts").getByText("Three jobs").waitFor();
});

test("a table of jobs has no column that no job has anything in", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&view=jobs&run=fifo&t=1");
  await finished(page, 1);
  const heads = page.getByRole("columnheader");
  assert.equal(await heads.filter({ hasText: "Tenant" }).count(), 0);
  assert.equal(await heads.count(), 5);
  assert.equal(await page.locator("tbody tr[aria-rowindex]").first().locator("td").count(), 5);
});

test("a cluster is made by hand: its edges are dragged, or moved by keys, and every run is anew", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0&cluster=8x4");
  await finished(page, 1);
  const drawn = page.getByRole("group", { name: "the cluster, drawn" });
  await drawn.getByText("8 nodes × 4 GPUs").waitFor();
  const nodes = drawn.getByRole("slider", { name: "Nodes of the cluster", exact: true });
  const gpus = drawn.getByRole("slider", { name: "GPUs per node of the cluster" });
  await nodes.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await nodes.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 3 * 14, y + height / 2, { steps: 4 });
  await drawn.getByText("11 nodes × 4 GPUs").waitFor();
  await page.mouse.up();
  await page.waitForFunction(() => /cluster=11x4/.test(location.hash));
  assert.equal(await page.getByRole("spinbutton", { name: "Nodes", exact: true }).inputValue(), "11");
  await gpus.focus();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => /cluster=11x5/.test(location.hash));
  await nodes.focus();
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => /cluster=10x5/.test(location.hash));
  await finished(page, 1);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "cluster-by-hand");
});

test("the introduction stays closed once a visitor has closed it", async (t) => {
  const page = await open(t, "index.html");
  const words = page.getByRole("region", { name: "What this is" });
  await words.waitFor();
  await words.getByRole("button", { name: "Close this introduction" }).click();
  await words.waitFor({ state: "detached" });
  await page.reload();
  await finished(page, 2);
  assert.equal(await words.count(), 0);
});
