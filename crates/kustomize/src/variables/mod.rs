//! `vars`.
//!
//! Contract: kustomize-build §3.14.

mod substitute;

use std::collections::{BTreeMap, HashSet};

use millrace_yaml::{CanonicalError, Node, canonical};

use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::CompiledRows;
use crate::go;
use crate::hints::{self, Draft, Key, Wanted};
use crate::kustomization::Var;
use crate::replacements::{look_up_text, sees_history, text_parts};
use crate::resource::{Collection, Gvk, Id, Name, Names, Resource, history_texts, with_history};
use crate::tables::Row;
use substitute::{Failure, Substitution, Value};

const DEFAULT_PATH: &str = "metadata.name";

/// The variables of a layer and of those below it.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    by_name: BTreeMap<String, Declared>,
}

/// A variable, and where it is declared.
#[derive(Debug)]
struct Declared {
    var: Var,
    file: Name,
    index: usize,
}

impl Declared {
    fn place(&self, names: &Names) -> Draft {
        Draft::field(&names.text(self.file), vec![Key::name("vars"), Key::Item(self.index)], None)
    }
}

impl Variables {
    /// Declares the variables of a file, and marks the objects that hold their values.
    pub(crate) fn declare(
        &mut self,
        vars: &[Var],
        file: &str,
        collection: &mut Collection,
        names: &Names,
    ) -> Result<()> {
        let failed = |error: BuildError| {
            let shown: Vec<String> = vars.iter().map(|var| shown(var, Shown::Written)).collect();
            error.wrap(format_args!("merging vars {}", go::list(&shown)))
        };
        for (index, var) in vars.iter().enumerate() {
            let found: Vec<usize> = (0..collection.len())
                .filter(|index| collection.get(*index).any_ids().any(|id| names_object(var, id, names)))
                .collect();
            match found[..] {
                [index] => collection.get_mut_keeping_ids(index).variables.push(names.intern(&var.name)),
                [] => {}
                [..] => {
                    let count = found.len();
                    let var = shown(var, Shown::Resolved);
                    let text = format!("found {count} resId matches for var {var} (unable to disambiguate)");
                    let place = Draft::field(file, vec![Key::name("vars"), Key::Item(index)], None);
                    let hint =
                        place.and(format!(": {count} objects are called so: state the objref's namespace"));
                    return Err(failed(BuildError::new(text).with_hint(hint)));
                }
            }
        }
        let file = if vars.is_empty() { Name::EMPTY } else { names.intern(file) };
        let mut declared =
            vars.iter().enumerate().map(|(index, var)| Declared { var: var.clone(), file, index });
        declared.try_for_each(|declared| self.add(declared, names).map_err(failed))
    }

    /// Takes over the variables of a base.
    pub(crate) fn merge(&mut self, other: Self, names: &Names) -> Result<()> {
        other.by_name.into_values().try_for_each(|var| self.add(var, names))
    }

    fn add(&mut self, mut declared: Declared, names: &Names) -> Result<()> {
        if let Some(first) = self.by_name.get(&declared.var.name) {
            let name = &declared.var.name;
            let says = format!(": the variable {} is declared already, at ", hints::quoted(name));
            let hint = declared.place(names).and(says).and_draft(&first.place(names));
            return Err(BuildError::new(format!("var '{name}' already encountered")).with_hint(hint));
        }
        let var = &mut declared.var;
        if var.field.path.is_empty() {
            DEFAULT_PATH.clone_into(&mut var.field.path);
        }
        self.by_name.insert(var.name.clone(), declared);
        Ok(())
    }

    /// Reads the values and puts them where the variables are named.
    pub(crate) fn resolve(
        &self,
        collection: &mut Collection,
        rows: &[Row],
        context: &Context<'_>,
    ) -> Result<()> {
        if self.by_name.is_empty() {
            return Ok(());
        }
        let names = &context.names;
        let mut values = BTreeMap::new();
        for (name, declared) in &self.by_name {
            let var = &declared.var;
            let holder = names
                .find(name)
                .and_then(|name| collection.iter().find(|resource| resource.variables.contains(&name)));
            let Some(holder) = holder else {
                let (group, version, kind) = gvk_of(var);
                let wanted = Wanted {
                    group: &group,
                    version: &version,
                    kind: &kind,
                    name: &var.object.name,
                    namespace: &var.object.namespace,
                    by: "objref",
                    anywhere: false,
                };
                let var = shown(var, Shown::Complete);
                return Err(BuildError::new(format!(
                    "var '{var}' cannot be mapped to a field in the set of known resources"
                ))
                .with_hint(hints::no_object(wanted, collection, names).placed(&declared.place(names))));
            };
            let value = value(holder, var, names).ok_or_else(|| {
                let failed = BuildError::new(format!(
                    "field specified in var '{}' not found in corresponding resource",
                    shown(var, Shown::Resolved)
                ));
                let ends = hints::missing_field(&holder.node, &text_parts(&var.field.path));
                let ends =
                    Draft::from(ends.unwrap_or_else(|| "the field holds no value of its type".to_owned()));
                failed.with_hint(ends.of_object(holder, names).placed(&declared.place(names)))
            })?;
            values.insert(name.clone(), value);
        }
        let mut used = HashSet::new();
        let outcome = put_in(&values, &mut used, collection, rows, context);
        let unused: Vec<&str> =
            values.keys().map(String::as_str).filter(|name| !used.contains(*name)).collect();
        if !unused.is_empty() {
            let line = format!("well-defined vars that were never replaced: {}", unused.join(","));
            context.warnings.borrow_mut().push(line);
        }
        outcome
    }
}

/// Puts values where the variables are named, and notes which ones were.
fn put_in(
    values: &BTreeMap<String, Value>,
    used: &mut HashSet<String>,
    collection: &mut Collection,
    rows: &[Row],
    context: &Context<'_>,
) -> Result<()> {
    let rows = CompiledRows::new(rows);
    let complaints = &mut *context.warnings.borrow_mut();
    for resource in collection.iter_mut() {
        let mut act = |node: &mut Node, _: &crate::resource::Place| {
            let room = context.room();
            let mut substitution = Substitution { values, used, complaints: &mut *complaints, room };
            match substitute::substitute(node, &mut substitution) {
                Ok(bytes) => context.make(bytes).map_err(Into::into),
                Err(Failure::TooLong) => context.make(usize::MAX).map_err(Into::into),
                Err(Failure::Input(text)) => Err(text.into()),
            }
        };
        let names = &context.names;
        rows.try_each(resource, names, |row, resource| {
            row.visit(resource, None, names, &mut act)?;
            // A value that a step added to several places is one: the next row may lead to it again.
            resource.settle(names, |bytes| context.make(bytes))
        })?;
        // The reference keeps what an object was called in annotations, which are walked as well.
        if rows.lead_to_annotations(resource, &context.names) {
            let room = context.room();
            let mut substitution = Substitution { values, used, complaints, room };
            for text in history_texts(resource, &context.names) {
                substitute::note(&text, &mut substitution);
            }
        }
        // References may have led to what the object is called.
        resource.refresh_id(names);
    }
    Ok(())
}

/// Group, version and kind of the object a variable names.
fn gvk_of(var: &Var) -> (String, String, String) {
    let object = &var.object;
    let mut gvk = (object.group.clone(), object.version.clone(), object.kind.clone());
    let parts: Vec<&str> = object.api_version.split('/').collect();
    match parts[..] {
        [""] => {}
        [version] => version.clone_into(&mut gvk.1),
        [group, version] => {
            group.clone_into(&mut gvk.0);
            version.clone_into(&mut gvk.1);
        }
        [..] => {}
    }
    gvk
}

fn names_object(var: &Var, id: Id, names: &Names) -> bool {
    let (group, version, kind) = gvk_of(var);
    let same = names.is(id.gvk.group, &group)
        && names.is(id.gvk.version, &version)
        && names.is(id.gvk.kind, &kind)
        && names.is(id.name, &var.object.name);
    if !same {
        return false;
    }
    let gvk = Gvk { group: names.intern(&group), version: names.intern(&version), kind: names.intern(&kind) };
    let cluster = names.is_cluster_scoped(&gvk.api_version(names), &kind);
    let namespace = names.intern(&var.object.namespace);
    if namespace == Name::EMPTY && !cluster {
        return true;
    }
    Id { gvk, name: id.name, namespace, cluster }.effective_namespace() == id.effective_namespace()
}

/// The value of the field that a variable names; none where the field is missing or its text is not of its type.
fn value(resource: &Resource, var: &Var, names: &Names) -> Option<Value> {
    let path = if var.field.path.is_empty() { DEFAULT_PATH } else { &var.field.path };
    let shown = sees_history(&text_parts(path)).then(|| with_history(resource, names));
    match look_up_text(shown.as_ref().unwrap_or(&resource.node), path)? {
        Node::Scalar(scalar) => Value::of(scalar),
        node @ (Node::Map(_) | Node::List(_)) => {
            if matches!(canonical(node), Err(CanonicalError::Typed { .. })) {
                return None;
            }
            let is = if node.as_map().is_some() { "map[string]interface {}" } else { "[]interface {}" };
            let shown = go::plain(node);
            Some(Value::Complex(format!("MakePrimitiveReplacer: bad replacement type={is} val={shown}")))
        }
    }
}

/// How far a variable is worked out when a message shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// As it is written.
    Written,
    /// The apiVersion taken apart.
    Resolved,
    /// The path of the field filled in as well.
    Complete,
}

/// A variable as messages show it.
fn shown(var: &Var, how: Shown) -> String {
    let object = &var.object;
    let (group, version, kind) = match how {
        Shown::Written => (object.group.clone(), object.version.clone(), object.kind.clone()),
        Shown::Resolved | Shown::Complete => gvk_of(var),
    };
    let path = match how {
        Shown::Complete if var.field.path.is_empty() => DEFAULT_PATH,
        Shown::Written | Shown::Resolved | Shown::Complete => &var.field.path,
    };
    let or = |text: String, absent: &str| if text.is_empty() { absent.to_owned() } else { text };
    let gvk = format!("{}.{}.{}", or(kind, "[noKind]"), or(version, "[noVer]"), or(group, "[noGrp]"));
    format!("{{{} {gvk} {{{path}}}}}", var.name)
}
