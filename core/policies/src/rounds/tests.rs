//! Rounds that look at those alone who may be next decide as those that put all in order.

use crate::Time;
use crate::cluster::Thousandths;
use crate::job::{Demand, Job, JobId};
use crate::outages::Outages;
use crate::priority_walk::PriorityWalk;
use crate::waiting_room::Waiter;
use crate::workload::Workload;
use crate::{BuildContext, Cadence, Every, Explanation, Policy, Rng, Verdict};
use proptest::prelude::*;
use std::cmp::Reverse;
use std::sync::Arc;
use switchyard_engine::{Phase, Plan, SimOptions, Simulation, View};

/// At every round all active jobs are put in a new order.
struct Plain {
    every: Every,
    walk: PriorityWalk<u32>,
    /// The position after the last.
    last: u32,
    rank: Rank,
}

/// Puts all jobs, in the order of the last round, in that of this one, of so many seconds.
type Rank = Box<dyn Fn(&mut [JobId], &View<'_>, f64)>;

impl Policy for Plain {
    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: Some(self.every),
        }
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let last = &mut self.last;
        self.walk.follow(view, |_| {
            *last += 1;
            *last
        });
        if !view.is_round() || self.walk.waiting.is_empty() {
            return self.walk.fill(view, plan);
        }
        let mut all = self.walk.waiting.take_all();
        all.append(&mut self.walk.running);
        all.sort_unstable_by_key(|waiter| (waiter.key, waiter.job));
        let mut order: Vec<JobId> = all.iter().map(|waiter| waiter.job).collect();
        (self.rank)(&mut order, view, self.every.seconds);
        self.last = order.len() as u32;
        for (key, &job) in (0u32..).zip(&order) {
            let waiter = Waiter::of(key, job, view);
            if view.ledger().gpus(job) == 0 {
                self.walk.waiting.insert(waiter);
            } else {
                self.walk.running.push(waiter);
            }
        }
        self.walk.walk(view, plan);
        self.walk.requeue_preempted();
    }

    fn explain(&self, _view: &View<'_>, _job: JobId) -> Explanation {
        Explanation::new(Verdict::Runs, Vec::new())
    }
}

fn all_gpus(view: &View<'_>) -> f64 {
    f64::from(view.free().node_sizes().iter().sum::<u32>())
}

/// Max-min fairness by water filling.
fn by_lag(jobs: &mut [JobId], view: &View<'_>) {
    let mut gangs: Vec<u32> = jobs.iter().map(|&job| view.gpus(job)).collect();
    gangs.sort_unstable();
    let (mut left, mut level) = (all_gpus(view), f64::INFINITY);
    for (i, &gang) in gangs.iter().enumerate() {
        let equal = left / (gangs.len() - i) as f64;
        if f64::from(gang) > equal {
            level = equal;
            break;
        }
        left -= f64::from(gang);
    }
    jobs.sort_by_cached_key(|&job| {
        let (age, held) = (view.now() - view.submit(job), view.held_seconds(job));
        let received = if age > 0.0 { held / age } else { 0.0 };
        let target = (level / f64::from(view.gpus(job))).min(1.0);
        let lag = if received > 0.0 {
            target / received
        } else {
            f64::INFINITY
        };
        let waits = view.phase(job) != Phase::Running;
        (Reverse(Time(lag)), waits, job)
    });
}

/// Themis with this fairness.
fn by_auction(jobs: &mut [JobId], view: &View<'_>, fairness: f64, lease: f64) {
    let share = all_gpus(view) / jobs.len() as f64;
    let shared = |job: JobId| (view.now() - view.submit(job)) + view.remaining(job).unwrap();
    jobs.sort_by_cached_key(|&job| {
        let crowded = f64::from(view.gpus(job)) / share;
        let ideal = view.duration(job).unwrap() * crowded.max(1.0);
        (Reverse(Time(shared(job) / ideal)), job)
    });
    let bidders = libm::ceil((1.0 - fairness) * jobs.len() as f64) as usize;
    let bidders = bidders.clamp(1, jobs.len());
    jobs[..bidders].sort_by_cached_key(|&job| {
        let gain = libm::log1p(lease / shared(job).max(1e-9));
        (Reverse(Time(gain / f64::from(view.gpus(job)))), job)
    });
}

#[derive(Clone, Debug)]
struct World {
    jobs: Vec<Job>,
    cluster: &'static str,
    placement: &'static str,
    options: SimOptions,
    outages: Outages,
    seconds: f64,
}

fn worlds() -> impl Strategy<Value = World> {
    let row = (0u32..30, 1u32..7, 1u32..90, 0u8..4);
    (
        prop::collection::vec(row, 1..70),
        // Numbers of all fractions, and such that much is equal.
        prop::sample::select(vec![1.0, 0.1, 1e4 / 3.0]),
        prop::sample::select(vec![1, 30]),
        prop::sample::select(vec!["1x1", "2x4", "5x2", "2x4:v100/cores=8+3x2:t4/cores=3"]),
        prop::sample::select(vec!["least-fragmentation", "consolidated", "spread"]),
        prop::sample::select(vec![0.0, 0.7]),
        (any::<bool>(), any::<bool>(), any::<u64>()),
        prop::sample::select(vec![3.0, 7.3, 20.0]),
    )
        .prop_map(
            |(rows, unit, coarse, cluster, placement, restart, (sharing, fails, seed), round)| {
                let mut jobs: Vec<Job> = (rows.into_iter())
                    .map(|(submit, gpus, seconds, share)| {
                        let seconds = f64::from(seconds.div_ceil(coarse) * coarse) * unit;
                        let share = Thousandths::new(u16::from(share) * 300);
                        Job {
                            demand: Demand {
                                share,
                                ..Demand::default()
                            },
                            ..Job::plain(f64::from(submit) * unit, gpus, seconds)
                        }
                    })
                    .collect();
                jobs.sort_by_key(|job| job.submit);
                let down = format!("0:{}..{}", 20.0 * unit, 35.0 * unit);
                World {
                    jobs,
                    cluster,
                    placement,
                    options: SimOptions {
                        restart_cost: restart * unit,
                        checkpoint_interval: if fails { 10.0 * unit } else { 0.0 },
                        sharing,
                        seed,
                        ..SimOptions::default()
                    },
                    outages: if fails {
                        down.parse().unwrap()
                    } else {
                        Outages::default()
                    },
                    seconds: (round * unit).max(1.0),
                }
            },
        )
}

/// What comes of a policy, or of the plain rounds with its name.
fn log(world: &World, policy: &str, plain: Option<Rank>) -> u64 {
    let workload = Arc::new(Workload {
        jobs: world.jobs.clone(),
        ..Workload::default()
    });
    let context = BuildContext {
        placement: world.placement.parse().unwrap(),
        workload: &workload,
        history: None,
        picker: None,
        queues: None,
    };
    let mut scheduler = crate::build(&policy.parse().unwrap(), &context);
    if let Some(rank) = plain {
        let every = scheduler.policy.cadence().every.unwrap();
        scheduler.policy = Box::new(Plain {
            every,
            walk: PriorityWalk::new(context.placement),
            last: 0,
            rank,
        });
    }
    let cluster = world.cluster.parse().unwrap();
    let run = Simulation::new(Arc::clone(&workload), &cluster, scheduler, world.options);
    let mut run = run.with_outages(&world.outages);
    run.run().unwrap();
    run.log().hash()
}

proptest! {
    #[test]
    fn who_lags_most_is_found_as_by_a_look_at_all(world in worlds()) {
        let policy = format!("gavel[round={}]", world.seconds);
        let plain: Rank = Box::new(|jobs, view, _| by_lag(jobs, view));
        prop_assert_eq!(log(&world, &policy, None), log(&world, &policy, Some(plain)));
    }

    #[test]
    fn bidders_are_found_as_by_a_look_at_all(
        world in worlds(),
        fairness in prop::sample::select(vec![0.0, 0.3, 0.8, 1.0]),
    ) {
        let policy = format!("themis[lease={},f={fairness}]", world.seconds);
        let plain: Rank = Box::new(move |jobs, view, lease| by_auction(jobs, view, fairness, lease));
        prop_assert_eq!(log(&world, &policy, None), log(&world, &policy, Some(plain)));
    }
}
