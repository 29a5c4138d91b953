//! Throw-away namespaces.

use k8s_openapi::api::core::v1::Namespace as Object;
use kube::Api;
use kube::api::{DeleteParams, ObjectMeta, PostParams};

use super::ControlPlane;
use crate::Result;

/// A namespace with a name of its own, for one test.
///
/// It stays until [`Namespace::delete`] or the end of the control plane: what is in it is evidence when a test fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    name: String,
}

impl Namespace {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Asks for its deletion; on a full control plane everything in it goes too.
    pub async fn delete(self, control_plane: &ControlPlane) -> Result<()> {
        let namespaces: Api<Object> = Api::all(control_plane.client());
        namespaces.delete(&self.name, &DeleteParams::background()).await?;
        Ok(())
    }
}

impl ControlPlane {
    /// Creates a namespace whose name starts with `prefix` and that no other test has.
    pub async fn namespace(&self, prefix: &str) -> Result<Namespace> {
        let id = uuid::Uuid::new_v4().simple().to_string();
        let name = format!("{prefix}-{}", &id[..8]);
        self.create_namespace(&name).await?;
        Ok(Namespace { name })
    }

    /// Creates a namespace by name unless it is there.
    pub async fn create_namespace(&self, name: &str) -> Result<()> {
        let namespaces: Api<Object> = Api::all(self.client());
        let object = Object {
            metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
            ..Object::default()
        };
        match namespaces.create(&PostParams::default(), &object).await {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
