//! Selectors of labels.
//!
//! Contract: kustomize-build §3.10.

mod parse;
mod validate;

use std::collections::BTreeSet;

use millrace_yaml::Node;

use crate::error::{BuildError, Result};

/// The requirements of a label selector, all of which must hold; or why it is none.
#[derive(Debug)]
pub(super) struct Requirements {
    all: std::result::Result<Vec<Requirement>, String>,
    /// Whether there is a selector, if only of blanks.
    is_stated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    Absent,
    In(BTreeSet<String>),
    NotIn(BTreeSet<String>),
    Greater(i64),
    Less(i64),
}

impl Requirements {
    pub(super) fn new(selector: &str) -> Self {
        Self { all: parse::parse(selector), is_stated: !selector.is_empty() }
    }

    /// Whether there is a selector, which may require nothing.
    pub(super) fn is_stated(&self) -> bool {
        self.is_stated
    }

    /// Whether an object's labels, or annotations, are as required.
    pub(super) fn hold(&self, node: &Node, field: &str) -> Result<bool> {
        let requirements = self.all.as_ref().map_err(|text| unreadable(text, field))?;
        let map = node.at(&["metadata", field]).and_then(Node::as_map);
        let value_of = |key: &str| Some(map?.get(key)?.as_scalar().map_or("", |value| value.text()));
        Ok(requirements.iter().all(|requirement| requirement.holds(value_of(&requirement.key))))
    }
}

/// `field` says what is selected by.
fn unreadable(text: &str, field: &str) -> BuildError {
    let field = if field == "labels" { "labelSelector" } else { "annotationSelector" };
    BuildError::new(text)
        .with_hint(format!("the {field} does not read: it is like 'app=web,tier in (a, b),!old'"))
}

impl Requirement {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match &self.operator {
            Operator::Exists => value.is_some(),
            Operator::Absent => value.is_none(),
            Operator::In(values) => value.is_some_and(|value| values.contains(value)),
            Operator::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Operator::Greater(bound) => number().is_some_and(|number| number > *bound),
            Operator::Less(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_follow_the_kubernetes_grammar() {
        for (selector, value, holds) in [
            ("k=v", Some("v"), true),
            ("k==v", Some("w"), false),
            ("k=", Some(""), true),
            ("k!=v", None, true),
            ("k in (v,w)", Some("w"), true),
            ("k in ()", Some(""), true),
            ("k in (,v)", Some(""), true),
            ("k in (in)", Some("in"), true),
            ("k notin (v, w)", Some("x"), true),
            ("k", Some("v"), true),
            ("!k", Some("v"), false),
            ("k>5", Some("6"), true),
            ("k<5", Some("x"), false),
            ("k,k!=v", Some("v"), false),
            ("k,", Some("v"), false),
            ("", None, true),
        ] {
            let requirements = Requirements::new(selector);
            let found =
                requirements.all.is_ok_and(|list| list.iter().all(|requirement| requirement.holds(value)));
            assert_eq!(found, holds, "{selector}");
        }
    }
}
