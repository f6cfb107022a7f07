//! Where the members of a tar archive lie: ustar, with the long names of GNU and pax.
//!
//! Source: POSIX.1-2001, "pax"; GNU tar's manual, "Basic Tar Format".

const BLOCK: usize = 512;

/// A file in the archive.
pub(super) struct Member<'b> {
    pub(super) name: String,
    pub(super) bytes: &'b [u8],
    /// The archive ends within it.
    pub(super) cut: bool,
}

/// The files of an archive, and whether the archive ends early.
pub(super) fn members(archive: &[u8]) -> Result<(Vec<Member<'_>>, bool), &'static str> {
    let mut members = Vec::new();
    // What an entry before the file says about it.
    let (mut long_name, mut long_size) = (None, None);
    let mut rest = archive;
    loop {
        let Some((header, after)) = rest.split_first_chunk::<BLOCK>() else {
            // Two empty blocks end an archive; without them it may have gone on.
            return Ok((members, !rest.is_empty()));
        };
        if header.iter().all(|&byte| byte == 0) {
            return Ok((members, false));
        }
        if number(&header[148..156]) != Some(checksum(header)) {
            return Err("a header's checksum fails");
        }
        let kind = header[156];
        let size = number(&header[124..136]).ok_or("a member's size is no number")?;
        // The size in a pax header is that of the file after it.
        let is_file = matches!(kind, b'0' | 0 | b'7');
        let size = long_size.filter(|_| is_file).unwrap_or(size);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let content = after.get(..size);
        let bytes = content.unwrap_or(after);
        match kind {
            b'L' => long_name = Some(text(bytes)),
            b'x' => {
                long_name = pax(bytes, b"path").map(text).or(long_name);
                long_size = pax(bytes, b"size").and_then(decimal);
            }
            _ => {
                if is_file {
                    let name = long_name.take().unwrap_or_else(|| path(header));
                    let cut = content.is_none();
                    members.push(Member { name, bytes, cut });
                }
                (long_name, long_size) = (None, None);
            }
        }
        if content.is_none() {
            return Ok((members, true));
        }
        let padded = size.next_multiple_of(BLOCK);
        rest = after.get(padded..).unwrap_or(&[]);
    }
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

    fn names(archive: &[u8]) -> Vec<String> {
        let (members, cut) = members(archive).unwrap();
        assert!(!cut);
        members.into_iter().map(|m| m.name).collect()
    }

    #[test]
    fn names_of_any_length() {
        let long = format!("{}{}.csv", "folder/".repeat(30), "x".repeat(120));
        let medium = format!("{}/b.csv", "y".repeat(98));
        let mut gnu = tar::Builder::new(Vec::new());
        for name in [&long, &medium, "c.csv"] {
            let mut header = tar::Header::new_gnu();
            header.set_size(3);
            gnu.append_data(&mut header, name, &b"1,2"[..]).unwrap();
        }
        let gnu = gnu.into_inner().unwrap();
        assert_eq!(names(&gnu), [long, medium.clone(), "c.csv".into()]);

        let mut ustar = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_ustar();
        header.set_size(3);
        ustar
            .append_data(&mut header, &medium, &b"1,2"[..])
            .unwrap();
        assert_eq!(names(&ustar.into_inner().unwrap()), [medium]);

        let mut pax = tar::Builder::new(Vec::new());
        let extensions = [
            ("mtime", &b"1.5"[..]),
            ("path", b"by pax.csv"),
            ("size", b"3"),
        ];
        pax.append_pax_extensions(extensions).unwrap();
        let mut header = tar::Header::new_ustar();
        header.set_size(3);
        pax.append_data(&mut header, "short.csv", &b"1,2"[..])
            .unwrap();
        let pax = pax.into_inner().unwrap();
        assert_eq!(names(&pax), ["by pax.csv"]);
        assert_eq!(members(&pax).unwrap().0[0].bytes, b"1,2");
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
