//! A run as Chrome trace-event JSON, which Perfetto opens: a process per node, a thread per GPU,
//! a slice per stay of a job, and counters for the queue and the GPUs allocated.
//!
//! Format: "Trace Event Format" (Google); `ts` and `dur` are microseconds. They are whole numbers
//! here, so that one stay ends exactly where the next one begins: viewers drop slices that overlap.

use crate::Resource;
use crate::cluster::ClusterSpec;
use crate::sim::RunLog;
use crate::workload::Workload;
use serde::Serialize;

/// The run as a JSON text. Stays that have not ended yet reach to the log's last event.
pub fn chrome_trace(workload: &Workload, cluster: &ClusterSpec, log: &RunLog) -> String {
    let mut json = String::from("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    let mut between = "\n";
    // One a line: of all events of a long run there is never a second copy.
    let mut add = |event: Event<'_>| {
        json.push_str(between);
        // Texts and numbers cannot fail.
        json.push_str(&serde_json::to_string(&event).unwrap_or_default());
        between = ",\n";
    };
    // Process 0 is the cluster as a whole; nodes follow.
    add(Event::name("process_name", 0, None, "cluster"));
    for (node, gpus) in (0u32..).zip(cluster.gpus_per_node()) {
        let pid = node + 1;
        add(Event::name(
            "process_name",
            pid,
            None,
            &format!("node {node}"),
        ));
        for gpu in 0..gpus {
            add(Event::name(
                "thread_name",
                pid,
                Some(gpu),
                &workload.unit.words(&format!("GPU {gpu}")),
            ));
        }
    }
    let end = log.event_times().last().copied().unwrap_or(0.0);
    for i in 0..log.segments() {
        let segment = log.segment(i);
        let job = &workload.jobs[segment.job.index()];
        let start = microseconds(segment.start.seconds());
        let duration = microseconds(segment.end.seconds().min(end)) - start;
        let servers = log.servers_in_words(i);
        for part in segment.gpus {
            for gpu in part.numbers() {
                add(Event {
                    ph: "X",
                    name: &job.name,
                    pid: part.node + 1,
                    tid: Some(gpu),
                    ts: Some(start),
                    dur: Some(duration),
                    args: Args::Stay {
                        job: segment.job.0,
                        gpus: job.gpus,
                        restart_s: segment.ready - segment.start,
                        parameter_servers: &servers,
                    },
                });
            }
        }
    }
    let samples = log
        .sample_times()
        .iter()
        .zip(log.sample_waiting())
        .zip(log.sample_gpus());
    for ((&time, &jobs), &gpus) in samples {
        add(Event::counter("jobs waiting", time, Args::Waiting { jobs }));
        add(Event::counter(
            &workload.unit.words("GPUs allocated"),
            time,
            match workload.unit {
                Resource::Gpus => Args::Allocated { gpus },
                Resource::Cores => Args::AllocatedCores { cores: gpus },
            },
        ));
    }
    json.push_str("]}");
    json
}

fn microseconds(seconds: f64) -> u64 {
    libm::round(seconds * 1e6) as u64
}

#[derive(Serialize)]
struct Event<'a> {
    ph: &'static str,
    name: &'a str,
    pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    tid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u64>,
    args: Args<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Args<'a> {
    Name {
        name: &'a str,
    },
    Stay {
        job: u32,
        gpus: u32,
        restart_s: f64,
        #[serde(skip_serializing_if = "str::is_empty")]
        parameter_servers: &'a str,
    },
    Waiting {
        jobs: u32,
    },
    Allocated {
        #[serde(rename = "GPUs")]
        gpus: u32,
    },
    AllocatedCores {
        cores: u32,
    },
}

impl<'a> Event<'a> {
    /// What a process or a thread is called.
    fn name(what: &'a str, pid: u32, tid: Option<u32>, name: &'a str) -> Self {
        Self {
            ph: "M",
            name: what,
            pid,
            tid,
            ts: None,
            dur: None,
            args: Args::Name { name },
        }
    }

    /// A value of the whole cluster from a time on.
    fn counter(name: &'a str, time: f64, args: Args<'a>) -> Self {
        Self {
            ph: "C",
            name,
            pid: 0,
            tid: None,
            ts: Some(microseconds(time)),
            dur: None,
            args,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use std::sync::Arc;

    #[test]
    fn is_json_with_a_slice_per_gpu() {
        let workload = Arc::new(Workload {
            jobs: vec![Job {
                name: "a \"b\"\n\\".into(),
                ..Job::plain(0.0, 3, 2.0)
            }],
            ..Default::default()
        });
        let spec =
            crate::RunSpec::new("fifo".parse().unwrap(), ClusterSpec::uniform(2, 2).unwrap());
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
