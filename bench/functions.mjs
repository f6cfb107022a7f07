// Decisions a second of policies that are JavaScript functions, beside the same built in: CPU time, the most of several.
//
//     cargo xtask module
//     node bench/functions.mjs
//
// Some 80 or 530 jobs wait at each decision, and a number is asked for each of them and of the 64 that run: when the job came, and a
// little of what it has attained. A decision is a moment at which the policy is asked. The same jobs as of
// python/benchmarks/functions.py but for the draw.

const { open, run } = await import(new URL("../dist/module/switchyard.js", import.meta.url));
const [JOBS, TIMES] = [5_000, 5];

/** Jobs of one GPU, of which about so many wait on 8 nodes of 8, where who came first runs first. */
function traceOf(waiting) {
  let state = 1;
  const draw = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const rows = ["submit,duration,gpus"];
  let done = 0;
  for (let job = 0; job < JOBS; job++) {
    const duration = Math.round(500 + 1000 * draw());
    // The first ones come at once, each other when so much has been done that one has ended.
    if (job >= waiting + 64) done += duration / 64;
    rows.push(`${Math.round(done)},${duration},1`);
  }
  return open(`${rows.join("\n")}\n`, { map: "submit=submit,duration=duration,gpus=gpus,unit=s" });
}

const key = (job) => job.submit + 1e-9 * job.attained;
const keys = (jobs) => jobs.submit.map((submit, row) => submit + 1e-9 * jobs.attained[row]);
const plan = (view) => {
  const order = view.jobs.map((job) => [job.submit + 1e-9 * job.attained, job]);
  view.walk(order.sort(([a], [b]) => a - b).map(([, job]) => job));
};
const policies = {
  "fifo, built in": "fifo[backfill=true]",
  "keys(jobs, now)": { keys },
  "keys, while running": { keys, changes: "running" },
  "key(job, now)": { key },
  "plan(view)": { plan },
};

for (const count of [50, 500]) {
  const trace = await traceOf(count);
  const waiting = new Map();
  const counted = { plan: (view) => (waiting.set(view.now, view.waiting.length), plan(view)) };
  await run(trace, { cluster: "8x8", policies: counted, worker: false });
  const mean = [...waiting.values()].reduce((sum, jobs) => sum + jobs) / waiting.size;
  console.log(`${mean.toFixed(0)} jobs wait, decisions a second`);
  for (const [name, policy] of Object.entries(policies)) {
    const spent = [];
    for (let time = 0; time < TIMES; time++) {
      const begin = process.cpuUsage();
      await run(trace, { cluster: "8x8", policies: policy });
      const { user, system } = process.cpuUsage(begin);
      spent.push(user + system);
    }
    const rate = (waiting.size / Math.min(...spent)) * 1e6;
    console.log(`  ${name.padEnd(20)} ${Math.round(rate).toLocaleString("en").padStart(10)}`);
  }
  trace.close();
}
