//! The frame of a gzip stream: a header before the deflated data, a checksum after them.
//!
//! Source: RFC 1952.

/// The length of a stream's header, or `None` where the bytes end within it.
pub(super) fn header_length(bytes: &[u8]) -> Option<usize> {
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

/// The checksum and the length, modulo 2^32, that follow the data, and how many bytes they take.
pub(super) fn trailer(bytes: &[u8]) -> Option<(u32, u32)> {
    let (crc, rest) = bytes.split_first_chunk()?;
    let length = rest.first_chunk()?;
    Some((u32::from_le_bytes(*crc), u32::from_le_bytes(*length)))
}

/// How many bytes [`trailer`] reads.
pub(super) const TRAILER: usize = 8;

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
