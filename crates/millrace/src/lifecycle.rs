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
use millrace_reconcile::pflag::{self, Environment, Parsed, Stop};
use millrace_reconcile::shutdown::Signals;
use millrace_reconcile::tasks::Tasks;

use crate::args::{ChoiceArgs, CommonArgs, chosen, flag_sets};
use crate::crews::Stage;
use crate::parts::{self, Broken, Checked, Kind, Line, Unfit};
use crate::program::Request;
use crate::runtime;
use crate::services::Services;
use crate::work::work;

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
        Err(unfit) => return refuse(unfit),
    };
    millrace_net::install_crypto_provider();
    let outcome = match runtime::start() {
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

/// Says why the command line makes no process; nobody may read it, but the exit status says it, too.
fn refuse(unfit: Unfit) -> ExitCode {
    match unfit {
        Unfit::Flags(stop @ Stop::Help { .. }) => {
            let _ = std::io::stdout().write_all(stop.text().as_bytes());
            ExitCode::from(stop.exit_code())
        }
        Unfit::Flags(stop @ Stop::Usage { .. }) => {
            let _ = std::io::stderr().write_all(stop.text().as_bytes());
            ExitCode::from(stop.exit_code())
        }
        Unfit::Word(word) => {
            let _ = writeln!(
                std::io::stderr(),
                "unexpected argument {word:?}: this command has only flags, --controllers=NAME,… says which controllers run"
            );
            ExitCode::from(2)
        }
        Unfit::Value { error, flag } => {
            error.log_as(&flag);
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
    start_logs(&common);
    common.check(alone).map_err(|error| Unfit::value(error, &parsed, 0))?;
    for flag in parsed.retired() {
        tracing::warn!(logger = "setup", flag, "flag has no effect any more");
    }
    let first = if alone { 1 } else { 2 };
    let line = Line { parsed: &parsed, kinds: &kinds, is_upstreams: alone, environment };
    let check = |(at, kind): (usize, &Kind)| parts::check(*kind, &line, first + at);
    let parts = kinds.iter().enumerate().map(check).collect::<Result<_, _>>()?;
    let flags = &common.process.leader_election;
    let election = flags.enable_leader_election.then(|| Timing::of_flags(flags)).transpose();
    let election = election.map_err(|error| Unfit::value(error, &parsed, 0))?;
    Ok(Plan { common, parts, election })
}

/// Which controllers `--controllers` names; the other flags are read once that is known.
fn chosen_kinds(request: &Request, all: &[Kind], environment: &Environment) -> Result<Vec<Kind>, Unfit> {
    let parsed: Parsed = pflag::parse(&request.name, &request.flags, flag_sets(all, false))?;
    if let Some(word) = parsed.words().first() {
        return Err(Unfit::Word(word.clone()));
    }
    let choice: ChoiceArgs = parsed.values(1, environment)?;
    let kinds = chosen(request, &choice, parsed.texts(1, "controllers").next().is_some());
    if kinds.is_err() {
        start_logs(&parsed.values(0, environment)?);
    }
    kinds.map_err(|error| Unfit::value(error, &parsed, 1))
}

fn start_logs(common: &CommonArgs) {
    logs::start(logs::Options::from_flags(&common.process.log_level, &common.process.log_encoding));
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
    let leases =
        election.map(|timing| leases(timing, &checked, &stack, &metrics, environment)).transpose()?;
    let services = Services::new(stack, metrics, common.egress(&config), environment.clone());

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
