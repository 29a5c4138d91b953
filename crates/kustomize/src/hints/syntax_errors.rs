//! Why text that is not YAML is none, in the words of those who write it.

use super::near::quoted;

/// A cause, and the line it stands on.
pub(super) struct Cause {
    pub(super) line: Option<usize>,
    pub(super) text: String,
}

/// What to say of a template that nothing has filled in.
pub(super) const TEMPLATE: &str =
    "'{{' begins a map in YAML: put the value in quotes, or render the template first";

/// What to say of text in another encoding.
pub(crate) const NOT_UTF8: &str = "this is not UTF-8: save the file in that encoding";

/// Whether a line holds a template outside of quotes.
pub(super) fn is_template(line: &str) -> bool {
    let begins = |text: &str| text.starts_with("{{");
    begins(line.trim().trim_start_matches("- ")) || begins(value_of(line))
}

/// The usual causes of a reader's problem at a line of a text; where none is seen, the problem itself.
pub(super) fn cause(text: &str, is_utf8: bool, line: Option<usize>, problem: &str) -> Cause {
    let at = |line: usize, text: &str| Cause { line: Some(line), text: text.to_owned() };
    if let Some(marker) = text.lines().position(is_conflict_marker) {
        return at(marker + 1, "a conflict of a merge was left in the file");
    }
    if !is_utf8 && let Some(bad) = text.lines().position(|line| line.contains('\u{fffd}')) {
        return at(bad + 1, NOT_UTF8);
    }
    if let Some(bad) = text.lines().position(|line| line.chars().any(is_control)) {
        return at(bad + 1, "a control character stands in this line");
    }
    let Some(number) = line else {
        // A chart's template, which begins with what is no YAML, has no line.
        let first = text.lines().position(|line| !line.is_empty() && !line.starts_with('#'));
        let is_template = |index: &usize| text.lines().nth(*index).is_some_and(is_template);
        return match first.filter(is_template) {
            Some(index) => at(index + 1, TEMPLATE),
            None => Cause { line, text: plain(problem) },
        };
    };
    let lines: Vec<&str> = text.lines().skip(number.saturating_sub(2)).take(2).collect();
    let (before, here) = match (number, &lines[..]) {
        (0 | 1, [here, ..]) => ("", *here),
        (_, [before, here]) => (*before, *here),
        (_, [before]) => (*before, ""),
        _ => ("", ""),
    };
    let next = text.lines().nth(number).unwrap_or_default();
    // A reader may notice only behind the line that is wrong, or name the one before it.
    for (line, number) in [(here, number), (before, number.saturating_sub(1)), (next, number + 1)] {
        if leading(line).contains('\t') {
            return at(number, "the line is indented with a tab: YAML takes spaces only");
        }
        if is_template(line) {
            return at(number, TEMPLATE);
        }
    }
    for (line, number) in [(here, number), (before, number.saturating_sub(1))] {
        let above = number.checked_sub(2).and_then(|above| text.lines().nth(above)).unwrap_or_default();
        if is_tight_entry(line, above) {
            return at(number, "the '-' that begins an entry wants a space behind it");
        }
    }
    if problem.contains("did not find expected key")
        && let Some(bad) = misaligned(text).filter(|bad| number.abs_diff(*bad) <= 1)
    {
        return at(bad, "the line is indented less than the one above it, and like none before");
    }
    if problem.contains("mapping values are not allowed") {
        for (line, back) in [(here, 0), (before, 1)] {
            let value = value_of(line);
            if !value.starts_with(['"', '\'', '|', '>', '{', '['])
                && (value.contains(": ") || value.ends_with(':'))
            {
                return at(number - back, "a value with ': ' in it wants quotes");
            }
        }
        return at(
            number,
            "this line is indented further than the one it belongs to, or ends a value that wants quotes",
        );
    }
    if let Some(says) = misplaced_anchor(text, number, problem) {
        return at(number, &says);
    }
    if let Some(first) = value_of(here).chars().next().filter(|first| is_blamed(*first, problem)) {
        return at(number, &format!("a value that begins with '{first}' wants quotes"));
    }
    if problem.contains("unexpected end of stream") {
        return at(number, "a quote that is opened here is never closed");
    }
    Cause { line, text: plain(problem) }
}

/// That an alias names an anchor which doesn't reach it.
fn misplaced_anchor(text: &str, number: usize, problem: &str) -> Option<String> {
    let name = problem.split_once("unknown anchor '")?.1.split_once('\'')?.0;
    let begins = |line: &str| {
        let line = line.trim().trim_start_matches("- ");
        let anchored = [line, value_of(line)].into_iter().filter_map(|value| value.strip_prefix('&'));
        anchored.filter_map(|value| value.strip_prefix(name)).any(|rest| !rest.starts_with(is_of_name))
    };
    let at = text.lines().position(begins)? + 1;
    let (first, last) = (at.min(number), at.max(number));
    let is_apart = text.lines().skip(first).take(last - first).any(|line| line.starts_with("---"));
    let name = quoted(name);
    if is_apart {
        Some(format!("the anchor {name} stands in another document of the file, and counts there alone"))
    } else {
        (at > number).then(|| format!("the anchor {name} stands further down: it is to come first"))
    }
}

/// Whether a letter goes on with the name of an anchor.
fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-')
}

/// The problem without what it quotes, which may be secret.
fn plain(problem: &str) -> String {
    let problem = problem.trim_start_matches("MalformedYAMLError: ").trim_start_matches("yaml: ");
    let problem = match problem.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        Some(_) | None => problem,
    };
    let is_known = ["did not find expected", "could not find expected", "found ", "mapping values", "block "]
        .iter()
        .any(|start| problem.starts_with(start));
    if is_known && problem.len() < 100 { format!("not YAML: {problem}") } else { "not YAML".to_owned() }
}

fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<< ", "||||||| ", ">>>>>>> "].iter().any(|marker| line.starts_with(marker)) || line == "======="
}

/// The first line that ends what is indented further, and goes on with nothing that was begun.
fn misaligned(text: &str) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let (indent, line) = (leading(line).len(), line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let ended = open.pop_if(|above| *above > indent).is_some();
        while open.pop_if(|above| *above > indent).is_some() {}
        if ended && open.last().is_none_or(|above| *above < indent) {
            return Some(index + 1);
        }
        // What stands behind a dash is indented as well.
        let begins = line.len() - line.trim_start_matches("- ").len();
        for place in [indent, indent + begins] {
            if open.last().is_none_or(|above| *above < place) {
                open.push(place);
            }
        }
    }
    None
}

/// Whether a line begins an entry of a list without a space behind the dash, below the list's key or another entry.
fn is_tight_entry(line: &str, above: &str) -> bool {
    let begins = |line: &str| {
        line.trim_start().strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
    };
    let above = above.trim();
    begins(line) && (above.ends_with(':') || above.starts_with("- ") || begins(above))
}

fn is_control(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\t' | '\r' | '\u{85}')
}

fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Whether a problem is about the character that a value begins with: a value may well begin with an anchor, an alias or a tag.
fn is_blamed(first: char, problem: &str) -> bool {
    let about: &[&str] = match first {
        '@' | '`' | '%' => &["cannot start any token"],
        '&' | '*' => &["anchor", "alias", "alphabetic or numeric character"],
        '!' => &["tag", "URI", "whitespace or line break"],
        _ => &[],
    };
    about.iter().any(|about| problem.contains(about))
}

/// What stands behind the first key of a line.
fn value_of(line: &str) -> &str {
    let line = line.trim().trim_start_matches("- ");
    let behind = match line.chars().next() {
        Some('#') => None,
        Some('"') => line.split_once("\": "),
        Some('\'') => line.split_once("': "),
        Some(_) | None => line.split_once(": "),
    };
    behind.map_or("", |(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_causes_are_told() {
        for (text, line, problem, told) in [
            (
                "a:\n\tb: c",
                Some(2),
                "found character that cannot start any token",
                (2, "indented with a tab"),
            ),
            ("a: b\nc: http://x: y", Some(2), "mapping values are not allowed in this context", (2, "': '")),
            (
                "a:\n- b\n c: d",
                Some(3),
                "mapping values are not allowed in this context",
                (3, "indented further"),
            ),
            ("a: {{ .b }}", Some(1), "invalid map key", (1, "'{{'")),
            ("a: b\n<<<<<<< HEAD\n", Some(4), "could not find expected ':'", (2, "conflict")),
            ("a: @b", Some(1), "found character that cannot start any token", (1, "begins with '@'")),
            ("a: *b", Some(1), "unknown anchor 'b' referenced", (1, "begins with '*'")),
            ("a: \"b", Some(1), "found unexpected end of stream", (1, "never closed")),
            (
                "a: *.b",
                Some(1),
                "did not find expected alphabetic or numeric character",
                (1, "begins with '*'"),
            ),
            ("a: &x [b", Some(1), "did not find expected ',' or ']'", (1, "not YAML: did not find")),
            ("a: !x [b", Some(1), "did not find expected ',' or ']'", (1, "not YAML: did not find")),
            (
                "# a: {{ b }}\na: [b",
                Some(2),
                "did not find expected ',' or ']'",
                (2, "not YAML: did not find"),
            ),
            (
                "a: [b\nc: d # {{ e }}",
                Some(2),
                "did not find expected ',' or ']'",
                (2, "not YAML: did not find"),
            ),
            ("- \"a: {{ b }}\"\n- [b", Some(2), "did not find expected ',' or ']'", (2, "not YAML")),
            ("- {{ b }}", Some(1), "invalid map key", (1, "'{{'")),
            (
                "a: [b",
                Some(2),
                "yaml: line 2: did not find expected ',' or ']'",
                (2, "not YAML: did not find"),
            ),
            ("x", Some(1), "cannot decode !!str `hunter2` as a !!int", (1, "not YAML")),
        ] {
            let cause = cause(text, true, line, problem);
            assert_eq!(cause.line, Some(told.0), "{text:?}: {}", cause.text);
            assert!(
                cause.text.contains(told.1) && !cause.text.contains("hunter2"),
                "{text:?}: {}",
                cause.text
            );
        }
        assert_eq!(
            cause("a: \"\u{fffd}", false, Some(1), "").text,
            "this is not UTF-8: save the file in that encoding"
        );
    }
}
