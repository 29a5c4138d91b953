//! The objects that Git holds: few kinds, each with a value that tells one edition from the next.

use std::fmt;

use serde_json::{Value, json};

/// What every object bears its value in.
pub(super) const VALUE: &str = "bench.millrace.dev/value";
const FIRST_PORT: u64 = 1024;
const PORTS: u64 = 60_000;

/// A kind of object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    ConfigMap,
    Deployment,
    Service,
    ServiceAccount,
}

impl Kind {
    pub(super) const ALL: [Self; 4] =
        [Self::ConfigMap, Self::Deployment, Self::Service, Self::ServiceAccount];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ConfigMap => "ConfigMap",
            Self::Deployment => "Deployment",
            Self::Service => "Service",
            Self::ServiceAccount => "ServiceAccount",
        }
    }

    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::ConfigMap => "configmaps",
            Self::Deployment => "deployments",
            Self::Service => "services",
            Self::ServiceAccount => "serviceaccounts",
        }
    }

    pub(super) fn api_version(self) -> &'static str {
        match self {
            Self::Deployment => "apps/v1",
            Self::ConfigMap | Self::Service | Self::ServiceAccount => "v1",
        }
    }
}

/// An object of the namespace, `Kind/name`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub(super) kind: Kind,
    pub(super) name: String,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.name(), self.name)
    }
}

impl Key {
    /// Reads the id of an inventory's entry, `<namespace>_<name>_<group>_<kind>`. `None` for a kind that is not ours.
    pub(super) fn of_entry(id: &str) -> Option<Self> {
        let mut parts = id.split('_');
        let (_namespace, name, _group, kind) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let kind = Kind::ALL.into_iter().find(|known| known.name() == kind)?;
        Some(Self { kind, name: name.to_owned() })
    }

    /// The object with a value.
    pub(super) fn manifest(&self, value: u64) -> Value {
        let name = &self.name;
        let text = value.to_string();
        let mut object = json!({
            "apiVersion": self.kind.api_version(),
            "kind": self.kind.name(),
            "metadata": {"name": name, "annotations": {VALUE: text}},
        });
        match self.kind {
            Kind::ConfigMap => object["data"] = json!({"value": text}),
            Kind::Service => {
                object["spec"] =
                    json!({"selector": {"app": name}, "ports": [{"port": port(value), "protocol": "TCP"}]});
            }
            Kind::Deployment => {
                object["spec"] = json!({
                    "replicas": 0,
                    "selector": {"matchLabels": {"app": name}},
                    "template": {
                        "metadata": {"labels": {"app": name}},
                        "spec": {"containers": [{"name": "app", "image": "app"}]},
                    },
                });
            }
            Kind::ServiceAccount => {}
        }
        object
    }

    /// Whether a live object is as Git holds it with a value.
    pub(super) fn agrees(&self, live: &Value, value: u64) -> bool {
        let text = value.to_string();
        let field = match self.kind {
            Kind::ConfigMap => live["data"]["value"] == text.as_str(),
            Kind::Service => live["spec"]["ports"][0]["port"] == port(value),
            Kind::Deployment => live["spec"]["replicas"] == 0,
            Kind::ServiceAccount => true,
        };
        field && live["metadata"]["annotations"][VALUE] == text.as_str()
    }
}

fn port(value: u64) -> u64 {
    FIRST_PORT + value % PORTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_agrees_with_its_own_value_and_no_other() {
        for kind in Kind::ALL {
            let key = Key { kind, name: "a-1".to_owned() };
            assert!(key.agrees(&key.manifest(7), 7), "{key}");
            assert!(!key.agrees(&key.manifest(8), 7), "{key}");
        }
        let scaled = Key { kind: Kind::Deployment, name: "a-1".to_owned() };
        let mut live = scaled.manifest(7);
        live["spec"]["replicas"] = json!(2);
        assert!(!scaled.agrees(&live, 7));
    }

    #[test]
    fn entries_of_an_inventory_are_read() {
        let key = Key { kind: Kind::Deployment, name: "a-1".to_owned() };
        assert_eq!(Key::of_entry("bench_a-1_apps_Deployment"), Some(key));
        assert_eq!(Key::of_entry("bench_a-1__Secret"), None);
        assert_eq!(Key::of_entry("bench"), None);
    }
}
