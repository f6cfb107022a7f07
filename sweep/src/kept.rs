//! A trace as bytes: the jobs and what came along, exactly, so that a worker on another machine needs
//! neither its files nor the time to read them. Of one version of the engine, for the same.

use serde::{Deserialize, Serialize};
use switchyard::cluster::ClusterSpec;
use switchyard::report::TraceFacts;
use switchyard::trace::{ImportReport, ProfileTable};
use switchyard::workload::Workload;
use switchyard_app::Experiment;
use switchyard_app::options::Refused;
use switchyard_app::study::{Origin, Study};

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
///
/// # Errors
///
/// They cannot be written: the engine's fault.
pub fn write(study: &Study) -> Result<Vec<u8>, Refused> {
    bytes_of(study, study.report.clone())
}

/// A fingerprint of all that makes its runs: not of how its files were read.
///
/// # Errors
///
/// As of [`write`].
pub fn fingerprint(study: &Study) -> Result<u64, Refused> {
    Ok(xxhash_rust::xxh3::xxh3_64(&bytes_of(
        study,
        ImportReport::default(),
    )?))
}

fn bytes_of(study: &Study, report: ImportReport) -> Result<Vec<u8>, Refused> {
    let cluster = study.cluster.clone();
    let kept = Kept {
        format: study.facts.format.clone(),
        member: study.facts.member.clone(),
        columns: study.facts.columns.clone(),
        workload: study.workload.clone(),
        cluster: cluster.map(|(cluster, origin)| (cluster, origin == Origin::Asked)),
        profiles: study.profiles.clone(),
        experiment: study.experiment.clone(),
        report,
    };
    postcard::to_extend(&kept, MAGIC.as_bytes().to_vec())
        .map_err(|why| Refused(format!("a trace cannot be written down: {why}")))
}

/// The study of the bytes.
///
/// # Errors
///
/// They are of another version, or no trace.
pub fn read(bytes: &[u8]) -> Result<Study, Refused> {
    let why = "this trace was pickled by another version of switchyard: open its files again";
    let other = || Refused(why.to_owned());
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
