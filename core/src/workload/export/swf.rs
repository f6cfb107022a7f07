//! The Standard Workload Format, 18 fields a job, −1 for what is not known.
//!
//! Source: <https://www.cs.huji.ac.il/labs/parallel/workload/swf.html>.

use crate::cluster::ClusterSpec;
use crate::workload::Workload;
use std::fmt::{Result, Write};

/// Writes a workload; GPUs are its processors, tenants its groups, models its executables, both
/// numbered from 1; the time that a job asks for is field 9. Times that are no whole seconds keep their fraction, which the format leaves
/// to its readers. Jobs lose their names for numbers.
///
/// # Errors
///
/// Whatever `out` fails with.
pub fn swf(workload: &Workload, cluster: Option<&ClusterSpec>, out: &mut impl Write) -> Result {
    writeln!(out, "; Version: 2.2")?;
    writeln!(
        out,
        "; Note: written by Switchyard; processors are {}",
        workload.unit.words("GPUs")
    )?;
    writeln!(out, "; MaxJobs: {}", workload.jobs.len())?;
    if let Some(epoch) = workload.epoch {
        writeln!(out, "; UnixStartTime: {epoch}")?;
    }
    if let Some(cluster) = cluster {
        writeln!(out, "; MaxNodes: {}", cluster.nodes())?;
        writeln!(out, "; MaxProcs: {}", cluster.gpus())?;
    }
    for (at, tenant) in workload.tenants.iter().enumerate() {
        writeln!(
            out,
            "; Group: {} {}",
            at + 1,
            tenant.replace(['\n', '\r'], " ")
        )?;
    }
    let number = |index: Option<u32>| index.map_or(-1, |index| i64::from(index) + 1);
    for (at, job) in workload.jobs.iter().enumerate() {
        let (submit, duration, gpus) = (job.submit.seconds(), job.work.seconds(), job.gpus);
        let asked = job.demand.time.map_or("-1".to_owned(), |of| of.to_string());
        let (group, executable) = (number(job.tenant), number(job.model));
        writeln!(
            out,
            "{} {submit} -1 {duration} {gpus} -1 -1 {gpus} {asked} -1 1 -1 {group} {executable} -1 -1 -1 -1",
            at + 1
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Demand, Job};
    use crate::trace::{OpenOptions, Opened, SourceFile, open};

    #[test]
    fn times_asked_for_come_back() {
        let times = [None, Some(7_200.0), Some(1.5)];
        let job = |time| Job {
            demand: Demand {
                time,
                ..Demand::default()
            },
            ..Job::plain(0.0, 2, 60.0)
        };
        let workload = Workload {
            jobs: times.map(job).to_vec(),
            ..Workload::default()
        };
        let mut text = String::new();
        swf(&workload, None, &mut text).unwrap();
        let file = SourceFile {
            name: "jobs.swf",
            bytes: text.as_bytes(),
        };
        let Ok(Opened::Trace(trace)) = open(&[file], &OpenOptions::default()) else {
            panic!("it is a trace: {text}");
        };
        let read = trace.records.iter().map(|record| record.demand.time);
        assert!(read.eq(times));
    }
}
