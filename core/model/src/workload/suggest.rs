//! A cluster for a trace that comes without one: busy, but not hopeless. What it offers follows from what
//! jobs ask for while they come, so that one job that runs for weeks does not make it small.

use super::Workload;
use crate::Resource;
use crate::Time;
use crate::cluster::{ClusterSpec, MAX_GPUS};
use crate::order::{self, ByValue};
use serde::{Deserialize, Serialize};

/// GPUs offered per GPU of mean demand.
const HEADROOM: f64 = 1.1;

/// Jobs that come within less than so many median durations come all at once: they are given this time.
const DURATIONS_OF_A_BATCH: f64 = 4.0;

/// How much smaller or larger than a guess its neighbours are.
const STEP: f64 = 1.5;

/// A cluster that was guessed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The cluster: nodes of 8 GPUs, or of 4 if no gang is larger; of 64, 32 or 16 cores likewise.
    pub cluster: ClusterSpec,
    /// GPU·s of all jobs over the time in which they came: GPUs.
    pub demand: f64,
    /// Why it has so many.
    pub basis: Basis,
    /// GPUs of the largest gang.
    pub largest: u32,
    /// What stands for GPUs in all of this.
    #[serde(default)]
    pub unit: Resource,
}

/// What decided about a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Basis {
    /// 1.1 × the mean demand while jobs came.
    Demand,
    /// The same, where they came so close together that four times their median duration was taken instead.
    Batch,
    /// The largest gang, which is more.
    LargestGang,
    /// All jobs together, which are less.
    AllJobs,
    /// The most GPUs that jobs held at once, as the trace records.
    InUse,
    /// There is no larger cluster.
    Largest,
}

impl Suggestion {
    fn of(wanted: f64, demand: f64, basis: Basis, largest: u32, unit: Resource) -> Self {
        let sizes: &[u32] = match unit {
            Resource::Gpus => &[4, 8],
            Resource::Cores => &[16, 32, 64],
        };
        let fits = sizes.iter().find(|size| largest <= **size).or(sizes.last());
        let gpus_per_node = fits.copied().unwrap_or(8);
        let nodes = libm::ceil(wanted / f64::from(gpus_per_node));
        let most = MAX_GPUS / gpus_per_node;
        let (nodes, basis) = match nodes <= f64::from(most) {
            true => ((nodes as u32).max(1), basis),
            false => (most, Basis::Largest),
        };
        let cluster = ClusterSpec::uniform(nodes, gpus_per_node)
            .unwrap_or_else(|_| unreachable!("between one node and the largest cluster"));
        Self {
            cluster,
            demand,
            basis,
            largest,
            unit,
        }
    }

    /// A smaller and a larger cluster, where there are: two thirds of its GPUs, and half as many again.
    pub fn neighbours(&self) -> [Option<ClusterSpec>; 2] {
        let gpus = f64::from(self.cluster.gpus());
        [gpus / STEP, gpus * STEP].map(|wanted| {
            let wanted = wanted.max(f64::from(self.largest));
            let other = Self::of(wanted, self.demand, self.basis, self.largest, self.unit).cluster;
            (other != self.cluster).then_some(other)
        })
    }

    /// How it was guessed, as a sentence's second half.
    pub fn why(&self) -> String {
        let demand = self.demand;
        let digits = if demand < 1000.0 { 1 } else { 0 };
        let gpus = format!("{demand:.digits$} GPUs");
        let gpus = self.unit.words(&gpus);
        match self.basis {
            Basis::Demand => format!("1.1 × the mean demand while jobs came, {gpus}"),
            Basis::Batch => "jobs came all at once, and have 1.1 × what they need within four times their median duration"
                .to_owned(),
            Basis::LargestGang => {
                "room for the largest gang, which is more than the mean demand".to_owned()
            }
            Basis::InUse => {
                "as many as jobs held at once, as the trace records".to_owned()
            }
            Basis::AllJobs => "room for all jobs at once".to_owned(),
            Basis::Largest => format!(
                "the largest there is. The mean demand while jobs came is {gpus}, so the queue may grow to the end"
            ),
        }
    }
}

impl Workload {
    /// A cluster on which the trace is busy but not hopeless: room for the largest gang, and
    /// 1.1 × the mean demand (GPU·s over the time in which jobs were submitted), but no more than all jobs
    /// together could use. Where the trace records when jobs ran: as many GPUs as they held at once.
    pub fn suggest_cluster(&self) -> Suggestion {
        let largest = self.jobs.iter().map(|job| job.gpus).max().unwrap_or(1);
        let all: f64 = self.jobs.iter().map(|job| f64::from(job.gpus)).sum();
        let gpu_seconds: f64 = self
            .jobs
            .iter()
            .map(|job| job.work.seconds() * f64::from(job.gpus))
            .sum();
        let first = self.jobs.first().map_or(0.0, |job| job.submit.seconds());
        let last = self.jobs.last().map_or(0.0, |job| job.submit.seconds());
        let at_once = DURATIONS_OF_A_BATCH * self.median_duration().max(1.0);
        let is_batch = last - first < at_once;
        let demand = gpu_seconds / if is_batch { at_once } else { last - first };
        let wanted = HEADROOM * demand;
        let in_use = self.peak_in_use();
        let (wanted, basis) = match wanted {
            _ if in_use > 0.0 => (in_use, Basis::InUse),
            // The largest gang is one of all.
            _ if wanted < f64::from(largest) => (f64::from(largest), Basis::LargestGang),
            _ if wanted > all => (all, Basis::AllJobs),
            _ if is_batch => (wanted, Basis::Batch),
            _ => (wanted, Basis::Demand),
        };
        Suggestion::of(wanted, demand, basis, largest, self.unit)
    }

    /// The most GPUs that jobs held at once, as recorded; 0 where nothing is. Who shared one counts for a whole one, as in runs
    /// where nobody shares.
    fn peak_in_use(&self) -> f64 {
        let runs = self.jobs.iter().zip(&self.recorded.runs);
        let runs = runs.filter_map(|(job, run)| Some((job.gpus, (*run)?)));
        let at = |time: Time| ByValue::of(time.seconds());
        let jobs = self.recorded.runs.len();
        let (mut starts, mut ends) = (Vec::with_capacity(jobs), Vec::with_capacity(jobs));
        for (gpus, run) in runs {
            starts.push((at(run.start), gpus));
            ends.push((at(run.end()), gpus));
        }
        // Whole numbers are compared faster, and a log may have millions of jobs.
        starts.sort_unstable();
        ends.sort_unstable();
        let mut ends = ends.into_iter().peekable();
        let (mut held, mut most) = (0i64, 0);
        for (start, gpus) in starts {
            // What ends gives its GPUs to what begins at that moment.
            while let Some((_, gpus)) = ends.next_if(|(end, _)| *end <= start) {
                held -= i64::from(gpus);
            }
            held += i64::from(gpus);
            most = most.max(held);
        }
        most as f64
    }

    /// The upper median, seconds; 0 without jobs.
    fn median_duration(&self) -> f64 {
        let mut durations: Vec<f64> = self.jobs.iter().map(|job| job.work.seconds()).collect();
        if durations.is_empty() {
            return 0.0;
        }
        let middle = durations.len() / 2;
        *durations.select_nth_unstable_by(middle, order::by_value).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::workload::RecordedRun;

    fn suggest(jobs: &[(f64, u32, f64)]) -> Suggestion {
        let job = |&(submit, gpus, duration): &(f64, u32, f64)| Job::plain(submit, gpus, duration);
        let workload = Workload {
            jobs: jobs.iter().map(job).collect(),
            ..Default::default()
        };
        workload.suggest_cluster()
    }

    #[test]
    fn as_many_gpus_as_were_in_use() {
        let mut workload = Workload {
            jobs: vec![
                Job::plain(0.0, 8, 100.0),
                Job::plain(0.0, 8, 100.0),
                Job::plain(50.0, 4, 1e6),
            ],
            ..Workload::default()
        };
        let run = |start, seconds| {
            Some(RecordedRun {
                start: Time(start),
                seconds,
                types: Default::default(),
            })
        };
        // The second takes over from the first.
        workload.recorded.runs = vec![run(0.0, 100.0), run(100.0, 100.0), run(60.0, 1e6)];
        let guess = workload.suggest_cluster();
        assert_eq!(guess.cluster.to_string(), "2x8");
        assert_eq!(guess.basis, Basis::InUse);
        workload.recorded.runs[1] = run(99.0, 100.0);
        assert_eq!(workload.suggest_cluster().cluster.gpus(), 24);
    }

    #[test]
    fn room_for_the_largest_gang_and_the_mean_demand() {
        for (jobs, cluster, basis) in [
            (vec![], "1x4", Basis::LargestGang),
            (vec![(0.0, 4, 10.0)], "1x4", Basis::LargestGang),
            (vec![(0.0, 20, 10.0)], "3x8", Basis::LargestGang),
            // One GPU for 100 s each second: 100 of them are busy.
            (
                (0..1000).map(|i| (f64::from(i), 1, 100.0)).collect(),
                "28x4",
                Basis::Demand,
            ),
            // A hundred at once take four times as long as one, on 27.5 GPUs.
            (vec![(0.0, 1, 100.0); 100], "7x4", Basis::Batch),
            // Three jobs use three GPUs, however long one is.
            (
                vec![(0.0, 1, 10.0), (20.0, 1, 10.0), (40.0, 1, 1e6)],
                "1x4",
                Basis::AllJobs,
            ),
        ] {
            let found = suggest(&jobs);
            assert_eq!(
                (found.cluster.to_string().as_str(), found.basis),
                (cluster, basis)
            );
            assert!(!found.why().is_empty());
        }
    }

    #[test]
    fn one_long_job_does_not_make_it_small() {
        let mut jobs: Vec<_> = (0..200)
            .map(|i| (432.0 * f64::from(i), 4, 8640.0))
            .collect();
        jobs.push((0.0, 1, 1_728_000.0));
        jobs.sort_by(|a, b| order::by_value(&a.0, &b.0));
        let found = suggest(&jobs);
        assert_eq!(found.cluster.to_string(), "28x4");
        assert_eq!(
            found.why(),
            "1.1 × the mean demand while jobs came, 100.5 GPUs"
        );
        let neighbours = found.neighbours().map(|of| of.map(|of| of.to_string()));
        assert_eq!(
            neighbours,
            [Some("19x4".to_owned()), Some("42x4".to_owned())]
        );
    }

    #[test]
    fn of_cores_nodes_are_larger() {
        for (largest, cluster) in [(4, "3x16"), (20, "2x32"), (200, "4x64")] {
            let mut jobs = vec![Job::plain(0.0, largest, 10.0)];
            jobs.extend((1..200).map(|i| Job::plain(f64::from(i), 1, 36.0)));
            let workload = Workload {
                jobs,
                unit: Resource::Cores,
                ..Default::default()
            };
            let found = workload.suggest_cluster();
            assert_eq!(found.cluster.to_string(), cluster);
        }
        let two = Workload {
            jobs: vec![Job::plain(0.0, 1, 10.0), Job::plain(100.0, 1, 90.0)],
            unit: Resource::Cores,
            ..Default::default()
        };
        let why = two.suggest_cluster().why();
        assert!(!why.contains("GPU"), "{why}");
    }

    #[test]
    fn a_queue_without_end_is_told_and_neighbours_hold_the_largest_gang() {
        let many: Vec<_> = (0..1000).map(|i| (f64::from(i), 65_536, 1e5)).collect();
        let found = suggest(&many);
        assert_eq!(found.basis, Basis::Largest);
        assert!(found.why().contains("may grow"), "{}", found.why());
        assert!(found.neighbours()[1].is_none());
        let gang = suggest(&[(0.0, 64, 10.0)]);
        assert_eq!(gang.neighbours()[0], None);
        assert_eq!(
            gang.neighbours()[1].as_ref().map(ClusterSpec::gpus),
            Some(96)
        );
    }
}
