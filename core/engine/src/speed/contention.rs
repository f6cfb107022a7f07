//! Jobs that send over the same links of the cluster's tree, or want more cores than their node has,
//! slow one another: [`Links`] says by how much.

use super::{Cause, Entering, Law};
use crate::cluster::ClusterSpec;
use crate::contention::{Crowd, Links, Network, ProfilesByJob, Stay};
use crate::job::JobId;
use crate::setting::Setting;
use std::sync::Arc;

pub(super) struct Contention {
    links: Links,
    profiles: ProfilesByJob,
}

impl Contention {
    pub(super) fn new(setting: &Setting, cluster: &ClusterSpec) -> Self {
        let network = Arc::new(Network::of(cluster));
        let jobs = setting.workload.jobs.len();
        Self {
            links: Links::new(network, cluster, jobs),
            profiles: ProfilesByJob::of(&setting.workload),
        }
    }
}

impl Law for Contention {
    fn enter(&mut self, entering: &Entering<'_>) {
        let id = entering.id;
        let stay = Stay {
            profile: &self.profiles.get(entering.setting.job(id).model, id),
            gpus: entering.gpus,
            parts: entering.parts,
            server_cores: entering.setting.needs(id).servers().cores,
            // What its own nodes cost an adaptive job its application knows.
            knows_nodes: entering.trains,
        };
        self.links.enter(id, &stay);
    }

    fn leave(&mut self, job: JobId) {
        self.links.leave(job);
    }

    fn factor(&self, job: JobId) -> f64 {
        self.links.factor(job)
    }

    fn changed(&mut self, jobs: &mut Vec<JobId>) {
        self.links.settle(|job, _, _| jobs.push(job));
    }

    fn causes(&self, job: JobId, causes: &mut Vec<Cause>) {
        let slowed = self.links.slowed(job);
        let topology = &self.links.network().topology;
        let mut cause = |place: String, crowd: Crowd| {
            causes.push(Cause {
                law: "contention".to_owned(),
                place,
                factor: crowd.factor,
                load: Some(crowd.load),
                by: crowd.by,
            });
        };
        if let Some(crowd) = slowed.cores {
            cause(format!("node {}'s cores", crowd.at), crowd);
        }
        if let Some(crowd) = slowed.link {
            cause(topology.name(crowd.at), crowd);
        }
    }
}
