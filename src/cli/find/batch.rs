//! `matchbook find --batch`: one query per line of standard input, one answer per line of standard output.
//!
//! A program may wait for an answer before it asks again, so what has arrived is answered at once. Lines that arrive faster
//! than they are answered are answered together.

use std::{
    io::{self, BufRead, Read},
    thread,
    time::Duration,
};

use anyhow::{Context, bail};
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Own;
use crate::{
    base::{printable, task::CancelToken},
    cli::output::{Output, counted},
    corpus::{PairId, store::Store},
    matching::index::Side,
    runs::find::{FindAnswer, FindError, FindRequest, Finder, LONGEST_STATEMENT, Question},
};

/// A line of input; the statement may also be a JSON string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Text(String),
    Object {
        #[serde(default)]
        name: Option<serde_json::Value>,
        #[serde(default)]
        text: Option<String>,
        #[serde(default)]
        like: Option<String>,
    },
}

/// A line of output.
#[derive(Serialize)]
struct Answer<'a> {
    /// The number of the input line, from 1.
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<Own>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<usize>,
    results: Vec<Hit<'a>>,
}

#[derive(Serialize)]
struct Hit<'a> {
    id: &'a str,
    rank: u32,
    score: f32,
    probability: f64,
    side: Side,
}

struct Asked {
    line: u64,
    name: Option<serde_json::Value>,
    question: Result<Question, String>,
}

/// Most queries answered together; answers are written in the order of the queries.
const TOGETHER: usize = 64;
/// How often it is checked whether to stop while no line arrives.
const CHECKED: Duration = Duration::from_millis(100);

/// A line and its number, from 1.
type NumberedLine = (u64, Vec<u8>);

pub fn run(
    store: &Store,
    finder: &Finder,
    request: &FindRequest,
    cancel: &CancelToken,
    output: &mut Output,
) -> anyhow::Result<()> {
    let ids = store.pair_ids()?;
    let lines = lines()?;
    let mut answered = 0;
    let check = |answered: u64| match cancel.check() {
        Ok(()) => Ok(()),
        Err(_) => bail!("stopped; {} answered", counted(answered, "line")),
    };
    loop {
        let first = match lines.recv_timeout(CHECKED) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => {
                check(answered)?;
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        let mut asked = Vec::with_capacity(TOGETHER);
        for line in std::iter::once(first).chain(lines.try_iter()).take(TOGETHER) {
            let (number, line) = line.context("cannot read standard input")?;
            if !line.trim_ascii().is_empty() {
                asked.push(read(store, number, &line));
            }
        }
        check(answered)?;
        let answers: Vec<Result<FindAnswer, String>> = asked
            .par_iter()
            .map(|asked| {
                let question = asked.question.as_ref().map_err(Clone::clone)?;
                finder.find(question, request).map_err(|error: FindError| error.to_string())
            })
            .collect();
        for (asked, answer) in asked.iter().zip(answers) {
            let text = serde_json::to_string(&written(asked, answer, &ids))?;
            output.line(&printable::json(&text))?;
        }
        output.flush()?;
        answered += asked.len() as u64;
    }
}

/// Reads standard input on a thread of its own, which nothing waits for: a read cannot be interrupted.
fn lines() -> anyhow::Result<Receiver<io::Result<NumberedLine>>> {
    let (sender, lines) = bounded(TOGETHER);
    let read = move || {
        let mut input = io::stdin().lock();
        for number in 1.. {
            let line = match next_line(&mut input) {
                Ok(None) => return,
                Ok(Some(line)) => Ok((number, line)),
                Err(error) => Err(error),
            };
            let is_last = line.is_err();
            if sender.send(line).is_err() || is_last {
                return;
            }
        }
    };
    thread::Builder::new().name("input".to_owned()).spawn(read)?;
    Ok(lines)
}

fn written<'a>(asked: &'a Asked, answer: Result<FindAnswer, String>, ids: &'a [String]) -> Answer<'a> {
    let (line, name) = (asked.line, asked.name.as_ref());
    match answer {
        Err(error) => {
            Answer { line, name, error: Some(error), own: None, candidates: None, results: Vec::new() }
        }
        Ok(answer) => Answer {
            line,
            name,
            error: None,
            own: answer.gold.map(Own::from),
            candidates: Some(answer.candidates),
            results: answer
                .results
                .iter()
                .filter_map(|found| {
                    Some(Hit {
                        id: ids.get(found.row as usize)?,
                        rank: found.rank,
                        score: found.score,
                        probability: found.probability,
                        side: found.side,
                    })
                })
                .collect(),
        },
    }
}

/// The next line, without the rest of one that is too long for any statement.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    // A character may take six bytes in JSON.
    const LONGEST: u64 = 8 * LONGEST_STATEMENT as u64;
    let mut line = Vec::new();
    if input.take(LONGEST).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if !line.ends_with(b"\n") && line.len() as u64 == LONGEST {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

fn read(store: &Store, line: u64, bytes: &[u8]) -> Asked {
    let failed = |name, error: String| Asked { line, name, question: Err(error) };
    match serde_json::from_slice(bytes) {
        Err(error) => failed(None, format!("the line is not a query: {error}; write {{\"text\": \"...\"}}")),
        Ok(Line::Text(text)) => Asked { line, name: None, question: typed(&text) },
        Ok(Line::Object { name, text: Some(text), like: None }) => {
            Asked { line, name, question: typed(&text) }
        }
        Ok(Line::Object { name, text: None, like: Some(like) }) => {
            let question = like.parse::<PairId>().map_err(|error| error.to_string());
            let question =
                question.and_then(|id| Question::like(store, &id).map_err(|error| error.to_string()));
            Asked { line, name, question }
        }
        Ok(Line::Object { name, .. }) => failed(name, "a query has either `text` or `like`".to_owned()),
    }
}

fn typed(text: &str) -> Result<Question, String> {
    Question::typed(text).map_err(|error| error.to_string())
}
