//! Reads a Receiver's token.

use kube::Client;
use millrace_api::notification::v1::Receiver;
use millrace_reconcile::Reason;

use crate::{receivers::webhook_path, secret};

/// What a pass has found out about a Receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Observed {
    /// It is suspended.
    Suspended,
    /// Only an edit can help.
    Invalid {
        /// The conditions' reason.
        reason: Reason,
        /// What is wrong.
        message: String,
    },
    /// Its token can't be read, which may change.
    NoToken {
        /// Why.
        message: String,
    },
    /// It can be called at this path.
    Callable {
        /// The path.
        path: String,
    },
}

/// Reads the token and derives the path; a Receiver without a Secret has an empty token.
pub(super) async fn observe(client: &Client, receiver: &Receiver) -> Observed {
    let namespace = receiver.metadata.namespace.as_deref().unwrap_or_default();
    let name = receiver.metadata.name.as_deref().unwrap_or_default();
    let Some(reference) = &receiver.spec.secret_ref else {
        return Observed::Callable { path: webhook_path(b"", name, namespace) };
    };
    let secret = &reference.name;
    match secret::fetch(client, namespace, secret).await {
        // Anyone can compute the path of an empty token, and some types would accept unsigned calls.
        Ok(data) => match secret::bytes(&data, "token").filter(|token| !token.is_empty()) {
            Some(token) => Observed::Callable { path: webhook_path(token, name, namespace) },
            None => Observed::NoToken {
                message: format!("invalid '{namespace}/{secret}' secret data: required fields 'token'"),
            },
        },
        Err(error) => Observed::NoToken {
            message: format!("unable to read token from secret '{namespace}/{secret}' error: {error}"),
        },
    }
}
