//! The fields of a kustomization file.
//!
//! Contract: kustomize-build §1.2.

use std::collections::BTreeMap;

use millrace_yaml::Node;

use super::charts::{Chart, HelmGlobals, OldChart};
use super::decode::{Decode, DecodeError, Trail, record};
use super::patch_texts::PatchTexts;
use crate::tables::{self, Row};

pub(crate) type StringMap = BTreeMap<String, String>;

record! {
    /// A kustomization file. A field that is a list or a map is `None` where it is absent or null.
    pub(crate) struct Kustomization = "Kustomization" {
        api_version: String = TypeMeta."apiVersion",
        kind: String = TypeMeta."kind",
        metadata: Option<Metadata> = "metadata",
        openapi: Option<StringMap> = "openapi",
        name_prefix: String = "namePrefix",
        name_suffix: String = "nameSuffix",
        namespace: String = "namespace",
        common_labels: Option<StringMap> = "commonLabels",
        labels: Option<Vec<Label>> = "labels",
        common_annotations: Option<StringMap> = "commonAnnotations",
        patches_strategic_merge: Option<PatchTexts> = "patchesStrategicMerge",
        patches_json6902: Option<Vec<Patch>> = "patchesJson6902",
        patches: Option<Vec<Patch>> = "patches",
        images: Option<Vec<Image>> = "images",
        image_tags: Option<Vec<Image>> = "imageTags",
        replacements: Option<Vec<ReplacementField>> = "replacements",
        replicas: Option<Vec<Replica>> = "replicas",
        vars: Option<Vec<Var>> = "vars",
        sort_options: Option<SortOptions> = "sortOptions",
        resources: Option<Vec<String>> = "resources",
        components: Option<Vec<String>> = "components",
        crds: Option<Vec<String>> = "crds",
        bases: Option<Vec<String>> = "bases",
        config_map_generator: Option<Vec<GeneratorArgs>> = "configMapGenerator",
        secret_generator: Option<Vec<SecretArgs>> = "secretGenerator",
        helm_globals: Option<HelmGlobals> = "helmGlobals",
        helm_charts: Option<Vec<Chart>> = "helmCharts",
        helm_chart_inflation_generator: Option<Vec<OldChart>> = "helmChartInflationGenerator",
        generator_options: Option<GeneratorOptions> = "generatorOptions",
        configurations: Option<Vec<String>> = "configurations",
        generators: Option<Vec<String>> = "generators",
        transformers: Option<Vec<String>> = "transformers",
        validators: Option<Vec<String>> = "validators",
        build_metadata: Option<Vec<String>> = "buildMetadata",
    }
}

record! {
    /// Accepted and without effect on the build.
    pub(crate) struct Metadata = "ObjectMeta" {
        name: String = "name",
        namespace: String = "namespace",
        labels: Option<StringMap> = "labels",
        annotations: Option<StringMap> = "annotations",
    }
}

record! {
    /// An entry of `labels`.
    pub(crate) struct Label = "Label" {
        pairs: Option<StringMap> = "pairs",
        include_selectors: bool = "includeSelectors",
        include_templates: bool = "includeTemplates",
        fields: Option<Vec<FieldSpec>> = "fields",
    }
}

record! {
    /// A field of some kinds.
    pub(crate) struct FieldSpec = "FieldSpec" {
        group: String = Gvk."group",
        version: String = Gvk."version",
        kind: String = Gvk."kind",
        path: String = "path",
        create: bool = "create",
    }
}

impl From<&FieldSpec> for Row {
    fn from(field: &FieldSpec) -> Self {
        let FieldSpec { group, version, kind, path, create } = field.clone();
        Self {
            of: tables::Selector { group: group.into(), version: version.into(), kind: kind.into() },
            path: path.into(),
            create,
        }
    }
}

record! {
    /// An entry of `patches` and `patchesJson6902`.
    pub(crate) struct Patch = "Patch" {
        path: String = "path",
        patch: String = "patch",
        target: Option<Selector> = "target",
        options: Option<PatchOptions> = "options",
    }
}

record! {
    /// What a patch may change.
    pub(crate) struct PatchOptions = "PatchArgs" {
        allow_name_change: bool = "allowNameChange",
        allow_kind_change: bool = "allowKindChange",
    }
}

record! {
    /// Which objects something applies to.
    pub(crate) struct Selector = "Selector" {
        group: String = ResId.Gvk."group",
        version: String = ResId.Gvk."version",
        kind: String = ResId.Gvk."kind",
        name: String = ResId."name",
        namespace: String = ResId."namespace",
        annotation_selector: String = "annotationSelector",
        label_selector: String = "labelSelector",
    }
}

record! {
    /// An entry of `images`.
    pub(crate) struct Image = "Image" {
        name: String = "name",
        new_name: String = "newName",
        tag_suffix: String = "tagSuffix",
        new_tag: String = "newTag",
        digest: String = "digest",
    }
}

record! {
    /// An entry of `replacements`: inline, or the path of a file.
    pub(crate) struct ReplacementField = "ReplacementField" {
        source: Option<ReplacementSource> = Replacement."source",
        source_value: Option<String> = Replacement."sourceValue",
        targets: Option<Vec<ReplacementTarget>> = Replacement."targets",
        path: String = "path",
    }
}

record! {
    /// Where a replacement takes its value.
    pub(crate) struct ReplacementSource = "SourceSelector" {
        group: String = ResId.Gvk."group",
        version: String = ResId.Gvk."version",
        kind: String = ResId.Gvk."kind",
        name: String = ResId."name",
        namespace: String = ResId."namespace",
        field_path: String = "fieldPath",
        options: Option<FieldOptions> = "options",
    }
}

/// A selector of what a replacement leaves out: a list of these holds pointers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rejected(pub(crate) Selector);

impl Decode for Rejected {
    fn type_name() -> String {
        Selector::type_name()
    }

    fn item_name() -> String {
        format!("*{}", Self::type_name())
    }

    fn keys() -> &'static [&'static str] {
        Selector::keys()
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        Selector::decode(node, trail).map(Self)
    }
}

record! {
    /// Where a replacement puts its value.
    pub(crate) struct ReplacementTarget = "*TargetSelector" {
        select: Option<Selector> = "select",
        reject: Option<Vec<Rejected>> = "reject",
        field_paths: Option<Vec<String>> = "fieldPaths",
        options: Option<FieldOptions> = "options",
    }
}

record! {
    /// How a part of a value is cut out or put in.
    pub(crate) struct FieldOptions = "FieldOptions" {
        delimiter: String = "delimiter",
        index: isize = "index",
        encoding: String = "encoding",
        create: bool = "create",
    }
}

record! {
    /// An entry of `replicas`.
    pub(crate) struct Replica = "Replica" {
        name: String = "name",
        count: i64 = "count",
    }
}

record! {
    /// An entry of `vars`.
    pub(crate) struct Var = "Var" {
        name: String = "name",
        object: VarObject = "objref",
        field: VarField = "fieldref",
    }
}

record! {
    /// The object a variable's value is read from.
    pub(crate) struct VarObject = "Target" {
        api_version: String = "apiVersion",
        group: String = Gvk."group",
        version: String = Gvk."version",
        kind: String = Gvk."kind",
        name: String = "name",
        namespace: String = "namespace",
    }
}

record! {
    /// The field a variable's value is read from.
    pub(crate) struct VarField = "FieldSelector" {
        path: String = "fieldPath",
    }
}

record! {
    /// The order of the result.
    pub(crate) struct SortOptions = "SortOptions" {
        order: SortOrder = "order",
        legacy: Option<LegacySortOptions> = "legacySortOptions",
    }
}

record! {
    /// Kinds at both ends of the legacy order.
    pub(crate) struct LegacySortOptions = "LegacySortOptions" {
        first: Vec<String> = "orderFirst",
        last: Vec<String> = "orderLast",
    }
}

record! {
    /// An entry of `configMapGenerator`.
    pub(crate) struct GeneratorArgs = "ConfigMapArgs" {
        namespace: String = GeneratorArgs."namespace",
        name: String = GeneratorArgs."name",
        behavior: String = GeneratorArgs."behavior",
        literals: Option<Vec<String>> = GeneratorArgs.KvPairSources."literals",
        files: Option<Vec<String>> = GeneratorArgs.KvPairSources."files",
        envs: Option<Vec<String>> = GeneratorArgs.KvPairSources."envs",
        env: String = GeneratorArgs.KvPairSources."env",
        options: Option<GeneratorOptions> = GeneratorArgs."options",
    }
}

record! {
    /// An entry of `secretGenerator`.
    pub(crate) struct SecretArgs = "SecretArgs" {
        namespace: String = GeneratorArgs."namespace",
        name: String = GeneratorArgs."name",
        behavior: String = GeneratorArgs."behavior",
        literals: Option<Vec<String>> = GeneratorArgs.KvPairSources."literals",
        files: Option<Vec<String>> = GeneratorArgs.KvPairSources."files",
        envs: Option<Vec<String>> = GeneratorArgs.KvPairSources."envs",
        env: String = GeneratorArgs.KvPairSources."env",
        options: Option<GeneratorOptions> = GeneratorArgs."options",
        secret_type: String = "type",
    }
}

record! {
    /// What generated objects have in common.
    pub(crate) struct GeneratorOptions = "GeneratorOptions" {
        labels: Option<StringMap> = "labels",
        annotations: Option<StringMap> = "annotations",
        disable_name_suffix_hash: bool = "disableNameSuffixHash",
        immutable: bool = "immutable",
    }
}

/// `fifo` or `legacy`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SortOrder(pub(crate) String);

impl Decode for SortOrder {
    fn type_name() -> String {
        "types.SortOrder".to_owned()
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        let text = node.as_str().ok_or_else(|| trail.wrong::<Self>(node))?;
        Ok(Self(text.to_owned()))
    }
}
