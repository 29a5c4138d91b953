//! HMAC signatures in the form `sha256=<hex>`, made and verified.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha1::Sha1;
use sha2::{Sha256, Sha512};

use crate::{go::quote::Quoted, hex};

/// Why a signature is not accepted. The texts go to the log, never to the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// There is none.
    #[error("missing signature")]
    Missing,
    /// It has no algorithm prefix.
    #[error("error parsing signature {}", Quoted(.0))]
    Malformed(String),
    /// Its algorithm is not one of the three.
    #[error("unknown hash type prefix: {}", Quoted(.0))]
    UnknownHash(String),
    /// What follows the prefix is not hexadecimal.
    #[error("error decoding signature {}: {cause}", Quoted(.signature))]
    NotHex {
        /// The whole signature.
        signature: String,
        /// What is wrong with it.
        cause: String,
    },
    /// It was made with another key or over another body.
    #[error("payload signature check failed")]
    Mismatch,
}

/// Signs `body` with HMAC-SHA256 and returns lower-case hexadecimal digits.
pub fn sign_sha256(key: &[u8], body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(body);
    hex::encode(&mac.finalize().into_bytes())
}

/// Verifies `signature`, `sha1=`, `sha256=` or `sha512=` and hexadecimal digits, in constant time.
pub fn verify(signature: &str, key: &[u8], body: &[u8]) -> Result<(), SignatureError> {
    if signature.is_empty() {
        return Err(SignatureError::Missing);
    }
    let Some((algorithm, digits)) = signature.split_once('=') else {
        return Err(SignatureError::Malformed(signature.to_owned()));
    };
    let matches: fn(&[u8], &[u8], &[u8]) -> bool = match algorithm {
        "sha1" => matches_sha1,
        "sha256" => matches_sha256,
        "sha512" => matches_sha512,
        _ => return Err(SignatureError::UnknownHash(algorithm.to_owned())),
    };
    let expected = hex::decode(digits)
        .map_err(|cause| SignatureError::NotHex { signature: signature.to_owned(), cause })?;
    if matches(key, body, &expected) { Ok(()) } else { Err(SignatureError::Mismatch) }
}

macro_rules! matcher {
    ($name:ident, $hash:ty) => {
        fn $name(key: &[u8], body: &[u8], expected: &[u8]) -> bool {
            let mut mac = Hmac::<$hash>::new_from_slice(key).expect("HMAC takes keys of any length");
            mac.update(body);
            mac.verify_slice(expected).is_ok()
        }
    };
}
matcher!(matches_sha1, Sha1);
matcher!(matches_sha256, Sha256);
matcher!(matches_sha512, Sha512);

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &[u8] = b"s3cr3t";
    const BODY: &[u8] = br#"{"action":"push"}"#;
    const SHA1: &str = "d145c63db883c00cce679477e5e91dfbd7d17ce5";
    const SHA256: &str = "edb2b3eec995bab6f8464cd2de3fe3259080370ee15255a750a0d37c56671d8d";
    const SHA512: &str = "1c5557a38cabff95abfb14573cc585d369575e9e275354af6de87f18883604e2e589d9f42b519aebbb36f61bbbe591cb41248d36174a3badc8b4746ff7116bbf";

    #[test]
    fn the_three_algorithms_are_accepted_in_any_hex_case() {
        assert_eq!(sign_sha256(KEY, BODY), SHA256);
        for signature in [
            format!("sha1={SHA1}"),
            format!("sha256={SHA256}"),
            format!("sha512={SHA512}"),
            format!("sha256={}", SHA256.to_uppercase()),
        ] {
            assert_eq!(verify(&signature, KEY, BODY), Ok(()), "{signature}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_a_reason() {
        let short = &SHA256[..62];
        for (signature, expected) in [
            (String::new(), "missing signature".to_owned()),
            (SHA256.to_owned(), format!("error parsing signature \"{SHA256}\"")),
            ("md5=00".to_owned(), "unknown hash type prefix: \"md5\"".to_owned()),
            ("SHA256=00".to_owned(), "unknown hash type prefix: \"SHA256\"".to_owned()),
            (
                "sha256=zz".to_owned(),
                "error decoding signature \"sha256=zz\": encoding/hex: invalid byte: U+007A 'z'".to_owned(),
            ),
            (
                "sha256=abc".to_owned(),
                "error decoding signature \"sha256=abc\": encoding/hex: odd length hex string".to_owned(),
            ),
            (format!("sha256={short}"), "payload signature check failed".to_owned()),
            (format!("sha1={SHA256}"), "payload signature check failed".to_owned()),
            ("sha256=".to_owned(), "payload signature check failed".to_owned()),
        ] {
            assert_eq!(verify(&signature, KEY, BODY).unwrap_err().to_string(), expected, "{signature}");
        }
        assert_eq!(verify(&format!("sha256={SHA256}"), b"other", BODY), Err(SignatureError::Mismatch));
    }
}
