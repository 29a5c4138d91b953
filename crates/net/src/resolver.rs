//! Name resolution that applies the egress policy.

use std::{io, net::SocketAddr, sync::Arc};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::egress::{EgressPolicy, EgressRefused};

/// Resolves with the system's resolver and drops the addresses that the policy refuses.
pub(crate) struct CheckedResolver {
    pub(crate) policy: Arc<EgressPolicy>,
}

/// A name that led nowhere.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResolveError {
    /// The resolver knows no address.
    #[error("lookup {host}: no such host")]
    NoSuchHost {
        host: String,
        #[source]
        source: io::Error,
    },
    /// Every address is refused.
    #[error(transparent)]
    Refused(EgressRefused),
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = Arc::clone(&self.policy);
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let policy = policy.current().await;
            let found = tokio::net::lookup_host((host.as_str(), 0)).await.map(Vec::from_iter);
            let found: Vec<SocketAddr> = match found {
                Ok(found) => found,
                Err(source) => return Err(ResolveError::NoSuchHost { host, source }.into()),
            };
            let mut refused = None;
            let mut allowed = Vec::with_capacity(found.len());
            for address in found {
                match policy.check(&host, address.ip()) {
                    Ok(()) => allowed.push(address),
                    Err(err) => refused = Some(err),
                }
            }
            match refused {
                Some(err) if allowed.is_empty() => Err(ResolveError::Refused(err).into()),
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}
