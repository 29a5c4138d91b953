//! The check Go's `url.ParseRequestURI` makes of an address before anything is sent to it.

use super::quote::Quoted;

/// Checks that `address` is an absolute URI or an absolute path.
///
/// Any scheme passes: one that cannot be dialled fails when the request is sent.
///
/// # Errors
///
/// Go's text, `parse "<address>": <cause>`.
pub fn check_request_uri(address: &str) -> Result<(), String> {
    check(address).map_err(|cause| format!("parse {}: {cause}", Quoted(address)))
}

fn check(address: &str) -> Result<(), String> {
    if address.bytes().any(|b| b < 0x20 || b == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if address.is_empty() {
        return Err("empty url".to_owned());
    }
    if address == "*" {
        return Ok(());
    }
    let (scheme, rest) = split_scheme(address)?;
    let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
    if !rest.starts_with('/') {
        // With a scheme this is an opaque URI such as `mailto:x`.
        return if scheme { Ok(()) } else { Err("invalid URI for request".to_owned()) };
    }
    let path = match rest.strip_prefix("//") {
        Some(after) if scheme => {
            let end = after.find('/').unwrap_or(after.len());
            check_authority(&after[..end])?;
            &after[end..]
        }
        _ => rest,
    };
    check_escapes(path)
}

/// Returns whether there is a scheme, and what follows it.
fn split_scheme(address: &str) -> Result<(bool, &str), String> {
    for (at, c) in address.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            ':' => return Ok((true, &address[at + 1..])),
            _ => break,
        }
    }
    Ok((false, address))
}

fn check_authority(authority: &str) -> Result<(), String> {
    let host = match authority.rsplit_once('@') {
        None => authority,
        Some((userinfo, host)) => {
            if !userinfo.chars().all(is_userinfo_char) {
                return Err("net/url: invalid userinfo".to_owned());
            }
            check_escapes(userinfo)?;
            host
        }
    };
    if let Some(literal) = host.strip_prefix('[') {
        let Some((_, port)) = literal.rsplit_once(']') else {
            return Err("missing ']' in host".to_owned());
        };
        return check_port(port);
    }
    if let Some(c) = host.chars().find(|c| " \"<>^`{|}\\".contains(*c)) {
        return Err(format!("invalid character {} in host name", Quoted(c.encode_utf8(&mut [0; 4]))));
    }
    check_escapes(host)?;
    check_port(host.rfind(':').map_or("", |at| &host[at..]))
}

fn check_port(port: &str) -> Result<(), String> {
    match port.strip_prefix(':') {
        Some(number) if number.bytes().all(|b| b.is_ascii_digit()) => Ok(()),
        None if port.is_empty() => Ok(()),
        _ => Err(format!("invalid port {} after host", Quoted(port))),
    }
}

fn is_userinfo_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c)
}

fn check_escapes(text: &str) -> Result<(), String> {
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        rest = &rest[at..];
        let valid = rest.as_bytes().get(1..3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        if !valid {
            let shown: String = rest.chars().take(3).collect();
            return Err(format!("invalid URL escape {}", Quoted(&shown)));
        }
        rest = &rest[3..];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_addresses_pass() {
        for (address, cause) in [
            ("https://hooks.example.com/x?a=b", None),
            ("http://u:p@h:8080/x", None),
            ("http://[::1]:8080/x", None),
            ("/x", None),
            ("ftp://h", None),
            ("mailto:x", None),
            ("", Some("empty url")),
            ("hooks/x", Some("invalid URI for request")),
            (":x", Some("missing protocol scheme")),
            ("http://h/%zz", Some(r#"invalid URL escape "%zz""#)),
            ("http://h:port/", Some(r#"invalid port ":port" after host"#)),
            ("http://[::1/", Some("missing ']' in host")),
            ("http://a b/", Some(r#"invalid character " " in host name"#)),
            ("http://h/\n", Some("net/url: invalid control character in URL")),
        ] {
            let expected = cause.map(|cause| format!("parse {}: {cause}", Quoted(address)));
            assert_eq!(check_request_uri(address).err(), expected, "{address}");
        }
    }
}
