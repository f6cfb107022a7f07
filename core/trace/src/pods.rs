//! Pods and machines of a cluster whose GPUs are shared, as Alibaba's trace of 2023 lists them:
//! `openb_node_list_*` (`sn,cpu_milli,memory_mib,gpu,model`) and `openb_pod_list_*`
//! (`name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,…`).
//!
//! Unlike a trace it keeps pods without GPUs, which take cores and memory, and no times.
//!
//! Source: <https://github.com/alibaba/clusterdata>, `cluster-trace-gpu-v2023`.

use crate::cluster::MAX_GPUS_PER_NODE;
use crate::cluster_file::{ClusterRow, bad, rows, whole};
use crate::encoding::{Decoder, LOOK};
use crate::error::OpenError;
use crate::look::{Sniffed, sniff};
use crate::rows::Part;
use crate::sniff::Sniff;
use crate::wording::shorten;
use crate::{SourceFile, formats};
use switchyard_model::pods::{Fleet, MAX_TYPES, Machine, Pod, WHOLE};

/// Whether a file is a list of pods, by its first line.
pub fn is_pod_list(bytes: &[u8]) -> bool {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
    line.split(|&byte| byte == b',')
        .any(|name| name.trim_ascii() == b"num_gpu")
}

/// Reads a list of machines and a list of pods.
///
/// # Errors
///
/// An [`OpenError`] that names file, line and column.
pub fn read_fleet(machines: SourceFile<'_>, pods: SourceFile<'_>) -> Result<Fleet, OpenError> {
    let mut fleet = Fleet::default();
    let text = text(machines)?;
    let list = table(machines.name, &text, &MACHINES)?;
    for row in rows(&list) {
        let machine = machine(&list, &row, &mut fleet.types)?;
        fleet.machines.push(machine);
    }
    if fleet.gpu_thousandths() == 0 {
        let why = "no machine has a GPU: choose a list of GPU nodes".to_owned();
        return Err(bad(&list, list.header_line, "gpu", why));
    }
    let text = self::text(pods)?;
    let list = table(pods.name, &text, &PODS)?;
    let has_types = list.has(&["gpu_spec"]);
    for row in rows(&list) {
        let pod = pod(&list, &row, has_types, &mut fleet.types)?;
        fleet.pods.push(pod);
    }
    if fleet.pods.iter().all(|pod| pod.gpus == 0) {
        let why = "no pod asks for a GPU: check that the list is whole".to_owned();
        return Err(bad(&list, list.header_line, "num_gpu", why));
    }
    Ok(fleet)
}

const MACHINES: [&str; 4] = ["cpu_milli", "memory_mib", "gpu", "model"];
const PODS: [&str; 4] = ["cpu_milli", "memory_mib", "num_gpu", "gpu_milli"];

fn text(file: SourceFile<'_>) -> Result<String, OpenError> {
    let head = file.bytes.get(..LOOK).unwrap_or(file.bytes);
    let Some((mut decoder, mark)) = Decoder::new(head) else {
        let why = "it is binary: unpack it to a CSV file first";
        return Err(OpenError::not_a_trace(file.name, why));
    };
    let mut text = String::new();
    decoder.decode(file.bytes.get(mark..).unwrap_or(&[]), &mut text);
    decoder.end(&mut text);
    Ok(text)
}

fn table<'a>(file: &'a str, text: &'a str, columns: &[&str]) -> Result<Sniff<'a>, OpenError> {
    let refuse = |line: u32, column: &str| {
        OpenError::BadCluster {
        file: file.to_owned(),
        line,
        column: column.to_owned(),
        why: "there is no such column: give the openb_node_list and the openb_pod_list of Alibaba's trace of 2023".to_owned(),
    }
    };
    match sniff(file, text, Part::Last, false, formats::is_swf_job)? {
        Sniffed::Known(sniff) => {
            let missing = columns.iter().find(|column| !sniff.has(&[column]));
            missing.map_or(Ok(sniff), |column| Err(refuse(1, column)))
        }
        Sniffed::More | Sniffed::Whole => Err(refuse(1, columns.first().unwrap_or(&""))),
    }
}

fn machine(
    list: &Sniff<'_>,
    row: &ClusterRow,
    types: &mut Vec<String>,
) -> Result<Machine, OpenError> {
    let gpus = whole(list, row, "gpu")?;
    if gpus > MAX_GPUS_PER_NODE {
        let why = format!("{gpus} GPUs: a node has at most {MAX_GPUS_PER_NODE}");
        return Err(bad(list, row.line, "gpu", why));
    }
    let model = cell(list, row, "model");
    Ok(Machine {
        cores: whole(list, row, "cpu_milli")?,
        memory: whole(list, row, "memory_mib")?,
        gpus,
        gpu_type: match model {
            "" => None,
            model => Some(type_index(list, row, "model", model, types)?),
        },
    })
}

fn pod(
    list: &Sniff<'_>,
    row: &ClusterRow,
    has_types: bool,
    types: &mut Vec<String>,
) -> Result<Pod, OpenError> {
    let gpus = whole(list, row, "num_gpu")?;
    let share = whole(list, row, "gpu_milli")?;
    let refuse = |why: String| Err(bad(list, row.line, "gpu_milli", why));
    if gpus > 0 && !(1..=u32::from(WHOLE)).contains(&share) {
        return refuse(format!("{share} thousandths of a GPU: write 1 to {WHOLE}"));
    }
    if gpus > 1 && share < u32::from(WHOLE) {
        return refuse(format!(
            "{share} thousandths of each of {gpus} GPUs: only one GPU can be shared"
        ));
    }
    let mut allowed = 0;
    if has_types && gpus > 0 {
        let spec = cell(list, row, "gpu_spec");
        for name in spec.split('|').filter(|name| !name.is_empty()) {
            allowed |= 1 << type_index(list, row, "gpu_spec", name, types)?;
        }
    }
    Ok(Pod {
        cores: whole(list, row, "cpu_milli")?,
        share: if gpus == 0 { 0 } else { share as u16 },
        gpus,
        types: allowed,
        memory: whole(list, row, "memory_mib")?,
    })
}

fn cell<'r>(list: &Sniff<'_>, row: &'r ClusterRow, name: &str) -> &'r str {
    let column = list.column(name);
    column.map_or("", |column| row.cell(column.index)).trim()
}

fn type_index(
    list: &Sniff<'_>,
    row: &ClusterRow,
    column: &str,
    name: &str,
    types: &mut Vec<String>,
) -> Result<u8, OpenError> {
    let known = types.iter().position(|known| known == name);
    let index = known.unwrap_or(types.len());
    if index >= MAX_TYPES {
        let name = shorten(name);
        let why = format!("'{name}' is one type too many: at most {MAX_TYPES} are told apart");
        return Err(bad(list, row.line, column, why));
    }
    if known.is_none() {
        types.push(name.to_owned());
    }
    Ok(index as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: &str = include_str!("../../../tests/fixtures/alibaba_nodes.csv");
    const LIST: &str = include_str!("../../../tests/fixtures/alibaba_v2023.csv");

    fn read(nodes: &str, pods: &str) -> Result<Fleet, String> {
        let file = |name, text: &'static str| SourceFile {
            name,
            bytes: text.as_bytes(),
        };
        let (nodes, pods) = (nodes.to_owned().leak(), pods.to_owned().leak());
        let fleet = read_fleet(file("nodes.csv", nodes), file("pods.csv", pods));
        fleet.map_err(|error| error.to_string())
    }

    #[test]
    fn machines_and_pods_as_they_stand() {
        let fleet = read(NODES, LIST).expect("both are lists");
        assert_eq!(fleet.types, ["P100", "G2", "V100M16", "V100M32"]);
        assert_eq!(fleet.gpu_thousandths(), 18_000);
        assert_eq!(
            fleet.machines[1],
            Machine {
                cores: 64_000,
                memory: 262_144,
                gpus: 2,
                gpu_type: Some(0)
            }
        );
        let pod = |cores, memory, gpus, share, types| Pod {
            cores,
            share,
            gpus,
            types,
            memory,
        };
        assert_eq!(
            fleet.pods,
            [
                pod(12_000, 16_384, 1, 460, 0),
                pod(6_000, 12_288, 8, 1000, 0b1100),
                pod(8_000, 30_517, 0, 0, 0),
                pod(8_000, 30_517, 1, 1000, 0),
            ]
        );
    }

    #[test]
    fn which_list_is_of_pods() {
        assert!(is_pod_list(LIST.as_bytes()));
        assert!(!is_pod_list(NODES.as_bytes()) && !is_pod_list(b""));
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let head = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n";
        let wrong = |row: &str| read(NODES, &format!("{head}{row}\n")).unwrap_err();
        assert_eq!(
            wrong("p,1,1,1,1001,"),
            "pods.csv, line 2, column gpu_milli: 1001 thousandths of a GPU: write 1 to 1000"
        );
        assert_eq!(
            wrong("p,1,1,2,500,"),
            "pods.csv, line 2, column gpu_milli: 500 thousandths of each of 2 GPUs: only one GPU can be shared"
        );
        assert_eq!(
            wrong("p,1,NaN,1,500,"),
            "pods.csv, line 2, column memory_mib: 'NaN' is no whole number: correct it"
        );
        assert_eq!(
            wrong("p,1,1,0,0,"),
            "pods.csv, line 1, column num_gpu: no pod asks for a GPU: check that the list is whole"
        );
        assert_eq!(
            read(LIST, LIST).unwrap_err(),
            "nodes.csv, line 1, column gpu: there is no such column: give the openb_node_list and the openb_pod_list of Alibaba's trace of 2023"
        );
    }
}
