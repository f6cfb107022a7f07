// Figures in articles as authors put them there: what is refused changes nothing, attributes say what is shown,
// a group plays together, any server does, and two yards stand side by side in a column of text.

import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { article, figures, heard, noted, on, playing, plays, THREE, timeOf } from "./article.mjs";
import { browser, dist, emptyFolder, finished, screenshot } from "./browser.mjs";
import { serve } from "./server.mjs";

const { open } = browser();

/** The script as snippets have it. */
const CLASSIC = '<script src="view.js" async></script>';

/** An article beside the page. */
async function figure(t, content, { pages = {}, ...options } = {}) {
  const server = await serve(dist, "/hosted/", { pages: { "article.html": article(content, CLASSIC), ...pages } });
  t.after(() => server.close());
  return open(t, `${server.url}article.html`, { before: noted, ...options });
}

/** What a figure shows, and what its attributes say of it. */
const state = async (page, id) => {
  const { t, cluster, trace, runs } = await on(page, id, (element) => element.summary());
  const said = await on(page, id, ({ src, policy, cluster, t, link }) => ({ src, policy, cluster, t, link }));
  return { t, cluster: cluster.spec, jobs: trace.jobs, runs: runs.map(({ policy, seed, log_hash }) => [policy, seed, log_hash]), said };
};

test("a run that is refused leaves the figure and its attributes as they were", async (t) => {
  const page = await figure(t, `<switchyard-view id="one" ${THREE} cluster="1x4"></switchyard-view>`, { tolerated: /404/ });
  await heard(page, "one", "done");
  const before = await state(page, "one");
  const ask = (settings) => on(page, "one", (element, settings) => element.run(settings).then(() => "it ran", (error) => error.message), settings);
  const [frame] = figures(page);
  // What is not understood is never shown, not for a moment.
  await frame.evaluate(() => {
    globalThis.moved = [];
    addEventListener("hashchange", () => moved.push(location.hash));
  });
  for (const [settings, why] of [
    [{ policy: "las+fifo" }, /las\+fifo/],
    [{ cluster: "999x999" }, /^cluster=999x999: /],
    [{ sample: "nowhere" }, /^sample=nowhere: /],
    [{ src: "nowhere" }, /^sample=nowhere: /],
    [{ policy: "sjf", seed: "many" }, /^seed=many: /],
    [{ placement: "sideways", cluster: "1x2" }, /^placement=sideways: /],
    [{ "no-such-setting": 1 }, /^no-such-setting=1: /],
    [{ link: "v=1&sample=lab&run=no-such-policy" }, /no-such-policy/],
    [{ link: "v=1&sample=lab", policy: "no-such-policy" }, /no-such-policy/],
  ]) {
    assert.match(await ask(settings), why);
    assert.deepEqual(await state(page, "one"), before, JSON.stringify(settings));
  }
  assert.deepEqual(await frame.evaluate(() => moved), []);
  // What turns out to be wrong later is taken back.
  for (const [settings, why] of [
    [{ src: "traces/none.csv", policy: "sjf" }, /404|cannot be/],
    [{ policy: "script[code=AAAA]" }, /./],
  ]) {
    assert.match(await ask(settings), why);
    assert.deepEqual(await state(page, "one"), before, JSON.stringify(settings));
  }
  assert.equal(figures(page).length, 1, "in the same frame");
});

test("after a run attributes say what is shown, and the figure comes back as that", async (t) => {
  const page = await figure(t, `<switchyard-view id="one" ${THREE} cluster="1x8" theme="dark"></switchyard-view>`);
  await heard(page, "one", "done");
  const said = () => on(page, "one", (element) => Object.fromEntries(element.getAttributeNames().filter((name) => name !== "id" && name !== "link").map((name) => [name, element.getAttribute(name)])));
  await on(page, "one", (element) => element.run({ policy: ["sjf", "fifo if 0:1h..2h"], cluster: "1x4" }));
  assert.deepEqual(await said(), { src: "three-jobs", policy: "sjf fifo if 0:1h..2h", cluster: "1x4", theme: "dark" });
  assert.equal(await on(page, "one", (element) => element.link), "", "attributes say all of it");
  await on(page, "one", (element) => element.run({ seed: 5, speed: 2 }));
  assert.deepEqual(await said(), { src: "three-jobs", policy: "sjf fifo if 0:1h..2h", cluster: "1x4", speed: "2", theme: "dark" });
  assert.match(await on(page, "one", (element) => element.link), /&seed=5(&|$)/);
  const before = await state(page, "one");
  // Elsewhere in the article it is made anew, by what its attributes say.
  await page.evaluate(() => {
    noted.length = 0;
    document.body.append(document.getElementById("one"));
  });
  await heard(page, "one", "done");
  assert.deepEqual((await state(page, "one")).runs, before.runs);
  // Other jobs, by each of their names.
  await on(page, "one", (element) => element.run({ sample: "lab", policy: "fifo" }));
  assert.deepEqual(await said(), { src: "lab", policy: "fifo", cluster: "1x4", theme: "dark" });
  assert.doesNotMatch(await on(page, "one", (element) => element.link), /three-jobs/);
  // A link says all but what is said beside it.
  await on(page, "one", (element) => element.run({ link: "v=1&sample=three-jobs&run=srtf&seed=9", policy: "las" }));
  assert.deepEqual(await said(), { policy: "las" });
  assert.equal(await on(page, "one", (element) => element.link), "v=1&sample=three-jobs&run=srtf&seed=9");
  const { runs, jobs } = await state(page, "one");
  assert.deepEqual([jobs, runs.map(([policy, seed]) => [policy, seed])], [3, [["las", 9]]]);
});

for (const [name, first, second] of [
  ["of which both play by themselves", "autoplay", "autoplay"],
  ["of which the first plays by itself", "autoplay", ""],
  ["of which the second does", "", "autoplay"],
]) {
  test(`a group plays together: two figures ${name}`, async (t) => {
    const one = (id, more) => `<switchyard-view id="${id}" ${THREE} speed="0.5" group="g" ${more} style="height: 300px"></switchyard-view>`;
    const page = await figure(t, one("a", first) + one("b", second), { viewport: { width: 800, height: 900 } });
    for (const id of ["a", "b"]) await plays(page, id, true);
    for (let looks = 0; looks < 5; looks++) {
      await page.waitForTimeout(300);
      assert.deepEqual([await playing(page, "a"), await playing(page, "b")], [true, true]);
    }
    const [a, b] = [await timeOf(page, "a"), await timeOf(page, "b")];
    assert.ok(Math.abs(a - b) < 0.75, `${a} and ${b}`);
    await on(page, "b", (element) => element.pause());
    for (const id of ["a", "b"]) await plays(page, id, false);
  });
}

test("a figure of a group that comes into sight later plays along, or starts those that may", async (t) => {
  const one = (id, more) => `<switchyard-view id="${id}" ${THREE} speed="0.2" group="g" ${more} style="height: 300px"></switchyard-view>`;
  const page = await figure(t, `${one("a", "")}<div style="height: 500px"></div>${one("b", "autoplay")}`, { viewport: { width: 800, height: 700 } });
  // Near, but not seen yet.
  for (const id of ["a", "b"]) await heard(page, id, "ready");
  await page.waitForTimeout(500);
  assert.deepEqual([await playing(page, "a"), await playing(page, "b")], [false, false]);
  await page.mouse.move(400, 500);
  await page.mouse.wheel(0, 250);
  for (const id of ["a", "b"]) await plays(page, id, true);
});

/** The snippet that the dialog makes, of a page at an address. */
async function snippet(t, address, kind) {
  const page = await open(t, `${address}index.html#v=1&sample=three-jobs&run=fifo&run=srtf&t=3`, { tolerated: /foreign request/ });
  await finished(page, 2);
  await page.getByRole("button", { name: "Embed" }).click();
  const dialog = page.getByRole("dialog");
  if (kind === "frame") await dialog.getByRole("button", { name: "Plain frame" }).click();
  return { code: await dialog.getByLabel("The snippet").inputValue(), words: await dialog.textContent() };
}

/** An article of another host than the page's, which sends no header at all, as `python -m http.server`. */
async function elsewhere(t, snippet, headers = {}) {
  const server = await serve(dist, "/articles/", { headers, pages: { "article.html": article(snippet, "") } });
  t.after(() => server.close());
  return `${server.url}article.html`;
}

test("from a server that sends no CORS header both snippets of the dialog show their figure", async (t) => {
  const there = await serve(dist, "/there/");
  t.after(() => there.close());
  const element = await snippet(t, there.url, "element");
  assert.match(element.words, /any server does, python -m http\.server too/);
  assert.match(element.words, /is this computer, which readers do not reach/);
  const article = await elsewhere(t, element.code.replace("<switchyard-view", '<switchyard-view id="one"'));
  const page = await open(t, article, { before: noted, tolerated: /foreign request/ });
  assert.deepEqual((await heard(page, "one", "done")).runs.map(({ policy }) => policy), ["fifo", "srtf"]);
  assert.equal(await page.getByRole("link", { name: /This figure comes from/ }).isVisible(), false);
  const frame = await snippet(t, there.url, "frame");
  assert.match(frame.words, /it shows switchyard\.html/);
  const other = await open(t, await elsewhere(t, frame.code), { tolerated: /foreign request|CORS|ERR_FAILED/ });
  await other.frameLocator("iframe").locator(".yard canvas").first().waitFor({ timeout: 60_000 });
});

test("where its script does not come, the figure's place says where it is", async (t) => {
  const there = await serve(dist, "/there/");
  t.after(() => there.close());
  const { code } = await snippet(t, there.url, "element");
  for (const [name, text, headers] of [
    ["a policy of the article that forbids it", code, { "content-security-policy": "script-src 'none'" }],
    ["a host that is away", code.replace(/src="[^"]*view\.js"/, 'src="http://127.0.0.1:9/view.js"'), {}],
    ["a module from a host without CORS", code.replace("<script ", '<script type="module" '), {}],
  ]) {
    const page = await open(t, await elsewhere(t, text, headers), { tolerated: /foreign request|Content Security|csp|CORS|ERR_/ });
    const link = page.getByRole("link", { name: "This figure comes from" });
    await link.waitFor();
    assert.ok((await link.boundingBox()).height > 10, name);
    const whole = await open(t, await link.getAttribute("href"), { tolerated: /foreign request/ });
    await finished(whole, 2);
    assert.match(whole.url(), /sample=three-jobs&.*run=fifo&run=srtf/);
  }
});

test("from a disk the element works, too", async (t) => {
  const folder = emptyFolder(t);
  for (const name of ["view.js", "switchyard.html"]) copyFileSync(join(dist, name), join(folder, name));
  writeFileSync(join(folder, "article.html"), article(`<switchyard-view id="one" ${THREE}></switchyard-view>`, CLASSIC));
  const page = await open(t, pathToFileURL(join(folder, "article.html")).href, { before: noted, tolerated: /foreign request/ });
  assert.equal((await heard(page, "one", "done")).trace.jobs, 3);
  await on(page, "one", (element) => element.seek(5));
  await page.waitForFunction(() => noted.some(([, what, detail]) => what === "time" && detail.t === 5));
});

/** What a figure's canvases say. */
const painted = (frame) => frame.evaluate(async () => {
  const touch = () => switchyardEmbed.page.speed(switchyardEmbed.page.look().speed);
  // Trusted Types let nobody parse it.
  const svg = await switchyardDrawn(document.querySelector(".view"), touch);
  return [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text]) => text);
});

test("the documented example shows two yards side by side in a column of text, with the jobs that wait", async (t) => {
  const one = (width) => `<switchyard-view id="w${width}" src="lab" policy="fifo srtf" t="30000" controls caption="A lab's day" style="width: ${width}px"></switchyard-view>`;
  for (const [width, count] of [[560, 2], [600, 2], [736, 2], [900, 2], [559, 1]]) {
    const page = await figure(t, one(width), { viewport: { width: 1440, height: 900 } });
    const done = await heard(page, `w${width}`, "done");
    assert.equal(done.runs.length, 2);
    const [frame] = figures(page);
    const yards = frame.locator(".yard").filter({ visible: true });
    assert.equal(await yards.count(), count, `at ${width} px`);
    assert.equal(await frame.locator(".which-yard").isVisible(), count === 1);
    const boxes = await yards.evaluateAll((yards) => yards.map((yard) => yard.getBoundingClientRect().toJSON()));
    for (const { top, bottom, left, right } of boxes) {
      assert.ok(top === boxes[0].top && bottom <= 480 && left >= 0 && right <= width, `at ${width} px: ${JSON.stringify(boxes)}`);
    }
    const [{ waiting }] = await frame.evaluate(() => switchyardEmbed.page.facts());
    assert.ok(waiting > 3, "jobs wait under FIFO then");
    const words = await painted(frame);
    assert.ok(words.some((word) => /^▾ /.test(word)), `at ${width} px: ${words}`);
    assert.ok(!words.some((word) => /^waiting: /.test(word)), `at ${width} px, counted: ${words}`);
    await screenshot(page, `embed-${width}`);
  }
});
