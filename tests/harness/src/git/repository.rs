//! A repository as a user sees it: commits, branches and tags are made in a work tree and pushed.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::apache::git;
use crate::Result;

/// A repository on a [`super::GitServer`].
#[derive(Debug, Clone)]
pub struct Repository {
    name: String,
    tree: PathBuf,
    remote: String,
}

/// What a commit changes; nothing happens before [`Commit::push`].
#[must_use = "a commit is made by `push`"]
pub struct Commit<'a> {
    repository: &'a Repository,
    subject: String,
    branch: String,
    changes: Vec<(PathBuf, Change)>,
}

enum Change {
    Write { text: Vec<u8>, mode: u32 },
    Link(PathBuf),
    Delete,
}

impl Repository {
    pub(super) fn new(name: &str, tree: &Path, remote: &str) -> Result<Self> {
        let repository = Self { name: name.to_owned(), tree: tree.to_owned(), remote: remote.to_owned() };
        fs::create_dir_all(tree)?;
        repository.git(&["init", "--quiet", "--initial-branch=main"])?;
        repository.git(&["remote", "add", "origin", remote])?;
        // For people who commit here by hand.
        repository.git(&["config", "user.name", "Bench"])?;
        repository.git(&["config", "user.email", "bench@example.com"])?;
        Ok(repository)
    }

    /// Its name on the server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder of its work tree: what is committed and pushed there by hand arrives too.
    pub fn work_tree(&self) -> &Path {
        &self.tree
    }

    /// Begins a commit on `main`.
    pub fn commit(&self, subject: &str) -> Commit<'_> {
        Commit {
            repository: self,
            subject: subject.to_owned(),
            branch: "main".to_owned(),
            changes: Vec::new(),
        }
    }

    /// The commit that a branch, tag or other revision of the work tree names.
    pub fn resolve(&self, revision: &str) -> Result<String> {
        self.git(&["rev-parse", "--verify", &format!("{revision}^{{commit}}")])
    }

    /// Pushes a new branch that starts at `revision`.
    pub fn branch(&self, name: &str, revision: &str) -> Result<()> {
        self.git(&["branch", name, revision])?;
        self.push(&[name])
    }

    /// Pushes a tag on `revision`: annotated if it has a message.
    pub fn tag(&self, name: &str, revision: &str, message: Option<&str>) -> Result<()> {
        match message {
            Some(message) => self.git(&["tag", "-a", "-m", message, name, revision])?,
            None => self.git(&["tag", name, revision])?,
        };
        self.push(&[&format!("refs/tags/{name}")])
    }

    /// Makes a branch of the server point at `revision`, whatever it pointed at before.
    pub fn force(&self, branch: &str, revision: &str) -> Result<()> {
        self.push(&["--force", &format!("{revision}:refs/heads/{branch}")])?;
        self.git(&["checkout", "--quiet", "-B", branch, revision])?;
        Ok(())
    }

    /// Deletes a branch or tag on the server, by its full name such as `refs/heads/old`.
    pub fn delete_ref(&self, name: &str) -> Result<()> {
        self.push(&["--delete", name])
    }

    /// Runs git in the work tree and returns what it printed, trimmed.
    pub fn git(&self, arguments: &[&str]) -> Result<String> {
        let mut command = git(&self.tree);
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "Bench")
                .env(format!("GIT_{role}_EMAIL"), "bench@example.com");
        }
        let output = command.current_dir(&self.tree).args(arguments).output().context("cannot start git")?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "git {}: {}", arguments.join(" "), error.trim());
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn push(&self, arguments: &[&str]) -> Result<()> {
        let mut all = vec!["push", "--quiet", &self.remote];
        all.extend(arguments);
        self.git(&all).map(drop)
    }
}

impl Commit<'_> {
    /// On another branch; it is created if need be.
    pub fn on(mut self, branch: &str) -> Self {
        branch.clone_into(&mut self.branch);
        self
    }

    /// Writes a file.
    pub fn file(self, path: &str, text: impl Into<Vec<u8>>) -> Self {
        self.change(path, Change::Write { text: text.into(), mode: 0o644 })
    }

    /// Writes a file that may be run.
    pub fn executable(self, path: &str, text: impl Into<Vec<u8>>) -> Self {
        self.change(path, Change::Write { text: text.into(), mode: 0o755 })
    }

    /// Writes a symbolic link.
    pub fn link(self, path: &str, target: &str) -> Self {
        self.change(path, Change::Link(target.into()))
    }

    /// Deletes a file.
    pub fn delete(self, path: &str) -> Self {
        self.change(path, Change::Delete)
    }

    /// Writes every file below a folder, at the same paths.
    pub fn folder(mut self, folder: &Path) -> Result<Self> {
        let mut left = vec![folder.to_owned()];
        while let Some(next) = left.pop() {
            for entry in fs::read_dir(&next).with_context(|| format!("cannot read {}", next.display()))? {
                let path = entry?.path();
                if path.is_dir() {
                    left.push(path);
                    continue;
                }
                let name = path.strip_prefix(folder)?.to_owned();
                let mode = fs::metadata(&path)?.permissions().mode();
                self.changes.push((name, Change::Write { text: fs::read(&path)?, mode }));
            }
        }
        Ok(self)
    }

    /// Makes the commit, pushes it, and returns its hash. A commit may change nothing.
    pub fn push(self) -> Result<String> {
        let Self { repository, subject, branch, changes } = self;
        let here = repository.git(&["symbolic-ref", "--short", "HEAD"])?;
        if here != branch {
            let exists = repository.resolve(&format!("refs/heads/{branch}")).is_ok();
            let switch: &[&str] =
                if exists { &["switch", "--quiet", &branch] } else { &["switch", "--quiet", "-c", &branch] };
            repository.git(switch)?;
        }
        for (path, change) in changes {
            make(&repository.tree.join(path), change)?;
        }
        repository.git(&["add", "--all"])?;
        repository.git(&["commit", "--quiet", "--allow-empty", "-m", &subject])?;
        repository.push(&[&branch])?;
        repository.resolve("HEAD")
    }

    fn change(mut self, path: &str, change: Change) -> Self {
        self.changes.push((path.into(), change));
        self
    }
}

fn make(path: &Path, change: Change) -> Result<()> {
    if let Change::Delete = change {
        return fs::remove_file(path).with_context(|| format!("cannot delete {}", path.display()));
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match change {
        Change::Write { text, mode } => {
            fs::write(path, text)?;
            fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        }
        Change::Link(target) => symlink(target, path)?,
        Change::Delete => {}
    }
    Ok(())
}
