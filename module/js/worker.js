// The program of the module's workers, in browsers and in Node. Each message is one task: `open`, `run`,
// `explain`, `choices` or `own`; the answers to it are any number of `progress`, then `done` or `failed`. Whoever wants
// a task to end early ends the worker.

import { TraceSession, choices, own, told } from "./work.js";

/** Milliseconds between two messages about progress. */
const SLICE_MS = 50;

const port =
  typeof WorkerGlobalScope === "undefined"
    ? globalThis.process.getBuiltinModule("node:worker_threads").parentPort
    : globalThis;
const session = new TraceSession();
const tell = (progress) => port.postMessage({ progress });
const rest = () => {};

const tasks = {
  open: ({ source, options }) => session.open(source, options, tell, rest),
  run: ({ options, functions }) => session.run(options, functions, tell, rest, SLICE_MS),
  explain: ({ options, functions, asked }) => session.explain(options, functions, asked, tell, rest, SLICE_MS),
  choices,
  own,
};

port.onmessage = async ({ data }) => {
  try {
    const done = await tasks[data.task](data);
    port.postMessage({ done }, buffers(done));
  } catch (error) {
    port.postMessage({ failed: told(error) });
  }
};
port.postMessage({ ready: true });

/** The memory of results' columns, which need not be copied. */
function buffers(results) {
  const columns = [results.columns, ...(results.runs ?? []).flatMap((run) => [run.columns, run.segments, run.places])];
  return columns
    .flatMap((of) => Object.values(of ?? {}))
    .filter(ArrayBuffer.isView)
    .map((column) => column.buffer);
}
