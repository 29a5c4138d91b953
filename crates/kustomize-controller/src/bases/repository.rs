//! A repository, checked out as the original has Git do it: the commit of a name, and those of its submodules.
//!
//! Waiting for a server takes a thread for that, but neither a worker slot nor one of the threads for building.

use std::sync::Arc;
use std::time::Duration;

use millrace_git::stores::{Contents, Visited};
use millrace_git::{Auth, GitError, Remote, Resolved, SharedStore, Submodule, Submodules, relative_to};
use millrace_kustomize::remote::{Repository, RepositoryFailure};
use millrace_net::RedactedUrl;
use millrace_reconcile::Run;
use millrace_reconcile::permits::Interrupt;
use millrace_reconcile::threads::Threads;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};

use super::files::{CheckoutFiles, Part};
use super::held::{Held, TooLarge};
use super::{Bases, words};

/// The longest file that is read of a checkout, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Submodules of one checkout, those of submodules counted.
const MAX_SUBMODULES: usize = 200;
/// Submodules in one another.
const MAX_DEPTH: usize = 10;
/// What the original runs for the submodules.
const UPDATE: &str = "git submodule update --init --recursive";

/// The files of a repository at a commit.
pub(super) struct CheckedOut {
    pub(super) files: Arc<CheckoutFiles>,
    pub(super) commit: String,
}

/// Checks a repository out, by `deadline` at the latest.
pub(super) async fn check_out(
    bases: &Bases,
    run: &Run,
    repository: &Repository,
    held: &mut Held,
    deadline: Instant,
) -> Result<CheckedOut, RepositoryFailure> {
    let Repository { raw: _, url, path: _, reference, submodules: _, timeout } = repository;
    let name = reference.as_deref().unwrap_or("HEAD");
    let fetch = format!("git fetch --depth=1 {} {name}", RedactedUrl::new(url));
    for (what, word) in [("reference", name), ("address", url)] {
        if word.starts_with('-') {
            let text = format!("the {what} '{word}' is refused: no name in git begins with '-'");
            return Err(RepositoryFailure::Failed(text));
        }
    }
    if let Some(refused) = words::refused(&fetch, url) {
        return Err(refused);
    }
    let errands = Errands { bases, run, timeout: *timeout, deadline };
    let mut lost = String::new();
    // Somebody else may have emptied the temporary folder. What is lost is fetched again, once.
    for _ in 0..2 {
        let parts = parts(&errands, repository, (&fetch, name), held).await?;
        let commit = parts.first().map(|top| top.commit.clone()).unwrap_or_default();
        match run.blocking(move |_| CheckoutFiles::open(parts, MAX_FILE_BYTES)).await {
            Ok(Ok(files)) => return Ok(CheckedOut { files: Arc::new(files), commit }),
            Ok(Err(error)) => lost = words::words(url, &error).unwrap_or_default(),
            Err(error) => lost = error.to_string(),
        }
    }
    Err(words::failed(&fetch, &lost))
}

/// Fetches the repository and its submodules.
async fn parts(
    errands: &Errands<'_>,
    repository: &Repository,
    (fetch, name): (&str, &str),
    held: &mut Held,
) -> Result<Vec<Part>, RepositoryFailure> {
    let Repository { raw: _, url, path: _, reference: _, submodules, timeout: _ } = repository;
    let errand = errands.next();
    let top = errand.visit(url, Want::Name(name.to_owned())).await;
    let top = top.map_err(|failure| failure.of(fetch, |said| said, errand.allowed))?;
    held.add(&top.store).map_err(|_| too_large(fetch))?;
    let mut parts = vec![Part { path: String::new(), store: top.store, commit: top.commit }];
    if *submodules {
        // Each command of the original has the whole time.
        add_submodules(&errands.next(), url, top.contents, (&mut parts, held)).await?;
    }
    errands.bases.stores.settle();
    Ok(parts)
}

async fn add_submodules(
    errand: &Errand<'_>,
    url: &str,
    contents: Arc<Contents>,
    (parts, held): (&mut Vec<Part>, &mut Held),
) -> Result<(), RepositoryFailure> {
    let mut pending = vec![(String::new(), url.to_owned(), contents, 1)];
    while let Some((folder, parent, contents, depth)) = pending.pop() {
        for module in known_submodules(&contents, &folder)? {
            let path = crate::build::join(&folder, &module.path);
            if parts.len() > MAX_SUBMODULES || depth > MAX_DEPTH {
                return Err(too_many(&path));
            }
            let url = module.url.as_deref().ok_or_else(|| {
                words::failed(UPDATE, &format!("No url found for submodule path '{path}' in .gitmodules"))
            })?;
            let url = relative_to(&parent, url).ok_or_else(|| {
                let parent = RedactedUrl::new(&parent);
                words::failed(UPDATE, &format!("cannot strip one component off url '{parent}'"))
            })?;
            if let Some(refused) = words::refused(UPDATE, &url) {
                return Err(refused);
            }
            let commit = Resolved::of_commit(&module.commit, true)
                .ok_or_else(|| words::failed(UPDATE, &format!("bad commit of submodule path '{path}'")))?;
            let shown = RedactedUrl::new(&url);
            let told = |said| format!("clone of '{shown}' into submodule path '{path}' failed: {said}");
            let visited = errand.visit(&url, Want::Commit(commit)).await;
            let visited = visited.map_err(|failure| failure.of(UPDATE, told, errand.allowed))?;
            held.add(&visited.store).map_err(|_| too_large(UPDATE))?;
            parts.push(Part { path: path.clone(), store: visited.store, commit: visited.commit });
            pending.push((path, url, visited.contents, depth + 1));
        }
    }
    Ok(())
}

/// The submodules of a commit in this folder, but those that are left out.
fn known_submodules<'c>(
    contents: &'c Contents,
    folder: &str,
) -> Result<impl Iterator<Item = &'c Submodule>, RepositoryFailure> {
    match &contents.submodules {
        Submodules::Known(submodules) => Ok(submodules.iter().filter(|module| !module.is_left_out)),
        Submodules::TooMany => Err(too_many(folder)),
        Submodules::Unknown(text) if folder.is_empty() => Err(words::failed(UPDATE, text)),
        Submodules::Unknown(text) => {
            Err(words::failed(UPDATE, &format!("in submodule path '{folder}': {text}")))
        }
    }
}

fn too_many(path: &str) -> RepositoryFailure {
    let said = format!(
        "at '{path}' there are more than {MAX_SUBMODULES} submodules, or more than {MAX_DEPTH} in one another"
    );
    words::failed(UPDATE, &said)
}

fn too_large(command: &str) -> RepositoryFailure {
    words::failed_for(command, TooLarge::TEXT, TooLarge::ADVICE)
}

/// What all commands have in common that the original runs for a repository.
struct Errands<'r> {
    bases: &'r Bases,
    run: &'r Run,
    /// What the address allows each of them.
    timeout: Duration,
    /// When the time of the run is over.
    deadline: Instant,
}

/// One command of the original, and the time it has.
struct Errand<'r> {
    bases: &'r Bases,
    run: &'r Run,
    allowed: Duration,
    until: Instant,
}

#[derive(Clone)]
enum Want {
    Name(String),
    Commit(Resolved),
}

struct Visit {
    store: Arc<SharedStore>,
    commit: String,
    contents: Arc<Contents>,
}

enum Failure {
    /// The time is over.
    Late,
    Said(String),
}

impl Failure {
    fn of(self, command: &str, told: impl FnOnce(String) -> String, after: Duration) -> RepositoryFailure {
        match self {
            Self::Late => RepositoryFailure::TimedOut { after, line: command.to_owned() },
            Self::Said(said) => words::failed(command, &told(said)),
        }
    }
}

impl<'r> Errands<'r> {
    fn next(&self) -> Errand<'r> {
        let Self { bases, run, timeout, deadline } = *self;
        let left = deadline.saturating_duration_since(Instant::now());
        // What is left of a run is no round number.
        let left = Duration::from_millis(u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        let allowed = timeout.min(left);
        Errand { bases, run, allowed, until: Instant::now() + allowed }
    }
}

impl Errand<'_> {
    /// Brings the commit that is wanted of the repository at `url` into its store.
    async fn visit(&self, url: &str, want: Want) -> Result<Visit, Failure> {
        let visited = timeout_at(self.until, self.visit_in_time(url, want)).await;
        match visited.unwrap_or(Ok(Err(None))) {
            Ok(Ok(visit)) => Ok(visit),
            Ok(Err(None)) => Err(Failure::Late),
            Ok(Err(Some(said))) => Err(Failure::Said(said)),
            Err(error) => Err(words::words(url, &error).map_or(Failure::Late, Failure::Said)),
        }
    }

    /// The inner error is what a thread came to; without a word, time is over.
    async fn visit_in_time(
        &self,
        url: &str,
        mut want: Want,
    ) -> Result<Result<Visit, Option<String>>, GitError> {
        let Self { bases, run, .. } = self;
        let store = bases.stores.get(url);
        let client = bases.client().map_err(GitError::Client)?;
        let interrupt = Raise(Interrupt::default());
        let mut writing = None;
        loop {
            // Who had the right to write before may have wanted the same.
            if let Some((commit, contents)) = known(&store, &want) {
                return Ok(Ok(Visit { store, commit, contents }));
            }
            let options = millrace_git::Options {
                client: client.clone(),
                runtime: Handle::current(),
                auth: Auth::None,
                timeout: self.until.saturating_duration_since(Instant::now()),
                interrupt: interrupt.0.flag(),
                max_cache_bytes: u64::MAX,
            };
            let (address, wanted, shared) = (url.to_owned(), want.clone(), Arc::clone(&store));
            let work = move || {
                let mut remote = Remote::new(&address, options)?;
                let resolved = match wanted {
                    Want::Name(name) => remote.resolve_name(&name)?,
                    Want::Commit(commit) => commit,
                };
                shared.fetch(remote, resolved, writing)
            };
            let turn = bases.threads.turn(&host(url), run.namespace(), run.lane()).await;
            let visited = match Threads::run(turn, &run.context().tasks, work).await {
                Ok(visited) => visited?,
                Err(error) => return Ok(Err(Some(error.to_string()))),
            };
            match visited {
                Visited::Here { commit, contents } => return Ok(Ok(Visit { store, commit, contents })),
                Visited::Busy(resolved) => {
                    writing = Some(store.writing().await);
                    want = Want::Commit(resolved);
                }
            }
        }
    }
}

/// What is here already, if the commit is known without asking.
fn known(store: &SharedStore, want: &Want) -> Option<(String, Arc<Contents>)> {
    let commit = match want {
        Want::Name(name) => Resolved::of_commit(name, false)?.commit,
        Want::Commit(resolved) => resolved.commit.clone(),
    };
    let contents = store.contents(&commit)?;
    Some((commit, contents))
}

/// Who may stall: one server, whatever the repository.
fn host(url: &str) -> String {
    let url = url.parse::<url::Url>().ok();
    let host = url.as_ref().and_then(|url| Some((url.host_str()?, url.port_or_known_default()?)));
    host.map(|(host, port)| format!("{host}:{port}")).unwrap_or_default()
}

/// Ends the work of a thread that nobody waits for any more.
struct Raise(Interrupt);

impl Drop for Raise {
    fn drop(&mut self) {
        self.0.raise();
    }
}
