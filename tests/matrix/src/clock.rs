//! Time for tests of growth, which other load of the machine does not add to.

use std::time::Duration;

/// The processor time that this thread has taken so far.
///
/// # Panics
/// Where the system does not tell it.
pub fn processor_time() -> Duration {
    const FILE: &str = "/proc/thread-self/schedstat";
    // Linux adds up the time of a running thread at ticks and whenever it gives way.
    std::thread::yield_now();
    let text = std::fs::read_to_string(FILE).expect(FILE);
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse().ok()).expect(FILE);
    Duration::from_nanos(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_counts_and_sleep_does_not() {
        let limit = processor_time() + Duration::from_millis(100);
        std::thread::sleep(Duration::from_millis(200));
        assert!(processor_time() < limit);
        // Far more than a tenth of a second takes.
        let mut sum = 0_u64;
        let counts = (0..100_000).any(|round| {
            sum = (0..10_000).fold(sum, |sum, number| std::hint::black_box(sum ^ number));
            round % 100 == 0 && processor_time() > limit
        });
        assert!(counts, "work does not count");
    }
}
