//! A host of which only the name is fixed.

use std::{
    io,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

/// A host that is known by name: whoever asks for its addresses gets those of this moment, all of them.
///
/// While the name can't be resolved, its last addresses stand. Clones share them.
#[derive(Debug, Clone)]
pub struct NamedHost {
    name: Arc<str>,
    last: Arc<Mutex<Vec<IpAddr>>>,
}

impl PartialEq for NamedHost {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for NamedHost {}

impl NamedHost {
    /// The host of this name, which is not looked up before it is asked for.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), last: Arc::default() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its addresses as the system's resolver sees them now.
    pub(crate) async fn addresses(&self) -> Vec<IpAddr> {
        let found = tokio::net::lookup_host((&*self.name, 0)).await;
        self.after(found.map(|found| found.map(|address| address.ip().to_canonical()).collect()))
    }

    /// Takes note of the outcome of a lookup.
    fn after(&self, found: io::Result<Vec<IpAddr>>) -> Vec<IpAddr> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(found) = found
            && !found.is_empty()
        {
            *last = found;
        }
        last.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ips(texts: &[&str]) -> Vec<IpAddr> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn a_lookup_replaces_all_addresses_and_a_failed_one_keeps_them() {
        let host = NamedHost::new("api.test");
        let failed = || Err(io::ErrorKind::NotFound.into());
        assert_eq!(host.after(failed()), ips(&[]));
        assert_eq!(host.after(Ok(ips(&["10.0.0.1", "fd00::1"]))), ips(&["10.0.0.1", "fd00::1"]));
        assert_eq!(host.clone().after(failed()), ips(&["10.0.0.1", "fd00::1"]));
        assert_eq!(host.after(Ok(ips(&["10.0.0.2"]))), ips(&["10.0.0.2"]));
        assert_eq!(host.after(Ok(Vec::new())), ips(&["10.0.0.2"]));
    }
}
