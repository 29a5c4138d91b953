//! Replacements as a kustomization file, or a file beside it, states them.

use millrace_yaml::Node;

use super::Replacement;
use crate::error::{BuildError, Result};
use crate::kustomization::ReplacementField;
use crate::kustomization::decode::decode_lax;
use crate::syntax;
use crate::target::Target;

/// All replacements of a target.
pub(super) fn load(fields: &[ReplacementField], target: &Target<'_, '_>) -> Result<Vec<Replacement>> {
    let mut replacements = Vec::new();
    for field in fields {
        load_one(field, target, &mut replacements)?;
    }
    Ok(replacements)
}

fn load_one(
    field: &ReplacementField,
    target: &Target<'_, '_>,
    replacements: &mut Vec<Replacement>,
) -> Result<()> {
    if field.path.is_empty() {
        // An empty list does not survive the way of the reference's configuration through YAML.
        let targets = field.targets.clone().filter(|targets| !targets.is_empty());
        replacements.push(Replacement { targets, ..field.into() });
        return Ok(());
    }
    if field.source.is_some() || field.targets.as_ref().is_some_and(|targets| !targets.is_empty()) {
        return Err(BuildError::new("cannot specify both path and inline replacement"));
    }
    let text = target.loader.load(&field.path)?;
    let node = syntax::read_config(&text).map_err(|error| BuildError::new(error.text))?;
    let decode = |node: &Node| {
        let decoded: ReplacementField = decode_lax(node).map_err(|error| {
            BuildError::new(format!("error unmarshaling JSON: while decoding JSON: {error}"))
        })?;
        Ok(Replacement::from(&decoded))
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
        }
    }
}

/// The error for replacements that cannot be used shows all of them.
pub(super) fn trouble(error: BuildError, fields: &[ReplacementField]) -> BuildError {
    let shown = syntax::print_sorted(&super::shown::replacements(fields));
    error.wrap(format_args!("trouble configuring builtin ReplacementTransformer with config: `\n{shown}`"))
}
