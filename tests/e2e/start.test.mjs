// When would a job start: one that somebody would submit, and one that waits; the same as the command line says.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { accessibilityProblems, browser, finished, screenshot } from "./browser.mjs";

const { open } = browser();
const cli = process.env.SWITCHYARD_CLI;

const LAB = "index.html#v=1&sample=lab&run=fifo&run=yarn-cs&t=39600";
const form = (page) => page.getByRole("form", { name: "When would a job start?" });
const told = (page) => page.getByRole("region", { name: "When it would start" });
const fill = async (page, label, text) => {
  await form(page).getByLabel(label, { exact: true }).fill(text);
  await form(page).getByLabel(label, { exact: true }).press("Tab");
};
const ask = async (page) => {
  await form(page).getByRole("button", { name: "Ask", exact: true }).click();
  await form(page).getByRole("button", { name: "Ask", exact: true }).waitFor({ timeout: 120_000 });
};
/** What stands in parentheses after the half and nine of ten: how long from now. */
const waits = (text) => text.match(/[Hh]alf of the time before .*?\(in (.*?)\), nine of ten before .*?\(in (.*?)\)/)?.slice(1, 3);

test("a job that one would submit: a distribution a scheduler, the same as the command line's", { skip: !cli && "no SWITCHYARD_CLI" }, async (t) => {
  const page = await open(t, LAB, { viewport: { width: 1440, height: 900 } });
  await finished(page, 2);
  await page.getByRole("tab", { name: "Start", exact: true }).click();
  await fill(page, "GPUs", "8");
  await fill(page, "Runs", "60");
  await ask(page);
  const answers = await told(page).locator("article").allTextContents();
  assert.equal(answers.length, 2);
  const policies = ["--policy", "fifo", "--policy", "yarn-cs"];
  const flags = ["start", "sample:lab", "--at", "11h", "--gpus", "8", "--draws", "60", ...policies];
  const printed = execFileSync(cli, flags, { encoding: "utf8" }).split(/^(?=\S)/m);
  for (const [at, answer] of answers.entries()) {
    assert.ok(waits(answer), answer);
    assert.deepEqual(waits(answer), waits(printed[at]));
  }
  assert.equal(await told(page).locator("svg.strip").count(), 2);
  // Each answer has the axis below its own picture.
  for (const article of await told(page).locator("article").all()) {
    const axis = await article.locator("svg.strip + .life-axis").boundingBox();
    const { y, height } = await article.locator("svg.strip").boundingBox();
    assert.ok(axis.y >= y + height && axis.y < y + height + 20);
  }
  await told(page).getByText("With 4 GPUs:").first().waitFor();
  assert.match(page.url(), /start-gpus=8/);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "start");
});

test("the chosen job is asked about from where it is explained, and those before it lead to themselves", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=39600&job=153", { viewport: { width: 1280, height: 900 } });
  await finished(page, 1);
  const chosen = page.getByRole("region", { name: "Job lab-153" });
  await chosen.getByRole("button", { name: "When would it start?" }).click();
  await page.getByRole("tab", { name: "Start", selected: true }).waitFor();
  assert.match(await page.getByTestId("start-of").textContent(), /^lab-153/);
  await told(page).locator(".answer", { hasText: "Half of the time before" }).waitFor();
  await form(page).getByRole("button", { name: "Ask", exact: true }).waitFor({ timeout: 120_000 });
  await told(page).getByText(/^Before it: \d+ that wait/).waitFor();
  await screenshot(page, "start-chosen");
  await told(page).getByRole("button", { name: "lab-149" }).click();
  await page.getByRole("region", { name: "Job lab-149" }).waitFor();
  assert.match(await page.getByTestId("start-of").textContent(), /^lab-149/);
});

test("who cannot be asked says why, and others answer; what is ended keeps what was said", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=srtf&run=fifo&t=39600&view=start&start-gpus=8&start-draws=10000", { viewport: { width: 1280, height: 900 } });
  await finished(page, 2);
  await form(page).getByRole("button", { name: "Ask", exact: true }).click();
  const [srtf, fifo] = await told(page).locator("article").all();
  await srtf.getByRole("alert").filter({ hasText: "which nobody knows before" }).waitFor();
  await fifo.locator(".answer", { hasText: "Half of the time before" }).waitFor();
  await form(page).getByRole("button", { name: "Cancel" }).click();
  await fifo.getByText(/Ended after \d+ of 10000 runs\./).waitFor();
  await fifo.locator(".answer", { hasText: "Half of the time before" }).waitFor();
  await fill(page, "Time limit", "soon");
  await form(page).getByText("A time longer than 0: seconds, or 90min, 11h, 2d3h.").waitFor();
});

for (const [name, options] of [
  ["light, 390", { viewport: { width: 390, height: 844 }, colorScheme: "light" }],
  ["dark, 1920", { viewport: { width: 1920, height: 1080 }, colorScheme: "dark" }],
]) {
  test(`an answer is in order, ${name}`, async (t) => {
    const page = await open(t, `${LAB}&view=start&start-gpus=8&start-draws=40`, options);
    await finished(page, 2);
    await ask(page);
    assert.deepEqual(await accessibilityProblems(page), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0);
    await screenshot(page, `start-${name.replace(", ", "-")}`);
  });
}
