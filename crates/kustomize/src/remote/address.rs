//! Addresses of repositories.

use std::time::Duration;

use super::period;
use crate::fs::clean;
use crate::go;

/// How long Git may take where the address doesn't say.
const TIMEOUT: Duration = Duration::from_secs(27);
const SCHEMES: [&str; 4] = ["ssh://", "https://", "http://", "file://"];
const FILE: &str = "file://";
const FORCED: &str = "Warning: Forcing the git protocol using the 'git::' URL prefix is not supported. Kustomize currently strips \
                      this invalid prefix, but will stop doing so in a future release. Please remove the 'git::' prefix from your \
                      configuration.";

/// A repository as an entry names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The entry.
    pub raw: String,
    /// What Git is to fetch from.
    pub url: String,
    /// The folder in the repository; empty for the top.
    pub path: String,
    /// The branch, tag or commit; the remote's own choice otherwise.
    pub reference: Option<String>,
    /// Whether the submodules belong to it.
    pub submodules: bool,
    /// How long each call of Git may take.
    pub timeout: Duration,
}

impl Repository {
    /// Reads an entry; `None` where it names no repository, so that it is a path.
    pub fn parse(entry: &str) -> Option<Self> {
        if entry.starts_with('/') {
            return None;
        }
        let (address, query) = entry.split_once('?').unwrap_or((entry, ""));
        let query = Query::parse(query);
        let (host, rest) = split_host(address)?;
        let (repository, path) = split_path(&rest, host.starts_with(FILE))?;
        if repository.is_empty() || clean(path.trim_start_matches('/')).split('/').next() == Some("..") {
            return None;
        }
        Some(Self {
            raw: entry.to_owned(),
            url: format!("{host}{repository}"),
            path: path.strip_prefix('/').unwrap_or(path).to_owned(),
            reference: Some(query.reference).filter(|reference| !reference.is_empty()),
            submodules: query.submodules,
            timeout: query.timeout,
        })
    }

    /// What there is to say about a prefix that does nothing.
    pub fn warning(&self) -> Option<&'static str> {
        strip_prefix_ignoring_case(&self.raw, "git::").map(|_| FORCED)
    }
}

/// Scheme, user and host together, and what follows.
fn split_host(address: &str) -> Option<(String, String)> {
    let address = strip_prefix_ignoring_case(address, "git::").unwrap_or(address);
    let (scheme, rest) = SCHEMES
        .iter()
        .find_map(|scheme| Some((*scheme, strip_prefix_ignoring_case(address, scheme)?)))
        .unwrap_or(("", address));
    let (user, rest) = rest.split_at(user_length(rest));
    let lower = rest.to_ascii_lowercase();
    let is_github = lower.starts_with("github.com/") || lower.starts_with("github.com:");
    // Like `user@host:path`, which only programs of SSH know.
    let is_short = scheme.is_empty() && (!user.is_empty() || is_github);
    if scheme.is_empty() && !is_short {
        return None;
    }
    if scheme == FILE {
        return Some((scheme.to_owned(), format!("{user}{rest}")));
    }
    let slash = rest.find('/');
    let end = match (slash, rest.find(':')) {
        (None, colon) if is_short => colon,
        (Some(slash), Some(colon)) if is_short && colon > 0 && colon < slash => Some(colon),
        (slash, _) => slash,
    };
    let (host, path) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
    let host = match (is_github, scheme == "ssh://" || !user.is_empty()) {
        (true, true) => format!("{user}github.com:"),
        (true, false) => "https://github.com/".to_owned(),
        (false, _) if host.is_empty() => return None,
        (false, _) => format!("{scheme}{user}{host}"),
    };
    Some((host, path.to_owned()))
}

/// The bytes of `user@` at the start.
fn user_length(text: &str) -> usize {
    let Some((user, _)) = text.split_once('@') else { return 0 };
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let begins = user.chars().next().is_some_and(|first| first.is_ascii_alphabetic());
    if begins && user.chars().all(fits) { user.len() + 1 } else { 0 }
}

/// The repository's part of a path, and the folder's.
fn split_path(path: &str, whole: bool) -> Option<(&str, &str)> {
    if let Some(start) = path.find("_git/") {
        let start = start + "_git/".len();
        let end = path[start..].find('/').map_or(path.len(), |slash| start + slash);
        return Some((&path[..end], path[end..].strip_prefix('/').unwrap_or_default()));
    }
    if let Some(parts) = path.split_once("//") {
        return Some(parts);
    }
    if let Some(start) = path.find(".git") {
        return Some(path.split_at(start + ".git".len()));
    }
    if whole {
        return Some((path, ""));
    }
    let first = path.find('/')?;
    let second = path[first + 1..].find('/').map(|slash| first + 1 + slash);
    Some(second.map_or((path, ""), |end| (&path[..end], &path[end + 1..])))
}

fn strip_prefix_ignoring_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// What follows the question mark.
struct Query {
    reference: String,
    timeout: Duration,
    submodules: bool,
}

impl Query {
    /// A query that is broken anywhere says nothing.
    fn parse(text: &str) -> Self {
        let mut query = Self { reference: String::new(), timeout: TIMEOUT, submodules: true };
        let mut pairs = Vec::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(key), Some(value), false) = (decode(key), decode(value), pair.contains(';')) else {
                return query;
            };
            pairs.push((key, value));
        }
        let first = |name: &str| {
            let found = pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
            found.filter(|value| !value.is_empty())
        };
        first("ref").or_else(|| first("version")).unwrap_or_default().clone_into(&mut query.reference);
        if let Some(timeout) = first("timeout").and_then(period::parse) {
            query.timeout = timeout;
        }
        query.submodules = first("submodules").and_then(go::parse_bool) != Some(false);
        query
    }
}

/// Undoes the encoding of a query; `None` where it is broken.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                let digits = std::str::from_utf8(&digits).ok().filter(|digits| !digits.starts_with('+'))?;
                u8::from_str_radix(digits, 16).ok()?
            }
            byte => byte,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_split_as_the_contract_says() {
        for (entry, url, path, reference) in [
            ("https://github.com/o/r/deploy/x?ref=v1", "https://github.com/o/r", "deploy/x", Some("v1")),
            ("github.com/o/r//deploy", "https://github.com/o/r", "deploy", None),
            ("git@github.com:o/r.git/deploy?ref=main", "git@github.com:o/r.git", "deploy", Some("main")),
            ("ssh://git@github.com/o/r", "git@github.com:o/r", "", None),
            ("ssh://git@host:2222/o/r.git//a/b", "ssh://git@host:2222/o/r.git", "a/b", None),
            ("https://host/group/sub/r.git/a?version=1.2", "https://host/group/sub/r.git", "a", Some("1.2")),
            ("https://u@dev.azure.com/o/p/_git/r/a/b", "https://u@dev.azure.com/o/p/_git/r", "a/b", None),
            ("git::HTTPS://host/o/r?ref=a%2Fb", "https://host/o/r", "", Some("a/b")),
            ("file:///srv/repos/r", "file:///srv/repos/r", "", None),
            ("file:///srv/repos/r//a", "file:///srv/repos/r", "a", None),
            ("user@host:o/r", "user@host:o/r", "", None),
            ("https://host/o/r?ref=a;b", "https://host/o/r", "", None),
            ("https://host/o/r?version=a&ref=", "https://host/o/r", "", Some("a")),
        ] {
            let found = Repository::parse(entry).unwrap_or_else(|| panic!("{entry} is a repository"));
            let reference = reference.map(str::to_owned);
            assert_eq!(
                (found.url, found.path, found.reference),
                (url.to_owned(), path.to_owned(), reference),
                "{entry}"
            );
        }
    }

    #[test]
    fn paths_and_addresses_of_less_than_a_repository_are_none() {
        for entry in [
            "../x",
            "/abs/x",
            "x",
            "host:o/r",
            "github.com/o",
            "https://host/o",
            "https://host",
            "base@v1",
            "https://h/o/r//../x",
            "--upload-pack=x@host:o/r",
            "-u@host:o/r",
            "ext::sh -c x/o/r",
            "git::ext::sh -c x/o/r",
        ] {
            assert_eq!(Repository::parse(entry), None, "{entry}");
        }
    }

    #[test]
    fn the_query_sets_time_and_submodules() {
        let parse = |query: &str| {
            let found = Repository::parse(&format!("https://host/o/r?{query}")).expect("a repository");
            (found.timeout.as_secs(), found.submodules)
        };
        for (query, expected) in [
            ("timeout=61", (61, true)),
            ("timeout=1m1s&submodules=false", (61, false)),
            ("timeout=-1", (27, true)),
            ("timeout=x&submodules=no", (27, true)),
        ] {
            assert_eq!(parse(query), expected, "{query}");
        }
    }
}
