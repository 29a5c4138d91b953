//! `flux events`.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};

use super::fixture;
use super::objects::Fixture;
use super::said::Said;
use super::table::cells;

const COLUMNS: [&str; 5] = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];

// CLI-043.
#[tokio::test(flavor = "multi_thread")]
async fn events_are_listed_by_time_and_selected_by_object_and_type() -> Result<()> {
    let fixture = fixture!("events");
    settle(&fixture).await?;
    let broken =
        ["Warning", "ArtifactFailed", "Kustomization/broken", &fixture.broken().await?].map(str::to_owned);
    let apps = of_kustomization(&fixture, "apps", "");
    let source = event("Normal", "NewArtifact", "GitRepository/infra", "stored artifact for commit 'first'");
    let receiver =
        event("Normal", "Succeeded", "Receiver/hook", "Reconciliation finished, next run in 10m0s");

    let related: BTreeSet<_> = apps.iter().cloned().chain([source.clone()]).collect();
    let listed = fixture.flux(&["events", "--for", "Kustomization/apps"])?;
    assert_eq!(of(&listed, Order::ByTime)?, related);

    let all: BTreeSet<_> = related
        .into_iter()
        .chain(of_kustomization(&fixture, "parked", "p-"))
        .chain([broken.clone(), receiver])
        .collect();
    assert_eq!(of(&fixture.flux(&["events"])?, Order::ByTime)?, all);
    let only = of(&fixture.flux(&["events", "--types", "warning"])?, Order::ByTime)?;
    assert_eq!(only, BTreeSet::from([broken]));
    // Existing events come first, in no order; each row is as wide as it needs to be.
    assert_eq!(of(&fixture.flux(&["events", "-w", "--timeout", "3s"])?, Order::Any)?, all);

    let everywhere = fixture.flux(&["events", "-A"])?;
    assert_eq!((everywhere.exit, everywhere.stderr.as_str()), (Some(0), ""));
    let mut rows = cells(&everywhere.stdout);
    assert_eq!(rows.remove(0), [&["NAMESPACE"], &COLUMNS[..]].concat());
    rows.retain(|row| row[0] == fixture.namespace());
    assert_eq!(rows.iter().map(|row| masked(&row[1..])).collect::<Result<BTreeSet<_>>>()?, all);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_kinds_names_and_types_are_refused() -> Result<()> {
    let fixture = fixture!("noevents");
    for (arguments, error) in [
        (["--for", "ks/apps"], "'ks' is not a recognized Flux kind"),
        (["--for", "Kustomization/nope"], "kustomizations.kustomize.toolkit.fluxcd.io \"nope\" not found"),
        (["--types", "Foo"], "type 'Foo' not supported. Supported types are Normal, Warning"),
    ] {
        let said = fixture.flux(&[&["events"], &arguments[..]].concat())?;
        assert_eq!(said, Said::refuses(error));
    }
    let (empty, said) = fixture.flux_in_empty(&[&["events"]]).await?;
    assert_eq!(said, [Said::reports(format!("✗ No events found in {empty} namespace.\n"))]);
    Ok(())
}

/// Type, reason, object and message.
type Event = [String; 4];

#[derive(Clone, Copy)]
enum Order {
    ByTime,
    Any,
}

/// Waits until the program has written what the test looks for.
async fn settle(fixture: &Fixture) -> Result<()> {
    let story = &fixture.story;
    for name in ["Kustomization/apps", "Kustomization/parked"] {
        story.event(name, |_, reason, _| reason == "ReconciliationSucceeded").await?;
    }
    for (name, expected) in [
        ("GitRepository/infra", "NewArtifact"),
        ("Kustomization/broken", "ArtifactFailed"),
        ("Receiver/hook", "Succeeded"),
    ] {
        story.event(name, |_, reason, _| reason == expected).await?;
    }
    Ok(())
}

fn event(type_: &str, reason: &str, object: &str, message: &str) -> Event {
    [type_, reason, object, message].map(str::to_owned)
}

/// What a first run of a Kustomization of `deploy/` leaves.
fn of_kustomization(fixture: &Fixture, name: &str, prefix: &str) -> [Event; 2] {
    let (namespace, object) = (fixture.namespace(), format!("Kustomization/{name}"));
    let changes =
        format!("ConfigMap/{namespace}/{prefix}settings created\nDeployment/{namespace}/{prefix}web created");
    let finished = "Reconciliation finished in TIME, next run in 1h0m0s";
    [
        event("Normal", "Progressing", &object, &changes),
        event("Normal", "ReconciliationSucceeded", &object, finished),
    ]
}

/// The distinct events of a table, after a look at its header and the order of its rows.
fn of(said: &Said, order: Order) -> Result<BTreeSet<Event>> {
    assert_eq!((said.exit, said.stderr.as_str()), (Some(0), ""));
    let mut rows = cells(&said.stdout);
    ensure!(!rows.is_empty(), "no table");
    assert_eq!(rows.remove(0), COLUMNS);
    let ages = rows.iter().map(|row| seconds(&row[0])).collect::<Result<Vec<_>>>()?;
    match order {
        Order::ByTime => assert!(ages.is_sorted_by(|earlier, later| earlier >= later), "{}", said.stdout),
        Order::Any => {}
    }
    rows.iter().map(|row| masked(row)).collect()
}

/// A row without its age; how long a run took is masked.
fn masked(row: &[String]) -> Result<Event> {
    let [_, type_, reason, object, message, end] = row else { anyhow::bail!("an unexpected row: {row:?}") };
    ensure!(end.is_empty(), "an unexpected row: {row:?}");
    let message =
        match message.strip_prefix("Reconciliation finished in ").and_then(|rest| rest.split_once(',')) {
            Some((_, rest)) => format!("Reconciliation finished in TIME,{rest}"),
            None => message.clone(),
        };
    Ok([type_.clone(), reason.clone(), object.clone(), message])
}

/// The seconds of `7m3s`, `42s` or `2m (x3 over 10m)`.
fn seconds(age: &str) -> Result<u64> {
    let last = age.split(' ').next().unwrap_or_default();
    let mut total = 0;
    for part in last.split_inclusive(|letter: char| letter.is_ascii_alphabetic()) {
        let (number, unit) = part.split_at(part.len() - 1);
        let unit = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 3600,
            other => anyhow::bail!("an unexpected unit {other:?} in {age:?}"),
        };
        total += unit * number.parse::<u64>().with_context(|| format!("an unexpected age {age:?}"))?;
    }
    Ok(total)
}
