//! Microsoft Philly's machine list: `machineId,number of GPUs, single GPU mem`.
//!
//! Source: <https://github.com/msr-fiddle/philly-traces>, `cluster_machine_list`.

use crate::cluster_file::{ClusterKind, Machine, of_machines, rows, whole};
use crate::rows::number;

const GPUS: &str = "number of gpus";

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise: |sniff| sniff.has(&["machineid", GPUS]),
    read: |sniff| {
        let rows = rows(sniff).into_iter();
        let memory = sniff.column("single gpu mem").map(|column| column.index);
        let mut machines = rows.map(|row| {
            // As 24GB.
            let memory = memory.map_or("", |at| row.cell(at)).trim();
            let memory = memory.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            Ok(Machine {
                line: row.line,
                gpus: whole(sniff, &row, GPUS)?,
                gpu_memory: number(memory).unwrap_or(0.0),
                ..Machine::default()
            })
        });
        of_machines(sniff, GPUS, &mut machines)
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
        assert_eq!(cluster.to_string(), "1x8/gpu-memory=24+2x2/gpu-memory=12");
    }
}
