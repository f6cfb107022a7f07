//! A cluster for a trace that comes without one.

use super::Workload;
use crate::cluster::{ClusterSpec, MAX_GPUS};

/// GPUs offered per GPU of mean demand: busy, but not hopeless.
const HEADROOM: f64 = 1.1;

impl Workload {
    /// A cluster on which the trace is busy but not hopeless: room for the largest gang, and
    /// 1.1 × the mean demand (GPU·s over the time in which jobs were submitted); nodes of 8 GPUs,
    /// or of 4 if no gang is larger.
    pub fn suggest_cluster(&self) -> ClusterSpec {
        let largest = self.jobs.iter().map(|job| job.gpus).max().unwrap_or(1);
        let gpu_seconds: f64 = self
            .jobs
            .iter()
            .map(|job| job.work.seconds() * f64::from(job.gpus))
            .sum();
        let first = self.jobs.first().map_or(0.0, |job| job.submit.seconds());
        let last = self.jobs.last().map_or(0.0, |job| job.submit.seconds());
        let longest = self
            .jobs
            .iter()
            .map(|job| job.work.seconds())
            .fold(1.0, f64::max);
        // Jobs submitted all at once are given a few times the longest one to get through.
        let span = (last - first).max(4.0 * longest);
        let gpus_per_node = if largest <= 4 { 4 } else { 8 };
        let wanted = (HEADROOM * gpu_seconds / span).max(f64::from(largest));
        let most = f64::from(MAX_GPUS / gpus_per_node);
        let nodes = libm::ceil(wanted / f64::from(gpus_per_node)).clamp(1.0, most) as u32;
        ClusterSpec::uniform(nodes, gpus_per_node)
            .unwrap_or_else(|_| unreachable!("between one node and the largest cluster"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;

    fn workload(jobs: &[(f64, u32, f64)]) -> Workload {
        let job = |&(submit, gpus, duration): &(f64, u32, f64)| Job::plain(submit, gpus, duration);
        Workload {
            jobs: jobs.iter().map(job).collect(),
            ..Default::default()
        }
    }

    #[test]
    fn room_for_the_largest_gang_and_the_mean_demand() {
        let suggest = |jobs: &[(f64, u32, f64)]| workload(jobs).suggest_cluster().to_string();
        assert_eq!(suggest(&[]), "1x4");
        assert_eq!(suggest(&[(0.0, 4, 10.0)]), "1x4");
        assert_eq!(suggest(&[(0.0, 20, 10.0)]), "3x8");
        // 100 jobs of one GPU for 100 s, one a second: 100 GPUs are wanted on average of 99 s,
        // but nobody needs more than a fourth of that when 400 s are given.
        let steady: Vec<_> = (0..1000).map(|i| (f64::from(i), 1, 100.0)).collect();
        assert_eq!(suggest(&steady), "28x4");
    }
}
