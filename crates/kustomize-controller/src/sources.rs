//! The sources that Kustomizations can name, and what is known of their artifacts.

use std::fmt;
use std::str::FromStr;

use kube::core::DeserializeGuard;
use kube::runtime::watcher;
use kube::{Api, Client};
use millrace_api::meta::Artifact;
use millrace_api::source::v1::{Bucket, ExternalArtifact, GitRepository, OCIRepository};
use millrace_reconcile::Key;
use millrace_reconcile::watch::{Index, Seen, watch};
use tokio::sync::watch as signal;
use tokio_util::sync::CancellationToken;

/// A kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SourceKind {
    GitRepository,
    OciRepository,
    Bucket,
    ExternalArtifact,
}

impl SourceKind {
    /// All kinds.
    pub(crate) const ALL: [Self; 4] =
        [Self::GitRepository, Self::OciRepository, Self::Bucket, Self::ExternalArtifact];

    /// The name as it stands in `sourceRef.kind`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::GitRepository => "GitRepository",
            Self::OciRepository => "OCIRepository",
            Self::Bucket => "Bucket",
            Self::ExternalArtifact => "ExternalArtifact",
        }
    }

    /// What to say of a source without an artifact, where this version does not make it one.
    pub(crate) fn hint(self) -> Option<&'static str> {
        match self {
            Self::GitRepository | Self::ExternalArtifact => None,
            Self::OciRepository => Some(
                "this version does not reconcile OCIRepository objects yet: leave this Kustomization to Flux until it does",
            ),
            Self::Bucket => Some(
                "this version does not reconcile Bucket objects yet: leave this Kustomization to Flux until it does",
            ),
        }
    }
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A `sourceRef.kind` that no source has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("source `{name}` kind '{kind}' not supported")]
pub(crate) struct UnknownSourceKind {
    /// The kind as given.
    pub(crate) kind: String,
    /// The source's name.
    pub(crate) name: String,
}

impl FromStr for SourceKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

/// Which object a Kustomization takes its files from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SourceId {
    pub(crate) kind: SourceKind,
    pub(crate) key: Key,
}

impl fmt::Display for SourceId {
    /// The form of messages: `GitRepository/apps/site`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.key)
    }
}

/// What is kept of a source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SourceState {
    /// What it offers, if anything yet.
    pub(crate) artifact: Option<Artifact>,
}

/// The sources of the cluster.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    git_repositories: Index<SourceState>,
    oci_repositories: Index<SourceState>,
    buckets: Index<SourceState>,
    external_artifacts: Index<SourceState>,
    /// Told of each change.
    changes: signal::Sender<()>,
}

impl Sources {
    fn index(&self, kind: SourceKind) -> &Index<SourceState> {
        match kind {
            SourceKind::GitRepository => &self.git_repositories,
            SourceKind::OciRepository => &self.oci_repositories,
            SourceKind::Bucket => &self.buckets,
            SourceKind::ExternalArtifact => &self.external_artifacts,
        }
    }

    /// What is known of a source; `None` if there is none of that name.
    pub(crate) fn get(&self, id: &SourceId) -> Option<SourceState> {
        self.index(id.kind).get(&id.key)
    }

    /// Waits until a source is as wanted.
    pub(crate) async fn until(&self, id: &SourceId, wanted: impl Fn(&SourceState) -> bool) {
        let mut changes = self.changes.subscribe();
        while !self.get(id).is_some_and(|state| wanted(&state)) {
            if changes.changed().await.is_err() {
                // The process is ending, and nothing changes any more.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Waits until a first list of `kind` is complete.
    pub(crate) async fn synced(&self, kind: SourceKind) {
        self.index(kind).synced().await;
    }

    /// Watches one kind until the place's shutdown, telling `revised` which source has come, gone or changed, with its
    /// revision.
    pub(crate) async fn watch(&self, kind: SourceKind, place: Place<'_>, revised: impl Fn(&SourceId, &str)) {
        let seen = |seen: Seen<'_, SourceState>| {
            self.changes.send_replace(());
            tell(kind, &seen, &revised);
        };
        let index = self.index(kind);
        match kind {
            SourceKind::GitRepository => {
                place
                    .watch(index, seen, |source: &GitRepository| source.status.as_ref()?.artifact.clone())
                    .await;
            }
            SourceKind::OciRepository => {
                place
                    .watch(index, seen, |source: &OCIRepository| source.status.as_ref()?.artifact.clone())
                    .await;
            }
            SourceKind::Bucket => {
                place.watch(index, seen, |source: &Bucket| source.status.as_ref()?.artifact.clone()).await;
            }
            SourceKind::ExternalArtifact => {
                place
                    .watch(index, seen, |source: &ExternalArtifact| source.status.as_ref()?.artifact.clone())
                    .await;
            }
        }
    }
}

/// Where sources are watched, and until when.
pub(crate) struct Place<'a> {
    pub(crate) client: Client,
    pub(crate) namespace: Option<&'a str>,
    pub(crate) shutdown: &'a CancellationToken,
}

impl Place<'_> {
    async fn watch<K>(
        self,
        index: &Index<SourceState>,
        seen: impl FnMut(Seen<'_, SourceState>),
        artifact: impl Fn(&K) -> Option<Artifact>,
    ) where
        K: kube::Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + fmt::Debug
            + serde::de::DeserializeOwned
            + Send
            + Sync
            + 'static,
    {
        let api: Api<DeserializeGuard<K>> = scoped(self.client, self.namespace);
        let summarize = |source: &K| SourceState { artifact: artifact(source) };
        watch(api, watcher::Config::default(), index, summarize, seen, self.shutdown).await;
    }
}

/// An API over all namespaces, or over the one that is watched.
pub(crate) fn scoped<K>(client: Client, namespace: Option<&str>) -> Api<K>
where
    K: kube::Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>,
{
    match namespace {
        Some(namespace) => Api::namespaced(client, namespace),
        None => Api::all(client),
    }
}

/// Creation and deletion count as a change; of an update only another revision does. Contract: kustomize-controller §2.1.
fn tell(kind: SourceKind, seen: &Seen<'_, SourceState>, revised: &impl Fn(&SourceId, &str)) {
    let revision = |state: &SourceState| state.artifact.as_ref().map(|artifact| artifact.revision.clone());
    let (key, now) = match seen {
        Seen::Added(key, state) | Seen::Deleted(key, state) => (*key, revision(state)),
        Seen::Changed { key, before, after } if revision(before) != revision(after) => {
            (*key, revision(after))
        }
        Seen::Initial(..) | Seen::Changed { .. } => return,
    };
    if let Some(revision) = now {
        revised(&SourceId { kind, key: key.clone() }, &revision);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn state(revision: Option<&str>) -> SourceState {
        let artifact = |revision: &str| Artifact {
            digest: "sha256:0".to_owned(),
            last_update_time: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(
                jiff::Timestamp::UNIX_EPOCH,
            ),
            metadata: std::collections::BTreeMap::new(),
            path: String::new(),
            revision: revision.to_owned(),
            size: None,
            url: String::new(),
        };
        SourceState { artifact: revision.map(artifact) }
    }

    #[test]
    fn only_creation_deletion_and_another_revision_count() {
        let key = Key::new("apps", "site");
        let (none, one, two) = (state(None), state(Some("main@sha1:1")), state(Some("main@sha1:2")));
        let moved = {
            let mut moved = one.clone();
            moved.artifact.iter_mut().for_each(|artifact| artifact.url = "http://elsewhere".to_owned());
            moved
        };
        let cases = [
            ("initial", Seen::Initial(&key, &one), None),
            ("added without artifact", Seen::Added(&key, &none), None),
            ("added", Seen::Added(&key, &one), Some("main@sha1:1")),
            (
                "artifact appeared",
                Seen::Changed { key: &key, before: &none, after: &one },
                Some("main@sha1:1"),
            ),
            ("revision changed", Seen::Changed { key: &key, before: &one, after: &two }, Some("main@sha1:2")),
            ("URL changed", Seen::Changed { key: &key, before: &one, after: &moved }, None),
            ("artifact went", Seen::Changed { key: &key, before: &one, after: &none }, None),
            ("deleted", Seen::Deleted(&key, &two), Some("main@sha1:2")),
        ];
        for (what, seen, expected) in cases {
            let told = RefCell::new(None);
            tell(SourceKind::GitRepository, &seen, &|id, revision| {
                assert_eq!(id.to_string(), "GitRepository/apps/site");
                *told.borrow_mut() = Some(revision.to_owned());
            });
            assert_eq!(told.into_inner().as_deref(), expected, "{what}");
        }
    }
}
