//! Projects that people break: the reference program's text as it was recorded, and what is told below it.

mod contents;
mod entries;
mod steps;

use super::Broken;

pub(super) const CASES: [&[Broken]; 3] = [entries::CASES, contents::CASES, steps::CASES];
