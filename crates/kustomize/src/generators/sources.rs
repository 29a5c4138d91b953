//! Keys and values from literals, files and env files.
//!
//! Contract: kustomize-build §3.1.

use std::borrow::Cow;

use super::object::Args;
use crate::error::{BuildError, Result};
use crate::go;
use crate::loader::Loader;

/// A longer line ends the reading of an env file.
const MAX_LINE: usize = 64 * 1024;

type Pair<'l> = (String, Cow<'l, [u8]>);

/// The pairs of a generator: env files, literals, files.
pub(super) fn load<'l>(args: &Args, loader: &Loader<'l>) -> Result<Vec<Pair<'l>>> {
    let mut pairs = Vec::new();
    for path in &args.envs {
        let wrap = |error: BuildError| error.wrap(format_args!("env source files: {}", go::list(&args.envs)));
        let content = loader.load_bytes(path).map_err(wrap)?;
        pairs.extend(env_pairs(&content).map_err(|text| wrap(BuildError::new(text)))?);
    }
    for literal in &args.literals {
        let failed =
            |text| BuildError::new(text).wrap(format_args!("literal sources {}", go::list(&args.literals)));
        let (key, value) = split_literal(literal).map_err(failed)?;
        pairs.push((key.to_owned(), Cow::Owned(value.as_bytes().to_vec())));
    }
    for file in &args.files {
        let wrap = |error: BuildError| error.wrap(format_args!("file sources: {}", go::list(&args.files)));
        let (key, path) = split_file(file).map_err(|text| wrap(BuildError::new(text)))?;
        pairs.push((key.to_owned(), loader.load_bytes(path).map_err(wrap)?));
    }
    Ok(pairs)
}

fn split_literal(literal: &str) -> std::result::Result<(&str, &str), String> {
    match literal.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key, without_quotes(value))),
        Some(_) | None => Err(format!("invalid literal source {literal}, expected key=value")),
    }
}

fn without_quotes(value: &str) -> &str {
    ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(value)
}

fn split_file(source: &str) -> std::result::Result<(&str, &str), String> {
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

fn env_pairs(content: &[u8]) -> std::result::Result<Vec<Pair<'static>>, String> {
    let mut pairs = Vec::new();
    for (number, line) in content.split(|byte| *byte == b'\n').enumerate() {
        if line.len() > MAX_LINE {
            break;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = std::str::from_utf8(line).map_err(|_| {
            let bytes: Vec<String> = line.iter().map(u8::to_string).collect();
            format!("line {} has invalid utf8 bytes : {}", go::list(&bytes), String::from_utf8_lossy(line))
        })?;
        let text = if number == 0 { text.trim_start_matches('\u{feff}') } else { text };
        let text = text.trim_start();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        if !key.is_empty() {
            pairs.push((key.to_owned(), Cow::Owned(value.as_bytes().to_vec())));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(split_literal(literal).ok(), pair, "{literal}");
        }
    }

    #[test]
    fn env_lines_are_taken_as_they_are() {
        let pairs = env_pairs("\u{feff}A=1 \r\n  # no\n\nB\nexport C='x'\n".as_bytes()).unwrap();
        let texts: Vec<(&str, &str)> =
            pairs.iter().map(|(key, value)| (key.as_str(), std::str::from_utf8(value).unwrap())).collect();
        assert_eq!(texts, [("A", "1 "), ("B", ""), ("export C", "'x'")]);
    }
}
