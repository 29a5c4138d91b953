//! What each fuzz target does with its input.
//!
//! A target takes bytes of any kind to the readers of the repository and panics where a promise is broken: what is read is
//! within its limits, what is printed reads as what it was, what is refused is refused with an error. `fuzz/` links each to
//! libFuzzer (`cargo xtask fuzz TARGET`); a test of this crate replays the corpora in `fuzz/corpus/`.
//!
//! A new target is a file here, a line in [`TARGETS`], a program in `fuzz/fuzz_targets/` and a folder of seeds. Where input has
//! a structure, it is text that a person can write: see `sections`.

#[cfg(feature = "io")]
mod event_body;
#[cfg(feature = "io")]
mod flags;
#[cfg(feature = "io")]
mod ignore_rules;
mod kustomize_build;
mod patch;
#[cfg(feature = "io")]
mod receiver_body;
mod repository_address;
mod sections;
mod structured_text;
mod substitution;
#[cfg(feature = "io")]
mod tar_read;
mod trees;
#[cfg(feature = "io")]
mod values;
mod yaml_print;
mod yaml_read;

/// A function that takes any bytes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its program and of its corpus.
    pub name: &'static str,
    /// Runs it once; panics where something is wrong.
    pub run: fn(&[u8]),
}

/// Every target, by name.
pub const TARGETS: &[Target] = &[
    #[cfg(feature = "io")]
    Target { name: "event_body", run: event_body::run },
    #[cfg(feature = "io")]
    Target { name: "flags", run: flags::run },
    #[cfg(feature = "io")]
    Target { name: "ignore_rules", run: ignore_rules::run },
    Target { name: "kustomize_build", run: kustomize_build::run },
    Target { name: "patch", run: patch::run },
    #[cfg(feature = "io")]
    Target { name: "receiver_body", run: receiver_body::run },
    Target { name: "repository_address", run: repository_address::run },
    Target { name: "structured_text", run: structured_text::run },
    Target { name: "substitution", run: substitution::run },
    #[cfg(feature = "io")]
    Target { name: "tar_read", run: tar_read::run },
    #[cfg(feature = "io")]
    Target { name: "values", run: values::run },
    Target { name: "yaml_print", run: yaml_print::run },
    Target { name: "yaml_read", run: yaml_read::run },
];

/// Runs the target of that name; an unknown one does nothing.
pub fn run(name: &str, data: &[u8]) {
    if let Some(target) = TARGETS.iter().find(|target| target.name == name) {
        (target.run)(data);
    }
}
