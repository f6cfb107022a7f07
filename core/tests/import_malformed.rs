//! Opening what is packed, encoded, cut off or no trace at all: what is read from it, and the
//! message word for word.

use std::io::Write;
use switchyard::trace::{Bin, OpenError, OpenOptions, Opened, Opening, SourceFile, Trace, open};

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../tests/fixtures/", $name)).as_slice()
    };
}

fn try_open(name: &str, bytes: &[u8]) -> Result<Opened, OpenError> {
    open(&[SourceFile { name, bytes }], &OpenOptions::default())
}

fn trace(name: &str, bytes: &[u8]) -> Trace {
    match try_open(name, bytes) {
        Ok(Opened::Trace(trace)) => trace,
        other => panic!("no trace: {other:?}"),
    }
}

fn refusal(name: &str, bytes: &[u8]) -> String {
    match try_open(name, bytes) {
        Err(error) => error.to_string(),
        Ok(opened) => panic!("opened: {opened:?}"),
    }
}

/// Every warning and drop in words.
fn notes(trace: &Trace) -> Vec<String> {
    let dropped = trace.report.dropped.iter().map(ToString::to_string);
    let warnings = trace.report.warnings.iter();
    let warnings = warnings.map(|w| format!("{} First {}.", w.text, w.example));
    dropped.chain(warnings).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory does not fail");
    encoder.finish().expect("memory does not fail")
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        let appended = builder.append_data(&mut header, name, *bytes);
        appended.expect("memory does not fail");
    }
    builder.into_inner().expect("memory does not fail")
}

fn zip(members: &[(&str, &[u8])], method: rawzip::CompressionMethod) -> Vec<u8> {
    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    for (name, bytes) in members {
        let file = archive.new_file(name).compression_method(method);
        let (mut entry, config) = file.start().expect("memory does not fail");
        if method == rawzip::CompressionMethod::DEFLATE {
            let level = flate2::Compression::default();
            let encoder = flate2::write::DeflateEncoder::new(&mut entry, level);
            let mut writer = config.wrap(encoder);
            writer.write_all(bytes).expect("memory does not fail");
            let (encoder, descriptor) = writer.finish().expect("memory does not fail");
            encoder.finish().expect("memory does not fail");
            entry.finish(descriptor).expect("memory does not fail");
        } else {
            let mut writer = config.wrap(&mut entry);
            writer.write_all(bytes).expect("memory does not fail");
            let (_, descriptor) = writer.finish().expect("memory does not fail");
            entry.finish(descriptor).expect("memory does not fail");
        }
    }
    archive.finish().expect("memory does not fail")
}

const DEFLATE: rawzip::CompressionMethod = rawzip::CompressionMethod::DEFLATE;
const STORE: rawzip::CompressionMethod = rawzip::CompressionMethod::STORE;

fn clusters() -> [(&'static str, &'static [u8]); 3] {
    [
        ("raw/cluster02.csv", fixture!("ms_itp_b.csv")),
        ("raw/cluster01.csv", fixture!("ms_itp_a.csv")),
        ("LICENSE", b"Do what you like.".as_slice()),
    ]
}

// ---------------------------------------------------------------- containers

#[test]
fn members_of_an_archive_are_merged_in_order_of_their_names() {
    let archives = [
        ("clusters.tar", tar(&clusters())),
        ("clusters.tar.gz", gzip(&tar(&clusters()))),
        ("clusters.zip", zip(&clusters(), DEFLATE)),
        ("stored.zip", zip(&clusters(), STORE)),
        (
            "nested.zip",
            zip(&[("all.tar.gz", &gzip(&tar(&clusters())))], STORE),
        ),
    ];
    for (name, bytes) in archives {
        let trace = trace(name, &bytes);
        let prefix = if name == "nested.zip" {
            "all.tar.gz/"
        } else {
            ""
        };
        let members: Vec<_> = trace
            .members
            .iter()
            .map(|m| (m.name.clone(), m.jobs))
            .collect();
        let expected =
            ["raw/cluster01.csv", "raw/cluster02.csv"].map(|m| (format!("{prefix}{m}"), 2));
        assert_eq!(members, expected, "{name}");
        assert_eq!(trace.tenants, ["cluster01", "cluster02"], "{name}");
        let tenants: Vec<_> = trace.records.iter().map(|r| r.tenant).collect();
        assert_eq!(tenants, [Some(0), Some(0), Some(1), Some(1)], "{name}");
        let lines: Vec<_> = trace.records.iter().map(|r| r.line).collect();
        assert_eq!(lines, [2, 3, 2, 3], "{name}");
        // The same id in two clusters is two jobs; licences are no news.
        assert_eq!(notes(&trace), [""; 0], "{name}");
        assert_eq!((trace.report.rows_read, trace.report.rows_kept), (4, 4));
    }
}

#[test]
fn one_member_can_be_chosen() {
    let nested = zip(&[("all.tar", &tar(&clusters()))], DEFLATE);
    for (archive, bytes) in [("a.tar", tar(&clusters())), ("a.zip", nested)] {
        for name in ["cluster02", "cluster02.csv"] {
            let options = OpenOptions {
                member: Some(name.to_owned()),
                ..OpenOptions::default()
            };
            let file = SourceFile {
                name: archive,
                bytes: &bytes,
            };
            let Ok(Opened::Trace(trace)) = open(&[file], &options) else {
                panic!("{archive} has {name}");
            };
            assert_eq!(trace.members.len(), 1);
            assert!(trace.members[0].name.ends_with("raw/cluster02.csv"));
            assert_eq!(trace.tenants, [""; 0]);
            assert_eq!(trace.records.len(), 2);
        }
    }
}

#[test]
fn a_member_that_is_not_there() {
    let bytes = tar(&clusters());
    let options = OpenOptions {
        member: Some("cluster11".to_owned()),
        ..OpenOptions::default()
    };
    let file = SourceFile {
        name: "clusters.tar",
        bytes: &bytes,
    };
    assert_eq!(
        open(&[file], &options).unwrap_err().to_string(),
        "clusters.tar has no member 'cluster11': its members are raw/cluster01.csv, raw/cluster02.csv"
    );
}

#[test]
fn a_member_whose_name_occurs_twice_is_meant_by_its_path() {
    let earth = std::str::from_utf8(fixture!("helios.csv")).expect("text");
    let earth = earth.replace("\n10", "\n20");
    let members = [
        ("Earth/cluster_log.csv", earth.as_bytes()),
        ("Venus/cluster_log.csv", fixture!("helios.csv")),
    ];
    let bytes = tar(&members);
    let file = SourceFile {
        name: "helios.tar",
        bytes: &bytes,
    };
    let Ok(Opened::Trace(both)) = open(&[file], &OpenOptions::default()) else {
        panic!("no trace");
    };
    assert_eq!(both.records.len(), 6);
    assert_eq!(
        both.tenants,
        [
            "Earth/cluster_log.csv/vc1",
            "Earth/cluster_log.csv/vc2",
            "Venus/cluster_log.csv/vc1",
            "Venus/cluster_log.csv/vc2",
        ]
    );
    assert_eq!(both.epoch, Some(1_591_728_000.0));
    let options = OpenOptions {
        member: Some("Venus/cluster_log.csv".to_owned()),
        ..OpenOptions::default()
    };
    let Ok(Opened::Trace(venus)) = open(&[file], &options) else {
        panic!("no trace");
    };
    assert_eq!((venus.records.len(), venus.tenants.len()), (3, 2));
}

#[test]
fn jobs_that_an_archive_holds_twice_run_once() {
    let (a, b) = (fixture!("ms_itp_a.csv"), fixture!("ms_itp_b.csv"));
    let rows = b.split_inclusive(|byte| *byte == b'\n').skip(1);
    let all = [a, &rows.collect::<Vec<_>>().concat()].concat();
    // The same table packed twice, and parts beside the whole.
    let twice: [(&str, &[u8]); 2] = [("jobs.csv", a), ("old/jobs.csv.gz", &gzip(a))];
    let parts: [(&str, &[u8]); 3] = [("a.csv", a), ("all.csv", &all), ("b.csv", b)];
    for (members, kept, note) in [
        (
            twice.as_slice(),
            2,
            "Files whose jobs are all in another file too: 1. They were left out; choose one of them as the archive's member to open it. First in x.zip/old/jobs.csv.gz: its jobs are those of x.zip/jobs.csv.",
        ),
        (
            parts.as_slice(),
            4,
            "Files whose jobs are all in another file too: 2. They were left out; choose one of them as the archive's member to open it. First in x.zip/a.csv: its jobs are those of x.zip/all.csv.",
        ),
    ] {
        let trace = trace("x.zip", &zip(members, DEFLATE));
        assert_eq!(trace.records.len(), kept);
        assert_eq!(trace.members.len(), 1);
        assert!(
            notes(&trace).contains(&note.to_owned()),
            "{:?}",
            notes(&trace)
        );
        assert_eq!(trace.report.rows_read as usize, kept);
    }
}

#[test]
fn files_dropped_together_are_merged_whatever_their_order() {
    let a = SourceFile {
        name: "b.csv",
        bytes: fixture!("ms_itp_a.csv"),
    };
    let b = SourceFile {
        name: "a.csv.gz",
        bytes: &gzip(fixture!("ms_itp_b.csv")),
    };
    let forth = open(&[a, b], &OpenOptions::default()).unwrap();
    let back = open(&[b, a], &OpenOptions::default()).unwrap();
    assert_eq!(forth, back);
    let Opened::Trace(trace) = forth else {
        panic!("no trace");
    };
    assert_eq!(trace.tenants, ["a", "b"]);
}

#[test]
fn what_lies_beside_a_trace_is_left_out_and_told() {
    let members = [
        ("jobs.csv", fixture!("tiresias.csv")),
        ("notes.txt", fixture!("bad_prose.txt")),
        ("spec.csv", fixture!("tiresias_cluster.csv")),
        ("table.parquet", b"PAR1....PAR1".as_slice()),
        ("__MACOSX/._jobs.csv", b"\0\x05\x16\x07".as_slice()),
    ];
    let trace = trace("all.zip", &zip(&members, DEFLATE));
    assert_eq!(trace.records.len(), 3);
    assert_eq!(
        trace.cluster.as_ref().map(ToString::to_string),
        Some("30x4".to_owned())
    );
    assert_eq!(
        notes(&trace),
        [
            "Files left out: 2. First in all.zip/notes.txt: all.zip/notes.txt is not a job trace: its first line has no comma, semicolon, tab or pipe between columns: open a table of jobs.",
            "Jobs that ask for more GPUs than any node has: 1. They run across nodes. First in all.zip/jobs.csv, line 4: 8 GPUs, cluster 30x4."
        ]
    );
}

#[test]
fn traces_of_different_formats_are_not_mixed() {
    let members = [
        ("a.csv", fixture!("tiresias.csv")),
        ("b.csv", fixture!("ms_itp_a.csv")),
    ];
    assert_eq!(
        refusal("both.tar", &tar(&members)),
        "both.tar/a.csv is Tiresias but both.tar/b.csv is Microsoft ITP: open one of them at a time, or choose one member of the archive"
    );
}

#[test]
fn several_gzip_streams_are_one_file_and_what_follows_is_ignored() {
    let (head, tail) = fixture!("ms_itp_a.csv").split_at(50);
    let mut bytes = gzip(head);
    bytes.extend(gzip(tail));
    assert_eq!(notes(&trace("two.csv.gz", &bytes)), [""; 0]);
    bytes.extend([0; 7]);
    let trace = trace("padded.csv.gz", &bytes);
    assert_eq!(trace.records.len(), 2);
    assert_eq!(
        notes(&trace),
        [
            "Bytes after the end of the compressed data: 7. They were ignored. First in padded.csv.gz: after the end of the compressed data."
        ]
    );
}

#[test]
fn whole_rows_of_a_truncated_gzip_are_kept() {
    let mut text = b"job_id,submission_time,duration,num_gpu\n".to_vec();
    for job in 0..1000 {
        writeln!(text, "job-{job},{},{},1", job * 7, 100 + job % 13).unwrap();
    }
    let whole = gzip(&text);
    let trace = trace("cut.csv.gz", &whole[..whole.len() / 2]);
    let jobs = trace.records.len();
    assert!((100..1000).contains(&jobs), "{jobs}");
    for (job, record) in trace.records.iter().enumerate() {
        assert_eq!(*record.name, *format!("job-{job}"));
        assert_eq!(record.duration, (100 + job % 13) as f64);
    }
    let cut = "Files cut off: 1. Whole rows before the cut were kept; download the file again for the rest. First in cut.csv.gz: it ends early.";
    assert!(
        notes(&trace).contains(&cut.to_owned()),
        "{:?}",
        notes(&trace)
    );

    assert_eq!(
        refusal("stub.csv.gz", &whole[..5]),
        "stub.csv.gz is damaged (its gzip data end before the first row): download it again"
    );
}

#[test]
fn a_truncated_archive_gives_its_whole_members() {
    let bytes = tar(&clusters());
    // Header and content of a member take 512 bytes each; this is within the second one's last row.
    let trace = trace("cut.tar", &bytes[..1536 + 70]);
    assert_eq!(trace.members.len(), 2);
    assert_eq!(trace.records.len(), 3);
    assert_eq!(
        notes(&trace),
        [
            "1 × the file ends within the row, first in cut.tar/raw/cluster01.csv, line 3: the file ends here",
            "Files left out: 1. First in cut.tar: cut.tar is damaged (the archive ends early, and members may be missing): download it again.",
            "Files cut off: 1. Whole rows before the cut were kept; download the file again for the rest. First in cut.tar/raw/cluster01.csv: it ends early.",
            "Files that end within a row: 1. That row was left out. First in cut.tar/raw/cluster01.csv, line 3: the file ends here.",
        ]
    );
}

#[test]
fn damage_is_told() {
    let mut bytes = gzip(fixture!("ms_itp_a.csv"));
    let middle = bytes.len() - 6;
    bytes[middle] ^= 0x55;
    assert_eq!(
        refusal("flipped.gz", &bytes),
        "flipped.gz is damaged (the checksum of its gzip data fails): download it again"
    );
    let mut bytes = zip(&clusters(), STORE);
    let at = bytes.windows(4).position(|w| w == b"aaaa").unwrap();
    bytes[at] = b'b';
    let message = refusal("flipped.zip", &bytes);
    assert_eq!(
        message,
        "flipped.zip/raw/cluster02.csv is damaged (its checksum fails): download it again"
    );
    let mut bytes = tar(&clusters());
    bytes[1030] ^= 1;
    let message = refusal("flipped.tar", &bytes);
    assert_eq!(
        message,
        "flipped.tar is damaged (a header's checksum fails): download it again"
    );
    let message = refusal("cut.zip", &zip(&clusters(), DEFLATE)[..100]);
    assert!(
        message.starts_with("cut.zip is damaged (zip: "),
        "{message}"
    );
}

#[test]
fn decompression_bombs_hit_the_limit() {
    let bomb = gzip(&vec![b'\n'; 10_000_000]);
    assert!(bomb.len() < 20_000);
    let options = OpenOptions {
        max_bytes: 1_000_000,
        ..OpenOptions::default()
    };
    let message = "bomb.csv.gz holds more than 1000000 bytes once decompressed: open its members one at a time, or use the command line, whose --max-bytes raises the limit";
    let file = SourceFile {
        name: "bomb.csv.gz",
        bytes: &bomb,
    };
    assert_eq!(open(&[file], &options).unwrap_err().to_string(), message);
    let archive = zip(&[("bomb.csv.gz", &bomb)], DEFLATE);
    let file = SourceFile {
        name: "bomb.zip",
        bytes: &archive,
    };
    assert!(matches!(
        open(&[file], &options),
        Err(OpenError::TooLarge { .. })
    ));
}

/// Tables that take a multiple of their size: rows as short as can be, a quotation mark never
/// closed, and the same as JSON.
fn row_bombs() -> [(&'static str, Vec<u8>); 4] {
    const ROWS: usize = 300_000;
    let table = format!(
        "job_id,submission_time,duration,num_gpu\n{}",
        "1,0,5,1\n".repeat(ROWS)
    );
    let quote = format!(
        "job_id,submission_time,duration,num_gpu\n\"{}",
        "1,0,5,1\n".repeat(ROWS)
    );
    let job = "{\"id\":1,\"subtime\":0,\"res\":1,\"profile\":\"p\"}";
    let batsim = format!(
        "{{\"profiles\":{{\"p\":{{\"type\":\"delay\",\"delay\":1}}}},\"jobs\":[{}{job}]}}",
        format!("{job},").repeat(ROWS)
    );
    let zipped = zip(&[("jobs.csv", table.as_bytes())], DEFLATE);
    [
        ("rows.csv.gz", gzip(table.as_bytes())),
        ("rows.zip", zipped),
        ("quote.csv.gz", gzip(quote.as_bytes())),
        ("batsim.json.gz", gzip(batsim.as_bytes())),
    ]
}

#[test]
fn rows_are_bounded() {
    for (name, bytes) in row_bombs() {
        assert!(bytes.len() < 40_000, "{name}: {}", bytes.len());
        let options = OpenOptions {
            max_rows: 10_000,
            ..OpenOptions::default()
        };
        let mut opening = Opening::new(options);
        opening.begin(name).expect("a name");
        let pushed = opening.push(&bytes);
        // What became of rows is bounded, whatever the archive still holds.
        let progress = opening.progress();
        assert!(progress.jobs <= 10_000, "{name}: {progress:?}");
        let error = match pushed {
            Err(error) => error,
            Ok(()) => opening.finish().expect_err(name),
        };
        let message = error.to_string();
        assert!(
            message.ends_with(
                " has more than 10000 rows: open a part of it, or use the command line, whose --max-rows raises the limit and whose 'convert --window' writes a part"
            ),
            "{message}"
        );
    }
}

#[test]
fn rows_are_bounded_for_all_files_together() {
    let table = format!(
        "job_id,submission_time,duration,num_gpu\n{}",
        "1,0,5,1\n".repeat(60)
    );
    let options = OpenOptions {
        max_rows: 100,
        ..OpenOptions::default()
    };
    let file = |name| SourceFile {
        name,
        bytes: table.as_bytes(),
    };
    assert!(open(&[file("a.csv")], &options).is_ok());
    let error = open(&[file("a.csv"), file("b.csv")], &options).unwrap_err();
    assert!(matches!(error, OpenError::TooManyRows { limit: 100, ref file } if file == "b.csv"));
}

#[test]
fn what_has_to_be_held_is_bounded() {
    let options = OpenOptions {
        max_held: 1 << 20,
        ..OpenOptions::default()
    };
    let blank = " ".repeat(3 << 20);
    let object = gzip(format!("{{\"jobs\": [{blank}]}}").as_bytes());
    let row = gzip(format!("[{{\"submitted_time\": 1, \"attempts\": []}}, {{{blank}").as_bytes());
    let archive = zip(&[("a", blank.as_bytes())], STORE);
    for (name, bytes) in [
        ("o.json.gz", object),
        ("r.json.gz", row),
        ("a.zip", archive),
    ] {
        let mut opening = Opening::new(options.clone());
        opening.begin(name).expect("a name");
        let pushed = bytes
            .chunks(1 << 12)
            .try_for_each(|slice| opening.push(slice));
        let message = pushed.expect_err(name).to_string();
        assert!(
            message.contains("has more than 1048576 bytes that have to be held"),
            "{message}"
        );
    }
}

#[test]
fn the_default_bounds_keep_records_in_memory() {
    let options = OpenOptions::default();
    // With a name of its own each.
    let record = std::mem::size_of::<switchyard::trace::Record>() as u64 + 32;
    assert!(options.max_rows * record < 3 << 30);
    assert!(options.max_bytes <= 2 << 30 && options.max_held <= options.max_bytes);
}

#[test]
fn a_table_is_no_cluster_of_any_size() {
    let nodes = "n,1,1,8,T4\n".repeat(7_000_000);
    let list = format!("sn,cpu_milli,memory_mib,gpu,model\n{nodes}");
    let message = refusal("nodes.csv", list.as_bytes());
    assert_eq!(
        message,
        "nodes.csv is not a job trace: it looks like a description of a cluster, but has more than 67108864 bytes: cut it to a row per node, or write the cluster as NODESxGPUS"
    );
}

#[test]
fn containers_nest_four_deep() {
    let mut bytes = fixture!("ms_itp_a.csv").to_vec();
    for _ in 0..4 {
        bytes = gzip(&bytes);
    }
    assert_eq!(trace("four.gz", &bytes).records.len(), 2);
    assert_eq!(
        refusal("five.gz", &gzip(&bytes)),
        "five.gz nests containers more than 4 deep: unpack it first"
    );
}

#[test]
fn what_is_not_unpacked_is_named() {
    let cases: [(&[u8], &str); 10] = [
        (
            b"\xFD7zXZ\0....",
            "x is compressed with xz, which is not read here: decompress it first",
        ),
        (
            b"BZh91AY&SY....",
            "x is compressed with bzip2, which is not read here: decompress it first",
        ),
        (
            b"7z\xBC\xAF\x27\x1C..",
            "x is a 7z archive, which is not read here: unpack it first",
        ),
        (
            b"PAR1....PAR1",
            "x is a Parquet file, which is not read here: export it as CSV",
        ),
        (
            b"\x89HDF\r\n\x1A\n..",
            "x is an HDF5 file, which is not read here: export it as CSV",
        ),
        (
            b"\x80\x04\x95....",
            "x is a Python pickle, which is not read here: export it as CSV; opening a pickle would run code",
        ),
        (
            b"SQLite format 3\0",
            "x is an SQLite database, which is not read here: export it as CSV",
        ),
        (
            b"\x7FELF\x02\x01\x01\0",
            "x is not a job trace: it is neither text nor a known container: open a table, a JSON array, or an archive of them",
        ),
        (
            b"<!DOCTYPE html>\n<html>",
            "x is not a job trace: it is a web page: download the raw file behind it",
        ),
        (
            fixture!("bad_lfs_pointer.tar.gz"),
            "x is a Git LFS pointer, not the data: download the real file, for instance with 'git lfs pull'",
        ),
    ];
    for (bytes, message) in cases {
        assert_eq!(refusal("x", bytes), message);
    }
    let workbook = [
        ("[Content_Types].xml", b"<x/>".as_slice()),
        ("xl/workbook.xml", b"<x/>"),
    ];
    assert_eq!(
        refusal("jobs.xlsx", &zip(&workbook, DEFLATE)),
        "jobs.xlsx is an Office document, which is not read here: save its table as CSV"
    );
    assert_eq!(
        refusal("empty.zip", &zip(&[], STORE)),
        "empty.zip is an archive without data files: choose another file"
    );
}

// ---------------------------------------------------------------- encodings

#[test]
fn encodings_make_no_difference() {
    let plain = fixture!("helios.csv");
    let text = std::str::from_utf8(plain).unwrap();
    let expected = trace("helios.csv", plain);
    let units = |f: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(f).collect::<Vec<u8>>();
    let variants = [
        [b"\xEF\xBB\xBF", plain].concat(),
        [b"\xFF\xFE".to_vec(), units(u16::to_le_bytes)].concat(),
        [b"\xFE\xFF".to_vec(), units(u16::to_be_bytes)].concat(),
        units(u16::to_le_bytes),
        text.replace('\n', "\r\n").into_bytes(),
        text.replace('\n', "\r").into_bytes(),
        text.trim_end().as_bytes().to_vec(),
        [plain, b"\n \n\n".as_slice()].concat(),
    ];
    for bytes in variants {
        assert_eq!(trace("helios.csv", &bytes), expected);
    }
    assert_eq!(trace("helios.csv", &gzip(plain)), expected);
}

#[test]
fn blank_lines_keep_the_line_numbers_right() {
    let text = "\n\njob_id,submission_time,duration,num_gpu\r\n\r\n1,0,5,1\r\n   \r\n2,3,5,1";
    let lines: Vec<_> = trace("t", text.as_bytes())
        .records
        .iter()
        .map(|r| r.line)
        .collect();
    assert_eq!(lines, [5, 7]);
}

#[test]
fn invalid_text_is_shown_and_told() {
    let trace = trace("latin1.csv", fixture!("bad_latin1.csv"));
    assert_eq!(trace.tenants, ["caf\u{FFFD}"]);
    assert_eq!(
        notes(&trace),
        [
            "Byte sequences that are no valid text: 2. Shown as \u{FFFD}. First in latin1.csv, line 2: no valid UTF-8 or UTF-16."
        ]
    );
}

// ---------------------------------------------------------------- tables

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
            "Jobs that ask for a fraction of a GPU: 1. Rounded up to whole GPUs. First in bad_values.csv, line 9: 0.5 GPUs.",
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
            "x looks like a table of the Alibaba Lingjun 2023 trace, which cannot be replayed as it stands: its GPUs stand in worker.csv; join them and convert it to job_id,submit_time,duration,num_gpus",
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
            "x looks like Alibaba's job summary of 2026, which cannot be replayed as it stands: it tells how long jobs ran but not when they were submitted; open a trace with submissions",
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
            "x, line 2: 'many' is not a cluster: write NODESxGPUS, such as 16x4, or 8x8+4x4 for unlike nodes",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(refusal("x", text.as_bytes()), message);
    }
}

// ---------------------------------------------------------------- mappings

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

// ---------------------------------------------------------------- slices

/// The same files in slices of so many bytes.
fn in_slices(files: &[SourceFile<'_>], length: usize) -> Result<Opened, OpenError> {
    let mut opening = Opening::new(OpenOptions::default());
    for file in files {
        opening.begin(file.name)?;
        for slice in file.bytes.chunks(length) {
            opening.push(slice)?;
        }
    }
    let progress = opening.progress();
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    assert_eq!(progress.bytes, bytes as u64);
    assert!(progress.jobs <= progress.rows);
    opening.finish()
}

#[test]
fn slices_make_no_difference() {
    let utf16: Vec<u8> = std::str::from_utf8(fixture!("helios.csv"))
        .expect("text")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut rows = b"job_id,submission_time,duration,num_gpu\n".to_vec();
    for job in 0..20_000 {
        writeln!(rows, "\"job\n{job}\",{},{},1", job * 7, 100 + job % 13).expect("memory");
    }
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("helios.csv", fixture!("helios.csv").to_vec()),
        ("utf16.csv", utf16),
        ("philly.json", fixture!("philly.json").to_vec()),
        ("workload.swf", fixture!("workload.swf").to_vec()),
        ("batsim.json", fixture!("batsim.json").to_vec()),
        ("latin1.csv", fixture!("bad_latin1.csv").to_vec()),
        (
            "cr.csv",
            std::str::from_utf8(fixture!("helios.csv"))
                .expect("text")
                .replace('\n', "\r")
                .into_bytes(),
        ),
        ("all.tar.gz", gzip(&tar(&clusters()))),
        ("all.tar.zst", zstd(&tar(&clusters()))),
        ("all.zip", zip(&clusters(), DEFLATE)),
        ("cut.csv.gz", gzip(&rows)[..40_000].to_vec()),
        ("rows.csv", rows),
        ("bad.csv", fixture!("bad_columns.csv").to_vec()),
    ];
    let jobs = |between: &str| {
        let job = |job| {
            format!(
                "{{\"id\": {job}, \"submit\": {}, \"duration\": 9, \"gpus\": 1}}",
                job * 7
            )
        };
        (0..3000).map(job).collect::<Vec<_>>().join(between)
    };
    let cases = cases.into_iter().chain([
        ("jobs.json", format!("[{}]", jobs(",\n")).into_bytes()),
        ("jobs.jsonl", jobs("\n").into_bytes()),
        ("sacct.json", fixture!("sacct.json").to_vec()),
        ("nodes.yaml", fixture!("kubernetes_nodes.yaml").to_vec()),
        (
            "dates.csv",
            b"id,submit,duration,gpus\n1,01/02/2023,5,1\n2,02/02/2023,5,1\n3,13/02/2023,5,1\n"
                .to_vec(),
        ),
    ]);
    for (name, bytes) in &cases.collect::<Vec<_>>() {
        let file = SourceFile { name, bytes };
        let whole = open(&[file], &OpenOptions::default());
        let lengths: &[usize] = if bytes.len() > 5000 {
            &[997, 65_536]
        } else {
            &[1, 3, 64]
        };
        for &length in lengths {
            assert_eq!(
                in_slices(&[file], length),
                whole,
                "{name} in slices of {length}"
            );
        }
    }
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    ruzstd::encoding::compress_to_vec(bytes, level)
}

#[test]
fn zstd_is_read_and_checked() {
    let packed = zstd(fixture!("ms_itp_a.csv"));
    assert_eq!(trace("a.csv.zst", &packed).records.len(), 2);
    let mut two = packed.clone();
    // A frame that holds no data, and the same frame again without its header row.
    two.extend([0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 9, 9]);
    two.extend(zstd(b"aaaa-0003,400,5,1\n"));
    assert_eq!(trace("two.csv.zst", &two).records.len(), 3);
    two.extend([1, 2, 3]);
    assert_eq!(
        notes(&trace("padded.csv.zst", &two)),
        [
            "Bytes after the end of the compressed data: 3. They were ignored. First in padded.csv.zst: after the end of the compressed data."
        ]
    );
    assert_eq!(
        refusal("stub.zst", &packed[..12]),
        "stub.zst is damaged (its zstd data end before the first row): download it again"
    );
    let bomb = zstd(&vec![b'\n'; 10_000_000]);
    let options = OpenOptions {
        max_bytes: 1_000_000,
        ..OpenOptions::default()
    };
    let file = SourceFile {
        name: "bomb.zst",
        bytes: &bomb,
    };
    assert!(matches!(
        open(&[file], &options),
        Err(OpenError::TooLarge { .. })
    ));
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
        "nodes.csv: 3 machines with 18 GPUs, one machine without GPUs left out."
    );
    assert_eq!(
        notes(&trace),
        [
            "Jobs that ask for more GPUs than the cluster has: 1. They can never run; leave them out or shrink them. First in jobs.csv, line 3: 20 GPUs, cluster 2x8+1x2.",
            "Jobs that ask for more GPUs than any node has: 1. They run across nodes. First in jobs.csv, line 2: 16 GPUs, cluster 2x8+1x2.",
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
        r#"{"missing_columns":{"file":"bad_columns.csv","line":1,"missing":["duration","gpus"],"found":["job_id","submit_time","wall_time","nodes"],"hint":" (wall_time is a limit, not a duration)","table":{"columns":["job_id","submit_time","wall_time","nodes"],"rows":[["1","0","100","1"]],"guess":{"id":"job_id","submit":"submit_time","start":null,"end":null,"duration":null,"gpus":null,"workers":null,"gpu_milli":null,"tenant":null,"model":null,"status":null,"unit":null,"duration_unit":null,"time":"auto"}}}}"#
    );
    assert_eq!(serde_json::from_str::<OpenError>(&json).unwrap(), error);
}
