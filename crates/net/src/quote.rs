//! Text that a server sent, made fit for conditions, events and logs.

use crate::Secret;

/// The longest excerpt of a server's text that is ever shown, in bytes.
pub const MAX_QUOTE_BYTES: usize = 512;

/// Shorter values are not masked: they would hide ordinary words and give nothing away.
const MIN_MASKED_LEN: usize = 4;

/// Replaces the secret values of one run in foreign text by `***`.
#[derive(Clone, Default)]
pub struct Masker {
    values: Vec<Secret<String>>,
}

impl Masker {
    /// A masker that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value that must not be shown.
    pub fn add(&mut self, value: &str) {
        if value.len() >= MIN_MASKED_LEN && self.values.iter().all(|known| known.expose() != value) {
            self.values.push(Secret::new(value.to_owned()));
            // Longest first, so that a value which contains another one is replaced as a whole.
            self.values.sort_by_key(|known| std::cmp::Reverse(known.expose().len()));
        }
    }

    /// Returns `text` with every known value replaced by `***`.
    pub fn mask(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for value in &self.values {
            if text.contains(value.expose().as_str()) {
                text = text.replace(value.expose().as_str(), "***");
            }
        }
        text
    }

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
    fn secrets_are_masked_and_the_longest_match_wins() {
        let mut masker = Masker::new();
        masker.add("hunter2");
        masker.add("hunter2-and-more");
        masker.add("abc");
        assert_eq!(masker.mask("got hunter2, hunter2-and-more, abc"), "got ***, ***, abc");
    }

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
