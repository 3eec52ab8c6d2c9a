//! `matchbook duplicates`: near-duplicate texts of a corpus.

use std::path::PathBuf;

use anyhow::bail;
use serde::Serialize;

use super::{
    choice::choice,
    interrupt,
    output::{Output, counted, printable},
    progress::Meter,
};
use crate::{
    base::task::{Progress, Task},
    corpus::{
        leaks::{DuplicateRequest, NEARLY_THE_SAME, Shingler, Side, find_duplicates, literal_shingles},
        open_corpus,
    },
    runs::find::SearchIn,
    symbols::renamed_shingles,
};

/// List near-duplicate statements and proofs
///
/// Texts are compared by their token 5-grams, in which letters are numbered by first occurrence, so a copy with other
/// letters is found too. Each text is listed once, with the most similar earlier text.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook duplicates my.corpus\n  matchbook duplicates my.corpus --in proofs --similarity 0.6 --json > twins.json"
)]
pub struct Arguments {
    /// Corpus file, or `demo`
    corpus: PathBuf,
    /// Texts to compare
    #[arg(long = "in", default_value = "both", value_name = "SIDE", value_parser = choice::<SearchIn>())]
    side: SearchIn,
    /// Minimum Jaccard similarity, from 0.3 to 1
    #[arg(long, default_value_t = NEARLY_THE_SAME, value_name = "FRACTION")]
    similarity: f64,
    /// Compare symbols literally instead of up to renaming
    #[arg(long)]
    literal: bool,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    corpus: String,
    pairs: u32,
    duplicates: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Line<'a> {
    side: Side,
    id: &'a str,
    twin: &'a str,
    similarity: f64,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    // Below this, sketches miss most similar texts.
    if !(0.3..=1.0).contains(&arguments.similarity) {
        bail!("--similarity must be a number from 0.3 to 1");
    }
    let store = open_corpus(&arguments.corpus)?;
    let shingler: Shingler = if arguments.literal { literal_shingles } else { renamed_shingles };
    let request = DuplicateRequest { sides: arguments.side.sides(), least: arguments.similarity, shingler };
    let meter = Meter::counting("steps");
    let observe = |progress: Progress| {
        let (done, total) = (progress.done as u64, progress.total as u64);
        meter.show(done, total, progress.step);
    };
    let found = find_duplicates(&store, &request, &Task::new(&interrupt::token()?, &observe));
    meter.finish();
    let found = found?;
    let ids = store.pair_ids()?;
    let id = |row: u32| ids.get(row as usize).map_or("", String::as_str);
    let lines: Vec<Line<'_>> = found
        .iter()
        .map(|one| Line { side: one.side, id: id(one.row), twin: id(one.twin), similarity: one.similarity })
        .collect();
    if arguments.json {
        let corpus = arguments.corpus.display().to_string();
        return output.json(&Answer { corpus, pairs: store.pair_count(), duplicates: lines });
    }
    output.line(&format!(
        "{} in {} with a near-duplicate among the earlier texts",
        counted(lines.len() as u64, "text"),
        counted(u64::from(store.pair_count()), "pair"),
    ))?;
    for line in &lines {
        let text =
            format!("{:.2}  {:<9}  {:<20} {}", line.similarity, line.side.to_string(), line.id, line.twin);
        output.line(&printable(&text))?;
    }
    Ok(())
}
