//! Whose rights count: those of a ServiceAccount of the Kustomization's own namespace, whatever it says.
//!
//! The advisories: CVE-2021-41254 (a program in a Secret of the account), CVE-2022-24817 (a program in a kubeconfig).

use anyhow::{Result, ensure};
use millrace_e2e::config_map;
use millrace_e2e::tenants::{DEFAULT_ACCOUNT, NAMED_ACCOUNT};

use super::world::File::Text;
use super::world::{MALLORY, Rows, World};

/// What is applied, in whose name, and what the API server says to it.
struct Apply<'a> {
    what: &'a str,
    name: &'a str,
    /// Added to the spec.
    more: &'a str,
    manifest: &'a str,
    message: &'a str,
}

const IN_ALICES: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: alice\n";
const PLAIN: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";

const ROWS: &[Apply<'static>] = &[
    Apply {
        what: "an object of another namespace, with the default account",
        name: "foreign",
        more: "  targetNamespace: alice\n",
        manifest: PLAIN,
        message: "ConfigMap/alice/a dry-run failed (Forbidden): configmaps \"a\" is forbidden: User \
                  \"system:serviceaccount:mallory:tenant\" cannot patch resource \"configmaps\" in API group \"\" in the \
                  namespace \
                  \"alice\"\n",
    },
    Apply {
        what: "an object of another namespace, with a named account",
        name: "foreign-named",
        more: "  targetNamespace: alice\n  serviceAccountName: deployer\n",
        manifest: IN_ALICES,
        message: "ConfigMap/alice/a dry-run failed (Forbidden): configmaps \"a\" is forbidden: User \
                  \"system:serviceaccount:mallory:deployer\" cannot patch resource \"configmaps\" in API group \"\" in the \
                  namespace \"alice\"\n",
    },
    Apply {
        what: "an account of another namespace",
        name: "borrowed",
        more: "  targetNamespace: alice\n  serviceAccountName: alice:tenant\n",
        manifest: PLAIN,
        message: "ConfigMap/alice/a dry-run failed (Forbidden): configmaps \"a\" is forbidden: User \
                  \"system:serviceaccount:mallory:alice:tenant\" cannot patch resource \"configmaps\" in API group \"\" \
                  in the \
                  namespace \"alice\"\n",
    },
    Apply {
        what: "an account that is not there",
        name: "ghost",
        more: "  serviceAccountName: ghost\n",
        manifest: PLAIN,
        message: "ConfigMap/mallory/a dry-run failed (Forbidden): configmaps \"a\" is forbidden: User \
                  \"system:serviceaccount:mallory:ghost\" cannot patch resource \"configmaps\" in API group \"\" in the \
                  namespace \
                  \"mallory\"\n",
    },
    Apply {
        what: "the account that every namespace has",
        name: "plain-default",
        more: "  serviceAccountName: default\n",
        manifest: PLAIN,
        message: "ConfigMap/mallory/a dry-run failed (Forbidden): configmaps \"a\" is forbidden: User \
                  \"system:serviceaccount:mallory:default\" cannot patch resource \"configmaps\" in API group \"\" in the \
                  namespace \
                  \"mallory\"\n",
    },
    Apply {
        what: "an object of the cluster, which is what the namespace itself is",
        name: "cluster",
        more: "",
        manifest: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: mallory\n",
        message: "Namespace/mallory dry-run failed (Forbidden): namespaces \"mallory\" is forbidden: User \
                  \"system:serviceaccount:mallory:tenant\" cannot patch resource \"namespaces\" in API group \"\" in the \
                  namespace \
                  \"mallory\"\n",
    },
    Apply {
        what: "all rights in the cluster",
        name: "cluster-admin",
        more: "",
        manifest: "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: loot\nroleRef:\n  \
                   apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: cluster-admin\nsubjects:\n- kind: \
                   ServiceAccount\n  name: tenant\n  namespace: mallory\n",
        message: "ClusterRoleBinding/loot dry-run failed (Forbidden): clusterrolebindings.rbac.authorization.k8s.io \
                  \"loot\" is \
                  forbidden: User \"system:serviceaccount:mallory:tenant\" cannot patch resource \"clusterrolebindings\" \
                  in API \
                  group \"rbac.authorization.k8s.io\" at the cluster scope\n",
    },
    Apply {
        what: "rights in the own namespace that the account does not have",
        name: "escalation",
        more: "",
        manifest: "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: loot\nrules:\n- apiGroups: \
                   [example.com]\n  resources: [things]\n  verbs: [get]\n",
        message: "Role/mallory/loot dry-run failed (Forbidden): roles.rbac.authorization.k8s.io \"loot\" is forbidden: user \
                  \"system:serviceaccount:mallory:tenant\" (groups=[\"system:serviceaccounts\" \
                  \"system:serviceaccounts:mallory\" \
                  \"system:authenticated\"]) is attempting to grant RBAC permissions not currently \
                  held:\n{APIGroups:[\"example.com\"], \
                  Resources:[\"things\"], Verbs:[\"get\"]}\n",
    },
    Apply {
        what: "a Kustomization in another namespace, where another account is the default",
        name: "planted",
        more: "  targetNamespace: alice\n",
        manifest: "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: planted\nspec:\n  \
                   interval: \
                   1h\n  prune: true\n  sourceRef: {kind: GitRepository, name: app}\n",
        message: "Kustomization/alice/planted dry-run failed (Forbidden): kustomizations.kustomize.toolkit.fluxcd.io \
                  \"planted\" is \
                  forbidden: User \"system:serviceaccount:mallory:tenant\" cannot patch resource \"kustomizations\" in \
                  API group \
                  \"kustomize.toolkit.fluxcd.io\" in the namespace \"alice\"\n",
    },
];

pub(super) async fn rows(world: &World) -> Rows {
    let mut rows = Rows::new();
    for row in ROWS {
        rows.push((row.what, refused(world, row).await));
    }
    rows.extend([
        ("a group of masters behind a line break in the account's name", line_break(world).await),
        ("a Kustomization that a Kustomization makes", nested(world).await),
        ("CVE-2022-24817, a program in a kubeconfig", kubeconfig(world).await),
        ("CVE-2021-41254, a program in a Secret of the account", account_secret(world).await),
        ("both accounts may do what is theirs", own_rights(world).await),
    ]);
    rows
}

async fn refused(world: &World, row: &Apply<'_>) -> Result<()> {
    let Apply { what: _, name, more, manifest, message } = row;
    world.attempt(name, more, &[("manifest.yaml", Text(manifest))]).await?;
    world.fails(name, "ReconciliationFailed", message).await
}

async fn line_break(world: &World) -> Result<()> {
    let more =
        "  targetNamespace: alice\n  serviceAccountName: \"tenant\\r\\nImpersonate-Group: system:masters\"\n";
    world.attempt("line-break", more, &[("manifest.yaml", Text(IN_ALICES))]).await?;
    let message = "ConfigMap/alice/a dry-run failed (Forbidden): configmaps \"a\" is forbidden: User \
                   \"system:millrace:invalid-name\" cannot patch resource \"configmaps\" in API group \"\" in the namespace \
                   \"alice\"\n";
    world.fails("line-break", "ReconciliationFailed", message).await
}

/// What a Kustomization of Mallory's makes is hers too: the default account is that of its own namespace.
async fn nested(world: &World) -> Result<()> {
    let inner = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: inner\nspec:\n  \
                 interval: \
                 1h\n  retryInterval: 2s\n  prune: true\n  path: ./inner\n  targetNamespace: alice\n  sourceRef: {kind: \
                 GitRepository, name: nested}\n";
    world
        .attempt(
            "nested",
            "  path: ./outer\n",
            &[("outer/inner.yaml", Text(inner)), ("inner/a.yaml", Text(PLAIN))],
        )
        .await?;
    world.story.ready("Kustomization/nested").await?;
    world.fails("inner", "ReconciliationFailed", ROWS[0].message).await
}

async fn kubeconfig(world: &World) -> Result<()> {
    let mark = world.mark("kubeconfig");
    let kubeconfig = serde_json::json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "x",
        "clusters": [{ "name": "x", "cluster": { "server": world.story.cluster.server() } }],
        "contexts": [{ "name": "x", "context": { "cluster": "x", "user": "x" } }],
        "users": [{ "name": "x", "user": { "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": "touch",
            "args": [mark.display().to_string()],
        } } }],
    });
    let secret = serde_json::json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": { "name": "kubeconfig" },
        "stringData": { "value": kubeconfig.to_string() },
    });
    world.story.apply(&secret.to_string()).await?;
    let more = "  kubeConfig:\n    secretRef:\n      name: kubeconfig\n";
    world.attempt("kubeconfig", more, &[("manifest.yaml", Text(PLAIN))]).await?;
    let message =
        "Reconciliation failed terminally due to configuration error: spec.kubeConfig is not supported yet";
    world.is_stopped("kubeconfig", "ReconciliationFailed", message).await?;
    ensure!(!mark.exists(), "the program was run");
    Ok(())
}

async fn account_secret(world: &World) -> Result<()> {
    let mark = world.mark("account");
    let objects = format!(
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: exploit-token\nstringData:\n  token: ' || touch \
         {}'\n---\napiVersion: \
         v1\nkind: ServiceAccount\nmetadata:\n  name: exploit\nsecrets:\n- name: exploit-token\n",
        mark.display()
    );
    world.story.apply(&objects).await?;
    world.attempt("exploit", "  serviceAccountName: exploit\n", &[("manifest.yaml", Text(PLAIN))]).await?;
    let message = ROWS[3].message.replace(":ghost", ":exploit");
    world.fails("exploit", "ReconciliationFailed", &message).await?;
    ensure!(!mark.exists(), "the program was run");
    Ok(())
}

/// The refusals above are worth something only if the same accounts get what they may have.
async fn own_rights(world: &World) -> Result<()> {
    for (name, account) in [("own-default", DEFAULT_ACCOUNT), ("own-named", NAMED_ACCOUNT)] {
        let map = config_map(name, "1");
        let more = if account == NAMED_ACCOUNT { "  serviceAccountName: deployer\n" } else { "" };
        world.attempt(name, more, &[("map.yaml", Text(&map))]).await?;
        world.story.ready(&format!("Kustomization/{name}")).await?;
        let made = world.read(MALLORY, "ConfigMap", name).await?;
        ensure!(made["metadata"]["labels"]["kustomize.toolkit.fluxcd.io/name"] == name, "{made}");
    }
    world.is_unharmed().await
}
