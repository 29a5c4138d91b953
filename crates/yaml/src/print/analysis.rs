//! Which styles a text allows.

/// What the emitter may choose from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Allowed {
    pub(super) plain: bool,
    pub(super) single_quoted: bool,
    pub(super) literal: bool,
    pub(super) multi_line: bool,
}

/// Looks at every character once, and closely at those alone that matter.
pub(super) fn analyze(text: &str) -> Allowed {
    if text.is_empty() {
        return Allowed { plain: true, single_quoted: true, literal: false, multi_line: false };
    }
    let bytes = text.as_bytes();
    let mut indicators = text.starts_with("---") || text.starts_with("...") || starts_with_indicator(text);
    let (mut special, mut breaks, mut break_space, mut space_break) = (false, false, false, false);
    let mut previous = Class::Start;
    let mut at = 0;
    loop {
        let ordinary = bytes[at..].iter().take_while(|byte| is_ordinary(**byte)).count();
        if ordinary > 0 {
            at += ordinary;
            previous = Class::Other;
        }
        let Some(character) = text[at..].chars().next() else { break };
        let next = at + character.len_utf8();
        match character {
            ':' if at > 0 => indicators |= bytes.get(next).copied().is_none_or(is_blank),
            '#' if at > 0 => indicators |= previous != Class::Other,
            _ => {}
        }
        special |= !is_printable(character);
        let class = Class::of(character);
        break_space |= previous == Class::Break && class == Class::Space;
        space_break |= previous == Class::Space && class == Class::Break;
        breaks |= class == Class::Break;
        previous = class;
        at = next;
    }
    let first = text.chars().next().map_or(Class::Start, Class::of);
    let edges =
        matches!(first, Class::Space | Class::Break) || matches!(previous, Class::Space | Class::Break);
    let quoted_only = space_break || special;
    Allowed {
        plain: !indicators && !edges && !break_space && !quoted_only && !breaks,
        single_quoted: !break_space && !quoted_only,
        literal: previous != Class::Space && !quoted_only,
        multi_line: breaks,
    }
}

/// Kinds of characters as far as layout goes; a TAB is special anyway, but it also separates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Start,
    Space,
    Tab,
    Break,
    Other,
}

impl Class {
    fn of(character: char) -> Self {
        match character {
            ' ' => Self::Space,
            '\t' => Self::Tab,
            other if is_break(other) => Self::Break,
            _ => Self::Other,
        }
    }
}

fn starts_with_indicator(text: &str) -> bool {
    match text.as_bytes() {
        [
            b'#' | b',' | b'[' | b']' | b'{' | b'}' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%'
            | b'@' | b'`',
            ..,
        ] => true,
        [b'?' | b':' | b'-', rest @ ..] => rest.first().copied().is_none_or(is_blank),
        _ => false,
    }
}

/// Most of most texts: printed as it is, whatever stands beside it.
fn is_ordinary(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~') && !matches!(byte, b':' | b'#')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Line breaks of YAML 1.1.
pub(crate) fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Characters that go-yaml writes as they are; everything above U+FFFF is missing.
pub(crate) fn is_printable(character: char) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_follow_the_text() {
        for (text, plain, single, literal) in [
            ("a,b", true, true, true),
            ("a:b", true, true, true),
            ("a: b", false, true, true),
            ("a:", false, true, true),
            ("a #b", false, true, true),
            ("a#b", true, true, true),
            ("-a", true, true, true),
            ("- a", false, true, true),
            ("-", false, true, true),
            ("---a", false, true, true),
            ("a ", false, true, false),
            (" a", false, true, true),
            ("a\nb", false, true, true),
            ("a \nb", false, false, false),
            ("a\n b", false, false, true),
            ("a\tb", false, false, false),
            ("a\u{1f600}", false, false, false),
            ("", true, true, false),
        ] {
            let allowed = analyze(text);
            assert_eq!(
                (allowed.plain, allowed.single_quoted, allowed.literal),
                (plain, single, literal),
                "{text:?}"
            );
        }
    }
}
