//! Putting the values of variables into strings.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use millrace_yaml::{Node, Scalar, ScalarKind, Style};

use crate::go;

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Str(String),
    Int(i64),
    Float(f64),
    Bool(bool),
    /// A map or list, which cannot be put in: what the reference says wherever it would be.
    Complex(String),
}

impl Value {
    /// The value of a scalar; none where its text is not what the reference's language takes for its type.
    pub(super) fn of(scalar: &Scalar) -> Option<Self> {
        let text = scalar.text();
        let kind = if scalar.is_untyped() { ScalarKind::Str } else { scalar.kind() };
        match kind {
            ScalarKind::Bool => go::parse_bool(text).map(Self::Bool),
            ScalarKind::Int => go::parse_int(text).map(Self::Int),
            ScalarKind::Float => go::parse_float(text).map(Self::Float),
            ScalarKind::Null | ScalarKind::Str | ScalarKind::Timestamp => Some(Self::Str(text.to_owned())),
        }
    }

    /// The value where it is all that stands there.
    fn alone(&self) -> Scalar {
        let (text, kind) = match self {
            Self::Str(text) => (text.clone(), ScalarKind::Str),
            Self::Int(value) => (value.to_string(), ScalarKind::Int),
            Self::Float(value) => (value.to_string(), ScalarKind::Float),
            Self::Bool(value) => (value.to_string(), ScalarKind::Bool),
            Self::Complex(_) => (String::new(), ScalarKind::Null),
        };
        Scalar::new(text, kind, Style::Plain)
    }

    /// The value inside of other text.
    fn in_text(&self) -> Cow<'_, str> {
        match self {
            Self::Str(text) => text.into(),
            Self::Int(value) => value.to_string().into(),
            Self::Float(value) => go::float(*value).into(),
            Self::Bool(value) => value.to_string().into(),
            Self::Complex(_) => "".into(),
        }
    }
}

/// What a string becomes.
#[derive(Debug, PartialEq, Eq)]
enum Expanded {
    Text(String),
    Value(Scalar),
}

/// Why nothing is put in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// What stands there takes no variables.
    Input(String),
    /// There is not enough room.
    TooLong,
}

/// What variables stand for, and which of them were found.
#[derive(Debug)]
pub(super) struct Substitution<'s> {
    pub(super) values: &'s BTreeMap<String, Value>,
    pub(super) used: &'s mut HashSet<String>,
    /// What was said about values that cannot be put in.
    pub(super) complaints: &'s mut Vec<String>,
    /// How many bytes values may still become.
    pub(super) room: usize,
}

/// Replaces variables in a string, in the items of a list, or in the values of a map; says how many bytes it wrote.
pub(super) fn substitute(node: &mut Node, substitution: &mut Substitution<'_>) -> Result<usize, Failure> {
    let room = substitution.room;
    walk(node, substitution)?;
    Ok(room - substitution.room)
}

/// Notes the variables that text names.
pub(super) fn note(text: &str, substitution: &mut Substitution<'_>) {
    let _ = expand(text, substitution);
}

fn walk(node: &mut Node, substitution: &mut Substitution<'_>) -> Result<(), Failure> {
    match node {
        Node::Scalar(scalar) if is_string(scalar) => replace(scalar, substitution),
        Node::Scalar(_) => Ok(()),
        Node::Map(map) => {
            if let Some((key, _)) = map.entries().iter().find(|(key, _)| !is_string(key)) {
                let (text, tag) = (key.text(), key.kind().tag());
                let problem = format!("invalid map key: value='{text}', tag='!!{tag}'");
                return Err(Failure::Input(problem));
            }
            for (_, value) in map.iter_mut() {
                match value {
                    Node::Scalar(scalar) if is_string(scalar) => {
                        replace(scalar, substitution)?;
                    }
                    Node::Scalar(_) | Node::List(_) | Node::Map(_) => {}
                }
            }
            Ok(())
        }
        Node::List(items) => items.iter_mut().try_for_each(|item| match item {
            Node::Scalar(scalar) if is_string(scalar) => replace(scalar, substitution),
            Node::Scalar(_) | Node::List(_) | Node::Map(_) => {
                Err(Failure::Input("invalid value type expect a string".to_owned()))
            }
        }),
    }
}

/// To the reference, what has no type yet is a string, whatever it will read as.
fn is_string(scalar: &Scalar) -> bool {
    (scalar.kind() == ScalarKind::Str || scalar.is_untyped()) && !scalar.is_merge_sign()
}

fn replace(scalar: &mut Scalar, substitution: &mut Substitution<'_>) -> Result<(), Failure> {
    *scalar = match expand(scalar.text(), substitution)? {
        Expanded::Text(text) => Scalar::string(text),
        Expanded::Value(value) => value,
    };
    Ok(())
}

fn expand(input: &str, substitution: &mut Substitution<'_>) -> Result<Expanded, Failure> {
    let Substitution { values, used, complaints, room } = substitution;
    let mut take = |bytes: usize| match room.checked_sub(bytes) {
        Some(left) => {
            *room = left;
            Ok(())
        }
        None => Err(Failure::TooLong),
    };
    let mut text = String::with_capacity(input.len());
    let mut rest = input;
    while let Some(position) = rest.find('$') {
        text.push_str(&rest[..position]);
        let after = &rest[position + 1..];
        let mut letters = after.chars();
        match letters.next() {
            None => {
                text.push('$');
                rest = "";
            }
            Some('$') => {
                text.push('$');
                rest = letters.as_str();
            }
            Some('(') => {
                if let Some((name, more)) = letters.as_str().split_once(')') {
                    let known = match values.get(name) {
                        Some(Value::Complex(complaint)) => {
                            take(complaint.len())?;
                            complaints.push(complaint.clone());
                            None
                        }
                        Some(value) => {
                            used.insert(name.to_owned());
                            Some(value)
                        }
                        None => None,
                    };
                    match known {
                        Some(value) if input.len() == name.len() + 3 => {
                            let value = value.alone();
                            take(value.text().len())?;
                            return Ok(Expanded::Value(value));
                        }
                        Some(value) => {
                            let value = value.in_text();
                            take(value.len())?;
                            text.push_str(&value);
                        }
                        None => {
                            text.push_str("$(");
                            text.push_str(name);
                            text.push(')');
                        }
                    }
                    rest = more;
                } else {
                    text.push_str("$(");
                    rest = letters.as_str();
                }
            }
            Some(other) => {
                text.push('$');
                text.push(other);
                rest = letters.as_str();
            }
        }
    }
    text.push_str(rest);
    Ok(Expanded::Text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_references_are_replaced() {
        let value = Value::Int(80);
        let values = BTreeMap::from([("PORT".to_owned(), value.clone())]);
        for (input, output) in [
            ("$(PORT)", Expanded::Value(value.alone())),
            (":$(PORT)/", Expanded::Text(":80/".to_owned())),
            ("$$(PORT)", Expanded::Text("$(PORT)".to_owned())),
            ("$(OTHER) $PORT $(PORT", Expanded::Text("$(OTHER) $PORT $(PORT".to_owned())),
            ("a$", Expanded::Text("a$".to_owned())),
        ] {
            let (mut used, mut complaints) = (HashSet::new(), Vec::new());
            let mut substitution = Substitution {
                values: &values,
                used: &mut used,
                complaints: &mut complaints,
                room: usize::MAX,
            };
            assert_eq!(expand(input, &mut substitution), Ok(output), "{input}");
        }
    }
}
