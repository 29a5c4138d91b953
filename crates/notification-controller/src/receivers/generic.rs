//! `generic`: whoever knows the path may call.

use super::{Accepted, ReceiverType};

pub(super) const TYPE: ReceiverType =
    ReceiverType { name: "generic", verify: |_| Ok(Accepted { note: None }) };

#[cfg(test)]
mod tests {
    use super::{super::fixtures::call, *};

    #[test]
    fn every_call_counts() {
        assert!(call(&TYPE, &[], b"junk", &["push"]).is_ok());
    }
}
