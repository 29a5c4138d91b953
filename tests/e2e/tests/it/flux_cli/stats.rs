//! `flux stats`.

use anyhow::Result;

use super::fixture;
use super::said::Said;
use super::table::table;

// CLI-046, without the kinds of other controllers.
#[tokio::test(flavor = "multi_thread")]
async fn objects_are_counted_by_kind_and_state() -> Result<()> {
    let fixture = fixture!("stats");
    let artifact = fixture.story.get("GitRepository/infra").await?["status"]["artifact"].clone();
    let size = format!("{} B", artifact["size"]);
    let none = |kind| [kind, "0", "0", "0", "-"];
    let rows = [
        ["GitRepository", "1", "0", "0", &size],
        none("OCIRepository"),
        none("HelmRepository"),
        none("HelmChart"),
        none("Bucket"),
        ["Kustomization", "2", "1", "1", "-"],
        none("HelmRelease"),
        ["Alert", "1", "0", "0", "-"],
        ["Provider", "1", "0", "0", "-"],
        ["Receiver", "1", "0", "0", "-"],
        none("ImageUpdateAutomation"),
        none("ImagePolicy"),
        none("ImageRepository"),
    ];
    let rows: Vec<&[&str]> = rows.iter().map(|row| &row[..]).collect();
    let columns = ["RECONCILERS", "RUNNING", "FAILING", "SUSPENDED", "STORAGE"];
    assert_eq!(fixture.flux(&["stats"])?, Said::prints(table(&columns, &rows)));
    Ok(())
}
