//! What an event looks like to the service it is sent to.
//!
//! A provider turns an event and its [`Options`] into one [`Message`]: the request and how its answer is judged. It
//! sends nothing and reads nothing, so each is tested with tables. A type that is not listed here is refused by name.
//!
//! Contract: notification-controller §3.

mod chat;
mod generic;
mod generic_hmac;
mod msteams;
mod request;
mod slack;

use std::collections::BTreeMap;

use millrace_net::{RedactedUrl, Secret};

use crate::{event::Event, go};

pub use self::request::{Headers, Judge, Message, Request};

/// A kind of service that events can be sent to.
pub struct ProviderType {
    /// The value of `spec.type`.
    pub name: &'static str,
    /// Makes the message for an event whose metadata has been combined.
    pub build: fn(&Options, &Event) -> Result<Message, BuildError>,
}

/// Every provider type there is, by name.
pub const PROVIDERS: &[ProviderType] = &[generic::TYPE, generic_hmac::TYPE, msteams::TYPE, slack::TYPE];

/// Finds a provider type by its name.
pub fn find(name: &str) -> Option<&'static ProviderType> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}

/// How a provider type relates to Git hosts, which decides the events it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Forwards the event as it is, commit status updates included.
    Forwarding,
    /// Tells people or alerting services.
    Notifying,
    /// Sets the status of a commit.
    CommitStatus,
    /// Comments on a change request.
    ChangeRequest,
}

const CLASSES: &[(Class, &[&str])] = &[
    (Class::Forwarding, &["generic", "generic-hmac"]),
    (Class::CommitStatus, &["github", "gitlab", "gitea", "bitbucketserver", "bitbucket", "azuredevops"]),
    (
        Class::ChangeRequest,
        &["githubpullrequestcomment", "gitlabmergerequestcomment", "giteapullrequestcomment"],
    ),
];

/// Which types there are, for messages about others.
pub(crate) fn known() -> String {
    let names: Vec<_> = PROVIDERS.iter().map(|provider| provider.name).collect();
    names.join(", ")
}

/// What is said about a type that is not built in; the second line is for whoever wrote the Provider.
pub(crate) fn unsupported(name: &str) -> BuildError {
    let (shown, known) = (go::quote::Quoted(name), known());
    BuildError(format!("provider {name} not supported\nspec.type is {shown}, this version knows: {known}"))
}

/// Returns the class of a type, known here or not.
pub fn class_of(name: &str) -> Class {
    CLASSES.iter().find(|(_, names)| names.contains(&name)).map_or(Class::Notifying, |(class, _)| *class)
}

/// What a provider is configured with, after the spec and its Secrets have been combined.
#[derive(Clone)]
pub struct Options {
    /// Where to send.
    pub address: String,
    /// A channel, room or routing key.
    pub channel: String,
    /// A user name, for authentication or display.
    pub username: String,
    /// An API token as stored, not trimmed.
    pub token: Secret<String>,
    /// The password that belongs to the user name.
    pub password: Secret<String>,
    /// Additional request headers.
    pub headers: BTreeMap<String, String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: String::new(),
            channel: String::new(),
            username: String::new(),
            token: Secret::new(String::new()),
            password: Secret::new(String::new()),
            headers: BTreeMap::new(),
        }
    }
}

impl Options {
    /// Checks the address; `describe` turns address and cause, both without a login, into the provider's own text.
    fn check_address(&self, describe: impl FnOnce(&str, &str) -> String) -> Result<(), BuildError> {
        go::url::check_request_uri(&self.address).map_err(|cause| {
            let shown = RedactedUrl::new(&self.address).to_string();
            let cause = cause.replace(
                &go::quote::Quoted(&self.address).to_string(),
                &go::quote::Quoted(&shown).to_string(),
            );
            BuildError(describe(&shown, &cause))
        })
    }
}

/// The metadata as people should read it: the summary first, the rest sorted by key.
fn facts(event: &Event) -> impl Iterator<Item = (&str, &str)> {
    let (summary, rest): (Vec<_>, Vec<_>) = event.metadata.iter().partition(|(key, _)| *key == "summary");
    summary.into_iter().chain(rest).map(|(key, value)| (key.as_str(), value.as_str()))
}

/// A configuration the provider can't work with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BuildError(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_by_name_and_listed_in_order() {
        assert!(find("slack").is_some());
        assert!(find("nope").is_none());
        assert!(PROVIDERS.is_sorted_by_key(|provider| provider.name));
    }

    #[test]
    fn a_type_that_is_not_built_in_still_has_its_class() {
        for (name, class) in [
            ("generic", Class::Forwarding),
            ("slack", Class::Notifying),
            ("gitea", Class::CommitStatus),
            ("giteapullrequestcomment", Class::ChangeRequest),
            ("nope", Class::Notifying),
        ] {
            assert_eq!(class_of(name), class, "{name}");
        }
    }
}
