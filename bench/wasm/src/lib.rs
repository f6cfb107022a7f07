//! The engine as a wasm module for Node; `bench/wasm.mjs` measures it beside the native one.

#[path = "../../src/crowd.rs"]
mod crowd;
#[path = "../../src/placing.rs"]
mod placing;

use std::sync::Arc;
use switchyard::policies::script::Script;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::{Sample, Workload};
use wasm_bindgen::prelude::wasm_bindgen;

/// A workload kept for several runs.
#[wasm_bindgen]
pub struct Bench {
    workload: Arc<Workload>,
}

#[wasm_bindgen]
impl Bench {
    /// The first part of the embedded sample of this name, as `switchyard-bench engine --multiple`.
    pub fn sample(name: &str, share: f64) -> Result<Bench, String> {
        let sample = Sample::named(name).ok_or("there is no such sample")?;
        let mut workload = sample.workload();
        let jobs = workload.jobs.len() as f64 * share;
        workload.jobs.truncate(jobs as usize);
        Ok(Self {
            workload: Arc::new(workload),
        })
    }

    /// A trace.
    pub fn open(name: &str, bytes: &[u8]) -> Result<Bench, String> {
        let files = [SourceFile { name, bytes }];
        match open(&files, &OpenOptions::default()).map_err(|error| error.to_string())? {
            Opened::Trace(mut trace) => Ok(Self {
                workload: Arc::new(trace.take_workload()),
            }),
            Opened::Cluster(_) | Opened::Profiles(_) | Opened::Outages(_) => {
                Err("there are no jobs in it".to_string())
            }
        }
    }

    /// So many jobs that wait, and 32 that run, without an end: as `switchyard-bench scripts`.
    pub fn crowd(waiting: u32) -> Bench {
        Self {
            workload: Arc::new(crowd::crowd(waiting)),
        }
    }

    /// The spec of a script's text.
    pub fn script(text: &str) -> Result<String, String> {
        let spec = Script::spec(text, "script").map_err(|mistake| mistake.to_string())?;
        Ok(spec.to_string())
    }

    /// Decides about it so often as `switchyard-bench scripts`; how often it was.
    pub fn decide(&self, policy: &str) -> Result<usize, String> {
        crowd::decide(policy, &self.workload).map_err(|error| error.to_string())
    }

    /// Simulates to the end; the log's fingerprint.
    pub fn run(&self, policy: &str, cluster: &str) -> Result<String, String> {
        let mut run = crowd::spec(policy, cluster)
            .map_err(|error| error.to_string())?
            .start(self.workload.clone());
        run.run().map_err(|error| error.to_string())?;
        Ok(format!("{:016x}", run.log().hash()))
    }
}

/// What the placer that learned decides by, as `switchyard-bench placer`.
#[wasm_bindgen]
pub struct Placer(placing::Placing);

#[wasm_bindgen]
impl Placer {
    /// In a data centre of so many servers.
    pub fn of(servers: u32) -> Result<Placer, String> {
        let placing = placing::Placing::new(servers).map_err(|error| error.to_string())?;
        Ok(Self(placing))
    }

    /// Decides so often; the sum of all scores.
    pub fn decide(&self, times: u32) -> f32 {
        (0..times).map(|_| self.0.decide()).sum()
    }
}
