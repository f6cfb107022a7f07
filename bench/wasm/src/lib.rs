//! The engine as a wasm module for Node; `bench/wasm.mjs` measures it beside the native one.

use std::sync::Arc;
use switchyard::job::{Demand, Job, Work};
use switchyard::policy::script::Script;
use switchyard::sim::SimOptions;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::{Sample, Workload};
use switchyard::{RunSpec, Time};
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

    /// So many jobs that wait, and 32 that run, without an end: as `switchyard-bench scripts`.
    pub fn crowd(waiting: u32) -> Bench {
        let jobs = (0..32 + waiting).map(|i| Job {
            name: format!("{i}").into(),
            submit: Time(f64::from(i) / 64.0),
            gpus: 1,
            tenant: None,
            model: None,
            demand: Demand::default(),
            work: Work::Fixed { duration: 1e9 },
        });
        Self {
            workload: Arc::new(Workload {
                jobs: jobs.collect(),
                ..Workload::default()
            }),
        }
    }

    /// The spec of a script's text.
    pub fn script(text: &str) -> Result<String, String> {
        let spec = Script::spec(text, "script").map_err(|mistake| mistake.to_string())?;
        Ok(spec.to_string())
    }

    /// Decides so often; how often it was.
    pub fn decide(&self, policy: &str, cluster: &str, decisions: u32) -> Result<u32, String> {
        let mut run = Self::spec(policy, cluster)?.start(self.workload.clone());
        let mut done = 0;
        while done < decisions && run.step().map_err(|error| error.to_string())? {
            done += 1;
        }
        Ok(done)
    }

    /// Simulates to the end; the log's fingerprint.
    pub fn run(&self, policy: &str, cluster: &str) -> Result<String, String> {
        let mut run = Self::spec(policy, cluster)?.start(self.workload.clone());
        run.run().map_err(|error| error.to_string())?;
        Ok(format!("{:016x}", run.log().hash()))
    }
}

impl Bench {
    fn spec(policy: &str, cluster: &str) -> Result<RunSpec, String> {
        Ok(RunSpec {
            policy: policy.parse().map_err(|error| format!("{error}"))?,
            cluster: cluster.parse().map_err(|error| format!("{error}"))?,
            placement: Default::default(),
            options: SimOptions::default(),
            history: None,
            outages: Default::default(),
        })
    }
}
