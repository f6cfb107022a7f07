//! How a workload fits a cluster.

use super::Workload;
use crate::cluster::{ClusterSpec, CoreDemand, CoreRoom, Pools};
use crate::job::Job;

/// Jobs whose gangs are large for a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fit {
    /// Jobs that ask for more GPUs than the cluster has: a run rejects them.
    pub larger_than_cluster: u32,
    /// Jobs that fit on the cluster, but not on any one node.
    pub larger_than_node: u32,
}

impl Workload {
    /// Why a run on this cluster rejects a job, if it does.
    pub fn why_rejected(&self, job: &Job, cluster: &ClusterSpec) -> Option<String> {
        let why = self.why_rejected_in_gpus(job, cluster)?;
        Some(self.unit.words(&why).into_owned())
    }

    fn why_rejected_in_gpus(&self, job: &Job, cluster: &ClusterSpec) -> Option<String> {
        let pools = Pools::of(cluster);
        if job.is_on_cores() {
            return Self::why_no_cores(job, cluster, &pools);
        }
        let needs = pools.needs(cluster, job.gpus, &job.demand, &self.gpu_types);
        let most = pools.most(needs);
        if job.gpus <= most {
            return None;
        }
        let (gpus, all) = (job.gpus, cluster.gpus());
        if gpus > all {
            return Some(format!("wants {gpus} GPUs, and the cluster has {all}"));
        }
        let named = job.demand.types.named();
        let named = named.filter_map(|at| self.gpu_types.get(at as usize));
        let named: Vec<&str> = named.map(String::as_str).collect();
        let allowed = (0..pools.len()).any(|pool| needs.allows(pool));
        if allowed {
            return Some(format!(
                "wants {gpus} GPUs of one type that it allows, with cores and memory: the idle cluster holds a gang of {most}"
            ));
        }
        let memory = match job.demand.gpu_memory {
            0 => String::new(),
            mib => format!(" with {} GiB", f64::from(mib) / 1024.0),
        };
        let types = match named.as_slice() {
            [] => "GPUs".to_owned(),
            names => names.join(" or "),
        };
        Some(format!(
            "allows only {types}{memory}, and the cluster has none"
        ))
    }

    fn why_no_cores(job: &Job, cluster: &ClusterSpec, pools: &Pools) -> Option<String> {
        let asks = CoreDemand::of(&job.demand);
        let idle = CoreRoom::idle(pools);
        if !idle.lay(asks).is_empty() {
            return None;
        }
        let memory = match asks.memory {
            0 => String::new(),
            mib => format!(" with {} GiB", f64::from(mib) / 1024.0),
        };
        let (cores, all) = (f64::from(asks.cores) / 1000.0, cluster.cores());
        Some(match cluster.tells_cores() {
            true => {
                format!("wants {cores} cores{memory}, and the idle cluster's {all} do not hold it")
            }
            false => format!(
                "wants {cores} cores and no GPU, and the cluster does not say how many cores it has"
            ),
        })
    }

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
    use crate::Resource;
    use crate::job::{Demand, TypeSet};
    use crate::workload::SAMPLES;

    #[test]
    fn a_rejection_says_what_is_not_there() {
        let job = |gpus, demand| Job {
            demand,
            ..Job::plain(0.0, gpus, 1.0)
        };
        let workload = Workload {
            gpu_types: vec!["h100".to_owned(), "t4".to_owned()],
            ..Workload::default()
        };
        let cluster = "2x4:t4/cores=8+1x8:v100".parse().expect("a cluster");
        let why = |gpus, demand| workload.why_rejected(&job(gpus, demand), &cluster);
        let h100 = Demand {
            types: TypeSet::ANY.with(0),
            gpu_memory: 80 * 1024,
            ..Demand::default()
        };
        assert_eq!(why(8, Demand::default()), None);
        assert_eq!(
            why(17, Demand::default()).as_deref(),
            Some("wants 17 GPUs, and the cluster has 16")
        );
        assert_eq!(
            why(1, h100).as_deref(),
            Some("allows only h100 with 80 GiB, and the cluster has none")
        );
        let cores = |cores| Demand {
            cores,
            memory: 2048,
            ..Demand::default()
        };
        assert_eq!(why(0, cores(16_000)), None);
        assert_eq!(
            why(0, cores(17_000)).as_deref(),
            Some("wants 17 cores with 2 GiB, and the idle cluster's 16 do not hold it")
        );
        assert_eq!(
            why(9, Demand::default()).as_deref(),
            Some(
                "wants 9 GPUs of one type that it allows, with cores and memory: the idle cluster holds a gang of 8"
            )
        );
        let workload = Workload {
            unit: Resource::Cores,
            ..Workload::default()
        };
        assert_eq!(
            workload.why_rejected(&job(17, Demand::default()), &cluster),
            Some("wants 17 cores, and the cluster has 16".to_owned())
        );
    }

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
