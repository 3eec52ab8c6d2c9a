//! Processes on this machine: detached from this one, and signalled only after their identity was checked.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{JobError, JobRow, StopOutcome, record::Record};
use crate::{
    base::{
        outside,
        process::{ProcessIdentity, ProcessState, host},
        workspace::{VARIABLE, Workspace},
    },
    runs::{RunDirectory, RunError, RunState, Status, Timestamp},
};

/// How long a killed process may take to disappear.
const DYING: Duration = Duration::from_secs(5);

/// The path of this program, also when it was replaced by a newer one meanwhile.
pub fn this_program() -> PathBuf {
    let Ok(path) = std::env::current_exe() else { return PathBuf::from("matchbook") };
    match path.to_str().and_then(|path| path.strip_suffix(" (deleted)")) {
        Some(replaced) => PathBuf::from(replaced),
        None => path,
    }
}

/// The arguments that train a run, from its first step or from its last checkpoint.
pub fn arguments(workspace: &Workspace, run: &RunDirectory, record: &Record) -> Vec<OsString> {
    // a relative workspace would be another one in another folder
    let root = std::path::absolute(workspace.root()).unwrap_or_else(|_| workspace.root().to_owned());
    let mut arguments: Vec<OsString> =
        [record.work.name(), "--run", run.name().as_str(), "--resume", "--workspace"]
            .map(OsString::from)
            .into();
    arguments.push(root.into_os_string());
    arguments.extend(record.options.flags().into_iter().map(OsString::from));
    arguments
}

/// Starts a process that outlives this one: without a terminal, in its own process group, with its output in the
/// run's log.
pub fn spawn(
    program: &Path,
    workspace: &Workspace,
    run: &RunDirectory,
    record: &Record,
) -> Result<ProcessIdentity, JobError> {
    let path = run.log_path();
    let log = outside::append(&path).map_err(JobError::file("open", &path))?;
    let errors = log.try_clone().map_err(JobError::file("open", &path))?;
    let mut command = Command::new(program);
    command.args(arguments(workspace, run, record)).stdin(Stdio::null()).stdout(log).stderr(errors);
    // the current folder may be unmounted or removed while the run trains
    command.current_dir(run.path()).env_remove(VARIABLE);
    command.env(super::EXPECTED_VERSION, env!("CARGO_PKG_VERSION"));
    start_detached(&mut command).map_err(JobError::file("start", program))
}

/// Starts a process that outlives this one and is not reached by its terminal's signals.
pub fn start_detached(command: &mut Command) -> io::Result<ProcessIdentity> {
    detach(command);
    let mut child = command.spawn()?;
    let process = ProcessIdentity::of(child.id());
    // Waits for the child, so that a workbench that stays open keeps no zombies.
    let waiter = thread::Builder::new().name("waits for a run".to_owned()).spawn(move || child.wait());
    drop(waiter);
    Ok(process)
}

/// Asks a process of this machine to stop, if its identity still matches. Returns whether it was signalled.
pub fn stop_process(process: &ProcessIdentity) -> bool {
    signal(process, Signal::Stop)
}

#[cfg(unix)]
fn detach(command: &mut Command) {
    // The terminal's Ctrl-C and hang-up reach its foreground process group, which this one never is.
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(windows)]
fn detach(command: &mut Command) {
    const DETACHED_PROCESS: u32 = 0x8;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    std::os::windows::process::CommandExt::creation_flags(
        command,
        DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP,
    );
}

#[cfg(not(any(unix, windows)))]
fn detach(_: &mut Command) {}

/// Stops a run after its current step: by a signal if possible, otherwise by the `stop` file.
pub fn stop(run: &RunDirectory, row: &JobRow) -> Result<StopOutcome, JobError> {
    if let Some(process) = row.process.as_ref().filter(|_| row.host == host())
        && signal(process, Signal::Stop)
    {
        return Ok(StopOutcome::Signalled);
    }
    request_stop(run)?;
    Ok(StopOutcome::Requested)
}

/// Creates the `stop` file in the run's directory.
pub fn request_stop(run: &RunDirectory) -> Result<(), JobError> {
    let path = run.stop_path();
    outside::append(&path).map(drop).map_err(JobError::file("write", &path))
}

/// Kills a run's process and records that it was killed on purpose.
pub fn kill(run: &RunDirectory, row: &JobRow) -> Result<(), JobError> {
    let name = || run.name().to_string();
    if row.host != host() {
        return Err(JobError::Elsewhere { name: name(), host: row.host.clone() });
    }
    let Some(process) = &row.process else { return Ok(()) };
    if process.presence() != ProcessState::Gone && !signal(process, Signal::Kill) {
        request_stop(run)?;
        return Err(JobError::NoSignals { name: name(), pid: process.pid });
    }
    let until = Instant::now() + DYING;
    while process.presence() != ProcessState::Gone && Instant::now() < until {
        thread::sleep(Duration::from_millis(10));
    }
    // The last thread releases the lock, which may be after the process id is gone.
    let lock = loop {
        match run.lock() {
            Err(RunError::Busy { .. }) if Instant::now() < until => thread::sleep(Duration::from_millis(10)),
            outcome => break outcome?,
        }
    };
    let status = run.status()?;
    if matches!(status.state, RunState::Running | RunState::Queued) {
        let (state, cause) = (RunState::Stopped, Some("killed".to_owned()));
        lock.write_status(&Status { state, cause, heartbeat: Timestamp::now(), ..status })?;
    }
    Ok(())
}

enum Signal {
    /// With a checkpoint.
    Stop,
    Kill,
}

/// Signals a process if its identity still matches. Returns whether it did. A descriptor of the process is opened
/// first and the identity checked afterwards, so a process id that is reused in between is never signalled.
#[cfg(target_os = "linux")]
fn signal(process: &ProcessIdentity, signal: Signal) -> bool {
    use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};
    let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else { return false };
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(descriptor) => {
            process.presence() == ProcessState::Running
                && pidfd_send_signal(&descriptor, signal.of_system()).is_ok()
        }
        // kernels before 5.3
        Err(rustix::io::Errno::NOSYS) => signal_by_number(process, signal),
        Err(_) => false,
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn signal(process: &ProcessIdentity, signal: Signal) -> bool {
    signal_by_number(process, signal)
}

#[cfg(unix)]
fn signal_by_number(process: &ProcessIdentity, signal: Signal) -> bool {
    use rustix::process::{Pid, kill_process};
    let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw);
    process.presence() == ProcessState::Running
        && pid.is_some_and(|pid| kill_process(pid, signal.of_system()).is_ok())
}

#[cfg(not(unix))]
fn signal(_: &ProcessIdentity, _: Signal) -> bool {
    false
}

#[cfg(unix)]
impl Signal {
    fn of_system(&self) -> rustix::process::Signal {
        match self {
            Signal::Stop => rustix::process::Signal::TERM,
            Signal::Kill => rustix::process::Signal::KILL,
        }
    }
}
