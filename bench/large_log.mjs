// How long the page takes to open a log, and how much memory its tab has until then. Run by name, on the page as it is
// published (`cargo xtask build`):
//
//     python3 python/tests/slurm_dump.py FOLDER 4840000   # 1 GB
//     node bench/large_log.mjs FOLDER/sacct.psv

import { execSync } from "node:child_process";
import { argv, env } from "node:process";
import { chromium } from "../tests/e2e/node_modules/playwright-core/index.mjs";
import { serve } from "../tests/e2e/server.mjs";

const [, , file, pages = new URL("../dist", import.meta.url).pathname] = argv;
if (!file) throw new Error("name a log: node bench/large_log.mjs FOLDER/sacct.psv [FOLDER OF THE PAGE]");

/** Bytes of the largest process that renders a page. */
const memory = () => {
  const sizes = execSync("ps -eo rss,args | grep -- '--type=renderer' | grep -v grep | awk '{print $1}'", { encoding: "utf8" });
  return Math.max(0, ...sizes.trim().split("\n").map(Number)) * 1024;
};

const server = await serve(pages);
const browser = await chromium.launch({ executablePath: env.CHROME ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
await page.goto(`${server.url}index.html#v=1&run=fifo&t=0`);
// The sample is open first, and nothing else happens any more.
await page.locator("header .facts").getByText(/ jobs/).waitFor();
await page.waitForTimeout(3000);
const before = await page.locator("header .facts").innerText();
let most = 0;
const watch = setInterval(() => (most = Math.max(most, memory())), 250);
const began = Date.now();
await page.getByTestId("file-picker").setInputFiles(file);
await page.waitForFunction((before) => document.querySelector("header .facts")?.innerText !== before, before, { timeout: 300_000 });
const seconds = (Date.now() - began) / 1000;
clearInterval(watch);
const facts = (await page.locator("header .facts").innerText()).split("\n").join(", ");
console.log(`${facts}: open after ${seconds.toFixed(1)} s, at most ${(most / 1e9).toFixed(2)} GB until then`);
await browser.close();
server.close?.();
process.exit(0);
