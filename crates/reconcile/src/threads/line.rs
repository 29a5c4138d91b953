//! Whose turn it is at the threads: a state machine without waits and threads of its own.

use std::collections::HashMap;
use std::sync::Arc;

use crate::queue::{Lane, Lanes, Patience};

/// Where somebody waits.
#[derive(Clone)]
pub(super) struct Place {
    host: Arc<str>,
    namespace: Arc<str>,
    lane: Lane,
    ticket: u64,
}

/// Who waits for a thread, and how many each host has.
///
/// Each host has lanes of its own, by which its turns go. Where hosts compete for the last threads of all, the one with the
/// most urgent wait goes first, by the same rules: a lane is not passed over for ever, and the hosts of a lane take turns.
pub(super) struct Line<T> {
    per_host: usize,
    free: usize,
    hosts: HashMap<Arc<str>, Host<T>>,
    patience: Patience,
    /// Numbers arrivals and turns.
    count: u64,
}

struct Host<T> {
    busy: usize,
    lanes: Lanes<(u64, T)>,
    /// When it had its last turn, or came.
    since: u64,
}

impl<T> Line<T> {
    /// Nobody waits; there are `total` threads, and `per_host` of them for each host.
    pub(super) fn new(per_host: usize, total: usize) -> Self {
        Self { per_host, free: total, hosts: HashMap::new(), patience: Patience::default(), count: 0 }
    }

    /// Joins the line.
    pub(super) fn join(&mut self, host: &str, namespace: &str, lane: Lane, item: T) -> Place {
        self.count += 1;
        let place =
            Place { host: Arc::from(host), namespace: Arc::from(namespace), lane, ticket: self.count };
        let arrival = || Host { busy: 0, lanes: Lanes::default(), since: place.ticket };
        let host = self.hosts.entry(Arc::clone(&place.host)).or_insert_with(arrival);
        host.lanes.push(lane, Arc::clone(&place.namespace), (place.ticket, item));
        place
    }

    /// Leaves the line; who has had the turn isn't in it any more.
    pub(super) fn leave(&mut self, place: &Place) {
        let Some(host) = self.hosts.get_mut(&place.host) else { return };
        host.lanes.remove(place.lane, &place.namespace, |(ticket, _)| *ticket == place.ticket);
        self.forget_idle(&place.host);
    }

    /// Gives the next turn, which lasts until [`Self::end`].
    pub(super) fn next(&mut self) -> Option<(Arc<str>, T)> {
        if self.free == 0 {
            return None;
        }
        let Self { per_host, hosts, patience, .. } = self;
        let lane_of = |host: &Host<T>| host.lanes.most_urgent().filter(|_| host.busy < *per_host);
        let mut waits = [false; Lane::ALL.len()];
        for lane in hosts.values().filter_map(lane_of) {
            waits[lane as usize] = true;
        }
        let lane = patience.choose(|lane| waits[lane as usize])?;
        let in_lane = hosts.iter_mut().filter(|(_, host)| lane_of(host) == Some(lane));
        let (name, host) = in_lane.min_by_key(|(_, host)| host.since)?;
        let ((_, item), _) = host.lanes.pop()?;
        self.count += 1;
        host.since = self.count;
        host.busy += 1;
        self.free -= 1;
        Some((Arc::clone(name), item))
    }

    /// Takes a turn back.
    pub(super) fn end(&mut self, host: &str) {
        self.free += 1;
        if let Some(known) = self.hosts.get_mut(host) {
            known.busy -= 1;
        }
        self.forget_idle(host);
    }

    fn forget_idle(&mut self, host: &str) {
        if self.hosts.get(host).is_some_and(|host| host.busy == 0 && host.lanes.is_empty()) {
            self.hosts.remove(host);
        }
    }

    /// How many wait.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.hosts.values().map(|host| host.lanes.len()).sum()
    }

    /// How many hosts are known.
    #[cfg(test)]
    pub(super) fn hosts(&self) -> usize {
        self.hosts.len()
    }
}
