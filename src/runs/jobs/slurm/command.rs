//! Runs Slurm's commands with a timeout.

use std::{
    fmt,
    io::{self, Read},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// Slurm's own commands give up after about half of this.
const PATIENCE: Duration = Duration::from_secs(40);
/// The output of a command that has ended arrives within this time, unless a process that it left behind holds the pipes.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// Why a command has no useful answer.
#[derive(Debug)]
pub enum SlurmCommandError {
    /// The command does not exist.
    Missing(String),
    /// The controller does not answer: nothing is known.
    Silent(String),
    /// The controller refused.
    Refused(String),
}

impl fmt::Display for SlurmCommandError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SlurmCommandError::Missing(program) => {
                write!(out, "the command {program} was not found; run this where Slurm is installed")
            }
            SlurmCommandError::Silent(text) => write!(out, "Slurm does not respond ({text})"),
            SlurmCommandError::Refused(text) => write!(out, "Slurm refused: {text}"),
        }
    }
}

/// The output of a command.
pub fn run_slurm(program: &str, arguments: &[&str]) -> Result<String, SlurmCommandError> {
    run_within(PATIENCE, program, arguments)
}

fn run_within(patience: Duration, program: &str, arguments: &[&str]) -> Result<String, SlurmCommandError> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The command may be a wrapper script; its process group is killed with what it has started. In a group of its own, it
    // gets neither the terminal's input nor its Ctrl-C.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(SlurmCommandError::Missing(program.to_owned()));
        }
        Err(error) => return Err(SlurmCommandError::Silent(format!("{program}: {error}"))),
    };
    let (out, errors) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let until = Instant::now() + patience;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
            _ => {
                kill(child);
                break None;
            }
        }
    };
    let until = until + LAST_OUTPUT;
    let text = |pipe: &mpsc::Receiver<String>| {
        pipe.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
    };
    let Some(status) = status else {
        let text = format!("{program} took longer than {} s", patience.as_secs());
        return Err(SlurmCommandError::Silent(text));
    };
    let (Some(out), Some(errors)) = (text(&out), text(&errors)) else {
        let text = format!("{program} left a process behind that keeps its output open");
        return Err(SlurmCommandError::Silent(text));
    };
    let words = errors.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    match status {
        status if status.success() => Ok(out),
        _ if is_silence(&words) => Err(SlurmCommandError::Silent(words)),
        status if words.is_empty() => Err(SlurmCommandError::Refused(format!("{program}: {status}"))),
        _ => Err(SlurmCommandError::Refused(words)),
    }
}

/// Kills a command that has not ended, with the processes that it has started.
fn kill(mut child: Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        // The child was not waited for, so no other group can have its number.
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    }
    let _ = child.kill();
    // A process that waits for a file system ends when that answers.
    thread::spawn(move || child.wait());
}

/// Whether the errors only mean that the controller did not answer.
fn is_silence(words: &str) -> bool {
    const SIGNS: [&str; 9] = [
        "Unable to contact slurm controller",
        "Unable to connect to",
        "Connection refused",
        "onnection timed out",
        "ocket timed out",
        "Zero Bytes were transmitted",
        "ommunications connection failure",
        "Transport endpoint is not connected",
        "Could not establish a configuration source",
    ];
    SIGNS.iter().any(|sign| words.contains(sign))
}

/// Reads while the command runs, so that it never blocks on a full pipe. Sends the whole text when the pipe is closed.
fn reader(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        // The receiver is gone if that took too long.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

pub fn scancel(arguments: &[&str]) -> Result<(), SlurmCommandError> {
    run_slurm("scancel", arguments).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_told_from_refusal() {
        assert!(matches!(run_slurm("no-such-command-of-slurm", &[]), Err(SlurmCommandError::Missing(_))));
        assert_eq!(run_slurm("echo", &["12"]).unwrap(), "12\n");
        let fails =
            |words: &str| run_slurm("sh", &["-c", &format!("echo '{words}' >&2; exit 1")]).unwrap_err();
        let silent = "slurm_load_jobs error: Unable to contact slurm controller (connect failure)";
        assert!(matches!(fails(silent), SlurmCommandError::Silent(_)));
        assert!(matches!(
            fails("sbatch: error: invalid partition specified: x"),
            SlurmCommandError::Refused(_)
        ));
    }

    #[cfg(unix)]
    #[test]
    fn a_command_that_takes_too_long_is_killed_with_what_it_has_started() {
        let patience = Duration::from_millis(200);
        let run = |script: &str| run_within(patience, "sh", &["-c", script]);
        let start = Instant::now();
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("survived");
        let waits = format!("(sleep 2; touch '{}') & wait", path.display());
        assert!(matches!(run(&waits), Err(SlurmCommandError::Silent(_))));
        // The script ends at once, and what it has left behind holds its pipes.
        assert!(matches!(run("sleep 30 & exit 0"), Err(SlurmCommandError::Silent(_))));
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        thread::sleep(Duration::from_secs(3).saturating_sub(start.elapsed()));
        assert!(!path.exists());
    }
}
