//! Who has how much of a supply, who waits for more, and whose turn it is.
//!
//! Pure. Once all is granted that can be, nobody is left who could have his turn: so after a change there is to look at what
//! it leaves room for, not at all that wait.

use std::collections::{BTreeMap, BTreeSet};

use millrace_reconcile::Key;

/// A supply; `T` is how those that wait for it are answered.
pub(super) struct State<T> {
    supply: usize,
    taken: usize,
    waiting: usize,
    /// How many requests there have been.
    requests: u64,
    /// Only those that have something or wait for it.
    namespaces: BTreeMap<String, Namespace<T>>,
    /// The first turn of every line of every namespace, by how much must be left of the supply for it.
    turns: Turns,
}

type Turns = BTreeMap<usize, BTreeSet<Turn>>;

struct Namespace<T> {
    taken: usize,
    waiting: usize,
    /// Only those that have something or wait for it.
    providers: BTreeMap<Key, Account<T>>,
    /// The turns of its Providers, by how much each asks for first: in a line, nobody can come before the first.
    lines: Turns,
}

struct Account<T> {
    taken: usize,
    /// By their numbers.
    waiting: BTreeMap<u64, Request<T>>,
}

struct Request<T> {
    amount: usize,
    answer: T,
}

/// A Provider that waits: who has least comes first, and then who asked first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    taken: usize,
    number: u64,
    provider: Key,
}

/// What a request is answered with.
pub(super) struct Granted<T> {
    pub(super) provider: Key,
    pub(super) amount: usize,
    pub(super) answer: T,
}

impl<T> State<T> {
    /// A supply of which nothing is taken.
    pub(super) fn new(supply: usize) -> Self {
        let (namespaces, turns) = (BTreeMap::new(), Turns::new());
        Self { supply, taken: 0, waiting: 0, requests: 0, namespaces, turns }
    }

    /// Puts a request at the end of its Provider's, and returns its number. More than a third of the supply counts as a
    /// third.
    pub(super) fn ask(&mut self, provider: &Key, amount: usize, answer: T) -> u64 {
        self.requests += 1;
        let (number, amount) = (self.requests, amount.min(self.supply / 3));
        self.change(provider, |account| account.waiting.insert(number, Request { amount, answer }));
        number
    }

    /// Takes a request back, if it still waits.
    pub(super) fn leave(&mut self, provider: &Key, number: u64) {
        self.change(provider, |account| account.waiting.remove(&number));
    }

    /// Whether a request has to wait and there is no room for it: `line` is shared by those that wait as the supply is.
    pub(super) fn is_crowded(&self, provider: &Key, number: u64, line: usize) -> bool {
        let Some(namespace) = self.namespaces.get(provider.namespace()) else { return false };
        let Some(account) = namespace.providers.get(provider) else { return false };
        account.waiting.contains_key(&number)
            && account.waiting.len() + namespace.waiting + self.waiting > line
    }

    /// Takes so much for a Provider, whether there is so much or not.
    pub(super) fn add(&mut self, provider: &Key, amount: usize) {
        self.change(provider, |account| account.taken += amount);
    }

    /// Returns what a Provider has taken.
    pub(super) fn give_back(&mut self, provider: &Key, amount: usize) {
        self.change(provider, |account| account.taken -= amount);
    }

    /// Grants all that can be granted.
    pub(super) fn grant(&mut self) -> Vec<Granted<T>> {
        let mut granted = Vec::new();
        while let Some(provider) = self.candidates().min().map(|turn| turn.provider.clone()) {
            let request = self.change(&provider, |account| {
                let (_, request) = account.waiting.pop_first()?;
                account.taken += request.amount;
                Some(request)
            });
            let Request { amount, answer } = request.expect("who has a turn waits");
            granted.push(Granted { provider, amount, answer });
        }
        granted
    }

    /// Those for which enough is left, but for who can't come first: at most one for every unit that has come back, and one
    /// for every line of the namespace that gave it back.
    fn candidates(&self) -> impl Iterator<Item = &Turn> {
        let left = self.supply.saturating_sub(self.taken);
        self.turns.range(..=left).filter_map(|(_, turns)| turns.first())
    }

    /// Changes a Provider's account, and what follows from it elsewhere.
    fn change<R>(&mut self, provider: &Key, edit: impl FnOnce(&mut Account<T>) -> R) -> R {
        let Self { taken, waiting, namespaces, turns, .. } = self;
        let namespace = namespaces.entry(provider.namespace().to_owned()).or_default();
        for (needed, turn) in namespace.first_turns() {
            remove(turns, needed, turn);
        }
        let before = (namespace.taken, namespace.waiting);
        let result = namespace.change(provider, edit);
        *taken = *taken - before.0 + namespace.taken;
        *waiting = *waiting - before.1 + namespace.waiting;
        for (needed, turn) in namespace.first_turns() {
            turns.entry(needed).or_default().insert(turn.clone());
        }
        if namespace.providers.is_empty() {
            namespaces.remove(provider.namespace());
        }
        result
    }
}

impl<T> Namespace<T> {
    /// The first turn of every line, and how much must be left of the supply for it: the namespace may have as much as it
    /// leaves free, and the Provider as much as it leaves to the rest of the namespace.
    fn first_turns(&self) -> impl Iterator<Item = (usize, &Turn)> {
        self.lines.iter().filter_map(|(amount, line)| {
            let first = line.first()?;
            Some((self.taken + first.taken + amount, first))
        })
    }

    fn change<R>(&mut self, provider: &Key, edit: impl FnOnce(&mut Account<T>) -> R) -> R {
        let account = self.providers.entry(provider.clone()).or_default();
        if let Some((amount, turn)) = account.turn(provider) {
            remove(&mut self.lines, amount, &turn);
        }
        let before = (account.taken, account.waiting.len());
        let result = edit(account);
        self.taken = self.taken - before.0 + account.taken;
        self.waiting = self.waiting - before.1 + account.waiting.len();
        if let Some((amount, turn)) = account.turn(provider) {
            self.lines.entry(amount).or_default().insert(turn);
        } else if account.taken == 0 {
            self.providers.remove(provider);
        }
        result
    }
}

impl<T> Account<T> {
    /// What the Provider asks for first, and its turn.
    fn turn(&self, provider: &Key) -> Option<(usize, Turn)> {
        let (number, request) = self.waiting.first_key_value()?;
        Some((request.amount, Turn { taken: self.taken, number: *number, provider: provider.clone() }))
    }
}

impl<T> Default for Namespace<T> {
    fn default() -> Self {
        Self { taken: 0, waiting: 0, providers: BTreeMap::new(), lines: Turns::new() }
    }
}

impl<T> Default for Account<T> {
    fn default() -> Self {
        Self { taken: 0, waiting: BTreeMap::new() }
    }
}

fn remove(turns: &mut Turns, at: usize, turn: &Turn) {
    if let Some(found) = turns.get_mut(&at) {
        found.remove(turn);
        if found.is_empty() {
            turns.remove(&at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<T> State<T> {
        /// Whether nothing is taken and nothing waits, and nothing is left of what was.
        pub(in super::super) fn is_untouched(&self) -> bool {
            (self.taken, self.waiting) == (0, 0) && self.namespaces.is_empty() && self.turns.is_empty()
        }

        /// How much is taken, and how many wait.
        pub(in super::super) fn totals(&self) -> (usize, usize) {
            (self.taken, self.waiting)
        }
    }

    #[test]
    fn what_comes_back_is_offered_to_few_however_many_wait() {
        const NAMESPACES: usize = 100;
        let mut state = State::new(384);
        let mut held = Vec::new();
        for at in 0..32_000 {
            let provider = Key::new(format!("ns-{}", at % NAMESPACES), format!("p-{}", at % 4000));
            state.ask(&provider, 1, ());
            held.extend(state.grant());
        }
        assert_eq!(held.len() + state.waiting, 32_000);
        assert!(held.len() > 350, "{}", held.len());
        let mut grants = 0;
        for Granted { provider, amount, .. } in held {
            state.give_back(&provider, amount);
            let offered = state.candidates().count();
            assert!(offered <= 2, "{offered}");
            grants += state.grant().len();
            let known: usize = state.turns.values().map(BTreeSet::len).sum();
            assert!(known <= NAMESPACES, "{known}");
        }
        assert!(grants > 350, "{grants}");
    }

    /// The rule as it reads: looks at all that wait, again and again.
    #[derive(Default)]
    struct Rule {
        taken: BTreeMap<Key, usize>,
        waiting: BTreeMap<u64, (Key, usize)>,
    }

    impl Rule {
        fn next(&self, supply: usize) -> Option<u64> {
            let total: usize = self.taken.values().sum();
            let mut seen = BTreeSet::new();
            let firsts = self.waiting.iter().filter(|(_, (provider, _))| seen.insert(provider));
            let ready = firsts.filter_map(|(number, (provider, amount))| {
                let own = self.taken.get(provider).copied().unwrap_or_default();
                let neighbours = self.taken.iter().filter(|(key, _)| key.namespace() == provider.namespace());
                let namespace: usize = neighbours.map(|(_, taken)| taken).sum();
                let left = supply.saturating_sub(total).saturating_sub(namespace);
                (own + amount <= left).then_some((own, *number))
            });
            ready.min().map(|(_, number)| number)
        }

        fn grant(&mut self, supply: usize) -> Vec<u64> {
            let mut granted = Vec::new();
            while let Some(number) = self.next(supply) {
                let (provider, amount) = self.waiting.remove(&number).expect("it waits");
                *self.taken.entry(provider).or_default() += amount;
                granted.push(number);
            }
            granted
        }
    }

    #[test]
    fn grants_are_those_of_the_rule_whatever_happens() {
        const SUPPLY: usize = 300;
        let (mut state, mut rule) = (State::new(SUPPLY), Rule::default());
        let mut held: Vec<(Key, usize)> = Vec::new();
        let mut seed = 1_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).expect("31 bits") % below
        };
        let (mut grants, mut waited) = (0, 0);
        for step in 1..=6000 {
            match random(8) {
                0..4 => {
                    let provider = Key::new(format!("ns-{}", random(4)), format!("p-{}", random(3)));
                    let amount = [1, 1, 1, 2, 7, 40, 1000][random(7)];
                    let number = state.ask(&provider, amount, state.requests + 1);
                    rule.waiting.insert(number, (provider, amount.min(SUPPLY / 3)));
                }
                4 if !rule.waiting.is_empty() => {
                    let at = random(rule.waiting.len());
                    let number = *rule.waiting.keys().nth(at).expect("there are so many");
                    let (provider, _) = rule.waiting.remove(&number).expect("it waits");
                    state.leave(&provider, number);
                }
                5 if !held.is_empty() => {
                    let at = random(held.len());
                    let (provider, amount) = &mut held[at];
                    *amount += 3;
                    state.add(provider, 3);
                    *rule.taken.get_mut(provider).expect("it has some") += 3;
                }
                _ if !held.is_empty() => {
                    let (provider, amount) = held.swap_remove(random(held.len()));
                    state.give_back(&provider, amount);
                    *rule.taken.get_mut(&provider).expect("it has some") -= amount;
                }
                _ => {}
            }
            let granted = state.grant();
            let numbers: Vec<_> = granted.iter().map(|granted| granted.answer).collect();
            assert_eq!(numbers, rule.grant(SUPPLY), "step {step}");
            assert_eq!(state.waiting, rule.waiting.len());
            grants += granted.len();
            waited += rule.waiting.len();
            held.extend(granted.into_iter().map(|granted| (granted.provider, granted.amount)));
        }
        assert!(grants > 1000 && waited > 6000, "{grants} {waited}");
    }
}
