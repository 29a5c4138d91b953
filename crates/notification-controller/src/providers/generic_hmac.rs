//! `generic-hmac`: as `generic`, with a signature over the body.
//!
//! Contract: notification-controller §3.6.

use super::{BuildError, Message, Options, ProviderType, generic};
use crate::{event::Event, signature};

pub(super) const TYPE: ProviderType = ProviderType { name: "generic-hmac", build };

/// Forwards the event and signs it with the token as stored; the signature can't be replaced by a user header.
fn build(options: &Options, event: &Event) -> Result<Message, BuildError> {
    let key = options.token.expose();
    if key.is_empty() {
        return Err(BuildError("HMAC key is empty".into()));
    }
    let mut message = generic::build(options, event)?;
    let signature = signature::sign_sha256(key.as_bytes(), &message.request.body);
    message.request.headers.set("X-Signature", format!("sha256={signature}"));
    Ok(message)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use millrace_net::Secret;

    use super::*;
    use crate::event::{InvolvedObject, fixtures::d1};

    fn options(token: &str) -> Options {
        Options {
            address: "http://stub/x".into(),
            token: Secret::new(token.to_owned()),
            headers: BTreeMap::from([("x-signature".to_owned(), "mine".to_owned())]),
            ..Options::default()
        }
    }

    fn signature(options: &Options, event: &Event) -> String {
        let message = build(options, event).unwrap();
        let header =
            message.request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("X-Signature"));
        header.unwrap().1.to_owned()
    }

    /// NC-041
    #[test]
    fn the_signature_covers_the_body() {
        assert_eq!(
            signature(&options("s3cr3t"), &d1()),
            "sha256=93f9c130889b6093b81023213d5c6ff14126f3c0089903f50c75905ad79f7c86"
        );
    }

    #[test]
    fn the_documented_example_has_its_documented_signature() {
        let event = Event {
            involved_object: InvolvedObject {
                kind: "GitRepository".into(),
                namespace: "gitops-system".into(),
                name: "webapp".into(),
                ..InvolvedObject::default()
            },
            severity: "info".into(),
            timestamp: jiff::Timestamp::from_second(1_664_520_029).ok(),
            message: "message".into(),
            reason: "reason".into(),
            metadata: BTreeMap::from([("test".into(), "metadata".into())]),
            reporting_controller: "source-controller".into(),
            reporting_instance: "source-controller-xyz".into(),
        };
        assert_eq!(
            signature(&options("7152fed34dd6149a7c75a276c510da27cb6f82b0"), &event),
            "sha256=65b018549b1254e7226d1c08f9567ee45bc9de0fc4e7b1a40253f9a018b08be7"
        );
    }

    /// NC-042
    #[test]
    fn without_a_key_nothing_is_sent() {
        assert_eq!(build(&options(""), &d1()).err().unwrap().0, "HMAC key is empty");
    }
}
