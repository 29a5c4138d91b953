//! Which differences a restart excuses: how often things were told, and when.
//!
//! An Event or notification that was not recorded is ignored if its text repeats an earlier one of the story, line by line since
//! a restart may split what was one list of changes, or says that there is nothing new. One that is missing is ignored if it
//! was told before, since the runner counts each once.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::Value;

use super::restarts::read;

/// How a source says, as the original does, that it looked once more and found what it had.
const NOTHING_NEW: [&str; 2] =
    ["no changes since last reconciliation: ", "artifact up-to-date with remote revision: "];

/// The texts that stories were recorded to tell, by story and step.
pub(super) struct Pardons {
    stories: BTreeMap<String, Vec<(String, Vec<String>)>>,
}

impl Pardons {
    /// Reads the recordings.
    pub(super) fn read(folders: &[PathBuf]) -> Result<Self> {
        let mut stories = BTreeMap::new();
        for folder in folders {
            for story in read(&folder.join("expect.yaml"))? {
                let steps = story["captures"].as_array().into_iter().flatten();
                let told = |capture: &Value| {
                    let mut texts = Vec::new();
                    collect_texts(&capture["events"], &mut texts);
                    collect_texts(&capture["notifications"], &mut texts);
                    (text(&capture["step"]), texts)
                };
                stories.insert(text(&story["id"]), steps.map(told).collect());
            }
        }
        Ok(Self { stories })
    }

    /// Whether a difference is excused; `before` are those of the story that were.
    pub(super) fn covers(&self, story: &str, difference: &str, before: &[String]) -> bool {
        match Difference::read(difference) {
            Some(Difference::Unexpected { step, entry }) => self.is_repetition(story, step, entry, before),
            Some(Difference::Missing { entry }) => was_told(entry, before),
            None => false,
        }
    }

    fn is_repetition(&self, story: &str, step: &str, entry: &str, before: &[String]) -> bool {
        let Some(steps) = self.stories.get(story) else { return false };
        let upto = steps.iter().position(|(name, _)| name == step).map_or(0, |at| at + 1);
        let recorded = steps[..upto].iter().flat_map(|(_, texts)| texts.iter().cloned());
        let pardoned = unexpected(before).flat_map(texts_of).map(|told| told.text);
        let earlier: Vec<String> = recorded.chain(pardoned).collect();
        let told = texts_of(entry);
        let is_excused = |told: &Told| {
            NOTHING_NEW.iter().any(|start| told.text.starts_with(start)) || told.repeats(&earlier)
        };
        !told.is_empty() && told.iter().all(is_excused)
    }
}

/// Whether everything in an entry that is missing came as something unexpected before.
fn was_told(missing: &str, before: &[String]) -> bool {
    let Ok(missing) = serde_json::from_str::<Value>(missing) else { return false };
    let earlier: Vec<Value> =
        unexpected(before).filter_map(|entry| serde_json::from_str(entry).ok()).collect();
    let earlier: Vec<&Value> = earlier.iter().flat_map(messages).collect();
    let missing = messages(&missing);
    !missing.is_empty() && missing.iter().all(|message| earlier.contains(message))
}

/// A difference in what was told.
enum Difference<'a> {
    Unexpected { step: &'a str, entry: &'a str },
    Missing { entry: &'a str },
}

impl<'a> Difference<'a> {
    /// Reads `[STEP]/PLACE: unexpected ENTRY`, `[STEP]/PLACE: missing ENTRY` and `[STEP]/PLACE: missing, expected ENTRY`, where
    /// the place is `events`, something in there, or `notifications`.
    fn read(line: &'a str) -> Option<Self> {
        let (step, rest) = line.strip_prefix('[')?.split_once("]/")?;
        let (place, what) = rest.split_once(": ")?;
        if place != "events" && !place.starts_with("events/") && place != "notifications" {
            return None;
        }
        if let Some(entry) = what.strip_prefix("unexpected ") {
            return Some(Self::Unexpected { step, entry });
        }
        let entry = what.strip_prefix("missing, expected ").or_else(|| what.strip_prefix("missing "))?;
        Some(Self::Missing { entry })
    }
}

/// The unexpected entries among differences.
fn unexpected(differences: &[String]) -> impl Iterator<Item = &str> {
    differences.iter().filter_map(|line| match Difference::read(line)? {
        Difference::Unexpected { entry, .. } => Some(entry),
        Difference::Missing { .. } => None,
    })
}

/// A text of an entry.
struct Told {
    text: String,
    is_cut: bool,
}

impl Told {
    fn repeats(&self, earlier: &[String]) -> bool {
        if self.is_cut {
            return earlier.iter().any(|text| text.starts_with(&self.text));
        }
        let was_told = |line: &str| earlier.iter().flat_map(|text| text.lines()).any(|told| told == line);
        self.text.lines().all(was_told)
    }
}

/// The texts of an entry. The runner cuts long ones off: of a single message the beginning counts, of several nothing.
fn texts_of(entry: &str) -> Vec<Told> {
    if let Ok(entry) = serde_json::from_str::<Value>(entry) {
        let mut texts = Vec::new();
        collect_texts(&entry, &mut texts);
        return texts.into_iter().map(|text| Told { text, is_cut: false }).collect();
    }
    let is_single = entry.starts_with("{\"type\": ") || entry.starts_with("{\"method\": ");
    let Some((_, rest)) = entry.split_once("\"message\": \"").filter(|_| is_single) else {
        return Vec::new();
    };
    // Up to the closing quote, or to where the runner cut.
    let (raw, is_cut) = match closing_quote(rest) {
        Some(end) => (&rest[..end], false),
        None => (rest.trim_end_matches('…').trim_end_matches('\\'), true),
    };
    let text = serde_json::from_str(&format!("\"{raw}\"")).unwrap_or_else(|_| raw.to_owned());
    vec![Told { text, is_cut }]
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at),
            _ => {}
        }
    }
    None
}

/// The Events and notifications in an entry, which may be one, a list, or lists by object.
fn messages(entry: &Value) -> Vec<&Value> {
    match entry {
        Value::Object(fields) if fields.contains_key("message") || fields.contains_key("method") => {
            vec![entry]
        }
        Value::Object(fields) => fields.values().flat_map(messages).collect(),
        Value::Array(items) => items.iter().flat_map(messages).collect(),
        _ => Vec::new(),
    }
}

/// The texts that people read: messages of Events and of generic notifications, `text` of chat messages.
fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if matches!(name.as_str(), "message" | "text") => {
                        texts.push(text.clone());
                    }
                    value => collect_texts(value, texts),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        _ => {}
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pardons() -> Pardons {
        let event = json!({ "Kustomization/x": [{ "type": "Normal", "message": "applied \"a\"" }, { "message": "b\nc" }] });
        let chat = json!([{ "json": { "attachments": [{ "text": "late" }] } }]);
        let story = json!([{ "id": "s", "captures": [{ "step": "one", "events": event }, { "step": "two", "notifications": chat }] }]);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("expect.yaml"), story.to_string()).unwrap();
        Pardons::read(&[folder.path().to_owned()]).unwrap()
    }

    #[test]
    fn only_repetitions_are_pardoned() {
        let pardons = pardons();
        for (difference, expected) in [
            (
                r#"[one]/events/Kustomization/x: unexpected {"type": "Normal", "message": "applied \"a\"", "reason": "Other"}"#,
                true,
            ),
            (r#"[two]/events/Kustomization/x: unexpected {"message": "applied \"a\""}"#, true),
            (r#"[two]/events/Kustomization/x: unexpected {"type": "Normal", "message": "applied \"…"#, true),
            (r#"[one]/events/Kustomization/x: unexpected {"message": "c"}"#, true),
            (r#"[one]/events/Kustomization/x: unexpected {"message": "c\nd"}"#, false),
            (r#"[one]/events/Kustomization/x: unexpected {"message": "deleted"}"#, false),
            (
                r#"[one]/events/GitRepository/x: unexpected {"message": "no changes since last reconciliation: x"}"#,
                true,
            ),
            (r#"[one]/notifications: unexpected {"json": {"attachments": [{"text": "late"}]}}"#, false),
            (r#"[two]/notifications: unexpected {"json": {"attachments": [{"text": "late"}]}}"#, true),
            (r#"[two]/notifications: unexpected {"json": {}}"#, false),
            (r#"[one]/events/Kustomization/x: missing {"message": "applied \"a\""}"#, false),
            (r#"[one]/flux/Kustomization/x: unexpected {"message": "applied \"a\""}"#, false),
        ] {
            assert_eq!(pardons.covers("s", difference, &[]), expected, "{difference}");
        }
        let earlier = r#"[one]/events/Kustomization/x: unexpected {"message": "deleted"}"#.to_owned();
        assert!(pardons.covers("s", r#"[two]/notifications: unexpected {"message": "deleted"}"#, &[earlier]));
    }

    #[test]
    fn several_at_once_are_pardoned_only_if_all_of_them_repeat() {
        let pardons = pardons();
        for (difference, expected) in [
            (r#"[one]/events: unexpected {"Kustomization/x": [{"message": "applied \"a\""}]}"#, true),
            (
                r#"[one]/events: unexpected {"Kustomization/x": [{"message": "applied \"a\""}, {"message": "new"}]}"#,
                false,
            ),
            (r#"[one]/events/Kustomization/y: unexpected [{"message": "applied \"a\""}]"#, true),
            (r#"[one]/events/Kustomization/y: unexpected [{"message": "applied \"a\""}, {"mess…"#, false),
        ] {
            assert_eq!(pardons.covers("s", difference, &[]), expected, "{difference}");
        }
    }

    #[test]
    fn what_is_missing_must_have_been_told_before() {
        let pardons = pardons();
        let before =
            [r#"[one]/events: unexpected {"GitRepository/x": [{"type": "Normal", "message": "early"}]}"#
                .to_owned()];
        for (difference, expected) in [
            (r#"[two]/events/GitRepository/x: missing {"message": "early", "type": "Normal"}"#, true),
            (
                r#"[two]/events: missing, expected {"GitRepository/x": [{"message": "early", "type": "Normal"}]}"#,
                true,
            ),
            (r#"[two]/events/GitRepository/x: missing {"message": "early", "type": "Warning"}"#, false),
            (r#"[two]/events/GitRepository/x: missing {"message": "late", "type": "Normal"}"#, false),
            (
                r#"[two]/flux/GitRepository/x: missing, expected {"message": "early", "type": "Normal"}"#,
                false,
            ),
        ] {
            assert_eq!(pardons.covers("s", difference, &before), expected, "{difference}");
        }
        assert!(!pardons.covers("s", r#"[two]/events/GitRepository/x: missing {"message": "early"}"#, &[]));
    }
}
