//! The hosts of Alibaba's Lingjun cluster of 2023 (`topo.csv`): `ip,DSW,PSW,ASW`, a host a row, with
//! the core, aggregation and top-of-rack switch above it. Hosts on one PSW are a partition, those on one
//! ASW of it a rack; core switches are the top. Names of racks are a PSW's own. GPUs are not told: the
//! paper's hosts have eight.
//!
//! Source: <https://github.com/alibaba/alibaba-lingjun-dataset-2023>; Crux, SIGCOMM'24.

use crate::cluster::{ClusterSpec, NodeList, Switch, Switches, Tree};
use crate::cluster_file::{ClusterFile, ClusterKind, bad, rows};
use crate::error::OpenError;
use crate::rows::is_missing;
use crate::wording::shorten;
use std::collections::{BTreeMap, BTreeSet};

const GPUS: u32 = 8;

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise: |sniff| sniff.has(&["ip", "psw", "asw"]),
    read: |sniff| {
        let at = |name: &str| sniff.column(name).map_or(usize::MAX, |c| c.index);
        let (ip, psw, asw) = (at("ip"), at("psw"), at("asw"));
        let mut hosts: BTreeSet<String> = BTreeSet::new();
        // By PSW and ASW: how many hosts.
        let mut racks: BTreeMap<(String, String), u32> = BTreeMap::new();
        for row in rows(sniff) {
            let host = row.cell(ip);
            if !hosts.insert(host.to_owned()) {
                let why = format!(
                    "host '{}' stands twice: a host has one place",
                    shorten(host)
                );
                return Err(bad(sniff, row.line, "ip", why));
            }
            for (name, index) in [("psw", psw), ("asw", asw)] {
                if is_missing(row.cell(index)) {
                    let why = "the host hangs on no switch: name it".to_owned();
                    return Err(bad(sniff, row.line, name, why));
                }
            }
            let rack = (row.cell(psw).to_owned(), row.cell(asw).to_owned());
            *racks.entry(rack).or_default() += 1;
        }
        let (Some(((first, _), _)), count) = (racks.first_key_value(), hosts.len() as u32) else {
            return Err(OpenError::HeaderOnly {
                file: sniff.file.to_owned(),
                what: "a list of hosts".to_owned(),
            });
        };
        let partitions: BTreeSet<&String> = racks.keys().map(|(psw, _)| psw).collect();
        // A single one is the cluster itself.
        let several = racks.keys().any(|(psw, _)| psw != first);
        let own = |name: &str, parent: Option<&String>| Switch {
            name: name.to_owned(),
            parent: parent.cloned(),
            capacity: None,
            nic: None,
            nodes: NodeList::default(),
        };
        let mut switches = Vec::new();
        if several {
            switches.extend(partitions.iter().map(|psw| own(psw, None)));
        }
        let mut next = 0;
        for ((psw, asw), hosts) in &racks {
            let nodes = NodeList(vec![(next, next + hosts - 1)]);
            next += hosts;
            switches.push(Switch {
                nodes,
                ..own(&format!("{psw}-{asw}"), several.then_some(psw))
            });
        }
        let tree = Tree {
            switches: Switches::Named(switches),
            ..Tree::default()
        };
        let spec = ClusterSpec::uniform(count, GPUS).map_err(|error| error.to_string());
        let spec = spec.and_then(|spec| spec.with_tree(tree).map_err(|error| error.to_string()));
        let spec = spec.map_err(|why| bad(sniff, sniff.header_line, "asw", why))?;
        Ok(ClusterFile {
            unit: crate::Resource::Gpus,
            how: format!(
                "{}: {count} hosts in {} racks (ASW) of {} partitions (PSW). It does not say how many GPUs a host has: {GPUS} are taken, as in the paper.",
                sniff.file,
                racks.len(),
                partitions.len()
            ),
            spec,
        })
    },
};

#[cfg(test)]
mod tests {
    use crate::Opened;
    use crate::testing::try_open;

    #[test]
    fn racks_and_partitions_from_switches() {
        let list = b"ip,DSW,PSW,ASW\nh1,G6,P10,S2\nh2,G6,P8,S1\nh3,G6,P10,S2\nh4,G6,P10,S14\n";
        let Ok(Opened::Cluster(cluster)) = try_open("topo.csv", list) else {
            panic!("no cluster");
        };
        let json = r#"{"nodes":"4x8","switches":[{"name":"P10"},{"name":"P8"},
            {"name":"P10-S14","parent":"P10","nodes":"0"},{"name":"P10-S2","parent":"P10","nodes":"1-2"},
            {"name":"P8-S1","parent":"P8","nodes":"3"}]}"#;
        assert_eq!(Ok(cluster), json.parse());
    }

    #[test]
    fn a_host_has_one_place() {
        let error = |rows: &str| {
            let list = format!("ip,DSW,PSW,ASW\n{rows}");
            try_open("topo.csv", list.as_bytes())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error("h1,G6,P10,S2\nh1,G6,P8,S1\n"),
            "topo.csv, line 3, column ip: host 'h1' stands twice: a host has one place"
        );
        assert_eq!(
            error("h1,G6,P10,\n"),
            "topo.csv, line 2, column asw: the host hangs on no switch: name it"
        );
    }
}
