//! A code as a parameter's value, and back: raw deflate (RFC 1951), then base64url without padding (RFC 4648
//! §5), so that specs, links and files carry it without a character that means anything to them.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

/// The most bytes of a code.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) plain: usize,
    pub(crate) packed: usize,
}

/// Why a code does not travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It is no code in this form.
    Damaged,
    /// It is longer than one may be.
    TooLong,
    /// It has so many bytes once packed, which is too many.
    TooLarge(usize),
}

/// A code as a value.
pub(crate) fn packed(code: &[u8], bounds: Bounds) -> Result<String, Unfit> {
    if code.len() > bounds.plain {
        return Err(Unfit::TooLong);
    }
    let packed = compress_to_vec(code, 9);
    match packed.len() > bounds.packed {
        true => Err(Unfit::TooLarge(packed.len())),
        false => Ok(BASE64_URL_SAFE_NO_PAD.encode(packed)),
    }
}

/// The code that a value stands for.
pub(crate) fn unpacked(value: &str, bounds: Bounds) -> Result<Vec<u8>, Unfit> {
    let packed = BASE64_URL_SAFE_NO_PAD.decode(value);
    let packed = packed.map_err(|_| Unfit::Damaged)?;
    if packed.len() > bounds.packed {
        return Err(Unfit::TooLarge(packed.len()));
    }
    let plain = decompress_to_vec_with_limit(&packed, bounds.plain);
    plain.map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => Unfit::TooLong,
        _ => Unfit::Damaged,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOUNDS: Bounds = Bounds {
        plain: 256 << 10,
        packed: 16 << 10,
    };

    proptest! {
        #[test]
        fn a_code_comes_back_as_it_was(code in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let value = packed(&code, BOUNDS).unwrap();
            prop_assert!(value.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_".contains(&c)));
            prop_assert_eq!(unpacked(&value, BOUNDS).unwrap(), code);
        }

        #[test]
        fn any_word_is_a_code_or_refused(value in "[A-Za-z0-9_-]{0,200}") {
            if let Ok(code) = unpacked(&value, BOUNDS) {
                prop_assert!(code.len() <= BOUNDS.plain);
            }
        }
    }

    #[test]
    fn what_is_too_large_or_damaged_says_so() {
        let long = vec![0; BOUNDS.plain + 1];
        assert_eq!(packed(&long, BOUNDS), Err(Unfit::TooLong));
        let mut state = 1u32;
        let noise = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as u8
        });
        let noise: Vec<u8> = noise.take(2 * BOUNDS.packed).collect();
        assert!(matches!(packed(&noise, BOUNDS), Err(Unfit::TooLarge(_))));
        for damaged in ["", "no base64!", "AAAA"] {
            assert_eq!(unpacked(damaged, BOUNDS), Err(Unfit::Damaged));
        }
        // A few bytes that inflate to more than any code.
        let bomb = compress_to_vec(&vec![0; BOUNDS.plain * 8], 9);
        let bomb = BASE64_URL_SAFE_NO_PAD.encode(bomb);
        assert_eq!(unpacked(&bomb, BOUNDS), Err(Unfit::TooLong));
    }
}
