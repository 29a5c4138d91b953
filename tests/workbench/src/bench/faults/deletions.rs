//! What the program deleted, as the API server's audit log tells it.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use millrace_harness::ControlPlane;
use millrace_harness::control_plane::AuditEvent;

use super::manifest::{Key, Kind};

/// Follows the audit log from where it stood.
pub(super) struct Deletions {
    log: PathBuf,
    read_to: u64,
    user: String,
    namespace: &'static str,
    /// How many there were.
    pub(super) count: usize,
}

impl Deletions {
    /// Begins at the present end of the log.
    pub(super) fn follow(cluster: &ControlPlane, user: &str, namespace: &'static str) -> Result<Self> {
        let log = cluster.description().audit_log.clone();
        let read_to = std::fs::metadata(&log).context("there is no audit log")?.len();
        Ok(Self { log, read_to, user: user.to_owned(), namespace, count: 0 })
    }

    /// The objects that the program has deleted since the last call.
    pub(super) fn next(&mut self) -> Result<Vec<Key>> {
        let mut file = File::open(&self.log)?;
        file.seek(SeekFrom::Start(self.read_to))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        // A line that is being written is left for the next call.
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.read_to += whole as u64;
        let mut deleted = Vec::new();
        for line in text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let event: AuditEvent = serde_json::from_slice(line).context("the audit log is damaged")?;
            deleted.extend(self.deleted(&event));
        }
        self.count += deleted.len();
        Ok(deleted)
    }

    fn deleted(&self, event: &AuditEvent) -> Option<Key> {
        let object = event.object_ref.as_ref()?;
        let succeeded =
            event.response_status.as_ref().is_some_and(|status| (200..300).contains(&status.code));
        let is_deletion = event.verb == "delete" && !event.is_dry_run() && succeeded;
        let kind = Kind::ALL.into_iter().find(|kind| kind.plural() == object.resource)?;
        let ours = event.user.username == self.user && object.namespace == self.namespace;
        (is_deletion && ours).then(|| Key { kind, name: object.name.clone() })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::json;

    use super::*;

    fn line(verb: &str, user: &str, name: &str, uri: &str, code: u16) -> String {
        let event = json!({
            "stage": "ResponseComplete", "verb": verb, "requestURI": uri, "user": {"username": user},
            "objectRef": {"resource": "configmaps", "namespace": "bench", "name": name},
            "responseStatus": {"code": code},
        });
        format!("{event}\n")
    }

    #[test]
    fn only_what_the_program_has_really_deleted_counts_and_once() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("audit.log");
        let mut file = File::create(&log).unwrap();
        let mut deletions =
            Deletions { log, read_to: 0, user: "us".to_owned(), namespace: "bench", count: 0 };
        let uri = "/api/v1/namespaces/bench/configmaps/x";
        let whole = [
            line("delete", "us", "deleted", uri, 200),
            line("delete", "us", "absent", uri, 404),
            line("delete", "us", "tried", &format!("{uri}?dryRun=All"), 200),
            line("delete", "by-hand", "foreign", uri, 200),
            line("patch", "us", "applied", uri, 200),
        ]
        .concat();
        let late = line("delete", "us", "late", uri, 202);
        let (early_part, rest) = late.split_at(20);
        file.write_all(format!("{whole}{early_part}").as_bytes()).unwrap();
        let key = |name: &str| Key { kind: Kind::ConfigMap, name: name.to_owned() };
        assert_eq!(deletions.next().unwrap(), [key("deleted")]);
        file.write_all(rest.as_bytes()).unwrap();
        assert_eq!(deletions.next().unwrap(), [key("late")]);
        assert_eq!(deletions.next().unwrap(), []);
        assert_eq!(deletions.count, 2);
    }
}
