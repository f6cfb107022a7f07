//! The figures of the paper's table 3 over several workloads. In: runs. Out: hours, counts.

use super::run::{Outcome, Run};
use switchyard_model::order::by_value;

const HOUR: f64 = 3600.0;

/// Figures of one scheduler over workloads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Mean JCT of all jobs, h.
    pub mean_jct_hours: f64,
    /// Standard deviation of the workloads' means, h.
    pub deviation_hours: f64,
    /// Mean of the workloads' 99th percentiles of JCT, h: of n in order the one at ⌊0.99·n⌋, from 0.
    pub p99_hours: f64,
    /// The same percentile of the jobs of all workloads together, h.
    pub p99_of_all_hours: f64,
    /// Mean of the workloads' makespans, from the first submission to the last completion, h.
    pub makespan_hours: f64,
    /// GPU-hours that a job holds on average.
    pub gpu_hours: f64,
    /// Restarts per job.
    pub restarts: f64,
    /// Mean of the workloads' mean number of jobs in the cluster in a round.
    pub contention: f64,
    /// The most of them.
    pub most_contention: u32,
}

impl Figures {
    /// The figures of these runs; all 0 of none.
    pub fn of(runs: &[Run]) -> Self {
        let jobs = || runs.iter().flat_map(|run| &run.outcomes);
        let of_run = |run: &Run| mean(run.outcomes.iter().map(|job| job.jct()));
        let makespan = |run: &Run| {
            let first = run.outcomes.iter().map(|job| job.submitted);
            let last = run.outcomes.iter().map(|job| job.completed);
            let (first, last) = (first.min_by(by_value), last.max_by(by_value));
            last.unwrap_or(0.0) - first.unwrap_or(0.0)
        };
        let of_runs: Vec<f64> = runs.iter().map(of_run).collect();
        let middle = mean(of_runs.iter().copied());
        let spread = mean(of_runs.iter().map(|of| (of - middle) * (of - middle)));
        let contention = |run: &Run| mean(run.contention.iter().map(|&jobs| f64::from(jobs)));
        let most_contention = runs.iter().flat_map(|run| &run.contention).max();
        Self {
            mean_jct_hours: mean(jobs().map(Outcome::jct)) / HOUR,
            deviation_hours: libm::sqrt(spread) / HOUR,
            p99_hours: mean(runs.iter().map(|run| p99(run.outcomes.iter()))) / HOUR,
            p99_of_all_hours: p99(jobs()) / HOUR,
            makespan_hours: mean(runs.iter().map(makespan)) / HOUR,
            gpu_hours: mean(jobs().map(|job| job.gpu_seconds)) / HOUR,
            restarts: mean(jobs().map(|job| f64::from(job.restarts))),
            contention: mean(runs.iter().map(contention)),
            most_contention: most_contention.copied().unwrap_or(0),
        }
    }
}

/// The 99th percentile of JCT, s; 0 of nothing.
fn p99<'o>(of: impl Iterator<Item = &'o Outcome>) -> f64 {
    let mut jcts: Vec<f64> = of.map(Outcome::jct).collect();
    jcts.sort_by(by_value);
    let at = (0.99 * jcts.len() as f64) as usize;
    jcts.get(at).or(jcts.last()).copied().unwrap_or(0.0)
}

/// 0 of nothing.
fn mean(of: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in of {
        sum += value;
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let job = |submitted: f64, completed: f64| Outcome {
            name: "a".to_owned(),
            application: "b".to_owned(),
            submitted,
            completed,
            restarts: 2,
            gpu_seconds: 7200.0,
        };
        let run = |outcomes: Vec<Outcome>| Run {
            outcomes,
            contention: vec![1, 3],
            proven: [0, 0],
        };
        let figures = Figures::of(&[
            run(vec![job(0.0, 3600.0), job(3600.0, 10800.0)]),
            run(vec![job(3600.0, 14400.0), job(3600.0, 14400.0)]),
        ]);
        assert_eq!(figures.mean_jct_hours, 2.25);
        assert_eq!(figures.deviation_hours, 0.75);
        assert_eq!((figures.p99_hours, figures.p99_of_all_hours), (2.5, 3.0));
        assert_eq!(figures.makespan_hours, 3.0);
        assert_eq!((figures.gpu_hours, figures.restarts), (2.0, 2.0));
        assert_eq!((figures.contention, figures.most_contention), (2.0, 3));
        assert_eq!(Figures::of(&[]), Figures::default());
    }
}
