//! A run as Chrome trace-event JSON, which Perfetto opens: a process per node, a thread per GPU,
//! a slice per stay of a job, and counters for the queue and the GPUs allocated.
//!
//! Format: "Trace Event Format" (Google); `ts` and `dur` are microseconds. They are whole numbers
//! here, so that one stay ends exactly where the next one begins: viewers drop slices that overlap.

use crate::cluster::ClusterSpec;
use crate::sim::RunLog;
use crate::workload::Workload;
use std::fmt::Write;

/// The run as a JSON text. Stays that have not ended yet reach to the log's last event.
pub fn chrome_trace(workload: &Workload, cluster: &ClusterSpec, log: &RunLog) -> String {
    let mut events = Events {
        json: String::from("{\"displayTimeUnit\":\"ms\",\"traceEvents\":["),
    };
    // Process 0 is the cluster as a whole; nodes follow.
    events.add(format_args!(
        "\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{{\"name\":\"cluster\"}}"
    ));
    for (node, gpus) in (0u32..).zip(cluster.gpus_per_node()) {
        let pid = node + 1;
        events.add(format_args!(
            "\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{pid},\"args\":{{\"name\":\"node {node}\"}}"
        ));
        for gpu in 0..gpus {
            events.add(format_args!(
                "\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{pid},\"tid\":{gpu},\"args\":{{\"name\":\"GPU {gpu}\"}}"
            ));
        }
    }
    let end = log.event_times().last().copied().unwrap_or(0.0);
    for i in 0..log.segments() {
        let segment = log.segment(i);
        let job = &workload.jobs[segment.job.index()];
        let name = escaped(&job.name);
        let start = microseconds(segment.start.seconds());
        let duration = microseconds(segment.end.seconds().min(end)) - start;
        let restart = segment.ready - segment.start;
        for part in segment.gpus {
            for gpu in (0..64).filter(|gpu| part.mask >> gpu & 1 == 1) {
                events.add(format_args!(
                    "\"ph\":\"X\",\"name\":\"{name}\",\"pid\":{},\"tid\":{gpu},\"ts\":{start},\"dur\":{duration},\"args\":{{\"job\":{},\"gpus\":{},\"restart_s\":{restart}}}",
                    part.node + 1,
                    segment.job.0,
                    job.gpus,
                ));
            }
        }
    }
    let samples = log
        .sample_times()
        .iter()
        .zip(log.sample_waiting())
        .zip(log.sample_gpus());
    for ((time, waiting), gpus) in samples {
        let ts = microseconds(*time);
        events.add(format_args!(
            "\"ph\":\"C\",\"name\":\"jobs waiting\",\"pid\":0,\"ts\":{ts},\"args\":{{\"jobs\":{waiting}}}"
        ));
        events.add(format_args!(
            "\"ph\":\"C\",\"name\":\"GPUs allocated\",\"pid\":0,\"ts\":{ts},\"args\":{{\"GPUs\":{gpus}}}"
        ));
    }
    events.json.push_str("]}");
    events.json
}

fn microseconds(seconds: f64) -> u64 {
    libm::round(seconds * 1e6) as u64
}

struct Events {
    json: String,
}

impl Events {
    fn add(&mut self, fields: std::fmt::Arguments<'_>) {
        let comma = if self.json.ends_with('[') { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(self.json, "{comma}\n{{{fields}}}");
    }
}

/// The text inside a JSON string.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;
    use crate::job::{Job, Work};
    use std::sync::Arc;

    #[test]
    fn is_json_with_a_slice_per_gpu() {
        let workload = Arc::new(Workload {
            jobs: vec![Job {
                name: "a \"b\"\n\\".into(),
                submit: Time::ZERO,
                gpus: 3,
                tenant: None,
                model: None,
                work: Work::Fixed { duration: 2.0 },
            }],
            ..Default::default()
        });
        let spec = crate::RunSpec {
            policy: "fifo".parse().unwrap(),
            cluster: ClusterSpec::uniform(2, 2).unwrap(),
            placement: Default::default(),
            options: Default::default(),
            history: None,
        };
        let mut run = spec.start(workload.clone());
        run.run().unwrap();
        let json = chrome_trace(&workload, &spec.cluster, run.log());
        let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
        let events = parsed["traceEvents"].as_array().unwrap();
        let slices: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
        assert_eq!(slices.len(), 3);
        assert!(
            slices
                .iter()
                .all(|slice| slice["name"] == "a \"b\"\n\\" && slice["dur"] == 2e6)
        );
        assert_eq!(
            events.iter().filter(|event| event["ph"] == "M").count(),
            1 + 2 + 4
        );
    }
}
