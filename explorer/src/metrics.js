// The numbers of a run (docs/sweeps.md): what they are called, in which unit they stand, and which way is better.

import { wordsOf } from "./spec.js";

const LESS = -1;
const MORE = 1;

const jct = "Job completion time: finish − submission";
const queueing = "Queueing: what of its completion time a job was not on GPUs";
const rho = "Finish-time fairness ρ: completion time ÷ that with an equal share of the cluster; below 1 is better than that";

const metric = (key, title, unit, better, about) => ({ key, title, unit, better, about });
const statistics = (key, title, about) =>
  [
    ["mean", "mean", "mean over finished jobs"],
    ["median", "median", "median over finished jobs"],
    ["p90", "p90", "90th percentile"],
    ["p95", "p95", "95th percentile"],
    ["p99", "p99", "99th percentile"],
    ["max", "greatest", "of the job that fared worst"],
  ].map(([of, name, words]) => metric(`${key}_${of}`, `${name} ${title}`, "time", LESS, `${about}; ${words}.`));

export const METRICS = [
  ...statistics("jct", "JCT", jct),
  metric("makespan", "makespan", "time", LESS, "From the first submission to the last finish."),
  ...statistics("queueing", "queueing", queueing),
  metric("longest_wait", "longest wait", "time", LESS, "The longest single wait of any job: starvation."),
  metric("rho_mean", "mean ρ", "", LESS, `${rho}; mean over finished jobs.`),
  metric("rho_p99", "p99 ρ", "", LESS, `${rho}; 99th percentile.`),
  metric("rho_max", "greatest ρ", "", LESS, `${rho}; of the job that fared worst.`),
  metric("jain", "Jain’s index", "", MORE, "How alike jobs’ speeds were, each beside its equal share: 1 when all are, 1 ∕ n when one has everything."),
  metric("gpu_allocation", "GPU allocation", "share", MORE, "Mean share of GPUs that jobs held, from the first submission to the last finish."),
  metric("restarts", "restarts", "", LESS, "Starts of a job after its first: resumes and moves."),
  metric("node_hours", "node-hours", "h", LESS, "Nodes rented × hours: what the run cost."),
  metric("mean_nodes", "mean nodes", "", LESS, "Nodes rented, on the mean of the run."),
  metric("finished", "finished jobs", "", MORE, "Jobs that ran to their end."),
  metric("rejected", "rejected jobs", "", LESS, "Jobs that want more GPUs than the cluster has."),
  metric("node_failures", "node failures", "", LESS, "How often a node failed."),
  metric("evictions", "evictions", "", LESS, "How often a job lost its GPUs to a failing node."),
  metric("failed_attempts", "failed attempts", "", LESS, "Attempts of jobs that ended in failure."),
  metric("failed_jobs", "failed jobs", "", LESS, "Jobs whose last attempt failed."),
  metric("cancelled_jobs", "cancelled jobs", "", LESS, "Jobs that somebody has cancelled."),
  metric("executed_gpu_hours", "executed GPU-hours", "h", LESS, "GPU-hours that jobs held, whatever came of them."),
  metric("lost_gpu_hours", "lost GPU-hours", "h", LESS, "GPU-hours of work done again after failures."),
  metric("checkpoint_gpu_hours", "checkpoint GPU-hours", "h", LESS, "GPU-hours spent on writing checkpoints."),
  metric("restore_gpu_hours", "restore GPU-hours", "h", LESS, "GPU-hours spent on reading checkpoints."),
  metric("availability", "availability", "share", MORE, "Share of node time in which nodes were up."),
];

/** Those that a table has something of, besides zeros, in words for what it counts. */
export const metricsOf = (table) => {
  const words = wordsOf(table);
  const some = ({ key }) => table.columns.get(key)?.some((value) => Number.isFinite(value) && value !== 0);
  return METRICS.filter(some).map((metric) => ({ ...metric, title: words(metric.title), about: words(metric.about) }));
};

const UNITS = [
  [2 * 86_400, 86_400, "d"],
  [2 * 3600, 3600, "h"],
  [120, 60, "min"],
  [0, 1, "s"],
];

/** The unit in which values of a metric are shown together: by what they are divided, and its name. */
export const unitFor = ({ unit }, values) => {
  if (unit === "share") return { by: 0.01, name: "%" };
  if (unit !== "time") return { by: 1, name: unit };
  const most = values.reduce((most, value) => (value > most ? value : most), 0);
  const [, by, name] = UNITS.find(([from]) => most >= from);
  return { by, name };
};

const short = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

/** A number to three figures, as the page writes them (web/src/draw/format.rs). */
export const significant = (value) => {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  const sign = value < 0 ? "−" : "";
  if (size < 1e-3 || size >= 1e7) {
    const power = Math.floor(Math.log10(size));
    return `${sign}${(size / 10 ** power).toFixed(2)}e${power}`.replace("e-", "e−");
  }
  if (size >= 99.95) return sign + Math.round(size).toLocaleString("en");
  if (size >= 9.995) return sign + short(size.toFixed(1));
  if (size >= 1) return sign + short(size.toFixed(2));
  return sign + short(size.toFixed(2 - Math.floor(Math.log10(size))));
};

/** A value of a metric on its own, with its unit. */
export const inWords = (metric, value) => {
  if (!Number.isFinite(value)) return "–";
  const { by, name } = unitFor(metric, [value]);
  return `${significant(value / by)}${name && ` ${name}`}`;
};
