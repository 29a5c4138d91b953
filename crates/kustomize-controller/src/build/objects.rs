//! The last steps from built resources to objects that can be applied. Contract: kustomize-controller §3.3, §3.7.

use std::collections::BTreeMap;

use millrace_api::kustomize::v1::{Kustomization, KustomizationSpec};
use millrace_ssa::id::ObjectId;
use millrace_ssa::normalize::{normalize, set_common_metadata};
use millrace_ssa::object::{is_secret, select_objects};
use millrace_ssa::policy::Owner;
use millrace_yaml::Node;

/// The group of our labels.
pub(crate) const LABEL_GROUP: &str = "kustomize.toolkit.fluxcd.io";

/// The annotation that says a resource is not to be decrypted.
const DECRYPT_ANNOTATION: &str = "kustomize.toolkit.fluxcd.io/decrypt";

/// A Secret in Git that nobody decrypted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{subject} is SOPS encrypted, configuring decryption is required for this secret to be reconciled")]
pub(crate) struct EncryptedSecret {
    subject: String,
}

/// Whose objects those of `object` are.
pub(crate) fn owner(object: &Kustomization) -> Owner {
    Owner {
        group: LABEL_GROUP.to_owned(),
        name: object.metadata.name.clone().unwrap_or_default(),
        namespace: object.metadata.namespace.clone().unwrap_or_default(),
    }
}

/// Selects what can be applied, marks it as owned, brings it into the form that is sent, and adds the common metadata.
///
/// # Errors
/// A Secret is still encrypted: its values would be applied as they are. Looked for first, as the form that is sent has no
/// place for what tells it.
pub(crate) fn label_and_normalize(
    resources: Vec<Node>,
    owner: &Owner,
    spec: &KustomizationSpec,
) -> Result<Vec<Node>, EncryptedSecret> {
    let mut objects = select_objects(resources);
    refuse_encrypted(&objects)?;
    for object in &mut objects {
        owner.label(object);
        normalize(object);
        if let Some(common) = &spec.common_metadata {
            set_common_metadata(object, pairs(&common.labels), pairs(&common.annotations));
        }
    }
    Ok(objects)
}

fn pairs(map: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    map.iter().map(|(key, value)| (key.as_str(), value.as_str()))
}

fn refuse_encrypted(objects: &[Node]) -> Result<(), EncryptedSecret> {
    let encrypted = objects
        .iter()
        .find(|object| is_secret(object) && object.get("sops").is_some() && !is_decryption_disabled(object));
    match encrypted {
        Some(object) => Err(EncryptedSecret { subject: ObjectId::of(object).subject() }),
        None => Ok(()),
    }
}

fn is_decryption_disabled(object: &Node) -> bool {
    let annotation = object.at(&["metadata", "annotations"]).and_then(|all| all.get(DECRYPT_ANNOTATION));
    annotation.and_then(Node::as_str).is_some_and(|value| value.eq_ignore_ascii_case("disabled"))
}

#[cfg(test)]
mod tests {
    use millrace_yaml::read::{self, Limits, Resolver};

    use super::*;

    fn nodes(text: &str) -> Vec<Node> {
        let documents = read::documents(text, Resolver::Kubernetes, &Limits::default()).expect("valid YAML");
        documents.into_iter().map(|document| document.node).collect()
    }

    fn owner() -> Owner {
        Owner { group: LABEL_GROUP.to_owned(), name: "web".to_owned(), namespace: "apps".to_owned() }
    }

    #[test]
    fn every_object_is_labelled_and_common_metadata_comes_last() {
        let mut spec = KustomizationSpec::default();
        let common = spec.common_metadata.get_or_insert_default();
        common.labels.insert("team".to_owned(), "a".to_owned());
        common.annotations.insert("note".to_owned(), "b".to_owned());
        let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  labels:\n    team: z\n";
        let objects = label_and_normalize(nodes(text), &owner(), &spec).expect("nothing is encrypted");
        let label = |key: &str| {
            objects[0].at(&["metadata", "labels"]).and_then(|labels| labels.get(key)).and_then(Node::as_str)
        };
        assert_eq!(label("team"), Some("a"));
        assert_eq!(label("kustomize.toolkit.fluxcd.io/name"), Some("web"));
        assert_eq!(label("kustomize.toolkit.fluxcd.io/namespace"), Some("apps"));
        assert_eq!(objects[0].str_at(&["metadata", "annotations", "note"]), Some("b"));
    }

    /// KC-046.
    #[test]
    fn an_encrypted_secret_is_refused_unless_decryption_is_disabled_for_it() {
        let labelled = |annotations: &str, values: &str| {
            let secret = format!(
                "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  namespace: ns\n{annotations}{values}sops:\n  \
                 version: 3.9.0\n"
            );
            let labelled = label_and_normalize(nodes(&secret), &owner(), &KustomizationSpec::default());
            labelled.map(|objects| objects.len()).map_err(|error| error.to_string())
        };
        let expected = "Secret/ns/s is SOPS encrypted, configuring decryption is required for this secret to be reconciled";
        // The last two would pass as Secrets of any kind.
        for values in [
            "data:\n  key: ENC[AES256_GCM,data:x]\n",
            "stringData:\n  key: ENC[AES256_GCM,data:x]\n",
            "data:\n  key: RU5D\n",
        ] {
            assert_eq!(labelled("", values), Err(expected.to_owned()), "{values}");
            let disabled = "  annotations:\n    kustomize.toolkit.fluxcd.io/decrypt: Disabled\n";
            assert_eq!(labelled(disabled, values), Ok(1), "{values}");
        }
    }
}
