//! Themis (Mahajan et al., NSDI'20 §4–5): finish-time fairness, by leases. At the end of each
//! lease the share 1 − f of jobs with the worst ρ = T_sh ÷ T_id is offered the GPUs first; among
//! them, an auction gives GPUs where they improve the product of the bidders' ρ most; what is
//! left goes to the others, worst ρ first.
//!
//! T_id: the job's duration on an isolated 1/N share of the cluster, N the jobs now active (at
//! least its duration alone). T_sh: time since submission + time remaining on its gang. Gangs are
//! rigid here and each is an app of one job, so a bid is all or nothing, the auction's optimum is
//! a knapsack, taken greedily by gain per GPU, and nobody gains by lying: no hidden payments.
//! Bids need remaining times: an oracle here, an estimate of the app's there.

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, param, parameters};
use super::picking::{Player, Sought, Tournament, Urgency};
use super::ranked_room::Class;
use super::rounds::{self, Rounds};
use super::{Cadence, Explanation, Fact, ParamKind, Policy, PolicyEntry, Rng};
use crate::Time;
use crate::job::JobId;
use crate::order;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use switchyard_engine::{Plan, View};
use switchyard_explain::{Operand, Unit};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "themis",
    title: "Themis (oracle)",
    summary: "Finish-time fairness: at the end of each lease, GPUs are offered first to the jobs furthest behind an isolated 1/N share. Oracle: bids use true remaining times. What later papers compare with as Themis is the program finish-time-fairness.",
    source: "Mahajan et al., NSDI'20 §4–5",
    params: Parameters::INFOS,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        lease: f64 = rounds::round("1200"),
        f: f64 = param(
            ParamKind::Float { min: 0.0, max: 1.0 },
            "0.8",
            "The fairness knob: the share 1 − f of jobs with the worst ρ bids first. Nearer 1: fairer; nearer 0: more efficient.",
        )
        .or_called(&["fairness"]),
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        true
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(Themis {
        fairness: params.f,
        rounds: Rounds::new(
            params.lease,
            "lease",
            params.placement.or(context.placement),
        ),
        active: 1,
    })
}

struct Themis {
    fairness: f64,
    rounds: Rounds<Offers>,
    /// Active jobs at the last round.
    active: u32,
}

/// Bidders first, by gain per GPU, greatest first; then the others by ρ, worst first.
type Rank = (bool, Reverse<Time>);

/// ρ, worst first, and whose.
type Claim = (Reverse<Time>, JobId);

/// Waiting jobs of one gang size.
struct Offers {
    gpus: u32,
    /// Those with the worst ρ, by what their T_sh has of its own, submission and time remaining: the least T_sh gains
    /// most. And the best ρ among them.
    bidders: BTreeMap<(Time, Time, Time), BTreeSet<JobId>>,
    best_bidder: Tournament<Waits>,
    /// The others.
    others: Tournament<Waits>,
}

/// A waiting job.
#[derive(Clone, Copy)]
struct Waits {
    job: JobId,
    submit: Time,
    gpus: u32,
    duration: f64,
    remaining: f64,
}

/// When a round is, and what ranks hang on then.
#[derive(Clone, Copy)]
struct Round {
    now: Time,
    /// Seconds.
    lease: f64,
    /// GPUs of a job's share of the cluster.
    share: f64,
}

/// T_sh, if the job had its gang from now on.
fn shared(now: Time, submit: Time, remaining: f64) -> f64 {
    (now - submit) + remaining
}

fn rho(shared: f64, duration: f64, gpus: u32, share: f64) -> f64 {
    let crowded = f64::from(gpus) / share;
    let ideal = if crowded > 1.0 {
        duration * crowded
    } else {
        duration
    };
    shared / ideal
}

/// Per GPU: the log of ρ without this lease ÷ ρ with it.
fn gain(lease: f64, shared: f64, gpus: u32) -> f64 {
    libm::log1p(lease / shared.max(LEAST)) / f64::from(gpus)
}

/// T_sh is taken to be so much at least, seconds.
const LEAST: f64 = 1e-9;

/// Where T_sh differ by more than this part of themselves, the less gains more, whatever is rounded.
const NEAR: f64 = 1e-9;

impl Waits {
    fn of(job: JobId, view: &View<'_>) -> Self {
        Self {
            job,
            submit: view.submit(job),
            gpus: view.gpus(job),
            duration: view.duration(job).unwrap_or(1.0),
            remaining: view.remaining(job).unwrap_or(0.0),
        }
    }

    fn own_part(&self) -> (Time, Time, Time) {
        let own = self.remaining - self.submit.seconds();
        (Time(own), self.submit, Time(self.remaining))
    }
}

impl Player for Waits {
    /// GPUs of a share of the cluster.
    type With = f64;
    type Place = Claim;

    fn job(&self) -> JobId {
        self.job
    }

    fn submit(&self) -> f64 {
        self.submit.seconds()
    }

    fn place(&self, now: f64, share: f64) -> Claim {
        let shared = shared(Time(now), self.submit, self.remaining);
        (
            Reverse(Time(rho(shared, self.duration, self.gpus, share))),
            self.job,
        )
    }

    fn line(&self) -> Urgency {
        Urgency {
            slope: 1.0 / self.duration,
            head_start: self.remaining,
        }
    }

    /// If there are no GPUs, everybody would take for ever on its share of them.
    fn tells_apart(share: f64) -> bool {
        share > 0.0
    }

    /// If of two equally long ones it has waited longer and has more left.
    fn is_always_before(&self, other: &Self) -> bool {
        let has_more = self.submit <= other.submit && self.remaining >= other.remaining;
        self.duration == other.duration && has_more && self.job < other.job
    }
}

impl Default for Offers {
    fn default() -> Self {
        Self {
            gpus: 0,
            bidders: BTreeMap::new(),
            best_bidder: Tournament::new(Sought::Last),
            others: Tournament::new(Sought::First),
        }
    }
}

impl Offers {
    /// The bidder with the best ρ.
    fn last_bidder(&mut self, round: Round) -> Option<Claim> {
        let now = round.now.seconds();
        let last = self.best_bidder.winner(now, round.share)?;
        Some(last.place(now, round.share))
    }

    /// Of those who do not bid the one with the worst ρ.
    fn first_other(&mut self, round: Round) -> Option<Claim> {
        let now = round.now.seconds();
        let first = self.others.winner(now, round.share)?;
        Some(first.place(now, round.share))
    }

    fn bid(&mut self, job: JobId) {
        if let Some(waits) = self.others.leave(job) {
            self.bidders
                .entry(waits.own_part())
                .or_default()
                .insert(job);
            self.best_bidder.enter(waits);
        }
    }

    fn bid_no_more(&mut self, job: JobId) {
        if let Some(waits) = self.leave_bidders(job) {
            self.others.enter(waits);
        }
    }

    fn leave_bidders(&mut self, job: JobId) -> Option<Waits> {
        let waits = self.best_bidder.leave(job)?;
        let own = waits.own_part();
        if let Some(jobs) = self.bidders.get_mut(&own) {
            jobs.remove(&job);
            if jobs.is_empty() {
                self.bidders.remove(&own);
            }
        }
        Some(waits)
    }

    /// The bidder that gains most.
    fn first_bidder(&self, round: Round) -> Option<Claim> {
        let mut first: Option<Claim> = None;
        let mut until = f64::INFINITY;
        for (&(own, submit, remaining), jobs) in &self.bidders {
            if own.seconds() > until {
                break;
            }
            let shared = shared(round.now, submit, remaining.seconds());
            if first.is_none() {
                let rounding = 8.0 * f64::EPSILON * round.now.seconds();
                until = own.seconds() + shared * NEAR + rounding + 10.0 * LEAST;
            }
            let gain = Reverse(Time(gain(round.lease, shared, self.gpus)));
            let claim = jobs.first().map(|&job| (gain, job));
            first = [first, claim].into_iter().flatten().min();
        }
        first
    }
}

impl Class for Offers {
    type Rank = Rank;
    type Round = Round;

    fn enter(&mut self, job: JobId, view: &View<'_>) {
        let waits = Waits::of(job, view);
        self.gpus = waits.gpus;
        self.others.enter(waits);
    }

    fn leave(&mut self, job: JobId) -> bool {
        self.others.leave(job).is_some() || self.leave_bidders(job).is_some()
    }

    fn first(&mut self, round: Round) -> Option<(Rank, JobId)> {
        let first = self
            .first_bidder(round)
            .map(|(gain, job)| ((false, gain), job));
        first.or_else(|| {
            let (rho, job) = self.first_other(round)?;
            Some(((true, rho), job))
        })
    }
}

impl Themis {
    /// GPUs of a job's share of the cluster.
    fn share(&self, view: &View<'_>) -> f64 {
        let all: u32 = view.free().node_sizes().iter().sum();
        f64::from(all) / f64::from(self.active)
    }

    /// Has so many bid of those who wait and of `running`, which are in the order of ρ. How many of these.
    fn offer(&mut self, bidders: usize, running: &[Claim], round: Round) -> usize {
        let classes = self.rounds.classes();
        let mut waiting: usize = classes.map(|class| class.best_bidder.len()).sum();
        loop {
            let (mut last, mut first) = (None, None);
            for (at, class) in self.rounds.classes().enumerate() {
                last = last.max(class.last_bidder(round).map(|claim| (claim, at)));
                let other = class.first_other(round).map(|claim| (claim, at));
                first = [first, other].into_iter().flatten().min();
            }
            let before = |claim: Claim| running.partition_point(|&runs| runs < claim);
            let at_least = last.map_or(0, |(last, _)| before(last));
            let at_most = first.map_or(running.len(), |(first, _)| before(first));
            let is_crossed = first.is_some() && first < last;
            if let Some(((_, job), at)) = last
                && (is_crossed || waiting + at_least > bidders)
            {
                self.rounds
                    .classes()
                    .nth(at)
                    .into_iter()
                    .for_each(|class| class.bid_no_more(job));
                waiting -= 1;
            } else if let Some(((_, job), at)) = first
                && waiting + at_most < bidders
            {
                self.rounds
                    .classes()
                    .nth(at)
                    .into_iter()
                    .for_each(|class| class.bid(job));
                waiting += 1;
            } else {
                return bidders - waiting;
            }
        }
    }
}

impl Policy for Themis {
    fn cadence(&self) -> Cadence {
        self.rounds.cadence()
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        if !self.rounds.begins(view, plan) {
            return;
        }
        self.active = self.rounds.active();
        let share = self.share(view);
        let round = Round {
            now: view.now(),
            lease: self.rounds.seconds(),
            share,
        };
        let claim = |job: JobId| Waits::of(job, view).place(view.now().seconds(), share);
        let mut running: Vec<Claim> = self.rounds.running().map(claim).collect();
        order::sort(&mut running);
        let bidders = libm::ceil((1.0 - self.fairness) * f64::from(self.active)) as usize;
        let bidders = bidders.clamp(1, self.active as usize);
        let bidding = self.offer(bidders, &running, round);
        let last = running[..bidding].last();
        let rank = |job: JobId| {
            let claim = claim(job);
            match last {
                Some(&last) if claim <= last => {
                    let job = Waits::of(job, view);
                    let shared = shared(round.now, job.submit, job.remaining);
                    (false, Reverse(Time(gain(round.lease, shared, job.gpus))))
                }
                _ => (true, claim.0),
            }
        };
        self.rounds.give_out(round, rank, view, plan);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let verdict = self.rounds.verdict(view, job);
        let now = view.now().seconds();
        let (waits, share) = (Waits::of(job, view), self.share(view));
        let (Reverse(rho), _) = waits.place(now, share);
        let active = self.active;
        let rho = rho.seconds();
        let term = "finish-time fairness ρ, if it ran from now on";
        let seconds = |name, value| Operand::new(name, value, Unit::Seconds);
        let crowded = f64::from(waits.gpus) / share;
        let operands = [
            seconds("since it came", now - waits.submit.seconds()),
            seconds("left", waits.remaining),
            seconds("its duration alone", waits.duration),
            Operand::new(
                "its GPUs ∕ its share of the cluster, 1 at least",
                if crowded > 1.0 { crowded } else { 1.0 },
                Unit::None,
            ),
        ];
        let facts = vec![
            Fact::number(term, rho, 2, Unit::None).by(
                "({0} + {1}) ∕ ({2} × {3})",
                operands,
                (rho, Unit::None),
            ),
            Fact::count("active jobs at the last lease", active, Unit::None),
        ];
        Explanation::new(verdict, facts)
    }
}
