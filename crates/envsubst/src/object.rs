//! Whole objects: through their YAML text and back.
//!
//! Contract: kustomize-controller §3.5.1, §3.5.4.

use millrace_yaml::read::{self, Limits, Resolver};
use millrace_yaml::{Node, print, round_to_f64};
use zeroize::Zeroizing;

use crate::{Mode, ObjectError, SubstitutionError, Variables, substitute_bytes};

/// The label or annotation that opts an object out.
const OPT_OUT: &str = "kustomize.toolkit.fluxcd.io/substitute";
const DISABLED: &str = "disabled";

/// When objects are substituted at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Only if there is a variable.
    #[default]
    WithVariables,
    /// Even without one, so that defaults apply.
    Always,
}

/// How objects are substituted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What a variable that isn't set counts as.
    pub mode: Mode,
    /// When objects are substituted at all.
    pub strategy: Strategy,
    /// Bounds for the text that comes out.
    pub limits: Limits,
}

/// What became of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has opted out.
    Skipped,
    /// There are no variables and the strategy asks for some.
    Unchanged,
    /// This is what came out, equal to what went in where it holds no expression and no large number.
    Substituted(Node),
}

/// Whether an object has opted out by label or annotation.
pub fn is_disabled(node: &Node) -> bool {
    ["labels", "annotations"].iter().any(|field| node.str_at(&["metadata", field, OPT_OUT]) == Some(DISABLED))
}

/// The first object that needs the variables; if there is none, the objects that hold them are never read.
pub fn reads_variables(nodes: &[Node]) -> Option<&Node> {
    nodes.iter().find(|node| !is_disabled(node))
}

/// Substitutes one object.
///
/// The object is printed as YAML, expressions are replaced in that text, and the text is read again, so a value decides
/// the type of the field it stands in. Keys and names take part. Numbers pass through 64-bit floats.
pub fn substitute_node(
    node: &Node,
    variables: &Variables,
    options: &Options,
) -> Result<Outcome, SubstitutionError> {
    if is_disabled(node) {
        return Ok(Outcome::Skipped);
    }
    if variables.is_empty() && options.strategy == Strategy::WithVariables {
        return Ok(Outcome::Unchanged);
    }
    variables.check_names()?;
    let mut substituted = if has_dollar(node) { round_trip(node, variables, options)? } else { node.clone() };
    round_to_f64(&mut substituted);
    Ok(Outcome::Substituted(substituted))
}

/// Only a `$` makes text differ from what it is read as; most objects have none and needn't be printed.
fn has_dollar(node: &Node) -> bool {
    match node {
        Node::Scalar(scalar) => scalar.text().contains('$'),
        Node::List(items) => items.iter().any(has_dollar),
        Node::Map(map) => map.iter().any(|(key, value)| key.contains('$') || has_dollar(value)),
    }
}

fn round_trip(node: &Node, variables: &Variables, options: &Options) -> Result<Node, SubstitutionError> {
    // Both may hold secret values: what was decrypted, and what is put in.
    let text = Zeroizing::new(print::to_yaml(node));
    let text = substitute_bytes(&text, variables, options.mode).map_err(SubstitutionError::Text)?;
    let text = Zeroizing::new(text);
    let read = read::one_from_slice(&text, Resolver::Kubernetes, &options.limits)
        .map_err(SubstitutionError::Yaml)?;
    let found = match &read.node {
        Node::Map(_) => return Ok(read.node),
        Node::List(_) => "array",
        Node::Scalar(_) if read.node.as_bool().is_some() => "bool",
        Node::Scalar(_) if read.node.as_f64().is_some() => "number",
        Node::Scalar(_) => "string",
    };
    Err(SubstitutionError::NoObject { found })
}

/// Substitutes every object of a build in its place; those that have opted out stay.
pub fn substitute_nodes(
    nodes: &mut [Node],
    variables: &Variables,
    options: &Options,
) -> Result<(), ObjectError> {
    for position in 0..nodes.len() {
        let outcome = substitute_node(&nodes[position], variables, options)
            .map_err(|reason| ObjectError::Failed { id: printed_id(&nodes[position]), reason })?;
        let Outcome::Substituted(node) = outcome else { continue };
        let renamed = id(&node) != id(&nodes[position]);
        nodes[position] = node;
        if renamed {
            let count = nodes.iter().filter(|other| id(other) == id(&nodes[position])).count();
            if count > 1 {
                return Err(ObjectError::Clash(SubstitutionError::SameId { count }));
            }
        }
    }
    Ok(())
}

/// What tells objects of a build apart: API version, kind, name and namespace.
fn id(node: &Node) -> [&str; 4] {
    let namespace = text_at(node, &["metadata", "namespace"]);
    let namespace = if namespace.is_empty() { "default" } else { namespace };
    [
        text_at(node, &["apiVersion"]),
        text_at(node, &["kind"]),
        text_at(node, &["metadata", "name"]),
        namespace,
    ]
}

fn text_at<'n>(node: &'n Node, path: &[&str]) -> &'n str {
    node.at(path).and_then(Node::as_scalar).map_or("", |scalar| scalar.text())
}

/// An object as messages about its substitution call it: `<Kind>.<version>.<group>/<name>`.
pub fn printed_id(node: &Node) -> String {
    let [api_version, kind, name, _] = id(node);
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let or = |text: &str, absent: &str| if text.is_empty() { absent.to_owned() } else { text.to_owned() };
    format!(
        "{}.{}.{}/{}",
        or(kind, "[noKind]"),
        or(version, "[noVer]"),
        or(group, "[noGrp]"),
        or(name, "[noName]")
    )
}
