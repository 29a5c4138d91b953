//! Keeps a provider's secrets out of texts that go to logs and events.
//!
//! Contract: notification-controller §2.10.

use millrace_net::Secret;

/// What stands for a token.
const MASK: &str = "*****";

/// Shorter values are not hidden: they would hide ordinary words and give nothing away.
const MIN_VALUE_BYTES: usize = 8;

/// The secrets of one provider.
#[derive(Clone)]
pub struct Masks {
    token: Secret<String>,
    values: Vec<Secret<String>>,
}

impl Masks {
    /// Hides nothing yet.
    pub(super) fn new() -> Self {
        Self { token: Secret::new(String::new()), values: Vec::new() }
    }

    /// Hides the token, as [`mask`] does.
    pub(super) fn set_token(&mut self, token: &str) {
        self.token = Secret::new(token.trim().to_owned());
    }

    /// Hides another value where it stands as it is.
    pub(super) fn add(&mut self, value: &str) {
        let value = value.trim();
        if value.len() >= MIN_VALUE_BYTES {
            self.values.push(Secret::new(value.to_owned()));
        }
    }

    /// Returns `text` without the secrets.
    pub fn apply(&self, text: &str) -> String {
        let masked = mask(text, self.token.expose());
        self.values.iter().fold(masked, |text, value| text.replace(value.expose().as_str(), MASK))
    }
}

/// Replaces every occurrence of `token`, also without its last character or with that character repeated.
///
/// The looser match hides tokens that a service echoes cut or padded, as the original does.
fn mask(text: &str, token: &str) -> String {
    let token = token.trim();
    let Some(last) = token.chars().next_back() else { return text.to_owned() };
    let stem = &token[..token.len() - last.len_utf8()];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(stem) {
        let after = &rest[at + stem.len()..];
        let tail = after.trim_start_matches(last);
        out.push_str(&rest[..at]);
        out.push_str(MASK);
        if stem.is_empty() && tail.len() == after.len() {
            // A token of one character matches between any two characters, as its pattern does.
            let mut chars = after.chars();
            let Some(c) = chars.next() else { return out };
            out.push(c);
            rest = chars.as_str();
            continue;
        }
        rest = tail;
        if rest.is_empty() {
            break;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_secrets_are_hidden_when_they_are_long_enough() {
        let mut masks = Masks::new();
        masks.set_token("token\n");
        masks.add("pass");
        masks.add("/services/T0/B0/x");
        let text = "POST https://hooks.example.com/services/T0/B0/x: pass, token";
        assert_eq!(masks.apply(text), "POST https://hooks.example.com*****: pass, *****");
    }

    /// NC-058
    #[test]
    fn tokens_are_hidden_also_when_cut_or_padded() {
        for (text, token, expected) in [
            ("bad abc", "abc", "bad *****"),
            ("bad abc", " abc\n", "bad *****"),
            ("ab abccc abd", "abc", "***** ***** *****d"),
            ("nothing here", "abc", "nothing here"),
            ("no token", "", "no token"),
            ("xy", "z", "*****x*****y*****"),
            ("é-token-é", "token-é", "é-*****"),
        ] {
            assert_eq!(mask(text, token), expected, "{text:?} {token:?}");
        }
    }
}
