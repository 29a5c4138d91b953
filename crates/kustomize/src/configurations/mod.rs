//! `configurations` and `crds`: rows beside the built-in ones.
//!
//! Contract: kustomize-build §4.6, §3.0.

mod crds;
mod definitions;
mod merge;
mod strict;

use std::rc::Rc;

use millrace_yaml::Node;

use crate::error::{BuildError, ErrorKind, Result};
use crate::go;
use crate::hints::{self, Draft, Key};
use crate::kustomization::FieldSpec;
use crate::kustomization::decode::{Decode, DecodeError, Trail, decode_strict_coercing, record};
use crate::tables::{NameReference, Row, Selector, Tables};
use crate::target::Target;

pub(crate) use crds::Room;
pub(crate) use merge::merge_shared;

record! {
    /// A file of `configurations`.
    struct Configuration = "builtinconfig.TransformerConfig" {
        name_prefix: Option<Rows> = "namePrefix",
        name_suffix: Option<Rows> = "nameSuffix",
        namespace: Option<Rows> = "namespace",
        common_labels: Option<Rows> = "commonLabels",
        labels: Option<Rows> = "labels",
        template_labels: Option<Rows> = "templateLabels",
        common_annotations: Option<Rows> = "commonAnnotations",
        name_reference: Option<References> = "nameReference",
        var_reference: Option<Rows> = "varReference",
        images: Option<Rows> = "images",
        replicas: Option<Rows> = "replicas",
    }
}

record! {
    /// A kind and the fields that hold names of its objects.
    struct Reference = "builtinconfig.NameBackReferences" {
        group: String = Gvk."group",
        version: String = Gvk."version",
        kind: String = Gvk."kind",
        field_specs: Option<Rows> = "fieldSpecs",
    }
}

/// A list that has a type of its own in messages.
macro_rules! named_list {
    ($name:ident = $go:literal: $item:ty) => {
        #[derive(Clone, Debug, Default, PartialEq)]
        struct $name(Vec<$item>);

        impl Decode for $name {
            fn type_name() -> String {
                $go.to_owned()
            }

            fn keys() -> &'static [&'static str] {
                <$item as Decode>::keys()
            }

            fn decode(node: &Node, trail: &mut Trail) -> std::result::Result<Self, DecodeError> {
                if node.as_list().is_none() {
                    return Err(trail.wrong::<Self>(node));
                }
                Vec::decode(node, trail).map(Self)
            }
        }
    };
}

named_list!(Rows = "types.FsSlice": FieldSpec);
named_list!(References = "builtinconfig.nbrSlice": Reference);

/// Merges the built-in tables, and what a target's files add, into those of its bases.
pub(crate) fn merge(target: &Target<'_, '_>, tables: &mut Option<Rc<Tables>>) -> Result<()> {
    let (file, context) = (target.kustomization(), target.context);
    let configurations = file.configurations.as_deref().unwrap_or_default();
    let mut own = Rc::clone(&context.builtin_tables);
    if !configurations.is_empty() {
        let mut added = Tables::default();
        let told = |error: BuildError, way: Vec<Key>, says: &str| {
            if error.is_input() {
                error.with_hint(Draft::field(&target.file(), way, None).and(says))
            } else {
                error
            }
        };
        for (index, path) in configurations.iter().enumerate() {
            let way = || vec![Key::name("configurations"), Key::Item(index)];
            merge::merge_into(&mut added, &load(path, target)?, context)
                .map_err(|error| told(error, way(), ": two entries for one path differ in 'create'"))?;
        }
        let says = ": an entry of these files and the built-in one for its path differ in 'create'";
        merge::merge_into(Rc::make_mut(&mut own), &added, context)
            .map_err(|error| told(error, vec![Key::name("configurations")], says))?;
    }
    merge_shared(tables, &own, context).map_err(|error| error.wrap("merging config"))?;
    let crds = file.crds.as_deref().unwrap_or_default();
    if !crds.is_empty() {
        let added = of_definitions(crds, target)
            .map_err(|error| error.wrap(format_args!("loading CRDs {}", go::list(crds))))?;
        merge_shared(tables, &Rc::new(added), context).map_err(|error| error.wrap("merging CRDs"))?;
    }
    Ok(())
}

/// The rows that files of `crds` ask for. None of them makes a missing field, so that all are merged at once: no file's rows
/// can be in conflict with those of another.
fn of_definitions(crds: &[String], target: &Target<'_, '_>) -> Result<Tables> {
    let (mut found, mut merged) = (Tables::default(), Tables::default());
    for path in crds {
        add_definitions(&mut found, path, target)?;
    }
    merge::merge_into(&mut merged, &found, target.context)?;
    Ok(merged)
}

fn add_definitions(rows: &mut Tables, path: &str, target: &Target<'_, '_>) -> Result<()> {
    let file = target.loader.display(path);
    crds::add_rows(rows, &target.loader.load(path)?, (path, &file), target.context)
}

/// Whether a file of `configurations` can be used.
pub(crate) fn check_configuration(path: &str, target: &Target<'_, '_>) -> Result<()> {
    load(path, target).map(drop)
}

/// Whether a file of `crds` can be used.
pub(crate) fn check_crd(path: &str, target: &Target<'_, '_>) -> Result<()> {
    match add_definitions(&mut Tables::default(), path, target) {
        // What other files, or the build before this look, have used up is no fault of this one.
        Err(error) if *error.kind() == ErrorKind::Limit && target.context.definitions.is_used_up() => Ok(()),
        checked => checked,
    }
}

fn load(path: &str, target: &Target<'_, '_>) -> Result<Tables> {
    let text = target.loader.load(path)?;
    let file = target.loader.display(path);
    let node = strict::read(&text, &file)?;
    let configuration: Configuration = decode_strict_coercing(&node).map_err(|error| {
        let hint = hints::undecodable(&file, &error, &node);
        BuildError::new(format!("error unmarshaling JSON: while decoding JSON: {error}")).with_hint(hint)
    })?;
    let mut tables = Tables::from(configuration);
    tables.sort();
    Ok(tables)
}

impl From<Configuration> for Tables {
    fn from(configuration: Configuration) -> Self {
        let rows =
            |rows: Option<Rows>| rows.unwrap_or_default().0.iter().map(Row::from).collect::<Vec<Row>>();
        let references =
            configuration.name_reference.unwrap_or_default().0.into_iter().map(|reference| NameReference {
                referent: Selector {
                    group: reference.group.into(),
                    version: reference.version.into(),
                    kind: reference.kind.into(),
                },
                referrers: rows(reference.field_specs),
            });
        Self {
            name_prefix: rows(configuration.name_prefix),
            name_suffix: rows(configuration.name_suffix),
            namespace: rows(configuration.namespace),
            common_labels: rows(configuration.common_labels),
            labels: rows(configuration.labels),
            template_labels: rows(configuration.template_labels),
            common_annotations: rows(configuration.common_annotations),
            images: rows(configuration.images),
            replicas: rows(configuration.replicas),
            var_reference: rows(configuration.var_reference),
            name_reference: references.collect(),
        }
    }
}
