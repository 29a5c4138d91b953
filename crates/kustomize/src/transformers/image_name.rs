//! The names in `images`, and which images they stand for.

use regex::Regex;

use crate::regexp;

/// The name of an entry.
///
/// To the reference it is a regular expression.
#[derive(Debug)]
pub(super) enum ImageName {
    /// One that is [plain](regexp::is_plain).
    Plain(Box<str>),
    /// Anything else.
    Expression(Regex),
}

impl ImageName {
    /// Reads a name.
    ///
    /// # Errors
    /// If it is no regular expression.
    pub(super) fn compile(name: &str) -> Result<Self, String> {
        if regexp::is_plain(name) { Ok(Self::Plain(name.into())) } else { Self::expression(name) }
    }

    /// The name is inserted as an expression, and not grouped: `a|b` anchors only half of each alternative.
    fn expression(name: &str) -> Result<Self, String> {
        let tag_and_digest = "(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?";
        regexp::compile(&format!("^{name}{tag_and_digest}$")).map(Self::Expression)
    }

    /// Whether `image` is one of those it stands for, with or without tag and digest.
    pub(super) fn is_match(&self, image: &str) -> bool {
        match self {
            Self::Expression(expression) => expression.is_match(image),
            Self::Plain(name) => regexp::strip(name, image)
                .is_some_and(|rest| without_part("@sha256:", without_part(":", rest)).is_empty()),
        }
    }
}

/// What is left after a mark and the letters that may follow it.
fn without_part<'t>(mark: &str, text: &'t str) -> &'t str {
    let follows = |letter: char| letter.is_ascii_alphanumeric() || "_.{}-".contains(letter);
    text.strip_prefix(mark).map_or(text, |rest| rest.trim_start_matches(follows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_stands_for_the_images_that_it_stands_for_as_an_expression() {
        let names = ["", "a", "a.b/c", "a/b-c_d", "host:5000/a", "a@sha256:1", "a:", "..", "a.b/c:v1"];
        let starts = ["", "a", "a.b/c", "aXb/c", "a\nb/c", "a/b-c_d", "host:5000/a", "é.", "ab", "aa"];
        let ends = [
            "",
            ":",
            ":v1",
            ":v1.2_{x}-",
            ":v1:v2",
            "@sha256:",
            "@sha256:1f",
            "@sha256",
            "@md5:1",
            ":v1@sha256:1f",
            "@sha256:1f:v1",
            ":v1@sha256:1@sha256:2",
            ":é",
            " ",
            "\n",
            ":v1\n",
        ];
        let mut matched = 0;
        for name in names {
            let plain = ImageName::compile(name).expect(name);
            assert!(matches!(plain, ImageName::Plain(_)), "{name}");
            let expression = ImageName::expression(name).expect(name);
            for (start, end) in starts.iter().flat_map(|start| ends.map(|end| (start, end))) {
                let image = format!("{start}{end}");
                assert_eq!(plain.is_match(&image), expression.is_match(&image), "{name:?} and {image:?}");
                matched += u32::from(plain.is_match(&image));
            }
        }
        assert!(matched > 50, "{matched}");
    }

    #[test]
    fn a_name_that_says_more_is_an_expression() {
        for name in ["a|b", "a*", "[ab]", "a\\.b", "(a)", "a b"] {
            assert!(matches!(ImageName::compile(name), Ok(ImageName::Expression(_))), "{name}");
        }
        assert!(ImageName::compile("a[").is_err());
    }
}
