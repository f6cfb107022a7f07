//! The engine as a wasm module for Node; `bench/wasm.mjs` measures it beside the native one.

use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::sim::SimOptions;
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
    /// The embedded sample of this name.
    pub fn sample(name: &str) -> Result<Bench, String> {
        let sample = Sample::named(name).ok_or("there is no such sample")?;
        Ok(Self {
            workload: Arc::new(sample.workload()),
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

    /// Simulates to the end; the log's fingerprint.
    pub fn run(&self, policy: &str, cluster: &str) -> Result<String, String> {
        let spec = RunSpec {
            policy: policy.parse().map_err(|error| format!("{error}"))?,
            cluster: cluster.parse().map_err(|error| format!("{error}"))?,
            placement: Default::default(),
            options: SimOptions::default(),
            history: None,
            outages: Default::default(),
        };
        let mut run = spec.start(self.workload.clone());
        run.run().map_err(|error| error.to_string())?;
        Ok(format!("{:016x}", run.log().hash()))
    }
}
