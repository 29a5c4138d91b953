//! From flags to the last event: how a process of controllers starts, leads and ends.

use std::io::Write as _;
use std::process::ExitCode;

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

use crate::args::{ChoiceArgs, CommonArgs, chosen, flag_sets};
use crate::crews::Stage;
use crate::parts::{self, Broken, Checked, Kind, Unfit};
use crate::program::Request;
use crate::services::Services;
use crate::work::work;

/// Threads that drive I/O; what needs the CPU runs on a pool of its own.
const IO_THREADS: usize = 2;

/// Threads for blocking work at most: the CPU pool and calls into the file system.
const BLOCKING_THREADS: usize = 64;

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
    let host = host_name(environment);
    let leases =
        election.map(|timing| leases(timing, &checked, &stack, &metrics, environment)).transpose()?;
    let about_process = (environment.clone(), host);
    let services = Services::new(stack, metrics, common.egress(&config), about_process);

    let endpoints = Tasks::new();
    serve_endpoints(&common, &services.metrics, &endpoints).await?;
    tracing::info!(logger = "setup", "starting manager");
    let parts = parts::build(checked, &services).await?;
    let ending = services.crews.of(Stage::Control).tasks().shutdown().clone();
    let outcome = tokio::select! {
        outcome = work(parts, leases, &services.crews) => outcome,
        () = signals.watch(ending) => Err("a second signal came before everything had ended".into()),
    };
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
        fence: stack.fence(),
    };
    let lease = |part: &Checked| Lease {
        name: lease_name(part.kind.name(), &part.selector),
        controller: part.kind.name().to_owned(),
        client: stack.named(part.kind.name()).unfenced(),
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
