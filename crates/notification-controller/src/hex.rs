//! Hexadecimal digits.

/// Writes bytes as lower-case digits.
pub(crate) fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 0xf])
        .map(|nibble| char::from(DIGITS[usize::from(nibble)]))
        .collect()
}

/// Reads digits of either case.
///
/// # Errors
///
/// Go's text for what is wrong with them.
pub(crate) fn decode(digits: &str) -> Result<Vec<u8>, String> {
    if let Some(c) = digits.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Err(format!("encoding/hex: invalid byte: U+{:04X} '{c}'", c as u32));
    }
    if !digits.len().is_multiple_of(2) {
        return Err("encoding/hex: odd length hex string".to_owned());
    }
    let pairs = digits.as_bytes().chunks_exact(2);
    Ok(pairs.map(|pair| value_of(pair[0]) << 4 | value_of(pair[1])).collect())
}

fn value_of(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit - b'A' + 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_the_round_trip() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&bytes)), Ok(bytes.clone()));
        assert_eq!(decode(&encode(&bytes).to_uppercase()), Ok(bytes));
        assert_eq!(encode(&[0x0a, 0xf0]), "0af0");
    }
}
