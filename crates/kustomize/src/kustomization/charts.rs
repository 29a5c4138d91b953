//! Charts in kustomization files: they are read for what messages say of them, and never inflated.
//!
//! Contract: kustomize-build §3.15.

use std::collections::BTreeMap;

use millrace_yaml::{Map, Node};

use super::decode::{Raw, record};

record! {
    /// An entry of `helmCharts`.
    pub(crate) struct Chart = "HelmChart" {
        name: String = "name",
        version: String = "version",
        repo: String = "repo",
        release_name: String = "releaseName",
        namespace: String = "namespace",
        additional_values_files: Option<Vec<String>> = "additionalValuesFiles",
        values_file: String = "valuesFile",
        values_inline: Option<BTreeMap<String, Raw>> = "valuesInline",
        values_merge: String = "valuesMerge",
        include_crds: bool = "includeCRDs",
        skip_hooks: bool = "skipHooks",
        api_versions: Option<Vec<String>> = "apiVersions",
        kube_version: String = "kubeVersion",
        name_template: String = "nameTemplate",
        skip_tests: bool = "skipTests",
        debug: bool = "debug",
        devel: bool = "devel",
    }
}

record! {
    /// An entry of `helmChartInflationGenerator`.
    pub(crate) struct OldChart = "HelmChartArgs" {
        name: String = "chartName",
        version: String = "chartVersion",
        repo: String = "chartRepoUrl",
        chart_home: String = "chartHome",
        _repo_name: String = "chartRepoName",
        _program: String = "helmBin",
        config_home: String = "helmHome",
        values_file: String = "values",
        values_inline: Option<BTreeMap<String, Raw>> = "valuesLocal",
        values_merge: String = "valuesMerge",
        release_name: String = "releaseName",
        _release_namespace: String = "releaseNamespace",
        _arguments: Option<Vec<String>> = "extraArgs",
    }
}

record! {
    /// Where charts are; without effect unless charts are inflated.
    pub(crate) struct HelmGlobals = "HelmGlobals" {
        chart_home: String = "chartHome",
        config_home: String = "configHome",
    }
}

impl Chart {
    /// The chart as messages show it, with what all have in common.
    pub(crate) fn shown(&self, globals: &HelmGlobals) -> Node {
        let Self { include_crds, skip_hooks, skip_tests, debug, devel, values_inline, .. } = self;
        let mut map = Map::default();
        let texts = [
            ("chartHome", &globals.chart_home),
            ("configHome", &globals.config_home),
            ("kubeVersion", &self.kube_version),
            ("name", &self.name),
            ("nameTemplate", &self.name_template),
            ("namespace", &self.namespace),
            ("releaseName", &self.release_name),
            ("repo", &self.repo),
            ("valuesFile", &self.values_file),
            ("valuesMerge", &self.values_merge),
            ("version", &self.version),
        ];
        for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            map.insert(key, Node::string(text.as_str()));
        }
        let lists =
            [("additionalValuesFiles", &self.additional_values_files), ("apiVersions", &self.api_versions)];
        for (key, list) in lists {
            if let Some(list) = list.as_ref().filter(|list| !list.is_empty()) {
                map.insert(key, Node::list(list.iter().map(|text| Node::string(text.as_str())).collect()));
            }
        }
        if let Some(values) = values_inline.as_ref().filter(|values| !values.is_empty()) {
            let values = values
                .iter()
                .map(|(key, value)| (millrace_yaml::Scalar::string(key.as_str()), value.0.clone()));
            map.insert("valuesInline", Node::Map(values.collect()));
        }
        let flags = [
            ("debug", debug),
            ("devel", devel),
            ("includeCRDs", include_crds),
            ("skipHooks", skip_hooks),
            ("skipTests", skip_tests),
        ];
        for (key, _) in flags.into_iter().filter(|(_, flag)| **flag) {
            map.insert(key, Node::bool(true));
        }
        Node::Map(map)
    }
}

/// What old entries mean today.
pub(super) fn renew(old: Vec<OldChart>) -> (Vec<Chart>, HelmGlobals) {
    let mut globals = HelmGlobals::default();
    let charts = old.into_iter().map(|old| {
        let homes = [(&mut globals.chart_home, old.chart_home), (&mut globals.config_home, old.config_home)];
        for (home, stated) in homes.into_iter().filter(|(_, stated)| !stated.is_empty()) {
            *home = stated;
        }
        Chart {
            name: old.name,
            version: old.version,
            repo: old.repo,
            values_file: old.values_file,
            values_inline: old.values_inline,
            values_merge: old.values_merge,
            release_name: old.release_name,
            ..Chart::default()
        }
    });
    let charts = charts.collect();
    (charts, globals)
}
