//! `ValueAddTransformer`: one text in many places, or as a part of paths.

use millrace_yaml::{List, Node, Scalar};

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
                resource.refresh_id(names);
                resource.settle(names, |bytes| context.make(bytes))?;
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
        let segments = split_path(&target.field_path);
        let segments: Vec<&str> =
            segments.iter().map(|segment| segment.trim()).filter(|segment| !segment.is_empty()).collect();
        if segments.len() > MAX_DEPTH {
            return Err(TOO_DEEP.to_owned());
        }
        let Some(node) = place(&mut resource.node, &segments)? else {
            return if target.file_path_position > 0 {
                Err(format!("fieldPath {} leads to no value that a part can be put into", target.field_path))
            } else {
                Ok(())
            };
        };
        let old = node.as_scalar().map(Scalar::text).ok_or_else(|| wrong_kind("ScalarNode", node).text)?;
        let text = match usize::try_from(target.file_path_position) {
            Ok(position) if position > 0 => insert_part(old, position - 1, &self.value),
            Ok(_) | Err(_) => self.value.clone(),
        };
        context.make(text.len())?;
        write_text(node, &text).map_err(|fault| fault.text)
    }
}

/// The place that a path leads to; fields and items with a key are made where they are missing, and then what they hold.
fn place<'n>(node: &'n mut Node, segments: &[&str]) -> std::result::Result<Option<&'n mut Node>, String> {
    let mut node = node;
    for (index, segment) in segments.iter().enumerate() {
        let next = match segment.parse::<i64>() {
            Ok(index) if index < 0 => return Err(format!("array index {index} cannot be negative")),
            Ok(index) => items(node)?.and_then(|items| items.get_mut(usize::try_from(index).ok()?)),
            Err(_) if *segment == "-" => items(node)?.and_then(|items| items.last_mut()),
            Err(_) if *segment == "*" => return Err("wildcard is not supported in PathGetter".to_owned()),
            Err(_) if is_keyed(segment) => keyed_item(node, segment)?,
            Err(_) => field(node, segment, segments.get(index + 1).copied())?,
        };
        let Some(next) = next else { return Ok(None) };
        node = next;
    }
    Ok(Some(node))
}

/// Whether a segment is like `[name=web]`.
fn is_keyed(segment: &str) -> bool {
    segment.starts_with('[') && segment.ends_with(']')
}

fn items(node: &mut Node) -> std::result::Result<Option<&mut List>, String> {
    match node {
        Node::List(items) => Ok(Some(items)),
        node if node.is_null() => Ok(None),
        Node::Map(_) | Node::Scalar(_) => Err(wrong_kind("SequenceNode", node).text),
    }
}

fn keyed_item<'n>(node: &'n mut Node, segment: &str) -> std::result::Result<Option<&'n mut Node>, String> {
    let inner = segment.strip_suffix(']').unwrap_or(segment);
    let inner = inner.strip_prefix('[').unwrap_or(inner);
    let no_key = "list path element must contain fieldName=fieldValue for element to match";
    let (key, value) = inner.split_once('=').ok_or(no_key)?;
    let Some(items) = items(node)? else { return Ok(None) };
    let text = |node: &Node| node.as_scalar().is_some_and(|scalar| scalar.text() == value);
    let is_it = |item: &Node| if key.is_empty() { text(item) } else { item.get(key).is_some_and(text) };
    let found = items.iter().position(is_it).unwrap_or_else(|| {
        let made = syntax::untyped(value);
        items.push(if key.is_empty() {
            made
        } else {
            Node::Map([(syntax::key(key), made)].into_iter().collect())
        });
        items.len() - 1
    });
    Ok(items.get_mut(found))
}

fn field<'n>(
    node: &'n mut Node,
    name: &str,
    next: Option<&str>,
) -> std::result::Result<Option<&'n mut Node>, String> {
    if node.is_null() {
        return Ok(None);
    }
    if node.as_map().is_none() {
        return Err(wrong_kind("MappingNode", node).text);
    }
    let Some(map) = node.as_map_mut() else { return Ok(None) };
    if map.get(name).is_none() {
        let is_item = |next: &str| is_keyed(next) || next.parse::<i64>().is_ok_and(|index| index >= 0);
        map.push(
            syntax::key(name),
            match next {
                None => Node::string(""),
                Some(next) if is_item(next) => Node::list(Vec::new()),
                Some(_) => Node::map(),
            },
        );
    }
    Ok(map.get_mut(name))
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
