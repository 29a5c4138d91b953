//! How the built-in plugins are configured.

use std::collections::BTreeMap;

use millrace_yaml::Node;

use crate::error::{BuildError, Result};
use crate::hints;
use crate::kustomization::decode::{Decode, DecodeError, Trail, decode_inside, decode_lax, record};
use crate::kustomization::{FieldSpec, Image, Metadata, PatchTexts, ReplacementField, Replica, Selector};

/// Decodes a configuration; what it has beyond is ignored.
pub(super) fn decode<T: Decode>(config: &Node) -> Result<T> {
    decode_lax(config).map_err(|error| undecodable(&error, config))
}

/// Decodes the configuration of a plugin that has the fields of another.
pub(super) fn decode_as<T: Decode>(config: &Node, plugin: &'static str) -> Result<T> {
    decode_inside(config, plugin, None).map_err(|error| undecodable(&error, config))
}

/// Decodes arguments that a plugin embeds.
pub(super) fn decode_embedded<T: Decode>(
    config: &Node,
    plugin: &'static str,
    arguments: &'static str,
) -> Result<T> {
    decode_inside(config, plugin, Some(arguments)).map_err(|error| undecodable(&error, config))
}

fn undecodable(error: &DecodeError, config: &Node) -> BuildError {
    BuildError::new(format!("error unmarshaling JSON: while decoding JSON: {error}"))
        .with_hint(hints::misfit_of(error, config))
}

record! {
    pub(super) struct Annotations = "AnnotationsTransformerPlugin" {
        annotations: Option<BTreeMap<String, String>> = "annotations",
        field_specs: Option<Vec<FieldSpec>> = "fieldSpecs",
    }
}

record! {
    pub(super) struct Labels = "LabelTransformerPlugin" {
        labels: Option<BTreeMap<String, String>> = "labels",
        field_specs: Option<Vec<FieldSpec>> = "fieldSpecs",
    }
}

record! {
    pub(super) struct Namespace = "NamespaceTransformerPlugin" {
        metadata: Option<Metadata> = "metadata",
        field_specs: Option<Vec<FieldSpec>> = "fieldSpecs",
        unset_only: bool = "unsetOnly",
        subjects: SubjectMode = "setRoleBindingSubjects",
    }
}

record! {
    pub(super) struct ImageTag = "ImageTagTransformerPlugin" {
        image: Image = "imageTag",
        field_specs: Option<Vec<FieldSpec>> = "fieldSpecs",
    }
}

record! {
    pub(super) struct ReplicaCount = "ReplicaCountTransformerPlugin" {
        replica: Replica = "replica",
        field_specs: Option<Vec<FieldSpec>> = "fieldSpecs",
    }
}

record! {
    pub(super) struct JsonPatchConfig = "PatchJson6902TransformerPlugin" {
        target: Option<Selector> = "target",
        path: String = "path",
        operations: String = "jsonOp",
    }
}

record! {
    pub(super) struct StrategicPatches = "PatchStrategicMergeTransformerPlugin" {
        paths: Option<PatchTexts> = "paths",
        patches: String = "patches",
    }
}

record! {
    pub(super) struct Replacements = "ReplacementTransformerPlugin" {
        replacements: Option<Vec<ReplacementField>> = "replacements",
    }
}

record! {
    pub(super) struct Named = "ConfigMapGeneratorPlugin" {
        metadata: Option<Metadata> = "metadata",
    }
}

record! {
    pub(super) struct ValueAdd = "ValueAddTransformerPlugin" {
        value: String = "value",
        targets: Option<Vec<ValueAddTarget>> = "targets",
        target_file_path: String = "targetFilePath",
    }
}

record! {
    pub(super) struct ValueAddTarget = "builtins.Target" {
        selector: Option<Selector> = "selector",
        field_path: String = "fieldPath",
        file_path_position: isize = "filePathPosition",
    }
}

record! {
    pub(super) struct IamPolicy = "IAMPolicyGeneratorArgs" {
        cloud: Cloud = "cloud",
        kubernetes_service: KubernetesService = "kubernetesService",
        service_account: CloudAccount = "serviceAccount",
    }
}

record! {
    pub(super) struct KubernetesService = "KubernetesService" {
        name: String = "name",
        namespace: String = "namespace",
    }
}

record! {
    pub(super) struct CloudAccount = "ServiceAccount" {
        name: String = "name",
        project_id: String = "projectId",
    }
}

/// Declares text that is of a type of its own in messages.
macro_rules! text_type {
    ($(#[$meta:meta])* $name:ident = $go:literal) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(super) struct $name(pub(super) String);

        impl Decode for $name {
            fn type_name() -> String {
                $go.to_owned()
            }

            fn decode(node: &Node, trail: &mut Trail) -> std::result::Result<Self, DecodeError> {
                String::decode(node, trail).map(Self).map_err(|_| trail.wrong::<Self>(node))
            }
        }
    };
}

text_type! {
    /// Who runs a cluster.
    Cloud = "types.Cloud"
}

text_type! {
    /// Which subjects of bindings get a namespace.
    SubjectMode = "namespace.RoleBindingSubjectMode"
}
