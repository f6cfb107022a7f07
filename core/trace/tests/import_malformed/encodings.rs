//! The same text in other encodings, with other line ends, in other slices.

use super::*;
use switchyard_trace::Opening;

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
