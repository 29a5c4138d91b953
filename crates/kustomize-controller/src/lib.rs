//! Reconciles Kustomizations.
