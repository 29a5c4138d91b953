//! `msteams`: an Adaptive Card for workflows, the older `MessageCard` for Office 365 connectors.
//!
//! Contract: notification-controller §3.9.

use serde::Serialize;

use super::{BuildError, Message, Options, ProviderType};
use crate::event::{Event, SEVERITY_ERROR};

pub(super) const TYPE: ProviderType = ProviderType { name: "msteams", build };

const CONNECTOR_DOMAIN: &str = ".webhook.office.com";

fn build(options: &Options, event: &Event) -> Result<Message, BuildError> {
    options.check_address(|address, cause| format!("invalid MS Teams webhook URL {address}: '{cause}'"))?;
    Ok(if host(&options.address).ends_with(CONNECTOR_DOMAIN) {
        Message::json(&options.address, &message_card(event))
    } else {
        Message::json(&options.address, &adaptive_card(event))
    })
}

/// The host of an address that has been checked, without its port.
fn host(address: &str) -> &str {
    let after = address.split_once("://").map_or("", |(_, after)| after);
    let authority = after.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MessageCard<'a> {
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "@context")]
    context: &'static str,
    theme_color: &'static str,
    summary: String,
    sections: [Section<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Section<'a> {
    activity_title: &'a str,
    activity_subtitle: String,
    facts: Vec<NamedFact<'a>>,
}

#[derive(Serialize)]
struct NamedFact<'a> {
    name: &'a str,
    value: &'a str,
}

fn message_card(event: &Event) -> MessageCard<'_> {
    let title = event.involved_object.title();
    MessageCard {
        kind: "MessageCard",
        context: "http://schema.org/extensions",
        theme_color: if event.severity == SEVERITY_ERROR { "FF0000" } else { "0076D7" },
        summary: title.clone(),
        sections: [Section {
            activity_title: &event.message,
            activity_subtitle: title,
            facts: super::facts(event).map(|(name, value)| NamedFact { name, value }).collect(),
        }],
    }
}

#[derive(Serialize)]
struct Envelope<'a> {
    r#type: &'static str,
    attachments: [CardAttachment<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CardAttachment<'a> {
    content_type: &'static str,
    content: AdaptiveCard<'a>,
}

#[derive(Serialize)]
struct AdaptiveCard<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    r#type: &'static str,
    version: &'static str,
    body: [Container<'a>; 1],
    msteams: Width,
}

#[derive(Serialize)]
struct Width {
    width: &'static str,
}

#[derive(Serialize)]
struct Container<'a> {
    r#type: &'static str,
    items: [Item<'a>; 3],
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum Item<'a> {
    TextBlock(TextBlock<'a>),
    FactSet(FactSet<'a>),
}

#[derive(Default, Serialize)]
struct TextBlock<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<&'static str>,
    wrap: bool,
}

#[derive(Serialize)]
struct FactSet<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facts: Vec<TitledFact<'a>>,
}

#[derive(Serialize)]
struct TitledFact<'a> {
    title: &'a str,
    value: &'a str,
}

/// Serialises with the title borrowed from its owner.
struct TitledEvent<'a> {
    title: String,
    event: &'a Event,
}

impl Serialize for TitledEvent<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        envelope(&self.title, self.event).serialize(serializer)
    }
}

fn adaptive_card(event: &Event) -> TitledEvent<'_> {
    TitledEvent { title: event.involved_object.title(), event }
}

fn envelope<'a>(title: &'a str, event: &'a Event) -> Envelope<'a> {
    let heading = TextBlock {
        text: title,
        size: Some("large"),
        weight: Some("bolder"),
        wrap: true,
        ..TextBlock::default()
    };
    let facts = super::facts(event).map(|(title, value)| TitledFact { title, value }).collect();
    let color = (event.severity == SEVERITY_ERROR).then_some("attention");
    let text = TextBlock { text: &event.message, color, wrap: true, ..TextBlock::default() };
    let items = [Item::TextBlock(heading), Item::TextBlock(text), Item::FactSet(FactSet { facts })];
    let content = AdaptiveCard {
        schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        r#type: "AdaptiveCard",
        version: "1.4",
        body: [Container { r#type: "Container", items }],
        msteams: Width { width: "Full" },
    };
    let content_type = "application/vnd.microsoft.card.adaptive";
    Envelope { r#type: "message", attachments: [CardAttachment { content_type, content }] }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::event::fixtures::d1;

    fn body(address: &str, event: &Event) -> Value {
        let options = Options { address: address.into(), ..Options::default() };
        serde_json::from_slice(&build(&options, event).unwrap().request.body).unwrap()
    }

    const REVISION: &str = "main@sha1:731f7eaddfb6af01cb2173e18f0f75b0ba780ef1";

    /// NC-067
    #[test]
    fn workflows_get_an_adaptive_card() {
        let expected = json!({"type": "message", "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard",
                "version": "1.4",
                "body": [{"type": "Container", "items": [
                    {"type": "TextBlock", "text": "kustomization/webapp.apps", "size": "large", "weight": "bolder",
                     "wrap": true},
                    {"type": "TextBlock", "text": d1().message, "color": "attention", "wrap": true},
                    {"type": "FactSet", "facts": [
                        {"title": "cluster", "value": "prod-1"}, {"title": "revision", "value": REVISION}]},
                ]}],
                "msteams": {"width": "Full"},
            },
        }]});
        assert_eq!(body("http://stub/w", &d1()), expected);
        let info = body("http://stub/w", &Event { severity: "info".into(), ..d1() });
        assert_eq!(info["attachments"][0]["content"]["body"][0]["items"][1].get("color"), None);
    }

    /// NC-068
    #[test]
    fn the_summary_is_the_first_fact() {
        let mut event = d1();
        event.metadata = ["b", "a", "summary", "revision"].map(|key| (key.into(), "v".into())).into();
        let titles: Vec<_> = super::super::facts(&event).map(|(title, _)| title).collect();
        assert_eq!(titles, ["summary", "a", "b", "revision"]);
    }

    #[test]
    fn what_is_empty_is_left_out() {
        let body = body("/x", &Event { message: String::new(), metadata: [].into(), ..d1() });
        let items = &body["attachments"][0]["content"]["body"][0]["items"];
        assert_eq!(items[1], json!({"type": "TextBlock", "color": "attention", "wrap": true}));
        assert_eq!(items[2], json!({"type": "FactSet"}));
    }

    /// NC-069
    #[test]
    fn connectors_get_a_message_card() {
        let expected = json!({
            "@type": "MessageCard", "@context": "http://schema.org/extensions", "themeColor": "FF0000",
            "summary": "kustomization/webapp.apps",
            "sections": [{
                "activityTitle": d1().message, "activitySubtitle": "kustomization/webapp.apps",
                "facts": [{"name": "cluster", "value": "prod-1"}, {"name": "revision", "value": REVISION}],
            }],
        });
        for address in ["https://x.webhook.office.com/y", "https://u:p@x.webhook.office.com:8443/y"] {
            assert_eq!(body(address, &d1()), expected, "{address}");
        }
        let info = body("https://x.webhook.office.com/y", &Event { severity: "info".into(), ..d1() });
        assert_eq!(info["themeColor"], "0076D7");
    }
}
