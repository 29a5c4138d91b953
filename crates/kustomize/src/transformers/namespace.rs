//! `namespace`.
//!
//! Contract: kustomize-build §3.5.

use std::collections::HashMap;

use millrace_yaml::Node;

use super::{Steps, Transform};
use crate::annotations::HELM_GENERATED;
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::{CompiledRows, Create, Fault, expect_map, write_string, wrong_kind};
use crate::hints::{self, Draft};
use crate::resource::{Collection, IdKey, Place, Resource, text_at, with_history};
use crate::syntax;
use crate::tables::{Row, Tables};
use crate::target::Target;

const NAMESPACE_PATH: &str = "metadata/namespace";
const NAME_PATH: &str = "metadata/name";
const SUBJECTS_PATH: &str = "subjects/namespace";
const BINDINGS: [&str; 2] = ["RoleBinding", "ClusterRoleBinding"];

struct SetNamespace {
    namespace: String,
    /// The rows that are followed for objects of `v1`, and for all others.
    core_rows: CompiledRows,
    other_rows: CompiledRows,
    /// Whether a namespace that is there stays.
    unset_only: bool,
    subjects: Subjects,
}

/// Which subjects of bindings get the namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subjects {
    /// Those called `default`.
    Default,
    /// All service accounts.
    ServiceAccounts,
    /// None.
    None,
}

#[expect(clippy::unnecessary_wraps, reason = "all kinds of steps are configured alike")]
pub(super) fn configure(target: &Target<'_, '_>, tables: &Tables) -> Result<Steps> {
    let namespace = target.kustomization().namespace.clone();
    if namespace.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![set_namespace(namespace, &tables.namespace, false, Subjects::Default)])
}

/// A step that sets the namespace; an empty one does nothing.
pub(crate) fn set_namespace(
    namespace: String,
    rows: &[Row],
    unset_only: bool,
    subjects: Subjects,
) -> Box<dyn Transform> {
    Box::new(SetNamespace::new(namespace, rows, unset_only, subjects))
}

/// Sets the namespace of one object, whose id is not remembered.
pub(crate) fn set_namespace_of(
    resource: &mut Resource,
    namespace: &str,
    subjects: Subjects,
    context: &Context<'_>,
) -> Result<()> {
    SetNamespace::new(namespace.to_owned(), &[], false, subjects).set(resource, context)
}

impl SetNamespace {
    fn new(namespace: String, rows: &[Row], unset_only: bool, subjects: Subjects) -> Self {
        let special = |row: &&Row| {
            row.path == NAMESPACE_PATH || (row.path == SUBJECTS_PATH && BINDINGS.contains(&&*row.of.kind))
        };
        let core: Vec<Row> = rows.iter().filter(|row| !special(row)).cloned().collect();
        let other: Vec<Row> = core.iter().filter(|row| row.path != NAME_PATH).cloned().collect();
        let (core_rows, other_rows) = (CompiledRows::new(&core), CompiledRows::new(&other));
        Self { namespace, core_rows, other_rows, unset_only, subjects }
    }

    fn write(&self, node: &mut Node, context: &Context<'_>) -> std::result::Result<(), Fault> {
        context.make(self.namespace.len())?;
        if self.unset_only && !node.is_null() && node.as_scalar().is_some_and(|old| !old.text().is_empty()) {
            return Ok(());
        }
        write_string(node, &self.namespace)
    }

    fn set(&self, resource: &mut Resource, context: &Context<'_>) -> Result<()> {
        let id = resource.id();
        if !id.cluster {
            self.set_own(resource, context).map_err(|fault| {
                let id = id.text(&context.names);
                let text = format!("considering field '{NAMESPACE_PATH}' of object {id}: {}", fault.text);
                hints::with_shape(BuildError::new(text), resource, NAMESPACE_PATH, &context.names)
            })?;
        }
        // What follows names the object as it is now.
        resource.refresh_id(&context.names);
        if BINDINGS.iter().any(|kind| context.names.is(id.gvk.kind, kind)) {
            self.set_subjects(&mut resource.node, context)
                .map_err(|error| hints::with_shape(error, resource, "subjects", &context.names))?;
        }
        let is_core = text_at(&resource.node, &["apiVersion"]) == "v1";
        let rows = if is_core { &self.core_rows } else { &self.other_rows };
        let mut write = |node: &mut Node, _: &Place| self.write(node, context);
        let walked = rows.try_visit(resource, Some(Create::Scalar), &context.names, &mut write);
        walked.map_err(|refused| {
            refused.error.wrap(if refused.not_scalar {
                "namespace field specs must target scalar nodes"
            } else {
                "namespace transformation failed"
            })
        })?;
        resource.settle(&context.names, |bytes| context.make(bytes))
    }

    fn set_own(&self, resource: &mut Resource, context: &Context<'_>) -> std::result::Result<(), Fault> {
        let Some(root) = resource.node.as_map_mut() else { return Ok(()) };
        if root.get("metadata").is_none_or(Node::is_null) {
            root.insert("metadata", Node::map());
        }
        let Some(metadata) = root.get_mut("metadata") else { return Ok(()) };
        let metadata = match metadata {
            Node::Map(metadata) => metadata,
            Node::List(_) | Node::Scalar(_) => return Err("expected sequence or mapping node".into()),
        };
        if let Some(namespace) = metadata.get_mut("namespace") {
            return self.write(namespace, context);
        }
        context.make(self.namespace.len())?;
        metadata.insert("namespace", Node::string(self.namespace.as_str()));
        Ok(())
    }

    /// Subjects called `default` follow here; those that name an account of the build follow with the references.
    fn set_subjects(&self, node: &mut Node, context: &Context<'_>) -> Result<()> {
        let (key, wanted) = match self.subjects {
            Subjects::Default => ("name", "default"),
            Subjects::ServiceAccounts => ("kind", "ServiceAccount"),
            Subjects::None => return Ok(()),
        };
        let fail = |fault: Fault| {
            BuildError::new(format!("setting namespace on (cluster)role binding subjects: {}", fault.text))
        };
        let Some(subjects) = node.get_mut("subjects").filter(|subjects| !subjects.is_null()) else {
            return Ok(());
        };
        let items = match subjects {
            Node::List(items) => items,
            other @ (Node::Map(_) | Node::Scalar(_)) => return Err(fail(wrong_kind("SequenceNode", other))),
        };
        let not_found = |fault: Fault| {
            let text = format!("looking up {key} on (cluster)role binding subject: {}", fault.text);
            fail(Fault { text, ..fault })
        };
        for subject in items.iter_mut().filter(|subject| !subject.is_null()) {
            let fields = expect_map(subject).map_err(not_found)?;
            let is_wanted = match fields.get(key) {
                Some(Node::Scalar(value)) => value.text() == wanted,
                Some(value @ (Node::List(_) | Node::Map(_))) => {
                    return Err(not_found(wrong_kind("ScalarNode", value)));
                }
                None => false,
            };
            if is_wanted {
                if let Some(namespace) = fields.get_mut("namespace") {
                    self.write(namespace, context).map_err(fail)?;
                } else {
                    context.make(self.namespace.len()).map_err(BuildError::limit)?;
                    fields.insert("namespace", Node::string(self.namespace.as_str()));
                }
            }
        }
        Ok(())
    }
}

impl Transform for SetNamespace {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        if self.namespace.is_empty() {
            return Ok(());
        }
        let mut counts: HashMap<IdKey, u32> = HashMap::with_capacity(collection.len());
        for resource in collection.iter() {
            *counts.entry(resource.id().key()).or_default() += 1;
        }
        for index in 0..collection.len() {
            let resource = collection.get_mut(index);
            if text_at(&resource.node, &["metadata", "annotations", HELM_GENERATED]) == "true" {
                continue;
            }
            let before = resource.id().key();
            resource.record_id();
            self.set(resource, context)?;
            let after = resource.id().key();
            if let Some(count) = counts.get_mut(&before) {
                *count -= 1;
            }
            let count = counts.entry(after).or_default();
            *count += 1;
            if *count != 1 {
                return Err(conflict(collection, after, context));
            }
        }
        Ok(())
    }
}

fn conflict(collection: &Collection, key: IdKey, context: &Context<'_>) -> BuildError {
    let clashing: Vec<&Resource> = collection.iter().filter(|resource| resource.id().key() == key).collect();
    let objects: Vec<String> =
        clashing.iter().map(|resource| syntax::print_json(&with_history(resource, &context.names))).collect();
    let error =
        BuildError::new(format!("namespace transformation produces ID conflict: [{}]", objects.join(" ")));
    let stated = clashing.iter().filter(|resource| !resource.file.is_empty()).take(3).enumerate();
    let hint = stated.fold(Draft::from("the objects stand at "), |hint, (index, resource)| {
        let hint = if index > 0 { hint.and(" and at ") } else { hint };
        hint.and_object(resource, &context.names)
    });
    let is_stated = clashing.iter().any(|resource| !resource.file.is_empty());
    let names_them = clashing.iter().all(|resource| context.names.is(resource.id().gvk.kind, "Namespace"));
    let says = if names_them {
        ": namespace renames each Namespace to what it states: keep one of them"
    } else {
        ": in one namespace their names must differ"
    };
    if is_stated { error.with_hint(hint.and(says)) } else { error }
}
