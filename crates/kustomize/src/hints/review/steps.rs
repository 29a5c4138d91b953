//! What generators, patches, plugins and tables name.

use millrace_yaml::Node;

use super::{Entry, Review, is_utf8, parse_draft, way};
use crate::configurations;
use crate::error::{BuildError, Result};
use crate::generators::{self, Args, Generator as _};
use crate::hints::entries::{self, Wants};
use crate::hints::{Draft, Key, quoted, syntax_errors};
use crate::kustomization::{GeneratorOptions, Kustomization, Patch};
use crate::replacements;
use crate::resource::{Name, ParseError, parse_resources};
use crate::syntax;
use crate::target::Target;
use crate::transformers;

/// Whether a file that a list names can be used.
type Check = fn(&str, &Target<'_, '_>) -> Result<()>;

impl<'r, 'b> Review<'r, 'b> {
    /// Files of `configurations`, `crds` and `openapi`.
    pub(super) fn tables(&mut self, target: &Target<'r, 'b>, file: &str) {
        let content = target.kustomization();
        let lists: [(&str, _, Check); 2] = [
            ("configurations", &content.configurations, configurations::check_configuration),
            ("crds", &content.crds, configurations::check_crd),
        ];
        for (field, entries, check) in lists {
            for (index, text) in entries.iter().flatten().enumerate() {
                let entry = Entry { file, way: way([Key::name(field), Key::Item(index)]), text };
                if self.file(&target.loader, &entry)
                    && let Err(error) = check(text, target)
                {
                    if field == "crds" && is_crd(text, target) {
                        self.misplaced_crd(&error, &entry);
                    } else {
                        self.in_file(&error, target, &entry, "this file cannot be used");
                    }
                }
            }
        }
        let path = content.openapi.as_ref().and_then(|openapi| openapi.get("path"));
        if let Some(text) = path.filter(|path| !path.is_empty()) {
            self.file(
                &target.loader,
                &Entry { file, way: way([Key::name("openapi"), Key::name("path")]), text },
            );
        }
    }

    /// A definition of the cluster's in the place of one of its parts.
    fn misplaced_crd(&mut self, error: &BuildError, entry: &Entry<'_>) {
        let is_first = self.is_it(error);
        let says =
            "is a CustomResourceDefinition, and crds takes OpenAPI definitions: list it under resources";
        self.found(error, || entry.draft(format!("{} {says}", quoted(entry.text))));
        if is_first {
            self.reviewed.cause.clone_from(&self.reviewed.hint);
        }
    }

    /// An error of the content of a file that an entry names.
    fn in_file(&mut self, error: &BuildError, target: &Target<'r, 'b>, entry: &Entry<'_>, otherwise: &str) {
        let path = target.loader.display(entry.text);
        let own = error.drafts().first().cloned();
        self.found(error, || own.unwrap_or_else(|| Draft::line(&path, None).and(": ").and(otherwise)));
    }

    pub(super) fn generators(&mut self, target: &Target<'r, 'b>, file: &str) {
        let content = target.kustomization();
        if let Err(error) = generators::refuse_charts(target) {
            let entry = Entry { file, way: way([Key::name("helmCharts")]), text: "" };
            self.found(&error, || {
                entry.draft("charts are never inflated here: keep their output among your files, or use a HelmRelease")
            });
        }
        self.plugins(target, file, "generators", content.generators.as_deref().unwrap_or_default());
        let global = content.generator_options.as_ref();
        self.generator_list(target, file, "configMapGenerator", global, |content, global| {
            content.config_map_generator.iter().flatten().map(|args| Args::config_map(args, global)).collect()
        });
        self.generator_list(target, file, "secretGenerator", global, |content, global| {
            content.secret_generator.iter().flatten().map(|args| Args::secret(args, global)).collect()
        });
    }

    fn generator_list(
        &mut self,
        target: &Target<'r, 'b>,
        file: &str,
        field: &str,
        global: Option<&GeneratorOptions>,
        args: impl Fn(&Kustomization, Option<&GeneratorOptions>) -> Vec<Args>,
    ) {
        for (index, args) in args(target.kustomization(), global).into_iter().enumerate() {
            let at = |list: &str, item| {
                way([Key::name(field), Key::Item(index), Key::name(list), Key::Item(item)])
            };
            let mut complete = true;
            for (item, text) in args.envs().iter().enumerate() {
                complete &= self.file(&target.loader, &Entry { file, way: at("envs", item), text });
            }
            for (item, source) in args.files().iter().enumerate() {
                let entry = Entry { file, way: at("files", item), text: source };
                let path = match generators::split_file(source) {
                    Ok((_, path)) => path,
                    Err(text) => {
                        complete = false;
                        self.found(&BuildError::new(text), || {
                            entry.draft("an entry is a file, or key=file with one '='")
                        });
                        continue;
                    }
                };
                if let Err(error) = target.loader.load_bytes(path) {
                    complete = false;
                    let words = self.words(&error);
                    self.found(&error, || {
                        let says = entries::explain(&target.loader, path, Wants::File);
                        entry.draft(says.unwrap_or(words))
                    });
                }
            }
            if let Some(error) = complete.then(|| args.generate(target).err()).flatten() {
                let entry = Entry { file, way: way([Key::name(field), Key::Item(index)]), text: "" };
                let own = error.drafts().first().cloned();
                let place = Draft::field(file, entry.way.clone(), None);
                self.found(&error, || {
                    own.map_or_else(
                        || entry.draft("nothing can be generated from this"),
                        |own| own.placed(&place),
                    )
                });
            }
        }
    }

    /// Plugins that stand in files.
    pub(super) fn plugins(&mut self, target: &Target<'r, 'b>, file: &str, field: &str, entries: &[String]) {
        for (index, text) in entries.iter().enumerate() {
            let entry = Entry { file, way: way([Key::name(field), Key::Item(index)]), text };
            if !self.is_inline(target, &entry, "text") {
                self.objects(target, &entry);
                if field == "generators" {
                    self.sources(target, &entry);
                }
            }
        }
    }

    /// The files that the generators in a file name.
    fn sources(&mut self, target: &Target<'r, 'b>, entry: &Entry<'_>) {
        let Ok(text) = target.loader.load(entry.text) else { return };
        let Ok(objects) = parse_resources(&text, Name::EMPTY, &self.context.names) else { return };
        let file = target.loader.display(entry.text);
        let is_one = |node: &Node| {
            matches!(node.str_at(&["kind"]), Some("ConfigMapGenerator" | "SecretGenerator"))
                && node.str_at(&["apiVersion"]) == Some("builtin")
        };
        for object in objects.iter().filter(|object| is_one(&object.node)) {
            for list in ["envs", "files"] {
                let items = object.node.get(list).and_then(Node::as_list).into_iter().flatten();
                for (index, source) in items.enumerate() {
                    let Some(source) = source.as_str() else { continue };
                    let path = match list {
                        "files" => generators::split_file(source).map_or(source, |(_, path)| path),
                        _ => source,
                    };
                    let Some(error) = target.loader.load_bytes(path).err() else { continue };
                    let way = way([Key::name(list), Key::Item(index)]);
                    let words = self.words(&error);
                    self.found(&error, || {
                        let says = entries::explain(&target.loader, path, Wants::File);
                        Entry { file: &file, way, text: source }.draft(says.unwrap_or(words))
                    });
                }
            }
        }
    }

    /// Whether an entry is no file, but what a file would hold.
    fn is_inline(&mut self, target: &Target<'r, 'b>, entry: &Entry<'_>, what: &str) -> bool {
        let Err(malformed) = parse_resources(entry.text, Name::EMPTY, &self.context.names) else {
            return true;
        };
        let is_inline = entry.text.trim_end().contains('\n');
        // What does not read is taken for the name of a file.
        if let Some(error) = is_inline.then(|| target.loader.load(entry.text).err()).flatten() {
            self.found(&error, || inline_draft(&malformed, entry, what));
        }
        is_inline
    }

    pub(super) fn patches(&mut self, target: &Target<'r, 'b>, file: &str) {
        let content = target.kustomization();
        for (index, text) in content.patches_strategic_merge.iter().flatten().enumerate() {
            let entry =
                Entry { file, way: way([Key::name("patchesStrategicMerge"), Key::Item(index)]), text };
            if !self.is_inline(target, &entry, "patch") && self.file(&target.loader, &entry) {
                self.patch_file(target, text, &|error| error.in_file(text));
            }
        }
        for (field, entries) in
            [("patches", &content.patches), ("patchesJson6902", &content.patches_json6902)]
        {
            for (index, patch) in entries.iter().flatten().enumerate() {
                self.patch(target, file, way([Key::name(field), Key::Item(index)]), patch);
            }
        }
        for (index, field) in content.replacements.iter().flatten().enumerate() {
            let entry = Entry {
                file,
                way: way([Key::name("replacements"), Key::Item(index), Key::name("path")]),
                text: &field.path,
            };
            if !field.path.is_empty()
                && (field.source.is_some()
                    || field.targets.as_ref().is_some_and(|targets| !targets.is_empty()))
            {
                let way = way([Key::name("replacements"), Key::Item(index)]);
                let both = BuildError::new("cannot specify both path and inline replacement");
                self.found(&both, || {
                    Entry { file, way, text: "" }
                        .draft("the entry has path as well as source or targets: leave one of them out")
                });
                continue;
            }
            if !field.path.is_empty()
                && self.file(&target.loader, &entry)
                && let Some(error) = replacements::replace(std::slice::from_ref(field), target, None).err()
            {
                self.in_file(&error, target, &entry, "this file holds no replacements that can be used");
            }
        }
    }

    fn patch(&mut self, target: &Target<'r, 'b>, file: &str, at: Vec<Key>, patch: &Patch) {
        let is_json = at.first() == Some(&Key::name("patchesJson6902"));
        let named = !patch.path.is_empty() && patch.patch.is_empty();
        if named {
            let way = at.iter().cloned().chain([Key::name("path")]).collect();
            if !self.file(&target.loader, &Entry { file, way, text: &patch.path }) {
                return;
            }
            self.keys_of(&target.loader.display(&patch.path));
        }
        let made = if is_json {
            transformers::apply_json_patch(patch, target)
        } else {
            transformers::apply_patch(patch, target, &String::new)
        };
        let Some(error) = made.err() else { return };
        let place = Draft::field(file, at, None);
        let own = error.drafts().first().cloned();
        let words = self.words(&error);
        self.found(&error, || match own {
            Some(own) => own.placed(&place),
            None => place.and(": ").and(words),
        });
    }

    /// A file of strategic patches.
    fn patch_file(&mut self, target: &Target<'r, 'b>, text: &str, failed: &dyn Fn(ParseError) -> BuildError) {
        self.keys_of(&target.loader.display(text));
        let Ok(content) = target.loader.load(text) else { return };
        let Err(error) = parse_resources(&content, Name::EMPTY, &self.context.names) else { return };
        let draft =
            parse_draft(&error, &target.loader.display(text), &content, is_utf8(&target.loader, text));
        self.found(&failed(error), || draft);
    }
}

/// Whether a file of `crds` holds what belongs under `resources`.
fn is_crd(entry: &str, target: &Target<'_, '_>) -> bool {
    let node = target.loader.load(entry).ok().and_then(|text| syntax::read_config(&text).ok());
    node.is_some_and(|node| node.str_at(&["kind"]) == Some("CustomResourceDefinition"))
}

/// What to say of an entry that is meant to be objects, and doesn't read as such.
fn inline_draft(error: &ParseError, entry: &Entry<'_>, what: &str) -> Draft {
    let cause = syntax_errors::cause(entry.text, true, error.line(), error.text());
    let (line, says) =
        if error.is_malformed() { (cause.line, cause.text) } else { (error.line(), error.says().to_owned()) };
    entry.draft(format!("line {} of the {what}: {says}", line.unwrap_or(1)))
}
