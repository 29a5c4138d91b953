//! A supply that Providers share, so that one which gives nothing back leaves something for the others.
//!
//! What is taken comes back when a message has been sent, and a Provider can put that off for as long as its own timeout
//! allows. So whoever has more must leave more: a namespace may have as much as it leaves free, and one of its Providers as
//! much as it leaves to the rest of its namespace. Alone, a Provider gets a third of the supply, and a second one that gives
//! nothing back a third of what their namespace may still have: it takes many of them until another finds nothing.

mod state;

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{self, Poll},
};

use millrace_reconcile::Key;
use tokio::sync::oneshot;

use self::state::{Granted, State};

/// The supply; clones share it.
#[derive(Clone)]
pub(super) struct Shares(Arc<Mutex<State<oneshot::Sender<Share>>>>);

/// What one Provider has taken; it goes back when this is dropped.
pub(super) struct Share {
    shares: Shares,
    provider: Key,
    amount: usize,
}

/// A request that is granted when its turn comes; dropped before, it is taken back.
pub(super) struct Asked {
    shares: Shares,
    provider: Key,
    /// Until it has been granted.
    number: Option<u64>,
    granted: oneshot::Receiver<Share>,
}

impl Shares {
    /// A supply of which nothing is taken.
    pub(super) fn new(supply: usize) -> Self {
        Self(Arc::new(Mutex::new(State::new(supply))))
    }

    /// Asks for `amount` for a Provider, and gets it as soon as it may have so much more; of the requests of one Provider
    /// the first comes first, and of several Providers the one that has least. More than a third of the supply counts as a
    /// third, so that no request is too large for all times.
    pub(super) fn ask(&self, provider: &Key, amount: usize) -> Asked {
        let (answer, granted) = oneshot::channel();
        let (number, grants) = {
            let mut state = self.lock();
            let number = state.ask(provider, amount, answer);
            (number, state.grant())
        };
        self.answer(grants);
        Asked { shares: self.clone(), provider: provider.clone(), number: Some(number), granted }
    }

    /// The same, unless it had to wait and too many do so already: `line` is for all that wait, and they share it as they
    /// share the supply, so a Provider alone may have a third of it.
    pub(super) fn ask_within(&self, line: usize, provider: &Key, amount: usize) -> Option<Asked> {
        let asked = self.ask(provider, amount);
        let crowded = asked.number.is_some_and(|number| self.lock().is_crowded(provider, number, line));
        (!crowded).then_some(asked)
    }

    /// Not under the lock: who has given up in the meantime gives back at once what he gets.
    fn answer(&self, grants: Vec<Granted<oneshot::Sender<Share>>>) {
        for Granted { provider, amount, answer } in grants {
            drop(answer.send(Share { shares: self.clone(), provider, amount }));
        }
    }

    /// Makes a change, and grants what it leaves room for.
    fn change(&self, change: impl FnOnce(&mut State<oneshot::Sender<Share>>)) {
        let grants = {
            let mut state = self.lock();
            change(&mut state);
            state.grant()
        };
        self.answer(grants);
    }

    fn lock(&self) -> MutexGuard<'_, State<oneshot::Sender<Share>>> {
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
        self.shares.change(|state| state.give_back(&self.provider, self.amount));
    }
}

impl Future for Asked {
    type Output = Share;

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Share> {
        let granted = Pin::new(&mut self.granted).poll(context);
        granted.map(|share| {
            self.number = None;
            share.expect("a request stays until it is granted")
        })
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.shares.change(|state| state.leave(&self.provider, number));
        }
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
        std::iter::from_fn(|| shares.ask(provider, 1).now_or_never()).collect()
    }

    fn is_untouched(shares: &Shares) -> bool {
        shares.lock().is_untouched()
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
        let mut hers = vec![shares.ask(&poor, 1).now_or_never().expect("a place")];
        let (mut first, mut second) = (Box::pin(shares.ask(&hungry, 1)), Box::pin(shares.ask(&hungry, 1)));
        let mut third = Box::pin(shares.ask(&poor, 1));
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
            assert!(shares.ask(&dead, 1).now_or_never().is_none());
        }
        assert_eq!(shares.lock().totals(), (1, 0));
        let mut patient = Box::pin(shares.ask(&dead, 1));
        assert!(patient.as_mut().now_or_never().is_none());
        drop(held);
        drop(patient.now_or_never().expect("a place"));
        // Granted, and given up before it was looked at.
        let held = take_all(&shares, &dead);
        let mut unlooked = Box::pin(shares.ask(&dead, 1));
        assert!(unlooked.as_mut().now_or_never().is_none());
        drop(held);
        drop(unlooked);
        assert!(is_untouched(&shares));
    }

    #[test]
    fn amounts_are_counted_and_no_request_is_too_large_to_be_granted() {
        let shares = Shares::new(90);
        let (large, small) = (provider("a", "large"), provider("b", "small"));
        let mut share = shares.ask(&large, 1000).now_or_never().expect("a third");
        assert!(shares.ask(&large, 1).now_or_never().is_none());
        share.enlarge_to(20);
        share.enlarge_to(80);
        assert_eq!(shares.lock().totals(), (80, 0));
        assert!(shares.ask(&small, 11).now_or_never().is_none());
        let little = shares.ask(&small, 10).now_or_never().expect("what is left");
        share.enlarge_to(500);
        assert!(shares.ask(&small, 1).now_or_never().is_none(), "there is less than nothing");
        drop((share, little));
        assert!(is_untouched(&shares));
    }

    #[test]
    fn who_gives_up_lets_a_smaller_request_behind_him_go_on() {
        let shares = Shares::new(9);
        let (owner, other) = (provider("a", "p"), provider("b", "p"));
        let _held = [&owner, &other].map(|provider| shares.ask(provider, 2).now_or_never().expect("a place"));
        let (large, mut small) = (shares.ask(&owner, 3), Box::pin(shares.ask(&owner, 1)));
        assert!(small.as_mut().now_or_never().is_none(), "it is not his turn");
        drop(large);
        assert!(small.now_or_never().is_some());
    }

    #[test]
    fn who_waits_leaves_room_for_others_to_wait() {
        const LINE: usize = 300;
        let shares = Shares::new(3);
        let mut held = shares.ask(&provider("b", "p"), 1).now_or_never().expect("a place");
        held.enlarge_to(3);
        let wait = |provider: &Key| {
            let asked = std::iter::from_fn(|| shares.ask_within(LINE, provider, 1));
            asked.take(LINE).collect::<Vec<_>>()
        };
        let (first, second) = (wait(&provider("a", "p")), wait(&provider("a", "q")));
        let other = wait(&provider("c", "p"));
        assert_eq!((first.len(), second.len(), other.len()), (100, 33, 55));
        assert_eq!(shares.lock().totals(), (3, 188), "who is turned away leaves nothing behind");
        drop((first, second, other));
        assert_eq!(shares.lock().totals(), (3, 0));
    }
}
