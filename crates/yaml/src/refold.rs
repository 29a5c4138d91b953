//! What becomes of folded text once go-yaml has written it and read it again.

use crate::print::is_break;
use crate::styled;

/// Text as it reads after go-yaml printed it with `>`; `None` where that changes nothing.
///
/// The emitter writes one break more than a group of breaks has where the line before starts with no blank, as the reader takes
/// one away: but not before a line that starts with a blank, nor from breaks at the end that are kept. And it writes none at all
/// where the first line that isn't empty starts with a blank.
pub(crate) fn refolded(text: &str) -> Option<String> {
    if !text.contains('\n') || !styled::allows_block(text) {
        return None;
    }
    let starts_blank = text.trim_start_matches(is_break).starts_with(is_blank);
    let mut refolded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_break) {
        let (line, breaks) = rest.split_at(start);
        let end = breaks.find(|character| !is_break(character)).unwrap_or(breaks.len());
        let (breaks, after) = breaks.split_at(end);
        refolded.push_str(line);
        refolded.push_str(&between(line, breaks, after, starts_blank));
        rest = after;
    }
    refolded.push_str(rest);
    (refolded != text).then_some(refolded)
}

/// What the breaks between two lines are read as.
fn between(line: &str, breaks: &str, after: &str, starts_blank: bool) -> String {
    let is_doubled =
        !line.is_empty() && !line.starts_with(is_blank) && !starts_blank && breaks.starts_with('\n');
    let written = if is_doubled { format!("\n{breaks}") } else { breaks.to_owned() };
    if after.is_empty() {
        // One break at the end is kept as one; more are all kept.
        return if breaks.chars().nth(1).is_some() { written } else { breaks.to_owned() };
    }
    let joins = !line.is_empty() && !line.starts_with(is_blank) && !after.starts_with(is_blank);
    match written.strip_prefix('\n') {
        Some("") if joins => " ".to_owned(),
        Some(more) if joins => more.to_owned(),
        _ => written,
    }
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_text_changes_around_lines_that_start_with_a_blank() {
        for (text, expected) in [
            ("a\nb\n", None),
            ("a\n\nb\n", None),
            ("a b", None),
            ("a\n b\nc\n", Some("a\n\n b\nc\n")),
            ("a\n\n b\n", Some("a\n\n\n b\n")),
            ("a\n\n", Some("a\n\n\n")),
            ("a\n b\n\n", Some("a\n\n b\n\n")),
            (" a\nb\nc\n", Some(" a\nb c\n")),
            (" a\nb\n\nc\n", Some(" a\nb\nc\n")),
            ("\n\na\nb\n", None),
        ] {
            assert_eq!(refolded(text).as_deref(), expected, "{text:?}");
        }
    }
}
