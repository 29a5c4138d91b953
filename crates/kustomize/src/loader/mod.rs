//! Reading what the entries of one target name.
//!
//! Contract: kustomize-build §0.1, §1.6, §1.7.

mod looks;

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use crate::error::{BuildError, Result};
use crate::fs::{Broken, FileKind, FileSystem, ReadError, clean, join, starts_with};
use crate::go;
use crate::options::{LoadRestrictor, Mode, Options};
use crate::remote::{FileFailure, Need, Recorders, Repository, RepositoryFailure, is_file_address};
use crate::text::Text;

pub(crate) use looks::Unfetched;

/// Reads files on behalf of one target.
#[derive(Clone)]
pub(crate) struct Loader<'l> {
    /// The tree that the target stands in: the build's own, or a checkout.
    files: &'l dyn FileSystem,
    /// The absolute path of the tree's top.
    top: &'l str,
    options: &'l Options,
    /// What was fetched of other trees.
    checkouts: &'l Recorders<'l>,
    restrictor: LoadRestrictor,
    /// Bytes read by all loaders of the build.
    bytes: &'l Cell<u64>,
    /// The target's folder, links resolved.
    root: String,
    /// Whether the tree is a checkout, which nothing may leave.
    is_checkout: bool,
    /// The targets this one was reached through and itself, innermost first.
    chain: Rc<Visited>,
}

/// A target on the way to another.
#[derive(Debug)]
struct Visited {
    /// The absolute path of its folder.
    folder: String,
    /// The entry that led to it if that was the address of a repository.
    address: Option<String>,
    before: Option<Rc<Visited>>,
    depth: usize,
}

/// A path that leads nowhere.
enum Unresolved {
    Nowhere(Broken),
    Outside,
}

impl<'l> Loader<'l> {
    /// A loader for the folder the build was called with.
    pub(crate) fn at_root(
        files: &'l dyn FileSystem,
        options: &'l Options,
        checkouts: &'l Recorders<'l>,
        bytes: &'l Cell<u64>,
        folder: &str,
    ) -> Result<Self> {
        let nowhere = Visited { folder: String::new(), address: None, before: None, depth: 0 };
        let outermost = Self {
            files,
            top: &options.root,
            options,
            checkouts,
            restrictor: options.load_restrictor,
            bytes,
            root: String::new(),
            is_checkout: false,
            chain: Rc::new(nowhere),
        };
        if let Some(repository) = Repository::parse(folder) {
            return outermost.in_checkout(repository, None);
        }
        let root = match &options.working_folder {
            Some(_) if folder.is_empty() => {
                return Err(BuildError::new("must build at directory: directory path cannot be empty"));
            }
            Some(here) => outermost.confirm_folder(&join(here, folder), folder)?,
            None => {
                let path = join(&outermost.root_display(), folder);
                outermost.confirm_folder(&path, &path)?
            }
        };
        Ok(outermost.moved(root, None, None))
    }

    /// A loader for a folder that an entry names.
    pub(crate) fn below(&self, entry: &str) -> Result<Self> {
        if entry.is_empty() {
            return Err(BuildError::new("new root cannot be empty"));
        }
        if is_file_address(entry) && !self.options.remote_bases {
            return Err(Self::refused(entry));
        }
        if let Some(repository) = Repository::parse(entry) {
            let visited = self.visited().filter_map(|visited| visited.address.as_deref());
            if let Some(address) = visited.into_iter().find(|address| address.starts_with(entry)) {
                return Err(BuildError::new(format!(
                    "cycle detected: URI '{entry}' referenced by previous URI '{address}'"
                )));
            }
            return self.within_depth()?.in_checkout(repository, Some(Rc::clone(&self.chain)));
        }
        if entry.starts_with('/') {
            return Err(BuildError::new(format!("new root '{entry}' cannot be absolute")));
        }
        let path = self.display(entry);
        if self.is_checkout && self.relative(&path).is_none() {
            return Err(BuildError::new(format!(
                "security; bases in kustomizations found in cloned git repos must be within the repo, but base '{path}' is \
                 outside '{}'",
                self.top
            )));
        }
        let root = self.confirm_folder(&path, &path)?;
        let folder = self.absolute(&root);
        if let Some(visited) = self.visited().find(|visited| starts_with(&visited.folder, &folder)) {
            return Err(BuildError::new(format!(
                "cycle detected: candidate root '{folder}' contains visited root '{}'",
                visited.folder
            )));
        }
        Ok(self.within_depth()?.moved(root, None, Some(Rc::clone(&self.chain))))
    }

    /// A loader for the folder of a repository that was fetched.
    fn in_checkout(&self, repository: Repository, before: Option<Rc<Visited>>) -> Result<Self> {
        let options = self.options;
        if !options.remote_bases {
            return Err(Self::refused(&repository.raw));
        }
        let (top, files) = match self.checkouts.repository(&repository) {
            None => return Err(BuildError::needs(Need::Repository(repository), &self.root_display())),
            Some(Err(RepositoryFailure::Failed(text))) => return Err(BuildError::new(text)),
            Some(Err(RepositoryFailure::Refused { text, advice })) => {
                return Err(BuildError::new(text).with_hint(format!("'{}': {advice}", repository.raw)));
            }
            Some(Err(RepositoryFailure::TimedOut { after, line })) => {
                let after = go::duration(*after);
                return Err(BuildError::timeout(format!("hit {after} timeout running '{line}'")));
            }
            Some(Ok(checkout)) => checkout,
        };
        let there = Self {
            files,
            top,
            restrictor: LoadRestrictor::RootOnly,
            root: String::new(),
            is_checkout: true,
            ..self.clone()
        };
        let path = there.display(&repository.path);
        let root = there.resolve(&path).map_err(|unresolved| there.explain(unresolved, &path, &path))?;
        if there.files.kind(&root) != Some(FileKind::Folder) {
            let name = root.rsplit('/').next().unwrap_or_default();
            return Err(BuildError::new(format!("'{path}' refers to file '{name}'; expecting directory")));
        }
        Ok(there.moved(root, Some(repository.raw), before))
    }

    /// The same tree at another target.
    fn moved(self, root: String, address: Option<String>, before: Option<Rc<Visited>>) -> Self {
        let depth = before.as_ref().map_or(1, |before| before.depth + 1);
        let chain = Rc::new(Visited { folder: self.absolute(&root), address, before, depth });
        Self { root, chain, ..self }
    }

    fn within_depth(&self) -> Result<Self> {
        let limit = self.options.limits.depth;
        if self.chain.depth >= limit {
            return Err(BuildError::limit(format!(
                "kustomizations are nested deeper than the limit of {limit}"
            )));
        }
        Ok(self.clone())
    }

    /// The target itself and those it was reached through.
    fn visited(&self) -> impl Iterator<Item = &Visited> {
        std::iter::successors(Some(&*self.chain), |visited| visited.before.as_deref())
    }

    /// The content of a file that an entry names, as text.
    pub(crate) fn load(&self, entry: &str) -> Result<Text<'l>> {
        Ok(self.load_bytes(entry)?.into())
    }

    /// The content of a file that an entry names.
    pub(crate) fn load_bytes(&self, entry: &str) -> Result<Cow<'l, [u8]>> {
        if self.options.cancel.is_cancelled() {
            return Err(BuildError::cancelled());
        }
        let content = if is_file_address(entry) { self.fetched(entry)? } else { self.local(entry)? };
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

    fn local(&self, entry: &str) -> Result<Cow<'l, [u8]>> {
        let path = self.display(entry);
        match (self.restrictor, self.relative(&path)) {
            (LoadRestrictor::RootOnly, _) => self.read(&self.restricted(&path)?, &path),
            (LoadRestrictor::None, Some(relative)) => self.read(&relative, &path),
            (LoadRestrictor::None, None) => Err(self.jailed("read", &path)),
        }
    }

    /// The content of a file on a web server.
    fn fetched(&self, entry: &str) -> Result<Cow<'l, [u8]>> {
        let options = self.options;
        if !options.remote_bases {
            return Err(Self::refused(entry));
        }
        match options.remotes.file(entry) {
            Some(Ok(content)) => Ok(Cow::Borrowed(content)),
            Some(Err(FileFailure::Status { .. })) if Repository::parse(entry).is_some() => {
                Err(BuildError::new("URL is a git repository"))
            }
            Some(Err(FileFailure::Status { code, name })) => {
                Err(BuildError::http_status(format!("HTTP Error: status code {code} ({name})")))
            }
            Some(Err(FileFailure::Unreached(text))) => Err(BuildError::new(text)),
            None => Err(BuildError::needs(Need::File(entry.to_owned()), &self.root_display())),
        }
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
                ReadError::NotFound | ReadError::Unopened(_) => format!("open {path}: {error}"),
                ReadError::IsFolder => format!("read {path}: {error}"),
                ReadError::Other(text) => format!("read {path}: {text}"),
            })
        })
    }

    /// The file a path leads to, which must lie at or below the target.
    fn restricted(&self, path: &str) -> Result<String> {
        let outside = || {
            let root = self.root_display();
            BuildError::new(format!("security; file '{path}' is not in or below '{root}'"))
        };
        let relative = match self.resolve(path) {
            Ok(relative) => relative,
            Err(Unresolved::Outside) if self.is_checkout => return Err(outside()),
            Err(unresolved) => return Err(self.explain(unresolved, path, path)),
        };
        if self.files.kind(&relative) != Some(FileKind::File) {
            return Err(BuildError::new(format!("'{path}' must resolve to a file")));
        }
        if !starts_with(&relative, &self.root) {
            return Err(outside());
        }
        Ok(relative)
    }

    /// `shown` is the path as it was given.
    fn confirm_folder(&self, path: &str, shown: &str) -> Result<String> {
        let wrap = |error: BuildError| error.wrap("must build at directory");
        let relative = self.resolve(path).map_err(|unresolved| {
            wrap(self.explain(unresolved, path, shown).wrap("not a valid directory"))
        })?;
        match self.files.kind(&relative) {
            Some(FileKind::Folder) => Ok(relative),
            Some(FileKind::File) | None => {
                Err(wrap(BuildError::new(format!("'{shown}': file is not directory"))))
            }
        }
    }

    fn resolve(&self, path: &str) -> std::result::Result<String, Unresolved> {
        let relative = self.relative(path).ok_or(Unresolved::Outside)?;
        if let Some(canonical) = self.files.canonical(&relative) {
            return Ok(canonical);
        }
        Err(Unresolved::Nowhere(self.files.broken(&relative)))
    }

    /// `shown` is the path as it was given.
    fn explain(&self, unresolved: Unresolved, path: &str, shown: &str) -> BuildError {
        match unresolved {
            Unresolved::Nowhere(Broken { at, why }) => {
                let at = at.map(|at| format!("lstat {}: ", self.absolute(&at))).unwrap_or_default();
                BuildError::new(format!("evalsymlink failure on '{shown}' : {at}{why}"))
            }
            Unresolved::Outside => self.jailed("abs", path),
        }
    }

    /// The error for an entry that leads to another host where none may.
    fn refused(entry: &str) -> BuildError {
        BuildError::new(format!("'{entry}' is refused: remote bases are off"))
    }

    fn jailed(&self, operation: &str, path: &str) -> BuildError {
        let root = self.top;
        BuildError::new(format!(
            "fs-security-constraint {operation} {path}: path '{path}' is not in or below '{root}'"
        ))
    }

    fn absolute(&self, relative: &str) -> String {
        let root = self.top;
        match (relative.is_empty(), root.is_empty()) {
            (true, true) => "/".to_owned(),
            (true, false) => root.to_owned(),
            (false, _) => format!("{root}/{relative}"),
        }
    }

    /// An absolute path as the file system wants it.
    fn relative(&self, path: &str) -> Option<String> {
        let path = clean(path);
        starts_with(&path, self.top).then(|| path[self.top.len()..].trim_start_matches('/').to_owned())
    }
}

impl std::fmt::Debug for Loader<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Loader")
            .field("root", &self.root)
            .field("chain", &self.chain)
            .finish_non_exhaustive()
    }
}
