//! Base64 as Secrets are written.

use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, PAD};

/// Standard alphabet, padded; unused bits of the last symbol don't matter, as in the reference.
const ENGINE: GeneralPurpose =
    GeneralPurpose::new(&base64::alphabet::STANDARD, PAD.with_decode_allow_trailing_bits(true));

/// Encodes with padding.
pub(super) fn encode(bytes: &[u8]) -> String {
    ENGINE.encode(bytes)
}

/// Decodes, ignoring line breaks; `None` for anything else that is no padded base64.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    ENGINE.decode(text.replace(['\r', '\n'], "")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_padded_base64_is_decoded() {
        assert_eq!(decode("Zm\n9v").as_deref(), Some(b"foo".as_slice()));
        for bad in ["not base64!", "Zg", "Zg=", "Z===", "====", "Zm9*"] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
