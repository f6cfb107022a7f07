//! What jobs want of the links of the cluster's tree at the clock's time, where they contend for them.
//! In: which job runs where. Out: each link's load, as the simulation's law has it.

use std::collections::BTreeMap;
use switchyard::cluster::{ClusterSpec, Topology};
use switchyard::contention::{Network, ProfilesByJob};
use switchyard::engine::{Moment, RunLog};
use switchyard::job::JobId;
use switchyard::order;
use switchyard::workload::Workload;

/// Links, and what each job wants of them.
pub struct Links {
    network: Network,
    profiles: ProfilesByJob,
    /// By segment of those that run: the job, and GB/s that it wants of each of its links.
    wants: BTreeMap<usize, (JobId, Vec<(u32, f64)>)>,
    /// By link, GB/s.
    wanted: Vec<f64>,
    /// The moment's first event to come, when last looked at.
    seen: Option<usize>,
}

impl Links {
    /// Of a cluster on which nothing runs yet.
    pub fn of(cluster: &ClusterSpec, workload: &Workload) -> Self {
        let network = Network::of(cluster);
        Self {
            wanted: vec![0.0; network.topology.edges()],
            network,
            profiles: ProfilesByJob::of(workload),
            wants: BTreeMap::new(),
            seen: None,
        }
    }

    /// Moves to what runs at the moment.
    pub(crate) fn seek(&mut self, log: &RunLog, moment: &Moment, workload: &Workload) {
        if self.seen.replace(moment.next_event()) == Some(moment.next_event()) {
            return;
        }
        let mut before = std::mem::take(&mut self.wants);
        for &job in moment.running() {
            let at = moment.segment(job);
            let wants = before.remove(&at).unwrap_or_else(|| {
                let model = workload.jobs.get(job.index()).and_then(|of| of.model);
                let profile = self.profiles.get(model, job);
                let servers: Vec<(u32, u32)> = log.servers(at).collect();
                let sending = self
                    .network
                    .sending(log.segment(at).gpus, &servers, &profile);
                (job, sending.wanted().collect())
            });
            self.wants.insert(at, wants);
        }
        self.wanted.fill(0.0);
        for &(edge, wanted) in self.wants.values().flat_map(|(_, wants)| wants) {
            self.wanted[edge as usize] += wanted;
        }
    }

    /// The links.
    pub fn topology(&self) -> &Topology {
        &self.network.topology
    }

    /// What is wanted of a link, GB/s.
    pub fn wanted(&self, link: u32) -> f64 {
        self.wanted[link as usize]
    }

    /// What is wanted of a link ÷ what it carries.
    pub fn load(&self, link: u32) -> f64 {
        self.wanted(link) / self.topology().capacity(link)
    }

    /// Who wants how much of a link, GB/s, most first.
    pub fn by(&self, link: u32) -> Vec<(JobId, f64)> {
        let all = self.wants.values();
        let mut by: Vec<(JobId, f64)> = all
            .filter_map(|(job, wants)| {
                let at = wants.binary_search_by_key(&link, |&(edge, _)| edge).ok()?;
                Some((*job, wants[at].1))
            })
            .collect();
        order::sort_by(&mut by, |a, b| b.1.total_cmp(&a.1));
        by
    }

    /// The links that the job of a running segment sends over.
    pub fn of_segment(&self, segment: usize) -> impl Iterator<Item = u32> {
        let wants = self.wants.get(&segment).map_or(&[][..], |(_, wants)| wants);
        wants.iter().map(|&(edge, _)| edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::engine::{SimOptions, TimeIndex};
    use switchyard::workload::Sample;
    use switchyard::{RunSpec, Time};

    #[test]
    fn loads_are_those_that_the_law_slows_jobs_by() {
        let sample = Sample::named("lab").unwrap();
        let workload = std::sync::Arc::new(sample.workload());
        let spec = RunSpec {
            placement: "spread".parse().unwrap_or_default(),
            options: SimOptions {
                contention: true,
                ..SimOptions::default()
            },
            ..RunSpec::new(
                "fifo".parse().unwrap(),
                "8x4/racks=4/oversubscription=8/sockets=2".parse().unwrap(),
            )
        };
        let mut whole = spec.start(workload.clone());
        whole.run().unwrap();
        let log = whole.log();
        let mut index = TimeIndex::default();
        index.extend(log);
        let mut links = Links::of(&spec.cluster, &workload);
        let (mut moment, mut compared) = (Moment::default(), 0);
        let mut replay = spec.start(workload.clone());
        for at in (1..40).map(|i| Time(2000.0 * f64::from(i))) {
            replay.run_until(at).unwrap();
            moment.seek(log, &index, at);
            links.seek(log, &moment, &workload);
            for &job in moment.running() {
                for cause in replay.explain(job, at).slow {
                    let edges = 0..links.topology().edges() as u32;
                    let edge = edges
                        .clone()
                        .find(|&e| links.topology().name(e) == cause.place);
                    let (edge, load) = edge.zip(cause.load).expect("contention on a link");
                    assert!(
                        (links.load(edge) - load).abs() < 1e-9,
                        "{} at {at:?}",
                        cause.place
                    );
                    let by = links.by(edge);
                    assert_eq!(by.len(), cause.by.len() + 1);
                    assert!(links.of_segment(moment.segment(job)).any(|of| of == edge));
                    compared += 1;
                }
            }
        }
        assert!(compared > 20, "{compared}");
    }
}
