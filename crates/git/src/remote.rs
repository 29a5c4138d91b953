//! A repository on a server.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use gix::ObjectId;
use millrace_api::meta::Revision;
use millrace_net::{HttpClient, Masker, RedactedUrl};
use tokio::runtime::Handle;
use url::Url;

use crate::{
    Auth, Reference,
    auth::{UserInfo, authorization},
    checkout::Checkout,
    error::{GitError, TransportError},
    exchange::Runner,
    http::Connection,
    listing::{Listed, Listing},
    session::{Depth, Session},
    store::Store,
    version::{Constraint, Version},
};

/// Settings of a [`Remote`].
#[derive(Clone)]
pub struct Options {
    /// The HTTP client: trust, client certificate, proxy, egress policy.
    pub client: HttpClient,
    /// The runtime that drives the client.
    pub runtime: Handle,
    /// How to authenticate.
    pub auth: Auth,
    /// Bound of everything that this remote does, counted from [`Remote::new`].
    pub timeout: Duration,
    /// Ends everything soon after it becomes true.
    pub interrupt: Arc<AtomicBool>,
    /// Bytes that the object store may keep.
    pub max_cache_bytes: u64,
}

/// What a reference means at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The commit, 40 hexadecimal digits.
    pub commit: String,
    /// The revision that artifacts carry.
    pub revision: Revision,
    want: ObjectId,
    commit_id: ObjectId,
    /// The hash is the user's: the server may not have it.
    exact: Option<Exact>,
}

/// A commit that the user named by its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Exact {
    branch: Option<String>,
}

/// A repository on a server, for one run.
pub struct Remote {
    url: RedactedUrl,
    address: String,
    connection: Connection,
    runner: Runner,
    max_cache_bytes: u64,
    max_pack_bytes: u64,
    is_ambiguous: bool,
    session: Option<Session>,
}

impl Remote {
    /// Prepares a conversation; nothing is sent yet.
    ///
    /// # Errors
    /// [`GitError::InvalidUrl`] for a URL that isn't HTTP(S).
    pub fn new(url: &str, options: Options) -> Result<Self, GitError> {
        let shown = RedactedUrl::new(url);
        let invalid = || GitError::InvalidUrl(shown.clone());
        let mut parsed: Url = url.parse().map_err(|_| invalid())?;
        if !matches!(parsed.scheme(), "http" | "https") || !parsed.has_host() {
            return Err(invalid());
        }
        let user = UserInfo::take(&mut parsed).map_err(|()| invalid())?;
        let has_user = !user.is_empty();
        let is_ambiguous = has_user && matches!(options.auth, Auth::Bearer(_));
        let mut masker = Masker::new();
        let authorization = authorization(options.auth, user, &mut masker);
        let runner = Runner {
            runtime: options.runtime,
            deadline: Instant::now() + options.timeout,
            interrupt: options.interrupt,
        };
        let connection = Connection::new(options.client, runner.clone(), masker, authorization);
        let address = if has_user { parsed.to_string() } else { url.to_owned() };
        Ok(Self {
            url: shown,
            address,
            connection,
            runner,
            max_cache_bytes: options.max_cache_bytes,
            max_pack_bytes: u64::MAX,
            is_ambiguous,
            session: None,
        })
    }

    /// For a store that others read from: nothing is taken away from it, and fetches that send more than so many bytes are given
    /// up.
    pub(crate) fn into_shared(self, max_pack_bytes: u64) -> Self {
        Self { max_pack_bytes, max_cache_bytes: u64::MAX, ..self }
    }

    /// Finds the commit that `reference` means. `observed` is the revision of the last run, if there was one: as in the
    /// original, it decides which words a failure to list gets. `cache` is used to tell equal versions apart.
    ///
    /// # Errors
    /// [`GitError`], whose texts are the contract's.
    pub fn resolve(
        &mut self,
        reference: &Reference,
        observed: Option<&Revision>,
        cache: &Path,
    ) -> Result<Resolved, GitError> {
        if let Reference::Name(name) = reference
            && (name.starts_with('/') || name.ends_with('/'))
        {
            return Err(GitError::InvalidName(name.clone()));
        }
        let constraint = match reference {
            Reference::Semver(text) => Some(text.parse::<Constraint>().map_err(GitError::Semver)?),
            _ => None,
        };
        if self.is_ambiguous {
            return Err(GitError::AmbiguousAuth);
        }
        let lists = matches!(reference, Reference::Name(_)) || (observed.is_some() && reference.is_listed());
        let listing = self
            .listing(reference)
            .map_err(|source| if lists { self.list_error(source) } else { self.clone_error(source) })?;
        match (reference, constraint) {
            (Reference::Branch(branch), _) => {
                let found = self.find(&listing, &format!("refs/heads/{branch}"), || GitError::Empty)?;
                Ok(resolved(Some(branch), &found))
            }
            (Reference::Tag(tag), _) => {
                let empty = GitError::EmptyClone { url: self.url.clone() };
                let found = self.find(&listing, &format!("refs/tags/{tag}"), || empty)?;
                Ok(resolved(Some(tag), &found))
            }
            (Reference::Name(name), _) => {
                let found = listing.find(name.strip_suffix("^{}").unwrap_or(name));
                let found = found.ok_or_else(|| GitError::NameNotFound(name.clone()))?;
                Ok(resolved(Some(name), found))
            }
            (Reference::Commit { id, branch }, _) => self.resolve_commit(&listing, id, branch.as_deref()),
            (Reference::Semver(text), Some(constraint)) => {
                self.resolve_version(&listing, text, &constraint, cache)
            }
            (Reference::Semver(text), None) => Err(GitError::NoMatch(text.clone())),
        }
    }

    /// Brings the commit into the object store in `cache`, unless it is there, and opens it.
    ///
    /// # Errors
    /// [`GitError`]; the store stays usable.
    pub fn fetch(&mut self, resolved: &Resolved, cache: &Path) -> Result<Checkout, GitError> {
        let mut store =
            Store::open(cache, &self.url.to_string(), self.max_cache_bytes).map_err(GitError::Store)?;
        let commit = resolved.commit_id;
        if !self.is_complete(&store, commit)? {
            self.fetch_into(resolved, &store)?;
            store = store.reloaded().map_err(GitError::Store)?;
        }
        if !self.is_complete(&store, commit)? {
            if resolved.exact.is_some() && !store.contains(commit) {
                return Err(GitError::CommitNotFound(resolved.commit.clone()));
            }
            // The store is damaged, or a server sent less than it should have: start anew, once.
            tracing::warn!(url = %self.url, "git object cache is incomplete, fetching everything");
            store.clear().map_err(GitError::Store)?;
            store =
                Store::open(cache, &self.url.to_string(), self.max_cache_bytes).map_err(GitError::Store)?;
            self.fetch_into(resolved, &store)?;
            store = store.reloaded().map_err(GitError::Store)?;
        }
        let objects = store.objects(commit.kind()).map_err(GitError::Store)?;
        Checkout::open(objects, commit, Some(resolved.want))
    }

    fn is_complete(&self, store: &Store, commit: ObjectId) -> Result<bool, GitError> {
        store.is_complete(commit, || self.runner.check()).map_err(|source| self.clone_error(source))
    }

    fn fetch_into(&mut self, resolved: &Resolved, store: &Store) -> Result<(), GitError> {
        let max_bytes = self.max_pack_bytes;
        let result =
            self.with_session(|session| session.fetch(&[resolved.want], Depth::One, store, max_bytes));
        match (result, &resolved.exact) {
            (Ok(()), _) => Ok(()),
            // A server may hand out nothing but what it lists. Then the commit is somewhere in the history of that.
            (Err(TransportError::Protocol(_)), Some(exact)) => {
                self.fetch_history(exact.branch.as_deref(), resolved, store)
            }
            (Err(source), _) => Err(self.clone_error(source)),
        }
    }

    fn fetch_history(
        &mut self,
        branch: Option<&str>,
        resolved: &Resolved,
        store: &Store,
    ) -> Result<(), GitError> {
        // The server ended the conversation together with its refusal.
        self.session = None;
        let max_bytes = self.max_pack_bytes;
        let result = self.with_session(|session| {
            let prefix = branch.map_or("refs/heads/".to_owned(), |branch| format!("refs/heads/{branch}"));
            let listing = session.list(std::slice::from_ref(&prefix))?;
            let heads: Vec<ObjectId> = match branch {
                Some(_) => listing.find(&prefix).map(|listed| listed.commit).into_iter().collect(),
                None => listing.below(&prefix).map(|(_, listed)| listed.commit).collect(),
            };
            if heads.is_empty() { Ok(()) } else { session.fetch(&heads, Depth::All, store, max_bytes) }
        });
        result.map_err(|source| self.clone_error(source))?;
        if store.contains(resolved.commit_id) {
            Ok(())
        } else {
            Err(GitError::CommitNotFound(resolved.commit.clone()))
        }
    }

    /// Lists what is needed to resolve the reference.
    fn listing(&mut self, reference: &Reference) -> Result<Listing, TransportError> {
        let head = || "HEAD".to_owned();
        let prefixes = match reference {
            Reference::Branch(branch) => vec![head(), format!("refs/heads/{branch}")],
            Reference::Tag(tag) => vec![head(), format!("refs/tags/{tag}")],
            Reference::Semver(_) => vec![head(), "refs/tags/".to_owned()],
            Reference::Name(name) => vec![name.strip_suffix("^{}").unwrap_or(name).to_owned()],
            Reference::Commit { .. } => vec![head()],
        };
        self.with_session(|session| session.list(&prefixes))
    }

    pub(crate) fn with_session<T>(
        &mut self,
        work: impl FnOnce(&mut Session) -> Result<T, TransportError>,
    ) -> Result<T, TransportError> {
        if self.session.is_none() {
            self.session = Some(Session::open(&self.address, self.connection.clone(), self.runner.clone())?);
        }
        match &mut self.session {
            Some(session) => work(session),
            None => Err(TransportError::Protocol("no session".to_owned())),
        }
    }

    fn find(
        &mut self,
        listing: &Listing,
        name: &str,
        empty: impl FnOnce() -> GitError,
    ) -> Result<Listed, GitError> {
        if let Some(found) = listing.find(name) {
            return Ok(found.clone());
        }
        self.ensure_not_empty(listing, empty)?;
        Err(self.clone_error(TransportError::RefNotFound(name.to_owned())))
    }

    /// Fails with `empty` if the repository has no reference at all.
    fn ensure_not_empty(
        &mut self,
        listing: &Listing,
        empty: impl FnOnce() -> GitError,
    ) -> Result<(), GitError> {
        if !listing.is_empty() {
            return Ok(());
        }
        // HEAD may point at a branch that was never made, while others were.
        let everything =
            self.with_session(|session| session.list(&[])).map_err(|err| self.clone_error(err))?;
        if everything.is_empty() { Err(empty()) } else { Ok(()) }
    }

    fn resolve_commit(
        &mut self,
        listing: &Listing,
        id: &str,
        branch: Option<&str>,
    ) -> Result<Resolved, GitError> {
        let url = self.url.clone();
        self.ensure_not_empty(listing, || GitError::EmptyClone { url })?;
        // Short hashes are never expanded.
        let commit_id =
            ObjectId::from_hex(id.as_bytes()).map_err(|_| GitError::CommitNotFound(id.to_owned()))?;
        Ok(Resolved {
            commit: id.to_owned(),
            revision: Revision::of_commit(branch, id),
            want: commit_id,
            commit_id,
            exact: Some(Exact { branch: branch.map(str::to_owned) }),
        })
    }

    fn resolve_version(
        &mut self,
        listing: &Listing,
        text: &str,
        constraint: &Constraint,
        cache: &Path,
    ) -> Result<Resolved, GitError> {
        let url = self.url.clone();
        self.ensure_not_empty(listing, || GitError::EmptyClone { url })?;
        let tags = listing.below("refs/tags/");
        let versions = tags.filter_map(|(tag, listed)| Some((tag.parse::<Version>().ok()?, tag, listed)));
        let mut best: Vec<(Version, &str, &Listed)> = Vec::new();
        for candidate in versions.filter(|(version, _, _)| constraint.allows(version)) {
            match best.first().map(|(version, _, _)| candidate.0.cmp(version)) {
                Some(std::cmp::Ordering::Less) => {}
                Some(std::cmp::Ordering::Equal) => best.push(candidate),
                Some(std::cmp::Ordering::Greater) | None => best = vec![candidate],
            }
        }
        match best.as_slice() {
            [] => Err(GitError::NoMatch(text.to_owned())),
            [(_, tag, listed)] => Ok(resolved(Some(tag), listed)),
            _ => self.newest(best.iter().map(|(_, tag, listed)| resolved(Some(tag), listed)), cache),
        }
    }

    /// Versions that differ in build metadata only are told apart by the age of their commits.
    fn newest(
        &mut self,
        candidates: impl Iterator<Item = Resolved>,
        cache: &Path,
    ) -> Result<Resolved, GitError> {
        let mut newest: Option<(i64, Resolved)> = None;
        for candidate in candidates {
            let time = self.fetch(&candidate, cache)?.commit().committer_time;
            if newest.as_ref().is_none_or(|(newest, _)| time > *newest) {
                newest = Some((time, candidate));
            }
        }
        newest.map(|(_, candidate)| candidate).ok_or(GitError::Empty)
    }

    pub(crate) fn clone_error(&self, source: TransportError) -> GitError {
        GitError::Clone { url: self.url.clone(), source }
    }

    pub(crate) fn list_error(&self, source: TransportError) -> GitError {
        GitError::List { url: self.url.clone(), source }
    }

    /// Says whether there is time left.
    pub(crate) fn check(&self) -> Result<(), GitError> {
        self.runner.check().map_err(|source| self.clone_error(source))
    }
}

impl Resolved {
    pub(crate) fn exactly(commit: ObjectId, searches_history: bool) -> Self {
        let exact = searches_history.then_some(Exact { branch: None });
        let id = commit.to_string();
        Self { revision: Revision::of_commit(None, &id), commit: id, want: commit, commit_id: commit, exact }
    }
}

pub(crate) fn resolved(pointer: Option<&str>, listed: &Listed) -> Resolved {
    let commit = listed.commit.to_string();
    Resolved {
        revision: Revision::of_commit(pointer, &commit),
        commit,
        want: listed.object,
        commit_id: listed.commit,
        exact: None,
    }
}
