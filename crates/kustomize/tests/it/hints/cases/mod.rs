//! Projects that people break: the reference program's text as it was recorded, and what is told below it.

mod contents;
mod entries;
mod fields;
mod kinds;
mod objects;
mod steps;

use super::Broken;
use super::trial::WEB;

pub(super) const CASES: [&[Broken]; 6] =
    [entries::CASES, contents::CASES, steps::CASES, fields::CASES, kinds::CASES, objects::CASES];
