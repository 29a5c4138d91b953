//! The chart in a cluster: what `helm install` leaves, what an upgrade changes, and what survives the end of the release.

use std::collections::BTreeMap;
use std::io::Write as _;

use anyhow::{Context as _, Result, ensure};
use kube::api::ListParams;
use millrace_e2e::{SOON, Story, TOOLS, config_map, tenants};
use millrace_harness::control_plane::RUNTIME_NAMESPACE;
use millrace_harness::{ControlPlane, Profile, chart, tools, until};
use serde_json::{Value, json};

/// The Services, and the ports that their pods are to be reached at, in both topologies: split, single.
const SERVICES: [(&str, [i64; 2]); 3] = [
    ("source-controller", [9090, 9090]),
    ("notification-controller", [9090, 9091]),
    ("webhook-receiver", [9292, 9292]),
];
/// The Deployments of both topologies.
const SPLIT: [&str; 3] = ["source-controller", "kustomize-controller", "notification-controller"];
const SINGLE: [&str; 1] = ["millrace"];

/// A release in a control plane of its own: much of what it consists of has no namespace.
struct Release {
    cluster: ControlPlane,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_is_what_upstreams_installer_leaves_and_its_definitions_outlive_it() -> Result<()> {
    let Some(release) = Release::place().await? else { return Ok(()) };
    release.helm("install", &["--create-namespace"])?;
    release.runs(&SPLIT, 0).await?;
    release.is_as_recorded().await?;
    let definitions = release.definitions().await?;
    ensure!(definitions.len() == 10, "{definitions:?}");
    release.use_it().await?;

    release.helm("upgrade", &["--reuse-values", "--set", "logLevel=debug"])?;
    release.runs(&SPLIT, 0).await?;
    for name in SPLIT {
        let arguments = release.get("apps/v1", "Deployment", name).await?;
        let arguments = arguments["spec"]["template"]["spec"]["containers"][0]["args"].to_string();
        ensure!(arguments.contains("--log-level=debug"), "{name}: {arguments}");
    }
    // All of it in one process, and back, without losing a definition.
    release.helm("upgrade", &["--reuse-values", "--set", "topology=single"])?;
    release.runs(&SINGLE, 1).await?;
    for name in SPLIT {
        ensure!(release.find("apps/v1", "Deployment", name).await?.is_none(), "{name} is still there");
    }
    release.ends(&SINGLE, &definitions).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_as_one_process_can_be_installed_again_over_definitions_that_were_left() -> Result<()> {
    let Some(mut release) = Release::place().await? else { return Ok(()) };
    let single = ["--create-namespace", "--set", "topology=single"];
    release.helm("install", &single)?;
    release.runs(&SINGLE, 1).await?;
    let definitions = release.definitions().await?;
    release.use_it().await?;
    release.ends(&SINGLE, &definitions).await?;

    release.helm("install", &single)?;
    release.runs(&SINGLE, 1).await?;
    ensure!(release.definitions().await? == definitions, "definitions were made anew");
    release = release.works().await?;
    release.helm("upgrade", &["--set", "topology=split"])?;
    release.runs(&SPLIT, 0).await?;
    release.is_as_recorded().await?;
    release.ends(&SPLIT, &definitions).await
}

impl Release {
    async fn place() -> Result<Option<Self>> {
        if !tools::available(TOOLS) {
            return Ok(None);
        }
        Ok(Some(Self { cluster: ControlPlane::start(Profile::Full).await? }))
    }

    /// Runs helm and waits, as it does, until everything is available.
    fn helm(&self, verb: &str, arguments: &[&str]) -> Result<()> {
        let folder = tools::repository().join("charts/millrace");
        let mut line = vec![verb, "millrace", "--namespace", RUNTIME_NAMESPACE, "--wait", "--timeout", "2m"];
        let folder = folder.to_str().context("the checkout's path is not UTF-8")?;
        if verb != "uninstall" {
            line.push(folder);
        }
        line.extend(arguments);
        if tenants::are_wanted() && verb != "uninstall" {
            line.extend(["--set", chart::CONFINED]);
        }
        let output = tools::run("helm", self.cluster.kubeconfig(), &line)?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "helm {}: {}", line.join(" "), error.trim());
        Ok(())
    }

    /// The Deployments are available, and behind every Service there is one of their pods, at the right port.
    async fn runs(&self, deployments: &[&str], topology: usize) -> Result<()> {
        for name in deployments {
            let status = self.get("apps/v1", "Deployment", name).await?["status"].clone();
            ensure!(status["availableReplicas"] == 1, "{name}: {status}");
        }
        for (service, ports) in SERVICES {
            until(&format!("the endpoint of {service}"), SOON, async || {
                let slices =
                    self.cluster.api("discovery.k8s.io/v1", "EndpointSlice", RUNTIME_NAMESPACE).await.ok()?;
                let of_service =
                    ListParams::default().labels(&format!("kubernetes.io/service-name={service}"));
                let slices = serde_json::to_value(slices.list(&of_service).await.ok()?.items).ok()?;
                let [slice] = slices.as_array()?.as_slice() else { return None };
                let [endpoint] = slice["endpoints"].as_array()?.as_slice() else { return None };
                let is_right =
                    endpoint["conditions"]["ready"] == true && slice["ports"][0]["port"] == ports[topology];
                is_right.then_some(())
            })
            .await?;
        }
        Ok(())
    }

    /// Every object that upstream's installer left in the recording is here, and the same.
    async fn is_as_recorded(&self) -> Result<()> {
        let folder = tools::repository().join("../shared/conformance/cluster-state");
        for file in ["install-objects.yaml", "install-rbac.yaml"] {
            let path = folder.join(file);
            let Ok(text) = std::fs::read_to_string(&path) else {
                writeln!(std::io::stderr(), "skipped: {} is absent", path.display())?;
                return Ok(());
            };
            let list: Value = serde_yaml::from_str(&text)?;
            for recorded in list["items"].as_array().context("a list")? {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let (kind, name) = (text(&recorded["kind"]), text(&recorded["metadata"]["name"]));
                if tenants::are_wanted() && name == tenants::ADMIN {
                    continue;
                }
                let ours = self.get(&text(&recorded["apiVersion"]), &kind, &name).await?;
                let (ours, theirs) = (comparable(&ours), comparable(recorded));
                ensure!(ours == theirs, "{kind}/{name} is\n{ours:#}\nand upstream's\n{theirs:#}");
            }
        }
        Ok(())
    }

    /// The definitions by name, with their identity.
    async fn definitions(&self) -> Result<BTreeMap<String, String>> {
        let api = self.cluster.api("apiextensions.k8s.io/v1", "CustomResourceDefinition", "").await?;
        let all = api.list(&ListParams::default()).await?;
        let named = |object: kube::api::DynamicObject| Some((object.metadata.name?, object.metadata.uid?));
        Ok(all.into_iter().filter_map(named).collect())
    }

    /// Makes an object of the API, which must not be lost.
    async fn use_it(&self) -> Result<()> {
        let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: kept\nspec:\n  \
                      interval: 1h\n  url: https://git.example.com/kept\n";
        self.cluster.apply(RUNTIME_NAMESPACE, source).await.map(drop)
    }

    /// A commit is applied, and taken away again, with the rights that the release gives its account, and with a tenant's alone
    /// where there are tenants. The pods of these tests run nothing, so the program runs beside them.
    async fn works(self) -> Result<Self> {
        let admin = self.find("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", tenants::ADMIN).await?;
        ensure!(admin.is_none() == tenants::are_wanted(), "{admin:?}");
        let access = self.cluster.access(RUNTIME_NAMESPACE, chart::ACCOUNT).await?;
        let story = Story::begin_in(self.cluster, "apps", &access).await?;
        let repository = story.git.create("site")?;
        let commit = repository.commit("first").file("deploy/a.yaml", config_map("a", "1")).push()?;
        story.git_repository("site").await?;
        story.kustomization("site", "site", "  path: ./deploy\n").await?;
        story.ready_with("Kustomization/site", &commit).await?;
        let applied = story.get("ConfigMap/a").await?;
        ensure!(applied["data"]["value"] == "1", "{applied}");
        story.delete("Kustomization/site").await?;
        story.gone("ConfigMap/a").await?;
        Ok(Self { cluster: story.cluster })
    }

    /// Ends the release: what it ran is gone, what users made stays.
    async fn ends(&self, deployments: &[&str], definitions: &BTreeMap<String, String>) -> Result<()> {
        self.helm("uninstall", &[])?;
        let deployments = deployments.iter().map(|name| ("apps/v1", "Deployment", *name));
        let services = SERVICES.iter().map(|(name, _)| ("v1", "Service", *name));
        let rights = [
            ("rbac.authorization.k8s.io/v1", "ClusterRole", "crd-controller-flux-system"),
            ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", tenants::ADMIN),
        ];
        for (api_version, kind, name) in deployments.chain(services).chain(rights) {
            ensure!(self.find(api_version, kind, name).await?.is_none(), "{kind}/{name} is still there");
        }
        ensure!(self.definitions().await? == *definitions, "definitions went with the release");
        self.get("source.toolkit.fluxcd.io/v1", "GitRepository", "kept").await.map(drop)
    }

    async fn find(&self, api_version: &str, kind: &str, name: &str) -> Result<Option<Value>> {
        let found = self.cluster.find(api_version, kind, RUNTIME_NAMESPACE, name).await?;
        Ok(found.map(serde_json::to_value).transpose()?)
    }

    async fn get(&self, api_version: &str, kind: &str, name: &str) -> Result<Value> {
        self.find(api_version, kind, name).await?.with_context(|| format!("{kind}/{name} is not there"))
    }
}

/// An object without what differs from cluster to cluster, what helm adds, and whose image it runs.
fn comparable(object: &Value) -> Value {
    let mut object = object.clone();
    for field in ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"] {
        remove(&mut object, "/metadata", field);
    }
    remove(&mut object, "", "status");
    remove(&mut object, "/spec", "clusterIP");
    remove(&mut object, "/spec", "clusterIPs");
    remove(&mut object, "/metadata/labels", "app.kubernetes.io/managed-by");
    for annotation in
        ["meta.helm.sh/release-name", "meta.helm.sh/release-namespace", "deployment.kubernetes.io/revision"]
    {
        remove(&mut object, "/metadata/annotations", annotation);
    }
    if object["metadata"]["annotations"] == json!({}) {
        remove(&mut object, "/metadata", "annotations");
    }
    if let Some(image) = object.pointer_mut("/spec/template/spec/containers/0/image") {
        let name = image.as_str().and_then(|image| image.rsplit('/').next()?.split(':').next());
        *image = json!(name);
    }
    object
}

fn remove(object: &mut Value, place: &str, field: &str) {
    if let Some(fields) = object.pointer_mut(place).and_then(Value::as_object_mut) {
        fields.remove(field);
    }
}
