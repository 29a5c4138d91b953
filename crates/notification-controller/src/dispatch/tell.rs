//! Tells an alert's owner what went wrong, in the log and in Events on the alert.
//!
//! Contract: notification-controller §5.6, §5.7.

use std::{collections::BTreeMap, sync::Arc};

use kube::Resource as _;
use millrace_api::notification::v1beta3::Alert;
use millrace_reconcile::{
    Context, Key, Reason,
    events::{Event as Record, Severity},
};

use super::{Dropped, InvalidLabel, LOGGER, Source, metadata::Conflict};
use crate::{
    event::{Event, InvolvedObject},
    fields,
};

pub(super) const INVALID_CONFIG: Reason = Reason::new("InvalidConfig");
const SOURCE_FETCH_FAILED: Reason = Reason::new("SourceFetchFailed");
const METADATA_APPEND_FAILED: Reason = Reason::new("MetadataAppendFailed");
const NOTIFICATION_DISPATCH_FAILED: Reason = Reason::new("NotificationDispatchFailed");

/// Records a Warning on the alert.
pub(super) fn warn(
    context: &Context,
    alert: &Alert,
    reason: Reason,
    message: String,
    metadata: BTreeMap<String, String>,
) {
    let event = Record { severity: Severity::Error, reason, message, metadata };
    context.events.record(&alert.object_ref(&()), &BTreeMap::new(), event);
}

/// The event could not be turned into a message.
pub(super) fn not_dispatched(context: &Context, alert: &Alert, event: &Event, error: &str) {
    tracing::error!(
        logger = LOGGER,
        json.eventInvolvedObject = fields::object(&event.involved_object),
        json.alert = fields::alert(alert),
        error,
        "failed to dispatch notification"
    );
    let text = format!("failed to dispatch notification for {}: {error}", event.involved_object.path());
    warn(context, alert, NOTIFICATION_DISPATCH_FAILED, text, BTreeMap::new());
}

/// The message could not be delivered; `error` is masked already.
pub(super) fn not_sent(context: &Context, alert: &Alert, object: &InvolvedObject, error: &str) {
    tracing::error!(
        logger = LOGGER,
        json.eventInvolvedObject = fields::object(object),
        json.alert = fields::alert(alert),
        error,
        "failed to send notification"
    );
    let text = format!("failed to send notification for {}: {error}", object.path());
    warn(context, alert, NOTIFICATION_DISPATCH_FAILED, text, BTreeMap::new());
}

/// The message has no place among those of its Provider.
pub(super) fn no_place(context: &Context, alert: &Alert, event: &Event, provider: &Key, why: &str) {
    let error = format!("too many messages wait for provider '{}', and {why}", provider.name());
    not_sent(context, alert, &event.involved_object, &error);
}

/// The labels of the event's object could not be read.
pub(super) fn source_not_fetched(context: &Context, alert: &Alert, event: &Event, error: &str) {
    let object = &event.involved_object;
    tracing::error!(
        logger = LOGGER,
        json.eventInvolvedObject = fields::object(object),
        json.alert = fields::alert(alert),
        error,
        "error getting the involved object"
    );
    let text = format!("error getting source object {}", object.path());
    warn(context, alert, SOURCE_FETCH_FAILED, text, BTreeMap::new());
}

/// A source asks for labels that no object can have.
pub(super) fn invalid_labels(context: &Context, alert: &Alert, source: &Source, error: &InvalidLabel) {
    let text = format!("error using matchLabels from event source {}", source.path());
    tracing::error!(logger = LOGGER, json.alert = fields::alert(alert), %error, "{text}");
    warn(context, alert, INVALID_CONFIG, text, BTreeMap::new());
}

/// Several sources set the same metadata, or an outdated one is used; the event is sent all the same.
pub(super) fn metadata(context: &Context, alert: &Alert, event: &Event, conflicts: &[Conflict]) {
    let alert_field = fields::alert(alert);
    if alert.spec.summary.as_deref().is_some_and(|summary| !summary.is_empty()) {
        tracing::info!(
            logger = LOGGER,
            json.alert = alert_field,
            "warning: specifying an alert summary with '.spec.summary' is deprecated, use \
             '.spec.eventMetadata.summary' instead"
        );
    }
    if conflicts.is_empty() {
        return;
    }
    let text = "metadata key conflicts detected (please refer to the Alert API docs and Flux RFC 0008 for more information)";
    tracing::info!(
        logger = LOGGER,
        json.eventInvolvedObject = fields::object(&event.involved_object),
        json.alert = alert_field,
        json.conflictingKeys = serde_json::to_string(conflicts).unwrap_or_default(),
        "warning: {text}"
    );
    let annotations =
        conflicts.iter().map(|conflict| (conflict.key.clone(), conflict.sources.join(", "))).collect();
    warn(context, alert, METADATA_APPEND_FAILED, text.to_owned(), annotations);
}

/// Logs, once per event, which alerts it was kept from because their Providers need more than it says.
pub(super) fn dropped(event: &Event, dropped: Vec<(Dropped, Arc<Alert>)>) {
    let mut dropped: Vec<_> = dropped.into_iter().map(|(drop, alert)| (drop, name(&alert))).collect();
    dropped.sort_unstable_by(|(_, left), (_, right)| left.cmp(right));
    for (drop, text) in [
        (Dropped::NoCommit, "event dropped for commit status providers due to missing commit metadata key"),
        (
            Dropped::NoChangeRequest,
            "event dropped for change request providers due to missing change request metadata key",
        ),
    ] {
        let alerts: Vec<_> =
            dropped.iter().filter(|(found, _)| *found == drop).map(|(_, alert)| alert.as_str()).collect();
        if !alerts.is_empty() {
            tracing::info!(
                logger = LOGGER,
                json.eventInvolvedObject = fields::object(&event.involved_object),
                json.alerts = serde_json::to_string(&alerts).unwrap_or_default(),
                "{text}"
            );
        }
    }
}

fn name(alert: &Alert) -> String {
    let metadata = &alert.metadata;
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    format!("{}/{}", part(&metadata.namespace), part(&metadata.name))
}
