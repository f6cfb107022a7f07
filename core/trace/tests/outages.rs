//! Lists of outages among opened files.

use switchyard_trace::{OpenOptions, Opened, SourceFile, open};

const JOBS: (&str, &str) = (
    "jobs.csv",
    "job_id,submit_time,duration,num_gpu\n1,0,60,2\n",
);
const LIST: (&str, &str) = ("down.csv", "node,from,to\n2,9,50\n2,60,\n");

fn opened(files: &[(&str, &str)]) -> Result<Opened, String> {
    let files: Vec<SourceFile> = files
        .iter()
        .map(|(name, text)| SourceFile {
            name,
            bytes: text.as_bytes(),
        })
        .collect();
    open(&files, &OpenOptions::default()).map_err(|error| error.to_string())
}

#[test]
fn alone_it_is_one_and_beside_a_trace_its_outages() {
    let Ok(Opened::Outages(alone)) = opened(&[LIST]) else {
        panic!("no list of outages");
    };
    assert_eq!(alone.to_string(), "2:9..50,2:60..");
    let more = ("more.json", r#"[{"node": 0, "from": 5, "to": 6}]"#);
    let Ok(Opened::Trace(trace)) = opened(&[more, JOBS, LIST]) else {
        panic!("no trace");
    };
    assert_eq!(trace.records.len(), 1);
    assert_eq!(trace.outages.to_string(), "0:5..6,2:9..50,2:60..");
}

#[test]
fn a_wrong_one_names_its_line_and_spoils_no_trace() {
    let wrong = ("down.csv", "node,from,to\n2,0,50\n7,60,30\n");
    let why = "down.csv, line 3: node 7's outage ends at 30 s, before it begins at 60 s: write the earlier time first";
    assert_eq!(opened(&[wrong]), Err(why.to_owned()));
    let Ok(Opened::Trace(trace)) = opened(&[JOBS, wrong]) else {
        panic!("no trace");
    };
    assert!(trace.outages.is_empty());
    let told = |of: &switchyard_trace::Warning| of.example.detail.contains("line 3: node 7");
    assert!(trace.report.warnings.iter().any(told));
    let cluster = ("c.json", r#"{"groups": [{"nodes": 2, "gpus": 8}]}"#);
    let refused = opened(&[cluster, LIST]).expect_err("no jobs");
    assert!(
        refused.ends_with("or all of them with a trace"),
        "{refused}"
    );
}
