// Links: what they carry, what they say of what cannot be, and following one in an open page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { browser, finished } from "./browser.mjs";

const { open } = browser();

const JOBS = ["job,submit,duration,gpus,tenant", "a,0,60,2,x", "b,10,600,2,y", "c,20,90,4,x"];
const file = (name, lines) => ({ name, mimeType: "text/csv", buffer: Buffer.from(`${lines.join("\n")}\n`) });
const give = (page, ...files) => page.getByTestId("file-picker").setInputFiles(files);
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
  await give(page, file("mine.csv", ["#switchyard 1", "#seed 3", ...JOBS]));
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
  await notice(page, "This link shows other.csv, which stays on the computer it was made on").waitFor();
  await finished(page, 1);
  await jobs(page, 3);
  // Opened, it is as the link has it, whatever settings it brings itself.
  await give(page, file("other.csv", ["#switchyard 1", "#policy fifo", "#seed 9", ...JOBS]));
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
  await give(page, file("mine.csv", ["#switchyard 1", ...JOBS]));
  await jobs(page, 3);
  await complaint.waitFor();
  await complaint.getByRole("button", { name: "Dismiss" }).click();
  await complaint.waitFor({ state: "detached" });
});
