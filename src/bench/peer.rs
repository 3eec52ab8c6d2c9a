//! Other programs that are measured alternately with this one.

use std::{
    ffi::OsStr,
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde::de::DeserializeOwned;

use super::error::BenchError;

/// A command that takes its task as arguments and prints JSON, or serves tasks on its standard input.
#[derive(Clone, Debug)]
pub struct Peer {
    program: String,
    arguments: Vec<String>,
}

impl Peer {
    /// Splits a command line at white space.
    pub fn parse(command: &str) -> Peer {
        let mut words = command.split_whitespace().map(str::to_owned);
        Peer { program: words.next().unwrap_or_default(), arguments: words.collect() }
    }

    /// Runs the command once with more arguments. Returns the JSON it prints.
    pub(super) fn run<T: DeserializeOwned>(
        &self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Result<T, BenchError> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(arguments);
        json_of(command)
    }

    /// The error that the command did not do what was asked.
    pub(super) fn failed(&self, message: String) -> BenchError {
        BenchError::Failed { command: self.program.clone(), message }
    }

    /// Starts the command with `serve` as its last argument.
    pub fn serve(&self) -> Result<PeerServer, BenchError> {
        let failed = |cause| BenchError::Run { command: self.program.clone(), cause };
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(failed)?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (input, output) = pipes.ok_or_else(|| failed(io::Error::other("it has no pipes")))?;
        Ok(PeerServer { name: self.program.clone(), process, input, output: BufReader::new(output) })
    }
}

/// Runs a command. Returns the JSON it prints.
pub(super) fn json_of<T: DeserializeOwned>(mut command: Command) -> Result<T, BenchError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|cause| BenchError::Run { command: name.clone(), cause })?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(BenchError::Failed { command: name, message });
    }
    serde_json::from_slice(&output.stdout).map_err(|error| BenchError::Failed {
        command: name,
        message: format!("its answer cannot be parsed: {error}"),
    })
}

/// A peer that is started once: it reads the name of a task per line, carries it out, and prints the seconds it took. Two
/// programs can then be timed alternately without paying for startup in every round.
pub struct PeerServer {
    name: String,
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl PeerServer {
    /// Seconds that one round of a task took.
    pub fn measure(&mut self, task: &str) -> Result<f64, BenchError> {
        let failed = |cause| BenchError::Run { command: self.name.clone(), cause };
        writeln!(self.input, "{task}").and_then(|()| self.input.flush()).map_err(failed)?;
        let mut answer = String::new();
        self.output.read_line(&mut answer).map_err(failed)?;
        answer.trim().parse().map_err(|_| BenchError::Failed {
            command: self.name.clone(),
            message: format!(
                "asked for {task}, it answered {:?} instead of a time in seconds",
                answer.trim()
            ),
        })
    }

    /// Peak memory in bytes; known on Linux only.
    pub fn peak_memory(&self) -> Option<u64> {
        super::timing::peak_memory_of(&self.process.id().to_string())
    }
}

impl Drop for PeerServer {
    fn drop(&mut self) {
        // It has nothing to save.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn served(script: &str) -> Result<PeerServer, BenchError> {
        Peer { program: "sh".into(), arguments: vec!["-c".into(), script.into()] }.serve()
    }

    #[test]
    fn tasks_are_carried_out_in_turn() {
        let mut served = served("while read name; do echo \"${#name}.5\"; done").unwrap();
        assert_eq!((served.measure("npt").unwrap(), served.measure("encode").unwrap()), (3.5, 6.5));
        assert!(served.peak_memory().is_none_or(|bytes| bytes > 0));
    }

    #[test]
    fn an_answer_that_is_not_a_number_is_shown() {
        let error = served("read name; echo sorry").unwrap().measure("npt").unwrap_err();
        assert_eq!(
            error.to_string(),
            "sh failed: asked for npt, it answered \"sorry\" instead of a time in seconds"
        );
    }

    #[test]
    fn a_peer_that_fails_is_named() {
        let error = Peer::parse("false --quick").run::<f64>(["5"]).unwrap_err().to_string();
        assert!(error.starts_with("false failed"), "{error}");
    }
}
