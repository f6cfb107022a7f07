//! Alibaba's node lists: of 2023 (`openb_node_list_*`), `sn,cpu_milli,memory_mib,gpu,model`, and of
//! the spot trace of 2026 (`node_info_df.csv`), `gpu_model,gpu_capacity_num,cpu_num,node_name`.
//!
//! A row is a node, `gpu` or `gpu_capacity_num` the number of its GPUs, of one
//! model; cores and memory are the node's.
//!
//! Source: <https://github.com/alibaba/clusterdata>, `cluster-trace-gpu-v2023` and
//! `cluster-trace-v2026-spot-gpu`.

use crate::cluster_file::{
    ClusterFile, ClusterKind, Line, Machine, figure, of_machines, rows, whole,
};
use crate::error::OpenError;
use crate::sniff::Sniff;

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

fn read(
    sniff: &Sniff<'_>,
    column: &str,
    rest: impl Fn(&Line, &mut Machine),
) -> Result<ClusterFile, OpenError> {
    let rows = rows(sniff).into_iter();
    let machines = rows.map(|row| {
        let mut machine = Machine {
            line: row.line,
            gpus: whole(sniff, &row, column)?,
            ..Machine::default()
        };
        rest(&row, &mut machine);
        Ok(machine)
    });
    of_machines(sniff, column, machines)
}

#[cfg(test)]
mod tests {
    use crate::Opened;
    use crate::testing::try_open;

    #[test]
    fn nodes_are_grouped_by_their_gpus() {
        let list = include_bytes!("../../../../tests/fixtures/alibaba_nodes.csv");
        let Ok(Opened::Cluster(cluster)) = try_open("nodes.csv", list) else {
            panic!("no cluster");
        };
        assert_eq!(
            cluster.to_string(),
            "2x8:g2/cores=96/memory=384+1x2:p100/cores=64/memory=256"
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
