//! Lines of the catalogue whose objects do more than fail.

use millrace_harness::proxy::{Match, Refusal, Verb};
use millrace_harness::until;
use millrace_reconcile::events::Severity;
use serde_json::json;

use crate::bench::{Bench, LIMIT, state};

/// §7.7 `PatchOperationFailed`: a status in the middle of a run is refused; the next run goes through.
pub(super) async fn refused_status(bench: &Bench) -> Result<(), String> {
    let status = Match::writes().resource("gitrepositories").subresource("status").name("refused-status");
    let fault = bench.proxy.on(status).first(1).refuse(Refusal::internal_error());
    bench.create("refused-status", json!({ "url": bench.git.public_url("app") })).await;
    fault.reached(LIMIT).await.map_err(|error| error.to_string())?;
    let object = bench.ready("refused-status").await;
    let told = bench.events("refused-status");
    let refused = told.first().map(|event| (event.severity, event.reason.as_str(), &*event.message));
    let expected = Some((Severity::Error, "PatchOperationFailed", "an error on the server"));
    if refused != expected || state(&object, "FetchFailed").is_some() {
        return Err(format!("{refused:?} is told, not {expected:?}"));
    }
    Ok(())
}

/// §2.3: a refused final status is tried again.
pub(super) async fn refused_verdict(bench: &Bench) -> Result<(), String> {
    let writes = || Match::writes().resource("gitrepositories").name("refused-verdict");
    bench.create("refused-verdict", json!({ "url": bench.git.public_url("app"), "suspend": true })).await;
    let adopted = async || (bench.proxy.count(&writes()) > 0).then_some(());
    until("the finalizer", LIMIT, adopted).await.map_err(|error| error.to_string())?;
    // A request on a suspended object is noted by the final status alone.
    let fault = bench.proxy.on(writes().subresource("status")).first(2).refuse(Refusal::internal_error());
    bench.request("refused-verdict", "r1").await;
    if fault.hits() == 2 { Ok(()) } else { Err(format!("{} writes were refused, not 2", fault.hits())) }
}

/// §2.10: what is stored can't be removed, so the object stays until it can.
pub(super) async fn stuck_deletion(bench: &Bench) -> Result<(), String> {
    let file = bench.storage().join(format!("gitrepository/{}/no-folder", bench.namespace));
    bench.api().delete("no-folder", &kube::api::DeleteParams::default()).await.unwrap();
    let told = async || {
        bench.events("no-folder").into_iter().find(|event| event.reason.as_str() == "GarbageCollectionFailed")
    };
    let event = until("the failure to be told", LIMIT, told).await.map_err(|error| error.to_string())?;
    let expected = "garbage collection for deleted resource failed: Not a directory (os error 20)";
    if event.severity != Severity::Error || event.message != expected {
        return Err(format!("{event:?} is told, not {expected}"));
    }
    std::fs::remove_file(file).unwrap();
    let gone = async || bench.api().get_opt("no-folder").await.unwrap().is_none().then_some(());
    until("the object to go", LIMIT, gone).await.map_err(|error| error.to_string())
}

/// Reads of objects and Secrets that the API server refuses, by their name.
pub(super) const GUARDED: &str = "guarded";

pub(super) fn guarded(kind: &str) -> Match {
    Match::any().verb(Verb::Get).resource(kind).name(GUARDED)
}
