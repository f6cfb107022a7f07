//! gzip: a header before the deflated data, a checksum after them.
//!
//! Source: RFC 1952.

use super::{Crc32, File, Flaws, damaged};
use crate::error::OpenError;
use crate::opening::Shared;
use flate2::{Decompress, FlushDecompress, Status};

/// What every stream begins with.
pub(super) const MAGIC: [u8; 2] = [0x1F, 0x8B];

/// How many bytes [`trailer`] reads.
const TRAILER: usize = 8;

/// A header longer than this is none.
const MAX_HEADER: usize = 1 << 20;

/// How many bytes are inflated at once.
pub(super) const ROOM: usize = 1 << 16;

/// Unpacks gzip data that come in parts. Several streams one after the other are one file.
pub(super) struct Gunzip {
    state: State,
    stream: Decompress,
    crc: Crc32,
    /// Bytes of the present stream, modulo 2^32.
    length: u32,
    /// Whether any byte was inflated.
    any: bool,
    /// Bytes after the last stream.
    trailing: u64,
    room: Vec<u8>,
    inner: File,
}

enum State {
    /// Within a header.
    Header(Vec<u8>),
    /// Within deflated data.
    Data,
    /// Within a trailer.
    Trailer(Vec<u8>),
    /// After a trailer.
    After(Vec<u8>),
    /// Among bytes that are no stream.
    Over,
}

impl Gunzip {
    pub(super) fn new(inner: File) -> Self {
        Self {
            state: State::Header(Vec::new()),
            stream: Decompress::new(false),
            crc: Crc32::new(),
            length: 0,
            any: false,
            trailing: 0,
            room: vec![0; ROOM],
            inner,
        }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8], shared: &mut Shared) -> Result<(), OpenError> {
        while let [first, rest @ ..] = bytes {
            match &mut self.state {
                State::Header(header) => {
                    header.push(*first);
                    bytes = rest;
                    if header_length(header) == Some(header.len()) {
                        self.stream.reset(false);
                        self.length = 0;
                        self.state = State::Data;
                    } else if header.len() > MAX_HEADER {
                        return Err(damaged(self.inner.name(), "its gzip header never ends"));
                    }
                }
                State::Data => bytes = self.inflate(bytes, shared)?,
                State::Trailer(trailer) => {
                    trailer.push(*first);
                    bytes = rest;
                    if trailer.len() == TRAILER {
                        let told = self::trailer(trailer);
                        if told != Some((self.crc.take(), self.length)) {
                            let what = "the checksum of its gzip data fails";
                            return Err(damaged(self.inner.name(), what));
                        }
                        self.state = State::After(Vec::new());
                    }
                }
                State::After(start) => {
                    start.push(*first);
                    bytes = rest;
                    if *start == MAGIC {
                        self.state = State::Header(MAGIC.to_vec());
                    } else if !MAGIC.starts_with(start) {
                        self.trailing += start.len() as u64;
                        self.state = State::Over;
                    }
                }
                State::Over => {
                    self.trailing += bytes.len() as u64;
                    bytes = &[];
                }
            }
        }
        Ok(())
    }

    /// Inflates until the stream or the bytes end; returns what is left of these.
    fn inflate<'b>(&mut self, bytes: &'b [u8], shared: &mut Shared) -> Result<&'b [u8], OpenError> {
        let mut rest = bytes;
        loop {
            let step = inflate(&mut self.stream, rest, &mut self.room, self.inner.name())?;
            rest = rest.get(step.read..).unwrap_or(&[]);
            let out = self.room.get(..step.written).unwrap_or(&[]);
            if !out.is_empty() {
                shared.spend(self.inner.name(), out.len())?;
                self.crc.update(out);
                self.length = self.length.wrapping_add(out.len() as u32);
                self.any = true;
                self.inner.push(out, shared)?;
            }
            if step.ended {
                self.state = State::Trailer(Vec::new());
                return Ok(rest);
            }
            if rest.is_empty() && step.written < ROOM {
                return Ok(rest);
            }
        }
    }

    pub(super) fn end(self, mut flaws: Flaws, shared: &mut Shared) -> Result<(), OpenError> {
        let trailing = match self.state {
            State::After(start) => start.len() as u64,
            State::Over => self.trailing,
            _ => {
                flaws.truncated = true;
                if !self.any {
                    let what = "its gzip data end before the first row";
                    return Err(damaged(self.inner.name(), what));
                }
                0
            }
        };
        let trailing = u32::try_from(trailing).unwrap_or(u32::MAX);
        flaws.trailing = flaws.trailing.saturating_add(trailing);
        self.inner.end(flaws, shared)
    }
}

/// What one step of inflating did.
pub(super) struct Step {
    pub(super) read: usize,
    pub(super) written: usize,
    pub(super) ended: bool,
}

/// Inflates what fits into `room`.
pub(super) fn inflate(
    stream: &mut Decompress,
    bytes: &[u8],
    room: &mut [u8],
    file: &str,
) -> Result<Step, OpenError> {
    let (read, written) = (stream.total_in(), stream.total_out());
    let status = stream.decompress(bytes, room, FlushDecompress::None);
    let corrupt = || damaged(file, "its compressed data are corrupt");
    let status = status.map_err(|_| corrupt())?;
    let step = Step {
        read: (stream.total_in() - read) as usize,
        written: (stream.total_out() - written) as usize,
        ended: status == Status::StreamEnd,
    };
    if step.read == 0 && step.written == 0 && !step.ended && !bytes.is_empty() {
        return Err(corrupt());
    }
    Ok(step)
}

/// The length of a stream's header, or `None` where the bytes end within it.
fn header_length(bytes: &[u8]) -> Option<usize> {
    const EXTRA: u8 = 1 << 2;
    const NAME: u8 = 1 << 3;
    const COMMENT: u8 = 1 << 4;
    const CHECKSUM: u8 = 1 << 1;
    let flags = *bytes.get(3)?;
    let mut length = 10;
    if flags & EXTRA != 0 {
        let size: &[u8; 2] = bytes.get(length..)?.first_chunk()?;
        length += 2 + usize::from(u16::from_le_bytes(*size));
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            length += 1 + memchr::memchr(0, bytes.get(length..)?)?;
        }
    }
    if flags & CHECKSUM != 0 {
        length += 2;
    }
    (length <= bytes.len()).then_some(length)
}

/// The checksum and the length, modulo 2^32, that follow the data.
fn trailer(bytes: &[u8]) -> Option<(u32, u32)> {
    let (crc, rest) = bytes.split_first_chunk()?;
    let length = rest.first_chunk()?;
    Some((u32::from_le_bytes(*crc), u32::from_le_bytes(*length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let plain = b"\x1F\x8B\x08\0\0\0\0\0\0\x03data";
        assert_eq!(header_length(plain), Some(10));
        let named = b"\x1F\x8B\x08\x08\0\0\0\0\0\x03a.csv\0data";
        assert_eq!(header_length(named), Some(16));
        assert_eq!(header_length(&named[..14]), None);
        let all = b"\x1F\x8B\x08\x1E\0\0\0\0\0\x03\x02\0xxname\0comment\0ccdata";
        assert_eq!(header_length(all), Some(all.len() - 4));
        assert_eq!(header_length(&plain[..9]), None);
        assert_eq!(header_length(b"\x1F\x8B"), None);
    }
}
