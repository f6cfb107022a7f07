//! The text of a script as a parameter's value, and back: raw deflate, then base64 for addresses without
//! padding, so that specs, links and files carry it without a character that means anything to them.

use crate::sim::Mistake;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// Bytes of the longest text.
pub(super) const LONGEST: usize = 64 * 1024;

/// A text as a parameter's value.
///
/// # Errors
///
/// It is longer than 64 KB.
pub fn pack(text: &str) -> Result<String, Mistake> {
    if text.len() > LONGEST {
        return Err(mistake("the script is longer than 64 KB: shorten it"));
    }
    Ok(BASE64_URL_SAFE_NO_PAD.encode(compress_to_vec(text.as_bytes(), 9)))
}

/// The text that a parameter's value stands for.
///
/// # Errors
///
/// It stands for none, or for one that is longer than 64 KB.
pub fn unpack(code: &str) -> Result<String, Mistake> {
    let damaged = "the script's text is damaged: copy the whole link or spec again";
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(code);
    let bytes = bytes.map_err(|_| mistake(damaged))?;
    let text = decompress_to_vec_with_limit(&bytes, LONGEST).map_err(|error| {
        use miniz_oxide::inflate::TINFLStatus::HasMoreOutput;
        match error.status {
            HasMoreOutput => mistake("the script is longer than 64 KB: shorten it"),
            _ => mistake(damaged),
        }
    })?;
    String::from_utf8(text).map_err(|_| mistake(damaged))
}

fn mistake(what: &str) -> Mistake {
    Mistake {
        line: 0,
        column: 0,
        what: what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_comes_back(text in "\\PC{0,400}") {
            let code = pack(&text).unwrap();
            prop_assert!(code.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_".contains(&c)));
            prop_assert_eq!(unpack(&code).unwrap(), text);
        }

        #[test]
        fn any_word_is_a_text_or_refused(code in "[A-Za-z0-9_-]{0,200}") {
            if let Ok(text) = unpack(&code) {
                prop_assert!(text.len() <= LONGEST);
            }
        }
    }

    #[test]
    fn what_would_not_end_is_refused() {
        let bomb = BASE64_URL_SAFE_NO_PAD.encode(compress_to_vec(&vec![b' '; 50_000_000], 9));
        assert!(unpack(&bomb).unwrap_err().what.contains("64 KB"));
        assert!(pack(&" ".repeat(LONGEST + 1)).is_err());
        assert!(unpack("%").unwrap_err().what.contains("damaged"));
    }
}
