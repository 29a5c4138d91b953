//! What becomes of one event for one alert: dropped, refused, or sent as a certain message.
//!
//! Pure: Provider and Secrets are arguments.
//!
//! Contract: notification-controller §2.7.

use std::time::Duration;

use millrace_api::notification::v1beta3::{Alert, Provider};
use millrace_net::{self as net, HttpError};
use millrace_reconcile::failure::chain;

use super::{
    Sender,
    mask::Masks,
    metadata::{self, Conflict},
    settings::{self, Settings, SettingsError},
};
use crate::{
    event::{EVENT_GROUP, Event, SEVERITY_ERROR},
    providers::{self, BuildError, Class, Message},
    secret::Secrets,
};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15);

/// The limits an operator sets on what alerts may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Alerts hear only of their own namespace (`--no-cross-namespace-refs`).
    pub no_cross_namespace_refs: bool,
    /// Providers may name a ServiceAccount (gate `ObjectLevelWorkloadIdentity`).
    pub object_level_workload_identity: bool,
}

/// Why an event is not sent although an alert asks for it; none of these is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// The Provider is suspended.
    Suspended,
    /// Commit status updates are for Git hosts and generic providers only.
    CommitStatusUpdate,
    /// A Git host needs to know the commit.
    NoCommit,
    /// A comment needs to know its change request.
    NoChangeRequest,
}

/// A message and how to send it.
pub struct Delivery {
    /// The message.
    pub message: Message,
    /// How its server is reached.
    pub transport: net::Options,
    /// How long sending may take.
    pub timeout: Duration,
    /// What is hidden in error texts.
    pub masks: Masks,
    /// Metadata keys in dispute.
    pub conflicts: Vec<Conflict>,
    /// Outdated settings in use.
    pub deprecations: Vec<&'static str>,
}

/// An event that can't be sent the way the alert asks.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// The event is about an object of another namespace.
    #[error(
        "discarding event, access denied to cross-namespace sources: alert '{alert}' can't process event from \
         '{source_path}', cross-namespace references have been blocked"
    )]
    CrossNamespace {
        /// Namespace and name of the alert.
        alert: String,
        /// Kind, namespace and name of the object.
        source_path: String,
    },
    /// There is no such Provider.
    #[error("failed to read provider: Provider.notification.toolkit.fluxcd.io \"{0}\" not found")]
    NoProvider(String),
    /// The Provider names a ServiceAccount, which the gate forbids.
    #[error(
        "to use spec.serviceAccountName for provider authentication please enable the ObjectLevelWorkloadIdentity \
         feature gate in the controller"
    )]
    ServiceAccount,
    /// Spec and Secrets don't give usable settings.
    #[error("failed to initialize notifier for provider '{provider}': {source}")]
    Settings {
        /// The Provider's name.
        provider: String,
        /// What is wrong.
        source: SettingsError,
    },
    /// The certificates can't be used.
    #[error("failed to initialize notifier for provider '{provider}': failed to get TLS config: {cause}")]
    Tls {
        /// The Provider's name.
        provider: String,
        /// What is wrong.
        cause: String,
    },
    /// The provider type does not work with these settings, or there is no such type.
    #[error(
        "failed to initialize notifier for provider '{provider}': failed to initialize notifier: {source}"
    )]
    Notifier {
        /// The Provider's name.
        provider: String,
        /// What is wrong.
        source: BuildError,
    },
}

/// Checks whether the alert may see the event at all.
pub fn check_namespace(policy: Policy, alert: &Alert, event: &Event) -> Result<(), DispatchError> {
    let namespace = alert.metadata.namespace.as_deref().unwrap_or_default();
    if !policy.no_cross_namespace_refs || event.involved_object.namespace == namespace {
        return Ok(());
    }
    let name = alert.metadata.name.as_deref().unwrap_or_default();
    Err(DispatchError::CrossNamespace {
        alert: format!("{namespace}/{name}"),
        source_path: event.involved_object.path(),
    })
}

/// Decides whether the Provider gets the event, before any Secret is read.
pub fn check_provider(
    policy: Policy,
    provider: &Provider,
    event: &Event,
) -> Result<Option<Dropped>, DispatchError> {
    let spec = &provider.spec;
    let class = providers::class_of(&spec.type_);
    let has = |key: &str| {
        event.metadata.get(&format!("{EVENT_GROUP}/{key}")).is_some_and(|value| !value.is_empty())
    };
    let update = event.is_commit_status_update();
    let drop = if spec.suspend {
        Some(Dropped::Suspended)
    } else if update && !matches!(class, Class::CommitStatus | Class::Forwarding) {
        Some(Dropped::CommitStatusUpdate)
    } else if class == Class::CommitStatus && !has("commit") && !update && event.severity != SEVERITY_ERROR {
        Some(Dropped::NoCommit)
    } else if class == Class::ChangeRequest && !has("change_request") {
        Some(Dropped::NoChangeRequest)
    } else {
        None
    };
    let identity = spec.service_account_name.as_deref().is_some_and(|name| !name.is_empty());
    if drop.is_none() && identity && !policy.object_level_workload_identity {
        return Err(DispatchError::ServiceAccount);
    }
    Ok(drop)
}

/// Makes the message that the Provider gets.
///
/// `sender` only tells whether the certificates can be used; nothing is sent.
pub fn build(
    provider: &Provider,
    secrets: &Secrets,
    alert: &Alert,
    event: &Event,
    sender: &Sender,
) -> Result<Delivery, Box<Failed>> {
    let masks = Masks::of(&provider.spec, secrets);
    let mut notification = event.clone();
    let conflicts = metadata::combine(&mut notification, &alert.spec);
    match notify(provider, secrets, &notification, sender) {
        Ok((settings, message)) => Ok(Delivery {
            message,
            transport: settings.transport,
            timeout: provider.spec.timeout.map_or(DEFAULT_TIMEOUT, Into::into),
            masks,
            conflicts,
            deprecations: settings.deprecations,
        }),
        Err(error) => Err(Box::new(Failed { error, conflicts, masks })),
    }
}

fn notify(
    provider: &Provider,
    secrets: &Secrets,
    notification: &Event,
    sender: &Sender,
) -> Result<(Settings, Message), DispatchError> {
    let name = || provider.metadata.name.clone().unwrap_or_default();
    let settings = settings::assemble(provider, secrets)
        .map_err(|source| DispatchError::Settings { provider: name(), source })?;
    if let Err(HttpError::Tls(error)) = sender.client(&settings.transport) {
        return Err(DispatchError::Tls { provider: name(), cause: chain(&error) });
    }
    let type_ = &provider.spec.type_;
    let built = match providers::find(type_) {
        Some(known) => (known.build)(&settings.options, notification),
        None => Err(providers::unsupported(type_)),
    };
    match built {
        Ok(message) => Ok((settings, message)),
        Err(source) => Err(DispatchError::Notifier { provider: name(), source }),
    }
}

/// An error that comes after the metadata was combined: its conflicts are told all the same.
pub struct Failed {
    /// The error, which may quote settings.
    pub error: DispatchError,
    /// Metadata keys in dispute.
    pub conflicts: Vec<Conflict>,
    /// What is hidden in the error's text.
    pub masks: Masks,
}

impl Failed {
    /// The error as it may be told.
    pub fn told(&self) -> String {
        self.masks.hide(&self.error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::fixtures::e1;

    fn provider(spec: &str) -> Provider {
        let json = format!(r#"{{"metadata":{{"namespace":"apps","name":"prov"}},"spec":{{{spec}}}}}"#);
        serde_json::from_str(&json).unwrap()
    }

    fn alert(namespace: &str) -> Alert {
        let json = format!(
            r#"{{"metadata":{{"namespace":"{namespace}","name":"on-call"}},
                "spec":{{"providerRef":{{"name":"prov"}},"eventSources":[]}}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn sender() -> Sender {
        Sender::new(std::sync::Arc::new(millrace_reconcile::clock::SystemClock), std::sync::Arc::default())
    }

    const STRICT: Policy = Policy { no_cross_namespace_refs: true, object_level_workload_identity: false };

    /// NC-034
    #[test]
    fn an_alert_of_another_namespace_may_be_kept_out() {
        assert!(check_namespace(Policy::default(), &alert("flux-system"), &e1()).is_ok());
        assert!(check_namespace(STRICT, &alert("apps"), &e1()).is_ok());
        let error = check_namespace(STRICT, &alert("flux-system"), &e1()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "discarding event, access denied to cross-namespace sources: alert 'flux-system/on-call' can't process \
             event from 'Kustomization/apps/webapp', cross-namespace references have been blocked"
        );
    }

    /// NC-098
    #[test]
    fn providers_get_only_the_events_they_are_made_for() {
        let mut info = e1();
        info.severity = "info".into();
        let with = |key: &str, value: &str| {
            let mut event = info.clone();
            event.metadata.insert(key.into(), value.into());
            event
        };
        let update = with("kustomize.toolkit.fluxcd.io/commit_status", "update");
        let commit = with("event.toolkit.fluxcd.io/commit", "731f");
        let request = with("event.toolkit.fluxcd.io/change_request", "7");
        for (spec, event, expected) in [
            (r#""type":"slack","suspend":true"#, &info, Some(Dropped::Suspended)),
            (r#""type":"slack""#, &info, None),
            (r#""type":"slack""#, &update, Some(Dropped::CommitStatusUpdate)),
            (r#""type":"generic""#, &update, None),
            (r#""type":"generic-hmac""#, &update, None),
            (r#""type":"github""#, &info, Some(Dropped::NoCommit)),
            (r#""type":"github""#, &update, None),
            (r#""type":"github""#, &commit, None),
            (r#""type":"github""#, &e1(), None),
            (r#""type":"githubpullrequestcomment""#, &info, Some(Dropped::NoChangeRequest)),
            (r#""type":"githubpullrequestcomment""#, &request, None),
        ] {
            let drop = check_provider(STRICT, &provider(spec), event).unwrap();
            assert_eq!(drop, expected, "{spec} {:?}", event.metadata);
        }
    }

    /// NC-147
    #[test]
    fn a_service_account_needs_the_gate() {
        let provider = provider(r#""type":"azuredevops","serviceAccountName":"sa""#);
        let error = check_provider(STRICT, &provider, &e1()).unwrap_err();
        assert!(error.to_string().contains("please enable the ObjectLevelWorkloadIdentity feature gate"));
        let open = Policy { object_level_workload_identity: true, ..Policy::default() };
        assert!(check_provider(open, &provider, &e1()).is_ok());
    }

    #[test]
    fn a_type_that_is_not_built_in_is_refused_by_name() {
        let provider = provider(r#""type":"discord","address":"http://h""#);
        let failed = build(&provider, &Secrets::default(), &alert("apps"), &e1(), &sender()).err().unwrap();
        assert_eq!(
            failed.error.to_string(),
            "failed to initialize notifier for provider 'prov': failed to initialize notifier: provider discord not \
             supported\nspec.type is \"discord\", this version knows: generic, generic-hmac, msteams, slack"
        );
    }

    #[test]
    fn the_timeout_is_fifteen_seconds_unless_set() {
        for (spec, seconds) in [("", 15), (r#","timeout":"1m""#, 60), (r#","timeout":"0s""#, 0)] {
            let provider = provider(&format!(r#""type":"generic","address":"http://h"{spec}"#));
            let delivery =
                build(&provider, &Secrets::default(), &alert("apps"), &e1(), &sender()).ok().unwrap();
            assert_eq!(delivery.timeout, Duration::from_secs(seconds), "{spec}");
        }
    }
}
