//! The field tables of a build.
//!
//! The built-in rows are constants; a build starts from them and merges what `configurations` and `crds` add. Tables flow
//! upward: what a base adds also acts in the layers above it.

#[cfg(test)]
mod checks;
mod fields;
mod name_references;
mod numbers;
mod row;
mod shared;

pub(crate) use numbers::{Numbers, sort};
pub(crate) use row::{Conflict, NameReference, Row, Selector, merge_rows};

/// All field tables of one layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    pub(crate) name_prefix: Vec<Row>,
    pub(crate) name_suffix: Vec<Row>,
    pub(crate) namespace: Vec<Row>,
    pub(crate) common_labels: Vec<Row>,
    pub(crate) labels: Vec<Row>,
    pub(crate) template_labels: Vec<Row>,
    pub(crate) common_annotations: Vec<Row>,
    pub(crate) images: Vec<Row>,
    pub(crate) replicas: Vec<Row>,
    pub(crate) var_reference: Vec<Row>,
    pub(crate) name_reference: Vec<NameReference>,
}

impl Tables {
    /// Puts all rows in the order of their kinds.
    pub(crate) fn sort(&mut self) {
        let Self {
            name_prefix,
            name_suffix,
            namespace,
            common_labels,
            labels,
            template_labels,
            common_annotations,
            images,
            replicas,
            var_reference,
            name_reference,
        } = self;
        for table in [
            name_prefix,
            name_suffix,
            namespace,
            common_labels,
            labels,
            template_labels,
            common_annotations,
            images,
            replicas,
            var_reference,
        ] {
            sort(table, |row| &row.of);
        }
        sort(name_reference, |reference| &reference.referent);
    }

    /// The built-in tables, in the order in which the reference's sorting leaves them.
    pub(crate) fn builtin() -> Self {
        let rows = |rows: &[row::BuiltinRow]| rows.iter().copied().map(Row::from).collect();
        Self {
            name_prefix: rows(fields::NAME_PREFIX),
            name_suffix: rows(fields::NAME_SUFFIX),
            namespace: rows(fields::NAMESPACE),
            common_labels: rows(fields::COMMON_LABELS),
            labels: Vec::new(),
            template_labels: rows(fields::TEMPLATE_LABELS),
            common_annotations: rows(fields::COMMON_ANNOTATIONS),
            images: rows(fields::IMAGES),
            replicas: rows(fields::REPLICAS),
            var_reference: rows(fields::VAR_REFERENCE),
            name_reference: name_references::NAME_REFERENCES
                .iter()
                .copied()
                .map(NameReference::from)
                .collect(),
        }
    }
}
