//! What the placer learns in: small data centres of several topologies, and workloads for them at several
//! loads: half of them those of the data centre, half as varied as those of real clusters. Whatever is trained or
//! validated on is drawn as [`Split::Training`]; numbers of validation are no numbers of training.

use anyhow::Result;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::draw::{Rng, below, unit};
use switchyard::workload::{DataCentre, Split, Workload};

/// A data centre and its jobs.
pub struct World {
    /// The data centre.
    pub cluster: ClusterSpec,
    /// Its jobs.
    pub workload: Arc<Workload>,
}

/// From here on numbers of draws are for validation.
const VALIDATION: u32 = 1 << 31;
/// Loads that are trained on: between these.
const LOADS: (f64, f64) = (0.8, 1.3);
/// Partitions, racks of each, servers of each, GPUs of each, and by how much uplinks are oversubscribed.
type Form = (u32, u32, u32, u32, u32);

/// Those that are trained on. A gang that is wider than a server needs to know how many there are: hence racks and
/// partitions of several sizes for each size of server.
const FORMS: [Form; 16] = [
    (2, 2, 4, 8, 3),
    (4, 2, 2, 8, 3),
    (4, 1, 2, 8, 3),
    (2, 2, 2, 8, 3),
    (4, 2, 2, 8, 6),
    (2, 2, 4, 8, 1),
    (4, 1, 8, 8, 3),
    (4, 1, 4, 4, 3),
    (2, 2, 4, 4, 3),
    (4, 2, 4, 4, 3),
    (2, 2, 8, 4, 3),
    (1, 4, 8, 4, 3),
    (2, 2, 2, 16, 3),
    (1, 2, 8, 16, 3),
    (2, 4, 4, 8, 3),
    (4, 4, 4, 8, 3),
];

/// And validated.
const VALIDATED: [Form; 5] = [
    (4, 2, 2, 8, 3),
    (2, 2, 4, 8, 3),
    (4, 2, 4, 8, 3),
    (2, 2, 8, 4, 3),
    (1, 2, 8, 16, 3),
];

fn cluster((partitions, racks, servers, gpus, over): Form) -> Result<ClusterSpec> {
    let racks = partitions * racks;
    let nodes = racks * servers;
    let cores = 7 * gpus;
    let text = format!(
        "{nodes}x{gpus}/cores={cores}/sockets=2/qpi=20/partitions={partitions}/racks={racks}/oversubscription={over}"
    );
    Ok(text.parse()?)
}

impl World {
    fn of(form: Form, jobs: u32, load: f64, split: Split, varied: bool) -> Result<Self> {
        let cluster = cluster(form)?;
        let drawn = DataCentre {
            jobs: jobs * cluster.gpus(),
            gpus: cluster.gpus(),
            load,
            split,
        };
        let workload = match varied {
            true => drawn.varied(),
            false => drawn.workload(),
        };
        Ok(Self {
            workload: Arc::new(workload),
            cluster,
        })
    }

    /// To train on, with so many jobs for each GPU, at any load of the lower `part` of those there are, of 0 to 1.
    pub fn to_train(seed: u64, jobs: u32, part: f64) -> Result<Self> {
        let mut rng = Rng::seed_from_u64(seed);
        let form = FORMS[below(&mut rng, FORMS.len() as u32) as usize];
        let load = LOADS.0 + (LOADS.1 - LOADS.0) * part * unit(&mut rng);
        let varied = below(&mut rng, 2) == 1;
        Self::of(form, jobs, load, to_train(&mut rng), varied)
    }

    /// To validate by, at this load. Of ten, five are varied.
    pub fn to_validate(number: u32, jobs: u32, load: f64) -> Result<Self> {
        let form = VALIDATED[number as usize % VALIDATED.len()];
        let varied = number as usize / VALIDATED.len() % 2 == 1;
        Self::of(form, jobs, load, to_validate(number), varied)
    }
}

/// A draw to train on.
pub fn to_train(rng: &mut Rng) -> Split {
    Split::Training((rng.next_u64() % u64::from(VALIDATION)) as u32)
}

/// A draw to validate by.
pub fn to_validate(number: u32) -> Split {
    Split::Training(VALIDATION + number)
}
