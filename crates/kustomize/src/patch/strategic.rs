//! Strategic merge.
//!
//! The procedure is the reference's, defects included (contract: kustomize-build §3.17, §10): which lists are merged
//! follows from the schema alone, and every field of the object is walked, also those that the patch does not touch.

use std::collections::BTreeSet;

use millrace_yaml::{List, Map, Node, Scalar, ScalarKind, Style};

use super::associative::{is_empty, merge_items};
use crate::fields::wrong_kind;
use crate::resource::text_at;
use crate::schema::{Schema, SchemaAt};
use crate::syntax;

/// What a merge made of one value.
#[derive(Debug)]
pub(super) enum Merged {
    /// The result stands where the value stood.
    InPlace,
    /// There is no result.
    Absent,
    /// The result is another value; the old one is as it was, or as far as it was merged.
    Other(Node),
}

/// Where a merge is.
#[derive(Clone, Copy)]
pub(super) struct At<'s> {
    kinds: &'s Schema,
    pub(super) schema: Option<SchemaAt<'s>>,
    /// Whether both sides are one tree, as what only the patch has is merged with itself: a directive leaves both.
    is_one: bool,
}

impl At<'_> {
    fn field(self, name: &str) -> Self {
        Self { schema: self.schema.and_then(|schema| schema.field(name)), ..self }
    }

    fn item(self) -> Self {
        Self { schema: self.schema.and_then(SchemaAt::item), ..self }
    }

    /// Where nothing is known of a value that states a kind of its own, as an object inside of another one does, it is merged
    /// like that kind; one without a schema like the other side's.
    fn of_own_kind(self, dest: Option<&Node>, patch: Option<&Node>) -> Self {
        let schema_of = |node: &Node| {
            let (api_version, kind) = (text_at(node, &["apiVersion"]), text_at(node, &["kind"]));
            let is_stated = !api_version.is_empty() && !kind.is_empty();
            is_stated.then(|| self.kinds.of_kind(api_version, kind)).flatten()
        };
        let schema = self.schema.or_else(|| [dest, patch].into_iter().flatten().find_map(schema_of));
        Self { schema, ..self }
    }

    /// Whether both sides are one tree.
    pub(super) fn is_one(self) -> bool {
        self.is_one
    }

    fn with_itself(self) -> Self {
        Self { is_one: true, ..self }
    }
}

/// A directive of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive {
    Delete,
    Replace,
    Merge,
}

pub(super) const DIRECTIVE: &str = "$patch";

/// Merges a patch into an object; false says that the patch deletes it.
pub(crate) fn merge(object: &mut Node, patch: Node, schema: &Schema) -> Result<bool, String> {
    let at = At { kinds: schema, schema: None, is_one: false };
    match merge_values(Some(object), Some(patch), at)? {
        // `$patch: replace` at the top of an object has no effect.
        Merged::InPlace | Merged::Other(_) => Ok(true),
        Merged::Absent => Ok(false),
    }
}

/// Merges a value of a patch into a value of the object; either may be missing.
pub(super) fn merge_values(
    dest: Option<&mut Node>,
    patch: Option<Node>,
    at: At<'_>,
) -> Result<Merged, String> {
    let at = at.of_own_kind(dest.as_deref(), patch.as_ref());
    let first = match (&dest, &patch) {
        (Some(dest), _) if !dest.is_null() => Some(&**dest),
        (_, Some(patch)) if !patch.is_null() => Some(patch),
        _ => None,
    };
    match first {
        Some(Node::Map(_)) => merge_maps(dest, patch, at),
        Some(Node::List(_)) => merge_lists(dest, patch, at),
        Some(Node::Scalar(_)) => merge_scalars(dest, patch),
        None => Ok(merge_nulls(dest.as_deref(), patch.as_ref())),
    }
}

/// Where neither side has a value: a null that was written out stays unless the patch says something.
fn merge_nulls(dest: Option<&Node>, patch: Option<&Node>) -> Merged {
    let written = dest.and_then(Node::as_scalar).is_some_and(|null| !null.text().is_empty());
    if patch.is_none() && written { Merged::InPlace } else { Merged::Absent }
}

fn merge_scalars(dest: Option<&mut Node>, patch: Option<Node>) -> Result<Merged, String> {
    check_kind(dest.as_deref(), patch.as_ref(), "ScalarNode", |node| node.as_scalar().is_some())?;
    let Some(patch) = patch else { return Ok(if dest.is_some() { Merged::InPlace } else { Merged::Absent }) };
    match (dest, patch) {
        (_, patch) if patch.is_null() => Ok(Merged::Absent),
        (Some(Node::Scalar(old)), Node::Scalar(new)) => {
            // In quotes it is printed as a string, but keeps its type.
            *old = new.written_as(old);
            Ok(Merged::InPlace)
        }
        (_, patch) => Ok(Merged::Other(patch)),
    }
}

fn merge_maps(dest: Option<&mut Node>, patch: Option<Node>, at: At<'_>) -> Result<Merged, String> {
    check_kind(dest.as_deref(), patch.as_ref(), "MappingNode", |node| node.as_map().is_some())?;
    let mut patch = patch;
    let dest = in_brackets_of(dest, patch.as_ref()).filter(|dest| !dest.is_null());
    let Some(Node::Map(dest)) = dest else {
        let Some(Node::Map(mut added)) = patch else { return Ok(Merged::Absent) };
        if matches!(take_map_directive(&mut added), Ok(Directive::Delete)) {
            return Ok(Merged::Absent);
        }
        return merge_with_itself(added, at);
    };
    if patch.as_ref().is_some_and(Node::is_null) {
        return Ok(Merged::Absent);
    }
    let directive = match &mut patch {
        Some(Node::Map(patch)) => take_map_directive(patch)?,
        Some(Node::List(_) | Node::Scalar(_)) | None => Directive::Merge,
    };
    if at.is_one {
        dest.remove(DIRECTIVE);
    }
    let mut patch = match patch {
        Some(Node::Map(patch)) => patch,
        Some(Node::List(_) | Node::Scalar(_)) | None => Map::default(),
    };
    match directive {
        Directive::Delete => Ok(Merged::Absent),
        Directive::Replace if !at.is_one => merge_with_itself(patch, at),
        // One tree is what it would be replaced by.
        Directive::Replace | Directive::Merge => {
            merge_fields(dest, &mut patch, at)?;
            Ok(Merged::InPlace)
        }
    }
}

/// What was empty takes the brackets of the patch, or stands without them as the patch does.
fn in_brackets_of<'d>(dest: Option<&'d mut Node>, patch: Option<&Node>) -> Option<&'d mut Node> {
    let mut dest = dest;
    if let (Some(dest), Some(patch)) = (dest.as_deref_mut(), patch)
        && dest.is_empty_collection()
    {
        dest.set_flow(patch.is_flow());
    }
    dest
}

/// A map that comes from the patch is walked like a merged one, which drops its nulls and follows its directives.
fn merge_with_itself(mut added: Map, at: At<'_>) -> Result<Merged, String> {
    let mut patch = added.clone();
    merge_fields(&mut added, &mut patch, at.with_itself())?;
    Ok(Merged::Other(Node::Map(added)))
}

fn merge_fields(dest: &mut Map, patch: &mut Map, at: At<'_>) -> Result<(), String> {
    let names: BTreeSet<Box<str>> = dest.keys().chain(patch.keys()).map(Box::from).collect();
    for name in names {
        let (key, value) = patch.remove_entry(&name).unzip();
        let is_patched = value.is_some();
        let merged = merge_values(dest.get_mut(&name), value, at.field(&name))?;
        if name.is_empty() {
            // Without a name the result is for the map itself, which is no place for it.
            return Err(wrong_kind("ScalarNode", &Node::Map(std::mem::take(dest))).text);
        }
        match merged {
            // The value of the patch has the quotes of the object's, which in one tree is the same value.
            Merged::InPlace if is_patched && !at.is_one => {}
            Merged::InPlace => {
                if let Some(value) = dest.get_mut(&name) {
                    quote(value);
                }
            }
            Merged::Absent => {
                dest.remove(&name);
            }
            Merged::Other(mut result) => {
                if let Some(old) = dest.get_mut(&name) {
                    // Brackets are of the place.
                    result.set_flow(old.is_flow());
                    *old = result;
                } else {
                    quote(&mut result);
                    dest.push(key.map_or_else(|| Scalar::string(name), |key| untagged(&key)), result);
                }
            }
        }
    }
    Ok(())
}

/// A key as a merge adds it, or a scalar of a set: without a tag, so that it is what its text says.
pub(super) fn untagged(key: &Scalar) -> Scalar {
    let kind = if key.style() == Style::Plain { syntax::kind_of(key.text()) } else { ScalarKind::Str };
    Scalar::new(key.text(), kind, key.style())
}

/// Every string that a merge passes gets the quotes that YAML 1.1 wants, and then keeps them.
fn quote(node: &mut Node) {
    if let Node::Scalar(scalar) = node
        && (scalar.kind() == ScalarKind::Str || scalar.is_untyped())
        && scalar.style() == Style::Plain
        && !scalar.is_tagged()
        && scalar.tag().is_none()
        && syntax::wants_quotes(scalar.text())
    {
        *scalar = Scalar::new(scalar.text(), ScalarKind::Str, Style::DoubleQuoted);
    }
}

fn merge_lists(dest: Option<&mut Node>, patch: Option<Node>, at: At<'_>) -> Result<Merged, String> {
    check_kind(dest.as_deref(), patch.as_ref(), "SequenceNode", |node| node.as_list().is_some())?;
    let dest = in_brackets_of(dest, patch.as_ref());
    let Some(keys) = at.schema.and_then(SchemaAt::merge_keys) else {
        return Ok(match patch {
            None => Merged::InPlace,
            Some(patch) if patch.is_null() => Merged::Absent,
            Some(patch) => Merged::Other(patch),
        });
    };
    let Some(Node::List(dest)) = dest.filter(|dest| !dest.is_null()) else {
        let Some(Node::List(mut added)) = patch else { return Ok(Merged::Absent) };
        let mut items = added.clone();
        return Ok(Merged::Other(Node::List(merge_items(
            &mut added,
            &mut items,
            &keys,
            at.item().with_itself(),
        )?)));
    };
    if patch.as_ref().is_some_and(Node::is_null) {
        return Ok(Merged::Absent);
    }
    let mut items = match patch {
        Some(Node::List(items)) => items,
        Some(Node::Map(_) | Node::Scalar(_)) | None => List::default(),
    };
    let directive = take_list_directive(&mut items)?;
    if at.is_one {
        take_list_directive(dest)?;
    }
    match directive {
        Directive::Delete => Ok(Merged::Absent),
        Directive::Replace => {
            let mut added = items.clone();
            Ok(Merged::Other(Node::List(merge_items(
                &mut added,
                &mut items,
                &keys,
                at.item().with_itself(),
            )?)))
        }
        Directive::Merge => Ok(Merged::Other(Node::List(merge_items(dest, &mut items, &keys, at.item())?))),
    }
}

fn check_kind(
    dest: Option<&Node>,
    patch: Option<&Node>,
    expected: &str,
    is: impl Fn(&Node) -> bool,
) -> Result<(), String> {
    match [dest, patch].into_iter().flatten().find(|node| !node.is_null() && !is(node)) {
        Some(other) => Err(wrong_kind(expected, other).text),
        None => Ok(()),
    }
}

/// Takes the directive out of a map of a patch.
fn take_map_directive(patch: &mut Map) -> Result<Directive, String> {
    let Some(value) = patch.get(DIRECTIVE) else { return Ok(Directive::Merge) };
    let directive = directive(value.as_scalar().map_or("", |value| value.text()))?;
    patch.remove(DIRECTIVE);
    Ok(directive)
}

/// Takes the directive out of a list of a patch: the first item that is a map with the directive alone.
fn take_list_directive(items: &mut List) -> Result<Directive, String> {
    let Some(position) = items.iter().position(|item| item.get(DIRECTIVE).is_some()) else {
        return Ok(Directive::Merge);
    };
    let Some(map) = items[position].as_map().filter(|map| map.len() == 1) else {
        return Ok(Directive::Merge);
    };
    let text = map.get(DIRECTIVE).and_then(Node::as_scalar).map_or("", |value| value.text()).to_owned();
    let directive = directive(&text)?;
    let is_same =
        |item: &Node| item.get(DIRECTIVE).and_then(Node::as_scalar).is_some_and(|value| value.text() == text);
    // Empty items go with it: to the reference they are no items.
    items.retain(|item| !is_same(item) && !is_empty(item));
    Ok(directive)
}

fn directive(text: &str) -> Result<Directive, String> {
    match text {
        "delete" => Ok(Directive::Delete),
        "replace" => Ok(Directive::Replace),
        "merge" => Ok(Directive::Merge),
        other => Err(format!("unknown patch strategy '{other}'")),
    }
}
