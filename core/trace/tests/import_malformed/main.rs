//! Opening what is packed, encoded, cut off or no trace at all: what is read from it, and the
//! message word for word.

use std::io::Write;
use switchyard_trace::{OpenError, OpenOptions, Opened, SourceFile, Trace, open};

/// A file of `tests/fixtures/`.
macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/fixtures/",
            $name
        ))
        .as_slice()
    };
}

mod containers;
mod encodings;
mod limits;
mod mappings;
mod tables;

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

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    ruzstd::encoding::compress_to_vec(bytes, level)
}
