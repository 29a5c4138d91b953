//! Merging lists whose items are matched by keys.
//!
//! Contract: kustomize-build §3.17, the procedure for keyed lists. Its outcome is surprising where items lack keys; many
//! manifests depend on it, so it is kept apart here and followed step by step.

use millrace_yaml::{List, Node, Scalar, ScalarKind};

use super::strategic::{At, DIRECTIVE, Merged, merge_values, untagged};
use crate::fields::wrong_kind;
use crate::syntax;

/// The procedure looks through the whole list for each item of either side. Up to so many looks are a matter of seconds;
/// more would keep a thread for minutes, so they are refused.
const MAX_LOOKS: usize = 200_000_000;

/// The texts of an item's keys; empty where the item lacks one.
type Texts = Vec<String>;

/// Merges items of a patch into a list. No keys: the items are scalars and the list is a set.
pub(super) fn merge_items(
    dest: &mut List,
    patch: &mut [Node],
    keys: &[&str],
    at: At<'_>,
) -> Result<List, String> {
    let scalar_keys = [""];
    let keys = if keys.is_empty() { &scalar_keys } else { keys };
    let mut tuples = distinct(patch.iter().chain(dest.iter()).map(|item| texts_of(item, keys)));
    if tuples.is_empty() {
        let items = std::mem::take(dest);
        dest.set_flow(items.is_flow());
        return Ok(items);
    }
    if tuples.len().saturating_mul(dest.len() + patch.len()) > MAX_LOOKS {
        return Err(format!("lists of {} and {} items are too long to merge", dest.len(), patch.len()));
    }
    if keys.len() > 1 {
        fill_in(&mut tuples);
    }
    let known = known_keys(&tuples, keys);
    let mut merged = List::default();
    for tuple in &tuples {
        let values: Texts = keys
            .iter()
            .zip(tuple)
            .filter(|(key, _)| known.contains(*key))
            .map(|(_, text)| text.clone())
            .collect();
        let own = own_keys(&known, &values);
        let found = position(dest, &own);
        let patch_item = if at.is_one() {
            // What was taken out of one of two lists that are one is missing in the other as well.
            found.map(|index| dest[index].clone())
        } else {
            position(patch, &own).map(|index| take_item(&mut patch[index]))
        };
        let result = match found {
            // Of two equal scalars the object's stays as it is.
            Some(index) if keys == [""] && !at.is_one() && is_set_over(patch_item.as_ref(), &dest[index]) => {
                patch_item.map(|item| (item, None))
            }
            Some(index) => match merge_values(Some(&mut dest[index]), patch_item, at)? {
                Merged::InPlace => Some((dest[index].clone(), Some(index))),
                Merged::Absent => None,
                Merged::Other(node) => Some((node, None)),
            },
            None => match merge_values(None, patch_item, at)? {
                Merged::Other(node) => Some((node, None)),
                Merged::InPlace | Merged::Absent => None,
            },
        };
        let Some((mut child, place)) = result.filter(|(child, _)| !is_empty(child)) else {
            set_element(dest, None, &known, &values)?;
            continue;
        };
        if let (true, Some(index)) = (add_keys(&mut child, &known, &values), place) {
            dest[index] = child.clone();
        }
        set_element(&mut merged, Some(&child), &known, &values)?;
    }
    append_list(&mut merged, dest, &known)?;
    Ok(merged)
}

/// An item of a patch with its directive, which counts once: tuples that have become one meet the item again.
fn take_item(item: &mut Node) -> Node {
    let whole = item.clone();
    if let Node::Map(map) = item {
        map.remove(DIRECTIVE);
    }
    whole
}

/// Appends the items of the old list, those with equal keys in their place.
fn append_list(merged: &mut List, dest: &[Node], known: &[&str]) -> Result<(), String> {
    for item in dest {
        if known == [""] {
            set_element(merged, Some(item), known, &[text(item).to_owned()])?;
            continue;
        }
        let mut values = Texts::new();
        for key in known {
            match item.get(key) {
                None if item.as_map().is_none() && !item.is_null() => {
                    return Err(wrong_kind("MappingNode", item).text);
                }
                // An item without the key is appended for each key that it lacks.
                None => merged.push(item.clone()),
                Some(value) => values.push(text(value).to_owned()),
            }
        }
        if known.len() > 1 {
            set_element(merged, None, known, &values)?;
        }
        set_element(merged, Some(item), known, &values)?;
    }
    Ok(())
}

fn distinct(tuples: impl Iterator<Item = Texts>) -> Vec<Texts> {
    let mut seen = std::collections::HashSet::new();
    tuples.filter(|tuple| seen.insert(tuple.clone())).collect()
}

fn texts_of(item: &Node, keys: &[&str]) -> Texts {
    keys.iter()
        .map(|key| match item {
            item if key.is_empty() => text(item).to_owned(),
            item => item
                .get(key)
                .filter(|value| !value.is_null())
                .map_or_else(String::new, |value| text(value).to_owned()),
        })
        .collect()
}

/// Tuples that agree as far as both say something become one. What a tuple said at first counts, whatever it has become
/// meanwhile: one that says nothing becomes the last that it agrees with.
fn fill_in(tuples: &mut [Texts]) {
    for left in 0..tuples.len() {
        let own = tuples[left].clone();
        for right in 0..tuples.len() {
            if let Some(union) = union(&own, &tuples[right]) {
                tuples[left].clone_from(&union);
                tuples[right] = union;
            }
        }
    }
}

fn union(left: &Texts, right: &Texts) -> Option<Texts> {
    let mut common = false;
    let mut texts = Texts::with_capacity(left.len());
    for (left, right) in left.iter().zip(right) {
        common |= left == right;
        match (left.is_empty(), right.is_empty()) {
            _ if left == right => texts.push(left.clone()),
            (false, false) => return None,
            (false, true) => texts.push(left.clone()),
            (true, _) => texts.push(right.clone()),
        }
    }
    common.then_some(texts)
}

/// The keys that some tuple has; all of them where none has any.
fn known_keys<'k>(tuples: &[Texts], keys: &[&'k str]) -> Vec<&'k str> {
    let known: Vec<&str> = keys
        .iter()
        .enumerate()
        .filter(|(index, _)| tuples.iter().any(|tuple| !tuple[*index].is_empty()))
        .map(|(_, key)| *key)
        .collect();
    if known.is_empty() { keys.to_vec() } else { known }
}

/// The keys that a tuple itself has, with their texts; all of them where it has none.
fn own_keys<'k>(known: &[&'k str], values: &Texts) -> Vec<(&'k str, String)> {
    let pairs = || known.iter().copied().zip(values.iter().cloned());
    let own: Vec<(&str, String)> = pairs().filter(|(_, value)| !value.is_empty()).collect();
    if own.is_empty() { pairs().collect() } else { own }
}

/// The first item whose keys have these texts.
fn position(items: &[Node], own: &[(&str, String)]) -> Option<usize> {
    items.iter().position(|item| {
        own.iter().all(|(key, value)| match item {
            item if key.is_empty() => text(item) == value,
            item => item.get(key).is_some_and(|field| text(field) == value),
        })
    })
}

/// Whether a scalar of a patch meets a scalar.
fn is_set_over(patch: Option<&Node>, dest: &Node) -> bool {
    patch.is_some_and(|patch| patch.as_scalar().is_some() && !patch.is_null()) && dest.as_scalar().is_some()
}

/// Writes keys that the item lacks into it; says whether there was one. A scalar is a key of its own, without a type.
fn add_keys(child: &mut Node, known: &[&str], values: &Texts) -> bool {
    if let (Node::Scalar(scalar), [""]) = (&mut *child, known) {
        let kind = untagged(scalar).kind();
        // A null would be no item; a string that reads as one keeps its type.
        if kind != ScalarKind::Null {
            *scalar = scalar.without_type(scalar.text(), kind);
        }
        return true;
    }
    let Some(map) = child.as_map_mut() else { return false };
    let mut added = false;
    for (key, value) in known.iter().zip(values) {
        if !value.is_empty() && !map.contains_key(key) {
            map.insert(*key, syntax::made(value));
            added = true;
        }
    }
    added
}

/// Replaces the items whose keys have these texts by `element`, or removes them; an empty text fits any item that has the
/// key. Where none fits, `element` is appended. Empty items are dropped.
fn set_element(
    items: &mut List,
    element: Option<&Node>,
    keys: &[&str],
    values: &[String],
) -> Result<(), String> {
    let for_maps = keys.first().is_some_and(|key| !key.is_empty())
        && values.first().is_some_and(|value| !value.is_empty());
    // Before anything is taken out: what the list holds says what is wrong.
    if let (false, Some(key), Some(_)) = (for_maps, keys.first(), values.first()) {
        let kind = if key.is_empty() { "ScalarNode" } else { "MappingNode" };
        let is_it =
            |item: &Node| if key.is_empty() { item.as_scalar().is_some() } else { item.as_map().is_some() };
        if let Some(item) = items.iter().find(|item| !is_empty(item) && !is_it(item)) {
            return Err(wrong_kind(kind, item).text);
        }
    }
    let flow = items.is_flow();
    let mut found = false;
    for item in std::mem::take(items) {
        if is_empty(&item) {
            continue;
        }
        if for_maps && item.as_map().is_none() {
            items.push(item);
            continue;
        }
        if fits(&item, keys, values) {
            found = true;
            items.extend(element.cloned());
        } else if !values.is_empty() {
            items.push(item);
        }
    }
    items.set_flow(flow);
    if let Some(element) = element.filter(|element| !found && !element.is_null()) {
        items.push(element.clone());
    }
    Ok(())
}

fn fits(item: &Node, keys: &[&str], values: &[String]) -> bool {
    // A key beyond the values is as good as the one before it.
    let mut last = false;
    for (index, key) in keys.iter().enumerate() {
        if let Some(value) = values.get(index) {
            last = if key.is_empty() {
                text(item) == value
            } else {
                item.get(key).is_some_and(|field| value.is_empty() || text(field) == value)
            };
        }
        if !last {
            return false;
        }
    }
    true
}

pub(super) fn is_empty(node: &Node) -> bool {
    node.is_null() || node.as_map().is_some_and(millrace_yaml::Map::is_empty)
}

fn text(node: &Node) -> &str {
    node.as_scalar().map_or("", Scalar::text)
}
