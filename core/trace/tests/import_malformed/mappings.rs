//! Tables whose columns people name.

use super::*;
use switchyard_model::job::JobId;
use switchyard_model::workload::Label;

fn mapped(name: &str, bytes: &[u8], mapping: &str) -> Result<Opened, OpenError> {
    let options = OpenOptions {
        mapping: Some(mapping.parse().expect("a mapping")),
        ..OpenOptions::default()
    };
    open(&[SourceFile { name, bytes }], &options)
}

#[test]
fn a_table_can_be_mapped() {
    let text = b"When,How long,Cards,Who\n0,1.5,4,a\n10,2,x,b\n";
    let error = try_open("odd.csv", text).unwrap_err();
    let table = error.table().expect("it is a table");
    assert_eq!(table.columns, ["When", "How long", "Cards", "Who"]);
    assert_eq!(table.rows, [["0", "1.5", "4", "a"], ["10", "2", "x", "b"]]);
    let mapping = "submit=when,duration=How long,gpus=#3,tenant=who,unit=min";
    let Ok(Opened::Trace(trace)) = mapped("odd.csv", text, mapping) else {
        panic!("no trace");
    };
    let record = &trace.records[0];
    assert_eq!(
        (record.submit, record.duration, record.gpus),
        (0.0, 90.0, 4)
    );
    assert_eq!(
        trace.report.recognised,
        "Table with recognised columns: columns as asked, submit=when,duration=How long,gpus=#3,tenant=who,unit=min."
    );
    assert_eq!(
        notes(&trace),
        ["1 × number of GPUs not understood, first in odd.csv, line 3: Cards is 'x'"]
    );
    let guess = &trace.report.table.as_ref().expect("a table").guess;
    assert_eq!(
        guess.to_string(),
        "submit=when,duration=How long,gpus=#3,tenant=who,unit=min,time=numbers"
    );
}

#[test]
fn a_table_without_header_can_be_mapped() {
    let text = b"1,0,60\n2,5,60\n";
    let error = try_open("numbers.csv", text).unwrap_err();
    let table = error.table().expect("it is a table");
    assert_eq!(table.columns, ["#1", "#2", "#3"]);
    let opened = mapped("numbers.csv", text, "gpus=#1,submit=#2,duration=#3");
    let Ok(Opened::Trace(trace)) = opened else {
        panic!("no trace");
    };
    assert_eq!(trace.records[1].gpus, 2);
}

#[test]
fn words_between_blanks_are_mapped_as_such() {
    // Forty-eight numbers are no job of the Standard Workload Format.
    let row = (0..48).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let wide = format!("{row}\n{row}\n");
    let swf = "; Version: 2\n1 0 -1 10 4 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
    for (text, mapping, expected) in [
        (
            wide.as_str(),
            "submit=#2,duration=#41,gpus=#5",
            (1.0, 40.0, 4),
        ),
        (swf, "submit=#2,duration=#4,gpus=#5", (0.0, 10.0, 4)),
        (
            "# a remark\n1 0,5 1,231 2\n2 1,5 1,231 2\n",
            "submit=#1,duration=#1,gpus=#4",
            (1.0, 1.0, 2),
        ),
    ] {
        let Ok(Opened::Trace(trace)) = mapped("words", text.as_bytes(), mapping) else {
            panic!("no trace in {text}");
        };
        let first = &trace.records[0];
        assert_eq!((first.submit, first.duration, first.gpus), expected);
    }
}

#[test]
fn what_slurm_lists_can_be_mapped() {
    let text = b"job|when|length|what\n1|0|60|cpu=4,gres/gpu=2\n2|5|60|cpu=4\n";
    let mapping = "submit=when,duration=length,gpus=what";
    let Ok(Opened::Trace(trace)) = mapped("slurm", text, mapping) else {
        panic!("no trace");
    };
    assert_eq!(trace.records[0].gpus, 2);
    assert_eq!(trace.report.dropped[0].reason.id(), "no_gpus");
}

#[test]
fn a_table_of_utilisation_can_be_mapped() {
    let text = b"timestamp,node,cpu_usage\n1,2,0.5\n";
    let error = try_open("busy.csv", text).unwrap_err();
    assert_eq!(error.table().expect("a table").columns.len(), 3);
    assert!(
        mapped(
            "busy.csv",
            text,
            "submit=timestamp,gpus=node,duration=cpu_usage"
        )
        .is_ok()
    );
}

#[test]
fn a_guess_is_a_mapping_that_gives_the_same() {
    for name in [
        fixture!("generic_comma.csv"),
        fixture!("generic_tab.tsv"),
        fixture!("generic_semicolon.csv"),
    ] {
        let guessed = trace("t", name);
        let guess = &guessed.report.table.as_ref().expect("a table").guess;
        let Ok(Opened::Trace(again)) = mapped("t", name, &guess.to_string()) else {
            panic!("no trace");
        };
        assert_eq!(again.records, guessed.records);
        assert_eq!(again.report.dropped, guessed.report.dropped);
    }
}

#[test]
fn mappings_that_do_not_fit() {
    let text = b"When,How long,Cards\n0,1.5,4\n";
    let message = |mapping| mapped("odd.csv", text, mapping).unwrap_err().to_string();
    assert_eq!(
        message("submit=When,duration=Length,gpus=Cards"),
        "odd.csv, line 1: there is no column 'Length' for duration; found the columns When, How long, Cards: correct the mapping"
    );
    assert_eq!(
        message("submit=When,gpus=#9,duration=#2"),
        "odd.csv, line 1: there is no column '#9' for gpus; found the columns When, How long, Cards: correct the mapping"
    );
    assert_eq!(
        message("submit=When,gpus=Cards"),
        "odd.csv, line 1: no column tells how long it ran (such as duration, or start_time and end_time); found the columns When, How long, Cards: rename a column, or say which columns are which"
    );
}

#[test]
fn what_is_not_said_is_guessed() {
    let text = b"job_id,cores,submit_time,start_time,finish_time,group\n1,4,0,5,605,a\n2,16,60,60,3660,b\n";
    let read = |mapping: &str| match mapped("cores.csv", text, mapping) {
        Ok(Opened::Trace(trace)) => trace,
        other => panic!("no trace: {other:?}"),
    };
    let cores = read("gpus=cores");
    let seen: Vec<_> = (cores.records.iter())
        .map(|r| (&*r.name, r.submit, r.duration, r.gpus))
        .collect();
    assert_eq!(seen, [("1", 0.0, 600.0, 4), ("2", 60.0, 3600.0, 16)]);
    assert_eq!(
        cores.report.recognised,
        "Table with recognised columns: columns as asked, gpus=cores; others by their names, id = job_id, submission = submit_time, start = start_time, end = finish_time, tenant = group."
    );
    assert_eq!(cores.tenants, ["a", "b"]);
    // What is said to have no column has none, and a number is a number of GPUs.
    let one = read("gpus=1,tenant=");
    assert_eq!(one.tenants, [""; 0]);
    assert_eq!(one.records[1].gpus, 1);
    assert_eq!(read("gpus=0.5").records[0].share, 0.5);
    // A duration that is said goes before start and end.
    assert_eq!(read("gpus=1,duration=cores").records[1].duration, 16.0);
    let error = mapped("cores.csv", text, "gpus=0").unwrap_err().to_string();
    assert!(error.contains("no GPU requested"), "{error}");
}

#[test]
fn whose_jobs_are_and_where_they_ran_is_mapped_as_all_else() {
    let text = b"arrival,took,cards,Who,Pays,Lane,Rank,Booking,Weight,Began,Hosts,Kind\n\
        0,60,1,ann,lab,short,gold,r1,2.5,7,n[1-2],V100|T4\n9,60,1,ben,lab,short,gold,,3,9,n3,T4\n";
    let mapping = "submit=arrival,duration=took,gpus=cards,user=Who,account=Pays,partition=Lane,qos=Rank,\
        reservation=Booking,priority=Weight,start=Began,recorded_nodes=Hosts,recorded_types=Kind";
    let Ok(Opened::Trace(mut trace)) = mapped("odd.csv", text, mapping) else {
        panic!("no trace");
    };
    let workload = trace.take_workload();
    let job = JobId(0);
    let recorded = &workload.recorded;
    let labels = Label::ALL.map(|label| recorded.label(job, label));
    let expected = ["ann", "lab", "short", "gold", "r1"].map(Some);
    assert_eq!(labels, expected);
    assert_eq!(recorded.label(JobId(1), Label::Reservation), None);
    assert_eq!(
        (recorded.priority(job), recorded.nodes(job)),
        (Some(2.5), Some("n[1-2]"))
    );
    let run = recorded.run(job).expect("it began");
    assert_eq!((run.start.seconds(), run.seconds), (7.0, 60.0));
    let types = run
        .types
        .named()
        .map(|at| &*workload.gpu_types[at as usize]);
    assert_eq!(types.collect::<Vec<_>>(), ["t4", "v100"]);
    // What their names say can be said to be otherwise, and one column tells both tenant and user.
    let text = b"id,submit,start,duration,gpus,user,team\n1,0,4,60,1,ann,red\n";
    let labels = |mapping: &str| {
        let Ok(Opened::Trace(mut trace)) = mapped("own.csv", text, mapping) else {
            panic!("no trace");
        };
        let workload = trace.take_workload();
        let of = |label| workload.recorded.label(job, label).map(str::to_owned);
        (workload.tenants, of(Label::User), of(Label::Account))
    };
    let ann = || Some("ann".to_owned());
    let red = || Some("red".to_owned());
    assert_eq!(
        labels("account=team"),
        (vec!["ann".to_owned()], ann(), red())
    );
    assert_eq!(labels("tenant=user"), (vec!["ann".to_owned()], ann(), None));
    assert_eq!(labels("user=team"), (vec!["ann".to_owned()], red(), None));
    assert_eq!(
        labels("user=,start=start"),
        (vec!["ann".to_owned()], None, None)
    );
}
