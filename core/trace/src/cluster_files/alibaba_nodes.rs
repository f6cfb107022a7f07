//! Alibaba's node lists: of 2023 (`openb_node_list_*`), `sn,cpu_milli,memory_mib,gpu,model`; of 2026
//! (`asi_opensource_server_hourly`); and of the spot trace of 2026 (`node_info_df.csv`), `gpu_model,gpu_capacity_num,cpu_num,node_name`.
//!
//! A row is a node, `gpu` or `gpu_capacity_num` the number of its GPUs, of one
//! model; cores and memory are the node's.
//!
//! Source: <https://github.com/alibaba/clusterdata>, `cluster-trace-gpu-v2023`,
//! `cluster-trace-gpu-v2026` and `cluster-trace-v2026-spot-gpu`.

use crate::cluster_file::{
    ClusterFile, ClusterKind, ClusterRow, Machine, bad, figure, of_machines, rows, whole,
};
use crate::error::OpenError;
use crate::sniff::Sniff;
use std::collections::BTreeSet;

pub(super) const V2023: ClusterKind = ClusterKind {
    recognise: |sniff| sniff.has(&["sn", "cpu_milli", "memory_mib", "gpu", "model"]),
    read: |sniff| {
        read(sniff, "gpu", |row, machine| {
            let cell = |name| sniff.column(name).map_or("", |c| row.cell(c.index));
            machine.gpu = cell("model").to_owned();
            machine.cores = figure(sniff, row, "cpu_milli") / 1000.0;
            machine.memory = figure(sniff, row, "memory_mib") / 1024.0;
        })
    },
};

pub(super) const SPOT: ClusterKind = ClusterKind {
    recognise: |sniff| sniff.has(&["node_name", "gpu_model", "gpu_capacity_num", "cpu_num"]),
    read: |sniff| {
        read(sniff, "gpu_capacity_num", |row, machine| {
            let cell = |name| sniff.column(name).map_or("", |c| row.cell(c.index));
            machine.gpu = cell("gpu_model").to_owned();
            machine.cores = figure(sniff, row, "cpu_num");
        })
    },
};

/// Of 2026, `asi_opensource_server_hourly`: a row per server and hour, of which the first counts. Racks
/// (`asw_id`) are not read.
pub(super) const V2026: ClusterKind = ClusterKind {
    recognise: |sniff| sniff.has(&["server_id", "gpu_spec_public", "gpu_count"]),
    read: |sniff| {
        let cell = |row: &ClusterRow, name| {
            let column = sniff.column(name);
            column.map_or(String::new(), |c| row.cell(c.index).to_owned())
        };
        let mut seen = BTreeSet::new();
        let mut rows = rows(sniff);
        rows.retain(|row| seen.insert(cell(row, "server_id")));
        let mut machines = rows.iter().map(|row| {
            let count = figure(sniff, row, "gpu_count");
            if !(0.0..=1e9).contains(&count) || count.fract() != 0.0 {
                let why = format!("{count} is no whole number: correct it");
                return Err(bad(sniff, row.line, "gpu_count", why));
            }
            Ok(Machine {
                line: row.line,
                gpus: count as u32,
                gpu: cell(row, "gpu_spec_public"),
                cores: figure(sniff, row, "cpu_capacity_cores"),
                ..Machine::default()
            })
        });
        of_machines(sniff, "gpu_count", &mut machines)
    },
};

fn read(
    sniff: &Sniff<'_>,
    column: &str,
    rest: impl Fn(&ClusterRow, &mut Machine),
) -> Result<ClusterFile, OpenError> {
    let rows = rows(sniff).into_iter();
    let mut machines = rows.map(|row| {
        let mut machine = Machine {
            line: row.line,
            gpus: whole(sniff, &row, column)?,
            ..Machine::default()
        };
        rest(&row, &mut machine);
        Ok(machine)
    });
    of_machines(sniff, column, &mut machines)
}

#[cfg(test)]
mod tests {
    use crate::Opened;
    use crate::testing::try_open;

    #[test]
    fn servers_of_2026_count_once() {
        let list = b"server_id,cluster_id,asw_id,gpu_spec_public,gpu_count,cpu_capacity_cores,day,hour\ns1,c,a,H20,8.0,192,0,00\ns1,c,a,H20,8.0,192,0,01\ns2,c,b,A10,1.0,32,0,00\n";
        let Ok(Opened::Cluster(cluster)) = try_open("servers.csv", list) else {
            panic!("no cluster");
        };
        assert_eq!(cluster.to_string(), "1x8:h20/cores=192+1x1:a10/cores=32");
    }

    #[test]
    fn nodes_are_grouped_by_their_gpus() {
        let list = include_bytes!("../../../../tests/fixtures/alibaba_nodes.csv");
        let Ok(Opened::Cluster(cluster)) = try_open("nodes.csv", list) else {
            panic!("no cluster");
        };
        assert_eq!(
            cluster.to_string(),
            "2x8:g2/cores=96/memory=384+1x2:p100/cores=64/memory=256+1x0/cores=32/memory=256"
        );
        let error = try_open(
            "nodes.csv",
            b"sn,cpu_milli,memory_mib,gpu,model\nn0,1,1,two,T4\n",
        );
        assert_eq!(
            error.unwrap_err().to_string(),
            "nodes.csv, line 2, column gpu: 'two' is no whole number: correct it"
        );
    }

    #[test]
    fn the_nodes_of_the_spot_trace() {
        let list =
            b"gpu_model,gpu_capacity_num,cpu_num,node_name\nT4,4,64,0\nT4,1,64,1\nL4,4,96,2\n";
        let Ok(Opened::Cluster(cluster)) = try_open("node_info_df.csv", list) else {
            panic!("no cluster");
        };
        assert_eq!(
            cluster.to_string(),
            "1x4:l4/cores=96+1x4:t4/cores=64+1x1:t4/cores=64"
        );
    }
}
