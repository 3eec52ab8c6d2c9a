//! The identity of a process, so that a reused process id is never mistaken for it.
//!
//! A process id is reused after a while, and at once after a reboot; together with the start time of the process it is not.
//! On Linux that is field 22 of `/proc/PID/stat` with the boot id; on other Unix systems `ps` prints it to the second;
//! elsewhere there is none.

use std::{fs, path::Path, process::Command};

use serde::{Deserialize, Serialize};

/// A process of some machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIdentity {
    pub pid: u32,
    /// The start time as the system prints it; none where it does not.
    pub started: Option<String>,
}

/// Whether a process is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessState {
    Running,
    Gone,
    /// The system cannot tell.
    Unknown,
}

impl ProcessIdentity {
    /// This process.
    pub fn own() -> ProcessIdentity {
        ProcessIdentity::of(std::process::id())
    }

    /// The process that has this id now.
    pub fn of(pid: u32) -> ProcessIdentity {
        let started = match look_up(pid) {
            LookUp::Started(started) => Some(started),
            LookUp::Gone | LookUp::Unknown => None,
        };
        ProcessIdentity { pid, started }
    }

    /// Whether it is running on this machine now.
    pub fn presence(&self) -> ProcessState {
        match (look_up(self.pid), &self.started) {
            (LookUp::Gone, _) => ProcessState::Gone,
            (LookUp::Started(now), Some(then)) if now == *then => ProcessState::Running,
            (LookUp::Started(_), Some(_)) => ProcessState::Gone,
            (LookUp::Started(_), None) | (LookUp::Unknown, _) => ProcessState::Unknown,
        }
    }
}

/// The name of this machine.
pub fn host() -> String {
    let from_system = || fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let from_variable = || std::env::var("COMPUTERNAME").or_else(|_| std::env::var("HOSTNAME")).ok();
    let from_command = || String::from_utf8(Command::new("hostname").output().ok()?.stdout).ok();
    let name = from_system().or_else(from_command).or_else(from_variable).unwrap_or_default();
    match name.trim() {
        "" => "unknown".to_owned(),
        name => name.to_owned(),
    }
}

enum LookUp {
    Started(String),
    Gone,
    Unknown,
}

fn look_up(pid: u32) -> LookUp {
    match Path::new("/proc/self/stat").exists() {
        true => look_up_in_proc(pid),
        false if cfg!(unix) => look_up_with_ps(pid),
        false => LookUp::Unknown,
    }
}

fn look_up_in_proc(pid: u32) -> LookUp {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return LookUp::Gone };
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    // The second field is the program's name in brackets, which may itself contain brackets and spaces.
    let Some((_, rest)) = stat.rsplit_once(')') else { return LookUp::Unknown };
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    match (fields.first(), fields.get(19)) {
        // A zombie that waits for its parent.
        (Some(&"Z" | &"X"), _) => LookUp::Gone,
        (_, Some(ticks)) => LookUp::Started(format!("{ticks} ticks after boot {}", boot.trim())),
        _ => LookUp::Unknown,
    }
}

fn look_up_with_ps(pid: u32) -> LookUp {
    let output =
        Command::new("ps").env("LC_ALL", "C").args(["-o", "lstart=", "-p", &pid.to_string()]).output();
    match output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()) {
        Ok(started) if started.is_empty() => LookUp::Gone,
        Ok(started) => LookUp::Started(started),
        Err(_) => LookUp::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_process_is_known_while_it_runs_and_not_after() {
        assert_eq!(ProcessIdentity::own().presence(), ProcessState::Running);
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let identity = ProcessIdentity::of(child.id());
        assert_eq!(identity.presence(), ProcessState::Running);
        let reused = ProcessIdentity { started: Some("another time".to_owned()), ..identity.clone() };
        assert_eq!(reused.presence(), ProcessState::Gone);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(identity.presence(), ProcessState::Gone);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_ended_unnoticed_is_gone() {
        let mut child = Command::new("true").spawn().unwrap();
        let identity = ProcessIdentity { pid: child.id(), started: None };
        for _ in 0..500 {
            if identity.presence() == ProcessState::Gone {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(identity.presence(), ProcessState::Gone);
        child.wait().unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn ps_and_proc_agree_about_who_is_there() {
        let own = look_up_with_ps(std::process::id());
        assert!(matches!(own, LookUp::Started(_) | LookUp::Unknown));
        assert!(!host().is_empty() && !host().contains('\n'));
    }
}
