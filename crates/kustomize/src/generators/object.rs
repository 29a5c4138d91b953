//! Objects from a generator's arguments.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millrace_yaml::{Map, Node, Scalar, ScalarKind, Style};

use super::{Generator, nameless, sources};
use crate::error::{BuildError, Result};
use crate::hints::{self, Draft};
use crate::kustomization::{GeneratorArgs, GeneratorOptions, SecretArgs, StringMap};
use crate::resource::{Behavior, Name, Resource};
use crate::syntax;
use crate::target::Target;

/// The width of a line of base64 text.
const BASE64_WIDTH: usize = 70;

/// What is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ConfigMap,
    Secret,
}

/// The arguments of one generator, the global options merged in.
#[derive(Debug)]
pub(crate) struct Args {
    pub(super) kind: Kind,
    pub(super) name: String,
    namespace: String,
    behavior: Behavior,
    secret_type: String,
    pub(super) literals: Vec<String>,
    pub(super) files: Vec<String>,
    pub(super) envs: Vec<String>,
    options: GeneratorOptions,
}

impl Args {
    pub(crate) fn config_map(args: &GeneratorArgs, global: Option<&GeneratorOptions>) -> Self {
        let GeneratorArgs { namespace, name, behavior, literals, files, envs, env: _, options } =
            args.clone();
        Self {
            kind: Kind::ConfigMap,
            name,
            namespace,
            behavior: behavior_of(&behavior),
            secret_type: String::new(),
            literals: literals.unwrap_or_default(),
            files: files.unwrap_or_default(),
            envs: envs.unwrap_or_default(),
            options: with_global(options, global),
        }
    }

    pub(crate) fn secret(args: &SecretArgs, global: Option<&GeneratorOptions>) -> Self {
        let SecretArgs { namespace, name, behavior, literals, files, envs, env: _, options, secret_type } =
            args.clone();
        Self {
            kind: Kind::Secret,
            name,
            namespace,
            behavior: behavior_of(&behavior),
            secret_type,
            literals: literals.unwrap_or_default(),
            files: files.unwrap_or_default(),
            envs: envs.unwrap_or_default(),
            options: with_global(options, global),
        }
    }
}

fn behavior_of(text: &str) -> Behavior {
    match text {
        "merge" => Behavior::Merge,
        "replace" => Behavior::Replace,
        "create" => Behavior::Create,
        _ => Behavior::Unspecified,
    }
}

/// Global labels and annotations fill in what is missing; a global true wins.
fn with_global(local: Option<GeneratorOptions>, global: Option<&GeneratorOptions>) -> GeneratorOptions {
    let mut options = local.unwrap_or_default();
    let Some(global) = global else { return options };
    for (local, global) in
        [(&mut options.labels, &global.labels), (&mut options.annotations, &global.annotations)]
    {
        for (key, value) in global.iter().flatten() {
            local.get_or_insert_default().entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    options.disable_name_suffix_hash |= global.disable_name_suffix_hash;
    options.immutable |= global.immutable;
    options
}

impl Args {
    /// The env files that are read.
    pub(crate) fn envs(&self) -> &[String] {
        &self.envs
    }

    /// The files that are read, as they are stated.
    pub(crate) fn files(&self) -> &[String] {
        &self.files
    }
}

impl Generator for Args {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(&self, target: &Target<'_, '_>) -> Result<Resource> {
        generate(self, target)
    }
}

/// Makes the object of a generator.
fn generate(args: &Args, target: &Target<'_, '_>) -> Result<Resource> {
    if args.name.is_empty() {
        return Err(nameless());
    }
    let options = [&args.options.labels, &args.options.annotations];
    let shared = options.into_iter().flatten().flatten().map(|(key, value)| key.len() + value.len());
    target.context.make(shared.sum()).map_err(BuildError::limit)?;
    let pairs = pairs(args, target)?;
    let mut object = Map::default();
    object.insert("apiVersion", Node::string("v1"));
    object.insert(
        "kind",
        Node::string(match args.kind {
            Kind::ConfigMap => "ConfigMap",
            Kind::Secret => "Secret",
        }),
    );
    object.insert("metadata", metadata(args));
    match args.kind {
        Kind::ConfigMap => insert_config_map_data(&mut object, pairs),
        Kind::Secret => {
            let secret_type = if args.secret_type.is_empty() { "Opaque" } else { &args.secret_type };
            object.insert("type", Node::string(secret_type));
            let data = pairs.into_iter().map(|(key, value)| (syntax::key(&key), encoded(&value)));
            object.insert("data", Node::Map(data.collect()));
        }
    }
    if args.options.immutable {
        object.insert("immutable", Node::bool(true));
    }
    let names = &target.context.names;
    let mut resource = Resource::new(Node::Map(object), Name::EMPTY, names);
    resource.needs_hash |= !args.options.disable_name_suffix_hash;
    resource.behavior = Some(args.behavior);
    resource.file = names.intern(&target.file());
    Ok(resource)
}

fn metadata(args: &Args) -> Node {
    let mut metadata = Map::default();
    metadata.insert("name", Node::Scalar(syntax::string(&args.name)));
    if !args.namespace.is_empty() {
        metadata.insert("namespace", Node::Scalar(syntax::string(&args.namespace)));
    }
    for (field, values) in [("labels", &args.options.labels), ("annotations", &args.options.annotations)] {
        if let Some(values) = values.as_ref().filter(|values| !values.is_empty()) {
            metadata.insert(field, strings(values));
        }
    }
    Node::Map(metadata)
}

fn strings(values: &StringMap) -> Node {
    Node::Map(values.iter().map(|(key, value)| (syntax::key(key), text_node(value))).collect())
}

fn pairs<'t>(args: &Args, target: &Target<'t, '_>) -> Result<BTreeMap<String, Cow<'t, [u8]>>> {
    let loaded = sources::load(args, &target.loader).map_err(|error| error.wrap("loading KV pairs"))?;
    let mut pairs = BTreeMap::new();
    for (key, value) in loaded {
        if let Some(key) = pairs.contains_key(&key).then_some(&key) {
            let name = &args.name;
            let failed = BuildError::new(format!("configmap {name} illegally repeats the key `{key}`"));
            let twice = Draft::from(format!("the key {} is given twice", hints::quoted(key)));
            return Err(failed.with_hint(match &sources::givers(args, &target.loader, key)[..] {
                [first, second, ..] => twice.and(", by ").and_draft(first).and(" and ").and_draft(second),
                [] | [_] => twice,
            }));
        }
        pairs.insert(key, value);
    }
    Ok(pairs)
}

/// Text goes into `data`, everything else into `binaryData`; neither is made without need.
fn insert_config_map_data(object: &mut Map, pairs: BTreeMap<String, Cow<'_, [u8]>>) {
    let (mut data, mut binary) = (Map::default(), Map::default());
    for (key, value) in pairs {
        match std::str::from_utf8(&value) {
            Ok(text) => data.push(syntax::key(&key), text_node(text)),
            Err(_) => binary.push(syntax::key(&key), encoded(&value)),
        }
    }
    for (field, values) in [("data", data), ("binaryData", binary)] {
        if !values.is_empty() {
            object.insert(field, Node::Map(values));
        }
    }
}

/// A string in the style that the reference gives those it generates.
pub(super) fn text_node(text: &str) -> Node {
    Node::Scalar(if text.contains('\n') {
        Scalar::new(text, ScalarKind::Str, Style::Literal)
    } else {
        syntax::string(text)
    })
}

/// Base64 in lines, the last one ended as well, where it does not fit on one.
fn encoded(value: &[u8]) -> Node {
    let text = STANDARD.encode(value);
    if text.len() < BASE64_WIDTH {
        return text_node(&text);
    }
    let mut lines = String::with_capacity(text.len() + text.len() / BASE64_WIDTH + 1);
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, more) = rest.split_at(rest.len().min(BASE64_WIDTH));
        lines.push_str(line);
        lines.push('\n');
        rest = more;
    }
    text_node(&lines)
}
