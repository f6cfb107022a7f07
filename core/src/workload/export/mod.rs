//! Workloads as text, one format per file: our own, SWF, and Tiresias' CSV.
//!
//! Each writes line by line, so that a million jobs need no copy in memory.

mod experiment;
mod swf;
mod tiresias;

pub use experiment::experiment;
pub use swf::swf;
pub use tiresias::tiresias;

/// A cell of a table: in quotation marks where it needs them, line ends as blanks.
fn cell(text: &str) -> String {
    let plain = |c: char| !matches!(c, ',' | '"' | '\n' | '\r' | '#') && !c.is_control();
    if text.chars().all(plain) && text.trim() == text {
        return text.to_owned();
    }
    let line = text.replace(['\n', '\r'], " ").replace('"', "\"\"");
    format!("\"{line}\"")
}

/// The name of an index; "" where there is none.
fn name(names: &[String], index: Option<u32>) -> &str {
    let name = index.and_then(|index| names.get(index as usize));
    name.map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Experiment, OpenOptions, Opened, SourceFile, Trace, open};
    use crate::workload::{SAMPLES, Workload};

    fn read(text: &str) -> Trace {
        let file = SourceFile {
            name: "out",
            bytes: text.as_bytes(),
        };
        match open(&[file], &OpenOptions::default()) {
            Ok(Opened::Trace(trace)) => trace,
            other => panic!("no trace: {other:?}"),
        }
    }

    fn sample() -> Workload {
        let mut workload = SAMPLES[0].workload();
        workload.jobs[3].name = "odd, \"name\"\n#5".into();
        workload.jobs[239].submit.0 += 1.0 / 3.0;
        workload
    }

    #[test]
    fn our_own_format_loses_nothing() {
        let workload = sample();
        let settings = Experiment {
            title: "A \"lab\"\nday".to_owned(),
            cluster: Some(SAMPLES[0].cluster_spec()),
            policies: vec![
                "fifo".to_owned(),
                "tiresias-las[queues=2,thresholds=1]".to_owned(),
            ],
            placement: Some("spread".to_owned()),
            restart_cost: Some(0.1),
            seed: Some(u64::MAX),
            spread_slowdown: Some("p100".to_owned()),
            restart_by_model: true,
        };
        let mut text = String::new();
        experiment(&workload, &settings, &mut text).expect("memory does not fail");
        let trace = read(&text);
        assert_eq!(trace.report.dropped, []);
        let mut expected = workload;
        expected.jobs[3].name = "odd, \"name\" #5".into();
        let mut seen = Workload::from_trace(&trace);
        // Names are numbered in order of appearance.
        let of = |names: &[String], i: Option<u32>| i.map(|i| names[i as usize].clone());
        for (a, b) in seen.jobs.iter().zip(&expected.jobs) {
            assert_eq!(of(&seen.tenants, a.tenant), of(&expected.tenants, b.tenant));
            assert_eq!(of(&seen.models, a.model), of(&expected.models, b.model));
        }
        for jobs in [&mut seen.jobs, &mut expected.jobs] {
            jobs.iter_mut()
                .for_each(|job| (job.tenant, job.model) = (None, None));
        }
        assert_eq!(seen.jobs, expected.jobs);
        let own = trace.experiment.expect("it is one");
        assert_eq!(
            own,
            Experiment {
                title: "A 'lab' day".to_owned(),
                ..settings
            }
        );
    }

    #[test]
    fn others_keep_times_and_gpus() {
        let workload = sample();
        let mut text = String::new();
        tiresias(&workload, &mut text).expect("memory does not fail");
        let back = Workload::from_trace(&read(&text));
        let shape = |w: &Workload| {
            let jobs = w.jobs.iter();
            jobs.map(|j| (j.submit, j.gpus, j.work)).collect::<Vec<_>>()
        };
        assert_eq!(shape(&back), shape(&workload));
        assert_eq!(back.jobs[3].name.as_ref(), "odd, \"name\" #5");
        let mut text = String::new();
        swf(&workload, Some(&SAMPLES[0].cluster_spec()), &mut text).expect("memory does not fail");
        let trace = read(&text);
        assert_eq!(trace.format, "swf");
        assert_eq!(shape(&Workload::from_trace(&trace)), shape(&workload));
        assert!(
            text.contains("; MaxNodes: 8\n; MaxProcs: 32\n"),
            "{}",
            &text[..300]
        );
    }
}
