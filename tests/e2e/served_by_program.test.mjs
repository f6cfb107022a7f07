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

const { open } = browser();
const cli = process.env.SWITCHYARD_CLI;
const skip = !cli && "no SWITCHYARD_CLI";

const JOBS = ["job,submit,duration,gpus", "narwhal,0,60,1", "b,5,60,2", "c,9,30,1", ""].join("\n");

/** The address that the program prints, and what it does there until the test ends. */
async function served(t, ...options) {
  const program = spawn(cli, ["open", "--no-browser", "--page", dist, ...options], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => program.kill());
  for await (const line of createInterface({ input: program.stdout })) {
    const [, address] = line.match(/^Switchyard is at (\S+)$/) ?? [];
    assert.ok(address, line);
    return address;
  }
  throw new Error("the program printed nothing");
}

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
