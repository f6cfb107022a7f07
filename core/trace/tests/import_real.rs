//! The published traces themselves, which are too large and not ours to keep here. The folder
//! that holds them is named by `SWITCHYARD_TRACES`; `cargo xtask test` runs these tests where there
//! is one. Figures are those published, or were counted from the files by other means.

use std::path::PathBuf;
use switchyard_trace::{Inspection, OpenOptions, Opened, SourceFile, Trace, WarningKind, open};

/// The folder of traces.
fn folder() -> PathBuf {
    let named = std::env::var_os("SWITCHYARD_TRACES");
    named
        .expect("SWITCHYARD_TRACES names the folder of traces")
        .into()
}

/// The files of one trace.
fn read(names: &[&str]) -> Vec<(String, Vec<u8>)> {
    let folder = folder();
    let read = |name: &&str| {
        let path = folder.join(name);
        let bytes = std::fs::read(&path);
        let bytes = bytes.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        ((*name).to_owned(), bytes)
    };
    names.iter().map(read).collect()
}

fn open_with(names: &[&str], member: Option<&str>) -> Opened {
    let files = read(names);
    let sources = files.iter().map(|(name, bytes)| SourceFile { name, bytes });
    let options = OpenOptions {
        member: member.map(str::to_owned),
        ..OpenOptions::default()
    };
    let opened = open(&sources.collect::<Vec<_>>(), &options);
    opened.unwrap_or_else(|error| panic!("{error}"))
}

fn trace(names: &[&str]) -> Trace {
    match open_with(names, None) {
        Opened::Trace(trace) => trace,
        Opened::Cluster(cluster) => panic!("a cluster: {cluster}"),
        Opened::Profiles(_) | Opened::Outages(_) => panic!("profiles or outages"),
    }
}

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!(
        (value - expected).abs() <= tolerance,
        "{value} is not {expected} ± {tolerance}"
    );
}

/// Format, rows and jobs; GPU hours; the median of the durations; the most GPUs of a job.
fn check(
    trace: &Trace,
    format: &str,
    jobs: (u32, u32),
    hours: f64,
    median: f64,
    gpus: u32,
) -> Inspection {
    let seen = trace.inspect();
    assert_eq!(seen.format, format);
    assert_eq!((seen.jobs, seen.gpu_jobs), jobs);
    near(seen.gpu_hours, hours, hours * 1e-9);
    assert_eq!(seen.duration.median, median);
    assert_eq!(seen.gpus.max, gpus);
    seen
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn pollux_workloads() {
    // Largest gangs counted from the files.
    for (workload, largest) in [(1, 32), (3, 16), (6, 48)] {
        let trace = trace(&[&format!("pollux/workloads/workload-{workload}.csv")]);
        assert_eq!(trace.format, "adaptdl");
        assert_eq!((trace.records.len(), trace.report.rows_read), (160, 160));
        assert_eq!(trace.inspect().gpus.max, largest);
        assert!(trace.records.iter().all(|record| record.batch().is_some()));
    }
}

fn warnings(trace: &Trace) -> Vec<(WarningKind, u32)> {
    let warnings = trace.report.warnings.iter();
    warnings.map(|w| (w.kind, w.count)).collect()
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn microsoft_itp() {
    let trace = trace(&["ms-itp/raw-traces.tar.gz"]);
    let seen = check(
        &trace,
        "ms-itp",
        (69_351, 69_351),
        1_632_719.740_277_78,
        10_537.0,
        64,
    );
    // As published.
    assert_eq!(format!("{:.1}", seen.gpu_hours), "1632719.7");
    near(seen.duration.mean, 18_722.284_119_911_754, 1e-6);
    near(seen.span_days, 59.876_585_648_148_15, 1e-9);
    let jobs: Vec<u32> = trace.members.iter().map(|m| m.jobs).collect();
    assert_eq!(
        jobs,
        [
            1595, 5778, 3011, 15_802, 3629, 2396, 12_699, 13_047, 11_134, 260
        ]
    );
    let clusters: Vec<String> = (1..=10).map(|i| format!("cluster{i:02}")).collect();
    assert_eq!(trace.tenants, clusters);
    assert_eq!(warnings(&trace), []);
    let per_tenant = |tenant| {
        trace
            .records
            .iter()
            .filter(|r| r.tenant == Some(tenant))
            .count()
    };
    assert_eq!(per_tenant(3), 15_802);
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn one_cluster_of_microsoft_itp() {
    let opened = open_with(&["ms-itp/raw-traces.tar.gz"], Some("cluster09"));
    let Opened::Trace(trace) = opened else {
        panic!("no trace");
    };
    check(
        &trace,
        "ms-itp",
        (11_134, 11_134),
        39_000.760_277_777_78,
        11_764.0,
        1,
    );
    assert_eq!(trace.tenants, [""; 0]);
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn helios_venus() {
    let trace = trace(&["helios-venus/helios_trace.csv"]);
    let seen = check(
        &trace,
        "helios-converted",
        (125_303, 125_303),
        2_423_406.545,
        204.0,
        200,
    );
    // As published.
    assert_eq!(format!("{:.2}", seen.gpus.mean), "6.74");
    near(seen.span_days, 193.831_840_277_777_8, 1e-9);
    assert_eq!(seen.duration.p99, 172_800.0);
    assert_eq!(
        warnings(&trace),
        [
            (WarningKind::Clamped, 2379),
            (WarningKind::LongEmptyHead, 1)
        ]
    );
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn philly_as_cut_for_pollux() {
    let trace = trace(&["philly-pollux/philly.csv"]);
    let seen = check(
        &trace,
        "philly-pollux",
        (82_247, 82_247),
        978_078.472_777_777_8,
        1144.0,
        128,
    );
    // As published.
    assert_eq!(seen.gpu_hours.round(), 978_078.0);
    assert_eq!(seen.duration.mean.round(), 13_136.0);
    assert_eq!(
        warnings(&trace),
        [
            (WarningKind::Unsorted, 44_878),
            (WarningKind::LongEmptyHead, 1)
        ]
    );
    assert_eq!(trace.tenants.len(), 15);
    // 2017-09-04 10:30:41 UTC.
    assert_eq!(trace.epoch, Some(1_504_521_041.0));
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn tiresias_and_muri() {
    let syn = trace(&["tiresias/480_job_syn.csv", "tiresias/n15g4.csv"]);
    check(
        &syn,
        "tiresias",
        (480, 480),
        283.838_888_888_888_9,
        323.5,
        8,
    );
    assert_eq!(
        syn.cluster.as_ref().map(ToString::to_string),
        Some("15x4".to_owned())
    );
    let sixty = trace(&["tiresias/60_job.csv"]);
    check(
        &sixty,
        "tiresias",
        (60, 60),
        7.395_555_555_555_555,
        125.0,
        8,
    );
    let seconds = trace(&["tiresias/muri_trace3_seconds.csv"]);
    check(
        &seconds,
        "tiresias",
        (992, 992),
        116_690.098_611_111_11,
        3391.5,
        32,
    );
    let muri = trace(&["muri/trace1.csv", "muri/n8g8.csv"]);
    let seen = check(
        &muri,
        "muri",
        (1494, 1494),
        383_326.767_777_777_8,
        14_392.5,
        32,
    );
    near(seen.span_days, 125.203_356_481_481_48, 1e-9);
    assert_eq!(
        muri.cluster.as_ref().map(ToString::to_string),
        Some("8x8".to_owned())
    );
    let small = trace(&["muri/cluster_trace.csv"]);
    check(
        &small,
        "muri",
        (400, 400),
        61_343.591_388_888_89,
        2223.5,
        32,
    );
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn standard_workload_format() {
    let nasa = trace(&["swf/NASA-iPSC-1993-3.1-cln.swf.zip"]);
    let seen = check(
        &nasa,
        "swf",
        (18_239, 18_066),
        131_732.781_944_444_43,
        88.0,
        128,
    );
    assert_eq!(
        seen.dropped.into_iter().collect::<Vec<_>>(),
        [("duration_zero".to_owned(), 173)]
    );
    assert_eq!(nasa.epoch, Some(749_458_803.0));
    assert_eq!(nasa.tenants, ["group 1", "group 2"]);
    let lublin = trace(&["swf/lublin_256.swf"]);
    check(
        &lublin,
        "swf",
        (10_000, 10_000),
        581_328.102_222_222_3,
        137.0,
        256,
    );
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn alibaba_pods_and_their_nodes() {
    let pods = trace(&[
        "alibaba-v2023/openb_pod_list_default.csv",
        "alibaba-v2023/openb_node_list_all_node.csv",
    ]);
    let seen = check(
        &pods,
        "alibaba-v2023",
        (8152, 6203),
        59_612.210_555_555_55,
        655.0,
        8,
    );
    let dropped = seen.dropped.into_iter().collect::<Vec<_>>();
    assert_eq!(
        dropped,
        [
            ("duration_missing".to_owned(), 861),
            ("no_gpus".to_owned(), 1088)
        ]
    );
    // As published: 6,212 GPUs on 1,213 of 1,523 nodes.
    let cluster = pods.cluster.expect("its nodes");
    assert_eq!((cluster.nodes(), cluster.gpus()), (1213, 6212));
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn gavel_and_shockwave() {
    let old = trace(&["gavel/0e4a51.trace"]);
    let seen = check(
        &old,
        "gavel",
        (1181, 1181),
        102_591.214_958_419_15,
        78_219.259_628_069_9,
        8,
    );
    assert_eq!(seen.span_days, old.inspect().span_days);
    assert!(warnings(&old).contains(&(WarningKind::SpeedOfOneGpu, 197)));
    let long = trace(&["gavel/6214e9.trace"]);
    check(
        &long,
        "gavel",
        (2000, 2000),
        175_264.222_034_388_3,
        4_656.339_153_679_337,
        8,
    );
    let current = trace(&["gavel/max_min_fairness.trace", "gavel/cluster_specs.json"]);
    check(
        &current,
        "gavel",
        (96, 96),
        392.626_370_171_503_8,
        8_590.978_261_227_829,
        4,
    );
    assert_eq!(
        current.cluster.map(|c| c.to_string()).as_deref(),
        Some("500x1:v100")
    );
    let shockwave = trace(&["shockwave/120_0.2_5_100_40_25_multigpu_dynamic.trace"]);
    check(
        &shockwave,
        "shockwave",
        (120, 120),
        197.603_055_555_555_56,
        3164.0,
        4,
    );
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn synergy() {
    let hundred = trace(&["synergy/static_100job_6_3_1100.0"]);
    check(
        &hundred,
        "synergy",
        (100, 100),
        3_678.282_222_222_222,
        14_445.5,
        1,
    );
    let eight = trace(&["synergy/test_trace"]);
    check(
        &eight,
        "synergy",
        (8, 8),
        275.410_277_777_777_77,
        19_769.5,
        4,
    );
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn clusters_beside_traces() {
    let of = |name: &str| match open_with(&[name], None) {
        Opened::Cluster(cluster) => cluster.to_string(),
        Opened::Trace(trace) => panic!("{name} is a trace: {}", trace.title),
        Opened::Profiles(_) | Opened::Outages(_) => panic!("{name} is no cluster"),
    };
    let pai = of("pai-schema/pai_machine_spec.tar.gz");
    assert_eq!(
        pai,
        "280x8:misc/cores=96/memory=512+45x8:v100/cores=96/memory=384+59x8:v100/cores=96/memory=512+135x8:v100-32/cores=96/memory=384+798x2:p100/cores=64/memory=512+497x2:t4/cores=96/memory=512+83x0/cores=96/memory=512"
    );
    let cases = [
        ("helios-venus/cluster_gpu_number.csv", "158x8"),
        ("gavel/cluster_specs.json", "500x1:v100"),
        ("tiresias/n256g8.csv", "256x8"),
        ("muri/n8g8.csv", "8x8"),
    ];
    for (name, cluster) in cases {
        assert_eq!(of(name), cluster, "{name}");
    }
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn what_lies_beside_traces_is_refused() {
    let refused = [
        ("acme/kalos_sample_800.csv", "an excerpt of Acme or Helios"),
        (
            "alibaba-v2023/openb_pod_list_multigpu50.csv",
            "an Alibaba v2023 pod list without times",
        ),
        (
            "gavel/simulation_throughputs.json",
            "Gavel's table of throughputs",
        ),
        ("pai-schema/pai_task_table.header", "no rows"),
        ("tiresias/yarn-gput1000.csv", "a history of job services"),
        ("tiresias/LICENSE", "is not a job trace"),
    ];
    for (name, why) in refused {
        let files = read(&[name]);
        let (name, bytes) = &files[0];
        let error = open(&[SourceFile { name, bytes }], &OpenOptions::default()).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

/// Files, their format, rows and jobs, GPU-hours.
type Rows<'a> = (&'a [&'a str], &'a str, (u32, u32), &'a str);

/// A few rows of each schema.
#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn rows_of_every_schema() {
    let cases: [Rows<'_>; 20] = [
        (&["acme_trace_kalos.csv"], "acme-kalos", (5, 5), "4.4"),
        (&["acme_trace_seren.csv"], "acme-seren", (5, 5), "592.7"),
        (
            &["alibaba_spot_job_info_df.csv"],
            "alibaba-spot-2026",
            (4, 4),
            "7239.1",
        ),
        (&["bad_bom_crlf.csv"], "helios", (3, 3), "198.1"),
        (&["bad_utf16le.csv"], "helios", (3, 3), "198.1"),
        (&["helios_cluster_log.csv"], "helios", (3, 3), "198.1"),
        (&["helios_cluster_log.csv.gz"], "helios", (3, 3), "198.1"),
        (&["bad_gz_truncated.csv.gz"], "helios", (3, 2), "10.5"),
        (
            &["bad_no_final_newline_truncated.csv"],
            "helios",
            (3, 2),
            "10.5",
        ),
        (
            &["bad_duplicate_ids_nan_inf_neg.csv"],
            "generic-csv",
            (10, 4),
            "2778.1",
        ),
        (&["bad_ragged_semicolon.csv"], "generic-csv", (3, 2), "0.0"),
        (
            &[
                "philly_cluster_job_log.json",
                "philly_cluster_machine_list.csv",
            ],
            "philly-json",
            (3, 2),
            "429.5",
        ),
        // A step is no job.
        (&["sacct_parsable2.txt"], "sacct", (3, 2), "200.1"),
        (
            &["sacct_B_elapsed_alloctres.txt"],
            "sacct",
            (39, 1),
            "506.9",
        ),
        (&["sacct_C_startend_only.txt"], "sacct", (39, 1), "506.9"),
        (&["sacct_E_allocgres.txt"], "sacct", (39, 1), "506.9"),
        (
            &["job_log_with_util_column.csv"],
            "generic-csv",
            (2, 2),
            "0.4",
        ),
        (&["durations_hms.csv"], "generic-csv", (4, 4), "100.6"),
        (&["dates_dmy.csv"], "generic-csv", (60, 60), "20.0"),
        (&["jobs_array.json"], "generic-csv", (2, 2), "0.1"),
    ];
    for (names, format, rows, hours) in cases {
        let paths: Vec<String> = names
            .iter()
            .map(|name| format!("fixtures/{name}"))
            .collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let trace = trace(&paths);
        let seen = trace.inspect();
        assert_eq!(seen.format, format, "{names:?}");
        assert_eq!((seen.jobs, seen.gpu_jobs), rows, "{names:?}");
        assert_eq!(format!("{:.1}", seen.gpu_hours), hours, "{names:?}");
    }
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn every_file_is_opened_or_refused_in_a_sentence() {
    let (mut traces, mut clusters, mut profiles) = (0, 0, 0);
    let mut folders = vec![folder()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).expect("a file");
            let name = path.to_string_lossy();
            let file = SourceFile {
                name: &name,
                bytes: &bytes,
            };
            match open(&[file], &OpenOptions::default()) {
                Ok(Opened::Trace(_)) => traces += 1,
                Ok(Opened::Cluster(_)) => clusters += 1,
                Ok(Opened::Profiles(_)) => profiles += 1,
                Ok(Opened::Outages(_)) => panic!("{name} is a list of outages"),
                Err(error) => assert!(error.to_string().contains(": "), "{error}"),
            }
        }
    }
    let counts = (traces, clusters, profiles);
    assert!(
        traces >= 30 && clusters >= 12 && profiles >= 30,
        "{counts:?}"
    );
}
