//! The Millrace program: flags and wiring.

fn main() {}
