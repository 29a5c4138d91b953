//! One API server for all tests; a namespace, a controller and a Git server for each.

use std::collections::BTreeMap;
use std::future::Future;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt as _};
use millrace_api::meta::Algorithm;
use millrace_api::source::v1::GitRepository;
use millrace_harness::{ApiProxy, ControlPlane, GitServer, Profile, tools, until};
use millrace_net::EgressPolicy;
use millrace_reconcile::Context;
use millrace_reconcile::client::{Limits, Stack, locate};
use millrace_reconcile::clock::{Clock, SystemClock};
use millrace_reconcile::events::{Captured, Event, Recorder};
use millrace_reconcile::metrics::Metrics;
use millrace_reconcile::permits::CpuPool;
use millrace_reconcile::pflag::{Environment, FlagSet, parse};
use millrace_reconcile::tasks::Tasks;
use millrace_source_controller::args::Args;
use millrace_source_controller::{Controller, Needs};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

/// How long a test waits for what should happen.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap());
static PLANE: OnceCell<ControlPlane> = OnceCell::const_new();

/// What a test has for itself.
pub(crate) struct Bench {
    plane: &'static ControlPlane,
    /// What the controller takes for the API server.
    pub(crate) proxy: ApiProxy,
    pub(crate) namespace: String,
    pub(crate) git: GitServer,
    work: tempfile::TempDir,
    clock: Arc<dyn Clock>,
    running: Option<Running>,
}

/// A controller with a runtime of its own, so that it can be ended in the middle of anything.
struct Running {
    runtime: Option<Runtime>,
    tasks: Tasks,
    events: Captured,
    metrics: Metrics,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Runs a test with a bench of its own, if the programs are there.
pub(crate) fn on_bench<F: Future<Output = ()>>(test: impl FnOnce(Bench) -> F) {
    let programs = Path::new("/usr/sbin/apache2").exists();
    if !programs || !tools::available(&["etcd", "kube-apiserver"]) {
        return;
    }
    RUNTIME.block_on(async { test(Bench::new().await).await });
}

impl Bench {
    async fn new() -> Self {
        millrace_net::install_crypto_provider();
        let plane = PLANE.get_or_init(async || {
            let plane = ControlPlane::start(Profile::Bare).await.unwrap();
            plane.install_crds().await.unwrap();
            plane
        });
        let plane = plane.await;
        let namespace = plane.namespace("source").await.unwrap().name().to_owned();
        let access = plane.unlimited_access().await.unwrap();
        let proxy = ApiProxy::start(&access.kubeconfig).await.unwrap();
        let git = GitServer::start().await.unwrap();
        let work = tempfile::tempdir().unwrap();
        std::fs::create_dir(work.path().join("data")).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let mut bench = Self { plane, proxy, namespace, git, work, clock, running: None };
        bench.start(&[]);
        bench
    }

    /// What the controller takes for the time from its next start on.
    pub(crate) fn set_clock(&mut self, clock: impl Clock) {
        self.clock = Arc::new(clock);
    }

    /// Starts the controller, with flags beside those of every test.
    pub(crate) fn start(&mut self, flags: &[&str]) {
        let tasks = Tasks::new();
        let (recorder, events) = Recorder::capturing(Arc::clone(&self.clock));
        let metrics = Metrics::default();
        let environment = Environment::from([
            ("RUNTIME_NAMESPACE".to_owned(), self.namespace.clone()),
            ("KUBECONFIG".to_owned(), self.proxy.kubeconfig().display().to_string()),
        ]);
        let args = self.args(flags, &environment);
        let context = {
            let (clock, metrics, tasks) = (Arc::clone(&self.clock), metrics.clone(), tasks.clone());
            move |client| {
                let cpu = CpuPool::new(2, tasks.clone());
                Context { client, clock, events: recorder, metrics, cpu, tasks }
            }
        };
        // As in the program: few threads for I/O, not many for blocking work.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(64)
            .enable_all()
            .build()
            .unwrap();
        let of_client = metrics.clone();
        let controller = async move {
            let config = locate(&environment).await.unwrap();
            let limits = Limits { qps: 500.0, burst: 1000 };
            let stack = Stack::connect(&config, "source-controller", limits, of_client).await.unwrap();
            let needs = Needs {
                context: context(stack.client()),
                egress: Arc::new(EgressPolicy::default()),
                environment,
            };
            Controller::new(&args, needs).unwrap().run().await.unwrap();
        };
        let entered = runtime.enter();
        tasks.spawn(controller);
        drop(entered);
        self.running = Some(Running { runtime: Some(runtime), tasks, events, metrics });
    }

    fn args(&self, flags: &[&str], environment: &Environment) -> Args {
        let mut line = vec![
            format!("--storage-path={}", self.storage().display()),
            format!("--git-cache-path={}", self.work.path().join("git").display()),
            "--storage-adv-addr=sc.test".to_owned(),
            "--storage-addr=127.0.0.1:0".to_owned(),
            "--watch-all-namespaces=false".to_owned(),
            "--interval-jitter-percentage=0".to_owned(),
            "--min-retry-delay=300ms".to_owned(),
            "--max-retry-delay=2s".to_owned(),
        ];
        line.extend(flags.iter().map(ToString::to_string));
        let parsed = parse("source-controller", &line, vec![FlagSet::of::<Args>(None)]).unwrap();
        parsed.values(0, environment).unwrap()
    }

    /// Ends the controller, and waits until it has ended.
    pub(crate) async fn stop(&mut self) {
        let running = self.running.take().unwrap();
        tokio::time::timeout(LIMIT, running.tasks.finish()).await.unwrap();
    }

    /// Ends the controller where it stands: nothing that it awaits goes on, and nothing is told to anybody.
    pub(crate) fn crash(&mut self) {
        let runtime = self.running.take().unwrap().runtime.take().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| runtime.shutdown_timeout(LIMIT));
        });
    }

    /// All metrics, as they are scraped.
    pub(crate) fn metrics(&self) -> String {
        self.running.as_ref().unwrap().metrics.render()
    }

    /// The folder of the artifact store.
    pub(crate) fn storage(&self) -> PathBuf {
        self.work.path().join("data")
    }

    /// A client with all rights, past the proxy.
    pub(crate) fn client(&self) -> kube::Client {
        self.plane.client()
    }

    /// What kubectl prints.
    pub(crate) fn kubectl(&self, arguments: &[&str]) -> String {
        self.plane.kubectl(arguments).unwrap()
    }

    pub(crate) fn api(&self) -> Api<GitRepository> {
        Api::namespaced(self.plane.client(), &self.namespace)
    }

    /// Creates a GitRepository for a public repository; `spec` goes over the defaults.
    pub(crate) async fn create(&self, name: &str, spec: Value) -> GitRepository {
        let mut all =
            json!({ "url": self.git.public_url(name), "interval": "10m", "ref": { "branch": "main" } });
        for (field, value) in spec.as_object().unwrap() {
            all[field] = value.clone();
        }
        let object = json!({ "metadata": { "name": name }, "spec": all });
        let object: GitRepository = serde_json::from_value(object).unwrap();
        self.api().create(&PostParams::default(), &object).await.unwrap()
    }

    /// Creates a Secret.
    pub(crate) async fn secret(&self, name: &str, entries: &[(&str, &str)]) {
        let entries: BTreeMap<_, _> =
            entries.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let object =
            serde_json::from_value(json!({ "metadata": { "name": name }, "stringData": entries })).unwrap();
        let api: Api<Secret> = Api::namespaced(self.plane.client(), &self.namespace);
        api.create(&PostParams::default(), &object).await.unwrap();
    }

    /// Changes an object by a merge patch.
    pub(crate) async fn patch(&self, name: &str, patch: Value) -> GitRepository {
        self.api().patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap()
    }

    /// Asks for a run, and waits until it is over.
    pub(crate) async fn request(&self, name: &str, token: &str) -> GitRepository {
        let annotations = json!({ "reconcile.fluxcd.io/requestedAt": token });
        self.patch(name, json!({ "metadata": { "annotations": annotations } })).await;
        self.when(name, "the request is handled", |object| {
            object
                .status
                .as_ref()?
                .last_handled_reconcile_at
                .as_deref()
                .filter(|handled| *handled == token)
                .map(drop)
        })
        .await
    }

    /// Waits until the object shows something.
    pub(crate) async fn when(
        &self,
        name: &str,
        what: &str,
        seen: impl Fn(&GitRepository) -> Option<()>,
    ) -> GitRepository {
        let api = self.api();
        let found = until(what, LIMIT, async || {
            let object = api.get_opt(name).await.unwrap()?;
            seen(&object).map(|()| object)
        });
        match found.await {
            Ok(object) => object,
            Err(error) => panic!("{error}: {:#?}", api.get(name).await.unwrap().status),
        }
    }

    /// Waits until the object is ready for its generation, and checks what every ready object has.
    pub(crate) async fn ready(&self, name: &str) -> GitRepository {
        let object = self
            .when(name, "the object is ready", |object| {
                let status = object.status.as_ref()?;
                let current = status.observed_generation == object.metadata.generation;
                (current && state(object, "Ready").is_some_and(|ready| ready.0 == "True")).then_some(())
            })
            .await;
        assert_eq!(state(&object, "Reconciling"), None);
        assert_eq!(state(&object, "Stalled"), None);
        let artifact = object.status.clone().unwrap().artifact.unwrap();
        let bytes = std::fs::read(self.storage().join(&artifact.path)).unwrap();
        assert_eq!(artifact.size, Some(bytes.len().try_into().unwrap()));
        assert_eq!(artifact.digest, format!("sha256:{}", hex_sha256(&bytes)));
        object
    }

    /// Waits until a condition has a status and reason, and returns its message.
    pub(crate) async fn message(&self, name: &str, type_: &str, status: &str, reason: &str) -> String {
        let what = format!("{type_} is {status} for {reason}");
        let object = self
            .when(name, &what, |object| {
                let state = state(object, type_)?;
                (state.0 == status && state.1 == reason).then_some(())
            })
            .await;
        state(&object, type_).unwrap().2
    }

    /// Deletes an object and waits until it is gone.
    pub(crate) async fn delete(&self, name: &str) {
        self.api().delete(name, &kube::api::DeleteParams::default()).await.unwrap();
        let gone = until("the object is gone", LIMIT, async || {
            self.api().get_opt(name).await.unwrap().is_none().then_some(())
        });
        gone.await.unwrap();
    }

    /// The events so far.
    pub(crate) fn all_events(&self) -> Vec<Event> {
        self.running.as_ref().unwrap().events.all().into_iter().map(|(_, event)| event).collect()
    }

    /// The kinds of the objects that events so far are about.
    pub(crate) fn all_kinds_told(&self) -> Vec<String> {
        let all = self.running.as_ref().unwrap().events.all().into_iter();
        all.filter_map(|(about, _)| about.kind).collect()
    }

    /// The events so far about one object.
    pub(crate) fn events(&self, name: &str) -> Vec<Event> {
        let all = self.running.as_ref().unwrap().events.all();
        all.into_iter()
            .filter(|(about, _)| about.name.as_deref() == Some(name))
            .map(|(_, event)| event)
            .collect()
    }

    /// Reason and message of the events so far about one object.
    pub(crate) fn told(&self, name: &str) -> Vec<(String, String)> {
        let events = self.events(name).into_iter();
        events.map(|event| (event.reason.to_string(), event.message)).collect()
    }

    /// Waits until the last event about an object is this one: events follow the status that they are about.
    pub(crate) async fn hears(&self, name: &str, reason: &str, message: &str) {
        let expected = (reason.to_owned(), message.to_owned());
        let heard =
            until("an event", LIMIT, async || (self.told(name).last() == Some(&expected)).then_some(()));
        if let Err(error) = heard.await {
            panic!("{error}: {expected:?} is not the last of {:#?}", self.told(name));
        }
    }

    /// The number of finished runs of one object.
    pub(crate) fn runs(&self, name: &str) -> u64 {
        let text = self.metrics();
        let of_object = format!("name=\"{name}\"");
        let mut lines = text.lines().filter(|line| {
            line.starts_with("gotk_reconcile_duration_seconds_count{") && line.contains(&of_object)
        });
        lines.next().and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or_default()
    }

    /// The members of an object's archive with their modes; folders end in `/`.
    pub(crate) fn members(&self, object: &GitRepository) -> Vec<(String, u32)> {
        let mut archive = tar::Archive::new(std::io::Cursor::new(self.tar(object)));
        let entries = archive.entries().unwrap();
        entries
            .map(|entry| {
                let entry = entry.unwrap();
                let slash = if entry.header().entry_type().is_dir() { "/" } else { "" };
                (format!("{}{slash}", entry.path().unwrap().display()), entry.header().mode().unwrap())
            })
            .collect()
    }

    /// An object's archive, uncompressed.
    pub(crate) fn tar(&self, object: &GitRepository) -> Vec<u8> {
        let artifact = object.status.clone().unwrap().artifact.unwrap();
        let file = std::fs::File::open(self.storage().join(&artifact.path)).unwrap();
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
        bytes
    }
}

/// The names of the files in a folder, without locks.
pub(crate) fn files_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let files = paths.filter(|path| path.extension().is_none_or(|extension| extension != "lock"));
    files.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
}

/// Status, reason and message of a condition.
pub(crate) fn state(object: &GitRepository, type_: &str) -> Option<(String, String, String)> {
    let conditions = &object.status.as_ref()?.conditions;
    let found = conditions.iter().find(|condition| condition.type_ == type_)?;
    Some((found.status.clone(), found.reason.clone(), found.message.clone()))
}

/// The revision of an object's artifact.
pub(crate) fn revision(object: &GitRepository) -> String {
    object
        .status
        .clone()
        .and_then(|status| status.artifact)
        .map(|artifact| artifact.revision)
        .unwrap_or_default()
}

/// The SHA-256 checksum in hexadecimal digits.
pub(crate) fn hex_sha256(bytes: &[u8]) -> String {
    millrace_artifact::digest::of_reader(Algorithm::Sha256, bytes).unwrap().hex().to_owned()
}

/// The resource version, which any write changes.
pub(crate) fn version(object: &GitRepository) -> String {
    object.resource_version().unwrap()
}
