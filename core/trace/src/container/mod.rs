//! Taking files out of what they are packed in: gzip, zstd, tar and zip, in any nesting.
//!
//! Bytes come in slices and go on at once: a [`File`] tells by its first bytes what it is, and
//! hands what it unpacks to the [`File`] within, down to a text. Only a zip archive is held as a
//! whole, and a table stored by columns, whose reader is given from outside. Containers that are not read are named, with the next step. What is decompressed
//! counts against one limit for all files together, so that a decompression bomb ends in an
//! error.

mod columnar;
mod gzip;
mod tar;
mod within;
mod zip;
mod zstd;

use super::error::OpenError;
use super::place::{Flaws, Place};
use super::shared::Shared;
use super::text::TextFile;
use gzip::Gunzip;
use tar::Untar;
pub(crate) use within::Within;
use within::unsupported;
use zstd::Unzstd;

/// How deep containers may nest: `x.zip` › `y.tar.gz` › `z.csv.gz` takes four levels.
const MAX_DEPTH: u32 = 4;

/// A file whose bytes come in slices.
pub(crate) struct File {
    place: Place,
    stage: Stage,
}

/// What a file has turned out to be.
enum Stage {
    /// Its first bytes, too few to tell.
    Start(Vec<u8>),
    Text(Box<TextFile>),
    Gzip(Box<Gunzip<File>>),
    Zstd(Box<Unzstd<File>>),
    Tar(Box<Untar<File>>),
    Zip(Vec<u8>),
    /// What it is, and its bytes.
    Columnar(&'static str, Vec<u8>),
    /// It is of no use.
    Refused,
}

/// How many bytes tell what a file is: tar's mark is the last.
const START: usize = 262;

impl Within for File {
    fn at(place: Place) -> Self {
        let stage = Stage::Start(Vec::new());
        Self { place, stage }
    }

    fn name(&self) -> &str {
        &self.place.file
    }

    fn push(&mut self, mut bytes: &[u8], shared: &mut Shared) -> Result<(), OpenError> {
        if let Stage::Start(start) = &mut self.stage {
            let wanted = START.saturating_sub(start.len());
            let (front, rest) = bytes.split_at_checked(wanted).unwrap_or((bytes, &[]));
            start.extend_from_slice(front);
            if start.len() < START {
                return Ok(());
            }
            bytes = rest;
            self.begin(shared)?;
        }
        match &mut self.stage {
            Stage::Start(_) | Stage::Refused => Ok(()),
            Stage::Text(text) => text.push(bytes, &self.place, shared),
            Stage::Gzip(gunzip) => gunzip.push(bytes, shared),
            Stage::Zstd(unzstd) => unzstd.push(bytes, shared),
            Stage::Tar(untar) => untar.push(bytes, shared),
            Stage::Zip(whole) | Stage::Columnar(_, whole) => {
                whole.extend_from_slice(bytes);
                shared.may_hold(&self.place.file, whole.len())
            }
        }
    }

    fn end(mut self, flaws: Flaws, shared: &mut Shared) -> Result<(), OpenError> {
        if let Stage::Start(_) = self.stage {
            self.begin(shared)?;
        }
        match self.stage {
            Stage::Start(_) | Stage::Refused => Ok(()),
            Stage::Text(text) => text.end(flaws, &self.place, shared),
            Stage::Gzip(gunzip) => gunzip.end(flaws, shared),
            Stage::Zstd(unzstd) => unzstd.end(flaws, shared),
            Stage::Tar(untar) => untar.end(flaws, shared),
            Stage::Zip(archive) => zip::open::<File>(&self.place, &archive, shared),
            Stage::Columnar(what, bytes) => columnar::open(&self.place, what, bytes, flaws, shared),
        }
    }
}

impl File {
    /// Finds out what it is, and hands on what has come.
    fn begin(&mut self, shared: &mut Shared) -> Result<(), OpenError> {
        let Stage::Start(start) = std::mem::replace(&mut self.stage, Stage::Refused) else {
            return Ok(());
        };
        let file = || self.place.file.clone();
        let kind = kind(&start);
        let packed = !matches!(kind, Kind::Plain | Kind::LfsPointer | Kind::Refused(..));
        if packed && self.place.depth >= MAX_DEPTH {
            return Err(OpenError::TooDeep {
                file: file(),
                limit: MAX_DEPTH,
            });
        }
        let inner = || File::at(self.place.inner());
        self.stage = match kind {
            Kind::Plain => Stage::Text(Box::default()),
            Kind::Gzip => Stage::Gzip(Box::new(Gunzip::new(inner()))),
            Kind::Zstd => Stage::Zstd(Box::new(Unzstd::new(inner()))),
            Kind::Tar => Stage::Tar(Box::new(Untar::new(self.place.clone()))),
            Kind::Zip => Stage::Zip(Vec::new()),
            Kind::Columnar(what) => {
                shared.met_columns = true;
                if shared.columns.is_none() {
                    shared.refuse(&self.place, unsupported(&self.place.file, what, EXPORT));
                    return Ok(());
                }
                Stage::Columnar(what, Vec::new())
            }
            Kind::LfsPointer => {
                shared.refuse(&self.place, OpenError::LfsPointer { file: file() });
                return Ok(());
            }
            Kind::Refused(what, next) => {
                shared.refuse(&self.place, unsupported(&self.place.file, what, next));
                return Ok(());
            }
        };
        self.push(&start, shared)
    }
}

/// What the first bytes say.
enum Kind {
    Plain,
    Gzip,
    Zstd,
    Tar,
    Zip,
    /// A table stored by columns, and what it is.
    Columnar(&'static str),
    LfsPointer,
    /// What it is, and what to do next.
    Refused(&'static str, &'static str),
}

const DECOMPRESS: &str = "decompress it first";
const UNPACK: &str = "unpack it first";
const EXPORT: &str = "export it as CSV";
const SAVE: &str = "save its table as CSV";

fn kind(bytes: &[u8]) -> Kind {
    const REFUSED: &[(&[u8], &str, &str)] = &[
        (b"\xFD7zXZ\0", "compressed with xz", DECOMPRESS),
        (b"\x04\x22\x4D\x18", "compressed with lz4", DECOMPRESS),
        (b"7z\xBC\xAF\x27\x1C", "a 7z archive", UNPACK),
        (b"Rar!\x1A\x07", "a RAR archive", UNPACK),
        (b"FEA1", "a Feather file of version 1", EXPORT),
        (b"\x89HDF\r\n\x1A\n", "an HDF5 file", EXPORT),
        (b"SQLite format 3\0", "an SQLite database", EXPORT),
        (
            b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
            "an old Office document",
            SAVE,
        ),
        (b"%PDF-", "a PDF document", "open the data it describes"),
    ];
    if let Some((_, what, next)) = REFUSED.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        return Kind::Refused(what, next);
    }
    match bytes {
        [b'P', b'A', b'R', b'1' | b'E', ..] => Kind::Columnar("a Parquet file"),
        _ if bytes.starts_with(b"ARROW1") => Kind::Columnar("an Arrow file"),
        [0xFF, 0xFF, 0xFF, 0xFF, ..] => Kind::Columnar("an Arrow stream"),
        _ if bytes.starts_with(&gzip::MAGIC) => Kind::Gzip,
        _ if bytes.starts_with(&zstd::MAGIC) => Kind::Zstd,
        // A zstd file may begin with a frame that holds no data.
        [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Kind::Zstd,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..] => Kind::Zip,
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => {
            Kind::Refused("compressed with bzip2", DECOMPRESS)
        }
        [0x80, 2..=5, ..] => Kind::Refused(
            "a Python pickle",
            "export it as CSV; opening a pickle would run code",
        ),
        _ if bytes.get(257..262) == Some(b"ustar") => Kind::Tar,
        _ if bytes.starts_with(b"version https://git-lfs") => Kind::LfsPointer,
        _ => Kind::Plain,
    }
}
