//! Starts the programs of a control plane.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::{Api, Client};

use super::{Description, Profile, access, audit, nodes};
use crate::process::{Launch, Process};
use crate::{Result, pki, ports, tools};

const START_LIMIT: Duration = Duration::from_secs(90);
/// The group that may do everything.
const MASTERS: &str = "system:masters";

/// Files and addresses that the programs share.
struct Plan {
    work: PathBuf,
    authority: pki::Authority,
    server: String,
    api_port: u16,
    etcd: EtcdPorts,
}

/// Where etcd listens, and where the API server looks for it.
#[derive(Clone, Copy)]
pub(super) struct EtcdPorts {
    pub(super) own: u16,
    pub(super) seen: u16,
}

impl Plan {
    fn file(&self, name: &str) -> PathBuf {
        self.work.join(name)
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.file(name);
        fs::write(&path, text)?;
        Ok(path)
    }

    /// Writes a kubeconfig for a client certificate.
    fn kubeconfig(&self, user: &str, group: Option<&str>) -> Result<PathBuf> {
        let identity = self.authority.client(user, group)?;
        let text = access::kubeconfig(
            &self.server,
            self.authority.certificate(),
            &access::Login::Certificate(&identity),
            "default",
        );
        self.write(&format!("{}.kubeconfig", user.replace(':', "-")), &text)
    }
}

/// Starts what `profile` asks for below `work`, and returns how to reach it with the running processes.
pub(super) async fn start(
    profile: Profile,
    work: &Path,
    etcd: EtcdPorts,
) -> Result<(Description, Vec<Process>)> {
    let api_port = ports::take()?;
    let server = format!("https://127.0.0.1:{api_port}");
    let authority = pki::Authority::new("millrace-bench")?;
    let plan = Plan { work: work.to_owned(), authority, server, api_port, etcd };
    let description = Description {
        profile,
        server: plan.server.clone(),
        authority: plan.authority.certificate().to_owned(),
        kubeconfig: plan.kubeconfig("admin", Some(MASTERS))?,
        audit_log: plan.file("audit.log"),
        work: plan.work.clone(),
    };
    let mut processes = Vec::new();
    processes.push(start_etcd(&plan)?);
    processes.push(start_api_server(&plan)?);
    let client = access::admin_client(&description).await?;
    wait_for_api(processes.last_mut().expect("just pushed"), &client).await?;
    if profile == Profile::Full {
        processes.push(start_controllers(&plan)?);
        processes.push(start_scheduler(&plan)?);
        let mut kwok = nodes::start(&plan.work, &plan.kubeconfig("kwok", Some(MASTERS))?)?;
        nodes::register(&client).await?;
        kwok.ready(START_LIMIT, async || nodes::is_ready(&client).await && has_settled(&client).await)
            .await?;
        processes.push(kwok);
    }
    Ok((description, processes))
}

/// Waits until the API server is ready.
pub(super) async fn wait_for_api(process: &mut Process, client: &Client) -> Result<()> {
    process.ready(START_LIMIT, async || answers(client, "/readyz").await).await
}

async fn answers(client: &Client, path: &str) -> bool {
    let Ok(request) = http::Request::get(path).body(Vec::new()) else { return false };
    client.request_text(request).await.is_ok()
}

/// Whether the controllers have done what every test takes for granted: roles aggregated, default accounts made.
async fn has_settled(client: &Client) -> bool {
    let roles: Api<ClusterRole> = Api::all(client.clone());
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), "default");
    let aggregated =
        roles.get("view").await.is_ok_and(|role| role.rules.is_some_and(|rules| !rules.is_empty()));
    aggregated && accounts.get("default").await.is_ok()
}

fn start_etcd(plan: &Plan) -> Result<Process> {
    let client_url = format!("http://127.0.0.1:{}", plan.etcd.own);
    let peer_url = format!("http://127.0.0.1:{}", ports::take()?);
    Launch::new("etcd", tools::program("etcd")?, &plan.work)
        .arg("--data-dir")
        .arg(plan.file("etcd"))
        .args(["--listen-client-urls", &client_url, "--advertise-client-urls", &client_url])
        .args(["--listen-peer-urls", &peer_url, "--initial-advertise-peer-urls", &peer_url])
        .args(["--initial-cluster", &format!("default={peer_url}")])
        // The data is thrown away with the run: no need to wait for the disk.
        .args(["--unsafe-no-fsync", "--log-level", "warn"])
        .start()
}

fn start_api_server(plan: &Plan) -> Result<Process> {
    let serving = plan.authority.server(&["kubernetes.default.svc", "10.0.0.1"])?;
    let (token_key, token_public_key) = pki::signing_key()?;
    Launch::new("kube-apiserver", tools::program("kube-apiserver")?, &plan.work)
        .arg(format!("--etcd-servers=http://127.0.0.1:{}", plan.etcd.seen))
        .args(["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"])
        .arg(format!("--secure-port={}", plan.api_port))
        .arg(flag("--tls-cert-file", &plan.write("server.crt", &serving.certificate)?))
        .arg(flag("--tls-private-key-file", &plan.write("server.key", &serving.key)?))
        .arg(flag("--client-ca-file", &plan.write("ca.crt", plan.authority.certificate())?))
        .arg(flag("--service-account-signing-key-file", &plan.write("tokens.key", &token_key)?))
        .arg(flag("--service-account-key-file", &plan.write("tokens.pub", &token_public_key)?))
        .args([
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-cluster-ip-range=10.0.0.0/16",
        ])
        .args(["--authorization-mode=Node,RBAC", "--endpoint-reconciler-type=none"])
        .arg(flag("--audit-policy-file", &plan.write("audit-policy.yaml", audit::POLICY)?))
        .arg(flag("--audit-log-path", &plan.file("audit.log")))
        // A request is in the log once its answer is out.
        .args(["--audit-log-mode=blocking", "--audit-log-maxsize=4096"])
        .start()
}

fn start_controllers(plan: &Plan) -> Result<Process> {
    Launch::new("kube-controller-manager", tools::program("kube-controller-manager")?, &plan.work)
        .arg(flag("--kubeconfig", &plan.kubeconfig("system:kube-controller-manager", None)?))
        .arg(flag("--service-account-private-key-file", &plan.file("tokens.key")))
        .arg(flag("--root-ca-file", &plan.file("ca.crt")))
        .args(["--leader-elect=false", "--bind-address=127.0.0.1", "--use-service-account-credentials=true"])
        .arg(format!("--secure-port={}", ports::take()?))
        // Its own limits (20 requests a second) would be what tests wait for.
        .args(["--kube-api-qps=500", "--kube-api-burst=1000"])
        .start()
}

fn start_scheduler(plan: &Plan) -> Result<Process> {
    Launch::new("kube-scheduler", tools::program("kube-scheduler")?, &plan.work)
        .arg(flag("--kubeconfig", &plan.kubeconfig("system:kube-scheduler", None)?))
        .args([
            "--leader-elect=false",
            "--bind-address=127.0.0.1",
            "--kube-api-qps=500",
            "--kube-api-burst=1000",
        ])
        .arg(format!("--secure-port={}", ports::take()?))
        .start()
}

fn flag(name: &str, path: &Path) -> String {
    format!("{name}={}", path.display())
}
