//! The program that says what another used.

use std::process::Command;

const MEBIBYTE: u64 = 1 << 20;
/// More than the launcher and `true` hold together.
const HELD: u64 = 64 * MEBIBYTE;

#[test]
fn the_memory_of_a_measured_program_is_not_that_of_whoever_measures() {
    let held = vec![1_u8; usize::try_from(HELD).unwrap()];
    let folder = tempfile::tempdir().unwrap();
    let launched = Command::new(env!("CARGO_BIN_EXE_millrace-launch"))
        .args([folder.path().join("output"), folder.path().join("errors")])
        .args(["sh", "-c", "echo out; echo error >&2"])
        .output()
        .unwrap();
    assert_eq!(std::hint::black_box(held).len() as u64, HELD);
    assert!(launched.status.success(), "{launched:?}");
    let figures: Vec<u64> = String::from_utf8(launched.stdout)
        .unwrap()
        .split_whitespace()
        .map(|figure| figure.parse().unwrap())
        .collect();
    let [wall, cpu, memory] = figures[..] else { unreachable!("three figures: {figures:?}") };
    assert!(wall > 0 && cpu > 0, "{figures:?}");
    assert!(memory > 0 && memory < HELD / 4, "{} MiB", memory / MEBIBYTE);
    assert_eq!(std::fs::read_to_string(folder.path().join("output")).unwrap(), "out\n");
    assert_eq!(std::fs::read_to_string(folder.path().join("errors")).unwrap(), "error\n");
}

#[test]
fn a_measured_program_that_fails_has_no_figures() {
    let folder = tempfile::tempdir().unwrap();
    let launched = Command::new(env!("CARGO_BIN_EXE_millrace-launch"))
        .args([folder.path().join("output"), folder.path().join("errors")])
        .arg("false")
        .output()
        .unwrap();
    assert!(!launched.status.success());
    assert!(launched.stdout.is_empty(), "{launched:?}");
}
