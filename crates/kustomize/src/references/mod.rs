//! Names of other objects, brought in line with what those are called now.
//!
//! Contract: kustomize-build §4.

mod candidates;
mod select;
mod trie;

use std::collections::HashMap;
use std::rc::Rc;

use millrace_yaml::Node;

use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::{key_in, node_kind, split_path, write_text};
use crate::hints;
use crate::resource::{Collection, Gvk, Names, as_remembered, text_at};
use crate::syntax;
use crate::tables::NameReference;
use candidates::Candidates;
use select::{Lookup, Reference, Referral, Referrer};
use trie::{Cause, Fault, Rule, Trie};

/// Fixes every reference of a collection, once.
pub(crate) fn update_names(
    collection: &mut Collection,
    rows: &[NameReference],
    context: &Context<'_>,
) -> Result<()> {
    let candidates = Candidates::of(collection);
    if candidates.is_empty() {
        return check_paths_only(collection, rows, context);
    }
    let mut tries: HashMap<Gvk, Rc<Trie>> = HashMap::new();
    for index in 0..collection.len() {
        let gvk = collection.get(index).original_id().gvk;
        let trie = tries.entry(gvk).or_insert_with(|| Rc::new(Trie::new(rows, gvk, &context.names)));
        if trie.is_empty() {
            continue;
        }
        context.check()?;
        update_one(collection, index, (trie, rows), &candidates, context)?;
    }
    for (index, referrer) in candidates.into_referred() {
        collection.get_mut_keeping_ids(index).referrers.push(referrer);
    }
    Ok(())
}

/// Where nothing was renamed there is nothing to fix, but a row that does not fit an object is an error all the same.
fn check_paths_only(
    collection: &mut Collection,
    rows: &[NameReference],
    context: &Context<'_>,
) -> Result<()> {
    let candidates = Candidates::default();
    let mut tries: HashMap<Gvk, Rc<Trie>> = HashMap::new();
    for index in 0..collection.len() {
        let gvk = collection.get(index).original_id().gvk;
        let trie = tries.entry(gvk).or_insert_with(|| Rc::new(Trie::new(rows, gvk, &context.names)));
        if !trie.is_empty() {
            update_one(collection, index, (trie, rows), &candidates, context)?;
        }
    }
    Ok(())
}

fn update_one(
    collection: &mut Collection,
    index: usize,
    (trie, rows): (&Trie, &[NameReference]),
    candidates: &Candidates,
    context: &Context<'_>,
) -> Result<()> {
    let names = &context.names;
    // The object is taken out while it is walked, since what it refers to may be any other.
    let mut node = std::mem::replace(&mut collection.get_mut_keeping_ids(index).node, Node::null());
    let resource = collection.get(index);
    let referrer = Referrer::of(resource, &node, names)?;
    check_kind(&node, resource.id().gvk, names)?;
    let lookup = Lookup { candidates, collection, names };
    let failed =
        Walk { referrer: &referrer, lookup, context }.run(&mut node, trie, rows, resource.original_id().gvk);
    let resource = collection.get_mut_keeping_ids(index);
    resource.node = node;
    resource.links.settle(&mut resource.node);
    match failed {
        None => Ok(()),
        Some(fault) => Err(failure(&fault, index, candidates, collection, names)),
    }
}

/// Fails where an object states another kind than its id does: a null stands for itself in one, and for nothing in the other.
fn check_kind(node: &Node, gvk: Gvk, names: &Names) -> Result<()> {
    let kind = names.text(gvk.kind);
    let (group, version) = (names.text(gvk.group), names.text(gvk.version));
    let stated = text_at(node, &["apiVersion"]);
    let is_same = match stated.split_once('/') {
        Some(("", _)) => false,
        Some(parts) => parts == (&*group, &*version),
        None => group.is_empty() && stated == &*version,
    };
    let (field, stated, known) = if !is_same {
        ("APIVersion", stated, gvk.api_version(names))
    } else if text_at(node, &["kind"]) != &*kind {
        ("Kind", text_at(node, &["kind"]), kind.to_string())
    } else {
        return Ok(());
    };
    Err(BuildError::new(format!("node-referrerOriginal '{field}' mismatch '{stated}' != '{known}'")))
}

fn failure(
    fault: &Fault,
    referrer: usize,
    candidates: &Candidates,
    collection: &Collection,
    names: &Names,
) -> BuildError {
    let (path, context) = (fault.path(), fault.context());
    let id = collection.get(referrer).id().text(names);
    let text = match fault.cause() {
        // A path that does not fit may show the whole object: then with what is remembered of it.
        Cause::Text(text) => {
            let shown = as_remembered(collection.get(referrer), names);
            let first = split_path(path);
            let first = first.first().map_or("", |first| first.strip_suffix("[]").unwrap_or(first));
            key_in(&shown, first).map_or_else(|fault| fault.text, |_| text.clone())
        }
        Cause::Ambiguous(found) => select::ambiguous(found, referrer, candidates, collection, names),
    };
    let error = BuildError::new(format!(
        "updating name reference in '{path}' field of '{id}': considering field '{path}' of object {id}: {context}{text}"
    ));
    hints::with_shape(error, collection.get(referrer), path, names)
}

type Updated = std::result::Result<(), Cause>;

/// The walk through one object.
struct Walk<'w> {
    referrer: &'w Referrer,
    lookup: Lookup<'w>,
    context: &'w Context<'w>,
}

impl Walk<'_> {
    /// Updates all fields of an object at once.
    ///
    /// The reference goes through the object for each row. That shows where one fails: what is told is the failure of the
    /// first row, and the object as the rows before it have left it. So then the walk is undone, and done in that way.
    fn run(&self, node: &mut Node, trie: &Trie, rows: &[NameReference], gvk: Gvk) -> Option<Fault> {
        let noted = self.lookup.candidates.noted();
        let mut before = Vec::new();
        let failed = trie
            .walk(node, &mut |node, rules, is_within| {
                // What was taken down with a field holds all within it as well.
                before.push((!is_within).then(|| node.clone()));
                self.update(node, rules)
            })
            .err()?;
        let mut before = before.into_iter();
        // The way back ends where the way there did, or goes on and finds nothing to put back.
        _ = trie.walk(node, &mut |node, _, _| {
            if let Some(old) = before.next().flatten() {
                *node = old;
            }
            Ok(())
        });
        self.lookup.candidates.keep_notes(noted);
        let mut failures = Trie::of_each_row(rows, gvk, self.lookup.names)
            .filter_map(|trie| trie.walk(node, &mut |node, rules, _| self.update(node, rules)).err());
        Some(failures.next().unwrap_or(failed))
    }

    fn update(&self, node: &mut Node, rules: &[Rule]) -> std::result::Result<(), Fault> {
        rules.iter().try_for_each(|rule| {
            let Self { referrer, lookup, context } = *self;
            Update { rule, referrer, lookup, context }.node(node).map_err(|cause| Fault::new(rule, cause))
        })
    }
}

/// One rule at one place of one object.
struct Update<'u> {
    rule: &'u Rule,
    referrer: &'u Referrer,
    lookup: Lookup<'u>,
    context: &'u Context<'u>,
}

impl Update<'_> {
    fn node(&self, node: &mut Node) -> Updated {
        match node {
            node if node.is_null() => Ok(()),
            Node::Scalar(_) => self.scalar(node),
            Node::Map(_) => self.map(node),
            Node::List(items) => {
                items.iter_mut().filter(|item| !item.is_null()).try_for_each(|item| match item {
                    Node::Scalar(_) => self.scalar(item),
                    Node::Map(_) => self.map(item),
                    Node::List(_) => {
                        let kind = node_kind(item);
                        Err(Cause::Text(format!(
                            "{kind} is expected to be either a string or a map of string"
                        )))
                    }
                })
            }
        }
    }

    fn scalar(&self, node: &mut Node) -> Updated {
        let old = node.as_scalar().map_or("", |scalar| scalar.text());
        let Some(referral) = self.select(Reference::Name(old))? else { return Ok(()) };
        // A name that was lost is not written.
        if !referral.name.is_empty() && &*referral.name != old {
            self.context.make(referral.name.len()).map_err(Cause::Text)?;
            write_text(node, &referral.name).map_err(|fault| Cause::Text(fault.text))?;
        }
        Ok(())
    }

    fn map(&self, node: &mut Node) -> Updated {
        let Some(map) = node.as_map_mut() else { return Ok(()) };
        let Some(name) = map.get("name") else {
            return Err(Cause::Text("path config error; no 'name' field in node".to_owned()));
        };
        let old = name.as_scalar().map_or("", |scalar| scalar.text());
        let namespace =
            map.get("namespace").map(|namespace| namespace.as_scalar().map_or("", |scalar| scalar.text()));
        let Some(referral) = self.select(Reference::Map(old, namespace))? else { return Ok(()) };
        if &*referral.name == old && referral.namespace.is_empty() {
            return Ok(());
        }
        self.context.make(referral.name.len() + referral.namespace.len()).map_err(Cause::Text)?;
        for (key, text) in [("name", &referral.name), ("namespace", &referral.namespace)] {
            match map.get_mut(key) {
                _ if text.is_empty() => {}
                Some(found) => write_text(found, text).map_err(|fault| Cause::Text(fault.text))?,
                None => {
                    map.insert(key, syntax::made(text));
                }
            }
        }
        Ok(())
    }

    fn select(&self, reference: Reference<'_>) -> std::result::Result<Option<Referral>, Cause> {
        select::select(self.rule, self.referrer, reference, self.lookup)
    }
}
