//! `ValueAddTransformer`: one text in many places, or as a part of paths.

use millrace_yaml::{Node, Scalar};

use super::config::{ValueAdd, ValueAddTarget, decode};
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::{MAX_DEPTH, TOO_DEEP, split_path, write_text, wrong_kind};
use crate::patch::ObjectSelector;
use crate::resource::{Collection, Resource};
use crate::syntax;
use crate::target::Target;
use crate::transformers::{Subjects, Transform, set_namespace_of};

const NAMESPACE_PATH: &str = "metadata/namespace";

struct AddValue {
    value: String,
    targets: Vec<(Option<Result<ObjectSelector>>, ValueAddTarget)>,
}

pub(super) fn configure(config: ValueAdd, target: &Target<'_, '_>) -> Result<Box<dyn Transform>> {
    let ValueAdd { value, targets, target_file_path } = config;
    let value = match value.trim() {
        "" => target.loader.folder_name(),
        value => value.to_owned(),
    };
    let mut targets = targets.unwrap_or_default();
    if !target_file_path.is_empty() {
        let text = target.loader.load(&target_file_path)?;
        let node = syntax::read_config(&text).map_err(|error| BuildError::new(error.text))?;
        let shared: ValueAdd = decode(&node)?;
        targets.extend(shared.targets.unwrap_or_default());
    }
    if targets.is_empty() {
        return Err(BuildError::new("must specify at least one target"));
    }
    for ValueAddTarget { field_path, file_path_position, .. } in &targets {
        if field_path.is_empty() {
            return Err(BuildError::new("fieldPath cannot be empty"));
        }
        if *file_path_position < 0 {
            return Err(BuildError::new(format!(
                "value of FilePathPosition ({file_path_position}) cannot be negative"
            )));
        }
    }
    let targets = targets
        .into_iter()
        .map(|target| (target.selector.as_ref().map(ObjectSelector::new), target))
        .collect();
    Ok(Box::new(AddValue { value, targets }))
}

impl Transform for AddValue {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        let names = &context.names;
        for (selector, target) in &self.targets {
            for resource in collection.iter_mut() {
                let selected = match selector {
                    Some(selector) => selector.as_ref().map_err(Clone::clone)?.selects(resource, names)?,
                    None => true,
                };
                if !selected {
                    continue;
                }
                if target.field_path == NAMESPACE_PATH {
                    set_namespace_of(resource, &self.value, Subjects::Default, context)?;
                } else {
                    self.write(resource, target, context).map_err(BuildError::new)?;
                }
                resource.links.settle(&mut resource.node);
                resource.refresh_id(names);
            }
        }
        Ok(())
    }
}

impl AddValue {
    fn write(
        &self,
        resource: &mut Resource,
        target: &ValueAddTarget,
        context: &Context<'_>,
    ) -> std::result::Result<(), String> {
        let mut node = &mut resource.node;
        let segments = split_path(&target.field_path);
        if segments.len() > MAX_DEPTH {
            return Err(TOO_DEEP.to_owned());
        }
        for (index, segment) in segments.iter().enumerate() {
            if node.is_null() {
                *node = Node::map();
            }
            if node.as_map().is_none() {
                return Err(wrong_kind("MappingNode", node).text);
            }
            let map = node.as_map_mut().expect("a map, by the check above");
            if map.get(segment).is_none() {
                let made = if index + 1 == segments.len() { Node::string("") } else { Node::map() };
                map.push(syntax::key(segment), made);
            }
            node = map.get_mut(segment).expect("the key is there, by the lines above");
        }
        let old = node.as_scalar().map(Scalar::text).ok_or_else(|| wrong_kind("ScalarNode", node).text)?;
        let text = match usize::try_from(target.file_path_position) {
            Ok(position) if position > 0 => insert_part(old, position - 1, &self.value),
            Ok(_) | Err(_) => self.value.clone(),
        };
        context.make(text.len())?;
        write_text(node, &text).map_err(|fault| fault.text)
    }
}

/// Puts a part into a path; beyond the end it comes last, and an absolute path stays one.
fn insert_part(path: &str, position: usize, part: &str) -> String {
    if path.is_empty() {
        return part.to_owned();
    }
    let (root, relative) = path.strip_prefix('/').map_or(("", path), |relative| ("/", relative));
    let mut parts: Vec<&str> = relative.split('/').filter(|part| !part.is_empty()).collect();
    parts.insert(position.min(parts.len()), part);
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::insert_part;

    #[test]
    fn a_part_goes_where_it_is_wanted() {
        for (path, position, result) in [
            ("", 3, "P"),
            ("/", 0, "/P"),
            ("pie", 0, "P/pie"),
            ("/pie", 0, "/P/pie"),
            ("raw", 9, "raw/P"),
            ("/a/nice/warm/pie", 3, "/a/nice/warm/P/pie"),
        ] {
            assert_eq!(insert_part(path, position, "P"), result, "{path}");
        }
    }
}
