// `switchyard open`: the page from the program, with a file opened, and what pages of others can do about it: nothing
// (cli/tests/command_line/open.rs asks without a browser).

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { browser, dist, emptyFolder, finished, results } from "./browser.mjs";
import { engines } from "./engines.mjs";

const { open } = browser();
const cli = process.env.SWITCHYARD_CLI;
const skip = !cli && "no SWITCHYARD_CLI";

const JOBS = ["job,submit,duration,gpus", "narwhal,0,60,1", "b,5,60,2", "c,9,30,1", ""].join("\n");

/** The program, which serves until the test ends, and the address that it prints. */
async function begun(t, ...options) {
  const program = spawn(cli, ["open", "--no-browser", "--page", dist, ...options], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => program.kill());
  for await (const line of createInterface({ input: program.stdout })) {
    const [, address] = line.match(/^Switchyard is at (\S+)$/) ?? [];
    assert.ok(address, line);
    return { program, address };
  }
  throw new Error("the program printed nothing");
}

/** The address alone. */
const served = async (t, ...options) => (await begun(t, ...options)).address;

/** How many cards say that the program carried their run. */
const carried = (page) => page.getByText("natively", { exact: true }).count();

/** What is the same of a run wherever it was carried. */
const figures = ({ wall_ms, log_budget, ...run }) => run;

/** A file of jobs. */
function file(t, name, text = JOBS) {
  const path = join(emptyFolder(t), name);
  writeFileSync(path, text);
  return path;
}

test("the program opens a file on the page, with what is asked for", { skip }, async (t) => {
  const address = await served(t, file(t, "my größte jobs.csv"), "--cluster", "2x1", "--policy", "fifo", "--policy", "srtf", "--restart-cost", "7");
  const note = (page) => page.addInitScript(() => (navigator.serviceWorker.register = async () => (globalThis.isKept = true)));
  const page = await open(t, address, { before: note, serviceWorkers: "allow" });
  await finished(page, 2);
  await page.getByText("my-größte-jobs.csv").first().waitFor();
  const { runs, trace } = await results(page);
  assert.deepEqual(runs.map(({ policy }) => policy), ["fifo", "srtf"]);
  assert.equal(trace.jobs, 3);
  assert.match(page.url(), /&cluster=2x1&restart=7&run=fifo&run=srtf/);
  // A reload asks the program again.
  await page.reload();
  await finished(page, 2);
  // Its address is gone with the program: nobody else has the jobs, and the browser keeps nothing.
  await page.getByRole("button", { name: "Share" }).click();
  const panel = page.locator("#share-panel");
  await panel.getByText("This computer serves the page to itself").waitFor();
  await panel.getByText("Its 3 jobs travel within").waitFor();
  assert.doesNotMatch(await panel.getByLabel("The link").inputValue(), /url=/);
  await page.evaluate(() => switchyardProgram.then(() => switchyardWorkers.have()));
  assert.equal(await page.evaluate(() => globalThis.isKept), undefined);
});

test("several files are one trace, and scripts are found", { skip }, async (t) => {
  const other = file(t, "other.csv", JOBS.replaceAll(/^(b|c)/gm, "$1-2").replace("narwhal", "walrus"));
  const script = file(t, "mine.rhai", "fn key(job, now) { job.submit }");
  const address = await served(t, file(t, "one.csv"), other, "--policy", `script:${script}`);
  const page = await open(t, address);
  await finished(page, 1);
  assert.equal((await results(page)).trace.jobs, 6);
});

test("the program carries the page's runs, to the last bit", { skip }, async (t) => {
  const script = file(t, "mine.rhai", "fn key(job, now) { -job.submit }");
  const address = await served(t, "sample:lab", "--policy", "srtf", "--policy", "mst", "--policy", `script:${script}`);
  const [native, inBrowser] = [[], []];
  for (const [url, told] of [[`${address}&job=133`, native], [`index.html${new URL(address).hash}&job=133`, inBrowser]]) {
    const page = await open(t, url);
    await finished(page, 3);
    const explained = page.locator(".inspector .sentence");
    await explained.first().waitFor();
    await page.locator(".inspector .spent").first().waitFor();
    told.push(await carried(page), (await results(page)).runs.map(figures), await explained.allTextContents());
  }
  assert.deepEqual([native.shift(), inBrowser.shift()], [3, 0]);
  assert.deepEqual(native, inBrowser);
});

for (const [name, { open: openIn, missing }] of Object.entries(engines)) {
  test(`${name} lets the page ask the program for runs`, { skip: skip || missing }, async (t) => {
    const page = await openIn(t, await served(t, "sample:lab", "--policy", "srtf"), { width: 1280, height: 800 });
    const card = () => document.querySelector("[data-status=done]")?.textContent;
    let said;
    for (let turn = 0; turn < 600 && !said; turn += 1) {
      said = await page.evaluate(card);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.match(said, /simulated in .* natively/);
  });
}

test("where the program ends, the browser goes on", { skip }, async (t) => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `${at},${at * 10},${600 + ((at * 7919) % 5000)},${1 + (at % 4)}`);
  const jobs = file(t, "many.csv", ["job,submit,duration,gpus", ...rows, ""].join("\n"));
  const { program, address } = await begun(t, jobs, "--cluster", "16x8", "--policy", "tiresias-las");
  // The handshake of whoever comes too late fails in words of the browser's own.
  const page = await open(t, address, { tolerated: /WebSocket/ });
  await page.waitForFunction(() => document.querySelector("progress[aria-label='Jobs done']")?.value > 0);
  program.kill("SIGKILL");
  await page.getByText("the program that serves this page no longer runs it, so this browser does").waitFor();
  await finished(page, 1);
  assert.equal(await carried(page), 0);
  const [{ finished: ended }] = (await results(page)).runs;
  assert.equal(ended, rows.length);
});

test("pages of others learn nothing, even of a whole address", { skip }, async (t) => {
  const address = new URL(await served(t, file(t, "mine.csv")));
  const trace = decodeURIComponent(/url=([^&]+)/.exec(address.hash)[1]);
  address.hash = "";
  const attacker = createServer((request, response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>a</title><link rel=icon href=data:,>"));
  await new Promise((resolve) => attacker.listen(0, "127.0.0.1", resolve));
  t.after(() => attacker.close());
  const { port } = attacker.address();
  // Another port of this computer, and another name of it: for browsers the same site, and another one.
  for (const host of ["127.0.0.1", "localhost"]) {
    const page = await open(t, `http://${host}:${port}/`, { tolerated: /./ });
    const learned = await page.evaluate(
      async ([home, trace]) => {
        const outcome = (asked) => asked.then((answer) => `answered ${answer.type} ${answer.status}`, () => "refused");
        const all = {};
        for (const [name, url] of Object.entries({ home, trace, script: `${home}view.js` })) {
          all[`${name} cors`] = await outcome(fetch(url));
          all[`${name} no-cors`] = await outcome(fetch(url, { mode: "no-cors" }));
          all[`${name} post`] = await outcome(fetch(url, { method: "POST", mode: "no-cors", body: "x" }));
          all[`${name} preflight`] = await outcome(fetch(url, { headers: { "x-mine": "1" } }));
        }
        const loads = (tag, url) =>
          new Promise((resolve) => {
            const element = document.createElement(tag);
            element.onload = () => resolve("loaded");
            element.onerror = () => resolve("refused");
            element.src = url;
            document.body.append(element);
          });
        all.script = await loads("script", `${home}view.js`);
        all.picture = await loads("img", `${home}icon.svg`);
        // A frame of an error page loads, too: what counts is that it is not ours.
        const frame = document.createElement("iframe");
        frame.src = home;
        const loaded = new Promise((resolve) => (frame.onload = resolve));
        document.body.append(frame);
        await loaded;
        const opened = window.open(home);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        all.opened = opened.closed || opened.length === 0 ? "cut off" : "held";
        return all;
      },
      [address.href, trace],
    );
    for (const [name, outcome] of Object.entries(learned)) assert.match(outcome, /^(refused|cut off)$/, `${name} from ${host}`);
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    assert.equal(await framed.locator("canvas").count(), 0, "the page is in a frame of others");
  }
  // The same as a name that was made to lead here.
  const rebound = await open(t, `http://127.0.0.1:${port}/`, { tolerated: /./ });
  const response = await rebound.goto(address.href.replace("127.0.0.1", "rebound.localhost")).catch(() => null);
  assert.equal(response?.status() ?? 403, 403);
});
