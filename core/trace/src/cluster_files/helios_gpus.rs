//! Helios' GPUs per virtual cluster and day (`cluster_gpu_number.csv`): `date`, a column per
//! virtual cluster, `total`.
//!
//! The cluster is that of the day with the most GPUs, in nodes of eight, as Helios has them.
//! Virtual clusters are not told apart.
//!
//! Source: <https://github.com/S-Lab-System-Group/HeliosData>.

use crate::cluster::ClusterSpec;
use crate::cluster_file::{ClusterFile, ClusterKind, bad, rows, whole};
use crate::error::OpenError;
use crate::sniff::Sniff;

/// GPUs of a node (Helios, SC'21, table 1).
const PER_NODE: u32 = 8;

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise: |sniff| {
        let days = sniff.columns.first().is_some_and(|c| c.name == "date");
        days && sniff.columns.len() > 2 && sniff.has(&["total"])
    },
    read,
};

fn read(sniff: &Sniff<'_>) -> Result<ClusterFile, OpenError> {
    let date = sniff.columns.first().map_or(0, |column| column.index);
    let mut largest: Option<(u32, u32, String)> = None;
    for row in rows(sniff) {
        let total = whole(sniff, &row, "total")?;
        if largest.as_ref().is_none_or(|(most, ..)| total > *most) {
            largest = Some((total, row.line, row.cell(date).to_owned()));
        }
    }
    let Some((total, line, day)) = largest else {
        return Err(OpenError::HeaderOnly {
            file: sniff.file.to_owned(),
            what: "GPUs per virtual cluster by day".to_owned(),
        });
    };
    let spec = ClusterSpec::uniform(total.div_ceil(PER_NODE), PER_NODE);
    let spec = spec.map_err(|error| bad(sniff, line, "total", error.to_string()))?;
    Ok(ClusterFile {
        unit: crate::Resource::Gpus,
        how: format!(
            "{}: {total} GPUs on {day}, the day with the most, as nodes of {PER_NODE}.",
            sniff.file
        ),
        spec,
    })
}

#[cfg(test)]
mod tests {
    use crate::Opened;
    use crate::testing::try_open;

    #[test]
    fn the_day_with_the_most_gpus() {
        let table =
            b"date,vcA,vcB,total\n2020-04-01,8,8,16\n2020-04-02,8,16,24\n2020-04-03,8,8,16\n";
        let Ok(Opened::Cluster(cluster)) = try_open("gpus.csv", table) else {
            panic!("no cluster");
        };
        assert_eq!(cluster.to_string(), "3x8");
    }
}
