use millrace_yaml::Node;
use millrace_yaml::read::{self, Limits, Resolver};

use super::*;

const PASSING: &str = "
recorded: [cli, flux]
cases:
- id: x
  files:
    kustomization.yaml: 'resources: [a.yaml]'
    a.yaml: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}'
  output: |
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: a
";

fn file(text: &str) -> File {
    let mut head = read::one(text, Resolver::Kubernetes, &Limits::default()).expect("YAML").node;
    let Some(Node::List(cases)) = head.as_map_mut().and_then(|map| map.remove("cases")) else {
        panic!("no cases");
    };
    File { head, cases: cases.into_iter().map(|node| Case { node }).collect() }
}

fn verdicts(text: &str) -> Vec<Verdict> {
    let file = file(text);
    check(&file, &file.cases[0])
}

fn deviation(outcome: &str) -> Deviation {
    deviations::read_for_test(&format!("id: x\nreason: because\noutput: {outcome:?}\n"))
}

fn judged(text: &str, listed: &Deviation) -> Verdict {
    let file = file(text);
    let recorded = Recorded::read(&file, &file.cases[0]).expect("readable");
    judge(&recorded, Mode::Cli, Some(listed))
}

#[test]
fn a_case_runs_in_each_mode_that_was_recorded() {
    assert_eq!(verdicts(PASSING), [Verdict::Passed, Verdict::Passed]);
    assert_eq!(verdicts(&PASSING.replace("recorded: [cli, flux]", "recorded: [cli]")), [Verdict::Passed]);
    assert_eq!(verdicts(&PASSING.replace("- id: x", "- id: x\n  flux: null")), [Verdict::Passed]);
    let differs = PASSING.replace("- id: x", "- id: x\n  flux: {error: e}");
    assert!(
        matches!(&verdicts(&differs)[..], [Verdict::Passed, Verdict::Failed(text)] if text.contains("instead of failing: e"))
    );
}

#[test]
fn a_difference_of_the_text_alone_is_a_failure_and_says_so() {
    let quoted = PASSING.replace("      name: a", "      name: \"a\"");
    let [Verdict::Failed(text), _] = &verdicts(&quoted)[..] else { panic!("not two failures") };
    assert!(text.contains("the objects are the same, their text differs"), "{text}");
    assert!(text.contains("-   name: \"a\"\n+   name: a\n"), "{text}");
}

#[test]
fn a_listed_case_must_deviate_exactly_as_listed() {
    let other = PASSING.replace("      name: a", "      name: b");
    let found = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
    assert_eq!(judged(&other, &deviation(found)), Verdict::Deviating("(command) because".to_owned()));
    assert!(
        matches!(judged(&other, &deviation("something else")), Verdict::Failed(text) if text.contains("in another way"))
    );
    assert!(
        matches!(judged(PASSING, &deviation(found)), Verdict::Failed(text) if text.contains("taken off the list"))
    );
}

#[test]
fn a_case_in_another_form_fails_with_what_it_lacks() {
    for (text, reason) in [
        ("cases: [{id: x, files: {}}]", "the case states no result"),
        ("cases: [{id: x, output: ''}]", "the case has no files"),
        ("cases: [{id: x, files: {a: []}, output: ''}]", "the file a is neither"),
        ("cases: [{id: x, files: {}, output: {}}]", "\"output\" is no text"),
        ("cases: [{id: x, files: {}, args: [--what], output: ''}]", "unknown flag: --what"),
    ] {
        assert!(matches!(&verdicts(text)[..], [Verdict::Failed(found)] if found.contains(reason)), "{text}");
    }
}

#[test]
fn further_options_of_the_command_reach_the_build() {
    let labelled = PASSING.replace("- id: x", "- id: x\n  args: [--enable-managedby-label]").replace(
        "    metadata:\n",
        "    metadata:\n      labels:\n        app.kubernetes.io/managed-by: kustomize-v5.8.1\n",
    );
    assert_eq!(verdicts(&labelled)[0], Verdict::Passed);
}

#[test]
fn links_and_folders_may_be_given_in_full() {
    let linked = PASSING
        .replace("a.yaml: '{", "b/c.yaml: '{")
        .replace(
            "kustomization.yaml:",
            "a.yaml: {symlink: '{root}/b/c.yaml'}\n    x/y: {symlink: '{root}'}\n    kustomization.yaml:",
        )
        .replace("- id: x", "- id: x\n  dir: '{root}/x/y'");
    assert_eq!(verdicts(&linked), [Verdict::Passed, Verdict::Passed]);
}
