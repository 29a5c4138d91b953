//! References from one object to another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::rules;

/// The name of an object in the same namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct LocalObjectReference {
    /// Name of the object that is meant.
    pub name: String,
}

/// The name of an object in this or another namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct NamespacedObjectReference {
    /// Name of the object that is meant.
    pub name: String,
    /// Namespace of the object that is meant; the namespace of the referring object if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// The kind and name of an object in this or another namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamespacedObjectKindReference {
    /// API version of the object that is meant; the version that the cluster prefers if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Kind of the object that is meant.
    pub kind: String,
    /// Name of the object that is meant.
    pub name: String,
    /// Namespace of the object that is meant; the namespace of the referring object if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// A Secret in the same namespace and a key in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SecretKeyReference {
    /// Name of the Secret.
    pub name: String,
    /// Key in the Secret; if empty, the key that the user of this reference expects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

const ONE_KUBECONFIG: &str =
    "exactly one of spec.kubeConfig.configMapRef or spec.kubeConfig.secretRef must be specified";

/// Where to find access to another cluster: exactly one of the two references.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = rules(&[
    ("has(self.configMapRef) || has(self.secretRef)", ONE_KUBECONFIG),
    ("!has(self.configMapRef) || !has(self.secretRef)", ONE_KUBECONFIG),
])))]
pub struct KubeConfigReference {
    /// A ConfigMap with the settings of a login through a cloud provider: `provider` (`aws`, `azure`, `gcp` or
    /// `generic`), `cluster`, `address`, `ca.crt`, `audiences` and `serviceAccountName`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map_ref: Option<LocalObjectReference>,
    /// A Secret with a kubeconfig; without `key`, its keys `value` and `value.yaml` are tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretKeyReference>,
}

/// The full identity of an object, for events and logs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectRef {
    /// Group and version.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// Namespace, empty for objects of the cluster.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// The uid, empty if it isn't known.
    pub uid: String,
    /// The resource version, empty if it isn't known.
    pub resource_version: String,
}

impl ObjectRef {
    /// The identity of a typed object.
    pub fn of<K: kube::Resource<DynamicType = ()>>(object: &K) -> Self {
        let meta = object.meta();
        Self {
            api_version: K::api_version(&()).into_owned(),
            kind: K::kind(&()).into_owned(),
            namespace: meta.namespace.clone().unwrap_or_default(),
            name: meta.name.clone().unwrap_or_default(),
            uid: meta.uid.clone().unwrap_or_default(),
            resource_version: meta.resource_version.clone().unwrap_or_default(),
        }
    }
}
