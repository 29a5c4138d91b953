//! The attachment format that Slack defined and others took over.

use serde::Serialize;

use crate::event::Event;

/// A chat message with one attachment.
#[derive(Serialize)]
pub(super) struct Payload<'a> {
    pub(super) channel: &'a str,
    pub(super) username: &'a str,
    pub(super) icon_url: &'static str,
    pub(super) icon_emoji: &'static str,
    pub(super) attachments: [Attachment<'a>; 1],
}

#[derive(Serialize)]
pub(super) struct Attachment<'a> {
    pub(super) fallback: String,
    pub(super) color: &'static str,
    pub(super) author_name: String,
    pub(super) text: &'a str,
    pub(super) mrkdwn_in: [&'static str; 1],
    pub(super) fields: Vec<Field<'a>>,
}

#[derive(Serialize)]
pub(super) struct Field<'a> {
    title: &'a str,
    value: &'a str,
    short: bool,
}

/// One field per metadata entry.
pub(super) fn fields(event: &Event) -> Vec<Field<'_>> {
    super::facts(event).map(|(title, value)| Field { title, value, short: false }).collect()
}
