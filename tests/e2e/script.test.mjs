// A scheduler that somebody writes beside the yard: the editor, what comes of each change, that nobody downloads
// any of it who does not write one; and schedulers in files, scripts and plug-ins.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync, inflateRawSync } from "node:zlib";
import { accessibilityProblems, browser, cards, dist, emptyFolder, finished, give, long, results, screenshot } from "./browser.mjs";
import { asked, begin, text, write } from "./editor.mjs";

const { open } = browser();
const cli = process.env.SWITCHYARD_CLI;
const traces = process.env.SWITCHYARD_TRACES;

const LAB = "index.html#v=1&sample=lab&run=fifo&run=tiresias-las";
const LAS = "fn key(job, now) {\n  job.attained * job.gpus\n}\n";
const SMALLEST = "fn key(job, now) {\n  job.gpus\n}\n";

const table = (page) => page.getByRole("table").filter({ hasText: "mean JCT" });
const wrong = (page) => page.locator(".editor [role=alert]");
const runsOf = async (page) => (await results(page)).runs;

/** Waits until the text has run to its end, as the last of so many. */
async function ran(page, script, runs) {
  const spec = (await asked(page, { what: "check", text: script, name: "", like: "" })).spec;
  const code = /code=([^,\]]+)/.exec(spec)[1];
  await page.waitForFunction(
    ([code, runs]) => {
      const all = switchyardEmbed.page.cards();
      const last = all.at(-1);
      return all.length === runs && last.spec.includes(code) && last.status === "done";
    },
    [code, runs],
    { timeout: 60_000 },
  );
}

for (const [where, address] of [
  ["as it is published", LAB],
  ["in the single file", pathToFileURL(join(dist, "switchyard.html")).href],
]) {
  test(`who never writes a scheduler downloads nothing of it, ${where}`, async (t) => {
    const seen = [];
    const note = (page) => page.on("request", (request) => seen.push(request.url()));
    const page = await open(t, address, { before: note });
    const ofIt = () => seen.filter((url) => /\/(editor|scripts)(_bg)?\.(js|wasm)/.test(url)).length;
    await finished(page, 2);
    await page.waitForLoadState("networkidle");
    assert.equal(ofIt(), 0);
    await begin(page);
    await finished(page, 3);
    await write(page, SMALLEST);
    await ran(page, SMALLEST, 4);
    // The editor, and the program's script and wasm; the single file has all within.
    assert.equal(ofIt(), address === LAB ? 3 : 0);
  });
}

test("the size of the script program is printed, compressed", (t) => {
  const size = (name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length / 1024;
  const [program, editor] = [size("scripts.js") + size("scripts_bg.wasm"), size("editor.js")];
  t.diagnostic(`scripts: ${program.toFixed(1)} KB, editor: ${editor.toFixed(1)} KB`);
  assert.ok(editor <= 160 && program <= 2500, "both are small enough to be waited for");
});

test("a scheduler is written from nothing by keyboard alone, and a mistake is shown at its line", async (t) => {
  const page = await open(t, LAB, { viewport: { width: 1440, height: 900 } });
  await finished(page, 2);
  const button = page.getByRole("button", { name: "Write a scheduler" });
  await button.focus();
  await page.keyboard.press("Enter");
  await text(page).waitFor();
  await finished(page, 3);
  assert.ok(await text(page).evaluate((element) => element.getRootNode().activeElement === element), "the text has the focus");
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  // The bracket that ends it comes by itself, and lines are indented.
  await page.keyboard.type("fn key(job, now) {\njob.gpus");
  const typed = "fn key(job, now) {\n    job.gpus\n}";
  assert.equal((await text(page).innerText()).trimEnd(), typed);
  await ran(page, typed, 4);
  // The page's keys belong to the text meanwhile.
  assert.equal(await page.locator(".help").count(), 0);

  // From the first sign on it is no program: slow typing makes no version that runs.
  await page.keyboard.type("* / 2 + job.");
  const options = page.locator(".cm-tooltip-autocomplete li");
  await options.filter({ hasText: "attained" }).waitFor();
  await page.keyboard.type("nothing");
  await page.keyboard.press("Escape");
  await wrong(page).filter({ hasText: "Line 2" }).waitFor();
  await page.locator(".cm-lintRange-error").waitFor();
  const [, , old, last] = await cards(page);
  assert.equal(last.status, "done", "the last version that ran stays");
  assert.ok(old.name.endsWith(", before"), old.name);

  // Escape, then Tab: out of the text.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.ok(!(await text(page).evaluate((element) => element.getRootNode().activeElement === element)));
  await screenshot(page, "script-mistake");
});

test("an edited script runs beside its last version with the figures of both; Keep and Drop do what they say", async (t) => {
  const page = await open(t, LAB, { viewport: { width: 1440, height: 900 } });
  await begin(page);
  await write(page, LAS);
  await ran(page, LAS, 4);
  const runs = (await runsOf(page)).slice(2);
  assert.deepEqual((await cards(page)).slice(2).map((card) => [card.jct_mean, card.jct_p95, card.rho_mean]), runs.map(({ jct, fairness }) => [jct.mean, jct.p95, fairness.rho_mean]));
  await table(page).locator(".better, .worse").first().waitFor();
  const rows = await table(page).locator("tbody tr").allInnerTexts();
  assert.equal(rows.length, 3);
  const change = ((runs[1].jct.mean / runs[0].jct.mean - 1) * 100).toFixed(0);
  const said = /([−+])([\d.]+) %/.exec(rows[0]);
  const shown = said ? Math.round(Number(`${said[1] === "−" ? "-" : ""}${said[2]}`)) : 0;
  assert.ok(Math.abs(shown - Number(change)) <= 1, `${rows[0]} and ${change}`);
  await page.locator("canvas").first().waitFor();
  await screenshot(page, "script-beside");

  await page.getByRole("button", { name: "Drop", exact: true }).click();
  await finished(page, 3);
  assert.notEqual((await text(page).innerText()).trim(), LAS.trim());
  await write(page, LAS);
  await ran(page, LAS, 4);
  await page.getByRole("button", { name: "Keep", exact: true }).click();
  await finished(page, 3);
  assert.equal((await text(page).innerText()).trim(), LAS.trim());
});

test("a loop without an end, and too much memory, end with the line they were at", async (t) => {
  const page = await open(t, LAB);
  await begin(page);
  for (const [script, line] of [
    ["fn key(job, now) {\n  let n = 0;\n  while true {\n    n += 1;\n  }\n}\n", /Line [345]/],
    ["fn key(job, now) {\n  let all = [];\n  loop {\n    all.push(all);\n  }\n}\n", /Line [345]/],
    ["fn key(job, now) {\n  key(job, now)\n}\n", /Line [12]/],
  ]) {
    await write(page, script);
    await wrong(page).filter({ hasText: line }).waitFor({ timeout: 60_000 });
    t.diagnostic(await wrong(page).innerText());
  }
  // And whoever mends it goes on.
  await write(page, LAS);
  await ran(page, LAS, 4);
  assert.equal(await wrong(page).isVisible(), false);
});

test("the last text survives a reload, sound or not, and a link carries the last that ran", async (t) => {
  const page = await open(t, LAB);
  await begin(page);
  await write(page, LAS);
  await ran(page, LAS, 4);
  await page.waitForFunction(() => (location.hash.match(/run=script/g) ?? []).length === 2);
  const link = await page.evaluate(() => location.hash);
  await page.keyboard.insertText("// not done yet: ) ");
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("fn key(job, now) { job.gpus +");
  await wrong(page).filter({ hasText: "Line 1" }).waitFor();
  await page.reload();
  await text(page).waitFor();
  await wrong(page).filter({ hasText: "Line 1" }).waitFor();
  assert.equal((await text(page).innerText()).trim(), "fn key(job, now) { job.gpus +");
  await finished(page, 4);

  const other = await open(t, `index.html${link}`);
  await finished(other, 4);
  assert.equal(await other.locator(".editor").count(), 0);
  const logs = async (page) => (await runsOf(page)).map(({ log_hash }) => log_hash);
  assert.deepEqual(await logs(other), await logs(page));
  await other.getByRole("button", { name: /^Edit / }).last().click();
  await text(other).waitFor();
  assert.equal((await text(other).innerText()).trim(), LAS.trim());
});

test("every example writes the log of the built-in policy that it says it equals", { timeout: 240_000 }, async (t) => {
  const page = await open(t, LAB);
  await finished(page, 2);
  const { examples } = await asked(page, { what: "describe" });
  const alike = examples.filter(({ builtin }) => builtin);
  assert.ok(alike.length >= 7, `${alike.length} examples`);
  for (const { text, title, builtin } of alike) {
    const { spec } = await asked(page, { what: "check", text, name: title, like: "" });
    const runs = [spec, builtin].map((spec) => `&run=${encodeURIComponent(spec)}`).join("");
    await page.evaluate((link) => (location.hash = link), `v=1&sample=lab${runs}`);
    await page.waitForFunction((spec) => switchyardEmbed.page.cards()[0].spec === spec, spec);
    await finished(page, 2);
    const [own, theirs] = (await runsOf(page)).map(({ log_hash }) => log_hash);
    assert.equal(own, theirs, title);
  }
});

test("an example opens beside the built-in policy that it equals", async (t) => {
  const page = await open(t, LAB);
  await begin(page);
  await finished(page, 3);
  const { examples } = await asked(page, { what: "describe" });
  const example = examples.find(({ builtin }) => builtin && !/^(fifo|tiresias)/.test(builtin));
  await page.getByRole("combobox", { name: "Start from an example" }).selectOption(example.name);
  await page.waitForFunction((builtin) => switchyardEmbed.page.cards().some(({ spec }) => spec === builtin), example.builtin);
  await finished(page, 5);
  const last = (await runsOf(page)).slice(-2);
  assert.equal(last[0].log_hash, last[1].log_hash);
});

test("why a job waits is told in the script's own words", async (t) => {
  const page = await open(t, LAB);
  await begin(page);
  const script = 'fn key(job, now) {\n  note("GPUs asked for", job.gpus);\n  job.gpus\n}\n';
  await write(page, script);
  await ran(page, script, 4);
  await page.evaluate(() => {
    switchyardEmbed.page.pause();
    switchyardEmbed.page.seek(20_000);
    switchyardEmbed.page.select("lab-131");
  });
  const told = page.locator(".inspector");
  await told.getByText("GPUs asked for").first().waitFor();
});

test("typing goes on while runs do: no frame waits for them", async (t) => {
  const page = await open(t, LAB, { viewport: { width: 1440, height: 900 } });
  await begin(page);
  await write(page, LAS);
  await ran(page, LAS, 4);
  await text(page).press("Control+Home");
  await page.evaluate(() => {
    switchyardEmbed.page.play();
    globalThis.longest = [];
    let before = performance.now();
    const look = () => {
      const now = performance.now();
      globalThis.longest.push(now - before);
      before = now;
      globalThis.looking = requestAnimationFrame(look);
    };
    globalThis.looking = requestAnimationFrame(look);
  });
  const line = "// least attained service first, as it was measured\n";
  for (const letter of line) await page.keyboard.type(letter, { delay: 40 });
  await ran(page, line + LAS, 4);
  const times = await page.evaluate(() => globalThis.longest.slice(1).sort((a, b) => a - b));
  const scripts = (await page.evaluate(() => switchyardFrameTimes())).sort((a, b) => a - b);
  const at = (list, share) => list[Math.floor(share * (list.length - 1))].toFixed(1);
  t.diagnostic(`between frames: median ${at(times, 0.5)} ms, 95 % ${at(times, 0.95)} ms, longest ${at(times, 1)} ms; a frame's script: 95 % ${at(scripts, 0.95)} ms`);
  assert.ok(times.length > 20, "frames were painted while it was typed");
});

for (const [name, options] of [
  ["light", { viewport: { width: 1440, height: 900 }, colorScheme: "light" }],
  ["dark", { viewport: { width: 1440, height: 900 }, colorScheme: "dark" }],
  ["on a phone", { viewport: { width: 390, height: 844 }, hasTouch: true }],
]) {
  test(`the editor is in order, ${name}`, async (t) => {
    const page = await open(t, LAB, options);
    await finished(page, 2);
    if (options.hasTouch) await page.getByRole("button", { name: "Trace, schedulers and cluster" }).click();
    await begin(page);
    await write(page, "// Least attained service first.\nfn key(job, now) {\n  let service = job.attained * 2.0;\n  note(\"service\", service);\n  service + job.nothing(\n}\n");
    await wrong(page).filter({ hasText: /Line \d/ }).waitFor();
    await page.getByText("Challenges", { exact: true }).click();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `it is ${wide} px too wide`);
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, `script-${name.replaceAll(" ", "-")}`);
  });
}

test("a challenge opens in one click, beside SRTF and Tiresias, and its link runs it again", { timeout: 240_000 }, async (t) => {
  const page = await open(t, LAB, { permissions: ["clipboard-read", "clipboard-write"] });
  await begin(page);
  await write(page, LAS);
  await ran(page, LAS, 4);
  await page.getByText("Challenges", { exact: true }).click();
  const rows = page.locator(".challenges > table tbody tr");
  assert.equal(await rows.count(), 10);
  await page.getByRole("button", { name: "Score it on all ten" }).click();
  await page.locator(".challenges [role=status]").filter({ hasText: /\d/ }).waitFor({ timeout: 180_000 });
  for (const words of await rows.allInnerTexts()) assert.match(words, /\d/);
  await screenshot(page, "script-challenges");
  await rows.first().getByRole("button", { name: /^Copy a link/ }).click();
  await page.getByText("Copied.", { exact: true }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await rows.first().locator("th button").click();
  await page.waitForFunction(() => switchyardEmbed.page.cards().some(({ spec }) => spec === "srtf"));
  await finished(page, 3);
  const other = await open(t, link.slice(link.indexOf("index.html")));
  await finished(other, 3);
  const logs = async (page) => (await runsOf(page)).map(({ policy, log_hash }) => [policy, log_hash]);
  assert.deepEqual(await logs(other), await logs(page));
});

test("a challenge shows what goes wrong, gives hints one by one, and has a board that replays its entries", { timeout: 240_000 }, async (t) => {
  const page = await open(t, LAB);
  await begin(page);
  await write(page, LAS);
  await ran(page, LAS, 4);
  await page.getByText("Challenges", { exact: true }).click();
  const convoy = page.locator(".challenges .challenge").first();
  await convoy.locator("summary").click();
  await convoy.locator("svg polyline").nth(1).waitFor({ timeout: 60_000 });
  assert.match(await convoy.locator("figcaption").innerText(), /FIFO, .+; at most \d+\.$/);
  const hints = convoy.locator("li");
  assert.equal(await hints.count(), 0);
  for (const many of [1, 2, 3]) {
    await convoy.getByRole("button", { name: /hint$/ }).click();
    assert.equal(await hints.count(), many);
  }
  assert.equal(await convoy.getByRole("button", { name: /hint$/ }).count(), 0);
  const board = convoy.locator("tbody tr");
  const entries = await board.count();
  assert.ok(entries > 1);
  // One's own place is there once there is a score.
  await page.getByRole("button", { name: "Score it on all ten" }).click();
  await convoy.locator("tr.own").waitFor({ timeout: 220_000 });
  assert.equal(await board.count(), entries + 1);
  assert.match(await convoy.innerText(), /No scheduler gets above \d/);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "script-board");
  const [best, second] = await board.locator("th button").allInnerTexts();
  await convoy.getByRole("button", { name: second, exact: true }).click();
  await page.waitForFunction(() => location.hash.includes("sample=convoy"));
  await finished(page, 2);
  const texts = (await runsOf(page)).map(({ policy }) => policy);
  assert.ok(texts.length === 2 && texts.every((policy) => policy.startsWith("script[")) && best !== second, texts.join());
});

test("a score that does not end can be cancelled, and does not outlive its text", async (t) => {
  const before = (page) =>
    page.addInitScript(() => {
      // Scores are asked for, and never answered.
      globalThis.asked = [];
      globalThis.ended = 0;
      const mute = new WeakSet();
      const { postMessage, terminate } = Worker.prototype;
      Worker.prototype.postMessage = function (message, ...others) {
        if (typeof message !== "string" || !message.includes('"what":"score"')) return postMessage.call(this, message, ...others);
        mute.add(this);
        asked.push(JSON.parse(message).text);
      };
      Worker.prototype.terminate = function () {
        ended += mute.has(this) ? 1 : 0;
        terminate.call(this);
      };
    });
  const page = await open(t, LAB, { before });
  await begin(page);
  await write(page, LAS);
  await ran(page, LAS, 4);
  await page.getByText("Challenges", { exact: true }).click();
  const score = page.getByRole("button", { name: "Score it on all ten" });
  const cancel = page.locator(".challenges").getByRole("button", { name: "Cancel", exact: true });
  const verdict = page.locator(".challenges [role=status]");
  const isAsked = (times) => page.waitForFunction((times) => asked.length === times, times, { timeout: 60_000 });
  await score.click();
  await isAsked(1);
  await cancel.click();
  await verdict.filter({ hasText: "Cancelled" }).waitFor();
  // The next one has a worker of its own, and ends with its text.
  await score.click();
  await isAsked(2);
  const other = LAS.replace("attained", "attained + 1.0");
  await write(page, other);
  await verdict.filter({ hasText: "The text has changed" }).waitFor();
  await score.click();
  await isAsked(3);
  await page.getByRole("button", { name: "Close", exact: true }).click();
  assert.deepEqual(await page.evaluate(() => [asked[2] === asked[1], ended]), [false, 3]);
});

test("a script writes the same log in the browser as natively", { skip: !cli && "no SWITCHYARD_CLI" }, async (t) => {
  const folder = emptyFolder(t);
  const page = await open(t, LAB);
  await begin(page);
  const script = 'const PREEMPTIVE = true;\nfn key(job, now) {\n  ln(1.0 + job.attained) + exp(-job.waited / 3600.0)\n}\n';
  await write(page, script);
  await ran(page, script, 4);
  writeFileSync(join(folder, "mine.rhai"), script);
  const run = ["run", "sample:lab", "--policy", `script:${join(folder, "mine.rhai")}`, "--json", "-"];
  const [native] = JSON.parse(execFileSync(cli, run, { encoding: "utf8" })).runs;
  assert.equal((await runsOf(page)).at(-1).log_hash, native.log_hash);
});

test("125,303 jobs run under a script of eight lines", { skip: long.skip || (!traces && "no SWITCHYARD_TRACES"), timeout: 600_000 }, async (t) => {
  const text = `const EVERY = 60;
const THRESHOLD = 3250.0;

fn key(job, now) {
    let service = job.attained + job.gpus * 60.0;
    let level = if service < THRESHOLD { 0.0 } else { log2(service / THRESHOLD) };
    level * 1e6 + service
}
`;
  const page = await open(t, LAB);
  await finished(page, 2);
  const { spec } = await asked(page, { what: "check", text, name: "Eight lines", like: "" });
  await page.evaluate((spec) => (location.hash = `v=1&sample=lab&run=${encodeURIComponent(spec)}`), spec);
  await page.waitForFunction((spec) => switchyardEmbed.page.cards()[0].spec === spec, spec);
  await finished(page, 1);
  await page.getByTestId("file-picker").setInputFiles(join(traces, "helios-venus/helios_trace.csv"));
  await page.getByTestId("import-report").waitFor({ timeout: 60_000 });
  await finished(page, 1, 500_000);
  const [{ jobs, wall_ms }] = await runsOf(page);
  assert.equal(jobs, 125_303);
  t.diagnostic(`${jobs} jobs: simulated in ${(wall_ms / 1000).toFixed(1)} s`);
});

test("a plug-in that is dropped runs as the policy that it is; what is none is refused, and nothing is lost", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=las&t=0");
  await finished(page, 1);
  const spec = readFileSync(new URL("../golden/plugins.txt", import.meta.url), "utf8").match(/^las (\S+)$/m)[1];
  const packed = Buffer.from(/code=([^,\]]+)/.exec(spec)[1], "base64url");
  const drop = (name, buffer) =>
    page.getByTestId("file-picker").setInputFiles({ name, mimeType: "application/wasm", buffer });
  await drop("mine.wasm", inflateRawSync(packed));
  await finished(page, 2, 120_000);
  const [builtIn, own] = await cards(page);
  assert.equal(own.name, "mine");
  assert.notEqual(own.jct_mean, builtIn.jct_mean, "it is asked at events alone, and las every minute");
  assert.equal(await page.getByRole("button", { name: "Edit mine" }).count(), 0, "it has no text");
  // The link has it within; asked as often, it is las to the bit.
  const again = await open(t, page.url().replace("name%3Dmine", "name%3Dmine,quantum%3D60").replace("name=mine", "name=mine,quantum=60"));
  await finished(again, 2, 120_000);
  const [one, other] = await runsOf(again);
  assert.equal(other.log_hash, one.log_hash);
  await drop("theirs.wasm", Buffer.from("no module"));
  await page.locator(".refusal").getByText("theirs.wasm is no module of WebAssembly").waitFor();
  await drop("huge.wasm", Buffer.concat([Buffer.from("\0asm"), randomBytes(40_000)]));
  await page.locator(".refusal").getByText("huge.wasm is too large").waitFor();
  assert.equal((await cards(page)).length, 2);
});

/** Chooses scripts in the file picker. */
const pick = (page, ...files) => give(page, ...files.map(([name, text]) => ({ name, mimeType: "", buffer: Buffer.from(text) })));

test("a script's file is a scheduler and no trace; one with a mistake is shown with it, and nothing is lost", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0");
  await finished(page, 1);
  await pick(page, ["smallest.rhai", SMALLEST]);
  await finished(page, 2, 120_000);
  const [, own] = await cards(page);
  assert.equal(own.name, "smallest");
  assert.match(own.spec, /^script\[code=/);
  assert.equal((await text(page).innerText()).trim(), SMALLEST.trim());
  assert.equal(await page.locator(".refusal").filter({ hasText: "smallest.rhai" }).count(), 0, "no trace was looked for");

  await pick(page, ["broken.rhai", "fn key(job, now) {\n  job.gpus +\n}\n"]);
  await wrong(page).getByText("Line 3").waitFor();
  assert.match(await text(page).innerText(), /job\.gpus \+/);
  assert.equal((await cards(page)).length, 2, "the others stay as they are");

  await pick(page, ["long.rhai", "/".repeat(65 * 1024)]);
  await page.locator(".refusal").getByText("long.rhai is longer than 64 KB").waitFor();

  // Two at once are two schedulers.
  await pick(page, ["first.rhai", SMALLEST], ["second.rhai", "fn key(job, now) { -job.gpus }"]);
  await finished(page, 4, 120_000);
  assert.deepEqual((await cards(page)).slice(2).map(({ name }) => name), ["first", "second"]);
});
