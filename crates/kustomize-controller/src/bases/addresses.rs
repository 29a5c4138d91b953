//! Addresses as they may be shown: without logins, and without what else may be a key.
//!
//! The engine quotes entries as they are written, so what it says is looked through for addresses.

use millrace_net::Secret;

/// What a query may say about a repository; other values may be tokens.
const PLAIN: [&str; 4] = ["ref", "version", "timeout", "submodules"];
/// What ends an address in a text.
const ENDS: [char; 11] = [' ', '\t', '\n', '\r', '\'', '"', '`', '\\', ')', '>', ','];
const HIDDEN: &str = "***";

/// The text without the logins and the tokens of the addresses in it.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, address) = rest.split_at(at + "://".len());
        out.push_str(before);
        // A login may have any letters but those that end it: too much is hidden rather than too little.
        let authority = address.find(['/', '?', '#', '\n']).unwrap_or(address.len());
        let host = address[..authority].rfind('@');
        if let Some(host) = host {
            out.push_str(HIDDEN);
            rest = &address[host..];
        } else {
            rest = address;
        }
        let end = rest.find(ENDS).unwrap_or(rest.len());
        let (address, behind) = rest.split_at(end);
        // The next address may stand in the query of this one.
        let (address, behind) = match address.find("://") {
            Some(next) => rest.split_at(next),
            None => (address, behind),
        };
        push_without_tokens(address, &mut out);
        rest = behind;
    }
    out.push_str(rest);
    out
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
pub(super) fn secrets_of(address: &str) -> Vec<Secret<String>> {
    let Some((_, rest)) = address.split_once("://") else { return Vec::new() };
    let authority = &rest[..rest.find(['/', '?', '#', '\n']).unwrap_or(rest.len())];
    let login = authority.rsplit_once('@').map_or("", |(login, _)| login);
    let query = address.split_once('?').map_or("", |(_, query)| query);
    let tokens = query.split('&').filter_map(|pair| pair.split_once('='));
    let tokens = tokens.filter(|(key, _)| !PLAIN.contains(key)).map(|(_, value)| value);
    let key = login.split_once(':').map(|(_, password)| password).filter(|password| !password.is_empty());
    let key = key.unwrap_or_else(|| login.trim_end_matches(':'));
    let parts = std::iter::once(key).chain(tokens).filter(|part| !part.is_empty());
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
                "\\\"https://***@h:80/x?a=***\\\" and ssh://***@h/o",
            ),
            ("http://h/?next=http://u:p@i/x?k=v.", "http://h/?next=***://***@i/x?k=***"),
            ("'http://u:it's@h/o'", "'http://***@h/o'"),
            ("https://h/o/r@v1 a@b", "https://h/o/r@v1 a@b"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_secret_in_an_address_is_known_as_it_is_written_and_as_it_is_meant() {
        let found = secrets_of("https://me:p%40ss+word@h/o/r.git?ref=main&token=a%2Fb");
        let found: Vec<&str> = found.iter().map(|secret| secret.expose().as_str()).collect();
        assert_eq!(found, ["p%40ss+word", "p@ss+word", "a%2Fb", "a/b"]);
        for alone in ["https://token@h/o/r", "https://token:@h/o/r"] {
            let found = secrets_of(alone);
            assert!(found.iter().all(|secret| secret.expose() == "token") && found.len() == 2, "{alone}");
        }
        assert!(secrets_of("git@host:o/r").is_empty() && secrets_of("https://h/o/r").is_empty());
    }
}
