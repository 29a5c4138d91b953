//! Variables for the substitution after a build. Contract: kustomize-controller §3.5.1.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};
use millrace_api::kustomize::v1::{PostBuild, SubstituteReference};
use millrace_api::meta::non_empty;
use millrace_envsubst::{Mode, Options, Strategy, Variables};
use millrace_reconcile::client::error_text;
use millrace_reconcile::secrets;

use crate::masking::SecretValues;

/// A ConfigMap or Secret with variables that is missing or not readable. The text is the contract's.
#[derive(Debug, thiserror::Error)]
#[error("substitute from '{kind}/{name}' error: {message}")]
pub(crate) struct VariableError {
    kind: String,
    name: String,
    message: String,
}

/// Reads what `post_build` refers to: later references win, and what the spec says itself wins over all. What Secrets hold
/// is added to `secrets`, whether or not it wins.
pub(crate) async fn load(
    client: &Client,
    namespace: &str,
    post_build: &PostBuild,
    secrets: &mut SecretValues,
) -> Result<Variables, VariableError> {
    let mut found = Found { variables: Variables::default(), secrets };
    for reference in &post_build.substitute_from {
        read(client, namespace, reference, &mut found).await?;
    }
    let mut variables = found.variables;
    variables.extend(&post_build.substitute);
    Ok(variables)
}

/// Variables, and which values among them must not be shown.
struct Found<'s> {
    variables: Variables,
    secrets: &'s mut SecretValues,
}

/// How `post_build` wants its resources substituted.
pub(crate) fn options(post_build: &PostBuild, strict: bool) -> Options {
    let always = non_empty(post_build.substitute_strategy.as_ref()) == Some("Always");
    Options {
        mode: if strict { Mode::Strict } else { Mode::Lax },
        strategy: if always { Strategy::Always } else { Strategy::WithVariables },
        ..Options::default()
    }
}

async fn read(
    client: &Client,
    namespace: &str,
    reference: &SubstituteReference,
    into: &mut Found<'_>,
) -> Result<(), VariableError> {
    let SubstituteReference { kind, name, optional } = reference;
    let is_secret = kind == "Secret";
    let found = if is_secret {
        from_secret(client, namespace, name, into).await
    } else {
        from_config_map(client, namespace, name, &mut into.variables).await
    };
    let message = match found {
        Ok(true) => return Ok(()),
        Ok(false) if *optional => return Ok(()),
        Ok(false) => format!("{} {name:?} not found", if is_secret { "secrets" } else { "configmaps" }),
        Err(message) => message,
    };
    let message = into.secrets.mask(&message);
    Err(VariableError { kind: kind.clone(), name: name.clone(), message })
}

/// Adds a Secret's values; says whether it is there.
async fn from_secret(
    client: &Client,
    namespace: &str,
    name: &str,
    into: &mut Found<'_>,
) -> Result<bool, String> {
    match secrets::fetch(client, namespace, name).await {
        Ok(data) => {
            for (key, value) in data.iter() {
                into.secrets.add_variable(key, value.expose());
                into.variables.set(key, &String::from_utf8_lossy(value.expose()));
            }
            Ok(true)
        }
        Err(error) if error.is_not_found() => Ok(false),
        Err(error) => Err(error.to_string()),
    }
}

/// Adds a ConfigMap's values; says whether it is there.
async fn from_config_map(
    client: &Client,
    namespace: &str,
    name: &str,
    variables: &mut Variables,
) -> Result<bool, String> {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let Some(map) = api.get_opt(name).await.map_err(|error| error_text(&error))? else { return Ok(false) };
    variables.extend(map.data.unwrap_or_default());
    Ok(true)
}
