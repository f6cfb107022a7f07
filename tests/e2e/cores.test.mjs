// Jobs without GPUs: the refusal offers to count cores, and then every figure says so.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, finished, give, table } from "./browser.mjs";

const { open } = browser();

const JOBS = [
  "job_id,num_cores,submit_time,run_time",
  "1,4,2030-01-07T10:00:00,0:10:00",
  "2,16,2030-01-07T10:01:00,1:00:00",
  "3,96,2030-01-07T10:02:00,1:00:00",
];
const CONF = ["ClusterName=c", "NodeName=n[1-2] CPUs=128 RealMemory=262144"];

const facts = (page, text) => page.locator("header .facts").getByText(text, { exact: true }).waitFor();

test("a log of jobs without GPUs opens counted in cores, and every figure says cores", async (t) => {
  const page = await open(t, "index.html#v=1&t=0");
  await finished(page, 2);
  await give(page, table("cpu.csv", JOBS));
  const refusal = page.locator(".refusal");
  await refusal.getByText(/its jobs ask for cores, not GPUs \(3 jobs, 112\.67 core·h\)/).waitFor();
  await refusal.getByRole("button", { name: "Count cores" }).click();
  await facts(page, "3 jobs");
  await facts(page, "113 core·h");
  await finished(page, 2);
  assert.equal(await refusal.count(), 0);
  assert.match(await page.evaluate(() => location.hash), /[#&]unit=cores(&|$)/);

  // Axes, terms and tables.
  for (const view of ["Timeline", "Compare", "Jobs", "Queues"]) {
    await page.getByRole("tab", { name: view }).click();
    const seen = await page.getByRole("tabpanel").innerText();
    // What GPU type a job runs on is a colour of the others.
    assert.doesNotMatch(seen.replaceAll("GPU type", ""), /GPU/, view);
  }

  // A cluster beside it counts its nodes' cores, of which 64 are on one.
  await give(page, table("slurm.conf", CONF));
  await page.waitForFunction(() => /cluster=4x64/.test(location.hash));
  await finished(page, 2);

  // The link shows the same, and the other unit is a choice.
  await page.getByText("Held for this tab").waitFor();
  await page.reload();
  await facts(page, "113 core·h");
  await page.getByText("Jobs replayed: all").click();
  await page.getByLabel("Jobs are counted in").selectOption("GPUs");
  await refusal.getByText(/ask for cores, not GPUs/).waitFor();
  await facts(page, "113 core·h");
});
