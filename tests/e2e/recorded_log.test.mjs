// The log of a cluster: dropped with its slurm.conf, the run as it was recorded stands beside the schedulers, and
// Compare tells by user what JavaScript makes of the same rows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, cards, finished, give, results, screenshot } from "./browser.mjs";

const { open } = browser();

const CONF = `GresTypes=gpu
NodeName=a[01-04] CPUs=64 RealMemory=515000 Gres=gpu:a100:8
NodeName=t[01-02] CPUs=32 RealMemory=257000 Gres=gpu:t4:4
PartitionName=train Nodes=a[01-04] Default=YES
PartitionName=small Nodes=t[01-02]
`;
const ROOM = { train: 32, small: 8 };

/** Numbers from 0 to 1, the same at every run. */
function* numbers(seed) {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** 5,000 jobs in the order of their arrival, each started once its partition has room, of 12 users. */
const jobs = (() => {
  const source = numbers(36);
  const draw = () => source.next().value;
  const running = { train: [], small: [] };
  const last = { train: 0, small: 0 };
  let now = Date.UTC(2024, 2, 11) / 1000;
  return Array.from({ length: 5000 }, (_, id) => {
    now += Math.ceil(-Math.log(1 - draw()) * 90);
    const partition = draw() < 0.7 ? "train" : "small";
    const seconds = Math.ceil(60 + 4000 * draw() ** 3);
    const job = { id: id + 1, user: `user${Math.floor(12 * draw() ** 2)}`, partition, submit: now, start: now, seconds, gpus: 0 };
    // Every fifth asks for no GPU.
    if (draw() < 0.2) return job;
    job.gpus = 2 ** Math.floor(4 * draw() ** 2);
    if (partition === "small") job.gpus = Math.min(job.gpus, 4);
    job.start = Math.max(job.start, last[partition]);
    const held = () => running[partition].filter(({ end }) => end > job.start);
    while (held().reduce((all, { gpus }) => all + gpus, 0) + job.gpus > ROOM[partition]) {
      job.start = Math.min(...held().map(({ end }) => end));
    }
    last[partition] = job.start;
    running[partition] = [...held(), { end: job.start + seconds, gpus: job.gpus }];
    return job;
  });
})();

const when = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 19);
const row = ({ id, user, partition, submit, start, seconds, gpus }) => {
  const type = partition === "train" ? "a100" : "t4";
  const gres = gpus ? `,gres/gpu:${type}=${gpus},gres/gpu=${gpus}` : "";
  return `${id}|${user}|lab${user.at(-1) % 3}|${partition}|${when(submit)}|${when(start)}|${when(start + seconds)}|${seconds}|COMPLETED|billing=1,cpu=2${gres}`;
};
const DUMP = ["JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|State|AllocTRES", ...jobs.map(row)].join("\n") + "\n";
const files = () => [
  { name: "sacct.psv", mimeType: "text/plain", buffer: Buffer.from(DUMP) },
  { name: "slurm.conf", mimeType: "text/plain", buffer: Buffer.from(CONF) },
];

const onGpus = jobs.filter(({ gpus }) => gpus > 0);
/** The jobs by a key: those without GPUs run on the cores that slurm.conf tells. */
const grouped = (key) => new Map([...new Set(jobs.map(key))].map((of) => [of, jobs.filter((job) => key(job) === of)]));
const mean = (values) => values.reduce((all, value) => all + value, 0) / values.length;

/** Seconds of a span as the page writes it. */
const spanOf = (text) => {
  const [, number, unit] = /([\d.,]+) (s|min|h|d)/.exec(text);
  return Number(number.replaceAll(",", "")) * { s: 1, min: 60, h: 3600, d: 86_400 }[unit];
};

const byWhom = (page) => page.getByRole("region", { name: "By whom" });

/** The rows of the table by group: names, jobs, and what stands under the run as recorded. */
const rows = async (page) => {
  const heads = await byWhom(page).locator("thead th").allInnerTexts();
  const at = heads.findIndex((head) => head.includes("As recorded"));
  const cells = await byWhom(page).locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.innerText)));
  return cells.map((cells) => ({ name: cells[0].trim(), jobs: Number(cells[1].replaceAll(",", "")), recorded: cells[at] }));
};

test("a log of Slurm opens with its cluster, and what happened is a run beside the others", async (t) => {
  const page = await open(t, "index.html#v=1&view=compare");
  await give(page, ...files());
  await finished(page, 3);
  const listed = await cards(page);
  assert.equal(listed.at(-1).spec, "recorded");
  const { trace, cluster, runs } = await results(page);
  assert.deepEqual([trace.jobs, trace.on_cores], [jobs.length, jobs.length - onGpus.length]);
  assert.match(cluster.spec, /^4x8:a100\/cores=64.*\+2x4:t4\/cores=32/);
  const recorded = runs.find(({ policy }) => policy === "recorded");
  const waits = jobs.map(({ submit, start }) => start - submit);
  assert.ok(Math.abs(recorded.queueing.mean - mean(waits)) < 1e-6, `${recorded.queueing.mean} instead of ${mean(waits)}`);
  assert.ok(mean(waits) > 60, "the log has waits");

  await page.keyboard.press("Escape");
  await byWhom(page).scrollIntoViewIfNeeded();
  const users = grouped(({ user }) => user);
  const shown = await rows(page);
  assert.deepEqual(new Set(shown.map(({ name }) => name)), new Set(users.keys()));
  for (const { name, jobs, recorded } of shown) {
    const own = users.get(name);
    assert.equal(jobs, own.length, name);
    const wait = mean(own.map(({ submit, start }) => start - submit));
    assert.ok(Math.abs(spanOf(recorded) - wait) <= 0.01 * wait + 1, `${name} waits ${recorded}, not ${wait} s`);
  }

  await byWhom(page).locator("select").first().selectOption("partition");
  await page.waitForFunction(() => location.hash.includes("by=partition"));
  const partitions = grouped(({ partition }) => partition);
  const parts = (await rows(page)).map(({ name, jobs }) => [name, jobs]);
  assert.deepEqual(Object.fromEntries(parts), { train: partitions.get("train").length, small: partitions.get("small").length });
  // A chart of shares for each run, with something in it.
  const charts = byWhom(page).locator("figure");
  assert.equal(await charts.count(), 3);
  assert.equal(await charts.first().locator("path").count(), 2);
  await screenshot(page, "recorded");

  const beside = page.getByRole("region", { name: "Beside what was recorded" });
  assert.match(await beside.innerText(), new RegExp(`when ${onGpus.length.toLocaleString("en")} jobs ran`));
  // Each of the others, and not the recorded one itself.
  assert.equal(await beside.locator("tbody tr").count(), 2);
  assert.deepEqual(await accessibilityProblems(page), []);
});

test("jobs of some users alone, their colours and a filter", async (t) => {
  const page = await open(t, "index.html#v=1&view=jobs&run=fifo");
  await give(page, ...files());
  await finished(page, 2);
  await page.keyboard.press("Escape");
  await page.getByPlaceholder(/filter/i).or(page.getByLabel(/filter/i)).first().fill("user=user3 partition=small");
  const some = jobs.filter(({ user, partition }) => user === "user3" && partition === "small").length;
  await page.locator("output", { hasText: new RegExp(`^${some} of ${jobs.length.toLocaleString("en")}`) }).waitFor();

  await page.getByTestId("job-choice").locator("summary").click();
  await page.getByTestId("job-choice").getByRole("group", { name: /^Users/ }).getByLabel("user3").click();
  await page.waitForFunction(() => location.hash.includes("user=user3"));
  await finished(page, 2);
  const own = jobs.filter(({ user }) => user === "user3");
  assert.equal((await results(page)).trace.jobs, own.length);
  await page.keyboard.press("Escape");

  await page.getByTestId("job-choice").getByLabel(/^Without a GPU, on cores/).selectOption("drop");
  await page.waitForFunction(() => location.hash.includes("on-cores=drop"));
  await finished(page, 2);
  assert.equal((await results(page)).trace.jobs, own.filter(({ gpus }) => gpus > 0).length);

  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.getByLabel("Colour by").selectOption("partition");
  await page.getByRole("button", { name: "train", exact: true }).waitFor();
});

test("a job without a GPU tells its cores and where it ran", async (t) => {
  const page = await open(t, "index.html#v=1&view=jobs&run=fifo");
  await give(page, ...files());
  await finished(page, 2);
  await page.keyboard.press("Escape");
  const { id } = jobs.find(({ gpus }) => gpus === 0);
  await page.locator(`#job-${id - 1}`).click();
  const inspector = page.getByRole("region", { name: `Job ${id}`, exact: true });
  await inspector.getByText("2 cores, beside what schedulers decide").waitFor();
  await inspector.getByText(/on node \d/).first().waitFor();
});

test("where nobody knows when jobs ran there is no run as recorded", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&run=recorded");
  await finished(page, 1);
  await page.getByText("This trace does not tell when its jobs started").waitFor();
  const offered = page.getByLabel("Add a scheduler").locator("option");
  assert.ok(!(await offered.allInnerTexts()).includes("As recorded"));
});

test("an operator: where a user's time went in the log, because of whom, and what another scheduler would do", async (t) => {
  const page = await open(t, "index.html#v=1&view=compare", { viewport: { width: 1440, height: 900 } });
  await give(page, ...files());
  await finished(page, 3);
  await page.keyboard.press("Escape");

  // Where the time went, by user, under each scheduler.
  const lives = page.getByRole("region", { name: "Where the jobs' time went" });
  await lives.getByRole("combobox").selectOption("user");
  await lives.locator(".lives-group h3").first().waitFor();
  const [user] = (await lives.locator(".lives-group h3").first().textContent()).split(" ");

  // A press on a user selects the jobs: the headline is of these, and says so when a number is opened.
  const who = byWhom(page).getByRole("button", { name: user, exact: true });
  await who.scrollIntoViewIfNeeded();
  await who.click();
  const bar = page.getByRole("region", { name: /^Selected/ });
  const own = jobs.filter((job) => job.user === user);
  await bar.locator("strong", { hasText: `${own.length.toLocaleString("en")} of ` }).waitFor();
  const number = page.locator(".headline tr", { hasText: "As recorded" }).locator("button.number").first();
  await number.scrollIntoViewIfNeeded();
  await number.click();
  const card = page.locator(".arithmetic:popover-open");
  assert.equal(await card.locator("dl div", { hasText: /^jobs/ }).locator("dd").textContent(), own.length.toLocaleString("en"));
  const [sum] = (await card.locator(".sum").textContent()).split(" ∕ ");
  const jct = own.reduce((all, { submit, start, seconds }) => all + start - submit + seconds, 0);
  assert.ok(Math.abs(Number(sum.replaceAll(",", "")) - jct) <= 1e-6 * jct, `${sum} instead of ${jct}`);
  const job = card.locator("button").first();
  const name = await job.textContent();
  await job.click();

  // The job's whole wait, with whoever caused it one click away.
  const inspector = page.getByRole("region", { name: `Job ${name}` });
  await inspector.getByText("Where its time went").waitFor();
  const cause = inspector.locator(".spent-parts [data-job]").first();
  await cause.scrollIntoViewIfNeeded();
  const culprit = await cause.textContent();
  await cause.click();
  await page.getByRole("region", { name: `Job ${culprit}` }).waitFor();
  await page.keyboard.press("Escape");

  // Another scheduler is tried, and undone.
  await page.getByLabel("Add a scheduler").selectOption("srtf");
  await finished(page, 4);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.locator(".card").nth(3).waitFor({ state: "detached" });
  await finished(page, 3);
  assert.deepEqual(await accessibilityProblems(page), []);
});
