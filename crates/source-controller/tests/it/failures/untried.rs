//! Lines of the catalogue that no object can meet yet.

const SSH: &str = "SSH remotes are not supported yet";
const PROVIDER: &str = "the providers github, azure and aws are not supported yet";
const VERIFY: &str = "signatures are not verified yet";
const NO_WORK_TREE: &str = "cannot happen: there is no work tree";
const KIND: &str = "the kind is not reconciled yet";

/// The line, and why it isn't tried.
pub(super) const ROWS: &[(&str, &str)] = &[
    ("7.2 ssh without identity or known_hosts", SSH),
    ("7.2 encrypted key without password", SSH),
    ("7.2 bad key, bad known_hosts, unknown or mismatching host key", SSH),
    ("7.2 github Secret lacks data", PROVIDER),
    ("7.2 github Secret malformed", PROVIDER),
    ("7.2 verify Secret missing", VERIFY),
    ("7.2 tag mode on a branch or commit", VERIFY),
    ("7.2 unsigned or invalid tag or commit", VERIFY),
    ("7.3 OCIRepository", KIND),
    ("7.4 Bucket", KIND),
    ("7.5 HelmRepository", KIND),
    ("7.6 HelmChart", KIND),
    ("7.7 failed to create temporary working directory", NO_WORK_TREE),
    ("7.7 StatOperationFailed", NO_WORK_TREE),
    ("7.7 InvalidPath", NO_WORK_TREE),
    ("7.8 all but failed to create Git client", KIND),
];
