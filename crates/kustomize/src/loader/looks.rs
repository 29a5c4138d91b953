//! What those who explain a failure look at.

use super::{Loader, Visited};
use crate::fs::{FileKind, starts_with};
use crate::hints;
use crate::options::{LoadRestrictor, Mode};
use crate::remote::{FileFailure, Repository, RepositoryFailure};

/// Folders of a cycle that a hint names.
const SHOWN_CHAIN: usize = 10;

/// Why something on another host is not to be had.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unfetched<'f> {
    File(&'f FileFailure),
    Repository(&'f RepositoryFailure),
    /// The repository is there, and hasn't the folder.
    Folder,
}

impl Loader<'_> {
    /// What stands at an absolute path.
    pub(crate) fn kind_at(&self, path: &str) -> Option<FileKind> {
        self.files.kind(&self.relative(path)?)
    }

    /// The names in the folder at an absolute path, sorted.
    pub(crate) fn names_at(&self, path: &str) -> Option<Vec<String>> {
        let mut names = self.files.list(&self.relative(path)?)?;
        names.sort_unstable();
        Some(names)
    }

    /// Whether an absolute path lies in the tree.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.relative(path).is_some()
    }

    /// Whether messages may say what stands in the folder at an absolute path: it is of the tree, or near the target where
    /// nothing bounds that.
    pub(crate) fn may_list(&self, path: &str) -> bool {
        self.may_list_from(&self.root_display(), path)
    }

    /// Like [`Self::may_list`], for the target at another path.
    pub(crate) fn may_list_from(&self, target: &str, path: &str) -> bool {
        const LEVELS: usize = 2;
        if !self.options.root.is_empty() {
            return self.holds(path);
        }
        let mut near = target;
        for _ in 0..LEVELS {
            // What stands right below the root of all files is of everybody.
            match near.rsplit_once('/') {
                Some((above, _)) if above.rfind('/').is_some_and(|at| at > 0) => near = above,
                Some(_) | None => break,
            }
        }
        let here = self.options.working_folder.as_deref().filter(|here| *here != "/");
        starts_with(path, near) || here.is_some_and(|here| starts_with(path, here))
    }

    /// Whether the target may read the file at an absolute path.
    pub(crate) fn admits(&self, path: &str) -> bool {
        match self.restrictor {
            LoadRestrictor::None => self.holds(path),
            LoadRestrictor::RootOnly => {
                self.resolve(path).is_ok_and(|relative| starts_with(&relative, &self.root))
            }
        }
    }

    /// Whether the caller may lift the restrictions on files.
    pub(crate) fn may_be_unrestricted(&self) -> bool {
        self.options.mode == Mode::Cli && !self.is_checkout
    }

    /// Whether entries may lead to other hosts.
    pub(crate) fn has_remotes(&self) -> bool {
        self.options.remote_bases
    }

    /// Why what an entry names on another host is not to be had, if it was tried.
    pub(crate) fn unfetched(&self, entry: &str) -> Option<Unfetched<'_>> {
        let repository = Repository::parse(entry);
        match repository.and_then(|repository| self.checkouts.repository(&repository)) {
            Some(Ok(_)) => Some(Unfetched::Folder),
            Some(Err(failure)) => Some(Unfetched::Repository(failure)),
            None => self.options.remotes.file(entry)?.as_ref().err().map(Unfetched::File),
        }
    }

    /// That an entry leads back to a folder on the way to this one.
    pub(crate) fn cycle(&self, entry: &str) -> String {
        let name = |visited: &Visited| {
            let folder = visited.address.as_ref().unwrap_or(&visited.folder);
            folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
        };
        let mut chain: Vec<String> = self.visited().map(name).take(SHOWN_CHAIN).collect();
        chain.pop_if(|name| name.is_empty());
        chain.reverse();
        let target = self.display(entry);
        chain.push(target.rsplit('/').next().unwrap_or_default().to_owned());
        format!("{} leads back to where the build came from: {}", hints::quoted(entry), chain.join(" → "))
    }
}
