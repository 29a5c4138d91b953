//! Entries that lead nowhere, and folders that are taken in twice.

use super::{OBJECT, Options, build, cli, error, files};

/// Below the root of all files, where nothing bounds what a hint may say.
#[test]
fn entries_that_lead_nowhere_never_tell_what_stands_outside() {
    for (entry, told) in [
        ("../base", "'../base' is not there: did you mean '../../base'?"),
        ("..\\..\\base", "'..\\..\\base' is not there: did you mean '../../base'?"),
        ("../other", "'../other' is not there: '..' has 'prod'"),
        ("prod", "'prod' is not there"),
        ("~/base", "'~/base' is not there: '~' is not expanded, name it by its way from here"),
        ("/etc/base", "'/etc/base' is an absolute path, and nothing is there: name it by its way from here"),
        ("../../../../../etc/base", "'../../../../../etc/base' is not there"),
        ("../../../../../etc", "'../../../../../etc' has no kustomization file"),
    ] {
        let kustomization = format!("resources: ['{entry}']\n");
        let entries = [
            ("home/me/repo/overlays/prod/kustomization.yaml", &*kustomization),
            ("home/me/repo/base/kustomization.yaml", "resources: [a.yaml]\n"),
            ("home/me/repo/base/a.yaml", OBJECT),
            ("etc/hosts", ""),
        ];
        let options = Options { working_folder: Some("/home/me/repo".to_owned()), ..Options::cli("") };
        let error = build(&files(&entries), "overlays/prod", &options).expect_err("the build fails");
        assert_eq!(error.hints, [format!("overlays/prod/kustomization.yaml:1: {told}")], "{entry}");
    }
}

#[test]
fn a_component_that_is_listed_twice_is_told_to_be() {
    let part = |generator: &str| {
        format!(
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n{generator}Generator: [{{name: a}}]\n"
        )
    };
    for (generator, kind) in [("configMap", "ConfigMap"), ("secret", "Secret")] {
        let entries = [
            ("kustomization.yaml", "components: [part, part]\n"),
            ("part/kustomization.yaml", &*part(generator)),
        ];
        let told = format!(
            "part/kustomization.yaml:3: {kind} 'a' (part/kustomization.yaml:3) is of a folder that is taken in twice"
        );
        assert_eq!(error(&entries, &cli()).hints, [told]);
    }
}
