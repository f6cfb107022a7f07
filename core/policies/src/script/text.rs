//! The text of a script as a parameter's value, and back ([`user_policy::code`](crate::user_policy::code)).

use crate::user_policy::code::{Bounds, Unfit, packed, unpacked};
use switchyard_engine::Mistake;

/// Bytes of the longest text.
pub(super) const LONGEST: usize = 64 * 1024;

/// What a text may come to. Packed, a link bounds it.
const BOUNDS: Bounds = Bounds {
    plain: LONGEST,
    packed: usize::MAX,
};

/// A text as a parameter's value.
///
/// # Errors
///
/// It is longer than 64 KB.
pub fn pack(text: &str) -> Result<String, Mistake> {
    packed(text.as_bytes(), BOUNDS).map_err(in_words)
}

/// The text that a parameter's value stands for.
///
/// # Errors
///
/// It stands for none, or for one that is longer than 64 KB.
pub fn unpack(code: &str) -> Result<String, Mistake> {
    let text = unpacked(code, BOUNDS).map_err(in_words)?;
    String::from_utf8(text).map_err(|_| in_words(Unfit::Damaged))
}

fn in_words(unfit: Unfit) -> Mistake {
    Mistake::nowhere(match unfit {
        Unfit::Damaged => "the script's text is damaged: copy the whole link or spec again",
        Unfit::TooLong | Unfit::TooLarge(_) => "the script is longer than 64 KB: shorten it",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_comes_back(text in "\\PC{0,400}") {
            prop_assert_eq!(unpack(&pack(&text).unwrap()).unwrap(), text);
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
        let wide = Bounds {
            plain: usize::MAX,
            ..BOUNDS
        };
        let bomb = packed(&vec![b' '; 50_000_000], wide).unwrap();
        assert!(unpack(&bomb).unwrap_err().what.contains("64 KB"));
        assert!(pack(&" ".repeat(LONGEST + 1)).is_err());
        assert!(unpack("%").unwrap_err().what.contains("damaged"));
    }
}
