//! The rows, in the catalogue's order.

use super::classes::Next;
use super::row::{APPLY, BASE, DENIED, FETCH, Row, WAITS};
use super::{Offer, Tells};
use crate::bench::CONFIG_MAP;

/// Rows that this version can't meet.
pub(super) const NOT_YET: &[(&str, &str)] = &[
    ("invalid healthCheckExprs / readyExpr syntax or type", "CEL is not there yet"),
    ("missing decryption Secret", "SOPS is not there yet"),
    ("bad age/pgp/cloud credential entry", "SOPS is not there yet"),
    ("wrong key", "SOPS is not there yet"),
    ("encrypted source file problems", "SOPS is not there yet"),
    ("kubeconfig Secret/key missing or invalid", "kubeConfig is not there yet"),
    ("kubeconfig ConfigMap missing / its SA missing or gate off", "kubeConfig is not there yet"),
    ("bad label selector / gate / jitter flags", "the program's exit, tested with its command line"),
];

pub(super) const ROWS: &[Row] = &[
    Row {
        input: "source object missing",
        offer: Offer::NoSource,
        message: "GitRepository.source.toolkit.fluxcd.io \"repo\" not found",
        tells: Tells::Nothing,
        ..FETCH
    },
    Row {
        input: "source without artifact",
        next: Next::Dependency,
        offer: Offer::NoArtifact,
        message: "Source artifact not found, retrying in 2s",
        tells: Tells::Nothing,
        ..FETCH
    },
    Row {
        input: "source without artifact, of a kind that this version does not reconcile",
        next: Next::Dependency,
        offer: Offer::NoSource,
        before: "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata:\n  name: repo\nspec:\n  interval: \
                 1h\n  url: oci://127.0.0.1/repo\n",
        spec: r#"{"sourceRef": {"kind": "OCIRepository"}}"#,
        message: "Source artifact not found, retrying in 2s\nthis version does not reconcile OCIRepository objects yet: \
                  leave this Kustomization to Flux until it does",
        tells: Tells::Nothing,
        ..FETCH
    },
    Row {
        input: "artifact URL 404",
        next: Next::Dependency,
        offer: Offer::Answer(404),
        message: "Source is not ready, artifact not found, retrying in 2s",
        tells: Tells::Nothing,
        ..FETCH
    },
    Row {
        input: "artifact server down",
        offer: Offer::NoServer,
        message: "failed to download archive: GET {url} giving up after 10 attempt(s): dial tcp {address}: connect: \
                  connection refused",
        ..FETCH
    },
    Row {
        input: "artifact server answers 5xx/429 to the end",
        offer: Offer::Answer(503),
        message: "failed to download archive: GET {url} giving up after 10 attempt(s)",
        ..FETCH
    },
    Row {
        input: "artifact server answers 5xx/429 to the end (429)",
        offer: Offer::Answer(429),
        message: "failed to download archive: GET {url} giving up after 10 attempt(s)",
        ..FETCH
    },
    Row {
        input: "artifact URL 401/403/…",
        offer: Offer::Answer(403),
        message: "failed to download archive from {url} (status: 403 Forbidden)",
        ..FETCH
    },
    Row {
        input: "digest mismatch",
        offer: Offer::WrongBytes,
        message: "failed to verify archive: computed digest doesn't match provided '{digest}' (check whether file size \
                  exceeds max download size)",
        ..FETCH
    },
    Row {
        input: "not a gzip tar",
        offer: Offer::NoArchive,
        message: "failed to extract archive (check whether file size exceeds max download size): requires gzip-compressed \
                  body: gzip: invalid header",
        ..FETCH
    },
    Row {
        input: "path missing",
        spec: r#"{"path": "./nope"}"#,
        message: "kustomization path not found: stat /tmp/kustomization-{ns}-app/nope: no such file or directory\nhint: the \
                  artifact of GitRepository/{ns}/repo at v1 has no 'nope'; it has no folders",
        ..FETCH
    },
    Row {
        input: "path is a file",
        spec: r#"{"path": "./app.yaml"}"#,
        message: "open /tmp/kustomization-{ns}-app/app.yaml/kustomization.yaml: not a directory remove \
                  /tmp/kustomization-{ns}-app/app.yaml/kustomization.yaml: not a directory",
        ..BASE
    },
    Row {
        input: "kustomization file malformed",
        files: &[("kustomization.yaml", "resources: [\n")],
        message: "error converting YAML to JSON: yaml: …",
        ..BASE
    },
    Row {
        input: "kustomization file malformed (schema)",
        files: &[("kustomization.yaml", "resources: 1\n")],
        message: "error unmarshaling JSON: while decoding JSON: …",
        ..BASE
    },
    Row {
        input: "cross-namespace source blocked",
        spec: r#"{"sourceRef": {"namespace": "elsewhere"}}"#,
        message: "can't access 'GitRepository/elsewhere/repo', cross-namespace references have been blocked",
        ..DENIED
    },
    Row {
        input: "ExternalArtifact gate off",
        spec: r#"{"sourceRef": {"kind": "ExternalArtifact"}}"#,
        message: "can't access 'ExternalArtifact/{ns}/repo', ExternalArtifact feature gate is disabled",
        ..DENIED
    },
    Row {
        input: "decryption SA without gate",
        spec: r#"{"decryption": {"provider": "sops", "serviceAccountName": "x"}}"#,
        reason: "FeatureGateDisabled",
        message: "to use spec.decryption.serviceAccountName for decryption authentication please enable the \
                  ObjectLevelWorkloadIdentity feature gate in the controller",
        ..DENIED
    },
    Row {
        input: "dependency missing",
        message: "dependency '{ns}/dep' not found: kustomizations.kustomize.toolkit.fluxcd.io \"dep\" not found",
        ..WAITS
    },
    Row {
        input: "dependency not ready",
        before: DEPENDENCY,
        message: "dependency '{ns}/dep' is not ready",
        ..WAITS
    },
    Row {
        input: "dependency at an old revision",
        before: DEPENDENCY,
        dependency: "v0",
        message: "dependency '{ns}/dep' revision is not up to date",
        ..WAITS
    },
    Row {
        input: "YAML not Kubernetes in plain dir",
        files: &[("x.yaml", "a: b\n")],
        message: "failed to decode Kubernetes YAML from /tmp/kustomization-{ns}-app/x.yaml: …",
        ..BASE
    },
    Row {
        input: "component absolute or URL",
        spec: r#"{"components": ["https://example.com/c"]}"#,
        message: "component path 'https://example.com/c' must be local and relative",
        ..BASE
    },
    Row {
        input: "component absolute or URL (absolute)",
        spec: r#"{"components": ["/c"]}"#,
        message: "component path '/c' must be local and relative",
        ..BASE
    },
    Row {
        input: "kustomize errors, missing base",
        files: &[("kustomization.yaml", "resources: [../base]\n"), ("app.yaml", CONFIG_MAP)],
        message: "kustomize build failed: accumulating resources: …",
        ..BASE
    },
    Row {
        input: "encrypted Secret, no `decryption`",
        files: &[(
            "s.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  k: ENC[AES256_GCM,data:x]\nsops:\n  version: \
             3.9.0\n",
        )],
        message: "Secret/{ns}/s is SOPS encrypted, configuring decryption is required for this secret to be reconciled\n\
                  hint: this version does not decrypt yet: leave this Kustomization to Flux until it does",
        ..APPLY
    },
    Row {
        input: "missing substituteFrom object",
        spec: r#"{"postBuild": {"substituteFrom": [{"kind": "ConfigMap", "name": "x"}]}}"#,
        message: "post build failed for 'ConfigMap.v1.[noGrp]/app': substitute from 'ConfigMap/x' error: configmaps \"x\" \
                  not found",
        ..BASE
    },
    Row {
        input: "missing substituteFrom object (Secret)",
        spec: r#"{"postBuild": {"substituteFrom": [{"kind": "Secret", "name": "x"}]}}"#,
        message: "post build failed for 'ConfigMap.v1.[noGrp]/app': substitute from 'Secret/x' error: secrets \"x\" not \
                  found",
        ..BASE
    },
    Row {
        input: "bad variable name in map",
        spec: r#"{"postBuild": {"substitute": {"a-b": "c"}}}"#,
        message: "post build failed for 'ConfigMap.v1.[noGrp]/app': envsubst error: 'a-b' var name is invalid, must match \
                  '^[_[:alpha:]][_[:alpha:][:digit:]]*$'",
        ..BASE
    },
    Row {
        input: "undefined variable (strict)",
        files: &[("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: ${X}\n")],
        spec: r#"{"postBuild": {"substitute": {"a": "b"}}}"#,
        message: "post build failed for 'ConfigMap.v1.[noGrp]/a': envsubst error: variable substitution failed: variable \
                  not set (strict mode): \"X\"",
        ..BASE
    },
    Row {
        input: "malformed expression",
        files: &[("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: ${a.b}\n")],
        spec: r#"{"postBuild": {"substitute": {"a": "b"}}}"#,
        message: "post build failed for 'ConfigMap.v1.[noGrp]/a': envsubst error: variable substitution failed: missing \
                  closing brace",
        ..BASE
    },
    Row {
        input: "substituted text is not YAML",
        files: &[("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: ${a}\n")],
        spec: r#"{"postBuild": {"substitute": {"a": "b: c"}}}"#,
        message: "post build failed for 'ConfigMap.v1.[noGrp]/a': envsubst error: YAMLToJSON: yaml: …mapping values are not \
                  allowed in this context",
        ..BASE
    },
    Row {
        input: "SA missing or unprivileged",
        spec: r#"{"serviceAccountName": "nobody"}"#,
        message: "ConfigMap/{ns}/app dry-run failed (Forbidden): configmaps \"app\" is forbidden: User \
                  \"system:serviceaccount:{ns}:nobody\" cannot patch resource \"configmaps\" in API group \"\" in the \
                  namespace \"{ns}\"\nSecret/{ns}/held dry-run failed (Forbidden): secrets \"held\" is forbidden: User \
                  \"system:serviceaccount:{ns}:nobody\" cannot patch resource \"secrets\" in API group \"\" in the namespace \
                  \"{ns}\"\nhint: there is no ServiceAccount 'nobody' in namespace '{ns}': create it with \
                  'kubectl create serviceaccount nobody --namespace {ns}' and bind a role to it",
        ..APPLY
    },
    Row {
        input: "no namespace on namespaced object",
        spec: r#"{"targetNamespace": null}"#,
        message: "ConfigMap/app namespace not specified: the server could not find the requested resource\nSecret/held \
                  namespace not specified: the server could not find the requested resource\n",
        ..APPLY
    },
    Row {
        input: "target namespace absent",
        spec: r#"{"targetNamespace": "{ns}-absent"}"#,
        message: "ConfigMap/{ns}-absent/app not found: namespaces \"{ns}-absent\" not found\nSecret/{ns}-absent/held not \
                  found: namespaces \"{ns}-absent\" not found\n",
        ..APPLY
    },
    Row {
        input: "unknown kind",
        files: &[("x.yaml", "apiVersion: example.com/v1\nkind: Foo\nmetadata:\n  name: x\n")],
        message: "Foo/{ns}/x dry-run failed: no matches for kind \"Foo\" in version \"example.com/v1\"\n",
        ..APPLY
    },
    Row {
        input: "schema violation",
        files: &[(
            "x.yaml",
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: x\nspec:\n  ports:\n  - port: 0\n",
        )],
        message: "Service/{ns}/x dry-run failed (Invalid): Service \"x\" is invalid: …spec.ports[0].port: Invalid value: 0: \
                  must be between 1 and 65535, inclusive…\n",
        ..APPLY
    },
    Row {
        input: "schema violation (undeclared field)",
        files: &[(
            "x.yaml",
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: x\nspec:\n  interval: 1h\n  \
             url: http://x\n  nope: 1\n",
        )],
        message: "GitRepository/{ns}/x dry-run failed…: failed to create typed patch object ({ns}/x; \
                  source.toolkit.fluxcd.io/v1, Kind=GitRepository): .spec.nope: field not declared in schema\n",
        ..APPLY
    },
    Row {
        input: "immutable field",
        before: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\nimmutable: true\ndata:\n  k: v0\n",
        message: "ConfigMap/{ns}/app dry-run failed (Invalid): ConfigMap \"app\" is invalid: data: Forbidden: field is \
                  immutable when `immutable` is set\n",
        ..APPLY
    },
    Row {
        input: "CRD/Namespace not ready in 60s",
        files: &[("n.yaml", "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${ns}-ending\n")],
        spec: r#"{"targetNamespace": null, "postBuild": {"substitute": {"ns": "{ns}"}}}"#,
        before: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {ns}-ending\n",
        message: "timeout waiting for: [Namespace/{ns}-ending status: 'Terminating'…]\nNamespace/{ns}-ending configured\n",
        is_slow: true,
        ..APPLY
    },
    Row {
        input: "invalid ignore selector",
        spec: r#"{"ignore": [{"paths": ["/data"], "target": {"kind": "("}}]}"#,
        message: "failed to create ignore rule selector: invalid kind regex: …\n",
        ..APPLY
    },
    Row {
        input: "delete denied by webhook",
        before: DELETES_NOTHING,
        spec: r#"{"serviceAccountName": "careful"}"#,
        inventory: "{ns}_old__ConfigMap",
        reason: "PruneFailed",
        message: "delete failed, errors: ConfigMap/{ns}/old delete failed: configmaps \"old\" is forbidden: User \
                  \"system:serviceaccount:{ns}:careful\" cannot delete resource \"configmaps\" in API group \"\" in the \
                  namespace \"{ns}\";",
        ..BASE
    },
    Row {
        input: "`healthChecks[].apiVersion` malformed",
        spec: r#"{"healthChecks": [{"apiVersion": "a/b/c", "kind": "X", "name": "x"}]}"#,
        reason: "HealthCheckFailed",
        message: "unexpected GroupVersion string: a/b/c",
        ..BASE
    },
    Row {
        input: "unhealthy / timeout",
        spec: r#"{"timeout": "30s", "healthChecks": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "namespace": "{ns}"}]}"#,
        reason: "HealthCheckFailed",
        message: "health check failed after 30.…s: timeout waiting for: [ConfigMap/{ns}/x status: 'NotFound']",
        is_slow: true,
        ..BASE
    },
    Row {
        input: "malformed inventory id in status",
        inventory: "abc",
        message: "unable to parse stored object metadata: abc",
        ..APPLY
    },
];

/// Nobody's dependency, of the same source.
const DEPENDENCY: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: \
                          dep\nspec:\n  interval: 1h\n  prune: true\n  sourceRef:\n    kind: GitRepository\n    name: \
                          repo\n";

/// A ServiceAccount that may do all but delete, and an object that the Kustomization owns.
const DELETES_NOTHING: &str = "
apiVersion: v1
kind: ServiceAccount
metadata: {name: careful}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: careful}
rules: [{apiGroups: [''], resources: [configmaps, secrets], verbs: [get, list, watch, create, update, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: careful}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: careful}
subjects: [{kind: ServiceAccount, name: careful, namespace: '{ns}'}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: old
  labels: {kustomize.toolkit.fluxcd.io/name: app, kustomize.toolkit.fluxcd.io/namespace: '{ns}'}
";
