//! Another program that measures on demand: it is started once, reads a name a line, does that work, and
//! answers with the seconds it took. So two programs can be timed in turns without paying for two starts.

use std::{
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use super::PeerError;

pub struct Served {
    name: String,
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Served {
    /// Starts a command, with `serve` as its last argument.
    pub fn start(command: &[String]) -> Result<Self, PeerError> {
        let (name, arguments) = command.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
        let failed = |cause| PeerError::Run { command: name.to_owned(), cause };
        let mut command = Command::new(name);
        command.args(arguments).arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(failed)?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (questions, answers) = pipes.ok_or_else(|| failed(io::Error::other("it has no pipes")))?;
        Ok(Self { name: name.to_owned(), process, questions, answers: BufReader::new(answers) })
    }

    /// Seconds that one round of a named piece of work took.
    pub fn measure(&mut self, work: &str) -> Result<f64, PeerError> {
        let failed = |cause| PeerError::Run { command: self.name.clone(), cause };
        writeln!(self.questions, "{work}").and_then(|()| self.questions.flush()).map_err(failed)?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer).map_err(failed)?;
        answer.trim().parse().map_err(|_| PeerError::Failed {
            command: self.name.clone(),
            message: format!("asked for {work}, it answered {:?} instead of seconds", answer.trim()),
        })
    }

    /// The most memory it has had, in bytes; known on Linux only.
    pub fn peak_memory(&self) -> Option<u64> {
        super::timing::peak_memory_of(&self.process.id().to_string())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // it has nothing to lose
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn served(script: &str) -> Result<Served, PeerError> {
        Served::start(&["sh".into(), "-c".into(), script.into()])
    }

    #[test]
    fn questions_are_answered_in_turn() {
        let mut served = served("while read name; do echo \"${#name}.5\"; done").unwrap();
        assert_eq!((served.measure("npt").unwrap(), served.measure("encode").unwrap()), (3.5, 6.5));
        assert!(served.peak_memory().is_none_or(|bytes| bytes > 0));
    }

    #[test]
    fn an_answer_that_is_no_number_is_shown() {
        let error = served("read name; echo sorry").unwrap().measure("npt").unwrap_err();
        assert_eq!(error.to_string(), "sh failed: asked for npt, it answered \"sorry\" instead of seconds");
    }
}
