//! The order of the result.
//!
//! Contract: kustomize-build §7.1.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::go_sort;
use crate::hints::{self, Draft};
use crate::kustomization::SortOptions;
use crate::options::{Mode, Reorder};
use crate::resource::{Collection, Gvk, Id, Names, Resource};

/// What `sortOptions.order` may be.
const ORDERS: [&str; 2] = ["fifo", "legacy"];
const FIRST: &[&str] = &[
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];

const LAST: &[&str] = &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

const BOTH: &str = "Warning: Sorting order is set both in 'kustomization.yaml' ('sortOptions') and in a CLI flag ('--reorder'). \
                    Using the kustomization file over the CLI flag.";

/// Ranks of kinds: those in front are negative, those at the end positive, all others zero.
struct Ranks<'k> {
    by_kind: HashMap<&'k str, i64>,
}

/// What an object is compared by.
struct Key {
    rank: i64,
    gvk: Gvk,
    /// Whether it is a Namespace, and of the core group.
    namespace: Option<bool>,
    gvk_text: String,
    id_text: String,
}

/// Sorts a collection as the root, whose kustomization file is `file`, or the caller asks.
pub(crate) fn sort(
    collection: &mut Collection,
    options: Option<&SortOptions>,
    file: &str,
    context: &Context<'_>,
) -> Result<()> {
    let asked = context.options.reorder;
    if options.is_some() && asked.is_some() {
        context.warnings.borrow_mut().push(BOTH.to_owned());
    }
    let keeps = asked.map_or(context.options.mode == Mode::Flux, |asked| asked == Reorder::None);
    match options {
        None if keeps => Ok(()),
        None => legacy(collection, &Ranks::new(FIRST, LAST), &context.names),
        Some(SortOptions { order, legacy: None }) if order.0 == "fifo" => Ok(()),
        Some(SortOptions { order, .. }) if order.0 == "fifo" => Err(BuildError::new(
            "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
        )
        .with_hint(place(file, Some("legacySortOptions")).and("leave legacySortOptions out, or state 'order: legacy'"))),
        Some(SortOptions { order, legacy: chosen }) if order.0 == "legacy" => {
            let ranks = match chosen {
                Some(chosen) => Ranks::new(&chosen.first, &chosen.last),
                None => Ranks::new(FIRST, LAST),
            };
            legacy(collection, &ranks, &context.names)
        }
        Some(SortOptions { order, legacy }) => {
            let says = match (&*order.0, legacy) {
                ("", Some(_)) => "sortOptions has no order: legacySortOptions wants 'legacy'".to_owned(),
                ("", None) => "sortOptions has no order: it is 'fifo' or 'legacy'".to_owned(),
                (wanted, _) => {
                    let near = hints::nearest(wanted, ORDERS).map(|near| format!("did you mean '{near}'?"));
                    let meant = near.unwrap_or_else(|| "it is 'fifo' or 'legacy'".to_owned());
                    format!("there is no order {}: {meant}", hints::quoted(wanted))
                }
            };
            Err(BuildError::new("the field 'sortOptions.order' must be one of [fifo, legacy]")
                .with_hint(place(file, Some("order").filter(|_| !order.0.is_empty())).and(says)))
        }
    }
}

/// Begins a hint about a field of `sortOptions`, or about that itself.
fn place(file: &str, field: Option<&str>) -> Draft {
    let way = ["sortOptions"].into_iter().chain(field).map(hints::Key::name).collect();
    Draft::field(file, way, None).and(": ")
}

fn legacy(collection: &mut Collection, ranks: &Ranks<'_>, names: &Names) -> Result<()> {
    let mut keyed: Vec<(Key, Box<Resource>)> = std::mem::take(collection)
        .into_resources()
        .into_iter()
        .map(|resource| (Key::of(resource.id(), ranks, names), Box::new(resource)))
        .collect();
    // With lists of one's own it is no order where the core's namespaces stand beside others.
    go_sort::sort_by(&mut keyed, |(left, _), (right, _)| left.compare(right).is_lt());
    collection.reserve(keyed.len());
    keyed.into_iter().try_for_each(|(_, resource)| {
        let failed = |error: BuildError| error.wrap("SortOrderTransformer: Failed to append to resources");
        collection.append(*resource, names).map_err(failed)
    })
}

/// The rank of a kind among the rows of tables.
pub(crate) fn kind_rank(kind: &str) -> i64 {
    let place = |kinds: &[&str]| kinds.iter().position(|known| *known == kind);
    let signed = |count: usize| i64::try_from(count).unwrap_or(0);
    match (place(FIRST), place(LAST)) {
        (Some(first), _) => signed(first) - signed(FIRST.len()),
        (None, Some(last)) => 1 + signed(last),
        (None, None) => 0,
    }
}

impl<'k> Ranks<'k> {
    fn new<T: AsRef<str>>(first: &'k [T], last: &'k [T]) -> Self {
        let mut by_kind = HashMap::new();
        let mut rank = 0;
        for kind in first.iter().rev() {
            rank -= 1;
            // A kind named twice has the rank of its last place, which comes first here.
            by_kind.entry(kind.as_ref()).or_insert(rank);
        }
        for (kind, rank) in last.iter().zip(1..) {
            by_kind.insert(kind.as_ref(), rank);
        }
        Self { by_kind }
    }
}

impl Key {
    fn of(id: Id, ranks: &Ranks<'_>, names: &Names) -> Self {
        let kind = names.text(id.gvk.kind);
        let [kind_part, version, group] = id.gvk.parts();
        Self {
            rank: ranks.by_kind.get(&*kind).copied().unwrap_or(0),
            gvk: id.gvk,
            namespace: (&*kind == "Namespace").then(|| id.gvk.group.is_empty()),
            gvk_text: names.join(&[
                ("", id.gvk.group, "~G"),
                ("_", id.gvk.version, "~V"),
                ("_", id.gvk.kind, "~K"),
            ]),
            id_text: names.join(&[
                kind_part,
                version,
                group,
                ("|", id.namespace, "~X"),
                ("|", id.name, "~N"),
            ]),
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        if self.gvk == other.gvk {
            return self.id_text.cmp(&other.id_text);
        }
        let by_text = match (self.namespace, other.namespace) {
            (Some(core), Some(other_core)) if core || other_core => other.gvk_text.cmp(&self.gvk_text),
            _ => self.gvk_text.cmp(&other.gvk_text),
        };
        self.rank.cmp(&other.rank).then(by_text)
    }
}
