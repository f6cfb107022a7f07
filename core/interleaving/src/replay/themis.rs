//! Themis: who has had least of its fair share goes first; everything is placed anew at each event.

use super::job::Job;
use super::world::{Policy, ReplayError, World};
use crate::fairness::{Claim, fairest};
use crate::gangs::{Cluster, Room};

/// How much a job that has not run yet is preferred.
const UNSERVED: f64 = 1e9;

/// What is kept of a job.
#[derive(Clone, Copy, Default)]
struct Account {
    /// How long it would have run by now on its own part of the cluster. The authors count iterations in the place of
    /// seconds here, and so does this.
    isolated: f64,
    /// Iterations left, and the share of its own part, at the last event.
    before: Option<(f64, f64)>,
    /// How long it should have run, seconds.
    due: f64,
}

pub(super) struct Themis {
    cluster: Cluster,
    room: Room,
    accounts: Vec<Account>,
    /// The last event, seconds.
    last: f64,
}

/// How a job ranks: first by the first, greatest first.
type Rank = (f64, f64, f64);

impl Themis {
    pub(super) fn new(jobs: &[Job], cluster: Cluster) -> Self {
        Self {
            cluster,
            room: Room::new(cluster),
            accounts: vec![Account::default(); jobs.len()],
            last: 0.0,
        }
    }

    fn claims(&mut self, world: &World) -> Vec<Claim> {
        let part = (f64::from(self.cluster.gpus()) / world.line.len() as f64).ceil();
        let mut claims = Vec::with_capacity(world.line.len());
        for &job in &world.line {
            let (of, state) = (&world.jobs[job], &world.states[job]);
            let account = &mut self.accounts[job];
            let gpus = f64::from(of.gpus);
            let share = (part / gpus).min(1.0);
            if let Some((remaining, share)) = account.before {
                account.isolated += (remaining - state.remaining) / share;
            }
            account.before = Some((state.remaining, share));
            claims.push(Claim {
                gpus,
                age: world.now - of.submit,
                remaining: state.remaining * of.iteration_time,
                isolated: account.isolated + state.remaining / share,
            });
        }
        claims
    }

    fn ranks(&mut self, world: &World) -> Vec<(Rank, usize)> {
        let claims = self.claims(world);
        let fair = fairest(&claims, f64::from(self.cluster.gpus()));
        let ranks = world.line.iter().zip(fair.shares).map(|(&job, share)| {
            let executed = world.states[job].executed;
            let account = &mut self.accounts[job];
            let first = match executed == 0.0 {
                true => share * UNSERVED,
                false => share / executed,
            };
            let rank = (first, account.due - executed, share);
            account.due += share * (world.now - self.last);
            (rank, job)
        });
        ranks.collect()
    }
}

impl Policy for Themis {
    fn plan(&mut self, world: &mut World) -> Result<(), ReplayError> {
        let mut ranks = self.ranks(world);
        ranks.sort_by(|(a, _), (b, _)| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal));
        self.room.clear();
        let mut is_chosen = vec![false; world.jobs.len()];
        for &(_, job) in &ranks {
            is_chosen[job] = self.room.take(world.jobs[job].gpus);
        }
        world.line = ranks.into_iter().map(|(_, job)| job).collect();
        world.largest_first();
        self.room.clear();
        for at in 0..world.line.len() {
            let job = world.line[at];
            let runs = is_chosen[job] && self.room.take(world.jobs[job].gpus);
            world.set_running(job, runs);
        }
        self.last = world.now;
        Ok(())
    }
}
