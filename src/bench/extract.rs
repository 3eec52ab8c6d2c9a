//! Speed of extraction, compared with its limit (a bare pass of quick-xml over the same bytes), with more threads, and with
//! another program.

use std::{ops::ControlFlow, path::PathBuf, process::Command};

use quick_xml::{Reader, events::Event};
use serde::{Deserialize, Serialize};

use super::{
    error::BenchError,
    peer::{Peer, json_of},
    timing::Times,
};
use crate::corpus::extract::{
    ExtractError,
    source::{Inputs, Limits},
};

/// What to measure.
pub struct ExtractBench {
    /// A folder of articles.
    pub folder: PathBuf,
    pub rounds: usize,
    /// This program, which runs as a new process in every round, so that memory and caches start afresh.
    pub program: PathBuf,
    /// A command that takes a folder and prints JSON with `seconds`.
    pub peer: Option<Peer>,
    /// Folder for corpora.
    pub scratch: PathBuf,
}

/// Measurements.
#[derive(Debug, Default, Serialize)]
pub struct ExtractMeasurement {
    pub articles: usize,
    pub bytes: u64,
    pub pairs: u64,
    pub bare: Times,
    pub one_thread: Times,
    pub two_threads: Times,
    pub peer: Times,
    /// Peak memory of any run in bytes.
    pub peak_memory: u64,
}

/// The relevant part of the output of `extract --json`, and of the other program.
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

/// Measures this program and the other one alternately.
pub fn extract(
    bench: &ExtractBench,
    observe: &mut dyn FnMut(usize),
) -> Result<ExtractMeasurement, BenchError> {
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
            measured.peer.add(peer.run::<Answer>([&bench.folder])?.seconds);
        }
    }
    Ok(measured)
}

/// Reads every XML event of an article and does nothing else: a lower bound for any reader based on quick-xml.
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

fn run_extract(bench: &ExtractBench, threads: usize) -> Result<Answer, BenchError> {
    let mut command = Command::new(&bench.program);
    command
        .arg("extract")
        .arg(&bench.folder)
        .args(["--json", "--threads", &threads.to_string(), "-o"])
        .arg(bench.scratch.join("bench.corpus"));
    json_of(command)
}
