//! Wildcards within one path component: `*`, `?`, `[a-z]`, `[^a]` and `\`.

/// A parsed wildcard text. A malformed one matches nothing.
#[derive(Debug, Clone)]
pub(super) struct Glob {
    /// `None`: malformed.
    tokens: Option<Vec<Token>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Star,
    AnyOne,
    One(u32),
    Class { negated: bool, ranges: Vec<(u32, u32)> },
}

impl Glob {
    pub(super) fn parse(text: &[u8]) -> Self {
        Self { tokens: parse(&characters(text)) }
    }

    /// Says whether the whole of `name` fits.
    pub(super) fn matches(&self, name: &[u8]) -> bool {
        self.tokens.as_ref().is_some_and(|tokens| matches(tokens, &characters(name)))
    }
}

fn parse(text: &[u32]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match char::from_u32(*first) {
            Some('*') if tokens.last() == Some(&Token::Star) => {}
            Some('*') => tokens.push(Token::Star),
            Some('?') => tokens.push(Token::AnyOne),
            Some('[') => {
                let (class, tail) = parse_class(rest)?;
                tokens.push(class);
                rest = tail;
            }
            Some('\\') => {
                let (escaped, tail) = rest.split_first()?;
                tokens.push(Token::One(*escaped));
                rest = tail;
            }
            _ => tokens.push(Token::One(*first)),
        }
    }
    Some(tokens)
}

/// Parses what follows `[`, up to and including `]`.
fn parse_class(mut rest: &[u32]) -> Option<(Token, &[u32])> {
    let is = |rest: &[u32], c: char| rest.first() == Some(&u32::from(c));
    let negated = is(rest, '^');
    if negated {
        rest = &rest[1..];
    }
    let mut ranges = Vec::new();
    while ranges.is_empty() || !is(rest, ']') {
        let (low, tail) = parse_bound(rest)?;
        rest = tail;
        let mut high = low;
        if is(rest, '-') {
            (high, rest) = parse_bound(&rest[1..])?;
        }
        ranges.push((low, high));
    }
    Some((Token::Class { negated, ranges }, &rest[1..]))
}

/// Parses one character of a class, which must not be its last.
fn parse_bound(rest: &[u32]) -> Option<(u32, &[u32])> {
    let (first, mut tail) = rest.split_first()?;
    let mut bound = *first;
    match char::from_u32(bound) {
        Some('-' | ']') => return None,
        Some('\\') => (bound, tail) = tail.split_first().map(|(escaped, tail)| (*escaped, tail))?,
        _ => {}
    }
    (!tail.is_empty()).then_some((bound, tail))
}

fn matches(tokens: &[Token], name: &[u32]) -> bool {
    let (mut token, mut at) = (0, 0);
    // Where to continue when the tokens after the last star don't fit: one character further on.
    let mut retry: Option<(usize, usize)> = None;
    while at < name.len() || token < tokens.len() {
        match tokens.get(token) {
            Some(Token::Star) => {
                retry = Some((token, at + 1));
                token += 1;
                continue;
            }
            Some(one) if name.get(at).is_some_and(|c| fits(one, *c)) => {
                token += 1;
                at += 1;
                continue;
            }
            _ => {}
        }
        match retry {
            Some((star, next)) if next <= name.len() => {
                (token, at) = (star + 1, next);
                retry = Some((star, next + 1));
            }
            _ => return false,
        }
    }
    true
}

fn fits(token: &Token, c: u32) -> bool {
    match token {
        Token::Star => false,
        Token::AnyOne => true,
        Token::One(one) => *one == c,
        Token::Class { negated, ranges } => {
            ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated
        }
    }
}

/// Splits a name into characters; each byte that is not UTF-8 counts as one, beyond all others.
fn characters(text: &[u8]) -> Vec<u32> {
    let mut characters = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        characters.extend(chunk.valid().chars().map(u32::from));
        characters.extend(chunk.invalid().iter().map(|byte| 0x11_0000 + u32::from(*byte)));
    }
    characters
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn wildcards_fit_what_they_should() {
        let rows: &[(&str, &[&str], &[&str])] = &[
            ("abc", &["abc"], &["ab", "abcd", ""]),
            ("*", &["", "a", "é"], &[]),
            ("a*", &["a", "abc"], &["ba"]),
            ("*b*d", &["abcd", "bd", "bbdd"], &["abc", "bdx"]),
            ("a?c", &["abc", "aéc"], &["ac", "abbc"]),
            ("[a-c]x[^0-9]", &["axb", "cxy"], &["dxb", "ax1", "ax"]),
            ("[\\]]", &["]"], &["\\"]),
            ("[a\\-z]", &["a", "-", "z"], &["b"]),
            ("\\*", &["*"], &["a"]),
            ("[^a]", &["é", "^"], &["a", ""]),
            ("[!a]", &["!", "a"], &["b"]),
            ("*a*a*a*a*b", &[], &["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]),
        ];
        for (glob, fitting, others) in rows {
            let parsed = Glob::parse(glob.as_bytes());
            for name in *fitting {
                assert!(parsed.matches(name.as_bytes()), "{glob} should fit {name}");
            }
            for name in *others {
                assert!(!parsed.matches(name.as_bytes()), "{glob} should not fit {name}");
            }
        }
    }

    #[test]
    fn malformed_wildcards_match_nothing() {
        for glob in ["[", "[a", "[]", "[]a]", "[-]", "[a-]", "[a-", "a\\", "[^]", "[\\", "*[", "a["] {
            let parsed = Glob::parse(glob.as_bytes());
            for name in ["", "a", "[", "]", "-", glob] {
                assert!(!parsed.matches(name.as_bytes()), "{glob} on {name}");
            }
        }
    }

    #[test]
    fn a_byte_outside_utf8_is_one_character() {
        assert!(Glob::parse(b"a?b").matches(b"a\xffb"));
        assert!(Glob::parse(b"a\xffb").matches(b"a\xffb"));
        assert!(!Glob::parse(b"a\xffb").matches(b"a\xfeb"));
    }
}
