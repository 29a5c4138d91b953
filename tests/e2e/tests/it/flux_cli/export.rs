//! `flux export`.

use anyhow::Result;

use super::fixture;
use super::said::Said;

// CLI-058.
#[tokio::test(flavor = "multi_thread")]
async fn exported_objects_have_their_spec_and_can_be_applied_again() -> Result<()> {
    let fixture = fixture!("export");
    let (story, namespace) = (&fixture.story, fixture.namespace());
    let token = story.request("Kustomization/apps").await?;
    let account =
        story.account().map(|account| format!("  serviceAccountName: {account}\n")).unwrap_or_default();
    let kustomization = |name: &str, metadata: &str, spec: [&str; 2]| {
        let [before, after] = spec;
        format!(
            "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n{metadata}  name: {name}\n  \
             namespace: {namespace}\nspec:\n  interval: 1h0m0s\n{before}  prune: true\n  retryInterval: 2s\n\
             {account}  sourceRef:\n    kind: GitRepository\n    name: infra\n{after}  targetNamespace: {namespace}\n"
        )
    };
    let metadata =
        format!("  annotations:\n    reconcile.fluxcd.io/requestedAt: {token}\n  labels:\n    sharding: a\n");
    let expected = [
        kustomization("apps", &metadata, ["  path: ./deploy\n", ""]),
        kustomization("broken", "", ["  path: ./nope\n", ""]),
        kustomization("parked", "", ["  namePrefix: p-\n  path: ./deploy\n", "  suspend: true\n"]),
    ];
    let said = fixture.flux(&["export", "ks", "--all"])?;
    assert_eq!(said, Said::prints(expected.concat()));

    story.apply(&said.stdout).await?;
    assert_eq!(fixture.flux(&["export", "ks", "--all"])?, said);
    Ok(())
}

// CLI-058.
#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_exported_with_its_defaults_and_credentials() -> Result<()> {
    let fixture = fixture!("login");
    let (story, namespace) = (&fixture.story, fixture.namespace());
    let source = |name: &str, before: &str, after: &str, url: &str| {
        format!(
            "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: {name}\n  namespace: \
             {namespace}\nspec:\n  interval: 1h0m0s\n{before}{after}  timeout: 1m0s\n  url: {url}\n"
        )
    };
    let infra = source("infra", "  ref:\n    branch: main\n", "", &story.git.public_url("infra"));
    assert_eq!(fixture.flux(&["export", "source", "git", "infra"])?, Said::prints(infra.as_str()));

    let url = "https://git.example.com/private";
    story
        .apply(&format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\nstringData:\n  username: git\n  password: pass\n---\n\
             apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: private\nspec:\n  interval: \
             1h\n  suspend: true\n  url: {url}\n  secretRef:\n    name: login\n"
        ))
        .await?;
    let private = source("private", "  secretRef:\n    name: login\n", "  suspend: true\n", url);
    let secret = format!(
        "---\napiVersion: v1\ndata:\n  password: cGFzcw==\n  username: Z2l0\nkind: Secret\nmetadata:\n  name: login\n  \
         namespace: {namespace}\ntype: Opaque\n"
    );
    let said = fixture.flux(&["export", "source", "git", "private", "--with-credentials"])?;
    assert_eq!(said, Said::prints(format!("{private}{secret}")));
    assert_eq!(fixture.flux(&["export", "source", "git", "--all"])?, Said::prints(infra + &private));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_of_nothing_is_refused() -> Result<()> {
    let fixture = fixture!("noexport");
    let error = "gitrepositories.source.toolkit.fluxcd.io \"nope\" not found";
    assert_eq!(fixture.flux(&["export", "source", "git", "nope"])?, Said::refuses(error));
    assert_eq!(fixture.flux(&["export", "source", "git"])?, Said::refuses("name is required"));
    let (empty, said) = fixture.flux_in_empty(&[&["export", "ks", "--all"]]).await?;
    assert_eq!(said, [Said::refuses(&format!("no objects found in {empty} namespace"))]);
    Ok(())
}
