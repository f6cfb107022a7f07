//! Tiresias' discretized 2D-LAS (NSDI'19 §4.2): K queues by attained service (GPUs × time on
//! GPUs). A job starts in the highest queue and is demoted when its service crosses the queue's
//! threshold; queues are served in order, within one the running jobs come first, each group in
//! the order in which it came there (FIFO by start time). What does not fit is skipped.
//!
//! PROMOTEKNOB: a job that has waited `knob` × its executed time goes back to the highest queue,
//! and both counts start anew.

use super::priority_walk::PriorityWalk;
use super::registry::{PLACEMENT, Registered};
use super::waiting_room::Waiter;
use super::{
    Explanation, Fact, ParamInfo, ParamKind, Params, Policy, PolicyEntry, PolicySpec, Rng,
};
use crate::job::JobId;
use crate::placement::Strategy;
use crate::sim::{Phase, Plan, View};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "tiresias-las",
        title: "Tiresias 2D-LAS",
        summary: "K queues by attained service (GPUs × time): new jobs first, demoted as they are served. Needs no knowledge of durations.",
        source: "Gu et al., NSDI'19 §4.2; simulator's dlas-gpu",
        oracle: false,
        params: &[
            ParamInfo {
                name: "queues",
                aliases: &["k"],
                kind: ParamKind::Int { min: 1, max: 16 },
                default: "3",
                help: "How many queues (K); one more than there are thresholds.",
            },
            ParamInfo {
                name: "thresholds",
                aliases: &["threshold"],
                kind: ParamKind::Ascending,
                default: "3250:7200",
                help: "Attained service, in GPU·s, at which a job sinks to the next queue.",
            },
            ParamInfo {
                name: "knob",
                aliases: &["promoteknob"],
                kind: ParamKind::Float { min: 0.0, max: 1e9 },
                default: "0",
                help: "PROMOTEKNOB: a job that waited knob × its executed time returns to the highest queue; 0: never.",
            },
            PLACEMENT,
        ],
        check: |params| thresholds(params).map(drop),
    },
    build: |params, run_default| Box::new(TiresiasLas::new(params, run_default)),
};

/// The K−1 thresholds. `queues` alone keeps the first defaults; thresholds alone set the queues.
fn thresholds(params: &Params<'_>) -> Result<Vec<f64>, String> {
    let queues = params.int("queues") as usize;
    let mut thresholds = params.ascending("thresholds");
    if !params.is_given("thresholds") {
        thresholds.truncate(queues - 1);
    }
    if (params.is_given("queues") || !params.is_given("thresholds"))
        && thresholds.len() != queues - 1
    {
        let wanted = queues - 1;
        return Err(format!(
            "{queues} queues need {wanted} thresholds, not {}",
            thresholds.len()
        ));
    }
    Ok(thresholds)
}

/// The order of jobs: by queue; in it, jobs that already ran there before those that wait or
/// have just sunk into it; among equals, first come first served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    queue: u32,
    newcomer: bool,
    turn: i64,
}

/// Queue membership of one job.
#[derive(Clone, Copy, Debug)]
struct Standing {
    rank: Rank,
    /// Attained service (GPU·s) and seconds on GPUs at the last promotion: counted from there.
    service_base: f64,
    held_base: f64,
}

struct TiresiasLas {
    spec: PolicySpec,
    thresholds: Vec<f64>,
    knob: f64,
    walk: PriorityWalk<Rank>,
    /// By job.
    standing: Vec<Standing>,
    /// The next turn at a queue's tail, and the next one before its head.
    tail: i64,
    head: i64,
    /// Running jobs that have just sunk into a queue.
    demoted: Vec<JobId>,
    /// Positions of running jobs that are about to be settled.
    settling: Vec<usize>,
}

impl TiresiasLas {
    fn new(params: &Params<'_>, run_default: Strategy) -> Self {
        Self {
            spec: params.spec().clone(),
            // Checked when the spec was parsed.
            thresholds: thresholds(params).unwrap_or_default(),
            knob: params.float("knob"),
            walk: PriorityWalk::new(params.placement("placement", run_default)),
            standing: Vec::new(),
            tail: 0,
            head: -1,
            demoted: Vec::new(),
            settling: Vec::new(),
        }
    }

    fn newcomer(&mut self, queue: u32) -> Rank {
        self.tail += 1;
        Rank {
            queue,
            newcomer: true,
            turn: self.tail,
        }
    }

    fn admit(&mut self, view: &View<'_>, job: JobId) {
        let rank = self.newcomer(0);
        let nobody = Standing {
            rank,
            service_base: 0.0,
            held_base: 0.0,
        };
        if self.standing.len() <= job.index() {
            self.standing.resize(job.index() + 1, nobody);
        }
        self.standing[job.index()] = nobody;
        self.walk.waiting.insert(Waiter {
            key: rank,
            job,
            gpus: view.gpus(job),
        });
    }

    /// A running job has crossed its queue's threshold.
    fn demote(&mut self, job: JobId, plan: &mut Plan) {
        let queue = self.standing[job.index()].rank.queue + 1;
        let rank = self.newcomer(queue);
        self.standing[job.index()].rank = rank;
        if let Some(running) = self
            .walk
            .running
            .iter_mut()
            .find(|running| running.job == job)
        {
            running.key = rank;
        }
        self.demoted.push(job);
        plan.demote(job, queue);
    }

    /// A waiting job has waited long enough.
    fn promote(&mut self, view: &View<'_>, job: JobId, plan: &mut Plan) {
        let gpus = view.gpus(job);
        self.walk.waiting.remove(Waiter {
            key: self.standing[job.index()].rank,
            job,
            gpus,
        });
        let rank = self.newcomer(0);
        self.standing[job.index()] = Standing {
            rank,
            service_base: view.attained(job),
            held_base: view.held_seconds(job),
        };
        self.walk.waiting.insert(Waiter {
            key: rank,
            job,
            gpus,
        });
        plan.promote(job, 0);
    }

    /// Jobs that now run are settled in their queue, behind those that ran there before.
    fn settle_running(&mut self) {
        self.settling.clear();
        let newcomers = self
            .walk
            .started
            .iter()
            .map(|started| started.job)
            .chain(self.demoted.iter().copied());
        for job in newcomers {
            let rank = self.standing[job.index()].rank;
            self.settling.extend(self.walk.position(rank, job));
        }
        self.settling.sort_unstable();
        for &position in &self.settling {
            let running = &mut self.walk.running[position];
            self.tail += 1;
            running.key = Rank {
                newcomer: false,
                turn: self.tail,
                ..running.key
            };
            self.standing[running.job.index()].rank = running.key;
        }
    }

    /// Jobs that were settled and lost their GPUs wait before all others of their queue.
    fn requeue_preempted(&mut self) {
        for mut preempted in self.walk.preempted.drain(..).rev() {
            if !preempted.key.newcomer {
                preempted.key = Rank {
                    newcomer: true,
                    turn: self.head,
                    ..preempted.key
                };
                self.head -= 1;
                self.standing[preempted.job.index()].rank = preempted.key;
            }
            self.walk.waiting.insert(preempted);
        }
    }

    /// Asks to be called when the running job's service crosses its queue's threshold.
    fn watch_threshold(&self, view: &View<'_>, job: JobId, plan: &mut Plan) {
        let standing = &self.standing[job.index()];
        if let Some(threshold) = self.thresholds.get(standing.rank.queue as usize) {
            let left = threshold - (view.attained(job) - standing.service_base);
            plan.alarm(job, view.now() + left.max(0.0) / f64::from(view.gpus(job)));
        }
    }

    /// Asks to be called when the preempted job has waited long enough to be promoted.
    fn watch_waiting(&self, view: &View<'_>, job: JobId, plan: &mut Plan) {
        let standing = &self.standing[job.index()];
        if self.knob > 0.0 && standing.rank.queue > 0 {
            let executed = view.held_seconds(job) - standing.held_base;
            plan.alarm(job, view.now() + self.knob * executed);
        }
    }
}

impl Policy for TiresiasLas {
    fn spec(&self) -> &PolicySpec {
        &self.spec
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        for &job in view.finished() {
            if let Some(at) = self.walk.position(self.standing[job.index()].rank, job) {
                self.walk.running.remove(at);
            }
        }
        self.demoted.clear();
        for &job in view.alarmed() {
            match view.phase(job) {
                Phase::Running => self.demote(job, plan),
                _ => self.promote(view, job, plan),
            }
        }
        for &job in view.arrived() {
            self.admit(view, job);
        }
        if !self.demoted.is_empty() {
            self.walk.sort_running();
        }
        self.walk.walk(view, plan);

        for i in 0..self.demoted.len() {
            if !self
                .walk
                .preempted
                .iter()
                .any(|preempted| preempted.job == self.demoted[i])
            {
                self.watch_threshold(view, self.demoted[i], plan);
            }
        }
        for started in &self.walk.started {
            self.watch_threshold(view, started.job, plan);
        }
        for preempted in &self.walk.preempted {
            self.watch_waiting(view, preempted.job, plan);
        }
        self.settle_running();
        self.requeue_preempted();
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let verdict = self.walk.verdict(view, job);
        let Some(standing) = self.standing.get(job.index()) else {
            return Explanation::new(verdict, Vec::new());
        };
        let queue = standing.rank.queue;
        let service = view.attained(job) - standing.service_base;
        let mut facts = vec![
            Fact::new(
                "queue",
                format!("{} of {}", queue + 1, self.thresholds.len() + 1),
            ),
            Fact::new("attained service", format!("{service:.0} GPU·s")),
        ];
        if let Some(threshold) = self.thresholds.get(queue as usize) {
            facts.push(Fact::new("demoted at", format!("{threshold} GPU·s")));
        }
        if self.knob > 0.0 && view.phase(job) == Phase::Waiting && queue > 0 {
            let executed = view.held_seconds(job) - standing.held_base;
            facts.push(Fact::new(
                "promoted after waiting",
                format!("{:.0} s", self.knob * executed),
            ));
        }
        Explanation::new(verdict, facts)
    }
}
