//! Optimus+Oracle, Pollux' baseline (Peng et al., EuroSys'18 §4.1, as OSDI'21 §5.1 runs it): the
//! batch size is fixed, and GPUs go one by one to the job that gains most time by its next.
//!
//! Every job gets one GPU, first come first served; then, while there are GPUs and somebody gains,
//! +1 to the greatest (T(k) − T(k+1)) × remaining iterations. T is the true step time and the
//! remaining iterations are true: an oracle. Jobs whose number did not change stay where they are;
//! the others, fewest GPUs first, take what is free on the emptiest node, then on the next.

use super::emptiest;
use super::entry::{BuildContext, Properties};
use super::parameters::{GANG_PLACEMENT, PlacementChoice, param, parameters};
use super::rigid::{self, Rigid};
use super::{
    Cadence, Explanation, Fact, ParamKind, Plot, PlotLine, Policy, PolicyEntry, Rng, RoundReport,
    RoundRow, rounds,
};
use crate::application::{Application, packed};
use crate::cluster::Part;
use crate::goodput::LocalBatch;
use crate::job::JobId;
use crate::order;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};
use switchyard_engine::{News, Plan, View};
use switchyard_explain::{Said, Unit};

/// A job as the rule sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Demand {
    /// The most GPUs it can use: its batch size over the least of a GPU.
    max_replicas: u32,
    /// Iterations it still needs.
    remaining: f64,
}

/// A job's gain by its next GPU; of equal ones the first job's is the greater.
#[derive(Clone, Copy, Debug)]
struct Gain {
    seconds: f64,
    job: Reverse<usize>,
}

impl Ord for Gain {
    fn cmp(&self, other: &Self) -> Ordering {
        order::by_value(&self.seconds, &other.seconds).then(self.job.cmp(&other.job))
    }
}

impl PartialOrd for Gain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Gain {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Gain {}

/// How many GPUs each job gets, of `gpus`; jobs in the order in which they came.
/// `step_time(job, k)` is the seconds of an iteration on k GPUs, packed; `given` is told the gain,
/// in seconds, of each GPU beyond the first ones.
fn replicas_by_gain(
    gpus: u32,
    jobs: &[Demand],
    mut step_time: impl FnMut(usize, u32) -> f64,
    mut given: impl FnMut(f64),
) -> Vec<u32> {
    let mut free = gpus;
    let mut counts = vec![0; jobs.len()];
    let mut gains = BinaryHeap::with_capacity(jobs.len());
    let mut offer = |gains: &mut BinaryHeap<Gain>, job: usize, has: u32| {
        if has < jobs[job].max_replicas {
            let saved = step_time(job, has) - step_time(job, has + 1);
            let seconds = saved * jobs[job].remaining;
            if seconds > 0.0 {
                gains.push(Gain {
                    seconds,
                    job: Reverse(job),
                });
            }
        }
    };
    for (job, count) in counts.iter_mut().enumerate() {
        if free == 0 {
            break;
        }
        *count = 1;
        free -= 1;
        offer(&mut gains, job, 1);
    }
    while free > 0
        && let Some(Gain { job, seconds }) = gains.pop()
    {
        given(seconds);
        let job = job.0;
        counts[job] += 1;
        free -= 1;
        offer(&mut gains, job, counts[job]);
    }
    counts
}

/// What limits a fixed batch on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BatchLimits {
    /// M0: the batch whose statistics one GPU can take without accumulation.
    initial: u32,
    /// Mmax.
    max: u32,
    /// The most a GPU holds.
    max_local: u32,
}

/// How a batch is split over k GPUs.
/// `reference` keeps the artifact's rule, by which a single GPU always accumulates; otherwise it
/// does so only above M0, where gradient statistics need two passes.
fn split(batch: u32, k: u32, limits: BatchLimits, reference: bool) -> LocalBatch {
    let k = k.max(1);
    let local = batch.div_ceil(k);
    let mut accumulation = local.div_ceil(limits.max_local.max(1)).max(1) - 1;
    if k == 1 && accumulation == 0 && (reference || local > limits.initial) {
        accumulation = 1;
    }
    let most = limits.max / (k * (accumulation + 1));
    LocalBatch::new(local.div_ceil(accumulation + 1).min(most), accumulation)
}

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "optimus",
    title: "Optimus+Oracle",
    summary: "One GPU each, then one by one to the job that gains most time by its next, at a fixed batch size. Sees true step times and remaining iterations.",
    source: "Peng et al., EuroSys'18 §4.1; Pollux' simulator's optimus",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        round: f64 = rounds::round("60"),
        quirks: bool = param(
            ParamKind::Bool,
            "false",
            "As Pollux' simulator has it: one GPU always accumulates, the epoch under way counts as done, ncf stays on one GPU.",
        )
        .for_experts(),
        placement: PlacementChoice = GANG_PLACEMENT,
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        true
    }

    fn adapts_jobs(&self) -> bool {
        true
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(Optimus {
        round: params.round,
        quirks: params.quirks,
        rigid: Rigid::new(params.placement.asked(context.placement)),
        jobs: Vec::new(),
        to_go: BTreeMap::new(),
        step_times: BTreeMap::new(),
        last: None,
    })
}

struct Optimus {
    round: f64,
    quirks: bool,
    rigid: Rigid,
    /// In order of submission.
    jobs: Vec<JobId>,
    /// By application and batch: iterations of that batch until so many epochs are complete.
    to_go: BTreeMap<(u32, u32), Vec<f64>>,
    /// By application, batch and GPUs: seconds of an iteration.
    step_times: BTreeMap<(u32, u32, u32), f64>,
    last: Option<RoundReport>,
}

impl Optimus {
    /// Speed over that on one GPU.
    fn speedup(&mut self, view: &View<'_>, job: JobId, gpus: u32) -> f64 {
        if gpus == 0 {
            return 0.0;
        }
        let one = self.step_time(view, job, 1);
        let time = self.step_time(view, job, gpus);
        if time > 0.0 { one / time } else { 0.0 }
    }

    fn demand(&mut self, view: &View<'_>, job: JobId) -> Option<Demand> {
        let training = view.training(job)?;
        let (truth, scale) = (training.truth()?, training.scale()?);
        let batch = training.batch();
        let to_go = self
            .to_go
            .entry((training.application(), batch))
            .or_insert_with(|| iterations(truth, batch));
        let at = |epoch: u32| to_go.get(epoch as usize).copied().unwrap_or(0.0);
        let (epoch, epochs) = (training.epoch(), training.epochs());
        let remaining = if !self.quirks {
            let part = training.epochs_done() - f64::from(epoch);
            at(epochs) - at(epoch) - part * (at(epoch + 1) - at(epoch))
        } else if epoch + 1 >= epochs {
            1.0
        } else {
            at(epochs) - at(epoch + 1)
        };
        let alone = self.quirks && training.name() == "ncf";
        let most = batch / training.limits().min_local.max(1);
        Some(Demand {
            max_replicas: if alone { 1 } else { most.max(1) },
            remaining: remaining * scale,
        })
    }

    fn step_time(&mut self, view: &View<'_>, job: JobId, gpus: u32) -> f64 {
        let Some(training) = view.training(job) else {
            return 0.0;
        };
        let (quirks, batch) = (self.quirks, training.batch());
        let key = (training.application(), batch, gpus);
        *self.step_times.entry(key).or_insert_with(|| {
            let limits = training.limits();
            let limits = BatchLimits {
                initial: limits.m0,
                max: limits.max_batch,
                max_local: limits.max_local,
            };
            let LocalBatch { m, s } = split(batch, gpus, limits, quirks);
            let placement = packed(gpus, view.node_size());
            let truth = training.truth();
            truth.map_or(0.0, |truth| truth.step_times(&placement, m).iteration(s))
        })
    }
}

/// Iterations of a batch until so many epochs are complete.
fn iterations(application: &Application, batch: u32) -> Vec<f64> {
    let until = |epochs| application.iterations(batch, epochs);
    (0..=application.epochs()).map(until).collect()
}

impl Policy for Optimus {
    fn cadence(&self) -> Cadence {
        rounds::over_all(self.round, "round")
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let jobs = &mut self.jobs;
        for &news in view.news() {
            match news {
                News::Arrived(job) if view.training(job).is_some() => jobs.push(job),
                News::Arrived(job) => self.rigid.admit(job),
                News::Finished(job) => jobs.retain(|&other| other != job),
                News::Evicted(job) if view.training(job).is_none() => self.rigid.admit(job),
                News::Evicted(_)
                | News::Alarm(_)
                | News::NodeDown(_)
                | News::NodeUp(_)
                | News::CoresFreed => {}
            }
        }
        let mut nodes = view.free().node_sizes().to_vec();
        // Who is on a node that takes nobody stays there to its end.
        let (pinned, jobs): (Vec<JobId>, Vec<JobId>) =
            (self.jobs.iter()).partition(|&&job| view.is_on_closed_node(job));
        for &job in &pinned {
            rigid::take(&mut nodes, view.ledger().parts(job));
        }
        self.rigid.give_out(view, &mut nodes, plan);
        let none = Demand {
            max_replicas: 1,
            remaining: 0.0,
        };
        let demands: Vec<Demand> = jobs
            .iter()
            .map(|&job| self.demand(view, job).unwrap_or(none))
            .collect();
        let mut gains = Vec::new();
        let counts = replicas_by_gain(
            nodes.iter().sum(),
            &demands,
            |job, gpus| self.step_time(view, jobs[job], gpus),
            |gain| gains.push(gain),
        );
        let current = rigid::still_held(view, jobs.iter().copied(), &nodes);
        let placed = emptiest::place(&nodes, &counts, &current);
        let mut rows = Vec::with_capacity(jobs.len());
        for ((&job, after), current) in jobs.iter().zip(placed).zip(&current) {
            let gpus = Part::gpus_of(&after);
            let before = view.ledger().parts(job);
            match view.training(job) {
                _ if after == before => {}
                Some(training) if gpus > 0 => {
                    let batch = training.limits().split(training.batch(), gpus);
                    plan.train(job, &after, batch);
                }
                _ => plan.preempt(job),
            }
            rows.push(RoundRow {
                job,
                before: before.to_vec(),
                after,
                speedup_before: self.speedup(view, job, Part::gpus_of(current)),
                speedup: self.speedup(view, job, gpus),
            });
        }
        for job in pinned {
            let parts = view.ledger().parts(job);
            let speedup = self.speedup(view, job, Part::gpus_of(parts));
            rows.push(RoundRow {
                job,
                before: parts.to_vec(),
                after: parts.to_vec(),
                speedup_before: speedup,
                speedup,
            });
        }
        let gains = (1..).map(f64::from).zip(gains).collect();
        self.last = Some(RoundReport {
            at: view.now(),
            plots: vec![Plot::new(
                "Time saved by each GPU, in the order in which they were given",
                "GPUs given beyond each job's first",
                "seconds",
                vec![PlotLine::new("", gains)],
            )],
            rows,
            choices: None,
        });
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let verdict = rigid::verdict(view, job);
        let Some(training) = view.training(job) else {
            return Explanation::new(verdict, vec![rigid::plain_gang()]);
        };
        let (application, batch) = (training.application(), training.batch());
        let key = |gpus| (application, batch, gpus);
        let times = self.step_times.range(key(0)..=key(u32::MAX));
        let points: Vec<(f64, f64)> = times
            .map(|(&(_, _, gpus), &seconds)| (f64::from(gpus), seconds))
            .collect();
        let gpus = view.ledger().gpus(job);
        let facts = vec![
            Fact::count("batch size", batch, Unit::Samples).then(", fixed"),
            Fact::count("GPUs", gpus, Unit::None),
            Fact::number("epochs", training.epochs_done(), 1, Unit::None)
                .then(" of ")
                .and(Said::count(training.epochs(), Unit::None)),
        ];
        Explanation {
            plots: vec![Plot {
                job_at: (gpus > 0).then_some(f64::from(gpus)),
                ..Plot::new(
                    "Seconds of an iteration by GPUs",
                    "GPUs",
                    "seconds",
                    vec![PlotLine::new("true step time", points)],
                )
            }],
            ..Explanation::new(verdict, facts)
        }
    }

    fn round(&self) -> Option<RoundReport> {
        self.last.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn demand(max_replicas: u32, remaining: f64) -> Demand {
        Demand {
            max_replicas,
            remaining,
        }
    }

    fn replicas(gpus: u32, jobs: &[Demand], step_time: impl FnMut(usize, u32) -> f64) -> Vec<u32> {
        replicas_by_gain(gpus, jobs, step_time, |_| {})
    }

    /// T = 12/k and 6/k, 10 iterations: the second GPU saves 60 s or 30 s, the third 20 s or 10 s.
    #[test]
    fn the_next_gpu_goes_where_most_time_is_saved() {
        let jobs = [demand(8, 10.0), demand(8, 10.0)];
        let time = |job: usize, k: u32| [12.0, 6.0][job] / f64::from(k);
        assert_eq!(replicas(1, &jobs, time), [1, 0]);
        assert_eq!(replicas(2, &jobs, time), [1, 1]);
        assert_eq!(replicas(3, &jobs, time), [2, 1]);
        assert_eq!(replicas(4, &jobs, time), [2, 2]);
        assert_eq!(replicas(5, &jobs, time), [3, 2]);
    }

    #[test]
    fn nobody_gets_what_does_not_help() {
        let slower = |_: usize, k: u32| if k > 3 { 5.0 } else { 4.0 / f64::from(k) };
        assert_eq!(replicas(100, &[demand(50, 1.0)], slower), [3]);
        assert_eq!(replicas(100, &[demand(2, 1.0)], slower), [2]);
        assert_eq!(replicas(100, &[demand(50, 0.0)], slower), [1]);
    }

    /// deepspeech2's limits: M0 20, Mmax 640, 80 a GPU.
    #[test]
    fn a_batch_is_split_as_in_the_artifact() {
        let limits = BatchLimits {
            initial: 20,
            max: 640,
            max_local: 80,
        };
        let split = |batch, k, reference| {
            let LocalBatch { m, s } = split(batch, k, limits, reference);
            (m, s)
        };
        assert_eq!(split(320, 6, true), (54, 0));
        assert_eq!(split(320, 3, true), (54, 1));
        assert_eq!(split(320, 1, true), (80, 3));
        // At M0 on one GPU, only the reference accumulates.
        assert_eq!(split(20, 1, true), (10, 1));
        assert_eq!(split(20, 1, false), (20, 0));
        assert_eq!(split(60, 1, false), (30, 1));
        // 640 over 12: 54 a GPU, of which Mmax lets 53 pass.
        assert_eq!(split(640, 12, true), (53, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        /// All GPUs go to those who gain; nobody gets more than the most; everyone is placed.
        #[test]
        fn every_gpu_is_given_once(
            nodes in prop::collection::vec(1..=8_u32, 1..10),
            jobs in prop::collection::vec((1..=20_u32, 1..100_u32), 1..20),
        ) {
            let demands: Vec<_> = jobs.iter().map(|&(max, left)| demand(max, f64::from(left))).collect();
            let total: u32 = nodes.iter().sum();
            let counts = replicas(total, &demands, |_, k| 1.0 / f64::from(k));
            let wanted: u32 = demands.iter().map(|demand| demand.max_replicas).sum();
            prop_assert_eq!(counts.iter().sum::<u32>(), total.min(wanted));
            prop_assert!(counts.iter().zip(&demands).all(|(&k, demand)| k <= demand.max_replicas));
            let placed = emptiest::place(&nodes, &counts, &vec![Vec::new(); counts.len()]);
            let mut used = vec![0; nodes.len()];
            for (parts, &count) in placed.iter().zip(&counts) {
                prop_assert_eq!(Part::gpus_of(parts), count);
                parts.iter().for_each(|part| used[part.node as usize] += part.gpus);
            }
            prop_assert!(used.iter().zip(&nodes).all(|(used, all)| used <= all));
        }
    }
}
