// Queues with quotas: the sample of two teams, its tree with bars to drag, what the queues did, and the stories that the
// guide links to.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";
import { experiment } from "../../bench/queues/kueue_performance.mjs";
import { accessibilityProblems, browser, finished, give, results, screenshot } from "./browser.mjs";

const { open } = browser();

const teams = "index.html#v=1&sample=two-teams";

/** Drags with the mouse from the middle of a bar, which must lie on top there, to a part of its width. */
async function drag(page, bar, part) {
  await bar.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await bar.boundingBox();
  const [from, to, middle] = [x + width / 2, x + width * part, y + height / 2];
  assert.equal(await page.evaluate(([x, y]) => document.elementFromPoint(x, y).className, [from, middle]), "quota-bar");
  await page.mouse.move(from, middle);
  await page.mouse.down();
  await page.mouse.move(to, middle, { steps: 4 });
  await page.mouse.up();
}

test("a quota is dragged or changed by keys, and the runs follow", async (t) => {
  const page = await open(t, teams, { viewport: { width: 1280, height: 900 } });
  await finished(page, 2);
  const bar = page.getByRole("slider", { name: "GPUs of vision" });
  assert.equal(await bar.getAttribute("aria-valuenow"), "8");
  await drag(page, bar, 0.75);
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes("vision,parent=lab,gpus=12"));
  assert.equal(await bar.getAttribute("aria-valuenow"), "12");
  await finished(page, 2);
  await bar.press("ArrowLeft");
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes("vision,parent=lab,gpus=11"));
  assert.equal(await bar.getAttribute("aria-valuenow"), "11");
  await finished(page, 2);
  // And as text.
  await page.getByRole("button", { name: "As text" }).click();
  const text = page.getByRole("textbox", { name: "Queues" });
  assert.match(await text.inputValue(), /vision,parent=lab,gpus=11/);
  assert.deepEqual(await accessibilityProblems(page), []);
});

test("a queue is added, named, given fields, and removed", async (t) => {
  const page = await open(t, teams, { viewport: { width: 1280, height: 900 } });
  await finished(page, 2);
  const says = (text) => page.waitForFunction((text) => decodeURIComponent(location.hash).includes(text), text);
  await page.getByRole("button", { name: "Add a queue" }).click();
  await says("queue-1,parent=lab");
  const tree = page.getByRole("list", { name: "Queues" });
  await tree.getByRole("button", { name: "queue-1" }).click();
  const fields = (name) => tree.getByRole("group", { name: `The queue ${name}` });
  await fields("queue-1").getByLabel("Name", { exact: true }).fill("robotics");
  await fields("queue-1").getByLabel("Name", { exact: true }).press("Tab");
  await fields("robotics").getByLabel("Fields", { exact: true }).fill("gpus=2 borrow=4 weight=3");
  await fields("robotics").getByLabel("Fields", { exact: true }).press("Tab");
  await says("robotics,parent=lab,gpus=2,borrow=4,weight=3");
  await finished(page, 2);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, "quotas-tree");
  // What is no tree is said at its field, and nothing changes.
  await fields("robotics").getByLabel("Name", { exact: true }).fill("vision");
  await fields("robotics").getByLabel("Name", { exact: true }).press("Tab");
  await fields("robotics").getByText("Two queues are called 'vision'").waitFor();
  await fields("robotics").getByRole("combobox", { name: "Below" }).selectOption("vision");
  await says("robotics,parent=vision");
  await fields("robotics").getByRole("button", { name: "Remove" }).click();
  await page.waitForFunction(() => !decodeURIComponent(location.hash).includes("robotics"));
  await finished(page, 2);
});

/** A ClusterQueue, and a LocalQueue that is called as the jobs' tenant is. */
const kueue = `apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata:
  name: research
spec:
  resourceGroups:
  - coveredResources: ["nvidia.com/gpu"]
    flavors:
    - name: default
      resources:
      - name: nvidia.com/gpu
        nominalQuota: 10
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata:
  name: default
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata:
  name: vision
  namespace: team
spec:
  clusterQueue: research
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: WorkloadPriorityClass
metadata:
  name: high
value: 10
`;

/** Two queues in hundredths of the cluster. */
const yarn = `<configuration>${[
  ["root.queues", "vision,speech"],
  ["root.vision.capacity", "25"],
  ["root.vision.maximum-capacity", "50"],
  ["root.speech.capacity", "75"],
]
  .map(([key, value]) => `<property><name>yarn.scheduler.capacity.${key}</name><value>${value}</value></property>`)
  .join("")}</configuration>`;

test("queues come out of files of Kueue and YARN, and what is wrong in one is told", async (t) => {
  const page = await open(t, teams, { viewport: { width: 1280, height: 900 } });
  await finished(page, 2);
  const pick = (name, text) =>
    page.getByLabel("From a file").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const says = (text) => page.waitForFunction((text) => decodeURIComponent(location.hash).includes(text), text);
  await pick("queues.yaml", kueue);
  await says("research,gpus=10,jobs=vision");
  await page.getByText("The queues are those of queues.yaml. queues.yaml, line 30: WorkloadPriorityClass 'high' is left out").waitFor();
  // 16 GPUs.
  await pick("capacity-scheduler.xml", yarn);
  await says("root.vision,parent=root,gpus=4,borrow=4");
  await says("root.speech,parent=root,gpus=12,borrow=4");
  await finished(page, 2);
  await pick("queues.yaml", kueue.replace("nominalQuota: 10", "nominalQuota: -1"));
  await page.getByText(/queues.yaml, line 12, ClusterQueue 'research'/).waitFor();
  // What was there is there.
  await says("root.vision,parent=root,gpus=4");
  assert.deepEqual(await accessibilityProblems(page), []);
});

test("what each queue used, borrowed and lost stands in Compare", async (t) => {
  const page = await open(t, `${teams}&view=compare`, { viewport: { width: 1280, height: 900 } });
  await finished(page, 2);
  const section = page.getByRole("region", { name: "By queue" });
  const kueue = section.getByRole("region", { name: "Queues under Kueue" });
  const cell = (queue, name) => kueue.locator("tr", { hasText: queue }).locator(`[data-name="${name}"]`).textContent();
  // Vision borrows speech's 8 GPUs from 0:30 to 2:00, and is evicted for speech's jobs.
  assert.equal(await cell("vision", "Quota"), "8");
  assert.ok(Number.parseInt(await cell("vision", "Preempted"), 10) >= 2);
  assert.equal(await cell("speech", "Preempted"), "0");
  assert.equal(await cell("vision", "Borrowed"), await cell("speech", "Lent"));
  await section.scrollIntoViewIfNeeded();
  await screenshot(page, "quotas-compare");
  assert.deepEqual(await accessibilityProblems(page), []);
});

test("the view Queues follows the clock: who uses what, and who borrows from whom", async (t) => {
  const page = await open(t, `${teams}&view=queues&t=3600`, { viewport: { width: 1280, height: 900 } });
  await finished(page, 2);
  const words = page.getByRole("list", { name: "The tree of queues in words" });
  const says = (text) => words.getByRole("listitem").filter({ hasText: text }).waitFor();
  await says(/^vision: uses 16 GPUs of a quota of 8; borrows 8 GPUs: 8 of speech$/);
  await says(/^speech: uses 0 GPUs of a quota of 8; lends 8 GPUs: 8 to vision$/);
  await says(/^lab: uses 16 GPUs of a quota of 16$/);
  // What lies under the mouse is told: a queue of the icicle, the ribbon between two, and a queue at a time.
  const picture = page.locator(".tree-of-queues canvas");
  const { x, y, width, height } = await picture.boundingBox();
  const tooltip = page.locator("#tooltip");
  const found = new Map();
  for (let across = 4; across < width; across += 40) {
    for (let down = 40; down < height; down += 40) {
      await page.mouse.move(x + across, y + down);
      const text = (await tooltip.isVisible()) ? await tooltip.textContent() : "";
      if (text && !found.has(text.split("\n")[0])) found.set(text.split("\n")[0], { x: x + across, y: y + down });
    }
  }
  for (const said of ["lab: uses 16 GPUs of a quota of 16", "vision: uses 16 GPUs of a quota of 8", "vision borrows 8 GPUs of speech"]) {
    assert.ok(found.has(said), `${said} among ${[...found.keys()]}`);
  }
  // A click on a later time moves the clock there: speech is done, and vision has its own.
  await page.mouse.click(x + width - 60, y + 60);
  await says(/^vision: uses 8 GPUs of a quota of 8$/);
  // Keys go from queue to queue, and say so.
  await picture.focus();
  await picture.press("Home");
  await picture.press("ArrowDown");
  assert.match(await page.locator("#said").textContent(), /^vision: uses/);
  assert.deepEqual(await accessibilityProblems(page), []);
  // Another run, read by the same tree.
  await page.getByRole("group", { name: "Scheduler shown" }).getByRole("button", { name: /FIFO/ }).click();
  await page.getByRole("region", { name: /^Tree of queues under FIFO/ }).waitFor();
  await screenshot(page, "quotas-queues");
});

test("a run with lanes and a tree shows either, and a link says which", async (t) => {
  const page = await open(t, `${teams}&queues=lab;vision,parent=lab,gpus=8;speech,parent=lab,gpus=8&run=tiresias-las&run=kueue&view=queues&t=3600`, { viewport: { width: 1280, height: 900 } });
  await finished(page, 2);
  // As links always did, lanes first.
  await page.getByRole("list", { name: "The queues in words" }).waitFor({ state: "attached" });
  await page.getByRole("group", { name: "Queues are shown as" }).getByRole("button", { name: "Tree" }).click();
  await page.getByRole("list", { name: "The tree of queues in words" }).waitFor({ state: "attached" });
  assert.match(page.url(), /queues-as=tree/);
});

for (const [name, options] of [
  ["light, 390", { viewport: { width: 390, height: 844 }, colorScheme: "light" }],
  ["dark, 1920", { viewport: { width: 1920, height: 1080 }, colorScheme: "dark" }],
]) {
  test(`the tree of queues is in order, ${name}`, async (t) => {
    const page = await open(t, `${teams}&view=queues&t=3600`, options);
    await finished(page, 2);
    await page.locator(".tree-of-queues canvas").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    await screenshot(page, `quotas-queues-${name.replace(", ", "-")}`);
  });
}

test("a job that waits tells its queue's numbers", async (t) => {
  const page = await open(t, `${teams}&t=12600&job=5`, { viewport: { width: 1280, height: 900 } });
  await finished(page, 2);
  const job = page.getByRole("region", { name: "Job ana" });
  await job.getByText("nominal quota").first().waitFor();
  assert.match(await job.textContent(), /its queue uses\s*8 GPUs/);
  await screenshot(page, "quotas-why");
});

// ---- stories of the guide to queues ----

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const cli = process.env.SWITCHYARD_CLI;

/** The links of the guide, by the file that each carries. */
const stories = Object.fromEntries([...readFileSync(`${docs}queues.md`, "utf8").matchAll(/\/(#v=1&file=([\w-]+\.csv)&[^)]*)\)/g)].map(([, hash, file]) => [file, hash]));

/** Of each story by its file: after how many hours of its first run queues use how many GPUs. */
const TOLD = {
  "kueue-1.csv": [
    [1, { east: 32, west: 0 }],
    [4, { east: 16, west: 16 }],
  ],
  "kueue-2.csv": [
    [1, { "1A": 0, "1B": 12, "1C": 12, "2A": 8, "2B": 8, "2C": 8 }],
    [3, { D1: 0, "2A": 16, "2B": 16, "2C": 16 }],
  ],
  "kueue-3.csv": [[0.5, { C1: 150, C2: 150, "1A": 30, "1B": 30, "1C": 90, "2A": 150, shared: 0 }]],
  "kai-turns.csv": [
    [100, { red: 16, blue: 0 }],
    [200, { red: 0, blue: 16 }],
  ],
};

test("documented stories end as they are told", { skip: !cli && "no SWITCHYARD_CLI" }, () => {
  assert.deepEqual(Object.keys(stories).sort(), Object.keys(TOLD).sort());
  for (const [file, told] of Object.entries(TOLD)) {
    const written = execFileSync(cli, ["run", `${docs}stories/${file}`, "--by", "queue", "--json", "-"], { encoding: "utf8" });
    const runs = JSON.parse(written).runs.map(({ by_queue }) => by_queue);
    const [{ queues, over_time }] = runs;
    for (const [hours, expected] of told) {
      const part = Math.floor((hours * 3600 - over_time.begin) / over_time.width);
      const used = queues.map(({ name }, at) => [name, over_time.queues[at].used[part]]);
      const of = Object.fromEntries(used.filter(([name]) => name in expected));
      assert.deepEqual(of, expected, `${file} after ${hours} h`);
    }
    if (file === "kai-turns.csv") {
      // With history they take turns: each evicts the other's jobs, as often as it loses its own.
      const [without, by_history] = runs.map(({ preemptions }) => Object.fromEntries(preemptions.map(({ queue, times }) => [queue, times])));
      assert.deepEqual(without, {});
      assert.ok(by_history.red >= 5 && Math.abs(by_history.red - by_history.blue) <= 1, JSON.stringify(by_history));
    }
  }
});

for (const [file, hash] of Object.entries(stories)) {
  test(`the link of ${file} carries it, and the page runs it`, async (t) => {
    const packed = /experiment=([\w-]+)/.exec(hash)[1];
    const text = readFileSync(`${docs}stories/${file}`, "utf8");
    assert.equal(inflateRawSync(Buffer.from(packed, "base64url")).toString(), text);
    const page = await open(t, `index.html${hash}`, { viewport: { width: 1280, height: 900 } });
    const policies = text.match(/^#policy .*$/gm).map((line) => line.slice("#policy ".length));
    await finished(page, policies.length);
    const { runs } = await results(page);
    assert.deepEqual(runs.map(({ policy }) => policy.split("[")[0]), policies.map((policy) => policy.split("[")[0]));
    assert.equal(runs[0].finished, text.trim().split("\n").filter((line) => !line.startsWith("#")).length - 1);
    await page.getByRole("list", { name: "Queues" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, `story-${file.replace(".csv", "")}`);
  });
}

test("Kueue's performance scenario: 15,000 workloads in 30 queues", async (t) => {
  const page = await open(t, teams, { viewport: { width: 1280, height: 900 } });
  await finished(page, 2);
  await give(page, { name: "kueue.csv", mimeType: "text/csv", buffer: Buffer.from(experiment()) });
  await page.getByText("kueue.csv").first().waitFor();
  await finished(page, 1);
  const [{ finished: ended, restarts, makespan, wall_ms }] = (await results(page)).runs;
  // As natively: `switchyard run kueue.csv`.
  assert.deepEqual([ended, restarts, makespan.toFixed(1)], [15_000, 4_965, "66.1"]);
  t.diagnostic(`simulated in ${wall_ms.toFixed(0)} ms`);
});
