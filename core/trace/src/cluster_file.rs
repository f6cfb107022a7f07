//! What a file that describes a cluster is, and what its kinds share: rows, numbers, and groups of
//! nodes.

use super::error::OpenError;
use super::rows::{Part, Receiver, Row, is_missing, number};
use super::sniff::{Sniff, is_drawn};
use super::wording::grouped;
use super::wording::shorten;
use crate::Resource;
use crate::cluster::{
    ClusterSpec, CoreNodes, GpuModel, MAX_GPUS_PER_NODE, NodeGroup, NodeKind, TypeId, slice,
    type_name_in_file,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A kind of file.
pub(crate) struct ClusterKind {
    /// Whether a file is one.
    pub(crate) recognise: fn(&Sniff<'_>) -> bool,
    /// Reads all of it.
    pub(crate) read: fn(&Sniff<'_>) -> Result<ClusterFile, OpenError>,
}

/// A file that describes a cluster has at most this many bytes: the largest that is known has
/// 0.6 MB. Its rows are all held at once.
const MAX_BYTES: usize = 1 << 26;

/// Reads a file of a kind.
pub(crate) fn read(kind: &ClusterKind, sniff: &Sniff<'_>) -> Result<ClusterFile, OpenError> {
    if sniff.text.len() > MAX_BYTES {
        return Err(OpenError::NotATrace {
            file: sniff.file.to_owned(),
            why: format!(
                "it looks like a description of a cluster, but has more than {MAX_BYTES} bytes: cut it to a row per node, or write the cluster as NODESxGPUS"
            ),
        });
    }
    let mut cluster = (kind.read)(sniff)?;
    if cluster.unit != sniff.unit {
        let says = |group: &NodeGroup| group.kind.cores.is_some();
        let why = if cluster.spec.groups().iter().all(says) {
            match cluster.spec.in_cores() {
                Ok(spec) => {
                    cluster.spec = spec;
                    return Ok(cluster);
                }
                Err(why) => why.to_string(),
            }
        } else {
            "it does not tell the cores of its nodes, which are counted here: name the cluster as NODESxCORES".to_owned()
        };
        return Err(OpenError::NotATrace {
            file: sniff.file.to_owned(),
            why: format!("it describes a cluster, and {why}"),
        });
    }
    Ok(cluster)
}

/// A cluster out of a file.
#[derive(Debug)]
pub(crate) struct ClusterFile {
    pub(crate) spec: ClusterSpec,
    /// How it was read: a sentence that begins with the file.
    pub(crate) how: String,
    /// What its units are.
    pub(crate) unit: Resource,
}

/// A row of a cluster file.
pub(crate) struct ClusterRow {
    pub(crate) line: u32,
    pub(crate) cells: Vec<String>,
}

impl ClusterRow {
    pub(crate) fn cell(&self, index: usize) -> &str {
        self.cells.get(index).map_or("", String::as_str)
    }
}

/// Every row below the header.
pub(crate) fn rows(sniff: &Sniff<'_>) -> Vec<ClusterRow> {
    struct Lines {
        header: u32,
        boxed: bool,
        rows: Vec<ClusterRow>,
    }
    impl Receiver for Lines {
        fn row(&mut self, row: &Row<'_>) {
            if row.line > self.header && !(self.boxed && is_drawn(row)) {
                self.rows.push(ClusterRow {
                    line: row.line,
                    cells: (0..row.len()).map(|i| row.cell(i).to_owned()).collect(),
                });
            }
        }
        fn comment(&mut self, _text: &str) {}
    }
    let mut lines = Lines {
        header: sniff.header_line,
        boxed: sniff.boxed,
        rows: Vec::new(),
    };
    if let Some(mut reader) = sniff.reader() {
        let table = sniff.text.get(sniff.above..).unwrap_or("");
        reader.read(table, Part::Last, &mut lines);
    }
    lines.rows
}

/// A whole number in a row's column.
pub(crate) fn whole(sniff: &Sniff<'_>, row: &ClusterRow, name: &str) -> Result<u32, OpenError> {
    let column = sniff.column(name);
    whole_at(sniff, row, column.map_or(usize::MAX, |c| c.index), name)
}

/// The same by the column's place, from 0.
pub(crate) fn whole_at(
    sniff: &Sniff<'_>,
    row: &ClusterRow,
    index: usize,
    name: &str,
) -> Result<u32, OpenError> {
    let cell = row.cell(index);
    let count = number(cell).filter(|n| (0.0..=1e9).contains(n) && n.fract() == 0.0);
    count.map(|count| count as u32).ok_or_else(|| {
        let cell = shorten(cell);
        let why = format!("'{cell}' is no whole number: correct it");
        bad(sniff, row.line, name, why)
    })
}

pub(crate) fn bad(sniff: &Sniff<'_>, line: u32, column: &str, why: String) -> OpenError {
    OpenError::BadCluster {
        file: sniff.file.to_owned(),
        line,
        column: column.to_owned(),
        why,
    }
}

/// A machine as a list tells it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) line: u32,
    pub(crate) gpus: u32,
    /// The type of its GPUs; "" where it is not told.
    pub(crate) gpu: String,
    /// GiB of each GPU; 0: not told.
    pub(crate) gpu_memory: f64,
    /// 0: not told.
    pub(crate) cores: f64,
    /// GiB; 0: not told.
    pub(crate) memory: f64,
}

impl Machine {
    /// The same as a machine for each type of its GPUs, which has its part of cores and memory; one
    /// without GPUs where it has none, or where cores are counted.
    pub(crate) fn by_kind(&self, kinds: &[(String, u32)], unit: Resource) -> Vec<Self> {
        let all: f64 = kinds.iter().map(|(_, count)| f64::from(*count)).sum();
        if all == 0.0 || unit == Resource::Cores {
            return vec![self.clone()];
        }
        let machines = kinds.iter().map(|(kind, count)| {
            let part = f64::from(*count) / all;
            Self {
                gpus: *count,
                gpu: kind.clone(),
                cores: self.cores * part,
                memory: self.memory * part,
                ..self.clone()
            }
        });
        machines.collect()
    }
}

/// A number in a row's column; 0 where there is none.
pub(crate) fn figure(sniff: &Sniff<'_>, row: &ClusterRow, name: &str) -> f64 {
    let column = sniff.column(name);
    let cell = column.map_or("", |column| row.cell(column.index));
    number(cell).unwrap_or(0.0)
}

/// GPUs, their type, and GPU memory, cores, memory and speed as nodes have them; the largest first.
type Kind = (Reverse<u32>, Option<String>, [Option<u32>; 4]);

/// A cluster of machines by what they are, ordered from the largest down; those without GPUs are for jobs on cores,
/// where they say how many they have.
pub(crate) fn of_machines(
    sniff: &Sniff<'_>,
    column: &str,
    machines: &mut dyn Iterator<Item = Result<Machine, OpenError>>,
) -> Result<ClusterFile, OpenError> {
    let mut nodes: BTreeMap<Kind, u32> = BTreeMap::new();
    let mut on_cores: BTreeMap<Reverse<(u32, Option<u32>)>, u32> = BTreeMap::new();
    let (mut idle, mut last) = (0u32, sniff.header_line);
    let in_cores = sniff.unit == Resource::Cores;
    for machine in machines {
        let mut machine = machine?;
        last = machine.line;
        if in_cores {
            machine = Machine {
                line: machine.line,
                gpus: machine.cores.clamp(0.0, 1e9) as u32,
                memory: machine.memory,
                ..Machine::default()
            };
        }
        let kept = |value: f64, unit: f64| {
            (value > 0.0 && value < 1e6).then(|| (value * unit).round() as u32)
        };
        if machine.gpus == 0 {
            match kept(machine.cores, 1000.0) {
                Some(cores) => {
                    let kind = Reverse((cores, kept(machine.memory, 1024.0)));
                    *on_cores.entry(kind).or_default() += 1;
                }
                None => idle += 1,
            }
            continue;
        }
        let gpu = match machine.gpu.trim() {
            text if is_missing(text) => None,
            text => Some(
                type_name_in_file(text)
                    .map_err(|error| bad(sniff, machine.line, column, error.to_string()))?,
            ),
        };
        // A slice has its own memory, and its part of the speed.
        let slice = gpu.as_ref().and(slice(&machine.gpu));
        let gpu_memory = slice.map_or(machine.gpu_memory, |(_, gib)| f64::from(gib));
        let speed = slice.and_then(|(sevenths, _)| {
            let whole = GpuModel::named(gpu.as_deref()?)?.speed?;
            Some((whole * f64::from(sevenths) / 7.0 * 1000.0).round() as u32)
        });
        let kind = [
            kept(gpu_memory, 1024.0),
            kept(machine.cores, 1000.0),
            kept(machine.memory, 1024.0),
            speed,
        ];
        *nodes.entry((Reverse(machine.gpus), gpu, kind)).or_default() += 1;
    }
    let without_gpus: u32 = on_cores.values().sum();
    if nodes.is_empty() && idle + without_gpus == 0 {
        return Err(OpenError::HeaderOnly {
            file: sniff.file.to_owned(),
            what: "a list of machines".to_owned(),
        });
    }
    let mut types: Vec<String> = Vec::new();
    let groups = nodes
        .into_iter()
        .map(|((Reverse(gpus), gpu, kind), nodes)| {
            let [gpu_memory, cores, memory, speed] = kind;
            let gpu = gpu.map(|name| {
                let known = types.iter().position(|of| *of == name);
                let at = known.unwrap_or_else(|| {
                    types.push(name);
                    types.len() - 1
                });
                // More than there may be are refused below.
                TypeId(at.min(255) as u8)
            });
            NodeGroup {
                nodes,
                gpus,
                kind: NodeKind {
                    gpu,
                    gpu_memory,
                    cores,
                    memory,
                    speed,
                },
            }
        });
    let mut groups: Vec<NodeGroup> = groups.collect();
    let machines: u32 = groups.iter().map(|group| group.nodes).sum();
    if in_cores {
        let parts = groups.iter();
        groups = parts
            .flat_map(|group| ClusterSpec::of_cores(group.nodes, group.gpus, group.kind.memory))
            .collect();
    }
    let spec = ClusterSpec::with_types(groups, &types);
    let spec = spec.map_err(|error| bad(sniff, last, column, error.to_string()))?;
    let core_nodes = on_cores.into_iter();
    let core_nodes = core_nodes.map(|(Reverse((cores, memory)), nodes)| CoreNodes {
        nodes,
        cores,
        memory,
    });
    let spec = spec.with_core_nodes(core_nodes.collect());
    let left_out = match idle {
        0 => String::new(),
        1 => ", one machine without GPUs left out".to_owned(),
        idle => format!(", {} machines without GPUs left out", grouped(idle)),
    };
    let without = match without_gpus {
        0 => left_out,
        1 => format!(", one machine without GPUs for jobs on cores{left_out}"),
        many => format!(
            ", {} machines without GPUs for jobs on cores{left_out}",
            grouped(many)
        ),
    };
    let parts = match spec.nodes() {
        nodes if nodes > machines => format!(
            ", as {} nodes, since a node has at most {MAX_GPUS_PER_NODE}",
            grouped(nodes)
        ),
        _ => String::new(),
    };
    let types = match spec.types() {
        [] => String::new(),
        types => format!(" ({})", types.join(", ")),
    };
    let of_machines = format!(
        "{} machines with {} GPUs{types}{parts}{without}.",
        grouped(machines),
        grouped(spec.gpus())
    );
    Ok(ClusterFile {
        how: format!("{}: {}", sniff.file, sniff.unit.words(&of_machines)),
        spec,
        unit: sniff.unit,
    })
}
