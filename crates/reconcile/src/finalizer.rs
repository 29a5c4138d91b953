//! Our finalizer: added before an object's first run, removed when everything it owns is gone.

use std::time::Duration;

use kube::api::{Api, Patch, PatchParams};
use kube::{Client, ResourceExt as _};
use millrace_api::meta::FINALIZER;
use serde_json::json;

use crate::key::Key;
use crate::reconciler::Object;

/// How often a conflicting change is made again.
const ATTEMPTS: u32 = 5;
/// The shortest pause before the next attempt; the longest is twice that.
const PAUSE: Duration = Duration::from_millis(100);

/// Whether `object` has our finalizer.
pub fn is_present(object: &impl kube::Resource) -> bool {
    object.finalizers().iter().any(|finalizer| finalizer == FINALIZER)
}

/// Adds the finalizer and returns the object as stored, `None` if it is gone.
pub async fn add<O: Object>(client: &Client, manager: &str, object: O) -> Result<Option<O>, kube::Error> {
    change(client, manager, object, |finalizers| finalizers.push(FINALIZER.to_owned())).await
}

/// Removes the finalizer, after which the object may be gone.
pub async fn remove<O: Object>(client: &Client, manager: &str, object: O) -> Result<Option<O>, kube::Error> {
    change(client, manager, object, |finalizers| finalizers.retain(|finalizer| finalizer != FINALIZER)).await
}

/// Patches the list under the optimistic lock; on a conflict the object is read and changed again, a few times.
async fn change<O: Object>(
    client: &Client,
    manager: &str,
    mut object: O,
    edit: impl Fn(&mut Vec<String>),
) -> Result<Option<O>, kube::Error> {
    let key = Key::of(&object);
    let api: Api<O> = Api::namespaced(client.clone(), key.namespace());
    let params = PatchParams { field_manager: Some(manager.to_owned()), ..PatchParams::default() };
    let mut attempt = 1;
    loop {
        let mut finalizers = object.finalizers().to_vec();
        edit(&mut finalizers);
        if finalizers == object.finalizers() {
            return Ok(Some(object));
        }
        let body =
            json!({ "metadata": { "resourceVersion": object.resource_version(), "finalizers": finalizers } });
        match api.patch(key.name(), &params, &Patch::Merge(&body)).await {
            Ok(stored) => return Ok(Some(stored)),
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(None),
            Err(kube::Error::Api(status)) if status.code == 409 && attempt < ATTEMPTS => {
                attempt += 1;
                tokio::time::sleep(PAUSE.mul_f64(1.0 + rand::random::<f64>())).await;
                match api.get_opt(key.name()).await? {
                    Some(current) => object = current,
                    None => return Ok(None),
                }
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use millrace_api::kustomize::v1::Kustomization;

    use super::*;
    use crate::client::scripted;

    #[tokio::test(start_paused = true)]
    async fn a_change_that_is_overtaken_every_time_gives_up() {
        let object = json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": { "name": "site", "namespace": "apps", "resourceVersion": "1" },
            "spec": { "interval": "1m", "prune": true, "sourceRef": { "kind": "GitRepository", "name": "site" } },
        });
        let found = object.to_string();
        let (client, requests) = scripted::client(move |seen| match seen.method {
            http::Method::GET => Some((200, found.clone())),
            _ => Some(scripted::refusal(409, "Conflict")),
        });
        let object: Kustomization = serde_json::from_value(object).expect("an object");
        let error = add(&client, "test-manager", object).await.expect_err("conflicts");
        assert_eq!(crate::client::error_text(&error), "Conflict");
        let patches = requests.all().iter().filter(|seen| seen.method == http::Method::PATCH).count();
        assert_eq!(patches, 5);
    }
}
