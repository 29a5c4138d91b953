//! Which path a kind has in the API.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use http::{HeaderValue, Request, header};
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde::Deserialize;
use tokio::sync::Mutex;
use tokio::time::{Duration, Instant};

use super::error::ApiError;
use super::mask::Mask;
use crate::object::Gvk;

/// What was read so recently is not read again for a kind that it lacks: many objects of unknown kinds cost one reading.
pub(crate) const FRESH: Duration = Duration::from_millis(250);

/// Where objects of a kind are found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mapping {
    /// Group, version and kind.
    pub gvk: Gvk,
    /// The plural name in the path.
    pub plural: String,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
}

/// The kinds that one API server serves, shared by everyone who talks to it.
///
/// Two requests read all of it (aggregated discovery), at first use and then when an unknown kind is asked for, or after
/// [`Discovery::invalidate`]. What anyone may apply is not restricted by it, so one per cluster is enough.
pub struct Discovery {
    client: kube::Client,
    known: RwLock<Option<Arc<Index>>>,
    /// Held while reading, so that those who miss at the same time read once.
    reading: Mutex<()>,
}

struct Index {
    read_at: Instant,
    kinds: HashMap<Gvk, Mapping>,
    /// Groups and versions whose server did not answer.
    stale: Vec<(String, String)>,
}

impl Discovery {
    /// A cache over `client`, which needs no right but to read the API's description.
    pub fn new(client: kube::Client) -> Self {
        Self { client, known: RwLock::new(None), reading: Mutex::new(()) }
    }

    /// The mapping of a kind. Reads the API anew before it says that there is none.
    pub async fn mapping(&self, gvk: &Gvk) -> Result<Mapping, ApiError> {
        let before = self.current();
        if let Some(mapping) = before.as_ref().and_then(|index| index.kinds.get(gvk)) {
            return Ok(mapping.clone());
        }
        let index = match before {
            Some(index) if index.read_at.elapsed() < FRESH => index,
            before => self.read_after(before.as_ref()).await?,
        };
        index.kinds.get(gvk).cloned().ok_or_else(|| index.why_unknown(gvk))
    }

    /// The mapping of a kind in the wanted version or, if that is served no longer, in another one; `None` if the API
    /// has lost the kind.
    pub async fn mapping_of_any_version(&self, gvk: &Gvk) -> Result<Option<Mapping>, ApiError> {
        match self.mapping(gvk).await {
            Ok(mapping) => Ok(Some(mapping)),
            Err(ApiError::NoMatch(_)) => match self.current() {
                Some(index) => index.other_version(gvk),
                None => Ok(None),
            },
            Err(error) => Err(error),
        }
    }

    /// Where a kind is found now that the server has said that `mapping` leads nowhere: in the same version if that was
    /// wrong, in another one, or nowhere at all.
    pub async fn mapping_instead_of(&self, mapping: &Mapping) -> Result<Option<Mapping>, ApiError> {
        let known = self.current();
        if known.as_ref().is_none_or(|index| index.read_at.elapsed() >= FRESH) {
            self.read_after(known.as_ref()).await?;
        }
        self.mapping_of_any_version(&mapping.gvk).await
    }

    /// Forgets what is known: definitions have changed.
    pub fn invalidate(&self) {
        *self.known.write().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }

    fn current(&self) -> Option<Arc<Index>> {
        self.known.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Reads the API, unless someone else has done so since `before` was current.
    async fn read_after(&self, before: Option<&Arc<Index>>) -> Result<Arc<Index>, ApiError> {
        let _reading = self.reading.lock().await;
        if let Some(now) = self.current()
            && before.is_none_or(|before| !Arc::ptr_eq(before, &now))
        {
            return Ok(now);
        }
        let (core, groups) = futures::try_join!(self.read("/api"), self.read("/apis"))?;
        let index = Arc::new(Index::of(core.items.into_iter().chain(groups.items)));
        *self.known.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Arc::clone(&index));
        Ok(index)
    }

    async fn read(&self, path: &str) -> Result<GroupList, ApiError> {
        const AGGREGATED: HeaderValue =
            HeaderValue::from_static("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
        let transport = |message: String| ApiError::Transport { message };
        let request = Request::get(path).header(header::ACCEPT, AGGREGATED).body(Body::empty());
        let request = request.map_err(|error| transport(error.to_string()))?;
        let answer = self.client.send(request).await.map_err(|error| transport(error.to_string()))?;
        let code = answer.status();
        let body =
            answer.into_body().collect().await.map_err(|error| transport(error.to_string()))?.to_bytes();
        if !code.is_success() {
            return Err(ApiError::from_answer(code.as_u16(), &body, &Mask::default()));
        }
        serde_json::from_slice(&body).map_err(|error| transport(format!("{path}: {error}")))
    }
}

impl std::fmt::Debug for Discovery {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Discovery").finish_non_exhaustive()
    }
}

impl Index {
    fn of(groups: impl Iterator<Item = Group>) -> Self {
        let mut index = Self { read_at: Instant::now(), kinds: HashMap::new(), stale: Vec::new() };
        for Group { metadata, versions } in groups {
            for version in versions {
                index.add(&metadata.name, version);
            }
        }
        index
    }

    fn add(&mut self, group: &str, version: Version) {
        if version.freshness == "Stale" {
            self.stale.push((group.to_owned(), version.version.clone()));
        }
        for resource in version.resources {
            let Some(kind) = resource.response_kind.map(|kind| kind.kind).filter(|kind| !kind.is_empty())
            else {
                continue;
            };
            let gvk = Gvk { group: group.to_owned(), version: version.version.clone(), kind };
            let namespaced = resource.scope == "Namespaced";
            self.kinds.entry(gvk.clone()).or_insert(Mapping { gvk, plural: resource.resource, namespaced });
        }
    }

    /// The kind in a version that it was not asked for in.
    fn other_version(&self, gvk: &Gvk) -> Result<Option<Mapping>, ApiError> {
        let same_kind = |other: &&Mapping| other.gvk.group == gvk.group && other.gvk.kind == gvk.kind;
        let versions = self.kinds.values().filter(same_kind);
        let found = versions.max_by(|left, right| left.gvk.version.cmp(&right.gvk.version));
        match (found, self.stale.iter().find(|(group, _)| *group == gvk.group)) {
            (Some(mapping), _) => Ok(Some(mapping.clone())),
            // The kind may be in the version that could not be listed.
            (None, Some((group, version))) => {
                Err(ApiError::Incomplete { group_version: format!("{group}/{version}") })
            }
            (None, None) => Ok(None),
        }
    }

    fn why_unknown(&self, gvk: &Gvk) -> ApiError {
        let is_stale =
            self.stale.iter().any(|(group, version)| *group == gvk.group && *version == gvk.version);
        if is_stale {
            ApiError::Incomplete { group_version: gvk.api_version() }
        } else {
            ApiError::NoMatch(Box::new(gvk.clone()))
        }
    }
}

#[derive(Deserialize)]
struct GroupList {
    items: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    versions: Vec<Version>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Version {
    version: String,
    #[serde(default)]
    resources: Vec<Resource>,
    #[serde(default)]
    freshness: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    resource: String,
    #[serde(default)]
    response_kind: Option<ResponseKind>,
    #[serde(default)]
    scope: String,
}

#[derive(Deserialize)]
struct ResponseKind {
    #[serde(default)]
    kind: String,
}
