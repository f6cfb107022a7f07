//! A workload run once, and what its decisions were worth.
//!
//! The reward is, from one decision to the next, minus the time that passes for each job in the system,
//! times the job's weight: 1, so that the sum is what mean JCT is made of; or 1 ÷ its duration alone, which
//! makes it slowdown. What lies further ahead than some time counts less: jobs that come then have little
//! to do with where this one lies. Advantages are by GAE (Schulman et al., 2016), in this discounted time.
//!
//! Streams of jobs differ far more from one another than decisions do. So the reward is counted from what the same
//! jobs come to by a rule, at the same times: what no decision changes is no reason to decide otherwise.

use super::decision::{Decision, Tree};

/// After this part of the horizon the critic is trusted, more than what came: GAE's λ, by time. By
/// decisions it would forget within the moment, of which each has many, and then waiting costs nothing.
const TRUST: f64 = 0.3;
/// Jobs of which nobody knows the end are in the system until the run's.
const NEVER: f64 = f64::INFINITY;

/// A job's stay in the system.
#[derive(Clone, Copy, Debug)]
pub struct Stay {
    /// When it came, seconds.
    pub from: f64,
    /// When it was done.
    pub to: f64,
    /// What a second of it costs.
    pub weight: f64,
}

/// A run.
pub struct Episode {
    /// Its topology.
    pub tree: Tree,
    /// By time.
    pub decisions: Vec<Decision>,
    /// Of every job.
    pub stays: Vec<Stay>,
    /// The same where a rule lays the jobs; empty: nothing is counted from that.
    pub by_rule: Vec<Stay>,
    /// Mean duration of its jobs alone, seconds.
    pub duration: f64,
}

/// Of each decision: advantage, and what the critic should have said.
pub fn judge(episode: &Episode, worths: &[f32], horizon: f64, unit: f64) -> Vec<(f32, f32)> {
    let count = episode.decisions.len();
    let mut judged = vec![(0.0, 0.0); count];
    let end = episode.stays.iter().chain(&episode.by_rule);
    let end = end.map(|stay| stay.to);
    let end = end.filter(|&to| to < NEVER).fold(0.0, f64::max);
    let (mut advantage, mut next) = (0.0, (end, 0.0));
    for at in (0..count).rev() {
        let now = episode.decisions[at].now;
        let (later, worth_later) = next;
        let discounted = |time: f64| (-(time - now).max(0.0) / horizon).exp();
        let own = f64::from(worths[at]);
        let cost: f64 = if later > now {
            let passed = |stays: &[Stay]| -> f64 {
                let passed = stays.iter().map(|stay| {
                    let (from, to) = (stay.from.max(now), stay.to.min(later));
                    if to > from {
                        stay.weight * horizon * (discounted(from) - discounted(to))
                    } else {
                        0.0
                    }
                });
                passed.sum()
            };
            passed(&episode.stays) - passed(&episode.by_rule)
        } else {
            0.0
        };
        let discount = discounted(later);
        let surprise = discount * worth_later - cost / unit - own;
        let lambda = (-(later - now).max(0.0) / (TRUST * horizon)).exp();
        advantage = surprise + discount * lambda * advantage;
        judged[at] = (advantage as f32, (advantage + own) as f32);
        next = (now, own);
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use switchyard::placement::graph_rl::scene::{JOB, Layout, Observation};

    #[test]
    fn a_job_costs_what_it_stays_and_later_costs_less() {
        let seen = Observation {
            layout: Arc::new(Layout {
                groups: vec![0],
                racks: Vec::new(),
                partitions: Vec::new(),
            }),
            job: [0.0; JOB],
            groups: Vec::new(),
            servers: Vec::new(),
            racks: Vec::new(),
            partitions: Vec::new(),
        };
        let decision = |now| Decision {
            seen: seen.clone(),
            asked: 0,
            open: Vec::new(),
            first: 0,
            choices: Vec::new(),
            chosen: 0,
            now,
            log_probability: 0.0,
        };
        let stay = |from, to| Stay {
            from,
            to,
            weight: 1.0,
        };
        let tree = Tree {
            partitions: 1,
            racks: 1,
            servers: 1,
            groups: 1,
        };
        let episode = |stays, by_rule| Episode {
            tree,
            decisions: vec![decision(0.0), decision(10.0)],
            stays,
            by_rule,
            duration: 1.0,
        };
        let against =
            |stays, by_rule, horizon| judge(&episode(stays, by_rule), &[0.0, 0.0], horizon, 1.0);
        let judge = |stays, horizon| against(stays, Vec::new(), horizon);
        let far = 1e9;
        let one = judge(vec![stay(0.0, 30.0)], far);
        assert!((one[1].0 + 20.0).abs() < 1e-3, "{one:?}");
        assert!((one[0].0 + 10.0 + 20.0).abs() < 1e-3, "{one:?}");
        let two = judge(vec![stay(0.0, 30.0), stay(5.0, 30.0)], far);
        assert!((two[1].0 + 40.0).abs() < 1e-3, "{two:?}");
        let better = against(vec![stay(0.0, 30.0)], vec![stay(0.0, 35.0)], far);
        assert!((better[0].0 - 5.0).abs() < 1e-3, "{better:?}");
        let near = judge(vec![stay(0.0, 30.0)], 10.0);
        let expected = 10.0 * (1.0 - (-2.0f32).exp());
        assert!((near[1].0 + expected).abs() < 1e-3, "{near:?}");
    }
}
