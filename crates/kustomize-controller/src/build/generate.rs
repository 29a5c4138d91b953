//! The kustomization file of a build: the folder's own, or one made from what lies in the folder.
//!
//! Contract: kustomize-controller §3.1.

use millrace_kustomize::{FileKind, FileSystem as _};
use millrace_yaml::read::{self, Limits, ReadError, Resolver};
use millrace_yaml::{Map, Node};

use super::files::{Files, join};
use super::schema::{self, DecodeError};

/// Names of a kustomization file, in the order in which they are looked for.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The file a build begins with.
#[derive(Debug)]
pub(crate) struct Kustomization {
    /// Its name in the folder.
    pub(crate) name: &'static str,
    /// Its content.
    pub(crate) content: Map,
}

/// Why there is no kustomization file to begin with. The texts are the contract's; what follows on a line of its own says
/// where in the artifact to look.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GenerateError {
    /// The folder's own file is not YAML.
    #[error("error converting YAML to JSON: {reason}\nhint: see {place}")]
    Malformed {
        /// The file, with its line where known.
        place: String,
        /// What is wrong with it.
        reason: ReadError,
    },
    /// The folder's own file has something in the wrong place.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A manifest is not YAML, or not UTF-8.
    #[error("failed to decode Kubernetes YAML from {path}: {reason}\nhint: see {place}")]
    Manifest {
        /// The file, as an absolute path.
        path: String,
        /// The file, with its line where known.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The path of the spec leads to a file.
    #[error(
        "open {path}/kustomization.yaml: not a directory remove {path}/kustomization.yaml: not a directory"
    )]
    NotAFolder {
        /// The absolute path.
        path: String,
    },
    /// A file could not be read.
    #[error("open {path}: {reason}")]
    Read {
        /// The absolute path.
        path: String,
        /// What went wrong.
        reason: String,
    },
}

/// Finds or makes the kustomization file of `folder`; `root` is what the tree's root is called in messages.
pub(crate) fn generate(files: &Files, folder: &str, root: &str) -> Result<Kustomization, GenerateError> {
    match files.kind(folder) {
        Some(FileKind::Folder) => {}
        Some(FileKind::File) | None => {
            return Err(GenerateError::NotAFolder { path: absolute(root, folder) });
        }
    }
    let own = NAMES.into_iter().find(|name| files.kind(&join(folder, name)) == Some(FileKind::File));
    match own {
        Some(name) => Ok(Kustomization { name, content: load(files, &join(folder, name), root)? }),
        None => Ok(Kustomization { name: NAMES[0], content: from_manifests(files, folder, root)? }),
    }
}

/// Reads the folder's own file. One without resources would count as empty; asking for the origin makes it not so.
fn load(files: &Files, path: &str, root: &str) -> Result<Map, GenerateError> {
    let text = read_text(files, path, root)?;
    let document = read::one(&text, Resolver::Kubernetes, &Limits::default())
        .map_err(|reason| GenerateError::Malformed { place: place(path, reason.line()), reason })?;
    let mut content = schema::decode(&document.node)?;
    if content.get("resources").is_none_or(|resources| resources.as_list().is_none_or(<[Node]>::is_empty)) {
        content.insert("buildMetadata", Node::list(vec![Node::string("originAnnotations")]));
    }
    Ok(content)
}

/// A file that names every manifest below the folder, and every folder there that has a kustomization file of its own.
fn from_manifests(files: &Files, folder: &str, root: &str) -> Result<Map, GenerateError> {
    let mut resources = Vec::new();
    scan(files, folder, &mut String::new(), root, &mut resources)?;
    let mut content = schema::decode(&Node::null())?;
    if resources.is_empty() {
        content.insert("namespace", Node::string("_placeholder"));
    } else {
        content.insert("resources", Node::List(resources.into_iter().map(Node::string).collect()));
    }
    Ok(content)
}

/// Walks in lexical order; `below` is the way from the folder of the build.
fn scan(
    files: &Files,
    folder: &str,
    below: &mut String,
    root: &str,
    resources: &mut Vec<String>,
) -> Result<(), GenerateError> {
    let here = if below.is_empty() { folder.to_owned() } else { join(folder, below) };
    let mut names = files.list(&here).unwrap_or_default();
    names.sort();
    for name in names {
        let path = join(&here, &name);
        let way = join(below, &name);
        match files.kind(&path) {
            Some(FileKind::Folder)
                if NAMES.iter().any(|name| files.kind(&join(&path, name)) == Some(FileKind::File)) =>
            {
                resources.push(format!("./{way}"));
            }
            Some(FileKind::Folder) => {
                let length = below.len();
                *below = way;
                scan(files, folder, below, root, resources)?;
                below.truncate(length);
            }
            Some(FileKind::File) if is_manifest(&name) => {
                check_manifest(files, &path, root)?;
                resources.push(format!("./{way}"));
            }
            Some(FileKind::File) | None => {}
        }
    }
    Ok(())
}

fn is_manifest(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

fn check_manifest(files: &Files, path: &str, root: &str) -> Result<(), GenerateError> {
    let failed = |line: Option<usize>, reason: String| GenerateError::Manifest {
        path: absolute(root, path),
        place: place(path, line),
        reason,
    };
    let content = files.read(path).map_err(|error| failed(None, error.to_string()))?;
    let documents = read::documents_from_slice(&content, Resolver::Kustomize, &Limits::default());
    let documents =
        documents.map_err(|error| failed(error.line(), format!("MalformedYAMLError: {error}")))?;
    documents.iter().try_for_each(|document| {
        check_object(&document.node).map_err(|reason| failed(Some(document.first_line), reason))
    })
}

/// A file of the artifact as hints name it.
fn place(path: &str, line: Option<usize>) -> String {
    line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"))
}

/// What every object of a manifest must have before a build can begin.
fn check_object(node: &Node) -> Result<(), String> {
    if node.is_null() {
        return Ok(());
    }
    let text = |path: &[&str]| {
        node.at(path).and_then(Node::as_scalar).map(millrace_yaml::Scalar::text).unwrap_or_default()
    };
    let as_json = || millrace_yaml::json::to_string(&without_secrets(node));
    if text(&["kind"]).is_empty() {
        return Err(format!("missing Resource metadata: kind is missing in object {}", as_json()));
    }
    let is_list = text(&["kind"]).ends_with("List");
    let generated = text(&["metadata", "generateName"]);
    if text(&["metadata", "name"]).is_empty() && generated.is_empty() && !is_list {
        return Err(format!("missing metadata.name in object {}", as_json()));
    }
    Ok(())
}

/// The object as it may be quoted: of a Secret, or what may be meant as one, the keys alone.
fn without_secrets(node: &Node) -> Node {
    let mut node = node.clone();
    let has_kind = node.str_at(&["kind"]).is_some_and(|kind| !kind.is_empty());
    let Node::Map(object) = &mut node else { return node };
    // A key may stand twice here, the kind as well.
    let may_be_secret = |(key, value): (&str, &Node)| key == "kind" && value.as_str() == Some("Secret");
    if !has_kind || object.iter().any(may_be_secret) {
        let secret = object.iter_mut().filter(|(key, _)| matches!(*key, "data" | "stringData"));
        let values = secret.filter_map(|(_, value)| value.as_map_mut()).flat_map(Map::iter_mut);
        values.for_each(|(_, value)| *value = Node::string("***"));
    }
    node
}

fn read_text(files: &Files, path: &str, root: &str) -> Result<String, GenerateError> {
    let failed = |reason: String| GenerateError::Read { path: absolute(root, path), reason };
    let content = files.read(path).map_err(|error| failed(error.to_string()))?;
    String::from_utf8(content.into_owned()).map_err(|error| failed(error.to_string()))
}

/// A path below the root as messages show it.
pub(crate) fn absolute(root: &str, path: &str) -> String {
    if path.is_empty() { root.to_owned() } else { format!("{root}/{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_without_a_name_is_quoted_without_what_a_secret_holds() {
        let quoted = |text: &str| {
            let node = read::one(text, Resolver::Kustomize, &Limits::default()).expect("valid YAML").node;
            check_object(&node).expect_err("has no name")
        };
        assert_eq!(
            quoted("{kind: Secret, data: {a: aHVudGVyMg==}, stringData: {b: hunter2}}"),
            r#"missing metadata.name in object {"kind":"Secret","data":{"a":"***"},"stringData":{"b":"***"}}"#
        );
        assert_eq!(
            quoted("{kind: ConfigMap, kind: Secret, data: {a: x}, data: {b: hunter2}}"),
            r#"missing metadata.name in object {"kind":"ConfigMap","kind":"Secret","data":{"a":"***"},"data":{"b":"***"}}"#
        );
        assert_eq!(
            quoted("{kind: ConfigMap, data: {a: b}}"),
            r#"missing metadata.name in object {"kind":"ConfigMap","data":{"a":"b"}}"#
        );
    }
}
