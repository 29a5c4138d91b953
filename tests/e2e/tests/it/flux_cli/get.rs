//! `flux get`.

use anyhow::Result;
use millrace_e2e::SOON;
use millrace_harness::until;

use super::fixture;
use super::objects::Fixture;
use super::said::Said;
use super::table::{cells, rows, table};

const COLUMNS: &[&str] = &["NAME", "REVISION", "SUSPENDED", "READY", "MESSAGE"];

// CLI-019, CLI-020.
#[tokio::test(flavor = "multi_thread")]
async fn sources_and_kustomizations_are_listed_with_revision_and_message() -> Result<()> {
    let fixture = fixture!("get");
    let (namespace, short) = (fixture.namespace(), fixture.short());
    let stored = format!("stored artifact for revision '{short}'");
    let expected = table(COLUMNS, &[&["infra", &short, "False", "True", &stored]]);
    assert_eq!(fixture.flux(&["get", "sources", "git"])?, Said::prints(expected));

    let applied = format!("Applied revision: {short}");
    let broken = fixture.broken_in_tables().await?;
    let source = format!("GitRepository/{namespace}/infra");
    let columns = ["NAME", "SOURCE", "REVISION", "SUSPENDED", "READY", "MESSAGE"];
    let listed: [&[&str]; 3] = [
        &["apps", &source, &short, "False", "True", &applied],
        &["broken", &source, "", "False", "False", &broken],
        &["parked", &source, &short, "True", "True", &applied],
    ];
    assert_eq!(fixture.flux(&["get", "ks", "--show-source"])?, Said::prints(table(&columns, &listed)));

    let all = fixture.flux(&["get", "kustomizations", "-A", "--show-source"])?;
    assert_eq!((all.exit, all.stderr.as_str()), (Some(0), ""));
    assert_eq!(cells(&all.stdout)[0], [&["NAMESPACE"], &columns[..]].concat());
    let expected: Vec<Vec<&str>> = listed.iter().map(|row| [&[namespace], *row].concat()).collect();
    assert_eq!(own(&fixture, &all.stdout), expected);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn selectors_choose_rows_by_status_and_label() -> Result<()> {
    let fixture = fixture!("select");
    let (short, broken) = (fixture.short(), fixture.broken_in_tables().await?);
    let applied = format!("Applied revision: {short}");
    let [apps, failing, parked]: [&[&str]; 3] = [
        &["apps", &short, "False", "True", &applied],
        &["broken", "", "False", "False", &broken],
        &["parked", &short, "True", "True", &applied],
    ];
    // CLI-021.
    for (selector, expected) in [
        ("ready=false", &[failing][..]),
        ("ready!=true", &[failing]),
        ("READY=TRUE", &[apps, parked]),
        ("Healthy=true", &[]),
    ] {
        let said = fixture.flux(&["get", "ks", "--status-selector", selector])?;
        assert_eq!(said, Said::prints(table(COLUMNS, expected)), "{selector}");
    }
    let error = "expected status selector in type=status or type!=status format, but found: ready";
    assert_eq!(fixture.flux(&["get", "ks", "--status-selector", "ready"])?, Said::refuses(error));

    // CLI-022.
    let said = fixture.flux(&["get", "ks", "-l", "sharding=a", "--no-header"])?;
    assert_eq!(said, Said::prints(rows(&[apps])));
    let error = format!("no Kustomization objects found in \"{}\" namespace", fixture.namespace());
    assert_eq!(fixture.flux(&["get", "ks", "-l", "sharding=zz"])?, Said::refuses(&error));
    Ok(())
}

// CLI-023, but for a HelmRelease CRD without objects: this control plane has none.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_an_error() -> Result<()> {
    let fixture = fixture!("nothing");
    let error = format!("Kustomization object 'missing' not found in \"{}\" namespace", fixture.namespace());
    assert_eq!(fixture.flux(&["get", "ks", "missing"])?, Said::refuses(&error));
    let (empty, said) = fixture.flux_in_empty(&[&["get", "ks"]]).await?;
    let error = format!("no Kustomization objects found in \"{empty}\" namespace");
    assert_eq!(said, [Said::refuses(&error)]);
    let group = "helm.toolkit.fluxcd.io/v2";
    let error = format!(
        "unable to retrieve the complete list of server APIs: {group}: no matches for {group}, Resource="
    );
    assert_eq!(fixture.flux(&["get", "hr", "-A"])?, Said::refuses(&error));
    Ok(())
}

// CLI-024.
#[tokio::test(flavor = "multi_thread")]
async fn everything_is_listed_kind_by_kind() -> Result<()> {
    let fixture = fixture!("all");
    let (namespace, short, broken) =
        (fixture.namespace(), fixture.short(), fixture.broken_in_tables().await?);
    let (stored, applied) =
        (format!("stored artifact for revision '{short}'"), format!("Applied revision: {short}"));
    let path = fixture.story.get("Receiver/hook").await?["status"]["webhookPath"].clone();
    let initialized = format!("Receiver initialized for path: {}", path.as_str().unwrap_or_default());
    let (stateful, stateless) = (["NAME", "SUSPENDED", "READY", "MESSAGE"], ["NAME", "READY", "MESSAGE"]);
    let tables: [(&[&str], &[&[&str]]); 5] = [
        (COLUMNS, &[&["gitrepository/infra", &short, "False", "True", &stored]]),
        (
            COLUMNS,
            &[
                &["kustomization/apps", &short, "False", "True", &applied],
                &["kustomization/broken", "", "False", "False", &broken],
                &["kustomization/parked", &short, "True", "True", &applied],
            ],
        ),
        (&stateful, &[&["receiver/hook", "False", "True", &initialized]]),
        (&stateless, &[&["provider/p1", "True", "Provider is Ready"]]),
        (&stateful, &[&["alert/a1", "False", "True", "Alert is Ready"]]),
    ];
    let text: String = tables.iter().map(|(columns, listed)| table(columns, listed) + "\n").collect();
    assert_eq!(fixture.flux(&["get", "all"])?, Said::prints(text));

    let all = fixture.flux(&["get", "all", "-A"])?;
    assert_eq!((all.exit, all.stderr.as_str()), (Some(0), ""));
    assert!(all.stdout.ends_with("\t\n\n"), "{}", all.stdout);
    let expected: Vec<Vec<&str>> = tables
        .iter()
        .flat_map(|(_, listed)| listed.iter())
        .map(|row| [&[namespace], *row].concat())
        .collect();
    assert_eq!(own(&fixture, &all.stdout), expected);

    let forbidden = fixture.flux(&["get", "all", "-A", "--as", "nobody"])?;
    let kinds = [
        ("ocirepositories", "source"),
        ("buckets", "source"),
        ("gitrepositories", "source"),
        ("helmrepositories", "source"),
        ("helmcharts", "source"),
        ("externalartifacts", "source"),
        ("kustomizations", "kustomize"),
        ("receivers", "notification"),
        ("providers", "notification"),
        ("alerts", "notification"),
    ];
    let line = |(resource, group): (&str, &str)| {
        format!(
            "✗ {resource}.{group}.toolkit.fluxcd.io is forbidden: User \"nobody\" cannot list resource \"{resource}\" in \
             API group \"{group}.toolkit.fluxcd.io\" at the cluster scope\n"
        )
    };
    assert_eq!(forbidden, Said::reports(kinds.map(line).concat()));
    Ok(())
}

// CLI-025. The Kustomization waits for an object that the test makes, so that the run is long enough to be seen.
#[tokio::test(flavor = "multi_thread")]
async fn a_watch_prints_each_change_as_a_row() -> Result<()> {
    let fixture = fixture!("watch");
    let (story, short) = (&fixture.story, fixture.short());
    let check = format!(
        "  path: ./deploy\n  namePrefix: s-\n  healthChecks:\n  - apiVersion: v1\n    kind: ConfigMap\n    name: late\n    \
         namespace: {}\n",
        story.namespace
    );
    let late = millrace_e2e::config_map("late", "1");
    story.apply(&late).await?;
    story.kustomization("slow", "infra", &check).await?;
    story.ready("Kustomization/slow").await?;
    story.delete("ConfigMap/late").await?;

    let mark = story.cluster.audit().mark()?;
    let scenes = async {
        until("the watch", SOON, async || {
            let requests = story.cluster.audit().since(mark).ok()?;
            let begun = requests.iter().any(|request| {
                let target = request.object_ref.clone().unwrap_or_default();
                (request.verb.as_str(), request.stage.as_str()) == ("watch", "ResponseStarted")
                    && (target.namespace.as_str(), target.name.as_str()) == (story.namespace.as_str(), "slow")
            });
            begun.then_some(())
        })
        .await?;
        story.request("Kustomization/slow").await?;
        story.until("Kustomization/slow", "Ready", |ready| ready.status == "Unknown").await?;
        story.apply(&late).await?;
        story.ready("Kustomization/slow").await
    };
    let watching = tokio::task::block_in_place(|| {
        std::thread::scope(|scope| {
            let watch = scope.spawn(|| fixture.flux(&["get", "ks", "slow", "-w", "--timeout", "15s"]));
            tokio::runtime::Handle::current().block_on(scenes)?;
            watch.join().expect("the thread does not panic")
        })
    })?;

    assert_eq!(
        (watching.exit, watching.stderr.as_str()),
        (Some(1), "✗ timed out waiting for the condition\n")
    );
    let applied = format!("Applied revision: {short}");
    let ready: &[&str] = &["slow", &short, "False", "True", &applied];
    let mut expected = table(COLUMNS, &[ready]);
    let rest = watching.stdout.strip_prefix(&expected).unwrap_or_else(|| panic!("{}", watching.stdout));
    let running = rows(&[&["slow", &short, "False", "Unknown", "Reconciliation in progress"]]);
    expected = rows(&[ready]);
    let seen: Vec<&str> = rest.split_inclusive('\n').collect();
    assert!(seen.iter().all(|row| *row == running || *row == expected), "{seen:?}");
    assert!(seen.contains(&running.as_str()), "{seen:?}");
    assert_eq!(seen.last(), Some(&expected.as_str()));

    let (_, said) = fixture.flux_in_empty(&[&["get", "ks", "-w", "--timeout", "2s"]]).await?;
    assert_eq!(said, [Said::refuses("timed out waiting for the condition")]);
    Ok(())
}

/// The rows of the fixture's namespace in a table of all namespaces.
fn own(fixture: &Fixture, printed: &str) -> Vec<Vec<String>> {
    let mut listed = cells(printed);
    listed.retain(|row| row[0] == fixture.namespace());
    for row in &mut listed {
        row.pop();
    }
    listed
}
