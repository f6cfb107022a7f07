// Switchyard for code: opens a job trace of a GPU cluster and runs schedulers on it.
//
//     import { open, run, policies } from "./switchyard.js";
//     const trace = await open("https://example.org/jobs.csv");
//     const { runs } = await run(trace, { cluster: "16x4", policies: ["fifo", "srtf"] });
//     console.log(runs.map((run) => [run.policy, run.jct.mean]));
//
// The work is done in workers, so that a page stays alive, and ending one ends its work at once. A trace
// keeps its files, and at most one idle worker (and one like it here) that holds it opened: a run without one opens it again.
// Where workers cannot be had (a security policy that forbids them), the work is done here, in slices. So it is where
// policies are functions that no worker may make from their texts.
// switchyard.d.ts says what everything takes and gives.

import { FORBIDDEN, asText, functionsApart } from "./functions.js";
import { TraceSession, choices, own, told } from "./work.js";

/** Milliseconds that the page waits for its turn, where the work is done on its own thread. */
const SLICE_MS = 12;

/** Something asked for is wrong (`input`), a run has failed (`run`), or the engine itself (`engine`). */
export class SwitchyardError extends Error {
  constructor({ kind, message, table }, cause) {
    super(message, cause && { cause });
    this.name = "SwitchyardError";
    this.kind = kind;
    if (table) this.table = table;
  }
}

const refuse = (message, cause) => new SwitchyardError({ kind: "input", message }, cause);

/** What is asked, or what is wrong with it. */
function checked(ask) {
  try {
    return ask();
  } catch (error) {
    throw new SwitchyardError(told(error), error);
  }
}

/** Options, taken apart: who watches, and what the engine is to be told. */
function apart(options = {}) {
  if (typeof options !== "object" || options === null) {
    throw refuse(`options are an object, such as { cluster: "16x4" }, and not ${options}`);
  }
  const { signal, onProgress, ...rest } = options;
  signal?.throwIfAborted();
  return [{ signal, onProgress }, rest];
}

/** Opens a trace. */
export async function open(source, all) {
  const [watch, { name, ...options }] = apart(all);
  const read = await readable(source, name, watch.signal);
  const [hand, facts] = await opened(read, options, watch);
  return new Trace(read, options, hand, facts);
}

/** Runs schedulers on a trace. */
export async function run(trace, options) {
  if (!(trace instanceof Trace)) {
    throw refuse("run takes a trace: run(await open(source), { policies: [\"fifo\"] })");
  }
  return trace.run(options);
}

/** A trace that was opened. */
class Trace {
  #source;
  #options;
  // Apart from the trace, so that its worker can be ended once nobody has it any more.
  #held;

  constructor(source, options, hand, facts) {
    this.#source = source;
    this.#options = options;
    this.#held = { idle: [hand], closed: false };
    this.facts = facts;
    forgotten.register(this, this.#held, this.#held);
  }

  async run(all) {
    return this.#have({ task: "run" }, all);
  }

  async explain(job, at, all) {
    if (typeof job !== "string" || typeof at !== "number") {
      throw refuse("explain takes the name of a job and a moment, seconds since the first submission: explain(\"j17\", 3600)");
    }
    return this.#have({ task: "explain", asked: { job, at } }, all);
  }

  /** Has a task done that runs policies. */
  async #have(task, all) {
    const [watch, { worker = true, ...given }] = apart(all);
    const { options, functions } = checked(() => functionsApart(given));
    const isHere = !worker || (functions.length > 0 && areTextsForbidden);
    try {
      return await this.#ask({ ...task, options }, functions, watch, isHere);
    } catch (error) {
      if (error.kind !== FORBIDDEN) throw error;
      areTextsForbidden = true;
      return this.#ask({ ...task, options }, functions, watch, true);
    }
  }

  async #ask(task, functions, watch, isHere) {
    const held = this.#held;
    if (held.closed) throw refuse("the trace is closed: open it again");
    const idle = held.idle.findIndex((hand) => hand.isHere === (isHere || ways.length === 0));
    let [hand] = idle < 0 ? [] : held.idle.splice(idle, 1);
    if (!hand) [hand] = await opened(this.#source, this.#options, watch, isHere);
    try {
      const sent = hand.isHere ? functions : checked(() => functions.map((of) => of && asText(of)));
      return await hand.ask({ ...task, functions: sent }, watch);
    } finally {
      if (hand.ended || held.closed || held.idle.some((other) => other.isHere === hand.isHere)) hand.end();
      else held.idle.push(hand);
    }
  }

  close() {
    this.#held.closed = true;
    end(this.#held);
    forgotten.unregister(this.#held);
  }
}

/** Whether workers make no functions of texts here. */
let areTextsForbidden = false;

/** Ends those that wait for the next run of a trace. */
function end(held) {
  for (const hand of held.idle.splice(0)) hand.end();
}

const forgotten = new FinalizationRegistry(end);

/** A trace opened once more, at hand to be run; on this thread, if it has to be. */
async function opened(source, options, watch, isHere = false) {
  const hand = isHere ? new SlowHand() : await start(watch.signal);
  try {
    return [hand, await hand.ask({ task: "open", source, options }, watch)];
  } catch (error) {
    hand.end();
    throw error;
  }
}

/** Has a worker of its own do one task. */
async function once(message) {
  const hand = await start();
  try {
    return await hand.ask(message, {});
  } finally {
    hand.end();
  }
}

/** Somebody's own scheduler as `policies` takes it, with its parameters. */
async function written(kind, code, params = {}) {
  const texts = Object.entries(params).map(([key, value]) => [key, String(value)]);
  return once({ task: "own", kind, code, params: texts });
}

/** A script (its text) as a policy. */
export async function script(text, params) {
  if (typeof text !== "string") throw refuse(`script takes a text, such as "fn key(job, now) { job.gpus }", and not ${typeof text}`);
  return written("script", text, params);
}

/** A plug-in (the bytes of a WebAssembly module) as a policy. */
export async function plugin(module, params) {
  const isBytes = module instanceof ArrayBuffer || ArrayBuffer.isView(module);
  if (!isBytes) throw refuse(`plugin takes the bytes of a WebAssembly module, and not ${typeof module}`);
  const bytes = ArrayBuffer.isView(module) ? new Uint8Array(module.buffer, module.byteOffset, module.byteLength) : new Uint8Array(module);
  return written("plugin", bytes.slice(), params);
}

let chosen;

/** What there is to choose from; asked for once. */
function described() {
  chosen ??= once({ task: "choices" }).catch((error) => {
    chosen = undefined;
    throw error;
  });
  return chosen;
}

/** Every scheduler, with its parameters. */
export const policies = async () => structuredClone((await described()).policies);

/** Every setting of a run. */
export const settings = async () => structuredClone((await described()).settings);

/** The samples, which open as `sample:NAME`. */
export const samples = async () => structuredClone((await described()).samples);

/** Every metric of a run. */
export const metrics = async () => structuredClone((await described()).metrics);

// ---- where the work is done ----

/** A worker that does one task at a time. */
class Hand {
  #worker;
  #answer;
  isHere = false;
  ended = false;

  constructor(worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#answer?.(data);
    worker.onerror = (event) => {
      event.preventDefault?.();
      this.#answer?.({ failed: { kind: "engine", message: `the worker stopped: ${event.message}` } });
    };
    worker.unref?.();
  }

  /** Has a task done. */
  ask(message, { signal, onProgress }) {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.end();
        settle(reject, signal.reason);
      };
      const settle = (how, what) => {
        signal?.removeEventListener("abort", abort);
        this.#answer = undefined;
        // In Node, an idle worker keeps no program from ending.
        this.#worker.unref?.();
        how(what);
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort);
      this.#worker.ref?.();
      this.#answer = ({ progress, done, failed }) => {
        if (progress) {
          try {
            onProgress?.(progress);
          } catch (error) {
            // Whoever cannot hear of progress wants no results.
            this.end();
            settle(reject, error);
          }
        } else if (failed) {
          if (failed.kind === "engine") this.end();
          settle(reject, new SwitchyardError(failed));
        } else {
          settle(resolve, done);
        }
      };
      try {
        this.#worker.postMessage(message);
      } catch (error) {
        settle(reject, refuse(`what cannot be copied cannot be an option: ${error.message}`, error));
      }
    });
  }

  end() {
    this.ended = true;
    this.#worker.terminate();
  }
}

/** The same without a worker: in slices, between which the page gets its turn. */
class SlowHand {
  #session = new TraceSession();
  isHere = true;
  ended = false;

  async ask({ task, source, options, functions, asked, ...rest }, { signal, onProgress }) {
    const tell = (progress) => onProgress?.(progress);
    const pause = async () => {
      await new Promise((resolve) => setTimeout(resolve));
      signal?.throwIfAborted();
    };
    let heard;
    const hear = (progress) => {
      try {
        tell(progress);
      } catch (error) {
        heard = { error };
        throw error;
      }
    };
    try {
      signal?.throwIfAborted();
      if (task === "choices") return await choices();
      if (task === "own") return await own(rest);
      if (task === "open") return await this.#session.open(source, options, hear, pause);
      if (task === "explain") return await this.#session.explain(options, functions, asked, hear, pause, SLICE_MS);
      return await this.#session.run(options, functions, hear, pause, SLICE_MS);
    } catch (error) {
      if (heard) throw heard.error;
      if (signal?.aborted) throw signal.reason;
      throw new SwitchyardError(told(error), error.cause ?? error);
    }
  }

  end() {
    this.ended = true;
    this.#session.close();
  }
}

/** Ways to a worker, the plainest first; `blob` lets a page start one of another origin. */
const ways = [
  () => new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "switchyard" }),
  () => {
    const script = `import ${JSON.stringify(new URL("./worker.js", import.meta.url).href)};`;
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const worker = new Worker(address, { type: "module", name: "switchyard" });
    worker.addEventListener("message", () => URL.revokeObjectURL(address), { once: true });
    return worker;
  },
];

/** Node's, whose global scope has none. */
const threads = typeof Worker === "undefined" && globalThis.process?.getBuiltinModule?.("node:worker_threads");
if (threads) {
  ways.splice(0, ways.length, () => {
    const worker = new threads.Worker(new URL("./worker.js", import.meta.url));
    // As in browsers.
    worker.on("message", (data) => worker.onmessage?.({ data }));
    worker.on("error", (error) => worker.onerror?.(error));
    return worker;
  });
}

/** Somebody who does the work. */
async function start(signal) {
  while (ways.length > 0) {
    const [way] = ways;
    try {
      return new Hand(await ready(way, signal));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      // What does not work here once never will; another call may have found that out, too.
      if (ways[0] === way) ways.shift();
    }
  }
  return new SlowHand();
}

/** A worker that has loaded its program. */
function ready(way, signal) {
  return new Promise((resolve, reject) => {
    const worker = way();
    const give = (how, what) => {
      signal?.removeEventListener("abort", abort);
      if (how === reject) worker.terminate();
      how(what);
    };
    const abort = () => give(reject, signal.reason);
    signal?.addEventListener("abort", abort);
    worker.onmessage = () => give(resolve, worker);
    worker.onerror = (event) => {
      event.preventDefault?.();
      give(reject, event);
    };
  });
}

// ---- where traces come from ----

/** What a worker can read: files by name, as blobs or in Node as addresses; or a sample's name. */
async function readable(source, name, signal) {
  if (typeof source === "string" && source.startsWith("sample:")) return { sample: source.slice("sample:".length) };
  const sources = Array.isArray(source) ? source : [source];
  if (sources.length === 0) throw refuse("there are no files to open");
  return { files: await Promise.all(sources.map((of) => file(of, name, signal))) };
}

async function file(source, name, signal) {
  if (source instanceof Blob) return { name: name ?? source.name ?? "trace", blob: await sent(source) };
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return { name: name ?? "trace", blob: new Blob([source]) };
  }
  if (source instanceof Response) return body(source, name ?? nameOf(source.url));
  if (source instanceof URL) return fetched(source, name, signal);
  if (typeof source === "string") {
    // No address has several lines, and no trace has one.
    if (/[\r\n]/.test(source)) return { name: name ?? "trace", blob: new Blob([source]) };
    return fetched(address(source), name, signal);
  }
  const given = source === null ? "null" : typeof source;
  throw refuse(
    `open takes bytes, a File or Blob, a Response, a URL, a text, "sample:NAME", or an array of such; it was given ${given}`,
  );
}

/** What a text of one line leads to: relative to the page, or in Node to the working directory. */
function address(text) {
  const builtin = globalThis.process?.getBuiltinModule;
  const base =
    globalThis.document?.baseURI ??
    globalThis.location?.href ??
    builtin?.("node:url").pathToFileURL(`${globalThis.process.cwd()}/`);
  try {
    return new URL(text, base);
  } catch (error) {
    throw refuse(`'${text}' is no address: a trace as text has several lines`, error);
  }
}

async function fetched(url, name = nameOf(url.href), signal) {
  // Node fetches no files.
  const disk = url.protocol === "file:" && globalThis.process?.getBuiltinModule?.("node:fs");
  let response;
  try {
    if (disk) {
      await disk.promises.access(url);
      return { name, file: url.href };
    }
    response = await fetch(url, { signal });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const why = disk ? "" : "; another origin's server has to allow it (CORS)";
    throw refuse(`cannot read ${url.href}: ${error.message}${why}`, error);
  }
  return body(response, name);
}

/** A blob as it can be sent to a worker: Node's of files cannot. */
async function sent(blob) {
  if (!threads) return blob;
  try {
    return structuredClone(blob);
  } catch {
    return new Blob([await blob.arrayBuffer()]);
  }
}

async function body(response, name) {
  if (!response.ok) {
    throw refuse(`cannot read ${response.url}: ${response.status} ${response.statusText}`);
  }
  if (response.bodyUsed) throw refuse(`the response of ${response.url} has been read already: fetch it again`);
  return { name, blob: await response.blob() };
}

function nameOf(address) {
  const last = address.split(/[?#]/)[0].split("/").pop();
  try {
    return decodeURIComponent(last) || "trace";
  } catch {
    return last;
  }
}
