//! Which metadata of an event is kept.

use crate::event::{EVENT_GROUP, Event};

/// Drops the metadata that is nobody's business: foreign groups, plain keys, and checksums.
///
/// Contract: notification-controller §2.5.
pub fn clean(event: &mut Event) {
    let own = format!("{}/", event.involved_object.group());
    let common = format!("{EVENT_GROUP}/");
    event.metadata.retain(|key, _| {
        let kept = key.starts_with(&common) || key.starts_with(&own);
        let checksum = key.strip_prefix(&own).is_some_and(is_checksum);
        kept && !checksum
    });
}

/// Drops the token that only tells repeated events apart.
pub fn drop_token(event: &mut Event) {
    let key = format!("{}/token", event.involved_object.group());
    event.metadata.remove(&key);
}

fn is_checksum(key: &str) -> bool {
    key.eq_ignore_ascii_case("checksum") || key.eq_ignore_ascii_case("digest")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::fixtures::e1;

    /// NC-035
    #[test]
    fn only_keys_of_the_own_and_the_event_group_survive() {
        let mut event = e1();
        event.metadata = [
            "source.toolkit.fluxcd.io/a",
            "plain",
            "kustomize.toolkit.fluxcd.io/checksum",
            "kustomize.toolkit.fluxcd.io/Digest",
            "kustomize.toolkit.fluxcd.io/aa/bb",
            "event.toolkit.fluxcd.io/digest",
        ]
        .map(|key| (key.to_owned(), "v".to_owned()))
        .into();
        clean(&mut event);
        let keys: Vec<_> = event.metadata.keys().map(String::as_str).collect();
        assert_eq!(keys, ["event.toolkit.fluxcd.io/digest", "kustomize.toolkit.fluxcd.io/aa/bb"]);
    }

    #[test]
    fn without_a_group_own_keys_start_with_a_slash() {
        let mut event = e1();
        event.involved_object.api_version = "v1".into();
        event.metadata = ["/revision", "/token", "kustomize.toolkit.fluxcd.io/revision"]
            .map(|key| (key.to_owned(), "v".to_owned()))
            .into();
        clean(&mut event);
        drop_token(&mut event);
        assert_eq!(event.metadata.keys().collect::<Vec<_>>(), ["/revision"]);
    }
}
