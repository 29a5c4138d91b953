//! Secret values, kept so that no text shows them.
//!
//! Servers quote what they refuse, and some repeat all that they were sent. What they say passes a [`Masker`] before it
//! becomes part of a condition, an event or a log line; so do our own errors that are made from text with values in it.
//!
//! Values are known in all forms in which they are quoted: as they are, line by line, escaped as Go and JSON escape, and in
//! base64. Short ones are ordinary words more often than not, and hiding words tells what the value is: see [`ANYWHERE`] and
//! [`Style::shortest`].

use std::{fmt::Write as _, sync::OnceLock};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD},
};

use crate::Secret;

/// A value of so many bytes is hidden wherever it stands, also inside of a longer word.
pub const ANYWHERE: usize = 8;

/// How values are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// What stands in the place of a value.
    pub hidden: &'static str,
    /// The length in bytes of the shortest value that is hidden. Below [`ANYWHERE`], values are hidden where they are words
    /// of their own; what is shorter than this would hide ordinary text and give nothing away that could not be guessed.
    pub shortest: usize,
}

impl Default for Style {
    /// For what servers say about credentials: nobody chooses four letters that are likely to be said for another reason.
    fn default() -> Self {
        Self { hidden: "***", shortest: 4 }
    }
}

/// Hides the secret values of one run.
#[derive(Clone, Default)]
pub struct Masker {
    style: Style,
    values: Vec<Secret<Vec<u8>>>,
    /// What the values look like in texts. Made when the first text is masked: most runs never need it.
    forms: OnceLock<Vec<Secret<String>>>,
}

impl Masker {
    /// A masker that knows nothing yet, in the default style.
    pub fn new() -> Self {
        Self::default()
    }

    /// A masker that knows nothing yet.
    pub fn in_style(style: Style) -> Self {
        Self { style, ..Self::default() }
    }

    /// Adds a value that must not be shown.
    pub fn add(&mut self, value: &str) {
        self.add_bytes(value.as_bytes());
    }

    /// Adds a value that need not be text.
    pub fn add_bytes(&mut self, value: &[u8]) {
        if value.len() >= self.style.shortest {
            self.values.push(Secret::new(value.to_vec()));
            self.forms = OnceLock::new();
        }
    }

    /// Returns `text` without the values.
    pub fn mask(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for form in self.forms.get_or_init(|| forms_of(&self.values, self.style.shortest)) {
            hide(&mut masked, form.expose(), self.style.hidden);
        }
        masked
    }
}

/// All forms of all values, longest first, so that one which contains another is hidden as a whole.
fn forms_of(values: &[Secret<Vec<u8>>], shortest: usize) -> Vec<Secret<String>> {
    let mut forms = Vec::new();
    for value in values {
        add_forms(value.expose(), &mut forms);
    }
    forms.retain(|form| form.expose().len() >= shortest);
    forms.sort_by(|left, right| {
        let (left, right) = (left.expose(), right.expose());
        right.len().cmp(&left.len()).then_with(|| left.cmp(right))
    });
    forms.dedup_by(|left, right| left == right);
    forms
}

fn add_forms(value: &[u8], forms: &mut Vec<Secret<String>>) {
    for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD] {
        forms.push(Secret::new(engine.encode(value)));
    }
    let text = String::from_utf8_lossy(value);
    let trimmed = text.trim();
    // Some lose their line feeds before they are quoted.
    let joined = trimmed.replace('\n', "");
    let lines = trimmed.lines().map(str::trim).filter(|line| line.len() >= ANYWHERE);
    for form in [text.as_ref(), trimmed, joined.as_str()].into_iter().chain(lines) {
        forms.push(Secret::new(form.to_owned()));
        forms.extend(escaped(form).into_iter().filter(|escaped| escaped != form).map(Secret::new));
    }
}

/// The text as it stands between quotes: Rust's, Go's, those of JSON, and those of Go's JSON.
fn escaped(text: &str) -> [String; 4] {
    let debug = format!("{text:?}");
    let json = escape(text, json_escape);
    let html = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    [debug[1..debug.len() - 1].to_owned(), escape(text, go_escape), json, html]
}

fn escape(text: &str, escape: fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => escape(c, &mut out),
            c => out.push(c),
        }
    }
    out
}

fn go_escape(control: char, out: &mut String) {
    let code = u32::from(control);
    let _ = match control {
        '\x07' => out.write_str("\\a"),
        '\x0b' => out.write_str("\\v"),
        _ if code < 0x80 => write!(out, "\\x{code:02x}"),
        _ => write!(out, "\\u{code:04x}"),
    };
}

fn json_escape(control: char, out: &mut String) {
    let code = u32::from(control);
    // JSON lets all but the lowest stand as they are.
    let _ = if code < 0x20 { write!(out, "\\u{code:04x}") } else { out.write_char(control) };
}

fn hide(text: &mut String, form: &str, hidden: &str) {
    let mut from = 0;
    while let Some(found) = text[from..].find(form) {
        let (start, end) = (from + found, from + found + form.len());
        if form.len() >= ANYWHERE || is_word(text, start, end) {
            text.replace_range(start..end, hidden);
            from = start + hidden.len();
        } else {
            from = end;
        }
    }
}

fn is_word(text: &str, start: usize, end: usize) -> bool {
    let goes_on =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    !goes_on(text[..start].chars().next_back()) && !goes_on(text[end..].chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masker(values: &[&str]) -> Masker {
        let mut masker = Masker::new();
        for value in values {
            masker.add(value);
        }
        masker
    }

    #[test]
    fn long_values_are_hidden_anywhere_and_short_ones_as_words() {
        for (value, text, shown) in [
            ("correct-horse", "is correct-horse-battery", "is ***-battery"),
            ("correct-horse", "incorrect-horse", "in***"),
            ("hunter2", r#"Invalid value: "hunter2": no"#, r#"Invalid value: "***": no"#),
            ("hunter2", "hunter20 and _hunter2", "hunter20 and _hunter2"),
            ("hunter2", "héhunter2", "héhunter2"),
            ("pass", "u:pass@h passed", "u:***@h passed"),
            ("7", "line 7", "line 7"),
            ("", "nothing", "nothing"),
        ] {
            assert_eq!(masker(&[value]).mask(text), shown, "{value:?}");
        }
    }

    #[test]
    fn a_style_says_what_is_too_short_and_what_stands_instead() {
        let mut masker = Masker::in_style(Style { hidden: "*****", shortest: ANYWHERE });
        masker.add("seven77");
        masker.add("eight888");
        assert_eq!(masker.mask("seven77 eight888"), "seven77 *****");
    }

    #[test]
    fn a_value_that_contains_another_is_hidden_as_a_whole() {
        let values = ["hunter2", "hunter2-and-more", "abc"];
        assert_eq!(masker(&values).mask("got hunter2, hunter2-and-more, abc"), "got ***, ***, abc");
    }

    #[test]
    fn what_is_added_later_is_hidden_too() {
        let mut masker = masker(&["correct-horse"]);
        assert_eq!(masker.mask("correct-horse battery-staple"), "*** battery-staple");
        masker.add("battery-staple");
        assert_eq!(masker.mask("correct-horse battery-staple"), "*** ***");
    }

    #[test]
    fn values_are_hidden_in_every_form_in_which_they_are_quoted() {
        let value = "first \"line\" <&>\x0b\u{85}\nsecond line\n";
        let masker = masker(&[value]);
        let json = escape(value, json_escape);
        for quoted in [
            STANDARD.encode(value),
            URL_SAFE_NO_PAD.encode(value),
            value.to_owned(),
            value.replace('\n', ""),
            format!("{value:?}"),
            "first \\\"line\\\" <&>\\v\\u0085\\nsecond line\\n".to_owned(),
            "first \\\"line\\\" <&>\\u000b\u{85}\\nsecond line\\n".to_owned(),
            json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"),
            "second line".to_owned(),
        ] {
            let shown = masker.mask(&format!("invalid: {quoted}"));
            assert!(!shown.contains("line") && shown.starts_with("invalid: "), "{quoted}: {shown}");
            assert!(shown.len() < "invalid: ".len() + 10, "{quoted}: {shown}");
        }
        let binary = [0xff, 0xfe, 0x00, 0x01, 0x02, 0x03];
        let mut masker = Masker::new();
        masker.add_bytes(&binary);
        assert_eq!(masker.mask(&STANDARD.encode(binary)), "***");
    }

    #[test]
    fn values_that_occur_more_than_once_are_compared_once() {
        let values: Vec<_> = (0..20_000).map(|at| format!("value-{:02}", at % 50)).collect();
        let values: Vec<_> = values.iter().map(String::as_str).collect();
        let masker = masker(&values);
        assert_eq!(masker.mask("a value-49 b"), "a *** b");
        assert!(masker.forms.get().expect("they are made").len() <= 50 * 5);
    }
}
