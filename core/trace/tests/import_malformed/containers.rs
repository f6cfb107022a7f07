//! Archives and compressed files: whole, nested, cut off, damaged, and those that are not unpacked.

use super::*;

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
