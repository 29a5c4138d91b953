//! What may happen to the servers of a control plane while it runs.

use anyhow::Context as _;

use super::{ControlPlane, servers};
use crate::Result;
use crate::process::Process;

const API_SERVER: &str = "kube-apiserver";

impl ControlPlane {
    /// Kills the API server: clients find nobody listening.
    ///
    /// # Errors
    /// When another process owns the servers.
    pub fn kill_api_server(&mut self) -> Result<()> {
        self.server_process(API_SERVER)?.kill().map(drop)
    }

    /// Starts the API server again after [`Self::kill_api_server`], at the same address, and waits until it is ready.
    pub async fn start_api_server(&mut self) -> Result<()> {
        let client = self.client();
        let process = self.server_process(API_SERVER)?;
        process.start_again()?;
        servers::wait_for_api(process, &client).await
    }

    /// Sends a signal by name, such as `STOP`, to a server by the name of its program.
    ///
    /// # Errors
    /// When this process runs no such server.
    pub fn signal(&mut self, program: &str, signal: &str) -> Result<()> {
        self.server_process(program)?.signal(signal)
    }

    fn server_process(&mut self, program: &str) -> Result<&mut Process> {
        let mut processes = self.servers.iter_mut().flat_map(|servers| &mut servers.processes);
        processes.find(|process| process.name() == program).with_context(|| format!("no {program} is ours"))
    }
}
