//! The artifact of Pollux (OSDI'21; petuum/adaptdl, branch `osdi21-artifact`), for tests that
//! compare with it: measured profiles, workloads, and completion times of its simulator.
//!
//! It is not in this repository: `SWITCHYARD_TRACES` names the folder in which it lies as `pollux`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::{Application, BindingRule, Workload};

/// The artifact's folder.
pub struct Artifact {
    root: PathBuf,
}

impl Artifact {
    /// The artifact.
    ///
    /// # Panics
    ///
    /// Where `SWITCHYARD_TRACES` names no folder.
    pub fn find() -> Self {
        let folder = std::env::var_os("SWITCHYARD_TRACES");
        let folder = folder.expect("SWITCHYARD_TRACES names the folder of traces");
        Self {
            root: PathBuf::from(folder).join("pollux"),
        }
    }

    /// That of Sia (SOSP'23; siasosp23/artifacts), which lies beside it as `sia`, and has the same applications
    /// measured on types of GPUs apart.
    pub fn of_sia(self) -> Self {
        Self {
            root: self.root.with_file_name("sia"),
        }
    }

    /// Its measured applications.
    ///
    /// # Panics
    ///
    /// If they are not there or not sound.
    pub fn applications(&self) -> Vec<Application> {
        let root = self.root.join("profiles");
        let mut files = Vec::new();
        for application in std::fs::read_dir(&root).expect("the folder of profiles") {
            let application = application.expect("an entry").path();
            for file in std::fs::read_dir(application).expect("a profile") {
                let path = file.expect("an entry").path();
                let name = path.strip_prefix(&root).expect("within the folder");
                let name = name.to_str().expect("a plain name").to_owned();
                files.push((name, std::fs::read(path).expect("a file")));
            }
        }
        let files: Vec<SourceFile<'_>> = files
            .iter()
            .map(|(name, bytes)| SourceFile { name, bytes })
            .collect();
        switchyard::workload::profiles::measured(&files).expect("profiles")
    }

    /// One of its workloads, training `applications`.
    ///
    /// # Panics
    ///
    /// If it is not there or not sound.
    pub fn workload(&self, number: u32, applications: Vec<Application>) -> Workload {
        let name = format!("workload-{number}.csv");
        let bytes = std::fs::read(self.root.join("workloads").join(&name)).expect("a workload");
        let file = SourceFile {
            name: &name,
            bytes: &bytes,
        };
        let Ok(Opened::Trace(trace)) = open(&[file], &OpenOptions::default()) else {
            panic!("{name} is a trace");
        };
        trace
            .workload()
            .bind(&BindingRule::default(), applications)
            .expect("every job names an application")
    }

    /// Completion times by job that its simulator gave under a policy, seconds.
    ///
    /// # Panics
    ///
    /// If they are not there.
    pub fn expected(&self, policy: &str, number: u32) -> BTreeMap<String, f64> {
        let path = self.root.join("expected").join(format!("{policy}.json"));
        let text = std::fs::read_to_string(path).expect("expected times");
        let all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let times = &all["jct_seconds"][format!("workload-{number}")];
        let times = times.as_object().expect("a workload's times");
        times
            .iter()
            .map(|(job, time)| (job.clone(), time.as_f64().expect("seconds")))
            .collect()
    }
}
