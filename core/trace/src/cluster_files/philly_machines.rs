//! Microsoft Philly's machine list: `machineId,number of GPUs, single GPU mem`.
//!
//! Source: <https://github.com/msr-fiddle/philly-traces>, `cluster_machine_list`.

use crate::cluster_file::{ClusterKind, of_machines, rows, whole};

const GPUS: &str = "number of gpus";

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise: |sniff| sniff.has(&["machineid", GPUS]),
    read: |sniff| {
        let rows = rows(sniff).into_iter();
        let machines = rows.map(|row| Ok((row.line, whole(sniff, &row, GPUS)?)));
        of_machines(sniff, GPUS, machines)
    },
};

#[cfg(test)]
mod tests {
    use crate::Opened;
    use crate::testing::try_open;

    #[test]
    fn machines_by_their_gpus() {
        let list = include_bytes!("../../../../tests/fixtures/philly_machines.csv");
        let Ok(Opened::Cluster(cluster)) = try_open("machines.csv", list) else {
            panic!("no cluster");
        };
        assert_eq!(cluster.to_string(), "1x8+2x2");
    }
}
