//! How the time of a build grows with the number of objects.

use std::fmt::Write as _;
use std::time::Duration;

use millrace_kustomize::{MemoryFiles, Options, build};
use millrace_matrix::clock::processor_time;

const TARGET: &str = "\
namePrefix: p-
namespace: ns
labels: [{pairs: {team: a, tier: b}, includeSelectors: true}]
resources: [objects.yaml]
";

fn config_maps(count: usize) -> MemoryFiles {
    let mut text = String::new();
    for number in 0..count {
        let _ = write!(
            text,
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm-{number}\ndata:\n  key: value\n---\n"
        );
    }
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", TARGET);
    files.insert("objects.yaml", text);
    files
}

fn time(count: usize) -> Duration {
    let files = config_maps(count);
    let run = || {
        let start = processor_time();
        let output = build(&files, "", &Options::flux("/r")).expect("the build succeeds");
        assert_eq!(output.resources.len(), count);
        processor_time().saturating_sub(start)
    };
    (0..3).map(|_| run()).min().unwrap_or_default()
}

#[test]
fn four_times_the_objects_take_about_four_times_the_time() {
    // Quadratic growth would be 16 times. Caches may be cold, so further looks are taken.
    let is_linear = || {
        let (small, large) = (time(500), time(2000));
        eprintln!("500 objects: {small:?}, 2000 objects: {large:?}");
        large < small * 9
    };
    assert!((0..4).any(|_| is_linear()));
}
