//! Git over HTTP(S) against `git http-backend` behind Apache. Skipped, loudly, where Apache is absent.

mod auth;
mod cache;
mod content;
mod failures;
mod fixture;
mod references;
mod semver;
