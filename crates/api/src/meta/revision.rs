//! Git revisions: a name, an `@`, an algorithm, a hash.

use std::fmt;

/// A source revision, printed `main@sha1:<hex>`, `sha1:<hex>` or, for what isn't Git, any text.
///
/// Holds the text in today's form. The legacy form without algorithm (`main/<hash>`, `HEAD/<hash>`, a bare hash) is
/// rewritten when it is read with [`Self::normalize`]; elsewhere the original compares revisions as plain text, and
/// so does `Eq`.
///
/// Contract: source-controller §3.1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Revision(Box<str>);

impl Revision {
    /// A revision that already has today's form; kept as it is.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Reads a revision that may have the legacy form.
    pub fn normalize(text: &str) -> Self {
        let legacy = Self::new(text);
        if text.is_empty() || text.contains(':') {
            return legacy;
        }
        let digest = legacy.digest();
        match legacy.pointer() {
            "" => Self(digest.into()),
            pointer => Self(format!("{pointer}@{digest}").into()),
        }
    }

    /// The revision of a Git commit, under the name that pointed to it, if one did.
    pub fn of_commit(pointer: Option<&str>, hash: &str) -> Self {
        let algorithm = algorithm_of(hash);
        match pointer.filter(|pointer| !pointer.is_empty()) {
            Some(pointer) => Self(format!("{pointer}@{algorithm}:{hash}").into()),
            None => Self(format!("{algorithm}:{hash}").into()),
        }
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The branch, tag or reference before the hash; empty if there is none.
    ///
    /// Names may hold `@` and `/`; the last one counts.
    pub fn pointer(&self) -> &str {
        if let Some((pointer, _)) = self.0.rsplit_once('@') {
            return pointer;
        }
        match self.0.rsplit_once('/') {
            Some(("HEAD", _)) | None => "",
            Some((pointer, _)) => pointer,
        }
    }

    /// The hash, without its algorithm.
    pub fn hash(&self) -> &str {
        let text: &str = &self.0;
        text.rsplit_once(':').or_else(|| text.rsplit_once('/')).map_or(text, |(_, hash)| hash)
    }

    /// The algorithm of the hash, judged by its length as the original does: `sha1` or `<unknown>`.
    pub fn algorithm(&self) -> &'static str {
        algorithm_of(self.hash())
    }

    /// The hash with its algorithm; empty if there is no hash.
    pub fn digest(&self) -> String {
        match self.hash() {
            "" => String::new(),
            hash => format!("{}:{hash}", algorithm_of(hash)),
        }
    }
}

/// SHA-256 repositories aren't supported, so only one length has a name.
fn algorithm_of(hash: &str) -> &'static str {
    if hash.len() == 40 { "sha1" } else { "<unknown>" }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "5394cb7f48332b2de7c17dd8b8384bbc84b7e738";

    #[test]
    fn a_commit_revision_names_what_pointed_to_it() {
        assert_eq!(Revision::of_commit(Some("a/b"), HASH).as_str(), format!("a/b@sha1:{HASH}"));
        assert_eq!(Revision::of_commit(None, HASH).as_str(), format!("sha1:{HASH}"));
        assert_eq!(Revision::of_commit(Some(""), HASH).as_str(), format!("sha1:{HASH}"));
    }

    #[test]
    fn normalizing_twice_changes_nothing() {
        for text in ["", "main", "main/x", "HEAD/x", "a@b", "a/b/c", HASH, "sha256:x"] {
            let once = Revision::normalize(text);
            assert_eq!(Revision::normalize(once.as_str()), once, "{text}");
        }
    }
}
