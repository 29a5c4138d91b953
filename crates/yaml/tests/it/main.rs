//! Reading and printing as a whole: recorded outputs, properties, limits, error texts.

mod errors;
mod kubernetes;
mod kustomize;
mod limits;
mod recorded;
mod round_trip;
