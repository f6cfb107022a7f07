// The placer that learned: a data centre in one click, what its agents could do and told one another, and
// weights of one's own, the picker's too.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { accessibilityProblems, browser, dist, finished, picture, screenshot } from "./browser.mjs";

const { open } = browser();

const root = fileURLToPath(new URL("../..", import.meta.url));
const shipped = readFileSync(join(root, "core/weights/graph-rl.safetensors"));
const picker = readFileSync(join(root, "core/policies/src/picking/rl_picker.safetensors"));

/** A small data centre, quick to run; its clock stands, since only then can a run be asked. */
const SMALL =
  "index.html#v=1&sample=lab&cluster=16x8/partitions=2/racks=4/sockets=2&contention=true&run=graph-rl&run=fifo&t=0";

/** A file with another header, which `change` makes of its text. */
function withHeader(file, change) {
  const length = Number(file.readBigUInt64LE(0));
  const header = Buffer.from(change(file.subarray(8, 8 + length).toString()));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([size, header, file.subarray(8 + length)]);
}

/** What a page's runs came to, as it exports them. */
async function metrics(page) {
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Metrics as JSON" }).click();
  return JSON.parse(readFileSync(await (await download).path(), "utf8")).runs;
}

/** What a page's only run with this policy came to. */
const exported = async (page, policy) => (await metrics(page)).find((run) => run.policy.startsWith(policy));

const drop = (page, name, buffer) =>
  page.getByTestId("file-picker").setInputFiles({ name, mimeType: "application/octet-stream", buffer });

/** The probabilities that a table of choices shows, in full. */
const chances = (page) =>
  page
    .getByRole("table", { name: "What the agent could do" })
    .first()
    .locator("td[title]")
    .evaluateAll((cells) => cells.map((cell) => Number(cell.title)));

/** Chooses a job and goes to when graph-rl laid it. */
async function lookAt(page, job) {
  await page.evaluate((job) => (location.hash = `${location.hash.replace(/&job=\d+/, "")}&job=${job}`), job);
  const inspector = page.getByRole("region", { name: /^Job / });
  await inspector.waitFor();
  await finished(page, 2);
  const events = inspector.locator("details").filter({ hasText: "Graph RL" });
  if (!(await events.evaluate((details) => details.open))) await events.locator("summary").click();
  await events.getByRole("button", { name: /starts/ }).first().click();
  await inspector.getByRole("table", { name: "What the agent could do" }).first().waitFor();
  return inspector;
}

test("a data centre opens in one click, with the placer beside two rules", async (t) => {
  const page = await open(t, "index.html", { viewport: { width: 1440, height: 900 } });
  const asked = [];
  page.on("request", (request) => /weights/.test(request.url()) && asked.push(request.url()));
  await finished(page, 2);
  assert.deepEqual(asked, [], "nobody needs weights yet");
  await page.getByRole("button", { name: "a data centre" }).click();
  await page.getByRole("region", { name: "Yard of Graph RL" }).waitFor();
  await page.getByRole("region", { name: /^Yard of FIFO.*least-interference-/ }).waitFor();
  await page.getByRole("region", { name: /^Yard of FIFO.*locality/ }).waitFor();
  await finished(page, 3, 120_000);
  assert.equal(asked.length, 1, "asked for once, and kept");
  // Both that look at neighbours are done sooner than the baseline, which does not.
  assert.equal(await page.getByRole("region", { name: /^Yard of/ }).getByText(/^[\d.]+× shorter$/).count(), 2);
  assert.match(await page.evaluate(() => decodeURIComponent(location.hash)), /sample=data-centre.*contention=true.*run=graph-rl/);
  assert.ok(await page.getByRole("group", { name: "Weights" }).getByRole("button", { name: "shipped" }).isVisible());
  // What was open is a click away.
  await page.getByRole("button", { name: /lab/ }).first().waitFor();
  await screenshot(page, "placer-1440");
});

test("days like Helios' open from the list, and neighbours cost half of the mean JCT there", async (t) => {
  const page = await open(t, "index.html", { viewport: { width: 1440, height: 900 } });
  await finished(page, 2);
  await page.getByRole("combobox", { name: "Sample" }).selectOption("like-helios");
  await page.getByRole("region", { name: "Yard of Graph RL" }).waitFor();
  await finished(page, 3, 240_000);
  await page.getByText(/^4,000 jobs with the statistics of a production cluster/).waitFor();
  const [learned, rule, locality] = (await metrics(page)).map((run) => run.jct.mean);
  assert.ok(learned < 0.6 * locality && rule < 0.6 * locality, `${learned}, ${rule}, ${locality}`);
  await screenshot(page, "like-helios-1440");
});

test("an agent's choices sum to one, with forwarding and waiting among them, and heat the yard", async (t) => {
  const page = await open(t, SMALL, { viewport: { width: 1440, height: 900 } });
  await finished(page, 2);
  const inspector = await lookAt(page, 60);
  const sum = (await chances(page)).reduce((sum, chance) => sum + chance, 0);
  assert.ok(Math.abs(sum - 1) < 1e-4, `${sum}`);
  const choices = inspector.getByRole("table", { name: "What the agent could do" }).first();
  await choices.getByText(/^forward to partition \d$/).waitFor();
  await choices.getByText("wait", { exact: true }).waitFor();
  const told = inspector.getByRole("table", { name: "What partitions told one another" }).first();
  assert.equal(await told.locator("tbody tr").count(), 2);
  assert.equal(await told.locator("svg rect").count(), 64);
  await told.getByText("asked", { exact: true }).waitFor();
  const rule = inspector.locator(".placing p").filter({ hasText: /it would have (put the job on|taken (the same|other GPUs)|let the job wait).* slow one another by [\d.]+ % in all/ });
  await rule.first().waitFor();
  await inspector.getByText("Whose placer this is").click();
  await inspector.getByText(/after the abstract of Zhao & Wu/).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.waitForTimeout(400);
  const canvas = page.getByRole("region", { name: "Yard of Graph RL" }).locator("canvas");
  const hot = await picture(canvas);
  await inspector.getByRole("button", { name: "Close the job" }).click();
  await page.waitForTimeout(400);
  assert.notEqual(await picture(canvas), hot, "scores lie over the yard while a job is looked at");
});

for (const width of [390, 720]) {
  test(`at ${width} px the heat is seen beside what is said of it`, async (t) => {
    const page = await open(t, SMALL, { viewport: { width, height: 844 } });
    await finished(page, 2);
    const inspector = await lookAt(page, 60);
    const [stage, sheet, canvas] = await Promise.all(
      [
        page.locator(".stage"),
        inspector,
        page.getByRole("region", { name: "Yard of Graph RL" }).locator("canvas"),
      ].map((of) => of.boundingBox()),
    );
    assert.ok(sheet.height <= stage.height / 2 + 1, `${sheet.height} of ${stage.height}`);
    assert.ok(canvas.y >= stage.y && canvas.y + 100 <= sheet.y, `${canvas.y}, ${sheet.y}`);
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, `placer-${width}`);
  });
}

for (const servers of [128, 4096]) {
  test(`a run tells its decisions and how many it made a second, at ${servers} servers`, async (t) => {
    const cluster = `${servers}x8/partitions=4/racks=${servers / 8}/sockets=2`;
    const page = await open(t, `index.html#v=1&sample=lab&cluster=${cluster}&contention=true&run=graph-rl`);
    await finished(page, 1, 600_000);
    const said = await page.getByText(/decisions, \S+ a second/).first().innerText();
    t.diagnostic(said);
    const [made, each] = /([\d,]+) decisions, ([\d.,]+) a second/.exec(said).slice(1);
    assert.ok(Number(made.replaceAll(",", "")) >= 240, "at least one for each job");
    assert.ok(Number(each.replaceAll(",", "")) > 0);
  });
}

const cli = process.env.SWITCHYARD_CLI;
test("the placer writes the same log in the browser as natively", { skip: !cli && "no SWITCHYARD_CLI" }, async (t) => {
  const cluster = "16x8/partitions=2/racks=4/sockets=2";
  const run = ["run", "sample:lab", "--cluster", cluster, "--contention", "--policy", "graph-rl", "--json", "-"];
  const [native] = JSON.parse(execFileSync(cli, run, { encoding: "utf8" })).runs;
  const page = await open(t, SMALL);
  await finished(page, 2);
  assert.equal((await exported(page, "graph-rl")).log_hash, native.log_hash);
});

test("weights of one's own are taken, named in links, and let go of", async (t) => {
  const page = await open(t, SMALL);
  await finished(page, 2);
  const own = Buffer.from(shipped);
  own[own.length - 1] ^= 1;
  await drop(page, "mine.safetensors", own);
  const group = page.getByRole("group", { name: "Weights" });
  const chip = group.getByRole("button", { name: /^mine\.safetensors · [0-9a-f]{16}$/ });
  await chip.waitFor();
  assert.equal(await chip.getAttribute("aria-pressed"), "true");
  await finished(page, 2);
  const [, hash] = /· (\w+)/.exec(await chip.innerText());
  await page.waitForFunction((hash) => location.hash.includes(`weights=${hash}`), hash);
  // Whoever has the link alone is told what is missing.
  const other = await open(t, `index.html${await page.evaluate(() => location.hash)}`);
  await other.getByText(new RegExp(`${hash}, which are not open in this page: drop their file`)).waitFor();
  await drop(other, "theirs.safetensors", own);
  await finished(other, 2);
  await group.getByRole("button", { name: "Remove mine.safetensors" }).click();
  await chip.waitFor({ state: "detached" });
  await finished(page, 2);
  await page.waitForFunction(() => !location.hash.includes("weights="));
});

test("a picker's weights that are dropped are a run by them, the same as natively", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&cluster=2x8&run=fifo&t=0");
  await finished(page, 1);
  const own = Buffer.from(picker);
  // The last layer's eight weights, with the other sign: who was first is last.
  for (let at = own.length - 32; at < own.length; at += 4) own[at + 3] ^= 0x80;
  await drop(page, "mine.safetensors", own);
  await page.getByText(/^rl-picker.* now goes by mine\.safetensors\.$/).waitFor();
  await finished(page, 2);
  const run = await exported(page, "rl-picker");
  const group = page.getByRole("group", { name: "Weights" });
  const [, hash] = /· (\w+)/.exec(await group.getByRole("button", { name: /^mine/ }).innerText());
  assert.equal(run.weights, hash);
  await screenshot(page, "picker-1280");
  if (cli) {
    const file = join(tmpdir(), `picker-${process.pid}.safetensors`);
    writeFileSync(file, own);
    t.after(() => rmSync(file));
    const asked = ["run", "sample:lab", "--cluster", "2x8", "--policy", "rl-picker", "--weights", file, "--json", "-"];
    const [native] = JSON.parse(execFileSync(cli, asked, { encoding: "utf8" })).runs;
    assert.equal(run.log_hash, native.log_hash);
  }
  await group.getByRole("button", { name: "shipped" }).click();
  await finished(page, 2);
  assert.notEqual((await exported(page, "rl-picker")).log_hash, run.log_hash);
});

test("a file that holds no weights is refused, and nothing is lost", async (t) => {
  const page = await open(t, SMALL);
  await finished(page, 2);
  // Clock and speed go on by themselves.
  const link = () => page.evaluate(() => decodeURIComponent(location.hash).replace(/&(t|speed)=[^&]*/g, ""));
  const before = await link();
  for (const [name, file, why] of [
    ["garbage", Buffer.from("no weights at all, but long enough for a header"), /no file of safetensors/],
    ["empty", Buffer.alloc(0), /no file of safetensors/],
    ["shape", withHeader(shipped, (text) => text.replace('"shape":[16,30]', '"shape":[30,16]')), /'group\.weight' is \[30, 16\], and has to be \[16, 30\]/],
    ["picker", withHeader(picker, (text) => text.replace('"shape":[32,8]', '"shape":[8,32]')), /'0\.weight' is \[8, 32\], and has to be \[32, 8\]/],
    ["gone", withHeader(picker, (text) => text.replace('"2.bias"', '"9.bias"')), /'2\.bias' is missing/],
    ["unnamed", withHeader(picker, (text) => text.replaceAll(/"(\d\.)/g, '"score.$1')), /its tensors are score\.0\.bias/],
    ["other", withHeader(shipped, (text) => text.replace('"group.weight"', '"groop.weight"')), /'group\.weight' is missing/],
  ]) {
    await drop(page, `${name}.safetensors`, file);
    const notice = page.getByText(new RegExp(`^${name}\\.safetensors is not taken: `));
    await notice.waitFor();
    assert.match(await notice.innerText(), why);
  }
  await drop(page, "huge.safetensors", Buffer.alloc((4 << 20) + 1));
  await page.getByText(/^huge\.safetensors: it is too large/).waitFor();
  assert.equal(await link(), before);
  assert.equal(await page.locator("[data-status=done]").count(), 2);
});

test("the single file has the weights within", async (t) => {
  const page = await open(t, pathToFileURL(join(dist, "switchyard.html")).href);
  await finished(page, 2);
  await page.evaluate((hash) => (location.hash = hash), SMALL.slice(SMALL.indexOf("#")));
  await page.getByRole("region", { name: "Yard of Graph RL" }).waitFor();
  await finished(page, 2);
});
