//! URLs as they may be shown.

use std::fmt;

/// A URL whose user name and password print as `***`.
///
/// Apart from those it prints byte for byte as the user wrote it, so contract messages that quote a URL stay equal.
#[derive(Clone, PartialEq, Eq)]
pub struct RedactedUrl(Box<str>);

impl RedactedUrl {
    /// Keeps `url` without what stands before the `@` of its authority.
    pub fn new(url: &str) -> Self {
        let Some((scheme, rest)) = url.split_once("://") else {
            return Self(url.into());
        };
        let authority_len = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        match rest[..authority_len].rfind('@') {
            Some(at) => Self(format!("{scheme}://***{}", &rest[at..]).into()),
            None => Self(url.into()),
        }
    }
}

impl fmt::Display for RedactedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RedactedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::RedactedUrl;

    #[test]
    fn only_the_user_part_is_hidden() {
        let rows = [
            ("https://example.com/a.git", "https://example.com/a.git"),
            ("https://example.com/a@b.git?x=y@z", "https://example.com/a@b.git?x=y@z"),
            ("https://me:pw@example.com", "https://***@example.com"),
            ("https://me@example.com:8443/x", "https://***@example.com:8443/x"),
            ("https://a@b:c@example.com/x", "https://***@example.com/x"),
            ("not a url", "not a url"),
        ];
        for (url, shown) in rows {
            assert_eq!(RedactedUrl::new(url).to_string(), shown, "{url}");
        }
    }
}
