//! What pages of Parquet are compressed with.

use crate::limits::LARGEST;
use lz4_flex::block::{DecompressError, decompress_into};
use parquet::basic::Compression;
use std::io::Read;

/// A way to compress.
#[derive(Clone, Copy)]
pub(crate) enum Packing {
    None,
    Snappy,
    Gzip,
    Zstd,
    Lz4,
    /// LZ4 as Hadoop frames it.
    Lz4Hadoop,
}

impl Packing {
    /// # Errors
    ///
    /// It is not read here, as the second half of a sentence.
    pub(crate) fn of(compression: Compression) -> Result<Self, String> {
        let name = match compression {
            Compression::UNCOMPRESSED => return Ok(Self::None),
            Compression::SNAPPY => return Ok(Self::Snappy),
            Compression::GZIP(_) => return Ok(Self::Gzip),
            Compression::ZSTD(_) => return Ok(Self::Zstd),
            Compression::LZ4_RAW => return Ok(Self::Lz4),
            Compression::LZ4 => return Ok(Self::Lz4Hadoop),
            Compression::BROTLI(_) => "Brotli",
            Compression::LZO => "LZO",
        };
        Err(format!(
            "it is compressed with {name}, which is not read here: write it with zstd, snappy, gzip, lz4 or without compression"
        ))
    }

    /// What was compressed.
    ///
    /// # Errors
    ///
    /// It is damaged, or larger than [`LARGEST`].
    pub(crate) fn unpack(self, packed: &[u8]) -> Result<Vec<u8>, String> {
        match self {
            Self::None => Ok(packed.to_vec()),
            Self::Snappy => {
                let length = snap::raw::decompress_len(packed).map_err(|why| why.to_string())?;
                if length > LARGEST {
                    return Err(too_large());
                }
                let unpacked = snap::raw::Decoder::new().decompress_vec(packed);
                unpacked.map_err(|why| why.to_string())
            }
            Self::Gzip => all_of(flate2::read::MultiGzDecoder::new(packed)),
            Self::Zstd => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(packed);
                all_of(decoder.map_err(|why| why.to_string())?)
            }
            Self::Lz4 => lz4(packed),
            Self::Lz4Hadoop => hadoop(packed).map_or_else(|| lz4(packed), Ok),
        }
    }
}

fn too_large() -> String {
    format!("a page has more than {} MB", LARGEST >> 20)
}

fn all_of(from: impl Read) -> Result<Vec<u8>, String> {
    let mut unpacked = Vec::new();
    let read = from.take(LARGEST as u64 + 1).read_to_end(&mut unpacked);
    read.map_err(|why| why.to_string())?;
    if unpacked.len() > LARGEST {
        return Err(too_large());
    }
    Ok(unpacked)
}

/// A block, which does not tell how large it becomes.
fn lz4(packed: &[u8]) -> Result<Vec<u8>, String> {
    let mut room = packed.len().saturating_mul(4).clamp(1 << 12, LARGEST);
    loop {
        let mut unpacked = vec![0; room];
        match decompress_into(packed, &mut unpacked) {
            Ok(length) => {
                unpacked.truncate(length);
                return Ok(unpacked);
            }
            Err(DecompressError::OutputTooSmall { .. }) if room < LARGEST => {
                room = room.saturating_mul(4).min(LARGEST);
            }
            Err(DecompressError::OutputTooSmall { .. }) => return Err(too_large()),
            Err(why) => return Err(why.to_string()),
        }
    }
}

/// Blocks, before each of which stand its sizes; `None` where they do not.
fn hadoop(mut packed: &[u8]) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    while !packed.is_empty() {
        let (size, rest) = packed.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let size = u32::from_be_bytes(*size) as usize;
        let length = u32::from_be_bytes(*length) as usize;
        let (block, rest) = rest.split_at_checked(length)?;
        let block = lz4(block).ok()?;
        if block.len() != size || unpacked.len() + size > LARGEST {
            return None;
        }
        unpacked.extend_from_slice(&block);
        packed = rest;
    }
    Some(unpacked)
}
