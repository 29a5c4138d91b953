//! The secret values of one run, kept so that no text shows them.
//!
//! Servers quote what they refuse. What they say about a run's objects passes [`SecretValues::mask`] before it becomes part
//! of a condition, an event or a log line; so do our own errors that are made from text with values in it.
//!
//! Values are known in all forms in which they are quoted: as they are, line by line, escaped as Go and JSON escape, and in
//! base64. Short ones are ordinary words more often than not, and hiding words tells what the value is: see [`ANYWHERE`] and
//! [`AS_A_WORD`].

use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use millrace_net::Secret;
use millrace_ssa::object::is_secret;
use millrace_yaml::{Node, Scalar};

/// A value of so many bytes is hidden wherever it stands, also inside of a longer word.
const ANYWHERE: usize = 8;
/// A shorter one of so many bytes is hidden where it is a word of its own. One that is shorter still is not: it would hide
/// parts of ordinary text and give nothing away that could not be guessed.
const AS_A_WORD: usize = 5;

/// What stands in the place of a value.
const HIDDEN: &str = "***";

/// Secret values, and what they look like in texts.
#[derive(Default)]
pub(crate) struct SecretValues {
    values: Vec<Secret<Vec<u8>>>,
    /// How expressions with variables from Secrets begin.
    expressions: Vec<String>,
    /// Made when the first text is masked: most runs never need it.
    forms: OnceLock<Vec<Secret<String>>>,
}

impl SecretValues {
    /// Adds a value.
    pub(crate) fn add(&mut self, value: &[u8]) {
        if value.len() >= AS_A_WORD {
            self.values.push(Secret::new(value.to_vec()));
            self.forms = OnceLock::new();
        }
    }

    /// Adds a variable with its value.
    pub(crate) fn add_variable(&mut self, name: &str, value: &[u8]) {
        self.expressions.push(format!("${{{name}"));
        self.add(value);
    }

    /// Adds what the Secrets among `objects` hold.
    pub(crate) fn add_data(&mut self, objects: &[Node]) {
        for object in objects.iter().filter(|object| is_secret(object)) {
            for value in values_of(object, "data") {
                // Other text than base64 is refused by the API server, which may quote it.
                // Line feeds in it count for nothing, as for Go.
                let joined = value.replace(['\r', '\n'], "");
                let decoded = STANDARD.decode(joined).unwrap_or_else(|_| value.as_bytes().to_vec());
                self.add(&decoded);
            }
            for value in values_of(object, "stringData") {
                self.add(value.as_bytes());
            }
        }
    }

    /// The objects that use a variable from a Secret, with their positions: compared with what they become, they show what
    /// was made of it.
    pub(crate) fn users(&self, objects: &[Node]) -> Vec<(usize, Node)> {
        let users = objects.iter().enumerate().filter(|(_, object)| self.is_used_in(object));
        users.map(|(position, object)| (position, object.clone())).collect()
    }

    /// Adds the scalars of `after` in whose places `before` has a variable from a Secret: parts of a value, or what an
    /// operator has made of it.
    pub(crate) fn add_derived(&mut self, before: &Node, after: &Node) {
        match (before, after) {
            (Node::Map(before), Node::Map(after)) => {
                for (key, value) in before.iter() {
                    if let Some(after) = after.get(key) {
                        self.add_derived(value, after);
                    }
                }
            }
            (Node::List(before), Node::List(after)) => {
                before.iter().zip(after).for_each(|(before, after)| self.add_derived(before, after));
            }
            (Node::Scalar(_), after) if self.is_used_in(before) => self.add_scalars(after),
            _ => {}
        }
    }

    /// The text without secret values.
    pub(crate) fn mask(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for form in self.forms.get_or_init(|| forms_of(&self.values)) {
            hide(&mut masked, form.expose());
        }
        masked
    }

    fn add_scalars(&mut self, node: &Node) {
        match node {
            // Of a long text the values in it are hidden, not every line.
            Node::Scalar(scalar) if scalar.text().contains('\n') => {}
            Node::Scalar(scalar) => self.add(scalar.text().as_bytes()),
            Node::List(items) => items.iter().for_each(|item| self.add_scalars(item)),
            Node::Map(map) => map.iter().for_each(|(_, value)| self.add_scalars(value)),
        }
    }

    fn is_used_in(&self, node: &Node) -> bool {
        match node {
            Node::Scalar(scalar) => {
                self.expressions.iter().any(|expression| begins_in(scalar.text(), expression))
            }
            Node::List(items) => items.iter().any(|item| self.is_used_in(item)),
            Node::Map(map) => map.iter().any(|(_, value)| self.is_used_in(value)),
        }
    }
}

/// Whether an expression that begins like this stands in the text; a longer name is another variable.
fn begins_in(text: &str, expression: &str) -> bool {
    text.match_indices(expression).any(|(at, _)| {
        let next = text[at + expression.len()..].chars().next();
        !next.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

fn values_of<'n>(object: &'n Node, field: &str) -> impl Iterator<Item = &'n str> {
    let map = object.get(field).and_then(Node::as_map);
    map.into_iter().flat_map(|map| map.iter().filter_map(|(_, value)| value.as_scalar().map(Scalar::text)))
}

/// All forms of all values, longest first, so that one which contains another is hidden as a whole.
fn forms_of(values: &[Secret<Vec<u8>>]) -> Vec<Secret<String>> {
    let mut forms = Vec::new();
    for value in values {
        add_forms(value.expose(), &mut forms);
    }
    forms.retain(|form| form.len() >= AS_A_WORD);
    forms.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
    forms.dedup();
    forms.into_iter().map(Secret::new).collect()
}

fn add_forms(value: &[u8], forms: &mut Vec<String>) {
    for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD] {
        forms.push(engine.encode(value));
    }
    let text = String::from_utf8_lossy(value);
    let trimmed = text.trim();
    // Variables lose their line feeds.
    let joined = trimmed.replace('\n', "");
    let lines = trimmed.lines().map(str::trim).filter(|line| line.len() >= ANYWHERE);
    for form in [text.as_ref(), trimmed, joined.as_str()].into_iter().chain(lines) {
        forms.push(form.to_owned());
        forms.extend(escaped(form));
    }
}

/// The text as it stands between quotes, where that differs.
fn escaped(text: &str) -> impl Iterator<Item = String> {
    let inner = |quoted: String| quoted[1..quoted.len() - 1].to_owned();
    let json = inner(serde_json::Value::from(text).to_string());
    let html = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    let differing = [inner(format!("{text:?}")), json, html].into_iter();
    let text = text.to_owned();
    differing.filter(move |form| *form != text)
}

fn hide(text: &mut String, form: &str) {
    let mut from = 0;
    while let Some(found) = text[from..].find(form) {
        let (start, end) = (from + found, from + found + form.len());
        if form.len() >= ANYWHERE || is_word(text, start, end) {
            text.replace_range(start..end, HIDDEN);
            from = start + HIDDEN.len();
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
    use millrace_yaml::read::{self, Limits, Resolver};

    use super::*;

    fn values(values: &[&str]) -> SecretValues {
        let mut secrets = SecretValues::default();
        for value in values {
            secrets.add(value.as_bytes());
        }
        secrets
    }

    fn node(text: &str) -> Node {
        read::one(text, Resolver::Kubernetes, &Limits::default()).expect("valid YAML").node
    }

    #[test]
    fn long_values_are_hidden_anywhere_and_short_ones_as_words() {
        for (value, text, shown) in [
            ("correct-horse", "is correct-horse-battery", "is ***-battery"),
            ("correct-horse", "incorrect-horse", "in***"),
            ("hunter2", r#"Invalid value: "hunter2": no"#, r#"Invalid value: "***": no"#),
            ("hunter2", "hunter20 and _hunter2", "hunter20 and _hunter2"),
            ("hunter2", "héhunter2", "héhunter2"),
            ("true", "must be true or false", "must be true or false"),
            ("7", "line 7", "line 7"),
            ("", "nothing", "nothing"),
        ] {
            assert_eq!(values(&[value]).mask(text), shown, "{value:?}");
        }
    }

    #[test]
    fn a_value_that_contains_another_is_hidden_as_a_whole() {
        assert_eq!(values(&["hunter2", "hunter2-and-more"]).mask("hunter2-and-more, hunter2"), "***, ***");
    }

    #[test]
    fn values_are_hidden_in_every_form_in_which_they_are_quoted() {
        let value = "first \"line\" <&>\nsecond line\n";
        let secrets = values(&[value]);
        let base64 = |engine: &base64::engine::GeneralPurpose| engine.encode(value);
        let json = serde_json::Value::from(value).to_string();
        for quoted in [
            base64(&STANDARD),
            base64(&URL_SAFE_NO_PAD),
            value.to_owned(),
            value.replace('\n', ""),
            format!("{value:?}"),
            json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"),
            "second line".to_owned(),
        ] {
            let shown = secrets.mask(&format!("invalid: {quoted}"));
            assert!(!shown.contains("line") && shown.starts_with("invalid: "), "{quoted}: {shown}");
            assert!(shown.len() < "invalid: ".len() + 10, "{quoted}: {shown}");
        }
        let binary = [0xff, 0xfe, 0x00, 0x01, 0x02, 0x03];
        let mut secrets = SecretValues::default();
        secrets.add(&binary);
        assert_eq!(secrets.mask(&STANDARD.encode(binary)), "***");
    }

    #[test]
    fn what_secrets_among_the_objects_hold_is_hidden() {
        let mut secrets = SecretValues::default();
        secrets.add_data(&[
            node("{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {k: aHVudGVyMg==}, stringData: {l: swordfish}}"),
            node("{apiVersion: v1, kind: Secret, metadata: {name: t}, data: {k: \"d3JhcHBlZC\\n12YWx1ZQ==\\n\"}}"),
            node("{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: ordinary}}"),
        ]);
        let text = "hunter2 aHVudGVyMg== swordfish c3dvcmRmaXNo wrapped-value ordinary";
        assert_eq!(secrets.mask(text), "*** *** *** *** *** ordinary");
    }

    #[test]
    fn what_is_made_of_a_variable_is_hidden_and_what_other_variables_become_is_not() {
        let mut secrets = SecretValues::default();
        secrets.add_variable("password", b"correct-horse");
        let before =
            node("{a: '${password:0:7}', b: ['x ${password^^}'], c: '${region}', d: '${password_hint}'}");
        let after = node("{a: correct, b: [x CORRECT-HORSE], c: europe-west, d: a-stable}");
        assert_eq!(secrets.users(&[node("{a: b}"), before.clone()]), [(1, before.clone())]);
        secrets.add_derived(&before, &after);
        let text = "correct, x CORRECT-HORSE, europe-west, a-stable";
        assert_eq!(secrets.mask(text), "***, ***, europe-west, a-stable");
    }
}
