//! Stories with a restart after every step. A restart makes the program look at everything again, so `history` totals are not
//! compared, and steps get more time.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// The totals in a capture, as a path of the runner.
const TOTALS: &str = "flux.*.status.history.total";

/// Steps with no restart after them, counted from one: a restart reconciles, which would take the hand edit back that the story
/// is about.
const HELD_TOGETHER: [(&str, usize); 2] = [("prune-foreign-label", 3), ("prune-foreign-label", 4)];

/// How much longer a step may take: what was under way begins anew, and only then comes what the step asks for.
const EXTRA_SECONDS: u64 = 60;
/// How long the runner waits if a step says nothing else.
const RECONCILE_SECONDS: u64 = 40;
const WAIT_SECONDS: u64 = 30;

/// Writes the stories of `folders` with restarts in them below `work`, and returns the new folders.
pub(super) fn rewrite(folders: &[PathBuf], work: &Path) -> Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for (at, folder) in folders.iter().enumerate() {
        let copy = work.join(format!("stories-{at}"));
        std::fs::create_dir_all(&copy)?;
        let mut stories = read(&folder.join("cases.yaml"))?;
        stories.iter_mut().for_each(interrupt);
        write(&copy.join("cases.yaml"), stories)?;
        let mut expected = read(&folder.join("expect.yaml"))?;
        expected.iter_mut().for_each(forget_totals);
        write(&copy.join("expect.yaml"), expected)?;
        written.push(copy);
    }
    Ok(written)
}

/// Reads a list of stories or recordings.
pub(super) fn read(path: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_yaml::from_str(&text).with_context(|| format!("{} is no list of stories", path.display()))
}

/// Writes JSON, which is YAML, too.
fn write(path: &Path, stories: Vec<Value>) -> Result<()> {
    std::fs::write(path, Value::Array(stories).to_string())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Puts a restart after every step but the last, under the flags of the story.
fn interrupt(story: &mut Value) {
    let restart = json!({ "restart": story.get("variant").cloned().unwrap_or(Value::Bool(true)) });
    let id = story["id"].as_str().unwrap_or_default().to_owned();
    if let Some(steps) = story["steps"].as_array_mut() {
        steps.iter_mut().for_each(be_patient);
        let last = steps.len().saturating_sub(1);
        let with_restart = |(at, step): (usize, Value)| {
            let is_held = HELD_TOGETHER.iter().any(|(story, number)| id == *story && at + 1 == *number);
            let wanted = at < last && !is_held && step.get("restart").is_none();
            std::iter::once(step).chain(wanted.then(|| restart.clone()))
        };
        *steps = std::mem::take(steps).into_iter().enumerate().flat_map(with_restart).collect();
    }
    if let Some(story) = story.as_object_mut() {
        let omitted = story.entry("omit").or_insert_with(|| json!([]));
        if let Some(omitted) = omitted.as_array_mut() {
            omitted.push(json!(TOTALS));
        }
    }
}

/// Gives a step more time.
fn be_patient(step: &mut Value) {
    let longer = |step: &mut Value, usual: u64| {
        let limit = step["timeout"].as_u64().unwrap_or(usual) + EXTRA_SECONDS;
        step["timeout"] = json!(limit);
    };
    if step.get("reconcile").is_some() {
        longer(step, RECONCILE_SECONDS);
    }
    let waits = match step.get_mut("wait") {
        Some(Value::Array(waits)) => waits.iter_mut().collect(),
        Some(wait) => vec![wait],
        None => Vec::new(),
    };
    for wait in waits {
        if let Value::String(object) = wait {
            *wait = json!({ "object": object, "ready": "True" });
        }
        longer(wait, WAIT_SECONDS);
    }
}

/// Takes the totals out of a recording.
fn forget_totals(expected: &mut Value) {
    let captures = expected["captures"].as_array_mut().into_iter().flatten();
    let objects = captures
        .filter_map(|capture| capture.get_mut("flux")?.as_object_mut())
        .flat_map(|flux| flux.values_mut());
    let histories = objects.filter_map(|object| object.get_mut("status")?.get_mut("history")?.as_array_mut());
    for entry in histories.flatten().filter_map(Value::as_object_mut) {
        entry.remove("total");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_follows_every_step_but_the_last_and_keeps_the_variant() {
        let mut story = json!({ "variant": "strict", "steps": [{ "apply": "x" }, { "restart": true }, { "capture": "end" }] });
        interrupt(&mut story);
        let expected =
            json!([{ "apply": "x" }, { "restart": "strict" }, { "restart": true }, { "capture": "end" }]);
        assert_eq!(story["steps"], expected);
        assert_eq!(story["omit"], json!([TOTALS]));
        let mut story = json!({ "id": "prune-foreign-label", "steps": [1, 2, 3, 4, 5] });
        interrupt(&mut story);
        assert_eq!(story["steps"], json!([1, { "restart": true }, 2, { "restart": true }, 3, 4, 5]));
        let mut story = json!({ "omit": ["events"], "steps": [{ "sleep": 1 }, { "capture": true }] });
        interrupt(&mut story);
        assert_eq!(story["steps"], json!([{ "sleep": 1 }, { "restart": true }, { "capture": true }]));
        assert_eq!(story["omit"], json!(["events", TOTALS]));
    }

    #[test]
    fn steps_get_more_time() {
        let mut step = json!({ "reconcile": "GitRepository/app", "wait": ["Kustomization/app", { "object": "x", "timeout": 50 }] });
        be_patient(&mut step);
        let waits = json!([{ "object": "Kustomization/app", "ready": "True", "timeout": 90 }, { "object": "x", "timeout": 110 }]);
        assert_eq!(step, json!({ "reconcile": "GitRepository/app", "timeout": 100, "wait": waits }));
        let mut step = json!({ "capture": true });
        be_patient(&mut step);
        assert_eq!(step, json!({ "capture": true }));
    }

    #[test]
    fn totals_are_forgotten_and_nothing_else() {
        let history = json!([{ "status": "ReconciliationSucceeded", "total": 3 }]);
        let mut expected =
            json!({ "captures": [{ "flux": { "Kustomization/x": { "status": { "history": history } } } }] });
        forget_totals(&mut expected);
        let left = &expected["captures"][0]["flux"]["Kustomization/x"]["status"]["history"];
        assert_eq!(left, &json!([{ "status": "ReconciliationSucceeded" }]));
    }
}
