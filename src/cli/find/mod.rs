//! `matchbook find`: the best proofs or statements for a statement.

mod arguments;
mod batch;

use serde::Serialize;

pub use arguments::Arguments;

use super::{
    interrupt,
    output::{Output, counted, grouped, printable},
    painted::Painted,
    progress::Meter,
};
use crate::{
    base::task::{CancelToken, Progress, Task},
    corpus::{open_corpus, readable, store::Store},
    runs::find::{
        Approximation, Excerpt, FindAnswer, FindRequest, Finder, Found, FoundPair, IndexPlace, IndexPlaces,
        Question, SearchIn,
    },
};

/// The length of an excerpt in characters.
const EXCERPT: usize = 160;

/// The JSON output.
#[derive(Serialize)]
struct Answer {
    corpus: String,
    method: String,
    #[serde(rename = "in")]
    side: SearchIn,
    /// The statement as it was read.
    statement: String,
    candidates: usize,
    /// For a search with --approximate: the number of candidates that were scored, and the recall measured on dev.
    #[serde(skip_serializing_if = "Option::is_none")]
    approximation: Option<Approximation>,
    /// The index file; absent if the index is in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<String>,
    /// The pair's own proof, of a search with --like.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<Own>,
    results: Vec<FoundPair>,
}

/// The rank of a statement's own proof.
#[derive(Serialize)]
struct Own {
    rank: u32,
    score: f32,
    probability: f64,
}

impl From<Found> for Own {
    fn from(found: Found) -> Own {
        Own { rank: found.rank, score: found.score, probability: found.probability }
    }
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let store = open_corpus(&arguments.corpus)?;
    let question = if arguments.batch { None } else { Some(arguments.question(&store)?) };
    let (finder, cancel) = open(&arguments, &store, output)?;
    let request = FindRequest {
        side: arguments.side,
        k: arguments.k as usize,
        selection: arguments.selection(&store, &finder)?,
    };
    let Some(question) = question else { return batch::run(&store, &finder, &request, &cancel, output) };
    let answer = finder.find(&question, &request)?;
    let results = results(&store, &finder, &question, &answer)?;
    if arguments.json {
        let index = match finder.place() {
            IndexPlace::File(path) => Some(path.display().to_string()),
            IndexPlace::Memory => None,
        };
        return output.json(&Answer {
            corpus: arguments.corpus.display().to_string(),
            method: finder.method().name(),
            side: answer.side,
            statement: readable(&question.statement),
            candidates: answer.candidates,
            approximation: answer.approximation,
            index,
            own: answer.gold.map(Own::from),
            results,
        });
    }
    print(&finder, &answer, &results, output)
}

/// Opens the index, with progress while it is built. From then on, signals cancel the token.
fn open(arguments: &Arguments, store: &Store, output: &Output) -> anyhow::Result<(Finder, CancelToken)> {
    let workspace = arguments.workspace()?;
    let method = arguments.method(workspace.as_ref())?;
    // Until here nothing is written, and a signal ends the program however large the model is.
    let cancel = interrupt::token()?;
    let places = IndexPlaces::of(store, workspace.as_ref());
    let meter = Meter::counting("pairs");
    let observe = |progress: Progress| {
        let (done, total) = (progress.done as u64, progress.total as u64);
        meter.update(done, total, done, &format!(", {}", progress.step));
    };
    let task = Task::new(&cancel, &observe);
    let finder = Finder::open(store, method, arguments.part(), &places, &task).and_then(|finder| {
        if arguments.approximate { finder.approximate(store, &places, &task) } else { Ok(finder) }
    });
    meter.finish();
    let finder = finder?;
    if store.file().is_some() && finder.is_in_memory() {
        output.notice(
            "the index cannot be written, neither beside the corpus nor in the workspace; it is kept in memory only",
        );
    }
    Ok((finder, cancel))
}

fn results(
    store: &Store,
    finder: &Finder,
    question: &Question,
    answer: &FindAnswer,
) -> anyhow::Result<Vec<FoundPair>> {
    let emphasis = finder.emphasis(&question.statement)?;
    let mut results = Vec::with_capacity(answer.results.len());
    for found in &answer.results {
        results.extend(FoundPair::read(store, found, |passage| emphasis.excerpt(passage, EXCERPT))?);
    }
    Ok(results)
}

fn print(
    finder: &Finder,
    answer: &FindAnswer,
    results: &[FoundPair],
    output: &mut Output,
) -> anyhow::Result<()> {
    let name = finder.method().name();
    let candidates = counted(answer.candidates as u64, "candidate");
    let mut head = format!("{} of {candidates}, {name}", results.len());
    if let Some(Approximation { scored, recall }) = answer.approximation {
        let (scored, percent) = (grouped(scored as u64), 100.0 * recall);
        head.push_str(&format!("; {scored} scored, recall of the ten best on dev {percent:.1} %"));
    }
    output.line(&head)?;
    if let Some(own) = answer.gold {
        let percent = 100.0 * own.probability;
        output.line(&format!("its own proof: rank {}, score {:.4}, {percent:.1} %", own.rank, own.score))?;
    }
    for found in results {
        // The line of a pair is from the text that matches best, which can be seen.
        let side = if answer.side == SearchIn::Pairs { "" } else { found.side.name() };
        let name = format!("{} {}", found.kind, found.label);
        let about = [side, name.trim_end(), &found.category].map(str::to_owned);
        let about: Vec<String> = about.into_iter().filter(|part| !part.is_empty()).collect();
        let (score, percent) = (found.score, 100.0 * found.probability);
        let head =
            format!("{:>3}  {score:.4}  {percent:>5.1} %  {}  {}", found.rank, found.id, about.join("  "));
        output.line(printable(head.trim_end()).as_ref())?;
        let title = printable(&found.article_title).into_owned();
        if !title.is_empty() {
            output.line(&format!("     {title}"))?;
        }
        output.painted(&emphasized(&found.excerpt, output.has_colors()))?;
    }
    Ok(())
}

/// The excerpt, indented, with its emphasis in bold on a terminal.
fn emphasized(excerpt: &Excerpt, is_terminal: bool) -> Painted {
    let mut line = Painted::from("     ");
    if !is_terminal {
        return line.push(&excerpt.text).clone();
    }
    let mut end = 0;
    for range in &excerpt.emphasis {
        line.push(&excerpt.text[end..range.start]).push_styled(BOLD, &excerpt.text[range.clone()]);
        end = range.end;
    }
    line.push(&excerpt.text[end..]).clone()
}

/// The parameter of the escape code.
const BOLD: &str = "1";
