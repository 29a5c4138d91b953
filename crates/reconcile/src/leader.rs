//! leader.
