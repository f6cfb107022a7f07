//! From arguments to a workload and a cluster.

use crate::Failure;
use anyhow::{Context, anyhow};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use switchyard::cluster::ClusterSpec;
use switchyard::policy::{PolicySpec, ServiceHistory};
use switchyard::report::TraceFacts;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::{SAMPLES, Sample, Workload};

/// What marks the name of an embedded sample.
const SAMPLE: &str = "sample:";

/// A trace ready to run.
pub(crate) struct Input {
    pub(crate) facts: TraceFacts,
    pub(crate) workload: Workload,
    /// The cluster that came with the trace.
    pub(crate) cluster: Option<ClusterSpec>,
    /// Rows left out.
    pub(crate) dropped: u32,
}

/// Opens files as one trace, or an embedded sample as `sample:NAME`.
pub(crate) fn load(paths: &[PathBuf], member: Option<&str>) -> Result<Input, Failure> {
    if let [path] = paths
        && let Some(name) = path.to_str().and_then(|path| path.strip_prefix(SAMPLE))
    {
        return load_sample(name);
    }
    match open_files(paths, member)? {
        Opened::Trace(trace) => {
            let workload = Workload::from_trace(&trace);
            Ok(Input {
                facts: TraceFacts::of(&trace.format, &workload),
                dropped: trace
                    .report
                    .dropped
                    .iter()
                    .map(|dropped| dropped.count)
                    .sum(),
                cluster: trace.cluster,
                workload,
            })
        }
        Opened::Cluster(cluster) => Err(Failure::Input(anyhow!(
            "{} describes a cluster ({cluster}) and no jobs: name a trace as well",
            paths[0].display()
        ))),
    }
}

/// Opens files, whatever they are.
pub(crate) fn open_files(paths: &[PathBuf], member: Option<&str>) -> Result<Opened, Failure> {
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        let bytes = std::fs::read(path)
            .with_context(|| format!("cannot read {}", path.display()))
            .map_err(Failure::Input)?;
        files.push((name_of(path), bytes));
    }
    let files: Vec<SourceFile<'_>> = files
        .iter()
        .map(|(name, bytes)| SourceFile { name, bytes })
        .collect();
    let options = OpenOptions {
        member: member.map(str::to_string),
        ..OpenOptions::default()
    };
    open(&files, &options).map_err(|error| Failure::Input(error.into()))
}

fn load_sample(name: &str) -> Result<Input, Failure> {
    let sample = Sample::named(name).ok_or_else(|| {
        let names: Vec<&str> = SAMPLES.iter().map(|sample| sample.name).collect();
        Failure::Input(anyhow!(
            "there is no sample '{name}': use one of {}",
            names.join(", ")
        ))
    })?;
    let workload = sample.workload();
    Ok(Input {
        facts: TraceFacts::of("sample", &workload),
        cluster: Some(sample.cluster_spec()),
        dropped: 0,
        workload,
    })
}

/// The cluster asked for: its text, or a file that describes one.
pub(crate) fn cluster(argument: &str) -> Result<ClusterSpec, Failure> {
    let path = Path::new(argument);
    match ClusterSpec::from_str(argument) {
        Ok(cluster) => Ok(cluster),
        Err(_) if path.is_file() => match open_files(&[path.to_path_buf()], None)? {
            Opened::Cluster(cluster) => Ok(cluster),
            Opened::Trace(trace) => Err(Failure::Input(anyhow!(
                "{argument} is a trace ({}) and no cluster: write NODESxGPUS or name a cluster file",
                trace.title
            ))),
        },
        Err(error) => Err(Failure::Input(error.into())),
    }
}

/// The service history that a policy's spec names, if it names one: a file.
pub(crate) fn history(policy: &PolicySpec) -> Result<Option<ServiceHistory>, Failure> {
    let Some(name) = policy.param("history").filter(|name| *name != "oracle") else {
        return Ok(None);
    };
    let text = std::fs::read_to_string(name)
        .with_context(|| {
            format!(
                "{policy}: cannot read the service history {name} (use online, oracle or a file)"
            )
        })
        .map_err(Failure::Input)?;
    ServiceHistory::parse(name, &text)
        .map(Some)
        .map_err(|error| Failure::Input(anyhow!("{name}: {error}")))
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}
