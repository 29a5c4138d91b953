//! Writes the generated CRDs.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

/// Replaces the YAML files of `folder` by the CRDs.
pub(crate) fn write(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            fs::remove_file(path)?;
        }
    }
    for (name, text) in millrace_api::crd_files() {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
