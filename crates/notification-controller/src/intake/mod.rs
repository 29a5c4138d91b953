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
    dispatch::Queue,
    event::Event,
    web::{self, Meter},
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
            .with_state(self.clone())
            .layer(from_fn(web::clean_paths))
            .layer(from_fn(move |request, next| meter.clone().measure(request, next)))
    }

    fn take(&self, body: &[u8]) -> Outcome {
        let inner = &self.0;
        let mut event = match Event::decode(body) {
            Ok(event) => event,
            Err(error) => {
                tracing::error!(logger = LOGGER, %error, "decoding the request body failed");
                return Outcome::Undecodable;
            }
        };
        clean(&mut event);
        // The place in the queue comes first: an event that is turned away must not count as seen.
        let Some(place) = inner.queue.reserve() else { return Outcome::Busy };
        let decision = inner.limiter.take(SuppressionKey::of(&event), inner.clock.now());
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

async fn receive(State(intake): State<Intake>, body: Body) -> Response {
    match web::read_body(body, LOGGER).await {
        Ok(body) => response::of(intake.take(&body)),
        Err(status) => web::empty(status),
    }
}

/// Controllers of this process hand events over without HTTP; nobody waits for an answer.
impl EventSink for Intake {
    fn deliver(&self, body: Vec<u8>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if !self.0.queue.wait_for_place().await {
                return;
            }
            if self.take(&body) == Outcome::Busy {
                tracing::error!(logger = LOGGER, "the queue of events is full, an event is lost");
            }
        })
    }
}
