//! Takes events out of the queue and sends them wherever alerts ask for them.
//!
//! Contract: notification-controller §2.6–2.10.

mod mask;
mod metadata;
mod plan;
mod proxy;
mod queue;
mod selection;
mod send;
mod settings;
mod source;
mod tell;
mod tls;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use millrace_api::notification::v1beta3::{Alert, Provider};
use millrace_net::EgressPolicy;
use millrace_reconcile::{Context, Key};
use tokio::sync::{Semaphore, mpsc};

pub use self::{
    plan::{Delivery, DispatchError, Dropped, Failed, Plan, Policy, build, check_namespace, check_provider},
    queue::{Place, Queue, Queued},
    selection::{InvalidLabel, MessageMatch, SourceMatch, match_labels, match_message, match_sources},
    send::{SendError, Sender},
    settings::secret_names,
    source::Source,
};
use crate::{cluster, event::Event, fields, objects::Objects, secret::Secrets};

pub(crate) const LOGGER: &str = "event-server";

/// How many events are prepared at a time.
const MAX_EVENTS: usize = 16;

/// How many messages are on their way at a time.
const MAX_SENDS: usize = 256;

/// What messages on their way may occupy together; one that is larger counts as this.
const MAX_SEND_BYTES: usize = 64 * 1024 * 1024;

/// How long preparing one event may take, sending excluded.
const PREPARE_TIMEOUT: Duration = Duration::from_secs(15);

/// Sends events to the providers of the alerts that ask for them; cheap to clone.
#[derive(Clone)]
pub struct Dispatcher(Arc<Inner>);

struct Inner {
    context: Context,
    objects: Arc<Objects>,
    policy: Policy,
    sender: Sender,
    events: Arc<Semaphore>,
    sends: Arc<Semaphore>,
    send_bytes: Arc<Semaphore>,
}

impl Dispatcher {
    /// Makes a dispatcher that reads alerts and Providers from `objects` and sends only where `egress` lets it.
    pub fn new(context: Context, objects: Arc<Objects>, policy: Policy, egress: Arc<EgressPolicy>) -> Self {
        let sender = Sender::new(Arc::clone(&context.clock), egress);
        let events = Arc::new(Semaphore::new(MAX_EVENTS));
        let sends = Arc::new(Semaphore::new(MAX_SENDS));
        let send_bytes = Arc::new(Semaphore::new(MAX_SEND_BYTES));
        Self(Arc::new(Inner { context, objects, policy, sender, events, sends, send_bytes }))
    }

    /// Dispatches what comes out of the queue; at the end of the process, what is still in it.
    pub async fn run(self, mut queue: mpsc::Receiver<Queued>) {
        let shutdown = self.0.context.tasks.shutdown().clone();
        tokio::select! {
            () = self.0.objects.synced() => {}
            () = shutdown.cancelled() => return,
        }
        loop {
            let queued = tokio::select! {
                queued = queue.recv() => queued,
                () = shutdown.cancelled(), if !queue.is_closed() => {
                    queue.close();
                    continue;
                }
            };
            let Some((event, memory)) = queued.map(Queued::into_parts) else { return };
            let permit =
                Arc::clone(&self.0.events).acquire_owned().await.expect("the semaphore is never closed");
            let dispatcher = self.clone();
            self.0.context.tasks.spawn(async move {
                dispatcher.dispatch(&event).await;
                drop((permit, memory));
            });
        }
    }

    async fn dispatch(&self, event: &Event) {
        let alerts = self.select(event).await;
        let object = fields::object(&event.involved_object);
        if alerts.is_empty() {
            tracing::info!(
                logger = LOGGER,
                json.eventInvolvedObject = object,
                "discarding event, no alerts found for the involved object"
            );
            return;
        }
        tracing::info!(
            logger = LOGGER,
            json.eventInvolvedObject = object,
            message = event.message,
            "dispatching event"
        );
        let mut dropped = Vec::new();
        for alert in alerts {
            match tokio::time::timeout(PREPARE_TIMEOUT, self.prepare(&alert, event)).await {
                Ok(Ok(Plan::Send(delivery))) => self.send(alert, event, *delivery).await,
                Ok(Ok(Plan::Drop(drop))) => dropped.push((drop, alert)),
                Ok(Err(error)) => tell::not_dispatched(&self.0.context, &alert, event, &error),
                Err(_) => tell::not_dispatched(&self.0.context, &alert, event, "context deadline exceeded"),
            }
        }
        tell::dropped(event, &dropped);
    }

    /// The alerts an event concerns.
    async fn select(&self, event: &Event) -> Vec<Arc<Alert>> {
        let mut labels = None;
        let mut selected = Vec::new();
        for alert in self.0.objects.alerts() {
            if !self.matches(&alert, event, &mut labels).await {
                continue;
            }
            let MessageMatch { passes, broken } = match_message(&alert, &event.message);
            for text in broken {
                tell::warn(&self.0.context, &alert, tell::INVALID_CONFIG, text, BTreeMap::new());
            }
            if passes {
                selected.push(alert);
            }
        }
        selected
    }

    /// Whether a source of the alert matches; the object's labels are read at most once per event.
    async fn matches(
        &self,
        alert: &Alert,
        event: &Event,
        labels: &mut Option<Result<BTreeMap<String, String>, String>>,
    ) -> bool {
        let SourceMatch { labelled, unconditional } = match_sources(alert, event);
        for source in labelled {
            if labels.is_none() {
                *labels = Some(cluster::fetch_labels(&self.0.context.client, &event.involved_object).await);
            }
            let wanted = source.match_labels.clone().unwrap_or_default();
            match labels.as_ref().expect("they were read just now") {
                Err(error) => tell::source_not_fetched(&self.0.context, alert, event, error),
                Ok(labels) => match match_labels(&wanted, labels) {
                    Ok(true) => return true,
                    Ok(false) => {}
                    Err(error) => tell::invalid_labels(&self.0.context, alert, &source, &error),
                },
            }
        }
        unconditional
    }

    /// Makes the message; an error is fit to be told.
    async fn prepare(&self, alert: &Alert, event: &Event) -> Result<Plan, String> {
        let Inner { context, objects, policy, sender, .. } = &*self.0;
        check_namespace(*policy, alert, event).map_err(|error| error.to_string())?;
        let namespace = alert.metadata.namespace.as_deref().unwrap_or_default();
        let name = &alert.spec.provider_ref.name;
        let provider: Arc<Provider> = objects
            .provider(&Key::new(namespace, name.as_str()))
            .ok_or_else(|| DispatchError::NoProvider(name.clone()).to_string())?;
        let drop = check_provider(*policy, &provider, event).map_err(|error| error.to_string())?;
        if let Some(drop) = drop {
            return Ok(Plan::Drop(drop));
        }
        let secrets = Secrets::fetch(&context.client, namespace, secret_names(&provider.spec)).await;
        let built = build(&provider, &secrets, alert, event, sender);
        let conflicts = match &built {
            Ok(delivery) => &delivery.conflicts,
            Err(failed) => &failed.conflicts,
        };
        tell::metadata(context, alert, event, conflicts);
        let delivery = built.map_err(|failed| failed.told())?;
        for text in &delivery.deprecations {
            tracing::error!(logger = LOGGER, json.alert = fields::alert(alert), "{text}");
        }
        Ok(Plan::Send(Box::new(delivery)))
    }

    /// Sends in the background, once one of the places is free.
    async fn send(&self, alert: Arc<Alert>, event: &Event, delivery: Delivery) {
        let bytes = delivery.message.request.body.len().min(MAX_SEND_BYTES);
        let bytes = u32::try_from(bytes).expect("it is less than 4 GiB");
        let (sends, send_bytes) = (Arc::clone(&self.0.sends), Arc::clone(&self.0.send_bytes));
        let permit = sends.acquire_owned().await.expect("the semaphore is never closed");
        let memory = send_bytes.acquire_many_owned(bytes).await.expect("the semaphore is never closed");
        let inner = Arc::clone(&self.0);
        let object = event.involved_object.clone();
        self.0.context.tasks.spawn(async move {
            let Delivery { message, transport, timeout, masks, .. } = &delivery;
            if let Err(error) = inner.sender.send(message, transport, *timeout).await {
                tell::not_sent(&inner.context, &alert, &object, &masks.apply(&error.to_string()));
            }
            drop((permit, memory));
        });
    }
}
