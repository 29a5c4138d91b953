//! The server's access log.

use std::path::Path;

use anyhow::Context as _;

use crate::Result;

/// A request that the Git server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The user that logged in, if any.
    pub user: Option<String>,
    /// `GET`, `POST`.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The HTTP status.
    pub status: u16,
    /// Bytes sent, headers included.
    pub sent_bytes: u64,
    /// The Git protocol the client asked for, `version=2`; empty if none.
    pub protocol: String,
}

impl Access {
    /// Whether objects were asked for: the request that sends a pack, not the listing of refs.
    ///
    /// Protocol version 2 sends the listing of refs as a POST too; that one answers with few bytes, so tests on it compare counts.
    pub fn is_upload_pack(&self) -> bool {
        self.method == "POST" && self.target.ends_with("/git-upload-pack")
    }
}

/// Reads the whole log.
pub(super) fn read(path: &Path) -> Result<Vec<Access>> {
    let text = std::fs::read_to_string(path).context("cannot read the access log")?;
    text.lines()
        .map(|line| parse(line).with_context(|| format!("an access log line is damaged: {line}")))
        .collect()
}

/// Reads `PORT USER "METHOD TARGET HTTP/x" STATUS BYTES "PROTOCOL"`.
fn parse(line: &str) -> Option<Access> {
    let mut quoted = line.split('"');
    let user = quoted.next()?.split_whitespace().nth(1)?;
    let mut request = quoted.next()?.split(' ');
    let mut numbers = quoted.next()?.split_whitespace();
    let protocol = quoted.next()?;
    Some(Access {
        user: (user != "-").then(|| user.to_owned()),
        method: request.next()?.to_owned(),
        target: request.next().unwrap_or_default().to_owned(),
        status: numbers.next()?.parse().ok()?,
        sent_bytes: numbers.next()?.parse().ok()?,
        protocol: if protocol == "-" { String::new() } else { protocol.to_owned() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_log_is_read() {
        let access =
            parse(r#"20001 alice "POST /git/app.git/git-upload-pack HTTP/1.1" 200 512 "version=2""#).unwrap();
        assert_eq!(access.user.as_deref(), Some("alice"));
        assert!(access.is_upload_pack());
        assert_eq!((access.status, access.sent_bytes, access.protocol.as_str()), (200, 512, "version=2"));
        let access =
            parse(r#"20001 - "GET /public/app.git/info/refs?service=git-upload-pack HTTP/1.1" 404 9 "-""#)
                .unwrap();
        assert_eq!((access.user, access.protocol.as_str(), access.status), (None, "", 404));
    }
}
