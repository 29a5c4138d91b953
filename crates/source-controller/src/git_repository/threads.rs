//! Threads for talking to Git servers, and whose turn it is.
//!
//! They are not those of the runtime, which resolves names and reads files on its own: however many servers stall, the
//! rest of the process goes on. One host gets no more than a quarter of them, so that one that stalls leaves the others
//! theirs; who waits for one host is not overtaken by who came later, unless that run is more urgent.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use millrace_reconcile::queue::Lane;
use millrace_reconcile::tasks::Tasks;
use tokio::sync::oneshot;

/// The most threads that one host gets, whatever `--concurrent` says.
const MAX_PER_HOST: usize = 64;

/// How many hosts may have all the threads that a host can get.
const HOSTS: usize = 4;

/// The stack of a thread: indexing packs and reading trees don't recurse.
const STACK_BYTES: usize = 2 * 1024 * 1024;

/// The threads of one controller; cheap to clone.
#[derive(Clone)]
pub(crate) struct Threads(Arc<Shared>);

struct Shared {
    per_host: usize,
    total: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    busy: usize,
    hosts: HashMap<String, usize>,
    /// Who waits, most urgent first and then in order of arrival.
    line: BTreeMap<(Lane, u64), Waiting>,
    arrivals: u64,
}

struct Waiting {
    host: String,
    turn: oneshot::Sender<Turn>,
}

/// Why work gave no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ThreadError {
    /// There is no thread to be had.
    #[error("failed to start a thread")]
    Start(#[source] io::Error),
    /// The work panicked.
    #[error("panic: {0} [recovered]")]
    Panicked(String),
}

/// The right to use one thread for a host, until dropped.
pub(crate) struct Turn {
    shared: Arc<Shared>,
    host: String,
}

impl Threads {
    /// As many threads for each host as there are workers, and four times as many in all.
    pub(crate) fn new(concurrent: usize) -> Self {
        let per_host = concurrent.clamp(1, MAX_PER_HOST);
        Self(Arc::new(Shared { per_host, total: HOSTS * per_host, state: Mutex::default() }))
    }

    /// Waits for a turn. Dropping the future leaves the line.
    pub(crate) async fn turn(&self, host: &str, lane: Lane) -> Turn {
        let (turn, granted) = oneshot::channel();
        let place = {
            let mut state = self.0.state();
            state.arrivals += 1;
            let place = (lane, state.arrivals);
            state.line.insert(place, Waiting { host: host.to_owned(), turn });
            place
        };
        let _leave = Leave { shared: &self.0, place };
        self.0.grant();
        granted.await.expect("the line is left by this future only, or with a turn")
    }

    /// Runs work on a thread of its own. Dropping the future doesn't end the work, which keeps its turn.
    pub(crate) async fn run<T: Send + 'static>(
        turn: Turn,
        tasks: &Tasks,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ThreadError> {
        let (result, outcome) = oneshot::channel();
        let token = tasks.tracker().token();
        let span = tracing::Span::current();
        let body = move || {
            let done = catch_unwind(AssertUnwindSafe(|| span.in_scope(work)));
            drop(turn);
            // Nobody waits any more if the run was cut.
            let _ = result.send(done);
            drop(token);
        };
        let thread = std::thread::Builder::new().name("git".to_owned()).stack_size(STACK_BYTES);
        thread.spawn(body).map_err(ThreadError::Start)?;
        match outcome.await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(payload)) => Err(ThreadError::Panicked(panic_text(payload.as_ref()))),
            Err(_) => Err(ThreadError::Panicked("the thread ended without a word".to_owned())),
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives turns to all whose time has come.
    fn grant(self: &Arc<Self>) {
        while let Some((waiting, turn)) = self.next() {
            // Who has just left doesn't take the turn: dropped here, it is free again.
            let _ = waiting.send(turn);
        }
    }

    fn next(self: &Arc<Self>) -> Option<(oneshot::Sender<Turn>, Turn)> {
        let mut state = self.state();
        if state.busy >= self.total {
            return None;
        }
        let has_room = |host: &str| state.hosts.get(host).is_none_or(|busy| *busy < self.per_host);
        let place =
            state.line.iter().find(|(_, waiting)| has_room(&waiting.host)).map(|(place, _)| *place)?;
        let Waiting { host, turn } = state.line.remove(&place)?;
        state.busy += 1;
        *state.hosts.entry(host.clone()).or_default() += 1;
        Some((turn, Turn { shared: Arc::clone(self), host }))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        {
            let mut state = self.shared.state();
            state.busy -= 1;
            let left = state.hosts.get_mut(&self.host).map_or(0, |busy| {
                *busy -= 1;
                *busy
            });
            if left == 0 {
                state.hosts.remove(&self.host);
            }
        }
        self.shared.grant();
    }
}

/// Leaves the line when dropped, if the turn hasn't come.
struct Leave<'a> {
    shared: &'a Arc<Shared>,
    place: (Lane, u64),
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.shared.state().line.remove(&self.place);
    }
}

fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use futures::FutureExt as _;

    use super::*;

    /// Whether a turn comes at once.
    fn at_once(threads: &Threads, host: &str) -> Option<Turn> {
        threads.turn(host, Lane::Change).now_or_never()
    }

    #[tokio::test]
    async fn a_host_gets_its_share_and_all_hosts_together_four() {
        let threads = Threads::new(2);
        let hosts = ["a", "a", "b", "b", "c", "c", "d", "d"];
        let mut turns: Vec<_> = hosts.iter().map(|host| at_once(&threads, host).unwrap()).collect();
        assert!(at_once(&threads, "e").is_none(), "all are taken");
        turns.remove(7);
        assert!(at_once(&threads, "a").is_none(), "a has its share");
        assert!(at_once(&threads, "e").is_some());
        assert_eq!(threads.0.state().line.len(), 0, "who doesn't wait leaves the line");
        drop(turns);
        assert!(threads.0.state().hosts.is_empty());
    }

    #[tokio::test]
    async fn turns_come_by_urgency_and_then_in_order() {
        let threads = Threads::new(1);
        let first = at_once(&threads, "a").unwrap();
        let (order, turns) = mpsc::sync_channel(8);
        let mut line = Vec::new();
        for (name, lane) in [
            ("initial", Lane::Initial),
            ("timer", Lane::Timer),
            ("asked", Lane::Request),
            ("asked too", Lane::Request),
        ] {
            let (threads, order) = (threads.clone(), order.clone());
            let mut waiting = Box::pin(async move {
                let turn = threads.turn("a", lane).await;
                order.send(name).unwrap();
                drop(turn);
            });
            assert!((&mut waiting).now_or_never().is_none());
            line.push(waiting);
        }
        drop(first);
        futures::future::join_all(line).await;
        assert_eq!(turns.try_iter().collect::<Vec<_>>(), ["asked", "asked too", "timer", "initial"]);
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_gives_the_turn_back() {
        let (threads, tasks) = (Threads::new(1), Tasks::new());
        let turn = threads.turn("a", Lane::Change).await;
        let outcome: Result<(), _> = Threads::run(turn, &tasks, || panic!("out of luck")).await;
        assert_eq!(outcome.unwrap_err().to_string(), "panic: out of luck [recovered]");
        assert!(at_once(&threads, "a").is_some());
    }

    /// A thousand fetches hang; with the threads of the runtime the name would never be resolved.
    #[test]
    fn a_thousand_stalled_fetches_hold_up_neither_other_hosts_nor_the_end() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(4)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let (threads, tasks) = (Threads::new(1000), Tasks::new());
            let (end, started) =
                (Arc::new(std::sync::Barrier::new(MAX_PER_HOST + 1)), Arc::new(AtomicUsize::new(0)));
            let stalled: Vec<_> = (0..1000)
                .map(|_| {
                    let (threads, tasks, end, started) =
                        (threads.clone(), tasks.clone(), Arc::clone(&end), Arc::clone(&started));
                    let shutdown = tasks.shutdown().clone();
                    let fetch = async move {
                        let turn = threads.turn("stalled", Lane::Change).await;
                        let work = move || {
                            started.fetch_add(1, Ordering::SeqCst);
                            end.wait();
                        };
                        Threads::run(turn, &tasks, work).await.unwrap();
                    };
                    async move {
                        tokio::select! { () = fetch => {} () = shutdown.cancelled() => {} }
                    }
                })
                .map(|fetch| tasks.spawn(fetch))
                .collect();
            while started.load(Ordering::SeqCst) < MAX_PER_HOST {
                tokio::task::yield_now().await;
            }
            let turn = threads.turn("other", Lane::Initial).await;
            let handle = tokio::runtime::Handle::current();
            let resolve = move || handle.block_on(tokio::net::lookup_host("localhost:0")).map(drop);
            Threads::run(turn, &tasks, resolve).await.unwrap().unwrap();
            assert_eq!(started.load(Ordering::SeqCst), MAX_PER_HOST);

            tasks.shutdown().cancel();
            for fetch in stalled {
                fetch.await.unwrap();
            }
            assert_eq!(threads.0.state().line.len(), 0);
            end.wait();
            tasks.finish().await;
        });
    }
}
