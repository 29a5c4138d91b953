//! What a person is told of a build that fails: the reference program's text first and unchanged, then hints and other errors.

mod bounds;
mod cases;
mod links;
mod misfits;
mod places;
mod places_of_mistakes;
mod remote;
mod reports;
mod trial;
mod trial_entries;
mod trial_forms;
mod trial_lines;
mod trial_manifests;
mod trial_patches;
mod trial_syntax;
mod ways;

use millrace_kustomize::remote::{FileFailure, Remotes};
use millrace_kustomize::{BuildError, ErrorKind, MemoryFiles, Options, build, survey};
use millrace_matrix::Matrix;

/// A project that is broken.
struct Broken {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    folder: &'static str,
    /// The whole text of the reference program, built in a folder that is called `/r` here.
    reference: &'static str,
    /// The lines below it.
    told: &'static [&'static str],
}

fn files(entries: &[(&str, &str)]) -> MemoryFiles {
    let mut files = MemoryFiles::new();
    for (path, text) in entries {
        files.insert(path, *text);
    }
    files
}

fn error(entries: &[(&str, &str)], options: &Options) -> BuildError {
    build(&files(entries), "", options).expect_err("the build fails")
}

fn cli() -> Options {
    Options::cli("/r")
}

#[test]
fn broken_projects_are_told_with_file_line_and_what_to_do() {
    let mut matrix = Matrix::new("broken projects");
    for Broken { name, files: entries, folder, reference, told } in cases::CASES
        .into_iter()
        .flatten()
        .chain(trial::CASES)
        .chain(trial_patches::CASES)
        .chain(trial_lines::CASES)
        .chain(trial_forms::CASES)
        .chain(trial_manifests::CASES)
        .chain(trial_entries::CASES)
        .chain(trial_syntax::CASES)
        .chain(reports::CASES)
        .chain(places_of_mistakes::CASES)
        .chain(misfits::CASES)
    {
        let error = build(&files(entries), folder, &cli()).expect_err("the build fails");
        let expected = [&[*reference], *told].concat().join("\n");
        let outcome = match (&error.reference == reference, error.to_string() == expected) {
            (true, true) => Ok(()),
            (false, _) => Err(format!("the reference says\n{reference}\nand not\n{}", error.reference)),
            (true, false) => Err(format!("expected\n{expected}\nand not\n{error}")),
        };
        matrix.row(name, outcome);
    }
    matrix.finish().expect("every project is told as it should be");
}

const OBJECT: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";
const OTHER: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}";

#[test]
fn a_target_that_builds_has_nothing_wrong_with_it() {
    let entries = [
        (
            "kustomization.yaml",
            "resources: [a.yaml, base]\ncomponents: [part]\npatches: [{path: p.yaml}]\nbases: [other]\n",
        ),
        ("a.yaml", OBJECT),
        ("p.yaml", OBJECT),
        ("base/kustomization.yaml", "namePrefix: b-\nresources: [a.yaml]\n"),
        ("base/a.yaml", OTHER),
        ("other/kustomization.yaml", "namePrefix: o-\nresources: [a.yaml]\n"),
        ("other/a.yaml", OTHER),
        (
            "part/kustomization.yaml",
            "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nconfigMapGenerator: [{name: g, files: [k=f], envs: [e]}]\n",
        ),
        ("part/f", "x"),
        ("part/e", "A=b"),
    ];
    assert!(build(&files(&entries), "", &cli()).is_ok());
    assert_eq!(survey(&files(&entries), "", &cli()), [""; 0]);
    let broken = [("kustomization.yaml", "resources: [b.yaml]\nbases: [bse]\n"), entries[3], entries[4]];
    assert_eq!(
        survey(&files(&broken), "", &cli()),
        [
            "kustomization.yaml:1: 'b.yaml' is not there: the folder has 'base'",
            "kustomization.yaml:2: 'bse' is not there: did you mean 'base'?"
        ]
    );
}

#[test]
fn files_are_seen_from_where_the_command_was_called() {
    let entries = [
        ("home/me/repo/app/kustomization.yaml", "resources:\n- ../base\n"),
        ("home/me/repo/base/kustomization.yaml", "resources:\n- a.yaml\n"),
    ];
    for (here, folder, told) in [
        ("/home/me/repo", "app", "base/kustomization.yaml:2: 'a.yaml' is not there"),
        ("/home/me/repo/app", ".", "../base/kustomization.yaml:2: 'a.yaml' is not there"),
        ("/srv", "/home/me/repo/app", "/home/me/repo/base/kustomization.yaml:2: 'a.yaml' is not there"),
    ] {
        let mut entries = files(&entries);
        entries.insert("srv/x", "");
        let options = Options { working_folder: Some(here.to_owned()), ..Options::cli("") };
        let error = build(&entries, folder, &options).expect_err("the build fails");
        assert_eq!(error.hints, [told], "{here}");
    }
    let options = Options { working_folder: Some("/home/me/repo".to_owned()), ..Options::cli("") };
    let error = build(&files(&entries), "", &options).expect_err("the build fails");
    assert_eq!(error.hints, ["the path of what to build is empty: '.' is this folder"]);
    assert!(error.others.is_empty(), "{error}");
}

/// Until everything is fetched, nobody knows what else is wrong; and an error before the remote entry comes first.
#[test]
fn a_need_stays_a_need_and_has_no_other_errors() {
    let remote_first = [("kustomization.yaml", "resources:\n- https://example.com/a.yaml\n- gone.yaml\n")];
    let needs = error(&remote_first, &Options::flux("/r"));
    assert!(matches!(needs.kind(), ErrorKind::Needs(_)), "{needs}");
    assert!(needs.others.is_empty() && needs.hints.is_empty(), "{needs}");

    let mut remotes = Remotes::default();
    remotes.add_file("https://example.com/a.yaml", Ok(OBJECT.into()));
    let options = Options { remotes: remotes.into(), ..Options::flux("/r") };
    let fetched = error(&remote_first, &options);
    assert_eq!(fetched.hints, ["kustomization.yaml:3: 'gone.yaml' is not there"]);
    assert!(fetched.others.is_empty(), "{fetched}");

    let local_first = [("kustomization.yaml", "resources:\n- gone.yaml\n- https://example.com/a.yaml\n")];
    let local = error(&local_first, &Options::flux("/r"));
    assert_eq!(local.hints, ["kustomization.yaml:2: 'gone.yaml' is not there"]);
    assert!(local.others.is_empty(), "{local}");

    let mut remotes = Remotes::default();
    remotes.add_file(
        "https://example.com/a.yaml",
        Err(FileFailure::Status { code: 404, name: "Not Found".to_owned() }),
    );
    let options = Options { remotes: remotes.into(), ..Options::flux("/r") };
    let failed = error(&local_first, &options);
    assert_eq!(*failed.others, ["kustomization.yaml:3: the server has no such file"]);
}

#[test]
fn remote_entries_that_are_refused_say_what_to_do() {
    let options = Options { remote_bases: false, ..cli() };
    let refused = error(
        &[("kustomization.yaml", "resources:\n- https://github.com/o/r//b?ref=v1\n- b.yaml\n")],
        &options,
    );
    assert_eq!(
        refused.hints,
        [
            "kustomization.yaml:2: 'https://github.com/o/r//b?ref=v1' is on another host, and remote bases are off: keep a copy among your own files, or allow them"
        ]
    );
    assert_eq!(*refused.others, ["kustomization.yaml:3: 'b.yaml' is not there"]);
}

#[test]
fn limits_and_cancellation_have_no_other_errors() {
    let entries = [("kustomization.yaml", "resources: [a.yaml, gone.yaml]"), ("a.yaml", OBJECT)];
    let cancelled = cli();
    cancelled.cancel.cancel();
    let limited = Options { limits: millrace_kustomize::Limits { bytes: 40, ..Default::default() }, ..cli() };
    for (options, kind) in [(cancelled, ErrorKind::Cancelled), (limited, ErrorKind::Limit)] {
        let error = error(&entries, &options);
        assert_eq!(*error.kind(), kind);
        assert!(error.others.is_empty() && error.hints.is_empty(), "{error}");
    }
}

#[test]
fn what_may_be_secret_is_not_quoted_below_the_text_of_the_reference() {
    let secret = |data: &str| {
        format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData:\n  password: {data}\n")
    };
    let kustomization = "resources: [a.yaml, b.yaml, c.yaml, d.yaml]\nsecretGenerator:\n- {name: a, literals: [hunter2]}\n- {name: b, envs: [e]}\n\
        patches:\n- {patch: 'hunter2'}\n- {path: p.yaml}\n- {patch: 'a', path: hunter.yaml}\n";
    let broken = ["*hunter2", "@hunter2", "hunter2: hunter2", "{{ hunter2 }}x"].map(secret);
    let entries: [(&str, &str); 7] = [
        ("kustomization.yaml", kustomization),
        ("a.yaml", &broken[0]),
        ("b.yaml", &broken[1]),
        ("c.yaml", &broken[2]),
        ("d.yaml", &broken[3]),
        ("e", "hunter2"),
        ("p.yaml", "stringData: {password: hunter2"),
    ];
    let error = error(&entries, &cli());
    assert!(error.others.len() >= 6, "{error}");
    let told = [&error.hints[..], &error.others].concat();
    assert!(!told.iter().any(|line| line.contains("hunter2")), "{told:#?}");
}

/// A file that a caller has rewritten has no lines of its author's.
#[test]
fn rewritten_files_are_named_with_the_lines_of_their_originals() {
    use std::borrow::Cow;

    use millrace_kustomize::{FileKind, FileSystem, ReadError};

    struct Rewritten(MemoryFiles, &'static [u8]);

    impl FileSystem for Rewritten {
        fn kind(&self, path: &str) -> Option<FileKind> {
            self.0.kind(path)
        }

        fn read(&self, path: &str) -> Result<Cow<'_, [u8]>, ReadError> {
            if path == "kustomization.yaml" { Ok(Cow::Borrowed(self.1)) } else { self.0.read(path) }
        }

        fn original(&self, path: &str) -> Option<Cow<'_, [u8]>> {
            self.0.read(path).ok()
        }

        fn list(&self, path: &str) -> Option<Vec<String>> {
            self.0.list(path)
        }
    }

    let built = b"resources: [z.yaml, a.yaml, b.yaml]\n";
    let told = |original: &[(&str, &str)]| {
        let files = Rewritten(files(original), built);
        let error = build(&files, "", &Options::flux("/r")).expect_err("the build fails");
        [&error.hints[..], &error.others].concat()
    };
    assert_eq!(
        told(&[("kustomization.yaml", "# comment\nresources:\n- a.yaml\n- b.yaml\n"), ("z.yaml", OBJECT)]),
        [
            "kustomization.yaml:3: 'a.yaml' is not there: the folder has 'z.yaml'",
            "kustomization.yaml:4: 'b.yaml' is not there: the folder has 'z.yaml'"
        ]
    );
    assert_eq!(
        told(&[("z.yaml", OBJECT)]),
        [
            "kustomization.yaml: 'a.yaml' is not there: the folder has 'z.yaml'",
            "kustomization.yaml: 'b.yaml' is not there: the folder has 'z.yaml'"
        ]
    );
}

#[test]
fn text_that_is_not_utf_8_is_told_to_be_none() {
    let mut files = files(&[("kustomization.yaml", "resources: [a.yaml]")]);
    files.insert(
        "a.yaml",
        b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: \"gr\xfc\xdfe\n".to_vec(),
    );
    let error = build(&files, "", &cli()).expect_err("the build fails");
    assert_eq!(error.hints, ["a.yaml:4: this is not UTF-8: save the file in that encoding"]);
}

#[test]
fn a_generator_that_merges_with_nothing_names_what_is_near() {
    let entries = [
        ("kustomization.yaml", "resources: [base]\nconfigMapGenerator:\n- {name: confg, behavior: merge}\n"),
        ("base/kustomization.yaml", "configMapGenerator:\n- name: config\n"),
    ];
    assert_eq!(
        error(&entries, &cli()).hints,
        [
            "kustomization.yaml:3: there is no ConfigMap 'confg': did you mean ConfigMap 'config' (base/kustomization.yaml:2)?"
        ]
    );
}
