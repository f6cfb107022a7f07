//! Whatever the bytes, opening them ends in a trace that keeps its promises or in an error with
//! a sentence: it never panics, and never runs on.
//!
//! `fuzz/` does the same without end, guided by coverage.

mod import_promises;

use import_promises::{check, check_files};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::io::Write;

const FIXTURES: &[&[u8]] = &[
    include_bytes!("../../../tests/fixtures/ms_itp_a.csv"),
    include_bytes!("../../../tests/fixtures/tiresias.csv"),
    include_bytes!("../../../tests/fixtures/tiresias_cluster.csv"),
    include_bytes!("../../../tests/fixtures/muri.csv"),
    include_bytes!("../../../tests/fixtures/philly.json"),
    include_bytes!("../../../tests/fixtures/philly_pollux.csv"),
    include_bytes!("../../../tests/fixtures/helios.csv"),
    include_bytes!("../../../tests/fixtures/helios_converted.csv"),
    include_bytes!("../../../tests/fixtures/workload.swf"),
    include_bytes!("../../../tests/fixtures/elasticflow.csv"),
    include_bytes!("../../../tests/fixtures/chronus.csv"),
    include_bytes!("../../../tests/fixtures/philly_lumos.csv"),
    include_bytes!("../../../tests/fixtures/lumos.csv"),
    include_bytes!("../../../tests/fixtures/acme_kalos.csv"),
    include_bytes!("../../../tests/fixtures/alibaba_v2023.csv"),
    include_bytes!("../../../tests/fixtures/alibaba_v2025.csv"),
    include_bytes!("../../../tests/fixtures/alibaba_spot_2026.csv"),
    include_bytes!("../../../tests/fixtures/alibaba_nodes.csv"),
    include_bytes!("../../../tests/fixtures/philly_machines.csv"),
    include_bytes!("../../../tests/fixtures/gavel_old.trace"),
    include_bytes!("../../../tests/fixtures/gavel.trace"),
    include_bytes!("../../../tests/fixtures/shockwave.trace"),
    include_bytes!("../../../tests/fixtures/synergy.csv"),
    include_bytes!("../../../tests/fixtures/rubick.csv"),
    include_bytes!("../../../tests/fixtures/batsim.json"),
    include_bytes!("../../../tests/fixtures/batsim_jobs.csv"),
    include_bytes!("../../../tests/fixtures/sacct.txt"),
    include_bytes!("../../../tests/fixtures/sacct.json"),
    include_bytes!("../../../tests/fixtures/squeue.json"),
    include_bytes!("../../../tests/fixtures/scontrol_jobs.txt"),
    include_bytes!("../../../tests/fixtures/kubernetes_nodes.yaml"),
    include_bytes!("../../../tests/fixtures/kubernetes_pods.json"),
    include_bytes!("../../../tests/fixtures/kubernetes_jobs.yaml"),
    include_bytes!("../../../tests/fixtures/pbs_accounting.log"),
    include_bytes!("../../../tests/fixtures/mit_supercloud.csv"),
    include_bytes!("../../../tests/fixtures/pai_job_table.csv"),
    include_bytes!("../../../tests/fixtures/pai_task_table.csv"),
    include_bytes!("../../../tests/fixtures/pai_machine_spec.csv"),
    include_bytes!("../../../tests/fixtures/experiment.csv"),
    include_bytes!("../../../tests/fixtures/generic_comma.csv"),
    include_bytes!("../../../tests/fixtures/generic_semicolon.csv"),
    include_bytes!("../../../tests/fixtures/generic_tab.tsv"),
    include_bytes!("../../../tests/fixtures/generic_pipe.txt"),
    include_bytes!("../../../tests/fixtures/bad_values.csv"),
    include_bytes!("../../../tests/fixtures/bad_quotes.csv"),
    include_bytes!("../../../tests/fixtures/bad_truncated.json"),
    // Without a header, as sacct --noheader prints it.
    b"7|2024-05-03T12:00:00|2024-05-03T12:10:00|2024-05-04T13:10:00|1-01:00:00|cpu=4,gres/gpu=8|COMPLETED\n7.batch|2024-05-03T12:00:00|2024-05-03T12:10:00|2024-05-04T13:10:00|1-01:00:00|cpu=4|COMPLETED\n",
    b"JobID|Submit|Start|End|AllocGRES\n7|2024-05-03T12:00:00|2024-05-03T12:10:00|2024-05-04T13:10:00|gpu:a100:2(IDX:0-1)\n",
    b"job_id,submit_time,start,end,duration,gpus\n1,01/03/2023 10:00,01/03/2023 10:05,01/03/2023 11:05,01:00:00,1\n2,13/03/2023 10:00,13/03/2023 10:05,13/03/2023 11:05,2 days 03:00:00,2\n",
    b"[{\"job_id\": 1, \"submit_time\": 0, \"duration\": 100, \"num_gpus\": 1},\n{\"job_id\": 2, \"submit_time\": 5, \"duration\": null, \"num_gpus\": 2}]",
    b"{\"job_id\": 1, \"submit_time\": 0, \"duration\": 100, \"num_gpus\": 1}\n{\"job_id\": 2, \"submit_time\": 5, \"duration\": 9, \"num_gpus\": 2}\n",
    b"job submit duration gpus\n1 0 60 2\n2 5 60 1\n",
    b"JobID,Submit,ElapsedRaw,State,AllocTRES\n7,2024-05-03T12:00:00,60,REQUEUED,cpu=8,gres/gpu=2,node=1\n7,2024-05-03T13:00:00,60,COMPLETED,cpu=8,gres/gpu=2,node=1\n",
    b"ClusterName=lab\nNodeName=DEFAULT CPUs=64\nNodeName=gpu[01-03],b Gres=gpu:a100:8,gpu:t4:2 \\\n RealMemory=524288\n",
    b"NODELIST GRES CPUS\ngpu[01-03] gpu:a100:8(S:0-1) 64+\ncpu1 (null) 64\n",
    b"{\"nodes\": [{\"name\": \"n1\", \"cpus\": 64, \"real_memory\": 524288, \"gres\": \"gpu:a100:8\"}]}",
    b"gpu.q:n1:lab:ann:train:7:sge:0:1714737600:1714737660:1714741260:0:0:60:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:NONE:d:smp:8:0:1:0:0:-l gpu=2,h_rt=01:00:00:0.0:NONE:1000:0:0\n",
    b"{\"name\": \"toy\", \"jobs\": [{\"id\": 1, \"submit_time\": 0, \"duration\": \"PT1M\", \"num_gpus\": 1}]}",
    b"sep=;\njob;submit;start;end;gpus\na;3/1/30 10:00 AM;3/1/30 10:00 AM;3/13/30 1:05 PM;1\n",
    b"+-----+--------+----------+------+\n| job | submit | duration | gpus |\n+-----+--------+----------+------+\n| a   | Mon Jan  7 10:00:00 2030 | 5:03 | 1 |\n+-----+--------+----------+------+\n",
];

/// Pieces that mean something to one of the readers.
const TOKENS: &[&[u8]] = &[
    b",",
    b";",
    b"\t",
    b"|",
    b"\"",
    b"\n",
    b"\r\n",
    b"\r",
    b"[",
    b"]",
    b"{",
    b"}",
    b"\0",
    b"NaN",
    b"inf",
    b"-1",
    b"1e308",
    b"18446744073709551616",
    b"None",
    b"\xEF\xBB\xBF",
    b"\xFF\xFE",
    b"2020-06-09 18:41:01+08:00",
    b"9999-12-31",
    b"; ",
    b"ustar",
    b"\x1F\x8B",
    b"PK\x03\x04",
    b"\x28\xB5\x2F\xFD",
    b"#switchyard 1\n",
    b"#cluster 2x4\n",
    b",1002=2",
    b"gres/gpu=8",
    b"gpu:2",
    b"1-00:00:00",
    b"2 days 03:00:00",
    b"31/12/1999",
    b"12/31/1999 11:59 PM",
    b"null",
    b" ",
    b"apiVersion: v1\nkind: Node\n",
    b"kind: Pod\n",
    b"- ",
    b": ",
    b"#",
    b"=",
    b"JobId=1 ",
    b"NodeName=n[1-9] ",
    b"REQUEUED",
    b"Mon, 07 Jan 2030 10:00:00 +0000",
    b"P1DT2H",
    b"1,234",
    b"sep=;\n",
    b"---+---\n",
    b"000000000000000000000001",
];

/// One change to a file; places are shares of its length.
#[derive(Clone, Debug)]
enum Change {
    Flip(f64, u8),
    Truncate(f64),
    Cut(f64, usize),
    Insert(f64, usize),
    /// Copies a stretch of another fixture in.
    Splice(f64, usize, f64, usize),
    Repeat(f64, usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let place = || 0.0..1.0;
    prop_oneof![
        (place(), any::<u8>()).prop_map(|(at, mask)| Change::Flip(at, mask)),
        place().prop_map(Change::Truncate),
        (place(), 1..40usize).prop_map(|(at, length)| Change::Cut(at, length)),
        (place(), 0..TOKENS.len()).prop_map(|(at, token)| Change::Insert(at, token)),
        (place(), 0..FIXTURES.len(), place(), 1..200usize)
            .prop_map(|(at, other, from, length)| Change::Splice(at, other, from, length)),
        (place(), 1..60usize, 2..50usize)
            .prop_map(|(at, length, times)| Change::Repeat(at, length, times)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let place = |at: f64, length: usize| (at * length as f64) as usize;
    let length = bytes.len();
    match *change {
        Change::Flip(at, mask) => {
            if let Some(byte) = bytes.get_mut(place(at, length)) {
                *byte ^= mask;
            }
        }
        Change::Truncate(at) => bytes.truncate(place(at, length)),
        Change::Cut(at, cut) => {
            let from = place(at, length);
            bytes.drain(from..length.min(from + cut));
        }
        Change::Insert(at, token) => {
            let from = place(at, length);
            bytes.splice(from..from, TOKENS[token].iter().copied());
        }
        Change::Splice(at, other, from, stretch) => {
            let other = FIXTURES[other];
            let from = place(from, other.len());
            let piece = &other[from..other.len().min(from + stretch)];
            let to = place(at, length);
            bytes.splice(to..to, piece.iter().copied());
        }
        Change::Repeat(at, stretch, times) => {
            let from = place(at, length);
            let piece = bytes[from..length.min(from + stretch)].repeat(times);
            bytes.splice(from..from, piece);
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory does not fail");
    encoder.finish().expect("memory does not fail")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn tar(bytes: &[u8]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for name in ["a.csv", "b.csv"] {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        let appended = builder.append_data(&mut header, name, bytes);
        appended.expect("memory does not fail");
    }
    builder.into_inner().expect("memory does not fail")
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    for name in ["a.csv", "b.csv"] {
        let file = archive.new_file(name);
        let file = file.compression_method(rawzip::CompressionMethod::STORE);
        let (mut entry, config) = file.start().expect("memory does not fail");
        let mut writer = config.wrap(&mut entry);
        writer.write_all(bytes).expect("memory does not fail");
        let (_, descriptor) = writer.finish().expect("memory does not fail");
        entry.finish(descriptor).expect("memory does not fail");
    }
    archive.finish().expect("memory does not fail")
}

/// The same cases every time: a failure is found again by running the test again.
/// `SWITCHYARD_FUZZ=1000` runs a thousand times as many.
fn runner(cases: u32) -> TestRunner {
    let times = std::env::var("SWITCHYARD_FUZZ").ok();
    let times = times.and_then(|times| times.parse().ok()).unwrap_or(1);
    let config = Config {
        cases: cases.saturating_mul(times),
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

fn run(cases: u32, pack: fn(&[u8]) -> Vec<u8>) {
    let strategy = (0..FIXTURES.len(), prop::collection::vec(change(), 1..8));
    let outcome = runner(cases).run(&strategy, |(fixture, changes)| {
        let mut bytes = pack(FIXTURES[fixture]);
        for change in &changes {
            apply(&mut bytes, change);
        }
        check(&bytes);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn changed_files() {
    run(2000, <[u8]>::to_vec);
}

#[test]
fn changed_archives() {
    run(300, gzip);
    run(300, zstd);
    run(300, tar);
    run(300, zip);
    run(150, |bytes| gzip(&tar(bytes)));
}

#[test]
fn changed_files_in_sound_archives() {
    let strategy = (0..FIXTURES.len(), prop::collection::vec(change(), 1..8));
    let outcome = runner(200).run(&strategy, |(fixture, changes)| {
        let mut bytes = FIXTURES[fixture].to_vec();
        for change in &changes {
            apply(&mut bytes, change);
        }
        check(&gzip(&tar(&bytes)));
        check(&zip(&bytes));
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn arbitrary_bytes() {
    let strategy = prop::collection::vec(any::<u8>(), 0..600);
    let outcome = runner(500).run(&strategy, |bytes| {
        check(&bytes);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn changed_tables_that_belong_together() {
    let strategy = (0..FIXTURES.len(), prop::collection::vec(change(), 1..8));
    let outcome = runner(300).run(&strategy, |(fixture, changes)| {
        let mut jobs = include_bytes!("../../../tests/fixtures/pai_job_table.csv").to_vec();
        for change in &changes {
            apply(&mut jobs, change);
        }
        let tasks = include_bytes!("../../../tests/fixtures/pai_task_table.csv").as_slice();
        check_files(&[FIXTURES[fixture], &jobs, tasks], changes.len() * 7);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_prefix_of_every_fixture() {
    for fixture in FIXTURES {
        for end in 0..=fixture.len() {
            check(&fixture[..end]);
        }
    }
}
