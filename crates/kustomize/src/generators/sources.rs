//! Keys and values from literals, files and env files.
//!
//! Contract: kustomize-build §3.1.

use std::borrow::Cow;
use std::collections::HashSet;

use super::object::{Args, Kind};
use crate::error::{BuildError, Result};
use crate::go;
use crate::hints::{self, Draft};
use crate::loader::Loader;

/// A longer line ends the reading of an env file.
const MAX_LINE: usize = 64 * 1024;

type Pair<'l> = (String, Cow<'l, [u8]>);
/// A pair with the number of its line, or the line that has none.
type EnvPairs<'c> = std::result::Result<Vec<(usize, Pair<'static>)>, (usize, &'c [u8])>;

/// The pairs of a generator: env files, literals, files.
pub(super) fn load<'l>(args: &Args, loader: &Loader<'l>) -> Result<Vec<Pair<'l>>> {
    let mut pairs = Vec::new();
    for path in &args.envs {
        let wrap = |error: BuildError| error.wrap(format_args!("env source files: {}", go::list(&args.envs)));
        let content = loader.load_bytes(path).map_err(wrap)?;
        let is_secret = args.kind == Kind::Secret;
        let failed = |(number, line): (usize, &[u8])| {
            let place = Draft::line(&loader.display(path), Some(number));
            let error = BuildError::new(not_utf8(line, is_secret));
            wrap(error.with_hint(place.and(": ").and(hints::NOT_UTF8)))
        };
        pairs.extend(env_pairs(&content).map_err(failed)?.into_iter().map(|(_, pair)| pair));
    }
    for literal in &args.literals {
        let (key, value) = split_literal(literal).ok_or_else(|| invalid_literal(args, literal))?;
        pairs.push((key.to_owned(), Cow::Owned(value.as_bytes().to_vec())));
    }
    for file in &args.files {
        let wrap = |error: BuildError| error.wrap(format_args!("file sources: {}", go::list(&args.files)));
        let (key, path) = split_file(file).map_err(|text| wrap(BuildError::new(text)))?;
        pairs.push((key.to_owned(), loader.load_bytes(path).map_err(wrap)?));
    }
    Ok(pairs)
}

/// The entries of a generator, and the lines of its env files, that give a key.
pub(super) fn givers(args: &Args, loader: &Loader<'_>, key: &str) -> Vec<Draft> {
    let mut seen = HashSet::new();
    let in_envs = args.envs.iter().enumerate().flat_map(move |(index, path)| {
        let is_new = seen.insert(path);
        let content = loader.load_bytes(path).unwrap_or_default();
        let mut pairs = env_pairs(&content).unwrap_or_default();
        pairs.retain(|(_, (given, _))| given == key);
        let given = pairs.into_iter().map(move |(number, _)| {
            if is_new {
                Draft::line(&loader.display(path), Some(number))
            } else {
                format!("envs[{index}], which is the same file").into()
            }
        });
        given.collect::<Vec<_>>()
    });
    let stated = |literal: &String| split_literal(literal).is_some_and(|(given, _)| given == key);
    let literals = args.literals.iter().enumerate().filter(|(_, literal)| stated(literal));
    let named = |file: &String| split_file(file).is_ok_and(|(given, _)| given == key);
    let files = args.files.iter().enumerate().filter(|(_, file)| named(file));
    in_envs
        .chain(literals.map(|(index, _)| format!("literals[{index}]").into()))
        .chain(files.map(|(index, _)| format!("files[{index}]").into()))
        .collect()
}

fn split_literal(literal: &str) -> Option<(&str, &str)> {
    let (key, value) = literal.split_once('=').filter(|(key, _)| !key.is_empty())?;
    Some((key, without_quotes(value)))
}

fn invalid_literal(args: &Args, literal: &str) -> BuildError {
    let shown: Vec<String> = args.literals.iter().map(|literal| shown_literal(args.kind, literal)).collect();
    let literal = shown_literal(args.kind, literal);
    BuildError::new(format!("invalid literal source {literal}, expected key=value"))
        .wrap(format_args!("literal sources {}", go::list(&shown)))
        .with_hint(match args.literals.iter().position(|literal| split_literal(literal).is_none()) {
            Some(index) => {
                format!("literals[{index}] of the generator {} is no key=value", hints::quoted(&args.name))
            }
            None => "a literal is no key=value".to_owned(),
        })
}

/// A literal as messages show it: of Secrets the key alone.
fn shown_literal(kind: Kind, literal: &str) -> String {
    match (kind, split_literal(literal)) {
        (Kind::ConfigMap, _) => literal.to_owned(),
        (Kind::Secret, Some((key, _))) => format!("{key}=***"),
        (Kind::Secret, None) => "***".to_owned(),
    }
}

fn without_quotes(value: &str) -> &str {
    ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(value)
}

/// The key and the path of an entry of `files`.
pub(crate) fn split_file(source: &str) -> std::result::Result<(&str, &str), String> {
    let quoted = go::quote(source);
    match source.split_once('=') {
        None => Ok((base_name(source), source)),
        Some((_, path)) if path.contains('=') => {
            Err(format!("source {quoted} key name or file path contains '='"))
        }
        Some(("", path)) => {
            Err(format!("missing key name for file path {} in source {quoted}", go::quote(path)))
        }
        Some((key, "")) => {
            Err(format!("missing file path for key name {} in source {quoted}", go::quote(key)))
        }
        Some((key, path)) => Ok((key, path)),
    }
}

/// The last element of a path, as `path.Base` has it.
fn base_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rsplit('/').next() {
        Some(name) if !name.is_empty() => name,
        Some(_) | None if path.is_empty() => ".",
        Some(_) | None => "/",
    }
}

/// The pairs of an env file with the numbers of their lines, or the line that is not UTF-8.
fn env_pairs(content: &[u8]) -> EnvPairs<'_> {
    let mut pairs = Vec::new();
    for (number, line) in (1..).zip(content.split(|byte| *byte == b'\n')) {
        if line.len() >= MAX_LINE {
            break;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = std::str::from_utf8(line).map_err(|_| (number, line))?;
        let text = if number == 1 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        let text = text.trim_start();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        if !key.is_empty() {
            pairs.push((number, (key.to_owned(), Cow::Owned(value.as_bytes().to_vec()))));
        }
    }
    Ok(pairs)
}

fn not_utf8(line: &[u8], is_secret: bool) -> String {
    if is_secret {
        return "line *** has invalid utf8 bytes : ***".to_owned();
    }
    let bytes: Vec<String> = line.iter().map(u8::to_string).collect();
    format!("line {} has invalid utf8 bytes : {}", go::list(&bytes), String::from_utf8_lossy(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kustomization::{GeneratorArgs, SecretArgs};

    #[test]
    fn literals_lose_one_pair_of_quotes() {
        for (literal, pair) in [
            ("a=b", Some(("a", "b"))),
            ("a='b'", Some(("a", "b"))),
            ("a=\"b'", Some(("a", "\"b'"))),
            ("a=\"", Some(("a", "\""))),
            ("a=b=c", Some(("a", "b=c"))),
            ("a=", Some(("a", ""))),
            ("=b", None),
            ("a", None),
        ] {
            assert_eq!(split_literal(literal), pair, "{literal}");
        }
    }

    #[test]
    fn messages_show_values_of_config_maps_and_of_secrets_keys_alone() {
        let literals = Some(["user=me".to_owned(), "hunter2".to_owned()].to_vec());
        let args = GeneratorArgs { literals: literals.clone(), ..GeneratorArgs::default() };
        assert_eq!(
            invalid_literal(&Args::config_map(&args, None), "hunter2").to_string(),
            "literal sources [user=me hunter2]: invalid literal source hunter2, expected key=value"
        );
        let args = SecretArgs { literals, ..SecretArgs::default() };
        assert_eq!(
            invalid_literal(&Args::secret(&args, None), "hunter2").to_string(),
            "literal sources [user=*** ***]: invalid literal source ***, expected key=value"
        );
        assert_eq!(not_utf8(b"a\xff", false), "line [97 255] has invalid utf8 bytes : a\u{fffd}");
        assert_eq!(not_utf8(b"a\xff", true), "line *** has invalid utf8 bytes : ***");
    }

    #[test]
    fn env_lines_are_taken_as_they_are() {
        let pairs = env_pairs("\u{feff}A=1 \r\n  # no\n\nB\nexport C='x'\n".as_bytes()).unwrap();
        let pair =
            |number, key: &str, value: &'static str| (number, (key.to_owned(), value.as_bytes().into()));
        assert_eq!(pairs, [pair(1, "A", "1 "), pair(4, "B", ""), pair(5, "export C", "'x'")]);
    }
}
