// Jobs made by hand: typed in and dragged, run at each change, and a trace like any other.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { browser, finished, screenshot } from "./browser.mjs";

const { open } = browser();

test("jobs are made, dragged and taken away, and all schedulers run them at once", async (t) => {
  const page = await open(t, "index.html#v=1&t=0&run=fifo&run=srtf");
  await finished(page, 2);
  await page.getByRole("button", { name: "Make jobs by hand" }).first().click();
  const table = page.getByRole("region", { name: "Jobs made by hand" });
  await table.waitFor();
  const rows = table.locator("tbody tr");
  assert.equal(await rows.count(), 4);
  await finished(page, 2);
  const told = table.locator("output");
  const before = await told.textContent();
  assert.match(before, /FIFO: mean JCT [\d.]+ \w+/);

  const duration = table.getByLabel("Duration of job-1", { exact: true }).first();
  await duration.fill("86400");
  await duration.press("Enter");
  await page.waitForFunction((before) => document.querySelector(".by-hand output").textContent !== before, before);

  const bar = table.getByRole("slider", { name: "Submission of job-2" });
  const was = await bar.getAttribute("aria-valuenow");
  const { x, y, width, height } = await bar.boundingBox();
  await page.mouse.move(x + Math.min(width / 2, 6), y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 120, y + height / 2, { steps: 6 });
  await page.mouse.up();
  await page.waitForFunction((was) => document.querySelectorAll(".by-hand .bar")[1].getAttribute("aria-valuenow") !== was
    || document.querySelectorAll(".by-hand .bar").length !== 4, was);
  await finished(page, 2);

  await table.getByRole("button", { name: "Add a job" }).click();
  await rows.nth(4).waitFor();
  await table.getByRole("button", { name: "Remove job-3" }).click();
  await rows.nth(4).waitFor({ state: "detached" });
  await finished(page, 2);
  await screenshot(page, "made-by-hand");

  // It is a trace like any other: named in the link, saved, and there after a reload.
  await page.waitForFunction(() => /file=made-by-hand\.csv/.test(location.hash));
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Experiment: jobs and settings as CSV" }).click(),
  ]);
  const text = await readFile(await file.path(), "utf8");
  assert.match(text, /^#switchyard 1\n#title Jobs made by hand\n/);
  assert.match(text, /job-5,/);
  await page.getByText(/Held for this tab/).waitFor();
  await page.reload();
  await table.waitFor();
  assert.equal(await rows.count(), 4);
});

test("the jobs of a sample can be edited, and what is wrong is said in place", async (t) => {
  const page = await open(t, "index.html#v=1&t=0&sample=three-jobs&view=jobs&run=fifo");
  await finished(page, 1);
  await page.getByRole("button", { name: "Edit these jobs" }).click();
  const table = page.getByRole("region", { name: "Jobs made by hand" });
  const gpus = table.getByLabel("GPUs of J1", { exact: true });
  await gpus.fill("0");
  await gpus.press("Enter");
  await table.getByText("A whole number of GPUs, 1 or more.").waitFor();
  await gpus.fill("99");
  await gpus.press("Enter");
  await table.getByText("more than the 2 GPUs there are: rejected").waitFor();
});
