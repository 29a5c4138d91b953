//! Where things are: the checkout and the cache.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::environment;

/// The checkout and the folders that belong to it.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
    cache: PathBuf,
}

impl Workspace {
    /// Finds the checkout this program was built from, and the cache (`$MILLRACE_CACHE`, else `~/.cache/millrace`).
    pub(crate) fn open() -> Result<Self> {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the manifest has no parent folder")?;
        let cache = match environment::variable("MILLRACE_CACHE") {
            Some(path) => PathBuf::from(path),
            None => PathBuf::from(
                environment::variable("HOME").context("HOME is not set: set it or MILLRACE_CACHE")?,
            )
            .join(".cache/millrace"),
        };
        Ok(Self { root: root.to_owned(), cache })
    }

    /// The top folder of the checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder kept between runs.
    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// Everything `xtask tools` installs.
    pub(crate) fn tools(&self) -> PathBuf {
        self.cache.join("tools")
    }

    /// An installed program.
    pub(crate) fn tool(&self, name: &str) -> PathBuf {
        self.tools().join("bin").join(name)
    }

    /// The folder cargo builds into: in the cache unless the environment says otherwise, so that a new checkout finds its
    /// dependencies built.
    pub(crate) fn target(&self) -> PathBuf {
        environment::variable("CARGO_TARGET_DIR")
            .map_or_else(|| self.cache.join("target"), |path| self.root.join(path))
    }
}
