//! Fits remembered: jobs of one application run the same first configurations, and what the same
//! observations are fitted by is the same. Half of all fits of Pollux' workloads are known already.

use super::fit::{FitError, Observation, fit};
use super::throughput::ThroughputParams;
use std::collections::BTreeMap;

/// So many fits are remembered; then all are forgotten.
const MOST: usize = 4096;

/// What tells one observation from another: counts, and times as bits.
type Key = (u32, u32, u32, u64, u64);

/// The models fitted so far, by their observations in order.
#[derive(Clone, Debug, Default)]
pub struct Fits {
    known: BTreeMap<Vec<Key>, ThroughputParams>,
}

impl Fits {
    /// As [`fit`], which is asked only for what is new.
    ///
    /// # Errors
    ///
    /// As [`fit`]; errors are not remembered.
    pub fn fit(&mut self, observations: &[Observation]) -> Result<ThroughputParams, FitError> {
        let key = |o: &Observation| (o.nodes, o.replicas, o.m, o.step.to_bits(), o.sync.to_bits());
        let key: Vec<Key> = observations.iter().map(key).collect();
        if let Some(params) = self.known.get(&key) {
            return Ok(*params);
        }
        let params = fit(observations)?.params;
        if self.known.len() == MOST {
            self.known.clear();
        }
        self.known.insert(key, params);
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_what_is_fitted() {
        let observe = |replicas, m, step| Observation {
            nodes: 1,
            replicas,
            m,
            step,
            sync: 0.0,
        };
        let seen = [
            observe(1, 32, 0.2),
            observe(1, 64, 0.35),
            observe(2, 64, 0.4),
        ];
        let mut fits = Fits::default();
        for _ in 0..2 {
            for some in 1..=seen.len() {
                let fresh = fit(&seen[..some]).expect("sound").params;
                assert_eq!(fits.fit(&seen[..some]), Ok(fresh));
            }
        }
        assert_eq!(fits.known.len(), seen.len());
        assert!(fits.fit(&[observe(1, 32, f64::NAN)]).is_err());
    }
}
