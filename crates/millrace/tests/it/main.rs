//! The program from outside, and the chart that installs it.

mod chart;
mod chart_values;
mod command_line;
#[cfg(feature = "kustomize")]
mod kustomize;
mod lost_lease;
mod overlay;
mod program;
mod values;
