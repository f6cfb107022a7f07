//! tar archives: ustar, with the long names of GNU and pax.
//!
//! Source: POSIX.1-2001, "pax"; GNU tar's manual, "Basic Tar Format".
//!
//! By hand: bytes are pushed here as they come, where the `tar` crate pulls them from a reader.

use super::within::{Within, damaged};
use crate::error::OpenError;
use crate::place::{Flaws, Place};
use crate::shared::Shared;

const BLOCK: usize = 512;

/// Names longer than this are cut; they serve messages.
const MAX_NAME: usize = 1 << 16;

/// Unpacks an archive that comes in parts.
pub(super) struct Untar<F> {
    place: Place,
    state: State<F>,
    /// What an entry before the file says about it.
    long_name: Option<String>,
    long_size: Option<u64>,
    /// Whether a member was opened.
    any: bool,
}

enum State<F> {
    /// Within a header.
    Header(Vec<u8>),
    /// Within an entry's content.
    Content {
        entry: Entry<F>,
        left: u64,
        padding: u64,
    },
    /// Within the zeros after a content.
    Padding(u64),
    /// After the archive.
    Over,
}

/// What an entry's content is.
enum Entry<F> {
    File(Box<F>),
    LongName(Vec<u8>),
    Pax(Vec<u8>),
    Other,
}

impl<F: Within> Untar<F> {
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            state: State::Header(Vec::new()),
            long_name: None,
            long_size: None,
            any: false,
        }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8], shared: &mut Shared) -> Result<(), OpenError> {
        while !bytes.is_empty() {
            match &mut self.state {
                State::Header(header) => {
                    let (front, rest) = split(bytes, (BLOCK - header.len()) as u64);
                    header.extend_from_slice(front);
                    bytes = rest;
                    if let Some(header) = header.first_chunk::<BLOCK>() {
                        let header = *header;
                        self.state = self.entry(&header, shared)?;
                        self.pass(shared)?;
                    }
                }
                State::Content { entry, left, .. } => {
                    let (front, rest) = split(bytes, *left);
                    *left -= front.len() as u64;
                    bytes = rest;
                    match entry {
                        Entry::File(file) => file.push(front, shared)?,
                        Entry::LongName(text) | Entry::Pax(text) => {
                            let room = MAX_NAME.saturating_sub(text.len());
                            text.extend_from_slice(front.get(..room).unwrap_or(front));
                        }
                        Entry::Other => {}
                    }
                    self.pass(shared)?;
                }
                State::Padding(left) => {
                    let (front, rest) = split(bytes, *left);
                    *left -= front.len() as u64;
                    bytes = rest;
                    if *left == 0 {
                        self.state = State::Header(Vec::new());
                    }
                }
                State::Over => bytes = &[],
            }
        }
        Ok(())
    }

    /// What follows a header.
    fn entry(&mut self, header: &[u8; BLOCK], shared: &mut Shared) -> Result<State<F>, OpenError> {
        if header.iter().all(|&byte| byte == 0) {
            return Ok(State::Over);
        }
        let broken = |what| damaged(&self.place.file, what);
        let content = |entry, size: u64| State::Content {
            entry,
            left: size,
            padding: size.wrapping_neg() % BLOCK as u64,
        };
        if number(&header[148..156]) != Some(checksum(header)) {
            return Err(broken("a header's checksum fails"));
        }
        let kind = header[156];
        let size = number(&header[124..136]);
        let size = size.ok_or_else(|| broken("a member's size is no number"))?;
        let is_file = matches!(kind, b'0' | 0 | b'7');
        if matches!(kind, b'L' | b'x') {
            let text = Vec::new();
            let long = kind == b'L';
            let entry = if long {
                Entry::LongName(text)
            } else {
                Entry::Pax(text)
            };
            return Ok(content(entry, size));
        }
        let (name, long_size) = (self.long_name.take(), self.long_size.take());
        if !is_file {
            return Ok(content(Entry::Other, size));
        }
        // The size in a pax header is that of the file after it.
        let size = long_size.unwrap_or(size);
        let name = name.unwrap_or_else(|| path(header));
        let entry = match shared.choose(&self.place, &name) {
            Some(place) => {
                self.any = true;
                Entry::File(Box::new(F::at(place)))
            }
            None => Entry::Other,
        };
        Ok(content(entry, size))
    }

    /// Goes on where a content has ended.
    fn pass(&mut self, shared: &mut Shared) -> Result<(), OpenError> {
        if !matches!(self.state, State::Content { left: 0, .. }) {
            return Ok(());
        }
        let content = std::mem::replace(&mut self.state, State::Over);
        let State::Content { entry, padding, .. } = content else {
            return Ok(());
        };
        match entry {
            Entry::File(file) => file.end(Flaws::default(), shared)?,
            Entry::LongName(name) => self.long_name = Some(text(&name)),
            Entry::Pax(records) => {
                let name = pax(&records, b"path").map(text);
                self.long_name = name.or(self.long_name.take());
                self.long_size = pax(&records, b"size").and_then(decimal);
            }
            Entry::Other => {}
        }
        self.state = match padding {
            0 => State::Header(Vec::new()),
            padding => State::Padding(padding),
        };
        Ok(())
    }

    pub(super) fn end(self, flaws: Flaws, shared: &mut Shared) -> Result<(), OpenError> {
        let file = &self.place.file;
        let cut = match self.state {
            // Two empty blocks end an archive; without them it may have gone on.
            State::Header(header) => !header.is_empty(),
            State::Content { entry, .. } => {
                if let Entry::File(member) = entry {
                    let truncated = true;
                    member.end(Flaws { truncated, ..flaws }, shared)?;
                }
                true
            }
            State::Padding(_) | State::Over => false,
        };
        shared.trailing(file, flaws.trailing);
        if cut || flaws.truncated {
            let what = "the archive ends early, and members may be missing";
            shared.refuse(&self.place, damaged(file, what));
        }
        if !self.any {
            let file = file.clone();
            shared.refuse(&self.place, OpenError::EmptyArchive { file });
        }
        Ok(())
    }
}

/// The first `length` bytes, or all where there are fewer, and the others.
fn split(bytes: &[u8], length: u64) -> (&[u8], &[u8]) {
    let at = usize::try_from(length).unwrap_or(usize::MAX);
    bytes.split_at_checked(at).unwrap_or((bytes, &[]))
}

/// The sum of a header's bytes, its checksum taken for blanks.
fn checksum(header: &[u8; BLOCK]) -> u64 {
    let bytes = header.iter().enumerate();
    let bytes = bytes.map(|(at, &byte)| if (148..156).contains(&at) { b' ' } else { byte });
    bytes.map(u64::from).sum()
}

/// An octal number, or a binary one where the first bit is set.
fn number(field: &[u8]) -> Option<u64> {
    if let [first @ 0x80..=0xFF, rest @ ..] = field {
        let mut value = u64::from(first & 0x7F);
        for &byte in rest {
            value = value.checked_mul(256)?.checked_add(u64::from(byte))?;
        }
        return Some(value);
    }
    let digits = field.trim_ascii_start();
    let end = digits.iter().position(|b| !(b'0'..=b'7').contains(b));
    let digits = digits.get(..end.unwrap_or(digits.len()))?;
    let digit = |value: u64, byte: &u8| value.checked_mul(8)?.checked_add(u64::from(byte - b'0'));
    digits.iter().try_fold(0, digit)
}

fn decimal(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Text up to its terminating zero.
fn text(field: &[u8]) -> String {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

/// The name in a header, behind its prefix.
fn path(header: &[u8; BLOCK]) -> String {
    let name = text(&header[..100]);
    let prefix = text(&header[345..500]);
    // GNU's own headers keep other things where the prefix would be.
    let ustar = header[257..263] == *b"ustar\0";
    if ustar && !prefix.is_empty() {
        format!("{prefix}/{name}")
    } else {
        name
    }
}

/// A value of a pax header, whose records are `LENGTH KEY=VALUE\n`.
fn pax<'b>(mut records: &'b [u8], key: &[u8]) -> Option<&'b [u8]> {
    let mut found = None;
    while let Some(blank) = memchr::memchr(b' ', records) {
        let length = usize::try_from(decimal(records.get(..blank)?)?).ok()?;
        let record = records.get(blank + 1..length)?;
        if let Some(value) = record.strip_prefix(key).and_then(|r| r.strip_prefix(b"=")) {
            found = value.strip_suffix(b"\n");
        }
        records = records.get(length..)?;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::trace;

    fn names(archive: &[u8]) -> Vec<String> {
        let trace = trace("a.tar", archive);
        trace.members.into_iter().map(|m| m.name).collect()
    }

    const JOBS: &str = "job_id,submission_time,duration,num_gpu\n1,0,5,1\n";

    #[test]
    fn names_of_any_length() {
        let long = format!("{}{}.csv", "folder/".repeat(30), "x".repeat(120));
        let medium = format!("{}/b.csv", "y".repeat(98));
        let mut gnu = tar::Builder::new(Vec::new());
        for (at, name) in [&long, &medium, "c.csv"].into_iter().enumerate() {
            let mut header = tar::Header::new_gnu();
            header.set_size(JOBS.len() as u64);
            // The same jobs would be left out.
            let jobs = JOBS.replace("1,0", &format!("{at},0"));
            gnu.append_data(&mut header, name, jobs.as_bytes()).unwrap();
        }
        let gnu = gnu.into_inner().unwrap();
        assert_eq!(names(&gnu), ["c.csv", &long, &medium]);

        let mut ustar = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_ustar();
        header.set_size(JOBS.len() as u64);
        ustar
            .append_data(&mut header, &medium, JOBS.as_bytes())
            .unwrap();
        assert_eq!(names(&ustar.into_inner().unwrap()), [medium]);

        let mut pax = tar::Builder::new(Vec::new());
        let extensions = [
            ("mtime", &b"1.5"[..]),
            ("path", b"by pax.csv"),
            ("size", b"48"),
        ];
        pax.append_pax_extensions(extensions).unwrap();
        let mut header = tar::Header::new_ustar();
        header.set_size(JOBS.len() as u64);
        pax.append_data(&mut header, "short.csv", JOBS.as_bytes())
            .unwrap();
        let pax = pax.into_inner().unwrap();
        assert_eq!(JOBS.len(), 48);
        assert_eq!(names(&pax), ["by pax.csv"]);
    }

    #[test]
    fn numbers() {
        assert_eq!(number(b"0000644\0"), Some(0o644));
        assert_eq!(number(b"   17 \0"), Some(0o17));
        assert_eq!(number(b"\0\0\0\0"), Some(0));
        assert_eq!(number(b"\x80\0\0\x01\0"), Some(256));
        assert_eq!(number(&[0xFF; 12]), None);
        assert_eq!(number(&[b'7'; 30]), None);
    }
}
