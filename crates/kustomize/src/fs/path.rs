//! Paths as text.

/// Joins and cleans, like a shell's `cd`: `.` and empty segments go, `..` takes one away. An absolute `path` starts anew;
/// `..` at the root of an absolute path stays there.
pub(crate) fn join(base: &str, path: &str) -> String {
    if path.starts_with('/') { clean(path) } else { clean(&format!("{base}/{path}")) }
}

/// The shortest path of the same meaning.
pub(crate) fn clean(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            ".." if absolute => {}
            _ => kept.push(segment),
        }
    }
    let joined = kept.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

/// Whether `path` is `ancestor` or lies below it, by whole segments; both are clean.
pub(crate) fn starts_with(path: &str, ancestor: &str) -> bool {
    ancestor.is_empty()
        || path
            .strip_prefix(ancestor)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || ancestor == "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned() {
        for (path, cleaned) in [
            ("a/./b/../c", "a/c"),
            ("../a", "../a"),
            ("a/../..", ".."),
            ("/a/../../b", "/b"),
            ("", ""),
            (".", ""),
            ("a//b/", "a/b"),
        ] {
            assert_eq!(clean(path), cleaned, "{path}");
        }
        assert_eq!(join("/r/o", "../x"), "/r/x");
        assert_eq!(join("/r", "/x"), "/x");
    }

    #[test]
    fn an_ancestor_is_compared_by_segments() {
        for (path, ancestor, below) in [
            ("a/b", "a", true),
            ("ab", "a", false),
            ("a", "a", true),
            ("a", "", true),
            ("/a", "/", true),
            ("", "a", false),
        ] {
            assert_eq!(starts_with(path, ancestor), below, "{path} {ancestor}");
        }
    }
}
