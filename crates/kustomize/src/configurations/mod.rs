//! `configurations` and `crds`: rows beside the built-in ones.
//!
//! Contract: kustomize-build §4.6, §3.0.

mod crds;
mod merge;

use std::rc::Rc;

use crate::error::{BuildError, Result};
use crate::go;
use crate::kustomization::FieldSpec;
use crate::kustomization::decode::{decode_strict_coercing, record};
use crate::syntax;
use crate::tables::{NameReference, Row, Selector, Tables};
use crate::target::Target;

pub(crate) use merge::merge_shared;

record! {
    /// A file of `configurations`.
    struct Configuration = "TransformerConfig" {
        name_prefix: Option<Vec<FieldSpec>> = "namePrefix",
        name_suffix: Option<Vec<FieldSpec>> = "nameSuffix",
        namespace: Option<Vec<FieldSpec>> = "namespace",
        common_labels: Option<Vec<FieldSpec>> = "commonLabels",
        labels: Option<Vec<FieldSpec>> = "labels",
        template_labels: Option<Vec<FieldSpec>> = "templateLabels",
        common_annotations: Option<Vec<FieldSpec>> = "commonAnnotations",
        name_reference: Option<Vec<Reference>> = "nameReference",
        var_reference: Option<Vec<FieldSpec>> = "varReference",
        images: Option<Vec<FieldSpec>> = "images",
        replicas: Option<Vec<FieldSpec>> = "replicas",
    }
}

record! {
    /// A kind and the fields that hold names of its objects.
    struct Reference = "NameBackReferences" {
        group: String = "group",
        version: String = "version",
        kind: String = "kind",
        field_specs: Option<Vec<FieldSpec>> = "fieldSpecs",
    }
}

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
    match tables {
        None if Rc::ptr_eq(&own, &target.context.builtin_tables) => *tables = Some(own),
        Some(_) | None => merge_shared(tables, &own).map_err(|error| error.wrap("merging config"))?,
    }
    let crds = file.crds.as_deref().unwrap_or_default();
    if !crds.is_empty() {
        let loading = |error: BuildError| error.wrap(format_args!("loading CRDs {}", go::list(crds)));
        let mut added = Tables::default();
        for path in crds {
            let text = target.loader.load(path).map_err(loading)?;
            merge::merge_into(&mut added, &crds::tables(&text, path).map_err(loading)?).map_err(loading)?;
        }
        merge_shared(tables, &Rc::new(added)).map_err(|error| error.wrap("merging CRDs"))?;
    }
    Ok(())
}

fn load(path: &str, target: &Target<'_, '_>) -> Result<Tables> {
    let text = target.loader.load(path)?;
    let node = syntax::read_config_strict(&text).map_err(|error| BuildError::new(error.text))?;
    let configuration: Configuration = decode_strict_coercing(&node)
        .map_err(|error| BuildError::new(format!("error unmarshaling JSON: while decoding JSON: {error}")))?;
    Ok(configuration.into())
}

impl From<Configuration> for Tables {
    fn from(configuration: Configuration) -> Self {
        let rows =
            |fields: Option<Vec<FieldSpec>>| fields.iter().flatten().map(Row::from).collect::<Vec<Row>>();
        let references =
            configuration.name_reference.unwrap_or_default().into_iter().map(|reference| NameReference {
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
