//! From flags to the last event: how a process of controllers starts, leads and ends.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt as _};
use millrace_reconcile::args::{ConfigError, KubeApiArgs, host_name, own_namespace};
use millrace_reconcile::client::{Limits, Stack, locate};
use millrace_reconcile::clock::SystemClock;
use millrace_reconcile::failure::chain;
use millrace_reconcile::http;
use millrace_reconcile::leader::{Election, Lease, Timing, identity, lease_name};
use millrace_reconcile::logs;
use millrace_reconcile::metrics::Metrics;
use millrace_reconcile::pflag::{self, Environment, Parsed};
use millrace_reconcile::shutdown::Signals;
use millrace_reconcile::tasks::Tasks;
use tokio::task::JoinHandle;

use crate::args::{ChoiceArgs, CommonArgs, chosen, flag_sets};
use crate::parts::{self, Broken, Checked, Kind, Part, Unfit};
use crate::program::Request;
use crate::services::Services;

/// Threads that drive I/O; what needs the CPU runs on a pool of its own.
const IO_THREADS: usize = 2;

/// Threads for blocking work at most: the CPU pool and calls into the file system.
const BLOCKING_THREADS: usize = 64;

/// How long runs and requests under way may take to end. Pods get ten seconds, leases and events included.
const RUN_GRACE: Duration = Duration::from_secs(6);

/// How long recorded events may take to be sent after that.
const EVENT_GRACE: Duration = Duration::from_secs(2);

/// How long leases may take to be given up after that.
const LEASE_GRACE: Duration = Duration::from_secs(2);

/// Everything that is known before the cluster is.
struct Plan {
    common: CommonArgs,
    parts: Vec<Checked>,
    /// The timing of leader election, if there is one.
    election: Option<Timing>,
}

/// Runs controllers until a signal or a fault ends the process.
pub(crate) fn main(request: &Request, environment: &Environment) -> ExitCode {
    let plan = match plan(request, environment) {
        Ok(plan) => plan,
        Err(Unfit::Flags(stop)) => {
            // The exit status says it, too.
            let _ = std::io::stderr().write_all(stop.text().as_bytes());
            return ExitCode::from(stop.exit_code());
        }
        Err(Unfit::Value(error)) => {
            error.log();
            return ExitCode::FAILURE;
        }
    };
    millrace_net::install_crypto_provider();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(IO_THREADS)
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build();
    let outcome = match runtime {
        Ok(runtime) => {
            let outcome = runtime.block_on(run(plan, environment));
            // Blocking work that ignores its interrupt must not hold up the end.
            runtime.shutdown_background();
            outcome
        }
        Err(error) => Err(error.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(error) = error.downcast_ref::<ConfigError>() {
                error.log();
            } else {
                tracing::error!(logger = "setup", error = chain(&*error), "problem running manager");
            }
            ExitCode::FAILURE
        }
    }
}

/// Reads and checks the flags; logging starts as soon as it is known how.
fn plan(request: &Request, environment: &Environment) -> Result<Plan, Unfit> {
    let alone = request.only.is_some();
    let everything: Vec<_> = match request.only {
        Some(kind) => vec![kind],
        None => Kind::ALL.into_iter().filter(|kind| kind.is_built_in()).collect(),
    };
    let kinds = if alone { everything } else { chosen_kinds(request, &everything, environment)? };
    let parsed = pflag::parse(&request.name, &request.flags, flag_sets(&kinds, alone))?;
    let common: CommonArgs = parsed.values(0, environment)?;
    logs::start(logs::Options::from_flags(&common.process.log_level, &common.process.log_encoding));
    for flag in parsed.retired() {
        tracing::warn!(logger = "setup", flag, "flag has no effect any more");
    }
    let first = if alone { 1 } else { 2 };
    let check = |(at, kind): (usize, &Kind)| parts::check(*kind, &kinds, &parsed, first + at, environment);
    let parts = kinds.iter().enumerate().map(check).collect::<Result<_, _>>()?;
    let flags = &common.process.leader_election;
    let election = flags.enable_leader_election.then(|| Timing::of_flags(flags)).transpose()?;
    Ok(Plan { common, parts, election })
}

/// Which controllers `--controllers` names; the other flags are read once that is known.
fn chosen_kinds(request: &Request, all: &[Kind], environment: &Environment) -> Result<Vec<Kind>, Unfit> {
    let parsed: Parsed = pflag::parse(&request.name, &request.flags, flag_sets(all, false))?;
    let choice: ChoiceArgs = parsed.values(1, environment)?;
    let kinds = chosen(request, &choice);
    if kinds.is_err() {
        let common: CommonArgs = parsed.values(0, environment)?;
        logs::start(logs::Options::from_flags(&common.process.log_level, &common.process.log_encoding));
    }
    Ok(kinds?)
}

/// Runs the plan's controllers against the cluster.
async fn run(plan: Plan, environment: &Environment) -> Result<(), Broken> {
    let Plan { common, parts: checked, election } = plan;
    let signals = Signals::listen()?;
    let config = locate(environment).await?;
    let metrics = Metrics::default();
    let KubeApiArgs { kube_api_qps: qps, kube_api_burst: burst } = common.process.kube_api;
    let component = checked.first().map_or("millrace", |part| part.kind.name());
    let stack = Stack::connect(&config, component, Limits { qps, burst }, metrics.clone()).await?;
    let tasks = Tasks::new();
    let host = host_name(environment);
    let leases =
        election.map(|timing| leases(timing, &checked, &stack, &metrics, environment)).transpose()?;
    let about_process = (environment.clone(), host);
    let services = Services::new(stack, metrics, tasks.clone(), common.egress(&config), about_process);

    let endpoints = Tasks::new();
    serve_endpoints(&common, &services.metrics, &endpoints).await?;
    tracing::info!(logger = "setup", "starting manager");
    let parts = parts::build(checked, &services).await?;
    let outcome = tokio::select! {
        outcome = work(parts, leases, &tasks) => outcome,
        () = signals.watch(tasks.shutdown().clone()) => Err("a second signal came before everything had ended".into()),
    };
    services.flush(EVENT_GRACE).await;
    endpoints.shutdown().cancel();
    outcome
}

/// The election and the leases of all controllers, in order.
fn leases(
    timing: Timing,
    parts: &[Checked],
    stack: &Stack,
    metrics: &Metrics,
    environment: &Environment,
) -> Result<(Election, Vec<Lease>), ConfigError> {
    let namespace = own_namespace(environment).ok_or_else(|| ConfigError {
        message: "unable to start manager",
        reason:
            "unable to find leader election namespace: not running in-cluster, please set RUNTIME_NAMESPACE"
                .to_owned(),
        flag: "RUNTIME_NAMESPACE",
        value: String::new(),
    })?;
    let election = Election {
        namespace,
        identity: identity(&host_name(environment)),
        timing,
        clock: std::sync::Arc::new(SystemClock),
        metrics: metrics.clone(),
    };
    let lease = |part: &Checked| Lease {
        name: lease_name(part.kind.name(), &part.selector),
        controller: part.kind.name().to_owned(),
        client: stack.named(part.kind.name()).client(),
    };
    Ok((election, parts.iter().map(lease).collect()))
}

/// Opens the metrics and health ports, which answer until the very end.
async fn serve_endpoints(common: &CommonArgs, metrics: &Metrics, endpoints: &Tasks) -> Result<(), Broken> {
    let metrics_addr = &common.process.metrics_addr;
    let health_addr = &common.process.health_addr;
    if let Some(listener) = http::listen(metrics_addr).await? {
        tracing::info!(
            logger = "controller-runtime.metrics",
            bindAddress = metrics_addr,
            secure = false,
            "Serving metrics server"
        );
        endpoints.spawn(http::serve(
            listener,
            http::metrics_router(metrics.clone()),
            endpoints.shutdown().clone(),
        ));
    }
    if let Some(listener) = http::listen(health_addr).await? {
        tracing::info!(name = "health probe", addr = health_addr, "starting server");
        endpoints.spawn(http::serve(listener, http::health_router(), endpoints.shutdown().clone()));
    }
    Ok(())
}

/// Runs the parts until the process is to end or something breaks, and then lets everything end in order.
async fn work(parts: Vec<Part>, leases: Option<(Election, Vec<Lease>)>, tasks: &Tasks) -> Result<(), Broken> {
    let shutdown = tasks.shutdown();
    let mut running: FuturesUnordered<JoinHandle<Result<(), Broken>>> = FuturesUnordered::new();
    let mut leading = Vec::new();
    for Part { serve, lead } in parts {
        running.push(tasks.spawn(serve));
        leading.push(lead);
    }
    // Leases outlive the runs they guard.
    let keepers = Tasks::new();
    let mut outcome = async {
        if let Some((election, leases)) = leases {
            let acquired = tokio::select! {
                acquired = election.acquire(leases, shutdown) => acquired?,
                broken = first_failure(&mut running) => return Err(broken),
            };
            let Some(held) = acquired else { return Ok(()) };
            for lease in held {
                let done = keepers.shutdown().clone();
                running.push(keepers.spawn(async move { lease.keep(&done).await.map_err(Broken::from) }));
            }
        }
        running.extend(leading.into_iter().map(|lead| tasks.spawn(lead)));
        tokio::select! {
            () = shutdown.cancelled() => Ok(()),
            broken = first_failure(&mut running) => Err(broken),
        }
    }
    .await;
    if tokio::time::timeout(RUN_GRACE, tasks.finish()).await.is_err() {
        tracing::error!(logger = "setup", error = "not everything had ended in time", "shutting down");
    }
    if tokio::time::timeout(LEASE_GRACE, keepers.finish()).await.is_err() && outcome.is_ok() {
        outcome = Err("leases could not be given up in time".into());
    }
    outcome
}

/// Waits for the first part that ends with an error or a panic; parts that simply end are fine.
async fn first_failure(running: &mut FuturesUnordered<JoinHandle<Result<(), Broken>>>) -> Broken {
    loop {
        match running.next().await {
            Some(Ok(Ok(()))) => {}
            Some(Ok(Err(broken))) => return broken,
            Some(Err(panicked)) => return panicked.into(),
            None => std::future::pending().await,
        }
    }
}
