//! Text that a server sent, made fit for conditions, events and logs.

use crate::Masker;

/// The longest excerpt of a server's text that is ever shown, in bytes.
pub const MAX_QUOTE_BYTES: usize = 512;

impl Masker {
    /// Returns the start of `body` as it may be quoted: masked, printable, at most [`MAX_QUOTE_BYTES`], ends trimmed.
    pub fn quote(&self, body: &[u8]) -> String {
        let masked = self.mask(&String::from_utf8_lossy(body));
        let printable: String =
            masked.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
        let trimmed = printable.trim();
        trimmed[..trimmed.floor_char_boundary(MAX_QUOTE_BYTES)].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_short_and_printable() {
        let masker = Masker::new();
        assert_eq!(masker.quote(b" \x1b[31mno\0 \n"), "[31mno");
        assert_eq!(masker.quote(&b"x".repeat(2000)).len(), MAX_QUOTE_BYTES);
        assert_eq!(masker.quote("é".repeat(2000).as_bytes()).len(), MAX_QUOTE_BYTES);
        assert_eq!(masker.quote(b"caf\xff"), "caf\u{fffd}");
    }

    #[test]
    fn a_secret_that_straddles_the_cut_is_masked_first() {
        let mut masker = Masker::new();
        masker.add("secret-token");
        let body = format!("{}secret-token", "x".repeat(MAX_QUOTE_BYTES - 3));
        assert!(masker.quote(body.as_bytes()).ends_with("x***"));
    }
}
