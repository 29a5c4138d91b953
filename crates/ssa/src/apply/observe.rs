//! What a stage's objects meet in the cluster: dry runs, and reads where those don't tell enough.
//!
//! The dry run comes first. Its answer says whether the object exists, and at which resource version: of a version that
//! is known from an earlier answer nothing needs to be read, so an unchanged object costs one request, and a new one two.
//! The original reads the live object before each dry run.

use futures::{StreamExt as _, stream};
use millrace_yaml::Node;

use super::ApplyOptions;
use super::error::Rejection;
use crate::client::{ApiError, Target};
use crate::drift::managers::migration_patch;
use crate::engine::Engine;
use crate::failure::{DryRunError, is_immutable, names_immutability};
use crate::id::ObjectId;
use crate::known::Facts;
use crate::object::Object as _;
use crate::stages::Stage;

/// What was seen of one object.
#[derive(Debug)]
pub struct Seen(pub(super) Sight);

#[derive(Debug)]
pub(super) enum Sight {
    /// A policy says to leave it alone; `known_as` is the live object, or the manifest if there is none.
    Skipped { known_as: Node },
    /// The dry run passed.
    Accepted(Box<Accepted>),
    /// A field can't be changed, and the object is to be recreated for it.
    Stuck { target: Target },
    /// The object can't be applied.
    Rejected(Rejection),
}

#[derive(Debug)]
pub(super) struct Accepted {
    pub(super) target: Target,
    /// What the object would look like.
    pub(super) answer: Node,
    pub(super) live: Live,
    /// Whether metadata was written already, so that the object is applied even if it has not drifted.
    pub(super) is_patched: bool,
}

/// The live object as far as it is known.
#[derive(Debug)]
pub(super) enum Live {
    /// It does not exist.
    Absent,
    /// Its resource version is one that was seen before.
    Known(Facts),
    /// It was read.
    Read(Box<Node>),
    /// It exists, but the identity may not read it.
    Unreadable,
}

/// Dry-runs the objects of a stage, some at a time, and reads what the plan needs. Writes nothing but, where the operator
/// asks for it, the API version of managed fields.
pub async fn validate(engine: &Engine, stage: &Stage, options: &ApplyOptions) -> Vec<Seen> {
    // By index: a closure over references would tie the future to every lifetime at once.
    let looks = (0..stage.objects().len()).map(|index| look(engine, &stage.objects()[index], options));
    stream::iter(looks).buffered(engine.settings().concurrency.max(1)).map(Seen).collect().await
}

async fn look(engine: &Engine, object: &Node, options: &ApplyOptions) -> Sight {
    let policies = &engine.settings().policies;
    let target = engine.cluster.target(object).await;
    if policies.skips(object, None) {
        let known_as = match &target {
            Ok(target) => engine.cluster.fetch(target).await.ok(),
            Err(_) => None,
        };
        return Sight::Skipped { known_as: known_as.unwrap_or_else(|| object.clone()) };
    }
    let target = match target {
        Ok(target) => target,
        Err(error) => return rejected(object, error),
    };
    let early = match read_early(engine, object, &target).await {
        Ok(early) => early,
        Err(sight) => return sight,
    };
    match engine.cluster.dry_run(&target, object).await {
        Ok(answer) => accepted(engine, object, target, answer, early, options).await,
        Err(error) => refused(engine, object, target, error, options).await,
    }
}

/// The live object as some policies need it before the dry run.
#[derive(Default)]
struct Early {
    live: Option<Node>,
    is_patched: bool,
}

async fn read_early(engine: &Engine, object: &Node, target: &Target) -> Result<Early, Sight> {
    let settings = engine.settings();
    let create_only = settings.policies.if_not_present.matches(object);
    if !create_only && !settings.migrate_api_version {
        return Ok(Early::default());
    }
    let Ok(live) = engine.cluster.fetch(target).await else { return Ok(Early::default()) };
    if settings.policies.skips(object, Some(&live)) {
        return Err(Sight::Skipped { known_as: live });
    }
    let patch = migration_patch(&live, object.api_version());
    if patch.is_empty() {
        return Ok(Early { live: Some(live), is_patched: false });
    }
    let migrated = engine.cluster.patch(target, patch).await.map_err(|source| {
        let (subject, api_version) = (live.subject(), object.api_version().to_owned());
        Sight::Rejected(Rejection::Migrate { subject, api_version, source })
    })?;
    Ok(Early { live: Some(migrated), is_patched: true })
}

async fn accepted(
    engine: &Engine,
    object: &Node,
    target: Target,
    answer: Node,
    early: Early,
    options: &ApplyOptions,
) -> Sight {
    let live = match early.live {
        Some(live) => Live::Read(Box::new(live)),
        None => live_behind(engine, object, &target, &answer, options).await,
    };
    let excluded = match &live {
        Live::Absent | Live::Unreadable => false,
        Live::Known(facts) => facts.is_excluded,
        Live::Read(live) => engine.settings().policies.skips(object, Some(live)),
    };
    if excluded {
        return Sight::Skipped { known_as: answer };
    }
    Sight::Accepted(Box::new(Accepted { target, answer, live, is_patched: early.is_patched }))
}

/// The live object that an answer was made from.
async fn live_behind(
    engine: &Engine,
    object: &Node,
    target: &Target,
    answer: &Node,
    options: &ApplyOptions,
) -> Live {
    if answer.meta("resourceVersion").is_empty() {
        return Live::Absent;
    }
    if let Some(facts) = engine.shared.known.recall(answer) {
        let is_merged = facts.is_merged || engine.settings().policies.merge.matches(object);
        let is_enough = options.ignore.is_empty() && (is_merged || !facts.needs_cleanup);
        if is_enough || facts.is_excluded {
            return Live::Known(facts);
        }
    }
    match engine.cluster.fetch(target).await {
        Ok(live) => {
            engine.remember(&live);
            Live::Read(Box::new(live))
        }
        Err(error) if error.is_not_found() => Live::Absent,
        Err(_) => Live::Unreadable,
    }
}

/// A failed dry run is no failure if the live object is to be left alone, or recreated.
async fn refused(
    engine: &Engine,
    object: &Node,
    target: Target,
    error: ApiError,
    options: &ApplyOptions,
) -> Sight {
    let policies = &engine.settings().policies;
    let read = engine.cluster.fetch(&target).await;
    let exists = !matches!(&read, Err(error) if error.is_not_found());
    let live = read.ok();
    if policies.skips(object, live.as_ref()) {
        return Sight::Skipped { known_as: live.unwrap_or_else(|| object.clone()) };
    }
    let is_forced = policies.recreates(options.force, object, live.as_ref());
    let is_stuck = exists && is_forced && is_immutable(&error);
    if is_stuck && (names_immutability(&error) || could_be_created(engine, object, &target).await) {
        return Sight::Stuck { target };
    }
    rejected(object, error)
}

/// Whether the API server would take the object if there were none of its name: a dry run under another one. An object
/// that is invalid in itself must not cost the live one its life.
async fn could_be_created(engine: &Engine, object: &Node, target: &Target) -> bool {
    const PROBE: &str = "probe";
    let name = if target.name == PROBE { "other" } else { PROBE };
    let mut probe = object.clone();
    if let Some(metadata) = probe.map_at_mut(&["metadata"]) {
        metadata.insert("name", Node::string(name));
    }
    let target = Target { name: name.to_owned(), ..target.clone() };
    engine.cluster.dry_run(&target, &probe).await.is_ok()
}

fn rejected(object: &Node, source: ApiError) -> Sight {
    Sight::Rejected(DryRunError { id: Box::new(ObjectId::of(object)), source }.into())
}
