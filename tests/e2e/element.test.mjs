// <switchyard-view>, and the messages that it and plain frames speak: docs/embedding.md promises what is
// tested here.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { article, figures, heard, noted, on, playing, plays, THREE, timeOf } from "./article.mjs";
import { accessibilityProblems, browser, dist, emptyFolder, finished, picture, screenshot } from "./browser.mjs";
import { serve } from "./server.mjs";

const { open } = browser();

async function host(t, pages, headers = {}) {
  const server = await serve(dist, "/hosted/", { headers, pages });
  t.after(() => server.close());
  return server.url;
}

/** How many different things workers were asked for, and how many workers there are. */
const shared = (page) => page.frame({ name: "switchyard-workers" }).evaluate(() => [switchyardSharing.tasks.size, switchyardSharing.places.size]);

test("an element shows what its attributes say, does what it is asked, and tells what happens", async (t) => {
  const url = await host(t, { "article.html": article(`<switchyard-view id="one" ${THREE} controls caption="Three jobs" style="height: 400px"></switchyard-view>`) });
  const page = await open(t, `${url}article.html`, { before: noted });
  await heard(page, "one", "ready");
  const done = await heard(page, "one", "done");
  assert.deepEqual(done.runs.map(({ policy }) => policy), ["fifo", "srtf"]);
  for (const { jct, makespan, restarts, name } of done.runs) {
    assert.ok(jct.mean > 0 && jct.median > 0 && jct.p95 >= jct.median && makespan > 0 && restarts >= 0 && name);
  }
  const [frame] = figures(page);
  assert.equal(await frame.locator(".player").isVisible(), true);
  assert.equal(await timeOf(page, "one"), 3);
  assert.equal(await playing(page, "one"), false);
  // Methods.
  await on(page, "one", (element) => element.seek(7));
  await page.waitForFunction(() => noted.some(([, what, detail]) => what === "time" && detail.t === 7));
  await on(page, "one", (element) => element.select("J2"));
  assert.deepEqual(await heard(page, "one", "select"), { job: "J2" });
  await on(page, "one", (element) => element.highlight("J1"));
  assert.match(await on(page, "one", (element) => element.select("<b>J9</b>").catch((error) => error.message)), /no job of that name/);
  await on(page, "one", (element) => ((element.speed = 2), element.play()));
  await page.waitForFunction(() => noted.some(([, what, detail]) => what === "time" && detail.playing && detail.t > 7 && detail.speed === 2));
  await on(page, "one", (element) => element.pause());
  const summary = await on(page, "one", (element) => element.summary());
  assert.equal(summary.trace.jobs, 3);
  assert.equal(summary.runs.length, 2);
  const other = await on(page, "one", (element) => element.run({ policy: "fewest-gpus las[quantum=1]", cluster: "1x4", seed: 5 }));
  assert.deepEqual(other.runs.map(({ policy, seed }) => [policy, seed]), [["fewest-gpus", 5], ["las[quantum=1]", 5]]);
  assert.equal(other.cluster.spec, "1x4");
  assert.match(await on(page, "one", (element) => element.run({ "<img>": 1 }).catch((error) => error.message)), /is no setting/);
  // Goals: texts that the page checks, and functions of the article's.
  const reached = on(page, "one", (element) => Promise.all([
    element.goal("late", "t >= 7.4 and mean(sjf) > 0"),
    element.goal("mine", ({ t, runs }) => t >= 7.4 && runs.length === 2),
  ]));
  await on(page, "one", (element) => element.seek(7.5));
  await reached;
  const names = await page.evaluate(() => noted.filter(([, what]) => what === "goal").map(([, , { name }]) => name));
  assert.deepEqual(names.sort(), ["late", "mine"]);
  assert.match(await on(page, "one", (element) => element.goal("bad", "alert(1)").catch((error) => error.message)), /a goal does not know/);
  // Attributes that change.
  await on(page, "one", (element) => ((element.view = "timeline"), (element.theme = "dark"), (element.controls = false), (element.caption = "<i>Later</i>"), undefined));
  await frame.locator(".timeline").first().waitFor();
  await frame.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  await frame.locator(".player").waitFor({ state: "hidden" });
  assert.equal(await on(page, "one", (element) => element.shadowRoot.querySelector("p").textContent), "<i>Later</i>");
  await on(page, "one", (element) => ((element.src = "lab"), (element.policy = "fifo"), undefined));
  await page.waitForFunction(() => noted.some(([, what, detail]) => what === "done" && detail.trace.jobs === 240));
  assert.equal(figures(page).length, 1, "in the same frame");
  await screenshot(page, "element");
});

test("a group has one clock, whoever moves it", async (t) => {
  const one = (id, more = "") => `<switchyard-view id="${id}" ${THREE} speed="1" group="g" controls ${more} style="height: 300px"></switchyard-view>`;
  const url = await host(t, { "article.html": article(one("a") + one("b") + `<switchyard-view id="c" ${THREE} style="height: 200px"></switchyard-view>`) });
  const page = await open(t, `${url}article.html`, { before: noted, viewport: { width: 800, height: 900 } });
  for (const id of ["a", "b", "c"]) await heard(page, id, "ready");
  await on(page, "a", (element) => element.seek(5));
  await page.waitForFunction(() => noted.some(([of, what, { t }]) => of === "b" && what === "time" && t === 5));
  await on(page, "a", (element) => element.play());
  await plays(page, "b", true);
  // The reader's own hand in the other.
  await figures(page)[1].getByRole("button", { name: "Pause" }).click();
  await plays(page, "a", false);
  await plays(page, "b", false);
  await page.waitForTimeout(300);
  const [a, b] = [await timeOf(page, "a"), await timeOf(page, "b")];
  assert.ok(Math.abs(a - b) < 1, `${a} and ${b}`);
  assert.equal(await timeOf(page, "c"), 3, "who is not of the group stays");
});

test("off screen an element sleeps, with reduced motion nothing plays by itself, and far away there are pictures", async (t) => {
  const views = Array.from({ length: 10 }, (_, at) => `<div style="height: 900px"><switchyard-view id="v${at}" ${THREE} speed="0.5" autoplay style="height: 300px"></switchyard-view></div>`).join("");
  const url = await host(t, { "article.html": article(views) });
  const page = await open(t, `${url}article.html`, { before: noted, viewport: { width: 800, height: 700 } });
  await heard(page, "v0", "ready");
  await page.waitForFunction(() => noted.some(([of, what, { playing }]) => of === "v0" && what === "time" && playing));
  assert.equal(figures(page).length, 2, "the seen one, and the next");
  await page.evaluate(() => scrollTo(0, 900));
  await plays(page, "v0", false);
  await page.evaluate(() => scrollTo(0, 0));
  await plays(page, "v0", true);
  await on(page, "v0", (element) => element.seek(6).then(() => element.pause()));
  for (let at = 0; at < 10; at++) {
    await page.evaluate((at) => scrollTo(0, 900 * at), at);
    await heard(page, `v${at}`, "ready");
  }
  while (figures(page).length > 6) await page.waitForTimeout(50);
  const isPicture = await on(page, "v0", (element) => element.shadowRoot.querySelector("canvas")?.width > 100 && !element.shadowRoot.querySelector("iframe"));
  assert.ok(isPicture, "what it showed last stands in its place");
  await page.evaluate(() => (noted.length = 0, scrollTo(0, 0)));
  await heard(page, "v0", "ready");
  assert.equal(await timeOf(page, "v0"), 6, "it goes on where it was");
  assert.equal(await playing(page, "v0"), false);
  await heard(page, "v0", "done");
  // What is set from then on holds.
  await page.evaluate(() => (noted.length = 0));
  await on(page, "v0", (element) => void (element.policy = "las"));
  assert.deepEqual((await heard(page, "v0", "done")).runs.map(({ policy }) => policy), ["las"]);

  const still = await open(t, `${url}article.html`, { before: noted, viewport: { width: 800, height: 700 }, reducedMotion: "reduce" });
  await heard(still, "v0", "ready");
  await still.waitForTimeout(500);
  assert.equal(await timeOf(still, "v0"), 3);
  await on(still, "v0", (element) => element.play());
  await still.waitForFunction(() => noted.some(([, what, { t }]) => what === "time" && t > 3));
});

test("a frame of another host speaks the same, to its parent alone, and what it does not know it does not answer", async (t) => {
  const page_of = await serve(dist, "/there/", { headers: { "access-control-allow-origin": "*" } });
  t.after(() => page_of.close());
  const frames = `<iframe id="f" src="${page_of.url}index.html?embed=yard#v=1&sample=three-jobs&run=fifo&t=2" width="600" height="300" title="f"></iframe><iframe id="stranger" src="stranger.html" title="s"></iframe>`;
  const url = await host(t, { "article.html": article(frames, ""), "stranger.html": article("", "") });
  const isTheirs = (page) =>
    page.addInitScript(() => {
      globalThis.messages = [];
      addEventListener("message", ({ data, origin, source }) => messages.push({ ...data, origin, mine: source === document.getElementById("f")?.contentWindow }));
    });
  const page = await open(t, `${url}article.html`, { before: isTheirs, tolerated: /foreign request/ });
  await page.waitForFunction(() => messages.some(({ event }) => event === "ready"), null, { timeout: 60_000 });
  const send = (message) => page.evaluate((message) => document.getElementById("f").contentWindow.postMessage(message, "*"), message);
  const answer = (id) => page.waitForFunction((id) => messages.find((message) => message.id === id), id).then((found) => found.jsonValue());
  await send({ switchyard: 1, id: "s", method: "summary" });
  const { result, origin } = await answer("s");
  assert.equal(result.runs[0].policy, "fifo");
  assert.equal(origin, new URL(page_of.url).origin);
  // Not ours, not known, not within bounds: no answer.
  const before = await page.evaluate(() => messages.length);
  for (const message of [
    { id: 1, method: "summary" },
    { switchyard: 2, id: 1, method: "summary" },
    { switchyard: 1, id: 1, method: "constructor" },
    { switchyard: 1, id: 1, method: "eval", params: "1" },
    { switchyard: 1, id: {}, method: "summary" },
    { switchyard: 1, method: "summary" },
    { switchyard: 1, id: 1, method: "run", params: { link: "x".repeat(500_000) } },
    "summary",
    null,
  ]) await send(message);
  // A frame beside it is not its parent.
  await page.frames().find((frame) => frame.url().endsWith("stranger.html")).evaluate(() => parent.frames[0].postMessage({ switchyard: 1, id: 7, method: "seek", params: 9 }, "*"));
  await send({ switchyard: 1, id: "last", method: "facts", params: "J1" });
  assert.match((await answer("last")).result[0].place, /^(coming|waiting|running|finished)$/);
  assert.equal(await page.evaluate((before) => messages.slice(before).filter(({ id }) => id !== undefined && id !== "last").length, before), 0);
  assert.equal(await page.evaluate(() => messages.filter(({ event }) => event === "time").at(-1).detail.t), 2);
  // What is no number or too long is an error in words; markup is a name like any other.
  for (const [method, params, why] of [
    ["seek", "9", /no number/],
    ["select", "<img src=x onerror=alert(1)>", /no job of that name/],
    ["show", "nowhere", /no view/],
    ["run", { policy: "no-such-policy" }, /there is no policy 'no-such-policy'/],
    ["goal", { name: "x", predicate: "a".repeat(2000) }, /too long/],
  ]) {
    await send({ switchyard: 1, id: method, method, params });
    const told = await answer(method);
    assert.match(told.error, why);
  }
  const framed = page.frames().find((frame) => frame.url().startsWith(page_of.url));
  assert.equal(await framed.locator("img").count(), 0);
  // A changed address is followed, and a file that a link carries is shown.
  await page.evaluate((there) => (document.getElementById("f").src = `${there}index.html?embed=yard#v=1&sample=lab&run=srtf&t=0`), page_of.url);
  await page.waitForFunction(() => messages.some(({ event, detail }) => event === "done" && detail.trace.jobs === 240));
  // The reader's own file stays with them.
  await framed.locator(".drop").waitFor();
  const transfer = await framed.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(["job,submit,duration,gpus\nsecret,0,60,2\n"], "mine.csv"));
    return data;
  });
  await framed.locator(".drop").dispatchEvent("drop", { dataTransfer: transfer });
  await framed.waitForFunction(() => /file=mine/.test(location.hash), null, { timeout: 20_000 });
  await send({ switchyard: 1, id: "own", method: "summary" });
  assert.match((await answer("own")).error, /a file of their own/);
  assert.ok(!(await page.evaluate(() => JSON.stringify(messages))).includes("secret"));
});

test("the wheel over a figure scrolls the article, and zooms the yard with Ctrl alone", async (t) => {
  const url = await host(t, { "article.html": article(`<switchyard-view id="a" src="fleet" policy="fifo" t="100000" style="height: 500px"></switchyard-view><p style="height: 3000px">Below</p>`) });
  const page = await open(t, `${url}article.html`, { before: noted, viewport: { width: 1280, height: 700 } });
  await heard(page, "a", "done");
  const canvas = figures(page)[0].locator(".yard canvas").first();
  const { x, y, width, height } = await canvas.boundingBox();
  const before = await picture(canvas);
  await page.mouse.move(x + width / 3, y + height / 4);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await page.waitForTimeout(500);
  assert.equal(await page.evaluate(() => scrollY), 0);
  assert.notEqual(await picture(canvas), before, "it is larger");
  await page.mouse.wheel(0, 300);
  await page.waitForFunction(() => scrollY > 100);
});

test("a finger that moves up scrolls the article, and frames of one host compile once", async (t) => {
  const url = await host(t, { "article.html": article(`<switchyard-view id="a" ${THREE} style="height: 500px"></switchyard-view><switchyard-view id="b" ${THREE} style="height: 500px"></switchyard-view><p style="height: 3000px">Below</p>`) });
  const page = await open(t, `${url}article.html`, { before: noted, viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true });
  for (const id of ["a", "b"]) await heard(page, id, "done");
  const [frame] = figures(page);
  const canvas = frame.locator(".yard canvas").first();
  assert.equal(await canvas.evaluate((canvas) => getComputedStyle(canvas).touchAction), "pan-y");
  const { x, y, width, height } = await canvas.boundingBox();
  const session = await page.context().newCDPSession(page);
  const touch = (type, ...touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
  const [across, down] = [x + width / 2, y + height / 2];
  await touch("touchStart", { x: across, y: down });
  for (let by = 10; by <= 200; by += 10) {
    await touch("touchMove", { x: across, y: down - by });
    await page.waitForTimeout(16);
  }
  await touch("touchEnd");
  await page.waitForFunction(() => scrollY > 100);
  const workers = page.frame({ name: "switchyard-workers" });
  assert.equal(await workers.evaluate(() => switchyardModules.size), 2, "the page's program in its two parts; the workers' is compiled there alone");
});

test("from a disk, a frame of the single file works, and speaks", async (t) => {
  const folder = emptyFolder(t);
  const single = pathToFileURL(join(dist, "switchyard.html")).href;
  writeFileSync(join(folder, "article.html"), `<!doctype html><title>An article</title><iframe id="f" src="${single}?embed=yard&autoplay=0&controls=none&highlight=J2#v=1&sample=three-jobs&run=fifo&t=2" width="600" height="400"></iframe>`);
  const page = await open(t, pathToFileURL(join(folder, "article.html")).href, {
    tolerated: /foreign request/,
    before: (page) => page.addInitScript(() => {
      globalThis.messages = [];
      addEventListener("message", ({ data }) => messages.push(data));
    }),
  });
  await page.waitForFunction(() => messages.some(({ event }) => event === "done"), null, { timeout: 60_000 });
  await page.evaluate(() => document.getElementById("f").contentWindow.postMessage({ switchyard: 1, id: 1, method: "seek", params: 5 }, "*"));
  await page.waitForFunction(() => messages.some(({ event, detail }) => event === "time" && detail.t === 5));
});

test("one's own trace within the link, and by address", async (t) => {
  const lines = "job,submit,duration,gpus\na,0,60,2\nb,10,600,2\n";
  const url = await host(t, { "article.html": article(`<switchyard-view id="far" src="traces/mine.csv" policy="fifo" t="1"></switchyard-view>`), "traces/mine.csv": lines });
  const page = await open(t, `${url}article.html`, { before: noted });
  assert.equal((await heard(page, "far", "done")).trace.jobs, 2);
  const packed = await page.evaluate(async (text) => {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  }, lines);
  await page.evaluate((link) => {
    const element = Object.assign(document.createElement("switchyard-view"), { id: "within", link });
    document.body.append(element);
  }, `v=1&file=own.csv&experiment=${packed}&run=srtf&t=1`);
  const { trace, runs } = await heard(page, "within", "done");
  assert.deepEqual([trace.jobs, runs[0].policy], [2, "srtf"]);
});

test("a strict policy of the article, under a sub-path; and without scripts there are poster and text", async (t) => {
  const poster = `data:image/svg+xml,${encodeURIComponent("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>")}`;
  const figure = `<switchyard-view id="one" ${THREE} poster="${poster}"><img src="${poster}" alt="Three jobs"><p>Three jobs on eight GPUs.</p></switchyard-view>`;
  // The element's script and page are another host's, whose script the article may load as a module.
  const there = await serve(dist, "/deep/er/", { headers: { "access-control-allow-origin": "*" } });
  t.after(() => there.close());
  const { origin } = new URL(there.url);
  const policy = `default-src 'none'; script-src ${origin}; frame-src ${origin}; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'`;
  const strict = await serve(dist, "/article/", { headers: { "content-security-policy": policy }, pages: { "article.html": article(figure, `<script type="module" src="${there.url}view.js"></script>`) } });
  t.after(() => strict.close());
  const page = await open(t, `${strict.url}article.html`, { before: noted, tolerated: /foreign request/ });
  await heard(page, "one", "done");
  await on(page, "one", (element) => element.seek(5));
  assert.deepEqual(await page.evaluate(() => forbidden), []);
  const url = await host(t, { "plain.html": article(figure) });
  const plain = await open(t, `${url}plain.html`, { javaScriptEnabled: false });
  assert.ok(await plain.getByAltText("Three jobs").isVisible());
  assert.ok(await plain.getByText("Three jobs on eight GPUs.").isVisible());
});

/** Resident megabytes of the browser's processes that show pages. */
async function residentOf(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const pages = processInfo.filter(({ type }) => type === "renderer");
  const kilobytes = pages.map(({ id }) => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return kilobytes.reduce((sum, of) => sum + of, 0) / 1024;
}

test("ten elements that are all seen: time to the first moving picture, script per frame, memory", async (t) => {
  const one = (at) => `<switchyard-view id="v${at}" src="lab" policy="srtf" speed="2000" autoplay style="height: 180px"></switchyard-view>`;
  const grid = `<p id="above" style="height: 3000px">Above</p><div style="display: flex; flex-wrap: wrap">${Array.from({ length: 10 }, (_, at) => `<div style="width: 20%">${one(at)}</div>`).join("")}</div>`;
  const single = `<p style="height: 3000px">Above</p>${one(0)}`;
  const url = await host(t, { "ten.html": article(grid), "one.html": article(single) });
  const moves = (page, id) => page.evaluate((id) => new Promise((resolve) => {
    const begin = performance.now();
    const element = document.getElementById(id);
    element.addEventListener("time", ({ detail }) => detail.playing && resolve(performance.now() - begin), { once: false });
    element.scrollIntoView();
  }), id);
  for (const [name, count] of [["one.html", 1], ["ten.html", 10]]) {
    const page = await open(t, `${url}${name}`, { before: noted, viewport: { width: 1400, height: 900 } });
    const empty = await residentOf(page);
    t.diagnostic(`${count}: first moving picture ${(await moves(page, "v0")).toFixed(0)} ms after it is scrolled to`);
    for (let at = 0; at < count; at++) await heard(page, `v${at}`, "done");
    await page.waitForTimeout(1500);
    const scripts = await Promise.all(figures(page).map((frame) => frame.evaluate(() => switchyardFrameTimes())));
    assert.equal(scripts.length, count, "what is seen is no picture");
    assert.deepEqual((await shared(page))[0], 1, "what has not come with the page is run once");
    const means = scripts.map((times) => times.reduce((sum, of) => sum + of, 0) / times.length);
    t.diagnostic(`${count}: script ${means.reduce((sum, of) => sum + of, 0).toFixed(2)} ms a frame for all, greatest ${Math.max(...scripts.flat()).toFixed(1)} ms; memory ${(await residentOf(page) - empty).toFixed(0)} MB more than the article's ${empty.toFixed(0)} MB; ${page.workers().length} workers`);
  }
});

/** What workers tell a figure's page: how many replies of a kind. */
const replies = (frame, kind) => frame.waitForFunction((kind) => noted.filter((of) => of === kind).length, kind, { timeout: 20_000 }).then((count) => count.jsonValue());
const heeding = (page) =>
  page.addInitScript(() => {
    globalThis.noted = [];
    const { MessageEvent } = globalThis;
    globalThis.MessageEvent = class extends MessageEvent {
      constructor(type, init) {
        super(type, init);
        if (init.data?.kind) noted.push(init.data.kind);
      }
    };
  });

for (const where of ["of the page's host", "of another host"]) {
  test(`figures of an article ${where} share what workers do, and each has its own questions answered`, async (t) => {
    const [OPENED, DONE, EXPLAINED] = ["opened", "done", "explained"];
    const there = await serve(dist, "/there/", { headers: { "access-control-allow-origin": "*" } });
    t.after(() => there.close());
    const script = where.includes("another") ? `<script type="module" src="${there.url}view.js"></script>` : undefined;
    const one = (id, more) => `<switchyard-view id="${id}" ${more} view="yard" style="height: 200px"></switchyard-view>`;
    const same = ["a", "b", "c"].map((id) => one(id, THREE)).join("");
    const url = await host(t, { "article.html": article(same + one("d", 'src="three-jobs" policy="srtf" cluster="1x4" t="3"'), script) });
    const page = await open(t, `${url}article.html`, { before: heeding, viewport: { width: 800, height: 900 }, tolerated: /foreign request/ });
    while (figures(page).length < 4) await page.waitForTimeout(50);
    for (const frame of figures(page)) {
      await replies(frame, DONE);
      assert.equal(await replies(frame, OPENED), 1);
    }
    const hub = page.frame({ name: "switchyard-workers" });
    // One trace, two runs of it, and another one on another cluster.
    const most = await hub.evaluate(() => Math.max(2, Math.min(navigator.hardwareConcurrency, 8)));
    const [tasks, places] = await shared(page);
    assert.equal(tasks, 4);
    assert.ok(places <= most, `${places} workers`);
    // Two ask about the same runs, and one of them goes away.
    await on(page, "a", (element) => element.select("J1"));
    await on(page, "b", (element) => element.select("J2"));
    const [a, b, c] = figures(page);
    for (const frame of [a, b]) assert.ok((await replies(frame, EXPLAINED)) > 0);
    assert.equal(await c.evaluate((kind) => noted.includes(kind), EXPLAINED), false, "who has not asked is not told");
    await on(page, "a", (element) => element.remove());
    await on(page, "c", (element) => element.select("J3"));
    await replies(c, EXPLAINED);
    const other = await on(page, "c", (element) => element.run({ policy: "sjf" }));
    assert.equal(other.runs[0].policy, "fewest-gpus");
    assert.equal((await shared(page))[0], 5);
    for (const id of ["b", "c", "d"]) await on(page, id, (element) => element.remove());
    // What nobody has keeps no worker but what may serve the next.
    await hub.waitForFunction((most) => switchyardSharing.places.size <= most && [...switchyardSharing.places].every(({ owner }) => owner?.isIdle), most);
  });
}

test("a run of many pieces comes to its end for all figures that share it, though one of them goes", async (t) => {
  const [LOG, DONE] = ["log", "done"];
  const one = (id) => `<switchyard-view id="${id}" src="fleet" policy="srtf" cluster="4x8" t="1" view="yard" style="height: 200px"></switchyard-view>`;
  const url = await host(t, { "article.html": article(["a", "b", "c"].map(one).join("")) });
  const page = await open(t, `${url}article.html`, { before: heeding, viewport: { width: 800, height: 900 } });
  while (figures(page).length < 3) await page.waitForTimeout(50);
  const [a, b, c] = figures(page);
  await replies(a, LOG);
  await on(page, "a", (element) => element.remove());
  for (const frame of [b, c]) {
    await replies(frame, DONE);
    const pieces = await replies(frame, LOG);
    assert.ok(pieces > 2, `${pieces} pieces: it shows nothing`);
  }
  assert.equal((await shared(page))[0], 2, "a trace and a run of it");
});

test("a file's own settings hold beside schedulers that an element names", async (t) => {
  const settings = "#switchyard 1\n#cluster 1x4\n#policy las\n#seed 77\njob,submit,duration,gpus\na,0,60,2\nb,10,600,2\n";
  const url = await host(t, { "article.html": article(`<switchyard-view id="a" src="traces/own.csv" policy="fifo srtf" t="20"></switchyard-view><switchyard-view id="b" src="traces/own.csv" link="seed=5" policy="sjf" cluster="1x2" t="1"></switchyard-view><switchyard-view id="c" src="traces/own.csv" t="1"></switchyard-view>`), "traces/own.csv": settings });
  const page = await open(t, `${url}article.html`, { before: noted });
  const told = async (id) => {
    const { cluster, runs, t } = await heard(page, id, "done");
    return [cluster.spec, t, ...runs.map(({ policy, seed }) => `${policy} ${seed}`)];
  };
  assert.deepEqual(await told("a"), ["1x4", 20, "fifo 77", "srtf 77"]);
  assert.deepEqual(await told("b"), ["1x2", 1, "fewest-gpus 5"], "what the element says goes before the file");
  assert.deepEqual(await told("c"), ["1x4", 1, "las 77"]);
  // What changes later, too.
  await page.evaluate(() => (noted.length = 0));
  await on(page, "a", (element) => void (element.policy = "sjf"));
  assert.deepEqual((await told("a")).slice(2), ["fewest-gpus 77"]);
});

const MINE = "job,submit,duration,gpus\na,0,60,2\nb,10,600,2\n</script><script>globalThis.intruded=1</script>,20,90,1\n";
const give = (page) => page.getByTestId("file-picker").setInputFiles({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(MINE) });
const jobs = (page, count) => page.locator("header .facts").getByText(`${count} jobs`, { exact: true }).waitFor();

test("the Embed dialog makes both snippets of one's own trace, shows them, says how large they are, and they work", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0");
  await finished(page, 1);
  await give(page);
  await jobs(page, 3);
  await finished(page, 1);
  await page.getByRole("button", { name: "Embed" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^The snippet takes .* of which its trace takes \d+ B\.$/).waitFor();
  await dialog.getByLabel("View").selectOption("timeline");
  await dialog.getByLabel("Moment, s").fill("70");
  await dialog.getByLabel("Highlighted job").fill("b");
  await dialog.getByLabel("Theme").selectOption("dark");
  await dialog.getByLabel("Caption").fill('Two "jobs" & <b>one</b>');
  await dialog.getByLabel("With the player").uncheck();
  const preview = page.frameLocator("#embed-dialog iframe");
  await preview.locator(".timeline canvas").first().waitFor();
  await page.waitForFunction(() => frames[0]?.document?.documentElement?.dataset.theme === "dark");
  // The preview is that of a moment ago until it is made anew.
  await preview.locator(".player").waitFor({ state: "hidden" });
  assert.deepEqual(await accessibilityProblems(page), []);
  const code = dialog.getByLabel("The snippet");
  const element = (await code.inputValue()).replace("<switchyard-view", '<switchyard-view id="one"');
  await dialog.getByRole("button", { name: "Plain frame" }).click();
  const frame = await code.inputValue();
  await screenshot(page, "embed-dialog");
  const server = await serve(dist, new URL(".", page.url()).pathname, { headers: { "access-control-allow-origin": "*" } });
  t.after(() => server.close());
  // The snippets name the address that the dialog was opened at, whose server allows no others.
  const moved = (text) => text.replaceAll(new URL(page.url()).origin, new URL(server.url).origin);
  const again = await serve(dist, "/articles/", { pages: { "element.html": article("", moved(element)), "frame.html": article(moved(frame), "") } });
  t.after(() => again.close());
  const one = await open(t, `${again.url}element.html`, { before: noted, tolerated: /foreign request/ });
  const done = await heard(one, "one", "done");
  assert.deepEqual([done.trace.jobs, done.t], [3, 70]);
  assert.equal(await on(one, "one", (element) => element.shadowRoot.querySelector("p").textContent), 'Two "jobs" & <b>one</b>');
  assert.equal(await one.evaluate(() => globalThis.intruded), undefined);
  const other = await open(t, `${again.url}frame.html`, { tolerated: /foreign request/ });
  await other.frameLocator("iframe").locator(".timeline canvas").first().waitFor();
  // Its workers' program comes last.
  for (const opened of [one, other]) await opened.waitForLoadState("networkidle");
});

test("a poster is a drawing of all that the view paints", async (t) => {
  for (const [view, words] of [["yard", ["lab-", "FIFO", "SRTF"]], ["timeline", ["FIFO", "SRTF"]]]) {
    const page = await open(t, `index.html#v=1&sample=lab&run=fifo&run=srtf&view=${view}&t=21600`, { viewport: { width: 1200, height: 900 } });
    await finished(page, 2);
    await page.getByRole("button", { name: "Embed" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save a poster (SVG)" }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), "lab.svg");
    const svg = readFileSync(await file.path(), "utf8");
    t.diagnostic(`${view}: ${(svg.length / 1000).toFixed(0)} KB`);
    for (const word of words) assert.ok(svg.includes(word), `${view} shows ${word}`);
    assert.match(await page.getByLabel("The snippet").inputValue(), /poster="lab\.svg"/);
    await page.keyboard.press("Escape");
    // It looks as the canvases do: of their pixels, nearly all are alike, but for slanted lines and letters.
    const alike = await page.evaluate(async (svg) => {
      const image = new Image();
      image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
      await image.decode();
      const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg).map(Number);
      const drawn = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
      drawn.drawImage(image, 0, 0, width, height);
      const places = [...svg.matchAll(/translate\(([\d.]+) ([\d.]+)\)/g)].map(([, x, y]) => [Math.round(x), Math.round(y)]);
      return [...document.querySelectorAll(".view canvas")].map((canvas, at) => {
        const one = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        const other = drawn.getImageData(...places[at], canvas.width, canvas.height).data;
        let same = 0;
        for (let i = 0; i < one.length; i += 4) same += Math.abs(one[i] - other[i]) + Math.abs(one[i + 1] - other[i + 1]) + Math.abs(one[i + 2] - other[i + 2]) < 48 ? 1 : 0;
        return same / (one.length / 4);
      });
    }, svg);
    for (const share of alike) assert.ok(share > 0.99, `${view}: ${alike}`);
    writeFileSync(fileURLToPath(new URL(`out/poster-${view}.svg`, import.meta.url)), svg);
  }
});

test("the Embed dialog fits a phone, and the header with it", async (t) => {
  for (const width of [390, 360]) {
    const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0", { viewport: { width, height: 780 } });
    await finished(page, 1);
    assert.ok((await page.evaluate(() => document.querySelector("header").scrollWidth)) <= width);
    // There the top line has no room for it.
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.keyboard.type("embed");
    await page.getByRole("option", { name: /^Embed/ }).first().click();
    const { x, width: wide } = await page.getByRole("dialog").boundingBox();
    assert.ok(x >= 0 && x + wide <= width);
    assert.ok(await page.getByRole("dialog").evaluate((dialog) => dialog.scrollWidth <= dialog.clientWidth));
  }
});

test("one file with trace and settings inside opens from a disk with them, and saves itself again", async (t) => {
  const folder = emptyFolder(t);
  const saved = async (page, name) => {
    await page.getByRole("button", { name: "Embed" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as one file" }).click();
    const path = join(folder, name);
    await (await download).saveAs(path);
    await page.getByText(/^Saved, [\d.]+ MB, of which \d+ B are the trace/).waitFor();
    return pathToFileURL(path).href;
  };
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0");
  await finished(page, 1);
  await give(page);
  await jobs(page, 3);
  await page.evaluate(() => (location.hash = "v=1&file=mine.csv&run=srtf&run=sjf&cluster=1x4&seed=9&view=jobs&t=30"));
  await finished(page, 2);
  let address = await saved(page, "one.html");
  for (const name of ["two.html", "three.html"]) {
    const single = await open(t, address);
    await jobs(single, 3);
    await finished(single, 2);
    assert.match(single.url(), /run=srtf&run=fewest-gpus/);
    assert.match(single.url(), /seed=9/);
    assert.equal(await single.locator("#tab-jobs").getAttribute("aria-selected"), "true");
    assert.equal(await single.evaluate(() => globalThis.intruded), undefined);
    // What is shared of it carries the jobs, as of a file.
    await single.getByRole("button", { name: "Share", exact: true }).click();
    await single.getByText("Its 3 jobs travel within").waitFor();
    assert.doesNotMatch(await single.getByLabel("The link").inputValue(), /experiment=held/);
    await single.keyboard.press("Escape");
    address = await saved(single, name);
  }
});
