// How long a run takes that `switchyard open` carries for the page, beside the same in a worker of the browser's. Run by
// name, on the page as it is published (`cargo xtask build`) and the command line as released:
//
//     node bench/native.mjs FILE POLICY CLUSTER [PROGRAM [FOLDER OF THE PAGE]]

import { spawn } from "node:child_process";
import { argv, env } from "node:process";
import { createInterface } from "node:readline";
import { chromium } from "../tests/e2e/node_modules/playwright-core/index.mjs";

const here = (path) => new URL(path, import.meta.url).pathname;
const [, , file, policy, cluster, program = here("../target/release/switchyard"), pages = here("../dist")] = argv;
if (!cluster) throw new Error("node bench/native.mjs FILE POLICY CLUSTER [PROGRAM [FOLDER OF THE PAGE]]");

/** As many pairs; the medians are compared. */
const PAIRS = 3;

const options = ["open", "--no-browser", "--page", pages, file, "--policy", policy, "--cluster", cluster];
const server = spawn(program, options, { stdio: ["ignore", "pipe", "inherit"] });
const [line] = await new Promise((resolve) => {
  const lines = [];
  createInterface({ input: server.stdout }).on("line", (line) => resolve([...lines, line]));
});
const address = line.slice(line.indexOf("http"));
const browser = await chromium.launch({ executablePath: env.CHROME ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

/** Seconds of simulation, and from the opening of the page to the run's end. */
async function run(isNative) {
  const page = await browser.newPage();
  // What the page is told of the program is taken out before its scripts read it.
  if (!isNative) {
    await page.route(address.split("#")[0], async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/<meta name="switchyard-native"[^>]*>/, "");
      await route.fulfill({ response, body });
    });
  }
  const began = performance.now();
  await page.goto(address);
  await page.waitForFunction(() => document.querySelectorAll("[data-status=done]").length === 1, undefined, { timeout: 600_000 });
  const whole = (performance.now() - began) / 1000;
  if (((await page.getByText("natively", { exact: true }).count()) === 1) !== isNative) throw new Error("it ran elsewhere");
  const [{ wall_ms, log_hash, jobs }] = (await page.evaluate(() => switchyardEmbed.page.results())).runs;
  await page.close();
  return { simulated: wall_ms / 1000, whole, log_hash, jobs };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const [native, wasm] = [[], []];
for (let pair = 0; pair < PAIRS; pair++) {
  native.push(await run(true));
  wasm.push(await run(false));
}
const hashes = new Set([...native, ...wasm].map(({ log_hash }) => log_hash));
if (hashes.size !== 1) throw new Error(`they differ: ${[...hashes]}`);
for (const key of ["simulated", "whole"]) {
  const [fast, slow] = [native, wasm].map((runs) => median(runs.map((run) => run[key])));
  console.log(`${key}: natively ${fast.toFixed(2)} s, in the browser ${slow.toFixed(2)} s, ${(slow / fast).toFixed(2)} times`);
}
console.log(`${native[0].jobs} jobs, log ${native[0].log_hash} each time`);
await browser.close();
server.kill();
