//! Brings one Receiver in line: checks its spec, reads its token, publishes its path.
//!
//! Contract: notification-controller §1.6.

mod check;
mod observe;
mod report;

use millrace_api::notification::v1::{Receiver, ReceiverStatus};
use millrace_reconcile::{Reconciler, Report, Run};

use self::observe::Observed;

/// Reconciles Receivers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReceiverReconciler;

impl Reconciler for ReceiverReconciler {
    type Object = Receiver;

    const CONTROLLER: &'static str = "receiver";
    const FIELD_MANAGER: &'static str = "notification-controller";
    const OWNED_CONDITIONS: &'static [&'static str] = &["Ready", "Reconciling", "Stalled"];

    async fn reconcile(&self, run: &Run, receiver: &Receiver) -> Report<ReceiverStatus> {
        let observed = match check::check(receiver) {
            Ok(()) => observe::observe(&run.context().client, receiver).await,
            Err(verdict) => verdict.into(),
        };
        report::report(receiver, &observed, run.now())
    }

    async fn finalize(&self, _: &Run, receiver: &Receiver) -> Report<ReceiverStatus> {
        report::gone(receiver)
    }
}
