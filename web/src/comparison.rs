//! The runs on stage as charts and tables compare them.

use crate::draw::format;
use crate::stage::{Stage, StageRun};
use std::borrow::Cow;
use switchyard::job::JobId;
use switchyard::report::{Outcomes, Summary, TypeFigures, finished_in_all};
use switchyard_app::figures::{Compared, Comparison};

impl Stage {
    /// All runs over the selected jobs, as charts show them.
    pub fn shown_comparison(&self) -> Comparison<'_> {
        let only = self.selection.jobs().map(|jobs| jobs.mask());
        Comparison {
            only,
            ..self.comparison()
        }
    }

    /// The jobs that have finished in every run that has.
    pub fn finished_in_all(&self) -> Vec<JobId> {
        let results = self.runs.iter().filter_map(|run| run.finished());
        finished_in_all(results.map(|of| &of.outcomes))
    }

    /// What a run is compared over where that is not all of its jobs, with what became of them: the selected jobs that
    /// have finished, of those in `common` if runs are compared over these.
    pub fn compared_jobs<'a>(
        &'a self,
        run: &'a StageRun,
        common: Option<&[JobId]>,
    ) -> Option<(Vec<JobId>, Cow<'a, Outcomes>)> {
        let holds = |job: &JobId| self.selection.holds(*job);
        if let (Some(common), Some(of)) = (common, run.finished()) {
            let own = common.iter().copied().filter(holds).collect();
            return Some((own, Cow::Borrowed(&of.outcomes)));
        }
        self.selection.jobs()?;
        let outcomes = outcomes(self, run);
        let jobs = (0u32..).map(JobId).zip(&outcomes.jct);
        let finished = jobs.filter(|(job, jct)| holds(job) && !jct.is_nan());
        let own = finished.map(|(job, _)| job).collect();
        Some((own, outcomes))
    }

    /// All runs over all jobs.
    fn comparison(&self) -> Comparison<'_> {
        Comparison {
            workload: &self.workload,
            cluster: &self.cluster,
            moments: self.moments(),
            unit: format::unit(),
            end: self.whole(),
            only: None,
            runs: self.runs.iter().map(|run| compared(self, run)).collect(),
        }
    }
}

fn compared<'a>(stage: &Stage, run: &'a StageRun) -> Compared<'a> {
    Compared {
        name: run.name(),
        hue: run.hue(),
        reached: run.reached(),
        log: &run.log,
        results: run.finished().map(|of| (&of.outcomes, &of.summary)),
        // The page does not have the applications.
        knows_rho: !stage.state.adapts(),
    }
}

/// What became of each job of a run, as far as it has come.
pub fn outcomes<'a>(stage: &'a Stage, run: &'a StageRun) -> Cow<'a, Outcomes> {
    compared(stage, run).outcomes(&stage.comparison())
}

/// A run in numbers, as far as it has come.
pub fn summary(stage: &Stage, run: &StageRun) -> Summary {
    compared(stage, run).summary(&stage.comparison())
}

/// A run by GPU type, as far as it has come; nothing where all GPUs are of one.
pub fn types(stage: &Stage, run: &StageRun) -> Vec<TypeFigures> {
    compared(stage, run).types(&stage.comparison())
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::workload::Sample;
    use switchyard_app::figures::{Chart, Figure};

    #[test]
    fn over_time_all_jobs_one_by_one_are_what_the_run_has_sampled() {
        let sample = Sample::named("lab").expect("it is there");
        let policies = ["fifo", "tiresias-las"];
        let stage = Stage {
            workload: sample.workload().into(),
            cluster: sample.cluster_spec(),
            runs: policies
                .map(|policy| StageRun::finished_of(sample, policy))
                .into(),
            ..Stage::default()
        };
        let all = vec![true; stage.workload.jobs.len()];
        let some: Vec<bool> = stage.workload.jobs.iter().map(|job| job.gpus > 1).collect();
        for chart in [Chart::Queue, Chart::Allocation] {
            let of = |only| {
                let comparison = Comparison {
                    only,
                    ..stage.comparison()
                };
                Figure::of(chart, &comparison).series
            };
            let area = |points: &[(f64, f64)]| {
                let parts = points.windows(2).map(|pair| {
                    let (width, height) = (pair[1].0 - pair[0].0, pair[0].1 + pair[1].1);
                    0.5 * width * height
                });
                parts.sum::<f64>()
            };
            let series = of(None).into_iter().zip(of(Some(&all)));
            for ((whole, summed), some) in series.zip(of(Some(&some))) {
                let [whole, summed, some] =
                    [whole, summed, some].map(|series| area(series.marks.points()));
                assert!(
                    (summed / whole - 1.0).abs() < 2e-3,
                    "{chart:?}: {summed} of {whole}"
                );
                assert!(
                    some > 0.0 && some < 0.999 * whole,
                    "{chart:?}: {some} of {whole}"
                );
            }
        }
    }
}
