//! `matchbook bench find`.

use std::path::PathBuf;

use super::BenchOptions;
use crate::{
    bench::{self, Agreement, BenchVectors, FindBench, FindMeasurement, Peer, Times},
    cli::{
        global,
        output::{Output, bytes, counted},
    },
    corpus::open_corpus,
    runs::trained,
};

/// Search by statement: building, loading, answering, against another program
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  matchbook synth load --pairs 184094 --lean\n  matchbook extract load --metadata load/manifest.tsv -o load.corpus\n  matchbook bench find --corpus load.corpus --peer \"python3 tests/peers/find_exact.py\""
)]
pub struct Arguments {
    /// Corpus to search
    #[arg(long, value_name = "CORPUS")]
    corpus: PathBuf,
    /// Number of statements to search for
    #[arg(long, default_value_t = 100, value_name = "N")]
    queries: usize,
    /// Dimension of the random vectors of the dense index
    #[arg(long, default_value_t = 300, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    width: u16,
    /// Fill the dense index with the vectors of a trained model instead of random ones
    #[arg(long, value_name = "NAME", conflicts_with = "width")]
    run: Option<String>,
    /// Measure the dense index only
    #[arg(long)]
    only_vectors: bool,
    /// Keep indexes, vectors, queries and their best proofs in a folder, for other programs
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Command that takes a folder of vectors and prints JSON; see tests/peers/README.md
    #[arg(long, value_name = "COMMAND")]
    peer: Option<String>,
}

pub fn run(arguments: &Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let store = open_corpus(&arguments.corpus)?;
    let vectors = match &arguments.run {
        Some(name) => BenchVectors::Run(Box::new(trained::open(Some(&global::workspace()?), name)?)),
        None => BenchVectors::Random(usize::from(arguments.width)),
    };
    let bench = FindBench {
        store: &store,
        queries: arguments.queries,
        text: !arguments.only_vectors,
        vectors,
        rounds: options.rounds(),
        peer: arguments.peer.as_deref().map(Peer::parse),
        keep: arguments.keep.clone(),
    };
    let measured = bench::find(bench, &mut |round| options.notice_round(round, output))?;
    options.print(&measured, output, print)
}

fn print(measured: &FindMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "{}; {} in an index of {}; vectors of dimension {}, cells of {}; searches: {}; peak memory {}",
        counted(measured.pairs as u64, "pair"),
        counted(measured.features, "feature"),
        bytes(measured.index_bytes),
        measured.width,
        bytes(measured.cells_bytes),
        measured.queries,
        measured.peak_memory.map_or_else(|| "unknown".to_owned(), bytes),
    ))?;
    output.line(&format!("{:<44}{:>12}{:>12}", "", "best ms", "median ms"))?;
    let rows: [(&str, &Times); 11] = [
        ("build the index (once)", &measured.build),
        ("open the index", &measured.open),
        ("search by text, up to renaming", &measured.search),
        ("  the other program, same sparse vectors", &measured.peer_sparse),
        ("encode the corpus with the model (once)", &measured.encode),
        ("load a dense index", &measured.dense_load),
        ("search a dense index", &measured.dense_search),
        ("  the other program, same dense vectors", &measured.peer_dense),
        ("build its cells (once)", &measured.cells_build),
        ("open its cells", &measured.cells_open),
        ("search its cells, approximately", &measured.cells_search),
    ];
    for (name, times) in rows.into_iter().filter(|(_, times)| !times.is_empty()) {
        output.line(&format!("{name:<44}{:>12.2}{:>12.2}", 1e3 * times.best(), 1e3 * times.median()))?;
    }
    if let Some(slowest) = measured.slowest {
        output.line(&format!("{:<44}{:>12.2}", "slowest search by text", 1e3 * slowest))?;
    }
    let [recall, scored] = [measured.cells_recall, measured.cells_scored].map(|share| 100.0 * share);
    output.line(&format!(
        "approximate search found {recall:.1} % of the ten best candidates and scored {scored:.1} % of all"
    ))?;
    for (name, agreement) in [("sparse", measured.agreement_sparse), ("dense", measured.agreement_dense)] {
        let Some(Agreement { same_best, same_scores }) = agreement else { continue };
        let [same_best, same_scores] = [same_best, same_scores].map(|share| 100.0 * share);
        output.line(&format!(
            "{name} search: the other program found the same ten best proofs, ties aside, in {same_scores:.0} % of the \
             searches, and the same best one in {same_best:.0} %"
        ))?;
    }
    Ok(())
}
