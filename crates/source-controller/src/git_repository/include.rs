//! The sources that a source includes, and their artifacts.
//!
//! Contract: source-controller §2.5 (source 5, include), §3.6.

use std::sync::Arc;
use std::time::Duration;

use kube::Api;
use millrace_api::meta::{Artifact, non_empty};
use millrace_api::source::v1::{GitRepository, GitRepositoryInclude};
use millrace_artifact::fetch::{self, FetchError, Fetcher};
use millrace_artifact::storage::{self, Storage};
use millrace_artifact::tree::Tree;
use millrace_reconcile::client::error_text;
use millrace_reconcile::failure::Remedy;
use millrace_reconcile::run::Cancelled;
use millrace_reconcile::{Failure, Key, Reason, Run};

use super::work::{Stop, Work};
use super::work_tree::{FitError, GraftError, PlaceError, WorkTree};
use crate::trouble::Trouble;
use crate::vocabulary::{
    COPY_FAILURE, ILLEGAL_PATH, INCLUDE_UNAVAILABLE, NO_ARTIFACT, NOT_FOUND, STORAGE_OPERATION_FAILED,
};

/// An included source that has an artifact.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Include {
    name: String,
    from: String,
    to: String,
    pub(crate) artifact: Artifact,
}

/// One whose files can be read.
pub(crate) struct OpenInclude {
    include: Include,
    tree: Arc<Tree>,
}

/// Why the files of an include aren't in the tree.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IncludeError {
    #[error("path calculation for include '{name}' failed")]
    Place { name: String, source: PlaceError },
    #[error("failed to copy {what}")]
    Fit { what: String, source: FitError },
    #[error("failed to copy {what}")]
    Fetch { what: String, source: FetchError },
}

impl Include {
    fn new(spec: &GitRepositoryInclude, artifact: Artifact) -> Self {
        let name = &spec.repository.name;
        Self {
            name: name.clone(),
            from: spec.from_path.clone().unwrap_or_default(),
            to: non_empty(spec.to_path.as_ref()).unwrap_or(name).to_owned(),
            artifact,
        }
    }

    /// How messages name what is to be copied.
    fn what(&self) -> String {
        format!("'{}' include from {} to {}", self.name, self.from, self.to)
    }
}

/// Reads what the object includes, in order; the first that can't be had is waited for.
pub(crate) async fn observe(
    run: &Run,
    object: &GitRepository,
    wait: Duration,
) -> Result<Vec<Include>, Trouble> {
    let namespace = Key::of(object).namespace().to_owned();
    let api: Api<GitRepository> = Api::namespaced(run.context().client.clone(), &namespace);
    let waiting = |reason: Reason, message: String| {
        let failure = Failure::with_message(Remedy::Wait(wait), reason, message);
        Trouble::at(INCLUDE_UNAVAILABLE, failure)
    };
    let mut includes = Vec::with_capacity(object.spec.include.len());
    for spec in &object.spec.include {
        let name = &spec.repository.name;
        let unknown =
            |text: String| waiting(NOT_FOUND, format!("could not get resource for include '{name}': {text}"));
        let found = api.get_opt(name).await.map_err(|error| unknown(error_text(&error)))?;
        // The words of the original's cache, which answers such reads there.
        let found = found.ok_or_else(|| {
            unknown(format!("GitRepository.{} {name:?} not found", millrace_api::source::GROUP))
        })?;
        let artifact = found.status.and_then(|status| status.artifact);
        let artifact = artifact
            .ok_or_else(|| waiting(NO_ARTIFACT, format!("no artifact available for include '{name}'")))?;
        includes.push(Include::new(spec, artifact));
    }
    Ok(includes)
}

/// Where artifacts of included sources come from.
pub(crate) struct Supply<'a> {
    pub(crate) storage: &'a Storage,
    pub(crate) fetcher: Fetcher,
    /// The namespace of the object, and so of everything it includes.
    pub(crate) namespace: &'a str,
}

/// Opens the artifacts of all includes. Another instance may have to be waited for, which takes no worker slot.
pub(crate) async fn open(
    work: &Work<'_>,
    supply: &Supply<'_>,
    includes: Vec<Include>,
) -> Result<Vec<OpenInclude>, Stop> {
    let mut opened = Vec::with_capacity(includes.len());
    for include in includes {
        let fetched = work.run.wait(fetch(supply, &include)).await;
        match fetched.map_err(|Cancelled| Stop::Cancelled)? {
            Ok(tree) => opened.push(OpenInclude { include, tree }),
            Err(source) => {
                return Err(refused(IncludeError::Fetch { what: include.what(), source }).into());
            }
        }
    }
    Ok(opened)
}

/// Takes the artifact from the own store, or, if another instance made it, from wherever that serves it.
async fn fetch(supply: &Supply<'_>, include: &Include) -> Result<Arc<Tree>, FetchError> {
    let Include { name, artifact, .. } = include;
    let own = storage::Location::new("GitRepository", supply.namespace, name).ok().and_then(|location| {
        // A status that points outside its object's folder must not open the files of others.
        artifact.path.parse().ok().filter(|path| location.contains(path))
    });
    if let Some(path) = own {
        let file = fetch::Location::File(supply.storage.file(&path));
        match supply.fetcher.fetch(&file, &artifact.digest).await {
            Err(FetchError::NotFound) => {}
            outcome => return outcome,
        }
    }
    supply.fetcher.fetch(&fetch::Location::Url(artifact.url.clone()), &artifact.digest).await
}

/// Hangs the files of all includes into a tree, in order.
pub(crate) fn place<B: millrace_artifact::files::FileTree>(
    tree: &mut WorkTree<B>,
    includes: &[OpenInclude],
) -> Result<(), IncludeError> {
    for OpenInclude { include, tree: included } in includes {
        tree.graft(included, &include.from, &include.to).map_err(|error| match error {
            GraftError::Place(source) => IncludeError::Place { name: include.name.clone(), source },
            GraftError::Fit(source) => IncludeError::Fit { what: include.what(), source },
        })?;
    }
    Ok(())
}

/// What an include that can't be placed means for the object.
pub(crate) fn refused(error: IncludeError) -> Trouble {
    let reason = match &error {
        IncludeError::Place { .. } => ILLEGAL_PATH,
        IncludeError::Fit { .. } | IncludeError::Fetch { .. } => COPY_FAILURE,
    };
    Trouble::at(STORAGE_OPERATION_FAILED, Failure::transient(reason, error))
}

#[cfg(test)]
mod tests {
    use millrace_api::meta::{Algorithm, LocalObjectReference};
    use millrace_artifact::archive;
    use millrace_artifact::files::MemoryTree;
    use millrace_artifact::ignore::Rules;
    use millrace_artifact::tree::Trees;
    use millrace_net::HttpClient;

    use super::*;

    #[test]
    fn trouble_with_an_include_has_its_reason_and_its_words() {
        let artifact: Artifact = serde_json::from_value(serde_json::json!({
            "digest": "", "lastUpdateTime": "2026-01-02T03:04:05Z", "path": "", "revision": "", "url": "",
        }))
        .unwrap();
        let lib = GitRepositoryInclude {
            repository: LocalObjectReference { name: "lib".to_owned() },
            from_path: Some("charts".to_owned()),
            to_path: None,
        };
        let what = Include::new(&lib, artifact).what();
        let links = PlaceError::Links { path: "l".to_owned() };
        let missing = FitError::Missing { path: "charts".to_owned() };
        let rows = [
            (
                IncludeError::Place { name: "lib".to_owned(), source: links },
                ILLEGAL_PATH,
                "path calculation for include 'lib' failed: l: too many levels of symbolic links",
            ),
            (
                IncludeError::Fit { what: what.clone(), source: missing },
                COPY_FAILURE,
                "failed to copy 'lib' include from charts to lib: stat charts: no such file or directory",
            ),
            (
                IncludeError::Fetch { what, source: FetchError::NotFound },
                COPY_FAILURE,
                "failed to copy 'lib' include from charts to lib: artifact not found",
            ),
        ];
        for (error, reason, message) in rows {
            let trouble = refused(error);
            assert_eq!(trouble.condition, Some(STORAGE_OPERATION_FAILED));
            assert_eq!((trouble.failure.reason(), trouble.failure.message()), (reason, message));
        }
    }

    // A status can be written by others than this controller, and names a file of the store.
    #[tokio::test]
    async fn only_the_folder_of_the_included_object_is_opened_without_a_request() {
        millrace_net::install_crypto_provider();
        let folder = tempfile::tempdir().unwrap();
        let options = storage::Options {
            root: folder.path().to_owned(),
            advertised: "sc.test".to_owned(),
            algorithm: Algorithm::Sha256,
            retention_ttl: Duration::from_mins(1),
            retention_records: 2,
        };
        let storage = Storage::open(options).unwrap();
        let path = storage::Location::new("GitRepository", "t", "lib").unwrap().file("c1.tar.gz").unwrap();
        let mut tree = MemoryTree::default();
        tree.add_file("a", "a", false);
        let rules = Rules::default();
        let fill = |out: &mut dyn std::io::Write| archive::write(&tree, &rules, out).map(|_| ());
        let lock = storage.try_lock(&path).unwrap().unwrap();
        let (stored, ()) = storage.publish(lock, fill).unwrap();
        let artifact: Artifact = serde_json::from_value(serde_json::json!({
            "digest": stored.digest.to_string(), "lastUpdateTime": "2026-01-02T03:04:05Z",
            "path": path.to_string(), "revision": "", "url": "http://127.0.0.1:1/x",
        }))
        .unwrap();
        let client = HttpClient::new(&millrace_net::Options::default()).unwrap();
        let options = fetch::Options { retries: 0, ..fetch::Options::default() };
        for (name, opened) in [("other", false), ("lib", true)] {
            let trees = Trees::new(folder.path(), 0);
            let fetcher = Fetcher::new(client.clone(), trees, options.clone());
            let supply = Supply { storage: &storage, fetcher, namespace: "t" };
            let spec = GitRepositoryInclude {
                repository: LocalObjectReference { name: name.to_owned() },
                ..GitRepositoryInclude::default()
            };
            let found = fetch(&supply, &Include::new(&spec, artifact.clone())).await;
            assert_eq!(found.is_ok_and(|tree| tree.get("a").is_some()), opened, "{name}");
        }
    }
}
