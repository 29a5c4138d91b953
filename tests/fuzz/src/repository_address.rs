//! Addresses of repositories, one a line.

use millrace_kustomize::remote::Repository;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.lines() {
        if let Some(repository) = Repository::parse(line) {
            check(&repository, line);
        }
    }
}

fn check(repository: &Repository, line: &str) {
    let Repository { raw, url, path, reference, submodules: _, timeout } = repository;
    assert_eq!(raw, line);
    assert!(!url.is_empty(), "{line:?} is fetched from nowhere");
    assert!(!url.starts_with('/'), "{line:?} is a path, {url:?}");
    assert!(stays_inside(path), "{line:?} leads to {path:?}, outside of the repository");
    assert!(reference.as_ref().is_none_or(|reference| !reference.is_empty()), "{line:?}");
    assert!(!timeout.is_zero(), "{line:?} is given no time");
    assert_eq!(Repository::parse(raw).as_ref(), Some(repository));
}

/// Whether a path never has more steps up than down before them.
fn stays_inside(path: &str) -> bool {
    let mut depth = 0_usize;
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if depth == 0 => return false,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    true
}
