//! zstd: frames of blocks, with a checksum after the last block of a frame.
//!
//! Source: RFC 8878. The blocks are decoded by `ruzstd`; this finds where they begin and end,
//! because they come in parts.

use super::within::{Within, damaged};
use crate::error::OpenError;
use crate::place::Flaws;
use crate::shared::Shared;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use xxhash_rust::xxh64::Xxh64;

/// What every frame begins with.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The longest header of a frame, magic bytes included.
const MAX_HEADER: usize = 18;

/// How many bytes of a block's header tell its kind and size.
const BLOCK_HEADER: usize = 3;

/// Unpacks zstd data that come in parts. Several frames one after the other are one file.
pub(super) struct Unzstd<F> {
    state: State,
    /// What has come and is not decoded yet; less than a block.
    held: Vec<u8>,
    decoder: FrameDecoder,
    hash: Xxh64,
    /// Whether the present frame ends in a checksum.
    checked: bool,
    any: bool,
    trailing: u64,
    inner: F,
}

#[derive(Clone, Copy)]
enum State {
    /// Before a frame, or before the end.
    Frame,
    Blocks,
    /// Within a frame that holds no data, so many bytes of it left.
    Skip(u64),
    /// Among bytes that are no frame.
    Over,
}

impl<F: Within> Unzstd<F> {
    pub(super) fn new(inner: F) -> Self {
        Self {
            state: State::Frame,
            held: Vec::new(),
            decoder: FrameDecoder::new(),
            hash: Xxh64::new(0),
            checked: false,
            any: false,
            trailing: 0,
            inner,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<(), OpenError> {
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(bytes);
        let mut rest = held.as_slice();
        while let Some(used) = self.step(rest, false, shared)? {
            rest = rest.get(used..).unwrap_or(&[]);
        }
        let used = held.len() - rest.len();
        held.drain(..used);
        self.held = held;
        Ok(())
    }

    /// Takes the next frame header or block; `None` where it is not whole. `last`: no more will
    /// come. Returns how many bytes it took.
    fn step(
        &mut self,
        bytes: &[u8],
        last: bool,
        shared: &mut Shared,
    ) -> Result<Option<usize>, OpenError> {
        match self.state {
            State::Frame if bytes.is_empty() || bytes.len() < MAX_HEADER && !last => Ok(None),
            State::Frame => self.frame(bytes).map(Some),
            State::Blocks => self.block(bytes, shared),
            State::Skip(left) => {
                let used = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                let left = left - used as u64;
                self.state = if left == 0 {
                    State::Frame
                } else {
                    State::Skip(left)
                };
                Ok((used > 0 || left == 0).then_some(used))
            }
            State::Over => {
                self.trailing += bytes.len() as u64;
                Ok((!bytes.is_empty()).then_some(bytes.len()))
            }
        }
    }

    fn frame(&mut self, bytes: &[u8]) -> Result<usize, OpenError> {
        if let [0x50..=0x5F, 0x2A, 0x4D, 0x18, a, b, c, d, ..] = *bytes {
            self.state = State::Skip(u64::from(u32::from_le_bytes([a, b, c, d])));
            return Ok(8);
        }
        if !bytes.starts_with(&MAGIC) {
            self.state = State::Over;
            return Ok(0);
        }
        let mut rest = bytes;
        if let Err(error) = self.decoder.reset(&mut rest) {
            let what = format!("zstd: {error}");
            return Err(damaged(self.inner.name(), &what));
        }
        self.hash.reset(0);
        self.checked = bytes.get(4).is_some_and(|descriptor| descriptor & 4 != 0);
        self.state = State::Blocks;
        Ok(bytes.len() - rest.len())
    }

    fn block(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<Option<usize>, OpenError> {
        let Some(&[a, b, c]) = bytes.first_chunk::<BLOCK_HEADER>() else {
            return Ok(None);
        };
        let header = u32::from_le_bytes([a, b, c, 0]);
        let (last, run) = (header & 1 == 1, (header >> 1) & 3 == 1);
        let content = if run { 1 } else { (header >> 3) as usize };
        let checksum = if last && self.checked { 4 } else { 0 };
        let Some(block) = bytes.get(..BLOCK_HEADER + content + checksum) else {
            return Ok(None);
        };
        let decoded = self
            .decoder
            .decode_blocks(block, BlockDecodingStrategy::UptoBlocks(1));
        if let Err(error) = decoded {
            let what = format!("zstd: {error}");
            return Err(damaged(self.inner.name(), &what));
        }
        let mut out = Vec::with_capacity(self.decoder.can_collect());
        // Writing to memory cannot fail.
        let _ = self.decoder.collect_to_writer(&mut out);
        if !out.is_empty() {
            shared.spend(self.inner.name(), out.len())?;
            self.hash.update(&out);
            self.any = true;
            self.inner.push(&out, shared)?;
        }
        if last {
            self.state = State::Frame;
            let told = self.decoder.get_checksum_from_data();
            if self.checked && told != Some(self.hash.digest() as u32) {
                let what = "the checksum of its zstd data fails";
                return Err(damaged(self.inner.name(), what));
            }
        }
        Ok(Some(block.len()))
    }

    pub(super) fn end(mut self, mut flaws: Flaws, shared: &mut Shared) -> Result<(), OpenError> {
        let held = std::mem::take(&mut self.held);
        let mut rest = held.as_slice();
        while let Some(used) = self.step(rest, true, shared)? {
            rest = rest.get(used..).unwrap_or(&[]);
        }
        flaws.truncated |= !rest.is_empty() || !matches!(self.state, State::Frame | State::Over);
        if flaws.truncated && !self.any {
            let what = "its zstd data end before the first row";
            return Err(damaged(self.inner.name(), what));
        }
        let trailing = u32::try_from(self.trailing).unwrap_or(u32::MAX);
        flaws.trailing = flaws.trailing.saturating_add(trailing);
        self.inner.end(flaws, shared)
    }
}
