//! Reconciles sources into artifacts.
