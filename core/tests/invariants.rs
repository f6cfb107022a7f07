//! What holds for every scheduler, on random workloads and clusters, checked from the log alone
//! by a replay that shares no code with the engine. The numbers are those of the design's
//! invariants:
//!
//! 1. no GPU is given twice, no node is over capacity, gangs are all or nothing;
//! 2. every finished job received exactly its work, and the service in the log adds up;
//! 3. every admitted job finishes, and exactly the jobs larger than the cluster are rejected;
//! 4. the same inputs and seed give the same log;
//! 5. names and the order of rows change nothing but names;
//! 6. a run can be taken in slices, and its log can be streamed.
//!
//! A new policy is covered by its line in the registry; add variants of its parameters to
//! [`specs`].

use proptest::prelude::*;
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, Gpus, NodeGroup};
use switchyard::job::{Job, JobId, Status, Work};
use switchyard::placement::Strategy as Placing;
use switchyard::policy::{POLICIES, PolicySpec};
use switchyard::report::{Outcomes, Summary};
use switchyard::sim::{
    EventKind, HaltReason, LogBudget, LogMark, Moment, RunError, RunLog, SimOptions, TimeIndex,
    Tuning,
};
use switchyard::trace::{ImportReport, Record, Trace};
use switchyard::workload::application::{Application, packed};
use switchyard::workload::{ApplicationSettings, GpuGeneration, ModelTraits, Workload};
use switchyard::{RunSpec, Time};

/// Parameters worth testing besides every policy's defaults. Where jobs can be promoted again and
/// again, the first threshold leaves the largest gang more than the largest restart cost.
const VARIANTS: &[&str] = &[
    "fifo[backfill=true]",
    "tiresias-las[queues=1]",
    "tiresias-las[thresholds=40]",
    "tiresias-las[thresholds=300,knob=1]",
    "tiresias-las[thresholds=300:1000:5000,knob=3]",
    "tiresias-las[strict=true,measure=time]",
    "tiresias-las[placement=skew,refit=true]",
    "tiresias-las[quirks=true]",
    "tiresias-gittins[history=oracle,thresholds=300:1000,knob=2]",
    "tiresias-gittins[delta=simulator,quirks=true,history=oracle]",
    "tiresias-gittins[strict=true,delta=100,placement=skew]",
    "gittins[history=oracle,quantum=5]",
    "las[quantum=20]",
    "shortest-expected[history=oracle]",
    "yarn-cs[elastic=false,queues=one]",
    "gandiva[quantum=15]",
    "themis[lease=30,f=0.2]",
    "gavel[round=40]",
    "las[quantum=20.731]",
    "gavel[round=40.1]",
    "tiresias-tuned[round=25,threshold=300]",
    "optimus[round=45]",
    "optimus[quirks=true]",
    "pollux[population=6,generations=4]",
    "pollux[population=6,generations=4,quirks=true,p=0.5]",
    "pollux[population=5,generations=3,fit=oracle,avoidance=false,interval=35]",
    "pollux[population=6,generations=4,autoscale=goodput]",
    "pollux[population=5,generations=3,autoscale=throughput,utility=0.5:0.8,min_nodes=2]",
];

/// The most jobs under Pollux, which fits their models and searches at every round.
const MOST_FITTED_JOBS: usize = 12;

const LARGEST_GANG: u32 = 30;
const LARGEST_RESTART_COST: f64 = 9.9;

/// Every policy with its defaults (but for Pollux' search, which takes long), and the variants.
fn specs() -> impl Iterator<Item = PolicySpec> {
    let defaults = POLICIES.iter().map(|entry| entry.name);
    let defaults = defaults.filter(|name| *name != "pollux");
    defaults
        .chain(VARIANTS.iter().copied())
        .map(|spec| spec.parse().expect("a policy"))
}

/// Which waiting jobs a policy lets idle GPUs wait for, where its placement never makes a gang
/// wait.
#[derive(PartialEq)]
enum Idle {
    /// The head of the queue alone: what is behind it may fit.
    ForHead,
    /// None: no waiting job fits what is free.
    Never,
}

/// The claim a policy makes; `None`: it makes none.
fn idle(spec: &PolicySpec) -> Option<Idle> {
    match spec.name() {
        "fifo" if spec.param("backfill").is_none() => Some(Idle::ForHead),
        // Those decide at rounds only.
        "tiresias-tuned" | "optimus" | "pollux" => None,
        "yarn-cs" => None,
        _ if spec.param("strict").is_some() || spec.param("placement").is_some() => None,
        _ => Some(Idle::Never),
    }
}

/// One random run, but for its policy.
#[derive(Clone, Debug)]
struct Scene {
    workload: Arc<Workload>,
    cluster: ClusterSpec,
    placement: Placing,
    options: SimOptions,
}

impl Scene {
    fn spec(&self, policy: PolicySpec) -> RunSpec {
        RunSpec {
            policy,
            cluster: self.cluster.clone(),
            placement: self.placement,
            options: self.options,
            history: None,
        }
    }

    /// The scene as a policy gets it: no more than it can do in a test's time.
    fn under(&self, policy: &PolicySpec) -> Self {
        let mut scene = self.clone();
        if policy.name() == "pollux" {
            let workload = Arc::make_mut(&mut scene.workload);
            workload.jobs.truncate(MOST_FITTED_JOBS);
        }
        scene
    }

    /// The log of a whole run; `None` where restarts take so long that jobs hardly get anywhere,
    /// which only those of large models do here.
    fn run(&self, policy: &PolicySpec) -> Option<RunLog> {
        let mut run = self.spec(policy.clone()).start(Arc::clone(&self.workload));
        self.is_whole(run.run()).then(|| run.into_log())
    }

    /// Whether a run has come to its end.
    fn is_whole(&self, ended: Result<(), RunError>) -> bool {
        match ended {
            Ok(()) => true,
            Err(RunError::Halt(halt))
                if self.options.restart_by_model
                    && matches!(
                        halt.reason,
                        HaltReason::NoProgress { .. } | HaltReason::LogFull { .. }
                    ) =>
            {
                false
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// What is known of a job's model; every job has one.
    fn model(&self, job: &Job) -> ModelTraits {
        let model = job.model.expect("it has one") as usize;
        ModelTraits::of_name(&self.workload.models[model])
    }

    /// Seconds of a start.
    fn start_cost(&self, job: &Job, first: bool) -> f64 {
        let options = &self.options;
        if first && !options.first_start_pays {
            0.0
        } else if options.restart_by_model {
            options.restart_cost + self.model(job).restart_seconds()
        } else {
            options.restart_cost
        }
    }

    /// Seconds of progress of a plain gang per second on these GPUs.
    fn rate(&self, job: &Job, nodes: usize) -> f64 {
        let fewest = job.gpus.div_ceil(self.cluster.largest_node()) as usize;
        match self.options.spread_slowdown {
            Some(generation) if nodes > fewest => self.model(job).spread_rate(generation),
            _ => 1.0,
        }
    }

    fn gpus(&self) -> u32 {
        self.cluster.gpus()
    }
}

/// Moments of submission with many ties.
fn submits() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => (0u32..12).prop_map(|slot| f64::from(slot) * 10.0),
        1 => 0.0..150.0,
    ]
}

/// From far below a restart's cost to far beyond every threshold, with ties. Few are long: rounds
/// and quanta go on as long as they do.
fn durations() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (1u32..40).prop_map(f64::from),
        2 => 1e-6..1.0,
        1 => 1e3..1e4,
        2 => Just(10.0),
    ]
}

fn clusters() -> impl Strategy<Value = ClusterSpec> {
    let group = (1u32..4, 1u32..7).prop_map(|(nodes, gpus)| NodeGroup { nodes, gpus });
    prop::collection::vec(group, 1..4)
        .prop_map(|groups| ClusterSpec::new(groups).expect("a cluster"))
}

/// Gangs up to a little more than a cluster of a few nodes has.
fn workloads(most_jobs: usize) -> impl Strategy<Value = Workload> {
    let shape = (
        submits(),
        prop_oneof![1u32..5, 1u32..=LARGEST_GANG],
        durations(),
    );
    prop::collection::vec(shape, 1..most_jobs).prop_map(|mut shapes| {
        shapes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let job = |(i, (submit, gpus, duration))| Job {
            name: format!("job-{i}").into(),
            submit: Time(submit),
            gpus,
            // Every fourth job has none.
            tenant: Some(i as u32 % 4).filter(|tenant| *tenant < 3),
            model: Some(i as u32 % 3),
            work: Work::Fixed { duration },
        };
        Workload {
            tenants: ["a", "b", "c"].map(String::from).to_vec(),
            // Of the second the largest tensor is most of it.
            models: ["inception3", "alexnet", "resnet50"]
                .map(String::from)
                .to_vec(),
            jobs: shapes.into_iter().enumerate().map(job).collect(),
            ..Default::default()
        }
    })
}

/// The same, of which every job or none, or those with odd numbers, train an application; or all,
/// as a rule binds them.
fn mixed_workloads(most_jobs: usize) -> impl Strategy<Value = Workload> {
    (workloads(most_jobs), 0usize..4, any::<u64>()).prop_map(|(mut workload, mix, seed)| {
        if mix == 3 {
            let settings = ApplicationSettings {
                rule: "0.01: small-1; 0.5: small-4 small-1; small-4".to_owned(),
                seed,
                definitions: [definition(4), definition(1)].to_vec(),
                ..ApplicationSettings::default()
            };
            return settings.bind(workload).expect("a sound rule");
        }
        let applications = [application(4), application(1)];
        for (i, job) in workload.jobs.iter_mut().enumerate() {
            if mix == 0 || (mix == 1 && i % 2 == 0) {
                continue;
            }
            let which = i / 2 % 2;
            let batch = [32, 200][i % 2].max(job.gpus);
            let time = applications[which].training_time(&packed(job.gpus, 4), batch);
            let duration = job.work.seconds();
            job.work = Work::Adaptive {
                application: which as u32,
                batch,
                scale: duration / time,
                duration,
            };
        }
        workload.applications = applications.into_iter().map(Arc::new).collect();
        workload
    })
}

/// A small application of so many epochs.
fn application(epochs: u32) -> Application {
    Application::from_json(&definition(epochs)).expect("a sound definition")
}

fn definition(epochs: u32) -> String {
    format!(
        r#"{{
            "name": "small-{epochs}",
            "limits": {{ "m0": 16, "max_batch": 512, "min_local": 4, "max_local": 64 }},
            "learning_rate": "ada-scale",
            "epochs": {epochs},
            "samples_per_epoch": 5000,
            "throughput": {{
                "alpha_c": 0.02, "beta_c": 0.002, "alpha_n": 0.05, "beta_n": 0.002,
                "alpha_r": 0.01, "beta_r": 0.0005, "gamma": 1.5
            }},
            "noise_scale": [{{ "batch": 16, "phi": [20, 200, 4000] }}]
        }}"#
    )
}

fn scenes(most_jobs: usize) -> impl Strategy<Value = Scene> {
    let placements = prop::sample::select(&Placing::ALL[..]);
    (
        mixed_workloads(most_jobs),
        clusters(),
        placements,
        all_options(),
    )
        .prop_map(|(workload, cluster, placement, options)| Scene {
            workload: Arc::new(workload),
            cluster,
            placement,
            options,
        })
}

/// Every option of a run.
fn all_options() -> impl Strategy<Value = SimOptions> {
    let restart_costs = prop_oneof![Just(0.0), Just(7.5), 0.0..LARGEST_RESTART_COST];
    let generations = prop::option::of(prop::sample::select(&GENERATIONS[..]));
    let interferences = prop_oneof![Just(0.0), Just(0.25), 0.0..0.95];
    let budgets = (24u32..40).prop_map(|log2| LogBudget::of_bytes(1 << log2));
    (
        restart_costs,
        prop::bool::weighted(0.25),
        generations,
        any::<bool>(),
        interferences,
        prop::bool::weighted(0.25),
        any::<u64>(),
        budgets,
    )
        .prop_map(
            |(
                restart_cost,
                restart_by_model,
                spread_slowdown,
                first_start_pays,
                interference,
                whole_second_epochs,
                seed,
                log_budget,
            )| SimOptions {
                restart_cost,
                restart_by_model,
                spread_slowdown,
                first_start_pays,
                interference,
                whole_second_epochs,
                seed,
                log_budget: if restart_by_model {
                    LogBudget::of_bytes(1 << 20)
                } else {
                    log_budget
                },
            },
        )
}

const GENERATIONS: [GpuGeneration; 3] =
    [GpuGeneration::K80, GpuGeneration::P100, GpuGeneration::V100];

/// Two sums of the same moments and spans, added up in different orders.
fn nearly(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

/// One job's life, as the log tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Life {
    Absent,
    Waiting,
    Running { segment: usize },
    Finished,
    Rejected,
}

/// A replay of one log.
struct Replay<'a> {
    scene: &'a Scene,
    log: &'a RunLog,
    /// Bit set: that GPU of that node is free.
    free: Vec<u64>,
    capacity: Vec<u32>,
    life: Vec<Life>,
    starts: Vec<u32>,
    executed: Vec<f64>,
    /// Of adaptive jobs: progress, and seconds on GPUs that were left when it was complete.
    trained: Vec<(f64, f64)>,
    /// By segment: its tunings.
    tunings: Vec<Vec<Tuning>>,
    service: Vec<f64>,
    level: Vec<u32>,
    since: Vec<f64>,
    last_segment: Vec<usize>,
}

impl<'a> Replay<'a> {
    fn new(scene: &'a Scene, log: &'a RunLog) -> Self {
        let capacity: Vec<u32> = scene.cluster.gpus_per_node().collect();
        let jobs = scene.workload.jobs.len();
        let mut tunings = vec![Vec::new(); log.segments()];
        for tuning in (0..log.tunings()).map(|i| log.tuning(i)) {
            tunings[tuning.segment as usize].push(tuning);
        }
        Self {
            scene,
            log,
            free: capacity.iter().map(|&gpus| (1 << gpus) - 1).collect(),
            capacity,
            life: vec![Life::Absent; jobs],
            starts: vec![0; jobs],
            executed: vec![0.0; jobs],
            trained: vec![(0.0, 0.0); jobs],
            tunings,
            service: vec![0.0; jobs],
            level: vec![0; jobs],
            since: vec![0.0; jobs],
            last_segment: vec![0; jobs],
        }
    }

    /// Replays the events up to and including `until`; `moment_over` is called after the last
    /// event of every moment.
    fn until(mut self, until: f64, mut moment_over: impl FnMut(&Self, f64)) -> Self {
        for i in 0..self.log.events() {
            let now = self.log.event_times()[i];
            if now > until {
                break;
            }
            self.apply(i);
            if self.log.event_times().get(i + 1) != Some(&now) {
                moment_over(&self, now);
            }
        }
        self
    }

    fn apply(&mut self, i: usize) {
        let event = self.log.event(i);
        let now = event.time.seconds();
        let j = event.job.index();
        let job = &self.scene.workload.jobs[j];
        let detail = event.detail as usize;
        match event.kind {
            EventKind::Submit => {
                assert_eq!((self.life[j], event.time), (Life::Absent, job.submit));
                assert!(job.gpus <= self.scene.gpus());
                self.life[j] = Life::Waiting;
                self.since[j] = now;
            }
            EventKind::Reject => {
                assert_eq!((self.life[j], event.time), (Life::Absent, job.submit));
                assert!(job.gpus > self.scene.gpus());
                self.life[j] = Life::Rejected;
            }
            EventKind::Start | EventKind::Restart => {
                assert_eq!(self.life[j], Life::Waiting);
                let first = event.kind == EventKind::Start;
                assert_eq!(first, self.starts[j] == 0);
                self.starts[j] += 1;
                let cost = self.scene.start_cost(job, first);
                let segment = self.log.segment(detail);
                assert_eq!(segment.job, event.job);
                assert_eq!(segment.start, event.time);
                assert_eq!(segment.ready, event.time + cost);
                let gpus = segment.gpu_count();
                match job.work {
                    Work::Fixed { .. } => assert_eq!(gpus, job.gpus, "a gang is all or nothing"),
                    Work::Adaptive { .. } => assert!((1..=128).contains(&gpus)),
                }
                for part in segment.gpus {
                    let node = part.node as usize;
                    assert!(part.mask != 0 && part.mask < 1 << self.capacity[node]);
                    assert_eq!(part.mask & !self.free[node], 0, "a GPU is given twice");
                    self.free[node] &= !part.mask;
                }
                self.life[j] = Life::Running { segment: detail };
                self.last_segment[j] = detail;
                self.since[j] = now;
            }
            EventKind::Pause | EventKind::Finish => {
                assert_eq!(self.life[j], Life::Running { segment: detail });
                let segment = self.log.segment(detail);
                assert_eq!(segment.end, event.time);
                for part in segment.gpus {
                    self.free[part.node as usize] |= part.mask;
                }
                let rate = self.scene.rate(job, segment.gpus.len());
                self.executed[j] += (segment.end - segment.ready).max(0.0) * rate;
                self.service[j] += (segment.end - segment.start) * f64::from(segment.gpu_count());
                self.train(j, detail);
                self.since[j] = now;
                self.life[j] = Life::Waiting;
                if event.kind == EventKind::Finish {
                    self.life[j] = Life::Finished;
                    if let Work::Adaptive {
                        application,
                        duration,
                        ..
                    } = job.work
                    {
                        let application = &self.scene.workload.applications[application as usize];
                        let (progress, left) = self.trained[j];
                        let total = application.total_progress();
                        // What epochs of whole seconds come to has a test of its own.
                        assert!(
                            self.scene.options.whole_second_epochs
                                || nearly(progress / total * duration + now, duration + now)
                                    && left <= 1e-6 * (1.0 + now),
                            "job {j} got {progress} of {total}, {left} s too many"
                        );
                        return;
                    }
                    let duration = job.work.seconds();
                    assert!(
                        nearly(self.executed[j] + now, duration + now),
                        "job {j} of {duration} s received {} s",
                        self.executed[j]
                    );
                }
            }
            EventKind::Demote | EventKind::Promote => {
                assert!(matches!(self.life[j], Life::Waiting | Life::Running { .. }));
                let sinks = event.kind == EventKind::Demote;
                assert_eq!(sinks, event.detail > self.level[j]);
                self.level[j] = event.detail;
            }
        }
    }

    /// Follows an adaptive job's progress through one of its segments.
    fn train(&mut self, j: usize, segment: usize) {
        let Work::Adaptive {
            application,
            scale,
            duration,
            ..
        } = self.scene.workload.jobs[j].work
        else {
            assert!(self.tunings[segment].is_empty());
            return;
        };
        let application = &self.scene.workload.applications[application as usize];
        let neighbours = self.neighbours(segment);
        let options = self.scene.options;
        let tunings = &self.tunings[segment];
        let segment = self.log.segment(segment);
        let placement: Vec<u32> = segment.gpus.iter().map(|part| part.count()).collect();
        assert_eq!(tunings[0].time, segment.start);
        let (mut progress, mut left) = self.trained[j];
        for (i, tuning) in tunings.iter().enumerate() {
            let end = tunings.get(i + 1).map_or(segment.end, |next| next.time).0;
            let mut at = tuning.time.max(segment.ready).0;
            let replicas: u32 = placement.iter().sum();
            assert!(tuning.batch().m >= 1 && tuning.batch().total(replicas) <= 512.0);
            let epochs = f64::from(application.epochs());
            let done = progress / application.total_progress();
            let time = tuning.time.seconds();
            assert!(
                options.whole_second_epochs
                    || nearly(
                        tuning.epochs / epochs * duration + time,
                        done * duration + time
                    )
            );
            while at < end {
                // What rounding leaves of an epoch does not matter.
                let epoch = application.epoch_at(progress * (1.0 + 1e-12));
                let disturbed = neighbours.iter().any(|&(from, to)| from <= at && at < to);
                let lost = if disturbed { options.interference } else { 0.0 };
                let speed = application.speed(&placement, tuning.batch(), epoch);
                let speed = speed * (1.0 - lost) / scale;
                let changes = neighbours.iter().flat_map(|&(from, to)| [from, to]);
                let until = changes.filter(|&change| change > at).fold(end, f64::min);
                let step = (application.progress_after(epoch + 1) - progress) / speed;
                if step > until - at {
                    progress += (until - at) * speed;
                    at = until;
                    continue;
                }
                progress = application.progress_after(epoch + 1);
                at += step;
                if epoch + 1 == application.epochs() {
                    left += end - at;
                    break;
                }
            }
        }
        self.trained[j] = (progress, left);
    }

    /// From when to when another adaptive job on several nodes is on a node of this segment, if it
    /// is one of such a job.
    fn neighbours(&self, segment: usize) -> Vec<(f64, f64)> {
        let own = self.log.segment(segment);
        let jobs = &self.scene.workload.jobs;
        let all = (0..self.log.segments()).map(|i| (i, self.log.segment(i)));
        let others = all.filter(|(i, other)| {
            let adapts = matches!(jobs[other.job.index()].work, Work::Adaptive { .. });
            let is_near = |part: &Gpus| own.gpus.iter().any(|own| own.node == part.node);
            let distributed = own.gpus.len() > 1 && other.gpus.len() > 1;
            *i != segment && adapts && distributed && other.gpus.iter().any(is_near)
        });
        others
            .map(|(_, other)| (other.start.0, other.end.0))
            .filter(|&(from, to)| from < own.end.0 && to > own.start.0 && from < to)
            .collect()
    }

    fn free(&self) -> u32 {
        self.free.iter().map(|mask| mask.count_ones()).sum()
    }

    fn jobs(&self, wanted: impl Fn(Life) -> bool) -> impl Iterator<Item = usize> {
        (0..self.life.len()).filter(move |&j| wanted(self.life[j]))
    }

    fn waiting(&self) -> impl Iterator<Item = usize> {
        self.jobs(|life| life == Life::Waiting)
    }

    fn running(&self) -> impl Iterator<Item = usize> {
        self.jobs(|life| matches!(life, Life::Running { .. }))
    }

    fn finished(&self) -> impl Iterator<Item = usize> {
        self.jobs(|life| life == Life::Finished)
    }
}

/// What PROMOTEKNOB counts of one job since its last promotion.
#[derive(Clone, Default)]
struct Counts {
    since: f64,
    executed: f64,
    waited: f64,
    queue: u32,
}

/// Jobs are on rented nodes only, for as long as they are there.
fn check_rented(scene: &Scene, log: &RunLog) {
    for rental in (0..log.rentals()).map(|i| log.rental(i)) {
        assert!((1..=scene.cluster.nodes()).contains(&rental.nodes));
    }
    for segment in (0..log.segments()).map(|i| log.segment(i)) {
        let last = segment.gpus.iter().map(|part| part.node).max();
        for (i, rental) in (0..log.rentals()).map(|i| (i, log.rental(i))) {
            let until = if i + 1 < log.rentals() {
                log.rental(i + 1).time
            } else {
                Time::NEVER
            };
            if segment.start.max(rental.time) < segment.end.min(until) {
                assert!(last < Some(rental.nodes));
            }
        }
    }
}

/// Invariants 1 to 3, and that no GPU idles in vain.
fn check(scene: &Scene, policy: &PolicySpec, log: &RunLog) {
    let jobs = &scene.workload.jobs;
    assert!(log.event_times().is_sorted() && log.sample_times().is_sorted());
    let placement: Placing = policy
        .param("placement")
        .map_or(scene.placement, |name| name.parse().expect("a placement"));
    let idle = idle(policy).filter(|_| !placement.may_wait());

    let replay = Replay::new(scene, log).until(f64::INFINITY, |replay, now| {
        let row = log.sample_times().partition_point(|&at| at <= now) - 1;
        let held = scene.gpus() - replay.free();
        assert_eq!(log.sample_waiting()[row], replay.waiting().count() as u32);
        assert_eq!(log.sample_gpus()[row], held);
        let may_idle = match idle {
            None => None,
            Some(Idle::ForHead) => replay.waiting().next(),
            Some(Idle::Never) => replay.waiting().min_by_key(|&j| jobs[j].gpus),
        };
        if let Some(j) = may_idle {
            let free = replay.free();
            assert!(
                jobs[j].gpus > free,
                "{policy}: at {now} s job {j} waits though {free} GPUs are free"
            );
        }
    });

    for (j, job) in jobs.iter().enumerate() {
        let expected = if job.gpus > scene.gpus() {
            Life::Rejected
        } else {
            Life::Finished
        };
        assert_eq!(replay.life[j], expected, "{policy}: job {j} is stuck");
    }
    if !policy.adapts_jobs() {
        for segment in (0..log.segments()).map(|i| log.segment(i)) {
            assert_eq!(segment.gpu_count(), jobs[segment.job.index()].gpus);
        }
    }
    check_rented(scene, log);
    let starts: u32 = replay.starts.iter().sum();
    assert_eq!(log.segments(), starts as usize);

    let outcomes = Outcomes::of(&scene.workload, &scene.cluster, log);
    let summary = Summary::of_outcomes(&outcomes, &scene.cluster, log);
    for j in replay.finished() {
        assert!(nearly(outcomes.service[j], replay.service[j]));
        assert!(outcomes.queueing[j] >= 0.0 && outcomes.longest_wait[j] <= outcomes.jct[j]);
    }
    let allocated = summary.gpu_allocation * summary.makespan * f64::from(scene.gpus());
    assert!(nearly(allocated, replay.service.iter().sum()));
    assert_eq!(summary.finished + summary.rejected, summary.jobs);
    assert_eq!(summary.restarts, starts - summary.finished);
}

proptest! {
    #![proptest_config(ProptestConfig {
        // PROPTEST_CASES asks for more; each is run under every policy.
        cases: ProptestConfig::default().cases / 2,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_run_keeps_the_invariants(scene in scenes(48), tenths in 10u32..2000) {
        let interval = f64::from(tenths) / 10.0;
        let pollux = format!("pollux[population=5,generations=3,interval={interval}]");
        for policy in specs().chain([pollux.parse().expect("a policy")]) {
            let scene = scene.under(&policy);
            if let Some(log) = scene.run(&policy) {
                check(&scene, &policy, &log);
            }
        }
    }

    /// A log that comes to the end of its budget is the beginning of the whole.
    #[test]
    fn a_budget_ends_a_run_and_changes_nothing_before(scene in scenes(24), share in 0.0..1.2) {
        for policy in specs() {
            let scene = scene.under(&policy);
            let Some(whole) = scene.run(&policy) else { continue };
            let budget = (whole.bytes() as f64 * share) as u64;
            let mut short = scene.clone();
            short.options.log_budget = LogBudget::of_bytes(budget);
            let mut run = short.spec(policy.clone()).start(Arc::clone(&short.workload));
            match run.run() {
                Ok(()) => {
                    prop_assert!(whole.bytes() <= budget);
                    prop_assert_eq!(run.log(), &whole);
                }
                Err(RunError::Halt(halt)) => {
                    let full = matches!(halt.reason, HaltReason::LogFull { .. });
                    prop_assert!(full && run.log().bytes() > budget, "{}", halt);
                    let log = run.log();
                    let events = |log: &RunLog, n| (0..n).map(|i| log.event(i)).collect::<Vec<_>>();
                    let n = log.events();
                    prop_assert_eq!(events(log, n), events(&whole, n));
                }
                Err(error) => prop_assert!(false, "{}", error),
            }
        }
    }

    #[test]
    fn the_same_inputs_give_the_same_log(scene in scenes(24)) {
        for policy in specs() {
            let scene = scene.under(&policy);
            let first = scene.run(&policy);
            let second = scene.run(&policy);
            let hash = |log: &Option<RunLog>| log.as_ref().map(RunLog::hash);
            prop_assert_eq!(hash(&first), hash(&second));
            prop_assert_eq!(first, second);
        }
    }

    #[test]
    fn names_change_nothing(scene in scenes(24)) {
        let mut renamed = Workload::clone(&scene.workload);
        for job in &mut renamed.jobs {
            job.name = format!("another {}", job.name.len()).into();
        }
        let renamed = Scene { workload: Arc::new(renamed), ..scene.clone() };
        for policy in specs() {
            let (scene, renamed) = (scene.under(&policy), renamed.under(&policy));
            prop_assert_eq!(scene.run(&policy), renamed.run(&policy), "{}", policy);
        }
    }

    /// Rows of distinct submission times in any order are the same workload, and so the same runs.
    #[test]
    fn the_order_of_rows_changes_nothing(
        rows in prop::collection::btree_map(0u32..1000, (1u32..9, durations()), 1..40)
            .prop_flat_map(|rows| {
                let rows: Vec<_> = rows.into_iter().collect();
                (Just(rows.clone()), Just(rows).prop_shuffle())
            }),
    ) {
        let workload = |rows: &[(u32, (u32, f64))]| {
            let record = |(line, &(submit, (gpus, duration)))| Record {
                line,
                name: format!("submitted at {submit}").into(),
                submit: f64::from(submit),
                duration,
                gpus,
                share: 1.0,
                tenant: Some(submit % 2),
                model: None,
                batch: None,
                status: Status::Completed,
            };
            let trace = Trace {
                format: "rows".into(),
                title: "Rows".into(),
                records: (1..).zip(rows).map(record).collect(),
                tenants: vec!["even".into(), "odd".into()],
                models: Vec::new(),
                cluster: None,
                epoch: None,
                profiles: Vec::new(),
                members: Vec::new(),
                header: None,
                report: ImportReport::default(),
            };
            trace.workload()
        };
        let (in_order, shuffled) = rows;
        prop_assert_eq!(workload(&in_order), workload(&shuffled));
    }

    /// However a run is sliced, and however its log is cut into deltas, the log is the same.
    #[test]
    fn a_run_in_slices_is_the_same_run(
        scene in scenes(24),
        slices in prop::collection::vec(prop_oneof![
            (1u32..40).prop_map(Slice::Steps),
            (0.0..1e4).prop_map(Slice::Until),
        ], 0..20),
    ) {
        for policy in specs() {
            let scene = scene.under(&policy);
            let Some(whole) = scene.run(&policy) else { continue };
            let mut run = scene.spec(policy).start(Arc::clone(&scene.workload));
            let mut streamed = RunLog::default();
            let mut mark = LogMark::default();
            for slice in &slices {
                match *slice {
                    Slice::Steps(steps) => {
                        for _ in 0..steps {
                            run.step().unwrap();
                        }
                    }
                    Slice::Until(until) => {
                        run.run_until(Time(until)).unwrap();
                        prop_assert!(run.next_time() > Time(until));
                    }
                }
                streamed.apply(run.take_delta(&mut mark));
                prop_assert_eq!(&streamed, run.log());
            }
            run.run().unwrap();
            streamed.apply(run.take_delta(&mut mark));
            prop_assert_eq!(run.progress().done as usize, scene.workload.jobs.len());
            prop_assert_eq!(streamed.hash(), whole.hash());
            prop_assert_eq!(streamed, whole);
        }
    }

    /// PROMOTEKNOB bounds starvation: below the highest queue, a job that has run never waits
    /// longer than knob × its executed time (both counted since its last promotion), and a
    /// promotion comes exactly then.
    #[test]
    fn the_knob_bounds_waiting(scene in scenes(32), knob in 1u32..6, gittins in any::<bool>()) {
        let policy = if gittins {
            format!("tiresias-gittins[thresholds=300:2000,history=oracle,knob={knob}]")
        } else {
            format!("tiresias-las[thresholds=300:2000,knob={knob}]")
        };
        let Some(log) = scene.run(&policy.parse().expect("a policy")) else {
            return Ok(());
        };
        let mut counts = vec![Counts::default(); scene.workload.jobs.len()];
        for i in 0..log.events() {
            let event = log.event(i);
            let now = event.time.seconds();
            let job = &mut counts[event.job.index()];
            let passed = now - job.since;
            job.since = now;
            match event.kind {
                EventKind::Pause | EventKind::Finish => job.executed += passed,
                EventKind::Demote => {
                    job.executed += passed;
                    job.queue = event.detail;
                }
                EventKind::Restart | EventKind::Promote if job.executed > 0.0 => {
                    // In the highest queue it may have waited longer than that already.
                    let bound = f64::from(knob) * job.executed;
                    let slack = 1e-6 * (1.0 + bound);
                    let longest = bound.max(job.waited) + slack;
                    job.waited += passed;
                    prop_assert!(job.queue == 0 || job.waited <= longest, "{policy}");
                    if event.kind == EventKind::Promote {
                        prop_assert!(job.waited >= bound - slack, "{policy}: promoted early");
                        *job = Counts { since: now, ..Counts::default() };
                    }
                }
                _ => {}
            }
        }
    }

    /// A cursor sent to any moments, in any order, shows what a replay from the start shows.
    #[test]
    fn any_moment_can_be_looked_up(
        scene in scenes(400),
        targets in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
        earlier_by in prop::sample::select(&[0.0, 0.01][..]),
    ) {
        let policy: PolicySpec = "tiresias-las[thresholds=1:5:20:80:300]".parse().unwrap();
        let Some(log) = scene.run(&policy) else { return Ok(()) };
        let mut index = TimeIndex::default();
        index.extend(&log);
        let mut moment = Moment::default();
        for target in targets {
            let time = target.get(log.event_times()) - earlier_by;
            moment.seek(&log, &index, Time(time));
            let replay = Replay::new(&scene, &log).until(time, |_, _| {});
            let sorted = |jobs: &[JobId]| {
                let mut jobs: Vec<usize> = jobs.iter().map(|job| job.index()).collect();
                jobs.sort_unstable();
                jobs
            };
            prop_assert_eq!(sorted(moment.running()), replay.running().collect::<Vec<_>>());
            prop_assert_eq!(sorted(moment.waiting()), replay.waiting().collect::<Vec<_>>());
            prop_assert_eq!(moment.finished() as usize, replay.finished().count());
            for j in replay.running().chain(replay.waiting()) {
                let job = JobId(j as u32);
                prop_assert_eq!(moment.level(job), replay.level[j]);
                prop_assert_eq!(moment.since(job), Time(replay.since[j]));
                if replay.starts[j] > 0 {
                    prop_assert_eq!(moment.segment(job), replay.last_segment[j]);
                }
            }
        }
    }
}

/// How far a run is advanced at once.
#[derive(Clone, Debug)]
enum Slice {
    Steps(u32),
    Until(f64),
}
