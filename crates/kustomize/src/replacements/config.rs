//! Replacements as a kustomization file, or a file beside it, states them.

use millrace_yaml::Node;

use super::Replacement;
use crate::error::{BuildError, Result};
use crate::hints::{self, Draft, Key};
use crate::kustomization::decode::{decode_lax, record};
use crate::kustomization::{ReplacementField, ReplacementSource, ReplacementTarget};
use crate::syntax;
use crate::target::Target;

record! {
    /// A replacement in a file beside the kustomization.
    struct ReplacementFile = "Replacement" {
        source: Option<ReplacementSource> = "source",
        source_value: Option<String> = "sourceValue",
        targets: Option<Vec<ReplacementTarget>> = "targets",
    }
}

/// All replacements of a list, which stands in the kustomization file that is given.
pub(super) fn load(
    fields: &[ReplacementField],
    target: &Target<'_, '_>,
    file: Option<&str>,
) -> Result<Vec<Replacement>> {
    let mut replacements = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        if field.path.is_empty() {
            let way = || vec![Key::name("replacements"), Key::Item(index)];
            let place = file.map(|file| Draft::field(file, way(), None)).unwrap_or_default();
            replacements.push(Replacement { place, ..field.into() });
        } else {
            load_file(field, target, &mut replacements)?;
        }
    }
    Ok(replacements)
}

fn load_file(
    field: &ReplacementField,
    target: &Target<'_, '_>,
    replacements: &mut Vec<Replacement>,
) -> Result<()> {
    if field.source.is_some() || field.targets.as_ref().is_some_and(|targets| !targets.is_empty()) {
        return Err(BuildError::new("cannot specify both path and inline replacement"));
    }
    let text = target.loader.load(&field.path)?;
    let file = target.loader.display(&field.path);
    let node = syntax::read_converted(&text).map_err(|error| {
        let hint = hints::unreadable(&file, &text, &error);
        BuildError::new(error.text).with_hint(hint)
    })?;
    let decode = |node: &Node, way: Vec<Key>| {
        let decoded: ReplacementFile = decode_lax(node).map_err(|error| {
            BuildError::new(format!("error unmarshaling JSON: while decoding JSON: {error}"))
                .with_hint(Draft::line(&file, None).and(": this file does not fit what replacements are"))
        })?;
        let ReplacementFile { source, source_value: value, targets } = decoded;
        Ok(Replacement { source, value, targets, place: Draft::field(&file, way, None), stray: stray(node) })
    };
    match &node {
        Node::List(items) => items.iter().enumerate().try_for_each(|(index, item)| {
            replacements.push(decode(item, vec![Key::Item(index)])?);
            Ok(())
        }),
        Node::Map(_) => {
            replacements.push(decode(&node, Vec::new())?);
            Ok(())
        }
        Node::Scalar(scalar) => {
            use millrace_yaml::ScalarKind;
            let kind = match scalar.kind() {
                ScalarKind::Null => "invalid",
                ScalarKind::Bool => "bool",
                ScalarKind::Int | ScalarKind::Float => "float64",
                ScalarKind::Str | ScalarKind::Timestamp => "string",
            };
            Err(BuildError::new(format!(
                "unsupported replacement type encountered within replacement path: {kind}"
            )))
        }
    }
}

/// What to do about a field of a file's replacement that is none, which nothing complains of.
fn stray(node: &Node) -> Option<String> {
    const FIELDS: [&str; 3] = ["source", "sourceValue", "targets"];
    node.as_map()?.keys().filter(|key| !FIELDS.contains(key)).find_map(|key| {
        if key == "replacements" {
            return Some("this file is to hold the list alone, without 'replacements:'".to_owned());
        }
        let near = hints::nearest(key, FIELDS)?;
        Some(format!("there is no field {}: did you mean '{near}'?", hints::quoted(key)))
    })
}

impl From<&ReplacementField> for Replacement {
    fn from(field: &ReplacementField) -> Self {
        Self {
            source: field.source.clone(),
            value: field.source_value.clone(),
            targets: field.targets.clone(),
            place: Draft::default(),
            stray: None,
        }
    }
}

/// The error for replacements that cannot be used shows all of them.
pub(super) fn trouble(error: BuildError, fields: &[ReplacementField]) -> BuildError {
    let shown = syntax::print_sorted(&super::shown::replacements(fields));
    error.wrap(format_args!("trouble configuring builtin ReplacementTransformer with config: `\n{shown}`"))
}
