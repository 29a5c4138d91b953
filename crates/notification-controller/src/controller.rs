//! Puts the controller together: what every replica serves, and what only the leader does.

use std::{io, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::Request,
    middleware::{Next, from_fn},
    response::Response,
};
use http::StatusCode;
use millrace_net::EgressPolicy;
use millrace_reconcile::{Context, Runner, events::EventSink, runner};
use tokio::{net::TcpListener, sync::mpsc};

use crate::{
    args::Config,
    dispatch::{Dispatcher, Queue, Queued},
    finalizers,
    hook::{self, Hooks},
    intake::Intake,
    objects::Objects,
    receiver::ReceiverReconciler,
    secret_watch, web,
};

/// How long a request waits for the watches to know the cluster; senders give up after five seconds.
const SYNC_TIMEOUT: Duration = Duration::from_secs(4);

/// The notification controller of one process.
///
/// [`Self::start`] begins what every replica does, [`Self::serve_events`] and [`Self::serve_hooks`] answer requests, and
/// [`Leader::lead`] reconciles, to be called once this process holds the lease. The context's recorder must not lead back
/// to this controller: its Events are for Kubernetes alone.
pub struct NotificationController {
    context: Context,
    config: Config,
    egress: Arc<EgressPolicy>,
    objects: Arc<Objects>,
    intake: Intake,
    queue: mpsc::Receiver<Queued>,
    receivers: Runner<ReceiverReconciler>,
}

impl NotificationController {
    /// Makes a controller that does nothing yet; its Providers reach only what `egress` lets them.
    pub fn new(context: Context, config: Config, egress: Arc<EgressPolicy>) -> Self {
        let (queue, events) = Queue::new();
        let intake = Intake::new(config.rate_limit_interval, Arc::clone(&context.clock), queue);
        let options = runner::Options {
            concurrent: config.concurrent,
            backoff: config.backoff,
            interval_jitter_percentage: 0,
        };
        let receivers = Runner::new(context.clone(), ReceiverReconciler, options);
        Self { context, config, egress, objects: Arc::default(), intake, queue: events, receivers }
    }

    /// The way in for controllers of this process.
    pub fn sink(&self) -> Arc<dyn EventSink> {
        Arc::new(self.intake.clone())
    }

    /// The event endpoint.
    pub fn event_router(&self) -> Router {
        let router = self.intake.router(&self.context.metrics, self.config.export_http_path_metrics);
        self.after_sync(router, || web::empty(StatusCode::SERVICE_UNAVAILABLE))
    }

    /// The webhook endpoint.
    pub fn hook_router(&self) -> Router {
        let objects = Arc::clone(&self.objects);
        let hooks = Hooks {
            client: self.context.client.clone(),
            clock: Arc::clone(&self.context.clock),
            find: Arc::new(move |path| objects.receiver_at(path)),
            no_cross_namespace_refs: self.config.policy.no_cross_namespace_refs,
        };
        let router = hooks.router(&self.context.metrics, self.config.export_http_path_metrics);
        self.after_sync(router, hook::unavailable)
    }

    /// Serves the event endpoint in the background.
    pub fn serve_events(&self, listener: TcpListener) -> tokio::task::JoinHandle<io::Result<()>> {
        self.serve(listener, self.event_router(), "Event")
    }

    /// Serves the webhook endpoint in the background.
    pub fn serve_hooks(&self, listener: TcpListener) -> tokio::task::JoinHandle<io::Result<()>> {
        self.serve(listener, self.hook_router(), "Receiver")
    }

    /// Begins what every replica does: the watches and the dispatch of events. What is left is the leader's part.
    pub fn start(self) -> Leader {
        let Self { context, config, egress, objects, intake, queue, receivers } = self;
        let handle = receivers.handle();
        let watched = Arc::clone(&objects);
        let (client, namespace) = (context.client.clone(), config.namespace.clone());
        let shutdown = context.tasks.shutdown().clone();
        let watching = handle.clone();
        context.tasks.spawn_vital("notification watches", async move {
            watched.watch(&client, namespace.as_deref(), &watching, &shutdown).await;
        });
        let dispatcher = Dispatcher::new(context.clone(), Arc::clone(&objects), config.policy, egress);
        context.tasks.spawn_vital("notification dispatcher", async move {
            // A way in that nobody uses is one all the same: without any, the queue would end before the process.
            let way_in = intake;
            dispatcher.run(queue).await;
            drop(way_in);
        });
        Leader { context, config, objects, receivers }
    }

    fn serve(
        &self,
        listener: TcpListener,
        router: Router,
        name: &'static str,
    ) -> tokio::task::JoinHandle<io::Result<()>> {
        let tasks = self.context.tasks.clone();
        self.context.tasks.spawn(async move { web::serve(listener, router, &tasks, name).await })
    }

    /// Holds requests back until the cluster's objects are known: an answer before that would lose an event or a call.
    fn after_sync(&self, router: Router, unavailable: fn() -> Response) -> Router {
        let objects = Arc::clone(&self.objects);
        router.layer(from_fn(move |request: Request, next: Next| {
            let objects = Arc::clone(&objects);
            async move {
                match tokio::time::timeout(SYNC_TIMEOUT, objects.synced()).await {
                    Ok(()) => next.run(request).await,
                    Err(_) => unavailable(),
                }
            }
        }))
    }
}

/// What only the leader does.
pub struct Leader {
    context: Context,
    config: Config,
    objects: Arc<Objects>,
    receivers: Runner<ReceiverReconciler>,
}

impl Leader {
    /// Reconciles until the process is to end.
    pub async fn lead(self) {
        let Self { context, config, objects, receivers } = self;
        let shutdown = context.tasks.shutdown().clone();
        let handle = receivers.handle();
        let secrets = async {
            if let Some(selector) = &config.watched_secrets {
                let namespace = config.namespace.as_deref();
                secret_watch::watch(&context.client, namespace, selector, &objects, &handle, &shutdown).await;
            }
        };
        tokio::join!(receivers.run(), finalizers::run(&context, &objects, config.backoff), secrets);
    }
}
