//! `configMapGenerator` and `secretGenerator`.
//!
//! Contract: kustomize-build §2.4, §3.1–§3.3.

mod absorb;
mod hash;
mod object;
mod sources;

use crate::error::{BuildError, Result};
use crate::hints::{Draft, Key};
use crate::plugins;
use crate::resource::{Collection, Resource};
use crate::syntax;
use crate::target::Target;

pub(crate) use hash::{Refusal, append_hashes};
pub(crate) use object::Args;
use object::Kind;
pub(crate) use sources::split_file;

/// A configured generator.
pub(crate) trait Generator {
    /// What it is called in messages.
    fn name(&self) -> &str;

    /// Makes its object.
    fn generate(&self, target: &Target<'_, '_>) -> Result<Resource>;
}

/// Runs the generators of a target.
pub(crate) fn run(target: &Target<'_, '_>, collection: &mut Collection) -> Result<()> {
    let file = target.kustomization();
    let global = file.generator_options.as_ref();
    let config_maps = file.config_map_generator.iter().flatten().map(|args| Args::config_map(args, global));
    let secrets = file.secret_generator.iter().flatten().map(|args| Args::secret(args, global));
    refuse_charts(target)?;
    let plugins = plugins::generators(target)?;
    let tracked = target.context.tracking.get().enabled;
    for (index, args) in config_maps.enumerate().chain(secrets.enumerate()) {
        let (kind, field) = match args.kind {
            Kind::ConfigMap => ("ConfigMapGenerator", "configMapGenerator"),
            Kind::Secret => ("SecretGenerator", "secretGenerator"),
        };
        let record = tracked.then(|| target.origin().configured_by(target.file_name, kind));
        run_one(&args, record.as_ref(), Some((field, index)), target, collection)?;
    }
    plugins.iter().try_for_each(|configured| {
        run_one(&*configured.plugin, configured.record.as_ref(), None, target, collection)
    })
}

/// Runs one generator; `stated` is the entry of the kustomization file that it is.
fn run_one(
    generator: &dyn Generator,
    record: Option<&millrace_yaml::Node>,
    stated: Option<(&str, usize)>,
    target: &Target<'_, '_>,
    collection: &mut Collection,
) -> Result<()> {
    target.context.admit(1)?;
    let mut resource = generator.generate(target)?;
    resource.origin = record.map(|record| syntax::print_wide(record).into());
    let (id, file) = (resource.id(), resource.file);
    let is_only = || {
        let content = target.kustomization();
        let is_own = |name: &&String| name.as_str() == generator.name();
        let (maps, secrets) = (content.config_map_generator.iter(), content.secret_generator.iter());
        let count = match stated {
            Some(("secretGenerator", _)) => secrets.flatten().map(|args| &args.name).filter(is_own).count(),
            Some(_) => maps.flatten().map(|args| &args.name).filter(is_own).count(),
            None => 0,
        };
        count == 1
    };
    absorb::absorb(resource, collection, &is_only, target.context).map_err(|error| {
        let error = error.wrap(format_args!("merging from generator {}", generator.name()));
        let error =
            if error.drafts().is_empty() { error.with_hint("this generator is what fails") } else { error };
        error.with_hints_at(&match stated {
            Some((field, index)) => {
                Draft::field(&target.file(), vec![Key::name(field), Key::Item(index)], None)
            }
            None => Draft::default().and_id(file, id, &target.context.names),
        })
    })
}

/// Charts need a program that no controller runs.
pub(crate) fn refuse_charts(target: &Target<'_, '_>) -> Result<()> {
    let file = target.kustomization();
    let Some(chart) = file.helm_charts.as_ref().and_then(|charts| charts.first()) else { return Ok(()) };
    let mut chart = chart.clone();
    if chart.namespace.is_empty() {
        target.nearest_namespace().clone_into(&mut chart.namespace);
    }
    let globals = file.helm_globals.clone().unwrap_or_default();
    let shown = syntax::print_sorted(&chart.shown(&globals));
    Err(BuildError::new(format!(
        "trouble configuring builtin HelmChartInflationGenerator with config: `\n{shown}`: must specify --enable-helm"
    )))
}

/// The error of a generator that has no name.
fn nameless() -> BuildError {
    BuildError::new("a configmap must have a name").with_hint("the entry has no name: each needs one")
}
