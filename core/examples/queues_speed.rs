//! How many jobs a second a policy decides on in a tree of many queues. Jobs are dealt out to queues one after the other.
//!
//! `cargo run --release -p switchyard-core --example queues_speed -- helios_trace.csv kai 1000 133x8`, where the file has the columns
//! `job_id,arrival_s,service_sec,gpu_count`.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;
use switchyard::RunSpec;
use switchyard::job::Job;
use switchyard::queues::membership::QueueSettings;
use switchyard::queues::rules::By;
use switchyard::queues::text;
use switchyard::workload::Workload;

/// Runs per figure.
const RUNS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, policy, queues, cluster] = arguments.as_slice() else {
        return Err("say the file, the policy, how many queues, and the cluster".into());
    };
    let queues: u32 = queues.parse()?;
    let workload = Arc::new(workload(&std::fs::read_to_string(file)?, queues)?);
    let tree = Arc::new(text::read(&tree(queues))?);
    let jobs = workload.jobs.len();
    for _ in 0..RUNS {
        let spec = RunSpec {
            queues: QueueSettings {
                tree: Some(Arc::clone(&tree)),
                by: By::Tenant,
            },
            ..RunSpec::new(policy.parse()?, cluster.parse()?)
        };
        let start = Instant::now();
        let mut run = spec.start(Arc::clone(&workload));
        run.run()?;
        let seconds = start.elapsed().as_secs_f64();
        let (events, evictions) = (run.log().events(), run.log().evictions());
        println!(
            "{policy}: {jobs} jobs, {queues} queues, {events} events, {evictions} evictions by failures, {seconds:.3} s, {:.0} jobs/s",
            jobs as f64 / seconds
        );
    }
    Ok(())
}

fn workload(text: &str, queues: u32) -> Result<Workload, Box<dyn Error>> {
    let mut rows = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [_, arrival, seconds, gpus] = cells.as_slice() else {
            return Err(format!("'{line}' has not four cells").into());
        };
        let gpus: f64 = gpus.parse()?;
        rows.push((
            arrival.parse::<f64>()?,
            gpus as u32,
            seconds.parse::<f64>()?,
        ));
    }
    rows.sort_by(|a, b| switchyard::order::by_value(&a.0, &b.0));
    let mut workload = Workload {
        tenants: (0..queues).map(|at| format!("q{at}")).collect(),
        ..Workload::default()
    };
    let rows = rows.into_iter().filter(|row| row.1 > 0 && row.2 > 0.0);
    for (at, (arrival, gpus, seconds)) in (0_u32..).zip(rows) {
        workload.jobs.push(Job {
            name: format!("{at}").into(),
            tenant: Some(at % queues),
            ..Job::plain(arrival, gpus, seconds)
        });
    }
    Ok(workload)
}

/// Departments of fifty queues under one root.
fn tree(queues: u32) -> String {
    let departments = queues.div_ceil(50);
    let mut lines = "all gpus=all\n".to_owned();
    for at in 0..departments {
        lines += &format!("d{at} parent=all gpus=50 reclaims=any\n");
    }
    for at in 0..queues {
        lines += &format!("q{at} parent=d{} gpus=1 reclaims=any\n", at / 50);
    }
    lines
}
