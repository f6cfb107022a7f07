//! A trace as bytes, for pickle: the jobs and what came along, exactly, so that a worker on another machine
//! needs neither its files nor the time to read them. Of one version of the package, for the same.

use crate::{SwitchyardError, refused};
use pyo3::PyResult;
use serde::{Deserialize, Serialize};
use switchyard::Experiment;
use switchyard::cluster::ClusterSpec;
use switchyard::report::TraceFacts;
use switchyard::study::{Origin, Study};
use switchyard::trace::{ImportReport, ProfileTable};
use switchyard::workload::Workload;

/// What the bytes begin with.
const MAGIC: &str = concat!("switchyard trace ", env!("CARGO_PKG_VERSION"), "\n");

#[derive(Serialize, Deserialize)]
struct Kept {
    format: String,
    member: Option<String>,
    columns: Option<String>,
    workload: Workload,
    /// And whether it was asked for.
    cluster: Option<(ClusterSpec, bool)>,
    profiles: Vec<ProfileTable>,
    experiment: Experiment,
    report: ImportReport,
}

/// The bytes of a study.
pub(crate) fn write(study: &Study) -> PyResult<Vec<u8>> {
    let cluster = study.cluster.clone();
    let kept = Kept {
        format: study.facts.format.clone(),
        member: study.facts.member.clone(),
        columns: study.facts.columns.clone(),
        workload: study.workload.clone(),
        cluster: cluster.map(|(cluster, origin)| (cluster, origin == Origin::Asked)),
        profiles: study.profiles.clone(),
        experiment: study.experiment.clone(),
        report: study.report.clone(),
    };
    postcard::to_extend(&kept, MAGIC.as_bytes().to_vec())
        .map_err(|why| SwitchyardError::new_err(format!("a trace cannot be pickled: {why}")))
}

/// The study of the bytes.
pub(crate) fn read(bytes: &[u8]) -> PyResult<Study> {
    let other =
        || refused("this trace was pickled by another version of switchyard: open its files again");
    let kept = bytes.strip_prefix(MAGIC.as_bytes()).ok_or_else(other)?;
    let kept: Kept = postcard::from_bytes(kept).map_err(|_| other())?;
    let origin = |asked| match asked {
        true => Origin::Asked,
        false => Origin::Trace,
    };
    Ok(Study {
        facts: TraceFacts {
            member: kept.member,
            columns: kept.columns,
            choice: kept.experiment.choice.clone(),
            ..TraceFacts::of(&kept.format, &kept.workload)
        },
        cluster: kept
            .cluster
            .map(|(cluster, asked)| (cluster, origin(asked))),
        workload: kept.workload,
        profiles: kept.profiles,
        experiment: kept.experiment,
        report: kept.report,
    })
}
