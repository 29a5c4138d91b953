//! Fields that others may change: `spec.ignore`.
//!
//! Contract: kustomize-controller §4.7.

use millrace_yaml::Node;
use regex::Regex;

use super::label_selector::LabelSelector;
use super::managers::Ownership;
use super::pointer::{self, PointerError};
use crate::object::Object as _;

/// Which objects a rule is for; regular expressions match the whole text, an empty one matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The API group.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The namespace.
    pub namespace: String,
    /// A label selector over annotations.
    pub annotation_selector: String,
    /// A label selector.
    pub label_selector: String,
}

/// JSON pointers, and the objects they are for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// JSON pointers (RFC 6901) to the fields; negative indices count from the end.
    pub paths: Vec<String>,
    /// All objects if absent.
    pub target: Option<Target>,
}

/// Why rules can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IgnoreError {
    /// A rule's target is malformed.
    #[error("failed to create ignore rule selector: invalid {field}: {message}")]
    Selector {
        /// Which part of the target.
        field: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// A path does not fit the object.
    #[error("{0}")]
    Path(String),
}

impl From<PointerError> for IgnoreError {
    fn from(error: PointerError) -> Self {
        Self::Path(error.to_string())
    }
}

/// Compiled rules.
#[derive(Clone, Debug, Default)]
pub struct IgnoreRules(Vec<(Option<Compiled>, Vec<String>)>);

#[derive(Clone, Debug)]
struct Compiled {
    group: Option<Regex>,
    version: Option<Regex>,
    kind: Option<Regex>,
    name: Option<Regex>,
    namespace: Option<Regex>,
    annotations: Option<LabelSelector>,
    labels: Option<LabelSelector>,
}

impl IgnoreRules {
    /// Compiles rules. Of rules without a target only the last one counts, as in the reference.
    pub fn compile(rules: &[Rule]) -> Result<Self, IgnoreError> {
        let mut compiled = Vec::with_capacity(rules.len());
        for Rule { paths, target } in rules {
            if target.is_none() {
                compiled.retain(|(other, _): &(Option<Compiled>, _)| other.is_some());
            }
            compiled.push((target.as_ref().map(Compiled::new).transpose()?, paths.clone()));
        }
        Ok(Self(compiled))
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The paths that are ignored on `object`.
    pub(super) fn paths_for(&self, object: &Node) -> Vec<&str> {
        let matching =
            self.0.iter().filter(|(target, _)| target.as_ref().is_none_or(|target| target.matches(object)));
        matching.flat_map(|(_, paths)| paths.iter().map(String::as_str)).collect()
    }
}

impl Compiled {
    fn new(target: &Target) -> Result<Self, IgnoreError> {
        let Target { group, version, kind, name, namespace, annotation_selector, label_selector } = target;
        Ok(Self {
            group: anchored("group regex", group)?,
            version: anchored("version regex", version)?,
            kind: anchored("kind regex", kind)?,
            name: anchored("name regex", name)?,
            namespace: anchored("namespace regex", namespace)?,
            labels: selector("label selector", label_selector)?,
            annotations: selector("annotation selector", annotation_selector)?,
        })
    }

    fn matches(&self, object: &Node) -> bool {
        let gvk = object.gvk();
        let fits =
            |regex: &Option<Regex>, text: &str| regex.as_ref().is_none_or(|regex| regex.is_match(text));
        fits(&self.namespace, object.namespace())
            && fits(&self.name, object.name())
            && fits(&self.group, &gvk.group)
            && fits(&self.version, &gvk.version)
            && fits(&self.kind, &gvk.kind)
            && self.labels.as_ref().is_none_or(|selector| selector.matches(|key| object.label(key)))
            && self.annotations.as_ref().is_none_or(|selector| selector.matches(|key| object.annotation(key)))
    }
}

fn anchored(field: &'static str, pattern: &str) -> Result<Option<Regex>, IgnoreError> {
    if pattern.is_empty() {
        return Ok(None);
    }
    let compiled = Regex::new(&format!("^(?:{pattern})$"));
    compiled.map(Some).map_err(|error| IgnoreError::Selector { field, message: error.to_string() })
}

fn selector(field: &'static str, text: &str) -> Result<Option<LabelSelector>, IgnoreError> {
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = LabelSelector::parse(text);
    parsed.map(Some).map_err(|error| IgnoreError::Selector { field, message: error.to_string() })
}

/// What is sent for `desired`, when it is applied for another reason than the ignored fields.
///
/// An ignored field that differs between `live` and `answer` is left out if another manager applies it, so that the
/// ownership is released; else the live value is sent, so that it stays.
pub fn payload(
    desired: &Node,
    live: &Node,
    answer: &Node,
    rules: &IgnoreRules,
    manager: &str,
) -> Result<Node, IgnoreError> {
    let ownership = Ownership::of(live, manager);
    let mut payload = desired.clone();
    let mut adopted = Vec::new();
    for path in rules.paths_for(answer) {
        let Some(value) = differing(live, answer, path) else { continue };
        if ownership.is_applied_by_another(live, path) {
            pointer::remove_all(&mut payload, &[path])?;
        } else {
            adopted.push((path, value));
        }
    }
    for (path, value) in adopted {
        pointer::replace(&mut payload, path, value)?;
    }
    Ok(payload)
}

/// The live value at `path`, null if absent; `None` if the answer has the same. What is no pointer differs.
fn differing(live: &Node, answer: &Node, path: &str) -> Option<Node> {
    match (pointer::look_up(live, path), pointer::look_up(answer, path)) {
        (Ok(None), Ok(None)) => None,
        (Ok(Some(left)), Ok(Some(right))) if left.same_value(right) => None,
        (Ok(Some(left)), _) => Some(left.clone()),
        _ => Some(Node::null()),
    }
}
