//! Places in the built-in kinds that are labelled, named, imaged and so on.
//!
//! Contract: kustomize-build §4.2.

use super::row::{BuiltinRow, row};

/// Where `namePrefix` goes.
pub(super) const NAME_PREFIX: &[BuiltinRow] = &[row("", "", "", "metadata/name")];

/// Where `nameSuffix` goes.
pub(super) const NAME_SUFFIX: &[BuiltinRow] = &[row("", "", "", "metadata/name")];

/// Where `namespace` goes, beside `metadata.namespace` itself.
pub(super) const NAMESPACE: &[BuiltinRow] = &[
    row("", "", "Namespace", "metadata/name").create(),
    row(
        "apiextensions.k8s.io",
        "",
        "CustomResourceDefinition",
        "spec/conversion/webhook/clientConfig/service/namespace",
    ),
    row("apiregistration.k8s.io", "", "APIService", "spec/service/namespace").create(),
];

/// Labels and the selectors that must follow them.
pub(super) const COMMON_LABELS: &[BuiltinRow] = &[
    row("", "v1", "Service", "spec/selector").create(),
    row(
        "apps",
        "",
        "Deployment",
        "spec/template/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
    ),
    row(
        "apps",
        "",
        "Deployment",
        "spec/template/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    ),
    row(
        "apps",
        "",
        "Deployment",
        "spec/template/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
    ),
    row(
        "apps",
        "",
        "Deployment",
        "spec/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    ),
    row("apps", "", "Deployment", "spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels"),
    row("", "", "Deployment", "spec/template/metadata/labels").create(),
    row("", "", "Deployment", "spec/selector/matchLabels").create(),
    row("apps", "", "StatefulSet", "spec/selector/matchLabels").create(),
    row("apps", "", "StatefulSet", "spec/volumeClaimTemplates[]/metadata/labels").create(),
    row(
        "apps",
        "",
        "StatefulSet",
        "spec/template/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
    ),
    row(
        "apps",
        "",
        "StatefulSet",
        "spec/template/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    ),
    row(
        "apps",
        "",
        "StatefulSet",
        "spec/template/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
    ),
    row(
        "apps",
        "",
        "StatefulSet",
        "spec/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    ),
    row("apps", "", "StatefulSet", "spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels"),
    row("apps", "", "StatefulSet", "spec/template/metadata/labels").create(),
    row("batch", "", "CronJob", "spec/jobTemplate/metadata/labels").create(),
    row("batch", "", "CronJob", "spec/jobTemplate/spec/template/metadata/labels").create(),
    row("batch", "", "CronJob", "spec/jobTemplate/spec/selector/matchLabels"),
    row("policy", "", "PodDisruptionBudget", "spec/selector/matchLabels"),
    row("batch", "", "Job", "spec/selector/matchLabels"),
    row("batch", "", "Job", "spec/template/metadata/labels").create(),
    row("networking.k8s.io", "", "NetworkPolicy", "spec/egress/to/podSelector/matchLabels"),
    row("networking.k8s.io", "", "NetworkPolicy", "spec/ingress/from/podSelector/matchLabels"),
    row("networking.k8s.io", "", "NetworkPolicy", "spec/podSelector/matchLabels"),
    row("", "v1", "ReplicationController", "spec/template/metadata/labels").create(),
    row("", "v1", "ReplicationController", "spec/selector").create(),
    row("", "", "DaemonSet", "spec/template/metadata/labels").create(),
    row("", "", "DaemonSet", "spec/selector/matchLabels").create(),
    row("", "", "ReplicaSet", "spec/template/metadata/labels").create(),
    row("", "", "ReplicaSet", "spec/selector/matchLabels").create(),
    row("", "", "", "metadata/labels").create(),
];

/// Labels of objects and of the templates inside them.
pub(super) const TEMPLATE_LABELS: &[BuiltinRow] = &[
    row("", "", "Deployment", "spec/template/metadata/labels").create(),
    row("apps", "", "StatefulSet", "spec/template/metadata/labels").create(),
    row("apps", "", "StatefulSet", "spec/volumeClaimTemplates[]/metadata/labels").create(),
    row("batch", "", "CronJob", "spec/jobTemplate/metadata/labels").create(),
    row("batch", "", "CronJob", "spec/jobTemplate/spec/template/metadata/labels").create(),
    row("batch", "", "Job", "spec/template/metadata/labels").create(),
    row("", "v1", "ReplicationController", "spec/template/metadata/labels").create(),
    row("", "", "DaemonSet", "spec/template/metadata/labels").create(),
    row("", "", "ReplicaSet", "spec/template/metadata/labels").create(),
    row("", "", "", "metadata/labels").create(),
];

/// Annotations of objects and of the templates inside them.
pub(super) const COMMON_ANNOTATIONS: &[BuiltinRow] = &[
    row("", "", "Deployment", "spec/template/metadata/annotations").create(),
    row("", "", "StatefulSet", "spec/template/metadata/annotations").create(),
    row("batch", "", "CronJob", "spec/jobTemplate/metadata/annotations").create(),
    row("batch", "", "CronJob", "spec/jobTemplate/spec/template/metadata/annotations").create(),
    row("batch", "", "Job", "spec/template/metadata/annotations").create(),
    row("", "v1", "ReplicationController", "spec/template/metadata/annotations").create(),
    row("", "", "DaemonSet", "spec/template/metadata/annotations").create(),
    row("", "", "ReplicaSet", "spec/template/metadata/annotations").create(),
    row("", "", "", "metadata/annotations").create(),
];

/// Image references outside of the free scan.
pub(super) const IMAGES: &[BuiltinRow] = &[
    row("", "", "", "spec/containers[]/image").create(),
    row("", "", "", "spec/initContainers[]/image").create(),
    row("", "", "", "spec/volumes[]/image/reference").create(),
    row("", "", "", "spec/template/spec/containers[]/image").create(),
    row("", "", "", "spec/template/spec/initContainers[]/image").create(),
    row("", "", "", "spec/template/spec/volumes[]/image/reference").create(),
];

/// Replica counts.
pub(super) const REPLICAS: &[BuiltinRow] = &[
    row("", "", "Deployment", "spec/replicas").create(),
    row("", "", "StatefulSet", "spec/replicas").create(),
    row("", "", "ReplicaSet", "spec/replicas").create(),
    row("", "", "ReplicationController", "spec/replicas").create(),
];

/// Strings in which variables are replaced.
pub(super) const VAR_REFERENCE: &[BuiltinRow] = &[
    row("", "", "Service", "spec/ports/port"),
    row("", "", "Service", "spec/ports/targetPort"),
    row("", "", "PersistentVolume", "spec/nfs/server"),
    row("", "", "Deployment", "spec/template/spec/initContainers/volumeMounts/mountPath"),
    row("", "", "Deployment", "spec/template/spec/initContainers/env/value"),
    row("", "", "Deployment", "spec/template/spec/initContainers/command"),
    row("", "", "Deployment", "spec/template/spec/initContainers/args"),
    row("", "", "Deployment", "spec/template/spec/containers/volumeMounts/mountPath"),
    row("", "", "Deployment", "spec/template/spec/containers/env/value"),
    row("", "", "Deployment", "spec/template/spec/volumes/nfs/server"),
    row("", "", "Deployment", "spec/template/metadata/annotations"),
    row("", "", "Deployment", "spec/template/spec/containers/command"),
    row("", "", "Deployment", "spec/template/spec/containers/args"),
    row("", "", "StatefulSet", "spec/template/spec/containers/volumeMounts/mountPath"),
    row("", "", "StatefulSet", "spec/template/spec/containers/env/value"),
    row("", "", "StatefulSet", "spec/template/spec/initContainers/args"),
    row("", "", "StatefulSet", "spec/volumeClaimTemplates/spec/nfs/server"),
    row("", "", "StatefulSet", "spec/template/spec/initContainers/command"),
    row("", "", "StatefulSet", "spec/template/spec/containers/command"),
    row("", "", "StatefulSet", "spec/template/spec/containers/args"),
    row("", "", "StatefulSet", "spec/template/spec/initContainers/volumeMounts/mountPath"),
    row("", "", "StatefulSet", "spec/template/spec/initContainers/env/value"),
    row("", "", "CronJob", "spec/jobTemplate/spec/template/spec/initContainers/env/value"),
    row("", "", "CronJob", "spec/jobTemplate/spec/template/spec/initContainers/command"),
    row("", "", "CronJob", "spec/jobTemplate/spec/template/spec/initContainers/args"),
    row("", "", "CronJob", "spec/jobTemplate/spec/template/spec/containers/volumeMounts/mountPath"),
    row("", "", "CronJob", "spec/jobTemplate/spec/template/spec/containers/env/value"),
    row("", "", "CronJob", "spec/jobTemplate/spec/template/spec/containers/command"),
    row("", "", "CronJob", "spec/jobTemplate/spec/template/spec/initContainers/volumeMounts/mountPath"),
    row("", "", "CronJob", "spec/jobTemplate/spec/template/volumes/nfs/server"),
    row("", "", "CronJob", "spec/jobTemplate/spec/template/spec/containers/args"),
    row("", "", "DaemonSet", "spec/template/spec/containers/command"),
    row("", "", "DaemonSet", "spec/template/spec/volumes/nfs/server"),
    row("", "", "DaemonSet", "spec/template/spec/initContainers/volumeMounts/mountPath"),
    row("", "", "DaemonSet", "spec/template/spec/initContainers/env/value"),
    row("", "", "DaemonSet", "spec/template/spec/initContainers/command"),
    row("", "", "DaemonSet", "spec/template/spec/initContainers/args"),
    row("", "", "DaemonSet", "spec/template/spec/containers/volumeMounts/mountPath"),
    row("", "", "DaemonSet", "spec/template/spec/containers/env/value"),
    row("", "", "DaemonSet", "spec/template/spec/containers/args"),
    row("", "", "Ingress", "spec/tls/secretName"),
    row("", "", "Ingress", "spec/tls/hosts"),
    row("", "", "Ingress", "spec/rules/host"),
    row("", "", "Job", "spec/template/spec/initContainers/command"),
    row("", "", "Job", "spec/template/spec/volumes/nfs/server"),
    row("", "", "Job", "spec/template/spec/containers/args"),
    row("", "", "Job", "spec/template/spec/containers/command"),
    row("", "", "Job", "spec/template/spec/containers/env/value"),
    row("", "", "Job", "spec/template/spec/containers/volumeMounts/mountPath"),
    row("", "", "Job", "spec/template/spec/initContainers/args"),
    row("", "", "Job", "spec/template/spec/initContainers/env/value"),
    row("", "", "Job", "spec/template/spec/initContainers/volumeMounts/mountPath"),
    row("", "", "Pod", "spec/containers/volumeMounts/mountPath"),
    row("", "", "Pod", "spec/containers/args"),
    row("", "", "Pod", "spec/initContainers/command"),
    row("", "", "Pod", "spec/initContainers/env/value"),
    row("", "", "Pod", "spec/initContainers/volumeMounts/mountPath"),
    row("", "", "Pod", "spec/volumes/nfs/server"),
    row("", "", "Pod", "spec/initContainers/args"),
    row("", "", "Pod", "spec/containers/env/value"),
    row("", "", "Pod", "spec/containers/command"),
    row("", "", "ReplicaSet", "spec/template/spec/volumes/nfs/server"),
    row("", "", "ReplicaSet", "spec/template/spec/containers/volumeMounts/mountPath"),
    row("", "", "ReplicaSet", "spec/template/spec/containers/env/value"),
    row("", "", "ReplicaSet", "spec/template/spec/containers/command"),
    row("", "", "ReplicaSet", "spec/template/spec/containers/args"),
    row("", "", "ReplicaSet", "spec/template/spec/initContainers/args"),
    row("", "", "ReplicaSet", "spec/template/spec/initContainers/volumeMounts/mountPath"),
    row("", "", "ReplicaSet", "spec/template/spec/initContainers/env/value"),
    row("", "", "ReplicaSet", "spec/template/spec/initContainers/command"),
    row("", "", "", "metadata/labels"),
    row("", "", "", "metadata/annotations"),
];
