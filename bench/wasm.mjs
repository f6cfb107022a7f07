// The same runs natively and in Node's wasm, in turn, in one go: `cargo xtask bench` builds both
// and calls this. Arguments: the native program, the folder of the wasm module, and optionally a
// trace. Prints seconds (median of 5) and the ratio wasm ÷ native.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createRequire } from "node:module";

const [native, folder, trace] = process.argv.slice(2);
const { Bench, Placer } = createRequire(import.meta.url)(join(folder, "switchyard_bench_wasm.js"));
const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const EIGHT_LINES = Bench.script(read("src/eight_lines.rhai"));
const PLUGIN = /^las (.*)$/m.exec(read("../tests/golden/plugins.txt"))[1];
const LAS = Bench.script(read("../core/policies/src/script/examples/las.rhai"));
const POLICIES = ["fifo", "fewest-gpus", "srsf", "las", "tiresias-las", EIGHT_LINES];
const CLUSTER = "144x8";
const RUNS = 5;
// Of the sample a tenth: under the eight lines all of it takes minutes.
const SHARE = trace ? 1 : 0.1;

function seconds(work) {
  const begin = performance.now();
  work();
  return (performance.now() - begin) / 1000;
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

const bytes = trace && readFileSync(trace);
const load = () => (trace ? Bench.open(basename(trace), bytes) : Bench.sample("fleet", SHARE));
const bench = load();
if (trace) {
  const opening = median(Array.from({ length: RUNS }, () => seconds(() => load().free())));
  console.log(`opening in wasm: ${opening.toFixed(3)} s, ${(bytes.length / 1e6 / opening).toFixed(0)} MB/s`);
}
console.log(`${"policy".padEnd(16)}${"native s".padStart(10)}${"wasm s".padStart(10)}${"ratio".padStart(8)}`);
for (const policy of POLICIES) {
  const options = ["engine", "--cluster", CLUSTER, "--policy", policy, "--multiple", `${SHARE}`, "--runs", `${RUNS}`, "--json"];
  const report = JSON.parse(execFileSync(native, trace ? [...options, "--trace", trace] : options));
  const there = report.growth[0].seconds;
  bench.run(policy, CLUSTER);
  const here = median(Array.from({ length: RUNS }, () => seconds(() => bench.run(policy, CLUSTER))));
  const cells = [there.toFixed(3).padStart(10), here.toFixed(3).padStart(10), (here / there).toFixed(2).padStart(8)];
  console.log((policy === EIGHT_LINES ? "eight lines" : policy).padEnd(16) + cells.join(""));
}
console.log("\ndecisions per second in wasm, with so many jobs waiting");
for (const waiting of [50, 500]) {
  const crowd = Bench.crowd(waiting);
  for (const [name, policy] of [["las", "las"], ["las, a script", LAS], ["las, a plug-in", PLUGIN], ["eight lines", EIGHT_LINES]]) {
    let decisions = 0;
    const run = () => (decisions = crowd.decide(policy));
    run();
    const here = median(Array.from({ length: RUNS }, () => seconds(run)));
    console.log(`${name.padEnd(16)}${String(waiting).padStart(6)}${(decisions / here).toFixed(0).padStart(12)}`);
  }
}
console.log("\ndecisions per second of the placer that learned, by servers");
console.log(`${"servers".padEnd(16)}${"native".padStart(10)}${"wasm".padStart(10)}${"ratio".padStart(8)}`);
for (const { servers, decisions_per_second: there } of JSON.parse(execFileSync(native, ["placer", "--json"]))) {
  const placer = Placer.of(servers);
  // Some half a second each, once to get warm.
  const times = Math.ceil(there / 2);
  placer.decide(times);
  const here = times / median(Array.from({ length: RUNS }, () => seconds(() => placer.decide(times))));
  const cells = [there.toFixed(0).padStart(10), here.toFixed(0).padStart(10), (there / here).toFixed(2).padStart(8)];
  console.log(`${servers}`.padEnd(16) + cells.join(""));
}
