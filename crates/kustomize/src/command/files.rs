//! The files that `-o FOLDER` asks for.

use std::collections::BTreeSet;

use millrace_yaml::print;

use crate::build::Output;
use crate::resource::{split_api_version, text_at};

/// A file with one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Its name in the folder.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// One file for each object of a build, in the order in which they are written.
pub fn output_files(output: &Output) -> Vec<OutputFile> {
    let namespaces: Vec<Option<String>> = output
        .resources
        .iter()
        .zip(&output.cluster_scoped)
        .map(|(node, cluster)| {
            let namespace = match text_at(node, &["metadata", "namespace"]) {
                "" => "default",
                namespace => namespace,
            };
            (!cluster).then(|| namespace.to_owned())
        })
        .collect();
    let several = namespaces.iter().flatten().collect::<BTreeSet<_>>().len() > 1;
    let mut files: Vec<(bool, OutputFile)> = output
        .resources
        .iter()
        .zip(&namespaces)
        .map(|(node, namespace)| {
            let (group, version) = split_api_version(text_at(node, &["apiVersion"]));
            let kind = text_at(node, &["kind"]);
            let gvk: Vec<&str> = [group, version, kind].into_iter().filter(|part| !part.is_empty()).collect();
            let own =
                format!("{}_{}.yaml", gvk.join("_"), text_at(node, &["metadata", "name"])).to_lowercase();
            let name = match namespace {
                Some(namespace) if several => format!("{}_{own}", namespace.to_lowercase()),
                Some(_) | None => own,
            };
            (namespace.is_none(), OutputFile { name, text: print::documents(std::slice::from_ref(node)) })
        })
        .collect();
    files.sort_by_key(|(cluster, _)| *cluster);
    files.into_iter().map(|(_, file)| file).collect()
}
