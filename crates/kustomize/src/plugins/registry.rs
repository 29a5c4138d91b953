//! The built-in plugins by kind.

use millrace_yaml::Node;

use super::config::{
    self, Annotations, ImageTag, JsonPatchConfig, Labels, Named, Namespace, Replacements, ReplicaCount,
    StrategicPatches, decode, decode_as, decode_embedded,
};
use super::{affixes, iam_policy, value_add};
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::generators::{self, Args, Generator};
use crate::kustomization::{FieldSpec, GeneratorArgs, Patch, SecretArgs};
use crate::replacements;
use crate::resource::Collection;
use crate::syntax;
use crate::tables::Row;
use crate::target::Target;
use crate::transformers::{self, Subjects, Transform};

/// A configured plugin.
pub(super) enum Builtin {
    Generator(Box<dyn Generator>),
    Transformer(Box<dyn Transform>),
}

type Configure = fn(&Node, &Target<'_, '_>) -> Result<Builtin>;

const BUILTINS: &[(&str, Configure)] = &[
    ("AnnotationsTransformer", annotations),
    ("ConfigMapGenerator", config_map),
    ("HashTransformer", hash),
    ("HelmChartInflationGenerator", helm),
    ("IAMPolicyGenerator", iam),
    ("ImageTagTransformer", image),
    ("LabelTransformer", labels),
    ("NamespaceTransformer", namespace),
    ("PatchJson6902Transformer", json_patch),
    ("PatchStrategicMergeTransformer", strategic_patches),
    ("PatchTransformer", patch),
    ("PrefixSuffixTransformer", prefix_and_suffix),
    ("PrefixTransformer", prefix),
    ("ReplacementTransformer", replacement),
    ("ReplicaCountTransformer", replicas),
    ("SecretGenerator", secret),
    ("SuffixTransformer", suffix),
    ("ValueAddTransformer", value),
];

/// How a kind is configured.
pub(super) fn find(kind: &str) -> Option<Configure> {
    BUILTINS.iter().find(|(name, _)| *name == kind).map(|(_, configure)| *configure)
}

/// The kinds that there are.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> + Clone {
    BUILTINS.iter().map(|(name, _)| *name)
}

/// Steps that run as one.
struct All(Vec<Box<dyn Transform>>);

impl Transform for All {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        self.0.iter().try_for_each(|step| step.run(collection, context))
    }
}

struct AppendHashes;

impl Transform for AppendHashes {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        generators::append_hashes(collection, context)
    }
}

fn rows(fields: Option<&Vec<FieldSpec>>) -> Vec<Row> {
    fields.into_iter().flatten().map(Row::from).collect()
}

fn annotations(config: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    let Annotations { annotations, field_specs } = decode(config)?;
    Ok(Builtin::Transformer(transformers::set_entries(
        annotations.unwrap_or_default(),
        &rows(field_specs.as_ref()),
    )))
}

fn labels(config: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    let Labels { labels, field_specs } = decode(config)?;
    Ok(Builtin::Transformer(transformers::set_entries(
        labels.unwrap_or_default(),
        &rows(field_specs.as_ref()),
    )))
}

fn namespace(config: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    let failed = |error: BuildError| error.wrap("unmarshalling NamespaceTransformer config");
    let Namespace { metadata, field_specs, unset_only, subjects } = decode(config).map_err(failed)?;
    let subjects = match subjects.0.as_str() {
        "" | "defaultOnly" => Subjects::Default,
        "allServiceAccounts" => Subjects::ServiceAccounts,
        "none" => Subjects::None,
        other => {
            let other = crate::go::quote(other);
            return Err(BuildError::new(format!(
                "invalid value {other} for setRoleBindingSubjects: must be one of \"defaultOnly\", \"none\" or \"allServiceAccounts\""
            )));
        }
    };
    let namespace = metadata.unwrap_or_default().namespace;
    Ok(Builtin::Transformer(transformers::set_namespace(
        namespace,
        &rows(field_specs.as_ref()),
        unset_only,
        subjects,
    )))
}

fn prefix(config: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    let (prefix, rows) = affixes::decode(config, "prefix")?;
    Ok(Builtin::Transformer(transformers::add_prefix(prefix, &rows)))
}

fn suffix(config: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    let (suffix, rows) = affixes::decode(config, "suffix")?;
    Ok(Builtin::Transformer(transformers::add_suffix(suffix, &rows)))
}

fn prefix_and_suffix(config: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    let (prefix, rows) = affixes::decode(config, "prefix")?;
    let (suffix, _) = affixes::decode(config, "suffix")?;
    let both = vec![transformers::add_prefix(prefix, &rows), transformers::add_suffix(suffix, &rows)];
    Ok(Builtin::Transformer(Box::new(All(both))))
}

fn image(config: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    let ImageTag { image, field_specs } = decode(config)?;
    Ok(Builtin::Transformer(transformers::set_image(image, &rows(field_specs.as_ref()))?))
}

fn replicas(config: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    let ReplicaCount { replica, field_specs } = decode(config)?;
    Ok(Builtin::Transformer(transformers::set_replicas(replica, &rows(field_specs.as_ref()))))
}

fn patch(config: &Node, target: &Target<'_, '_>) -> Result<Builtin> {
    let patch: Patch = decode_as(config, "PatchTransformerPlugin")?;
    Ok(Builtin::Transformer(transformers::apply_patch(&patch, target, &|| syntax::print_sorted(config))?))
}

fn json_patch(config: &Node, target: &Target<'_, '_>) -> Result<Builtin> {
    let JsonPatchConfig { target: selector, path, operations } = decode(config)?;
    let patch = Patch { path, patch: operations, target: selector, options: None };
    Ok(Builtin::Transformer(transformers::apply_json_patch(&patch, target)?))
}

fn strategic_patches(config: &Node, target: &Target<'_, '_>) -> Result<Builtin> {
    let StrategicPatches { paths, patches } = decode(config)?;
    let paths = paths.unwrap_or_default();
    Ok(Builtin::Transformer(transformers::apply_strategic_patches(&paths, &patches, target)?))
}

fn replacement(config: &Node, target: &Target<'_, '_>) -> Result<Builtin> {
    let Replacements { replacements } = decode(config)?;
    Ok(Builtin::Transformer(replacements::replace(&replacements.unwrap_or_default(), target, None)?))
}

#[expect(clippy::unnecessary_wraps, reason = "all kinds of steps are configured alike")]
fn hash(_: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    Ok(Builtin::Transformer(Box::new(AppendHashes)))
}

fn value(config: &Node, target: &Target<'_, '_>) -> Result<Builtin> {
    Ok(Builtin::Transformer(value_add::configure(decode(config)?, target)?))
}

fn config_map(config: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    let mut args: GeneratorArgs = decode_embedded(config, "ConfigMapGeneratorPlugin", "ConfigMapArgs")?;
    name_after(config, &mut args.name, &mut args.namespace)?;
    Ok(Builtin::Generator(Box::new(Args::config_map(&args, None))))
}

fn secret(config: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    let mut args: SecretArgs = decode_embedded(config, "SecretGeneratorPlugin", "SecretArgs")?;
    name_after(config, &mut args.name, &mut args.namespace)?;
    Ok(Builtin::Generator(Box::new(Args::secret(&args, None))))
}

/// A generator that names nothing is called like its configuration.
fn name_after(config: &Node, name: &mut String, namespace: &mut String) -> Result<()> {
    let Named { metadata } = decode(config)?;
    let metadata = metadata.unwrap_or_default();
    for (own, other) in [(name, metadata.name), (namespace, metadata.namespace)] {
        if own.is_empty() {
            *own = other;
        }
    }
    Ok(())
}

fn iam(config: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    Ok(Builtin::Generator(iam_policy::configure(decode_embedded::<config::IamPolicy>(
        config,
        "IAMPolicyGeneratorPlugin",
        "IAMPolicyGeneratorArgs",
    )?)))
}

fn helm(_: &Node, _: &Target<'_, '_>) -> Result<Builtin> {
    Err(BuildError::new("must specify --enable-helm"))
}
