//! What a name means to `git fetch <url> <name>`.

use gix::ObjectId;

use crate::{
    error::{GitError, TransportError},
    remote::{Remote, Resolved, resolved},
};

/// What Git takes a name for, the first that there is: what stands before it, and behind.
const RULES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

impl Remote {
    /// Finds the commit that `git fetch <url> <name>` fetches: of a tag, a branch, `HEAD`, any other reference, or the one whose
    /// full hash it is, for which nobody is asked.
    ///
    /// # Errors
    /// [`GitError::List`] if the remote can't be listed, [`GitError::Clone`] if it has no such reference.
    pub fn resolve_name(&mut self, name: &str) -> Result<Resolved, GitError> {
        if let Some(commit) = Resolved::of_commit(name, false) {
            return Ok(commit);
        }
        let unknown = |remote: &Self| remote.clone_error(TransportError::RefNotFound(name.to_owned()));
        if !can_be_a_reference(name) {
            return Err(unknown(self));
        }
        let names = RULES.map(|(before, behind)| format!("{before}{name}{behind}"));
        let listing =
            self.with_session(|session| session.list(&names)).map_err(|source| self.list_error(source))?;
        let found = names.iter().find_map(|name| listing.find(name));
        found.map(|listed| resolved(None, listed)).ok_or_else(|| unknown(self))
    }
}

impl Resolved {
    /// The commit of a full hash, as the user or a commit of another repository names it.
    ///
    /// Servers may hand out nothing but what they list. Then, `searches_history` has the commit looked for in the whole history
    /// of all branches.
    pub fn of_commit(id: &str, searches_history: bool) -> Option<Self> {
        let commit_id =
            ObjectId::from_hex(id.as_bytes()).ok().filter(|id| id.kind() == gix::hash::Kind::Sha1)?;
        Some(Self::exactly(commit_id, searches_history))
    }
}

/// Whether Git lets any reference have this name. Others would be patterns, or several names.
fn can_be_a_reference(name: &str) -> bool {
    let is_letter = |letter: char| !letter.is_ascii_control() && !" ~^:?*[\\".contains(letter);
    !name.is_empty() && !name.starts_with('-') && !name.contains("..") && name.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_reference_can_be_called_is_asked_for_nowhere() {
        for name in ["HEAD", "main", "v1.0", "feature/x", "refs/pull/1/head", "é"] {
            assert!(can_be_a_reference(name), "{name:?}");
        }
        for name in ["", "-", "--upload-pack=x", "a b", "a\nb", "a:b", "^a", "a..b", "a*", "a~1"] {
            assert!(!can_be_a_reference(name), "{name:?}");
        }
    }

    #[test]
    fn only_full_hashes_name_a_commit() {
        let full = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(Resolved::of_commit(full, false).expect("a hash").commit, full);
        for id in [&full[..39], &full[..7], "", "main", &format!("{full}0")] {
            assert!(Resolved::of_commit(id, false).is_none(), "{id:?}");
        }
    }
}
