//! Recorded builds: none may come out different; those that need what is not there yet must say so.

use std::collections::BTreeMap;
use std::path::PathBuf;

use millrace_kustomize::Mode;
use millrace_kustomize::conformance::{Verdict, cases};

/// Builds that must pass at least, of the set in a file.
const SETS: [(&str, usize); 3] = [
    ("kustomize/checks.yaml", 301),
    ("conformance/kustomize/krusty.yaml", 409),
    ("conformance/kustomize/field.yaml", 27),
];

fn shared(path: &str) -> Option<String> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(path);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        eprintln!("skipped: {} is absent", path.display());
    }
    text
}

#[test]
fn recorded_builds_come_out_as_recorded_or_say_what_is_missing() {
    let mut wrong = Vec::new();
    for (set, at_least) in SETS {
        let Some(text) = shared(set) else { continue };
        let cases = cases(&text).expect("the recorded cases are readable");
        let mut passed = 0;
        let mut unsupported: BTreeMap<String, usize> = BTreeMap::new();
        let (mut failed, mut deviating) = (0, 0);
        for case in &cases {
            for mode in [Mode::Cli, Mode::Flux].into_iter().filter(|mode| case.has(*mode)) {
                match case.run(mode) {
                    Verdict::Passed => passed += 1,
                    Verdict::Deviating(_) => deviating += 1,
                    Verdict::Unsupported(field) => *unsupported.entry(field).or_default() += 1,
                    Verdict::Wrong(difference) => {
                        failed += 1;
                        wrong.push(format!("{} ({mode:?}): {difference}", case.id));
                    }
                }
            }
        }
        eprintln!(
            "{set}: {passed} passed, {failed} wrong, {deviating} deviating, {} unsupported {unsupported:?}",
            unsupported.values().sum::<usize>()
        );
        assert!(passed >= at_least, "{set}: {passed} passed, but {at_least} must");
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n\n"));
}
