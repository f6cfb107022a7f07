//! What became of each job under two schedulers: a dot a job, its completion time in one run across and in the other
//! up, over the same axis, so that the diagonal is where nothing changed.

use super::axis::Axis;
use crate::format::quoted;
use switchyard::job::JobId;

/// A job that has finished in both runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// The job.
    pub job: JobId,
    /// Its completion time in the run that others are compared with, seconds.
    pub there: f64,
    /// Its completion time in the other one.
    pub here: f64,
    /// Its colour class.
    pub class: u32,
}

impl Dot {
    /// How many times as long it takes here.
    pub fn ratio(&self) -> f64 {
        self.here / self.there
    }
}

/// All dots, and the axis that they have both across and upwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// The dots, in order of jobs.
    pub dots: Vec<Dot>,
    /// Over decades.
    pub axis: Axis,
}

impl Changes {
    /// The jobs that have finished in both runs; `None` if there is none.
    pub fn of(there: &[f64], here: &[f64], class: &dyn Fn(JobId) -> u32) -> Option<Self> {
        let mut dots = Vec::new();
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for (job, (&there, &here)) in (0u32..).zip(there.iter().zip(here)) {
            // Neither what has not finished nor what took no time has a place on these axes.
            if there > 0.0 && here > 0.0 {
                let job = JobId(job);
                low = low.min(there).min(here);
                high = high.max(there).max(here);
                let class = class(job);
                dots.push(Dot {
                    job,
                    there,
                    here,
                    class,
                });
            }
        }
        let axis = Axis::durations("", (low / 1.1, high * 1.1));
        (!dots.is_empty()).then_some(Self { dots, axis })
    }

    /// A row a dot: its job and both times, seconds. `titles`: of the axis across and of the one upwards.
    pub fn csv(&self, titles: &[String; 2], name: &dyn Fn(JobId) -> String) -> String {
        let [across, up] = titles
            .each_ref()
            .map(|title| quoted(&format!("{title} (s)")));
        let mut csv = format!("job,{across},{up}\n");
        for dot in &self.dots {
            csv += &format!("{},{},{}\n", quoted(&name(dot.job)), dot.there, dot.here);
        }
        csv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_that_has_finished_in_both_runs_is_in_the_table() {
        let changes = Changes::of(&[60.0, 3600.0, 0.0], &[120.0, 1800.0, 5.0], &|_| 0);
        let changes = changes.expect("two jobs have finished in both");
        assert!(changes.axis.holds(60.0) && changes.axis.holds(3600.0));
        let titles = ["JCT under A".to_owned(), "JCT under <B>".to_owned()];
        let csv = changes.csv(&titles, &|job| format!("j{}", job.0));
        assert_eq!(
            csv,
            "job,\"JCT under A (s)\",\"JCT under <B> (s)\"\n\"j0\",60,120\n\"j1\",3600,1800\n"
        );
        assert!(Changes::of(&[f64::NAN], &[1.0], &|_| 0).is_none());
    }
}
