//! The order of objects, where kinds of one name are in several groups.

use super::with_objects;
use crate::chooser::Chooser;
use crate::project::Project;

const KINDS: &[(&str, &str)] = &[
    ("v1", "Namespace"),
    ("eventhub.azure.com/v1", "Namespace"),
    ("a.example.com/v1", "Namespace"),
    ("v1", "Service"),
    ("serving.knative.dev/v1", "Service"),
    ("apps/v1", "Deployment"),
    ("kafka.strimzi.io/v1", "Topic"),
    ("v1", "ConfigMap"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
];

/// Many objects, sorted by lists of one's own.
pub(super) fn sorted(choose: &mut Chooser) -> Project {
    let mut objects: Vec<String> = (0..5 + choose.below(60))
        .map(|number| {
            let (version, kind) = choose.one(KINDS);
            let name = choose.one(&["a", "b", "a-1", "a.b", "A"]);
            let namespace = choose.one(&["", "", ", namespace: x", ", namespace: a"]);
            format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}{number}{namespace}}}\n")
        })
        .collect();
    choose.shuffle(&mut objects);
    let mut some = |kinds: usize| {
        let chosen: Vec<&str> = (0..choose.below(kinds)).map(|_| choose.one(KINDS).1).collect();
        chosen.join(", ")
    };
    let (first, last) = (some(4), some(3));
    let options = choose.one(&[true, true, true, false]);
    let fields = if options {
        format!(
            "sortOptions:\n  order: legacy\n  legacySortOptions: {{orderFirst: [{first}], orderLast: [{last}]}}\n"
        )
    } else {
        String::new()
    };
    with_objects(&fields, &objects.join("---\n"))
}
