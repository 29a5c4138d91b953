//! Reading what the entries of one target name.
//!
//! Contract: kustomize-build §0.1, §1.6, §1.7.

use std::borrow::Cow;
use std::cell::Cell;

use crate::error::{BuildError, Result};
use crate::fs::{FileKind, FileSystem, ReadError, clean, join, starts_with};
use crate::options::{LoadRestrictor, Mode, Options};

/// Reads files on behalf of one target.
#[derive(Clone)]
pub(crate) struct Loader<'l> {
    files: &'l dyn FileSystem,
    options: &'l Options,
    /// Bytes read by all loaders of the build.
    bytes: &'l Cell<u64>,
    /// The target's folder, links resolved.
    root: String,
    /// The folders of the targets this one was reached through, outermost first.
    ancestors: Vec<String>,
}

/// A path that leads nowhere.
enum Unresolved {
    /// The first part of the path that does not exist, and why it does not.
    Missing {
        part: String,
        why: &'static str,
    },
    Outside,
}

impl<'l> Loader<'l> {
    /// A loader for the folder the build was called with.
    pub(crate) fn at_root(
        files: &'l dyn FileSystem,
        options: &'l Options,
        bytes: &'l Cell<u64>,
        folder: &str,
    ) -> Result<Self> {
        let outermost = Self { files, options, bytes, root: String::new(), ancestors: Vec::new() };
        if looks_remote(folder) {
            return Err(outermost.remote(folder));
        }
        let root = outermost.confirm_folder(&join(&outermost.root_display(), folder))?;
        Ok(Self { root, ..outermost })
    }

    /// A loader for a folder that an entry names.
    pub(crate) fn below(&self, entry: &str) -> Result<Self> {
        if entry.is_empty() {
            return Err(BuildError::new("new root cannot be empty"));
        }
        if looks_remote(entry) {
            return Err(self.remote(entry));
        }
        if entry.starts_with('/') {
            return Err(BuildError::new(format!("new root '{entry}' cannot be absolute")));
        }
        let root = self.confirm_folder(&self.display(entry))?;
        for visited in std::iter::once(&self.root).chain(self.ancestors.iter().rev()) {
            if starts_with(visited, &root) {
                return Err(BuildError::new(format!(
                    "cycle detected: candidate root '{}' contains visited root '{}'",
                    self.absolute(&root),
                    self.absolute(visited)
                )));
            }
        }
        if self.ancestors.len() + 1 >= self.options.limits.depth {
            let depth = self.options.limits.depth;
            return Err(BuildError::limit(format!(
                "kustomizations are nested deeper than the limit of {depth}"
            )));
        }
        let mut ancestors = self.ancestors.clone();
        ancestors.push(self.root.clone());
        Ok(Self { root, ancestors, ..self.clone() })
    }

    /// The content of a file that an entry names, as text.
    pub(crate) fn load(&self, entry: &str) -> Result<Cow<'l, str>> {
        Ok(match self.load_bytes(entry)? {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        })
    }

    /// The content of a file that an entry names.
    pub(crate) fn load_bytes(&self, entry: &str) -> Result<Cow<'l, [u8]>> {
        if self.options.cancel.is_cancelled() {
            return Err(BuildError::cancelled());
        }
        if entry.starts_with("http://") || entry.starts_with("https://") {
            return Err(self.remote(entry));
        }
        let path = self.display(entry);
        let content = match self.options.load_restrictor {
            LoadRestrictor::RootOnly => self.read(&self.restricted(&path)?, &path)?,
            LoadRestrictor::None => match self.relative(&path) {
                Some(relative) => self.read(&relative, &path)?,
                None => return Err(self.jailed("read", &path)),
            },
        };
        let total = self.bytes.get().saturating_add(content.len() as u64);
        self.bytes.set(total);
        if total > self.options.limits.bytes {
            let limit = self.options.limits.bytes;
            return Err(BuildError::limit(format!(
                "the files of the build are larger than the limit of {limit} bytes"
            )));
        }
        Ok(content)
    }

    /// The target's folder as messages show it.
    pub(crate) fn root_display(&self) -> String {
        self.absolute(&self.root)
    }

    /// An entry as messages show it: absolute and cleaned.
    pub(crate) fn display(&self, entry: &str) -> String {
        join(&self.root_display(), entry)
    }

    /// The last element of the target's folder.
    pub(crate) fn folder_name(&self) -> String {
        let display = self.root_display();
        display.rsplit('/').next().unwrap_or_default().to_owned()
    }

    pub(crate) fn mode(&self) -> Mode {
        self.options.mode
    }

    fn read(&self, relative: &str, path: &str) -> Result<Cow<'l, [u8]>> {
        self.files.read(relative).map_err(|error| {
            BuildError::new(match &error {
                ReadError::NotFound => format!("open {path}: {error}"),
                ReadError::IsFolder => format!("read {path}: {error}"),
                ReadError::Other(text) => format!("read {path}: {text}"),
            })
        })
    }

    /// The file a path leads to, which must lie at or below the target.
    fn restricted(&self, path: &str) -> Result<String> {
        let relative = self.resolve(path).map_err(|unresolved| self.explain(unresolved, path))?;
        if self.files.kind(&relative) != Some(FileKind::File) {
            return Err(BuildError::new(format!("'{path}' must resolve to a file")));
        }
        if !starts_with(&relative, &self.root) {
            let root = self.root_display();
            return Err(BuildError::new(format!("security; file '{path}' is not in or below '{root}'")));
        }
        Ok(relative)
    }

    fn confirm_folder(&self, path: &str) -> Result<String> {
        let wrap = |error: BuildError| error.wrap("must build at directory");
        let relative = self
            .resolve(path)
            .map_err(|unresolved| wrap(self.explain(unresolved, path).wrap("not a valid directory")))?;
        match self.files.kind(&relative) {
            Some(FileKind::Folder) => Ok(relative),
            Some(FileKind::File) | None => {
                Err(wrap(BuildError::new(format!("'{path}': file is not directory"))))
            }
        }
    }

    fn resolve(&self, path: &str) -> std::result::Result<String, Unresolved> {
        let relative = self.relative(path).ok_or(Unresolved::Outside)?;
        if let Some(canonical) = self.files.canonical(&relative) {
            return Ok(canonical);
        }
        // The reference names the first element that is missing.
        let mut part = String::new();
        for segment in relative.split('/') {
            if self.files.kind(&part) == Some(FileKind::File) {
                return Err(Unresolved::Missing {
                    part: self.absolute(&join(&part, segment)),
                    why: "not a directory",
                });
            }
            part = if part.is_empty() { segment.to_owned() } else { format!("{part}/{segment}") };
            if self.files.kind(&part).is_none() {
                break;
            }
        }
        Err(Unresolved::Missing { part: self.absolute(&part), why: "no such file or directory" })
    }

    fn explain(&self, unresolved: Unresolved, path: &str) -> BuildError {
        match unresolved {
            Unresolved::Missing { part, why } => {
                let error = BuildError::new(format!("evalsymlink failure on '{path}' : lstat {part}: {why}"));
                self.candidates(path).into_iter().fold(error, BuildError::with_hint)
            }
            Unresolved::Outside => self.jailed("abs", path),
        }
    }

    /// Names beside a missing file that may have been meant.
    fn candidates(&self, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/')?;
        let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
        let mut names = self.files.list(&self.relative(folder)?)?;
        names.retain(|other| stem(other) == stem(name));
        names.sort_unstable();
        (!names.is_empty()).then(|| format!("{folder} holds {}", names.join(", ")))
    }

    /// The error for an entry that leads to another host.
    fn remote(&self, entry: &str) -> BuildError {
        if self.options.remote_bases {
            return BuildError::unsupported(format!("the remote entry {entry}"), self.root_display());
        }
        BuildError::new(format!("'{entry}' is refused: remote bases are off"))
    }

    fn jailed(&self, operation: &str, path: &str) -> BuildError {
        let root = &self.options.root;
        BuildError::new(format!(
            "fs-security-constraint {operation} {path}: path '{path}' is not in or below '{root}'"
        ))
    }

    fn absolute(&self, relative: &str) -> String {
        let root = &self.options.root;
        match (relative.is_empty(), root.is_empty()) {
            (true, true) => "/".to_owned(),
            (true, false) => root.clone(),
            (false, _) => format!("{root}/{relative}"),
        }
    }

    /// An absolute path as the file system wants it.
    fn relative(&self, path: &str) -> Option<String> {
        let path = clean(path);
        starts_with(&path, &self.options.root)
            .then(|| path[self.options.root.len()..].trim_start_matches('/').to_owned())
    }
}

impl std::fmt::Debug for Loader<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Loader")
            .field("root", &self.root)
            .field("ancestors", &self.ancestors)
            .finish_non_exhaustive()
    }
}

/// Whether an entry reads as the address of a repository rather than a path.
fn looks_remote(entry: &str) -> bool {
    const SCHEMES: [&str; 8] = [
        "git::",
        "ssh://",
        "https://",
        "http://",
        "file://",
        "github.com/",
        "github.com:",
        "git@github.com:",
    ];
    if entry.starts_with('/') || entry.starts_with('.') {
        return false;
    }
    let lower = entry.to_ascii_lowercase();
    let user_at_host = entry.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty()
            && user.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._~".contains(letter))
            && host.contains(':')
    });
    match lower.strip_prefix("github.com/") {
        // Fewer than two segments are no repository.
        Some(rest) => rest.split('/').filter(|segment| !segment.is_empty()).count() >= 2,
        None => user_at_host || SCHEMES.iter().any(|scheme| lower.starts_with(scheme)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repository_addresses_are_told_from_paths() {
        for (entry, remote) in [
            ("https://github.com/o/r/deploy/x?ref=v1", true),
            ("github.com/o/r//deploy", true),
            ("git@github.com:o/r.git/deploy?ref=main", true),
            ("ssh://git@host:2222/o/r.git//a/b", true),
            ("file:///srv/repos/r", true),
            ("user@host:o/r", true),
            ("host:o/r", false),
            ("../x", false),
            ("/abs/x", false),
            ("github.com/o", false),
            ("base@v1", false),
        ] {
            assert_eq!(looks_remote(entry), remote, "{entry}");
        }
    }
}
