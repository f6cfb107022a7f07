// What jobs' whole lives were spent on: of one job in the inspector, of all in Compare, as the command line tells it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { browser, finished, screenshot } from "./browser.mjs";

const { open } = browser();
const cli = process.env.SWITCHYARD_CLI;
const skip = !cli && "no SWITCHYARD_CLI";

const told = (...flags) =>
  JSON.parse(execFileSync(cli, ["--quiet", "why", "sample:lab", "--whole", "--policy", "fifo", "--policy", "las", ...flags, "--json", "-"], { encoding: "utf8" }));

const clock = (page) => page.evaluate(() => Number(new URLSearchParams(location.hash.slice(1)).get("t")));

/** A share as the page writes it: three figures. */
const percent = (share) => `${Number((100 * share).toPrecision(3))} %`;

test("the inspector says what a whole life was spent on, and because of whom", { skip }, async (t) => {
  const page = await open(t, "index.html#v=1&t=9000&run=fifo&run=las&job=17");
  await finished(page, 2);
  const section = page.getByRole("complementary").or(page.locator(".inspector")).locator(".spent").first();
  await section.getByRole("img").nth(1).waitFor();
  const name = await page.locator(".inspector h2").textContent();
  const lives = told("--job", name);
  const runs = await section.locator(".spent-run").evaluateAll((runs) =>
    runs.map((run) => [...run.querySelectorAll("li")].map((part) => part.querySelector("strong").textContent)),
  );
  assert.deepEqual(runs, lives.map((life) => life.parts.map((part) => percent(part.share))));
  assert.match(await section.getByRole("img").first().getAttribute("aria-label"), /behind the head of the queue 23\.1 % \(7\.77 min\)/);
  await screenshot(page, "whole-life");

  // A cause leads to when most of it began, and there the scheduler is asked why.
  const behind = section.locator(".spent-run").first().locator("li", { hasText: "behind the head" });
  await behind.getByRole("button", { name: "7.77 min" }).click();
  await page.waitForFunction((before) => !location.hash.includes(`t=${before}&`), 9000);
  await page.locator(".inspector .sentence", { hasText: "head of the queue" }).first().waitFor();
  // Whoever caused it is one click away.
  const culprit = lives[0].parts.find((part) => part.spent === "behind-head").by[0].job;
  await behind.getByRole("button", { name: culprit }).click();
  await page.locator(".inspector h2", { hasText: culprit }).waitFor();
});

test("the chosen job is told of while the clock runs on, too", async (t) => {
  const page = await open(t, "index.html#v=1&run=fifo&run=las&job=17&speed=1000");
  await finished(page, 2);
  await page.getByRole("button", { name: /^Pause/ }).waitFor();
  await page.locator(".spent .spent-bar").nth(1).waitFor();
  await page.locator(".why .as-of").first().waitFor();
});

test("Compare says where the time of all jobs went, side by side", { skip }, async (t) => {
  const page = await open(t, "index.html#v=1&run=fifo&run=las&view=compare");
  await finished(page, 2);
  const section = page.getByRole("region", { name: "Where the jobs' time went" });
  const table = section.getByRole("region", { name: "What the jobs' time was spent on" });
  await table.getByRole("columnheader", { name: "2D-LAS" }).or(table.getByRole("columnheader").nth(2)).first().waitFor();
  const runs = told();
  const of = (run, spent) => {
    const part = run.groups[0].parts.find((part) => part.spent === spent);
    return part ? percent(part.share) : "–";
  };
  const rows = await table.locator("tbody tr").evaluateAll((rows) =>
    rows.map((row) => [row.querySelector(".term").textContent, ...[...row.querySelectorAll("td")].map((cell) => cell.textContent)]),
  );
  assert.deepEqual(rows, [
    ["running", ...runs.map((run) => of(run, "running"))],
    ["outranked", ...runs.map((run) => of(run, "outranked"))],
    ["behind the head of the queue", ...runs.map((run) => of(run, "behind-head"))],
  ]);
  // Both bars are on one scale.
  const [fifo, las] = await section.locator(".spent-bar").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  assert.ok(Math.abs(las / fifo - runs[1].groups[0].gpu_hours / runs[0].groups[0].gpu_hours) < 0.01, `${las} ${fifo}`);
  await screenshot(page, "where-time-went");

  // By something that jobs are told apart by, and in the link.
  await section.getByRole("combobox").selectOption("gang");
  await section.locator("h3", { hasText: "8 GPUs" }).or(section.locator("h3").nth(1)).first().waitFor();
  assert.match(page.url(), /lives-by=gang/);
  const [file] = await Promise.all([page.waitForEvent("download"), section.getByRole("button", { name: "Save where the time went as CSV" }).click()]);
  const csv = await readFile(await file.path(), "utf8");
  const groups = told("--by", "gang")[0].groups;
  assert.equal(csv.split("\n")[0].trim(), "policy,group,jobs,spent,law,gpu_hours,share");
  const rowsOfFirst = csv.split("\n").filter((row) => row.startsWith("FIFO,"));
  assert.equal(rowsOfFirst.length, groups.reduce((sum, group) => sum + group.parts.length, 0));

  // A culprit's name opens it.
  await section.getByRole("combobox").selectOption("all");
  const culprit = section.locator(".spent-parts button.link").first();
  const name = await culprit.getAttribute("title");
  await culprit.click();
  await page.locator(".inspector h2", { hasText: name }).waitFor();
});
