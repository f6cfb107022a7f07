// A hostile article of another host: it asks for everything there is, and reads all that is said to it. What it
// hears once the reader has opened a file is the same whatever the file is (docs/embedding.md).

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { article, heard, noted, on } from "./article.mjs";
import { browser, dist } from "./browser.mjs";
import { serve } from "./server.mjs";

const { open } = browser();

const scriptOf = (text) => `script[code=${deflateRawSync(text).toString("base64url")}]`;
/** Schedulers whose errors say what they see. */
const TELLTALES = [
  'fn key(job, now) { throw job.name + " of " + job.tenant + " with " + job.gpus + " at " + job.submit }',
  "fn plan(view) { throw view.now.to_string() + view.waiting.len().to_string() }",
].map(scriptOf);

const LAST = "the last request";

/** What an article may send with any request: what some requests take, and what none does. */
const PARAMS = [
  undefined,
  null,
  true,
  0,
  77_310.5,
  1e9,
  "J1",
  "narwhal",
  "yard",
  "compare",
  ["fifo"],
  {},
  { seed: 7 },
  { window: "0s..1h" },
  { tenant: "zebra" },
  { cluster: "1x1" },
  { restart_cost: 0 },
  { t: 0 },
  { src: "lab" },
  { sample: "lab" },
  { url: "https://127.0.0.1:9/a.csv" },
  { link: "v=1&sample=lab&run=fifo" },
  { link: "v=1&file=mine.csv&run=fifo" },
  ...TELLTALES.map((policy) => ({ policy })),
  { policy: TELLTALES },
  { name: "a", predicate: "done" },
  { name: "b", predicate: "t >= 0" },
  { name: "c", predicate: "finished(0) >= 1" },
  { name: "d", predicate: "mean(0) < 1000000" },
  { name: "e", predicate: "job narwhal is running" },
];

const csv = (...rows) => `${["job,submit,duration,gpus,tenant", ...rows].join("\n")}\n`;
/** Files of a reader's, each with words and numbers of its own. */
const FILES = [
  ["mine.csv", csv("narwhal,0,77310,2,zebra", "narwhal-2,10,60,1,zebra")],
  ["mine.csv", csv(...Array.from({ length: 40 }, (_, at) => `narwhal-${at},${at * 77_310},7731,7,zebra`))],
  ["damaged.csv", csv("narwhal,zebra,narwhal,7731,zebra")],
  ["experiment.csv", `#switchyard 1\n#title narwhal\n#run ${TELLTALES[0]}\n${csv("narwhal,0,77310,2,zebra")}`],
  ["zebra.wasm", "narwhal"],
  ["zebra.safetensors", "narwhal 7731"],
];
const SECRETS = /narwhal|zebra|7731|mine\.csv/;

/** An article with the page in a frame: what it has heard, and how it asks. */
async function hostile(t, address, fragment) {
  const content = `<iframe id="f" src="${address}index.html?embed=yard#${fragment}" width="700" height="400" title="f"></iframe>`;
  const server = await serve(dist, "/hostile/", { pages: { "article.html": article(content, "") } });
  t.after(() => server.close());
  const listen = () => {
    globalThis.messages = [];
    // A picture is no text, so it is named.
    const shown = (value) => (value instanceof ImageBitmap ? "a picture" : value);
    addEventListener("message", ({ data }) => messages.push({ ...data, ...("result" in data && { result: shown(data.result) }) }));
    globalThis.send = (message) => document.getElementById("f").contentWindow.postMessage({ switchyard: 1, ...message }, "*");
  };
  const page = await open(t, `${server.url}article.html`, { before: (page) => page.addInitScript(listen), tolerated: /foreign request|ERR_|CORS/ });
  await page.waitForFunction(() => messages.some(({ event }) => ["ready", "private"].includes(event)), null, { timeout: 60_000 });
  const frame = page.frames().find((frame) => frame.url().startsWith(address));
  return { page, frame };
}

/** Gives the frame a file, as a reader does who drops it. */
async function drop(frame, name, text) {
  const transfer = await frame.evaluateHandle(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      return data;
    },
    [name, text],
  );
  await frame.locator(".drop").dispatchEvent("drop", { dataTransfer: transfer });
}

/** Waits until the frame neither opens nor runs anything, as far as its own program says. */
const quiet = (frame) => frame.waitForFunction(() => ((look) => look.done || look.said)(switchyardEmbed.page.look()), null, { timeout: 60_000 });

/** All requests there are, with all that may be sent along; and waits for the answer to one more. */
async function askAll(page, methods, round) {
  await page.evaluate(
    ([methods, all, round]) => {
      for (const method of methods) all.forEach((params, at) => send({ id: `${round} ${method} ${at}`, method, params }));
    },
    [methods, PARAMS, round],
  );
  await page.evaluate((id) => send({ id, method: "pause" }), `${round} ${LAST}`);
  await page.waitForFunction((id) => messages.some((message) => message.id === id), `${round} ${LAST}`);
}

/** All that an article hears from when a file is dropped in its frame. */
async function overheard(t, address, [name, text]) {
  const { page, frame } = await hostile(t, address, "v=1&sample=three-jobs&run=fifo&t=2");
  const methods = await frame.evaluate(() => switchyardEmbed.methods);
  assert.ok(methods.length > 10 && methods.includes("run"), methods.join());
  // What was asked for before is answered later.
  await page.evaluate(() => {
    send({ id: "early goal", method: "goal", params: { name: "early", predicate: "t > 1000" } });
    send({ id: "early pause", method: "pause" });
  });
  await page.waitForFunction(() => messages.some(({ id }) => id === "early pause"));
  const before = await page.evaluate(() => messages.length);
  await drop(frame, name, text);
  await askAll(page, methods, 1);
  await quiet(frame);
  await askAll(page, methods, 2);
  // A frame's address is its parent's to change.
  for (const run of [...TELLTALES, "fifo"]) {
    await page.evaluate((address) => (document.getElementById("f").src = address), `${address}index.html?embed=yard#v=1&file=${name}&seed=3&run=${encodeURIComponent(run)}`);
    await page.waitForTimeout(200);
    await quiet(frame);
  }
  await page.evaluate(() => send({ id: "play", method: "play" }));
  await page.waitForTimeout(500);
  await askAll(page, methods, 3);
  return page.evaluate((before) => messages.slice(before), before);
}

test("once a reader has opened a file, an article of another host hears the same whatever it asks and whatever the file is", { timeout: 600_000 }, async (t) => {
  const there = await serve(dist, "/there/");
  t.after(() => there.close());
  let first = null;
  for (const file of FILES) {
    const messages = await overheard(t, there.url, file);
    for (const message of messages) assert.doesNotMatch(JSON.stringify(message), SECRETS, `of ${file[0]}`);
    const told = messages.filter(({ event }) => event).map(({ event }) => event);
    assert.deepEqual(told, ["private"], `of ${file[0]}`);
    first ??= messages;
    assert.deepEqual(messages, first, `of ${file[0]}`);
  }
  const answers = first.filter(({ id }) => id !== undefined);
  const words = first.find(({ event }) => event === "private").detail.message;
  assert.match(words, /^the reader has opened a file of their own/);
  assert.deepEqual(new Set(answers.map(({ result, error }) => result === null || error)), new Set([true, words]));
  // What still works is what the words say.
  const works = answers.flatMap(({ id, result }) => (result === null ? (/^\d (\w+) \d+$/.exec(id)?.slice(1) ?? []) : []));
  const named = /it takes (.*), and says/.exec(words)[1].split(/, | and /);
  assert.deepEqual(new Set(works), new Set(named));
});

test("a frame that a browser restores with the name of the reader's file says nothing of it", async (t) => {
  const there = await serve(dist, "/there/");
  t.after(() => there.close());
  const { page, frame } = await hostile(t, there.url, "v=1&file=narwhal.csv&tenant=zebra&window=0..7731&run=fifo");
  await frame.getByText("narwhal.csv").first().waitFor();
  await askAll(page, await frame.evaluate(() => switchyardEmbed.methods), 1);
  const messages = await page.evaluate(() => messages);
  assert.doesNotMatch(JSON.stringify(messages), SECRETS);
  assert.deepEqual(messages.filter(({ event }) => event).map(({ event }) => event), ["private"]);
});

test("a figure of another host with a file of the reader's says so to its article, and keeps the file", async (t) => {
  const there = await serve(dist, "/there/");
  t.after(() => there.close());
  const figure = `<script src="${there.url}view.js"></script><switchyard-view id="one" src="three-jobs" policy="fifo" t="3" style="height: 400px"></switchyard-view>`;
  const here = await serve(dist, "/articles/", { pages: { "article.html": article(figure, "") } });
  t.after(() => here.close());
  const before = async (page) => {
    await noted(page);
    await page.addInitScript(() => addEventListener("private", ({ detail }) => (globalThis.said = detail.message), true));
  };
  const page = await open(t, `${here.url}article.html`, { before, tolerated: /foreign request/ });
  await heard(page, "one", "done");
  const waits = on(page, "one", (element) => element.goal("never", ({ t }) => t > 1e6).catch((error) => error.message));
  const frame = page.frames().find((frame) => /[?&]embed=/.test(frame.url()));
  await drop(frame, ...FILES[0]);
  const said = await page.waitForFunction(() => globalThis.said).then((said) => said.jsonValue());
  assert.equal(await waits, said);
  for (const ask of ["summary()", 'run({ policy: "srtf" })', 'goal("now", "done")', "picture()"]) {
    assert.equal(await on(page, "one", `(element) => element.${ask}.then(() => "answered", (error) => error.message)`), said, ask);
  }
  await frame.waitForFunction(() => /file=mine/.test(location.hash));
  await on(page, "one", (element) => element.shelve());
  await on(page, "one", (element) => element.pause());
  assert.ok(await frame.evaluate(() => /file=mine/.test(location.hash)), "what the reader has opened is still there");
});

test("a message is read no further than its bounds go", async (t) => {
  const there = await serve(dist, "/there/");
  t.after(() => there.close());
  const { page, frame } = await hostile(t, there.url, "v=1&sample=three-jobs&run=fifo&t=2");
  // Who walks through a list of that length comes by here.
  const FAR = 20_000_000;
  await frame.evaluate((far) => {
    globalThis.walks = 0;
    Object.defineProperty(Array.prototype, far, { configurable: true, get: () => void (globalThis.walks += 1) });
  }, FAR / 2);
  const answered = await page.evaluate(async (far) => {
    const holes = [];
    holes.length = far;
    let twice = ["x"];
    for (let level = 0; level < 64; level += 1) twice = [twice, twice];
    let deep = [];
    for (let level = 0; level < 500; level += 1) deep = [deep];
    const endless = {};
    endless.again = endless;
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 0]));
    const all = { holes, twice, deep, endless, wide, long: "x".repeat(400_001), bytes: new Uint8Array(8), map: new Map([[1, 2]]), date: new Date(0), big: 1n };
    for (const [id, params] of Object.entries(all)) {
      send({ id, method: "theme", params });
      send({ id: `within ${id}`, method: "run", params: { policy: params } });
    }
    send({ id: "last", method: "theme", params: "dark" });
    while (!messages.some(({ id }) => id === "last")) await new Promise((resolve) => setTimeout(resolve, 20));
    return messages.filter(({ id }) => id).map(({ id }) => id);
  }, FAR);
  assert.deepEqual(answered, ["last"]);
  assert.equal(await frame.evaluate(() => walks), 0);
});
