//! The root struct of a custom resource and what Kubernetes clients need to know about it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

/// What every reconciled kind has in its status.
pub trait ConditionedStatus {
    /// The conditions as read or as they will be written.
    fn conditions(&self) -> &[Condition];

    /// The conditions, to be changed with [`crate::meta::conditions`].
    fn conditions_mut(&mut self) -> &mut Vec<Condition>;

    /// The last generation that was reconciled to its end.
    fn observed_generation(&self) -> Option<i64>;

    /// The value of the reconcile-request annotation that was handled last.
    fn last_handled_reconcile_at(&self) -> Option<&str>;

    /// Notes that a generation was reconciled to its end.
    fn set_observed_generation(&mut self, generation: i64);

    /// Notes that a reconcile request was handled; its value is kept verbatim, blanks included.
    fn set_last_handled_reconcile_at(&mut self, request: &str);
}

/// A kind that a controller reconciles: it has a status with conditions and can be suspended.
pub trait Reconcilable: kube::Resource<DynamicType = ()> {
    /// The status as the CRD defines it.
    type Status: ConditionedStatus + Default;

    /// The status as read.
    fn status(&self) -> Option<&Self::Status>;

    /// Whether `spec.suspend` asks to leave the object alone.
    fn suspended(&self) -> bool;
}

/// Declares the root struct of a custom resource.
///
/// `kube`'s derive would do most of this, but its root struct refuses an object without `spec`, which every one of
/// our CRDs admits (source-controller trap T24): the object would vanish from the watch instead of getting a status.
/// Here an absent `spec` reads as `Default`, and the reconciler reports what is missing.
macro_rules! custom_resource {
    (
        $(#[$doc:meta])*
        $kind:ident { spec: $spec:ty $(, status: $status:ty)? }
        $definition:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Deserialize, schemars::JsonSchema)]
        pub struct $kind {
            /// Name, namespace, labels, annotations and the other standard object metadata.
            #[serde(default)]
            #[schemars(skip)]
            pub metadata: k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
            /// The desired state; absent reads as empty.
            #[serde(default)]
            #[schemars(skip)]
            pub spec: $spec,
            $(
                /// The observed state, absent until the API server or a controller has set it.
                #[serde(default)]
                #[schemars(skip)]
                pub status: Option<$status>,
            )?
        }

        impl $kind {
            /// The definition from which the CRD is generated.
            pub const DEFINITION: crate::crd::Definition = $definition;

            /// An object with this name and spec, in no namespace yet.
            pub fn new(name: &str, spec: $spec) -> Self {
                let metadata = k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                    name: Some(name.to_owned()),
                    ..Default::default()
                };
                Self {
                    metadata,
                    spec,
                    $( status: None::<$status>, )?
                }
            }
        }

        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("apiVersion", &<Self as kube::Resource>::api_version(&()))?;
                map.serialize_entry("kind", Self::DEFINITION.kind)?;
                map.serialize_entry("metadata", &self.metadata)?;
                map.serialize_entry("spec", &self.spec)?;
                $(
                    let status: &Option<$status> = &self.status;
                    if let Some(status) = status {
                        map.serialize_entry("status", status)?;
                    }
                )?
                map.end()
            }
        }

        impl kube::Resource for $kind {
            type DynamicType = ();
            type Scope = kube::core::NamespaceResourceScope;

            fn kind((): &()) -> std::borrow::Cow<'_, str> {
                Self::DEFINITION.kind.into()
            }

            fn group((): &()) -> std::borrow::Cow<'_, str> {
                Self::DEFINITION.group.into()
            }

            fn version((): &()) -> std::borrow::Cow<'_, str> {
                Self::DEFINITION.version.into()
            }

            fn plural((): &()) -> std::borrow::Cow<'_, str> {
                Self::DEFINITION.plural.into()
            }

            fn meta(&self) -> &k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                &self.metadata
            }

            fn meta_mut(&mut self) -> &mut k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                &mut self.metadata
            }
        }

        impl kube::core::object::HasSpec for $kind {
            type Spec = $spec;

            fn spec(&self) -> &Self::Spec {
                &self.spec
            }

            fn spec_mut(&mut self) -> &mut Self::Spec {
                &mut self.spec
            }
        }

        $(
            impl kube::core::object::HasStatus for $kind {
                type Status = $status;

                fn status(&self) -> Option<&Self::Status> {
                    self.status.as_ref()
                }

                fn status_mut(&mut self) -> &mut Option<Self::Status> {
                    &mut self.status
                }
            }
        )?

        impl kube::CustomResourceExt for $kind {
            fn crd() -> k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition {
                Self::DEFINITION.crd()
            }

            fn crd_name() -> &'static str {
                Self::DEFINITION.name
            }

            fn api_resource() -> kube::discovery::ApiResource {
                kube::discovery::ApiResource::erase::<Self>(&())
            }

            fn shortnames() -> &'static [&'static str] {
                Self::DEFINITION.short_names
            }
        }
    };
}
pub(crate) use custom_resource;

/// Implements [`Reconcilable`] and [`ConditionedStatus`] for a kind whose status has the four common fields.
macro_rules! reconcilable {
    ($kind:ty, $status:ty) => {
        impl crate::Reconcilable for $kind {
            type Status = $status;

            fn status(&self) -> Option<&Self::Status> {
                self.status.as_ref()
            }

            fn suspended(&self) -> bool {
                self.spec.suspend
            }
        }

        impl crate::ConditionedStatus for $status {
            fn conditions(&self) -> &[crate::meta::Condition] {
                &self.conditions
            }

            fn conditions_mut(&mut self) -> &mut Vec<crate::meta::Condition> {
                &mut self.conditions
            }

            fn observed_generation(&self) -> Option<i64> {
                self.observed_generation
            }

            fn last_handled_reconcile_at(&self) -> Option<&str> {
                self.last_handled_reconcile_at.as_deref()
            }

            fn set_observed_generation(&mut self, generation: i64) {
                self.observed_generation = Some(generation);
            }

            fn set_last_handled_reconcile_at(&mut self, request: &str) {
                self.last_handled_reconcile_at = Some(request.to_owned());
            }
        }
    };
}
pub(crate) use reconcilable;
