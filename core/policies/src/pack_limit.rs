//! Tiresias' PACKLIMIT (NSDI'19 §4.3): the skew above which a model is consolidated. In:
//! (skew, placement, progress) of finished jobs. Out: the limit.
//!
//! The paper refits a linear classifier from time to time; with one feature that is a threshold,
//! and the best one can be found exactly: of all places between two observed skews, the one that
//! misjudges the fewest observations.

use crate::job::JobId;
use crate::order;
use switchyard_engine::View;

/// A gang that makes less progress than this share of a consolidated one is harmed by spreading.
const HARMED_BELOW: f64 = 0.85;

/// Observations between two fits.
const REFIT_EVERY: usize = 16;

/// The limit and what it was learned from.
pub(super) struct PackLimit {
    limit: f64,
    learns: bool,
    /// Of gangs that ran spread: skew, and whether that harmed them.
    observed: Vec<(f64, bool)>,
}

impl PackLimit {
    pub(super) fn new(limit: f64, learns: bool) -> Self {
        Self {
            limit,
            learns,
            observed: Vec::new(),
        }
    }

    pub(super) fn limit(&self) -> f64 {
        self.limit
    }

    /// Learns from a job that has just finished.
    pub(super) fn observe(&mut self, view: &View<'_>, job: JobId) {
        if !self.learns || !view.is_spread(job) {
            return;
        }
        let harmed = view.rate(job) < HARMED_BELOW;
        self.observed.push((view.model(job).skew(), harmed));
        if self.observed.len().is_multiple_of(REFIT_EVERY) {
            self.refit();
        }
    }

    fn refit(&mut self) {
        order::sort_by(&mut self.observed, |a, b| order::by_value(&a.0, &b.0));
        if let Some(limit) = best_split(&self.observed) {
            self.limit = limit;
        }
    }
}

/// The threshold that misjudges the fewest of these (ascending) observations, in the middle
/// between two skews; `None` if all were harmed, or none: nothing separates them.
fn best_split(observed: &[(f64, bool)]) -> Option<f64> {
    let harmed = observed.iter().filter(|(_, harmed)| *harmed).count();
    if harmed == 0 || harmed == observed.len() {
        return None;
    }
    let mut best: Option<(usize, f64)> = None;
    let mut harmed_below = 0;
    for (below, pair) in observed.windows(2).enumerate() {
        harmed_below += usize::from(pair[0].1);
        if pair[0].0 == pair[1].0 {
            continue;
        }
        let harmless_above = (observed.len() - (below + 1)) - (harmed - harmed_below);
        let misjudged = harmed_below + harmless_above;
        if best.is_none_or(|(least, _)| misjudged < least) {
            best = Some((misjudged, f64::midpoint(pair[0].0, pair[1].0)));
        }
    }
    best.map(|(_, limit)| limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_falls_between_harmless_and_harmed() {
        let observed = [
            (0.05, false),
            (0.1, false),
            (0.14, false),
            (0.6, true),
            (0.7, true),
        ];
        assert_eq!(best_split(&observed), Some(0.37));
    }

    #[test]
    fn one_odd_observation_does_not_move_it() {
        let observed = [
            (0.05, true),
            (0.1, false),
            (0.14, false),
            (0.6, true),
            (0.7, true),
        ];
        assert_eq!(best_split(&observed), Some(0.37));
    }

    #[test]
    fn nothing_to_separate_leaves_the_limit() {
        assert_eq!(best_split(&[(0.1, true), (0.7, true)]), None);
        assert_eq!(best_split(&[(0.3, true), (0.3, false)]), None);
        assert_eq!(best_split(&[]), None);
    }
}
