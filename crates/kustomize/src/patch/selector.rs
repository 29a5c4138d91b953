//! Which objects a patch applies to.
//!
//! Contract: kustomize-build §3.10.

use super::requirements::Requirements;
use crate::error::{BuildError, Result};
use crate::kustomization::Selector;
use crate::regexp::Whole;
use crate::resource::{Id, Name, Names, Resource};

/// A selector, ready for many objects.
#[derive(Debug)]
pub(crate) struct ObjectSelector {
    group: Pattern,
    version: Pattern,
    kind: Pattern,
    name: Pattern,
    namespace: Pattern,
    labels: Requirements,
    annotations: Requirements,
}

/// An anchored expression; `None` fits everything.
#[derive(Debug)]
struct Pattern(Option<Whole>);

impl ObjectSelector {
    pub(crate) fn new(selector: &Selector) -> Result<Self> {
        Ok(Self {
            group: Pattern::new("group", &selector.group)?,
            version: Pattern::new("version", &selector.version)?,
            kind: Pattern::new("kind", &selector.kind)?,
            name: Pattern::new("name", &selector.name)?,
            namespace: Pattern::new("namespace", &selector.namespace)?,
            labels: Requirements::new(&selector.label_selector),
            annotations: Requirements::new(&selector.annotation_selector),
        })
    }

    /// Whether an object's labels and annotations fit.
    pub(crate) fn fits_metadata(&self, resource: &Resource) -> Result<bool> {
        // Both are read, so that either may be wrong.
        let annotations = self.annotations.hold(&resource.node, "annotations")?;
        let labels = self.labels.hold(&resource.node, "labels")?;
        Ok(annotations && labels)
    }

    /// Whether one id of an object fits, its namespace as it is written.
    pub(crate) fn fits_id(&self, id: Id, names: &Names) -> bool {
        self.group.fits(id.gvk.group, names)
            && self.version.fits(id.gvk.version, names)
            && self.kind.fits(id.gvk.kind, names)
            && self.name.fits(id.name, names)
            && self.namespace.fits(id.namespace, names)
    }

    /// Whether the selector asks for labels or annotations.
    pub(crate) fn has_metadata(&self) -> bool {
        self.labels.is_stated() || self.annotations.is_stated()
    }

    /// Whether the selector asks for parts of an id.
    pub(crate) fn has_id(&self) -> bool {
        [&self.group, &self.version, &self.kind, &self.name, &self.namespace]
            .iter()
            .any(|pattern| pattern.0.is_some())
    }

    /// Whether an object fits. Selectors of labels are only read once something else fits.
    pub(crate) fn selects(&self, resource: &Resource, names: &Names) -> Result<bool> {
        let (original, current) = (resource.original_id(), resource.id());
        let either = |pattern: &Pattern, first: Name, second: Name| {
            pattern.0.is_none() || pattern.fits(first, names) || pattern.fits(second, names)
        };
        if !either(&self.namespace, original.effective_namespace(), current.effective_namespace())
            || !either(&self.name, original.name, current.name)
        {
            return Ok(false);
        }
        let gvk = current.gvk;
        if !(self.group.fits(gvk.group, names)
            && self.version.fits(gvk.version, names)
            && self.kind.fits(gvk.kind, names))
        {
            return Ok(false);
        }
        Ok(self.labels.hold(&resource.node, "labels")?
            && self.annotations.hold(&resource.node, "annotations")?)
    }
}

impl Pattern {
    /// `part` is what of an id is compared.
    fn new(part: &str, pattern: &str) -> Result<Self> {
        if pattern.is_empty() {
            return Ok(Self(None));
        }
        let failed = |text| {
            BuildError::new(text).with_hint(format!(
                "the {part} that is selected is no regular expression: where letters such as '[', '(' and '*' stand for themselves, write '\\' before them"
            ))
        };
        Whole::new(pattern).map(|whole| Self(Some(whole))).map_err(failed)
    }

    fn fits(&self, name: Name, names: &Names) -> bool {
        self.0.as_ref().is_none_or(|whole| whole.is_match(&names.text(name)))
    }
}
