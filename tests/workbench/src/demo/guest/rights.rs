//! What a login may do in a cluster, asked before it is needed.

use anyhow::{Context as _, Result, ensure};
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use kube::api::{Api, PostParams};
use millrace_harness::ControlPlane;

use crate::demo::scene::NAMESPACE;

/// A right, and how to say it.
pub(super) struct Right {
    what: &'static str,
    verb: &'static str,
    /// Group and plural of the kind.
    kind: (&'static str, &'static str),
    /// Empty for all.
    namespace: &'static str,
}

/// Questions under way at a time.
const AT_ONCE: usize = 8;
const DEFINITIONS: (&str, &str) = ("apiextensions.k8s.io", "customresourcedefinitions");

/// What the demo needs in any cluster.
pub(super) const ALWAYS: &[Right] = &[
    Right { what: "do everything in that namespace", verb: "*", kind: ("*", "*"), namespace: NAMESPACE },
    everywhere("create namespaces", "create", ("", "namespaces")),
    everywhere("delete namespaces", "delete", ("", "namespaces")),
    everywhere("list CRDs", "list", DEFINITIONS),
    everywhere("list Deployments of all namespaces", "list", ("apps", "deployments")),
    everywhere("list Leases of all namespaces", "list", ("coordination.k8s.io", "leases")),
];
/// What it needs besides in a cluster that lacks definitions.
pub(super) const TO_INSTALL: &[Right] =
    &[everywhere("create CRDs", "create", DEFINITIONS), everywhere("delete CRDs", "delete", DEFINITIONS)];

const fn everywhere(what: &'static str, verb: &'static str, kind: (&'static str, &'static str)) -> Right {
    Right { what, verb, kind, namespace: "" }
}

/// Makes sure that the demo's login has these rights.
pub(super) async fn check(cluster: &ControlPlane, needed: &[Right]) -> Result<()> {
    let answers: Vec<(&str, bool)> = futures::stream::iter(needed)
        .map(async |right| Ok::<_, anyhow::Error>((right.what, is_granted(cluster, right).await?)))
        .buffered(AT_ONCE)
        .try_collect()
        .await?;
    let refused: Vec<&str> = answers.iter().filter(|(_, granted)| !granted).map(|(what, _)| *what).collect();
    ensure!(
        refused.is_empty(),
        "the demo plays in the namespace {NAMESPACE:?} of its own; the login of {} may not {}",
        cluster.kubeconfig().display(),
        refused.join(", ")
    );
    Ok(())
}

async fn is_granted(cluster: &ControlPlane, right: &Right) -> Result<bool> {
    let reviews: Api<SelfSubjectAccessReview> = Api::all(cluster.client());
    let text = |value: &str| Some(value.to_owned());
    let resource_attributes = Some(ResourceAttributes {
        verb: text(right.verb),
        group: text(right.kind.0),
        resource: text(right.kind.1),
        namespace: text(right.namespace),
        ..ResourceAttributes::default()
    });
    let spec = SelfSubjectAccessReviewSpec { resource_attributes, ..SelfSubjectAccessReviewSpec::default() };
    let review = SelfSubjectAccessReview { spec, ..SelfSubjectAccessReview::default() };
    let answer = reviews
        .create(&PostParams::default(), &review)
        .await
        .context("the cluster does not say what the login may do")?;
    Ok(answer.status.is_some_and(|status| status.allowed))
}
