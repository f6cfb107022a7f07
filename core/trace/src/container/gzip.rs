//! gzip: deflated data between a header and a checksum. flate2 reads a stream; this finds where
//! one ends, because several one after the other are one file, and other bytes may follow.
//!
//! Source: RFC 1952.

use super::within::{Within, damaged};
use crate::error::OpenError;
use crate::place::Flaws;
use crate::shared::Shared;
use flate2::write::GzDecoder;
use std::io::Write;

/// What every stream begins with.
pub(super) const MAGIC: [u8; 2] = [0x1F, 0x8B];

/// Unpacks gzip data that come in parts.
pub(super) struct Gunzip<F> {
    state: State,
    /// Whether any byte was unpacked.
    any: bool,
    /// Bytes after the last stream.
    trailing: u64,
    inner: F,
}

#[allow(clippy::large_enum_variant, reason = "one per file that is being read")]
enum State {
    /// Within a stream.
    Stream(GzDecoder<Vec<u8>>),
    /// After one, and after what may begin the next.
    After(Vec<u8>),
    /// Among bytes that are no stream.
    Over,
}

impl<F: Within> Gunzip<F> {
    pub(super) fn new(inner: F) -> Self {
        Self {
            state: State::Stream(GzDecoder::new(Vec::new())),
            any: false,
            trailing: 0,
            inner,
        }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8], shared: &mut Shared) -> Result<(), OpenError> {
        while let [first, rest @ ..] = bytes {
            match &mut self.state {
                State::Stream(stream) => {
                    let taken = stream.write(bytes).map_err(|_| self.corrupt())?;
                    if taken == 0 {
                        self.check(shared)?;
                        self.state = State::After(Vec::new());
                    }
                    self.hand_on(shared)?;
                    bytes = bytes.get(taken..).unwrap_or(&[]);
                }
                State::After(start) => {
                    start.push(*first);
                    bytes = rest;
                    if *start == MAGIC {
                        let mut stream = GzDecoder::new(Vec::new());
                        stream.write_all(&MAGIC).map_err(|_| self.corrupt())?;
                        self.state = State::Stream(stream);
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

    /// Hands on what has been unpacked.
    fn hand_on(&mut self, shared: &mut Shared) -> Result<(), OpenError> {
        let State::Stream(stream) = &mut self.state else {
            return Ok(());
        };
        let out = std::mem::take(stream.get_mut());
        if out.is_empty() {
            return Ok(());
        }
        self.any = true;
        shared.spend(self.inner.name(), out.len())?;
        self.inner.push(&out, shared)
    }

    /// Holds a stream that takes no more against its checksum.
    fn check(&mut self, shared: &mut Shared) -> Result<(), OpenError> {
        if let State::Stream(stream) = &mut self.state
            && stream.try_finish().is_err()
        {
            let what = "the checksum of its gzip data fails";
            return Err(damaged(self.inner.name(), what));
        }
        self.hand_on(shared)
    }

    fn corrupt(&self) -> OpenError {
        damaged(self.inner.name(), "its compressed data are corrupt")
    }

    pub(super) fn end(mut self, mut flaws: Flaws, shared: &mut Shared) -> Result<(), OpenError> {
        let trailing = match &mut self.state {
            State::Stream(stream) => {
                stream.flush().map_err(|_| self.corrupt())?;
                self.hand_on(shared)?;
                flaws.truncated = self.takes_more();
                if flaws.truncated && !self.any {
                    let what = "its gzip data end before the first row";
                    return Err(damaged(self.inner.name(), what));
                }
                if !flaws.truncated {
                    self.check(shared)?;
                }
                0
            }
            State::After(start) => start.len() as u64,
            State::Over => self.trailing,
        };
        let trailing = u32::try_from(trailing).unwrap_or(u32::MAX);
        flaws.trailing = flaws.trailing.saturating_add(trailing);
        self.inner.end(flaws, shared)
    }

    /// Whether its stream, all of which has been handed on, is not over.
    fn takes_more(&mut self) -> bool {
        match &mut self.state {
            State::Stream(stream) => !matches!(stream.write(&[0]), Ok(0)),
            _ => false,
        }
    }
}
