//! Variables for the substitution after a build. Contract: kustomize-controller §3.5.1.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};
use millrace_api::kustomize::v1::{PostBuild, SubstituteReference};
use millrace_api::meta::non_empty;
use millrace_envsubst::{Options, SubstituteError, Values, substitute_node};
use millrace_net::Secret;
use millrace_reconcile::client::error_text;
use millrace_reconcile::secrets;
use millrace_yaml::Node;

/// The label or annotation that keeps a resource as it is.
const SUBSTITUTE_KEY: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// Why the variables could not be read. Texts are the contract's.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VariableError {
    /// A ConfigMap or Secret is missing, or not readable.
    #[error("substitute from '{kind}/{name}' error: {message}")]
    Read {
        /// `ConfigMap` or `Secret`.
        kind: String,
        /// Its name.
        name: String,
        /// The API server's text.
        message: String,
    },
}

/// The variables of one Kustomization, secret as a whole: some come from Secrets.
pub(crate) struct Variables {
    values: BTreeMap<String, Secret<String>>,
    always: bool,
}

impl Variables {
    /// Reads what `post_build` refers to: later references win, and what the spec says itself wins over all.
    pub(crate) async fn load(client: &Client, namespace: &str, post_build: &PostBuild) -> Result<Self, VariableError> {
        let mut values = BTreeMap::new();
        for reference in &post_build.substitute_from {
            values.extend(read(client, namespace, reference).await?);
        }
        let own = post_build.substitute.iter().map(|(key, value)| (key.clone(), one_line(value)));
        values.extend(own);
        let always = non_empty(post_build.substitute_strategy.as_ref()) == Some("Always");
        Ok(Self { values, always })
    }
}

impl Values for Variables {
    fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|value| value.expose().as_str())
    }

    fn names(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.values.keys().map(String::as_str))
    }
}

/// A value as it is substituted: without line breaks.
fn one_line(value: &str) -> Secret<String> {
    Secret::new(value.replace('\n', ""))
}

async fn read(
    client: &Client,
    namespace: &str,
    reference: &SubstituteReference,
) -> Result<BTreeMap<String, Secret<String>>, VariableError> {
    let SubstituteReference { kind, name, optional } = reference;
    let found = if kind == "Secret" {
        from_secret(client, namespace, name).await
    } else {
        from_config_map(client, namespace, name).await
    };
    match found {
        Ok(Some(values)) => Ok(values),
        Ok(None) if *optional => Ok(BTreeMap::new()),
        Ok(None) => {
            let resource = if kind == "Secret" { "secrets" } else { "configmaps" };
            let message = format!("{resource} {name:?} not found");
            Err(VariableError::Read { kind: kind.clone(), name: name.clone(), message })
        }
        Err(message) => Err(VariableError::Read { kind: kind.clone(), name: name.clone(), message }),
    }
}

async fn from_secret(
    client: &Client,
    namespace: &str,
    name: &str,
) -> Result<Option<BTreeMap<String, Secret<String>>>, String> {
    match secrets::fetch(client, namespace, name).await {
        Ok(data) => {
            let text = |bytes: &Secret<Vec<u8>>| one_line(&String::from_utf8_lossy(bytes.expose()));
            Ok(Some(data.iter().map(|(key, value)| (key.to_owned(), text(value))).collect()))
        }
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

async fn from_config_map(
    client: &Client,
    namespace: &str,
    name: &str,
) -> Result<Option<BTreeMap<String, Secret<String>>>, String> {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let map = api.get_opt(name).await.map_err(|error| error_text(&error))?;
    Ok(map.map(|map| map.data.unwrap_or_default().iter().map(|(key, value)| (key.clone(), one_line(value))).collect()))
}

/// Whether any resource wants substitution; only then are references read.
pub(crate) fn wants_substitution(resources: &[Node]) -> bool {
    resources.iter().any(|resource| !is_disabled(resource))
}

fn is_disabled(resource: &Node) -> bool {
    ["labels", "annotations"].iter().any(|field| {
        resource.at(&["metadata", field]).and_then(|map| map.get(SUBSTITUTE_KEY)).and_then(Node::as_str) == Some("disabled")
    })
}

/// Why a resource could not be substituted.
#[derive(Debug, thiserror::Error)]
#[error("post build failed for '{resource}'")]
pub(crate) struct PostBuildError {
    resource: String,
    #[source]
    source: SubstituteError,
}

/// Substitutes every resource that does not opt out.
pub(crate) fn substitute(
    resources: Vec<Node>,
    variables: &Variables,
    strict: bool,
) -> Result<Vec<Node>, PostBuildError> {
    if variables.values.is_empty() && !variables.always {
        return Ok(resources);
    }
    let options = Options { strict };
    let one = |resource: Node| {
        if is_disabled(&resource) {
            return Ok(resource);
        }
        substitute_node(&resource, variables, &options)
            .map_err(|source| PostBuildError { resource: resource_id(&resource), source })
    };
    resources.into_iter().map(one).collect()
}

/// A resource as kustomize calls it: `ConfigMap.v1.[noGrp]/app`.
fn resource_id(resource: &Node) -> String {
    let text = |path: &[&str]| resource.str_at(path).unwrap_or_default();
    let (group, version) = match text(&["apiVersion"]).split_once('/') {
        Some((group, version)) => (group, version),
        None => ("[noGrp]", text(&["apiVersion"])),
    };
    format!("{}.{version}.{group}/{}", text(&["kind"]), text(&["metadata", "name"]))
}
