//! Reads the Secrets that a run needs.

use millrace_api::meta::{LocalObjectReference, non_empty};
use millrace_api::source::v1::{GitRepository, GitRepositorySpec};
use millrace_net::{Proxy, Secret};
use millrace_reconcile::secrets::{self, SecretData, SecretError};
use millrace_reconcile::{Key, Run};

use super::credentials::{self, Access};
use super::input::Input;
use super::proxy::proxy_url;
use super::work::Stop;
use crate::trouble::Trouble;
use crate::vocabulary::{AUTHENTICATION_FAILED, FETCH_FAILED, INVALID_PROVIDER_CONFIGURATION};

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
