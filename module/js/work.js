// What the module does, wherever it does it: in a worker (worker.js), or, where none can be had, in
// slices between which the page gets its turn (switchyard.js). In: bytes and plain objects; out: plain
// objects. The engine is engine.js and engine_bg.wasm, as wasm-bindgen writes them.

import init, { Opener, described, plugin, properties, sample, script } from "./engine.js";
import { Decider } from "./functions.js";

/** Bytes that are opened at once. */
const SLICE = 1 << 20;

let loading;

/** Loads the engine, once. */
function load() {
  loading ??= (async () => {
    const address = new URL("./engine_bg.wasm", import.meta.url);
    // Node fetches no files.
    const files = address.protocol === "file:" && globalThis.process?.getBuiltinModule?.("node:fs/promises");
    try {
      await init({ module_or_path: files ? await files.readFile(address) : fetch(address) });
    } catch (error) {
      // Whoever asks next tries anew.
      loading = undefined;
      throw Object.assign(new Error(`cannot load ${address.href}: ${error.message}`), { kind: "engine" });
    }
  })();
  return loading;
}

/** Everything there is to choose from. */
export async function choices() {
  await load();
  return described();
}

/** The spec of somebody's own scheduler: of a script's text, or of a plug-in's module. */
export async function own({ kind, code, params }) {
  await load();
  return kind === "script" ? script(code, params) : plugin(code, params);
}

/** One trace and its runs, one after the other. */
export class TraceSession {
  #jobs;

  /**
   * Opens files, or a sample.
   * @param {{sample?: string, files?: {name: string, blob?: Blob, file?: string}[]}} source
   * @param {object} options as for `open`
   * @param {(progress: object) => void} tell
   * @param {() => Promise<void> | void} rest called between slices; throws to end the work
   * @returns what is known of it
   */
  async open(source, options, tell, rest) {
    await load();
    if (source.sample !== undefined) {
      this.#jobs = sample(source.sample, options);
      return this.#jobs.facts();
    }
    const files = await Promise.all(source.files.map(content));
    const total = files.reduce((sum, { blob }) => sum + blob.size, 0);
    const read = (again) => this.#read(new Opener(options, again), files, total, tell, rest);
    // Whether jobs without GPUs have cores to run on is known once all files are read.
    this.#jobs = (await read(false)) ?? (await read(true));
    return this.#jobs.facts();
  }

  /** Files through one opener. */
  async #read(opener, files, total, tell, rest) {
    let taken = false;
    try {
      for (const { name, blob } of files) {
        opener.begin(name);
        for (let at = 0; at < blob.size; at += SLICE) {
          const progress = opener.push(await read(name, blob.slice(at, at + SLICE)));
          tell({ stage: "open", total, ...progress });
          await rest();
        }
      }
      // It is gone then, whether it amounts to something or not.
      taken = true;
      return opener.finish();
    } finally {
      if (!taken) opener.free();
    }
  }

  /**
   * Runs what is asked for.
   * @param {object} options as for `run`, with specs alone
   * @param {object[]} functions what decides in the place of each policy, where it is a function
   * @param {number} slice milliseconds between two rests
   */
  async run(options, functions, tell, rest, slice) {
    const begin = (deciders) => this.#jobs.runs(options, deciders);
    return this.#worked(functions, begin, tell, rest, slice, (runs, deciders) => {
      const results = runs.results();
      deciders.forEach((of, at) => of && Object.assign(results.runs[at], { reproducible: false }, of.source && { source: of.source }));
      return results;
    });
  }

  /**
   * Why a job runs or waits at a moment, in such runs.
   * @param {{job: string, at: number}} asked
   */
  async explain(options, functions, { job, at }, tell, rest, slice) {
    const begin = (deciders) => this.#jobs.explaining(options, deciders, job, at);
    return this.#worked(functions, begin, tell, rest, slice, (runs) => runs.answers());
  }

  /** Carries what was begun to its end; what comes of it. */
  async #worked(functions, begin, tell, rest, slice, results) {
    const deciders = functions.map((of) => of && new Decider(of, properties()));
    const runs = begin(deciders);
    try {
      for (let progress; (progress = runs.work(slice)); ) {
        tell(progress);
        await rest();
      }
      return results(runs, deciders);
    } catch (error) {
      // What a function has thrown, for whoever is on the same thread.
      const thrown = deciders.find((of) => of?.thrown)?.thrown;
      throw thrown ? Object.assign(error, { cause: thrown }) : error;
    } finally {
      runs.free();
    }
  }

  /** Lets go of the trace. */
  close() {
    this.#jobs?.free();
    this.#jobs = undefined;
  }
}

/** A file with its content; that of one on Node's disk is sent nowhere. */
async function content({ name, blob, file }) {
  return { name, blob: blob ?? (await globalThis.process.getBuiltinModule("node:fs").openAsBlob(new URL(file))) };
}

async function read(name, part) {
  try {
    return new Uint8Array(await part.arrayBuffer());
  } catch (error) {
    const why = `cannot read ${name}: ${error.message} (a file that has changed since it was chosen has to be chosen again)`;
    throw Object.assign(new Error(why), { kind: "input" });
  }
}

/** What an error says, so that it survives the way out of a worker. */
export function told(error) {
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
    const message = `the engine stopped (${error.message}): it is out of memory, or has a fault; open a part of the trace, or run fewer policies at once`;
    return { kind: "engine", message };
  }
  return { kind: error.kind ?? "engine", message: error.message ?? String(error), table: error.table };
}
