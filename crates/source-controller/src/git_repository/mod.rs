//! `GitRepository`: fetches a commit and publishes its files.
//!
//! Contract: source-controller §2.1, §2.5.

mod act;
mod credentials;
mod finalize;
mod include;
mod input;
mod interruptible;
mod observe;
mod plan;
mod proxy;
mod report;
mod tree;
mod visit;
mod work;
mod work_tree;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use millrace_api::meta::conditions::{self, Status};
use millrace_api::meta::{Artifact, RECONCILE_REQUEST_ANNOTATION};
use millrace_api::source::v1::{GitRepository, GitRepositoryStatus};
use millrace_artifact::fetch::{self, Fetcher};
use millrace_artifact::storage::{Location, Storage};
use millrace_artifact::tree::Trees;
use millrace_net::{Clients, EgressPolicy, RedactedUrl};
use millrace_reconcile::events::{Event, Severity};
use millrace_reconcile::failure::{Remedy, chain};
use millrace_reconcile::gates::Gates;
use millrace_reconcile::permits::Interrupt;
use millrace_reconcile::status::StatusError;
use millrace_reconcile::threads::Threads;
use millrace_reconcile::{Failure, Key, Next, Reconciler, Report, Run};

use self::include::{Include, OpenInclude, Supply};
use self::plan::Because;
use self::report::Done;
use self::tree::Selection;
use self::visit::{News, Visited, Wanted, Way};
use self::work::{Stop, Work};
use crate::draft::Draft;
use crate::stored;
use crate::trouble::Trouble;
use crate::vocabulary::{
    ARTIFACT_IN_STORAGE, ARTIFACT_OUTDATED, COPY_FAILURE, FETCH_FAILED, INCLUDE_CHANGE, INCLUDE_UNAVAILABLE,
    NEW_REVISION, PATCH_OPERATION_FAILED, SOURCE_VERIFIED, STORAGE_OPERATION_FAILED,
};

/// Bytes of Git objects that are kept for one repository; beyond, its cache starts anew.
const MAX_CACHE_BYTES: u64 = 512 * 1024 * 1024;

/// Bytes of included artifacts that stay unpacked for the next object that includes them.
const MAX_INCLUDED_BYTES: u64 = 64 * 1024 * 1024;

/// Requests after the first one for an included artifact that another instance serves. The next run tries again.
const INCLUDE_RETRIES: u32 = 2;

/// What every run of this kind needs.
pub(crate) struct Settings {
    /// The artifact store.
    pub(crate) storage: Storage,
    /// The folder for Git objects.
    pub(crate) cache_path: PathBuf,
    /// The folder for temporary files.
    pub(crate) temp_path: PathBuf,
    /// How long an object waits at most for what it includes.
    pub(crate) requeue_dependency: Duration,
    /// The feature gates.
    pub(crate) gates: Gates,
    /// Where remotes and proxies may be.
    pub(crate) egress: Arc<EgressPolicy>,
    /// The number of runs at a time.
    pub(crate) concurrent: usize,
}

/// The reconciler of the kind.
pub(crate) struct GitRepositories {
    settings: Settings,
    clients: Arc<Clients>,
    /// The artifacts of included sources.
    trees: Trees,
    /// Where remotes are waited for.
    threads: Threads,
}

impl GitRepositories {
    /// A reconciler; nothing happens before its first run.
    pub(crate) fn new(settings: Settings) -> Self {
        let trees = Trees::new(&settings.temp_path, MAX_INCLUDED_BYTES);
        let threads = Threads::new(settings.concurrent);
        Self { settings, clients: Arc::default(), trees, threads }
    }

    async fn run(
        &self,
        run: &Run,
        object: &GitRepository,
        draft: &mut Draft<GitRepositoryStatus>,
        events: &mut Vec<Event>,
    ) -> Result<Done, Stop> {
        if object.spec.suspend {
            tracing::info!("reconciliation is suspended for this object");
            return Ok(Done::Suspended);
        }
        if draft.begin(request(object)) {
            progress(run, object, draft).await?;
        }
        draft.delete(STORAGE_OPERATION_FAILED);
        let location = location(object)?;
        let work = self.work(run, &location);
        self.check_store(&work, object, &location, draft, events).await?;
        self.update(&work, object, location, draft).await
    }

    fn work<'a>(&'a self, run: &'a Run, location: &Location) -> Work<'a> {
        Work::new(run, &self.threads, self.settings.cache_path.join(location.as_str()))
    }

    /// Collects garbage and sees whether the artifact of the status is still what it was.
    async fn check_store(
        &self,
        work: &Work<'_>,
        object: &GitRepository,
        location: &Location,
        draft: &mut Draft<GitRepositoryStatus>,
        events: &mut Vec<Event>,
    ) -> Result<(), Stop> {
        let (storage, location, artifact) =
            (self.settings.storage.clone(), location.clone(), draft.status.artifact.clone());
        let now = SystemTime::from(work.run.now());
        let inspected = move |_: &Interrupt| stored::inspect(&storage, &location, artifact.as_ref(), now);
        let inspection = work.local(inspected).await?;
        let found = stored::settle(draft, inspection)?;
        events.extend(found.events);
        draft.status.artifact = found.artifact;
        if found.announce {
            progress(work.run, object, draft).await?;
        }
        Ok(())
    }

    /// Finds out what the remote has, and publishes it if that is news.
    async fn update(
        &self,
        work: &Work<'_>,
        object: &GitRepository,
        location: Location,
        draft: &mut Draft<GitRepositoryStatus>,
    ) -> Result<Done, Stop> {
        // A failed verification says nothing about the next one; a successful one stands for the stored revision.
        if conditions::is(&draft.status.conditions, SOURCE_VERIFIED, Status::False) {
            draft.delete(SOURCE_VERIFIED);
        }
        let proxy = observe::proxy(work.run, object).await?;
        let input = input::parse(&object.spec, &self.settings.gates)?;
        let timeout = input.timeout;
        let access = observe::access(work.run, object, &input).await?;
        let includes = self.observe_includes(work.run, object, draft).await?;
        let artifacts: Vec<&Artifact> = includes.iter().map(|include| &include.artifact).collect();

        let wanted = Wanted {
            artifact: draft.status.artifact.clone(),
            in_storage: conditions::is_true(&draft.status.conditions, ARTIFACT_IN_STORAGE),
            content_changed: plan::content_changed(&object.spec, &draft.status, &artifacts),
            sparse: object.spec.sparse_checkout.clone(),
            folder: self.work_folder(object),
        };
        let (clients, egress) = (Arc::clone(&self.clients), Arc::clone(&self.settings.egress));
        let way = Way { input, access, proxy, clients, egress };
        let Visited { revision, news } = visit::visit(work, way, wanted).await?;
        draft.delete(FETCH_FAILED);
        let (because, checkout) = match news {
            News::Fetched { because, checkout } => (because, checkout),
            News::Kept => {
                draft.stored(&revision);
                return Ok(Done::Kept { revision });
            }
            News::UpToDate => {
                draft.stored(&revision);
                return Ok(Done::UpToDate { revision });
            }
        };
        tracing::debug!(url = %RedactedUrl::new(&object.spec.url), %revision, "git repository checked out");
        if announce(draft, because, &revision) {
            progress(work.run, object, draft).await?;
        }
        let message = checkout.commit().message.clone();
        let artifacts = artifacts.into_iter().cloned().collect();
        let publication = act::Publication {
            storage: self.settings.storage.clone(),
            location,
            checkout: *checkout,
            revision: revision.clone(),
            ignore: object.spec.ignore.clone(),
            selection: Selection::new(&object.spec.sparse_checkout),
            includes: self.open_includes(work, object, includes).await?,
            timeout,
        };
        draft.status.artifact = Some(act::publish(work, publication).await?);
        record_settings(object, artifacts, &mut draft.status);
        draft.delete(STORAGE_OPERATION_FAILED);
        draft.stored(&revision);
        Ok(Done::Published { message })
    }

    /// Reads the artifacts of what the object includes, and says so if they aren't those of before.
    async fn observe_includes(
        &self,
        run: &Run,
        object: &GitRepository,
        draft: &mut Draft<GitRepositoryStatus>,
    ) -> Result<Vec<Include>, Stop> {
        let includes = include::observe(run, object, self.settings.requeue_dependency).await?;
        draft.delete(INCLUDE_UNAVAILABLE);
        let now: Vec<&Artifact> = includes.iter().map(|include| &include.artifact).collect();
        if announce_includes(draft, &now) {
            progress(run, object, draft).await?;
        }
        draft.delete(ARTIFACT_OUTDATED);
        Ok(includes)
    }

    /// Opens the artifacts of what the object includes.
    async fn open_includes(
        &self,
        work: &Work<'_>,
        object: &GitRepository,
        includes: Vec<Include>,
    ) -> Result<Vec<OpenInclude>, Stop> {
        if includes.is_empty() {
            return Ok(Vec::new());
        }
        let clients = Arc::clone(&self.clients);
        let options = millrace_net::Options {
            egress: Arc::clone(&self.settings.egress),
            ..millrace_net::Options::default()
        };
        let client = work.local(move |_| clients.get(&options)).await?;
        let client = client.map_err(|error| {
            Trouble::at(STORAGE_OPERATION_FAILED, Failure::transient(COPY_FAILURE, error))
        })?;
        let options = fetch::Options { retries: INCLUDE_RETRIES, ..fetch::Options::default() };
        let fetcher = Fetcher::new(client, self.trees.clone(), options);
        let key = Key::of(object);
        let supply = Supply { storage: &self.settings.storage, fetcher, namespace: key.namespace() };
        include::open(work, &supply, includes).await
    }

    /// Where the original would check the object's commit out. Nothing is there, but messages tell of it; the name is
    /// the same in every run, so that equal failures read alike.
    fn work_folder(&self, object: &GitRepository) -> PathBuf {
        let key = Key::of(object);
        self.settings.temp_path.join(format!("gitrepository-{}-{}", key.namespace(), key.name()))
    }
}

/// Says that included artifacts are others than before, if they are.
fn announce_includes(draft: &mut Draft<GitRepositoryStatus>, now: &[&Artifact]) -> bool {
    const NEWS: &str = "included artifacts differ from last observed includes";
    if !plan::includes_moved(now, &draft.status.included_artifacts) {
        return false;
    }
    if !draft.status.included_artifacts.is_empty() {
        draft.mark_true(ARTIFACT_OUTDATED, INCLUDE_CHANGE, NEWS);
    }
    draft.building(&format!("building artifact: {NEWS}"));
    true
}

/// Says that a new artifact is on its way, if it is for a new revision.
fn announce(draft: &mut Draft<GitRepositoryStatus>, because: Because, revision: &str) -> bool {
    let news = format!("new upstream revision '{revision}'");
    match because {
        Because::Changed => return false,
        Because::Missing => {}
        Because::Outdated => draft.mark_true(ARTIFACT_OUTDATED, NEW_REVISION, &news),
    }
    draft.building(&format!("building artifact: {news}"));
    true
}

/// Notes the settings and includes with which the artifact was made.
fn record_settings(object: &GitRepository, included: Vec<Artifact>, status: &mut GitRepositoryStatus) {
    status.included_artifacts = included;
    status.observed_ignore.clone_from(&object.spec.ignore);
    status.observed_recurse_submodules = object.spec.recurse_submodules;
    status.observed_include.clone_from(&object.spec.include);
    status.observed_sparse_checkout.clone_from(&object.spec.sparse_checkout);
    status.source_verification_mode = None;
}

/// The value of the annotation by which users ask for a run.
fn request(object: &GitRepository) -> Option<&str> {
    object.metadata.annotations.as_ref()?.get(RECONCILE_REQUEST_ANNOTATION).map(String::as_str)
}

fn location(object: &GitRepository) -> Result<Location, Trouble> {
    let key = Key::of(object);
    Location::new("GitRepository", key.namespace(), key.name()).map_err(|error| {
        let failure = Failure::stalled(crate::vocabulary::DIRECTORY_CREATION_FAILED, error);
        Trouble::at(STORAGE_OPERATION_FAILED, failure)
    })
}

async fn progress(run: &Run, object: &GitRepository, draft: &Draft<GitRepositoryStatus>) -> Result<(), Stop> {
    run.progress(object, &draft.status).await.map_err(|error| match error {
        StatusError::Api { .. } | StatusError::Encode { .. } => {
            let failure = Failure::with_message(Remedy::Retry, PATCH_OPERATION_FAILED, unwritten(&error));
            Trouble::unseen(failure).into()
        }
        StatusError::Interrupted => Stop::Cancelled,
    })
}

/// Why a status isn't written: in the words of the API server, which say it all.
fn unwritten(error: &StatusError) -> String {
    match error {
        StatusError::Api { .. } | StatusError::Interrupted => error.to_string(),
        StatusError::Encode { .. } => chain(error),
    }
}

/// The log lines of an outcome, as upstream has them.
fn log(report: &Report<GitRepositoryStatus>, error: Option<&str>, stop: Option<&Failure>) {
    for told in report.events.iter().filter(|event| event.severity != Severity::Error) {
        tracing::info!("{}", told.message);
    }
    match stop.map(|failure| (failure.remedy(), failure)) {
        Some((Remedy::Edit, failure)) => tracing::error!(error = failure.message(), "reconciliation stalled"),
        Some((Remedy::Wait(_) | Remedy::Retry, _)) | None => {
            if let Some(error) = error {
                tracing::error!(error, "Reconciler error");
            }
        }
    }
}

impl Reconciler for GitRepositories {
    type Object = GitRepository;

    const CONTROLLER: &'static str = "gitrepository";
    const FIELD_MANAGER: &'static str = "source-controller";
    const OWNED_CONDITIONS: &'static [&'static str] = report::OWNED;

    async fn reconcile(&self, run: &Run, object: &GitRepository) -> Report<GitRepositoryStatus> {
        let status = object.status.clone().unwrap_or_default();
        let mut draft = Draft::new(status, object.metadata.generation.unwrap_or_default(), run.now());
        let mut events = Vec::new();
        let result = match self.run(run, object, &mut draft, &mut events).await {
            Ok(done) => Ok(done),
            Err(Stop::Trouble(trouble)) => Err(trouble),
            // What has happened is told nevertheless: the next run won't see it again.
            Err(Stop::Cancelled) => return Report { events, ..Report::quiet(Next::Now) },
        };
        draft.set_time(run.now());
        let stop = result.as_ref().err().map(|trouble| trouble.failure.clone());
        let (report, error) = report::report(object, draft, result, events);
        log(&report, error.as_deref(), stop.as_ref());
        report
    }

    async fn finalize(&self, run: &Run, object: &GitRepository) -> Report<GitRepositoryStatus> {
        finalize::finalize(self, run, object).await
    }
}
