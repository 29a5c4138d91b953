//! What a request to the API server asks for, and patterns over it.

use std::fmt;
use std::time::Instant;

use http::header::USER_AGENT;
use http::{HeaderName, Method, Request};
use regex::Regex;

use crate::Result;

const IMPERSONATE_USER: HeaderName = HeaderName::from_static("impersonate-user");

/// Questions that are asked by creating an object; nothing is stored.
const QUESTIONS: [&str; 5] = [
    "localsubjectaccessreviews",
    "selfsubjectaccessreviews",
    "selfsubjectreviews",
    "subjectaccessreviews",
    "tokenreviews",
];

/// What a request does, in the words of RBAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Reads one object, or anything that is no object.
    Get,
    /// Reads objects of a kind.
    List,
    /// Follows changes.
    Watch,
    /// Creates an object.
    Create,
    /// Replaces an object.
    Update,
    /// Changes an object, server-side apply included.
    Patch,
    /// Deletes an object.
    Delete,
    /// Deletes objects of a kind.
    DeleteCollection,
}

impl Verb {
    fn of(method: &Method, query: &str, resource: &str, name: &str) -> Self {
        match *method {
            Method::POST => Self::Create,
            Method::PUT => Self::Update,
            Method::PATCH => Self::Patch,
            Method::DELETE if name.is_empty() => Self::DeleteCollection,
            Method::DELETE => Self::Delete,
            _ if resource.is_empty() => Self::Get,
            _ if parameter(query, "watch").is_some_and(|value| matches!(value, "true" | "1" | "")) => {
                Self::Watch
            }
            _ if name.is_empty() => Self::List,
            _ => Self::Get,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }
}

/// A request as the proxy saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// When its head had been read.
    pub at: Instant,
    /// What it does.
    pub verb: Verb,
    /// API group, empty for the core group.
    pub group: String,
    /// Plural of the kind; empty for a path that leads to no kind, such as `/version`.
    pub resource: String,
    /// `status`, `scale` and the like, or empty.
    pub subresource: String,
    /// The namespace, empty for cluster-wide requests.
    pub namespace: String,
    /// The object, empty for lists and creations.
    pub name: String,
    /// Path and query.
    pub target: String,
    /// The client's name for itself.
    pub user_agent: String,
    /// In whose name it is made, empty if that is the client's own.
    pub impersonated: String,
}

impl Seen {
    /// Reads the head of a request.
    pub(super) fn of<B>(request: &Request<B>) -> Self {
        let header = |name: &HeaderName| {
            request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        let path = request.uri().path();
        let query = request.uri().query().unwrap_or_default();
        let place = Place::of(path);
        Self {
            at: Instant::now(),
            verb: Verb::of(request.method(), query, place.resource, place.name),
            group: place.group.to_owned(),
            resource: place.resource.to_owned(),
            subresource: place.subresource.to_owned(),
            namespace: place.namespace.to_owned(),
            name: place.name.to_owned(),
            target: request.uri().path_and_query().map_or(path, |target| target.as_str()).to_owned(),
            user_agent: header(&USER_AGENT),
            impersonated: header(&IMPERSONATE_USER),
        }
    }

    /// Whether it asks for a dry run.
    pub fn is_dry_run(&self) -> bool {
        self.query("dryRun").is_some()
    }

    /// Whether it changes something that is stored: no read, no dry run, no question.
    pub fn is_write(&self) -> bool {
        let asks = QUESTIONS.contains(&self.resource.as_str()) || self.subresource == "token";
        !matches!(self.verb, Verb::Get | Verb::List | Verb::Watch) && !asks && !self.is_dry_run()
    }

    fn query(&self, name: &str) -> Option<&str> {
        parameter(self.target.split_once('?')?.1, name)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verb, resource, subresource, name, target, .. } = self;
        if resource.is_empty() {
            return write!(f, "{} {target}", verb.word());
        }
        write!(f, "{} {resource}", verb.word())?;
        for part in [name, subresource].into_iter().filter(|part| !part.is_empty()) {
            write!(f, "/{part}")?;
        }
        Ok(())
    }
}

fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next()
}

/// The parts of a path.
#[derive(Default)]
struct Place<'a> {
    group: &'a str,
    namespace: &'a str,
    resource: &'a str,
    name: &'a str,
    subresource: &'a str,
}

impl<'a> Place<'a> {
    fn of(path: &'a str) -> Self {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let (group, rest) = match parts.as_slice() {
            ["api", _version, rest @ ..] => ("", rest),
            ["apis", group, _version, rest @ ..] => (*group, rest),
            _ => return Self::default(),
        };
        let (namespace, rest) = match rest {
            // Parts of the namespace itself.
            ["namespaces", _] | ["namespaces", _, "status" | "finalize"] => ("", rest),
            ["namespaces", namespace, rest @ ..] => (*namespace, rest),
            rest => ("", rest),
        };
        let part = |at: usize| rest.get(at).copied().unwrap_or_default();
        Self { group, namespace, resource: part(0), name: part(1), subresource: part(2) }
    }
}

/// A pattern over requests; what is not asked for may be anything.
#[derive(Clone, Debug, Default)]
pub struct Match {
    verb: Option<Verb>,
    writes: bool,
    resource: Option<String>,
    except: Vec<String>,
    subresource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    agent: Option<String>,
    target: Option<Regex>,
}

impl Match {
    /// Every request.
    pub fn any() -> Self {
        Self::default()
    }

    /// Every request that changes something that is stored.
    pub fn writes() -> Self {
        Self { writes: true, ..Self::default() }
    }

    /// Only with this verb.
    #[must_use]
    pub fn verb(self, verb: Verb) -> Self {
        Self { verb: Some(verb), ..self }
    }

    /// Only for this kind, by its plural.
    #[must_use]
    pub fn resource(self, plural: &str) -> Self {
        Self { resource: Some(plural.to_owned()), ..self }
    }

    /// Not for this kind, by its plural.
    #[must_use]
    pub fn except(mut self, plural: &str) -> Self {
        self.except.push(plural.to_owned());
        self
    }

    /// Only for this subresource; the empty one is the object itself.
    #[must_use]
    pub fn subresource(self, name: &str) -> Self {
        Self { subresource: Some(name.to_owned()), ..self }
    }

    /// Only in this namespace.
    #[must_use]
    pub fn namespace(self, name: &str) -> Self {
        Self { namespace: Some(name.to_owned()), ..self }
    }

    /// Only for the object of this name.
    #[must_use]
    pub fn name(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }

    /// Only from clients whose name for themselves starts like this.
    #[must_use]
    pub fn agent(self, prefix: &str) -> Self {
        Self { agent: Some(prefix.to_owned()), ..self }
    }

    /// Only where path and query match a regular expression.
    pub fn target(self, pattern: &str) -> Result<Self> {
        Ok(Self { target: Some(Regex::new(pattern)?), ..self })
    }

    /// Whether a request fits.
    pub fn fits(&self, seen: &Seen) -> bool {
        let Self { verb, writes, resource, except, subresource, namespace, name, agent, target } = self;
        let same =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        verb.is_none_or(|verb| verb == seen.verb)
            && (!writes || seen.is_write())
            && same(resource, &seen.resource)
            && !except.contains(&seen.resource)
            && same(subresource, &seen.subresource)
            && same(namespace, &seen.namespace)
            && same(name, &seen.name)
            && agent.as_ref().is_none_or(|agent| seen.user_agent.starts_with(agent.as_str()))
            && target.as_ref().is_none_or(|pattern| pattern.is_match(&seen.target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(method: &str, target: &str) -> Seen {
        let request = Request::builder()
            .method(method)
            .uri(target)
            .header(USER_AGENT, "kustomize-controller/v1")
            .header(IMPERSONATE_USER, "tenant");
        Seen::of(&request.body(()).unwrap())
    }

    #[test]
    fn requests_are_read_as_rbac_reads_them() {
        for (method, target, printed, namespace, write) in [
            ("GET", "/api/v1/namespaces/a/configmaps/x", "get configmaps/x", "a", false),
            ("GET", "/api/v1/configmaps?limit=500", "list configmaps", "", false),
            ("GET", "/apis/apps/v1/namespaces/a/deployments?watch=true", "watch deployments", "a", false),
            ("GET", "/apis/apps/v1/deployments?watch=0", "list deployments", "", false),
            ("POST", "/api/v1/namespaces/a/events", "create events", "a", true),
            ("PUT", "/api/v1/namespaces/a/finalize", "update namespaces/a/finalize", "", true),
            ("DELETE", "/api/v1/namespaces/a", "delete namespaces/a", "", true),
            ("DELETE", "/api/v1/namespaces/a/pods", "deletecollection pods", "a", true),
            (
                "PATCH",
                "/apis/x.io/v1/namespaces/a/things/t/status?force=true",
                "patch things/t/status",
                "a",
                true,
            ),
            ("PATCH", "/apis/x.io/v1/things/t?dryRun=All&force=true", "patch things/t", "", false),
            (
                "POST",
                "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                "create selfsubjectaccessreviews",
                "",
                false,
            ),
            (
                "POST",
                "/api/v1/namespaces/a/serviceaccounts/s/token",
                "create serviceaccounts/s/token",
                "a",
                false,
            ),
            ("GET", "/version", "get /version", "", false),
        ] {
            let seen = seen(method, target);
            assert_eq!(
                (seen.to_string().as_str(), seen.namespace.as_str()),
                (printed, namespace),
                "{target}"
            );
            assert_eq!(seen.is_write(), write, "{method} {target}");
            assert_eq!(seen.impersonated, "tenant");
        }
    }

    #[test]
    fn a_pattern_asks_for_everything_it_names() {
        let status = seen("PATCH", "/apis/x.io/v1/namespaces/a/things/t/status?fieldManager=m");
        let whole = Match::writes()
            .verb(Verb::Patch)
            .resource("things")
            .subresource("status")
            .namespace("a")
            .name("t")
            .agent("kustomize-controller")
            .except("events");
        assert!(whole.fits(&status) && Match::any().fits(&status));
        for pattern in [
            whole.clone().verb(Verb::Update),
            whole.clone().resource("events"),
            whole.clone().except("things"),
            whole.clone().subresource(""),
            whole.clone().namespace("b"),
            whole.clone().name("u"),
            whole.clone().agent("source-controller"),
            whole.clone().target("fieldManager=other").unwrap(),
            whole.name("t").target("^/api/").unwrap(),
        ] {
            assert!(!pattern.fits(&status), "{pattern:?}");
        }
    }
}
