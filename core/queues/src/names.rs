//! Names within the text of a tree: what would be taken for something else is `~` and two hexadecimal digits for each
//! byte.

use std::fmt::Write;

/// Whether a letter stands for itself.
fn is_plain(letter: char, for_address: bool) -> bool {
    letter.is_ascii_alphanumeric()
        || "-_./@".contains(letter)
        || !for_address && letter.is_alphanumeric()
}

/// A name as it is written; for an address in ASCII alone.
pub(crate) fn written(name: &str, for_address: bool) -> String {
    let mut written = String::new();
    for letter in name.chars() {
        if is_plain(letter, for_address) {
            written.push(letter);
            continue;
        }
        for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
            // Writing to a string does not fail.
            let _ = write!(written, "~{byte:02x}");
        }
    }
    // A name of no letters still is one.
    if written.is_empty() {
        "~".to_owned()
    } else {
        written
    }
}

/// A name out of its written form.
pub(crate) fn read(written: &str) -> Result<String, String> {
    if written == "~" {
        return Ok(String::new());
    }
    let odd = written
        .chars()
        .find(|&letter| letter != '~' && !is_plain(letter, false));
    if let Some(odd) = odd {
        let instead = self::written(&odd.to_string(), false);
        return Err(format!(
            "'{odd}' in '{written}' is not taken as part of a name; write it as {instead}"
        ));
    }
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written;
    while let Some((before, behind)) = rest.split_once('~') {
        bytes.extend(before.as_bytes());
        let byte = behind
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let bad = || {
            format!(
                "'~' in '{written}' wants two hexadecimal digits behind it, such as ~20 for a space"
            )
        };
        bytes.push(byte.ok_or_else(bad)?);
        rest = &behind[2..];
    }
    bytes.extend(rest.as_bytes());
    String::from_utf8(bytes).map_err(|_| format!("'{written}' is no name: its bytes are no UTF-8"))
}
