use std::sync::atomic::{AtomicUsize, Ordering};

use crate::queue::PATIENCE;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::*;

/// Whether a turn comes at once.
fn at_once(threads: &Threads, host: &str) -> Option<Turn> {
    threads.turn(host, "apps", Lane::Change).now_or_never()
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
    assert_eq!(threads.0.line().len(), 0, "who doesn't wait leaves the line");
    drop(turns);
    assert_eq!(threads.0.line().hosts(), 0);
}

/// Those who wait, by what they are called.
struct Crowd {
    threads: Threads,
    waiting: Vec<(String, BoxFuture<'static, Turn>)>,
}

impl Crowd {
    fn new(threads: &Threads) -> Self {
        Self { threads: threads.clone(), waiting: Vec::new() }
    }

    fn join(&mut self, name: &str, host: &'static str, namespace: &'static str, lane: Lane) {
        let threads = self.threads.clone();
        let turn = async move { threads.turn(host, namespace, lane).await };
        let mut turn = turn.boxed();
        assert!((&mut turn).now_or_never().is_none(), "{name} doesn't wait");
        self.waiting.push((name.to_owned(), turn));
    }

    /// Who comes when this turn ends.
    fn after(&mut self, ended: Turn) -> (String, Turn) {
        drop(ended);
        let come = self
            .waiting
            .iter_mut()
            .enumerate()
            .find_map(|(position, (_, waiting))| waiting.now_or_never().map(|turn| (position, turn)));
        let (position, turn) = come.expect("somebody comes");
        (self.waiting.remove(position).0, turn)
    }

    /// The names of all in the order in which they come, each after the one before.
    fn order(mut self, mut turn: Turn) -> Vec<String> {
        let mut names = Vec::new();
        while !self.waiting.is_empty() {
            let (name, next) = self.after(turn);
            names.push(name);
            turn = next;
        }
        names
    }
}

#[tokio::test]
async fn turns_come_by_urgency_and_then_in_order() {
    let threads = Threads::new(1);
    let first = at_once(&threads, "a").unwrap();
    let mut crowd = Crowd::new(&threads);
    for (name, lane) in [
        ("initial", Lane::Initial),
        ("timer", Lane::Timer),
        ("asked", Lane::Request),
        ("asked too", Lane::Request),
    ] {
        crowd.join(name, "a", "apps", lane);
    }
    assert_eq!(crowd.order(first), ["asked", "asked too", "timer", "initial"]);
}

#[tokio::test]
async fn namespaces_of_a_lane_take_turns() {
    let threads = Threads::new(1);
    let first = at_once(&threads, "a").unwrap();
    let mut crowd = Crowd::new(&threads);
    for (name, namespace) in [("x1", "x"), ("x2", "x"), ("x3", "x"), ("y1", "y"), ("z1", "z")] {
        crowd.join(name, "a", namespace, Lane::Change);
    }
    assert_eq!(crowd.order(first), ["x1", "y1", "z1", "x2", "x3"]);
}

#[tokio::test]
async fn endless_requests_for_a_host_keep_no_timer_waiting_for_ever() {
    let threads = Threads::new(1);
    let mut turn = at_once(&threads, "a").unwrap();
    let mut crowd = Crowd::new(&threads);
    for timer in ["timer 1", "timer 2"] {
        crowd.join(timer, "a", "quiet", Lane::Timer);
    }
    let mut names = Vec::new();
    for _ in 0..2 * (PATIENCE + 1) {
        crowd.join("asked", "a", "busy", Lane::Request);
        let (name, next) = crowd.after(turn);
        names.push(name);
        turn = next;
    }
    let patience = PATIENCE as usize;
    assert_eq!(names[patience], "timer 1", "{names:?}");
    assert_eq!(names[2 * patience + 1], "timer 2", "{names:?}");
    assert_eq!(names.iter().filter(|name| *name == "asked").count(), 2 * patience, "urgent ones first");
}

#[tokio::test]
async fn hosts_that_share_the_threads_go_by_urgency_and_none_is_kept_waiting_for_ever() {
    let threads = Threads::new(1);
    let mut turns: Vec<_> =
        ["a", "b", "c", "d"].iter().map(|host| at_once(&threads, host).unwrap()).collect();
    let mut turn = turns.pop().unwrap();
    let mut crowd = Crowd::new(&threads);
    for (name, host) in [("timer 1", "e"), ("timer 2", "f")] {
        crowd.join(name, host, "quiet", Lane::Timer);
    }
    crowd.join("held up", "a", "quiet", Lane::Request);
    let mut names = Vec::new();
    for round in 0..2 * (PATIENCE + 1) {
        let host = if round % 2 == 0 { "g" } else { "h" };
        crowd.join("asked", host, "busy", Lane::Request);
        let (name, next) = crowd.after(turn);
        names.push(name);
        turn = next;
    }
    let patience = PATIENCE as usize;
    assert_eq!(names[..patience], vec!["asked"; patience], "{names:?}");
    assert_eq!((&*names[patience], &*names[2 * patience + 1]), ("timer 1", "timer 2"), "{names:?}");
}

#[tokio::test]
async fn a_panic_is_an_error_and_gives_the_turn_back() {
    let (threads, tasks) = (Threads::new(1), Tasks::new());
    let turn = threads.turn("a", "apps", Lane::Change).await;
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
                    let turn = threads.turn("stalled", "apps", Lane::Change).await;
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
        let turn = threads.turn("other", "apps", Lane::Initial).await;
        let handle = tokio::runtime::Handle::current();
        let resolve = move || handle.block_on(tokio::net::lookup_host("localhost:0")).map(drop);
        Threads::run(turn, &tasks, resolve).await.unwrap().unwrap();
        assert_eq!(started.load(Ordering::SeqCst), MAX_PER_HOST);

        tasks.shutdown().cancel();
        for fetch in stalled {
            fetch.await.unwrap();
        }
        assert_eq!(threads.0.line().len(), 0);
        end.wait();
        tasks.finish().await;
    });
}
