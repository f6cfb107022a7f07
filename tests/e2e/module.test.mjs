// The module for code (module/, built into dist/module): from Node, as a package, in types, on a page of
// plain HTML under a strict security policy, and on a page that imports it from another origin.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inflateRawSync } from "node:zlib";
import { browser, dist, emptyFolder } from "./browser.mjs";
import { serve } from "./server.mjs";

const built = join(dist, "module");
assert.ok(existsSync(built), `there is no ${built}: run \`cargo xtask module\` first`);
const { metrics, open, plugin, policies, run, samples, script, settings, SwitchyardError } = await import(pathToFileURL(join(built, "switchyard.js")).href);

const fixture = (name) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const HELIOS = fixture("helios.csv");

/** Results without what differs from one machine to the next, as JSON has them. */
function comparable(results) {
  const { columns, ...rest } = results;
  const runs = results.runs.map(({ wall_ms, log_budget, columns, segments, places, ...run }) => run);
  return JSON.parse(JSON.stringify({ ...rest, runs }));
}

const cli = process.env.SWITCHYARD_CLI;
const skip = !cli && "no SWITCHYARD_CLI";

// ---- from Node ----

const CASES = [
  {
    name: "a trace with a cluster of one's own and parameters",
    source: HELIOS,
    options: { cluster: "3x8", policies: ["fifo", "tiresias-las[queues=2,threshold=57600]"], restart_cost: 30, seed: 7 },
    flags: ["--cluster", "3x8", "--policy", "fifo", "--policy", "tiresias-las[queues=2,threshold=57600]", "--restart-cost", "30", "--seed", "7"],
  },
  { name: "an experiment as its file has it", source: fixture("experiment.csv"), options: {}, flags: [] },
  {
    name: "unlike GPUs, failures and what a preset says",
    source: "sample:lab",
    options: { cluster: "4x8:v100+4x4:a100", policies: ["srtf", "fifo if 2:1h..3h"], mtbf: 40, preset: "reference-nsdi19" },
    flags: ["--cluster", "4x8:v100+4x4:a100", "--policy", "srtf", "--policy", "fifo if 2:1h..3h", "--mtbf", "40", "--preset", "reference-nsdi19"],
  },
  {
    name: "jobs that train, and weights that have learned",
    source: "sample:lab",
    options: { cluster: "16x8/partitions=2/racks=4/sockets=2", policies: ["optimus", "graph-rl"], contention: true },
    flags: ["--cluster", "16x8/partitions=2/racks=4/sockets=2", "--policy", "optimus", "--policy", "graph-rl", "--contention"],
  },
];

for (const { name, source, options, flags } of CASES) {
  test(`the results are the command line's: ${name}`, { skip }, async (t) => {
    const told = execFileSync(cli, ["run", source, ...flags, "--json", "-"], { encoding: "utf8" });
    const trace = await open(source);
    t.after(() => trace.close());
    const results = await run(trace, options);
    // What the command line rounds, it rounds as JSON is read.
    assert.deepEqual(comparable(results), comparable(JSON.parse(told)));
    assert.match(results.runs[0].log_hash, /^[0-9a-f]{16}$/);
  });
}

test("jobs are typed columns, which hold what the command line's CSV does", { skip }, async (t) => {
  const rows = execFileSync(cli, ["run", HELIOS, "--policy", "sjf", "--csv", "-"], { encoding: "utf8" });
  const [header, ...jobs] = rows.trim().split("\n").map((row) => row.split(","));
  const trace = await open(HELIOS);
  t.after(() => trace.close());
  const { columns, runs } = await run(trace, { policies: "sjf" });
  const all = { ...columns, ...runs[0].columns };
  const names = header.filter((name) => name !== "policy");
  assert.deepEqual(Object.keys(all).sort(), names.toSorted());
  for (const name of names) {
    const at = header.indexOf(name);
    // What is not known is an empty cell.
    const cell = (value) => (Number.isNaN(value) ? "" : String(name === "rejected" ? value === 1 : value));
    const own = Array.from(all[name], cell);
    assert.deepEqual(own, jobs.map((job) => job[at]), name);
  }
  assert.ok(all.jct_s instanceof Float64Array && all.gpus instanceof Uint32Array && all.rejected instanceof Uint8Array);
});

test("who held which GPUs when is there, and adds up to what each job was given", async (t) => {
  const trace = await open("sample:lab");
  t.after(() => trace.close());
  const { cluster, columns, runs } = await run(trace, { cluster: "4x8", policies: ["fifo", "las"], restart_cost: 30, outages: "1:1h..2h" });
  assert.equal(cluster.gpus, 32);
  for (const { segments, places, columns: of, restarts, evictions } of runs) {
    assert.deepEqual(Object.values(segments).map((column) => column.constructor.name), ["Uint32Array", "Float64Array", "Float64Array", "Float64Array", "Uint32Array", "Float64Array"]);
    assert.deepEqual(Object.values(places).map((column) => column.constructor.name), ["Uint32Array", "Uint32Array", "BigUint64Array"]);
    const gpus = new Uint32Array(segments.job.length);
    const taken = Array.from({ length: 32 }, () => []);
    places.mask.forEach((mask, row) => {
      for (let gpu = 0; mask >> BigInt(gpu); gpu++) {
        if (((mask >> BigInt(gpu)) & 1n) === 0n) continue;
        gpus[places.segment[row]] += 1;
        taken[8 * places.node[row] + gpu].push(places.segment[row]);
      }
    });
    assert.deepEqual(gpus, segments.gpus);
    // A GPU has one job at a time, and none while its node is away.
    taken.forEach((stays, gpu) => {
      stays.sort((a, b) => segments.start_s[a] - segments.start_s[b]);
      stays.slice(1).forEach((stay, at) => assert.ok(segments.start_s[stay] >= segments.end_s[stays[at]]));
      if (gpu >> 3 === 1) for (const stay of stays) assert.ok(segments.end_s[stay] <= 3600 || segments.start_s[stay] >= 7200);
    });
    const service = new Float64Array(columns.gpus.length);
    const starts = new Uint32Array(columns.gpus.length);
    segments.job.forEach((job, stay) => {
      service[job] += segments.gpus[stay] * segments.part[stay] * (segments.end_s[stay] - segments.start_s[stay]);
      starts[job] += 1;
      assert.ok(segments.ready_s[stay] >= segments.start_s[stay] && segments.start_s[stay] >= columns.submit_s[job]);
    });
    service.forEach((held, job) => assert.ok(Math.abs(held - of.service_gpu_s[job]) < 1e-6 * held, columns.job[job]));
    assert.deepEqual(starts, of.restarts.map((again) => again + 1));
  }
});

const SCRIPTS = new URL("../../core/policies/src/script/examples/", import.meta.url);

test("a script and a plug-in run, with the log of the policy that they are", async (t) => {
  const trace = await open("sample:lab");
  t.after(() => trace.close());
  const [, packed] = /^las \S*code=([\w-]+)/m.exec(readFileSync(new URL("../golden/plugins.txt", import.meta.url), "utf8"));
  const module = inflateRawSync(Buffer.from(packed, "base64url"));
  const las = await script(readFileSync(new URL("las.rhai", SCRIPTS), "utf8"), { name: "my own" });
  assert.match(las, /^script\[code=[\w-]+,name=my own\]$/);
  const spread = await script(readFileSync(new URL("fifo.rhai", SCRIPTS), "utf8"), { placement: "spread" });
  const mine = await plugin(module, { name: "mine", quantum: 60 });
  const { runs } = await run(trace, { policies: ["las", las, mine, `plugin[code=${packed},quantum=60]`, "fifo[placement=spread]", spread] });
  const hashes = runs.map(({ log_hash }) => log_hash);
  assert.deepEqual(hashes.slice(1, 4), Array(3).fill(hashes[0]));
  assert.equal(hashes[5], hashes[4]);
  // What is listed runs.
  for (const { name } of await policies()) {
    if (["script", "plugin"].includes(name)) assert.equal((await run(trace, { policies: name })).runs[0].finished, 240);
  }
});

test("a mistake in a script is told with its line, before the run or in it", async (t) => {
  const trace = await open(HELIOS);
  t.after(() => trace.close());
  for (const [ask, kind, words] of [
    [() => script("fn key(job, now) {\n  job.\n}"), "input", /^line \d+, column \d+: /],
    [() => script(5), "input", /^script takes a text/],
    [() => plugin("las.wasm"), "input", /^plugin takes the bytes/],
    [() => run(trace, { policies: "script[code=AAAA]" }), "input", /^script: the script's text is damaged/],
    [async () => run(trace, { policies: [await script("fn key(job, now) {\n  [1][7]\n}", { name: "far" })] }), "run", /far.*line 2, column /],
    [async () => run(trace, { policies: [await plugin(new Uint8Array([1, 2, 3]))] }), "input", /^its module is no valid WebAssembly/],
    [async () => run(trace, { policies: [await script("fn key(job, now) { 1 }", { quantum: 5 })] }), "input", /quantum/],
  ]) {
    await assert.rejects(ask, (error) => {
      assert.ok(error instanceof SwitchyardError, String(error.stack));
      assert.deepEqual([error.kind, words.test(error.message)], [kind, true], error.message);
      return true;
    });
  }
});

// ---- functions ----

const TIRESIAS = `
const THRESHOLDS = [3250.0, 7200.0];
fn level(attained) {
    let queue = 0;
    for threshold in THRESHOLDS { if attained >= threshold { queue += 1; } }
    queue
}
fn plan(view) { walk(view.jobs.sorted(|job| [level(job.attained), job.submit])); }
`;

for (const [where, worker] of [["in a worker", true], ["on this thread", false]]) {
  test(`a function is the built-in policy to the bit, ${where}`, async (t) => {
    const trace = await open("sample:lab");
    t.after(() => trace.close());
    const cases = [
      ["fifo", { key: (job) => job.submit, preemptive: false }],
      ["fifo[backfill=true]", { keys: (jobs) => jobs.submit, preemptive: false, backfill: true, changes: "never" }],
      ["fewest-gpus", (job, now) => job.gpus],
      ["fewest-gpus", { name: "as a list", keys: (jobs) => Array.from(jobs.gpus) }],
      ["srtf", { keys: (jobs) => jobs.remaining, oracle: true }],
      ["srtf", { key: (job) => job.remaining, oracle: true, changes: "running" }],
      ["las", { name: "las, mine", key(job) { return job.attained; }, every: 60 }],
      ["las[placement=spread]", { keys: function (jobs) { return jobs.attained; }, every: 60, placement: "spread", changes: "running" }],
      [
        await script(TIRESIAS),
        {
          name: "tiresias",
          plan(view, thresholds) {
            const level = (job) => thresholds.filter((threshold) => job.attained >= threshold).length;
            const places = view.jobs.map((job) => [level(job), job.submit, job]);
            view.walk(places.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , job]) => job));
          },
          with: [3250, 7200],
        },
      ],
    ];
    const told = [];
    const { runs } = await run(trace, { policies: cases.flat(), worker, onProgress: ({ policy }) => told.push(policy) });
    cases.forEach(([policy, own], at) => {
      const [built, mine] = runs.slice(2 * at, 2 * at + 2);
      assert.equal(mine.log_hash, built.log_hash, policy);
      assert.equal(mine.policy, `function:${mine.label}`);
      assert.deepEqual([built.reproducible, built.source, mine.reproducible], [undefined, undefined, false]);
      assert.equal(mine.source, worker ? String(own.key ?? own.keys ?? own.plan ?? own) : undefined);
    });
    assert.deepEqual(runs.filter(({ reproducible }) => reproducible === false).map(({ label }) => label), ["key", "keys", "function", "as a list", "keys 2", "key 2", "las mine", "keys 3", "tiresias"]);
    assert.ok(told.includes("function:tiresias"));
  });

  test(`a function that fails ends its run in words, ${where}`, async (t) => {
    const trace = await open("sample:lab");
    t.after(() => trace.close());
    const line = worker ? "line 1: " : "module\\.test\\.mjs:\\d+: ";
    for (const [policy, kind, words] of [
      [() => "soon", "run", /^function ends at 0 s: job 'lab-000': its key is "soon": it must be a number$/],
      [() => NaN, "run", /its key is NaN, which has no place in an order/],
      [() => Promise.resolve(1), "run", /its key is a promise: it must be a number/],
      [(job) => job.remaining, "run", `${line}job 'lab-000': job.remaining is the truth.*: say oracle: true`],
      [(job) => job.holds, "run", /a key is a number and no more: define plan\(view\)/],
      [{ name: "deep", key: (job) => job.x.y }, "run", `^deep ends at 0 s: ${line}job 'lab-000': TypeError: `],
      [{ keys: () => [1, 2, 3] }, "run", /^keys ends at 0 s: it gives 3 numbers for 24 jobs: it must give an array of as many numbers$/],
      [{ keys: () => "soon" }, "run", /it gives "soon" for 24 jobs/],
      [{ keys: (jobs) => jobs.submit.map(() => NaN) }, "run", /job 'lab-000': its key is NaN/],
      [{ keys: (jobs) => Array.from(jobs.submit, String) }, "run", /job 'lab-000': its key is "0": it must be a number/],
      [{ plan: (view) => view.start(view.jobs[0], [1000]) }, "run", `${line}there is no node 1000: they go from 0 to`],
      [{ plan: (view) => view.start(view.jobs[0], [0.5]) }, "run", /TypeError: 0.5 is not a node: it must be a whole number from 0/],
      [{ plan: (view) => view.start(view.jobs[0], 5) }, "run", /TypeError: nodes are an array/],
      [{ plan: (view) => view.stop(view.jobs[0]) }, "run", `${line}job 'lab-000' does not run`],
      [{ plan: (view) => view.walk([3]) }, "run", /TypeError: 3 is no job/],
      [{ plan: (view) => view.alarm(view.jobs[0]) }, "run", /alarm\(job, at\) takes a time in seconds, and not undefined/],
      [{ plan: () => Promise.resolve() }, "run", /it gives a promise: a plan is made at once/],
      [{ plan: (view) => view.start((view.state.job ??= view.jobs[0])) }, "run", /it was kept from an earlier decision, which is over: keep its id/],
      [async () => 1, "input", /^function is of the kind AsyncFunction: a policy is a plain function/],
      [function* () {}, "input", /of the kind GeneratorFunction/],
      [{}, "input", /^a policy is a text, a function \(job, now\) => number, or an object with one function/],
      [{ key: () => 1, plan: () => {} }, "input", /^a policy is a text, a function/],
      [{ key: () => 1, colour: 1 }, "input", /^key: there is no 'colour': beside key it takes name, backfill/],
      [{ plan: () => {}, preemptive: true }, "input", /^plan: there is no 'preemptive'/],
      [{ key: () => 1, every: "60" }, "input", /^key: every is "60": it takes what is of the type number/],
      [{ key: () => 1, every: 0.5 }, "input", /^key: every is 0.5: it takes seconds from 1, or 0$/],
      [{ key: () => 1, changes: "sometimes" }, "input", /^key: changes is 'sometimes': it takes never, running or always$/],
      [{ key: () => 1, placement: "pack" }, "input", /'pack' is no value for 'placement'/],
      [{ key: () => 1, with: { f: () => 1 } }, "input", /^key: what cannot be copied cannot be in with/],
    ]) {
      const error = await run(trace, { policies: ["fifo", policy], worker }).then(() => assert.fail(`${policy} ran`), (error) => error);
      assert.ok(error instanceof SwitchyardError, String(error.stack));
      assert.deepEqual([error.kind, new RegExp(words).test(error.message)], [kind, true], error.message);
    }
    // All of that has cost nothing.
    assert.equal((await run(trace, { policies: (job) => job.submit, worker })).runs[0].finished, 240);
  });
}

test("a function sees what is around it on its own thread alone, and a worker says so", async (t) => {
  const trace = await open("sample:lab");
  t.after(() => trace.close());
  const asked = [];
  const key = (job) => (asked.push(job.id), job.submit);
  await assert.rejects(run(trace, { policies: { key, name: "around" } }), {
    kind: "run",
    message: "around ends at 0 s: line 1: job 'lab-000': ReferenceError: asked is not defined (only a function's text goes into a worker: give it values by with: { … }, or run it with worker: false)",
  });
  const { runs } = await run(trace, { policies: { key, preemptive: false, changes: "never" }, worker: false });
  assert.deepEqual([asked.length, runs[0].source], [240, undefined]);
  const bound = ((by, job) => job[by]).bind(undefined, "submit");
  await assert.rejects(run(trace, { policies: bound }), { kind: "input", message: /^bound is native or bound, so that it has no text for a worker: .*worker: false$/ });
  assert.equal((await run(trace, { policies: bound, worker: false })).runs[0].finished, 240);
  const mine = new RangeError("mine");
  const policies = () => {
    throw mine;
  };
  const error = await run(trace, { policies, worker: false }).catch((error) => error);
  assert.equal(error.cause, mine);
  // One that never ends is ended with its worker.
  const end = new AbortController();
  const endless = run(trace, { policies: () => { for (;;); }, signal: end.signal });
  await setTimeout(200);
  end.abort();
  await assert.rejects(endless, { name: "AbortError" });
});

test("a plan starts, stops and moves, and keeps what it wants to", async (t) => {
  const trace = await open("sample:lab");
  t.after(() => trace.close());
  const seen = [];
  const plan = (view) => {
    assert.equal(view.jobs.length, view.waiting.length + view.running.length);
    seen.push((view.state.decisions = (view.state.decisions ?? 0) + 1));
    for (const job of view.arrived) {
      assert.ok(view.jobs.includes(job) && job.memo === undefined && job.queue === 0);
      job.memo = { came: view.now };
      view.demote(job, 1);
      assert.equal(job.queue, 1);
    }
    assert.ok(view.free_now() === view.free && view.free <= view.gpus && view.nodes * view.node_size >= view.gpus);
    for (const job of view.waiting) {
      assert.ok(!job.running && job.holds === 0 && job.nodes.length === 0);
      const roomy = Array.from({ length: view.nodes }, (_, node) => node).find((node) => view.is_open(node) && view.free_now(node) >= job.gpus);
      const before = view.free_now();
      if (roomy === undefined ? !view.start(job) : !view.start(job, [[roomy, job.gpus]])) break;
      assert.equal(view.free_now(), before - job.gpus);
    }
    for (const job of view.running) assert.ok(job.running && job.holds === job.gpus && job.nodes.length > 0 && job.memo.came <= view.now);
    const random = view.random();
    assert.ok(random >= 0 && random < 1);
  };
  const [one, two] = (await run(trace, { policies: [{ plan }, { plan }], worker: false })).runs;
  assert.deepEqual([one.log_hash, one.finished, two.label], [two.log_hash, one.jobs, "plan 2"]);
  assert.equal(seen.filter((count) => count === 1).length, 2, "what is kept is a run's own");
  const stops = (view) => {
    for (const job of view.running) if (view.now - job.since >= 600) view.stop(job);
    for (const job of view.waiting) if (!view.start(job)) break;
  };
  assert.ok((await run(trace, { policies: { plan: stops, every: 600 } })).runs[0].restarts > 0);
});

test("a function sees of a job what it sees of all at once", async (t) => {
  const trace = await open("sample:lab");
  t.after(() => trace.close());
  const names = ["id", "gpus", "submit", "tenant", "duration", "attained", "held", "remaining", "rate", "starts", "since", "running", "waited", "name", "tenant_name"];
  const [atOnce, oneByOne] = [new Map(), new Map()];
  const keys = (jobs, now) => {
    for (const name of names) jobs[name].forEach((value, row) => atOnce.set([now, jobs.id[row], name].join(), name === "running" ? value === 1 : value));
    assert.ok(jobs.attained instanceof Float64Array && jobs.name.length === jobs.length);
    return jobs.submit;
  };
  const key = (job, now) => {
    for (const name of names) oneByOne.set([now, job.id, name].join(), job[name]);
    return job.submit;
  };
  await run(trace, { policies: [{ keys, oracle: true }, { key, oracle: true }], worker: false });
  assert.ok(atOnce.size > 1000);
  assert.deepEqual(atOnce, oneByOne);
  const tenants = new Set([...oneByOne].filter(([key]) => key.endsWith(",tenant_name")).map(([, name]) => name));
  assert.deepEqual([...tenants].sort(), trace.facts.tenants.toSorted());
});

/** The script of that name (adaptive.rhai), line by line. */
function adaptive(view) {
  if (!view.round) return;
  for (const job of view.waiting) if (!job.adaptive && !view.start(job)) break;
  const jobs = view.jobs.filter((job) => job.adaptive);
  let left = view.free_now() + jobs.reduce((sum, job) => sum + job.holds, 0);
  const gpus = jobs.map(() => 0);
  while (left > 0) {
    let [best, most] = [-1, 0];
    jobs.forEach((job, at) => {
      if (gpus[at] >= job.max_gpus) return;
      const gain = job.speedup(gpus[at] + 1) - (gpus[at] > 0 ? job.speedup(gpus[at]) : 0);
      if (gain > most) [best, most] = [at, gain];
    });
    if (best < 0) break;
    gpus[best] += 1;
    left -= 1;
  }
  jobs.forEach((job, at) => {
    if (job.running && gpus[at] === 0) view.stop(job);
    if (0 < gpus[at] && gpus[at] <= job.holds) view.train(job, gpus[at]);
  });
  jobs.forEach((job, at) => gpus[at] > job.holds && view.train(job, gpus[at]));
}

test("adaptive jobs are trained as a script trains them", async (t) => {
  const trace = await open("sample:lab");
  t.after(() => trace.close());
  const text = await script(readFileSync(new URL("adaptive.rhai", SCRIPTS), "utf8"));
  const seen = new Map();
  const looking = (view) => {
    adaptive(view);
    for (const job of view.jobs.filter((job) => job.adaptive)) {
      assert.ok(0 <= job.epochs_done && job.epochs_done <= job.epochs && job.best_batch(1) > 0);
      seen.set(job.application, [job.batch, job.goodput(1)]);
    }
  };
  const policies = [text, { name: "mine", plan: adaptive, adaptive: true, every: 60 }];
  const [scripted, own] = (await run(trace, { cluster: "4x8", policies })).runs;
  assert.equal(own.log_hash, scripted.log_hash);
  assert.equal(own.finished, own.jobs);
  const here = await run(trace, { cluster: "4x8", policies: { plan: looking, adaptive: true, every: 60 }, worker: false });
  assert.equal(here.runs[0].log_hash, scripted.log_hash);
  assert.ok(seen.size > 1 && [...seen.values()].every(([batch, goodput]) => batch > 0 && goodput > 0));
  for (const [plan, words, is = true] of [
    [(view) => view.train(view.jobs[0], 0), /0 is no number of GPUs/],
    [(view) => view.train(view.jobs[0], 100_000), /can use \d+ GPUs, not 100000/],
    [(view) => view.train(view.jobs[0], 1, 1 << 30), /cannot train a batch of \d+ samples on 1 GPUs/],
    [(view) => view.train(view.jobs[0], 1, "all"), /TypeError: "all" is not a batch/],
    [(view) => view.jobs[0].speedup(-1), /TypeError: -1 is not a number of GPUs/],
    [(view) => view.train(view.jobs[0], 1), /is a gang with a fixed duration/, false],
    [(view) => view.jobs[0].epochs, /is a gang with a fixed duration: ask job.adaptive first/, false],
  ]) {
    await assert.rejects(run(trace, { policies: { plan, adaptive: is } }), { kind: "run", message: words });
  }
  await assert.rejects(run(trace, { policies: { key: (job) => Number(job.adaptive) } }), /a key is a number and no more/);
  await assert.rejects(run(trace, { policies: { key: (job) => job.gpus, adaptive: true } }), { kind: "input", message: /there is no 'adaptive'/ });
});

test("numbers are drawn as a script draws them", async (t) => {
  const trace = await open("sample:lab");
  t.after(() => trace.close());
  const policies = [await script("fn key(job, now) { random() }"), (job) => job.random(), { keys: (jobs) => jobs.random() }];
  const [scripted, ...own] = (await run(trace, { policies, seed: 5 })).runs.map(({ log_hash }) => log_hash);
  assert.deepEqual(own, [scripted, scripted]);
  assert.notEqual((await run(trace, { policies: policies[1], seed: 6 })).runs[0].log_hash, scripted);
});

for (const [where, worker] of [["in a worker", true], ["on this thread", false]]) {
  test(`a function notes what it goes by, ${where}`, async (t) => {
    const trace = await open("sample:lab");
    t.after(() => trace.close());
    const { columns } = await run(trace, { policies: "fifo" });
    const [name, at, gang] = [columns.job[5], columns.submit_s[5], String(columns.gpus[5])];
    const told = [];
    const policies = [
      "fifo",
      { name: "key", key: (job) => (job.note("its gang", job.gpus), job.note("a long text", "x".repeat(1000)), job.submit), preemptive: false },
      { name: "keys", keys: (jobs) => (jobs.note("its gang", jobs.gpus), jobs.note("twice", Array.from(jobs.gpus, (gpus) => ({ gpus: 2 * gpus }))), jobs.submit) },
      {
        name: "plan",
        plan(view) {
          view.note("waiting", view.waiting.length);
          for (const job of view.jobs) {
            view.note("its gang", job.gpus, job);
            job.note("its name", job.name);
          }
          for (const job of view.arrived) view.demote(job, 3);
          view.walk(view.jobs);
        },
      },
    ];
    const answers = await trace.explain(name, at, { policies, worker, onProgress: ({ run }) => told.push(run) });
    assert.deepEqual(answers.map(({ policy }) => policy), ["fifo", "function:key", "function:keys", "function:plan"]);
    assert.deepEqual(answers[1].verdict, answers[0].verdict);
    const [, key, keys, plan] = answers.map(({ facts }) => Object.fromEntries(facts.map(({ term, value }) => [term, value])));
    assert.deepEqual(key, { "key (least first)": String(at), "its gang": gang, "a long text": "x".repeat(200) });
    assert.deepEqual([keys["its gang"], keys.twice], [gang, `{"gpus":${2 * gang}}`]);
    assert.deepEqual([plan["its gang"], plan["its name"], plan.queue, plan.waiting >= 1], [gang, name, "3", true]);
    assert.deepEqual([...new Set(told)], [0, 1, 2, 3]);
    // Where nobody asks why, nothing of a run is another.
    const { runs } = await run(trace, { policies: policies.slice(0, 2), worker });
    assert.equal(runs[1].log_hash, runs[0].log_hash);
    const short = { policies: { keys: (jobs) => (jobs.note("x", [1]), jobs.submit) }, worker };
    await assert.rejects(run(trace, short), /note\('x', values\) takes a value for each of 24 jobs, and not 1 values/);
  });
}

test("why a job waits is what the command line says", { skip }, async (t) => {
  const trace = await open("sample:lab");
  t.after(() => trace.close());
  const flags = ["--job", "lab-017", "--at", "11h", "--policy", "fifo", "--policy", "las", "--json", "-"];
  const printed = JSON.parse(execFileSync(cli, ["why", "sample:lab", ...flags], { encoding: "utf8" }));
  assert.deepEqual(await trace.explain("lab-017", 11 * 3600, { policies: ["fifo", "las"] }), printed);
  for (const [ask, words] of [
    [() => trace.explain("nobody", 0), /there is no job 'nobody' in the trace|no job 'nobody'/],
    [() => trace.explain("lab-017", -1), /at is -1: it takes seconds since the first submission/],
    [() => trace.explain("lab-017", NaN), /at is NaN/],
    [() => trace.explain(17, 0), /explain takes the name of a job and a moment/],
  ]) {
    await assert.rejects(ask, { kind: "input", message: words });
  }
});

test("jobs arrive at the load that is asked for", async (t) => {
  const trace = await open(HELIOS);
  t.after(() => trace.close());
  const [recorded, quick] = [await run(trace), await run(trace, { load: 2 })];
  assert.deepEqual(Array.from(quick.columns.submit_s), Array.from(recorded.columns.submit_s, (at) => at / 2));
  assert.ok(recorded.columns.submit_s.some((at) => at > 0));
});

test("a trace is the same from a path, an address, bytes, a blob, a text and a response", async (t) => {
  const bytes = readFileSync(HELIOS);
  const hashes = new Set();
  for (const source of [HELIOS, pathToFileURL(HELIOS), bytes, new Uint8Array(bytes).buffer, new Blob([bytes]), bytes.toString(), new Response(bytes)]) {
    const trace = await open(source);
    t.after(() => trace.close());
    assert.equal(trace.facts.format, "helios");
    assert.deepEqual(trace.facts.tenants, ["vc1", "vc2"]);
    assert.equal(trace.facts.report.dropped.length, 2);
    hashes.add((await run(trace, { policies: "fifo" })).runs[0].log_hash);
  }
  assert.equal(hashes.size, 1);
});

test("files that belong together are opened together, and jobs are chosen", async (t) => {
  const trace = await open([fixture("tiresias.csv"), fixture("tiresias_cluster.csv")], { window: "0..1h" });
  t.after(() => trace.close());
  assert.equal(trace.facts.cluster.spec, "30x4");
  assert.deepEqual(trace.facts.choice, ["window=0..3600"]);
  const { cluster } = await run(trace);
  assert.equal(cluster.gpus, 120);
});

test("several runs of a trace at once give what they give alone", async (t) => {
  const trace = await open("sample:lab");
  t.after(() => trace.close());
  const alone = await run(trace, { policies: ["fifo", "srtf"] });
  const together = await Promise.all(["fifo", "srtf"].map((policies) => run(trace, { policies })));
  assert.deepEqual(
    together.map(({ runs: [{ log_hash }] }) => log_hash),
    alone.runs.map(({ log_hash }) => log_hash),
  );
});

test("the module describes policies, settings and samples", { skip }, async () => {
  const told = JSON.parse(execFileSync(cli, ["policies", "--json"], { encoding: "utf8" }));
  assert.deepEqual(await policies(), told);
  assert.ok((await settings()).some(({ key, unit }) => key === "restart_cost" && unit === "s"));
  for (const { name } of await samples()) assert.match(name, /^[a-z-]+$/);
  assert.deepEqual(await metrics(), JSON.parse(readFileSync(new URL("../../core/report/metrics.json", import.meta.url), "utf8")));
});

test("an error of the module says what is wrong, where, and what to do", async (t) => {
  const trace = await open(HELIOS);
  t.after(() => trace.close());
  for (const [ask, words] of [
    [() => open("sample:house"), /no sample 'house': use one of lab, /],
    [() => open(5), /^open takes bytes, .* it was given number$/],
    [() => open([]), /no files/],
    [() => open(new Uint8Array()), /^trace is empty: /],
    [() => open("nowhere.csv"), /^cannot read file:.*nowhere\.csv: /],
    [() => open("id,user\n1,2\n", { name: "mine.csv" }), /^mine\.csv, line 1: no column tells /],
    [() => open("a,b\n1,2\n", { map: { submit: "a", sumbit: "b" } }), /a mapping has no 'sumbit' \(did you mean 'submit'\?\): use id, submit/],
    [() => open(HELIOS, { tenant: "vc1" }), /^open has no option 'tenant' \(did you mean 'tenants'\?\): it takes .*tenants/],
    [() => open(HELIOS, { tenants: ["vc3"] }), /no tenant 'vc3': its tenants are vc1, vc2/],
    [() => open(HELIOS, { max_rows: -1 }), /^max_rows is -1: it takes a whole number/],
    [() => open(fixture("tiresias_cluster.csv")), /^tiresias_cluster\.csv describes a cluster \(30x4\) and no jobs/],
    [() => run(HELIOS), /^run takes a trace: /],
    [() => run(trace, 5), /^options are an object/],
    [() => run(trace, { policies: ["lifo"] }), /no policy 'lifo': use one of fifo/],
    [() => run(trace, { policies: ["fifo", 5] }), /^policies holds 5: it takes/],
    [() => run(trace, { polices: "fifo" }), /^run has no option 'polices' \(did you mean 'policies'\?\): it takes .*policies.*seed/],
    [() => run(trace, { cluster: "many" }), /'many' is not a cluster: write NODESxGPUS/],
    [() => run(trace, { restart_cost: -1 }), /^restart_cost is '-1': it takes a number from 0 to 1000000000/],
    [() => run(trace, { seed: "18446744073709551615" }), /^seed is .*JavaScript holds whole numbers up to/],
    [() => run(trace, { policies: "tiresias-gittins[history=old]" }), /service history 'old'/],
    [() => run(trace, { histories: { old: [1, 0] } }), /^histories: old\[1\] is 0: it takes GPU·s/],
    [() => run(trace, { definitions: [{ name: "x" }] }), /^definitions\[0\]: missing field/],
    [() => run(trace, { weights: new Uint8Array(9) }), /^weights: .*no file of safetensors/],
    [() => run(trace, { load: 0 }), /^load is 0: it takes a number from 0\.01 to 100/],
    [() => run(trace, { load: NaN }), /^load is "NaN": it takes a number/],
    [() => run(trace, { preset: "reference" }), /no preset 'reference'.*: use/],
    [() => run(trace, { seed: () => 1 }), /cannot be copied/],
  ]) {
    await assert.rejects(ask, (error) => {
      assert.ok(error instanceof SwitchyardError, String(error.stack));
      assert.equal(error.kind, "input");
      assert.match(error.message, words);
      return true;
    });
  }
  await assert.rejects(open("a,b\n1,2\n"), ({ table }) => {
    assert.deepEqual([table.columns, table.rows], [["a", "b"], [["1", "2"]]]);
    return true;
  });
  const mapped = await open("a,b,c\n0,60,2\n9,30,1\n", { map: { submit: "a", duration: "b", gpus: "#3", unit: "s" } });
  assert.equal(mapped.facts.jobs, 2);
  // All of that has cost nothing: the trace still runs.
  const { runs } = await run(trace, { policies: "tiresias-gittins[history=old]", histories: { old: [3600, 7200] } });
  assert.equal(runs[0].finished, 3);
  trace.close();
  await assert.rejects(run(trace), /the trace is closed/);
  mapped.close();
});

test("a run that would never end is told of as such", async (t) => {
  const trace = await open("sample:lab");
  t.after(() => trace.close());
  const slices = { policies: "gandiva[quantum=1]", restart_cost: 60 };
  const error = await run(trace, slices).then(() => assert.fail("it ended"), (error) => error);
  assert.equal(error.kind, "run");
  assert.match(error.message, /gandiva/);
});

test("progress is told, and an aborted run rejects with AbortError and leaves the trace as it was", async (t) => {
  const opening = [];
  const bytes = Buffer.concat([
    Buffer.from("job,submit,duration,gpus\n"),
    ...Array.from({ length: 60_000 }, (_, i) => Buffer.from(`job-with-a-long-name-${i},${i * 60},3600,1\n`)),
  ]);
  const trace = await open(bytes, { onProgress: (progress) => opening.push(progress) });
  t.after(() => trace.close());
  assert.ok(opening.length >= 2);
  assert.deepEqual(opening.at(-1), { stage: "open", bytes: bytes.length, total: bytes.length, jobs: opening.at(-1).jobs });
  for (const reason of [undefined, new Error("no more of it")]) {
    const end = new AbortController();
    let told = 0;
    const aborted = run(trace, {
      policies: ["fifo", "srtf", "las"],
      cluster: "8x8",
      signal: end.signal,
      onProgress: ({ stage }) => stage === "run" && (told++, end.abort(reason)),
    });
    await assert.rejects(aborted, (error) => error === reason || error.name === "AbortError");
    assert.equal(told, 1, "nothing is told once it is aborted");
  }
  await assert.rejects(run(trace, { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(open(HELIOS, { signal: AbortSignal.abort() }), { name: "AbortError" });
  const seen = [];
  const { runs } = await run(trace, { policies: ["fifo", "srtf"], cluster: "8x8", onProgress: (of) => seen.push(of) });
  assert.deepEqual(runs.map((run) => run.finished), [60_000, 60_000]);
  const last = seen.at(-1);
  assert.deepEqual([last.stage, last.policy, last.run, last.runs, last.done, last.jobs], ["run", "srtf", 1, 2, 60_000, 60_000]);
});

test("a listener that throws ends the run with its error", async (t) => {
  const trace = await open(HELIOS);
  t.after(() => trace.close());
  const onProgress = () => {
    throw new RangeError("mine");
  };
  await assert.rejects(run(trace, { onProgress }), { name: "RangeError", message: "mine" });
  assert.equal((await run(trace)).runs.length, 2);
});

// ---- as a package ----

test("npm packs it, and from an empty folder it is installed, imported, and lets the program end", (t) => {
  const folder = emptyFolder(t);
  // A folder of its own: nothing of the user's is read or kept.
  const npm = (...what) =>
    execFileSync("npm", [...what, "--cache", join(folder, "cache"), "--offline", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder, encoding: "utf8" });
  const [{ filename, files, version }] = JSON.parse(npm("pack", built, "--json"));
  const names = files.map(({ path }) => path).sort();
  assert.deepEqual(names, [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "THIRD-PARTY.txt",
    "engine.js",
    "engine_bg.wasm",
    "functions.js",
    "package.json",
    "switchyard.d.ts",
    "switchyard.js",
    "work.js",
    "worker.js",
  ]);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  npm("install", `./${filename}`);
  writeFileSync(
    join(folder, "main.js"),
    `import { open, run } from "switchyard-gpu";
     const { runs } = await run(await open("sample:three-jobs"), { policies: "srsf" });
     console.log(runs[0].jct.mean.toFixed(1));`,
  );
  const said = execFileSync(process.execPath, ["main.js"], { cwd: folder, encoding: "utf8", timeout: 60_000 });
  // Tiresias' toy: the paper's average.
  assert.equal(said.trim(), "9.3");
  assert.equal(version, JSON.parse(readFileSync(join(built, "package.json"), "utf8")).version);
  const notices = readFileSync(join(folder, "node_modules/switchyard-gpu/THIRD-PARTY.txt"), "utf8");
  assert.match(notices, /^serde-wasm-bindgen \d.*: MIT/m);
  assert.match(notices, /THE SOFTWARE IS PROVIDED/);
  assert.doesNotMatch(notices, /^yew /m);
});

// ---- in types ----

test("types say what is given and taken, and refuse what is wrong", async (t) => {
  const folder = emptyFolder(t);
  await cp(built, join(folder, "node_modules/switchyard-gpu"), { recursive: true });
  const trace = await open(HELIOS);
  const adaptive = await open("sample:lab");
  t.after(() => [trace, adaptive].forEach((trace) => trace.close()));
  // What is really given, as literals: TypeScript refuses properties too many and too few.
  const given = [];
  const literal = (type, value) => given.push(`export const given${given.length}: ${type} = ${JSON.stringify(value)};`);
  for (const results of [await run(trace), await run(adaptive, { cluster: "8x4:v100", policies: "optimus", servers: 1 })]) {
    literal("Plain", { ...results, columns: undefined, runs: results.runs.map((run) => ({ ...run, columns: undefined, segments: undefined, places: undefined })) });
  }
  const error = await open("a,b\n1,2\n").catch((error) => error);
  literal("TableHead", error.table);
  for (const { facts } of [trace, adaptive]) literal("Facts", facts);
  literal("Policy[]", await policies());
  literal("Setting[]", await settings());
  literal("Sample[]", await samples());
  literal("Metric[]", await metrics());
  const right = `
    import { open, plugin, run, policies, script, SwitchyardError } from "switchyard-gpu";
    import type { Facts, Metric, Policy, Results, RunResult, Sample, Setting, TableHead } from "switchyard-gpu";
    type Plain = Omit<Results, "columns" | "runs"> & { runs: Omit<RunResult, "columns" | "segments" | "places">[] };
    ${given.join("\n")}
    const end = new AbortController();
    const trace = await open(new URL("https://example.org/jobs.csv"), { map: { submit: "a", unit: "s" }, signal: end.signal });
    const { runs, columns } = await run(trace, {
      policies: ["fifo"],
      restart_cost: 30,
      weights: new Uint8Array(),
      onProgress: (progress) => progress.stage === "run" && progress.policy.length,
    });
    export const jct: Float64Array = runs[0]!.columns.jct_s;
    export const gpus: number | undefined = columns.gpus[0];
    export const from: Float64Array = runs[0]!.segments.start_s;
    export const mask: bigint | undefined = runs[0]!.places.mask[0];
    const functions = await run(trace, {
      policies: ["fifo", (job, now) => job.gpus * now, { keys: (jobs, now, { power }) => jobs.attained.map((of) => of ** power), with: { power: 2 } }, { plan(view) { view.walk(view.jobs); } }],
      worker: false,
    });
    export const text: string | undefined = functions.runs[0]!.source;
    const answers = await trace.explain("j1", 60, {
      policies: [{
        plan(view) {
          for (const job of view.jobs) if (job.adaptive && job.speedup(2) > 1.5 && view.random() < 0.5) view.note("trains", view.train(job, 2, job.batch), job);
        },
        adaptive: true,
      }, (job) => (job.note("of", job.tenant_name), job.random()), { keys: (jobs) => (jobs.note("of", jobs.tenant_name), jobs.random()) }],
    });
    export const waits = answers.filter(({ verdict }) => typeof verdict === "object" && "TooFewGpus" in verdict).map(({ facts }) => facts[0]!.value.length);
    export const own: string[] = [await script("fn key(job, now) { 1 }", { name: "mine", oracle: true }), await plugin(new Uint8Array(), { quantum: 60 })];
    export const names: string[] = (await policies()).map((policy) => policy.name);
    export const kind = (error: unknown) => error instanceof SwitchyardError && error.kind === "input";
  `;
  const wrong = [
    "await run('jobs.csv');",
    "await run(trace, { polices: ['fifo'] });",
    "await run(trace, { contention: 'much' });",
    "await run(trace, { policies: (job) => job.weight });",
    "await run(trace, { policies: { key: (job) => 'soon' } });",
    "await run(trace, { policies: { plan: (view) => view.train(view.jobs[0]!) } });",
    "await trace.explain(17, 60);",
    "await open(5);",
    "await script(new Uint8Array());",
    "const job: number[] = (await run(trace)).runs[0]!.segments.job;",
    "(await run(trace)).runs[0]!.jct.avg;",
    "const jct: number[] = (await run(trace)).runs[0]!.columns.jct_s;",
  ];
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  writeFileSync(join(folder, "right.ts"), right);
  const head = 'import { open, run } from "switchyard-gpu"; const trace = await open("sample:lab"); export {};\n';
  writeFileSync(join(folder, "wrong.ts"), head + wrong.join("\n"));
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const check = (file) => {
    const options = { strict: true, noUncheckedIndexedAccess: true, noEmit: true, module: "nodenext", target: "es2022", lib: ["es2022", "dom"], types: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: [file] }));
    return spawnSync(process.execPath, [tsc, "--pretty", "false"], { cwd: folder, encoding: "utf8" });
  };
  const good = check("right.ts");
  assert.equal(good.status, 0, good.stdout);
  const bad = check("wrong.ts");
  const lines = [...bad.stdout.matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line));
  assert.deepEqual([...new Set(lines)], wrong.map((_, at) => at + 2), bad.stdout);
});

// ---- in browsers ----

const { open: visit } = browser([], built);

const PLAIN = '<!doctype html><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,"><output></output>';

/** What a page of plain HTML does: it opens what lies beside it, ends one run, and has another. */
const PAGE_SCRIPT = `
  import { open, run } from "./switchyard.js";
  const trace = await open(await fetch("./jobs.csv"));
  const end = new AbortController();
  const onProgress = () => end.abort();
  const ended = await run(trace, { policies: ["fifo", "srtf"], signal: end.signal, onProgress }).catch((error) => error.name);
  const progress = [];
  const { runs } = await run(trace, { policies: ["fifo", "srtf"], onProgress: (of) => progress.push(of.policy) });
  const wrong = await run(trace, { policies: "lifo" }).catch((error) => [error.name, error.kind]);
  const told = runs.map(({ policy, jct, log_hash }) => ({ policy, mean: jct.mean, log_hash }));
  document.querySelector("output").textContent = JSON.stringify({ told, ended, wrong, progress: progress.filter(Boolean) });
`;

for (const [name, workers, count] of [
  ["in a worker", "worker-src 'self'", 1],
  ["in slices where the policy forbids workers", "worker-src 'none'", 0],
  ["in slices where it takes Trusted Types alone", "worker-src 'self'; require-trusted-types-for 'script'", 0],
]) {
  test(`a page of plain HTML under a strict security policy runs a trace, ${name}`, async (t) => {
    const folder = emptyFolder(t);
    await cp(built, folder, { recursive: true });
    await cp(HELIOS, join(folder, "jobs.csv"));
    writeFileSync(join(folder, "page.js"), PAGE_SCRIPT);
    writeFileSync(join(folder, "index.html"), `${PLAIN}<script type="module" src="page.js"></script>`);
    const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; ${workers}; connect-src 'self'; img-src data:`;
    const server = await serve(folder, "/plain/", { headers: { "content-security-policy": policy } });
    t.after(() => server.close());
    // What is forbidden is told of in the console, by the browser.
    const page = await visit(t, server.url, { tolerated: count ? undefined : /worker|TrustedScriptURL/i });
    const output = page.locator("output").filter({ hasText: "log_hash" });
    await output.waitFor();
    const { told, ended, wrong, progress } = JSON.parse(await output.textContent());
    assert.equal(ended, "AbortError");
    assert.deepEqual(wrong, ["SwitchyardError", "input"]);
    assert.deepEqual([...new Set(progress)], ["fifo", "srtf"]);
    await workersLeft(page, count);
    const trace = await open(HELIOS);
    t.after(() => trace.close());
    const here = await run(trace, { policies: ["fifo", "srtf"] });
    assert.deepEqual(told, here.runs.map(({ policy, jct, log_hash }) => ({ policy, mean: jct.mean, log_hash })));
  });
}

for (const [name, policy, isText] of [
  ["in a worker", "script-src 'self' 'wasm-unsafe-eval' 'unsafe-eval'; worker-src 'self'", true],
  ["on the page's own thread where the policy lets workers make nothing of texts", "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'", false],
]) {
  test(`a page runs a function, ${name}`, async (t) => {
    const folder = emptyFolder(t);
    await cp(built, folder, { recursive: true });
    writeFileSync(
      join(folder, "page.js"),
      `import { open, run } from "./switchyard.js";
       const trace = await open("sample:lab");
       const policies = ["fifo", { name: "mine", key: (job) => job.submit, preemptive: false }];
       const runs = [await run(trace, { policies }), await run(trace, { policies })].flatMap(({ runs }) => runs);
       const wrong = await run(trace, { policies: (job) => job.x.y }).catch(({ message }) => message);
       document.querySelector("output").textContent = JSON.stringify([runs.map(({ log_hash, source }) => [log_hash, source]), wrong]);`,
    );
    writeFileSync(join(folder, "index.html"), `${PLAIN}<script type="module" src="page.js"></script>`);
    const headers = { "content-security-policy": `default-src 'none'; ${policy}; connect-src 'self'; img-src data:` };
    const server = await serve(folder, "/plain/", { headers });
    t.after(() => server.close());
    const page = await visit(t, server.url, { tolerated: isText ? undefined : /unsafe-eval/ });
    const output = page.locator("output").filter({ hasText: "ends at" });
    await output.waitFor();
    const [runs, wrong] = JSON.parse(await output.textContent());
    const source = isText ? "(job) => job.submit" : null;
    assert.deepEqual(runs.map(([hash, source]) => [hash, source ?? null]), [0, 1, 0, 1].map((at) => [runs[0][0], at ? source : null]));
    assert.match(wrong, isText ? /^function ends at 0 s: line 1: job / : /^function ends at 0 s: page\.js:5: job /);
  });
}

test("a notebook imports it from another origin: a worker through a blob, progress, abort and another run", async (t) => {
  const host = await serve(built, "/module/", { headers: { "access-control-allow-origin": "*" } });
  const folder = emptyFolder(t);
  writeFileSync(join(folder, "index.html"), PLAIN);
  const notebook = await serve(folder, "/notebook/");
  t.after(() => Promise.all([host.close(), notebook.close()]));
  assert.notEqual(new URL(host.url).origin, new URL(notebook.url).origin);
  const page = await visit(t, notebook.url, { tolerated: new RegExp(`^foreign request: ${host.url}`) });
  const ask = (cell) => page.evaluate(cell, `${host.url}switchyard.js`);
  const aborted = await ask(async (address) => {
    const { open, run } = await import(address);
    globalThis.trace = await open(new File(["job,submit,duration,gpus\n1,0,60,2\n2,0,30,4\n"], "mine.csv"));
    globalThis.large = await open("sample:fleet");
    const end = new AbortController();
    const done = [];
    const onProgress = (progress) => {
      done.push(progress.done);
      if (done.length === 2) end.abort();
    };
    const error = await run(large, { policies: ["fifo", "pollux"], signal: end.signal, onProgress }).catch((error) => error);
    return { name: error.name, isDom: error instanceof DOMException, done };
  });
  assert.equal(aborted.name, "AbortError");
  assert.ok(aborted.isDom);
  assert.equal(aborted.done.length, 2);
  assert.ok(aborted.done[1] >= aborted.done[0]);
  // The other trace's worker is there; that of the aborted run has been ended.
  await workersLeft(page, 1);
  assert.match(page.workers()[0].url(), /^blob:/);
  const again = await ask(async (address) => {
    const { run } = await import(address);
    const small = await run(trace, { cluster: "1x4", policies: "sjf" });
    const { runs } = await run(large, { policies: "fifo" });
    return { jct: Array.from(small.runs[0].columns.jct_s), typed: small.columns.gpus.constructor.name, finished: runs[0].finished };
  });
  assert.deepEqual(again, { jct: [60, 90], typed: "Uint32Array", finished: 40_000 });
  await page.evaluate(() => [trace, large].forEach((trace) => trace.close()));
  await workersLeft(page, 0);
});

/** Waits until a page has so many workers: it hears a little later that one was ended. */
async function workersLeft(page, count) {
  for (let looks = 0; looks < 200 && page.workers().length !== count; looks++) await setTimeout(50);
  assert.equal(page.workers().length, count);
}
