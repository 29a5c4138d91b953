//! A Kustomization that waits for health holds no worker.

use std::time::{Duration, Instant};

use anyhow::Result;
use millrace_e2e::{config_map, deployment};
use millrace_harness::until;

use crate::story;

/// How many wait.
const WAITING: usize = 100;

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_that_wait_do_not_keep_another_one_from_applying() -> Result<()> {
    let story = story!("waiting", |options| options.arg("--kustomize-concurrent=1"));
    let repository = story.git.create("site")?;
    // A pod with this label never becomes ready.
    let never = deployment("never", 1)
        .replace("        app: never", "        app: never\n        bench.millrace/outcome: pending");
    repository
        .commit("first")
        .file("slow/never.yaml", never)
        .file("fast/map.yaml", config_map("fast", "1"))
        .push()?;
    story.git_repository("site").await?;
    story.ready("GitRepository/site").await?;
    for number in 0..WAITING {
        let more = format!("  path: ./slow\n  namePrefix: n{number}-\n  wait: true\n  timeout: 10m\n");
        story.kustomization(&format!("waits-{number}"), "site", &more).await?;
    }
    until("a hundred waits", Duration::from_secs(90), async || {
        let text = "Running health checks for revision";
        for number in 0..WAITING {
            let object = format!("Kustomization/waits-{number}");
            let reconciling = story.condition(&object, "Reconciling").await.ok().flatten()?;
            if !reconciling.message.starts_with(text) {
                return None;
            }
        }
        Some(())
    })
    .await?;
    let began = Instant::now();
    story.kustomization("fast", "site", "  path: ./fast\n").await?;
    story.ready("Kustomization/fast").await?;
    assert!(began.elapsed() < Duration::from_secs(5), "took {:?}", began.elapsed());
    Ok(())
}
