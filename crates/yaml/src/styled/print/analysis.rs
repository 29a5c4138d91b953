//! Which styles a text allows, in braces and out of them.

use crate::print::{is_break, is_printable};

/// What the printer may choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allowed {
    pub(super) flow_plain: bool,
    pub(super) block_plain: bool,
    pub(super) single_quoted: bool,
    pub(super) block: bool,
    pub(super) multi_line: bool,
}

/// What is found in a text.
#[derive(Default)]
struct Found {
    flow_indicators: bool,
    block_indicators: bool,
    special: bool,
    tabs: bool,
    breaks: bool,
    break_space: bool,
    space_break: bool,
}

/// Looks at every character once.
pub(super) fn analyze(text: &str) -> Allowed {
    if text.is_empty() {
        return Allowed {
            flow_plain: false,
            block_plain: true,
            single_quoted: true,
            block: false,
            multi_line: false,
        };
    }
    let found = find(text);
    let edge = |character: char| character == ' ' || is_break(character);
    let edges = text.starts_with(edge) || text.ends_with(edge);
    let quoted_only = found.space_break || found.special;
    let plain = !edges && !found.break_space && !quoted_only && !found.tabs && !found.breaks;
    Allowed {
        flow_plain: plain && !found.flow_indicators,
        block_plain: plain && !found.block_indicators,
        single_quoted: !found.break_space && !quoted_only && !found.tabs,
        block: !quoted_only && !text.ends_with(' '),
        multi_line: found.breaks,
    }
}

fn find(text: &str) -> Found {
    let mut found = Found::default();
    if text.starts_with("---") || text.starts_with("...") {
        (found.flow_indicators, found.block_indicators) = (true, true);
    }
    let mut previous = ' ';
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let before_blank = characters.peek().is_none_or(|(_, next)| matches!(next, ' ' | '\t'));
        let after_blank = matches!(previous, ' ' | '\t') || is_break(previous);
        let (flow, block) = match character {
            '#' if at == 0 || after_blank => (true, true),
            ',' | '[' | ']' | '{' | '}' => (true, at == 0),
            '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' if at == 0 => (true, true),
            '?' => (true, at == 0 && before_blank),
            ':' => (true, before_blank),
            '-' if at == 0 && before_blank => (true, true),
            _ => (false, false),
        };
        found.flow_indicators |= flow;
        found.block_indicators |= block;
        if character == '\t' {
            found.tabs = true;
        } else {
            found.special |= !is_printable(character);
        }
        let breaks = is_break(character);
        found.breaks |= breaks;
        found.break_space |= character == ' ' && at > 0 && is_break(previous);
        found.space_break |= breaks && at > 0 && previous == ' ';
        previous = character;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_follow_the_text() {
        for (text, flow, block, single, literal) in [
            ("a,b", false, true, true, true),
            ("a:b", false, true, true, true),
            ("a?b", false, true, true, true),
            ("a: b", false, false, true, true),
            ("a #b", false, false, true, true),
            ("a#b", true, true, true, true),
            ("-a", true, true, true, true),
            ("?a", false, true, true, true),
            ("- a", false, false, true, true),
            ("a ", false, false, true, false),
            ("a\tb", false, false, false, true),
            ("a\nb", false, false, true, true),
            ("a \nb", false, false, false, false),
            ("a\n b", false, false, false, true),
            ("a\u{1f600}", false, false, false, false),
            ("", false, true, true, false),
        ] {
            let allowed = analyze(text);
            assert_eq!(
                (allowed.flow_plain, allowed.block_plain, allowed.single_quoted, allowed.block),
                (flow, block, single, literal),
                "{text:?}"
            );
        }
    }
}
