//! Files of recorded cases.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use millrace_yaml::Node;
use millrace_yaml::read::{self, Limits, Resolver};
use serde::de::DeserializeOwned;

/// One file: its cases, and what stands beside them.
pub(crate) struct File {
    /// The whole file, without its cases.
    pub(crate) head: Node,
    pub(crate) cases: Vec<Case>,
}

/// One recorded case.
pub(crate) struct Case {
    pub(crate) node: Node,
}

impl Case {
    pub(crate) fn id(&self) -> &str {
        self.text("id").unwrap_or("(no id)")
    }

    pub(crate) fn area(&self) -> &str {
        self.text("area").unwrap_or_default()
    }

    pub(crate) fn get(&self, field: &str) -> Option<&Node> {
        self.node.get(field)
    }

    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.node.str_at(&[field])
    }

    pub(crate) fn expect(&self, field: &str) -> Option<&Node> {
        self.node.at(&["expect", field])
    }

    /// A text the case must have.
    pub(crate) fn require(&self, field: &str) -> Result<&str, String> {
        self.text(field).ok_or_else(|| format!("the case has no text {field:?}"))
    }

    /// The object whose YAML is the text of `field`.
    pub(crate) fn object(&self, field: &str) -> Result<Node, String> {
        let text = self.require(field)?;
        documents(text)?.into_iter().next().ok_or_else(|| format!("{field:?} holds no object"))
    }

    /// The case as a type of its set.
    pub(crate) fn decode<T: DeserializeOwned>(&self) -> Result<T, String> {
        millrace_yaml::from_node(&self.node)
            .map_err(|error| format!("the case has another form than its set: {error}"))
    }
}

/// A value of a file as JSON.
pub(crate) fn to_json(node: &Node) -> Result<serde_json::Value, String> {
    serde_json::from_str(&millrace_yaml::json::to_string(node)).map_err(|error| error.to_string())
}

/// The documents of a text as the Kubernetes libraries read them.
pub(crate) fn documents(text: &str) -> Result<Vec<Node>, String> {
    let found =
        read::documents(text, Resolver::Kubernetes, &Limits::default()).map_err(|error| error.to_string())?;
    Ok(found.into_iter().map(|document| document.node).collect())
}

/// Loads a file, or every YAML file of a folder.
pub(crate) fn load(path: &Path) -> Result<Vec<File>> {
    let mut files: Vec<PathBuf> = vec![path.to_owned()];
    if path.is_dir() {
        files = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml"));
        files.sort();
    }
    ensure!(!files.is_empty(), "there is no YAML file in {}", path.display());
    files.iter().map(|file| load_file(file).with_context(|| format!("in {}", file.display()))).collect()
}

fn load_file(path: &Path) -> Result<File> {
    let text = std::fs::read_to_string(path)?;
    let mut head = read::one(&text, Resolver::Kubernetes, &Limits::default())?.node;
    let cases = head.as_map_mut().and_then(|map| map.remove("cases"));
    let Some(Node::List(cases)) = cases else { anyhow::bail!("there is no list `cases`") };
    Ok(File { head, cases: cases.into_iter().map(|node| Case { node }).collect() })
}
