//! A supply that Providers share, so that one which gives nothing back leaves something for the others.
//!
//! What is taken comes back when a message has been sent, and a Provider can put that off for as long as its own timeout
//! allows. So whoever has more must leave more: a namespace may have as much as it leaves free, and one of its Providers as
//! much as it leaves to the rest of its namespace. Alone, a Provider gets a third of the supply, and a second one that gives
//! nothing back a third of what their namespace may still have: it takes many of them until another finds nothing.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use millrace_reconcile::Key;
use tokio::sync::oneshot;

/// The supply; clones share it.
#[derive(Clone)]
pub(super) struct Shares(Arc<Mutex<State>>);

/// What one Provider has taken; it goes back when this is dropped.
pub(super) struct Share {
    shares: Shares,
    provider: Key,
    amount: usize,
}

struct State {
    supply: usize,
    taken: usize,
    /// By namespace; only those that have something.
    namespaces: BTreeMap<String, usize>,
    /// Only those that have something or wait for it.
    providers: BTreeMap<Key, Account>,
    /// How many requests there have been.
    requests: u64,
}

#[derive(Default)]
struct Account {
    taken: usize,
    waiting: VecDeque<Request>,
}

struct Request {
    number: u64,
    amount: usize,
    answer: oneshot::Sender<Share>,
}

impl Shares {
    /// A supply of which nothing is taken.
    pub(super) fn new(supply: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            supply,
            taken: 0,
            namespaces: BTreeMap::new(),
            providers: BTreeMap::new(),
            requests: 0,
        })))
    }

    /// Takes `amount` for a Provider, as soon as it may have so much more; of the requests of one Provider the first comes
    /// first, and of several Providers the one that has least. More than a third of the supply counts as a third, so that
    /// no request is too large for all times.
    ///
    /// Safe to cancel.
    pub(super) async fn take(&self, provider: &Key, amount: usize) -> Share {
        let (answer, granted) = oneshot::channel();
        let unclaimed = {
            let mut state = self.lock();
            state.request(provider, amount, answer);
            state.grant(self)
        };
        drop(unclaimed);
        granted.await.expect("a request stays until it is granted")
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Counts what turned out to be needed, even if it is more than the Provider may have: it is there already.
    pub(super) fn enlarge_to(&mut self, amount: usize) {
        let more = amount.saturating_sub(self.amount);
        self.shares.lock().add(&self.provider, more);
        self.amount += more;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let unclaimed = {
            let mut state = self.shares.lock();
            state.give_back(&self.provider, self.amount);
            state.grant(&self.shares)
        };
        // Not under the lock, which each of them takes.
        drop(unclaimed);
    }
}

impl State {
    fn request(&mut self, provider: &Key, amount: usize, answer: oneshot::Sender<Share>) {
        self.requests += 1;
        let request = Request { number: self.requests, amount: amount.min(self.supply / 3), answer };
        self.providers.entry(provider.clone()).or_default().waiting.push_back(request);
    }

    /// Grants what can be granted, and returns what was granted to somebody who has just given up.
    fn grant(&mut self, shares: &Shares) -> Vec<Share> {
        for account in self.providers.values_mut() {
            account.waiting.retain(|request| !request.answer.is_closed());
        }
        let mut unclaimed = Vec::new();
        while let Some(provider) = self.next() {
            let request = self.providers.get_mut(&provider).and_then(|account| account.waiting.pop_front());
            let Request { amount, answer, .. } = request.expect("this one waits");
            self.add(&provider, amount);
            let share = Share { shares: shares.clone(), provider, amount };
            unclaimed.extend(answer.send(share).err());
        }
        self.providers.retain(|_, account| account.taken > 0 || !account.waiting.is_empty());
        unclaimed
    }

    /// Whose turn it is: of those whose first request can be granted, the one that has least.
    fn next(&self) -> Option<Key> {
        let ready = self.providers.iter().filter_map(|(provider, account)| {
            let first = account.waiting.front()?;
            let fits = account.taken + first.amount <= self.left_to(provider.namespace());
            fits.then_some((account.taken, first.number, provider))
        });
        ready.min().map(|(_, _, provider)| provider.clone())
    }

    /// How much more the Providers of a namespace may take together.
    fn left_to(&self, namespace: &str) -> usize {
        let taken = self.namespaces.get(namespace).copied().unwrap_or_default();
        self.supply.saturating_sub(self.taken).saturating_sub(taken)
    }

    fn add(&mut self, provider: &Key, amount: usize) {
        self.taken += amount;
        *self.namespaces.entry(provider.namespace().to_owned()).or_default() += amount;
        self.providers.entry(provider.clone()).or_default().taken += amount;
    }

    fn give_back(&mut self, provider: &Key, amount: usize) {
        self.taken -= amount;
        if let Some(taken) = self.namespaces.get_mut(provider.namespace()) {
            *taken -= amount;
        }
        if let Some(account) = self.providers.get_mut(provider) {
            account.taken -= amount;
        }
        self.namespaces.retain(|_, taken| *taken > 0);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    fn provider(namespace: &str, name: &str) -> Key {
        Key::new(namespace, name)
    }

    /// Takes places one by one for as long as there are any.
    fn take_all(shares: &Shares, provider: &Key) -> Vec<Share> {
        std::iter::from_fn(|| shares.take(provider, 1).now_or_never()).collect()
    }

    fn is_untouched(shares: &Shares) -> bool {
        let state = shares.lock();
        state.taken == 0 && state.namespaces.is_empty() && state.providers.is_empty()
    }

    #[test]
    fn a_provider_alone_gets_a_third_and_a_namespace_half() {
        let shares = Shares::new(300);
        let first = take_all(&shares, &provider("a", "p"));
        assert_eq!(first.len(), 100);
        let others: Vec<_> =
            (0..10).map(|at| take_all(&shares, &provider("a", &format!("q{at}"))).len()).collect();
        // Each of them gave back at once what it had taken.
        assert_eq!(others, [34; 10]);
        let kept: Vec<_> = (0..10).map(|at| take_all(&shares, &provider("a", &format!("q{at}")))).collect();
        assert!(kept[0].len() > kept[1].len() && !kept[3].is_empty(), "the later, the less");
        assert_eq!(first.len() + kept.iter().map(Vec::len).sum::<usize>(), 150);
        assert_eq!(take_all(&shares, &provider("b", "p")).len(), 50, "another namespace has its own half");
        drop((first, kept));
        assert!(is_untouched(&shares));
    }

    #[test]
    fn what_comes_back_goes_to_who_has_least_and_came_first() {
        let shares = Shares::new(9);
        let (hungry, poor) = (provider("a", "hungry"), provider("a", "poor"));
        let mut held = take_all(&shares, &hungry);
        assert_eq!(held.len(), 3);
        let mut hers = vec![shares.take(&poor, 1).now_or_never().expect("a place")];
        let (mut first, mut second) = (Box::pin(shares.take(&hungry, 1)), Box::pin(shares.take(&hungry, 1)));
        let mut third = Box::pin(shares.take(&poor, 1));
        for waiting in [&mut first, &mut second, &mut third] {
            assert!(waiting.as_mut().now_or_never().is_none());
        }
        held.pop();
        hers.push(third.now_or_never().expect("she has one, he has two"));
        assert!(first.as_mut().now_or_never().is_none());
        drop(hers);
        assert!(first.now_or_never().is_some() && second.now_or_never().is_some());
        drop(held);
        assert!(is_untouched(&shares));
    }

    #[test]
    fn who_gives_up_waiting_leaves_nothing_behind_and_keeps_nobody_from_his_turn() {
        let shares = Shares::new(3);
        let dead = provider("a", "dead");
        let held = take_all(&shares, &dead);
        assert_eq!(held.len(), 1);
        for _ in 0..1000 {
            assert!(shares.take(&dead, 1).now_or_never().is_none());
        }
        assert!(shares.lock().providers[&dead].waiting.len() <= 1);
        let mut patient = Box::pin(shares.take(&dead, 1));
        assert!(patient.as_mut().now_or_never().is_none());
        drop(held);
        drop(patient.now_or_never().expect("a place"));
        // Granted, and given up before it was looked at.
        let held = take_all(&shares, &dead);
        let mut unlooked = Box::pin(shares.take(&dead, 1));
        assert!(unlooked.as_mut().now_or_never().is_none());
        drop(held);
        drop(unlooked);
        assert!(is_untouched(&shares));
    }

    #[test]
    fn amounts_are_counted_and_no_request_is_too_large_to_be_granted() {
        let shares = Shares::new(90);
        let (large, small) = (provider("a", "large"), provider("b", "small"));
        let mut share = shares.take(&large, 1000).now_or_never().expect("a third");
        assert!(shares.take(&large, 1).now_or_never().is_none());
        share.enlarge_to(20);
        share.enlarge_to(80);
        assert_eq!(shares.lock().taken, 80);
        assert!(shares.take(&small, 11).now_or_never().is_none());
        let little = shares.take(&small, 10).now_or_never().expect("what is left");
        share.enlarge_to(500);
        assert!(shares.take(&small, 1).now_or_never().is_none(), "there is less than nothing");
        drop((share, little));
        assert!(is_untouched(&shares));
    }
}
