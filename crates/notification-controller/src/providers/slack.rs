//! `slack`: a message with one coloured attachment, for webhooks and the bot API.
//!
//! Contract: notification-controller §3.7.

use http::StatusCode;
use serde::Deserialize;

use super::{
    BuildError, Message, Options, ProviderType,
    chat::{Attachment, Payload, fields},
};
use crate::event::{Event, SEVERITY_ERROR};

pub(super) const TYPE: ProviderType = ProviderType { name: "slack", build };

/// The API answers 200 to everything and tells the outcome in its body; webhooks use the status.
const BOT_API: &str = "https://slack.com/api/chat.postMessage";

fn build(options: &Options, event: &Event) -> Result<Message, BuildError> {
    options.check_address(|address, cause| format!("invalid Slack hook URL {address}: '{cause}'"))?;
    let username = if options.username.is_empty() { &event.reporting_controller } else { &options.username };
    let title = event.involved_object.title();
    let attachment = Attachment {
        fallback: format!("{title}: {}", event.headline()),
        color: if event.severity == SEVERITY_ERROR { "danger" } else { "good" },
        author_name: title,
        text: &event.message,
        mrkdwn_in: ["text"],
        fields: fields(event),
    };
    let payload = Payload {
        channel: &options.channel,
        username,
        icon_url: "",
        icon_emoji: "",
        attachments: [attachment],
    };
    let mut message = Message::json(&options.address, &payload);
    let token = options.token.expose();
    if !token.is_empty() {
        message.request.headers.set("Authorization", format!("Bearer {token}"));
    }
    if options.address == BOT_API {
        message.judge = judge_api;
    }
    Ok(message)
}

#[derive(Deserialize)]
struct ApiAnswer {
    #[serde(default)]
    ok: bool,
    #[serde(default)]
    error: String,
}

fn judge_api(_: StatusCode, body: &[u8]) -> Result<(), String> {
    let answer: ApiAnswer =
        serde_json::from_slice(body).map_err(|err| format!("unable to unmarshal response body: {err}"))?;
    if answer.ok { Ok(()) } else { Err(format!("Slack responded with error: {}", answer.error)) }
}

#[cfg(test)]
mod tests {
    use millrace_net::Secret;
    use serde_json::{Value, json};

    use super::*;
    use crate::event::fixtures::d1;

    fn options() -> Options {
        Options { address: "http://stub/x".into(), ..Options::default() }
    }

    fn body(options: &Options, event: &Event) -> Value {
        serde_json::from_slice(&build(options, event).unwrap().request.body).unwrap()
    }

    /// NC-061
    #[test]
    fn an_error_is_a_red_attachment_with_sorted_fields() {
        let options = Options { channel: "general".into(), token: Secret::new("T".to_owned()), ..options() };
        let expected = json!({
            "channel": "general", "username": "kustomize-controller", "icon_url": "", "icon_emoji": "",
            "attachments": [{
                "fallback": "kustomization/webapp.apps: Health check failed", "color": "danger",
                "author_name": "kustomization/webapp.apps",
                "text": "Health check failed\nDeployment/apps/webapp <3/5> not ready", "mrkdwn_in": ["text"],
                "fields": [
                    {"title": "cluster", "value": "prod-1", "short": false},
                    {"title": "revision", "value": "main@sha1:731f7eaddfb6af01cb2173e18f0f75b0ba780ef1", "short": false},
                ],
            }],
        });
        assert_eq!(body(&options, &d1()), expected);
        let message = build(&options, &d1()).unwrap();
        assert!(message.request.headers.iter().any(|header| header == ("Authorization", "Bearer T")));
    }

    /// NC-062
    #[test]
    fn a_success_is_green_and_the_user_name_may_be_set() {
        let event = Event { severity: "info".into(), metadata: [].into(), ..d1() };
        let body = body(&Options { username: "bot".into(), ..options() }, &event);
        assert_eq!(body["attachments"][0]["color"], "good");
        assert_eq!(body["attachments"][0]["fields"], json!([]));
        assert_eq!((&body["channel"], &body["username"]), (&json!(""), &json!("bot")));
    }

    #[test]
    fn without_a_token_nothing_authenticates() {
        let message = build(&options(), &d1()).unwrap();
        assert!(message.request.headers.iter().all(|(name, _)| name != "Authorization"));
    }

    /// NC-063, NC-064
    #[test]
    fn only_the_bot_api_is_judged_by_its_body() {
        let refused = br#"{"ok":false,"error":"channel_not_found"}"#;
        let hook = build(&options(), &d1()).unwrap();
        assert_eq!((hook.judge)(StatusCode::OK, refused), Ok(()));
        let api = build(&Options { address: BOT_API.into(), ..options() }, &d1()).unwrap();
        for (body, expected) in [
            (&refused[..], Err("Slack responded with error: channel_not_found")),
            (br#"{"ok":true}"#, Ok(())),
            (b"{}", Err("Slack responded with error: ")),
            (b"<html>", Err("unable to unmarshal response body: ")),
        ] {
            match ((api.judge)(StatusCode::OK, body), expected) {
                (Ok(()), Ok(())) => {}
                (Err(text), Err(start)) => assert!(text.starts_with(start), "{text}"),
                (verdict, expected) => panic!("{verdict:?} instead of {expected:?}"),
            }
        }
    }

    #[test]
    fn an_address_that_is_no_url_is_refused() {
        let error = build(&Options { address: "x".into(), ..options() }, &d1()).err().unwrap();
        assert_eq!(error.0, "invalid Slack hook URL x: 'parse \"x\": invalid URI for request'");
    }
}
