//! Slurm's nodes: as `scontrol show node` prints them, as `slurm.conf` lists them, `gres.conf` beside it or alone,
//! and as `sinfo` tells them, with a column `GRES` or in JSON.
//!
//! `NodeName=gpu[01-04] CPUs=64 RealMemory=512000 Gres=gpu:a100:8` is four nodes; what `NodeName=DEFAULT`
//! tells holds below it. Memory is MiB. Of a node with several types of GPUs each type makes a
//! machine, which has its part of the cores and memory. In sinfo's table a node has a row in each of
//! its partitions, of which the first counts.
//!
//! `NodeName=gpu[01-04] Name=gpu Type=a100 File=/dev/nvidia[0-3]` in `gres.conf` tells the types of the GPUs that
//! `slurm.conf` counts without their type; without `NodeName`, of all nodes.
//!
//! Source: <https://slurm.schedmd.com/slurm.conf.html>, `gres.conf.html`, `scontrol.html`, `sinfo.html`.

use crate::Resource;
use crate::cluster_file::{ClusterFile, ClusterKind, Machine, bad, of_machines, read, rows};
use crate::error::OpenError;
use crate::objects::parse;
use crate::place::Place;
use crate::rows::{Elements, Fields, number};
use crate::slurm::{Pairs, first_key, hosts};
use crate::sniff::{Shape, Sniff};
use crate::tres;
use crate::wording::shorten;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PAIRS: ClusterKind = ClusterKind {
    recognise: |sniff| {
        let is_node =
            |line| first_key(line).is_some_and(|key| key.eq_ignore_ascii_case("NodeName"));
        let mut lines = sniff.text.lines();
        sniff.shape == Shape::Pairs && lines.any(|line| is_node(line) || is_gres(line))
    },
    read: read_pairs,
};

/// Reads Slurm's files of pairs that were opened together: a `gres.conf` belongs to what lists nodes.
pub(crate) fn read_together(
    files: &[(Place, String)],
    unit: Resource,
) -> Vec<(Place, Result<ClusterFile, OpenError>)> {
    let lists_nodes = |text: &str| {
        let nodes = Pairs::of(text, "NodeName");
        nodes.iter().any(|node| !node.has("Name"))
    };
    let (nodes, gres): (Vec<_>, Vec<_>) = files.iter().partition(|(_, text)| lists_nodes(text));
    let mut all = Vec::new();
    let mut told = String::new();
    for (place, text) in &gres {
        // What is wrong in it is said with its own name and line.
        match Gres::read(&Sniff::of_pairs(&place.file, text)) {
            Ok(_) => told += &format!("{text}\n"),
            Err(why) => all.push((place.clone(), Err(why))),
        }
    }
    let mut read_one = |place: &Place, text: &str| {
        let mut sniff = Sniff::of_pairs(&place.file, text);
        sniff.unit = unit;
        all.push((place.clone(), read(&PAIRS, &sniff)));
    };
    match gres.first() {
        Some((place, _)) if nodes.is_empty() && !told.is_empty() => read_one(place, &told),
        _ => nodes.iter().for_each(|(place, text)| match told.as_str() {
            "" => read_one(place, text),
            told => read_one(place, &format!("{text}\n{told}")),
        }),
    }
    all
}

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

/// `sinfo --json`: groups of nodes that are alike, a partition at a time.
pub(super) const SINFO_JSON: ClusterKind = ClusterKind {
    recognise: |sniff| sniff.shape == Shape::JsonObject && sniff.has(&["sinfo"]),
    read: read_sinfo_json,
};

/// More nodes than this are a mistake in a list of them.
const MAX_NODES: usize = 100_000;

/// A node as its line tells it.
struct NodeLine<'a> {
    line: u32,
    gres: &'a str,
    cores: f64,
    /// MiB.
    memory: f64,
}

impl NodeLine<'_> {
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

/// The nodes of a list.
fn listed(sniff: &Sniff<'_>, line: u32, list: &str, most: usize) -> Result<Vec<String>, OpenError> {
    hosts(list, most).ok_or_else(|| {
        let why = format!(
            "'{}' is no list of nodes, or one of more than {MAX_NODES}: correct it",
            shorten(list)
        );
        bad(sniff, line, "NodeName", why)
    })
}

/// Those that were not there before.
fn fresh(
    sniff: &Sniff<'_>,
    line: u32,
    list: &str,
    seen: &mut BTreeSet<String>,
) -> Result<Vec<String>, OpenError> {
    let left = MAX_NODES.saturating_sub(seen.len());
    let mut nodes = listed(sniff, line, list, left)?;
    nodes.retain(|node| seen.insert(node.clone()));
    Ok(nodes)
}

/// What `gres.conf` tells of GPUs.
#[derive(Default)]
struct Gres {
    /// Of nodes by their names, and of all others.
    of: BTreeMap<String, Vec<Device>>,
    of_all: Vec<Device>,
    /// The line and names of nodes, in order.
    nodes: Vec<(u32, String)>,
}

/// A line of it: a type, "" where it is not told, and how many, where it tells that.
#[derive(Clone)]
struct Device {
    kind: String,
    count: Option<usize>,
}

/// Whether a line of `gres.conf` is of GPUs, whatever node it names.
fn is_gres(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    words.any(|word| word.eq_ignore_ascii_case("name=gpu"))
}

impl Gres {
    fn read(sniff: &Sniff<'_>) -> Result<Self, OpenError> {
        let mut all = Self::default();
        let named = Pairs::of(sniff.text, "NodeName");
        for line in named.iter().chain(&Pairs::of(sniff.text, "Name")) {
            if !line.get("Name").eq_ignore_ascii_case("gpu") {
                continue;
            }
            let files = [line.get("File"), line.get("MultipleFiles")];
            let files = files.into_iter().find(|of| !of.is_empty());
            let devices = files.map(|of| hosts(of, MAX_NODES).map_or(0, |of| of.len()));
            let said = number(line.get("Count"));
            let said = said.filter(|n| (0.0..=1e6).contains(n) && n.fract() == 0.0);
            if said.is_none() && !line.get("Count").is_empty() || devices == Some(0) {
                let of = files.unwrap_or(line.get("Count"));
                let why = format!("'{}' tells no number of GPUs: correct it", shorten(of));
                return Err(bad(sniff, line.line, "Count", why));
            }
            let device = Device {
                kind: line.get("Type").to_owned(),
                count: said.map(|count| count as usize).or(devices),
            };
            if !line.has("NodeName") {
                all.of_all.push(device);
                continue;
            }
            let left = MAX_NODES.saturating_sub(all.nodes.len());
            for node in listed(sniff, line.line, line.get("NodeName"), left)? {
                let devices = all.of.entry(node.clone()).or_default();
                devices.push(device.clone());
                all.nodes.push((line.line, node));
            }
        }
        Ok(all)
    }

    /// The GPUs of a node, of which a list of nodes tells this; nothing where that says more.
    fn told(&self, node: &str, list: &str) -> Option<String> {
        let devices = self.of.get(node).unwrap_or(&self.of_all);
        let counted: Vec<_> = tres::kinds_of(list).collect();
        if devices.is_empty() || counted.iter().any(|(kind, _)| !kind.is_empty()) {
            return None;
        }
        let total = counted.first().and_then(|(_, count)| *count);
        let parts = devices.iter().map(|Device { kind, count }| {
            let count = match (count, total, devices.len()) {
                // A list that counts GPUs knows better than the files of one kind.
                (_, Some(total), 1) => total,
                (Some(count), ..) => *count as f64,
                (None, ..) => 1.0,
            };
            match kind.as_str() {
                "" => format!("gpu:{count}"),
                kind => format!("gpu:{kind}:{count}"),
            }
        });
        Some(parts.collect::<Vec<_>>().join(","))
    }
}

fn read_pairs(sniff: &Sniff<'_>) -> Result<ClusterFile, OpenError> {
    let mut nodes = Pairs::of(sniff.text, "NodeName");
    nodes.retain(|node| !node.has("Name"));
    let gres = Gres::read(sniff)?;
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
        let told = NodeLine {
            line: node.line,
            gres: get("Gres"),
            cores: cores.unwrap_or(0.0),
            memory: figure("RealMemory").unwrap_or(0.0),
        };
        let of_one = told.machines(sniff)?;
        for name in fresh(sniff, node.line, node.get("NodeName"), &mut seen)? {
            match gres.told(&name, told.gres) {
                Some(gres) => {
                    let told = NodeLine {
                        gres: &gres,
                        ..told
                    };
                    machines.extend(told.machines(sniff)?.into_iter().map(Ok));
                }
                None => machines.extend(of_one.iter().cloned().map(Ok)),
            }
        }
    }
    if nodes.is_empty() {
        for (line, name) in &gres.nodes {
            if !seen.insert(name.clone()) {
                continue;
            }
            let told = NodeLine {
                line: *line,
                gres: &gres.told(name, "").unwrap_or_default(),
                cores: 0.0,
                memory: 0.0,
            };
            machines.extend(told.machines(sniff)?.into_iter().map(Ok));
        }
        if gres.nodes.is_empty() {
            let why = "it tells the GPUs of a node, but not which nodes there are: open it beside slurm.conf, or write the cluster as NODESxGPUS";
            return Err(OpenError::not_a_trace(sniff.file, why));
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
            let told = NodeLine {
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

/// A group of nodes as `sinfo --json` tells it.
#[derive(Deserialize)]
struct JsonGroup {
    #[serde(default)]
    nodes: JsonNames,
    #[serde(default)]
    gres: JsonGres,
    #[serde(default)]
    cpus: JsonFigure,
    #[serde(default)]
    memory: JsonFigure,
}

#[derive(Default, Deserialize)]
struct JsonNames {
    #[serde(default)]
    total: usize,
    /// Names, or lists of them.
    #[serde(default)]
    nodes: Vec<String>,
}

#[derive(Default, Deserialize)]
struct JsonGres {
    #[serde(default)]
    total: String,
}

/// What the least of a group has.
#[derive(Default, Deserialize)]
struct JsonFigure {
    #[serde(default)]
    minimum: f64,
}

fn read_sinfo_json(sniff: &Sniff<'_>) -> Result<ClusterFile, OpenError> {
    let groups = Fields::new(sniff.text).find(|field| field.key == "sinfo");
    let mut machines: Vec<Result<Machine, OpenError>> = Vec::new();
    let mut seen = BTreeSet::new();
    if let Some(groups) = groups {
        let mut groups = Elements::from_line(groups.value, groups.line);
        while let Some(row) = groups.next() {
            let group: JsonGroup =
                parse(row.cell(0)).map_err(|why| bad(sniff, row.line, "sinfo", why))?;
            let told = NodeLine {
                line: row.line,
                gres: &group.gres.total,
                cores: group.cpus.minimum,
                memory: group.memory.minimum,
            };
            let of_one = told.machines(sniff)?;
            let names = group.nodes.nodes.join(",");
            let count = match names.is_empty() {
                true => group.nodes.total.min(MAX_NODES),
                false => fresh(sniff, row.line, &names, &mut seen)?.len(),
            };
            for _ in 0..count {
                machines.extend(of_one.iter().cloned().map(Ok));
            }
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
        let told = NodeLine {
            line: row.line,
            gres: at(sniff.column("gres")),
            cores: figure("cpus").unwrap_or(0.0),
            memory: figure("memory").unwrap_or(0.0),
        };
        let of_one = told.machines(sniff)?;
        for _ in fresh(sniff, row.line, at(names(sniff)), &mut seen)? {
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
            "3x8:a100-80/cores=64/memory=512+2x4:v100-32/cores=32/memory=512+9x0/cores=128/memory=512"
        );
    }

    #[test]
    fn scontrol_show_node() {
        let text = "NodeName=n1 Arch=x86_64 CoresPerSocket=16\n   CPUAlloc=0 CPUEfctv=64 CPUTot=64 CPULoad=0.01\n   AvailableFeatures=(null)\n   Gres=gpu:a100:4(S:0-1),gpu:t4:4\n   OS=Linux 5.14 #1 SMP\n   RealMemory=524288 AllocMem=0\n\nNodeName=n2 Arch=x86_64\n   CPUTot=8 Gres=(null)\n   RealMemory=1024\n";
        assert_eq!(
            cluster("nodes.txt", text),
            "1x4:a100/cores=32/memory=256+1x4:t4/cores=32/memory=256+1x0/cores=8/memory=1"
        );
    }

    #[test]
    fn sinfo() {
        let text = "NODELIST   GRES                CPUS MEMORY\ngpu01      gpu:a100:8(S:0-1)   64   524288\ngpu02      gpu:a100:8(S:0-1)   64   524288\ngpu01      gpu:a100:8(S:0-1)   64   524288\ncpu1       (null)              64   524288\n";
        assert_eq!(
            cluster("sinfo.txt", text),
            "2x8:a100/cores=64/memory=512+1x0/cores=64/memory=512"
        );
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
        assert_eq!(
            cluster("nodes.json", text),
            "1x8:a100/cores=64/memory=512+1x0/cores=64/memory=512"
        );
    }

    #[test]
    fn sinfo_as_json() {
        let group = |partition: &str, nodes: &str| {
            format!(
                r#"{{"partition": {{"name": "{partition}"}}, "nodes": {{"total": 2, "nodes": [{nodes}]}},
                "cpus": {{"minimum": 64, "maximum": 64}}, "memory": {{"minimum": 524288}},
                "gres": {{"total": "gpu:a100:8(S:0-1)", "used": "gpu:a100:0"}}}}"#
            )
        };
        let text = format!(
            "{{\"meta\": {{}},\n\"sinfo\": [{},\n{},\n{}]}}",
            group("a", "\"n1\", \"n2\""),
            group("b", "\"n[2-3]\""),
            r#"{"nodes": {"total": 3, "nodes": ["c1"]}, "cpus": {"minimum": 8}, "gres": {"total": ""}}"#
        );
        assert_eq!(
            cluster("sinfo.json", &text),
            "3x8:a100/cores=64/memory=512+1x0/cores=8"
        );
    }

    const CONF: &str = "SlurmctldHost=head\nGresTypes=gpu\nNodeName=gpu[01-02] CPUs=64 RealMemory=524288 Gres=gpu:8\nNodeName=gpu03 CPUs=32 Gres=gpu:t4:4\nNodeName=old1 CPUs=16 Gres=gpu:2\n";
    const GRES: &str = "AutoDetect=off\n# the new ones\nNodeName=gpu[01-02] Name=gpu Type=nvidia_a100-sxm4-80gb File=/dev/nvidia[0-3] Cores=0-31\nNodeName=gpu[01-02] Name=gpu Type=h100 File=/dev/nvidia4,/dev/nvidia5,/dev/nvidia[6-7]\nNodeName=gpu03 Name=gpu Type=v100 Count=4\nName=gpu Type=tesla_v100-sxm2-32gb File=/dev/nvidia[0-1]\nName=mps Count=100\n";

    fn together(files: &[(&str, &str)]) -> Result<Opened, crate::OpenError> {
        let files: Vec<crate::SourceFile<'_>> = files
            .iter()
            .map(|(name, text)| crate::SourceFile {
                name,
                bytes: text.as_bytes(),
            })
            .collect();
        crate::open(&files, &crate::OpenOptions::default())
    }

    #[test]
    fn gres_conf_tells_the_types_of_what_slurm_conf_counts() {
        let wanted = "2x4:a100-80/cores=32/memory=256+2x4:h100/cores=32/memory=256+1x4:t4/cores=32+1x2:v100-32/cores=16";
        for files in [
            [("slurm.conf", CONF), ("gres.conf", GRES)],
            [("gres.conf", GRES), ("slurm.conf", CONF)],
        ] {
            let Ok(Opened::Cluster(cluster)) = together(&files) else {
                panic!("no cluster: {:?}", together(&files));
            };
            assert_eq!(cluster.to_string(), wanted);
        }
        let jobs = "job_id,submit_time,duration,num_gpus\n1,0,60,2\n";
        let files = [
            ("jobs.csv", jobs),
            ("gres.conf", GRES),
            ("slurm.conf", CONF),
        ];
        let Ok(Opened::Trace(trace)) = together(&files) else {
            panic!("no trace");
        };
        assert_eq!(trace.cluster.unwrap().to_string(), wanted);
    }

    #[test]
    fn gres_conf_alone() {
        assert_eq!(cluster("gres.conf", GRES), "2x4:a100-80+2x4:h100+1x4:v100");
        assert_eq!(
            cluster(
                "gres.conf",
                "NodeName=n[1-3] Name=gpu File=/dev/nvidia[0-7]\n"
            ),
            "3x8"
        );
        let error = |text: &str| together(&[("gres.conf", text)]).unwrap_err().to_string();
        let alone = error("AutoDetect=nvml\nName=gpu Type=a100 File=/dev/nvidia[0-7]\n");
        assert!(alone.contains("open it beside slurm.conf"), "{alone}");
        assert_eq!(
            error("NodeName=n1 Name=gpu Count=many\n"),
            "gres.conf, line 1, column Count: 'many' tells no number of GPUs: correct it"
        );
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
