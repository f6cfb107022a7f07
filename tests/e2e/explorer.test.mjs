// The explorer of sweeps without a browser: what it reads, what it refuses, and the numbers behind its charts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import TABLE from "../../core/report/metrics.json" with { type: "json" };
import { cellsOf, front, spread, student, worths } from "../../web/explorer/src/aggregate.js";
import { dimensionsOf, firstLook, without } from "../../web/explorer/src/dimensions.js";
import { METRICS, inWords, metricsOf, significant, titleIn, unitFor } from "../../web/explorer/src/metrics.js";
import { MOST_RUNS, read } from "../../web/explorer/src/read.js";
import { gpusOf, policyBut, policyOf, settingsOf, shortPolicy } from "../../web/explorer/src/spec.js";

const TEXTS = "trace trace_hash cluster scheduler policy settings key failure error log_hash link".split(" ");
const FIGURES = ["jobs", "finished", "jct_mean", "jct_p99", "makespan"];
const HEAD = ["point", ...TEXTS, "load", "seed", ...FIGURES];

/** As core/report/src/sweep.rs writes cells, and core/model/src/spreadsheet.rs guards them. */
const cell = (value) => {
  let text = String(value);
  const isNumber = text.trim() !== "" && Number.isFinite(Number(text));
  if (typeof value === "string" && !isNumber && /^'*[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[,"\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const row = (values) => HEAD.map((column) => cell(values[column] ?? "")).join(",");
const csv = (rows, name = "results.csv") => new File([[HEAD.join(","), ...rows.map(row)].join("\n") + "\n"], name);

const run = (values) => {
  const scheduler = policyOf(values.policy ?? "fifo").name;
  return { trace: "lab", cluster: "4x4", scheduler, policy: "fifo", load: 1, seed: 1, jobs: 240, finished: 240, jct_mean: 10, jct_p99: 20, makespan: 30, ...values };
};

/** Draws that are the same each time. */
const drawn = (seed) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};

test("whatever a sweep writes as CSV is read back", async () => {
  const draw = drawn(7);
  const letters = [..."ab ,\"'\n\r\t=+-@;é[]0"];
  const text = () => Array.from({ length: Math.floor(draw() * 7) }, () => letters[Math.floor(draw() * letters.length)]).join("");
  for (let round = 0; round < 200; round += 1) {
    const rows = Array.from({ length: 1 + Math.floor(draw() * 4) }, (_, seed) =>
      run({ trace: text(), cluster: text(), policy: text(), settings: text(), failure: "run", error: text(), seed, load: draw(), jct_mean: draw() * 1e9 }),
    );
    const { columns, count, notes } = await read([csv(rows)]);
    assert.deepEqual([count, notes], [rows.length, []]);
    for (const column of ["trace", "cluster", "policy", "settings", "error", "load", "seed", "jct_mean"]) {
      assert.deepEqual(columns.get(column), rows.map((row) => row[column]), column);
    }
  }
});

test("figures are in GPUs or cores as the runs of a table count", async () => {
  const titles = async (...links) => {
    const rows = links.map((link, seed) => run({ link, seed, cluster: `${seed + 2}x4`, gpu_allocation: 0.5 }));
    const head = [...HEAD, "gpu_allocation"];
    const lines = [head, ...rows.map((values) => head.map((column) => cell(values[column] ?? "")))];
    const table = await read([new File([`${lines.join("\n")}\n`], "results.csv")]);
    const gpus = dimensionsOf(table).find(({ key }) => key === "gpus");
    const allocation = metricsOf(table).find(({ key }) => key === "gpu_allocation");
    return [gpus.title, allocation.title, allocation.about];
  };
  const ofGpus = ["GPUs of the cluster", "GPU allocation", "The share of the cluster's GPUs that jobs held, on average over the makespan. Held is not the same as used well. Σ GPUs × time held ∕ (GPUs of the cluster × makespan)."];
  const ofCores = ["cores of the cluster", "core allocation", ofGpus[2].replaceAll("GPUs", "cores")];
  assert.deepEqual(await titles("sample=lab&cluster=2x4", ""), ofGpus);
  assert.deepEqual(await titles("file=a.csv&unit=cores&cluster=2x4", "unit=cores"), ofCores);
  assert.deepEqual((await titles("sample=lab", "file=a.csv&unit=cores"))[0], "GPUs or cores of the cluster");
});

const refused = async (file) => {
  try {
    await read([file]);
  } catch (error) {
    return error.message;
  }
  return assert.fail(`${file.name} was read`);
};

test("a file that is no sweep table is refused, with what is wrong and what to do", async () => {
  const text = (text, name = "a.csv") => refused(new File([text], name));
  assert.equal(await text(""), "a.csv is empty.");
  assert.equal(await text("\n\n"), "a.csv is empty.");
  assert.match(await text("job_id,submit_time\n1,2\n"), /^a\.csv is not the table of a sweep: it has no columns trace, cluster, .* \(its columns: job_id, submit_time\)\. Open results\.parquet .*; a job trace is opened by Open a trace\.$/);
  assert.match(await text("trace,cluster,scheduler,policy,load\nx,4x4,fifo,fifo,1\n"), /it has no column seed \(/);
  assert.match(await text("trace,cluster,scheduler,policy,load,seed\nx,4x4,fifo,fifo,1,1\n"), /has no number of its runs, such as jct_mean/);
  assert.match(await refused(csv([])), /has no runs: its header stands alone/);
  assert.match(await text(`${HEAD.join(",")}\na,b\n${row(run({}))}\n`), /its line 2 has 2 cells, and its header 19\. Copy it again/);
  assert.match(await text(`${HEAD.join(",")}\n0,lab,h,4x`), /cut off in its first run/);
  const trace = readFileSync(new URL("../fixtures/jobs.parquet", import.meta.url));
  assert.match(await refused(new File([trace], "jobs.parquet")), /^jobs\.parquet is not the table of a sweep: .* \(its columns: job_id, .* a job trace is opened by Open a trace\.$/);
  assert.match(await text("PAR1 and no more", "r.parquet"), /^r\.parquet is cut off, .* keeps the runs that are there\.$/);
});

test("columns are read by former names of metrics, too, and metrics come from the engine's table", async () => {
  const text = await csv([run({ jct_mean: 12 })]).text();
  for (const name of ["mean_jct", "jct-mean", "jct.mean"]) {
    const { columns } = await read([new File([text.replace("jct_mean", name)], "a.csv")]);
    assert.deepEqual(columns.get("jct_mean"), [12], name);
  }
  const [jct] = METRICS;
  assert.deepEqual([jct.key, jct.title, jct.unit, jct.better], ["jct_mean", "mean JCT", "time", -1]);
  const columns = TABLE.filter(({ column, id }) => column && id !== "jobs").map(({ id }) => id);
  assert.deepEqual(METRICS.map(({ key }) => key).sort(), columns.sort(), "no group of metrics is left out");
});

test("a table that is cut off in its last line shows what stands before", async () => {
  const whole = await csv([run({}), run({ seed: 2 }), run({ seed: 3 })]).text();
  const { count, notes } = await read([new File([whole.slice(0, -30)], "results.csv")]);
  assert.equal(count, 2);
  assert.match(notes[0], /cut off in its line 4, its last/);
});

test("of a million runs some are drawn, evenly, and it is said", async () => {
  const line = row(run({ policy: "fifo" })).replace(/,1,240,240,10,20,30$/, "");
  const lines = Array.from({ length: 1_000_000 }, (_, at) => `${line},${at % 10},240,240,${at % 7},20,30`);
  const { count, all, notes, columns } = await read([new File([`${HEAD.join(",")}\n`, lines.join("\n")], "results.csv")]);
  assert.equal(all, 1_000_000);
  assert.ok(Math.abs(count / MOST_RUNS - 1) < 0.02, `${count}`);
  assert.equal(notes[0], `Of 1,000,000 runs, ${count.toLocaleString("en")} are shown, drawn at random: that is as many as the page takes.`);
  // Neighbours in the table, which differ by their seeds, are drawn alike.
  for (let seed = 0; seed < 10; seed += 1) {
    const of = columns.get("seed").filter((value) => value === seed).length;
    assert.ok(Math.abs((of * 10) / count - 1) < 0.05, `${seed}: ${of}`);
  }
});

test("reading is given up when that is wished, however large the file is, and pieces are one table", async () => {
  const rows = Array.from({ length: 30_000 }, (_, seed) => run({ seed, link: `v=1&sample=lab&seed=${seed}&note=${"x".repeat(60)}` }));
  const large = csv(rows);
  assert.ok(large.size > 4e6, "of several pieces");
  const whole = await read([large]);
  assert.deepEqual([whole.count, whole.columns.get("seed").at(-1), new Set(whole.columns.get("seed")).size], [30_000, 29_999, 30_000]);
  // After the first piece other things have their turn.
  const giving = new AbortController();
  setTimeout(() => giving.abort(new Error("given up")));
  await assert.rejects(read([large], giving.signal), /given up/);
  await assert.rejects(read([csv([run({})])], AbortSignal.abort(new Error("at once"))), /at once/);
});

test("several tables are one", async () => {
  const { name, count, columns } = await read([csv([run({})], "a.csv"), csv([run({ trace: "other" })], "b.csv")]);
  assert.deepEqual([name, count, columns.get("trace")], ["a.csv + b.csv", 2, ["lab", "other"]]);
});

test("parameters, settings and clusters are taken apart", () => {
  assert.deepEqual([...policyOf("tiresias-las[queues=2,thresholds=3250:7200] if 7:1h..").params], [["queues", "2"], ["thresholds", "3250:7200"]]);
  assert.deepEqual(policyOf("fifo"), { name: "fifo", params: new Map(), rest: "" });
  assert.equal(policyOf("fifo if 7:3600..").rest, "if 7:3600..");
  assert.equal(policyBut("tiresias-las[queues=2,threshold=5]", "queues"), "tiresias-las[threshold=5]");
  assert.equal(shortPolicy(`script[name=Mine,code=${"x".repeat(900)}] if 7:1h..`), "script[name=Mine] if 7:1h..");
  assert.equal(shortPolicy("plugin[code=AAAA]"), "plugin");
  assert.deepEqual([...settingsOf("noise=0.2 restart_cost=30")], [["noise", "0.2"], ["restart_cost", "30"]]);
  const tree = "lab;a,parent=lab,gpus=8";
  assert.deepEqual([...settingsOf(`queues=${tree} queues.a.gpus/borrow=4`)], [["queues", tree], ["queues.a.gpus/borrow", "4"]]);
  assert.deepEqual(["16x4", "4x8:v100+8x4:k80", "16x8/4", "all"].map(gpusOf), [64, 64, 128, null]);
});

const tableOf = async (rows) => read([csv(rows)]);

test("scripts and plug-ins are called without their code, each by another name", async () => {
  const codes = ["AAAA", "AAAB"];
  const policies = codes.flatMap((code) => [`plugin[code=${code},quantum=60]`, `plugin[code=${code},quantum=90]`]);
  const table = await tableOf(policies.map((policy) => run({ policy })));
  const shown = ({ values, label }) => values.map((value) => label(value));
  const found = Object.fromEntries(dimensionsOf(table).map((dimension) => [dimension.key, shown(dimension)]));
  assert.deepEqual(found.policy, ["plugin[quantum=60]", "plugin[quantum=90]", "plugin[quantum=60] #2", "plugin[quantum=90] #2"]);
  assert.deepEqual(found["param:code"], ["code", "code #2"]);
  assert.deepEqual(found["param:quantum"], ["60", "90"]);
  // Lines over a parameter are one for each plug-in.
  assert.deepEqual(shown(without(table.columns.get("policy"), "quantum")), ["plugin", "plugin #2"]);
});

test("the explorer finds what varies in a table and shows it first", async () => {
  const rows = [];
  for (const policy of ["fifo", "tiresias-las", "tiresias-las[threshold=57600]"]) {
    for (const load of [0.5, 1, 1.5]) for (const seed of [1, 2]) rows.push(run({ policy, load, seed, settings: "restart_cost=30" }));
  }
  const found = dimensionsOf(await tableOf(rows));
  assert.deepEqual(found.map(({ key }) => key), ["load", "param:threshold", "policy", "scheduler", "seed"]);
  const threshold = found.find(({ param }) => param);
  // What a policy does not say is at its default; others have none.
  assert.deepEqual([threshold.values, threshold.at[0], threshold.at[6]], [["default", "57600"], -1, 0]);
  assert.deepEqual(firstLook(found), { x: "load", series: "policy", facet: "" });
  const over = without((await tableOf(rows)).columns.get("policy"), "threshold");
  assert.deepEqual(over.values, ["fifo", "tiresias-las"]);
  const twoTraces = dimensionsOf(await tableOf([run({}), run({ trace: "b" })]));
  assert.deepEqual(twoTraces.map(({ key }) => key), ["trace"]);
});

test("the interval is Student’s", () => {
  // Tables of t at 97.5 %.
  for (const [n, t] of [[2, 12.7062], [3, 4.3027], [4, 3.1824], [5, 2.7764], [6, 2.5706], [10, 2.2622], [20, 2.093], [31, 2.0423], [121, 1.9799], [1e6, 1.96]]) {
    assert.ok(Math.abs(student(n) - t) < 2e-4, `${n}: ${student(n)} for ${t}`);
  }
  const { mean, low, high } = spread([1, 2, 3, 4]);
  assert.equal(mean, 2.5);
  assert.ok(Math.abs(high - 2.5 - 3.1824 * Math.sqrt(5 / 3 / 4)) < 1e-3 && Math.abs(low + high - 5) < 1e-12);
  assert.ok(Number.isNaN(spread([7]).low), "one run has none");
});

test("cells hold the runs that agree; failed ones are in no mean, and what mixes others has no interval", async () => {
  const rows = [
    run({ seed: 1, jct_mean: 10 }),
    run({ seed: 2, jct_mean: 20 }),
    run({ seed: 3, jct_mean: "", jct_p99: "", makespan: "", failure: "run", error: "it does not end" }),
    run({ seed: 1, load: 2, jct_mean: 100 }),
  ];
  const table = await tableOf(rows);
  const dimensions = dimensionsOf(table);
  const load = dimensions.find(({ key }) => key === "load");
  const measure = worths(table, dimensions, METRICS[0], null);
  const cells = cellsOf(table, [0, 1, 2, 3], [null, null, load], [measure], dimensions);
  assert.deepEqual(cells.map(({ rows, failed, stats }) => [rows.length, failed.length, stats[0].n, stats[0].mean]), [[3, 1, 2, 15], [1, 0, 1, 100]]);
  assert.ok(Number.isFinite(cells[0].stats[0].low) && Number.isNaN(cells[1].stats[0].low));
  const [mixed] = cellsOf(table, [0, 1, 2, 3], [null, null, null], [measure], dimensions);
  assert.deepEqual(mixed.mixes.map(({ key }) => key), ["load"]);
  assert.ok(Number.isNaN(mixed.stats[0].low));
});

test("relative to a baseline each run is paired with the one of its seed", async () => {
  const rows = [1, 2].flatMap((seed) => [run({ seed, jct_mean: 10 * seed }), run({ seed, policy: "srtf", jct_mean: 5 * seed })]);
  const table = await tableOf([...rows, run({ seed: 3, policy: "srtf", jct_mean: 1 })]);
  const dimensions = dimensionsOf(table);
  const by = dimensions.find(({ key }) => key === "policy");
  const relative = { by, value: by.values.indexOf("fifo") };
  assert.deepEqual(worths(table, dimensions, METRICS[0], relative), [1, 0.5, 1, 0.5, NaN]);
});

test("a run that leaves jobs behind is told apart, and nothing is compared with it", async () => {
  const rows = [
    run({ jct_mean: 10 }),
    run({ policy: "mine", finished: 149, jct_mean: 1, makespan: "" }),
    run({ seed: 2, finished: 239, jct_mean: 10 }),
    run({ seed: 2, policy: "srtf", jct_mean: 5 }),
  ];
  const table = await tableOf(rows);
  const dimensions = dimensionsOf(table);
  const by = dimensions.find(({ key }) => key === "policy");
  const measure = worths(table, dimensions, METRICS[0], null);
  const cells = cellsOf(table, [0, 1, 2, 3], [null, by, null], [measure], dimensions);
  assert.deepEqual(cells.map(({ leaving }) => leaving), [[2], [1], []]);
  const relative = { by, value: by.values.indexOf("fifo") };
  assert.deepEqual(worths(table, dimensions, METRICS[0], relative), [1, NaN, NaN, NaN]);
});

test("the front holds the runs that no other beats", () => {
  assert.deepEqual(front([[1, 9], [2, 2], [3, 3], [9, 1], [2, 2], [NaN, 0]], [-1, -1]), [true, true, false, true, true, false]);
  assert.deepEqual(front([[1, 9], [2, 2]], [-1, 1]), [true, false]);
});

test("numbers stand in the unit that suits them", () => {
  const [jct] = METRICS;
  const named = (id) => METRICS.find(({ key }) => key === id);
  assert.equal(inWords(named("executed_gpu_hours"), 1204), "1,204 GPU-hours");
  assert.equal(titleIn(named("executed_gpu_hours"), unitFor(named("executed_gpu_hours"), [])), "GPU-hours held");
  assert.equal(titleIn(named("node_hours"), unitFor(named("node_hours"), [])), "cost, node-hours");
  assert.deepEqual(unitFor(jct, [10, 3e5]), { by: 86_400, name: "d" });
  assert.equal(inWords(jct, 93), "93 s");
  assert.equal(inWords(jct, 44_640), "12.4 h");
  assert.equal(inWords(jct, NaN), "–");
  // As Rust writes them.
  const { durations, numbers } = JSON.parse(readFileSync(new URL("../../core/app/tests/format.json", import.meta.url), "utf8"));
  for (const [seconds, text] of durations) assert.equal(inWords(jct, seconds), text);
  for (const [number, text] of numbers) assert.equal(significant(number), text);
});
