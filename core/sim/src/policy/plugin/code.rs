//! A plug-in's module as the text of a parameter, by which specs, links and experiment files carry it:
//! deflated (RFC 1951), in base64url without padding (RFC 4648 §5).

use super::PluginError;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// The most bytes of a module, deflated: some 22,000 characters of a link.
pub(super) const MOST_PACKED: usize = 16 << 10;

/// The most bytes of a module.
pub(super) const MOST_BYTES: usize = 256 << 10;

/// A module as the value of the parameter `code`.
///
/// # Errors
///
/// It is too large.
pub(super) fn packed(module: &[u8]) -> Result<String, PluginError> {
    if module.len() > MOST_BYTES {
        return Err(PluginError::TooLong);
    }
    let packed = compress_to_vec(module, 9);
    match packed.len() > MOST_PACKED {
        true => Err(PluginError::TooLarge(packed.len())),
        false => Ok(BASE64_URL_SAFE_NO_PAD.encode(packed)),
    }
}

/// The module again.
pub(super) fn unpacked(code: &str) -> Result<Vec<u8>, PluginError> {
    let packed = BASE64_URL_SAFE_NO_PAD.decode(code);
    let packed = packed.map_err(|_| PluginError::Damaged)?;
    if packed.len() > MOST_PACKED {
        return Err(PluginError::TooLarge(packed.len()));
    }
    decompress_to_vec_with_limit(&packed, MOST_BYTES).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => PluginError::TooLong,
        _ => PluginError::Damaged,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_comes_back_as_it_was() {
        let module: Vec<u8> = (0..2000u32).map(|i| (i * i % 251) as u8).collect();
        let code = packed(&module).unwrap();
        assert!(
            code.chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        );
        assert_eq!(unpacked(&code).unwrap(), module);
    }

    #[test]
    fn what_is_too_large_or_damaged_says_so() {
        assert_eq!(packed(&vec![0; MOST_BYTES + 1]), Err(PluginError::TooLong));
        let mut state = 1u32;
        let noise = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as u8
        });
        let noise: Vec<u8> = noise.take(2 * MOST_PACKED).collect();
        assert!(matches!(packed(&noise), Err(PluginError::TooLarge(_))));
        assert_eq!(unpacked(""), Err(PluginError::Damaged));
        assert_eq!(unpacked("no base64!"), Err(PluginError::Damaged));
        assert_eq!(unpacked("AAAA"), Err(PluginError::Damaged));
        // A few bytes that inflate to more than any module.
        let bomb = BASE64_URL_SAFE_NO_PAD.encode(compress_to_vec(&vec![0; MOST_BYTES * 8], 9));
        assert_eq!(unpacked(&bomb), Err(PluginError::TooLong));
    }
}
