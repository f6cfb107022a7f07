//! The checksum of gzip and zip.

/// Computes CRC-32 eight bytes at a time. Its tables are made when needed: kept as data, they
/// would weigh eight kilobytes that no compression shrinks, in a page that has to be small.
pub(crate) struct Crc32 {
    tables: [[u32; 256]; 8],
    crc: u32,
}

impl Crc32 {
    pub(crate) fn new() -> Self {
        let mut tables = [[0u32; 256]; 8];
        for (byte, entry) in tables[0].iter_mut().enumerate() {
            *entry = (0..8).fold(byte as u32, |crc, _| {
                let carry = if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
                (crc >> 1) ^ carry
            });
        }
        // Table k holds what a byte has become k zero bytes later.
        for k in 1..8 {
            for byte in 0..256 {
                let before = tables[k - 1][byte];
                tables[k][byte] = (before >> 8) ^ tables[0][(before & 0xFF) as usize];
            }
        }
        Self { tables, crc: !0 }
    }

    /// The checksum of all bytes since the last time it was asked for.
    pub(crate) fn take(&mut self) -> u32 {
        !std::mem::replace(&mut self.crc, !0)
    }

    /// Takes in more bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        let at = |table: usize, byte: u32| self.tables[table][(byte & 0xFF) as usize];
        let mut crc = self.crc;
        let (eights, rest) = bytes.as_chunks::<8>();
        for &[a, b, c, d, e, f, g, h] in eights {
            let low = crc ^ u32::from_le_bytes([a, b, c, d]);
            let high = u32::from_le_bytes([e, f, g, h]);
            crc = at(7, low) ^ at(6, low >> 8) ^ at(5, low >> 16) ^ at(4, low >> 24);
            crc ^= at(3, high) ^ at(2, high >> 8) ^ at(1, high >> 16) ^ at(0, high >> 24);
        }
        for &byte in rest {
            crc = (crc >> 8) ^ at(0, crc ^ u32::from(byte));
        }
        self.crc = crc;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        let mut crc = Crc32::new();
        let mut of = |bytes: &[u8]| {
            let (front, back) = bytes.split_at(bytes.len() / 3);
            crc.update(front);
            crc.update(back);
            crc.take()
        };
        assert_eq!(of(b""), 0);
        assert_eq!(of(b"a"), 0xE8B7_BE43);
        assert_eq!(of(b"123456789"), 0xCBF4_3926);
        let pangram = b"The quick brown fox jumps over the lazy dog";
        assert_eq!(of(pangram), 0x414F_A339);
    }
}
