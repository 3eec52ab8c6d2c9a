//! The speed of extraction against its limit (a bare pass of quick-xml over the same bytes), against itself on
//! more threads, and against another program.

use std::{
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::Command,
};

use quick_xml::{Reader, events::Event};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::timing::Times;
use crate::corpus::extract::{
    ExtractError,
    source::{Inputs, Limits},
};

/// What to measure.
pub struct ExtractBench {
    /// A folder of articles.
    pub folder: PathBuf,
    pub rounds: usize,
    /// This program, which is run anew for every round so that memory and caches start afresh.
    pub program: PathBuf,
    pub peer: Option<Peer>,
    /// Where the corpora go.
    pub scratch: PathBuf,
}

/// Another program: a command that takes what it is to work on and prints JSON with `seconds`.
pub struct Peer {
    pub command: Vec<String>,
}

impl Peer {
    /// The command, still without what it is to work on.
    pub(super) fn start(&self) -> Command {
        let (program, arguments) =
            self.command.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
        let mut command = Command::new(program);
        command.args(arguments);
        command
    }
}

/// What was measured.
#[derive(Debug, Default, Serialize)]
pub struct ExtractMeasurement {
    pub articles: usize,
    pub bytes: u64,
    pub pairs: u64,
    pub bare: Times,
    pub one_thread: Times,
    pub two_threads: Times,
    pub peer: Times,
    /// The most memory of any run, in bytes.
    pub peak_memory: u64,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    #[error(transparent)]
    Extract(#[from] ExtractError),
    #[error("cannot run {command}: {cause}")]
    Run { command: String, cause: io::Error },
    #[error("{command} failed: {message}")]
    Failed { command: String, message: String },
}

/// The parts of an extraction's `--json` (and of the peer's answer) that are measured.
#[derive(Deserialize)]
struct Answer {
    seconds: f64,
    #[serde(default)]
    pairs_kept: u64,
    #[serde(default)]
    peak_memory: Option<u64>,
}

impl ExtractMeasurement {
    /// Megabytes per second at the shortest time.
    pub fn speed(&self, times: &Times) -> f64 {
        self.bytes as f64 / 1e6 / times.best()
    }
}

/// Runs everything in turns.
pub fn extract(
    bench: &ExtractBench,
    observe: &mut dyn FnMut(usize),
) -> Result<ExtractMeasurement, PeerError> {
    let inputs = Inputs::open(std::slice::from_ref(&bench.folder)).map_err(ExtractError::from)?;
    let mut measured = ExtractMeasurement::default();
    for round in 0..bench.rounds {
        observe(round);
        let (mut articles, mut bytes, mut seconds) = (0, 0, 0.0);
        inputs.each(Limits::default(), &mut |item| {
            if let Ok(content) = &item.content {
                let mut times = Times::default();
                times.measure(|| bare_pass(content));
                seconds += times.best();
                articles += 1;
                bytes += content.len() as u64;
            }
            ControlFlow::Continue(())
        });
        (measured.articles, measured.bytes) = (articles, bytes);
        measured.bare.add(seconds);
        for threads in [1, 2] {
            let answer = run_extract(bench, threads)?;
            measured.pairs = answer.pairs_kept;
            measured.peak_memory = measured.peak_memory.max(answer.peak_memory.unwrap_or(0));
            let times = if threads == 1 { &mut measured.one_thread } else { &mut measured.two_threads };
            times.add(answer.seconds);
        }
        if let Some(peer) = &bench.peer {
            measured.peer.add(run_peer(peer, &bench.folder)?.seconds);
        }
    }
    Ok(measured)
}

/// Every event of an article and nothing else: what any reader that uses quick-xml must spend.
fn bare_pass(content: &[u8]) -> usize {
    let Ok(text) = std::str::from_utf8(content) else { return 0 };
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut events = 0;
    loop {
        match reader.read_event() {
            Ok(Event::Eof) | Err(_) => return std::hint::black_box(events),
            Ok(event) => {
                std::hint::black_box(&event);
                events += 1;
            }
        }
    }
}

fn run_extract(bench: &ExtractBench, threads: usize) -> Result<Answer, PeerError> {
    let mut command = Command::new(&bench.program);
    command
        .arg("extract")
        .arg(&bench.folder)
        .args(["--json", "--threads", &threads.to_string(), "-o"])
        .arg(bench.scratch.join("bench.corpus"));
    run(command)
}

fn run_peer(peer: &Peer, folder: &Path) -> Result<Answer, PeerError> {
    let mut command = peer.start();
    command.arg(folder);
    run(command)
}

/// Runs a command and reads the JSON it prints.
pub(super) fn run<T: DeserializeOwned>(mut command: Command) -> Result<T, PeerError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|cause| PeerError::Run { command: name.clone(), cause })?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(PeerError::Failed { command: name, message });
    }
    serde_json::from_slice(&output.stdout).map_err(|error| PeerError::Failed {
        command: name,
        message: format!("its answer is not understood: {error}"),
    })
}
