//! Where the cluster is: `KUBECONFIG`, then the pod's ServiceAccount, then `~/.kube/config`. Contract: notification §5.2.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};

use crate::pflag::Environment;

/// There is no usable configuration of a cluster. Reasons are texts: the library's errors repeat their sources.
#[derive(Debug, thiserror::Error)]
pub enum NoConfig {
    /// A kubeconfig can't be read.
    #[error("unable to read kubeconfig {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A kubeconfig can't be used.
    #[error("unable to use kubeconfig {place}: {reason}")]
    Kubeconfig {
        /// The file, or the files that were merged.
        place: String,
        /// Why.
        reason: String,
    },
    /// None of several kubeconfigs exists.
    #[error("unable to read kubeconfig: none of the files in KUBECONFIG exists: {0}")]
    Missing(String),
    /// The pod's ServiceAccount can't be used.
    #[error("unable to load in-cluster configuration: {0}")]
    InCluster(String),
    /// There is nothing to try.
    #[error(
        "no configuration has been provided: KUBECONFIG is not set, {home}, and this is no pod: KUBERNETES_SERVICE_HOST is \
         not set"
    )]
    Nowhere {
        /// What is wrong with the file in the home directory.
        home: String,
    },
}

/// Finds the cluster that this process belongs to.
///
/// # Errors
/// What is configured can't be used, or nothing is.
pub async fn locate(environment: &Environment) -> Result<Config, NoConfig> {
    let variable = |name: &str| environment.get(name).filter(|value| !value.is_empty());
    if let Some(paths) = variable("KUBECONFIG") {
        return from_files(paths).await;
    }
    if variable("KUBERNETES_SERVICE_HOST").is_some() {
        return Config::incluster_env().map_err(|error| NoConfig::InCluster(error.to_string()));
    }
    let Some(home) = variable("HOME") else {
        return Err(NoConfig::Nowhere { home: "HOME is not set".to_owned() });
    };
    let path = Path::new(home).join(".kube/config");
    if !path.exists() {
        return Err(NoConfig::Nowhere { home: format!("{} does not exist", path.display()) });
    }
    let kubeconfig = read(&path)?;
    configure(kubeconfig, &path.display().to_string()).await
}

/// Merges kubeconfigs, the first one first, as kubectl does; of several files those that don't exist are left out.
async fn from_files(list: &str) -> Result<Config, NoConfig> {
    let paths: Vec<_> = list.split(':').filter(|path| !path.is_empty()).map(Path::new).collect();
    let mut merged = None::<Kubeconfig>;
    for path in &paths {
        if paths.len() > 1 && !path.exists() {
            continue;
        }
        let next = read(path)?;
        merged = Some(match merged {
            Some(before) => before.merge(next).map_err(|error| unusable(list, &error, &[]))?,
            None => next,
        });
    }
    configure(merged.ok_or_else(|| NoConfig::Missing(list.to_owned()))?, list).await
}

fn read(path: &Path) -> Result<Kubeconfig, NoConfig> {
    Kubeconfig::read_from(path).map_err(|error| match error {
        KubeconfigError::ReadConfig(source, path) => NoConfig::Unreadable { path, source },
        other => unusable(&path.display().to_string(), &other, &[]),
    })
}

async fn configure(kubeconfig: Kubeconfig, place: &str) -> Result<Config, NoConfig> {
    let contexts: Vec<_> = kubeconfig.contexts.iter().map(|context| context.name.clone()).collect();
    Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .map_err(|error| unusable(place, &error, &contexts))
}

fn unusable(place: &str, error: &KubeconfigError, contexts: &[String]) -> NoConfig {
    let it_has = match contexts {
        [] => "it has no context at all".to_owned(),
        names => format!("it has {}", names.join(", ")),
    };
    let reason = match error {
        // What follows the first line quotes the file, which may hold credentials.
        KubeconfigError::Parse(error) => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            format!("it is no YAML of a kubeconfig: {}", first.trim_start_matches("error: "))
        }
        KubeconfigError::CurrentContextNotSet => format!("current-context is not set; {it_has}"),
        KubeconfigError::LoadContext(name) => format!("there is no context {name:?}; {it_has}"),
        KubeconfigError::LoadClusterOfContext(name) => {
            format!("there is no cluster {name:?}, which the current context names")
        }
        other => other.to_string(),
    };
    NoConfig::Kubeconfig { place: place.to_owned(), reason }
}

/// What is behind an error that others wrap.
pub(super) fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
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
    async fn what_cannot_be_used_is_told_once_with_file_and_cause() {
        let dir = tempfile::tempdir().expect("directory");
        let home = dir.path().to_str().expect("text").to_owned();
        let write = |name: &str, text: &str| {
            std::fs::write(dir.path().join(name), text).expect("file");
            format!("{home}/{name}")
        };
        let whole = kubeconfig("https://a:1");
        let malformed = write("malformed", "apiVersion: v1\nusers: [{token: hidden}\nclusters: []\n");
        let other = write("other", &whole.replace("current-context: c", "current-context: nope"));
        let unset = write("unset", "apiVersion: v1\nkind: Config\n");
        let dangling = write("dangling", &whole.replace("cluster: k,", "cluster: zz,"));
        let nothing = "no configuration has been provided: KUBECONFIG is not set, ";
        let no_pod = ", and this is no pod: KUBERNETES_SERVICE_HOST is not set";
        for (variables, expected) in [
            (vec![], format!("{nothing}HOME is not set{no_pod}")),
            (vec![("HOME", home.as_str())], format!("{nothing}{home}/.kube/config does not exist{no_pod}")),
            (
                vec![("KUBECONFIG", "/nonexistent/config")],
                "unable to read kubeconfig /nonexistent/config: No such file or directory (os error 2)".to_owned(),
            ),
            (
                vec![("KUBECONFIG", "/nonexistent/a:/nonexistent/b")],
                "unable to read kubeconfig: none of the files in KUBECONFIG exists: /nonexistent/a:/nonexistent/b"
                    .to_owned(),
            ),
            (
                vec![("KUBECONFIG", other.as_str())],
                format!("unable to use kubeconfig {other}: there is no context \"nope\"; it has c"),
            ),
            (
                vec![("KUBECONFIG", unset.as_str())],
                format!("unable to use kubeconfig {unset}: current-context is not set; it has no context at all"),
            ),
            (
                vec![("KUBECONFIG", dangling.as_str())],
                format!(
                    "unable to use kubeconfig {dangling}: there is no cluster \"zz\", which the current context names"
                ),
            ),
        ] {
            let error = locate(&environment(&variables)).await.expect_err(&expected);
            assert_eq!(crate::failure::chain(&error), expected);
        }
        let error = locate(&environment(&[("KUBECONFIG", &malformed)])).await.expect_err("malformed");
        let told = crate::failure::chain(&error);
        let start = format!("unable to use kubeconfig {malformed}: it is no YAML of a kubeconfig: line ");
        assert!(told.starts_with(&start), "{told}");
        assert!(!told.contains('\n') && !told.contains("hidden"), "it quotes the file: {told}");
    }
}
