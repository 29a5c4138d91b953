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

/// All replacements of a target.
pub(super) fn load(fields: &[ReplacementField], target: &Target<'_, '_>) -> Result<Vec<Replacement>> {
    let mut replacements = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        load_one(field, index, target, &mut replacements)?;
    }
    Ok(replacements)
}

fn load_one(
    field: &ReplacementField,
    index: usize,
    target: &Target<'_, '_>,
    replacements: &mut Vec<Replacement>,
) -> Result<()> {
    if field.path.is_empty() {
        let place = Draft::field(&target.file(), vec![Key::name("replacements"), Key::Item(index)], None);
        replacements.push(Replacement { place, ..field.into() });
        return Ok(());
    }
    if field.source.is_some() || field.targets.as_ref().is_some_and(|targets| !targets.is_empty()) {
        return Err(BuildError::new("cannot specify both path and inline replacement"));
    }
    let text = target.loader.load(&field.path)?;
    let file = target.loader.display(&field.path);
    let node = syntax::read_converted(&text).map_err(|error| {
        let hint = hints::unreadable(&file, &text, &error);
        BuildError::new(error.text).with_hint(hint)
    })?;
    let decode = |node: &Node| {
        let decoded: ReplacementFile = decode_lax(node).map_err(|error| {
            BuildError::new(format!("error unmarshaling JSON: while decoding JSON: {error}"))
                .with_hint(Draft::line(&file, None).and(": this file does not fit what replacements are"))
        })?;
        let ReplacementFile { source, source_value: value, targets } = decoded;
        Ok(Replacement { source, value, targets, place: Draft::line(&file, None) })
    };
    match &node {
        Node::List(items) => items.iter().try_for_each(|item| {
            replacements.push(decode(item)?);
            Ok(())
        }),
        Node::Map(_) => {
            replacements.push(decode(&node)?);
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

impl From<&ReplacementField> for Replacement {
    fn from(field: &ReplacementField) -> Self {
        Self {
            source: field.source.clone(),
            value: field.source_value.clone(),
            targets: field.targets.clone(),
            place: Draft::default(),
        }
    }
}

/// The error for replacements that cannot be used shows all of them.
pub(super) fn trouble(error: BuildError, fields: &[ReplacementField]) -> BuildError {
    let shown = syntax::print_sorted(&super::shown::replacements(fields));
    error.wrap(format_args!("trouble configuring builtin ReplacementTransformer with config: `\n{shown}`"))
}
