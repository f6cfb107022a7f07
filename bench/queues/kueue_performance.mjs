// Kueue's own performance scenario (`test/performance/scheduler/configs/baseline` of kubernetes-sigs/kueue): 5 cohorts of
// 6 queues, and 500 workloads of three classes in each, 15,000 in all. A unit of quota is a GPU; there are as many as quotas.
//
// `node bench/queues/kueue_performance.mjs FILE.csv` writes it as an experiment; `switchyard run FILE.csv --by queue` runs it.

import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** By class: how many a queue gets, GPUs, seconds that one runs, seconds between two, and their priority. */
const CLASSES = [
  { name: "small", count: 350, gpus: 1, runs: 0.2, every: 0.1, priority: 50 },
  { name: "medium", count: 100, gpus: 5, runs: 0.5, every: 0.5, priority: 100 },
  { name: "large", count: 50, gpus: 20, runs: 1, every: 1.2, priority: 200 },
];

const numbers = (count) => Array.from({ length: count }, (_, at) => at);
const queues = numbers(5).flatMap((cohort) => numbers(6).map((queue) => ({ cohort: `cohort${cohort}`, name: `c${cohort}q${queue}` })));

/** The tree in one line. */
const tree = [...new Set(queues.map(({ cohort }) => cohort)), ...queues.map(({ cohort, name }) => `${name},parent=${cohort},gpus=20,borrow=100,reclaims=any,within=lower-priority`)].join(";");

/** The experiment, in Switchyard's format. */
export function experiment() {
  const jobs = queues.flatMap(({ name }) =>
    CLASSES.flatMap((of) => numbers(of.count).map((at) => ({ submit: at * of.every, rest: `${of.runs},${of.gpus},${name},${of.priority}`, job: `${name}-${of.name}-${at}` }))),
  );
  jobs.sort((a, b) => a.submit - b.submit);
  const rows = jobs.map(({ job, submit, rest }) => `${job},${submit.toFixed(1)},${rest}`);
  return `#switchyard 1\n#cluster 30x20\n#policy kueue\n#queues ${tree}\njob,submit,duration,gpus,tenant,priority\n${rows.join("\n")}\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) writeFileSync(process.argv[2], experiment());
