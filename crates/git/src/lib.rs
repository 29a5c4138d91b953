//! Fetching Git revisions without a work tree.
