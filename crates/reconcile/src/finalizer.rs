//! Our finalizer: added before an object's first run, removed when everything it owns is gone.

use kube::api::{Api, Patch, PatchParams};
use kube::{Client, ResourceExt as _};
use millrace_api::meta::FINALIZER;
use serde_json::json;

use crate::key::Key;
use crate::reconciler::Object;

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

/// Patches the list under the optimistic lock; on a conflict the object is read and changed again.
async fn change<O: Object>(
    client: &Client,
    manager: &str,
    mut object: O,
    edit: impl Fn(&mut Vec<String>),
) -> Result<Option<O>, kube::Error> {
    let key = Key::of(&object);
    let api: Api<O> = Api::namespaced(client.clone(), key.namespace());
    let params = PatchParams { field_manager: Some(manager.to_owned()), ..PatchParams::default() };
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
            Err(kube::Error::Api(status)) if status.code == 409 => match api.get_opt(key.name()).await? {
                Some(current) => object = current,
                None => return Ok(None),
            },
            Err(error) => return Err(error),
        }
    }
}
