//! `IAMPolicyGenerator`: an account bound to one of a cloud.

use std::rc::Rc;

use millrace_yaml::read::{self, Limits, Resolver};

use super::config::IamPolicy;
use crate::error::{BuildError, Result};
use crate::generators::Generator;
use crate::resource::{Name, Repeated, Resource};
use crate::target::Target;

struct BindAccount(IamPolicy);

pub(super) fn configure(config: IamPolicy) -> Box<dyn Generator> {
    Box::new(BindAccount(config))
}

impl Generator for BindAccount {
    fn name(&self) -> &str {
        &self.0.kubernetes_service.name
    }

    fn generate(&self, target: &Target<'_, '_>) -> Result<Resource> {
        let cloud = &self.0.cloud.0;
        if cloud != "gke" {
            return Err(BuildError::new(format!("cloud provider {cloud} not supported yet")));
        }
        let text = self.text();
        target.context.make(text.len()).map_err(BuildError::limit)?;
        let document = read::one(&text, Resolver::Kustomize, &Limits::default())
            .map_err(|error| BuildError::new(error.to_string()))?;
        let repeated = Repeated::of(&document.node, &document.duplicates);
        let mut resource = Resource::new(document.node, Name::EMPTY, &target.context.names);
        resource.repeated = repeated;
        resource.complex_key = document.complex_key.map(Rc::new);
        Ok(resource)
    }
}

impl BindAccount {
    /// The object as text; names are put into it as they are, whatever they mean there.
    fn text(&self) -> String {
        let IamPolicy { cloud: _, kubernetes_service: own, service_account: account } = &self.0;
        let mut text = format!(
            "\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  annotations:\n    \
             iam.gke.io/gcp-service-account: {}@{}.iam.gserviceaccount.com\n  name: {}\n",
            account.name, account.project_id, own.name
        );
        if !own.namespace.is_empty() {
            text.push_str("\n  namespace: ");
            text.push_str(&own.namespace);
        }
        text
    }
}
