// Policies that are functions: `key(job, now)` and `keys(jobs, now)` give jobs numbers, `plan(view)` decides the whole. In:
// what somebody wrote (`functionsApart`). It travels to a worker as its text (`asText`), or stays on this thread as it is; out, where
// the engine is: a `Decider`, which the engine asks. What jobs are is fetched from the engine column by column, when it is
// first read; all of that is lent for the length of a call.

const FORMS = ["key", "keys", "plan"];

/** What may be said of a function, and its type: of all forms, of those that give numbers, and of those that decide the whole. */
const SAID = { name: "string", backfill: "boolean", every: "number", oracle: "boolean", placement: "string", with: "object" };
const SAID_OF_KEYS = { preemptive: "boolean", changes: "string" };
const SAID_OF_PLANS = { adaptive: "boolean" };

/** Messages have room for so many characters of a value. */
const SHORT = 60;

const wrong = (message) => Object.assign(new Error(message), { kind: "input" });

// ---- as somebody wrote it ----

/** Options of `run` with the functions among policies apart; where those stood are the specs that the engine goes by. */
export function functionsApart(options) {
  const given = [options.policies ?? []].flat();
  const isFunction = (policy) => typeof policy === "function" || (typeof policy === "object" && policy !== null);
  if (!given.some(isFunction)) return { options, functions: [] };
  const named = new Set();
  const functions = given.map((policy) => (isFunction(policy) ? taken(policy, named) : undefined));
  return { options: { ...options, policies: given.map((policy, at) => functions[at]?.spec ?? policy) }, functions };
}

function taken(policy, named) {
  // JavaScript calls a function that has no name by the option that it is.
  const bare = () => ({ key: policy, name: policy.name === "policies" ? "" : policy.name });
  const given = typeof policy === "function" ? bare() : policy;
  const [form, ...others] = FORMS.filter((form) => given[form] !== undefined);
  const call = given[form];
  if (typeof call !== "function" || others.length > 0) {
    throw wrong('a policy is a text, a function (job, now) => number, or an object with one function key, keys or plan, such as { name: "mine", plan(view) { … } }');
  }
  const name = another(plain(given.name ?? call.name), named);
  const kind = Object.prototype.toString.call(call).slice("[object ".length, -1);
  if (kind !== "Function") throw wrong(`${name} is of the kind ${kind}: a policy is a plain function, which answers at once`);
  const takes = { ...SAID, ...(form === "plan" ? SAID_OF_PLANS : SAID_OF_KEYS) };
  const { [form]: _, ...all } = given;
  const told = Object.entries(all).filter(([, value]) => value !== undefined);
  for (const [key, value] of told) {
    if (!Object.hasOwn(takes, key)) throw wrong(`${name}: there is no '${key}': beside ${form} it takes ${Object.keys(takes).join(", ")}`);
    if (typeof value !== takes[key]) throw wrong(`${name}: ${key} is ${short(value)}: it takes what is of the type ${takes[key]}`);
  }
  const { with: values, oracle = false, adaptive = false, placement, ...said } = Object.fromEntries(told);
  const params = [`name=${name}`, ...(oracle ? ["oracle=true"] : []), ...(adaptive ? ["adaptive=true"] : []), ...(placement ? [`placement=${placement}`] : [])];
  return { call, values: copied(values, name), oracle, spec: `script[${params.join(",")}]`, said: { ...said, name, form } };
}

/** Values that a function gets, whichever thread it is on: a run's own. */
function copied(values, name) {
  try {
    return structuredClone(values);
  } catch (error) {
    throw wrong(`${name}: what cannot be copied cannot be in with: ${error.message}`);
  }
}

/** A name without what specs give a meaning to. */
const plain = (name) => String(name).replace(/[\s[\],=<>\x00-\x1f\x7f]+/g, " ").trim() || "function";

/** A name that no other has. */
function another(name, named) {
  let own = name;
  for (let at = 2; named.has(own); at++) own = `${name} ${at}`;
  named.add(own);
  return own;
}

/** A function as it travels: by its text. */
export function asText({ call, ...rest }) {
  const text = String(call);
  if (/\{\s*\[native code\]\s*\}$/.test(text)) {
    throw wrong(`${rest.said.name} is native or bound, so that it has no text for a worker: write a function that calls it, and run with worker: false`);
  }
  return { ...rest, text };
}

// ---- where the engine is ----

/** That texts are not made into functions here, by the security policy of the page or of the worker. */
export const FORBIDDEN = "forbidden";

/** A function from its text; mistakes are at the lines of that. */
function compiled(text, name) {
  const evaluate = (expression) => (0, eval)(`"use strict";(${expression}\n)//# sourceURL=${address(name)}`);
  try {
    return evaluate(text);
  } catch (error) {
    if (error instanceof EvalError) throw Object.assign(error, { kind: FORBIDDEN });
    try {
      // A method's is the text of one within an object alone.
      return Object.values(evaluate(`{${text}}`))[0];
    } catch {
      throw wrong(`${name} is no function by its text alone (${error.message}): run it with worker: false`);
    }
  }
}

const address = (name) => `switchyard:${encodeURIComponent(name)}`;

/** A function that is ready to be called, for one run. */
export class Decider {
  #call;
  #values;
  #oracle;
  #properties;
  // Of a plan: what is kept of jobs by their numbers, and of the run.
  #kept = new Map();
  #state = {};

  constructor({ said, call, text, values, oracle }, properties) {
    this.said = said;
    /** Its text, if it has travelled as that. */
    this.source = text;
    this.#call = call ?? compiled(text, said.name);
    this.#values = values;
    this.#oracle = oracle;
    this.#properties = properties;
    define(properties);
  }

  /** The numbers of so many jobs. `listens`: whether somebody asks why. */
  keys(count, now, listens, column, text, random, note) {
    const lent = new Lent(this.#properties, this.#oracle, { column, text, random, note: listens ? note : undefined });
    try {
      return this.said.form === "keys" ? this.#atOnce(lent, count, now) : this.#oneByOne(lent, count, now);
    } finally {
      lent.end();
    }
  }

  #oneByOne(lent, count, now) {
    const [call, values] = [this.#call, this.#values];
    const keys = new Float64Array(count);
    for (let row = 0; row < count; row++) {
      let key;
      try {
        key = call(new Job(lent, row), now, values);
      } catch (error) {
        throw this.#thrown(error, lent.name(row));
      }
      keys[row] = number(key, lent, row);
    }
    return keys;
  }

  #atOnce(lent, count, now) {
    const call = this.#call;
    let given;
    try {
      given = call(new Jobs(lent, count), now, this.#values);
    } catch (error) {
      throw this.#thrown(error);
    }
    const isArray = Array.isArray(given) || (ArrayBuffer.isView(given) && !(given instanceof DataView));
    if (!isArray || given.length !== count) {
      const what = isArray ? `${given.length} numbers` : short(given);
      throw new Error(`it gives ${what} for ${count} jobs: it must give an array of as many numbers`);
    }
    const keys = new Float64Array(count);
    for (let row = 0; row < count; row++) keys[row] = number(given[row], lent, row);
    return keys;
  }

  /** The queue of a job, as a plan has set it. */
  queue(id) {
    return this.#kept.get(id)?.queue ?? 0;
  }

  /** Decides the whole, for so many jobs. */
  plan(count, moment, column, text, random, note) {
    for (const id of moment.finished()) this.#kept.delete(id);
    const call = this.#call;
    const lent = new Lent(this.#properties, this.#oracle, { column, text, random, note }, moment, this.#kept);
    let given;
    try {
      given = call(new View(lent, count, this.#state), this.#values);
    } catch (error) {
      throw this.#thrown(error);
    } finally {
      lent.end();
      moment.free();
    }
    if (typeof given?.then === "function") throw new Error("it gives a promise: a plan is made at once");
  }

  /** What was thrown, in words: where, about which job, and what. */
  #thrown(error, job) {
    const about = job === undefined ? "" : `job '${job}': `;
    const said = error instanceof Error ? (error.name === "Error" ? error.message : `${error.name}: ${error.message}`) : short(error);
    const travelled = this.source !== undefined && error instanceof ReferenceError;
    const help = travelled ? " (only a function's text goes into a worker: give it values by with: { … }, or run it with worker: false)" : "";
    this.thrown = error;
    return new Error(`${place(error, this.said.name)}${about}${said}${help}`);
  }
}

/** A key, which has to be one. */
function number(key, lent, row) {
  if (typeof key === "number" && !Number.isNaN(key)) return key;
  const what = typeof key === "number" ? "NaN, which has no place in an order" : `${short(key)}: it must be a number`;
  throw new Error(`job '${lent.name(row)}': its key is ${what}`);
}

/** A value as a message has room for it. */
function short(value) {
  if (typeof value?.then === "function") return "a promise";
  let said;
  try {
    said = ["object", "string"].includes(typeof value) ? JSON.stringify(value) : String(value);
  } catch {
    said = Object.prototype.toString.call(value);
  }
  return said.length > SHORT ? `${said.slice(0, SHORT)}…` : said;
}

/** A value that is noted, in words: a text as it is. */
function inWords(value) {
  if (typeof value !== "object" || value === null) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** Files whose lines say nothing to whoever wrote a function. */
const OURS = ["functions.js", "engine.js", "work.js", "worker.js", "switchyard.js"].map((file) => new URL(file, import.meta.url).href);

/** Where something was thrown: the first line of the stack that is not ours, as V8, or as others have it. */
function place(error, name) {
  // WebKit's stack tells nothing of what was made from a text.
  if (Number.isInteger(error?.line) && !error.sourceURL) return `line ${error.line}: `;
  for (const frame of String(error?.stack ?? "").split("\n")) {
    const [, file, line] = /^\s+at .*?([^\s()]+):(\d+):\d+\)?$/.exec(frame) ?? /^[^@]*@(.+):(\d+):\d+$/.exec(frame) ?? [];
    if (file === undefined || OURS.includes(file) || file.startsWith("node:")) continue;
    return file === address(name) ? `line ${line}: ` : `${file.split("/").pop()}:${line}: `;
  }
  return "";
}

// ---- what functions see ----

const KEPT = "it was kept from an earlier decision, which is over: keep its id, or what it said";
const KEY = "a key is a number and no more: define plan(view) for this";
const GPUS = "a number of GPUs";

/** What the engine lends for the length of a call. */
class Lent {
  #properties;
  #oracle;
  // What the engine has for the call: `column`, `text`, `random` and, if anybody listens, `note`.
  #engine;
  #columns = [];
  #moment;
  #kept;

  constructor(properties, oracle, engine, moment, kept) {
    this.#properties = properties;
    this.#oracle = oracle;
    this.#engine = engine;
    this.#moment = moment;
    this.#kept = kept;
  }

  /** A property of all jobs. */
  column(at) {
    return (this.#columns[at] ??= this.#fetched(at));
  }

  #fetched(at) {
    this.#check();
    const [name, kind] = this.#properties[at];
    if (kind === "truth" && !this.#oracle) {
      throw new Error(`job.${name} is the truth, which no real scheduler knows: say oracle: true to see it, or go by job.attained`);
    }
    return this.#engine.column(at);
  }

  name(row) {
    this.#check();
    return this.#engine.text(row, false);
  }

  tenantName(row) {
    this.#check();
    return this.#engine.text(row, true);
  }

  /** So many numbers of the run's generator. */
  random(count) {
    this.#check();
    return this.#engine.random(count);
  }

  /** Notes a value of a job, or of all, where somebody listens. */
  note(row, what, value) {
    this.#check();
    if (!this.#engine.note) return;
    const id = row === undefined ? undefined : this.column(this.#properties.findIndex(([name]) => name === "id"))[row];
    this.#engine.note(id, String(what), inWords(value));
  }

  /** The moment, of a plan. */
  get moment() {
    this.#check(true);
    return this.#moment;
  }

  /** What is kept of a job, of a plan. */
  kept(id) {
    this.#check(true);
    if (!this.#kept.has(id)) this.#kept.set(id, { queue: 0, memo: undefined });
    return this.#kept.get(id);
  }

  #check(isOfPlan = false) {
    if (!this.#engine) throw new Error(KEPT);
    if (isOfPlan && !this.#kept) throw new Error(KEY);
  }

  end() {
    this.#columns = [];
    this.#engine = this.#moment = undefined;
  }
}

/** A job at one moment. Its properties are defined below. */
class Job {
  #lent;
  #row;

  constructor(lent, row) {
    this.#lent = lent;
    this.#row = row;
  }

  static value(job, at) {
    return job.#lent.column(at)[job.#row];
  }

  /** Where a job stands among those of a view. */
  static row(job, lent) {
    if (typeof job !== "object" || job === null || !(#lent in job)) throw new TypeError(`${short(job)} is no job`);
    if (job.#lent !== lent) throw new Error(KEPT);
    return job.#row;
  }

  get name() {
    return this.#lent.name(this.#row);
  }

  get tenant_name() {
    return this.#lent.tenantName(this.#row);
  }

  random() {
    return this.#lent.random(1)[0];
  }

  note(what, value) {
    this.#lent.note(this.#row, what, value);
  }

  get holds() {
    return this.#lent.moment.holds(this.#row);
  }

  get nodes() {
    return [...this.#lent.moment.nodes_of(this.#row)];
  }

  get queue() {
    return this.#lent.kept(this.id).queue;
  }

  get memo() {
    return this.#lent.kept(this.id).memo;
  }

  set memo(memo) {
    this.#lent.kept(this.id).memo = memo;
  }

  get adaptive() {
    return this.#lent.moment.adaptive(this.#row);
  }

  get application() {
    return this.#lent.moment.application(this.#row);
  }

  get batch() {
    return this.#lent.moment.batch(this.#row);
  }

  get epochs() {
    return this.#lent.moment.epochs(this.#row);
  }

  get epochs_done() {
    return this.#lent.moment.epochs_done(this.#row);
  }

  get max_gpus() {
    return this.#lent.moment.max_gpus(this.#row);
  }

  speedup(gpus) {
    return this.#lent.moment.speedup(this.#row, whole(gpus, GPUS));
  }

  goodput(gpus) {
    return this.#lent.moment.goodput(this.#row, whole(gpus, GPUS));
  }

  best_batch(gpus) {
    return this.#lent.moment.best_batch(this.#row, whole(gpus, GPUS));
  }
}

/** Jobs at one moment: a column for each property. */
class Jobs {
  #lent;

  constructor(lent, length) {
    this.#lent = lent;
    this.length = length;
  }

  static column(jobs, at) {
    return jobs.#lent.column(at);
  }

  get name() {
    return Array.from({ length: this.length }, (_, row) => this.#lent.name(row));
  }

  get tenant_name() {
    return Array.from({ length: this.length }, (_, row) => this.#lent.tenantName(row));
  }

  random() {
    return this.#lent.random(this.length);
  }

  note(what, values) {
    if (values?.length !== this.length) {
      throw new TypeError(`note('${what}', values) takes a value for each of ${this.length} jobs, and not ${values?.length === undefined ? short(values) : `${values.length} values`}`);
    }
    for (let row = 0; row < this.length; row++) this.#lent.note(row, what, values[row]);
  }
}

/** Defines the properties that the engine has, once. */
function define(properties) {
  if ("id" in Job.prototype) return;
  properties.forEach(([name, kind], at) => {
    const value = (job) => Job.value(job, at);
    const flag = (job) => Job.value(job, at) === 1;
    const of = kind === "flag" ? flag : value;
    Object.defineProperty(Job.prototype, name, { get() { return of(this); } });
    Object.defineProperty(Jobs.prototype, name, { get() { return Jobs.column(this, at); } });
  });
}

/** What `plan` sees at one moment, and can do then. */
class View {
  #lent;
  #lists = {};

  constructor(lent, count, state) {
    this.#lent = lent;
    const { now, round, free_gpus, gpus, nodes, node_size } = lent.moment;
    Object.assign(this, { now, round, free: free_gpus, gpus, nodes, node_size, state });
    this.jobs = Array.from({ length: count }, (_, row) => new Job(lent, row));
  }

  #list(name) {
    return (this.#lists[name] ??= this.#those(this.#lent.moment[name]()));
  }

  #those(rows) {
    return Array.from(rows, (row) => this.jobs[row]);
  }

  get waiting() {
    return this.#list("waiting");
  }

  get running() {
    return this.#list("running");
  }

  get arrived() {
    return this.#list("arrived");
  }

  get evicted() {
    return this.#list("evicted");
  }

  get alarms() {
    return this.#list("alarms");
  }

  start(job, nodes) {
    const [moment, row] = this.#about(job);
    return nodes === undefined ? moment.start(row) : moment.start_on(row, pairs(nodes));
  }

  move(job, nodes) {
    const [moment, row] = this.#about(job);
    return moment.move_to(row, pairs(nodes));
  }

  stop(job) {
    const [moment, row] = this.#about(job);
    moment.stop(row);
  }

  walk(order) {
    const { moment } = this.#lent;
    const [started, preempted] = moment.walk(Uint32Array.from(order, (job) => Job.row(job, this.#lent)));
    return { started: this.#those(started), preempted: this.#those(preempted) };
  }

  alarm(job, at) {
    const [moment, row] = this.#about(job);
    if (typeof at !== "number" || Number.isNaN(at)) throw new TypeError(`alarm(job, at) takes a time in seconds, and not ${short(at)}`);
    moment.alarm(row, at);
  }

  demote(job, queue) {
    const [moment, row] = this.#about(job);
    moment.demote(row, whole(queue, "a queue"));
    this.#lent.kept(job.id).queue = queue;
  }

  promote(job, queue) {
    const [moment, row] = this.#about(job);
    moment.promote(row, whole(queue, "a queue"));
    this.#lent.kept(job.id).queue = queue;
  }

  free_now(node) {
    const { moment } = this.#lent;
    return node === undefined ? moment.free_now() : moment.free_on(whole(node, "a node"));
  }

  is_open(node) {
    return this.#lent.moment.is_open(whole(node, "a node"));
  }

  train(job, gpus, batch) {
    const [moment, row] = this.#about(job);
    return moment.train(row, whole(gpus, GPUS), batch === undefined ? undefined : whole(batch, "a batch"));
  }

  random() {
    return this.#lent.random(1)[0];
  }

  note(what, value, job) {
    const row = job === undefined ? undefined : Job.row(job, this.#lent);
    this.#lent.note(row, what, value);
  }

  #about(job) {
    return [this.#lent.moment, Job.row(job, this.#lent)];
  }
}

/** Nodes as a function names them: `[3, 4]`, as much as is free on each; `[[3, 2], [4, 2]]`, so many on each. */
function pairs(nodes) {
  if (!Array.isArray(nodes)) throw new TypeError(`nodes are an array, such as [3, 4] or [[3, 2], [4, 2]], and not ${short(nodes)}`);
  return nodes.flatMap((of) => (Array.isArray(of) ? [whole(of[0], "a node"), whole(of[1], GPUS)] : [whole(of, "a node"), -1]));
}

function whole(value, what) {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) throw new TypeError(`${short(value)} is not ${what}: it must be a whole number from 0`);
  return value;
}
