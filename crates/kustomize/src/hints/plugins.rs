//! What is wrong with an object that is to configure a plugin.

use super::Draft;
use super::near::{nearest, quoted};
use crate::error::BuildError;
use crate::resource::{Names, Resource};

/// An error of an object of `generators`, `transformers` or `validators` with what to do about it.
///
/// `wanted` says what the list takes, and `builtins` are the kinds of plugins that there are.
pub(crate) fn unconfigured<'k>(
    error: BuildError,
    object: &Resource,
    wanted: &str,
    builtins: impl Iterator<Item = &'k str> + Clone,
    names: &Names,
) -> BuildError {
    if !error.is_input() {
        return error;
    }
    let kind = names.text(object.original_id().gvk.kind);
    let version = object.id().gvk.api_version(names);
    let is_builtin = builtins.clone().any(|builtin| builtin == &*kind);
    let near = nearest(&kind, builtins);
    let says = match near {
        Some(near) if !is_builtin => {
            format!("there is no builtin kind {}: did you mean '{near}'?", quoted(&kind))
        }
        Some(_) if version != "builtin" => {
            format!("the apiVersion of a builtin kind is 'builtin', not {}", quoted(&version))
        }
        Some(_) => match misplaced(&kind, wanted) {
            Some(says) => says,
            None if error.drafts().is_empty() => "this object is what fails".to_owned(),
            None => return error.with_hints_by(|draft| draft.of_object(object, names)),
        },
        None if version == "builtin" => format!("there is no builtin kind {}", quoted(&kind)),
        None => format!(
            "{} is no builtin kind, and programs are not run: keep what it makes among your files",
            quoted(&kind)
        ),
    };
    error.with_hint(Draft::from(says).of_object(object, names))
}

/// That a plugin stands in the list of others.
fn misplaced(kind: &str, wanted: &str) -> Option<String> {
    let (is, list) = if kind.ends_with("Generator") {
        ("generator", "generators")
    } else {
        ("transformer", "transformers")
    };
    (is != wanted).then(|| format!("this is a {is}: list it under {list}"))
}
