//! Attempted escapes of a tenant, each with its refusal.
//!
//! Mallory is admin of the namespace `mallory` and may make any object of the API there, push to Git, and write status by hand.
//! What she is after is the namespace of Alice, the cluster, and the controllers' own rights and files.

mod identity;
mod ownership;
mod paths;
mod references;
mod world;

use anyhow::Result;
use millrace_matrix::Matrix;

use world::World;

#[tokio::test(flavor = "multi_thread")]
async fn every_attempted_escape_is_refused_in_the_contracts_words() -> Result<()> {
    if !millrace_harness::tools::available(millrace_e2e::TOOLS) {
        return Ok(());
    }
    let world = World::begin().await?;
    let mut matrix = Matrix::new("tenancy");
    // Side by side: an attempt waits most of its time, and has names of its own.
    let (paths, references, identity, ownership) = tokio::join!(
        paths::rows(&world),
        references::rows(&world),
        identity::rows(&world),
        ownership::rows(&world)
    );
    for (what, outcome) in paths.into_iter().chain(references).chain(identity).chain(ownership) {
        matrix.row(what, outcome);
    }
    matrix
        .row("after all of it, Alice is served and nothing of hers has changed", world.alice_is_well().await);
    matrix.untried(
        "CVE-2022-36035, workloads injected through files of the CLI",
        "the program installs nothing and reads no files of users",
    );
    Ok(matrix.finish()?)
}
