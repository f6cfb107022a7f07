//! Jobs that are counted in cores: what a log of them is told, and what it is once they are.

use switchyard_model::Resource;
use switchyard_trace::{OpenError, OpenOptions, Opened, SourceFile, Trace, open};

fn opened(files: &[(&str, &str)], unit: Resource) -> Result<Opened, OpenError> {
    let files = files.iter().map(|(name, text)| SourceFile {
        name,
        bytes: text.as_bytes(),
    });
    let options = OpenOptions {
        unit,
        ..OpenOptions::default()
    };
    open(&files.collect::<Vec<_>>(), &options)
}

fn in_cores(text: &str) -> Trace {
    match opened(&[("jobs.csv", text)], Resource::Cores) {
        Ok(Opened::Trace(trace)) => trace,
        other => panic!("no trace: {other:?}"),
    }
}

/// Each job's cores and seconds.
fn jobs(trace: &Trace) -> Vec<(u32, f64)> {
    assert_eq!(trace.unit, Resource::Cores);
    let records = trace.records.iter();
    records.map(|of| (of.gpus, of.duration)).collect()
}

/// What somebody is told who says nothing of cores.
fn told(text: &str) -> String {
    let refusal = opened(&[("jobs.csv", text)], Resource::Gpus).expect_err("of cores alone");
    refusal.to_string()
}

const SENTENCE: &str = "open it with --unit cores, which counts cores in the place of GPUs";

#[test]
fn a_table_without_gpus() {
    let text = "job_id,num_cores,num_hosts,submit_time,start_time,finish_time,run_time\n\
        1,4,1,2030-01-07T10:00:00,2030-01-07T10:00:05,2030-01-07T10:10:05,0:10:00\n\
        2,16,2,2030-01-07T10:01:00,2030-01-07T10:01:00,2030-01-07T11:01:00,1:00:00\n";
    assert_eq!(
        told(text),
        format!("jobs.csv: its jobs ask for cores, not GPUs (2 jobs, 16.67 core·h): {SENTENCE}")
    );
    assert_eq!(jobs(&in_cores(text)), [(4, 600.0), (16, 3600.0)]);
    let facts = in_cores(text).inspect();
    assert_eq!(format!("{:.2}", facts.gpu_hours), "16.67");
    assert_eq!(facts.unit, Resource::Cores);
}

#[test]
fn a_table_whose_gpus_are_all_none() {
    let text = "job,submit,duration,gpus,cpus\na,0,3600,0,8\nb,9,60,0,2\n";
    assert!(
        told(text).contains("(2 jobs, 8.03 core·h)"),
        "{}",
        told(text)
    );
    assert_eq!(jobs(&in_cores(text)), [(8, 3600.0), (2, 60.0)]);
    // One job with GPUs, and it is a log of them.
    let mixed = format!("{text}c,10,60,1,4\n");
    let Ok(Opened::Trace(trace)) = opened(&[("jobs.csv", &mixed)], Resource::Gpus) else {
        panic!("a trace");
    };
    assert_eq!((trace.records.len(), trace.unit), (1, Resource::Gpus));
    assert_eq!(trace.report.dropped[0].count, 2);
    assert_eq!(jobs(&in_cores(&mixed)), [(8, 3600.0), (2, 60.0), (4, 60.0)]);
}

#[test]
fn what_tells_no_cores_cannot_be_counted_in_them() {
    let error = opened(
        &[("jobs.csv", "job,submit,duration,gpus\na,0,60,2\n")],
        Resource::Cores,
    );
    let error = error.expect_err("it is refused").to_string();
    assert!(error.contains("number of cores missing"), "{error}");
}

#[test]
fn accounting_of_slurm() {
    let listed = "JobID|Submit|ElapsedRaw|AllocTRES\n\
        71|2030-01-07T10:00:00|3600|cpu=8,mem=4G,node=1\n\
        71.batch|2030-01-07T10:00:00|3600|cpu=8,node=1\n\
        72|2030-01-07T10:00:00|60|cpu=16,gres/gpu=2,node=1\n";
    assert_eq!(jobs(&in_cores(listed)), [(8, 3600.0), (16, 60.0)]);
    let counted = "JobID|Submit|ElapsedRaw|AllocCPUS|ReqCPUS\n7|2030-01-07T10:00:00|3600|8|4\n";
    assert!(
        told(counted).contains("(1 job, 8.00 core·h)"),
        "{}",
        told(counted)
    );
    assert_eq!(jobs(&in_cores(counted)), [(8, 3600.0)]);
    let table = "JobID,Partition,NNodes,NCPUS,State,Submit,Start,Elapsed,End\n\
        1,batch,2,32,COMPLETED,0,0,00:10:00,600\n2,batch,1,16,TIMEOUT,50,60,01:00:00,3660\n";
    assert!(
        told(table).contains("(2 jobs, 21.33 core·h)"),
        "{}",
        told(table)
    );
    assert_eq!(jobs(&in_cores(table)), [(32, 600.0), (16, 3600.0)]);
}

#[test]
fn queues_of_slurm() {
    let json = r#"{"jobs": [{"job_id": 31, "job_state": ["COMPLETED"], "tres_alloc_str": "cpu=12,mem=9G,node=1",
        "submit_time": {"set": true, "number": 1714737600}, "start_time": {"set": true, "number": 1714737600},
        "end_time": {"set": true, "number": 1714738200}, "tres_req_str": "", "partition": "cpu"},
        {"job_id": 32, "job_state": ["COMPLETED"], "cpus": {"set": true, "number": 3},
        "submit_time": {"set": true, "number": 1714737600}, "start_time": {"set": true, "number": 1714737600},
        "end_time": {"set": true, "number": 1714737660}, "tres_req_str": "", "tres_alloc_str": "", "partition": "cpu"}],
        "meta": {"slurm": {"version": {"major": "23"}}}}"#;
    assert!(
        told(json).contains("(1 job, 2.00 core·h)") || told(json).contains("(2 jobs, 2.05 core·h)"),
        "{}",
        told(json)
    );
    assert_eq!(jobs(&in_cores(json)), [(12, 600.0), (3, 60.0)]);
    let text = "JobId=7 JobName=a\n   Account=lab JobState=COMPLETED\n   RunTime=01:00:00 TimeLimit=02:00:00 SubmitTime=2030-01-07T10:00:00\n   Partition=cpu NumNodes=1 NumCPUs=6\n   ReqTRES=cpu=6,mem=1G,node=1\n   AllocTRES=cpu=6,node=1\n";
    assert!(
        told(text).contains("(1 job, 6.00 core·h)"),
        "{}",
        told(text)
    );
    assert_eq!(jobs(&in_cores(text)), [(6, 3600.0)]);
}

#[test]
fn accounting_of_pbs_and_grid_engine() {
    let record = |id: u32, list: &str| {
        format!(
            "05/03/2024 12:00:00;E;{id}.srv;user=u queue=long ctime=1714737600 qtime=1714737600 start=1714737600 end=1714741200 Resource_List.walltime=02:00:00 {list} Exit_status=0\n"
        )
    };
    let text = record(1, "Resource_List.ncpus=8")
        + &record(2, "Resource_List.select=2:ncpus=16+1:ncpus=1")
        + &record(3, "Resource_List.nodes=2:ppn=4");
    assert!(
        told(&text).contains("(3 jobs, 49.00 core·h)"),
        "{}",
        told(&text)
    );
    assert_eq!(
        jobs(&in_cores(&text)),
        [(8, 3600.0), (33, 3600.0), (8, 3600.0)]
    );
    let mut fields = vec!["0"; 45];
    let times = [(8, "1714737600"), (9, "1714737600"), (10, "1714737660")];
    let slots = [
        (0, "all.q"),
        (5, "12"),
        (34, "24"),
        (35, "0"),
        (39, "-l h_rt=7200"),
        (41, "NONE"),
    ];
    times
        .into_iter()
        .chain(slots)
        .for_each(|(at, cell)| fields[at] = cell);
    let accounting = fields.join(":") + "\n";
    assert!(
        told(&accounting).contains("(1 job, 0.40 core·h)"),
        "{}",
        told(&accounting)
    );
    assert_eq!(jobs(&in_cores(&accounting)), [(24, 60.0)]);
}

#[test]
fn jobs_of_kubernetes() {
    let pod = |name: &str, cpu: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  namespace: n\n  creationTimestamp: \"2030-01-07T10:00:00Z\"\nspec:\n  containers:\n  - name: c\n    resources:\n      requests:\n        cpu: \"{cpu}\"\nstatus:\n  phase: Succeeded\n  startTime: \"2030-01-07T10:00:00Z\"\n  containerStatuses:\n  - state:\n      terminated:\n        finishedAt: \"2030-01-07T11:00:00Z\"\n---\n"
        )
    };
    let text = pod("a", "4") + &pod("b", "500m");
    assert!(
        told(&text).contains("(2 jobs, 4.50 core·h)"),
        "{}",
        told(&text)
    );
    let trace = in_cores(&text);
    assert_eq!(jobs(&trace), [(4, 3600.0), (1, 3600.0)]);
    assert_eq!(trace.records[1].share, 0.5);
    assert!(
        trace
            .report
            .warnings
            .iter()
            .all(|of| !of.text.contains("GPU")),
        "{:?}",
        trace.report.warnings
    );
}

#[test]
fn a_cluster_beside_counts_cores_too() {
    let jobs = "JobID|Submit|ElapsedRaw|AllocTRES\n71|2030-01-07T10:00:00|3600|cpu=8,node=1\n";
    let conf = "ClusterName=lab\nNodeName=DEFAULT CPUs=128 RealMemory=524288\nNodeName=cpu[1-3]\nNodeName=gpu1 CPUs=48 Gres=gpu:a100:4,gpu:t4:2\n";
    let files = [("jobs.txt", jobs), ("slurm.conf", conf)];
    let Ok(Opened::Trace(trace)) = opened(&files, Resource::Cores) else {
        panic!("a trace");
    };
    let cluster = trace.cluster.expect("slurm.conf tells it");
    assert_eq!(cluster.to_string(), "6x64/memory=256+1x48/memory=512");
    assert_eq!(
        trace.report.cluster,
        "slurm.conf: 4 machines with 432 cores, as 7 nodes, since a node has at most 64."
    );
    let Ok(Opened::Cluster(alone)) = opened(&[("slurm.conf", conf)], Resource::Cores) else {
        panic!("a cluster");
    };
    assert_eq!(alone, cluster);
}

#[test]
fn our_own_files_say_what_they_count() {
    let text = "#switchyard 1\n#unit cores\n#cluster 2x64\njob,submit,duration,gpus\na,0,60,48\n";
    for unit in [Resource::Gpus, Resource::Cores] {
        let Ok(Opened::Trace(trace)) = opened(&[("own.csv", text)], unit) else {
            panic!("a trace");
        };
        assert_eq!(jobs(&trace), [(48, 60.0)]);
        assert_eq!(trace.cluster.expect("it says it").to_string(), "2x64");
        assert_eq!(trace.report.warnings, []);
    }
    let text =
        "#switchyard 1\n#cluster 2x8/cores=48\njob,submit,duration,gpus,cores\na,0,60,1,12\n";
    let trace = in_cores(text);
    assert_eq!(jobs(&trace), [(12, 60.0)]);
    assert_eq!(trace.cluster.expect("it says it").to_string(), "2x48");
    let other = [
        (
            "a.csv",
            "#switchyard 1\n#unit cores\njob,submit,duration,gpus\na,0,60,48\n",
        ),
        (
            "b.csv",
            "#switchyard 1\njob,submit,duration,gpus\nb,0,60,4\n",
        ),
    ];
    let error = opened(&other, Resource::Gpus)
        .expect_err("it is refused")
        .to_string();
    assert!(
        error.contains("counted in cores") && error.contains("counted in gpus"),
        "{error}"
    );
    let error = opened(
        &[(
            "c.csv",
            "#switchyard 1\n#unit core\njob,submit,duration,gpus\nb,0,60,4\n",
        )],
        Resource::Gpus,
    );
    assert!(
        error
            .expect_err("it is refused")
            .to_string()
            .contains("use gpus or cores")
    );
}
