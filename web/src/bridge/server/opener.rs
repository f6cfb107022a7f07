//! The worker that turns files and samples into jobs.

use super::{listen, reply, scope};
use crate::bridge::protocol::{OpenRequest, OpenedTrace, Reply};
use js_sys::{ArrayBuffer, Uint8Array};
use switchyard::trace::{self, OpenOptions, Opened, SourceFile};
use switchyard::workload::{Sample, Workload};

/// Starts to listen. Does nothing outside a worker.
pub fn serve() {
    let Some(scope) = scope() else { return };
    listen(&scope.clone(), move |request, files| {
        let answer = match request {
            OpenRequest::Open { names, member } => open(&names, files, member),
            OpenRequest::Sample(name) => sample(&name),
        };
        reply(&scope, &answer);
    });
}

fn open(names: &[String], files: &[ArrayBuffer], member: Option<String>) -> Reply {
    let bytes: Vec<Vec<u8>> = files
        .iter()
        .map(|file| Uint8Array::new(file).to_vec())
        .collect();
    let files: Vec<SourceFile<'_>> = names
        .iter()
        .zip(&bytes)
        .map(|(name, bytes)| SourceFile { name, bytes })
        .collect();
    let options = OpenOptions {
        member,
        ..OpenOptions::default()
    };
    match trace::open(&files, &options) {
        Ok(Opened::Trace(trace)) => {
            let workload = Workload::from_trace(&trace);
            Reply::Opened(Box::new(OpenedTrace {
                format: trace.format,
                title: trace.title,
                report: Some(trace.report),
                members: trace.members,
                profiles: trace.profiles,
                cluster: trace.cluster,
                suggested: workload.suggest_cluster(),
                workload,
            }))
        }
        Ok(Opened::Cluster(cluster)) => Reply::OpenedCluster(cluster),
        Ok(Opened::Profiles(tables)) => Reply::OpenedProfiles(tables),
        Err(error) => Reply::Refused(error.to_string()),
    }
}

fn sample(name: &str) -> Reply {
    match Sample::named(name) {
        Some(sample) => Reply::Opened(Box::new(OpenedTrace {
            format: "sample".to_string(),
            title: sample.title.to_string(),
            report: None,
            members: Vec::new(),
            profiles: Vec::new(),
            cluster: Some(sample.cluster_spec()),
            suggested: sample.cluster_spec(),
            workload: sample.workload(),
        })),
        None => Reply::Refused(format!(
            "There is no sample '{name}': choose one from the list."
        )),
    }
}
