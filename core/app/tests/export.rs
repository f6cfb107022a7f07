//! Workloads as text come back as they were: with their settings in our own format, with times and
//! GPUs in those of others; and no name in them is a formula.

use std::sync::Arc;
use switchyard::Settings;
use switchyard::engine::SimOptions;
use switchyard::placement::Strategy;
use switchyard::policies::ServiceHistory;
use switchyard::trace::{OpenOptions, Opened, ProfileTable, SourceFile, Trace, open};
use switchyard::workload::export::{swf, tiresias};
use switchyard::workload::{ApplicationSettings, GpuGeneration, SAMPLES, Workload};
use switchyard_app::Experiment;

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

fn own(trace: &Trace) -> Experiment {
    let own = Experiment::of(trace).expect("its settings are sound");
    own.expect("it is one")
}

fn sample() -> Workload {
    let mut workload = SAMPLES[0].workload();
    workload.jobs[3].name = "odd, \"name\"\n#5".into();
    workload.jobs[239].submit.0 += 1.0 / 3.0;
    workload
}

#[test]
fn our_own_format_loses_nothing() {
    let workload = Workload {
        epoch: Some(1_710_252_300.25),
        ..sample()
    };
    let settings = Experiment {
        title: "A \"lab\", \"day\nlong".to_owned(),
        choice: vec!["window=60..3600".to_owned()],
        cluster: Some(SAMPLES[0].cluster_spec()),
        policies: vec![
            "fifo".to_owned(),
            "tiresias-gittins[history=an \"odd\" one]".to_owned(),
        ],
        names: vec![String::new(), "mine, \"odd\"".to_owned()],
        settings: Settings {
            outages: Default::default(),
            queues: Default::default(),
            placement: Strategy::SPREAD,
            options: SimOptions {
                restart_cost: 0.1,
                restart_by_model: true,
                spread_slowdown: Some(GpuGeneration::P100),
                first_start_pays: true,
                interference: 1.0 / 3.0,
                whole_second_epochs: true,
                seed: u64::MAX,
                ..SimOptions::default()
            },
            applications: Arc::new(ApplicationSettings {
                always: true,
                rule: "2: ncf; \"bert".to_owned(),
                seed: 7,
                profiles: vec![ProfileTable {
                    file: "ncf/placements.csv".to_owned(),
                    path: "ncf/placements.csv".to_owned(),
                    text: "placement,local_bsz\n\"1\",2\n".to_owned(),
                }],
                definitions: vec!["{\"name\":\"a \\\"b\"}".to_owned()],
            }),
        },
        histories: vec![ServiceHistory {
            name: "an \"odd\" one".to_owned(),
            samples: vec![0.1, 1.0 / 3.0, 1e300],
        }],
    };
    let mut text = String::new();
    settings
        .write(&workload, &mut text)
        .expect("memory does not fail");
    let trace = read(&text);
    assert_eq!(trace.report.dropped, []);
    let mut expected = workload;
    expected.jobs[3].name = "odd, \"name\" #5".into();
    // Models are numbered in order of appearance.
    let mut seen = trace.workload();
    let model = |of: &Workload, at: usize| {
        let model = of.jobs[at].model;
        model.map(|model| of.models[model as usize].clone())
    };
    for at in 0..expected.jobs.len() {
        assert_eq!(model(&seen, at), model(&expected, at));
        (seen.jobs[at].model, expected.jobs[at].model) = (None, None);
    }
    assert_eq!(seen.jobs, expected.jobs);
    assert_eq!(seen.tenants, expected.tenants);
    assert_eq!((trace.epoch, seen.epoch), (expected.epoch, expected.epoch));
    let own = own(&trace);
    assert_eq!(
        own,
        Experiment {
            title: "A \"lab\", \"day long".to_owned(),
            ..settings
        }
    );
}

#[test]
fn others_keep_times_and_gpus() {
    let workload = Workload {
        epoch: Some(1_710_252_300.0),
        ..sample()
    };
    let mut text = String::new();
    tiresias(&workload, &mut text).expect("memory does not fail");
    let back = read(&text).workload();
    let shape = |w: &Workload| {
        let jobs = w.jobs.iter();
        jobs.map(|j| (j.submit, j.gpus, j.work)).collect::<Vec<_>>()
    };
    assert_eq!(shape(&back), shape(&workload));
    assert_eq!(back.jobs[3].name, "odd, \"name\" #5");
    let mut text = String::new();
    swf(&workload, Some(&SAMPLES[0].cluster_spec()), &mut text).expect("memory does not fail");
    let trace = read(&text);
    assert_eq!((&*trace.format, trace.epoch), ("swf", workload.epoch));
    assert_eq!(shape(&trace.workload()), shape(&workload));
    assert!(
        text.contains("; MaxNodes: 8\n; MaxProcs: 32\n"),
        "{}",
        &text[..300]
    );
}

#[test]
fn settings_that_spreadsheets_would_run_come_back() {
    let workload = Workload {
        tenants: vec!["t;@A1".to_owned(), "t\t+1+1".to_owned()],
        ..sample()
    };
    let settings = Experiment {
        title: "x,=cmd|' /C calc'!A0".to_owned(),
        choice: vec!["tenant=a,\"=1+1\"".to_owned(), "tenant=a,'=1".to_owned()],
        histories: vec![ServiceHistory {
            name: "last,".to_owned(),
            samples: vec![0.5],
        }],
        ..Experiment::default()
    };
    let mut text = String::new();
    settings
        .write(&workload, &mut text)
        .expect("memory does not fail");
    for line in text.lines().take_while(|line| line.starts_with('#')) {
        for cell in line.split([',', ';', '\t']).skip(1) {
            let shown = cell.trim_start_matches([' ', '"']);
            assert!(!shown.starts_with(['=', '+', '-', '@']), "{line}");
        }
    }
    let trace = read(&text);
    assert_eq!(own(&trace), settings);
    assert_eq!(trace.tenants[..2], workload.tenants[..]);
}

#[test]
fn names_that_spreadsheets_would_run_come_back() {
    let mut workload = SAMPLES[0].workload();
    workload.jobs.truncate(8);
    let names = [
        "=1+1", "'=1+1", "+a", "-2", "@SUM(A1)", "'tis", "-a,\"b\"", "--",
    ];
    for (job, name) in workload.jobs.iter_mut().zip(names) {
        job.name = name.into();
        job.tenant = Some(0);
    }
    workload.tenants = vec!["=cmd|' /C calc'!A0".to_owned()];
    let mut text = String::new();
    Experiment::default()
        .write(&workload, &mut text)
        .expect("memory does not fail");
    let table = text.lines().skip_while(|line| !line.starts_with("job,"));
    for line in table.skip(1) {
        let name = line.trim_start_matches('"');
        let number = name.starts_with("-2,");
        assert!(number || !name.starts_with(['=', '+', '-', '@']), "{line}");
        assert!(line.contains(",'=cmd|"), "{line}");
    }
    let trace = read(&text);
    let read: Vec<&str> = trace.records.iter().map(|r| &*r.name).collect();
    assert_eq!(read, names);
    assert_eq!(trace.tenants, workload.tenants);
}
