//! Small values in specs, statuses and headers, one a line.

use millrace_api::meta::{Digest, GoDuration, Revision, time};

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.lines() {
        if let Ok(duration) = line.parse::<GoDuration>() {
            let printed = duration.to_string();
            assert_eq!(printed.parse(), Ok(duration), "{line:?} is printed as {printed}");
        }
        if let Ok(digest) = line.parse::<Digest>() {
            let printed = digest.to_string();
            assert_eq!(printed.parse().ok(), Some(digest), "{line:?} is printed as {printed}");
        }
        if let Ok(moment) = time::parse_rfc3339(line) {
            let printed = time::format_rfc3339(moment);
            let again = time::parse_rfc3339(&printed).expect("a time that was printed is read");
            assert_eq!(time::format_rfc3339(again), printed, "{line:?}");
        }
        check_revision(line);
    }
}

fn check_revision(line: &str) {
    for revision in [Revision::new(line), Revision::normalize(line)] {
        let text = revision.as_str();
        assert!(text.contains(revision.pointer()) && text.ends_with(revision.hash()), "{line:?}: {text:?}");
        assert!(revision.digest().ends_with(revision.hash()));
    }
}
