//! Why text that is not YAML is none, in the words of those who write it.

use millrace_yaml::read::{Flaw, Resolver, anchors, continued, flaw};

use super::flaws::{Broken, outside_of_block_text};
use super::near::quoted;

/// A cause, and the line it stands on.
pub(super) struct Cause {
    pub(super) line: Option<usize>,
    pub(super) text: String,
}

impl Cause {
    pub(super) fn at(line: usize, text: impl Into<String>) -> Self {
        Self { line: Some(line), text: text.into() }
    }
}

/// What to say of a template that nothing has filled in.
pub(super) const TEMPLATE: &str =
    "'{{' begins a map in YAML: put the value in quotes, or render the template first";

/// What to say of text in another encoding.
pub(crate) const NOT_UTF8: &str = "this is not UTF-8: save the file in that encoding";

/// What to say of a line that is indented with what looks like spaces.
pub(super) const NO_BREAK_SPACE: &str =
    "the line is indented with a no-break space: YAML takes plain spaces only";

/// Whether a line holds a template outside of quotes.
pub(super) fn is_template(line: &str) -> bool {
    let begins = |text: &str| text.starts_with("{{");
    begins(line.trim().trim_start_matches("- ")) || begins(value_of(line))
}

/// The usual causes of a reader's problem at a line of a text; where none is seen, the problem itself.
pub(super) fn cause(text: &str, is_utf8: bool, line: Option<usize>, problem: &str) -> Cause {
    if let Some(cause) = in_any_place(text, is_utf8) {
        return cause;
    }
    let is_it = |flaw: &Flaw| problem.contains(&flaw.problem);
    let flaw = [Resolver::Kustomize, Resolver::Kubernetes]
        .into_iter()
        .find_map(|resolver| flaw(text, resolver).filter(is_it));
    let broken = flaw.as_ref().map(|flaw| Broken::new(flaw, text));
    let Some(number) = broken.as_ref().map(Broken::line).or(line) else {
        return without_line(text, problem);
    };
    let lines = Lines { text, number, continued: continued(text, Resolver::Kustomize) };
    let by_places =
        |broken: &Broken<'_>| broken.colons().or_else(|| broken.brackets()).or_else(|| broken.indentation());
    let broken = broken.as_ref();
    broken
        .and_then(Broken::quotes)
        .or_else(|| lines.begun_wrong())
        .or_else(|| broken.and_then(Broken::start))
        .or_else(|| no_break_space(text))
        .or_else(|| broken.and_then(by_places))
        .or_else(|| lines.values(problem))
        .unwrap_or_else(|| Cause { line: Some(number), text: plain(problem) })
}

/// What is wrong with a text whatever a reader says.
fn in_any_place(text: &str, is_utf8: bool) -> Option<Cause> {
    let at = |is_bad: fn(&str) -> bool, says: &str| {
        text.lines().position(is_bad).map(|index| Cause::at(index + 1, says))
    };
    at(is_conflict_marker, "a conflict of a merge was left in the file")
        .or_else(|| at(|line| line.contains('\u{fffd}'), NOT_UTF8).filter(|_| !is_utf8))
        .or_else(|| at(|line| line.chars().any(is_control), "a control character stands in this line"))
}

/// A line that is indented with what looks like spaces.
fn no_break_space(text: &str) -> Option<Cause> {
    let is_one = |line: &str| {
        let is_key = line.contains(':') || line.trim_start().starts_with('-');
        is_key && leading(line).contains(|letter: char| !letter.is_ascii())
    };
    let bad = outside_of_block_text(text).find(|(_, line)| is_one(line));
    bad.map(|(index, _)| Cause::at(index + 1, NO_BREAK_SPACE))
}

/// The cause of a problem that has no line, as that of a chart's template which begins with what is no YAML.
fn without_line(text: &str, problem: &str) -> Cause {
    let first = text.lines().position(|line| !line.is_empty() && !line.starts_with('#'));
    let is_template = |index: &usize| text.lines().nth(*index).is_some_and(is_template);
    match first.filter(is_template) {
        Some(index) => Cause::at(index + 1, TEMPLATE),
        None => Cause { line: None, text: plain(problem) },
    }
}

/// A text, and the line that a reader names: it may notice only behind the line that is wrong, or name the one before it.
struct Lines<'l> {
    text: &'l str,
    number: usize,
    /// The lines that go on with a scalar.
    continued: Vec<usize>,
}

impl<'l> Lines<'l> {
    fn at(&self, number: usize) -> &'l str {
        number.checked_sub(1).and_then(|index| self.text.lines().nth(index)).unwrap_or_default()
    }

    /// Whether a line is one of a text, in which anything may stand.
    fn is_text(&self, number: usize) -> bool {
        let is_read = number <= self.number;
        self.continued.contains(&number)
            || !is_read && !outside_of_block_text(self.text).any(|(index, _)| index + 1 == number)
    }

    /// Lines that begin with what they must not.
    fn begun_wrong(&self) -> Option<Cause> {
        let number = self.number;
        let is_free = |number: &usize| !self.is_text(*number);
        for number in [number, number.saturating_sub(1), number + 1].into_iter().filter(is_free) {
            let line = self.at(number);
            if leading(line).contains('\t') {
                return Some(Cause::at(number, "the line is indented with a tab: YAML takes spaces only"));
            }
            if leading(line).contains(|letter: char| !letter.is_ascii()) {
                return Some(Cause::at(number, NO_BREAK_SPACE));
            }
            if is_template(line) {
                return Some(Cause::at(number, TEMPLATE));
            }
        }
        for number in [number, number.saturating_sub(1)].into_iter().filter(is_free) {
            if is_tight_entry(self.at(number), self.at(number.saturating_sub(1))) {
                return Some(Cause::at(number, "the '-' that begins an entry wants a space behind it"));
            }
        }
        None
    }

    /// Values that want quotes, and anchors.
    fn values(&self, problem: &str) -> Option<Cause> {
        let number = self.number;
        if problem.contains("mapping values are not allowed") {
            for number in
                [number, number.saturating_sub(1)].into_iter().filter(|number| !self.is_text(*number))
            {
                let value = value_of(self.at(number));
                if !value.starts_with(['"', '\'', '|', '>', '{', '['])
                    && (value.contains(": ") || value.ends_with(':'))
                {
                    return Some(Cause::at(number, "a value with ': ' in it wants quotes"));
                }
            }
            return Some(Cause::at(
                number,
                "this line is indented further than the one it belongs to, or ends a value that wants quotes",
            ));
        }
        if problem.contains(" value contains itself") {
            return Some(Cause::at(number, "an alias stands within the value of its own anchor"));
        }
        if let Some(says) = self.missing_anchor(problem) {
            return Some(Cause::at(number, says));
        }
        let first = value_of(self.at(number)).chars().next().filter(|first| is_blamed(*first, problem))?;
        Some(Cause::at(number, format!("a value that begins with '{first}' wants quotes")))
    }

    /// That an alias names an anchor which is not there, or doesn't reach it.
    fn missing_anchor(&self, problem: &str) -> Option<String> {
        let (text, number) = (self.text, self.number);
        let name = problem.split_once("unknown anchor '")?.1.split_once('\'')?.0;
        let shown = quoted(name);
        let Some(at) = anchors(text, Resolver::Kustomize, name).into_iter().next() else {
            // Elsewhere it may be text, which may be secret.
            let is_merge = self.at(number).trim().trim_start_matches("- ").starts_with("<<");
            return Some(if is_merge {
                format!("no anchor {shown} is in this document")
            } else {
                "no anchor of this name is in the document: text that begins with '*' wants quotes".to_owned()
            });
        };
        let (first, last) = (at.min(number), at.max(number));
        let is_apart = text.lines().skip(first).take(last - first).any(|line| line.starts_with("---"));
        if is_apart {
            Some(format!("the anchor {shown} stands in another document of the file, and counts there alone"))
        } else {
            (at > number).then(|| format!("the anchor {shown} stands further down: it is to come first"))
        }
    }
}

/// What is wrong with text that is YAML, by the reference's words for a value in it; nothing for other words.
pub(super) fn of_value(problem: &str) -> Option<&'static str> {
    let says = [
        ("invalid map key", "a key is to be text, and one here is a map or a list"),
        ("unsupported map key of type", "a key is to be text, and one here is null"),
        ("cannot decode !!", "a value here is not what its tag says"),
        ("map merge requires", "'<<' takes a map, or a list of maps"),
        ("duplicate merge key", "'<<' stands twice in this map"),
        ("value contains invalid base64 data", "a value here is no base64, which its tag says"),
    ];
    says.iter().find(|(words, _)| problem.contains(words)).map(|(_, says)| *says)
}

/// The problem without what it quotes, which may be secret.
fn plain(problem: &str) -> String {
    if let Some(says) = of_value(problem) {
        return says.to_owned();
    }
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

/// Whether a line begins an entry of a list without a space behind the dash, below the list's key or another entry.
fn is_tight_entry(line: &str, above: &str) -> bool {
    let begins = |line: &str| {
        line.trim_start().strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
    };
    let above = above.trim();
    let is_key = line.contains(": ") || line.ends_with(':');
    begins(line) && (is_key || above.ends_with(':') || above.starts_with("- ") || begins(above))
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
        '&' | '*' => &["alphabetic or numeric character"],
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
            ("a: &x [b", Some(1), "did not find expected ',' or ']'", (1, "'[' that is opened here")),
            ("a: !x [b", Some(1), "did not find expected ',' or ']'", (1, "'[' that is opened here")),
            (
                "# a: {{ b }}\na: [b",
                Some(2),
                "did not find expected ',' or ']'",
                (2, "'[' that is opened here"),
            ),
            (
                "a: [b\nc: d # {{ e }}",
                Some(2),
                "did not find expected ',' or ']'",
                (1, "'[' that is opened here"),
            ),
            (
                "- \"a: {{ b }}\"\n- [b",
                Some(2),
                "did not find expected ',' or ']'",
                (2, "'[' that is opened here"),
            ),
            ("- {{ b }}", Some(1), "invalid map key", (1, "'{{'")),
            (
                "a: [b",
                Some(2),
                "yaml: line 2: did not find expected ',' or ']'",
                (1, "'[' that is opened here"),
            ),
            ("x", Some(1), "cannot decode !!str `hunter2` as a !!int", (1, "what its tag says")),
            ("x", Some(1), "control characters are not allowed", (1, "not YAML")),
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

    /// Breaks that end lines for a reader of YAML alone, and letters of several bytes at the places that it names.
    #[test]
    fn lines_are_told_of_texts_that_others_divide_otherwise() {
        for wrong in
            ["\"é", "'é' ö", "[é", "{é: ö", "é: ö: ü", "é\n ö: ü", "- é\nö: ü", "|\n  é\n ö: ü", "*é", "]"]
        {
            for between in ["\n", "\r", "\r\n", "\u{85}", "\u{2028}", "é\r", "\u{feff}"] {
                let text = format!("ä: \"ß\"{between}ö: ü{between}é: {wrong}{between}ü: 'ä'\n");
                for resolver in [Resolver::Kustomize, Resolver::Kubernetes] {
                    let Some(flaw) = flaw(&text, resolver) else { continue };
                    assert!(
                        cause(&text, true, None, &flaw.problem).line.is_some_and(|line| line > 0),
                        "{text:?}"
                    );
                }
            }
        }
    }
}
