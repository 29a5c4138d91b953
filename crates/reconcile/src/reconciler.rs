//! What a controller implements.

use std::fmt::Debug;
use std::future::Future;

use kube::core::NamespaceResourceScope;
use millrace_api::Reconcilable;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::report::Report;
use crate::run::Run;

/// A kind that the runner can drive; every reconciled kind of ours is one.
pub trait Object:
    Reconcilable<Status: Clone + Debug + Default + Serialize + DeserializeOwned + Send + Sync + 'static>
    + kube::Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + Clone
    + Debug
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

impl<T> Object for T where
    T: Reconcilable<Status: Clone + Debug + Default + Serialize + DeserializeOwned + Send + Sync + 'static>
        + kube::Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + Debug
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// The status of an object's kind.
pub type StatusOf<O> = <O as Reconcilable>::Status;

/// Brings one kind in line with the world.
///
/// [`Self::reconcile`] and [`Self::finalize`] read, act and return a [`Report`]; the runner writes it. They may be cut at any
/// `.await` by shutdown, and a panic in them becomes that object's error.
pub trait Reconciler: Send + Sync + 'static {
    /// The kind.
    type Object: Object;

    /// The controller's name in logs and metrics, such as `kustomization`.
    const CONTROLLER: &'static str;

    /// Who writes status and finalizers.
    const FIELD_MANAGER: &'static str;

    /// The condition types this controller owns; all others are kept as they are.
    const OWNED_CONDITIONS: &'static [&'static str];

    /// Brings the object in line; it has our finalizer and is not being deleted.
    fn reconcile(
        &self,
        run: &Run,
        object: &Self::Object,
    ) -> impl Future<Output = Report<StatusOf<Self::Object>>> + Send;

    /// Cleans up behind an object that is being deleted.
    fn finalize(
        &self,
        run: &Run,
        object: &Self::Object,
    ) -> impl Future<Output = Report<StatusOf<Self::Object>>> + Send;
}
