//! The program from outside, and the chart that installs it.

mod chart;
mod command_line;
