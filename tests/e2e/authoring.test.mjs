// What stands around the text of a scheduler in the editor: the reference, the course, what a text changes, files of one's
// own, completion, Stop, and mistakes with their values.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chainBefore, habits, kindOf } from "../../web/editor/src/likely.js";
import { accessibilityProblems, browser, cards, finished, give, screenshot } from "./browser.mjs";
import { asked, begin, text, write } from "./editor.mjs";

const { open } = browser();

const LAB = "index.html#v=1&sample=lab&run=fifo&run=tiresias-las";
const WIDE = { viewport: { width: 1440, height: 900 } };
const FEWEST = "fn key(job, now) {\n  job.gpus\n}\n";
const LAS = "fn key(job, now) {\n  job.attained\n}\n";

const beside = (page) => page.locator(".editor .beside");
const pane = (page, name) => page.locator(".editor .panes").getByRole("button", { name, exact: true });
const said = (page) => page.locator(".editor .said").first();
const written = async (page) => (await text(page).innerText()).replaceAll("\u00a0", " ").trim();
/** Puts another text there, and waits until it has run. */
async function run(page, script) {
  const { spec } = await asked(page, { what: "check", text: script, name: "", like: "" });
  const code = /code=([^,\]]+)/.exec(spec)[1];
  await write(page, script);
  await page.waitForFunction((code) => switchyardEmbed.page.cards().some(({ spec, status }) => spec.includes(code) && status === "done"), code, { timeout: 60_000 });
  await said(page).filter({ hasText: "has run." }).waitFor();
}
const own = (page) => page.getByRole("combobox", { name: "Your files" });
const listed = (page) => own(page).locator("option").allInnerTexts();

test("of which kind something is follows from the text before it", () => {
  const words = [
    { of: "view", name: "waiting", signature: "jobs" },
    { of: "view", name: "now", signature: "s" },
    { of: "jobs", name: "filter", signature: "(|job| …)" },
    { of: "job", name: "nodes", signature: "array" },
    { of: "job", name: "tenant_name", signature: "text" },
  ];
  const kind = (before, chain) => kindOf(chain, before, words);
  assert.equal(kind("", "job"), "job");
  assert.equal(kind("", "view.waiting"), "jobs");
  assert.equal(kind("", "view.waiting[0]"), "job");
  assert.equal(kind("", "view.waiting.filter(|j| j.gpus > 1)"), "jobs");
  assert.equal(kind("for one in view.waiting { ", "one"), "job");
  assert.equal(kind("for (one, i) in view.waiting { ", "one.nodes"), "array");
  assert.equal(kind("let left = view.waiting;\n", "left"), "jobs");
  assert.equal(kind("let used = #{};\n", "used"), "map");
  assert.equal(kind("let all = [];\n", "all"), "array");
  assert.equal(kind("view.waiting.filter(|j| ", "j.tenant_name"), "text");
  assert.equal(kind("", "view.now"), null);
  assert.equal(kind("let a = b; let b = a; ", "a"), null);
  assert.equal(chainBefore("x = view.waiting.filter(|j| j.gpus > (1 + 2))"), "view.waiting.filter(|j| j.gpus > (1 + 2))");
  assert.equal(chainBefore("max(1, job"), "job");
});

test("what one has written often is likelier than what one never has", () => {
  const plan = "fn plan(view) {\n  for job in view.waiting { start(job); }\n}\n";
  const likely = habits([LAS, plan], [], "fn key(job, now) {\n  ");
  assert.ok(likely("attained", ".") > likely("gpus", "."));
  assert.ok(likely("attained", ".") > likely("waiting", "."), "the other level counts less");
  const other = habits([LAS, plan], [FEWEST, FEWEST], "fn key(job, now) {\n  ");
  assert.ok(other("gpus", ".") > other("attained", "."));
  assert.equal(likely("application", "."), 0);
});

test("the reference follows the cursor, and inserts its examples", async (t) => {
  const page = await open(t, LAB, WIDE);
  await begin(page);
  await write(page, "// \nfn key(job, now) {\n  job.attained\n}\n");
  // A click on a word.
  const word = page.locator(".cm-content span").filter({ hasText: /^attained$/ });
  await word.click();
  const entry = beside(page).locator("article");
  await entry.getByText("Attained service", { exact: false }).waitFor();
  assert.equal(await entry.locator("h3").innerText(), "job.attained");
  await screenshot(page, "editor-reference");
  // The keys do the same.
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Home");
  await entry.getByRole("heading", { name: /^fn/ }).waitFor();

  await beside(page).getByText("At the top (", { exact: false }).click();
  await beside(page).getByRole("button", { name: "EVERY", exact: true }).click();
  await beside(page).getByRole("button", { name: "Insert", exact: true }).click();
  assert.match(await written(page), /^\/\/\s*\nconst EVERY = 60;\nfn key/);
  await said(page).filter({ hasText: "has run." }).waitFor();
  const { examples, words } = await asked(page, { what: "describe" });
  assert.ok(examples.length > 5);
  for (const { name, example } of words) assert.ok(example.includes(name), name);
});

test("the likeliest completion stands first, of the kind that is meant", async (t) => {
  const page = await open(t, LAB, WIDE);
  await begin(page);
  const options = page.locator(".cm-tooltip-autocomplete li .cm-completionLabel");
  const offered = async () => {
    await options.first().waitFor();
    return options.allInnerTexts();
  };
  await write(page, "");
  await page.keyboard.type("fn key(job, now) {\n\njob.", { delay: 5 });
  const fields = await offered();
  assert.ok(["attained", "gpus", "submit"].includes(fields[0]), fields.join(" "));
  assert.ok(fields.indexOf("attained") < fields.indexOf("application"));
  assert.ok(!fields.includes("waiting"), "of a job alone");
  await page.keyboard.press("Escape");

  await write(page, "fn plan(view) {\n  for one in view.waiting {\n    one\n  }\n}\n");
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < 2; line += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.type(".");
  const ofOne = await offered();
  assert.ok(ofOne.includes("gpus") && !ofOne.includes("waiting"), ofOne.join(" "));
  await page.keyboard.press("Escape");

  await write(page, "");
  await page.keyboard.type("const E");
  assert.equal((await offered())[0], "EVERY");
  // In the first 75 ms Enter is not meant for a list that comes while somebody types.
  await page.waitForTimeout(100);
  await page.keyboard.press("Enter");
  assert.equal(await written(page), "const EVERY = 60;");
});

test("six edits lead from FIFO to 2D-LAS; a goal is ticked off by the run, and by nothing else", { timeout: 240_000 }, async (t) => {
  const page = await open(t, LAB, WIDE);
  await begin(page);
  await pane(page, "Teach me").click();
  await beside(page).getByRole("button", { name: "Begin", exact: true }).click();
  const now = beside(page).locator("[aria-current=step]");
  const state = now.locator("[role=status]");
  await now.waitFor();
  assert.match(await written(page), /^\/\/ First in/);
  await state.filter({ hasText: "Not yet" }).waitFor();
  await screenshot(page, "editor-course");

  // Words alone reach nothing: the constant stands in a comment.
  await run(page, "const PREEMPTIVE = false;\n// const BACKFILL = true;\nfn key(job, now) {\n  job.submit\n}\n");
  await state.filter({ hasText: "Not yet" }).waitFor();
  assert.equal(await beside(page).locator("li.done").count(), 0);

  // The first is done in other words than the course's own.
  await run(page, "const BACKFILL = 1 < 2;\nconst PREEMPTIVE = !BACKFILL;\nfn key(job, now) {\n  job.id\n}\n");
  await state.filter({ hasText: "Reached." }).waitFor();
  for (let at = 1; at < 6; at += 1) {
    await beside(page).getByRole("button", { name: "Next edit" }).click();
    await page.waitForFunction((at) => document.querySelectorAll(".course li")[at].getAttribute("aria-current") === "step", at);
    await state.filter({ hasText: "Not yet" }).waitFor();
    assert.equal(await beside(page).locator("li.done").count(), at, "the edit before does not do");
    if (at === 3) {
      // An oracle does not count.
      assert.match(await state.innerText(), /oracle/);
    }
    await now.getByText("What to change").click();
    await now.getByRole("button", { name: "Write it for me" }).click();
    await state.filter({ hasText: "Reached." }).waitFor();
  }
  assert.equal(await beside(page).locator("li.done").count(), 6);
  assert.equal(await beside(page).locator("button").filter({ hasText: "Next edit" }).isVisible(), false);
  await beside(page).getByText("That is it.").waitFor();
  await screenshot(page, "editor-course-over");
  assert.deepEqual(await accessibilityProblems(page), []);

  // It is kept.
  await page.reload();
  await text(page).waitFor();
  await beside(page).locator("li.done").nth(5).waitFor();
  assert.match(await written(page), /level/);
});

test("the last lesson leads to the course", async (t) => {
  const page = await open(t, "lessons/9-types.html");
  const link = page.locator("a").filter({ hasText: "from FIFO to 2D-LAS in six edits" });
  const address = await link.getAttribute("href");
  const there = await open(t, `lessons/${address}`, WIDE);
  await beside(there).locator("[aria-current=step]").waitFor();
  assert.match(await written(there), /^\/\/ First in/);
  // Whoever loads it again goes on where they were.
  await run(there, LAS);
  await there.reload();
  await beside(there).locator("[aria-current=step]").waitFor();
  assert.equal(await written(there), LAS.trim());
});

test("whatever is typed is a file of its name, until it is removed", async (t) => {
  const page = await open(t, LAB, WIDE);
  await begin(page);
  assert.equal(await own(page).isVisible(), false, "an example that nobody has changed is none");
  await run(page, FEWEST);
  assert.deepEqual(await listed(page), ["My FIFO"]);
  await page.getByLabel("Name of the scheduler").fill("small first");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => JSON.parse(localStorage.getItem("switchyard scripts"))[0].name === "small first");
  assert.deepEqual(await listed(page), ["small first"]);

  await page.getByRole("combobox", { name: "Start from an example" }).selectOption("las");
  await finished(page, 6);
  await run(page, LAS);
  assert.deepEqual(await listed(page), ["small first", "My LAS"]);
  await own(page).selectOption({ label: "small first" });
  await page.waitForFunction(() => JSON.parse(localStorage.getItem("switchyard script")).name === "small first");
  assert.equal(await written(page), FEWEST.trim());
  assert.equal(await page.getByLabel("Name of the scheduler").inputValue(), "small first");
  // Back and forth adds nothing to the list of schedulers.
  await said(page).filter({ hasText: "has run." }).waitFor();
  const many = (await cards(page)).length;
  await own(page).selectOption({ label: "My LAS" });
  await said(page).filter({ hasText: "My LAS has run." }).waitFor();
  assert.equal((await cards(page)).length, many);

  // A dropped file is one, too, and a second one of its name has another.
  await give(page, { name: "small first.rhai", mimeType: "", buffer: Buffer.from("// another\n" + FEWEST) });
  await page.waitForFunction(() => JSON.parse(localStorage.getItem("switchyard scripts")).length === 3);
  assert.deepEqual(await listed(page), ["small first", "My LAS", "small first 2"]);

  await page.getByRole("button", { name: "Remove", exact: true }).click();
  assert.deepEqual((await listed(page)).slice(1), ["small first", "My LAS"]);
  assert.match(await written(page), /another/, "the text stays");
  await page.getByRole("button", { name: "Put it back" }).click();
  assert.deepEqual(await listed(page), ["small first", "My LAS", "small first 2"]);
  await page.reload();
  await text(page).waitFor();
  assert.deepEqual(await listed(page), ["small first", "My LAS", "small first 2"]);
  assert.match(await written(page), /another/);
});

test("what was being written before there were files becomes one", async (t) => {
  const draft = { open: true, text: "// mine\n" + FEWEST, name: "Old", live: "", kept: "" };
  const before = (page) => page.addInitScript((draft) => localStorage.getItem("switchyard script") ?? localStorage.setItem("switchyard script", JSON.stringify(draft)), draft);
  const page = await open(t, LAB, { ...WIDE, before });
  await text(page).waitFor();
  await said(page).filter({ hasText: "has run." }).waitFor();
  assert.equal(await written(page), draft.text.trim());
  assert.deepEqual(await listed(page), ["Old"]);
});

test("what a text changes is shown in it and job by job; a name opens its job", async (t) => {
  const page = await open(t, LAB, WIDE);
  await begin(page);
  await run(page, FEWEST);
  await page.getByRole("button", { name: "Keep", exact: true }).click();
  await pane(page, "Changes").click();
  await beside(page).getByText("There is no version before").waitFor();
  await run(page, LAS);
  await beside(page).getByText("1 place differs from").waitFor();
  await page.locator(".cm-deletedChunk").filter({ hasText: "job.gpus" }).waitFor();
  await page.locator(".cm-changedLine").filter({ hasText: "job.attained" }).waitFor();
  const rows = beside(page).locator("tbody tr");
  await rows.first().waitFor();
  const changed = await page.evaluate(() => {
    const [before, after] = switchyardEmbed.page.cards().slice(-2);
    return switchyardEmbed.page.changedJobs(before.id, after.id);
  });
  assert.equal(await rows.count(), Math.min(40, changed.sooner + changed.later));
  const sizes = changed.jobs.map(({ before, after }) => Math.abs(after - before));
  assert.deepEqual(sizes, [...sizes].sort((a, b) => b - a));
  await screenshot(page, "editor-changes");
  assert.deepEqual(await accessibilityProblems(page), []);
  await rows.nth(1).getByRole("button").click();
  const name = await rows.nth(1).getByRole("button").innerText();
  assert.equal(await page.evaluate(() => switchyardEmbed.page.look().selected), name);
  // The same text again is no difference.
  await run(page, FEWEST);
  await beside(page).getByText("The text is that of").waitFor();
  await beside(page).getByText("are done when they were before").waitFor();
  await pane(page, "Changes").click();
  assert.equal(await page.locator(".cm-deletedChunk").count(), 0);
});

test("Stop ends a run, and it can be run again", async (t) => {
  const page = await open(t, LAB, WIDE);
  await begin(page);
  await write(page, "fn key(job, now) {\n  let n = 0;\n  for i in 0..4000 { n += i; }\n  job.gpus + random()\n}\n");
  const stop = page.locator(".panes").getByRole("button", { name: "Stop", exact: true });
  await page.waitForFunction(() => switchyardEmbed.page.cards().at(-1).status === "running", null, { timeout: 60_000 });
  await stop.click();
  await said(page).filter({ hasText: "was cancelled." }).waitFor();
  assert.equal((await cards(page)).at(-1).status, "cancelled");
  await page.locator(".panes").getByRole("button", { name: "Run again" }).click();
  await page.waitForFunction(() => switchyardEmbed.page.cards().at(-1).status === "running");
  await stop.click();
  await said(page).filter({ hasText: "was cancelled." }).waitFor();
  await run(page, LAS);
});

test("a mistake names the job and the values that were read, and tenants have names", async (t) => {
  const page = await open(t, LAB, WIDE);
  await begin(page);
  await write(page, "fn key(job, now) {\n  let n = job.gpus - job.gpus;\n  1 / n\n}\n");
  const wrong = page.locator(".editor [role=alert]");
  await wrong.filter({ hasText: "job 'lab-000' (" }).waitFor();
  assert.match(await wrong.innerText(), /Line 3.*gpus = \d+.*n = 0/s);
  await run(page, 'fn key(job, now) {\n  if job.tenant_name == "vision" { 0 } else { 1 }\n}\n');
});

for (const [name, options] of [
  ["light", { ...WIDE, colorScheme: "light" }],
  ["dark", { ...WIDE, colorScheme: "dark" }],
  ["on a phone", { viewport: { width: 390, height: 844 }, hasTouch: true }],
]) {
  test(`what stands beside the text is in order, ${name}`, async (t) => {
    const page = await open(t, LAB, options);
    await finished(page, 2);
    if (options.hasTouch) await page.getByRole("button", { name: "Trace, schedulers and cluster" }).click();
    await begin(page);
    if (options.hasTouch) assert.equal(await beside(page).isVisible(), false, "the text comes first");
    await run(page, "// Least attained service first.\nconst EVERY = 60;\nfn key(job, now) {\n  job.attained\n}\n");
    for (const of of ["Reference", "Changes", "Teach me"]) {
      const toggle = pane(page, of);
      if ((await toggle.getAttribute("aria-pressed")) !== "true") await toggle.click();
      if (of === "Reference") {
        await page.locator(".cm-content span").filter({ hasText: /^attained$/ }).first().click();
        await beside(page).getByText("A job (").click();
      }
      if (of === "Teach me") {
        await beside(page).getByRole("button", { name: "Begin", exact: true }).click();
        await beside(page).locator("[aria-current=step]").getByText("Not yet", { exact: false }).waitFor();
      }
      await beside(page).scrollIntoViewIfNeeded();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `it is ${wide} px too wide`);
      assert.deepEqual(await accessibilityProblems(page), [], of);
      await screenshot(page, `editor-${of.replaceAll(" ", "-")}-${name.replaceAll(" ", "-")}`);
    }
  });
}
