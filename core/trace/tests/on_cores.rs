//! Jobs that ask for cores and no GPU: left out, or kept where the cluster says its cores.

use switchyard_model::cluster::ClusterSpec;
use switchyard_trace::{
    Choices, DropReason, OnCores, OpenOptions, Opened, SourceFile, Trace, open,
};

const SACCT: &str = "JobID|User|Submit|Start|End|ElapsedRaw|State|AllocTRES\n\
    1|ann|2024-03-11T10:00:00|2024-03-11T10:00:00|2024-03-11T11:00:00|3600|COMPLETED|cpu=8,gres/gpu=2,mem=64G\n\
    2|bob|2024-03-11T10:01:00|2024-03-11T10:01:00|2024-03-11T10:11:00|600|COMPLETED|billing=16,cpu=16,mem=32G,node=1\n\
    3|bob|2024-03-11T10:02:00|2024-03-11T10:02:00|2024-03-11T10:12:00|600|COMPLETED|billing=1,node=1\n";

const CONF: &str = "NodeName=g[1-2] CPUs=64 RealMemory=512000 Gres=gpu:a100:4\n\
    NodeName=c[1-3] CPUs=40 RealMemory=192000\n";

fn files<'a>(texts: &'a [(&'a str, &'a str)]) -> Vec<SourceFile<'a>> {
    let file = |&(name, text): &(&'a str, &'a str)| SourceFile {
        name,
        bytes: text.as_bytes(),
    };
    texts.iter().map(file).collect()
}

fn trace(texts: &[(&str, &str)], keep_on_cores: bool) -> Trace {
    let options = OpenOptions {
        keep_on_cores,
        ..OpenOptions::default()
    };
    match open(&files(texts), &options) {
        Ok(Opened::Trace(trace)) => trace,
        other => panic!("no trace: {other:?}"),
    }
}

/// Each job's GPUs and cores.
fn jobs(trace: &Trace) -> Vec<(u32, u32)> {
    let records = trace.records.iter();
    records
        .map(|of| (of.gpus, of.demand.cores / 1000))
        .collect()
}

fn cluster(text: &str) -> ClusterSpec {
    text.parse().expect("a cluster")
}

#[test]
fn they_are_kept_when_asked_for_and_their_nodes_with_them() {
    let texts = [("sacct.txt", SACCT), ("slurm.conf", CONF)];
    let (without, kept) = (trace(&texts, false), trace(&texts, true));
    assert_eq!(jobs(&without), [(2, 8)]);
    assert_eq!(without.report.count(DropReason::NoGpus), 2);
    // Nodes that no job of it can use are none of its cluster.
    let text = "2x4:a100/cores=64/memory=500";
    assert_eq!(without.cluster, Some(cluster(text)));
    // One that says no cores either is left out.
    assert_eq!(jobs(&kept), [(2, 8), (0, 16)]);
    assert_eq!(kept.report.count(DropReason::NoGpus), 1);
    assert_eq!(
        kept.cluster,
        Some(cluster(&format!("{text}+3x0/cores=40/memory=187.5")))
    );
    assert!(
        kept.report
            .cluster
            .contains("3 machines without GPUs for jobs on cores")
    );
    let facts = kept.inspect();
    assert_eq!((facts.jobs, facts.gpu_jobs, facts.core_jobs), (3, 1, 1));
    assert_eq!(
        (facts.gpu_hours, facts.duration.mean, facts.gpus.mean),
        (2.0, 3600.0, 2.0)
    );
    assert_eq!(kept.report.distributions.gpus.len(), 1);
    let workload = kept.workload();
    assert_eq!((workload.jobs.len(), workload.on_cores()), (2, 1));
}

#[test]
fn whoever_has_cores_opens_the_files_once_more() {
    let options = OpenOptions::default();
    let again = |texts: &[(&str, &str)], asked: Option<&str>| {
        let opened = open(&files(texts), &options).expect("a trace");
        opened.lacks_those_on_cores(&options, asked.map(cluster).as_ref())
    };
    let (alone, with) = (
        [("sacct.txt", SACCT)],
        [("sacct.txt", SACCT), ("slurm.conf", CONF)],
    );
    assert!(again(&with, None) && again(&alone, Some("4x4/cores=64")));
    assert!(!again(&alone, None) && !again(&with, Some("4x4")));
    let all_gpus = "job,submit,duration,gpus,cpus\na,0,3600,1,8\n";
    assert!(!again(
        &[("jobs.csv", all_gpus), ("slurm.conf", CONF)],
        None
    ));
}

#[test]
fn a_table_with_a_column_of_cores() {
    let text = "job,submit,duration,gpus,cpus\na,0,3600,1,8\nb,9,60,0,2\nc,9,60,0,\n";
    assert_eq!(jobs(&trace(&[("jobs.csv", text)], false)), [(1, 0)]);
    assert_eq!(jobs(&trace(&[("jobs.csv", text)], true)), [(1, 8), (0, 2)]);
}

#[test]
fn by_choice_they_are_left_out_and_so_they_are_where_no_node_says_its_cores() {
    let texts = [("sacct.txt", SACCT), ("slurm.conf", CONF)];
    let left = |choices: &Choices, asked: &str| {
        let mut trace = trace(&texts, true);
        trace
            .choose(choices, Some(&cluster(asked)))
            .expect("jobs are left");
        (jobs(&trace), trace.report.count(DropReason::OnCores))
    };
    let (keep, drop) = (
        Choices::default(),
        Choices {
            on_cores: OnCores::Drop,
            ..Choices::default()
        },
    );
    assert_eq!(left(&keep, "2x4/cores=64"), (vec![(2, 8), (0, 16)], 0));
    assert_eq!(left(&drop, "2x4/cores=64"), (vec![(2, 8)], 1));
    assert_eq!(left(&keep, "2x4"), (vec![(2, 8)], 1));
    assert_eq!(drop.in_words(), ["on-cores=drop"]);
    let no_word = "kept".parse::<OnCores>().unwrap_err();
    assert!(no_word.to_string().contains("use keep, drop"), "{no_word}");
}
