// Mutated scripts on the page: each is refused at a line, or its run ends in a result or in words, and no worker
// dies of any. SWITCHYARD_SCRIPTS names a file of more of them than there are here by default, from
// `cargo run -p switchyard-core --features scripts --example mutated_scripts -- 100000 1`; SWITCHYARD_MINUTES is how long
// their runs may take in all.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { browser, dist, served } from "./browser.mjs";

const folder = process.env.SWITCHYARD_SERVED ? served : dist;
const { open } = browser([], folder);

const file = process.env.SWITCHYARD_SCRIPTS ?? new URL("../fixtures/mutated_scripts.jsonl", import.meta.url);
const texts = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line).text);
const most = 60_000 * Number(process.env.SWITCHYARD_MINUTES ?? 5);

/** Runs on the page at once, and texts asked about in one go. */
const AT_ONCE = 40;
const IN_ONE_GO = 1000;

/** What the author's worker says of each text. */
const checked = (page, texts) =>
  page.evaluate(async (texts) => {
    const worker = (globalThis.author ??= await (async () => {
      const worker = await switchyardWorkers.start("author", "scripts");
      await new Promise((resolve) => (worker.onmessage = resolve));
      return worker;
    })());
    const answers = [];
    for (const text of texts) {
      const answer = new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(JSON.parse(data));
        worker.onerror = ({ message }) => reject(new Error(`${message}: ${text}`));
      });
      worker.postMessage(JSON.stringify({ what: "check", text, name: "", like: "" }));
      answers.push(await answer);
    }
    return answers;
  }, texts);

test("mutated scripts are refused at a line or run to an end in words, and no worker dies", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo", { most: most + 3_600_000 });
  const begin = performance.now();
  const sound = new Set();
  let refused = 0;
  for (let at = 0; at < texts.length; at += IN_ONE_GO) {
    for (const { spec, error } of await checked(page, texts.slice(at, at + IN_ONE_GO))) {
      if (spec) sound.add(spec);
      else {
        refused += 1;
        assert.ok(error.message && error.line !== 0, JSON.stringify(error));
      }
    }
  }
  const seconds = (performance.now() - begin) / 1000;
  t.diagnostic(`${texts.length} texts in ${seconds.toFixed(1)} s: ${refused} refused, ${sound.size} different ones sound`);
  assert.ok(refused > 0 && sound.size > 0);

  const fates = {};
  const waiting = [...sound];
  const since = performance.now();
  let ran = 0;
  while (waiting.length && performance.now() - since < most) {
    const specs = waiting.splice(0, AT_ONCE);
    const link = specs.map((spec) => `run=${encodeURIComponent(spec)}`).join("&");
    await page.goto(new URL(`index.html#v=1&sample=three-jobs&${link}`, page.url()).href);
    const cards = await page.waitForFunction(
      (count) => {
        const cards = switchyardEmbed.page.cards();
        const isOver = ({ status }) => status === "done" || status === "failed";
        return cards.length === count && cards[0].spec.startsWith("script") && cards.every(isOver) && cards;
      },
      specs.length,
      { timeout: 600_000 },
    );
    for (const { spec, status, why } of await cards.jsonValue()) {
      assert.ok(specs.includes(spec), "these are the runs that were asked for");
      assert.doesNotMatch(why, /worker|fault|memory|unreachable/, spec);
      assert.equal(status === "failed", why !== "", spec);
      fates[status] = (fates[status] ?? 0) + 1;
    }
    ran += specs.length;
  }
  t.diagnostic(`${ran} of ${sound.size} run in ${((performance.now() - since) / 1000).toFixed(0)} s: ${JSON.stringify(fates)}`);
  assert.ok(fates.done && fates.failed, JSON.stringify(fates));
});
