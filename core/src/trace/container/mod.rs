//! Taking files out of what they are packed in: gzip, tar and zip, in any nesting.
//!
//! Containers are told by their first bytes, never by the file's name. Those that are not read
//! are named, with the next step. What is decompressed counts against one limit for all files
//! together, so that a decompression bomb ends in an error.

mod crc32;
mod gzip;
mod tar;

use super::error::{OpenError, shorten_to};
use crc32::Crc32;
use flate2::{Decompress, FlushDecompress, Status};
use rawzip::CompressionMethod;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How deep containers may nest: `x.zip` › `y.tar.gz` › `z.csv.gz` takes four levels.
const MAX_DEPTH: u32 = 4;

/// A file without container.
pub(crate) struct Document<'d> {
    /// For messages: the outermost file's name, and the member's path after a slash.
    pub(crate) file: &'d str,
    /// The path within the archive; `None` for a file that lies in none.
    pub(crate) member: Option<&'d str>,
    pub(crate) bytes: &'d [u8],
    pub(crate) flaws: Flaws,
}

/// What is wrong with a container whose content is of use all the same.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flaws {
    /// It ends early.
    pub(crate) truncated: bool,
    /// Bytes after its end.
    pub(crate) trailing: u32,
}

/// Opens containers.
#[derive(Debug)]
pub(crate) struct Opener<'o> {
    /// The member that is wanted; `None`: all.
    member: Option<&'o str>,
    limit: u64,
    /// Bytes that may still be decompressed.
    left: u64,
    /// Names of the members that were not wanted, for the message that lists them.
    pub(crate) others: Vec<String>,
    /// Whether the wanted member was found.
    pub(crate) found: bool,
}

/// How many members a message may have to list.
const MAX_LISTED: usize = 1000;

/// What is known about a member before it is opened.
struct Place<'p> {
    file: &'p str,
    member: Option<&'p str>,
    depth: u32,
    flaws: Flaws,
}

type Visit<'v> = &'v mut dyn FnMut(Result<Document<'_>, OpenError>) -> Result<(), OpenError>;

impl<'o> Opener<'o> {
    /// `limit`: bytes that all files together may have when decompressed.
    pub(crate) fn new(member: Option<&'o str>, limit: u64) -> Self {
        Self {
            member,
            limit,
            left: limit,
            others: Vec::new(),
            found: false,
        }
    }

    /// Hands every file in a container to `visit`, members in the order of their names; the
    /// order in which they were packed says nothing. A member that cannot be read is handed over
    /// as the error that says why; damage ends everything.
    pub(crate) fn open(
        &mut self,
        file: &str,
        bytes: &[u8],
        visit: Visit<'_>,
    ) -> Result<(), OpenError> {
        self.spend(file, bytes.len())?;
        let place = Place {
            file,
            member: None,
            depth: 0,
            flaws: Flaws::default(),
        };
        self.walk(place, bytes, visit)
    }

    fn walk(&mut self, place: Place<'_>, bytes: &[u8], visit: Visit<'_>) -> Result<(), OpenError> {
        let kind = kind(bytes);
        if !matches!(kind, Kind::Plain | Kind::Refused(..)) && place.depth >= MAX_DEPTH {
            return Err(OpenError::TooDeep {
                file: place.file.to_owned(),
                limit: MAX_DEPTH,
            });
        }
        match kind {
            Kind::Plain => visit(Ok(Document {
                file: place.file,
                member: place.member,
                bytes,
                flaws: place.flaws,
            })),
            Kind::LfsPointer => {
                let file = place.file.to_owned();
                visit(Err(OpenError::LfsPointer { file }))
            }
            Kind::Refused(what, next) => {
                let file = place.file.to_owned();
                visit(Err(unsupported(file, what, next)))
            }
            Kind::Gzip => {
                let (inner, mut flaws) = self.gunzip(place.file, bytes)?;
                flaws.truncated |= place.flaws.truncated;
                flaws.trailing = flaws.trailing.saturating_add(place.flaws.trailing);
                let depth = place.depth + 1;
                self.walk(
                    Place {
                        depth,
                        flaws,
                        ..place
                    },
                    &inner,
                    visit,
                )
            }
            Kind::Tar => self.untar(&place, bytes, visit),
            Kind::Zip => self.unzip(&place, bytes, visit),
        }
    }

    fn gunzip(&mut self, file: &str, bytes: &[u8]) -> Result<(Vec<u8>, Flaws), OpenError> {
        let crc = Crc32::new();
        let mut out = Vec::new();
        let mut flaws = Flaws::default();
        let mut rest = bytes;
        // Several gzip streams one after the other are one file.
        while rest.starts_with(&GZIP) {
            let start = out.len();
            let header = gzip::header_length(rest).unwrap_or(rest.len());
            let data = rest.get(header..).unwrap_or(&[]);
            let inflated = self.inflate(file, data, &mut out)?;
            let after = data.get(inflated.consumed..).unwrap_or(&[]);
            let (true, Some((sum, length))) = (inflated.ended, gzip::trailer(after)) else {
                flaws.truncated = true;
                rest = &[];
                break;
            };
            let stream = out.get(start..).unwrap_or(&[]);
            if crc.of(stream) != sum || stream.len() as u32 != length {
                return Err(damaged(file, "the checksum of its gzip data fails"));
            }
            rest = after.get(gzip::TRAILER..).unwrap_or(&[]);
        }
        if out.is_empty() && flaws.truncated {
            return Err(damaged(file, "its gzip data end before the first row"));
        }
        flaws.trailing = u32::try_from(rest.len()).unwrap_or(u32::MAX);
        Ok((out, flaws))
    }

    fn untar(
        &mut self,
        place: &Place<'_>,
        bytes: &[u8],
        visit: Visit<'_>,
    ) -> Result<(), OpenError> {
        let members = tar::members(bytes);
        let (members, cut) = members.map_err(|what| damaged(place.file, what))?;
        let names: Vec<&str> = members.iter().map(|m| m.name.as_str()).collect();
        let chosen = self.choose(place, &names);
        let mut trailing = place.flaws.trailing;
        for member in chosen.iter().filter_map(|&index| members.get(index)) {
            let flaws = Flaws {
                truncated: member.cut,
                trailing,
            };
            trailing = 0;
            self.member(place, &member.name, member.bytes, flaws, visit)?;
        }
        if cut || place.flaws.truncated {
            let what = "the archive ends early, and members may be missing";
            visit(Err(damaged(place.file, what)))?;
        }
        empty(place, &chosen, visit)
    }

    fn unzip(
        &mut self,
        place: &Place<'_>,
        bytes: &[u8],
        visit: Visit<'_>,
    ) -> Result<(), OpenError> {
        let broken = |error: rawzip::Error| damaged(place.file, &format!("zip: {error}"));
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
            let file = place.file.to_owned();
            return visit(Err(unsupported(file, "an Office document", SAVE)));
        }
        let names: Vec<&str> = members.iter().map(|m| m.0.as_str()).collect();
        let chosen = self.choose(place, &names);
        let crc = Crc32::new();
        for (name, header) in chosen.iter().filter_map(|&index| members.get(index)) {
            let file = format!("{}/{}", place.file, name);
            let method = header.compression_method();
            let unreadable = match method {
                _ if header.flags().is_encrypted() => Some("encrypted"),
                CompressionMethod::STORE | CompressionMethod::DEFLATE => None,
                _ => Some("compressed by a method other than deflate"),
            };
            if let Some(what) = unreadable {
                visit(Err(unsupported(file, what, UNPACK)))?;
                continue;
            }
            let entry = archive.get_entry(header.wayfinder()).map_err(broken)?;
            let mut inflated = Vec::new();
            let data = if method == CompressionMethod::DEFLATE {
                self.inflate(&file, entry.data(), &mut inflated)?;
                inflated.as_slice()
            } else {
                self.spend(&file, entry.data().len())?;
                entry.data()
            };
            let length = header.uncompressed_size_hint();
            if crc.of(data) != header.crc32() || data.len() as u64 != length {
                return Err(damaged(&file, "its checksum fails"));
            }
            self.member(place, name, data, Flaws::default(), visit)?;
        }
        empty(place, &chosen, visit)
    }

    /// Walks on into one member.
    fn member(
        &mut self,
        place: &Place<'_>,
        name: &str,
        bytes: &[u8],
        flaws: Flaws,
        visit: Visit<'_>,
    ) -> Result<(), OpenError> {
        let file = format!("{}/{}", place.file, name);
        let path = match place.member {
            Some(outer) => format!("{outer}/{name}"),
            None => name.to_owned(),
        };
        let inner = Place {
            file: &file,
            member: Some(&path),
            depth: place.depth + 1,
            flaws,
        };
        self.walk(inner, bytes, visit)
    }

    /// Which of an archive's members are to be opened, in the order of their names.
    fn choose(&mut self, place: &Place<'_>, names: &[&str]) -> Vec<usize> {
        let path = |name: &str| match place.member {
            Some(outer) => format!("{outer}/{name}"),
            None => name.to_owned(),
        };
        // A whole path is meant before the same file name in another folder.
        let exact = names.iter().any(|name| self.member == Some(&path(name)));
        let mut choose = |name: &str| {
            let Some(wanted) = self.member else {
                return !is_beside_the_point(name);
            };
            let path = path(name);
            let named = base(name) == wanted || stem(name) == wanted;
            let is = path == wanted || !exact && named;
            self.found |= is;
            if !is && !is_beside_the_point(name) && self.others.len() < MAX_LISTED {
                self.others.push(path);
            }
            // What is wanted may lie in an archive within the archive.
            is || is_archive(name) && !exact
        };
        let mut chosen = in_order(names);
        chosen.retain(|&index| names.get(index).is_some_and(|name| choose(name)));
        chosen
    }

    /// Appends what `data` inflate to, but no more than may still be decompressed.
    fn inflate(
        &mut self,
        file: &str,
        data: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Inflated, OpenError> {
        let mut stream = Decompress::new(false);
        let mut consumed = 0;
        loop {
            let room = out.len().max(1 << 16).min(self.allowed());
            out.reserve(room);
            let before = out.len();
            let input = data.get(consumed..).unwrap_or(&[]);
            let status = stream.decompress_vec(input, out, FlushDecompress::None);
            let status = status.map_err(|_| damaged(file, "its compressed data are corrupt"))?;
            let read = usize::try_from(stream.total_in()).unwrap_or(data.len());
            let idle = read == consumed && out.len() == before;
            consumed = read;
            self.spend(file, out.len() - before)?;
            if status == Status::StreamEnd || idle {
                let ended = status == Status::StreamEnd;
                return Ok(Inflated { consumed, ended });
            }
        }
    }

    /// How many bytes may be decompressed at once: one too many to notice that it is too many.
    fn allowed(&self) -> usize {
        usize::try_from(self.left.saturating_add(1)).unwrap_or(usize::MAX)
    }

    fn spend(&mut self, file: &str, bytes: usize) -> Result<(), OpenError> {
        match self.left.checked_sub(bytes as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(OpenError::TooLarge {
                file: file.to_owned(),
                limit: self.limit,
            }),
        }
    }
}

/// How far inflating went.
struct Inflated {
    /// Bytes of input.
    consumed: usize,
    /// Whether the data have reached their end, rather than being cut off.
    ended: bool,
}

/// The indices of names in the names' order.
pub(crate) fn in_order(names: &[&str]) -> Vec<usize> {
    // A heap, whose code is a tenth of a sort's: the page has to be small, and names are few.
    let names = names.iter().enumerate();
    let mut heap: BinaryHeap<_> = names.map(|(i, name)| Reverse((*name, i))).collect();
    std::iter::from_fn(|| heap.pop().map(|Reverse((_, i))| i)).collect()
}

/// An archive of which there is nothing to look at.
fn empty(place: &Place<'_>, chosen: &[usize], visit: Visit<'_>) -> Result<(), OpenError> {
    if !chosen.is_empty() {
        return Ok(());
    }
    let file = place.file.to_owned();
    visit(Err(OpenError::EmptyArchive { file }))
}

fn damaged(file: &str, what: &str) -> OpenError {
    OpenError::Damaged {
        file: file.to_owned(),
        what: shorten_to(what, 100),
    }
}

fn unsupported(file: String, what: &str, next: &str) -> OpenError {
    OpenError::UnsupportedContainer {
        file,
        what: what.to_owned(),
        next: next.to_owned(),
    }
}

/// A path without its folders.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path without folders and endings: `a/cluster01.csv.gz` is `cluster01`.
pub(crate) fn stem(path: &str) -> &str {
    let mut name = base(path);
    while let Some((front, ending)) = name.rsplit_once('.') {
        let known = [
            "csv", "tsv", "txt", "json", "swf", "gz", "tgz", "tar", "zip", "trace",
        ];
        if front.is_empty() || !known.iter().any(|k| k.eq_ignore_ascii_case(ending)) {
            break;
        }
        name = front;
    }
    name
}

/// Whether a name is that of an archive.
fn is_archive(path: &str) -> bool {
    let name = path.to_ascii_lowercase();
    [".zip", ".tar", ".tgz", ".tar.gz"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// What archives hold beside data: licences, read-me files, what file managers leave behind.
fn is_beside_the_point(path: &str) -> bool {
    if path.ends_with('/') || path.starts_with("__MACOSX/") {
        return true;
    }
    let name = base(path).to_ascii_lowercase();
    let starts = ["license", "licence", "readme", "copying", "notice", "."];
    let ends = [
        ".md", ".pdf", ".png", ".jpg", ".py", ".ipynb", ".sh", ".html",
    ];
    starts.iter().any(|s| name.starts_with(s)) || ends.iter().any(|e| name.ends_with(e))
}

/// What the first bytes say.
enum Kind {
    Plain,
    Gzip,
    Tar,
    Zip,
    LfsPointer,
    /// What it is, and what to do next.
    Refused(&'static str, &'static str),
}

const GZIP: [u8; 2] = [0x1F, 0x8B];
const DECOMPRESS: &str = "decompress it first";
const UNPACK: &str = "unpack it first";
const EXPORT: &str = "export it as CSV";
const SAVE: &str = "save its table as CSV";

fn kind(bytes: &[u8]) -> Kind {
    const REFUSED: &[(&[u8], &str, &str)] = &[
        (b"\x28\xB5\x2F\xFD", "compressed with zstd", DECOMPRESS),
        (b"\xFD7zXZ\0", "compressed with xz", DECOMPRESS),
        (b"\x04\x22\x4D\x18", "compressed with lz4", DECOMPRESS),
        (b"7z\xBC\xAF\x27\x1C", "a 7z archive", UNPACK),
        (b"Rar!\x1A\x07", "a RAR archive", UNPACK),
        (b"PAR1", "a Parquet file", EXPORT),
        (b"ARROW1", "an Arrow file", EXPORT),
        (b"FEA1", "a Feather file", EXPORT),
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
        _ if bytes.starts_with(&GZIP) => Kind::Gzip,
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
