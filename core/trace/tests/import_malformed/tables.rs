//! Tables without jobs, with cells that say nothing, or that stop; and what is told of odd jobs.

use super::*;
use switchyard_trace::Bin;

#[test]
fn nothing_to_read() {
    assert_eq!(
        refusal("one.json", b"{\"a\": 1}\n\n\n"),
        "one.json is not a job trace: a trace in JSON is an array of jobs, or one job on each line, such as {\"submit_time\": 0, \"duration\": 60, \"num_gpus\": 1}: convert it to that, or to CSV"
    );
    let none = open(&[], &OpenOptions::default()).unwrap_err();
    assert_eq!(
        none.to_string(),
        "no file was given: open at least one trace"
    );
    assert_eq!(
        refusal("bad_empty.csv", fixture!("bad_empty.csv")),
        "bad_empty.csv is empty: check that it was downloaded whole"
    );
    assert_eq!(
        refusal("bad_header_only.csv", fixture!("bad_header_only.csv")),
        "bad_header_only.csv has a header (Microsoft ITP) but no rows: check that it was downloaded whole"
    );
    assert_eq!(
        refusal("bad_prose.txt", fixture!("bad_prose.txt")),
        "bad_prose.txt is not a job trace: its first line has no comma, semicolon, tab or pipe between columns: open a table of jobs"
    );
    assert_eq!(
        refusal("numbers.csv", b"1,0,60\n2,5,60\n"),
        "numbers.csv is not a job trace: it has neither a header row nor the columns of a known format: add a header such as job_id,submit_time,duration,num_gpus, or say which columns are which"
    );
    assert_eq!(
        refusal("x.json", b"{\"a\": 1}"),
        "x.json is not a job trace: a trace in JSON is an array of jobs, or one job on each line, such as {\"submit_time\": 0, \"duration\": 60, \"num_gpus\": 1}: convert it to that, or to CSV"
    );
    assert_eq!(
        refusal("x.json", b"[1, 2]"),
        "x.json is not a job trace: a trace in JSON is an array of jobs, or one job on each line, such as {\"submit_time\": 0, \"duration\": 60, \"num_gpus\": 1}: convert it to that, or to CSV"
    );
}

#[test]
fn columns_that_do_not_suffice() {
    assert_eq!(
        refusal("bad_columns.csv", fixture!("bad_columns.csv")),
        "bad_columns.csv, line 1: no column tells how long it ran (such as duration, or start_time and end_time), nor how many GPUs it asked for (such as num_gpus); found the columns job_id, submit_time, wall_time, nodes (wall_time is a limit, not a duration): rename a column, or say which columns are which"
    );
    let wide = (0..100)
        .map(|i| format!("c{i}"))
        .collect::<Vec<_>>()
        .join(",");
    let message = refusal("wide.csv", format!("{wide}\n").as_bytes());
    assert!(
        message.contains("c22, c23 and 76 more: rename"),
        "{message}"
    );
}

#[test]
fn values_that_are_none() {
    let trace = trace("bad_values.csv", fixture!("bad_values.csv"));
    let kept: Vec<_> = trace
        .records
        .iter()
        .map(|r| (r.line, &*r.name, r.gpus))
        .collect();
    let expected = [
        (2, "job-1", 1),
        (3, "job-1", 1),
        (9, "job-7", 1),
        (11, "job-9", 1_000_000),
    ];
    assert_eq!(kept, expected);
    assert_eq!(
        notes(&trace),
        [
            "1 × number of GPUs missing, first in bad_values.csv, line 18: num_gpu is empty",
            "2 × number of GPUs not understood, first in bad_values.csv, line 15: num_gpu is 'many'",
            "1 × no GPU requested, first in bad_values.csv, line 8: num_gpu is '0'",
            "1 × submission time missing, first in bad_values.csv, line 7: submit_time is empty",
            "1 × submission time not understood, first in bad_values.csv, line 10: submit_time is 'abc'",
            "1 × submission time negative, first in bad_values.csv, line 13: submit_time is '-1'",
            "1 × submission time out of range, first in bad_values.csv, line 19: 1000000000000 is no time in seconds",
            "1 × duration missing, first in bad_values.csv, line 17: duration is empty",
            "1 × duration not understood, first in bad_values.csv, line 14: duration is 'ten'",
            "2 × duration not finite, first in bad_values.csv, line 4: duration is 'NaN'",
            "1 × duration zero, first in bad_values.csv, line 12: duration is '0'",
            "1 × duration negative, first in bad_values.csv, line 6: duration is '-5'",
            "1 × duration out of range, first in bad_values.csv, line 20: duration is '1e12'",
            "Jobs that ask for a fraction of a GPU: 1. Rounded up to whole GPUs; a part of one is shared where GPUs are (sharing). First in bad_values.csv, line 9: 0.5 GPUs.",
            "Rows whose id stands above already: 1. Kept as jobs of their own; their line tells them apart. First in bad_values.csv, line 3: id is 'job-1'.",
        ]
    );
    let dropped: u32 = trace.report.dropped.iter().map(|d| d.count).sum();
    assert_eq!(trace.report.rows_read - trace.report.rows_kept, dropped);
    let inspection = trace.inspect();
    assert_eq!((inspection.jobs, inspection.gpu_jobs), (19, 4));
    assert_eq!(inspection.dropped["duration_not_finite"], 2);
}

#[test]
fn no_job_left() {
    assert_eq!(
        refusal("bad_no_jobs.csv", fixture!("bad_no_jobs.csv")),
        "bad_no_jobs.csv has no job that can be replayed: all 3 rows were dropped (1 × no GPU requested, first in bad_no_jobs.csv, line 3: num_gpu is '0'; 2 × duration zero, first in bad_no_jobs.csv, line 2: duration is '0'): check that its columns and units are those of Microsoft ITP"
    );
}

#[test]
fn a_cut_off_table() {
    let trace = trace("bad_truncated.csv", fixture!("bad_truncated.csv"));
    assert_eq!(trace.records.len(), 1);
    assert_eq!(
        notes(&trace),
        [
            "1 × the file ends within the row, first in bad_truncated.csv, line 3: the file ends here",
            "Files that end within a row: 1. That row was left out. First in bad_truncated.csv, line 3: the file ends here.",
        ]
    );
}

#[test]
fn stray_quotation_marks() {
    let stray = trace("bad_quotes.csv", fixture!("bad_quotes.csv"));
    let lines: Vec<_> = stray.records.iter().map(|r| r.line).collect();
    assert_eq!(lines, [2, 4, 5]);
    assert_eq!(
        notes(&stray),
        ["1 × quotation mark never closed, first in bad_quotes.csv, line 3: it opens in this row"]
    );
    let cut = trace(
        "bad_truncated_quote.csv",
        fixture!("bad_truncated_quote.csv"),
    );
    assert_eq!(cut.records.len(), 1);
    assert_eq!(cut.report.dropped[0].reason.id(), "row_truncated");
}

#[test]
fn a_bad_cluster() {
    assert_eq!(
        refusal("bad_cluster.csv", fixture!("bad_cluster.csv")),
        "bad_cluster.csv, line 2, column num_gpu_p_node: 'four' is no whole number: correct it"
    );
}

#[test]
fn what_is_no_job_trace_is_refused_with_the_reason() {
    let tokens = "x looks like a log of requests to a model, which cannot be replayed as it stands: its rows are requests of tokens, not jobs on GPUs; open a job trace";
    let busy = "x looks like a table of utilisation, which cannot be replayed as it stands: it tells how busy machines were, not which jobs ran; open the job trace beside it, or say which columns are which";
    let pai = "x looks like a table of the Alibaba PAI v2020 trace without jobs, which cannot be replayed as it stands: open pai_job_table and pai_task_table together, and pai_machine_spec for the cluster";
    let cases: [(&str, &str); 18] = [
        (
            "name,time,application,num_replicas\nx,1,x,1\n",
            "x looks like a workload of applications without their batch sizes, which cannot be replayed as it stands: without durations, jobs need a batch size; add the columns name, time and batch_size",
        ),
        (
            "job_id,gpu_num,submit_time,duration,queue\na,1,2023-05-17,18,10.0\n",
            "x looks like an excerpt of Acme or Helios without start and end, which cannot be replayed as it stands: its duration includes the wait in the queue in one of them and not in the other; open the full file, which has start_time and end_time",
        ),
        (
            "arrival_time,length,cpus\n0.0,1.5,1\n",
            "x looks like a GAIA trace, which cannot be replayed as it stands: it counts CPUs, and of its files some are in hours and some in seconds; convert it to job_id,submit_time,duration,num_gpus in seconds",
        ),
        (
            "id,job_name,RES,gmt_job_submitted,gmt_job_finished,\n1,\"a\nb\",\"{\"\"gpu\"\": 8}\",2023/7/15 02:19,2023/7/15 02:23,\n",
            "x looks like a table of the Alibaba Lingjun 2023 trace, which cannot be replayed as it stands: its GPUs stand in worker.csv; join them and convert it to job_id,submit_time,duration,num_gpus. topo.csv can be opened as its cluster",
        ),
        (
            "0123456789abcdef01234567,worker,0123456789abcdef01234567,ab,cd,Terminated,1.0,2.0,0123456789abcdef01234567\n",
            pai,
        ),
        (
            "inst_id,user,gpu_type_spec,group,workload\na,b,c,d,e\n",
            pai,
        ),
        (
            "name,cpu_milli,memory_mib,num_gpu,gpu_milli\npod-0,1,1,1,1000\n",
            "x looks like an Alibaba v2023 pod list without times, which cannot be replayed as it stands: its pods tell what they ask for but not when; open openb_pod_list_default.csv, which has creation and deletion",
        ),
        (
            "pod_id,gpu_request,duration_hours,schedule_delay_sec\na,1,2.5,3\n",
            "x looks like Alibaba's job summary of 2026, which cannot be replayed as it stands: it tells how long jobs ran but not when they were submitted; open a trace with submissions. asi_opensource_server_hourly can be opened as its cluster",
        ),
        (
            "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,374,44\n",
            tokens,
        ),
        (
            "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,GPT-4,472,18,490,API log\n",
            tokens,
        ),
        (
            "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52}\n{\"timestamp\": 30535, \"input_length\": 6472, \"output_length\": 26}\n",
            tokens,
        ),
        (
            "time,machineId,gpu0_util,gpu1_util\n2017-10-03 00:00:00 PDT,m1,95.3,0.0\n",
            busy,
        ),
        ("timestamp,node,cpu_usage\n1,n1,0.5\n", busy),
        (
            "placement,local_bsz,step_time,sync_time\n1,4,0.5,0.1\n",
            "x looks like a measured application profile, which cannot be replayed as it stands: it tells speeds, not jobs; open a job trace",
        ),
        (
            "duration\n120\n121\n",
            "x looks like a history of job services, which cannot be replayed as it stands: a single column of them serves the Gittins index, but has no jobs; open a job trace",
        ),
        (
            "{\"k80\": {}, \"v100\": {}}",
            "x looks like Gavel's table of throughputs, which cannot be replayed as it stands: those on V100s are built in; open a trace of Gavel's",
        ),
        (
            "{\"a\": 1}\n{\"a\": 2}\n",
            "x, line 1: no column tells when a job was submitted (such as submit_time), nor how long it ran (such as duration, or start_time and end_time), nor how many GPUs it asked for (such as num_gpus); found the columns a: rename a column, or say which columns are which",
        ),
        (
            "#switchyard 1\n#cluster many\njob,submit,duration,gpus\na,0,1,1\n",
            "x, line 2: 'many' is not a cluster: write NODESxGPUS, such as 16x4, 8x8+4x4 for unlike nodes, or 8x8:v100+4x4:a100 with GPU types",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(refusal("x", text.as_bytes()), message);
    }
}

#[test]
fn a_cluster_and_gangs_that_do_not_fit_it() {
    let files = [
        SourceFile {
            name: "nodes.csv",
            bytes: fixture!("alibaba_nodes.csv"),
        },
        SourceFile {
            name: "jobs.csv",
            bytes: b"job_id,submission_time,duration,num_gpu\n1,0,5,16\n2,1,5,20\n3,2,5,8\n",
        },
    ];
    let Ok(Opened::Trace(trace)) = open(&files, &OpenOptions::default()) else {
        panic!("no trace");
    };
    assert_eq!(
        trace.report.cluster,
        "nodes.csv: 3 machines with 18 GPUs (g2, p100), one machine without GPUs for jobs on cores."
    );
    assert_eq!(
        notes(&trace),
        [
            "Jobs that ask for more GPUs than the cluster has: 1. They can never run; leave them out or shrink them. First in jobs.csv, line 3: 20 GPUs, cluster 2x8:g2/cores=96/memory=384+1x2:p100/cores=64/memory=256.",
            "Jobs that ask for more GPUs than any node has: 1. They run across nodes. First in jobs.csv, line 2: 16 GPUs, cluster 2x8:g2/cores=96/memory=384+1x2:p100/cores=64/memory=256.",
        ]
    );
    let shown = |bins: &[Bin]| bins.iter().map(|b| (b.to, b.jobs)).collect::<Vec<_>>();
    let distributions = &trace.report.distributions;
    assert_eq!(shown(&distributions.gpus), [(8.0, 1), (16.0, 1), (32.0, 1)]);
    assert_eq!(shown(&distributions.duration), [(5.0, 3)]);
    assert_eq!((distributions.hour.len(), distributions.hour[0]), (24, 3));
}

#[test]
fn a_long_pause_after_the_first_jobs() {
    let mut text = "job_id,submission_time,duration,num_gpu\n0,0,5,1\n".to_owned();
    for job in 1..100 {
        text.push_str(&format!("{job},{},5,1\n", 500_000 + job * 10));
    }
    assert_eq!(
        notes(&trace("late.csv", text.as_bytes())),
        [
            "Jobs before a long pause at the beginning: 1. A window that begins after it leaves them out. First in late.csv, line 2: 5.8 days without a submission follow."
        ]
    );
}

#[test]
fn traces_and_errors_cross_to_the_page() {
    let trace = trace("bad_values.csv", fixture!("bad_values.csv"));
    let json = serde_json::to_string(&trace).unwrap();
    assert_eq!(serde_json::from_str::<Trace>(&json).unwrap(), trace);
    let error = try_open("bad_columns.csv", fixture!("bad_columns.csv")).unwrap_err();
    let json = serde_json::to_string(&error).unwrap();
    assert_eq!(
        json,
        r#"{"missing_columns":{"file":"bad_columns.csv","line":1,"missing":["duration","gpus"],"found":["job_id","submit_time","wall_time","nodes"],"hint":" (wall_time is a limit, not a duration)","table":{"columns":["job_id","submit_time","wall_time","nodes"],"rows":[["1","0","100","1"]],"guess":{"id":"job_id","submit":"submit_time","start":null,"end":null,"duration":null,"gpus":null,"workers":null,"gpu_milli":null,"tenant":null,"model":null,"status":null,"requested_time":null,"user":null,"account":null,"partition":null,"qos":null,"reservation":null,"priority":null,"recorded_types":null,"recorded_nodes":null,"unit":null,"duration_unit":null,"time":"auto"}}}}"#
    );
    assert_eq!(serde_json::from_str::<OpenError>(&json).unwrap(), error);
}
