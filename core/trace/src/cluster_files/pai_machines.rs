//! Alibaba PAI's machine table of 2020 (`pai_machine_spec`): no header, five columns: machine,
//! gpu_type, cap_cpu, cap_mem, **cap_gpu**.
//!
//! A row is a machine; machines without GPUs are for jobs on cores. Memory is in GB.
//!
//! Source: <https://github.com/alibaba/clusterdata>, `cluster-trace-gpu-v2020`.

use crate::cluster_file::{ClusterKind, Machine, of_machines, rows, whole_at};
use crate::rows::number;
use crate::sniff::Sniff;

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise,
    read: |sniff| {
        let at = sniff.column("cap_gpu").map_or(4, |column| column.index);
        let rows = rows(sniff).into_iter();
        let place = |name: &str, at| sniff.column(name).map_or(at, |column| column.index);
        let places = [("gpu_type", 1), ("cap_cpu", 2), ("cap_mem", 3)];
        let [gpu, cores, memory] = places.map(|(name, at)| place(name, at));
        let mut machines = rows.map(|row| {
            let figure = |at| number(row.cell(at)).unwrap_or(0.0);
            Ok(Machine {
                line: row.line,
                gpus: whole_at(sniff, &row, at, "cap_gpu")?,
                gpu: row.cell(gpu).to_owned(),
                cores: figure(cores),
                memory: figure(memory),
                ..Machine::default()
            })
        });
        of_machines(sniff, "cap_gpu", &mut machines)
    },
};

fn recognise(sniff: &Sniff<'_>) -> bool {
    if sniff.has(&["machine", "cap_gpu"]) {
        return true;
    }
    let machine = |row: &Vec<String>| match row.as_slice() {
        [machine, kind, cpu, memory, gpus] => {
            let hexadecimal = machine.len() == 24 && machine.bytes().all(|b| b.is_ascii_hexdigit());
            let numbers = [cpu, memory, gpus].iter().all(|n| number(n).is_some());
            hexadecimal && numbers && number(kind).is_none()
        }
        _ => false,
    };
    sniff.headerless().is_some() && sniff.preview.iter().all(machine)
}

#[cfg(test)]
mod tests {
    use crate::Opened;
    use crate::testing::try_open;

    #[test]
    fn machines_without_gpus_are_for_jobs_on_cores() {
        let table = include_bytes!("../../../../tests/fixtures/pai_machine_spec.csv");
        let Ok(Opened::Cluster(cluster)) = try_open("machines.csv", table) else {
            panic!("no cluster");
        };
        assert_eq!(
            cluster.to_string(),
            "1x8:v100/cores=96/memory=512+2x2:p100/cores=64/memory=512+1x0/cores=96/memory=512"
        );
    }
}
