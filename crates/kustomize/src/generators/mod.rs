//! `configMapGenerator` and `secretGenerator`.
//!
//! Contract: kustomize-build §2.4, §3.1–§3.3.

mod absorb;
mod hash;
mod object;
mod sources;

use crate::error::{BuildError, Result};
use crate::go;
use crate::resource::{Collection, Resource};
use crate::target::Target;
use object::{Args, Kind};

pub(crate) use hash::append_hashes;

/// Runs the generators of a target.
pub(crate) fn run(target: &Target<'_, '_>, collection: &mut Collection) -> Result<()> {
    let file = target.kustomization();
    let global = file.generator_options.as_ref();
    let config_maps = file.config_map_generator.iter().flatten().map(|args| Args::config_map(args, global));
    let secrets = file.secret_generator.iter().flatten().map(|args| Args::secret(args, global));
    for args in config_maps.chain(secrets) {
        target.context.admit(1)?;
        let mut resource = object::generate(&args, target)?;
        if target.context.tracking.get().enabled {
            let kind = match args.kind {
                Kind::ConfigMap => "ConfigMapGenerator",
                Kind::Secret => "SecretGenerator",
            };
            let record = target.origin().configured_by(target.file_name, kind);
            resource.origin = Some(crate::syntax::print(&record).into());
        }
        absorb_one(resource, &args, target, collection)?;
    }
    Ok(())
}

fn absorb_one(
    resource: Resource,
    args: &Args,
    target: &Target<'_, '_>,
    collection: &mut Collection,
) -> Result<()> {
    absorb::absorb(resource, collection, target.context).map_err(|error| {
        let name = go::quote(&args.name);
        error
            .wrap(format_args!("merging from generator {}", args.name))
            .with_hint(format!("the generator of {name} in {}", target.file()))
    })
}

/// The error of a generator that has no name.
fn nameless() -> BuildError {
    BuildError::new("a configmap must have a name")
}
