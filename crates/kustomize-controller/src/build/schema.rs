//! The kustomization file as the original decodes it: leniently, into a fixed structure.
//!
//! What the structure does not have is dropped, keys match in any case, and scalars become strings where strings belong. The
//! engine itself is strict; a controller decodes the file before the engine sees it.
//!
//! Contract: kustomize-controller §3.1.4.

use millrace_yaml::{Map, Node, Scalar, ScalarKind, Style};

/// The form of a value.
#[derive(Clone, Copy)]
enum Shape {
    /// A string; other scalars become one.
    Text,
    /// A value that is kept as it is.
    Any,
    /// A list of such values.
    List(&'static Shape),
    /// Any keys, with such values.
    Map(&'static Shape),
    /// These keys and no others.
    Record(&'static [(&'static str, Shape)]),
}

use Shape::{Any, List, Record, Text};

const TEXTS: Shape = List(&Text);
const TEXT_MAP: Shape = Shape::Map(&Text);

const FIELD_SPEC: Shape =
    Record(&[("group", Text), ("version", Text), ("kind", Text), ("path", Text), ("create", Any)]);

const LABEL: Shape = Record(&[
    ("pairs", TEXT_MAP),
    ("includeSelectors", Any),
    ("includeTemplates", Any),
    ("fields", List(&FIELD_SPEC)),
]);

const SELECTOR: Shape = Record(&[
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("name", Text),
    ("namespace", Text),
    ("annotationSelector", Text),
    ("labelSelector", Text),
]);

const PATCH: Shape =
    Record(&[("path", Text), ("patch", Text), ("target", SELECTOR), ("options", Shape::Map(&Any))]);

const IMAGE: Shape =
    Record(&[("name", Text), ("newName", Text), ("tagSuffix", Text), ("newTag", Text), ("digest", Text)]);

const FIELD_OPTIONS: Shape =
    Record(&[("delimiter", Text), ("index", Any), ("encoding", Text), ("create", Any)]);

const SOURCE: Shape = Record(&[
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("name", Text),
    ("namespace", Text),
    ("fieldPath", Text),
    ("options", FIELD_OPTIONS),
]);

const REPLACEMENT: Shape = Record(&[
    ("path", Text),
    ("source", SOURCE),
    ("sourceValue", Text),
    (
        "targets",
        List(&Record(&[
            ("select", SELECTOR),
            ("reject", List(&SELECTOR)),
            ("fieldPaths", TEXTS),
            ("options", FIELD_OPTIONS),
        ])),
    ),
]);

const VAR: Shape = Record(&[
    ("name", Text),
    (
        "objref",
        Record(&[
            ("apiVersion", Text),
            ("group", Text),
            ("version", Text),
            ("kind", Text),
            ("name", Text),
            ("namespace", Text),
        ]),
    ),
    ("fieldref", Record(&[("fieldPath", Text)])),
]);

const GENERATOR_OPTIONS: Shape = Record(&[
    ("labels", TEXT_MAP),
    ("annotations", TEXT_MAP),
    ("disableNameSuffixHash", Any),
    ("immutable", Any),
]);

const GENERATOR: Shape = Record(&[
    ("namespace", Text),
    ("name", Text),
    ("behavior", Text),
    ("files", TEXTS),
    ("literals", TEXTS),
    ("envs", TEXTS),
    ("env", Text),
    ("options", GENERATOR_OPTIONS),
    ("type", Text),
]);

const KUSTOMIZATION: Shape = Record(&[
    ("apiVersion", Text),
    ("kind", Text),
    (
        "metadata",
        Record(&[("name", Text), ("namespace", Text), ("labels", TEXT_MAP), ("annotations", TEXT_MAP)]),
    ),
    ("openapi", TEXT_MAP),
    ("namePrefix", Text),
    ("nameSuffix", Text),
    ("namespace", Text),
    ("commonLabels", TEXT_MAP),
    ("labels", List(&LABEL)),
    ("commonAnnotations", TEXT_MAP),
    ("patchesStrategicMerge", TEXTS),
    ("patchesJson6902", List(&PATCH)),
    ("patches", List(&PATCH)),
    ("images", List(&IMAGE)),
    ("imageTags", List(&IMAGE)),
    ("replacements", List(&REPLACEMENT)),
    ("replicas", List(&Record(&[("name", Text), ("count", Any)]))),
    ("vars", List(&VAR)),
    (
        "sortOptions",
        Record(&[
            ("order", Text),
            ("legacySortOptions", Record(&[("orderFirst", TEXTS), ("orderLast", TEXTS)])),
        ]),
    ),
    ("resources", TEXTS),
    ("components", TEXTS),
    ("crds", TEXTS),
    ("bases", TEXTS),
    ("configMapGenerator", List(&GENERATOR)),
    ("secretGenerator", List(&GENERATOR)),
    ("helmGlobals", Any),
    ("helmCharts", Any),
    ("helmChartInflationGenerator", Any),
    ("generatorOptions", GENERATOR_OPTIONS),
    ("configurations", TEXTS),
    ("generators", TEXTS),
    ("transformers", TEXTS),
    ("validators", TEXTS),
    ("buildMetadata", TEXTS),
]);

/// A value that can't become what the structure wants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go struct field Kustomization.{field} of type {wanted}"
)]
pub(crate) struct DecodeError {
    found: &'static str,
    field: String,
    wanted: &'static str,
}

/// Decodes a kustomization file and gives it the API version and kind it lacks.
pub(crate) fn decode(file: &Node) -> Result<Map, DecodeError> {
    let decoded = if file.is_null() { Node::map() } else { tidy(file, &KUSTOMIZATION, &mut Vec::new())? };
    let Node::Map(mut map) = decoded else { return Ok(Map::default()) };
    for (key, default) in [("apiVersion", "kustomize.config.k8s.io/v1beta1"), ("kind", "Kustomization")] {
        if map.get(key).is_none_or(|value| value.as_str() == Some("")) {
            map.insert(key, Node::string(default));
        }
    }
    Ok(map)
}

fn tidy(node: &Node, shape: &Shape, path: &mut Vec<String>) -> Result<Node, DecodeError> {
    if node.is_null() {
        return Ok(node.clone());
    }
    match (shape, node) {
        (Any, _) => Ok(node.clone()),
        (Text, Node::Scalar(scalar)) => Ok(Node::Scalar(text(scalar))),
        (List(item), Node::List(items)) => {
            Ok(Node::List(items.iter().map(|node| tidy(node, item, path)).collect::<Result<_, _>>()?))
        }
        (Shape::Map(value), Node::Map(map)) => {
            let mut tidied = Map::default();
            for (key, node) in map.iter() {
                tidied.insert(key, at(path, key, |path| tidy(node, value, path))?);
            }
            Ok(Node::Map(tidied))
        }
        (Record(fields), Node::Map(map)) => {
            let mut tidied = Map::default();
            for (key, node) in map.iter() {
                let Some((name, shape)) = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(key))
                else {
                    continue;
                };
                tidied.insert(*name, at(path, name, |path| tidy(node, shape, path))?);
            }
            Ok(Node::Map(tidied))
        }
        (Text | List(_) | Shape::Map(_) | Record(_), _) => {
            Err(DecodeError { found: type_name(node), field: path.join("."), wanted: wanted(shape) })
        }
    }
}

fn at<T>(path: &mut Vec<String>, key: &str, inner: impl FnOnce(&mut Vec<String>) -> T) -> T {
    path.push(key.to_owned());
    let outcome = inner(path);
    path.pop();
    outcome
}

/// A scalar as the string that the original makes of it.
fn text(scalar: &Scalar) -> Scalar {
    let style = if scalar.kind() == ScalarKind::Str { scalar.style() } else { Style::DoubleQuoted };
    Scalar::new(scalar.text(), ScalarKind::Str, style)
}

fn type_name(node: &Node) -> &'static str {
    match node {
        Node::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Null => "null",
            ScalarKind::Bool => "bool",
            ScalarKind::Int | ScalarKind::Float => "number",
            ScalarKind::Str | ScalarKind::Timestamp => "string",
        },
        Node::List(_) => "array",
        Node::Map(_) => "object",
    }
}

fn wanted(shape: &Shape) -> &'static str {
    match shape {
        Text => "string",
        Any => "interface {}",
        List(Text) => "[]string",
        List(_) => "[]types.List",
        Shape::Map(_) => "map[string]string",
        Record(_) => "types.Kustomization",
    }
}

#[cfg(test)]
mod tests {
    use millrace_yaml::read::{self, Resolver};

    use super::*;

    fn decoded(text: &str) -> Result<String, DecodeError> {
        let documents =
            read::documents(text, Resolver::Kubernetes, &read::Limits::default()).expect("valid YAML");
        decode(&documents[0].node).map(|map| millrace_yaml::print::to_yaml(&Node::Map(map)))
    }

    #[test]
    fn unknown_keys_go_keys_match_in_any_case_and_scalars_become_strings() {
        let text = "Resources: [a.yaml]\nunknown: 1\nnamePrefix: 5\nimages:\n- NAME: x\n  newTag: 1.10\n  other: y\n";
        let expected = "apiVersion: kustomize.config.k8s.io/v1beta1\nimages:\n- name: x\n  newTag: \"1.1\"\nkind: \
                        Kustomization\nnamePrefix: \"5\"\nresources:\n- a.yaml\n";
        assert_eq!(decoded(text).as_deref(), Ok(expected));
    }

    #[test]
    fn a_list_where_text_belongs_is_an_error_that_names_the_field() {
        let expected = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go struct field \
                        Kustomization.namePrefix of type string";
        assert_eq!(decoded("namePrefix: [a]\n").map_err(|error| error.to_string()), Err(expected.to_owned()));
    }
}
