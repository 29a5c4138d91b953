//! The same end-to-end tests, told of tenants: what is applied is applied with the rights of a ServiceAccount that is admin of one
//! namespace, never with those of the program.

use super::matrices::Matrices;
use super::tally::Tally;

/// The variable that tells the tests.
pub(super) const VARIABLE: (&str, &str) = ("MILLRACE_TENANTS", "all");

/// Tests that are not told again of tenants, and why.
const APART: &[(&str, &str)] = &[
    ("every_attempted_escape_is_refused_in_the_contracts_words", "it is about tenants in every run"),
    ("a_tenants_push_takes_the_same_way_in_the_tenants_name", "it is about a tenant in every run"),
    (
        "a_release_is_what_upstreams_installer_leaves_and_its_definitions_outlive_it",
        "what a release consists of does not depend on who uses it",
    ),
];

/// All end-to-end tests but those that stand apart, in nextest's words.
pub(super) fn filter() -> String {
    let apart: Vec<String> = APART.iter().map(|(name, _)| format!("test(/::{name}$/)")).collect();
    format!("package(millrace-e2e) and not ({})", apart.join(" or "))
}

/// Notes as a matrix how many tests were tried since `before`, and which were not.
pub(super) fn note(matrices: &Matrices, before: (u64, u64), tally: &Tally) -> anyhow::Result<()> {
    let (passed, failed) = (tally.passed - before.0, tally.failed - before.1);
    matrices.add(&line(passed, failed))
}

fn line(passed: u64, failed: u64) -> String {
    let apart: Vec<String> = APART.iter().map(|(name, why)| format!("{name}: {why}")).collect();
    let tried = passed + failed;
    format!(
        "end-to-end tests of tenants: {tried} rows tried, {passed} passed; not tried: {}",
        apart.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::matrices::sums_in;
    use super::*;
    use crate::contract::scan;

    #[test]
    fn what_stands_apart_is_a_test_and_told_with_its_reason() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let tests = scan::all_tests(&root).unwrap();
        for (name, _) in APART {
            let found = tests.iter().find(|test| test.name == *name);
            assert!(found.is_some_and(|test| test.file.starts_with("tests/e2e/")), "{name}");
        }
        let sums = sums_in(&line(7, 1)).unwrap();
        let lines = sums[0].lines();
        assert_eq!(lines[0], "end-to-end tests of tenants: 8 rows tried, 7 passed");
        assert_eq!(lines.len(), 1 + APART.len());
        assert!(sums[0].has_failed());
    }
}
