//! Finish-time fairness: shares of time that keep the worst slowdown against an own part of the cluster least.
//!
//! In: for each job its age, what it has left, and how it would have fared by itself. Out: for each the share of time it
//! gets its gang. Source: Themis (NSDI'20) as the convex program of the simulator of Muri (SIGCOMM'22), after Gavel's
//! (OSDI'20). It minimises the largest of (age + remaining ÷ share) ÷ isolated, each share at most 1 and the GPUs of all
//! shares at most the cluster's. For a given ratio each job's least share is known, so that bisection over the ratio
//! solves it.

/// How often the interval of the ratio is halved: until its ends are neighbours.
const HALVINGS: usize = 200;

/// What a job asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// The GPUs of its gang.
    pub gpus: f64,
    /// Since its submission, seconds.
    pub age: f64,
    /// How long what is left takes with all of its GPUs all of the time, seconds; above 0.
    pub remaining: f64,
    /// How long all of it takes with its own part of the cluster, in the unit that all claims have; above 0.
    pub isolated: f64,
}

impl Claim {
    /// The least share with which the job keeps to a ratio; infinite where none does.
    fn least_share(&self, ratio: f64) -> f64 {
        let left = ratio * self.isolated - self.age;
        match left > 0.0 {
            true => self.remaining / left,
            false => f64::INFINITY,
        }
    }
}

/// What jobs get.
#[derive(Clone, Debug, PartialEq)]
pub struct Fair {
    /// The largest ratio.
    pub ratio: f64,
    /// The least share, from 0 to 1, with which each job keeps to it.
    pub shares: Vec<f64>,
}

/// The fairest shares of so many GPUs. Jobs that could do better than the ratio get no more than they need for it.
pub fn fairest(claims: &[Claim], gpus: f64) -> Fair {
    let fits = |ratio: f64| {
        let mut used = 0.0;
        for claim in claims {
            let share = claim.least_share(ratio);
            if share > 1.0 {
                return false;
            }
            used += share * claim.gpus;
        }
        used <= gpus
    };
    let mut high = 1.0_f64;
    while !fits(high) && high < f64::MAX / 2.0 {
        high *= 2.0;
    }
    let mut low = 0.0_f64;
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        match fits(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    let shares = claims.iter().map(|claim| claim.least_share(high).min(1.0));
    Fair {
        ratio: high,
        shares: shares.collect(),
    }
}
