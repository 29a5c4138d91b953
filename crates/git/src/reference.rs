//! What a source follows.

/// The branch that is followed when nothing is said.
const DEFAULT_BRANCH: &str = "master";

/// What a source follows, in the original's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// The head of a branch.
    Branch(String),
    /// A tag, annotated or not.
    Tag(String),
    /// The highest tag in a range of versions.
    Semver(String),
    /// A full reference name, such as `refs/pull/1/head`.
    Name(String),
    /// One commit, by its full hash.
    Commit {
        /// The hash.
        id: String,
        /// The branch that it is expected on, which revisions name.
        branch: Option<String>,
    },
}

impl Reference {
    /// Chooses between the fields of `spec.ref`: commit, name, tag, semver, branch. Empty ones count as absent.
    pub fn new(
        branch: Option<&str>,
        tag: Option<&str>,
        semver: Option<&str>,
        name: Option<&str>,
        commit: Option<&str>,
    ) -> Self {
        let given = |field: Option<&str>| field.filter(|text| !text.is_empty()).map(str::to_owned);
        let branch = given(branch);
        if let Some(id) = given(commit) {
            return Self::Commit { id, branch };
        }
        let choices =
            [given(name).map(Self::Name), given(tag).map(Self::Tag), given(semver).map(Self::Semver)];
        let chosen = choices.into_iter().flatten().next();
        chosen.unwrap_or_else(|| Self::Branch(branch.unwrap_or_else(|| DEFAULT_BRANCH.to_owned())))
    }

    /// Says whether listing the remote tells if there is anything new. The original fetches the others every time.
    pub fn is_listed(&self) -> bool {
        matches!(self, Self::Branch(_) | Self::Tag(_) | Self::Name(_))
    }
}

#[cfg(test)]
mod tests {
    use super::Reference;

    // SC-037: which field of `spec.ref` counts.
    #[test]
    fn sc_037_the_most_exact_field_counts() {
        let owned = str::to_owned;
        let new = |branch, semver, tag, name, commit| Reference::new(branch, tag, semver, name, commit);
        let (branch, semver, tag) = (Some("b"), Some("v"), Some("t"));
        let commit = |branch: Option<&str>| Reference::Commit { id: owned("c"), branch: branch.map(owned) };
        assert_eq!(new(branch, semver, tag, Some("n"), Some("c")), commit(branch));
        assert_eq!(new(None, None, None, None, Some("c")), commit(None));
        assert_eq!(new(branch, semver, tag, Some("n"), None), Reference::Name(owned("n")));
        assert_eq!(new(branch, semver, tag, None, Some("")), Reference::Tag(owned("t")));
        assert_eq!(new(branch, semver, None, None, None), Reference::Semver(owned("v")));
        assert_eq!(new(branch, None, None, None, None), Reference::Branch(owned("b")));
        assert_eq!(new(Some(""), None, None, None, None), Reference::Branch(owned("master")));
    }
}
