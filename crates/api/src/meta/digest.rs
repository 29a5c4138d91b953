//! Checksums with the name of their algorithm.

use std::fmt;
use std::str::FromStr;

/// A hash algorithm that artifact digests may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// SHA-1, only for what is old.
    Sha1,
    /// SHA-256, the default.
    #[default]
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
    /// BLAKE3 with 256 bits.
    Blake3,
}

impl Algorithm {
    /// Every algorithm, in the order users know them.
    pub const ALL: [Self; 5] = [Self::Sha256, Self::Sha384, Self::Sha512, Self::Sha1, Self::Blake3];

    /// The name as digests print it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::Blake3 => "blake3",
        }
    }

    /// The number of hexadecimal digits of a checksum.
    pub const fn hex_len(self) -> usize {
        match self {
            Self::Sha1 => 40,
            Self::Sha256 | Self::Blake3 => 64,
            Self::Sha384 => 96,
            Self::Sha512 => 128,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Algorithm {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.as_str() == text)
            .ok_or_else(|| ParseDigestError::UnknownAlgorithm(text.to_owned()))
    }
}

/// A checksum and the algorithm that made it, printed `sha256:<hex>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Digest {
    algorithm: Algorithm,
    // Lower case, exactly `algorithm.hex_len()` bytes.
    hex: Box<str>,
}

/// The text is no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseDigestError {
    /// There is no `algorithm:hex`.
    #[error("invalid checksum digest format")]
    Format,
    /// The algorithm isn't one of ours.
    #[error("unsupported digest algorithm '{0}'")]
    UnknownAlgorithm(String),
    /// The checksum hasn't the length of its algorithm.
    #[error("invalid checksum digest length")]
    Length,
}

impl Digest {
    /// A digest from the raw bytes of a checksum, if their number is the algorithm's.
    pub fn from_bytes(algorithm: Algorithm, bytes: &[u8]) -> Result<Self, ParseDigestError> {
        use fmt::Write;
        let hex = bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
            // Writing to a string can't fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        Self::from_hex(algorithm, &hex)
    }

    /// A digest from its lower-case hexadecimal digits.
    pub fn from_hex(algorithm: Algorithm, hex: &str) -> Result<Self, ParseDigestError> {
        if !hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(ParseDigestError::Format);
        }
        if hex.len() != algorithm.hex_len() {
            return Err(ParseDigestError::Length);
        }
        Ok(Self { algorithm, hex: hex.into() })
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The checksum in lower-case hexadecimal digits.
    pub fn hex(&self) -> &str {
        &self.hex
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.algorithm, self.hex)
    }
}

impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (algorithm, hex) = text.split_once(':').ok_or(ParseDigestError::Format)?;
        Self::from_hex(algorithm.parse()?, hex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_prints_as_it_was_read() {
        for algorithm in Algorithm::ALL {
            let text = format!("{algorithm}:{}", "0a".repeat(algorithm.hex_len() / 2));
            assert_eq!(text.parse::<Digest>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let cases = [
            ("", ParseDigestError::Format),
            ("abc", ParseDigestError::Format),
            ("md5:abc", ParseDigestError::UnknownAlgorithm("md5".to_owned())),
            ("sha1:abc", ParseDigestError::Length),
            ("sha1:ABC", ParseDigestError::Format),
        ];
        for (text, error) in cases {
            assert_eq!(text.parse::<Digest>(), Err(error), "{text}");
        }
    }

    #[test]
    fn raw_bytes_become_lower_case_hex() {
        let digest = Digest::from_bytes(Algorithm::Sha1, &[0xab; 20]).unwrap();
        assert_eq!(digest.to_string(), format!("sha1:{}", "ab".repeat(20)));
        assert_eq!(Digest::from_bytes(Algorithm::Sha256, &[0; 20]), Err(ParseDigestError::Length));
    }
}
