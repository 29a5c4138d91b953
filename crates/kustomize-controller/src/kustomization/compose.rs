//! From the artifact to what is to be applied: fetched, built, substituted. Contract: kustomize-controller §2.7, §3.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use millrace_api::kustomize::v1::{Kustomization, KustomizationSpec, PostBuild};
use millrace_api::meta::{Algorithm, Artifact};
use millrace_artifact::digest::Hasher;
use millrace_artifact::fetch::FetchError;
use millrace_artifact::tree::Tree;
use millrace_envsubst::{ObjectError, Variables};
use millrace_kustomize::remote::Remotes;
use millrace_kustomize::{BuildError, Cancel, ErrorKind, Options, Output};
use millrace_net::addresses::shown;
use millrace_reconcile::permits::{BlockingError, Interrupt};
use millrace_yaml::Node;

use super::halt::Halt;
use super::hints;
use super::work::Work;
use crate::bases::Collected;
use crate::build::{self, Files, variables};
use crate::controller::{Shared, own_client};
use crate::masking::SecretValues;
use crate::reason;

/// What is to be applied.
pub(super) struct Composed {
    pub(super) resources: Vec<Node>,
    /// The digest of what was built, for the history: equal for equal objects.
    pub(super) digest: String,
    /// What must not be shown of it.
    pub(super) secrets: SecretValues,
}

/// Opens the artifact. No worker slot is held while a server is asked for it, and none is asked for long that the source has
/// left meanwhile.
pub(super) async fn fetch(shared: &Shared, work: &Work<'_>) -> Result<Arc<Tree>, Halt> {
    let Artifact { url, digest, .. } = work.artifact;
    let opened = if let Some(tree) = shared.fetcher.opened(digest) {
        Ok(tree)
    } else {
        let (place, moved) = (shared.location(url), shared.moved(work.object, work.artifact));
        let fetched = shared.fetcher.fetch_unless(&place, digest, moved);
        work.run.wait(fetched).await?.transpose().ok_or(Halt::SourceMoved)?
    };
    let tree = match opened {
        Ok(tree) => tree,
        Err(FetchError::NotFound) => return Err(Halt::ArtifactNotServed),
        Err(error @ FetchError::TempFile(_)) => {
            return Err(Halt::error(reason::DIRECTORY_CREATION_FAILED, &error));
        }
        Err(error) => return Err(Halt::error(reason::ARTIFACT_FAILED, &error)),
    };
    let folder = folder(work.object);
    if tree.get(&folder).is_none() {
        let path = build::absolute(&shared.build_root(work.object), &folder);
        let message = format!("kustomization path not found: stat {path}: no such file or directory");
        let hint = hints::missing_path(work, &tree, &folder);
        return Err(Halt::failed(reason::ARTIFACT_FAILED, hints::below(&message, &hint)));
    }
    Ok(tree)
}

/// The folder of the artifact that is built.
fn folder(object: &Kustomization) -> String {
    build::clamp(object.spec.path.as_deref().unwrap_or_default())
}

/// Builds and substitutes, on threads for work that takes CPU. What a build needs from other hosts is fetched in between, and it
/// runs again.
pub(super) async fn compose(shared: &Shared, work: &Work<'_>, tree: Arc<Tree>) -> Result<Composed, Halt> {
    let root = shared.build_root(work.object);
    let (spec, folder) = (work.object.spec.clone(), folder(work.object));
    let options = Options { remote_bases: shared.settings.remote_bases, ..Options::flux(root) };
    let place = Place { folder, options };
    let prepared = work.run.blocking(move |_| prepare(tree, &spec, place)).await;
    let prepared = blocking(prepared, &SecretValues::default())?;
    let prepared = Arc::new(prepared.map_err(|text| Halt::failed(reason::BUILD_FAILED, shown(&text)))?);
    let mut bases = Collected::new(&shared.temp_folder, work.timeout.into());
    let output = loop {
        let (prepared, remotes) = (Arc::clone(&prepared), bases.remotes());
        let built = work.run.blocking(move |interrupt| prepared.build(remotes, interrupt)).await;
        let error = match blocking(built, &bases.secrets())? {
            Ok(output) => break output,
            Err(error) => error,
        };
        let hint = match error.kind() {
            ErrorKind::Needs(need) => {
                match fetching(shared, work, bases.fetch(&shared.bases, work.run, need)).await? {
                    Ok(()) => continue,
                    Err(hint) => Some(hint),
                }
            }
            _ => None,
        };
        if hint.is_none() && bases.has_assumed() {
            fetching(shared, work, bases.make_sure(&shared.bases)).await?;
            continue;
        }
        return Err(unbuilt(&error, hint.as_deref(), &bases));
    };
    let mut secrets = bases.secrets();
    for warning in &output.warnings {
        tracing::debug!(warning = shown(&secrets.mask(warning)), "the build has a warning");
    }
    bases.succeeded(&shared.bases, &output.checkouts);
    let resources = output.resources;
    let first = millrace_envsubst::reads_variables(&resources).map(millrace_envsubst::printed_id);
    if let (Some(first), Some(post_build)) = (first, &work.object.spec.post_build) {
        let template = Template { resources, first, post_build: post_build.clone() };
        return substitute(shared, work, template, secrets).await;
    }
    let whole = work.run.blocking(move |_| {
        secrets.add_data(&resources);
        Composed { digest: digest(&resources), resources, secrets }
    });
    blocking(whole.await, &bases.secrets())
}

/// Waits for other hosts: without a worker slot, and not for the sake of what has changed meanwhile.
async fn fetching<T>(
    shared: &Shared,
    work: &Work<'_>,
    fetched: impl Future<Output = T> + Send,
) -> Result<T, Halt> {
    let outdated = async {
        tokio::select! {
            () = shared.moved(work.object, work.artifact) => {}
            () = work.run.changed().cancelled() => {}
        }
    };
    let waiting = async {
        tokio::select! {
            fetched = fetched => Ok(fetched),
            () = outdated => Err(Halt::SourceMoved),
        }
    };
    work.run.wait(waiting).await?
}

/// What is built, and how.
struct Place {
    folder: String,
    options: Options,
}

/// Files that are ready to be built.
struct Prepared {
    files: Files,
    place: Place,
}

/// What was built, and needs variables.
struct Template {
    resources: Vec<Node>,
    /// What messages call the object for whose sake they are loaded.
    first: String,
    post_build: PostBuild,
}

/// Puts the spec's fields into the kustomization file.
fn prepare(tree: Arc<Tree>, spec: &KustomizationSpec, place: Place) -> Result<Prepared, String> {
    let Place { folder, options } = &place;
    let mut files = Files::new(tree);
    let mut file = build::generate(&files, folder, &options.root).map_err(|error| error.to_string())?;
    build::inject(&mut file.content, spec, &files, folder).map_err(|error| error.to_string())?;
    let text = millrace_yaml::print::to_yaml_in_order(&Node::Map(file.content));
    files.write(build::join(folder, file.name), text.into_bytes());
    Ok(Prepared { files, place })
}

impl Prepared {
    /// Builds with what was fetched so far.
    fn build(&self, remotes: Arc<Remotes>, interrupt: &Interrupt) -> Result<Output, BuildError> {
        let Place { folder, options } = &self.place;
        let options = Options { remotes, cancel: Cancel::from(interrupt.flag()), ..options.clone() };
        millrace_kustomize::build(&self.files, folder, &options)
    }
}

/// What is told of a build that failed. It quotes addresses, which may have logins.
fn unbuilt(error: &BuildError, hint: Option<&str>, bases: &Collected) -> Halt {
    let text = format!("kustomize build failed: {error}");
    let text = hint.map_or_else(|| text.clone(), |hint| hints::below(&text, hint));
    Halt::failed(reason::BUILD_FAILED, hidden(&text, &bases.secrets()))
}

/// Loads the variables and puts their values in.
async fn substitute(
    shared: &Shared,
    work: &Work<'_>,
    template: Template,
    mut secrets: SecretValues,
) -> Result<Composed, Halt> {
    let Template { resources, first, post_build } = template;
    let namespace = work.object.metadata.namespace.as_deref().unwrap_or_default();
    let variables = variables::load(own_client(work.run), namespace, &post_build, &mut secrets).await;
    let failed = |id: &str, error: &str| {
        Halt::failed(reason::BUILD_FAILED, format!("post build failed for '{id}': {error}"))
    };
    let variables = variables.map_err(|error| failed(&first, &error.to_string()))?;
    let options = variables::options(&post_build, shared.settings.strict_substitution);
    // Shared with the thread, so that a panic on it loses no value that its message might quote.
    let secrets = Arc::new(Mutex::new(secrets));
    let collected = Arc::clone(&secrets);
    let work = work.run.blocking(move |_| {
        let mut resources = resources;
        let digest = substitute_all(&mut resources, &variables, &options, &collected)?;
        Ok((resources, digest))
    });
    let substituted = work.await;
    let secrets = std::mem::take(&mut *lock(&secrets));
    match blocking(substituted, &secrets)? {
        Ok((resources, digest)) => Ok(Composed { resources, digest, secrets }),
        Err(ObjectError::Failed { id, reason }) => Err(failed(&id, &secrets.mask(&reason.to_string()))),
        Err(error @ ObjectError::Clash(_)) => Err(Halt::error(reason::BUILD_FAILED, &error)),
    }
}

/// Substitutes in place, notes what must not be shown of the outcome, and returns its digest.
fn substitute_all(
    resources: &mut [Node],
    variables: &Variables,
    options: &millrace_envsubst::Options,
    secrets: &Mutex<SecretValues>,
) -> Result<String, ObjectError> {
    let users = lock(secrets).users(resources);
    millrace_envsubst::substitute_nodes(resources, variables, options)?;
    let mut secrets = lock(secrets);
    for (position, before) in &users {
        secrets.add_derived(before, &resources[*position]);
    }
    secrets.add_data(resources);
    Ok(digest(resources))
}

fn lock(secrets: &Mutex<SecretValues>) -> MutexGuard<'_, SecretValues> {
    secrets.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text without what is known to be secret, and then without what may be: a token may have letters that end an address.
fn hidden(text: &str, secrets: &SecretValues) -> String {
    shown(&secrets.mask(text))
}

/// What blocking work came to; cancellation is the end of the process. A panic may quote what it stumbled over.
pub(super) fn blocking<T>(outcome: Result<T, BlockingError>, secrets: &SecretValues) -> Result<T, Halt> {
    outcome.map_err(|error| match error {
        BlockingError::Cancelled => Halt::Shutdown,
        BlockingError::Panicked { message } => {
            let message = hidden(&message, secrets);
            Halt::failed(reason::BUILD_FAILED, format!("recovered from kustomize build panic: {message}"))
        }
    })
}

fn digest(resources: &[Node]) -> String {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(millrace_yaml::print::documents(resources).as_bytes());
    hasher.finish().to_string()
}

#[cfg(test)]
mod tests {
    use millrace_artifact::archive;
    use millrace_artifact::files::MemoryTree;
    use millrace_artifact::ignore::Rules;
    use millrace_ssa::drift::compare;
    use millrace_ssa::drift::ignore::IgnoreRules;
    use millrace_ssa::normalize::normalize_answer;
    use millrace_ssa::stages;
    use millrace_yaml::json;
    use millrace_yaml::read::Limits;

    use super::*;

    /// As deep as a value below `spec` may nest.
    const DEEPEST: usize = 498;

    fn tree_of(path: &str, content: String) -> Arc<Tree> {
        let mut files = MemoryTree::default();
        files.add_file(path, content, false);
        let archive = archive::write(&files, &Rules::none(), Vec::new()).expect("writes to memory").0;
        let folder = tempfile::tempdir().expect("a folder");
        let tree = Tree::unpack(archive.as_slice(), folder.path(), &archive::Limits::default());
        Arc::new(tree.expect("unpacks"))
    }

    /// What a build without other hosts comes to.
    fn built(tree: Arc<Tree>, spec: &KustomizationSpec, options: Options) -> Result<Output, String> {
        let prepared = prepare(tree, spec, Place { folder: String::new(), options })?;
        let built = prepared.build(Arc::default(), &Interrupt::default());
        built.map_err(|error| format!("kustomize build failed: {error}"))
    }

    #[test]
    fn what_a_build_that_failed_quotes_of_an_address_has_no_login() {
        let entry = "https://me:geheim@h.test/o/r//base?ref=x&token=geheimer";
        let tree = tree_of("kustomization.yaml", format!("resources: ['{entry}']\n"));
        let options = Options { remote_bases: false, ..Options::flux("/r") };
        let place = Place { folder: String::new(), options };
        let prepared = prepare(tree, &KustomizationSpec::default(), place).expect("the file is fine");
        let error = prepared.build(Arc::default(), &Interrupt::default()).expect_err("it is refused");
        let bases = Collected::new("/tmp", std::time::Duration::ZERO);
        let Halt::Failed { reason, message, event } = unbuilt(&error, None, &bases) else {
            panic!("it is tried again")
        };
        assert_eq!((reason, event), (reason::BUILD_FAILED, None));
        let expected = "'https://***@h.test/o/r//base?ref=x&token=***' is refused: remote bases are off";
        assert!(message.starts_with("kustomize build failed: ") && message.contains(expected), "{message}");
        assert!(!message.contains("geheim"), "{message}");
    }

    #[test]
    fn a_token_that_ends_an_address_early_is_hidden_as_a_whole() {
        let mut secrets = SecretValues::default();
        for token in ["abc'defg", "hij,klmn)o", "p>q`rstuv"] {
            secrets.add(token.as_bytes());
            let text = format!("from 'https://h/o/r?ref=x&token={token}': failed");
            assert_eq!(hidden(&text, &secrets), "from 'https://h/o/r?ref=x&token=***': failed");
        }
        let panicked = BlockingError::Panicked { message: "at hij,klmn)o".to_owned() };
        let Err(Halt::Failed { message, .. }) = blocking::<()>(Err(panicked), &secrets) else {
            panic!("it is a failure")
        };
        assert_eq!(message, "recovered from kustomize build panic: at ***");
    }

    /// Works on one object as a run does, from its manifest to the answers of the API server.
    fn run(depth: usize) -> Result<(), String> {
        let spec = format!("{}'${{password:0:7}}'{}", "{a: ".repeat(depth), "}".repeat(depth));
        let object =
            format!("apiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: a}}\nspec: {spec}\n");
        let tree = tree_of("thing.yaml", object);
        let post_build = Some(PostBuild::default());
        let spec = KustomizationSpec { post_build, ..KustomizationSpec::default() };
        let mut resources = built(tree, &spec, Options::flux("/r"))?.resources;
        assert!(millrace_envsubst::reads_variables(&resources).is_some(), "there is a variable");
        let post_build = spec.post_build.clone().unwrap_or_default();
        let mut variables = Variables::default();
        variables.set("password", "correct-horse");
        let mut secrets = SecretValues::default();
        secrets.add_variable("password", b"correct-horse");
        let (options, secrets) = (variables::options(&post_build, false), Mutex::new(secrets));
        substitute_all(&mut resources, &variables, &options, &secrets).expect("the variable is set");
        assert_eq!(lock(&secrets).mask("correct"), "***", "what it became is known");

        let owner = build::owner(&Kustomization::new("a", spec.clone()));
        let objects = build::label_and_normalize(resources, &owner, &spec).expect("nothing is encrypted");
        let body = json::to_string(&objects[0]);
        assert_eq!(stages::plan(objects, &[]).len(), 1);
        let mut answer = json::from_str(&body).expect("the same object");
        normalize_answer(&mut answer);
        let live = answer.clone();
        compare(Some(&live), &answer, &IgnoreRules::compile(&[]).expect("no rules")).expect("no rules");
        Ok(())
    }

    /// A larger object, a build that recurses more, or a smaller stack: whichever comes first ends the process here and not
    /// in a cluster.
    #[test]
    fn the_deepest_object_goes_through_a_run_on_the_stack_of_an_engine_thread() {
        let engine = std::thread::Builder::new().stack_size(Limits::STACK_BYTES).spawn(|| {
            run(DEEPEST).expect("at the limit");
            let error = run(DEEPEST + 2).expect_err("over the limit");
            assert!(error.contains("exceeded max depth of 500"), "{error}");
        });
        engine.expect("a thread starts").join().expect("its stack is large enough");
    }
}
