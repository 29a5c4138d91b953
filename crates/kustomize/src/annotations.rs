//! Annotations with a meaning for the build, and what becomes of them.
//!
//! Contract: kustomize-build §2.7.

use millrace_yaml::{Map, Node, Scalar};

use crate::fields::{Fault, wrong_kind};
use crate::syntax;

/// Annotations that only the build itself knows begin so.
pub(crate) const INTERNAL_PREFIX: &str = "internal.config.kubernetes.io/";
/// What such annotations were once called.
pub(crate) const LEGACY: &[&str] =
    &["config.k8s.io/id", "config.kubernetes.io/index", "config.kubernetes.io/path"];
/// Asks for a name suffix.
pub(crate) const NEEDS_HASH: &str = "internal.config.kubernetes.io/needsHashSuffix";
/// Exempts an object from the namespace step.
pub(crate) const HELM_GENERATED: &str = "internal.config.kubernetes.io/helm-generated";
/// Keeps an object out of the result.
pub(crate) const LOCAL_CONFIG: &str = "config.kubernetes.io/local-config";
/// Where an object comes from.
pub(crate) const ORIGIN: &str = "config.kubernetes.io/origin";
/// Which steps an object went through.
pub(crate) const TRANSFORMATIONS: &str = "alpha.config.kubernetes.io/transformations";

/// Never part of the result.
const INTERNAL: &[&str] = &[
    "config.k8s.io/id",
    "config.kubernetes.io/index",
    "config.kubernetes.io/path",
    "internal.config.kubernetes.io/allowKindChange",
    "internal.config.kubernetes.io/allowNameChange",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "internal.config.kubernetes.io/generatorBehavior",
    HELM_GENERATED,
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/index",
    NEEDS_HASH,
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/prefixes",
    "internal.config.kubernetes.io/previousKinds",
    "internal.config.kubernetes.io/previousNames",
    "internal.config.kubernetes.io/previousNamespaces",
    "internal.config.kubernetes.io/refBy",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/suffixes",
];

/// Writes `metadata.annotations` anew: values become strings, what `keep` refuses goes, an empty map disappears.
///
/// The reference takes the items of a list for keys and values in turn, and panics where they do not come out even.
pub(crate) fn rebuild(node: &mut Node, mut keep: impl FnMut(&str) -> bool) -> Result<(), Fault> {
    let Some(metadata) = node.map_at_mut(&["metadata"]) else { return Ok(()) };
    let annotations = match metadata.remove("annotations") {
        Some(Node::Map(annotations)) => annotations,
        Some(Node::List(items)) => {
            let Some(pairs) = pairs(&items) else {
                let items = Node::List(items);
                let fault = wrong_kind("MappingNode", &items);
                metadata.insert("annotations", items);
                return Err(fault);
            };
            pairs
        }
        Some(Node::Scalar(_)) | None => return Ok(()),
    };
    let mut kept: Vec<(Scalar, Node)> = annotations
        .into_iter()
        .filter(|(key, _)| keep(key.text()))
        .map(|(key, value)| (syntax::key(key.text()), Node::Scalar(syntax::string(text_of(&value)))))
        .collect();
    if kept.is_empty() {
        return Ok(());
    }
    kept.sort_by(|(left, _), (right, _)| left.text().cmp(right.text()));
    // Of equal keys the last one counts.
    kept.dedup_by(|later, earlier| {
        let is_same = later.0.text() == earlier.0.text();
        if is_same {
            std::mem::swap(later, earlier);
        }
        is_same
    });
    metadata.insert("annotations", Node::Map(Map::from_iter(kept)));
    Ok(())
}

/// Items as keys and values in turn.
fn pairs(items: &[Node]) -> Option<Map> {
    let (pairs, rest) = items.as_chunks();
    let pair =
        |[key, value]: &[Node; 2]| Some((key.as_scalar()?.clone(), Node::Scalar(value.as_scalar()?.clone())));
    let pairs = rest.is_empty().then(|| pairs.iter().map(pair).collect::<Option<Vec<_>>>())??;
    Some(Map::from_iter(pairs))
}

/// Makes a map of annotations that are a list, as the reference reads it: items are keys and values in turn, and what has no text
/// has an empty one.
pub(crate) fn pair_up(node: &mut Node) -> Result<(), Fault> {
    let Some(annotations) = node.at_mut(&["metadata", "annotations"]) else { return Ok(()) };
    let Some((pairs, rest)) = annotations.as_list().map(<[Node]>::as_chunks) else { return Ok(()) };
    if !rest.is_empty() {
        return Err(wrong_kind("MappingNode", annotations));
    }
    let pair =
        |[key, value]: &[Node; 2]| (syntax::key(text_of(key)), Node::Scalar(syntax::string(text_of(value))));
    *annotations = Node::Map(pairs.iter().map(pair).collect());
    Ok(())
}

/// Whether an annotation is only the build's own.
pub(crate) fn is_internal(key: &str) -> bool {
    INTERNAL.contains(&key)
}

fn text_of(value: &Node) -> &str {
    value.as_scalar().map_or("", Scalar::text)
}
