//! `commonAnnotations`.
//!
//! Contract: kustomize-build §3.7.

use super::Steps;
use super::labels::SetEntries;
use crate::error::Result;
use crate::tables::Tables;
use crate::target::Target;

#[expect(clippy::unnecessary_wraps, reason = "all kinds of steps are configured alike")]
pub(super) fn configure(target: &Target<'_, '_>, tables: &Tables) -> Result<Steps> {
    let annotations = target.kustomization().common_annotations.clone().unwrap_or_default();
    if annotations.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![Box::new(SetEntries::new(annotations, &tables.common_annotations))])
}
