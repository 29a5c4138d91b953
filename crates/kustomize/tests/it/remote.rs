//! Entries that lead to other hosts: what a build asks for, and what it makes of the answers.

use std::sync::Arc;

use millrace_kustomize::remote::{Checkout, FileFailure, Need, Remotes, RepositoryFailure};
use millrace_kustomize::{BuildError, ErrorKind, MemoryFiles, Options, Output, build};

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
const REPOSITORY: &str = "https://git.test/o/r.git/deploy?ref=v1";
const FILE: &str = "http://files.test/a.yaml";

fn files(entries: &[(&str, &str)]) -> MemoryFiles {
    let mut files = MemoryFiles::new();
    for (path, text) in entries {
        files.insert(path, *text);
    }
    files
}

fn target(entry: &str) -> MemoryFiles {
    files(&[("kustomization.yaml", &format!("namePrefix: p-\nresources: ['{entry}']\n"))])
}

fn not_found() -> FileFailure {
    FileFailure::Status { code: 404, name: "Not Found".to_owned() }
}

/// What the other hosts have: the content of files, and the files of repositories.
#[derive(Default)]
struct World {
    file: Option<Result<&'static str, FileFailure>>,
    repository: Option<Result<MemoryFiles, RepositoryFailure>>,
}

impl World {
    /// Builds, fetches what is needed, and builds again, until the build needs no more.
    fn build(&self, files: &MemoryFiles, options: &Options) -> (Result<Output, BuildError>, Vec<Need>) {
        let (mut remotes, mut needs) = (Remotes::default(), Vec::new());
        loop {
            let result = build(files, "", &Options { remotes: Arc::new(remotes.clone()), ..options.clone() });
            let Some(ErrorKind::Needs(need)) = result.as_ref().err().map(BuildError::kind).cloned() else {
                return (result, needs);
            };
            assert!(!needs.contains(&*need), "{need:?} is asked for twice");
            match &*need {
                Need::File(address) => {
                    let outcome = self.file.clone().expect("a file is expected");
                    remotes.add_file(address, outcome.map(|text| text.as_bytes().to_vec()));
                }
                Need::Repository(repository) => {
                    let outcome = self.repository.clone().expect("a repository is expected");
                    let checkout =
                        |files| Checkout { folder: "/tmp/kustomize-1".to_owned(), files: Arc::new(files) };
                    remotes.add_repository(repository, outcome.map(checkout));
                }
            }
            needs.push(*need);
        }
    }
}

fn error(world: &World, files: &MemoryFiles) -> String {
    world.build(files, &Options::cli("/r")).0.expect_err("the build fails").reference
}

#[test]
fn a_file_is_fetched_and_the_build_runs_again() {
    let world = World { file: Some(Ok(CONFIG_MAP)), ..World::default() };
    let (result, needs) = world.build(&target(FILE), &Options::flux("/r"));
    assert_eq!(
        result.expect("builds").to_yaml(),
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: p-a\n"
    );
    assert_eq!(needs, [Need::File(FILE.to_owned())]);
}

#[test]
fn a_repository_is_tried_as_a_file_first_and_says_what_to_fetch() {
    let repository = files(&[
        ("deploy/kustomization.yaml", "resources: [../base, a.yaml]"),
        ("deploy/a.yaml", CONFIG_MAP),
    ]);
    let mut repository = repository;
    repository.insert("base/kustomization.yaml", "nameSuffix: -b\nresources: [a.yaml]");
    repository.insert("base/a.yaml", CONFIG_MAP);
    let world = World { file: Some(Err(not_found())), repository: Some(Ok(repository)) };
    let target = files(&[(
        "kustomization.yaml",
        &format!("buildMetadata: [originAnnotations]\nresources: ['{REPOSITORY}']\n"),
    )]);
    let (result, needs) = world.build(&target, &Options::cli("/r"));
    let output = result.expect("builds");
    let text = output.to_yaml();
    let [checkout] = &output.checkouts[..] else { panic!("{:?}", output.checkouts) };
    assert_eq!((&*checkout.url, checkout.reference.as_deref()), ("https://git.test/o/r.git", Some("v1")));
    assert!(checkout.observed.read.contains("base/a.yaml"), "{:?}", checkout.observed);
    assert!(text.contains("name: a-b\n") && text.contains("name: a\n"), "{text}");
    let origin = "config.kubernetes.io/origin: |\n      path: deploy/a.yaml\n      repo: https://git.test/o/r.git\n      ref: v1\n";
    assert!(text.contains(origin), "{text}");
    let [Need::File(_), Need::Repository(repository)] = &needs[..] else { panic!("{needs:?}") };
    assert_eq!((&*repository.url, &*repository.path), ("https://git.test/o/r.git", "deploy"));
    assert_eq!((repository.reference.as_deref(), repository.submodules), (Some("v1"), true));
}

#[test]
fn answers_that_are_errors_have_the_words_of_the_reference() {
    let failed = RepositoryFailure::Failed("failed to run 'git'".to_owned());
    let world = World { file: Some(Err(not_found())), repository: Some(Err(failed)) };
    assert_eq!(
        error(&world, &target(FILE)),
        "accumulating resources: accumulating resources from 'http://files.test/a.yaml': HTTP Error: status code 404 (Not \
         Found)"
    );
    assert_eq!(
        error(&world, &target(REPOSITORY)),
        format!(
            "accumulating resources: accumulation err='accumulating resources from '{REPOSITORY}': URL is a git repository': \
             failed to run 'git'"
        )
    );
}

#[test]
fn what_a_person_can_do_about_a_repository_is_told_with_the_entry_and_its_file() {
    let refused =
        RepositoryFailure::Refused { text: "not over ssh".to_owned(), advice: "use https".to_owned() };
    let world = World { file: None, repository: Some(Err(refused)) };
    let error = world.build(&target("git@git.test:o/r"), &Options::cli("/r")).0.expect_err("the build fails");
    assert!(error.reference.ends_with(": not over ssh"), "{error}");
    let told = error.hints.join("\n");
    assert!(told.contains("kustomization.yaml") && told.contains("'git@git.test:o/r': use https"), "{error}");
}

#[test]
fn nothing_leaves_a_repository() {
    let cases: [(&[(&str, &str)], &str); 3] = [
        (
            &[("deploy/kustomization.yaml", "resources: [../../r]")],
            "security; bases in kustomizations found in cloned git repos must be within the repo, but base '/tmp/r' is outside \
             '/tmp/kustomize-1'",
        ),
        (
            &[("deploy/kustomization.yaml", "resources: [../a.yaml]"), ("a.yaml", CONFIG_MAP)],
            "security; file '/tmp/kustomize-1/a.yaml' is not in or below '/tmp/kustomize-1/deploy'",
        ),
        (&[("deploy", CONFIG_MAP)], "'/tmp/kustomize-1/deploy' refers to file 'deploy'; expecting directory"),
    ];
    for (entries, expected) in cases {
        let world = World { file: Some(Err(not_found())), repository: Some(Ok(files(entries))) };
        let error = error(&world, &target(REPOSITORY));
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_repository_that_comes_back_to_itself_is_a_cycle() {
    let looped = files(&[("deploy/kustomization.yaml", &format!("resources: ['{REPOSITORY}']"))]);
    let world = World { file: Some(Err(not_found())), repository: Some(Ok(looped)) };
    let error = error(&world, &target(REPOSITORY));
    let expected = format!("cycle detected: URI '{REPOSITORY}' referenced by previous URI '{REPOSITORY}'");
    assert!(error.contains(&expected), "{error}");
}
