// Links: what they carry, what they say of what cannot be, and following one in an open page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { accessibilityProblems, browser, dist, finished, give, table } from "./browser.mjs";
import { serve } from "./server.mjs";

const { open } = browser();

const JOBS = ["job,submit,duration,gpus,tenant", "a,0,60,2,x", "b,10,600,2,y", "c,20,90,4,x"];
const jobs = (page, count) => page.locator("header .facts").getByText(`${count} ${count === 1 ? "job" : "jobs"}`, { exact: true }).waitFor();
const paste = (page, fragment) => page.evaluate((fragment) => { location.hash = fragment; }, fragment);
const notice = (page, text) => page.locator(".notice").filter({ hasText: text });

/** What a button of the Export menu saves. */
async function saved(page, name) {
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name }).click();
  const text = readFileSync(await (await download).path(), "utf8");
  await page.keyboard.press("Escape");
  return text;
}

const results = async (page) => JSON.parse(await saved(page, "Metrics as JSON"));
const hashes = async (page) => (await results(page)).runs.map(({ policy, log_hash }) => [policy, log_hash]);

test("a link pasted into an open page is followed, and so is the way back", async (t) => {
  const page = await open(t, "index.html#v=1&t=0");
  await finished(page, 2);
  await paste(page, "v=1&sample=three-jobs&run=srtf&seed=7&view=jobs&t=0");
  await jobs(page, 3);
  await finished(page, 1);
  const { runs } = await results(page);
  assert.deepEqual(runs.map(({ policy, seed }) => [policy, seed]), [["srtf", 7]]);
  assert.equal(await page.locator("#tab-jobs").getAttribute("aria-selected"), "true");
  await page.goBack();
  await jobs(page, 240);
  await finished(page, 2);
});

test("a link to the file that is open does not lose it, and takes the jobs it says", async (t) => {
  const page = await open(t, "index.html#v=1&t=0");
  await finished(page, 2);
  await give(page, table("mine.csv", ["#switchyard 1", "#seed 3", ...JOBS]));
  await jobs(page, 3);
  await paste(page, "v=1&file=mine.csv&tenant=x&run=fifo&cluster=1x4&t=0");
  await jobs(page, 2);
  await finished(page, 1);
  const { cluster, runs, trace } = await results(page);
  assert.equal(cluster.spec, "1x4");
  assert.deepEqual(trace.choice, ["tenant=x"]);
  assert.equal(runs[0].seed, 0);
  await paste(page, "v=1&file=mine.csv&run=fifo&run=srtf&t=0");
  await jobs(page, 3);
  await finished(page, 2);
  // Another file is not at hand: what is open stays.
  await paste(page, "v=1&file=other.csv&window=0..15&run=srtf&seed=5&t=0");
  await page.getByRole("alert").filter({ hasText: "This link shows other.csv, which stays on the computer it was made on" }).waitFor();
  await finished(page, 1);
  await jobs(page, 3);
  // Opened, it is as the link has it, whatever settings it brings itself.
  await give(page, table("other.csv", ["#switchyard 1", "#policy fifo", "#seed 9", ...JOBS]));
  await jobs(page, 2);
  await finished(page, 1);
  const linked = await results(page);
  assert.deepEqual(linked.trace.choice, ["window=0..15"]);
  assert.deepEqual(linked.runs.map(({ policy, seed }) => [policy, seed]), [["srtf", 5]]);
});

test("a link carries interference, applications and their rule", async (t) => {
  const page = await open(t, "index.html#v=1&t=0&interference=0.5&binding=2:%20ncf;%20bert&binding-seed=4&applications=true&first-start-pays=true&restart=20&whole-second-epochs=true&run=fifo&run=optimus");
  await finished(page, 2);
  const expected = await hashes(page);
  const again = await open(t, `index.html${new URL(page.url()).hash}`);
  await finished(again, 2);
  assert.deepEqual(await hashes(again), expected);
  // And so does a file.
  const experiment = await saved(page, "Experiment: jobs and settings as CSV");
  const other = await open(t, "index.html#v=1&sample=three-jobs&t=0");
  await finished(other, 2);
  await give(other, { name: "experiment.csv", mimeType: "text/csv", buffer: Buffer.from(experiment) });
  await jobs(other, 240);
  await finished(other, 2);
  assert.deepEqual(await hashes(other), expected);
});

test("everything wrong in a link is named until it is read", async (t) => {
  const page = await open(t, "index.html#v=99&sample=house&cluster=1000000000x8&run=lifo&run=fifo&job=999&t=1e12");
  await finished(page, 1);
  await jobs(page, 240);
  const complaint = notice(page, "Not all of this link can be shown");
  await complaint.filter({ hasText: "t=1000000000000: the last run ends at " }).waitFor();
  for (const part of ["v=99: ", "sample=house: use one of lab, ", "cluster=1000000000x8: 8000000000 GPUs: ", "run=lifo: there is no policy 'lifo'", "job=999: "]) {
    assert.ok((await complaint.textContent()).includes(part), part);
  }
  await give(page, table("mine.csv", ["#switchyard 1", ...JOBS]));
  await jobs(page, 3);
  await complaint.waitFor();
  await complaint.getByRole("button", { name: "Dismiss" }).click();
  await complaint.waitFor({ state: "detached" });
});

const tab = (page, name) => page.getByRole("tab", { name, exact: true });
const isShown = (page, name) => page.waitForFunction((name) => document.querySelector("[role=tab][aria-selected=true]")?.textContent === name, name);
const part = (page, text) => page.waitForFunction((text) => location.hash.split("&").includes(text), text);

test("Back and Forward walk views, choices and settings, and run nothing again that has not changed", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=srtf&t=600");
  await finished(page, 2);
  const cards = page.locator(".card");
  // What stays is the very same element, with what it was.
  await cards.first().evaluate((card) => (card.dataset.seen = "yes"));
  const simulated = await cards.first().textContent();
  const before = await page.evaluate(() => history.length);
  await tab(page, "Timeline").click();
  await page.getByRole("button", { name: "by job" }).click();
  await part(page, "timeline-rows=job");
  await tab(page, "Jobs").click();
  await page.getByLabel("Filter jobs").fill("gpus>=4 jct>1h");
  await part(page, "jobs-filter=gpus%3E=4%20jct%3E1h");
  await page.getByRole("button", { name: "GPUs" }).click();
  await part(page, "jobs-sort=gpus");
  assert.equal(await page.evaluate(() => history.length), before + 5);
  // The clock is no step.
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForTimeout(1600);
  await page.getByRole("button", { name: "Pause" }).click();
  assert.equal(await page.evaluate(() => history.length), before + 5);
  const clock = page.locator(".player");
  const time = await clock.getByRole("slider").inputValue();
  for (const [fragment, view] of [["jobs-filter=gpus%3E=4%20jct%3E1h", "Jobs"], ["view=jobs", "Jobs"], ["timeline-rows=job", "Timeline"], ["view=timeline", "Timeline"]]) {
    await page.goBack();
    await part(page, fragment);
    await isShown(page, view);
  }
  assert.equal(await page.getByRole("button", { name: "by GPU" }).getAttribute("aria-pressed"), "true");
  await page.goForward();
  await part(page, "timeline-rows=job");
  assert.equal(await page.getByRole("button", { name: "by job" }).getAttribute("aria-pressed"), "true");
  await page.goBack();
  await page.goBack();
  await isShown(page, "Yard");
  assert.equal(await clock.getByRole("slider").inputValue(), time);
  // Another setting runs anew, and back again; a scheduler more runs alone.
  await page.getByLabel("Add a scheduler").selectOption("fewest-gpus");
  await finished(page, 3);
  await page.goBack();
  await finished(page, 2);
  assert.equal(await cards.first().textContent(), simulated);
  assert.equal(await cards.first().evaluate((card) => card.dataset.seen), "yes");
  // And so does a trace.
  await page.getByLabel("Sample").selectOption("fleet");
  await page.waitForFunction(() => /sample=fleet/.test(location.hash));
  await page.goBack();
  await jobs(page, 240);
  await finished(page, 2);
});

/** A host of traces that is not there: what a request to it gets. */
const HOST = "https://traces.example";
const hosting = (answer) => (page) => page.context().route(`${HOST}/**`, answer);
const CSV = `${JOBS.join("\n")}\n`;

test("url= opens a trace from a host that lets other pages read it, and says where it is from", async (t) => {
  const asked = [];
  const page = await open(t, `index.html#v=1&url=${HOST}/day/mine.csv`, {
    tolerated: /traces\.example/,
    before: hosting(async (route) => {
      asked.push(route.request().headers());
      await route.fulfill({ body: `#switchyard 1\n#policy srtf\n#seed 5\n${CSV}`, headers: { "access-control-allow-origin": "*" } });
    }),
  });
  await jobs(page, 3);
  await finished(page, 1);
  // An experiment brings its settings.
  await part(page, "run=srtf");
  await part(page, "seed=5");
  assert.equal(await page.getByTestId("from-host").textContent(), "From traces.example");
  assert.equal(asked.length, 1);
  for (const name of ["cookie", "referer", "authorization"]) assert.equal(asked[0][name], undefined);
  await page.waitForFunction(() => /url=https/.test(location.hash));
  // A view's choice does not fetch it again, nor does going back.
  await tab(page, "Jobs").click();
  await page.goBack();
  await isShown(page, "Yard");
  await page.getByLabel("Sample").selectOption("cluster");
  await page.waitForFunction(() => /sample=cluster/.test(location.hash));
  await page.goBack();
  await page.getByTestId("from-host").waitFor();
  assert.equal(asked.length, 1);
});

test("an address that cannot be fetched says why, and what to do", async (t) => {
  const answers = {
    "/gone.csv": (route) => route.fulfill({ status: 404, body: "no", headers: { "access-control-allow-origin": "*" } }),
    "/closed.csv": (route) => route.fulfill({ body: CSV, headers: { "access-control-allow-origin": "https://another.example" } }),
    "/large.csv": (route) => route.fulfill({ body: CSV, headers: { "access-control-allow-origin": "*", "content-length": "900000000" } }),
  };
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0", {
    tolerated: /traces\.example|CORS|ERR_FAILED|404|Content Security Policy|Failed to load|Fetch API/,
    before: hosting((route) => answers[new URL(route.request().url()).pathname](route)),
  });
  await finished(page, 1);
  await page.getByText("From an address").click();
  const said = page.getByRole("alert");
  for (const [address, why] of [
    [`${HOST}/gone.csv`, "gone.csv cannot be opened from traces.example: there is no such file: look whether the address is whole (404)."],
    [`${HOST}/closed.csv`, "traces.example cannot be reached, or does not let other pages read its files (CORS): save the file"],
    [`${HOST}/large.csv`, "it has more than 512 MB"],
    ["http://traces.example/a.csv", "it is no https address"],
    ["mine.csv", "Not fetched: an address is written in full, with https://."],
  ]) {
    await page.getByLabel("Address of a trace").fill(address);
    await page.getByLabel("Address of a trace").press("Enter");
    await said.filter({ hasText: why }).waitFor();
  }
  await jobs(page, 3);
});

test("a host that sends on, gives a part, breaks off or says nothing is told apart, and no password is shown", async (t) => {
  const open_to_all = { "access-control-allow-origin": "*" };
  let isSilent = false;
  const answers = {
    "/moved.csv": (route) => route.fulfill({ status: 302, headers: { ...open_to_all, location: "http://traces.example/mine.csv" } }),
    "/part.csv": (route) => route.fulfill({ status: 206, body: CSV, headers: { ...open_to_all, "content-range": `bytes 0-${CSV.length - 1}/9000` } }),
    "/nothing.csv": (route) => route.fulfill({ status: 204, headers: open_to_all }),
    "/silent.csv": () => (isSilent = true),
  };
  const policy = "connect-src 'self' blob: https:";
  const there = await serve(dist, "/guarded/", { headers: { "content-security-policy": policy } });
  t.after(() => there.close());
  const page = await open(t, `${there.url}index.html#v=1&url=https://me:hunter2@traces.example/a.csv&run=fifo&t=0`, {
    tolerated: /traces\.example|ERR_|Content Security Policy|Fetch API/,
    before: async (page) => {
      await page.clock.install();
      await hosting((route) => answers[new URL(route.request().url()).pathname](route))(page);
    },
  });
  await page.getByText("url=https://…@traces.example/a.csv: an address with a name or password before its host is not fetched").waitFor();
  await page.getByText("From an address").click();
  const field = page.getByLabel("Address of a trace");
  const said = page.getByRole("alert");
  for (const [address, why] of [
    ["https://me:hunter2@traces.example/a.csv", "Not fetched: an address with a name or password"],
    [`${HOST}/moved.csv`, "moved.csv cannot be opened from traces.example: traces.example sends on to another address, which the page cannot fetch: it is no https address, or"],
    [`${HOST}/part.csv`, "the host gives a part of the file alone: save the file, and open it from your disk (206)."],
    [`${HOST}/nothing.csv`, "the host has nothing there (204)."],
    [`${HOST}/silent.csv`, "traces.example has said nothing for 30 s: try again later"],
  ]) {
    await field.fill(address);
    await field.press("Enter");
    if (address.endsWith("/silent.csv")) {
      while (!isSilent) await page.waitForTimeout(20);
      await page.clock.fastForward(31_000);
    }
    await said.filter({ hasText: why }).waitFor();
    if (address.includes("hunter2")) await field.fill("");
    assert.doesNotMatch(await page.locator("body").innerText(), /hunter2/);
    assert.doesNotMatch(page.url(), /hunter2/);
  }
});

test("a small experiment travels within the link, and the share panel says what a link carries", async (t) => {
  const page = await open(t, "index.html#v=1&t=0", { permissions: ["clipboard-read", "clipboard-write"] });
  await finished(page, 2);
  const share = page.getByRole("button", { name: "Share", exact: true });
  await share.click();
  const panel = page.locator("#share-panel");
  await panel.getByText("Its jobs are a sample, which every page has.").waitFor();
  await page.keyboard.press("Escape");
  await give(page, table("mine.csv", ["#switchyard 1", "#cluster 1x4", "#policy gittins[history=old]", "#history old=10 20 600", ...JOBS]));
  await jobs(page, 3);
  await finished(page, 1);
  const expected = await hashes(page);
  await share.click();
  await panel.getByText("Its 3 jobs travel within: everyone with the link has them, too.").waitFor();
  assert.match(await panel.textContent(), /With the jobs, \d+ B|With the jobs, [\d.]+ KB/);
  assert.deepEqual(await accessibilityProblems(page), []);
  await panel.getByRole("button", { name: "Copy link" }).click();
  await panel.getByText("Copied.").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await panel.getByRole("checkbox").uncheck();
  await panel.getByText("a person who opens the link is asked for mine.csv").waitFor();
  await panel.getByText("It cannot carry the service history").waitFor();
  // Another browser has nothing but the link.
  const other = await open(t, `index.html${new URL(link).hash}`);
  await jobs(other, 3);
  await finished(other, 1);
  assert.deepEqual(await hashes(other), expected);
  // Its address goes on carrying them, and one that was cut off says so.
  await tab(other, "Jobs").click();
  await other.waitForFunction(() => /view=jobs/.test(location.hash) && /experiment=/.test(location.hash));
  const cut = await open(t, `index.html${new URL(link).hash.replace(/(experiment=[^&]{40})[^&]*/, "$1")}`);
  await cut.getByText("mine.csv cannot be opened: the link is not whole").waitFor();
});

test("two tabs do not harm one another", async (t) => {
  const page = await open(t, "index.html#v=1&sample=three-jobs&run=fifo&t=0");
  await finished(page, 1);
  await give(page, table("mine.csv", JOBS));
  await jobs(page, 3);
  await page.locator("#rail").getByText(/^Held for this tab: /).waitFor();
  await page.waitForFunction(() => /file=mine/.test(location.hash));
  // A duplicate has what its tab remembers, too.
  const remembered = await page.evaluate(() => ({ ...sessionStorage }));
  const other = await page.context().newPage();
  await other.addInitScript((remembered) => {
    if (!sessionStorage.length) for (const [key, value] of Object.entries(remembered)) sessionStorage.setItem(key, value);
  }, remembered);
  await other.goto(page.url());
  await jobs(other, 3);
  await other.locator("#rail").getByText(/^Held for this tab: /).waitFor();
  // It opens something else, and lets go of what it holds: the first still has its own.
  await give(other, table("other.csv", JOBS.slice(0, 3)));
  await jobs(other, 2);
  await other.waitForFunction(() => /file=other/.test(location.hash));
  await page.reload();
  await jobs(page, 3);
  await other.reload();
  await jobs(other, 2);
  // What one keeps or removes, the other sees.
  await page.getByRole("button", { name: "Keep in this browser" }).click();
  const kept = (page) => page.getByRole("group", { name: "Kept" }).getByRole("button", { name: "mine.csv", exact: true });
  await kept(page).waitFor();
  await kept(other).waitFor();
  await other.getByRole("button", { name: "Remove mine.csv from this browser" }).click();
  await kept(page).waitFor({ state: "detached" });
  await jobs(page, 3);
});
