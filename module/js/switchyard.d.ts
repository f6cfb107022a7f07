// What the module takes and gives. Names of data are those of the command line's JSON and CSV and of
// files (restart_cost, jct_s), so that one description does for all: docs/format.md, `switchyard run --help`.

/** Where a trace comes from. Several together: a trace in parts, or with its cluster, profiles or outages. */
export type Source =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | Response
  | URL
  /** The text of a trace (several lines), an address (one), or `sample:NAME`. */
  | string;

/** How long work may take, and who hears of it. */
export interface Watch<Progress> {
  /** Ends the work: it rejects with the signal's reason, an `AbortError` unless another was given. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface OpenProgress {
  stage: "open";
  /** Bytes taken so far, of how many. */
  bytes: number;
  total: number;
  /** Jobs found so far. */
  jobs: number;
}

export interface RunProgress {
  stage: "run";
  /** The policy that runs. */
  policy: string;
  /** Runs that are over, of how many. */
  run: number;
  runs: number;
  /** Jobs that are done in this one, of how many. */
  done: number;
  jobs: number;
  /** The simulated time it has reached, seconds. */
  now: number;
}

/** Which column of a table holds what: a column's name, or its number as `#3`. */
export interface ColumnMapping {
  id?: string;
  submit?: string;
  start?: string;
  end?: string;
  duration?: string;
  gpus?: string;
  workers?: string;
  gpu_milli?: string;
  tenant?: string;
  model?: string;
  status?: string;
  requested_time?: string;
  user?: string;
  account?: string;
  partition?: string;
  qos?: string;
  reservation?: string;
  priority?: string;
  recorded_types?: string;
  recorded_nodes?: string;
  unit?: "s" | "ms" | "us" | "ns" | "min" | "h" | "d";
  duration_unit?: "s" | "ms" | "us" | "ns" | "min" | "h" | "d";
  time?: "auto" | "dates" | "day-first" | "month-first" | "numbers";
}

export interface OpenOptions extends Watch<OpenProgress> {
  /** A name for what has none, for messages. */
  name?: string;
  /** Of an archive: the member to open; otherwise all, merged. */
  member?: string;
  map?: string | ColumnMapping;
  max_rows?: number;
  max_bytes?: number;
  /** Only jobs submitted in this window since the first submission: `FROM..TO`, such as `1d..36h`. */
  window?: string;
  tenants?: string | string[];
  users?: string | string[];
  accounts?: string | string[];
  partitions?: string | string[];
  qos?: string | string[];
  reservations?: string | string[];
  statuses?: string | string[];
  /** What jobs are counted in: `cores` in the place of GPUs, of logs whose jobs ask for none. */
  unit?: "gpus" | "cores";
  /** Jobs that ask for a fraction of a GPU. */
  fractions?: "round-up" | "share" | "drop";
  /** Jobs that ask for more GPUs than the cluster has. */
  oversized?: "keep" | "drop" | "shrink";
  /** Jobs that ask for cores and no GPU, where the cluster says its cores: they run beside what schedulers decide. */
  on_cores?: "keep" | "drop";
  /** The cluster, which decides who is oversized; runs may name another. */
  cluster?: string;
}

/** The settings of runs, each as `settings()` describes it. A number may be given as text, too. */
export interface Settings {
  placement?: string;
  restart_cost?: number | string;
  spread_slowdown?: "no" | "k80" | "p100" | "v100";
  equal_types?: boolean;
  restart_by_model?: boolean;
  first_start_pays?: boolean;
  whole_second_epochs?: boolean;
  interference?: number | string;
  sharing?: boolean;
  contention?: boolean;
  servers?: number | string;
  /** Nodes that are not there for a while: `7:3600..7200,4-7:1d..2d:drain`. */
  outages?: string;
  /** Queues with quotas, for schedulers that have some: `lab;vision,parent=lab,gpus=8,borrow=4`. */
  queues?: string;
  /** The word of a job that names its queue. */
  queue_by?: "tenant" | "user" | "account" | "partition" | "qos";
  mtbf?: number | string;
  mttr?: number | string;
  failure_shape?: number | string;
  checkpoint_interval?: number | string;
  checkpoint_cost?: number | string;
  replay_failures?: boolean;
  /** Weights of one's own for what has learned, `graph-rl` or `rl-picker`: the bytes of a file of safetensors. */
  weights?: Uint8Array | "shipped";
  seed?: number | string;
  applications?: boolean;
  binding?: string;
  binding_seed?: number | string;
}

/** A job at one moment, as scripts see it (docs/scripts.md). */
export interface Job {
  /** Its number in order of submission. */
  readonly id: number;
  readonly name: string;
  /** Its gang. */
  readonly gpus: number;
  /** Seconds since the first submission. */
  readonly submit: number;
  /** The number and the name of its tenant; -1 and "": it has none. */
  readonly tenant: number;
  readonly tenant_name: string;
  /** With `oracle` alone: true seconds at the GPUs asked for, in all and left. */
  readonly duration: number;
  readonly remaining: number;
  /** Attained service, GPU·s. */
  readonly attained: number;
  /** Seconds on GPUs, and without. */
  readonly held: number;
  readonly waited: number;
  /** Progress on its present or last GPUs, seconds per second. */
  readonly rate: number;
  /** How often it was given GPUs. */
  readonly starts: number;
  /** When it last started, stopped or came. */
  readonly since: number;
  readonly running: boolean;
  /** In `plan` alone: GPUs that it holds, and the numbers of their nodes. */
  readonly holds: number;
  readonly nodes: number[];
  /** In `plan` alone: as `demote` and `promote` set it; whatever is to be kept with it. */
  readonly queue: number;
  memo: any;
  /** In `plan` alone: whether it trains on more or fewer GPUs. */
  readonly adaptive: boolean;
  /** Of one that does: what it trains; the total batch asked for; epochs, those complete; the most GPUs to try. */
  readonly application: string;
  readonly batch: number;
  readonly epochs: number;
  readonly epochs_done: number;
  readonly max_gpus: number;
  /** What its agent expects on so many GPUs: goodput over that on one; samples of use per second; the best total batch. */
  speedup(gpus: number): number;
  goodput(gpus: number): number;
  best_batch(gpus: number): number;
  /** Tells this where somebody asks why. */
  note(what: string, value: unknown): void;
  /** From 0 to below 1, of the run's own generator. */
  random(): number;
}

/** What of jobs is one number each. */
type Column = "id" | "gpus" | "submit" | "tenant" | "duration" | "remaining" | "attained" | "held" | "waited" | "rate" | "starts" | "since" | "running";

/** Jobs at one moment: a column for each property. */
export type Jobs = { readonly [property in Column]: Float64Array } & {
  readonly length: number;
  readonly name: string[];
  readonly tenant_name: string[];
  /** Tells these where somebody asks why: one for each job. */
  note(what: string, values: ArrayLike<unknown>): void;
  /** One for each job. */
  random(): Float64Array;
};

/** On which nodes: as much as is free on each, or so many GPUs on each. */
export type OnNodes = number[] | [node: number, gpus: number][];

/** What is seen at one moment, and can be done then. */
export interface View {
  readonly now: number;
  /** Whether a round of `every` is due. */
  readonly round: boolean;
  /** All active jobs, and those that wait, in order of submission; those that run, in order of start. */
  readonly jobs: Job[];
  readonly waiting: Job[];
  readonly running: Job[];
  /** Those that have come, that have lost their GPUs to a failure, and whose alarm is due. */
  readonly arrived: Job[];
  readonly evicted: Job[];
  readonly alarms: Job[];
  /** Before anything is changed. */
  readonly free: number;
  readonly gpus: number;
  readonly nodes: number;
  /** GPUs of the largest node. */
  readonly node_size: number;
  /** What is kept from one decision of the run to the next. */
  readonly state: Record<string, any>;
  /** Lays the gang by the run's placement, or on these nodes; `false`: there is no room for it. */
  start(job: Job, nodes?: OnNodes): boolean;
  move(job: Job, nodes: OnNodes): boolean;
  stop(job: Job): void;
  /** Runs an adaptive job on so many GPUs, with the best batch or this one; `false`: there is no room. */
  train(job: Job, gpus: number, batch?: number): boolean;
  /** Who runs follows from an order of all jobs. */
  walk(order: Iterable<Job>): { started: Job[]; preempted: Job[] };
  /** Asks again at this time, unless the job starts, moves, stops or ends before. */
  alarm(job: Job, at: number): void;
  demote(job: Job, queue: number): void;
  promote(job: Job, queue: number): void;
  /** GPUs that are free after what has been decided: in all, or on a node. */
  free_now(node?: number): number;
  is_open(node: number): boolean;
  /** From 0 to below 1, of the run's own generator. */
  random(): number;
  /** Tells this where somebody asks why: of a job, or of all. */
  note(what: string, value: unknown, job?: Job): void;
}

/** What is said of a function that is a policy. */
export interface OfFunction {
  /** What results call it. */
  name?: string;
  backfill?: boolean;
  /** Seconds between decisions besides one at every event; from 1, or 0. */
  every?: number;
  oracle?: boolean;
  placement?: string;
  /** Values that the function gets last, copied. */
  with?: any;
}

export interface OfKeys extends OfFunction {
  preemptive?: boolean;
  /** When a job's number may change. */
  changes?: "always" | "running" | "never";
}

export interface OfPlan extends OfFunction {
  /** It gives adaptive jobs other GPUs and batches; jobs of plain traces get applications, as under Pollux. */
  adaptive?: boolean;
}

/** A function as a policy: it gives each job a number, least first, or decides the whole. */
export type FunctionPolicy =
  | ((job: Job, now: number) => number)
  | (OfKeys & { key(job: Job, now: number, values: any): number })
  | (OfKeys & { keys(jobs: Jobs, now: number, values: any): ArrayLike<number> })
  | (OfPlan & { plan(view: View, values: any): void });

export interface RunOptions extends Settings, Watch<OpenProgress | RunProgress> {
  /** `NODESxGPUS` (`16x4`, `8x8:v100+4x4:a100`), or a published one by name; without one that of the
   * trace, or else a guess. */
  cluster?: string;
  /** Such as `tiresias-las[queues=2,threshold=57600]`, or what `script` and `plugin` give, or a function; without any those of the
   * trace's file, or else `fifo` and `tiresias-las`. */
  policies?: string | FunctionPolicy | (string | FunctionPolicy)[];
  /** `false`: on this thread, in slices, where functions are called with all that they refer to. */
  worker?: boolean;
  /** 2: jobs come twice as fast as recorded; 0.01 to 100. */
  load?: number;
  /** Figures by these of the jobs, too: see `by` of a run; `queue`: see its `by_queue`. */
  by?: By | "queue" | (By | "queue")[];
  preset?: "reference-nsdi19" | "reference-osdi21" | "reference-sc20" | "reference-sigcomm22" | "reference-nsdi23" | "reference-sosp23";
  /** Applications in JSON, or as what that means. */
  definitions?: string | object | (string | object)[];
  /** Services of an earlier time in GPU·s, by the name that `history=NAME` has. */
  histories?: Record<string, number[] | string>;
}

export interface Trace {
  readonly facts: Facts;
  run(options?: RunOptions): Promise<Results>;
  /** Why a job, by its name, runs or waits at a moment (seconds since the first submission) under each policy, in that policy's own
   * numbers; what a function notes is among them. */
  explain(job: string, at: number, options?: RunOptions): Promise<Explained[]>;
  /** Lets go of it and ends its worker. A trace that nobody has any more is let go of, too. */
  close(): void;
}

/** One policy's answer, as `switchyard why --at --json` has it. */
export interface Explained {
  policy: string;
  verdict: Verdict;
  /** Times in seconds; `jobs` are those that the value names, by their rows. */
  facts: { term: string; value: string; jobs: number[] }[];
  /** Why the job runs at less than full speed: by whom (rows of jobs), each with its share of what is wanted. */
  slow: { law: string; place: string; factor: number; load: number | null; by: [job: number, share: number][] }[];
  /** How a placement that has learned decided last. */
  placing?: { steps: object[]; by_rule: object | null };
}

export type Verdict =
  | "Runs"
  | "NotActive"
  | { BehindHead: { head: number } }
  | { TooFewGpus: { wants: number; left: number } }
  | { NoQuota: { wants: number; left: number } }
  | { PlacementWaits: { wants: number; free: number } }
  | { TooFewCores: { wants: number; left: number } }
  | { StartsLater: { at: number } };

/** What a trace turned out to be. */
export interface Facts extends TraceFacts {
  /** The name that an experiment's file gives it; may be empty. */
  title: string;
  /** Where it runs unless another cluster is asked for; without one it is guessed. */
  cluster: ClusterFacts | null;
  /** The policies in its file. */
  policies: string[];
  tenants: string[];
  models: string[];
  report: ImportReport;
}

/** What happened while a trace was read. */
export interface ImportReport {
  recognised: string;
  units: string;
  rows_read: number;
  rows_kept: number;
  dropped: { reason: string; count: number; example: Example }[];
  warnings: { kind: string; text: string; count: number; example: Example }[];
  cluster: string;
  table: TableHead | null;
  distributions: { duration: Bin[]; gpus: Bin[]; hour: number[] };
}

export interface Example {
  file: string;
  line: number;
  detail: string;
}

export interface Bin {
  /** The lower bound, exclusive. */
  above: number;
  to: number;
  jobs: number;
}

/** The beginning of a table, and which column was taken for what. */
export interface TableHead {
  columns: string[];
  rows: string[][];
  guess: { [role: string]: string | null };
}

export interface TraceFacts {
  format: string;
  jobs: number;
  /** What all figures of GPUs count: `gpu_hours` may be core-hours. */
  unit: "gpus" | "cores";
  gpu_hours: number;
  member?: string;
  columns?: string;
  choice?: string[];
  applications?: Record<string, number>;
  binding?: {
    classes: { below_gpu_hours: number | null; applications: string[] }[];
    gpus_per_node: number;
    seed: number;
  };
  profiles?: string[];
  definitions?: string[];
}

export interface ClusterFacts {
  spec: string;
  nodes: number;
  gpus: number;
  /** What they are. */
  unit: "gpus" | "cores";
}

/** As `switchyard run --json` has it, with columns besides. Times in seconds. */
export interface Results {
  trace: TraceFacts;
  cluster: ClusterFacts;
  preset?: string;
  /** One for each policy. */
  runs: RunResult[];
  columns: JobColumns;
}

/** What the trace says of each job, in order of submission. */
export interface JobColumns {
  job: string[];
  tenant: string[];
  model: string[];
  gpus: Uint32Array;
  submit_s: Float64Array;
  duration_s: Float64Array;
  /** The time asked for; NaN where the trace does not tell. */
  requested_s: Float64Array;
  /** These only where the trace tells them of any job. */
  user?: string[];
  account?: string[];
  partition?: string[];
  qos?: string[];
  reservation?: string[];
  recorded_wait_s?: Float64Array;
}

/** What came of each job, in the same order; `NaN` where a job has not got so far. */
export interface RunColumns {
  jct_s: Float64Array;
  queueing_s: Float64Array;
  first_wait_s: Float64Array;
  longest_wait_s: Float64Array;
  restarts: Uint32Array;
  service_gpu_s: Float64Array;
  rho: Float64Array;
  evictions: Uint32Array;
  failed_attempts: Uint32Array;
  lost_gpu_s: Float64Array;
  /** How it ended otherwise than by being done, as its trace records; else "". */
  ended: string[];
  /** 1: it wants more than the cluster has. */
  rejected: Uint8Array;
}

/** Which job held GPUs when: a row for each stay of a job on GPUs, in order of start. Times in seconds since the
 * first submission. */
export interface SegmentColumns {
  /** The job: its row in `columns`. */
  job: Uint32Array;
  start_s: Float64Array;
  /** From when on it made progress, after what a restart costs. */
  ready_s: Float64Array;
  /** When it gave the GPUs back; `Infinity`: never. */
  end_s: Float64Array;
  /** How many GPUs it held. */
  gpus: Uint32Array;
  /** The part of each of them that it had: 1 where it did not share. */
  part: Float64Array;
}

/** On which GPUs: a row for each node of each segment, in the same order. */
export interface PlaceColumns {
  /** The segment: its row in `segments`. */
  segment: Uint32Array;
  /** The node, from 0. */
  node: Uint32Array;
  /** Bit `i` is set: it held the node's GPU `i`. */
  mask: BigUint64Array;
}

/** What a tree of queues did in a run (docs/queues.md). Each queue stands below the one above it. */
export interface QueueReport {
  queues: {
    name: string;
    parent: string | null;
    depth: number;
    is_leaf: boolean;
    quota: number;
    jobs: number;
    finished: number;
    executed_gpu_hours: number;
    borrowed_gpu_hours: number;
    lent_gpu_hours: number;
    own_gpu_hours: number;
    share: number;
    share_while_waiting: number;
    queueing: Distribution;
    jct: Distribution;
    preempted: number;
    preempts: number;
  }[];
  beyond_quotas_gpu_hours: number;
  preemptions: { queue: string; by: string; times: number }[];
  loops: { job: string; queue: string; by_queue: string; by_job?: string; times: number }[];
  /** GPUs, the mean of each part; in the order of `queues`. */
  over_time: {
    begin: number;
    width: number;
    queues: { used: number[]; borrowed: number[]; lent: number[]; asked: number[] }[];
  };
}

/** What jobs are told apart by. */
export type By =
  | "user"
  | "account"
  | "partition"
  | "qos"
  | "reservation"
  | "tenant"
  | "model"
  | "gpu-type"
  | "gang";

/** What happened to the jobs of one group; means are over those that finished. */
export interface GroupFigures {
  /** "" of jobs that are told nothing. */
  name: string;
  jobs: number;
  finished: number;
  executed_gpu_hours: number;
  share: number;
  queueing: Distribution;
  jct: Distribution;
  rho_mean: number | null;
}

/** Seconds, of the jobs that finished; NaN where none has. */
export interface Distribution {
  mean: number;
  median: number;
  p90: number;
  p95: number;
  p99: number;
  max: number;
}

export interface RunResult {
  /** Its spec; of a function `function:NAME`. */
  policy: string;
  /** The policy for people: of a script or a plug-in without its code. */
  label: string;
  placement: string;
  outages?: string;
  restart_cost: number;
  restart_by_model: boolean;
  spread_slowdown: string | null;
  first_start_pays: boolean;
  interference: number;
  contention: boolean;
  servers: number;
  whole_second_epochs: boolean;
  equal_types: boolean;
  mtbf: number;
  mttr: number;
  failure_shape: number;
  checkpoint_interval: number;
  checkpoint_cost: number;
  replay_failures: boolean;
  sharing: boolean;
  weights: string;
  seed: number;
  log_budget: { events: number; bytes: number };
  jobs: number;
  /** Below `jobs` the run has left jobs behind: its means are of fewer jobs than another's. */
  finished: number;
  rejected: number;
  jct: Distribution;
  queueing: Distribution;
  /** NaN while jobs are unfinished, and so is `longest_wait`. */
  makespan: number;
  restarts: number;
  gpu_allocation: number;
  node_hours: number;
  mean_nodes: number;
  fairness: { rho_mean: number; rho_p99: number; rho_max: number; jain: number };
  longest_wait: number;
  failures: {
    node_failures: number;
    evictions: number;
    executed_gpu_hours: number;
    failed_attempts: number;
    lost_gpu_hours: number;
    failed_jobs: number;
    failed_gpu_hours: number;
    cancelled_jobs: number;
    cancelled_gpu_hours: number;
    timed_out_jobs: number;
    timed_out_gpu_hours: number;
    checkpoint_gpu_hours: number;
    restore_gpu_hours: number;
    availability: number;
  };
  by_gpu_type?: {
    gpu_type: string;
    gpus: number;
    executed_gpu_hours: number;
    gpu_allocation: number;
    jobs: number;
    jct_mean: number;
    queueing_mean: number;
  }[];
  /** By whom jobs are of, where that was asked for: those who ask for most GPU·s first, gangs from the smallest. */
  by?: { [by in By]?: GroupFigures[] };
  /** The tree of queues as text, where one was given. */
  queues?: string;
  /** What it did, where that was asked for. */
  by_queue?: QueueReport;
  /** How close the run comes to what the trace records, where that tells waits. */
  calibration?: {
    jobs: number;
    recorded: Distribution;
    wait: Distribution;
    error: Distribution;
    within_two: number;
    off: number;
  };
  parameter_servers?: { started: number; beside_workers: number };
  /** That its policy is a function, which other programs do not have; with the text that has gone into a worker. */
  reproducible?: false;
  source?: string;
  /** Milliseconds of simulation. */
  wall_ms: number;
  /** A fingerprint of everything that happened: the same settings and jobs give the same, everywhere. */
  log_hash: string;
  columns: RunColumns;
  segments: SegmentColumns;
  places: PlaceColumns;
}

export interface Policy {
  name: string;
  title: string;
  summary: string;
  source: string;
  /** Whether it sees true remaining work, which no real scheduler knows. */
  oracle: boolean;
  /** Whether it repeats what the trace records, which must tell when jobs ran. */
  replays: boolean;
  params: { name: string; takes: string; default: string; help: string }[];
}

export interface Setting {
  key: string;
  label: string;
  unit: string;
  takes: string;
  default: string;
  help: string;
}

/** A number of a run (docs/metrics.md). */
export interface Metric {
  id: string;
  title: string;
  /** The title within a sentence. */
  words: string;
  meaning: string;
  formula: string;
  source: string;
  unit: "seconds" | "share" | "gpu_hours" | "node_hours" | "count" | "number";
  better: "lower" | "higher" | "neither";
  /** What it is of a run that leaves jobs unfinished. */
  unfinished: "of_finished" | "unknown" | "so_far";
  group: "run" | "jobs" | "failures" | "detail";
  /** Its place in a `RunResult`, such as `jct.mean`; "" if that has it not. */
  path: string;
  /** Former names. */
  aliases: string[];
  /** Whether tables of sweeps have it as a column. */
  column: boolean;
}

export interface Sample {
  name: string;
  title: string;
  summary: string;
  cluster: string;
}

/** Something asked for is wrong (`input`), a run has failed (`run`), or the engine itself (`engine`). */
export class SwitchyardError extends Error {
  kind: "input" | "run" | "engine";
  /** Of a table whose columns are not known: its beginning, for a `map`. */
  table?: TableHead;
}

/** Opens a trace. */
export function open(source: Source | Source[], options?: OpenOptions): Promise<Trace>;

/** Runs schedulers on a trace. */
export function run(trace: Trace, options?: RunOptions): Promise<Results>;

/**
 * A script as one of `policies`: its text (docs/scripts.md). What is wrong with it is an error that has the line.
 * `params` are those of the policy `script`, such as `{ name: "mine", placement: "spread" }`.
 */
export function script(text: string, params?: Record<string, string | number | boolean>): Promise<string>;

/** A plug-in as one of `policies`: the bytes of a WebAssembly module (docs/plugins.md); `{ name: "mine", quantum: 60 }`. */
export function plugin(module: ArrayBuffer | ArrayBufferView, params?: Record<string, string | number | boolean>): Promise<string>;

/** Every scheduler, with its parameters. */
export function policies(): Promise<Policy[]>;

/** Every setting of a run. */
export function settings(): Promise<Setting[]>;

/** The samples, which open as `sample:NAME`. */
export function samples(): Promise<Sample[]>;

/** Every metric of a run. */
export function metrics(): Promise<Metric[]>;
