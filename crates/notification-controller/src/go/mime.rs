//! Media types as Go's `mime.ParseMediaType` reads them.

/// Returns the media type of a `Content-Type` value in lower case, without parameters.
///
/// # Errors
///
/// The text Go gives when there is none, or when it is followed by something that is not a parameter.
pub fn parse_media_type(value: &str) -> Result<String, &'static str> {
    let (base, parameters) = value.split_once(';').map_or((value, ""), |(base, rest)| (base, rest));
    let media_type = base.trim().to_lowercase();
    check_disposition(&media_type)?;
    check_parameters(parameters)?;
    Ok(media_type)
}

fn check_disposition(media_type: &str) -> Result<(), &'static str> {
    let (kind, rest) = token(media_type);
    if kind.is_empty() {
        return Err("mime: no media type");
    }
    if rest.is_empty() {
        return Ok(());
    }
    let Some(subtype) = rest.strip_prefix('/') else {
        return Err("mime: expected slash after first token");
    };
    let (subtype, rest) = token(subtype);
    if subtype.is_empty() {
        return Err("mime: expected token after slash");
    }
    if rest.is_empty() { Ok(()) } else { Err("mime: unexpected content after media subtype") }
}

fn check_parameters(mut rest: &str) -> Result<(), &'static str> {
    const INVALID: &str = "mime: invalid media parameter";
    loop {
        rest = rest.trim_start();
        // A semicolon at the end is forgiven.
        if rest.is_empty() {
            return Ok(());
        }
        let (name, tail) = token(rest);
        let Some(tail) = tail.trim_start().strip_prefix('=') else { return Err(INVALID) };
        let tail = tail.trim_start();
        let tail = if let Some(quoted) = tail.strip_prefix('"') {
            after_quoted(quoted).ok_or(INVALID)?
        } else {
            let (value, tail) = token(tail);
            if value.is_empty() {
                return Err(INVALID);
            }
            tail
        };
        if name.is_empty() {
            return Err(INVALID);
        }
        rest = tail.trim_start();
        if !rest.is_empty() {
            rest = rest.strip_prefix(';').ok_or(INVALID)?;
        }
    }
}

fn after_quoted(text: &str) -> Option<&str> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(&text[at + 1..]),
            '\r' | '\n' => return None,
            _ => {}
        }
    }
    None
}

fn token(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !is_token_char(c)).unwrap_or(text.len());
    text.split_at(end)
}

fn is_token_char(c: char) -> bool {
    c.is_ascii_graphic() && !"()<>@,;:\\\"/[]?=".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_lose_case_and_parameters() {
        for (value, expected) in [
            ("application/json", Ok("application/json")),
            ("Application/JSON; charset=utf-8", Ok("application/json")),
            (" application/json ;", Ok("application/json")),
            ("text/plain; a=\"b;c\"; d=e", Ok("text/plain")),
            ("form", Ok("form")),
            ("", Err("mime: no media type")),
            (";;", Err("mime: no media type")),
            ("a/", Err("mime: expected token after slash")),
            ("a b", Err("mime: expected slash after first token")),
            ("a/b c", Err("mime: unexpected content after media subtype")),
            ("a/b; c", Err("mime: invalid media parameter")),
        ] {
            assert_eq!(parse_media_type(value), expected.map(str::to_owned), "{value}");
        }
    }
}
