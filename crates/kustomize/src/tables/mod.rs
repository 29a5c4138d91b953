//! The field tables of a build and the built-in schema.
//!
//! The built-in rows are constants; a build starts from them and merges what `configurations` and `crds` add. Tables flow
//! upward: what a base adds also acts in the layers above it.

mod builtin_schema;
mod fields;
mod name_references;
mod row;
mod schema;

use std::borrow::Cow;

pub(crate) use row::{Conflict, NameReference, Row, Selector, merge_rows, row};
pub(crate) use schema::{SchemaAt, Scope, scope};

/// Rows that are the built-in constant until something is merged into them.
pub(crate) type Rows = Cow<'static, [Row]>;

/// All field tables of one layer.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(crate) name_prefix: Rows,
    pub(crate) name_suffix: Rows,
    pub(crate) namespace: Rows,
    pub(crate) common_labels: Rows,
    pub(crate) labels: Rows,
    pub(crate) template_labels: Rows,
    pub(crate) common_annotations: Rows,
    pub(crate) images: Rows,
    pub(crate) replicas: Rows,
    pub(crate) var_reference: Rows,
    pub(crate) name_reference: Cow<'static, [NameReference]>,
}

impl Tables {
    /// The built-in tables.
    pub(crate) const BUILTIN: Self = Self {
        name_prefix: Cow::Borrowed(fields::NAME_PREFIX),
        name_suffix: Cow::Borrowed(fields::NAME_SUFFIX),
        namespace: Cow::Borrowed(fields::NAMESPACE),
        common_labels: Cow::Borrowed(fields::COMMON_LABELS),
        labels: Cow::Borrowed(&[]),
        template_labels: Cow::Borrowed(fields::TEMPLATE_LABELS),
        common_annotations: Cow::Borrowed(fields::COMMON_ANNOTATIONS),
        images: Cow::Borrowed(fields::IMAGES),
        replicas: Cow::Borrowed(fields::REPLICAS),
        var_reference: Cow::Borrowed(fields::VAR_REFERENCE),
        name_reference: Cow::Borrowed(name_references::NAME_REFERENCES),
    };
}
