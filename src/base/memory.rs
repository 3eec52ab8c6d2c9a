//! The memory of this machine.

use std::fs;

/// The bytes of memory that this process may use, if the system reports it: the physical memory, or less if its control
/// group has a limit.
pub fn total() -> Option<u64> {
    let physical = fs::read_to_string("/proc/meminfo").ok().and_then(|text| kilobytes(&text, "MemTotal:"))?;
    let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let limit = limit.and_then(|text| text.trim().parse::<u64>().ok());
    Some(limit.map_or(physical, |limit| limit.min(physical)))
}

/// The value of a line `NAME: 123 kB` of a file under `/proc`, in bytes.
pub fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilobytes_become_bytes() {
        let text = "MemTotal:       24689764 kB\nMemFree: x kB\n";
        assert_eq!(kilobytes(text, "MemTotal:"), Some(24_689_764 << 10));
        assert_eq!((kilobytes(text, "MemFree:"), kilobytes(text, "Swap:")), (None, None));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_some() {
        assert!(total().unwrap() > 100 << 20);
    }
}
