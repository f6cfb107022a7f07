//! Jobs that share a GPU slow one another as was measured of their models: Gavel's pairs
//! ([`JobType::beside`]), on the GPU's generation, or a V100 where that is none of those measured.
//! Several neighbours' shares multiply. Who was not measured beside somebody runs at its full speed,
//! for all shares together are no more than the GPU.

use super::{Cause, Entering, Law, Setting};
use crate::cluster::ClusterSpec;
use crate::job::JobId;
use crate::throughputs::JobType;
use crate::types::UNMEASURED;
use crate::workload::GpuGeneration;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Sharing {
    /// By the workload's models.
    measured: Vec<Option<JobType>>,
    /// By node.
    generations: Vec<GpuGeneration>,
    /// Who is on a GPU, by node and number there.
    on: BTreeMap<Place, Vec<(JobId, JobType)>>,
    /// By job, while it shares.
    at: BTreeMap<JobId, (Place, f64)>,
    touched: BTreeSet<Place>,
}

type Place = (u32, u8);

impl Sharing {
    /// `None` where no model was measured.
    pub(super) fn of(setting: &Setting, cluster: &ClusterSpec) -> Option<Self> {
        let models = setting.workload.models.iter();
        let measured: Vec<Option<JobType>> = models.map(|model| JobType::named(model)).collect();
        if measured.iter().all(Option::is_none) {
            return None;
        }
        let generation = |name: &str| GpuGeneration::of_type(name).unwrap_or(UNMEASURED);
        let name = |gpu| cluster.type_name(gpu);
        Some(Self {
            measured,
            generations: cluster
                .kinds_per_node()
                .map(|kind| generation(kind.gpu.map_or("", name)))
                .collect(),
            on: BTreeMap::new(),
            at: BTreeMap::new(),
            touched: BTreeSet::new(),
        })
    }

    /// The share of its own throughput that a job has beside each of its neighbours.
    fn rates_together(&self, place: Place, job: JobId) -> impl Iterator<Item = (JobId, f64)> {
        let there = self.on.get(&place).map_or(&[][..], Vec::as_slice);
        let own = there.iter().find(|of| of.0 == job).map(|of| of.1);
        let generation = self.generations.get(place.0 as usize).copied();
        let others = there.iter().filter(move |of| of.0 != job);
        others.filter_map(move |&(other, of_other)| {
            let (mine, _) = own?.rates_together(of_other, generation?)?;
            Some((other, mine))
        })
    }

    fn factor_at(&self, place: Place, job: JobId) -> f64 {
        self.rates_together(place, job)
            .map(|(_, share)| share)
            .product()
    }
}

impl Law for Sharing {
    fn enter(&mut self, entering: &Entering<'_>) {
        let job = entering.id;
        let share = entering.parts.first().and_then(|part| {
            let share = part.share?;
            Some((part.node, share.gpu))
        });
        let model = entering.setting.job(job).model;
        let measured = model.and_then(|model| *self.measured.get(model as usize)?);
        if let (Some(place), Some(measured)) = (share, measured) {
            self.on.entry(place).or_default().push((job, measured));
            self.at.insert(job, (place, self.factor_at(place, job)));
            self.touched.insert(place);
        }
    }

    fn leave(&mut self, job: JobId) {
        let Some((place, _)) = self.at.remove(&job) else {
            return;
        };
        if let Some(there) = self.on.get_mut(&place) {
            there.retain(|of| of.0 != job);
            if there.is_empty() {
                self.on.remove(&place);
            }
        }
        self.touched.insert(place);
    }

    fn factor(&self, job: JobId) -> f64 {
        self.at.get(&job).map_or(1.0, |&(_, factor)| factor)
    }

    fn changed(&mut self, jobs: &mut Vec<JobId>) {
        for place in std::mem::take(&mut self.touched) {
            let there = self.on.get(&place).map_or(&[][..], Vec::as_slice);
            let there: Vec<JobId> = there.iter().map(|of| of.0).collect();
            for job in there {
                let factor = self.factor_at(place, job);
                let before = self.at.insert(job, (place, factor));
                if before != Some((place, factor)) {
                    jobs.push(job);
                }
            }
        }
    }

    fn causes(&self, job: JobId, causes: &mut Vec<Cause>) {
        let Some(&(place, factor)) = self.at.get(&job) else {
            return;
        };
        if factor < 1.0 {
            let (node, gpu) = place;
            causes.push(Cause {
                law: "sharing".to_owned(),
                place: format!("GPU {gpu} of node {node}"),
                factor,
                load: None,
                by: self
                    .rates_together(place, job)
                    .map(|(other, share)| (other, 1.0 - share))
                    .collect(),
            });
        }
    }
}
