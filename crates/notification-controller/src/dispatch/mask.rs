//! Keeps the provider's token out of texts that go to logs and events.
//!
//! Contract: notification-controller §2.10.

/// What stands for a token.
const MASK: &str = "*****";

/// Replaces every occurrence of `token`, also without its last character or with that character repeated.
///
/// The looser match hides tokens that a service echoes cut or padded, as the original does.
pub fn mask(text: &str, token: &str) -> String {
    let token = token.trim();
    let Some(last) = token.chars().next_back() else { return text.to_owned() };
    let stem = &token[..token.len() - last.len_utf8()];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let Some(at) = rest.find(stem) else { break };
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
