//! Pieces of schema that derive can't know.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// What an interval looks like; days and longer have no unit.
pub(crate) const INTERVAL: &str = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$";
/// What a timeout of a single request looks like: minutes are enough.
pub(crate) const TIMEOUT: &str = r"^([0-9]+(\.[0-9]+)?(ms|s|m))+$";

/// Validation rules in CEL, each with the message that explains a refusal.
pub(crate) fn rules(rules: &[(&str, &str)]) -> Value {
    rules.iter().map(|(rule, message)| json!({ "message": message, "rule": rule })).collect()
}

/// The schema of a point in time.
pub(crate) struct DateTime;

impl JsonSchema for DateTime {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "DateTime".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// The schema of a list of texts, each one of a few.
pub(crate) fn list_of(choices: &[&str]) -> Schema {
    json_schema!({ "type": "array", "items": { "type": "string", "enum": choices } })
}

/// The schema of `status.conditions`, with the limits that the API machinery sets.
pub(crate) fn conditions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "description": "One aspect of the state of an object.",
            "type": "object",
            "required": ["lastTransitionTime", "message", "reason", "status", "type"],
            "properties": {
                "lastTransitionTime": {
                    "description": "When status, reason or message last changed.",
                    "type": "string",
                    "format": "date-time",
                },
                "message": {
                    "description": "What happened, for people. May be empty.",
                    "type": "string",
                    "maxLength": 32768,
                },
                "observedGeneration": {
                    "description": "The generation of the object that the condition speaks about.",
                    "type": "integer",
                    "format": "int64",
                    "minimum": 0,
                },
                "reason": {
                    "description": "What happened, for programs: one word in CamelCase.",
                    "type": "string",
                    "maxLength": 1024,
                    "minLength": 1,
                    "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
                },
                "status": {
                    "description": "Whether it is so.",
                    "type": "string",
                    "enum": ["True", "False", "Unknown"],
                },
                "type": {
                    "description": "The aspect, in CamelCase or as foo.example.com/CamelCase.",
                    "type": "string",
                    "maxLength": 316,
                    "pattern": concat!(
                        r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?",
                        r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
                    ),
                },
            },
        },
    })
}
