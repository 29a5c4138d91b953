//! Putting the values of variables into strings.

use std::collections::{BTreeMap, HashSet};

use millrace_yaml::{Node, Scalar, ScalarKind, Style};

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) kind: ScalarKind,
}

/// What a string becomes.
#[derive(Debug, PartialEq, Eq)]
enum Expanded {
    Text(String),
    Value(Value),
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
    /// How many bytes values may still become.
    pub(super) room: usize,
}

/// Replaces variables in a string, in the items of a list, or in the values of a map; says how many bytes it wrote.
pub(super) fn substitute(node: &mut Node, substitution: &mut Substitution<'_>) -> Result<usize, Failure> {
    let room = substitution.room;
    walk(node, substitution)?;
    Ok(room - substitution.room)
}

fn walk(node: &mut Node, substitution: &mut Substitution<'_>) -> Result<(), Failure> {
    match node {
        Node::Scalar(scalar) if scalar.kind() == ScalarKind::Str => replace(scalar, substitution),
        Node::Scalar(_) => Ok(()),
        Node::Map(map) => {
            if let Some((key, _)) = map.entries().iter().find(|(key, _)| key.kind() != ScalarKind::Str) {
                let tag = match key.kind() {
                    ScalarKind::Null => "null",
                    ScalarKind::Bool => "bool",
                    ScalarKind::Int => "int",
                    ScalarKind::Float => "float",
                    ScalarKind::Timestamp => "timestamp",
                    ScalarKind::Str => "str",
                };
                let problem = format!("invalid map key: value='{}', tag='!!{tag}'", key.text());
                return Err(Failure::Input(problem));
            }
            for (_, value) in map.iter_mut() {
                match value {
                    Node::Scalar(scalar) if scalar.kind() == ScalarKind::Str => {
                        replace(scalar, substitution)?;
                    }
                    Node::Scalar(_) | Node::List(_) | Node::Map(_) => {}
                }
            }
            Ok(())
        }
        Node::List(items) => items.iter_mut().try_for_each(|item| match item {
            Node::Scalar(scalar) if scalar.kind() == ScalarKind::Str => replace(scalar, substitution),
            Node::Scalar(_) | Node::List(_) | Node::Map(_) => {
                Err(Failure::Input("invalid value type expect a string".to_owned()))
            }
        }),
    }
}

fn replace(scalar: &mut Scalar, substitution: &mut Substitution<'_>) -> Result<(), Failure> {
    *scalar = match expand(scalar.text(), substitution)? {
        Expanded::Text(text) => Scalar::string(text),
        Expanded::Value(Value { text, kind }) => Scalar::new(text, kind, Style::Plain),
    };
    Ok(())
}

fn expand(input: &str, substitution: &mut Substitution<'_>) -> Result<Expanded, Failure> {
    let Substitution { values, used, room } = substitution;
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
                    let known = values.get(name).filter(|value| value.kind != ScalarKind::Null);
                    if known.is_some() {
                        used.insert(name.to_owned());
                    }
                    match known {
                        Some(value) if input.len() == name.len() + 3 => {
                            take(value.text.len())?;
                            return Ok(Expanded::Value(value.clone()));
                        }
                        Some(value) => {
                            take(value.text.len())?;
                            text.push_str(&value.text);
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
        let value = Value { text: "80".to_owned(), kind: ScalarKind::Int };
        let values = BTreeMap::from([("PORT".to_owned(), value.clone())]);
        for (input, output) in [
            ("$(PORT)", Expanded::Value(value)),
            (":$(PORT)/", Expanded::Text(":80/".to_owned())),
            ("$$(PORT)", Expanded::Text("$(PORT)".to_owned())),
            ("$(OTHER) $PORT $(PORT", Expanded::Text("$(OTHER) $PORT $(PORT".to_owned())),
            ("a$", Expanded::Text("a$".to_owned())),
        ] {
            let mut substitution =
                Substitution { values: &values, used: &mut HashSet::new(), room: usize::MAX };
            assert_eq!(expand(input, &mut substitution), Ok(output), "{input}");
        }
    }
}
