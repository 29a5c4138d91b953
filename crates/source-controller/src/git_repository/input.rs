//! What a spec asks for, parsed once.
//!
//! Pure. Contract: source-controller §1.1, §3.3, §7.2.

use std::time::Duration;

use millrace_api::meta::{GoDuration, non_empty};
use millrace_api::source::v1::{GitRepositoryRef, GitRepositorySpec};
use millrace_git::Reference;
use millrace_net::RedactedUrl;
use millrace_reconcile::gates::{Gates, OBJECT_LEVEL_WORKLOAD_IDENTITY};
use url::Url;

use crate::trouble::Trouble;
use crate::vocabulary::{
    FEATURE_GATE_DISABLED, FETCH_FAILED, INVALID_PROVIDER_CONFIGURATION, UNSUPPORTED_FIELD, URL_INVALID,
};

/// The time a Git operation may take when the spec names none, as for objects that predate the field.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);

/// What to fetch, and how long that may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// The address as the user wrote it, which is how it is requested.
    pub(crate) address: String,
    pub(crate) url: Url,
    pub(crate) reference: Reference,
    pub(crate) timeout: Duration,
}

/// Parses a spec; what isn't supported is refused by name rather than left out of the artifact.
pub(crate) fn parse(spec: &GitRepositorySpec, gates: &Gates) -> Result<Input, Trouble> {
    let url = parse_url(&spec.url)?;
    check_provider(spec, gates)?;
    check_supported(spec, &url)?;
    let timeout =
        spec.timeout.filter(|timeout| !timeout.is_zero()).map_or(DEFAULT_TIMEOUT, GoDuration::as_std);
    Ok(Input { address: spec.url.clone(), url, reference: reference(spec.reference.as_ref()), timeout })
}

fn parse_url(text: &str) -> Result<Url, Trouble> {
    Url::parse(text).map_err(|error| {
        let message = format!("failed to parse url '{}': {error}", RedactedUrl::new(text));
        Trouble::stalled(FETCH_FAILED, URL_INVALID, message)
    })
}

fn reference(spec: Option<&GitRepositoryRef>) -> Reference {
    let default = GitRepositoryRef::default();
    let GitRepositoryRef { branch, tag, semver, name, commit } = spec.unwrap_or(&default);
    let [branch, tag, semver, name, commit] = [branch, tag, semver, name, commit].map(Option::as_deref);
    Reference::new(branch, tag, semver, name, commit)
}

fn check_provider(spec: &GitRepositorySpec, gates: &Gates) -> Result<(), Trouble> {
    let provider = non_empty(spec.provider.as_ref()).unwrap_or("generic");
    match provider {
        "generic" => Ok(()),
        "github" if spec.secret_ref.is_none() => Err(Trouble::stalled(
            FETCH_FAILED,
            INVALID_PROVIDER_CONFIGURATION,
            "secretRef with github app data must be specified when provider is set to github",
        )),
        "azure" | "aws"
            if spec.service_account_name.is_some() && !gates.is_open(OBJECT_LEVEL_WORKLOAD_IDENTITY) =>
        {
            Err(Trouble::stalled(
                FETCH_FAILED,
                FEATURE_GATE_DISABLED,
                "to use spec.serviceAccountName for provider authentication please enable the \
                 ObjectLevelWorkloadIdentity feature gate in the controller",
            ))
        }
        _ => Err(unsupported(&format!("provider: {provider}"))),
    }
}

fn check_supported(spec: &GitRepositorySpec, url: &Url) -> Result<(), Trouble> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(unsupported(&format!("url: {}://", url.scheme())));
    }
    let fields = [("recurseSubmodules", spec.recurse_submodules), ("verify", spec.verify.is_some())];
    match fields.iter().find(|(_, used)| *used) {
        Some((field, _)) => Err(unsupported(field)),
        None => Ok(()),
    }
}

fn unsupported(field: &str) -> Trouble {
    Trouble::stalled(
        FETCH_FAILED,
        UNSUPPORTED_FIELD,
        format!("spec.{field} is not supported by this version"),
    )
}

#[cfg(test)]
mod tests {
    use millrace_api::meta::LocalObjectReference;
    use millrace_api::source::v1::GitRepositoryVerification;
    use millrace_reconcile::failure::Remedy;

    use super::*;

    fn spec() -> GitRepositorySpec {
        GitRepositorySpec { url: "https://example.com/org/repo".to_owned(), ..GitRepositorySpec::default() }
    }

    #[test]
    fn a_field_that_is_not_supported_is_refused_by_name_and_for_good() {
        let secret_ref = LocalObjectReference { name: "s".to_owned() };
        let verify = GitRepositoryVerification { mode: None, secret_ref: secret_ref.clone() };
        let cases = [
            ("spec.recurseSubmodules", GitRepositorySpec { recurse_submodules: true, ..spec() }),
            ("spec.verify", GitRepositorySpec { verify: Some(verify), ..spec() }),
            ("spec.url: ssh://", GitRepositorySpec { url: "ssh://git@example.com/x".to_owned(), ..spec() }),
            ("spec.provider: aws", GitRepositorySpec { provider: Some("aws".to_owned()), ..spec() }),
            (
                "spec.provider: github",
                GitRepositorySpec {
                    provider: Some("github".to_owned()),
                    secret_ref: Some(secret_ref),
                    ..spec()
                },
            ),
        ];
        for (field, spec) in cases {
            let trouble = parse(&spec, &Gates::default()).unwrap_err();
            assert_eq!(trouble.failure.message(), format!("{field} is not supported by this version"));
            assert_eq!(trouble.failure.remedy(), Remedy::Edit, "{field}");
        }
    }

    #[test]
    fn an_absent_spec_and_a_bad_url_stall_without_telling_credentials() {
        let trouble = parse(&GitRepositorySpec::default(), &Gates::default()).unwrap_err();
        assert!(trouble.failure.message().starts_with("failed to parse url '': "));
        assert_eq!(trouble.failure.reason(), URL_INVALID);
        let bad = GitRepositorySpec { url: "https://me:secret@[bad".to_owned(), ..spec() };
        let message = parse(&bad, &Gates::default()).unwrap_err().failure.message().to_owned();
        assert!(message.starts_with("failed to parse url 'https://***@[bad': "), "{message}");
    }

    // Part of SC-059 and of the gate row of §7.2.
    #[test]
    fn provider_settings_that_cannot_work_have_the_contracts_words() {
        let github = GitRepositorySpec { provider: Some("github".to_owned()), ..spec() };
        let trouble = parse(&github, &Gates::default()).unwrap_err();
        assert_eq!(trouble.failure.reason(), INVALID_PROVIDER_CONFIGURATION);
        assert_eq!(
            trouble.failure.message(),
            "secretRef with github app data must be specified when provider is set to github"
        );
        let account = Some("sa".to_owned());
        let azure =
            GitRepositorySpec { provider: Some("azure".to_owned()), service_account_name: account, ..spec() };
        let trouble = parse(&azure, &Gates::default()).unwrap_err();
        assert_eq!(trouble.failure.reason(), FEATURE_GATE_DISABLED);
    }

    #[test]
    fn the_timeout_is_a_minute_unless_the_spec_says_otherwise() {
        assert_eq!(parse(&spec(), &Gates::default()).unwrap().timeout, DEFAULT_TIMEOUT);
        let short = GitRepositorySpec { timeout: "5s".parse().ok(), ..spec() };
        assert_eq!(parse(&short, &Gates::default()).unwrap().timeout, Duration::from_secs(5));
    }
}
