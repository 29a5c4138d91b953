//! Acceptance checks (contract: kustomize-controller §10) on one control plane: each story has a namespace of its own.

use std::time::Duration;

use anyhow::{Result, anyhow, ensure};
use futures::FutureExt as _;
use futures::future::{LocalBoxFuture, join_all};
use millrace_harness::until;
use millrace_matrix::logs::Logs;
use tracing::Level;

use crate::bench::{Bench, SOON};
use crate::controller::Running;
use crate::stories::{artifacts, build, lifecycle, masking, objects, variables};

/// What stories need.
pub(crate) struct World {
    pub(crate) bench: Bench,
    pub(crate) running: Running,
}

/// How long nothing has to happen.
const QUIET: Duration = Duration::from_secs(15);

impl World {
    /// That nothing runs for a while after the first run: there is nothing to wait for.
    pub(crate) async fn quiet(&self, namespace: &str) -> Result<()> {
        tokio::time::sleep(QUIET).await;
        let runs = self.running.runs(namespace);
        ensure!(runs == 1, "it ran {runs} times instead of once");
        Ok(())
    }

    /// Waits until so many runs have told that they succeeded, which they do after their status, and returns how many events
    /// there are by then.
    pub(crate) async fn told(&self, namespace: &str, runs: usize) -> Result<usize> {
        until("the events of success", SOON, async || {
            let events = self.running.events(namespace);
            let ended =
                events.iter().filter(|event| event.message.starts_with("Reconciliation finished in "));
            (ended.count() >= runs).then_some(events.len())
        })
        .await
    }
}

type Story<'w> = (&'static str, LocalBoxFuture<'w, Result<()>>);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_controller_keeps_its_contract_against_a_real_api_server() -> Result<()> {
    // Of libraries as much as `--log-level=trace` shows.
    let logs = Logs::of_process(Level::DEBUG);
    let Some(bench) = Bench::start().await? else { return Ok(()) };
    let running = Running::start(&bench, &["--concurrent=20", "--override-manager=bad"]).await?;
    let world = World { bench, running };
    let w = &world;
    let stories: Vec<Story<'_>> = vec![
        // KC-005, KC-006
        ("a source that comes late", lifecycle::a_source_that_comes_late(w).boxed_local()),
        // KC-009, KC-011, KC-056
        ("success, and once more on request", lifecycle::success_and_once_more_on_request(w).boxed_local()),
        // KC-003, KC-012
        ("suspension", lifecycle::suspension(w).boxed_local()),
        // KC-015
        ("the path", lifecycle::the_path(w).boxed_local()),
        // KC-017
        ("a spec that breaks the build", lifecycle::a_spec_that_breaks_the_build(w).boxed_local()),
        // KC-100
        ("a dependency that comes late", lifecycle::a_dependency_that_comes_late(w).boxed_local()),
        // KC-008: nothing lost, and what follows
        ("wrong bytes", artifacts::wrong_bytes_lose_nothing_and_right_ones_mend_it(w).boxed_local()),
        // KC-018, KC-020
        ("a slow artifact server", artifacts::a_slow_server_is_shown(w).boxed_local()),
        ("an address that died", artifacts::an_address_that_died_is_given_up_for_another(w).boxed_local()),
        // KC-021, KC-022, KC-024
        (
            "a folder without a kustomization file",
            build::a_folder_without_a_kustomization_file(w).boxed_local(),
        ),
        // KC-025
        ("names and namespace", build::names_and_namespace(w).boxed_local()),
        // KC-030
        ("common metadata", build::common_metadata_comes_and_goes(w).boxed_local()),
        // KC-036, KC-039, KC-043
        ("variables", variables::later_references_win_and_the_spec_over_all(w).boxed_local()),
        // KC-037, KC-038
        ("variables that are not there", variables::what_is_optional_may_be_missing(w).boxed_local()),
        // KC-084
        (
            "what was dropped without pruning",
            objects::what_is_dropped_without_pruning_is_forgotten(w).boxed_local(),
        ),
        // KC-085
        ("deletion", objects::deletion_does_as_the_policy_says(w).boxed_local()),
        // KC-087
        ("deletion without an account", objects::nobody_is_left_to_delete_them(w).boxed_local()),
        // KC-095, KC-099
        ("waiting", objects::what_is_ignored_is_not_waited_for(w).boxed_local()),
        // KC-013, KC-014
        ("what is no change", lifecycle::what_is_no_change_makes_no_run(w).boxed_local()),
        // KC-101
        ("a dependency that stays behind", lifecycle::a_dependency_that_stays_behind(w).boxed_local()),
        // KC-023
        ("a file that is no manifest", build::a_file_that_is_no_manifest(w).boxed_local()),
        ("a broken file", build::a_broken_file_is_named_with_its_folder(w).boxed_local()),
        // KC-028
        ("components that are missing", build::components_that_are_missing(w).boxed_local()),
        // KC-031, KC-032
        ("files outside, files twice", build::files_outside_and_files_twice(w).boxed_local()),
        // KC-105
        ("labelled references", variables::labelled_references_are_watched(w).boxed_local()),
        // KC-057, KC-058
        ("what others need", objects::what_others_need_comes_first(w).boxed_local()),
        // KC-067
        ("an overridden manager", objects::a_manager_that_is_overridden_loses_its_fields(w).boxed_local()),
        // KC-069
        ("an ignored field", objects::an_ignored_field_is_left_to_others(w).boxed_local()),
        // KC-071
        ("ports without a protocol", objects::ports_without_a_protocol_are_no_drift(w).boxed_local()),
        ("secret values", masking::secret_values_are_shown_nowhere(w, &logs).boxed_local()),
        (
            "secret values at the end",
            masking::secret_values_are_not_shown_at_the_end_either(w, &logs).boxed_local(),
        ),
        ("a status that can't be shown", lifecycle::a_status_that_cannot_be_written(w).boxed_local()),
    ];
    let (names, stories): (Vec<_>, Vec<_>) = stories.into_iter().unzip();
    let outcomes = join_all(stories).await;
    let failures: Vec<String> = names
        .iter()
        .zip(outcomes)
        .filter_map(|(name, outcome)| outcome.err().map(|error| format!("{name}: {error:#}")))
        .collect();
    if failures.is_empty() { Ok(()) } else { Err(anyhow!("{}", failures.join("\n\n"))) }
}
