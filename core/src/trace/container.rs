//! Taking files out of what they are packed in: gzip, tar and zip, in any nesting.
//!
//! Containers are told by their first bytes, never by the file's name. Those that are not read
//! are named, with the next step. What is decompressed counts against one limit for all files
//! together, so that a decompression bomb ends in an error.

use super::error::{OpenError, shorten_to};
use rawzip::CompressionMethod;
use std::io::{self, Read};

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
        let mut out = Vec::new();
        let mut flaws = Flaws::default();
        let mut rest = bytes;
        loop {
            let decoder = flate2::bufread::GzDecoder::new(&mut rest);
            match self.read(file, decoder, &mut out) {
                Ok(()) => {}
                Err(ReadError::Open(error)) => return Err(error),
                Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    if out.is_empty() {
                        return Err(damaged(file, "the gzip data end before the first row"));
                    }
                    flaws.truncated = true;
                    break;
                }
                Err(ReadError::Io(error)) => {
                    return Err(damaged(file, &format!("gzip: {error}")));
                }
            }
            // Several gzip streams one after the other are one file.
            if rest.is_empty() {
                break;
            }
            if !rest.starts_with(&[0x1F, 0x8B]) {
                flaws.trailing = u32::try_from(rest.len()).unwrap_or(u32::MAX);
                break;
            }
        }
        Ok((out, flaws))
    }

    fn untar(
        &mut self,
        place: &Place<'_>,
        bytes: &[u8],
        visit: Visit<'_>,
    ) -> Result<(), OpenError> {
        const BLOCK: u64 = 512;
        let broken = |error: io::Error| damaged(place.file, &format!("tar: {error}"));
        let mut members: Vec<(String, &[u8], bool)> = Vec::new();
        let mut archive = tar::Archive::new(bytes);
        // Where the header after the last one seen should stand.
        let mut next = 0;
        let mut cut = place.flaws.truncated;
        for entry in archive.entries().map_err(broken)? {
            let entry = match entry {
                Ok(entry) => entry,
                Err(_) if next > 0 && next + BLOCK > bytes.len() as u64 => {
                    cut = true;
                    break;
                }
                Err(error) => return Err(broken(error)),
            };
            let (start, size) = (entry.raw_file_position(), entry.size());
            let blocks = size.div_ceil(BLOCK).saturating_mul(BLOCK);
            next = start.saturating_add(blocks).min(u64::MAX - BLOCK);
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
            let rest = bytes.get(at(start)..).unwrap_or(&[]);
            let data = rest.get(..at(size));
            members.push((name, data.unwrap_or(rest), data.is_none()));
        }
        members.sort_by(|a, b| a.0.cmp(&b.0));
        let wanted = self.choose(place, members.iter().map(|m| m.0.as_str()));
        let mut trailing = place.flaws.trailing;
        for ((name, data, truncated), _) in members.iter().zip(&wanted).filter(|m| *m.1) {
            let flaws = Flaws {
                truncated: *truncated,
                trailing,
            };
            trailing = 0;
            self.member(place, name, data, flaws, visit)?;
        }
        if cut {
            let what = "the archive ends early, and members may be missing";
            visit(Err(damaged(place.file, what)))?;
        }
        empty(place, &wanted, visit)
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
            if entry.is_dir() {
                continue;
            }
            let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
            let encrypted = entry.flags().is_encrypted();
            members.push((
                name,
                entry.wayfinder(),
                entry.compression_method(),
                encrypted,
            ));
        }
        if members.iter().any(|m| m.0 == "[Content_Types].xml") {
            let file = place.file.to_owned();
            return visit(Err(unsupported(file, "an Office document", SAVE)));
        }
        members.sort_by(|a, b| a.0.cmp(&b.0));
        let wanted = self.choose(place, members.iter().map(|m| m.0.as_str()));
        for ((name, wayfinder, method, encrypted), _) in
            members.into_iter().zip(&wanted).filter(|m| *m.1)
        {
            let file = format!("{}/{}", place.file, name);
            let unreadable = match (encrypted, method) {
                (true, _) => Some("encrypted"),
                (_, CompressionMethod::STORE | CompressionMethod::DEFLATE) => None,
                _ => Some("compressed by a method other than deflate"),
            };
            if let Some(what) = unreadable {
                visit(Err(unsupported(file, what, UNPACK)))?;
                continue;
            }
            let entry = archive.get_entry(wayfinder).map_err(broken)?;
            let mut data = Vec::new();
            let outcome = if method == CompressionMethod::STORE {
                let stored = entry.verifying_reader(entry.data());
                self.read(&file, stored, &mut data)
            } else {
                let inflated = flate2::bufread::DeflateDecoder::new(entry.data());
                self.read(&file, entry.verifying_reader(inflated), &mut data)
            };
            match outcome {
                Ok(()) => {}
                Err(ReadError::Open(error)) => return Err(error),
                Err(ReadError::Io(error)) => {
                    return Err(damaged(&file, &format!("zip: {error}")));
                }
            }
            self.member(place, &name, &data, Flaws::default(), visit)?;
        }
        empty(place, &wanted, visit)
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

    /// Which of an archive's members are to be opened.
    fn choose<'n>(
        &mut self,
        place: &Place<'_>,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Vec<bool> {
        let path = |name: &str| match place.member {
            Some(outer) => format!("{outer}/{name}"),
            None => name.to_owned(),
        };
        let Some(wanted) = self.member else {
            return names.map(|name| !is_beside_the_point(name)).collect();
        };
        // A whole path is meant before the same file name in another folder.
        let exact = names.clone().any(|name| path(name) == wanted);
        let choose = |name: &str| {
            let path = path(name);
            let named = base(name) == wanted || stem(name) == wanted;
            let is = path == wanted || !exact && named;
            self.found |= is;
            // What is wanted may lie in an archive within the archive.
            let within = is_archive(name) && !exact;
            if !is && !is_beside_the_point(name) && self.others.len() < MAX_LISTED {
                self.others.push(path);
            }
            is || within
        };
        names.map(choose).collect()
    }

    /// Reads to the end, but no more than may still be decompressed.
    fn read(&mut self, file: &str, reader: impl Read, out: &mut Vec<u8>) -> Result<(), ReadError> {
        let before = out.len();
        let limit = self.left.saturating_add(1);
        let outcome = reader.take(limit).read_to_end(out);
        self.spend(file, out.len() - before)
            .map_err(ReadError::Open)?;
        outcome.map_err(ReadError::Io)?;
        Ok(())
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

enum ReadError {
    Open(OpenError),
    Io(io::Error),
}

/// An archive of which there is nothing to look at.
fn empty(place: &Place<'_>, wanted: &[bool], visit: Visit<'_>) -> Result<(), OpenError> {
    if wanted.iter().any(|&wanted| wanted) {
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
        [0x1F, 0x8B, ..] => Kind::Gzip,
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
