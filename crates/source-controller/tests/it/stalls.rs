//! Servers that don't answer, and work that is cut short. Contract: source-controller §3.3, §8.7.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use millrace_harness::git::noise;
use millrace_harness::until;
use serde_json::json;

use crate::bench::{Bench, LIMIT, files_in, on_bench, state};

const NOISE: usize = 8 << 20;

/// A server that takes connections and never says a word.
struct Silent {
    address: String,
    connections: Arc<Mutex<Vec<TcpStream>>>,
}

impl Silent {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let connections = Arc::<Mutex<Vec<TcpStream>>>::default();
        let held = Arc::clone(&connections);
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                held.lock().unwrap().push(connection);
            }
        });
        Self { address, connections }
    }

    fn url(&self) -> String {
        format!("http://{}/app.git", self.address)
    }

    async fn connections(&self, count: usize) {
        let enough = async || (self.connections.lock().unwrap().len() >= count).then_some(());
        until("connections to the silent server", LIMIT, enough).await.unwrap();
    }
}

/// The names of temporary files and artifacts in the store.
fn stored(bench: &Bench, name: &str) -> Vec<String> {
    files_in(&bench.storage().join(format!("gitrepository/{}/{name}", bench.namespace)))
}

#[test]
fn objects_of_a_stalled_host_hold_up_neither_those_of_others_nor_the_end() {
    on_bench(async |mut bench| {
        bench.stop().await;
        bench.start(&["--concurrent=1"]);
        let silent = Silent::start();
        for number in 0..20 {
            bench
                .create(&format!("stalled-{number}"), json!({ "url": silent.url(), "timeout": "10m" }))
                .await;
        }
        silent.connections(1).await;
        let waits = async || {
            let stalled = bench.api().list(&kube::api::ListParams::default()).await.unwrap();
            let announced = |object| state(object, "Reconciling").is_some();
            stalled.iter().all(announced).then_some(())
        };
        until("all stalled objects to be at work", LIMIT, waits).await.unwrap();

        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        bench.ready("app").await;
        assert_eq!(silent.connections.lock().unwrap().len(), 1, "one at a time, as the flag says");

        // Who only waits for a turn learns at once that the object goes, or that it is to go elsewhere.
        bench.delete("stalled-19").await;
        bench.patch("stalled-18", json!({ "spec": { "url": bench.git.public_url("app") } })).await;
        bench.ready("stalled-18").await;
        bench.stop().await;
    });
}

/// A commit that is to be published, and the lock of its artifact, which another process has.
async fn locked(bench: &Bench, spec: serde_json::Value) -> (String, File) {
    let commit = bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
    let folder = bench.storage().join(format!("gitrepository/{}/app", bench.namespace));
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join(format!("{commit}.tar.gz.lock"))).unwrap();
    lock.lock().unwrap();
    bench.create("app", spec).await;
    (commit, lock)
}

#[test]
fn a_wait_for_the_lock_of_another_process_ends_with_this_one() {
    on_bench(async |mut bench| {
        let (commit, lock) = locked(&bench, json!({ "timeout": "10m" })).await;
        let building = |shown: &(String, String, String)| shown.2.starts_with("building artifact");
        bench
            .when("app", "the artifact is built", |object| {
                state(object, "Reconciling").filter(building).map(drop)
            })
            .await;
        bench.stop().await;
        assert_eq!(stored(&bench, "app"), [""; 0]);

        drop(lock);
        bench.start(&[]);
        bench.ready("app").await;
        assert_eq!(stored(&bench, "app"), [format!("{commit}.tar.gz")]);
    });
}

#[test]
fn an_archive_that_is_cut_short_leaves_nothing_behind() {
    on_bench(async |mut bench| {
        let commit =
            bench.git.create("app").unwrap().commit("large").file("noise", noise(NOISE)).push().unwrap();
        let whole = format!("{commit}.tar.gz");
        bench.create("app", json!({})).await;
        let folder = bench.storage().join(format!("gitrepository/{}/app", bench.namespace));
        // Part of it is there for less than a second.
        let caught = tokio::task::spawn_blocking(move || {
            let began = Instant::now();
            while began.elapsed() < LIMIT {
                if files_in(&folder).iter().any(|name| name.starts_with(&whole) && *name != whole) {
                    return true;
                }
                std::thread::yield_now();
            }
            false
        });
        assert!(caught.await.unwrap());
        bench.stop().await;
        assert_eq!(stored(&bench, "app"), [""; 0]);

        bench.start(&[]);
        bench.ready("app").await;
        assert_eq!(stored(&bench, "app"), [format!("{commit}.tar.gz")]);
    });
}

#[test]
fn a_lock_that_another_process_keeps_for_too_long_is_named() {
    on_bench(async |bench| {
        let (commit, lock) = locked(&bench, json!({ "timeout": "3s" })).await;
        let file =
            bench.storage().join(format!("gitrepository/{}/app/{commit}.tar.gz.lock", bench.namespace));
        let message = format!(
            "failed to acquire lock for artifact: '{}' has been locked by another process for 3s",
            file.display()
        );
        bench.hears("app", "Failed", &message).await;
        assert_eq!(stored(&bench, "app"), [""; 0]);
        drop(lock);
        bench.ready("app").await;
        assert_eq!(stored(&bench, "app"), [format!("{commit}.tar.gz")]);
    });
}

// SC-110, without the process: the server withholds the pack.
#[test]
fn a_fetch_under_way_ends_with_the_process_and_the_next_one_goes_on() {
    on_bench(async |mut bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        let url = bench.git.public_url("app");
        let withholding = Withholding::start(&url);
        bench.create("app", json!({ "url": withholding.url(&url), "timeout": "10m" })).await;
        let asked = async || withholding.asked.load(Ordering::SeqCst).then_some(());
        until("the pack to be asked for", LIMIT, asked).await.unwrap();
        bench.stop().await;
        assert_eq!(stored(&bench, "app"), [""; 0]);
        bench.patch("app", json!({ "spec": { "url": url } })).await;
        bench.start(&[]);
        bench.ready("app").await;
    });
}

/// A way to a Git server on which everything passes until a pack is asked for.
struct Withholding {
    address: String,
    asked: Arc<AtomicBool>,
}

impl Withholding {
    fn start(url: &str) -> Self {
        let server = authority_of(url).to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::<AtomicBool>::default();
        let told = Arc::clone(&asked);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = TcpStream::connect(&server).unwrap();
                let (from, to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut &from, &mut &to));
                let told = Arc::clone(&told);
                std::thread::spawn(move || pass(client, server, &told));
            }
        });
        Self { address, asked }
    }

    fn url(&self, url: &str) -> String {
        url.replace(authority_of(url), &self.address)
    }
}

fn authority_of(url: &str) -> &str {
    url.split('/').nth(2).unwrap()
}

fn pass(mut client: TcpStream, mut server: TcpStream, asked: &AtomicBool) {
    let mut buffer = [0; 8192];
    while let Ok(count @ 1..) = client.read(&mut buffer) {
        let asks = buffer[..count].windows(13).any(|window| window == b"command=fetch");
        if asks || asked.load(Ordering::SeqCst) {
            asked.store(true, Ordering::SeqCst);
        } else if server.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
}
