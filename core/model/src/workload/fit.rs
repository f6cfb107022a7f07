//! How a workload fits a cluster.

use super::Workload;
use crate::cluster::ClusterSpec;

/// Jobs whose gangs are large for a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fit {
    /// Jobs that ask for more GPUs than the cluster has: a run rejects them.
    pub larger_than_cluster: u32,
    /// Jobs that fit on the cluster, but not on any one node.
    pub larger_than_node: u32,
}

impl Workload {
    /// How the workload fits a cluster.
    pub fn fit(&self, cluster: &ClusterSpec) -> Fit {
        let (all, node) = (cluster.gpus(), cluster.largest_node());
        let mut fit = Fit::default();
        for job in &self.jobs {
            if job.gpus > all {
                fit.larger_than_cluster += 1;
            } else if job.gpus > node {
                fit.larger_than_node += 1;
            }
        }
        fit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::SAMPLES;

    #[test]
    fn gangs_are_counted_by_what_they_fit_on() {
        let workload = SAMPLES[0].workload();
        let of = |cluster: &str| workload.fit(&cluster.parse().expect("a cluster"));
        let larger = |gpus: u32| workload.jobs.iter().filter(|job| job.gpus > gpus).count() as u32;
        let fit = of("2x4");
        assert!(larger(8) > 0);
        assert_eq!(fit.larger_than_cluster, larger(8));
        assert_eq!(fit.larger_than_node, larger(4) - larger(8));
        assert_eq!(of("1x64"), Fit::default());
    }
}
