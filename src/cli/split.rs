//! `matchbook split`: train, dev and test, and whether they leak.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use serde::Serialize;

use super::output::{Output, grouped};
use crate::{
    corpus::{
        leaks::LeakReport,
        open_corpus,
        split::{Part, Scheme, Split},
    },
    symbols::renamed_shingles,
};

/// Show or store train, dev and test parts, and check them for leaks
///
/// Every corpus has a mixed split (by pair) and an unmixed one (by article), 80/10/10. Splits with other seeds are computed
/// on demand, and stored with --keep. The leak check looks for identical articles, identical texts, and near-duplicates, as
/// written and up to renaming, in two parts.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  matchbook split my.corpus --split unmixed --seed 7 --leaks")]
pub struct Arguments {
    /// Corpus file, or `demo`
    corpus: PathBuf,
    /// Split: by pair (mixed) or by article (unmixed) [default: both]
    #[arg(long, value_parser = PossibleValuesParser::new(["mixed", "unmixed"]))]
    split: Option<String>,
    /// Random seed of the split [default: the stored split]
    #[arg(long)]
    seed: Option<u64>,
    /// Store the split in the corpus file
    #[arg(long, requires = "seed")]
    keep: bool,
    /// Check for leaks between the parts
    #[arg(long)]
    leaks: bool,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    scheme: Scheme,
    /// None for parts that came with imported files.
    seed: Option<u64>,
    train: usize,
    dev: usize,
    test: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaks: Option<LeakReport>,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let store = open_corpus(&arguments.corpus)?;
    let chosen = arguments.split.as_deref().and_then(|name| name.parse().ok());
    let mut answers = Vec::new();
    for scheme in chosen.map_or(Scheme::ALL.to_vec(), |scheme| vec![scheme]) {
        let split = store.split(scheme, arguments.seed)?;
        if arguments.keep {
            store.keep_split(&split)?;
        }
        let leaks = arguments.leaks.then(|| LeakReport::of(&store, &split, renamed_shingles)).transpose()?;
        answers.push(answer(&split, leaks));
    }
    if arguments.json {
        return output.json(&answers);
    }
    output.line(&format!("{:<10}{:>12}{:>12}{:>12}{:>12}", "split", "seed", "train", "dev", "test"))?;
    for answer in &answers {
        let seed = answer.seed.map_or_else(|| "imported".to_owned(), |seed| seed.to_string());
        let [train, dev, test] = [answer.train, answer.dev, answer.test].map(|count| grouped(count as u64));
        output.line(&format!("{:<10}{seed:>12}{train:>12}{dev:>12}{test:>12}", answer.scheme.name()))?;
    }
    answers.iter().try_for_each(|answer| print_leaks(answer, output))
}

fn answer(split: &Split, leaks: Option<LeakReport>) -> Answer {
    let [train, dev, test] = Part::ALL.map(|part| split.count(part));
    Answer { scheme: split.scheme, seed: split.seed, train, dev, test, leaks }
}

fn print_leaks(answer: &Answer, output: &mut Output) -> anyhow::Result<()> {
    let Some(report) = &answer.leaks else { return Ok(()) };
    let name = format!("{}: pairs with", answer.scheme);
    output.line(&format!("\n{name:<42}{:>12}{:>12}{:>12}", "train-dev", "train-test", "dev-test"))?;
    for leak in &report.leaks {
        let counts = [leak.train_dev, leak.train_test, leak.dev_test].map(|count| grouped(count as u64));
        let [train_dev, train_test, dev_test] = counts;
        output
            .line(&format!("{:<42}{train_dev:>12}{train_test:>12}{dev_test:>12}", leak.kind.to_string()))?;
        if let Some(example) = leak.examples.first() {
            output.line(&format!(
                "  such as {} ({}) and {} ({})",
                example.pair, example.part, example.twin, example.twin_part
            ))?;
        }
    }
    Ok(())
}
