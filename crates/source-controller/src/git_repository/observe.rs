//! Reads what a run needs to know: Secrets, and the commit that the remote has.

use std::sync::Arc;

use millrace_api::meta::{LocalObjectReference, Revision, non_empty};
use millrace_api::source::v1::{GitRepository, GitRepositorySpec};
use millrace_git::{GitError, Remote, Resolved};
use millrace_net::{HttpClient, HttpError, Proxy, Secret};
use millrace_reconcile::failure::chain;
use millrace_reconcile::secrets::{self, SecretData, SecretError};
use millrace_reconcile::{Failure, Key, Run};
use tokio::runtime::Handle;

use super::credentials::{self, Access};
use super::input::Input;
use super::proxy::proxy_url;
use super::work::{Stop, Work};
use super::{GitRepositories, MAX_CACHE_BYTES};
use crate::trouble::Trouble;
use crate::vocabulary::{
    AUTHENTICATION_FAILED, EMPTY_GIT_REPOSITORY, FETCH_FAILED, GIT_OPERATION_FAILED,
    INVALID_PROVIDER_CONFIGURATION, URL_INVALID,
};

/// A remote under way, with the commit that it has.
pub(crate) struct Seen {
    pub(crate) remote: Remote,
    pub(crate) resolved: Resolved,
}

/// Reads the proxy, if the spec names one.
pub(crate) async fn proxy(run: &Run, object: &GitRepository) -> Result<Proxy, Stop> {
    let Some(LocalObjectReference { name }) = &object.spec.proxy_secret_ref else {
        return Ok(Proxy::Environment);
    };
    let key = Key::of(object);
    let id = format!("{}/{name}", key.namespace());
    let refused = |text: String| {
        let message = format!("failed to configure proxy options: {text}");
        Stop::Trouble(Trouble::retry(FETCH_FAILED, AUTHENTICATION_FAILED, message))
    };
    let secret = match secrets::fetch(&run.context().client, key.namespace(), name).await {
        Ok(secret) => secret,
        Err(SecretError::NotFound { .. }) => return Err(refused(format!("secret '{id}' not found"))),
        Err(error @ SecretError::Api { .. }) => {
            return Err(refused(format!("failed to get secret '{id}': {error}")));
        }
    };
    let url: Secret<String> =
        proxy_url(&secret).map_err(|error| refused(format!("secret '{id}': {error}")))?;
    Ok(Proxy::Url(url))
}

/// Reads the credentials, if the spec names some.
pub(crate) async fn access(run: &Run, object: &GitRepository, input: &Input) -> Result<Access, Stop> {
    let key = Key::of(object);
    let secret = match &object.spec.secret_ref {
        Some(LocalObjectReference { name }) => {
            let id = format!("{}/{name}", key.namespace());
            let secret = secrets::fetch(&run.context().client, key.namespace(), name).await;
            Some(secret.map_err(|error| {
                // The prefix stands twice in the original (trap T38), and people search for it.
                let message = format!("failed to get secret '{id}': failed to get secret '{id}': {error}");
                Trouble::retry(FETCH_FAILED, AUTHENTICATION_FAILED, message)
            })?)
        }
        None => None,
    };
    let access = credentials::access(&input.url, secret.as_ref()).map_err(|error| {
        let message = format!("failed to configure authentication options: {error}");
        Trouble::retry(FETCH_FAILED, AUTHENTICATION_FAILED, message)
    })?;
    check_for_app_data(&object.spec, key.namespace(), secret.as_ref())?;
    Ok(access)
}

/// Data of a GitHub App in the Secret shows that the spec lacks its provider.
fn check_for_app_data(
    spec: &GitRepositorySpec,
    namespace: &str,
    secret: Option<&SecretData>,
) -> Result<(), Trouble> {
    let generic = non_empty(spec.provider.as_ref()).is_none_or(|provider| provider == "generic");
    let app = secret.and_then(|secret| secret.get("githubAppID")).filter(|id| !id.expose().is_empty());
    match (&spec.secret_ref, app) {
        (Some(LocalObjectReference { name }), Some(_)) if generic => {
            let message = format!(
                "secretRef '{namespace}/{name}' has github app data but provider is not set to github"
            );
            Err(Trouble::retry(FETCH_FAILED, INVALID_PROVIDER_CONFIGURATION, message))
        }
        _ => Ok(()),
    }
}

/// Asks the remote for the commit that the spec means. `observed` is the stored revision, if its artifact is there.
pub(crate) async fn head(
    controller: &GitRepositories,
    work: &Work<'_>,
    input: &Input,
    access: Access,
    proxy: Proxy,
    observed: Option<Revision>,
) -> Result<Seen, Stop> {
    let Access { auth, tls } = access;
    let client_options = millrace_net::Options {
        tls,
        proxy,
        egress: Arc::clone(&controller.settings.egress),
        ..millrace_net::Options::default()
    };
    let clients = Arc::clone(&controller.clients);
    let (runtime, interrupt) = (Handle::current(), work.interrupt());
    let (address, reference, timeout) = (input.address.clone(), input.reference.clone(), input.timeout);
    let cache = work.cache.clone();
    let seen = work.network(move || -> Result<Seen, GitError> {
        let client: Result<HttpClient, HttpError> = clients.get(&client_options);
        let options = millrace_git::Options {
            client: client.map_err(GitError::Client)?,
            runtime,
            auth,
            timeout,
            interrupt,
            max_cache_bytes: MAX_CACHE_BYTES,
        };
        let mut remote = Remote::new(&address, options)?;
        let resolved = remote.resolve(&reference, observed.as_ref(), &cache)?;
        Ok(Seen { remote, resolved })
    });
    Ok(seen.await?.map_err(classify)?)
}

/// What a failed Git operation means for the object. Contract: source-controller §3.3, §7.2, §7.8.
pub(crate) fn classify(error: GitError) -> Trouble {
    match &error {
        GitError::InvalidUrl(_) => Trouble::at(FETCH_FAILED, Failure::stalled(URL_INVALID, error)),
        GitError::Empty => Trouble::at(FETCH_FAILED, Failure::transient(EMPTY_GIT_REPOSITORY, error)),
        GitError::Client(_) => Trouble::at(FETCH_FAILED, Failure::transient(GIT_OPERATION_FAILED, error)),
        GitError::AmbiguousAuth
        | GitError::List { .. }
        | GitError::Clone { .. }
        | GitError::EmptyClone { .. }
        | GitError::NameNotFound(_)
        | GitError::InvalidName(_)
        | GitError::CommitNotFound(_)
        | GitError::Semver(_)
        | GitError::NoMatch(_)
        | GitError::Store(_)
        | GitError::Unreadable { .. } => {
            let message = format!("failed to checkout and determine revision: {}", chain(&error));
            Trouble::retry(FETCH_FAILED, GIT_OPERATION_FAILED, message)
        }
    }
}

#[cfg(test)]
mod tests {
    use millrace_git::TransportError;
    use millrace_net::RedactedUrl;
    use millrace_reconcile::failure::Remedy;

    use super::*;

    // SC-018, SC-038, SC-039 and the bearer case of SC-041: reason and text of each.
    #[test]
    fn every_git_failure_has_its_class_and_its_words() {
        let url = RedactedUrl::new("https://me:pw@h/r");
        let prefix = "failed to checkout and determine revision: ";
        let retry = Remedy::Retry;
        let missing = TransportError::RefNotFound("refs/heads/nope".to_owned());
        let denied = TransportError::AuthenticationRequired("no entry".to_owned());
        let rows = [
            (
                GitError::Clone { url: url.clone(), source: missing },
                GIT_OPERATION_FAILED,
                retry,
                format!(
                    "{prefix}unable to clone 'https://***@h/r': couldn't find remote ref \"refs/heads/nope\""
                ),
            ),
            (
                GitError::List { url: url.clone(), source: denied },
                GIT_OPERATION_FAILED,
                retry,
                format!(
                    "{prefix}unable to list remote for 'https://***@h/r': authentication required: no entry"
                ),
            ),
            (
                GitError::EmptyClone { url: url.clone() },
                GIT_OPERATION_FAILED,
                retry,
                format!(
                    "{prefix}unable to clone: remote repository is empty: git repository: 'https://***@h/r'"
                ),
            ),
            (GitError::Empty, EMPTY_GIT_REPOSITORY, retry, "git repository is empty".to_owned()),
            (
                GitError::AmbiguousAuth,
                GIT_OPERATION_FAILED,
                retry,
                format!("{prefix}basic auth and bearer token cannot be set at the same time"),
            ),
            (
                GitError::NoMatch(">=99.0.0".to_owned()),
                GIT_OPERATION_FAILED,
                retry,
                format!("{prefix}no match found for semver: >=99.0.0"),
            ),
            (
                GitError::CommitNotFound("5394cb7f48".to_owned()),
                GIT_OPERATION_FAILED,
                retry,
                format!("{prefix}unable to resolve commit object for '5394cb7f48': object not found"),
            ),
            (
                GitError::InvalidName("refs/heads/x/".to_owned()),
                GIT_OPERATION_FAILED,
                retry,
                format!(
                    "{prefix}ref refs/heads/x/ is invalid; Git refs cannot begin or end with a slash '/'"
                ),
            ),
        ];
        for (error, reason, remedy, message) in rows {
            let Trouble { condition, failure } = classify(error);
            assert_eq!(failure.message(), message);
            assert_eq!((condition, failure.reason(), failure.remedy()), (Some(FETCH_FAILED), reason, remedy));
        }
    }
}
