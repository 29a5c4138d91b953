//! On whose behalf a controller works: the ServiceAccount that an object names, or the default one.
//!
//! Impersonation is a header of each request on the shared connection, so a tenant costs nothing. Only the user is
//! impersonated: the API server adds the groups of a ServiceAccount itself. Contract: kustomize-controller §3.8.

use kube::Client;

use crate::client::{Identity, Stack};

/// The user name of a ServiceAccount.
pub fn user_name(namespace: &str, service_account: &str) -> String {
    format!("system:serviceaccount:{namespace}:{service_account}")
}

/// Hands out clients by ServiceAccount; cheap to clone.
#[derive(Clone)]
pub struct Impersonator {
    stack: Stack,
    default_service_account: Option<String>,
}

impl Impersonator {
    /// Clients over `stack`; objects that name no ServiceAccount get `default_service_account`, if there is one.
    pub fn new(stack: Stack, default_service_account: Option<&str>) -> Self {
        let default_service_account =
            default_service_account.filter(|name| !name.is_empty()).map(ToOwned::to_owned);
        Self { stack, default_service_account }
    }

    /// The ServiceAccount in whose name an object's changes are made; none is the controller itself.
    pub fn service_account<'a>(&'a self, named: Option<&'a str>) -> Option<&'a str> {
        named.filter(|name| !name.is_empty()).or(self.default_service_account.as_deref())
    }

    /// The client for an object in `namespace` that names this ServiceAccount, or none.
    pub fn client(&self, namespace: &str, named: Option<&str>) -> Client {
        match self.service_account(named) {
            Some(account) => self.stack.impersonate(&Identity::user(user_name(namespace, account))),
            None => self.stack.client(),
        }
    }

    /// The stack itself, for what a controller does in its own name.
    pub fn stack(&self) -> &Stack {
        &self.stack
    }
}
