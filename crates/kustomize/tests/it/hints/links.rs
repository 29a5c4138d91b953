//! What is there and is not what its name says: links that lead nowhere, and folders.

use std::borrow::Cow;

use millrace_kustomize::{FileKind, FileSystem, MemoryFiles, ReadError};

use super::{OBJECT, build, cli, error, files};

/// Files beside which a link stands that leads nowhere.
struct Linked(MemoryFiles, &'static str);

impl FileSystem for Linked {
    fn kind(&self, path: &str) -> Option<FileKind> {
        self.0.kind(path)
    }

    fn read(&self, path: &str) -> Result<Cow<'_, [u8]>, ReadError> {
        self.0.read(path)
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let mut names = self.0.list(path)?;
        names.extend(path.is_empty().then(|| self.1.to_owned()));
        Some(names)
    }
}

#[test]
fn a_link_that_leads_nowhere_is_not_told_to_be_meant() {
    for (link, kustomization, told) in [
        (
            "a.yaml",
            "resources: [a.yaml]\n",
            "kustomization.yaml:1: 'a.yaml' is not there: the link leads nowhere",
        ),
        (
            "base",
            "resources: [base/a.yaml]\n",
            "kustomization.yaml:1: 'base/a.yaml' is not there: 'base' is a link that leads nowhere",
        ),
    ] {
        let files = Linked(files(&[("kustomization.yaml", kustomization), ("b.yaml", OBJECT)]), link);
        assert_eq!(build(&files, "", &cli()).expect_err("the build fails").hints, [told]);
    }
    let files = Linked(files(&[("b.yaml", OBJECT)]), "kustomization.yaml");
    let told = "'.' has no kustomization file: 'kustomization.yaml' is a link that leads nowhere";
    assert_eq!(build(&files, "", &cli()).expect_err("the build fails").hints, [told]);
}

#[test]
fn a_folder_is_not_told_to_be_called_like_a_kustomization_file() {
    for (file, told) in [
        ("kustomization.yaml/x", "'.' has no kustomization file: 'kustomization.yaml' is a folder"),
        ("kustomize/x", "'.' has no kustomization file: it has 'kustomize'"),
    ] {
        assert_eq!(error(&[(file, "")], &cli()).hints, [told]);
    }
}

/// A certificate is no key, whatever both are called; settings may be written in many ways.
#[test]
fn a_file_with_another_ending_is_offered_where_it_may_hold_the_same() {
    for (wanted, there, offered) in [
        ("tls.key", "tls.crt", false),
        ("server.key", "server.crt", false),
        ("ca.pem", "ca.key", false),
        ("app.conf", "app.cfg", true),
        ("a.yml", "a.yaml", true),
        ("a.yalm", "a.yaml", true),
        ("base", "base.yaml", true),
    ] {
        let kustomization = format!("configMapGenerator:\n- name: c\n  files: [{wanted}]\n");
        let told = error(&[("kustomization.yaml", &kustomization), (there, "x")], &cli()).hints;
        let instead =
            if offered { format!("did you mean '{there}'?") } else { format!("the folder has '{there}'") };
        assert_eq!(told, [format!("kustomization.yaml:3: '{wanted}' is not there: {instead}")]);
    }
}
