//! What went wrong with a repository, in the words of Git where Git has some: people know them, and search for them.

use millrace_git::{GitError, TransportError};
use millrace_kustomize::remote::RepositoryFailure;
use millrace_net::addresses::{end_of_login, secrets_of};
use millrace_net::{Masker, RedactedUrl};
use millrace_reconcile::failure::chain;

/// A run of Git that failed.
pub(super) fn failed(command: &str, said: &str) -> RepositoryFailure {
    RepositoryFailure::Failed(failure(command, said))
}

/// A run of Git that failed for a reason that a person can do something about.
pub(super) fn failed_for(command: &str, said: &str, advice: &str) -> RepositoryFailure {
    RepositoryFailure::Refused { text: failure(command, said), advice: advice.to_owned() }
}

fn failure(command: &str, said: &str) -> String {
    format!("failed to run '{command}': fatal: {}: exit status 128", said.trim_end())
}

/// An address that leads over a transport which this controller has not.
pub(super) fn refused(command: &str, url: &str) -> Option<RepositoryFailure> {
    let (transport, instead) = match url.split_once("://") {
        Some((scheme, _)) if is(scheme, "http") || is(scheme, "https") => return None,
        Some((scheme, rest)) if is(scheme, "ssh") => ("ssh", of_url(rest)),
        Some((scheme, _)) => (scheme, None),
        // Of an address in brackets, the colons are no helper's.
        None => match url.split_once("::").filter(|(helper, _)| !helper.contains('[')) {
            Some((helper, _)) => (helper, None),
            None if url.contains(':') => ("ssh", of_place(url)),
            None => ("file", None),
        },
    };
    let instead = instead.map(|address| format!(" write it as '{address}', or")).unwrap_or_default();
    let advice = format!(
        "the controller fetches repositories over http and https only:{instead} keep a copy of the base among the files of the \
         source, for instance with the field spec.include of its GitRepository"
    );
    let text = failure(command, &format!("transport '{transport}' not allowed"));
    Some(RepositoryFailure::Refused { text, advice })
}

/// Whether a scheme is this one, however it is written.
fn is(scheme: &str, name: &str) -> bool {
    scheme.eq_ignore_ascii_case(name)
}

/// The same repository over https, from what stands behind `ssh://`.
fn of_url(address: &str) -> Option<String> {
    let place = end_of_login(address).map_or(address, |at| &address[at + 1..]);
    let (host, path) = host_and_path(place)?;
    // A port is one of ssh.
    let path = match path.split_once('/') {
        Some((port, path)) if !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit()) => path,
        _ => path,
    };
    Some(format!("https://{host}/{path}"))
}

/// The same repository over https, from `user@host:path`.
fn of_place(address: &str) -> Option<String> {
    // The path may have one, too.
    let host = address.find('@').map_or(0, |at| at + 1);
    let host = if address[..host].contains([':', '/']) { 0 } else { host };
    let (host, path) = host_and_path(&address[host..])?;
    Some(format!("https://{host}/{}", path.trim_start_matches('/')))
}

fn host_and_path(place: &str) -> Option<(&str, &str)> {
    let brackets = if place.starts_with('[') { place.find(']')? } else { 0 };
    let end = brackets + place[brackets..].find(['/', ':'])?;
    Some((&place[..end], &place[end + 1..]))
}

/// What Git says of a repository at `url`; `None` where time is over.
pub(super) fn words(url: &str, error: &GitError) -> Option<String> {
    let mut masker = Masker::new();
    for secret in secrets_of(url) {
        masker.add(secret.expose());
    }
    let shown = RedactedUrl::new(url);
    let text = match error {
        GitError::List { source, .. } | GitError::Clone { source, .. } => {
            transport(&shown.to_string(), url, source)?
        }
        GitError::CommitNotFound(id) => format!("remote error: upload-pack: not our ref {id}"),
        GitError::InvalidUrl(_)
        | GitError::Client(_)
        | GitError::AmbiguousAuth
        | GitError::Empty
        | GitError::EmptyClone { .. }
        | GitError::NameNotFound(_)
        | GitError::InvalidName(_)
        | GitError::Semver(_)
        | GitError::NoMatch(_)
        | GitError::Store(_)
        | GitError::Unreadable { .. } => chain(error),
    };
    Some(masker.mask(&text))
}

fn has_login(url: &str) -> bool {
    url.split_once("://").is_some_and(|(_, address)| end_of_login(address).is_some())
}

fn transport(shown: &str, url: &str, error: &TransportError) -> Option<String> {
    let inaccessible = |why: &str| format!("unable to access '{shown}/': {why}");
    let returned = |status: u16| inaccessible(&format!("The requested URL returned error: {status}"));
    Some(match error {
        TransportError::AuthenticationRequired(_) if !has_login(url) => {
            let host = url.find("://").map_or(0, |scheme| scheme + "://".len());
            let end = url[host..].find('/').map_or(url.len(), |end| host + end);
            format!("could not read Username for '{}': terminal prompts disabled", &url[..end])
        }
        TransportError::AuthenticationRequired(_) => format!("Authentication failed for '{shown}/'"),
        TransportError::AuthorizationFailed(_) => returned(403),
        TransportError::RepositoryNotFound(_) => format!("repository '{shown}/' not found"),
        TransportError::RefNotFound(name) => format!("couldn't find remote ref {name}"),
        TransportError::Status { status, .. } => returned(*status),
        TransportError::Redirect(_) | TransportError::TooLarge { .. } => inaccessible(&error.to_string()),
        TransportError::Http { source, .. } => inaccessible(&source.to_string()),
        TransportError::DeadlineExceeded | TransportError::Interrupted => return None,
        TransportError::Protocol(text) => match text.find("not our ref ") {
            Some(at) => format!("remote error: upload-pack: {}", text[at..].trim_end()),
            None => text.clone(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://me:geheim@h:8080/o/r.git";

    fn said(url: &str, source: TransportError) -> Option<String> {
        words(url, &GitError::Clone { url: RedactedUrl::new(url), source })
    }

    #[test]
    fn failures_have_the_words_of_git_and_no_login() {
        for (error, expected) in [
            (TransportError::RefNotFound("nope".to_owned()), "couldn't find remote ref nope"),
            (
                TransportError::RepositoryNotFound("geheim".to_owned()),
                "repository 'http://***@h:8080/o/r.git/' not found",
            ),
            (
                TransportError::AuthenticationRequired("geheim".to_owned()),
                "Authentication failed for 'http://***@h:8080/o/r.git/'",
            ),
            (
                TransportError::Status { url: URL.to_owned(), status: 500, body: "geheim".to_owned() },
                "unable to access 'http://***@h:8080/o/r.git/': The requested URL returned error: 500",
            ),
            (
                TransportError::Protocol("x: upload-pack: not our ref 0123\n".to_owned()),
                "remote error: upload-pack: not our ref 0123",
            ),
            (TransportError::Protocol("it said geheim".to_owned()), "it said ***"),
        ] {
            assert_eq!(said(URL, error).as_deref(), Some(expected));
        }
        assert_eq!(said(URL, TransportError::DeadlineExceeded), None);
        assert_eq!(
            said("http://h:8080/o/r", TransportError::AuthenticationRequired(String::new())).as_deref(),
            Some("could not read Username for 'http://h:8080': terminal prompts disabled")
        );
        // A user's name is a login, if no secret.
        assert_eq!(
            said("http://deploy@h/o/r", TransportError::AuthenticationRequired(String::new())).as_deref(),
            Some("Authentication failed for 'http://***@h/o/r/'")
        );
    }

    #[test]
    fn a_transport_that_is_not_there_is_named_and_what_to_do_instead() {
        for (url, transport, instead) in [
            ("git@github.com:o/r.git", "ssh", Some("'https://github.com/o/r.git'")),
            ("ssh://git@h:2222/o/r", "ssh", Some("'https://h/o/r'")),
            ("user@h:o/r", "ssh", Some("'https://h/o/r'")),
            ("git@h:o/r@v1", "ssh", Some("'https://h/o/r@v1'")),
            ("h:o/r@v1", "ssh", Some("'https://h/o/r@v1'")),
            ("git@[::1]:o/r", "ssh", Some("'https://[::1]/o/r'")),
            ("ssh://git@h/o/r@x/y", "ssh", Some("'https://h/o/r@x/y'")),
            ("ssh://git@[::1]:22/o/r", "ssh", Some("'https://[::1]/o/r'")),
            ("SSH://git@h/o/r", "ssh", Some("'https://h/o/r'")),
            ("ssh://me:p/w@h/o/r", "ssh", Some("'https://h/o/r'")),
            ("file:///srv/r", "file", None),
            ("ext::sh -c x", "ext", None),
            ("/srv/r", "file", None),
        ] {
            let Some(RepositoryFailure::Refused { text, advice }) = refused("git fetch x", url) else {
                panic!("{url} is not refused")
            };
            let expected = format!(
                "failed to run 'git fetch x': fatal: transport '{transport}' not allowed: exit status 128"
            );
            assert_eq!(text, expected, "{url}");
            assert_eq!(advice.contains(" write it as "), instead.is_some(), "{url}: {advice}");
            assert!(instead.is_none_or(|instead| advice.contains(instead)), "{url}: {advice}");
        }
        for url in ["https://h/o/r", "http://h/o/r", "HTTPS://h/o/r", "Http://h/o/r"] {
            assert!(refused("git", url).is_none(), "{url}");
        }
    }
}
