// The page's life: many runs on a small machine, workers that die, and what is found again.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import "../../static/words.js";
import { accessibilityProblems, browser, finished, give, long, problemsOf, screenshot } from "./browser.mjs";

const { open } = browser();

const cards = (page, status) => page.locator(`.card[data-status=${status}]`);
const add = (page, policy) => page.getByLabel("Add a scheduler").selectOption(policy);

/** The page on a machine of so many cores and gigabytes. */
async function openOn(t, cores, gigabytes, address) {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0");
  await finished(page, 1, 120_000);
  await page.addInitScript(
    ([hardwareConcurrency, deviceMemory]) => {
      for (const [name, value] of Object.entries({ hardwareConcurrency, deviceMemory })) {
        Object.defineProperty(Navigator.prototype, name, { get: () => value });
      }
    },
    [cores, gigabytes],
  );
  await page.goto(new URL(address, page.url()).href);
  await page.reload();
  return page;
}

test("two hundred runs take turns on a small machine, and each can be asked afterwards", long, async (t) => {
  const runs = Array.from({ length: 200 }, (_, i) => `run=las[quantum=${i + 1}]`).join("&");
  const page = await openOn(t, 2, 2, `index.html#v=1&sample=three-jobs&t=1&view=jobs&${runs}`);
  let most = 0;
  page.on("worker", () => (most = Math.max(most, page.workers().length)));
  await page.getByText("waits for its turn").first().waitFor();
  await finished(page, 200, 120_000);
  // Four runs, and the one that opened the sample; those that end are counted a moment longer.
  t.diagnostic(`${most} workers at most`);
  assert.ok(most <= 12, `${most} workers`);
  await page.locator("tbody tr").first().click();
  await page.waitForFunction(() => {
    const told = [...document.querySelectorAll(".inspector .why .sentence")];
    return told.length === 200 && told.every((sentence) => /^(Runs|Waits|Not in the queue)/.test(sentence.textContent));
  }, undefined, { timeout: 120_000 });
});

/** The worker that simulates, which may be heard of later than what it tells. */
async function runner(page) {
  for (;;) {
    for (const worker of page.workers()) if ((await worker.evaluate(() => self.name)) === "runner") return worker;
    await page.waitForTimeout(50);
  }
}

/** A run that takes a minute or longer, most of it to decide: its log is short. */
const LONG = "sample=fleet&cluster=2x8&t=0&run=gandiva-fair";

test("runs that wait for their turn can be cancelled", async (t) => {
  const page = await openOn(t, 2, 2, `index.html#v=1&${LONG}&run=gandiva-fair[round=361]&run=fifo`);
  await cards(page, "running").nth(1).waitFor();
  await cards(page, "idle").getByText("waits for its turn").waitFor();
  await page.locator(".yard").nth(2).getByText("waits for its turn").waitFor();
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.locator(".timeline").nth(2).getByText("waits for its turn").waitFor();
  await page.getByRole("button", { name: "Cancel FIFO" }).click();
  await page.getByText("cancelled at 0 of").waitFor();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await cards(page, "running").first().waitFor({ state: "detached" });
});

test("a double click cancels, and does not run again what it has cancelled", async (t) => {
  const page = await open(t, `index.html#v=1&${LONG}`);
  await cards(page, "running").waitFor();
  await page.getByRole("button", { name: "Cancel", exact: true }).dblclick();
  await cards(page, "cancelled").waitFor();
  await page.getByRole("button", { name: "Run again" }).click();
  await cards(page, "running").waitFor();
  const box = await page.getByRole("button", { name: "Cancel Gandiva-Fair" }).boundingBox();
  await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
  await cards(page, "cancelled").waitFor();
  assert.equal(await cards(page, "running").count(), 0);
});

test("runs wait for a page that is busy, and are not ahead of it by much", async (t) => {
  const page = await open(t, "index.html#v=1&sample=fleet&cluster=4x8&t=0&run=las[quantum=20]&run=las[quantum=21]", {
    before: (page) =>
      page.addInitScript(() => {
        globalThis.heard = 0;
        globalThis.Worker = class extends Worker {
          constructor(...given) {
            super(...given);
            this.addEventListener("message", () => (heard += 1));
          }
        };
      }),
  });
  await cards(page, "running").getByText(/^[1-9].* of 40,000 jobs$/).nth(1).waitFor();
  const waited = await page.evaluate(async () => {
    const until = performance.now() + 2000;
    while (performance.now() < until);
    const before = heard;
    // This comes after what has come meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return heard - before;
  });
  // Two of each run (web/src/bridge/protocol.rs), and the next ones where they are quick.
  assert.ok(waited <= 12, `${waited} pieces of logs had come`);
  const before = await page.evaluate(() => heard);
  await page.waitForFunction((before) => heard > before + 8, before);
  const longest = await page.evaluate(async () => {
    let longest = 0;
    for (let from = performance.now(), end = from + 3000; from < end; from = performance.now()) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      longest = Math.max(longest, performance.now() - from - 10);
    }
    return longest;
  });
  t.diagnostic(`a timer of the page waited ${longest.toFixed(0)} ms at most while both ran, in 3 s`);
});

test("a dying worker is replaced, its run has the settings of now, and the page says so", async (t) => {
  const page = await open(t, `index.html#v=1&${LONG}`);
  await cards(page, "running").getByText(/^[1-9].* of 40,000 jobs$/).waitFor();
  const dying = await runner(page);
  await add(page, "fifo");
  await finished(page, 1, 120_000);
  await dying.evaluate(() => void setTimeout(() => postMessage({})));
  await page.getByText("The worker of gandiva-fair died and was restarted").waitFor();
  await cards(page, "running").waitFor();
  // It stands where it stood: before the scheduler that was added since it began.
  const shown = page.locator("#export-panel").getByRole("button", { name: /^Timeline of .* as Chrome trace$/, includeHidden: true });
  await shown.nth(1).waitFor({ state: "attached" });
  const names = await shown.evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label")));
  assert.match(names[0], /Gandiva-Fair/);
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await cards(page, "running").first().waitFor({ state: "detached" });
});

test("a run that is over outlives its worker", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=1&view=jobs");
  await finished(page, 1, 120_000);
  const dying = await runner(page);
  await dying.evaluate(() => void setTimeout(() => postMessage({})));
  await page.locator("tbody tr").first().click();
  await page.locator(".why .sentence").getByText("Runs.").waitFor();
  assert.equal(await page.locator(".notice").count(), 0);
});

test("adding a scheduler that adapts jobs says on every card what that changes", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0");
  await finished(page, 1, 120_000);
  const words = page.locator(".card").getByText("jobs now train applications");
  assert.equal(await words.count(), 0);
  await add(page, "optimus");
  await words.nth(1).waitFor();
  await page.getByRole("button", { name: "Remove Optimus+Oracle" }).click();
  await words.first().waitFor({ state: "detached" });
  await finished(page, 1, 120_000);
});

/** Gigabytes that all pages and their workers take. */
async function gigabytes(page) {
  const browser = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  await browser.detach();
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  const resident = ({ id }) => Number(readFileSync(`/proc/${id}/status`, "utf8").match(/VmRSS:\s*(\d+) kB/)[1]);
  return renderers.reduce((sum, process) => sum + resident(process), 0) / 1e6;
}

test("runs that would write for ever end and name the parameter to change, and the page goes on", async (t) => {
  const page = await openOn(t, 2, 1, "index.html#v=1&sample=fleet&cluster=1x8&run=gandiva[quantum=1]&run=las[quantum=1]&run=gavel[round=1]");
  await cards(page, "failed").getByText(/^las\[quantum=1\] was ended at .*: its log is full, .*; set a greater 'quantum', or (remove other schedulers, whose logs take \d+ MB, or )?raise the log budget \(Cluster, More\)$/).waitFor({ timeout: 120_000 });
  let most = 0;
  for (let i = 0; i < 20; i++) {
    most = Math.max(most, await gigabytes(page));
    for (const view of ["Timeline", "Yard"]) {
      await page.getByRole("tab", { name: view }).click();
      assert.equal(await page.getByRole("tab", { name: view }).getAttribute("aria-selected"), "true");
    }
    await page.waitForTimeout(500);
  }
  t.diagnostic(`${most.toFixed(2)} GB at most`);
  assert.ok(most < 1.5, `${most} GB`);
  // They share what there is: nobody goes on for ever.
  await page.waitForFunction(() => document.querySelectorAll(".card[data-status=failed]").length === 3, undefined, { timeout: 120_000 });
});

test("the log budget is a field: what is in it holds, is in the link, and empty is the machine's", async (t) => {
  const page = await openOn(t, 2, 4, "index.html#v=1&sample=fleet&cluster=1x8&run=las[quantum=20]&t=0&log-budget=2");
  const ended = (megabytes) => cards(page, "failed").getByText(new RegExp(`in ${megabytes} MB; .* or raise the log budget \\(Cluster, More\\)`));
  await ended("[23]").waitFor({ timeout: 120_000 });
  await page.locator("summary", { hasText: /^More$/ }).first().click();
  const field = page.getByLabel("Log budget (MB)");
  assert.equal(await field.inputValue(), "2");
  await field.fill("6");
  await field.press("Enter");
  await ended("[67]").waitFor({ timeout: 120_000 });
  await page.waitForFunction(() => location.hash.includes("log-budget=6"));
  await field.fill("0");
  await field.press("Enter");
  await page.getByText("It takes a whole number from 1 to 4000 (MB).").waitFor();
  await field.fill("");
  await field.press("Enter");
  await page.waitForFunction(() => !location.hash.includes("log-budget"));
  assert.equal(await field.getAttribute("placeholder"), "268 of this machine");
  await cards(page, "failed").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
});

test("where the logs of all do not fit, the first comes to its end, the other says what helps, and it does", async (t) => {
  const page = await openOn(t, 2, 2, "index.html#v=1&run=fifo&run=srtf");
  const rows = Array.from({ length: 600_000 }, (_, at) => `${at},${at},10,1`);
  await give(page, { name: "large.csv", mimeType: "text/csv", buffer: Buffer.from(`job,submit,duration,gpus\n${rows.join("\n")}\n`) });
  await finished(page, 1, 120_000);
  const refused = page.getByText(/^srtf has not begun: its log takes about \d+ MB, and the others leave \d+ MB to it; take fewer jobs, such as a window of the trace, or remove other schedulers, whose logs take \d+ MB, or raise the log budget \(Cluster, More\), or run all of it with the command line$/);
  await refused.waitFor();
  assert.equal(await cards(page, "failed").count(), 1);
  t.diagnostic(`${(await gigabytes(page)).toFixed(2)} GB`);
  // The opener of so large a trace is let go: a window is taken of the file anew.
  await page.getByText("Jobs replayed: all").click();
  const window = page.getByTestId("job-choice").getByLabel(/^Submitted within/);
  await window.fill("0..1000");
  await window.press("Enter");
  await finished(page, 2, 120_000);
  await refused.waitFor({ state: "detached" });
});

const HTML = { contentType: "text/html", body: "<!doctype html><title>Sign in</title>" };
const answered = (file, answer) => ({ before: (page) => page.route(`**/${file}?*`, (route) => route.fulfill(answer)) });
const opening = (page) => page.locator(".busy");
const refusal = (page) => page.locator(".refusal > p");

for (const file of ["worker.js", "worker_bg.wasm"]) {
  test(`a sign-in page for ${file} is told, not waited for`, async (t) => {
    const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo", answered(file, HTML));
    await refusal(page).filter({ hasText: /something else, such as a sign-in page/ }).waitFor();
    await opening(page).waitFor({ state: "detached" });
    t.diagnostic(await refusal(page).textContent());
    problemsOf(page).length = 0;
  });
}

test("a policy that forbids workers is told, not waited for", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo", {
    before: (page) =>
      page.route("**/index.html*", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": "worker-src 'none'" } });
      }),
  });
  await refusal(page).waitFor();
  t.diagnostic(await refusal(page).textContent());
  await opening(page).waitFor({ state: "detached" });
  problemsOf(page).length = 0;
});

test("a worker program that is slow to load is reported, and used once it has loaded", async (t) => {
  let arrive;
  const arrived = new Promise((resolve) => (arrive = resolve));
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo", {
    before: async (page) => {
      await page.clock.install();
      await page.route("**/worker_bg.wasm?*", async (route) => {
        await arrived;
        await route.continue();
      });
    },
  });
  await opening(page).waitFor();
  await page.clock.runFor(11_000);
  await page.getByText("A part of the page is still on its way").waitFor();
  arrive();
  await page.clock.resume();
  await finished(page, 1, 120_000);
});

test("a machine without memory for another worker says so", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo", {
    before: (page) =>
      page.route("**/worker.js?*", async (route) => {
        const response = await route.fetch();
        const broken = `if (self.name === "runner") WebAssembly.instantiate = async () => {
          throw new RangeError("WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance");
        };\n`;
        await route.fulfill({ response, body: broken + (await response.text()) });
      }),
  });
  await cards(page, "failed").getByText(/no memory left/).waitFor();
  assert.doesNotMatch(await page.locator("#app").textContent(), /JsValue|RangeError|WebAssembly/);
  problemsOf(page).length = 0;
});

test("errors are told in words, whoever threw them", () => {
  const words = (name, message) => switchyardWords(Object.assign(new Error(message), { name }));
  for (const raw of ["capacity overflow", "panicked at library/alloc/src/raw_vec.rs:28:5:\ncapacity overflow", "Uncaught RuntimeError: unreachable", "RuntimeError: unreachable executed"]) {
    assert.match(switchyardWords(raw), /^there is no memory left/, raw);
  }
  assert.match(words("RangeError", "WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance"), /^there is no memory left/);
  assert.match(words("CompileError", "WebAssembly.instantiate(): expected magic word 00 61 73 6d, found 3c 21 64 6f @+0"), /sign-in page/);
  assert.match(switchyardWords("Uncaught SyntaxError: Unexpected token '<'"), /sign-in page/);
  assert.match(words("CompileError", "WebAssembly.instantiate(): Refused to compile or instantiate WebAssembly module because 'unsafe-eval' is not an allowed source"), /security policy/);
  assert.match(words("TypeError", "Failed to fetch"), /^the network does not answer/);
  assert.equal(switchyardWords("panicked at core/src/sim/engine.rs:12:3:\nindex out of bounds: the len is 0"), "a fault in its program (engine.rs:12)");
  assert.equal(words("Error", "worker.js: 404 Not Found"), "worker.js: 404 Not Found");
  for (const nothing of [undefined, null, {}, ""]) assert.equal(switchyardWords(nothing), "the browser does not say why");
});

/** What a button saves. */
async function saved(page, button) {
  const download = page.waitForEvent("download");
  await button.click();
  return readFileSync(await (await download).path(), "utf8");
}

for (const [how, fail] of [
  ["an error on its way through the program", () => {
    CanvasRenderingContext2D.prototype.fillRect = () => {
      throw new Error("the canvas is gone");
    };
  }],
  ["a panic", () => {
    // While a frame is painted nobody may move the clock.
    CanvasRenderingContext2D.prototype.fillRect = () => {
      document.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
    };
  }],
]) {
  test(`${how} stops the page in words, and what was there is offered`, async (t) => {
    const page = await open(t, "index.html#v=1&sample=three-jobs&run=srtf&run=fifo&seed=7&t=2");
    await finished(page, 2, 120_000);
    await page.getByLabel("Nodes", { exact: true }).fill("3");
    await page.getByLabel("Nodes", { exact: true }).press("Enter");
    await page.waitForFunction(() => /cluster=3x/.test(location.hash));
    const before = page.url();
    await page.evaluate(fail);
    // Whatever is painted next stops it.
    await page.getByRole("tab", { name: "Timeline" }).click({ timeout: 3000 }).catch(() => {});
    await page.getByRole("heading", { name: "Switchyard has stopped" }).waitFor();
    const told = await page.getByRole("alert").textContent();
    assert.match(told, /Nothing has left this computer/);
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, "rescue");
    t.diagnostic(told);
    t.diagnostic(await page.locator("pre").textContent());
    const shown = (address) => new URL(address).hash.replace(/&(view|t)=.*/, "");
    assert.equal(shown(await page.getByRole("link", { name: "this link" }).evaluate((link) => link.href)), shown(before));
    const text = await saved(page, page.getByRole("button", { name: "Save the experiment" }));
    assert.match(text, /^#switchyard 1\n[^]*#cluster 3x\d+\n[^]*#policy srtf\n#policy fifo\n[^]*#seed 7\n/);
    assert.equal(text.split("\n").filter((line) => /^J\d/.test(line)).length, 3);
    await page.getByRole("button", { name: "Reload" }).click();
    await finished(page, 2, 120_000);
    assert.equal(await page.getByLabel("Nodes", { exact: true }).inputValue(), "3");
  });
}

test("errors of other scripts do not stop the page", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=2");
  await finished(page, 1, 120_000);
  // As an extension's script would have it; the page's own policy lets no other script in.
  await page.evaluate(() =>
    setTimeout(() => {
      try {
        null.x;
      } catch (error) {
        dispatchEvent(new ErrorEvent("error", { error }));
      }
    }),
  );
  await page.waitForTimeout(200);
  assert.equal(await page.getByRole("heading", { name: "Switchyard has stopped" }).count(), 0);
  await page.getByRole("tab", { name: "Timeline" }).click();
});

const table = (name, rows) => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(["job_id,submit_time,duration,num_gpus", ...rows].join("\n") + "\n"),
});
const MINE = table("mine.csv", ["a,0,30,2", "b,10,60,1"]);
const jobs = (page, count) => page.locator("header .facts").getByText(`${count} jobs`, { exact: true }).waitFor();

test("opening a sample puts an opened file aside, with a way back to it and its settings", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=srtf&run=fifo&seed=4&t=0");
  await finished(page, 2, 120_000);
  await give(page, MINE);
  await jobs(page, 2);
  await finished(page, 2, 120_000);
  await page.waitForFunction(() => /file=mine/.test(location.hash));
  const back = (name) => page.getByRole("button", { name: `Back to ${name}, as it was` });
  assert.equal(await back("mine.csv").count(), 0);
  // The guide brings schedulers of its own.
  await page.getByRole("button", { name: "Three jobs, step by step" }).click();
  await page.getByRole("button", { name: "Open the guide" }).click();
  await jobs(page, 3);
  await finished(page, 3, 120_000);
  await back("mine.csv").click();
  await jobs(page, 2);
  await finished(page, 2, 120_000);
  const names = await page.locator(".card .name").allTextContents();
  assert.deepEqual(names, ["SRTF (oracle)", "FIFO"]);
  await page.waitForFunction(() => /file=mine/.test(location.hash) && /seed=4/.test(location.hash));
  // So does the browser's own way back.
  await page.getByLabel("Sample").selectOption("lab");
  await jobs(page, 240);
  await back("mine.csv").waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole("button", { name: "Stay here" }).click();
  await back("mine.csv").waitFor({ state: "detached" });
});

test("a record that cannot be read hides no other, and can be removed", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0");
  await finished(page, 1, 120_000);
  await give(page, MINE);
  await jobs(page, 2);
  await page.getByRole("button", { name: "Keep in this browser" }).click();
  await page.getByText("mine.csv is kept in this browser").waitFor();
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        indexedDB.open("switchyard", 1).onsuccess = ({ target: { result: database } }) => {
          const transaction = database.transaction("traces", "readwrite");
          transaction.objectStore("traces").add({ of: "another version" });
          transaction.oncomplete = () => {
            database.close();
            resolve();
          };
        };
      }),
  );
  await page.waitForFunction(() => /file=mine/.test(location.hash));
  await page.reload();
  await jobs(page, 2);
  const kept = page.getByRole("group", { name: "Kept" });
  await kept.getByRole("button", { name: "mine.csv", exact: true }).waitFor();
  await kept.getByRole("button", { name: "Remove (cannot be read) from this browser" }).click();
  await kept.getByText("(cannot be read)").waitFor({ state: "detached" });
  assert.equal(await kept.getByRole("listitem").count(), 1);
});

test("room is looked at before a trace is kept, and browsers are asked to persist it", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0", {
    before: (page) =>
      page.addInitScript(() => {
        StorageManager.prototype.estimate = async () => ({ quota: 1_000_000, usage: 999_990 });
        StorageManager.prototype.persist = async () => (globalThis.asked = true);
      }),
  });
  await finished(page, 1, 120_000);
  await give(page, MINE);
  await jobs(page, 2);
  await page.getByRole("button", { name: "Keep in this browser" }).click();
  await page.getByText("mine.csv is not kept: it needs 0.0 MB and this browser has room for 0.0 MB: remove a kept trace first.").waitFor();
  assert.equal(await page.evaluate(() => globalThis.asked), true);
});

test("leaving the page while a trace is being stored asks first", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0", {
    before: (page) =>
      page.addInitScript(() => {
        // What is held looks at the room as well.
        localStorage.setItem("switchyard holds nothing", "yes");
        const estimate = StorageManager.prototype.estimate;
        StorageManager.prototype.estimate = async function () {
          await new Promise((resolve) => (globalThis.goOn = resolve));
          return estimate.call(this);
        };
      }),
  });
  await finished(page, 1, 120_000);
  const asks = () => page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));
  await give(page, MINE);
  await jobs(page, 2);
  assert.equal(await asks(), false);
  await page.getByRole("button", { name: "Keep in this browser" }).click();
  await page.waitForFunction(() => globalThis.goOn);
  assert.equal(await asks(), true);
  await page.evaluate(() => globalThis.goOn());
  await page.getByText("mine.csv is kept in this browser").waitFor();
  assert.equal(await asks(), false);
});

const heldLine = (page) => page.locator("#rail").getByText(/^Held for this tab: /);
const isAskedFor = (page) => page.getByText("This link shows mine.csv, which stays on the computer it was made on").waitFor();

/** How many files are held, for whichever tab. */
const recordsHeld = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        indexedDB.open("switchyard", 1).onsuccess = ({ target: { result: database } }) => {
          database.transaction("traces").objectStore("traces").getAll().onsuccess = ({ target: { result } }) => {
            database.close();
            resolve(result.filter(({ held }) => held).length);
          };
        };
      }),
  );

test("a reload finds the file that was open, unless the visitor does not want it held", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=srtf&seed=4&t=0");
  await finished(page, 1, 120_000);
  assert.equal(await heldLine(page).count(), 0);
  await give(page, table("first.csv", ["a,0,30,2", "b,10,60,1", "c,20,60,1"]));
  await heldLine(page).waitFor();
  await jobs(page, 3);
  await give(page, MINE);
  await jobs(page, 2);
  await heldLine(page).waitFor();
  assert.match(await heldLine(page).textContent(), /^Held for this tab: 1 KB, so that a reload finds it\. Don't hold$/);
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole("tab", { name: "Jobs" }).click();
  await page.waitForFunction(() => /file=mine/.test(location.hash) && /view=jobs/.test(location.hash));
  await page.reload();
  await jobs(page, 2);
  await finished(page, 1, 120_000);
  assert.equal(await page.getByRole("tab", { name: "Jobs" }).getAttribute("aria-selected"), "true");
  assert.deepEqual(await page.locator(".card .name").allTextContents(), ["SRTF (oracle)"]);
  assert.match(page.url(), /seed=4/);
  assert.equal(await page.getByText("This link shows").count(), 0);
  await heldLine(page).waitFor();
  // It is no kept trace, and takes the place of what was held before.
  assert.equal(await page.getByRole("group", { name: "Kept" }).count(), 0);
  assert.equal(await recordsHeld(page), 1);
  // Another tab holds its own: here is none.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await isAskedFor(other);
  await other.close();

  await page.getByRole("button", { name: "Don't hold" }).click();
  await page.getByText("Not held: a reload asks for it again.").waitFor();
  await page.reload();
  await isAskedFor(page);
  assert.equal(await recordsHeld(page), 0);
  await give(page, MINE);
  await jobs(page, 2);
  await page.getByRole("button", { name: "Hold", exact: true }).click();
  await heldLine(page).waitFor();
  await page.reload();
  await jobs(page, 2);
});

test("files held for tabs that are over are removed a day later", async (t) => {
  let page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0");
  await finished(page, 1, 120_000);
  await give(page, MINE);
  await heldLine(page).waitFor();
  const later = async (hours) => {
    const other = await page.context().newPage();
    await other.addInitScript((by) => {
      const now = Date.now;
      Date.now = () => now() + by;
    }, hours * 3_600_000);
    await other.goto(page.url().replace(/#.*/, "#v=1&sample=three-jobs&run=fifo&t=0"));
    await finished(other, 1, 120_000);
    await other.waitForFunction(() => switchyardStoredTraces.list().then(() => true));
    await other.close();
  };
  await later(23);
  assert.equal(await recordsHeld(page), 1);
  // A tab that is there is not over, however old.
  await later(25);
  assert.equal(await recordsHeld(page), 1);
  const watcher = await page.context().newPage();
  await watcher.goto(page.url().replace(/#.*/, "#v=1&sample=three-jobs&run=fifo&t=0"));
  await finished(watcher, 1, 120_000);
  await page.close();
  page = watcher;
  await later(25);
  assert.equal(await recordsHeld(watcher), 0);
});

test("files too large to be held say so", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0", {
    before: (page) =>
      page.addInitScript(() => {
        Object.defineProperty(Blob.prototype, "size", { get: () => 250_000_000 });
      }),
  });
  await finished(page, 1, 120_000);
  await give(page, MINE);
  await page.getByText("250 MB are too much to hold for a reload.").waitFor();
  assert.equal(await recordsHeld(page), 0);
});
