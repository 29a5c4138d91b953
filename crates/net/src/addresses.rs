//! Addresses as they may be shown: without logins, and without what else may be a key.
//!
//! Builds quote addresses as they are written, so what they say is looked through.

use crate::Secret;

/// What a query may say about a repository or a file; other values may be tokens.
const PLAIN: [&str; 8] =
    ["ref", "version", "timeout", "submodules", "depth", "archive", "filename", "checksum"];
/// What ends an address in a text.
const ENDS: [char; 11] = [' ', '\t', '\n', '\r', '\'', '"', '`', '\\', ')', '>', ','];
/// What no login has in it, even one that should have been encoded.
const NOT_IN_LOGINS: [char; 7] = [' ', '\t', '\n', '\r', '\'', '"', '`'];
const HIDDEN: &str = "***";
/// The user that everybody is to a Git server over SSH.
const EVERYBODY: &str = "git";
/// The longest text that is shown, in bytes.
const MAX_SHOWN: usize = 64 << 10;
/// Shorter ones may be ordinary words, which are not to be hidden wherever they stand. Addresses are shown without them all the
/// same.
const SHORTEST_TOKEN: usize = 8;

/// The text without the logins and the tokens of the addresses in it. Values that are known are to be hidden before: what ends
/// an address may stand in a token.
pub fn shown(text: &str) -> String {
    let (text, rest_of_it) = cut(text);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, behind) = rest.split_at(at + "://".len());
        out.push_str(before);
        // The next address may stand in the query of this one.
        let limit = behind.find("://").unwrap_or(behind.len());
        let login = end_of_login(&behind[..limit]).unwrap_or_default();
        match &behind[..login] {
            known @ ("" | EVERYBODY) => out.push_str(known),
            _ => out.push_str(HIDDEN),
        }
        let address = &behind[login..limit];
        let address = without_bracket(&address[..address.find(ENDS).unwrap_or(address.len())]);
        push_without_tokens(address, &mut out);
        rest = &behind[login + address.len()..];
    }
    out.push_str(rest);
    out.push_str(rest_of_it);
    out
}

/// An address without the bracket that closes a list around it, as in `[a http://h/x?k=v]: wrong`.
fn without_bracket(address: &str) -> &str {
    let closed = address.strip_suffix(':').unwrap_or(address).strip_suffix(']');
    closed.filter(|inner| !inner.contains('[')).unwrap_or(address)
}

/// As much of a text as is shown, and what stands for the rest. An address at the end is left out: what hides its login may be
/// in the rest.
fn cut(text: &str) -> (&str, &'static str) {
    if text.len() <= MAX_SHOWN {
        return (text, "");
    }
    let text = &text[..text.floor_char_boundary(MAX_SHOWN)];
    let last = text.rfind("://").filter(|at| !text[*at..].contains(NOT_IN_LOGINS));
    (last.map_or(text, |at| &text[..at]), "…")
}

/// Where the `@` is that ends the login of an address, given from behind its scheme.
pub fn end_of_login(address: &str) -> Option<usize> {
    // A login may have any letters but those that end it: too much is hidden rather than too little.
    let authority = address.find(['/', '?', '#', '\n']).unwrap_or(address.len());
    if let Some(at) = address[..authority].rfind('@') {
        return Some(at);
    }
    // A password that should have been encoded. A port is none, nor is part of an address.
    let (_, password) = address[..authority].split_once(':')?;
    if address.starts_with('[') || password.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let end = address.find(NOT_IN_LOGINS).unwrap_or(address.len());
    address[..end].rfind('@')
}

fn push_without_tokens(address: &str, out: &mut String) {
    let Some((path, query)) = address.split_once('?') else {
        out.push_str(address);
        return;
    };
    out.push_str(path);
    for (index, pair) in query.split('&').enumerate() {
        out.push(if index == 0 { '?' } else { '&' });
        match pair.split_once('=') {
            Some((key, _)) if !PLAIN.contains(&key) => {
                out.push_str(key);
                out.push('=');
                out.push_str(HIDDEN);
            }
            _ => out.push_str(pair),
        }
    }
}

/// What must not be shown of an address, wherever else it may be quoted: a user's name is an ordinary word, unless it stands alone
/// and may be a token.
pub fn secrets_of(address: &str) -> Vec<Secret<String>> {
    let Some((_, rest)) = address.split_once("://") else { return Vec::new() };
    let (login, rest) = rest.split_at(end_of_login(rest).unwrap_or_default());
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let tokens = query.split('&').filter_map(|pair| pair.split_once('='));
    let tokens = tokens.filter(|(key, _)| !PLAIN.contains(key)).map(|(_, value)| value);
    let password = login.split_once(':').map(|(_, password)| password);
    let password = password.filter(|password| !password.is_empty());
    let user = if password.is_none() { login.trim_end_matches(':') } else { "" };
    let tokens = std::iter::once(user).chain(tokens).filter(|token| token.len() >= SHORTEST_TOKEN);
    let parts = password.into_iter().chain(tokens);
    parts.flat_map(|part| [part.to_owned(), decoded(part)]).map(Secret::new).collect()
}

/// Undoes the encoding of a part of an address.
fn decoded(part: &str) -> String {
    url::form_urlencoded::parse(format!("={}", part.replace('+', "%2B")).as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_and_tokens_are_not_shown_wherever_an_address_stands() {
        for (text, expected) in [
            ("no address, a://", "no address, a://"),
            ("from 'https://u:p@h/o/r.git?ref=v1': failed", "from 'https://***@h/o/r.git?ref=v1': failed"),
            (
                "Get \"http://h/a.yaml?token=t&ref=x&y\": gone",
                "Get \"http://h/a.yaml?token=***&ref=x&y\": gone",
            ),
            (
                "\\\"https://t@h:80/x?a=b\\\" and ssh://git@h/o",
                "\\\"https://***@h:80/x?a=***\\\" and ssh://git@h/o",
            ),
            ("http://h/?next=http://u:p@i/x?k=v.", "http://h/?next=***://***@i/x?k=***"),
            ("'http://u:it's@h/o'", "'http://***@h/o'"),
            ("[N x U=http://h/?a=b]: invalid", "[N x U=http://h/?a=***]: invalid"),
            ("https://h/o/r@v1 a@b", "https://h/o/r@v1 a@b"),
            ("from 'https://u:p/w@h/o'", "from 'https://***@h/o'"),
            ("https://u:p?w/x@h/o?a=b c@d", "https://***@h/o?a=*** c@d"),
            ("https://h:8080/o/r@v1", "https://h:8080/o/r@v1"),
            ("http://[::1]/o/r@v1 and http://[::1]:80/r@v1", "http://[::1]/o/r@v1 and http://[::1]:80/r@v1"),
            ("Get \"http://h/a\": dial a@b", "Get \"http://h/a\": dial a@b"),
            ("http://h/a?depth=1&archive=false&sshkey=x", "http://h/a?depth=1&archive=false&sshkey=***"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_is_shown_up_to_a_limit_and_no_login_that_is_cut_there() {
        // Nothing ends any of the addresses.
        let text = "a://".repeat(MAX_SHOWN);
        let found = shown(&text);
        assert!(found.len() < MAX_SHOWN + 10 && found.ends_with("a…"), "{} bytes", found.len());
        let text = format!("{} https://me:geheim@h/o", "é".repeat(MAX_SHOWN / 2 - 7));
        let found = shown(&text);
        assert!(found.ends_with("é https…"), "a login that is cut: {}", &found[found.len() - 20..]);
        let whole = "x".repeat(MAX_SHOWN);
        assert_eq!(shown(&whole), whole);
    }

    #[test]
    fn what_is_secret_in_an_address_is_known_as_it_is_written_and_as_it_is_meant() {
        let found = secrets_of("https://me:p%40ss+word@h/o/r.git?ref=main&token=a%2Fbcdefg");
        let found: Vec<&str> = found.iter().map(|secret| secret.expose().as_str()).collect();
        assert_eq!(found, ["p%40ss+word", "p@ss+word", "a%2Fbcdefg", "a/bcdefg"]);
        for alone in ["https://token-123@h/o/r", "https://token-123:@h/o/r"] {
            let found = secrets_of(alone);
            assert!(found.iter().all(|secret| secret.expose() == "token-123") && found.len() == 2, "{alone}");
        }
        let found = secrets_of("https://u:p/w?x@h/o");
        assert!(found.iter().all(|secret| secret.expose() == "p/w?x") && found.len() == 2);
    }

    #[test]
    fn ordinary_words_in_an_address_are_not_hidden_elsewhere() {
        for address in [
            "https://h/o/r?archive=false&depth=1&filename=deployment.yaml&checksum=sha256:0123456789",
            "https://deploy@h/o/r?branch=main",
            "https://h:8080/o/production@v1",
        ] {
            assert!(secrets_of(address).is_empty(), "{address}");
        }
        assert!(secrets_of("git@host:o/r").is_empty() && secrets_of("https://h/o/r").is_empty());
    }
}
