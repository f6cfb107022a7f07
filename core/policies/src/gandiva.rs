//! Gandiva's time slicing (Xiao et al., OSDI'18 §3), as the released Tiresias simulator reads it:
//! jobs of one gang size form a class, each class gets GPUs in proportion to what its jobs ask
//! for, and within a class all jobs take turns, one quantum each.
//!
//! With `packing` it is Gandiva as Gavel's evaluation has it ([`PackingByTrial`]): two jobs on one GPU.
//! Not here: Gandiva's migration and grow-shrink.

use super::entry::{BuildContext, Properties};
#[cfg(feature = "solvers")]
use super::gavel::{ByType, PackingByTrial, RESET};
use super::parameters::{PLACEMENT, PlacementChoice, param, parameters};
use super::priority_walk::PriorityWalk;
use super::rounds;
use super::waiting_room::Waiter;
use super::{Cadence, Every, Explanation, Fact, ParamKind, Policy, PolicyEntry, Rng};
use crate::job::JobId;
use std::collections::BTreeMap;
use switchyard_engine::{News, Plan, View};
use switchyard_explain::{Said, Unit};
use switchyard_placement::Strategy;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "gandiva",
    title: "Gandiva (time slicing)",
    summary: "Round-robin: jobs of one gang size take turns of a quantum on their class's share of the GPUs. No job waits long, and none runs long.",
    source: "Xiao et al., OSDI'18 §3; Tiresias' simulator",
    params: Parameters::INFOS,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        quantum: f64 = rounds::round("60"),
        packing: bool = param(
            ParamKind::Bool,
            "false",
            "As Gavel's evaluation has Gandiva: where more GPUs are asked for than there are, jobs of one GPU each are put two by two on GPUs by chance, and stay together unless that does not fit or gets less done. Known of models that Gavel measured.",
        ),
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn packs(&self) -> bool {
        self.packing
    }

    fn solves(&self) -> bool {
        self.packing
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    if params.packing {
        return packing(params, context);
    }
    let strategy = params.placement.or(context.placement);
    Box::new(Gandiva::new(params.quantum, strategy))
}

#[cfg(not(feature = "solvers"))]
fn packing(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    super::user_policy::without_solvers(params, context)
}

#[cfg(feature = "solvers")]
fn packing(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let strategy = params.placement.or(context.placement);
    let round = (params.quantum, "quantum");
    let allocator = Box::new(PackingByTrial::default());
    Box::new(ByType::new(allocator, round, RESET, strategy))
}

/// Jobs of one gang size.
#[derive(Default)]
struct Class {
    /// The next to run first, by their seats.
    ring: BTreeMap<u64, JobId>,
    /// How many there were at the last round, and how many of them might run.
    jobs: usize,
    slots: usize,
}

/// Who is next: at a round first each class's share, then whoever else fits; who has come since comes last. Of one
/// standing by class, and by seat.
type Key = (Standing, u32, u64);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Shares,
    Rests,
    IsNew,
}

struct Gandiva {
    every: Every,
    walk: PriorityWalk<Key>,
    /// By gang size.
    classes: BTreeMap<u32, Class>,
    /// Of all active jobs. At a round only those change of who ran, has a share, or had one.
    keys: BTreeMap<JobId, Key>,
    shares: Vec<JobId>,
    new: Vec<JobId>,
    /// Seats taken so far.
    seats: u64,
}

impl Gandiva {
    fn new(quantum: f64, strategy: Strategy) -> Self {
        Self {
            every: Every {
                seconds: quantum,
                parameter: "quantum",
                while_all_run: false,
            },
            walk: PriorityWalk::new(strategy),
            classes: BTreeMap::new(),
            keys: BTreeMap::new(),
            shares: Vec::new(),
            new: Vec::new(),
            seats: 0,
        }
    }

    /// Takes note of who has come, finished, or lost its GPUs.
    fn follow(&mut self, view: &View<'_>) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => self.come(job, view),
                News::Finished(job) => self.go(job, view),
                News::Evicted(job) => {
                    self.go(job, view);
                    self.come(job, view);
                }
                News::Alarm(_) | News::NodeDown(_) | News::NodeUp(_) | News::CoresFreed => {}
            }
        }
        let keys = &self.keys;
        (self.walk).follow(view, |job| keys.get(&job).copied().unwrap_or(LAST));
    }

    fn come(&mut self, job: JobId, view: &View<'_>) {
        let seat = self.sit(job, view);
        // Among those who are new by when they came, whatever their class.
        self.keys.insert(job, (Standing::IsNew, 0, seat));
        self.new.push(job);
    }

    fn go(&mut self, job: JobId, view: &View<'_>) {
        if let Some((_, _, seat)) = self.keys.remove(&job)
            && let Some(class) = self.classes.get_mut(&view.gpus(job))
        {
            class.ring.remove(&seat);
        }
    }

    /// Takes the tail of the job's ring.
    fn sit(&mut self, job: JobId, view: &View<'_>) -> u64 {
        let seat = self.seats;
        self.seats += 1;
        let class = self.classes.entry(view.gpus(job)).or_default();
        class.ring.insert(seat, job);
        seat
    }

    /// Those that have just had their quantum go to the tails of their rings.
    fn turn(&mut self, view: &View<'_>) {
        let seat_of = |job: JobId| self.keys.get(&job).map(|key| key.2);
        let ran = self.walk.running.iter().map(|run| run.job);
        let mut ran: Vec<(Option<u64>, JobId)> = ran.map(|job| (seat_of(job), job)).collect();
        ran.sort_unstable();
        for (_, job) in ran {
            self.go(job, view);
            let seat = self.sit(job, view);
            self.keys
                .insert(job, (Standing::Rests, view.gpus(job), seat));
        }
    }

    /// Shares the cluster's GPUs among classes by demand, in whole gangs.
    fn share_out(&mut self, gpus: u32) {
        let demand = |(&size, class): (&u32, &Class)| class.ring.len() as f64 * f64::from(size);
        let total: f64 = self.classes.iter().map(demand).sum();
        for (&size, class) in &mut self.classes {
            let share = demand((&size, class)) / total * f64::from(gpus);
            let slots = libm::floor(share / f64::from(size)) as usize;
            class.jobs = class.ring.len();
            class.slots = slots.min(class.jobs);
        }
    }

    /// Gives those their keys of whom they may have changed.
    fn rank(&mut self, view: &View<'_>) {
        let shares: Vec<(JobId, Key)> = (self.classes.iter())
            .flat_map(|(&size, class)| {
                let share = class.ring.iter().take(class.slots);
                share.map(move |(&seat, &job)| (job, (Standing::Shares, size, seat)))
            })
            .collect();
        let before = std::mem::take(&mut self.shares);
        let before = before.into_iter().chain(std::mem::take(&mut self.new));
        for job in before {
            if let Some(&(_, _, seat)) = self.keys.get(&job) {
                self.rekey(job, (Standing::Rests, view.gpus(job), seat), view);
            }
        }
        for (job, key) in shares {
            self.rekey(job, key, view);
            self.shares.push(job);
        }
        let keys = &self.keys;
        (self.walk).rekey_running(|job| keys.get(&job).copied().unwrap_or(LAST));
    }

    fn rekey(&mut self, job: JobId, key: Key, view: &View<'_>) {
        let before = self.keys.insert(job, key);
        if let Some(before) = before
            && before != key
            && view.ledger().gpus(job) == 0
        {
            let waiting = &mut self.walk.waiting;
            waiting.remove(Waiter::of(before, job, view));
            waiting.insert(Waiter::of(key, job, view));
        }
    }
}

/// After all others.
const LAST: Key = (Standing::IsNew, u32::MAX, u64::MAX);

impl Policy for Gandiva {
    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: Some(self.every),
        }
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        self.follow(view);
        if !view.is_round() || self.walk.waiting.is_empty() {
            return self.walk.fill(view, plan);
        }
        self.turn(view);
        self.share_out(view.free().node_sizes().iter().sum());
        self.rank(view);
        self.walk.walk(view, plan);
        self.walk.requeue_preempted();
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let gpus = view.gpus(job);
        let mut facts = vec![Fact::new("class", format!("{gpus}-GPU jobs"))];
        if let Some(Class { jobs, slots, .. }) = self.classes.get(&gpus) {
            facts.push(
                Fact::count("class at the last round", *jobs, Unit::Jobs)
                    .then(" on ")
                    .and(Said::count(*slots, Unit::Slots)),
            );
        }
        Explanation::new(self.walk.verdict(view, job), facts)
    }
}
