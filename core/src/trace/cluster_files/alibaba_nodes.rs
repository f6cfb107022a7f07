//! Alibaba's node lists of 2023 (`openb_node_list_*`): `sn,cpu_milli,memory_mib,gpu,model`.
//!
//! A row is a node, `gpu` the number of its GPUs. GPU models are not told apart.
//!
//! Source: <https://github.com/alibaba/clusterdata>, `cluster-trace-gpu-v2023`.

use super::{ClusterKind, of_machines, rows, whole};

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise: |sniff| sniff.has(&["sn", "cpu_milli", "memory_mib", "gpu", "model"]),
    read: |sniff| {
        let rows = rows(sniff).into_iter();
        let machines = rows.map(|row| Ok((row.line, whole(sniff, &row, "gpu")?)));
        of_machines(sniff, "gpu", machines)
    },
};

#[cfg(test)]
mod tests {
    use crate::trace::Opened;
    use crate::trace::testing::try_open;

    #[test]
    fn nodes_are_grouped_by_their_gpus() {
        let list = include_bytes!("../../../../tests/fixtures/alibaba_nodes.csv");
        let Ok(Opened::Cluster(cluster)) = try_open("nodes.csv", list) else {
            panic!("no cluster");
        };
        assert_eq!(cluster.to_string(), "2x8+1x2");
        let error = try_open(
            "nodes.csv",
            b"sn,cpu_milli,memory_mib,gpu,model\nn0,1,1,two,T4\n",
        );
        assert_eq!(
            error.unwrap_err().to_string(),
            "nodes.csv, line 2, column gpu: 'two' is no whole number: correct it"
        );
    }
}
