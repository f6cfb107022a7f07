// The page's handle (web/src/ui/page.rs, web/src/bin/app/page.rs): what scripts ask, and what they hear of without
// asking again and again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, finished } from "./browser.mjs";

const { open } = browser();

/** The page with its runs over and its clock at rest; what changes from then on is noted. */
async function listening(t) {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&run=srtf&t=2");
  await finished(page, 2);
  await page.evaluate(() => {
    globalThis.noted = [];
    switchyardEmbed.onChange((changes) => noted.push({ changes, t: switchyardEmbed.page.look().t }));
  });
  return page;
}

test("a subscriber hears of each change once, by its name", async (t) => {
  const page = await listening(t);
  const changed = await page.evaluate(async () => {
    const next = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const { page } = switchyardEmbed;
    const acts = {
      view: () => page.show("compare"),
      "nothing, as it is shown already": () => page.show("compare"),
      selection: () => page.select(page.look().selected === "J1" ? "J2" : "J1"),
      runs: () => page.rename(page.cards()[0].id, "Mine"),
      notices: () => page.look(),
    };
    const changed = {};
    await next();
    for (const [name, act] of Object.entries(acts)) {
      noted.length = 0;
      act();
      await next();
      changed[name] = noted.flatMap(({ changes }) => changes);
    }
    return changed;
  });
  // Workers look at the runs once more for Compare.
  assert.deepEqual(changed.view.filter((name) => name !== "analyses"), ["view"]);
  assert.deepEqual(changed["nothing, as it is shown already"].filter((name) => name !== "analyses"), []);
  assert.deepEqual(changed.selection.filter((name) => !["selection", "analyses"].includes(name)), []);
  // Workers explain the chosen job meanwhile.
  assert.deepEqual(changed.runs.filter((name) => !["selection", "analyses"].includes(name)), ["runs"]);
  assert.deepEqual(changed.notices.filter((name) => !["selection", "analyses"].includes(name)), [], "asking changes nothing");
});

test("the clock is told of at most ten times a second, and where it stops", async (t) => {
  const page = await listening(t);
  const { told, last, took } = await page.evaluate(async () => {
    const { page } = switchyardEmbed;
    const start = performance.now();
    for (let step = 1; step <= 60; step += 1) {
      page.seek(2 + step / 30);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    const last = page.look().t;
    await switchyardEmbed.until(() => noted.some(({ changes, t }) => changes.includes("time") && t === last));
    return { told: noted.filter(({ changes }) => changes.includes("time")), last, took: performance.now() - start };
  });
  assert.equal(told.at(-1).t, last);
  // The page waits by its own clock; when a script hears of it depends on what else the machine does.
  assert.ok(told.length > 1, `told ${told.length} times`);
  assert.ok(told.length <= 1 + took / 100, `told ${told.length} times in ${took} ms`);
});

test("answers have names, and a malformed question has no answer", async (t) => {
  const page = await listening(t);
  const { look, facts, cards, isPlain, jobs, views, wrong, sound } = await page.evaluate(() => {
    const { page } = switchyardEmbed;
    const look = page.look();
    return {
      look,
      facts: page.facts("J1"),
      cards: page.cards(),
      isPlain: [look, page.facts()[0], page.cards()[0], page.results()].every((of) => Object.getPrototypeOf(of) === Object.prototype),
      jobs: [page.select("nobody"), page.highlight("nobody"), page.select(null), page.select()],
      views: [page.show("nowhere"), page.show("yard")],
      wrong: [page.complaint("v=1&run=nothing"), page.putPolicy(undefined, "nothing"), page.specOf("nothing")],
      sound: [page.complaint("v=1&run=fifo"), page.specOf(" fifo ")],
    };
  });
  assert.ok(isPlain);
  assert.deepEqual([look.t, look.open, look.ready, look.done, look.isFile, look.said], [2, true, true, true, false, ""]);
  assert.deepEqual(facts.map(({ policy }) => policy), ["fifo", "srtf"]);
  assert.ok(facts.every(({ place }) => ["waiting", "running", "finished"].includes(place)), JSON.stringify(facts));
  assert.deepEqual(cards.map(({ spec, status, why, given, left }) => [spec, status, why, given, left]), [["fifo", "done", "", "", ""], ["srtf", "done", "", "", ""]]);
  assert.ok(cards.every((card) => ["jct_mean", "jct_p95", "rho_mean"].every((id) => Number.isFinite(card[id]))));
  assert.deepEqual(jobs, [false, false, true, true]);
  assert.deepEqual(views, [false, true]);
  assert.match(wrong[0], /nothing/);
  assert.match(wrong[1], /nothing/);
  assert.equal(wrong[2], undefined);
  assert.equal(sound[0], undefined);
  assert.equal(sound[1], "fifo");
});
