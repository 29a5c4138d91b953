//! Variable substitution after a build.
