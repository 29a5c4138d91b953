//! Scope of the built-in kinds and the merge keys of their lists (Kubernetes v1.21.2).
//!
//! Only definitions from which a merge list can be reached are here; a field that is absent has no merge semantics
//! below it. Contract: kustomize-build §5.

use super::schema::{Definition, KindRow, Scope, items, keyed, object, set};

/// Every kind with a known scope or merge lists: apiVersion, kind, scope, definition.
pub(super) const KINDS: &[KindRow] = &[
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", Scope::Cluster, Some(0)),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", Scope::Cluster, Some(1)),
    ("admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration", Scope::Cluster, Some(2)),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfiguration", Scope::Cluster, Some(3)),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition", Scope::Cluster, Some(119)),
    ("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", Scope::Cluster, Some(120)),
    ("apiregistration.k8s.io/v1", "APIService", Scope::Cluster, Some(122)),
    ("apiregistration.k8s.io/v1beta1", "APIService", Scope::Cluster, Some(124)),
    ("apps/v1", "ControllerRevision", Scope::Namespaced, Some(4)),
    ("apps/v1", "DaemonSet", Scope::Namespaced, Some(5)),
    ("apps/v1", "Deployment", Scope::Namespaced, Some(8)),
    ("apps/v1", "ReplicaSet", Scope::Namespaced, Some(11)),
    ("apps/v1", "StatefulSet", Scope::Namespaced, Some(14)),
    ("authentication.k8s.io/v1", "TokenRequest", Scope::Unknown, Some(17)),
    ("authentication.k8s.io/v1", "TokenReview", Scope::Unknown, Some(18)),
    ("authentication.k8s.io/v1beta1", "TokenReview", Scope::Unknown, Some(19)),
    ("authorization.k8s.io/v1", "LocalSubjectAccessReview", Scope::Unknown, Some(20)),
    ("authorization.k8s.io/v1", "SelfSubjectAccessReview", Scope::Unknown, Some(21)),
    ("authorization.k8s.io/v1", "SelfSubjectRulesReview", Scope::Unknown, Some(22)),
    ("authorization.k8s.io/v1", "SubjectAccessReview", Scope::Unknown, Some(23)),
    ("authorization.k8s.io/v1beta1", "LocalSubjectAccessReview", Scope::Unknown, Some(24)),
    ("authorization.k8s.io/v1beta1", "SelfSubjectAccessReview", Scope::Unknown, Some(25)),
    ("authorization.k8s.io/v1beta1", "SelfSubjectRulesReview", Scope::Unknown, Some(26)),
    ("authorization.k8s.io/v1beta1", "SubjectAccessReview", Scope::Unknown, Some(27)),
    ("autoscaling/v1", "HorizontalPodAutoscaler", Scope::Namespaced, Some(28)),
    ("autoscaling/v1", "Scale", Scope::Namespaced, Some(29)),
    ("autoscaling/v2beta1", "HorizontalPodAutoscaler", Scope::Namespaced, Some(30)),
    ("autoscaling/v2beta2", "HorizontalPodAutoscaler", Scope::Namespaced, Some(31)),
    ("batch/v1", "CronJob", Scope::Namespaced, Some(32)),
    ("batch/v1", "Job", Scope::Namespaced, Some(34)),
    ("batch/v1beta1", "CronJob", Scope::Namespaced, Some(38)),
    ("certificates.k8s.io/v1", "CertificateSigningRequest", Scope::Cluster, Some(41)),
    ("certificates.k8s.io/v1beta1", "CertificateSigningRequest", Scope::Cluster, Some(42)),
    ("coordination.k8s.io/v1", "Lease", Scope::Namespaced, Some(43)),
    ("coordination.k8s.io/v1beta1", "Lease", Scope::Namespaced, Some(44)),
    ("discovery.k8s.io/v1", "EndpointSlice", Scope::Namespaced, Some(78)),
    ("discovery.k8s.io/v1beta1", "EndpointSlice", Scope::Namespaced, Some(79)),
    ("events.k8s.io/v1", "Event", Scope::Namespaced, Some(80)),
    ("events.k8s.io/v1beta1", "Event", Scope::Namespaced, Some(81)),
    ("extensions/v1beta1", "Ingress", Scope::Namespaced, Some(82)),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema", Scope::Cluster, Some(83)),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "PriorityLevelConfiguration", Scope::Cluster, Some(84)),
    ("kustomize.config.k8s.io/v1beta1", "Kustomization", Scope::Unknown, Some(126)),
    ("networking.k8s.io/v1", "Ingress", Scope::Namespaced, Some(85)),
    ("networking.k8s.io/v1", "IngressClass", Scope::Cluster, Some(86)),
    ("networking.k8s.io/v1", "NetworkPolicy", Scope::Namespaced, Some(87)),
    ("networking.k8s.io/v1beta1", "Ingress", Scope::Namespaced, Some(88)),
    ("networking.k8s.io/v1beta1", "IngressClass", Scope::Cluster, Some(89)),
    ("node.k8s.io/v1", "RuntimeClass", Scope::Cluster, Some(90)),
    ("node.k8s.io/v1beta1", "RuntimeClass", Scope::Cluster, Some(91)),
    ("policy/v1", "PodDisruptionBudget", Scope::Namespaced, Some(92)),
    ("policy/v1beta1", "Eviction", Scope::Unknown, Some(94)),
    ("policy/v1beta1", "PodDisruptionBudget", Scope::Namespaced, Some(95)),
    ("policy/v1beta1", "PodSecurityPolicy", Scope::Cluster, Some(97)),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", Scope::Cluster, Some(98)),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", Scope::Cluster, Some(99)),
    ("rbac.authorization.k8s.io/v1", "Role", Scope::Namespaced, Some(100)),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", Scope::Namespaced, Some(101)),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRole", Scope::Cluster, Some(102)),
    ("rbac.authorization.k8s.io/v1beta1", "ClusterRoleBinding", Scope::Cluster, Some(103)),
    ("rbac.authorization.k8s.io/v1beta1", "Role", Scope::Namespaced, Some(104)),
    ("rbac.authorization.k8s.io/v1beta1", "RoleBinding", Scope::Namespaced, Some(105)),
    ("scheduling.k8s.io/v1", "PriorityClass", Scope::Cluster, Some(106)),
    ("scheduling.k8s.io/v1beta1", "PriorityClass", Scope::Cluster, Some(107)),
    ("storage.k8s.io/v1", "CSIDriver", Scope::Cluster, Some(108)),
    ("storage.k8s.io/v1", "CSINode", Scope::Cluster, Some(109)),
    ("storage.k8s.io/v1", "StorageClass", Scope::Cluster, Some(111)),
    ("storage.k8s.io/v1", "VolumeAttachment", Scope::Cluster, Some(112)),
    ("storage.k8s.io/v1beta1", "CSIDriver", Scope::Cluster, Some(113)),
    ("storage.k8s.io/v1beta1", "CSINode", Scope::Cluster, Some(114)),
    ("storage.k8s.io/v1beta1", "CSIStorageCapacity", Scope::Namespaced, Some(116)),
    ("storage.k8s.io/v1beta1", "StorageClass", Scope::Cluster, Some(117)),
    ("storage.k8s.io/v1beta1", "VolumeAttachment", Scope::Cluster, Some(118)),
    ("v1", "Binding", Scope::Unknown, Some(45)),
    ("v1", "ComponentStatus", Scope::Cluster, Some(46)),
    ("v1", "ConfigMap", Scope::Namespaced, Some(47)),
    ("v1", "Endpoints", Scope::Namespaced, Some(49)),
    ("v1", "Event", Scope::Namespaced, Some(52)),
    ("v1", "LimitRange", Scope::Namespaced, Some(53)),
    ("v1", "Namespace", Scope::Cluster, Some(54)),
    ("v1", "Node", Scope::Cluster, Some(56)),
    ("v1", "NodeProxyOptions", Scope::Cluster, None),
    ("v1", "PersistentVolume", Scope::Cluster, Some(59)),
    ("v1", "PersistentVolumeClaim", Scope::Namespaced, Some(60)),
    ("v1", "Pod", Scope::Namespaced, Some(63)),
    ("v1", "PodAttachOptions", Scope::Namespaced, None),
    ("v1", "PodExecOptions", Scope::Namespaced, None),
    ("v1", "PodPortForwardOptions", Scope::Namespaced, None),
    ("v1", "PodProxyOptions", Scope::Namespaced, None),
    ("v1", "PodTemplate", Scope::Namespaced, Some(66)),
    ("v1", "ReplicationController", Scope::Namespaced, Some(68)),
    ("v1", "ResourceQuota", Scope::Namespaced, Some(71)),
    ("v1", "Secret", Scope::Namespaced, Some(72)),
    ("v1", "Service", Scope::Namespaced, Some(73)),
    ("v1", "ServiceAccount", Scope::Namespaced, Some(74)),
    ("v1", "ServiceProxyOptions", Scope::Namespaced, None),
];

/// The definitions, by number.
pub(super) const DEFINITIONS: &[Definition] = &[
    // 0: admissionregistration.v1.MutatingWebhookConfiguration
    &[object("metadata", 121), keyed("webhooks", &["name"], None)],
    // 1: admissionregistration.v1.ValidatingWebhookConfiguration
    &[object("metadata", 121), keyed("webhooks", &["name"], None)],
    // 2: admissionregistration.v1beta1.MutatingWebhookConfiguration
    &[object("metadata", 121), keyed("webhooks", &["name"], None)],
    // 3: admissionregistration.v1beta1.ValidatingWebhookConfiguration
    &[object("metadata", 121), keyed("webhooks", &["name"], None)],
    // 4: apps.v1.ControllerRevision
    &[object("metadata", 121)],
    // 5: apps.v1.DaemonSet
    &[object("metadata", 121), object("spec", 6), object("status", 7)],
    // 6: apps.v1.DaemonSetSpec
    &[object("template", 67)],
    // 7: apps.v1.DaemonSetStatus
    &[keyed("conditions", &["type"], None)],
    // 8: apps.v1.Deployment
    &[object("metadata", 121), object("spec", 9), object("status", 10)],
    // 9: apps.v1.DeploymentSpec
    &[object("template", 67)],
    // 10: apps.v1.DeploymentStatus
    &[keyed("conditions", &["type"], None)],
    // 11: apps.v1.ReplicaSet
    &[object("metadata", 121), object("spec", 12), object("status", 13)],
    // 12: apps.v1.ReplicaSetSpec
    &[object("template", 67)],
    // 13: apps.v1.ReplicaSetStatus
    &[keyed("conditions", &["type"], None)],
    // 14: apps.v1.StatefulSet
    &[object("metadata", 121), object("spec", 15), object("status", 16)],
    // 15: apps.v1.StatefulSetSpec
    &[object("template", 67), items("volumeClaimTemplates", 60)],
    // 16: apps.v1.StatefulSetStatus
    &[keyed("conditions", &["type"], None)],
    // 17: authentication.v1.TokenRequest
    &[object("metadata", 121)],
    // 18: authentication.v1.TokenReview
    &[object("metadata", 121)],
    // 19: authentication.v1beta1.TokenReview
    &[object("metadata", 121)],
    // 20: authorization.v1.LocalSubjectAccessReview
    &[object("metadata", 121)],
    // 21: authorization.v1.SelfSubjectAccessReview
    &[object("metadata", 121)],
    // 22: authorization.v1.SelfSubjectRulesReview
    &[object("metadata", 121)],
    // 23: authorization.v1.SubjectAccessReview
    &[object("metadata", 121)],
    // 24: authorization.v1beta1.LocalSubjectAccessReview
    &[object("metadata", 121)],
    // 25: authorization.v1beta1.SelfSubjectAccessReview
    &[object("metadata", 121)],
    // 26: authorization.v1beta1.SelfSubjectRulesReview
    &[object("metadata", 121)],
    // 27: authorization.v1beta1.SubjectAccessReview
    &[object("metadata", 121)],
    // 28: autoscaling.v1.HorizontalPodAutoscaler
    &[object("metadata", 121)],
    // 29: autoscaling.v1.Scale
    &[object("metadata", 121)],
    // 30: autoscaling.v2beta1.HorizontalPodAutoscaler
    &[object("metadata", 121)],
    // 31: autoscaling.v2beta2.HorizontalPodAutoscaler
    &[object("metadata", 121)],
    // 32: batch.v1.CronJob
    &[object("metadata", 121), object("spec", 33)],
    // 33: batch.v1.CronJobSpec
    &[object("jobTemplate", 37)],
    // 34: batch.v1.Job
    &[object("metadata", 121), object("spec", 35), object("status", 36)],
    // 35: batch.v1.JobSpec
    &[object("template", 67)],
    // 36: batch.v1.JobStatus
    &[keyed("conditions", &["type"], None)],
    // 37: batch.v1.JobTemplateSpec
    &[object("metadata", 121), object("spec", 35)],
    // 38: batch.v1beta1.CronJob
    &[object("metadata", 121), object("spec", 39)],
    // 39: batch.v1beta1.CronJobSpec
    &[object("jobTemplate", 40)],
    // 40: batch.v1beta1.JobTemplateSpec
    &[object("metadata", 121), object("spec", 35)],
    // 41: certificates.v1.CertificateSigningRequest
    &[object("metadata", 121)],
    // 42: certificates.v1beta1.CertificateSigningRequest
    &[object("metadata", 121)],
    // 43: coordination.v1.Lease
    &[object("metadata", 121)],
    // 44: coordination.v1beta1.Lease
    &[object("metadata", 121)],
    // 45: core.v1.Binding
    &[object("metadata", 121)],
    // 46: core.v1.ComponentStatus
    &[keyed("conditions", &["type"], None), object("metadata", 121)],
    // 47: core.v1.ConfigMap
    &[object("metadata", 121)],
    // 48: core.v1.Container
    &[
        keyed("env", &["name"], None),
        keyed("ports", &["containerPort", "protocol"], None),
        keyed("volumeDevices", &["devicePath"], None),
        keyed("volumeMounts", &["mountPath"], None),
    ],
    // 49: core.v1.Endpoints
    &[object("metadata", 121)],
    // 50: core.v1.EphemeralContainer
    &[
        keyed("env", &["name"], None),
        keyed("volumeDevices", &["devicePath"], None),
        keyed("volumeMounts", &["mountPath"], None),
    ],
    // 51: core.v1.EphemeralVolumeSource
    &[object("volumeClaimTemplate", 62)],
    // 52: core.v1.Event
    &[object("metadata", 121)],
    // 53: core.v1.LimitRange
    &[object("metadata", 121)],
    // 54: core.v1.Namespace
    &[object("metadata", 121), object("status", 55)],
    // 55: core.v1.NamespaceStatus
    &[keyed("conditions", &["type"], None)],
    // 56: core.v1.Node
    &[object("metadata", 121), object("spec", 57), object("status", 58)],
    // 57: core.v1.NodeSpec
    &[set("podCIDRs")],
    // 58: core.v1.NodeStatus
    &[keyed("addresses", &["type"], None), keyed("conditions", &["type"], None)],
    // 59: core.v1.PersistentVolume
    &[object("metadata", 121)],
    // 60: core.v1.PersistentVolumeClaim
    &[object("metadata", 121), object("status", 61)],
    // 61: core.v1.PersistentVolumeClaimStatus
    &[keyed("conditions", &["type"], None)],
    // 62: core.v1.PersistentVolumeClaimTemplate
    &[object("metadata", 121)],
    // 63: core.v1.Pod
    &[object("metadata", 121), object("spec", 64), object("status", 65)],
    // 64: core.v1.PodSpec
    &[
        keyed("containers", &["name"], Some(48)),
        keyed("ephemeralContainers", &["name"], Some(50)),
        keyed("hostAliases", &["ip"], None),
        keyed("imagePullSecrets", &["name"], None),
        keyed("initContainers", &["name"], Some(48)),
        keyed("topologySpreadConstraints", &["topologyKey", "whenUnsatisfiable"], None),
        keyed("volumes", &["name"], Some(77)),
    ],
    // 65: core.v1.PodStatus
    &[keyed("conditions", &["type"], None), keyed("podIPs", &["ip"], None)],
    // 66: core.v1.PodTemplate
    &[object("metadata", 121), object("template", 67)],
    // 67: core.v1.PodTemplateSpec
    &[object("metadata", 121), object("spec", 64)],
    // 68: core.v1.ReplicationController
    &[object("metadata", 121), object("spec", 69), object("status", 70)],
    // 69: core.v1.ReplicationControllerSpec
    &[object("template", 67)],
    // 70: core.v1.ReplicationControllerStatus
    &[keyed("conditions", &["type"], None)],
    // 71: core.v1.ResourceQuota
    &[object("metadata", 121)],
    // 72: core.v1.Secret
    &[object("metadata", 121)],
    // 73: core.v1.Service
    &[object("metadata", 121), object("spec", 75), object("status", 76)],
    // 74: core.v1.ServiceAccount
    &[object("metadata", 121), keyed("secrets", &["name"], None)],
    // 75: core.v1.ServiceSpec
    &[keyed("ports", &["port", "protocol"], None)],
    // 76: core.v1.ServiceStatus
    &[keyed("conditions", &["type"], None)],
    // 77: core.v1.Volume
    &[object("ephemeral", 51)],
    // 78: discovery.v1.EndpointSlice
    &[object("metadata", 121)],
    // 79: discovery.v1beta1.EndpointSlice
    &[object("metadata", 121)],
    // 80: events.v1.Event
    &[object("metadata", 121)],
    // 81: events.v1beta1.Event
    &[object("metadata", 121)],
    // 82: extensions.v1beta1.Ingress
    &[object("metadata", 121)],
    // 83: flowcontrol.v1beta1.FlowSchema
    &[object("metadata", 121)],
    // 84: flowcontrol.v1beta1.PriorityLevelConfiguration
    &[object("metadata", 121)],
    // 85: networking.v1.Ingress
    &[object("metadata", 121)],
    // 86: networking.v1.IngressClass
    &[object("metadata", 121)],
    // 87: networking.v1.NetworkPolicy
    &[object("metadata", 121)],
    // 88: networking.v1beta1.Ingress
    &[object("metadata", 121)],
    // 89: networking.v1beta1.IngressClass
    &[object("metadata", 121)],
    // 90: node.v1.RuntimeClass
    &[object("metadata", 121)],
    // 91: node.v1beta1.RuntimeClass
    &[object("metadata", 121)],
    // 92: policy.v1.PodDisruptionBudget
    &[object("metadata", 121), object("status", 93)],
    // 93: policy.v1.PodDisruptionBudgetStatus
    &[keyed("conditions", &["type"], None)],
    // 94: policy.v1beta1.Eviction
    &[object("metadata", 121)],
    // 95: policy.v1beta1.PodDisruptionBudget
    &[object("metadata", 121), object("status", 96)],
    // 96: policy.v1beta1.PodDisruptionBudgetStatus
    &[keyed("conditions", &["type"], None)],
    // 97: policy.v1beta1.PodSecurityPolicy
    &[object("metadata", 121)],
    // 98: rbac.v1.ClusterRole
    &[object("metadata", 121)],
    // 99: rbac.v1.ClusterRoleBinding
    &[object("metadata", 121)],
    // 100: rbac.v1.Role
    &[object("metadata", 121)],
    // 101: rbac.v1.RoleBinding
    &[object("metadata", 121)],
    // 102: rbac.v1beta1.ClusterRole
    &[object("metadata", 121)],
    // 103: rbac.v1beta1.ClusterRoleBinding
    &[object("metadata", 121)],
    // 104: rbac.v1beta1.Role
    &[object("metadata", 121)],
    // 105: rbac.v1beta1.RoleBinding
    &[object("metadata", 121)],
    // 106: scheduling.v1.PriorityClass
    &[object("metadata", 121)],
    // 107: scheduling.v1beta1.PriorityClass
    &[object("metadata", 121)],
    // 108: storage.v1.CSIDriver
    &[object("metadata", 121)],
    // 109: storage.v1.CSINode
    &[object("metadata", 121), object("spec", 110)],
    // 110: storage.v1.CSINodeSpec
    &[keyed("drivers", &["name"], None)],
    // 111: storage.v1.StorageClass
    &[object("metadata", 121)],
    // 112: storage.v1.VolumeAttachment
    &[object("metadata", 121)],
    // 113: storage.v1beta1.CSIDriver
    &[object("metadata", 121)],
    // 114: storage.v1beta1.CSINode
    &[object("metadata", 121), object("spec", 115)],
    // 115: storage.v1beta1.CSINodeSpec
    &[keyed("drivers", &["name"], None)],
    // 116: storage.v1beta1.CSIStorageCapacity
    &[object("metadata", 121)],
    // 117: storage.v1beta1.StorageClass
    &[object("metadata", 121)],
    // 118: storage.v1beta1.VolumeAttachment
    &[object("metadata", 121)],
    // 119: apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition
    &[object("metadata", 121)],
    // 120: apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinition
    &[object("metadata", 121)],
    // 121: apimachinery.pkg.apis.meta.v1.ObjectMeta
    &[set("finalizers"), keyed("ownerReferences", &["uid"], None)],
    // 122: kube-aggregator.pkg.apis.apiregistration.v1.APIService
    &[object("metadata", 121), object("status", 123)],
    // 123: kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus
    &[keyed("conditions", &["type"], None)],
    // 124: kube-aggregator.pkg.apis.apiregistration.v1beta1.APIService
    &[object("metadata", 121), object("status", 125)],
    // 125: kube-aggregator.pkg.apis.apiregistration.v1beta1.APIServiceStatus
    &[keyed("conditions", &["type"], None)],
    // 126: kustomize.Kustomization
    &[keyed("configMapGenerator", &["name"], None), keyed("secretGenerator", &["name"], None)],
];
