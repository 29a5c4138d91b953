//! What the kernel knows about this process, and the two Go families that dashboards take for "is running" and "memory".
//!
//! Values come from `/proc`; where it is missing, so are they.

use std::fs;

use super::Registry;
use super::family::{Counter, Gauge, Kind};
use super::standard::count;

/// Clock ticks per second in `/proc/self/stat`: fixed at 100 in Linux's interface to user space.
const TICKS_PER_SECOND: f64 = 100.0;

/// All 64 bits set, which stands for no limit.
const UNLIMITED: f64 = 18_446_744_073_709_551_615.0;

/// The version that `go_info` shows; dashboards only count its series.
const GO_INFO_VERSION: &str = concat!("millrace", env!("CARGO_PKG_VERSION"));

/// The families about the process.
#[derive(Debug)]
pub(super) struct Process {
    cpu: Counter,
    received: Counter,
    sent: Counter,
    open_files: Gauge,
    max_files: Gauge,
    resident: Gauge,
    virtual_size: Gauge,
    max_virtual_size: Gauge,
    start: Gauge,
    allocated: Gauge,
}

impl Process {
    pub(super) fn register(registry: &Registry) -> Self {
        let counter = |name, help| Counter(registry.family(name, help, &[], Kind::Counter));
        let gauge = |name, help| Gauge(registry.family(name, help, &[], Kind::Gauge));
        Gauge(registry.family("go_info", "Information about the Go environment.", &["version"], Kind::Gauge))
            .set(&[GO_INFO_VERSION], 1.0);
        Self {
            cpu: counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds."),
            received: counter(
                "process_network_receive_bytes_total",
                "Number of bytes received by the process over the network.",
            ),
            sent: counter(
                "process_network_transmit_bytes_total",
                "Number of bytes sent by the process over the network.",
            ),
            open_files: gauge("process_open_fds", "Number of open file descriptors."),
            max_files: gauge("process_max_fds", "Maximum number of open file descriptors."),
            resident: gauge("process_resident_memory_bytes", "Resident memory size in bytes."),
            virtual_size: gauge("process_virtual_memory_bytes", "Virtual memory size in bytes."),
            max_virtual_size: gauge(
                "process_virtual_memory_max_bytes",
                "Maximum amount of virtual memory available in bytes.",
            ),
            start: gauge(
                "process_start_time_seconds",
                "Start time of the process since unix epoch in seconds.",
            ),
            allocated: gauge(
                "go_memstats_alloc_bytes",
                "Number of bytes allocated in heap and currently in use. Equals to \
                 /memory/classes/heap/objects:bytes.",
            ),
        }
    }

    /// Reads the current values.
    pub(super) fn refresh(&self) {
        if let Ok(stat) = fs::read_to_string("/proc/self/stat") {
            self.refresh_times(&stat);
        }
        if let Ok(status) = fs::read_to_string("/proc/self/status") {
            set(&self.resident, kibibytes(&status, "VmRSS:"));
            set(&self.virtual_size, kibibytes(&status, "VmSize:"));
            set(&self.allocated, kibibytes(&status, "RssAnon:"));
        }
        if let Ok(limits) = fs::read_to_string("/proc/self/limits") {
            set(&self.max_files, soft_limit(&limits, "Max open files"));
            set(&self.max_virtual_size, soft_limit(&limits, "Max address space"));
        }
        if let Ok(files) = fs::read_dir("/proc/self/fd") {
            self.open_files.set(&[], count(files.count()));
        }
        if let Ok(network) = fs::read_to_string("/proc/self/net/netstat") {
            if let Some(octets) = network_octets(&network, "InOctets") {
                self.received.set(&[], octets);
            }
            if let Some(octets) = network_octets(&network, "OutOctets") {
                self.sent.set(&[], octets);
            }
        }
    }

    fn refresh_times(&self, stat: &str) {
        let field = |at| stat_field(stat, at);
        if let (Some(user), Some(system)) = (field(14), field(15)) {
            self.cpu.set(&[], (user + system) / TICKS_PER_SECOND);
        }
        let boot = fs::read_to_string("/proc/stat").ok().and_then(|stat| boot_time(&stat));
        if let (Some(boot), Some(after)) = (boot, field(22)) {
            self.start.set(&[], boot + after / TICKS_PER_SECOND);
        }
    }
}

fn set(gauge: &Gauge, level: Option<f64>) {
    if let Some(level) = level {
        gauge.set(&[], level);
    }
}

/// A field of `/proc/self/stat`, counted from one; the program's name, which may hold anything, is the second.
fn stat_field(stat: &str, at: usize) -> Option<f64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(at.checked_sub(3)?)?.parse().ok()
}

fn boot_time(stat: &str) -> Option<f64> {
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

/// A line such as `VmRSS:      9876 kB`, in bytes.
fn kibibytes(status: &str, label: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(label))?;
    let number: f64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(number * 1024.0)
}

/// The soft limit of a line of `/proc/self/limits`; unlimited is the largest number of 64 bits.
fn soft_limit(limits: &str, label: &str) -> Option<f64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(label))?;
    match line.split_ascii_whitespace().next()? {
        "unlimited" => Some(UNLIMITED),
        number => number.parse().ok(),
    }
}

/// A column of the `IpExt` table, which has a line of names and a line of numbers.
fn network_octets(netstat: &str, column: &str) -> Option<f64> {
    let mut rows = netstat.lines().filter_map(|line| line.strip_prefix("IpExt:"));
    let (names, numbers) = (rows.next()?, rows.next()?);
    let at = names.split_ascii_whitespace().position(|name| name == column)?;
    numbers.split_ascii_whitespace().nth(at)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_with_blanks_and_brackets_moves_no_field() {
        let stat = "42 (odd ) name) S 1 42 42 0 -1 4194304 1 0 0 0 150 50 0 0 20 0 9 0 12345 1000 25";
        assert_eq!(stat_field(stat, 14), Some(150.0));
        assert_eq!(stat_field(stat, 15), Some(50.0));
        assert_eq!(stat_field(stat, 22), Some(12345.0));
    }

    #[test]
    fn values_are_read_from_the_kernels_tables() {
        assert_eq!(kibibytes("Name:\tx\nVmRSS:\t    1024 kB\n", "VmRSS:"), Some(1_048_576.0));
        let limits = "Max open files            20000                20000                files\n\
                      Max address space         unlimited            unlimited            bytes\n";
        assert_eq!(soft_limit(limits, "Max open files"), Some(20000.0));
        assert_eq!(soft_limit(limits, "Max address space"), Some(1.844_674_407_370_955_2e19));
        let netstat = "TcpExt: A B\nTcpExt: 1 2\nIpExt: InNoRoutes InOctets OutOctets\nIpExt: 0 77 88\n";
        assert_eq!(network_octets(netstat, "OutOctets"), Some(88.0));
        assert_eq!(boot_time("cpu 1 2\nbtime 1700000000\n"), Some(1_700_000_000.0));
    }
}
