//! The controller ends in the middle of a reconciliation, and starts again. Contract: source-controller §2.11, §4.
//!
//! Requests are held at the API server's door, on either side of its work; the steps of a publication are those that the
//! store itself leaves on a real disk. Many objects stand at a point each when the controller ends, so that one end
//! serves all of them. From then on, until all have recovered, whatever an object advertises must be served whole.

mod publication;

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use millrace_api::meta::Artifact;
use millrace_api::source::v1::GitRepository;
use millrace_harness::git::Repository;
use millrace_harness::proxy::{Fault, Match, Side};
use millrace_matrix::Matrix;
use millrace_net::HttpClient;
use millrace_reconcile::clock::Clock;
use serde_json::json;

use crate::bench::{Bench, LIMIT, files_in, hex_sha256, on_bench, revision};

/// Nothing is kept that isn't advertised, however young.
const EAGER: [&str; 3] =
    ["--concurrent=64", "--artifact-retention-ttl=1ms", "--artifact-retention-records=1"];

/// A clock that is wrong by so much.
struct Wrong(SignedDuration);

impl Clock for Wrong {
    fn now(&self) -> Timestamp {
        Timestamp::now() + self.0
    }
}

/// An object that stands at a point when the controller ends.
struct Row {
    name: String,
    /// What it must come to; `None`: it must go.
    becomes: Option<String>,
    /// What was served wrongly, or never came.
    trouble: Option<String>,
}

struct Kills<'a> {
    bench: &'a mut Bench,
    repository: Repository,
    client: HttpClient,
    port: u16,
    rows: Vec<Row>,
}

#[test]
fn a_controller_that_ends_at_any_point_serves_what_is_advertised_and_recovers() {
    on_bench(async |mut bench| {
        let mut kills = Kills::prepare(&mut bench);
        let mut matrix = Matrix::new("kill points source");
        kills.at_every_request().await;
        kills.count(&mut matrix);
        kills.in_every_publication().await;
        kills.count(&mut matrix);
        kills.with_wrong_clocks(&mut matrix).await;
        matrix.finish().unwrap();
    });
}

impl<'a> Kills<'a> {
    fn prepare(bench: &'a mut Bench) -> Self {
        let repository = bench.git.create("app").unwrap();
        let client = HttpClient::new(&millrace_net::Options::default()).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self { bench, repository, client, port, rows: Vec::new() }
    }

    fn count(&mut self, matrix: &mut Matrix) {
        for Row { name, trouble, .. } in self.rows.drain(..) {
            matrix.row(&name, trouble.map_or(Ok(()), Err));
        }
    }

    fn restart(&mut self) {
        let address = format!("--storage-addr=127.0.0.1:{}", self.port);
        let mut flags = EAGER.to_vec();
        flags.push(&address);
        self.bench.start(&flags);
    }

    fn push(&self, subject: &str) -> String {
        self.repository.commit(subject).file("a", subject).push().unwrap()
    }

    async fn create(&self, name: &str) {
        let url = self.bench.git.public_url("app");
        self.bench.create(name, json!({ "url": url })).await;
    }

    /// Says that an object is to run, without waiting for it.
    async fn ask(&self, name: &str, token: &str) {
        let annotations = json!({ "reconcile.fluxcd.io/requestedAt": token });
        self.bench.patch(name, json!({ "metadata": { "annotations": annotations } })).await;
    }

    fn row(&mut self, name: &str, becomes: Option<&str>) {
        let becomes = becomes.map(str::to_owned);
        self.rows.push(Row { name: name.to_owned(), becomes, trouble: None });
    }

    /// How many writes an action costs the controller.
    async fn writes(&self, name: &str, action: impl AsyncFnOnce(&Self)) -> usize {
        self.bench.proxy.clear();
        action(self).await;
        let writes = self.bench.proxy.count(&writes_of(name));
        assert!(writes > 0, "{name} is written to");
        writes
    }

    /// Creation, a new revision, deletion: at each write, on each side.
    async fn at_every_request(&mut self) {
        self.bench.stop().await;
        self.restart();
        self.push("first");
        let creation = self.writes("pilot", async |kills| {
            kills.create("pilot").await;
            kills.bench.ready("pilot").await;
        });
        let creation = creation.await;
        let changing: Vec<_> = points("change", 4).collect();
        for (name, ..) in &changing {
            self.create(name).await;
        }
        for (name, ..) in &changing {
            self.bench.ready(name).await;
        }
        let deleting: Vec<_> = points("delete", 2).collect();
        for (name, ..) in &deleting {
            self.create(name).await;
            self.bench.ready(name).await;
        }
        let second = self.push("second");
        let change = self.writes("pilot", async |kills| {
            kills.bench.request("pilot", "r2").await;
            kills.bench.ready("pilot").await;
        });
        let change = change.await;
        let deletion = self.writes("pilot", async |kills| kills.bench.delete("pilot").await).await;
        assert!(change <= 4 && deletion <= 2, "{change} and {deletion} writes: there are not enough objects");

        let mut faults = Vec::new();
        for (name, number, side) in points("create", creation) {
            faults.push(self.hold(&name, number, side));
            self.create(&name).await;
            self.row(&name, Some(&second));
        }
        for (name, number, side) in changing.into_iter().filter(|(_, number, _)| *number <= change) {
            faults.push(self.hold(&name, number, side));
            self.ask(&name, "r2").await;
            self.row(&name, Some(&second));
        }
        for (name, number, side) in deleting.into_iter().filter(|(_, number, _)| *number <= deletion) {
            faults.push(self.hold(&name, number, side));
            self.bench.api().delete(&name, &kube::api::DeleteParams::default()).await.unwrap();
            self.row(&name, None);
        }
        for fault in &faults {
            fault.reached(LIMIT).await.unwrap();
        }
        self.audit().await;
        self.bench.crash();
        faults.into_iter().for_each(Fault::abort);
        self.restart();
        self.recover().await;
    }

    fn hold(&self, name: &str, number: usize, side: Side) -> Fault {
        self.bench.proxy.on(writes_of(name)).nth(number).hold(side)
    }

    /// A new revision: after each step of its publication.
    async fn in_every_publication(&mut self) {
        let names = ["locked", "begun", "half-written", "written", "renamed", "collected"]
            .map(|step| format!("publish-{step}"));
        for name in &names {
            self.create(name).await;
        }
        for name in &names {
            self.bench.ready(name).await;
        }
        self.create("donor").await;
        let old = revision(&self.bench.ready("donor").await);
        let new = self.push("third");
        let donor = self.bench.request("donor", "r3").await;
        let content = fs::read(self.bench.storage().join(artifact(&donor).unwrap().path)).unwrap();
        self.bench.crash();
        let scratch = tempfile::tempdir().unwrap();
        let steps = publication::steps(scratch.path(), &new, &content);
        for (name, step) in names.iter().zip(&steps) {
            for file in fs::read_dir(step).unwrap().map(|entry| entry.unwrap().path()) {
                let folder = self.folder(name);
                fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
            }
            self.row(name, Some(&new));
        }
        // The last one had its old artifact collected, but not yet the lock of that.
        let collected = self.folder("publish-collected");
        let status =
            json!({ "status": { "artifact": self.artifact_at("publish-collected", &new, &content) } });
        self.patch_status("publish-collected", &status).await;
        let old = old.rsplit(':').next().unwrap().to_owned();
        fs::remove_file(collected.join(format!("{old}.tar.gz"))).unwrap();
        self.restart();
        self.recover().await;
    }

    /// A new revision, and garbage collection, years too early and too late.
    async fn with_wrong_clocks(&mut self, matrix: &mut Matrix) {
        for (name, years) in [("clock-ahead", 10), ("clock-behind", -10)] {
            self.create(name).await;
            self.bench.ready(name).await;
            self.bench.stop().await;
            self.bench.set_clock(Wrong(SignedDuration::from_hours(years * 365 * 24)));
            let new = self.push(name);
            self.row(name, Some(&new));
            self.restart();
            self.recover().await;
            self.count(matrix);
            self.bench.stop().await;
            self.bench.set_clock(millrace_reconcile::clock::SystemClock);
            self.restart();
        }
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.bench.storage().join(format!("gitrepository/{}/{name}", self.bench.namespace))
    }

    fn artifact_at(&self, name: &str, commit: &str, content: &[u8]) -> serde_json::Value {
        let path = format!("gitrepository/{}/{name}/{commit}.tar.gz", self.bench.namespace);
        json!({
            "path": path, "url": format!("http://sc.test/{path}"), "revision": format!("main@sha1:{commit}"),
            "digest": format!("sha256:{}", hex_sha256(content)), "size": content.len(),
        })
    }

    async fn patch_status(&self, name: &str, patch: &serde_json::Value) {
        let patch = kube::api::Patch::Merge(patch);
        self.bench.api().patch_status(name, &kube::api::PatchParams::default(), &patch).await.unwrap();
    }

    /// Waits until all objects are what they must come to, looking at each all the while; then collects garbage.
    async fn recover(&mut self) {
        let deadline = std::time::Instant::now() + 2 * LIMIT;
        while self.audit().await > 0 && std::time::Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let names: Vec<_> =
            self.rows.iter().filter(|row| row.becomes.is_some()).map(|row| row.name.clone()).collect();
        for name in &names {
            self.ask(name, "collect").await;
        }
        for name in &names {
            self.bench.request(name, "collected").await;
        }
        for at in 0..self.rows.len() {
            let left = self.left(&self.rows[at]).await;
            let row = &mut self.rows[at];
            row.trouble = row.trouble.take().or(left);
        }
    }

    /// What is not as it must be in the end.
    async fn left(&self, row: &Row) -> Option<String> {
        let Row { name, becomes, .. } = row;
        let seen = files_in(&self.folder(name));
        let object = self.bench.api().get_opt(name).await.unwrap();
        match (object, becomes) {
            (None, None) => (!seen.is_empty()).then(|| format!("{seen:?} are left")),
            (Some(object), Some(commit)) if revision(&object).ends_with(commit.as_str()) => {
                let expected = [format!("{commit}.tar.gz")];
                (seen != expected).then(|| format!("{seen:?} are stored"))
            }
            (object, _) => {
                Some(format!("it is not what it must become: {:#?}", object.map(|object| object.status)))
            }
        }
    }

    /// Looks at all objects, and returns how many are not yet what they must come to.
    async fn audit(&mut self) -> usize {
        let mut pending = 0;
        for at in 0..self.rows.len() {
            let Row { name, becomes, .. } = &self.rows[at];
            let (trouble, object) = self.look(name).await;
            let done = match (&object, becomes) {
                (None, None) => true,
                (Some(object), Some(commit)) => {
                    let ready = crate::bench::state(object, "Ready").is_some_and(|ready| ready.0 == "True");
                    ready && revision(object).ends_with(commit.as_str())
                }
                (Some(_), None) | (None, Some(_)) => false,
            };
            pending += usize::from(!done);
            let row = &mut self.rows[at];
            row.trouble = row.trouble.take().or(trouble);
        }
        pending
    }

    /// Whether what an object advertises is served, and whether anything is served that isn't whole.
    async fn look(&self, name: &str) -> (Option<String>, Option<GitRepository>) {
        let Some(before) = self.bench.api().get_opt(name).await.unwrap() else { return (None, None) };
        let advertised = artifact(&before);
        let served = match &advertised {
            Some(artifact) => self.served(artifact).await,
            None => Ok(()),
        };
        let after = self.bench.api().get_opt(name).await.unwrap();
        // What was replaced meanwhile needn't be there.
        let same = after.as_ref().and_then(artifact) == advertised;
        let torn = files_in(&self.folder(name)).into_iter().find(|file| {
            file.ends_with(".tar.gz")
                && fs::read(self.folder(name).join(file)).is_ok_and(|bytes| !is_whole(&bytes))
        });
        let unserved = served.err().filter(|_| same);
        (unserved.or(torn.map(|file| format!("{file} is not whole"))), after)
    }

    async fn served(&self, artifact: &Artifact) -> Result<(), String> {
        let url = format!("http://127.0.0.1:{}/{}", self.port, artifact.path).parse().unwrap();
        let request = self.client.request("GET".parse().unwrap(), url).build().unwrap();
        // While the server starts, nobody listens; that isn't a wrong answer.
        let Ok(response) = self.client.send_once(request).await else { return Ok(()) };
        if !response.status().is_success() {
            return Err(format!("{} is advertised and answers {}", artifact.path, response.status()));
        }
        let Ok(bytes) = response.bytes(1 << 20).await else { return Ok(()) };
        let digest = format!("sha256:{}", hex_sha256(&bytes));
        if digest == artifact.digest { Ok(()) } else { Err(format!("{} has another content", artifact.path)) }
    }
}

/// The points at which an object is held: before and after each write.
fn points(what: &str, writes: usize) -> impl Iterator<Item = (String, usize, Side)> {
    let sides = [("before", Side::Before), ("after", Side::After)];
    (1..=writes)
        .flat_map(move |number| sides.map(|(word, side)| (format!("{what}-{word}-{number}"), number, side)))
}

fn writes_of(name: &str) -> Match {
    Match::writes().resource("gitrepositories").name(name)
}

fn artifact(object: &GitRepository) -> Option<Artifact> {
    object.status.as_ref()?.artifact.clone()
}

fn is_whole(archive: &[u8]) -> bool {
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(archive).read_to_end(&mut tar).is_ok() && tar.ends_with(&[0; 1024])
}
