//! The API server's audit log, as tests read it.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use serde::Deserialize;

use crate::Result;

/// Who is logged: everyone but the control plane's own programs. One line per request, written with its answer.
pub(super) const POLICY: &str = "\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: ['system:apiserver', 'system:kube-controller-manager', 'system:kube-scheduler', 'system:anonymous', kwok]
- level: None
  userGroups: ['system:serviceaccounts:kube-system']
- level: Metadata
";

/// A request that the API server answered.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEvent {
    /// `ResponseComplete`, or `ResponseStarted` for a watch that goes on.
    pub stage: String,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`.
    pub verb: String,
    /// Path and query: `dryRun` and `fieldManager` are here.
    #[serde(rename = "requestURI")]
    pub request_uri: String,
    /// Who asked.
    pub user: User,
    /// In whose name, if that is someone else.
    pub impersonated_user: Option<User>,
    /// The client's name for itself.
    #[serde(default)]
    pub user_agent: String,
    /// What was asked about.
    pub object_ref: Option<ObjectRef>,
    /// The answer.
    pub response_status: Option<ResponseStatus>,
}

/// A user in the audit log.
#[derive(Debug, Clone, Deserialize)]
pub struct User {
    /// Its name.
    #[serde(default)]
    pub username: String,
}

/// The object of a request.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectRef {
    /// Plural of the kind.
    pub resource: String,
    /// Its namespace, empty for cluster-wide kinds.
    pub namespace: String,
    /// Its name, empty for lists.
    pub name: String,
    /// Its API group, empty for the core group.
    pub api_group: String,
    /// `status`, `scale`, `token`, or empty.
    pub subresource: String,
}

/// The answer to a request.
#[derive(Debug, Clone, Deserialize)]
pub struct ResponseStatus {
    /// The HTTP status.
    #[serde(default)]
    pub code: u16,
}

impl AuditEvent {
    /// Whether the request asked for a dry run.
    pub fn is_dry_run(&self) -> bool {
        self.request_uri.contains("dryRun=All")
    }

    /// Whether the request changes something: not a read, not a dry run.
    pub fn is_write(&self) -> bool {
        !matches!(self.verb.as_str(), "get" | "list" | "watch") && !self.is_dry_run()
    }
}

/// A place in the audit log.
#[derive(Debug, Clone, Copy)]
pub struct Mark(u64);

/// The audit log of a control plane.
#[derive(Debug, Clone)]
pub struct AuditLog {
    path: PathBuf,
}

impl AuditLog {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// The present end of the log.
    pub fn mark(&self) -> Result<Mark> {
        Ok(Mark(std::fs::metadata(&self.path)?.len()))
    }

    /// The requests answered since `mark`. A line that is being written is left for the next call.
    pub fn since(&self, mark: Mark) -> Result<Vec<AuditEvent>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(mark.0))?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    /// The requests answered since `mark` for a user by its RBAC name, impersonated or not.
    pub fn by_user(&self, mark: Mark, user: &str) -> Result<Vec<AuditEvent>> {
        let mut events = self.since(mark)?;
        events.retain(|event| {
            event.user.username == user
                || event.impersonated_user.as_ref().is_some_and(|other| other.username == user)
        });
        Ok(events)
    }
}
