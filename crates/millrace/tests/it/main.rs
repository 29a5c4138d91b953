//! The program from outside, and the chart that installs it.

mod chart;
mod chart_values;
mod command_line;
mod lost_lease;
