//! Takes events: over HTTP from other processes, through a bus from controllers in this one.
//!
//! An event is decoded, cleaned and compared with what was seen before; what is new goes into the dispatcher's queue.
//! The answer never waits for a provider.
//!
//! Contract: notification-controller §2.1–2.5.

mod limiter;
mod metadata;
mod response;

use std::{sync::Arc, time::Duration};

use axum::{Router, body::Body, extract::State, middleware::from_fn, response::Response};
use futures::future::BoxFuture;
use millrace_reconcile::{clock::Clock, events::EventSink, metrics::Metrics};

use self::limiter::{Decision, Limiter, SuppressionKey};
pub use self::metadata::{clean, drop_token};
use crate::{
    dispatch::{Place, Queue},
    event::Event,
    web::{self, Bodies, Meter},
};

const LOGGER: &str = "event-server";

/// The gate every event goes through; clones share what they have seen.
#[derive(Clone)]
pub struct Intake(Arc<Inner>);

struct Inner {
    limiter: Limiter,
    clock: Arc<dyn Clock>,
    queue: Queue,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It is in the queue.
    Accepted(Decision),
    /// It repeats one of the current window.
    Duplicate(Decision),
    /// It is no event.
    Undecodable,
    /// The queue is full, or the process is ending; the sender should try again.
    Busy,
}

impl Intake {
    /// Makes an intake that lets one event of a kind through per `interval`.
    pub fn new(interval: Duration, clock: Arc<dyn Clock>, queue: Queue) -> Self {
        let limiter = Limiter::new(interval, clock.now());
        Self(Arc::new(Inner { limiter, clock, queue }))
    }

    /// The HTTP side: any method, any path.
    pub fn router(&self, metrics: &Metrics, per_path_metrics: bool) -> Router {
        let meter = Meter::of_events(metrics, per_path_metrics);
        Router::new()
            .fallback(receive)
            .with_state((self.clone(), Bodies::new(LOGGER)))
            .layer(from_fn(web::clean_paths))
            .layer(from_fn(move |request, next| meter.clone().measure(request, next)))
    }

    fn take(&self, body: &[u8]) -> Outcome {
        let Some(event) = decode(body) else { return Outcome::Undecodable };
        // The place in the queue comes first: an event that is turned away must not count as seen.
        match self.0.queue.reserve(&event) {
            Some(place) => self.admit(event, place),
            None => Outcome::Busy,
        }
    }

    /// Lets an event into its place, unless it repeats another.
    fn admit(&self, mut event: Event, place: Place<'_>) -> Outcome {
        let decision = self.0.limiter.take(SuppressionKey::of(&event), self.0.clock.now());
        if !decision.passes {
            let object = crate::fields::object(&event.involved_object);
            tracing::debug!(
                logger = LOGGER,
                json.eventInvolvedObject = object,
                "Discarding event, rate limiting duplicate events"
            );
            return Outcome::Duplicate(decision);
        }
        drop_token(&mut event);
        place.put(event);
        Outcome::Accepted(decision)
    }
}

/// Reads an event and keeps of its metadata what counts.
fn decode(body: &[u8]) -> Option<Event> {
    match Event::decode(body) {
        Ok(mut event) => {
            clean(&mut event);
            Some(event)
        }
        Err(error) => {
            tracing::error!(logger = LOGGER, %error, "decoding the request body failed");
            None
        }
    }
}

async fn receive(State((intake, bodies)): State<(Intake, Bodies)>, body: Body) -> Response {
    match bodies.read(body).await {
        Ok(body) => response::of(intake.take(&body)),
        Err(refused) => refused.response(),
    }
}

/// Controllers of this process hand events over without HTTP; nobody waits for an answer.
impl EventSink for Intake {
    fn deliver(&self, body: Vec<u8>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let Some(event) = decode(&body) else { return };
            drop(body);
            if let Some(place) = self.0.queue.wait_for_place(&event).await {
                self.admit(event, place);
            }
        })
    }
}
