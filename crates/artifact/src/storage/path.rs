//! Paths of the store that can't lead out of it.

use std::{fmt, str::FromStr};

/// A text that is no path within the store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid artifact path {0:?}")]
pub struct InvalidPath(String);

/// Where the artifacts of one object are: `<kind>/<namespace>/<name>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Location(Box<str>);

/// Where one artifact is: `<kind>/<namespace>/<name>/<file>`, as `status.artifact.path` has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ArtifactPath(Box<str>);

impl Location {
    /// The folder of an object; the kind is written in lower case.
    ///
    /// # Errors
    /// [`InvalidPath`] for parts that no Kubernetes object can have.
    pub fn new(kind: &str, namespace: &str, name: &str) -> Result<Self, InvalidPath> {
        let path = format!("{}/{namespace}/{name}", kind.to_lowercase());
        if path.split('/').count() == 3 { checked(&path).map(Self) } else { Err(InvalidPath(path)) }
    }

    /// The path, relative to the root of the store.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether an artifact is in this folder.
    pub fn contains(&self, path: &ArtifactPath) -> bool {
        path.0.strip_prefix(&*self.0).is_some_and(|rest| rest.starts_with('/'))
    }

    /// A file in this folder. The name may contain `/`.
    ///
    /// # Errors
    /// [`InvalidPath`] for a name that isn't one.
    pub fn file(&self, name: &str) -> Result<ArtifactPath, InvalidPath> {
        checked(&format!("{}/{name}", self.0)).map(ArtifactPath)
    }
}

impl ArtifactPath {
    /// The path, relative to the root of the store.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A file next to this one.
    pub(super) fn sibling(&self, name: &str) -> Result<Self, InvalidPath> {
        let folder = self.0.rsplit_once('/').map_or("", |(folder, _)| folder);
        checked(&format!("{folder}/{name}")).map(Self)
    }
}

impl fmt::Display for ArtifactPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ArtifactPath {
    type Err = InvalidPath;

    /// Checks a path that a status holds.
    fn from_str(text: &str) -> Result<Self, InvalidPath> {
        checked(text).map(Self)
    }
}

fn checked(path: &str) -> Result<Box<str>, InvalidPath> {
    let safe = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\0');
    if path.split('/').all(safe) { Ok(path.into()) } else { Err(InvalidPath(path.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_never_leaves_the_store() {
        let location = Location::new("GitRepository", "apps", "web").unwrap();
        assert_eq!(location.as_str(), "gitrepository/apps/web");
        assert_eq!(location.file("a/b.tgz").unwrap().as_str(), "gitrepository/apps/web/a/b.tgz");
        for name in ["", "..", "../x", "a/../../x", "/etc/passwd", "a//b", "a/", "."] {
            assert!(location.file(name).is_err(), "{name}");
        }
        for (namespace, name) in [("..", "x"), ("a/b", "x"), ("", "x"), ("a", "")] {
            assert!(Location::new("bucket", namespace, name).is_err(), "{namespace}/{name}");
        }
        assert!("../../etc/passwd".parse::<ArtifactPath>().is_err());
        assert!(location.contains(&location.file("a/b.tgz").unwrap()));
        assert!(!location.contains(&"gitrepository/apps/web2/b.tgz".parse().unwrap()));
    }
}
