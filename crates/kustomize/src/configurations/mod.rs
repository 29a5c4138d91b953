//! `configurations` and `crds`: rows beside the built-in ones.
//!
//! Contract: kustomize-build §4.6, §3.0.

mod crds;
mod merge;
mod strict;

use std::rc::Rc;

use millrace_yaml::Node;

use crate::error::{BuildError, Result};
use crate::go;
use crate::hints;
use crate::kustomization::FieldSpec;
use crate::kustomization::decode::{Decode, DecodeError, Trail, decode_strict_coercing, record};
use crate::tables::{NameReference, Row, Selector, Tables};
use crate::target::Target;

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
    let file = target.kustomization();
    let configurations = file.configurations.as_deref().unwrap_or_default();
    let mut own = Rc::clone(&target.context.builtin_tables);
    if !configurations.is_empty() {
        let mut added = Tables::default();
        for path in configurations {
            merge::merge_into(&mut added, &load(path, target)?)?;
        }
        merge::merge_into(Rc::make_mut(&mut own), &added)?;
    }
    let builtin = &target.context.builtin_tables;
    merge_shared(tables, &own, builtin).map_err(|error| error.wrap("merging config"))?;
    let crds = file.crds.as_deref().unwrap_or_default();
    if !crds.is_empty() {
        let loading = |error: BuildError| error.wrap(format_args!("loading CRDs {}", go::list(crds)));
        let mut added = Tables::default();
        for path in crds {
            let text = target.loader.load(path).map_err(loading)?;
            let file = target.loader.display(path);
            let tables = crds::tables(&text, path, &file, target.context).map_err(loading)?;
            merge::merge_into(&mut added, &tables).map_err(loading)?;
        }
        merge_shared(tables, &Rc::new(added), builtin).map_err(|error| error.wrap("merging CRDs"))?;
    }
    Ok(())
}

/// Whether a file of `configurations` can be used.
pub(crate) fn check_configuration(path: &str, target: &Target<'_, '_>) -> Result<()> {
    load(path, target).map(drop)
}

/// Whether a file of `crds` can be used.
pub(crate) fn check_crd(path: &str, target: &Target<'_, '_>) -> Result<()> {
    crds::tables(&target.loader.load(path)?, path, &target.loader.display(path), target.context).map(drop)
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
