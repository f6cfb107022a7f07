//! How long the cycle of a group lasts: jobs take turns at storage and CPUs, GPUs and network.
//!
//! In: how long one iteration of each job needs each resource. Out: the time of a cycle, in which each job does one
//! iteration, the order of the jobs, and when each phase begins. Storage and CPUs take two of a cycle's four slots. Source:
//! section 4.2 of Muri (SIGCOMM'22), with the recurrence of the authors' simulator (`calc_iteration_time`).

/// How many jobs may share GPUs: one for each slot of a cycle.
pub const SLOTS: usize = 4;

/// How many steps the recurrence is followed: two cycles.
const STEPS: usize = 2 * SLOTS;

/// How near two cycles must be to count as the steady state.
const STEADY: f64 = 1e-3;

/// How long one iteration needs each resource, seconds. None is negative.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ResourceTimes {
    /// Reading from storage and preparing on CPUs.
    pub storage_and_cpu: f64,
    /// Computing on GPUs.
    pub gpu: f64,
    /// Exchanging gradients.
    pub network: f64,
}

impl ResourceTimes {
    /// All of them, one after the other, seconds.
    pub fn sum(self) -> f64 {
        self.storage_and_cpu + self.gpu + self.network
    }
}

/// Which order of jobs a group takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Ordering {
    /// That of the shortest cycle.
    #[default]
    Best,
    /// That of the longest one: the ablation of figure 11.
    Worst,
}

impl Ordering {
    /// Whether a cycle is preferred to another.
    fn prefers(self, period: f64, to: f64) -> bool {
        match self {
            Self::Best => period < to,
            Self::Worst => period > to,
        }
    }
}

/// When the phases of a job begin, seconds from the begin of the cycle. Each lasts as long as its resource time, and may
/// go on into the next cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// The job, by its place among those given.
    pub job: usize,
    /// When its storage and CPU phase begins.
    pub storage_and_cpu: f64,
    /// When its GPU phase begins.
    pub gpu: f64,
    /// When its network phase begins.
    pub network: f64,
}

/// The cycle of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// How long it lasts, seconds, without what sharing costs.
    pub period: f64,
    /// The jobs in their order.
    pub turns: Vec<Turn>,
}

/// The cycle of one to four jobs; `None` of none or more.
///
/// Two jobs may also halve the cycle: one has storage and CPUs while the other has GPU and network.
pub fn cycle(jobs: &[ResourceTimes], ordering: Ordering) -> Option<Cycle> {
    match jobs {
        [] => None,
        [job] => Some(alone(*job)),
        _ if jobs.len() > SLOTS => None,
        _ => {
            let mut best: Option<(Steady, Vec<usize>)> = None;
            permutations(jobs.len(), &mut |order| {
                let found = steady(jobs, order);
                if best
                    .as_ref()
                    .is_none_or(|(best, _)| ordering.prefers(found.period, best.period))
                {
                    best = Some((found, order.to_vec()));
                }
            });
            let (found, order) = best?;
            if let &[a, b] = jobs {
                let (first, period) = halves(a, b);
                if ordering.prefers(period, found.period) {
                    return Some(halved(a, b, first, period));
                }
            }
            Some(of_steady(&found, &order))
        }
    }
}

/// How long the cycle of one to four jobs lasts, seconds, without the order; 0 of none or more.
pub fn period(jobs: &[ResourceTimes], ordering: Ordering) -> f64 {
    match jobs {
        [] => return 0.0,
        [job] => return job.sum(),
        _ if jobs.len() > SLOTS => return 0.0,
        _ => {}
    }
    let mut best: Option<f64> = None;
    let mut consider = |period: f64| {
        if best.is_none_or(|best| ordering.prefers(period, best)) {
            best = Some(period);
        }
    };
    permutations(jobs.len(), &mut |order| {
        consider(steady(jobs, order).period)
    });
    if let &[a, b] = jobs {
        consider(halves(a, b).1);
    }
    best.unwrap_or(0.0)
}

/// A job by itself: its phases follow one another.
fn alone(job: ResourceTimes) -> Cycle {
    Cycle {
        period: job.sum(),
        turns: vec![Turn {
            job: 0,
            storage_and_cpu: 0.0,
            gpu: job.storage_and_cpu,
            network: job.storage_and_cpu + job.gpu,
        }],
    }
}

/// How long the first half of a halved cycle lasts, and the whole one.
fn halves(a: ResourceTimes, b: ResourceTimes) -> (f64, f64) {
    let first = a.storage_and_cpu.max(b.gpu + b.network);
    (first, first + b.storage_and_cpu.max(a.gpu + a.network))
}

/// Two jobs, one half of the cycle each.
fn halved(a: ResourceTimes, b: ResourceTimes, first: f64, period: f64) -> Cycle {
    let turns = vec![
        Turn {
            job: 0,
            storage_and_cpu: 0.0,
            gpu: first,
            network: first + a.gpu,
        },
        Turn {
            job: 1,
            storage_and_cpu: first,
            gpu: 0.0,
            network: b.gpu,
        },
    ];
    Cycle { period, turns }
}

/// The recurrence of one order, until it repeats.
struct Steady {
    period: f64,
    /// When each slot ends.
    ends: [f64; STEPS + 1],
    /// The last slot of the cycle that repeats.
    last: usize,
}

/// Follows slots until two cycles that end one slot apart last equally long.
fn steady(jobs: &[ResourceTimes], order: &[usize]) -> Steady {
    let mut ends = [0.0_f64; STEPS + 1];
    let whose = |slot: usize| order.get(slot % SLOTS).map(|&job| jobs[job]);
    for slot in 0..STEPS {
        let mut end = 0.0_f64;
        if let Some(job) = whose(slot + 1) {
            end = end.max(ends[slot] + job.network);
        }
        if let Some(job) = whose(slot + 2) {
            end = end.max(ends[slot] + job.gpu);
        }
        if slot > 0
            && let Some(job) = whose(slot + 3)
        {
            end = end.max(ends[slot - 1] + job.storage_and_cpu);
        }
        ends[slot + 1] = end;
        if slot >= SLOTS {
            let (now, before) = (end - ends[slot - 3], ends[slot] - ends[slot - 4]);
            if now > 0.0 && is_near(now, before, STEADY) {
                return Steady {
                    period: now,
                    ends,
                    last: slot,
                };
            }
        }
    }
    Steady {
        period: ends[STEPS] - ends[STEPS - SLOTS],
        ends,
        last: STEPS - 1,
    }
}

/// Whether two values differ by no more than a share of the larger one.
pub(crate) fn is_near(a: f64, b: f64, share: f64) -> bool {
    a == b || (a - b).abs() <= share * a.abs().max(b.abs())
}

/// The cycle that ends with the last slot looked at, with when each phase begins in it.
fn of_steady(found: &Steady, order: &[usize]) -> Cycle {
    let begin = found.ends[found.last + 1 - SLOTS];
    // When the slot of the cycle begins in which that job's turn at the resource falls.
    let starts = |place: usize, ahead: usize| {
        let mut slots = found.last + 1 - SLOTS..=found.last;
        let slot = slots.find(|slot| (slot + ahead) % SLOTS == place);
        slot.map_or(0.0, |slot| {
            (found.ends[slot] - begin).rem_euclid(found.period)
        })
    };
    let turns = order.iter().enumerate().map(|(place, &job)| Turn {
        job,
        storage_and_cpu: starts(place, 0),
        gpu: starts(place, 2),
        network: starts(place, 1),
    });
    Cycle {
        period: found.period,
        turns: turns.collect(),
    }
}

/// All orders of so many, in the lexical one.
fn permutations(count: usize, each: &mut dyn FnMut(&[usize])) {
    fn extend(count: usize, order: &mut Vec<usize>, each: &mut dyn FnMut(&[usize])) {
        if order.len() == count {
            each(order);
            return;
        }
        for next in 0..count {
            if !order.contains(&next) {
                order.push(next);
                extend(count, order, each);
                order.pop();
            }
        }
    }
    extend(count, &mut Vec::with_capacity(count), each);
}
