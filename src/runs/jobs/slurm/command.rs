//! Runs Slurm's commands with a timeout.

use std::{
    fmt,
    io::{self, Read},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Slurm's own commands give up after about half of this.
const PATIENCE: Duration = Duration::from_secs(40);

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
    let spawned = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(SlurmCommandError::Missing(program.to_owned()));
        }
        Err(error) => return Err(SlurmCommandError::Silent(format!("{program}: {error}"))),
    };
    let (out, errors) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let until = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let (out, errors) = (out.join().unwrap_or_default(), errors.join().unwrap_or_default());
    let words = errors.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    match status {
        None => {
            Err(SlurmCommandError::Silent(format!("{program} took longer than {} s", PATIENCE.as_secs())))
        }
        Some(status) if status.success() => Ok(out),
        Some(_) if is_silence(&words) => Err(SlurmCommandError::Silent(words)),
        Some(status) if words.is_empty() => Err(SlurmCommandError::Refused(format!("{program}: {status}"))),
        Some(_) => Err(SlurmCommandError::Refused(words)),
    }
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

/// Reads while the command runs, so that it never blocks on a full pipe.
fn reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
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
}
