//! What files turned out to be: [`Opened`], and mostly a [`Trace`].

use super::formats;
use super::header::Header;
use super::options::OpenOptions;
use super::record::Record;
use super::report::{DropReason, ImportReport};
use crate::Resource;
use crate::application::ProfileTable;
use crate::cluster::ClusterSpec;
use crate::outages::Outages;
use serde::{Deserialize, Serialize};
use switchyard_model::workload::Labels;

/// What files turned out to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(
    clippy::large_enum_variant,
    reason = "made once per opening, and its owner takes it apart at once"
)]
pub enum Opened {
    /// A trace, with a cluster if one lay beside it.
    Trace(Trace),
    /// A cluster file alone.
    Cluster(ClusterSpec),
    /// Profiles of applications, without a trace.
    Profiles(Vec<ProfileTable>),
    /// A list of outages alone.
    Outages(Outages),
}

impl Opened {
    /// Whether jobs that ask for no GPU were left out although the cluster, the one asked for or the trace's, says how
    /// many cores it has: then the files are to be opened once more, with those that [ask for cores](OpenOptions::keep_on_cores).
    pub fn lacks_those_on_cores(&self, options: &OpenOptions, asked: Option<&ClusterSpec>) -> bool {
        let Self::Trace(trace) = self else {
            return false;
        };
        let cluster = asked.or(trace.cluster.as_ref());
        let has_cores = cluster.is_some_and(ClusterSpec::tells_cores);
        let counts_gpus = options.unit.is_default() && !options.keep_on_cores;
        let dropped = || trace.report.count(DropReason::NoGpus) > 0;
        has_cores && counts_gpus && dropped()
    }
}

/// A trace as it stands in its files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The format's stable name, such as `ms-itp`.
    pub format: String,
    /// What people call the format.
    pub title: String,
    /// The jobs, member by member, each in its file's order. At least one.
    pub records: Vec<Record>,
    /// Names of the tenants that records refer to, in order of appearance.
    pub tenants: Vec<String>,
    /// Names of the models that records refer to, in order of appearance.
    pub models: Vec<String>,
    /// Canonical names of the GPU types that records refer to, in order of appearance.
    pub gpu_types: Vec<String>,
    /// Users, accounts, partitions and the like that records refer to.
    pub labels: Labels,
    /// The nodes that records refer to, in the words of the log.
    pub node_names: Vec<String>,
    /// What records count: `gpus` of each are so many of it, and so are those of the cluster.
    pub unit: Resource,
    /// The cluster, from a file opened along with the trace.
    pub cluster: Option<ClusterSpec>,
    /// Unix seconds of the earliest submission, where the trace tells absolute time.
    pub epoch: Option<f64>,
    /// The files that the records came from, in the records' order.
    pub members: Vec<Member>,
    /// The settings of an experiment, where the file is one of ours.
    pub header: Option<Header>,
    /// Profiles of applications that lay beside it.
    pub profiles: Vec<ProfileTable>,
    /// Outages of nodes that lay beside it.
    pub outages: Outages,
    /// What happened on the way.
    pub report: ImportReport,
}

impl Trace {
    /// Whether it is a cluster's own log, as its scheduler keeps or prints it.
    pub fn is_accounting(&self) -> bool {
        formats::is_accounting(&self.format)
    }
}

/// One file of a trace: a member of an archive, or the file itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The path in the archive, or the file's name.
    pub name: String,
    /// How many of the trace's records it gave.
    pub jobs: u32,
}
