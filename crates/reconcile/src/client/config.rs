//! Where the cluster is: `KUBECONFIG`, then the pod's ServiceAccount, then `~/.kube/config`. Contract: notification §5.2.

use std::path::{Path, PathBuf};

use kube::Config;
use kube::config::{InClusterError, KubeConfigOptions, Kubeconfig, KubeconfigError};

use crate::pflag::Environment;

/// There is no usable configuration of a cluster.
#[derive(Debug, thiserror::Error)]
pub enum NoConfig {
    /// A kubeconfig can't be used.
    #[error("unable to load kubeconfig {}", path.display())]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: KubeconfigError,
    },
    /// The pod's ServiceAccount can't be used.
    #[error("unable to load in-cluster configuration")]
    InCluster(#[source] InClusterError),
    /// There is nothing to try.
    #[error("no configuration has been provided: KUBECONFIG is not set and this is no pod")]
    Nowhere,
}

/// Finds the cluster that this process belongs to.
///
/// # Errors
/// What is configured can't be used, or nothing is.
pub async fn locate(environment: &Environment) -> Result<Config, NoConfig> {
    let variable = |name: &str| environment.get(name).filter(|value| !value.is_empty());
    if let Some(paths) = variable("KUBECONFIG") {
        return from_files(paths.split(':').filter(|path| !path.is_empty()).map(Path::new)).await;
    }
    if variable("KUBERNETES_SERVICE_HOST").is_some() {
        return Config::incluster_env().map_err(NoConfig::InCluster);
    }
    match variable("HOME").map(|home| Path::new(home).join(".kube/config")).filter(|path| path.exists()) {
        Some(path) => from_files([path.as_path()].into_iter()).await,
        None => Err(NoConfig::Nowhere),
    }
}

/// Merges kubeconfigs, the first one first, as kubectl does; of several files those that don't exist are left out.
async fn from_files<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<Config, NoConfig> {
    let paths: Vec<_> = paths.collect();
    let first = paths.first().copied().unwrap_or(Path::new("")).to_owned();
    let mut merged = None::<Kubeconfig>;
    for path in &paths {
        if paths.len() > 1 && !path.exists() {
            continue;
        }
        let failed = |source| NoConfig::Kubeconfig { path: path.to_path_buf(), source };
        let next = Kubeconfig::read_from(path).map_err(failed)?;
        merged = Some(match merged {
            Some(before) => before.merge(next).map_err(failed)?,
            None => next,
        });
    }
    let Some(merged) = merged else { return Err(NoConfig::Nowhere) };
    Config::from_custom_kubeconfig(merged, &KubeConfigOptions::default())
        .await
        .map_err(|source| NoConfig::Kubeconfig { path: first, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kubeconfig(server: &str) -> String {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{{name: c, context: {{cluster: k, user: u}}}}]\n\
             clusters: [{{name: k, cluster: {{server: '{server}'}}}}]\nusers: [{{name: u, user: {{token: t}}}}]\n"
        )
    }

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[tokio::test]
    async fn the_variable_comes_before_the_home_directory_and_its_first_file_wins() {
        let dir = tempfile::tempdir().expect("directory");
        let path = |name: &str| dir.path().join(name);
        std::fs::create_dir(path(".kube")).expect("directory");
        std::fs::write(path(".kube/config"), kubeconfig("https://home:1")).expect("file");
        std::fs::write(path("a"), kubeconfig("https://a:1")).expect("file");
        std::fs::write(path("b"), kubeconfig("https://b:1")).expect("file");
        let home = dir.path().to_str().expect("text");
        let files = format!("{home}/missing:{home}/a:{home}/b");
        let given = locate(&environment(&[("KUBECONFIG", &files), ("HOME", home)])).await.expect("config");
        assert_eq!(given.cluster_url.to_string(), "https://a:1/");
        let fallback = locate(&environment(&[("HOME", home), ("KUBECONFIG", "")])).await.expect("config");
        assert_eq!(fallback.cluster_url.to_string(), "https://home:1/");
    }

    #[tokio::test]
    async fn nothing_to_try_and_an_unreadable_file_are_errors() {
        assert!(matches!(locate(&Environment::new()).await, Err(NoConfig::Nowhere)));
        let error =
            locate(&environment(&[("KUBECONFIG", "/nonexistent/config")])).await.expect_err("missing");
        assert_eq!(error.to_string(), "unable to load kubeconfig /nonexistent/config");
    }
}
