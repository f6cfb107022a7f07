// Sweeps: one thing is varied, and every value run under every scheduler; and a page beside another link.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { accessibilityProblems, browser, finished, screenshot } from "./browser.mjs";

const { open } = browser();

const form = (page) => page.getByRole("form", { name: "Sweep" });
const run = (page) => form(page).getByRole("button", { name: "Run the sweep" });
const over = (page, text) => page.getByRole("status").filter({ hasText: text }).waitFor({ timeout: 120_000 });
const fill = async (page, label, text) => {
  await form(page).getByLabel(label, { exact: true }).fill(text);
  await form(page).getByLabel(label, { exact: true }).press("Tab");
};
const row = (page, value, scheduler) =>
  page.locator(".sweep tbody tr").filter({ has: page.getByRole("link", { name: value, exact: true }) }).filter({ hasText: scheduler });

test("load is varied over the workers: a line a scheduler, a link a run, and the same numbers there", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=srtf&t=0");
  await finished(page, 2);
  await page.getByRole("button", { name: /vary load, × as recorded/i }).click();
  await page.getByRole("tab", { name: "Sweep", selected: true }).waitFor();
  await fill(page, "Values", "0.5 1 2");
  await form(page).getByText("3 values × 2 schedulers: 6 runs").waitFor();
  await run(page).click();
  await over(page, "All 6 runs are over.");
  assert.deepEqual(await page.locator(".sweep figcaption").allTextContents(), ["Mean JCT", "Median JCT", "P95 JCT", "Makespan"]);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "sweep");
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const rows = readFileSync(await (await saving).path(), "utf8").trim().split("\n");
  assert.equal(rows[0], '"load, × as recorded",scheduler,policy,mean JCT (s),median JCT (s),p95 JCT (s),makespan (s),mean ρ,restarts,finished,jobs');
  assert.equal(rows.length, 7);
  const mean = (line) => Number(line.split(",")[3]);
  assert.ok(mean(rows[5]) > mean(rows[1]), "twice the load waits longer");
  // Every point of a chart leads to its run, as the row does.
  const point = page.locator(".sweep .plot").first().getByRole("link", { name: /^SRTF.* at 2: mean JCT/ });
  assert.equal(await point.getAttribute("href"), await row(page, "2", "srtf").getByRole("link").getAttribute("href"));
  // The run itself, by its link.
  const said = await row(page, "2", "srtf").locator("td").nth(1).textContent();
  await row(page, "2", "srtf").getByRole("link").click();
  await page.waitForFunction(() => /load=2/.test(location.hash));
  await finished(page, 2);
  assert.ok((await page.locator(".card").nth(1).textContent()).includes(`mean JCT ${said}`));
  assert.equal(await page.getByLabel("Load (×)").inputValue(), "2");
  await page.goBack();
  await page.getByRole("tab", { name: "Sweep", selected: true }).waitFor();
});

test("a parameter is varied where it stands, and a run of it joins the list", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=tiresias-las&t=0");
  await finished(page, 2);
  await page.locator(".card .name").nth(1).click();
  await page.getByRole("button", { name: /vary queues/i }).click();
  await fill(page, "Values", "2 3 4");
  await run(page).click();
  await over(page, "All 3 runs are over.");
  await row(page, "4", "Tiresias").getByRole("link").click();
  await finished(page, 3);
  assert.match(page.url(), /run=tiresias-las\[queues=4/);
  // What is no value says so.
  await fill(page, "Values", "many");
  await run(page).click();
  await page.getByRole("alert").filter({ hasText: "queues cannot be many: " }).waitFor();
});

test("a sweep that is ended keeps what is done", async (t) => {
  const page = await open(t, "index.html#v=1&sample=fleet&run=fifo&run=srtf&t=0&view=sweep&sweep=set:seed&sweep-values=1..64/64", { viewport: { width: 390, height: 844 } });
  await finished(page, 2);
  await run(page).click();
  await over(page, /^[1-9]\d* of 128 runs are over\.$/);
  await form(page).getByRole("button", { name: "Cancel" }).click();
  await over(page, /^Ended after [1-9]\d* of 128 runs\.$/);
  await run(page).waitFor();
  await screenshot(page, "sweep-390");
});

test("another link's runs stand beside the page's, with what differs in words", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0&view=sweep&sweep=link");
  await finished(page, 1);
  await fill(page, "Link to compare with", "https://example.org/#v=1&sample=lab&run=fifo&run=srtf&restart=30&cluster=8x2");
  await form(page).getByRole("button", { name: "Compare", exact: true }).click();
  await over(page, "All 3 runs are over.");
  const told = await page.getByRole("list", { name: "What differs" }).getByRole("listitem").allTextContents();
  assert.match(told[0], /^Cluster: \S+ here, 8x2 there\.$/);
  assert.deepEqual(told.slice(1), ["Restart cost: 0 s here, 30 s there.", "Only there: srtf."]);
  assert.equal(await page.locator(".sweep tbody tr").count(), 3);
  await screenshot(page, "beside");
  // A link to other jobs: they are opened beside, and what is open stays.
  await fill(page, "Link to compare with", "https://example.org/#v=1&sample=cluster&run=fifo");
  await form(page).getByRole("button", { name: "Compare", exact: true }).click();
  await over(page, "All 2 runs are over.");
  const jobs = await page.getByRole("list", { name: "What differs" }).getByRole("listitem").first().textContent();
  assert.match(jobs, /^Jobs: .+, [\d,]+ here, .+, [\d,]+ there\.$/);
  assert.match(page.url(), /sample=lab/);
  // And a file.
  await fill(page, "Link to compare with", "https://example.org/#v=1&file=gone.csv&run=fifo");
  await form(page).getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "jobs of the file gone.csv, which this page does not have: choose it below" }).waitFor();
});

test("an experiment stands beside the page as it was saved", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=srtf&restart=60&cluster=6x4&t=0");
  await finished(page, 1);
  const mean = (await page.locator(".card").first().textContent()).match(/mean JCT ([\d.]+ \w+)/)[1];
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  await page.getByRole("button", { name: /Experiment: jobs and settings/ }).click();
  const saved = readFileSync(await (await saving).path());
  const other = await open(t, "index.html#v=1&sample=lab&run=fifo&t=0&view=sweep&sweep=link");
  await finished(other, 1);
  const file = other.getByLabel("File to compare with");
  await file.setInputFiles({ name: "theirs.csv", mimeType: "text/csv", buffer: saved });
  await over(other, "All 2 runs are over.");
  const told = await other.getByRole("list", { name: "What differs" }).getByRole("listitem").allTextContents();
  assert.ok(told.includes("Restart cost: 0 s here, 60 s there."), told.join("\n"));
  assert.ok(told.some((of) => /^Cluster: \S+ here, 6x4 there\.$/.test(of)), told.join("\n"));
  const rows = await other.locator(".sweep tbody tr").allInnerTexts();
  assert.ok(rows[1].includes(mean), `${rows[1]}: ${mean} where it was saved`);
  // What is no trace is refused, and the page stays.
  await file.setInputFiles({ name: "no.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
  await other.getByRole("alert").filter({ hasText: "no.csv cannot be opened: " }).waitFor();
  assert.equal(await other.locator(".card").count(), 1);
});
