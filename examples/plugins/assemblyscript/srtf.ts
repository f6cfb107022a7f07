// Shortest remaining time first, preemptive: an oracle. Run it with `oracle=true` and it does what the
// built-in `srtf` does, to the bit. docs/plugins.md says what the three functions are given and give.
//
//   npx asc srtf.ts -O3 --runtime stub --use abort= --outFile srtf.wasm

// Where a column lies: columns of 8 bytes, then columns of 4 bytes, then columns of nodes.
const REMAINING = 5;
const WIDE = 7;
const STATE = 1;
const GPUS = 2;
const FREES = 7;
const NARROW = 8;

const START = 1;
const STOP = 3;

let rows = 0;
let base: usize = 0;
let actions: usize = 0;
let count = 0;
let order = new StaticArray<i32>(0);
let terms: usize = 0;

const NAME = memory.data<u8>([
  // "remaining time (true), s"
  114, 101, 109, 97, 105, 110, 105, 110, 103, 32, 116, 105, 109, 101, 32, 40, 116, 114, 117, 101, 41, 44, 32, 115,
]);

/** What jobs are sorted by, least first. */
function key(row: i32): f64 {
  return load<f64>(base + <usize>((REMAINING * rows + row) << 3));
}

function narrow(column: i32, row: i32): i32 {
  return load<i32>(base + <usize>(WIDE * rows * 8 + ((column * rows + row) << 2)));
}

/** GPUs of a node that nobody has: the first column of nodes. */
function free(node: i32): i32 {
  return load<i32>(base + <usize>(WIDE * rows * 8 + NARROW * rows * 4 + (node << 2)));
}

function act(what: i32, row: i32): void {
  const at = actions + 8 + <usize>(24 * count);
  store<i32>(at, what);
  store<i32>(at + 4, row);
  count += 1;
}

/** Whether one row goes before another. */
function before(a: i32, b: i32): bool {
  const x = key(a);
  const y = key(b);
  return x < y || (x == y && a < b);
}

/** A heap's root sinks to its place among the first so many: the last in order is on top. */
function sink(root: i32, length: i32): void {
  const row = order[root];
  for (;;) {
    let child = 2 * root + 1;
    if (child >= length) break;
    if (child + 1 < length && before(order[child], order[child + 1])) child += 1;
    if (!before(row, order[child])) break;
    order[root] = order[child];
    root = child;
  }
  order[root] = row;
}

/** Rows in the order of their keys, by heap sort. */
function sort(length: i32): void {
  for (let row = 0; row < length; row++) order[row] = row;
  for (let root = length / 2 - 1; root >= 0; root--) sink(root, length);
  for (let last = length - 1; last > 0; last--) {
    const row = order[0];
    order[0] = order[last];
    order[last] = row;
    sink(0, last);
  }
}

/** Makes room for a table of so many jobs and nodes, and says where. */
export function table(jobs: i32, nodes: i32): usize {
  rows = jobs;
  base = heap.alloc(<usize>(jobs * (WIDE * 8 + NARROW * 4) + nodes * 12));
  actions = heap.alloc(<usize>(8 + 24 * jobs));
  order = new StaticArray<i32>(jobs);
  return base;
}

/** Walks the jobs from the least key up, and gives each its gang as long as GPUs last. */
export function plan(now: f64, jobs: i32, nodes: i32): usize {
  count = 0;
  sort(jobs);
  let left = 0;
  // What is free, and what those who run would set free.
  for (let node = 0; node < nodes; node++) left += free(node);
  for (let row = 0; row < jobs; row++) left += narrow(FREES, row);
  for (let i = 0; i < jobs; i++) {
    const row = order[i];
    const runs = narrow(STATE, row) == 1;
    const gpus = narrow(runs ? FREES : GPUS, row);
    const fits = gpus <= left;
    if (fits && !runs) act(START, row);
    if (!fits && runs) act(STOP, row);
    if (fits) left -= gpus;
  }
  store<i64>(actions, count);
  return actions;
}

/** The numbers behind the decision about a job. */
export function explain(row: i32): usize {
  if (terms == 0) terms = heap.alloc(24);
  store<i64>(terms, 1);
  store<i32>(terms + 8, <i32>NAME);
  store<i32>(terms + 12, 24);
  store<f64>(terms + 16, key(row));
  return terms;
}
