//! The files that `-o FOLDER` asks for.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use millrace_kustomize::{Output, WrittenId, go};
use millrace_yaml::{Node, Scalar, ScalarKind, print};

/// A file with one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputFile {
    /// Its name in the folder.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
}

/// One file for each object of a build, in the order in which they are written.
///
/// # Errors
/// What an object says about itself is no name of a file in one folder; the text names the object and the file.
pub(crate) fn output_files(output: &Output) -> Result<Vec<OutputFile>, String> {
    let namespaces: Vec<Option<String>> = output.written_ids.iter().map(namespace_of).collect();
    let several = namespaces.iter().flatten().collect::<BTreeSet<_>>().len() > 1;
    let files: Result<Vec<(bool, OutputFile)>, String> = output
        .resources
        .iter()
        .zip(output.written_ids.iter().zip(&namespaces))
        .map(|(node, (id, namespace))| {
            let gvk: Vec<&str> =
                [&*id.group, &id.version, &id.kind].into_iter().filter(|part| !part.is_empty()).collect();
            let own = format!("{}_{}.yaml", lowercase(&gvk.join("_")), lowercase(&id.name));
            let name = match namespace {
                Some(namespace) if several => format!("{}_{own}", lowercase(namespace)),
                Some(_) | None => own,
            };
            check(&name, node)?;
            let text = print::documents(std::slice::from_ref(node));
            Ok((namespace.is_none(), OutputFile { name, text }))
        })
        .collect();
    let mut files = files?;
    files.sort_by_key(|(cluster, _)| *cluster);
    Ok(files.into_iter().map(|(_, file)| file).collect())
}

/// The namespace that an object is in; `None` where its kind has none.
fn namespace_of(id: &WrittenId) -> Option<String> {
    let namespace = if id.namespace.is_empty() { "default" } else { &id.namespace };
    (!id.is_cluster_scoped).then(|| namespace.to_owned())
}

/// Small letters, as Go has them: each is one character.
fn lowercase(text: &str) -> String {
    text.chars().filter_map(|letter| letter.to_lowercase().next()).collect()
}

/// The text of the scalar at `path`, whatever its type; empty where there is none or it is null.
fn text_at<'n>(node: &'n Node, path: &[&str]) -> &'n str {
    let scalar = node.at(path).and_then(Node::as_scalar);
    scalar.filter(|scalar| scalar.kind() != ScalarKind::Null).map_or("", Scalar::text)
}

/// Refuses a name that leads anywhere but to a file in the folder itself.
fn check(name: &str, node: &Node) -> Result<(), String> {
    let mut parts = Path::new(name).components();
    let is_own =
        matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name);
    if is_own && !name.contains('\0') {
        return Ok(());
    }
    let text = |path: &[&str]| go::quote(text_at(node, path));
    Err(format!(
        "cannot write the object of apiVersion {}, kind {} and name {} to {}: that is no name of a file",
        text(&["apiVersion"]),
        text(&["kind"]),
        text(&["metadata", "name"]),
        go::quote(name),
    ))
}
