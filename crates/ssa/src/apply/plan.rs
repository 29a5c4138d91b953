//! What is to be done with a stage's objects: pure.

use millrace_yaml::Node;

use super::ApplyOptions;
use super::error::{Rejection, StageError};
use super::observe::{Accepted, Live, Seen, Sight};
use crate::changes::{Action, Change};
use crate::client::Target;
use crate::drift::{self, Fingerprint, ignore};
use crate::engine::{Engine, Settings};
use crate::id::ObjectId;
use crate::inventory::{Entry, Inventory};
use crate::object::Object as _;
use crate::stages::Stage;

/// What to do with each object of a stage, in apply order.
#[derive(Debug)]
pub struct Plan {
    pub(super) steps: Vec<Step>,
}

#[derive(Debug)]
pub(super) struct Step {
    /// The object as the API server names it, and what becomes of it.
    pub(super) change: Change,
    pub(super) effect: Effect,
}

#[derive(Debug)]
pub(super) enum Effect {
    /// Nothing to do, and nothing to wait for.
    Skip,
    /// Nothing to do; the answer is the live object.
    Keep { answer: Box<Node> },
    /// Clean up the live object's metadata if there is something to clean up, then apply.
    Apply { target: Target, cleanup: Vec<Node>, payload: Box<Node> },
    /// Delete the live object, and then apply.
    Recreate { target: Target, payload: Box<Node> },
}

impl Plan {
    /// What the plan will write.
    pub fn writes(&self) -> Inventory {
        self.steps
            .iter()
            .filter(|step| step.change.action.is_write())
            .map(|step| entry(&step.change))
            .collect()
    }
}

pub(super) fn entry(change: &Change) -> Entry {
    Entry { id: change.id.clone(), version: change.version.clone() }
}

/// Decides what to do with each object; fails with every rejection of the stage at once.
pub fn plan(
    engine: &Engine,
    stage: &Stage,
    seen: Vec<Seen>,
    options: &ApplyOptions,
) -> Result<Plan, StageError> {
    let context = Context { settings: engine.settings(), manager: engine.cluster().manager(), options };
    let mut steps = Vec::with_capacity(seen.len());
    let mut rejections = Vec::new();
    for (object, Seen(sight)) in stage.objects().iter().zip(seen) {
        match context.step(object, sight) {
            Ok(step) => steps.push(step),
            Err(rejection) => rejections.push(rejection),
        }
    }
    if rejections.is_empty() {
        return Ok(Plan { steps });
    }
    Err(StageError::Rejected(rejections))
}

struct Context<'a> {
    settings: &'a Settings,
    manager: &'a str,
    options: &'a ApplyOptions,
}

impl Context<'_> {
    fn step(&self, object: &Node, sight: Sight) -> Result<Step, Rejection> {
        match sight {
            Sight::Skipped { known_as } => {
                Ok(Step { change: change(&known_as, Action::Skipped), effect: Effect::Skip })
            }
            Sight::Accepted(accepted) => self.accepted(object, *accepted),
            Sight::Stuck { target } => Ok(Step {
                change: change(object, Action::Created),
                effect: Effect::Recreate { target, payload: Box::new(object.clone()) },
            }),
            Sight::Rejected(rejection) => Err(rejection),
        }
    }

    fn accepted(&self, object: &Node, accepted: Accepted) -> Result<Step, Rejection> {
        let cleanup = self.cleanup(object, &accepted.live);
        let drift = self.drift(&accepted)?;
        let is_patched = accepted.is_patched || !cleanup.is_empty();
        let action = if is_patched && drift == Action::Unchanged { Action::Configured } else { drift };
        let change = change(&accepted.answer, action);
        if !action.is_write() {
            return Ok(Step { change, effect: Effect::Keep { answer: Box::new(accepted.answer) } });
        }
        let payload = match &accepted.live {
            Live::Read(live) if action == Action::Configured => {
                ignore::payload(object, live, &accepted.answer, &self.options.ignore, self.manager)?
            }
            Live::Read(_) | Live::Absent | Live::Known(_) | Live::Unreadable => object.clone(),
        };
        let effect = Effect::Apply { target: accepted.target, cleanup, payload: Box::new(payload) };
        Ok(Step { change, effect })
    }

    /// What is to be cleaned up; a known object that has something to clean up was read.
    fn cleanup(&self, object: &Node, live: &Live) -> Vec<Node> {
        let merge = &self.settings.policies.merge;
        match live {
            Live::Read(live) if !merge.matches(object) && !merge.matches(live) => {
                self.settings.cleanup.patch(live, self.manager)
            }
            Live::Read(_) | Live::Absent | Live::Known(_) | Live::Unreadable => Vec::new(),
        }
    }

    fn drift(&self, accepted: &Accepted) -> Result<Action, Rejection> {
        let answer = &accepted.answer;
        match &accepted.live {
            Live::Known(facts) if facts.fingerprint == Fingerprint::of(answer) => Ok(Action::Unchanged),
            Live::Known(_) => Ok(Action::Configured),
            // Where metadata is cleaned up the object counts as configured whatever the comparison says.
            Live::Read(live) => Ok(drift::compare(Some(live), answer, &self.options.ignore)?),
            Live::Absent | Live::Unreadable => Ok(drift::compare(None, answer, &self.options.ignore)?),
        }
    }
}

fn change(object: &Node, action: Action) -> Change {
    Change { id: ObjectId::of(object), version: object.gvk().version, action }
}
