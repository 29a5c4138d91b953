//! A host of which only the name is fixed.

use std::{
    fmt, io,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// How long an address counts after the last answer that had it: servers of names hand out their addresses in turns.
const MEMORY: Duration = Duration::from_mins(10);

/// How many addresses are kept of earlier answers and the last one together; the last one is kept whole.
const MAX_ADDRESSES: usize = 256;

/// Asks for the addresses of a name.
type Lookup = dyn Fn(Arc<str>) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> + Send + Sync;

/// A host that is known by name: whoever asks for its addresses gets those of this moment and of the last ten minutes.
///
/// While the name can't be resolved, its last addresses stand. Clones share them.
#[derive(Clone)]
pub struct NamedHost {
    name: Arc<str>,
    lookup: Arc<Lookup>,
    /// The addresses and when an answer last had them, the latest first.
    seen: Arc<Mutex<Vec<(IpAddr, Instant)>>>,
}

impl PartialEq for NamedHost {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for NamedHost {}

impl fmt::Debug for NamedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, lookup: _, seen } = self;
        f.debug_struct("NamedHost").field("name", name).field("seen", seen).finish()
    }
}

impl NamedHost {
    /// The host of this name, which is not looked up before it is asked for.
    pub fn new(name: &str) -> Self {
        Self::looked_up_by(name, |name| Box::pin(by_system(name)))
    }

    /// The host of this name, and who knows its addresses.
    pub(crate) fn looked_up_by<F>(name: &str, lookup: F) -> Self
    where
        F: Fn(Arc<str>) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>
            + Send
            + Sync
            + 'static,
    {
        Self { name: name.into(), lookup: Arc::new(lookup), seen: Arc::default() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its addresses: those the system's resolver sees now, and those it saw lately.
    pub(crate) async fn addresses(&self) -> Vec<IpAddr> {
        let found = (self.lookup)(Arc::clone(&self.name)).await;
        self.after(found, Instant::now())
    }

    /// Takes note of the outcome of a lookup.
    fn after(&self, found: io::Result<Vec<IpAddr>>, now: Instant) -> Vec<IpAddr> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(found) = found
            && !found.is_empty()
        {
            remember(&mut seen, found, now);
        }
        seen.iter().map(|(address, _)| *address).collect()
    }
}

/// Puts an answer in front of what is still remembered of earlier ones.
fn remember(seen: &mut Vec<(IpAddr, Instant)>, mut found: Vec<IpAddr>, now: Instant) {
    found.sort_unstable();
    found.dedup();
    let answer: Vec<_> = found.into_iter().map(|address| (address, now)).collect();
    seen.retain(|(address, at)| {
        now.saturating_duration_since(*at) < MEMORY
            && answer.binary_search_by_key(address, |(found, _)| *found).is_err()
    });
    seen.splice(0..0, answer.iter().copied());
    seen.truncate(MAX_ADDRESSES.max(answer.len()));
}

async fn by_system(name: Arc<str>) -> io::Result<Vec<IpAddr>> {
    let found = tokio::net::lookup_host((&*name, 0)).await?;
    Ok(found.map(|address| address.ip().to_canonical()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ips(texts: &[&str]) -> Vec<IpAddr> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn minutes(count: u64) -> Duration {
        Duration::from_mins(count)
    }

    #[test]
    fn a_failed_or_empty_lookup_keeps_all_addresses_however_old() {
        let host = NamedHost::new("api.test");
        let start = Instant::now();
        let failed = || Err(io::ErrorKind::NotFound.into());
        assert_eq!(host.after(failed(), start), ips(&[]));
        let both = ips(&["10.0.0.1", "fd00::1"]);
        assert_eq!(host.after(Ok(both.clone()), start), both);
        assert_eq!(host.clone().after(failed(), start + minutes(60)), both);
        assert_eq!(host.after(Ok(Vec::new()), start + minutes(120)), both);
        assert_eq!(host.after(Ok(ips(&["10.0.0.2"])), start + minutes(180)), ips(&["10.0.0.2"]));
    }

    #[test]
    fn an_address_missing_from_an_answer_counts_for_ten_minutes() {
        let host = NamedHost::new("api.test");
        let start = Instant::now();
        let found = |texts: &[&str], after: u64| host.after(Ok(ips(texts)), start + minutes(after));
        assert_eq!(found(&["10.0.0.1", "10.0.0.2"], 0), ips(&["10.0.0.1", "10.0.0.2"]));
        assert_eq!(found(&["10.0.0.3"], 4), ips(&["10.0.0.3", "10.0.0.1", "10.0.0.2"]));
        assert_eq!(found(&["10.0.0.2", "10.0.0.2"], 9), ips(&["10.0.0.2", "10.0.0.3", "10.0.0.1"]));
        assert_eq!(found(&["10.0.0.3"], 11), ips(&["10.0.0.3", "10.0.0.2"]));
    }

    #[test]
    fn of_many_addresses_those_seen_last_are_kept() {
        let host = NamedHost::new("api.test");
        let now = Instant::now();
        let address = |number: u32| IpAddr::from(number.to_be_bytes());
        for number in 0..1000 {
            host.after(Ok(vec![address(number)]), now);
        }
        let kept = host.after(Err(io::ErrorKind::NotFound.into()), now);
        assert_eq!(kept, (1000 - 256..1000).rev().map(address).collect::<Vec<_>>());
        let many: Vec<_> = (5000..6000).map(address).collect();
        assert_eq!(host.after(Ok(many.clone()), now), many, "an answer stands whole");
    }
}
