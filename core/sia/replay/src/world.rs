//! The world: types of nodes, and the applications' profiles on each. In: tables by application and type. Out: what
//! jobs ask while they run.

use crate::profiles::{NamedText, Profile, ProfilesError, Tables};
use std::collections::BTreeMap;
use switchyard_sia::configurations::NodeType;
use thiserror::Error;

/// The paper's cluster: type, nodes, GPUs per node. T4s, A100s and RTX 2080 Tis, 64 GPUs in all.
pub const PAPER_TYPES: [(&str, u32, u32); 3] = [("aws", 6, 4), ("dgx-ext", 2, 8), ("rtx", 3, 8)];

/// On how many nodes of a type anything was measured.
const MEASURED_NODES: [(&str, u32); 6] = [
    ("azure", 5),
    ("aws", 16),
    ("dgx", 2),
    ("dgx-ext", 2),
    ("quad", 1),
    ("rtx", 3),
];

/// Applications: their name, by how much their progress is slower than measured, the seconds of a restart, and the
/// seconds that Sia believes one to take.
const APPLICATIONS: [(&str, f64, f64, f64); 6] = [
    ("bert", 1.2, 120.0, 120.0),
    ("cifar10", 1.8, 50.0, 30.0),
    ("deepspeech2", 1.2, 25.0, 25.0),
    ("imagenet", 1.2, 250.0, 250.0),
    ("ncf", 1.5, 15.0, 30.0),
    ("yolov3", 1.2, 80.0, 45.0),
];

/// The most samples per GPU that Sia believes a type to hold where that is not the most measured.
const BELIEVED_SAMPLES: [(&str, &str, u32); 1] = [("deepspeech2", "rtx", 57)];

/// Why there is no world.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum WorldError {
    /// A table is missing.
    #[error("{application} has no {table}: the folder of each application needs it")]
    Missing {
        /// The application.
        application: String,
        /// The table's file name.
        table: String,
    },
    /// Tables that are no profile.
    #[error(transparent)]
    Profile(#[from] ProfilesError),
}

/// An application in the world.
#[derive(Clone, Debug)]
pub(super) struct Application {
    /// Its profile on each type.
    pub(super) on: Vec<Profile>,
    /// The most samples per GPU that Sia takes each type to hold.
    pub(super) believed_samples: Vec<u32>,
    /// Share of the measured progress that is made.
    pub(super) calibration: f64,
    /// Seconds of a restart.
    pub(super) restart: f64,
    /// Seconds that Sia believes a restart to take.
    pub(super) believed_restart: f64,
}

/// Types of nodes and applications.
#[derive(Clone, Debug)]
pub struct World {
    types: Vec<NodeType>,
    most_nodes: Vec<u32>,
    applications: BTreeMap<String, Application>,
}

impl World {
    /// A world of these types, with the applications of these tables: for each application its files by name.
    /// Applications that were not measured on all types are left out.
    ///
    /// # Errors
    ///
    /// A [`WorldError`] that names the file and what is wrong with it.
    pub fn new(
        types: &[NodeType],
        tables: &BTreeMap<String, BTreeMap<String, NamedText>>,
    ) -> Result<Self, WorldError> {
        let mut applications = BTreeMap::new();
        for (name, files) in tables {
            let table = |kind: &str, of: &str| {
                let table = format!("{of}-{kind}.csv");
                let missing = || WorldError::Missing {
                    application: name.clone(),
                    table: table.clone(),
                };
                files.get(&table).ok_or_else(missing)
            };
            // Pipelines were measured on two types alone, and in their own way.
            if types
                .iter()
                .any(|of| table(&of.name, "placements").is_err())
            {
                continue;
            }
            let batch = |file: &str| {
                let batch = file.strip_prefix("validation-")?.strip_suffix(".csv")?;
                batch.parse::<u32>().ok()
            };
            let validations = files.iter();
            let validations: Vec<(u32, NamedText)> = validations
                .filter_map(|(file, text)| Some((batch(file)?, text.clone())))
                .collect();
            let mut on = Vec::with_capacity(types.len());
            for of in types {
                let tables = Tables {
                    placements: table(&of.name, "placements")?,
                    scalability: table(&of.name, "scalability")?,
                    validations: &validations,
                };
                on.push(Profile::read(name, &tables)?);
            }
            applications.insert(name.clone(), Application::new(name, types, on));
        }
        let most_nodes = |of: &NodeType| {
            let known = MEASURED_NODES.iter().find(|(name, _)| *name == of.name);
            known.map_or(u32::MAX, |(_, nodes)| *nodes)
        };
        Ok(Self {
            most_nodes: types.iter().map(most_nodes).collect(),
            types: types.to_vec(),
            applications,
        })
    }

    /// The paper's cluster.
    pub fn paper_types() -> Vec<NodeType> {
        let types = PAPER_TYPES.iter();
        types
            .map(|(name, nodes, gpus)| NodeType::new(name, *nodes, *gpus))
            .collect()
    }

    /// Its types, in order.
    pub fn types(&self) -> &[NodeType] {
        &self.types
    }

    pub(super) fn application(&self, name: &str) -> Option<&Application> {
        self.applications.get(name)
    }

    /// On how many nodes of a type anything was measured.
    pub(super) fn most_nodes(&self, kind: usize) -> u32 {
        self.most_nodes[kind]
    }
}

impl Application {
    pub(super) fn new(name: &str, types: &[NodeType], on: Vec<Profile>) -> Self {
        let known = APPLICATIONS.iter().find(|(known, ..)| *known == name);
        let (_, slower, restart, believed_restart) =
            known.copied().unwrap_or((name, 1.0, 30.0, 30.0));
        let believed_samples = types.iter().zip(&on).map(|(of, profile)| {
            let known = BELIEVED_SAMPLES
                .iter()
                .find(|known| (known.0, known.1) == (name, &of.name));
            known.map_or(profile.limits.max_local, |known| known.2)
        });
        Self {
            believed_samples: believed_samples.collect(),
            calibration: 1.0 / slower,
            restart,
            believed_restart,
            on,
        }
    }
}
