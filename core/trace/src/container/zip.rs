//! zip archives. Where their members lie stands at the end, so that an archive has to be there
//! as a whole; its members are unpacked one after the other.

use super::within::{Within, damaged, unsupported};
use crate::error::OpenError;
use crate::place::{Flaws, Place, in_order};
use crate::shared::Shared;
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use rawzip::CompressionMethod;
use std::io::Read;

const SAVE: &str = "save its table as CSV";
const UNPACK: &str = "unpack it first";

/// How many bytes are unpacked at once.
const ROOM: usize = 1 << 16;

/// Opens the members of an archive.
pub(super) fn open<F: Within>(
    place: &Place,
    bytes: &[u8],
    shared: &mut Shared,
) -> Result<(), OpenError> {
    let broken = |error: rawzip::Error| damaged(&place.file, &format!("zip: {error}"));
    let archive = rawzip::ZipArchive::from_slice(bytes).map_err(broken)?;
    let mut members = Vec::new();
    let mut entries = archive.entries();
    while let Some(entry) = entries.next_entry().map_err(broken)? {
        if !entry.is_dir() {
            let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
            members.push((name, entry));
        }
    }
    if members.iter().any(|m| m.0 == "[Content_Types].xml") {
        let refusal = unsupported(&place.file, "an Office document", SAVE);
        shared.refuse(place, refusal);
        return Ok(());
    }
    let names: Vec<&str> = members.iter().map(|m| m.0.as_str()).collect();
    let mut any = false;
    for (name, header) in in_order(&names).iter().filter_map(|&i| members.get(i)) {
        let Some(inner) = shared.choose(place, name) else {
            continue;
        };
        any = true;
        let method = header.compression_method();
        let unreadable = match method {
            _ if header.flags().is_encrypted() => Some("encrypted"),
            CompressionMethod::STORE | CompressionMethod::DEFLATE => None,
            _ => Some("compressed by a method other than deflate"),
        };
        if let Some(what) = unreadable {
            let refusal = unsupported(&inner.file, what, UNPACK);
            shared.refuse(&inner, refusal);
            continue;
        }
        let entry = archive.get_entry(header.wayfinder()).map_err(broken)?;
        let mut member = Member {
            file: F::at(inner),
            crc: Crc::new(),
            length: 0,
        };
        if method == CompressionMethod::DEFLATE {
            member.inflate(entry.data(), shared)?;
        } else {
            member.push(entry.data(), shared)?;
        }
        let length = header.uncompressed_size_hint();
        if member.crc.sum() != header.crc32() || member.length != length {
            return Err(damaged(member.file.name(), "its checksum fails"));
        }
        member.file.end(Flaws::default(), shared)?;
    }
    if !any {
        let file = place.file.clone();
        shared.refuse(place, OpenError::EmptyArchive { file });
    }
    Ok(())
}

struct Member<F> {
    file: F,
    crc: Crc,
    length: u64,
}

impl<F: Within> Member<F> {
    fn push(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<(), OpenError> {
        shared.spend(self.file.name(), bytes.len())?;
        self.crc.update(bytes);
        self.length += bytes.len() as u64;
        self.file.push(bytes, shared)
    }

    fn inflate(&mut self, data: &[u8], shared: &mut Shared) -> Result<(), OpenError> {
        let mut stream = DeflateDecoder::new(data);
        let mut room = vec![0; ROOM];
        loop {
            let corrupt = |_| damaged(self.file.name(), "its compressed data are corrupt");
            let length = stream.read(&mut room).map_err(corrupt)?;
            if length == 0 {
                return Ok(());
            }
            self.push(room.get(..length).unwrap_or(&[]), shared)?;
        }
    }
}
