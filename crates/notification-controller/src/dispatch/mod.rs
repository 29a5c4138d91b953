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
mod shares;
mod source;
mod tell;
mod tls;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures::{StreamExt as _, stream::FuturesUnordered};
use millrace_api::notification::v1beta3::{Alert, Provider};
use millrace_net::EgressPolicy;
use millrace_reconcile::{Context, Key};
use tokio::{
    sync::{Semaphore, SemaphorePermit, mpsc},
    time::timeout,
};

use self::shares::{Share, Shares};
pub use self::{
    plan::{Delivery, DispatchError, Dropped, Failed, Policy, build, check_namespace, check_provider},
    queue::{Place, Queue, Queued},
    selection::{InvalidLabel, MessageMatch, SourceMatch, match_labels, match_message, match_sources},
    send::{SendError, Sender},
    settings::secret_names,
    source::Source,
};
use crate::{cluster, event::Event, fields, objects::Objects, secret::Secrets};

pub(crate) const LOGGER: &str = "event-server";

/// How many times at a time the cluster is asked for what messages are made of.
const MAX_PREPARATIONS: usize = 16;

/// How long preparing one message may take.
const PREPARE_TIMEOUT: Duration = Duration::from_secs(15);

/// How many messages of one event are prepared at a time.
const MAX_EVENT_PREPARATIONS: usize = 8;

/// How many messages are on their way at a time; one Provider alone may have a third of them.
const MAX_SENDS: usize = 384;

/// What all messages that wait or are on their way may occupy, in pieces of [`queue::MIN_WEIGHT_BYTES`]: 64 MiB. One
/// Provider alone may have a third of it.
const MAX_MESSAGE_PIECES: usize = 64 * 1024 * 1024 / queue::MIN_WEIGHT_BYTES;

/// How many alerts may wait for a place among the messages; those of one Provider alone may be a third of them.
const MAX_WAITING_ALERTS: usize = 24 * 1024;

/// How long an alert waits for a place among the messages of its Provider.
const PLACE_TIMEOUT: Duration = Duration::from_secs(30);

/// Sends events to the providers of the alerts that ask for them; cheap to clone.
#[derive(Clone)]
pub struct Dispatcher(Arc<Inner>);

struct Inner {
    context: Context,
    objects: Arc<Objects>,
    policy: Policy,
    sender: Sender,
    preparations: Semaphore,
    /// In pieces of [`queue::MIN_WEIGHT_BYTES`].
    messages: Shares,
    /// Who waits here has a place among the messages, which bounds how many there are.
    sends: Shares,
}

/// An alert whose message has a place.
struct Placed {
    alert: Arc<Alert>,
    provider: Arc<Provider>,
    memory: Share,
}

impl Dispatcher {
    /// Makes a dispatcher that reads alerts and Providers from `objects` and sends only where `egress` lets it.
    pub fn new(context: Context, objects: Arc<Objects>, policy: Policy, egress: Arc<EgressPolicy>) -> Self {
        let sender = Sender::new(Arc::clone(&context.clock), egress);
        let preparations = Semaphore::new(MAX_PREPARATIONS);
        let (messages, sends) = (Shares::new(MAX_MESSAGE_PIECES), Shares::new(MAX_SENDS));
        Self(Arc::new(Inner { context, objects, policy, sender, preparations, messages, sends }))
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
            let dispatcher = self.clone();
            self.0.context.tasks.spawn(async move {
                dispatcher.dispatch(&event).await;
                drop(memory);
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
        let (mut waiting, mut dropped) = (FuturesUnordered::new(), Vec::new());
        for alert in alerts {
            match self.check(&alert, event) {
                Ok(Ok(provider)) => waiting.extend(self.place(alert, provider, event)),
                Ok(Err(drop)) => dropped.push((drop, alert)),
                Err(error) => tell::not_dispatched(&self.0.context, &alert, event, &error.to_string()),
            }
        }
        tell::dropped(event, dropped);
        // One may have to wait for the others of its Provider, and must keep no other alert waiting.
        let placed = waiting.filter_map(std::future::ready);
        let prepared =
            placed.map(|placed| self.deliver(placed, event)).buffer_unordered(MAX_EVENT_PREPARATIONS);
        prepared.collect::<()>().await;
    }

    /// The alerts an event concerns.
    async fn select(&self, event: &Event) -> Vec<Arc<Alert>> {
        let _place = self.preparation().await;
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

    /// Asks for a place for the message of an alert; where there is none, at once or in time, tells so.
    fn place<'a>(
        &'a self,
        alert: Arc<Alert>,
        provider: Arc<Provider>,
        event: &'a Event,
    ) -> Option<impl Future<Output = Option<Placed>> + use<'a>> {
        let Inner { context, messages, .. } = &*self.0;
        let key = Key::of(&*provider);
        let Some(asked) = messages.ask_within(MAX_WAITING_ALERTS, &key, pieces(queue::weight(event))) else {
            tell::no_place(context, &alert, event, &key, "the line of those without a place is full");
            return None;
        };
        let asked = timeout(PLACE_TIMEOUT, asked);
        Some(async move {
            let Ok(memory) = asked.await else {
                let why = format!("in {} seconds there was no place for another", PLACE_TIMEOUT.as_secs());
                tell::no_place(context, &alert, event, &key, &why);
                return None;
            };
            Some(Placed { alert, provider, memory })
        })
    }

    /// Makes the message for one alert and sends it in the background, or tells why not.
    async fn deliver(&self, placed: Placed, event: &Event) {
        let Placed { alert, provider, mut memory } = placed;
        match self.prepare(&provider, &alert, event).await {
            Ok(delivery) => {
                memory.enlarge_to(pieces(delivery.message.request.body.len()));
                self.send(Key::of(&*provider), alert, event, delivery, memory);
            }
            Err(error) => tell::not_dispatched(&self.0.context, &alert, event, &error),
        }
    }

    /// Finds the Provider and decides whether it gets the event.
    fn check(&self, alert: &Alert, event: &Event) -> Result<Result<Arc<Provider>, Dropped>, DispatchError> {
        let Inner { objects, policy, .. } = &*self.0;
        check_namespace(*policy, alert, event)?;
        let namespace = alert.metadata.namespace.as_deref().unwrap_or_default();
        let name = &alert.spec.provider_ref.name;
        let provider = objects
            .provider(&Key::new(namespace, name.as_str()))
            .ok_or_else(|| DispatchError::NoProvider(name.clone()))?;
        Ok(match check_provider(*policy, &provider, event)? {
            Some(drop) => Err(drop),
            None => Ok(provider),
        })
    }

    /// Makes the message; an error is fit to be told.
    async fn prepare(&self, provider: &Provider, alert: &Alert, event: &Event) -> Result<Delivery, String> {
        let Inner { context, sender, .. } = &*self.0;
        let namespace = provider.metadata.namespace.as_deref().unwrap_or_default();
        let _place = self.preparation().await;
        let reading = Secrets::fetch(&context.client, namespace, secret_names(&provider.spec));
        let secrets =
            timeout(PREPARE_TIMEOUT, reading).await.map_err(|_| "context deadline exceeded".to_owned())?;
        let built = build(provider, &secrets, alert, event, sender);
        let conflicts = match &built {
            Ok(delivery) => &delivery.conflicts,
            Err(failed) => &failed.conflicts,
        };
        tell::metadata(context, alert, event, conflicts);
        let delivery = built.map_err(|failed| failed.told())?;
        for text in &delivery.deprecations {
            tracing::error!(logger = LOGGER, json.alert = fields::alert(alert), "{text}");
        }
        Ok(delivery)
    }

    async fn preparation(&self) -> SemaphorePermit<'_> {
        self.0.preparations.acquire().await.expect("the semaphore is never closed")
    }

    /// Sends in the background, once it is this Provider's turn.
    fn send(&self, key: Key, alert: Arc<Alert>, event: &Event, delivery: Delivery, memory: Share) {
        let inner = Arc::clone(&self.0);
        let object = event.involved_object.clone();
        self.0.context.tasks.spawn(async move {
            let place = inner.sends.ask(&key, 1).await;
            let Delivery { message, transport, timeout, masks, .. } = &delivery;
            if let Err(error) = inner.sender.send(message, transport, *timeout).await {
                tell::not_sent(&inner.context, &alert, &object, &masks.apply(&error.to_string()));
            }
            drop((place, memory));
        });
    }
}

/// How many pieces of the memory for messages so many bytes are.
fn pieces(bytes: usize) -> usize {
    bytes.div_ceil(queue::MIN_WEIGHT_BYTES)
}
