//! The environment of child programs: cleared, but for what compilers and package managers need.

use std::ffi::{OsStr, OsString};
use std::process::Command;

/// Variables that pass, by full name.
const KEPT: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TERM",
    "TMPDIR",
    "SHELL",
    "CI",
    "DEBIAN_FRONTEND",
    "XDG_CACHE_HOME",
    // Where certificates are: downloads only; the harness keeps these from the programs it starts.
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    // Proxies for downloads.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    // Go.
    "GOPATH",
    "GOMODCACHE",
    "GOPROXY",
    "GOSUMDB",
    "GONOSUMDB",
    "GONOPROXY",
    "GOPRIVATE",
    "GOFLAGS",
    "GOAUTH",
    "GOINSECURE",
    "GOTMPDIR",
    // C compilers, for crates with C parts.
    "CC",
    "CXX",
    "AR",
    "CFLAGS",
    "CXXFLAGS",
    "KUBECONFIG",
];

/// Variables that pass, by the start of their name.
const KEPT_PREFIXES: &[&str] = &["PIP_", "PYENV_", "CARGO_", "RUST", "MILLRACE_", "SCCACHE_"];

/// Reads a variable.
#[expect(clippy::disallowed_methods, reason = "the one place of this program that reads the environment")]
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Makes a command that sees only what a build or an install needs.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(passes)));
    command
}

fn passes(name: &str) -> bool {
    // Set by the cargo that runs this program, about this program.
    let own = name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "CARGO";
    !own && (KEPT.contains(&name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_builds_and_downloads_need_passes() {
        for (name, expected) in [
            ("PATH", true),
            ("PIP_FIND_LINKS", true),
            ("GOPROXY", true),
            ("CARGO_TARGET_DIR", true),
            ("CARGO_PKG_NAME", false),
            ("AWS_SECRET_ACCESS_KEY", false),
            ("GITHUB_TOKEN", false),
        ] {
            assert_eq!(passes(name), expected, "{name}");
        }
    }
}
