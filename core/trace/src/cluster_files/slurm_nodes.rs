//! Slurm's nodes: as `scontrol show node` prints them, as `slurm.conf` lists them, and as `sinfo` tells
//! them with a column `GRES`.
//!
//! `NodeName=gpu[01-04] CPUs=64 RealMemory=512000 Gres=gpu:a100:8` is four nodes; what `NodeName=DEFAULT`
//! tells holds below it. Memory is MiB. Of a node with several types of GPUs each type makes a
//! machine, which has its part of the cores and memory. In sinfo's table a node has a row in each of
//! its partitions, of which the first counts.
//!
//! Source: <https://slurm.schedmd.com/slurm.conf.html>, `scontrol.html`, `sinfo.html`.

use crate::cluster_file::{ClusterFile, ClusterKind, Machine, bad, of_machines, rows};
use crate::error::{OpenError, shorten};
use crate::objects::parse;
use crate::rows::{Elements, Fields, number};
use crate::slurm::{Pairs, first_key, hosts};
use crate::sniff::{Shape, Sniff};
use crate::tres;
use serde::Deserialize;
use std::collections::BTreeSet;

pub(super) const PAIRS: ClusterKind = ClusterKind {
    recognise: |sniff| {
        let is_node =
            |line| first_key(line).is_some_and(|key| key.eq_ignore_ascii_case("NodeName"));
        sniff.shape == Shape::Pairs && sniff.text.lines().any(is_node)
    },
    read: read_pairs,
};

pub(super) const SINFO: ClusterKind = ClusterKind {
    recognise: |sniff| names(sniff).is_some() && sniff.column("gres").is_some(),
    read: read_sinfo,
};

/// `scontrol show node --json`, and slurmrestd's `/slurm/…/nodes`.
pub(super) const JSON: ClusterKind = ClusterKind {
    recognise: |sniff| {
        let slurm = sniff.text.contains("\"real_memory\"") && sniff.text.contains("\"gres\"");
        sniff.shape == Shape::JsonObject && sniff.has(&["nodes"]) && slurm
    },
    read: read_json,
};

/// More nodes than this are a mistake in a list of them.
const MAX_NODES: usize = 100_000;

/// A node as its line tells it.
struct Told<'a> {
    line: u32,
    gres: &'a str,
    cores: f64,
    /// MiB.
    memory: f64,
}

impl Told<'_> {
    /// A machine for each type of its GPUs; one without GPUs where it has none.
    fn machines(&self, sniff: &Sniff<'_>) -> Result<Vec<Machine>, OpenError> {
        let mut kinds: Vec<(String, u32)> = Vec::new();
        for (kind, count) in tres::kinds_of(self.gres) {
            let count = count.filter(|count| (0.0..=1e6).contains(count) && count.fract() == 0.0);
            let count = count.ok_or_else(|| {
                let why = format!(
                    "'{}' tells no number of GPUs: correct it",
                    shorten(self.gres)
                );
                bad(sniff, self.line, "Gres", why)
            })? as u32;
            match kinds.iter_mut().find(|(of, _)| *of == kind) {
                Some((_, all)) => *all = all.saturating_add(count),
                None => kinds.push((kind.to_owned(), count)),
            }
        }
        let machine = Machine {
            line: self.line,
            cores: self.cores,
            memory: self.memory / 1024.0,
            ..Machine::default()
        };
        Ok(machine.by_kind(&kinds, sniff.unit))
    }
}

/// The nodes of a list that were not there before.
fn fresh(
    sniff: &Sniff<'_>,
    line: u32,
    list: &str,
    seen: &mut BTreeSet<String>,
) -> Result<usize, OpenError> {
    let left = MAX_NODES.saturating_sub(seen.len());
    let nodes = hosts(list, left).ok_or_else(|| {
        let why = format!(
            "'{}' is no list of nodes, or one of more than {MAX_NODES}: correct it",
            shorten(list)
        );
        bad(sniff, line, "NodeName", why)
    })?;
    Ok(nodes
        .into_iter()
        .filter(|node| seen.insert(node.clone()))
        .count())
}

fn read_pairs(sniff: &Sniff<'_>) -> Result<ClusterFile, OpenError> {
    let nodes = Pairs::of(sniff.text, "NodeName");
    let mut machines: Vec<Result<Machine, OpenError>> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut default: Option<&Pairs<'_>> = None;
    for node in &nodes {
        if node.get("NodeName").eq_ignore_ascii_case("DEFAULT") {
            default = Some(node);
            continue;
        }
        let get = |key: &str| match default.filter(|_| !node.has(key)) {
            Some(default) => default.get(key),
            None => node.get(key),
        };
        let figure = |key: &str| number(get(key));
        let cores = figure("CPUTot").or_else(|| figure("CPUs")).or_else(|| {
            let sockets = figure("Sockets").or_else(|| figure("SocketsPerBoard"));
            let threads = figure("ThreadsPerCore").unwrap_or(1.0);
            Some(sockets.unwrap_or(1.0) * figure("CoresPerSocket")? * threads)
        });
        let told = Told {
            line: node.line,
            gres: get("Gres"),
            cores: cores.unwrap_or(0.0),
            memory: figure("RealMemory").unwrap_or(0.0),
        };
        let of_one = told.machines(sniff)?;
        for _ in 0..fresh(sniff, node.line, node.get("NodeName"), &mut seen)? {
            machines.extend(of_one.iter().cloned().map(Ok));
        }
    }
    of_machines(sniff, "Gres", &mut machines.into_iter())
}

/// A node in JSON.
#[derive(Deserialize)]
struct JsonNode {
    #[serde(default)]
    gres: String,
    #[serde(default)]
    cpus: f64,
    #[serde(default)]
    real_memory: f64,
}

fn read_json(sniff: &Sniff<'_>) -> Result<ClusterFile, OpenError> {
    let nodes = Fields::new(sniff.text).find(|field| field.key == "nodes");
    let mut machines: Vec<Result<Machine, OpenError>> = Vec::new();
    if let Some(nodes) = nodes {
        let mut nodes = Elements::from_line(nodes.value, nodes.line);
        while let Some(row) = nodes.next() {
            let node: JsonNode =
                parse(row.cell(0)).map_err(|why| bad(sniff, row.line, "nodes", why))?;
            let told = Told {
                line: row.line,
                gres: &node.gres,
                cores: node.cpus,
                memory: node.real_memory,
            };
            machines.extend(told.machines(sniff)?.into_iter().map(Ok));
        }
    }
    of_machines(sniff, "gres", &mut machines.into_iter())
}

/// The column of sinfo's table that names nodes.
fn names<'s>(sniff: &'s Sniff<'_>) -> Option<&'s crate::sniff::Column> {
    let names = ["nodelist", "hostnames", "nodehost", "node"];
    names.iter().find_map(|name| sniff.column(name))
}

fn read_sinfo(sniff: &Sniff<'_>) -> Result<ClusterFile, OpenError> {
    let mut machines: Vec<Result<Machine, OpenError>> = Vec::new();
    let mut seen = BTreeSet::new();
    for row in rows(sniff) {
        let at = |column: Option<&crate::sniff::Column>| column.map_or("", |c| row.cell(c.index));
        // A group of unlike nodes is told by its least, as in 64+.
        let figure = |name: &str| number(at(sniff.column(name)).trim_end_matches('+'));
        let told = Told {
            line: row.line,
            gres: at(sniff.column("gres")),
            cores: figure("cpus").unwrap_or(0.0),
            memory: figure("memory").unwrap_or(0.0),
        };
        let of_one = told.machines(sniff)?;
        for _ in 0..fresh(sniff, row.line, at(names(sniff)), &mut seen)? {
            machines.extend(of_one.iter().cloned().map(Ok));
        }
    }
    of_machines(sniff, "GRES", &mut machines.into_iter())
}

#[cfg(test)]
mod tests {
    use crate::Opened;
    use crate::testing::try_open;

    fn cluster(name: &str, text: &str) -> String {
        match try_open(name, text.as_bytes()) {
            Ok(Opened::Cluster(cluster)) => cluster.to_string(),
            other => panic!("no cluster: {other:?}"),
        }
    }

    #[test]
    fn slurm_conf() {
        let text = "# the lab\nClusterName=lab\nSlurmctldHost=head\nGresTypes=gpu\n\
            NodeName=DEFAULT CPUs=64 RealMemory=524288 State=UNKNOWN\n\
            NodeName=gpu[01-03] Gres=gpu:nvidia_a100-sxm4-80gb:8 # new\n\
            nodename=old1,old2 CPUs=32 \\\n  Gres=gpu:tesla_v100-sxm2-32gb:4(S:0-1),gpumem:9\n\
            NodeName=cpu[1-9] CPUs=128\n\
            PartitionName=gpu Nodes=gpu[01-03],old1 Default=YES\n";
        assert_eq!(
            cluster("slurm.conf", text),
            "3x8:a100-80/cores=64/memory=512+2x4:v100-32/cores=32/memory=512"
        );
    }

    #[test]
    fn scontrol_show_node() {
        let text = "NodeName=n1 Arch=x86_64 CoresPerSocket=16\n   CPUAlloc=0 CPUEfctv=64 CPUTot=64 CPULoad=0.01\n   AvailableFeatures=(null)\n   Gres=gpu:a100:4(S:0-1),gpu:t4:4\n   OS=Linux 5.14 #1 SMP\n   RealMemory=524288 AllocMem=0\n\nNodeName=n2 Arch=x86_64\n   CPUTot=8 Gres=(null)\n   RealMemory=1024\n";
        assert_eq!(
            cluster("nodes.txt", text),
            "1x4:a100/cores=32/memory=256+1x4:t4/cores=32/memory=256"
        );
    }

    #[test]
    fn sinfo() {
        let text = "NODELIST   GRES                CPUS MEMORY\ngpu01      gpu:a100:8(S:0-1)   64   524288\ngpu02      gpu:a100:8(S:0-1)   64   524288\ngpu01      gpu:a100:8(S:0-1)   64   524288\ncpu1       (null)              64   524288\n";
        assert_eq!(cluster("sinfo.txt", text), "2x8:a100/cores=64/memory=512");
        assert_eq!(
            cluster("sinfo.txt", "NODELIST GRES\ngpu[01-03] gpu:t4:2\n"),
            "3x2:t4"
        );
        assert_eq!(
            cluster("sinfo.txt", "HOSTNAMES|CPUS|GRES\ngpu01|64+|gpu:2\n"),
            "1x2/cores=64"
        );
    }

    #[test]
    fn as_json() {
        let text = r#"{"nodes": [
            {"name": "n1", "cpus": 64, "real_memory": 524288, "gres": "gpu:a100:8(S:0-1)"},
            {"name": "n2", "cpus": 64, "real_memory": 524288, "gres": ""}
        ], "last_update": 1}"#;
        assert_eq!(cluster("nodes.json", text), "1x8:a100/cores=64/memory=512");
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |text: &str| {
            try_open("slurm.conf", text.as_bytes())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error("NodeName=n[1-999999999] Gres=gpu:4\n"),
            "slurm.conf, line 1, column NodeName: 'n[1-999999999]' is no list of nodes, or one of more than 100000: correct it"
        );
        assert_eq!(
            error("NodeName=n1 Gres=gpu:a100:1.5\n"),
            "slurm.conf, line 1, column Gres: 'gpu:a100:1.5' tells no number of GPUs: correct it"
        );
    }
}
