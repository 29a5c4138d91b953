//! `IAMPolicyGenerator`: an account bound to one of a cloud.

use millrace_yaml::{Map, Node};

use super::config::IamPolicy;
use crate::error::{BuildError, Result};
use crate::generators::Generator;
use crate::resource::{Name, Resource};
use crate::syntax;
use crate::target::Target;

const ANNOTATION: &str = "iam.gke.io/gcp-service-account";

struct BindAccount(IamPolicy);

pub(super) fn configure(config: IamPolicy) -> Box<dyn Generator> {
    Box::new(BindAccount(config))
}

impl Generator for BindAccount {
    fn name(&self) -> &str {
        &self.0.kubernetes_service.name
    }

    fn generate(&self, target: &Target<'_, '_>) -> Result<Resource> {
        let IamPolicy { cloud, kubernetes_service, service_account } = &self.0;
        if cloud != "gke" {
            return Err(BuildError::new(format!("cloud provider {cloud} not supported yet")));
        }
        let account =
            format!("{}@{}.iam.gserviceaccount.com", service_account.name, service_account.project_id);
        let mut annotations = Map::default();
        annotations.insert(ANNOTATION, Node::string(account));
        let mut metadata = Map::default();
        metadata.insert("annotations", Node::Map(annotations));
        metadata.insert("name", syntax::plain(&kubernetes_service.name));
        if !kubernetes_service.namespace.is_empty() {
            metadata.insert("namespace", syntax::plain(&kubernetes_service.namespace));
        }
        let mut object = Map::default();
        object.insert("apiVersion", Node::string("v1"));
        object.insert("kind", Node::string("ServiceAccount"));
        object.insert("metadata", Node::Map(metadata));
        Ok(Resource::new(Node::Map(object), Name::EMPTY, &target.context.names))
    }
}
