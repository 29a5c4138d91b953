//! The Prometheus text format, as Go's client library prints it.
//!
//! Written here because the crates for it print the `OpenMetrics` format (type and help without `_total`, a full stop after every help,
//! `le="10.0"`), which a scraper that compares series by name and label with those of a running original takes for others.

use std::fmt::Write as _;
use std::sync::Arc;

use super::family::{Family, Kind, Value};

/// The content type of [`render`]'s text.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/// Prints all families that have series.
pub(super) fn render(families: &[Arc<Family>]) -> String {
    let mut out = String::with_capacity(64 * 1024);
    for family in families {
        print(family, &mut out).expect("writing to a string can't fail");
    }
    out
}

fn print(family: &Family, out: &mut String) -> std::fmt::Result {
    let series = family.series();
    if series.is_empty() {
        return Ok(());
    }
    let name = family.name();
    let kind = match family.kind() {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
        Kind::Histogram(_) => "histogram",
    };
    writeln!(out, "# HELP {name} {}\n# TYPE {name} {kind}", family.help())?;
    for (labels, value) in &series {
        match (value, family.kind()) {
            (Value::Distribution { counts, sum }, Kind::Histogram(bounds)) => {
                print_histogram(out, name, labels, bounds, (counts, *sum))?;
            }
            (Value::Number(number), _) if labels.is_empty() => writeln!(out, "{name} {}", go_float(*number))?,
            (Value::Number(number), _) => writeln!(out, "{name}{{{labels}}} {}", go_float(*number))?,
            (Value::Distribution { .. }, Kind::Counter | Kind::Gauge) => {}
        }
    }
    Ok(())
}

fn print_histogram(
    out: &mut String,
    name: &str,
    labels: &str,
    bounds: &[f64],
    (counts, sum): (&[u64], f64),
) -> std::fmt::Result {
    let separator = if labels.is_empty() { "" } else { "," };
    let mut total = 0;
    for (at, count) in counts.iter().enumerate() {
        total += count;
        let bound = bounds.get(at).copied().unwrap_or(f64::INFINITY);
        writeln!(out, "{name}_bucket{{{labels}{separator}le=\"{}\"}} {total}", go_float(bound))?;
    }
    let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
    writeln!(out, "{name}_sum{labels} {}\n{name}_count{labels} {total}", go_float(sum))
}

/// A number as Go prints it in its shortest form: with an exponent of at least two digits below 1e-4 and from 1e+06 on.
fn go_float(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if number == 0.0 || (-4..6).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
