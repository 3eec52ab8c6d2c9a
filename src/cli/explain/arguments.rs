//! Arguments of `matchbook explain`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use strum::IntoEnumIterator;

use crate::{
    cli::{choice::choice, corpus_argument::CorpusArgument, device::DeviceArguments},
    corpus::split::{Part, Scheme},
    explain::export::{HeatmapFormat, Palette},
    explain::importance::{DEFAULT_CANDIDATES, ExplainRequest},
    explain::{
        DEFAULT_STEPS, ExplainSettings, FeatureSelection, Grouping, LimeSettings, MethodKind, Scope, Target,
    },
    symbols::{Replacer, Seed, Setting},
};

/// Explain which words and symbols made a model match a pair
///
/// LIME removes words, scores what remains and fits a linear model, as in the paper's figures: a positive weight supports
/// the match, a negative one opposes it. gradients is gradient times input; integrated averages it along the path from an
/// empty input; occlusion removes one word at a time. The probability of a match is that of the training softmax against
/// other proofs of the same part.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook explain --run demo-conservation --against demo-full --pair demo.01#1\n  matchbook explain --run first --pair demo.01#1 --rival --export html,latex -o figure\n  matchbook explain --run first --against second --part test --summary\n  grep 0704 pairs.txt | matchbook explain --run first --pairs - --method integrated --json"
)]
pub struct Arguments {
    /// Trained model: a run, or one of the demo's models
    #[arg(long, value_name = "NAME")]
    pub run: String,
    /// Second model, explained on the same pairs
    #[arg(long, value_name = "RUN2")]
    pub against: Option<String>,
    /// Pairs (article#number), separated by commas
    #[arg(long, value_name = "ID", value_delimiter = ',', required_unless_present_any = ["pairs", "part"])]
    pub pair: Vec<String>,
    /// File with one pair per line; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "pair")]
    pub pairs: Option<PathBuf>,
    /// Explain every pair of a part
    #[arg(long, conflicts_with_all = ["pair", "pairs"], value_parser = choice::<Part>())]
    pub part: Option<Part>,
    /// Maximum number of pairs, evenly spaced [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    #[command(flatten)]
    pub corpus: CorpusArgument,
    /// Split: by pair (mixed) or by article (unmixed) [default: the model's]
    #[arg(long, value_parser = choice::<Scheme>())]
    split: Option<Scheme>,
    /// Random seed of the split [default: the stored split]
    #[arg(long, value_name = "N")]
    split_seed: Option<u64>,
    /// Level at which the proofs are explained: conservation, partial, full or transposition; +p keeps protected symbols
    #[arg(long, value_name = "LEVEL", default_value = "conservation")]
    level: Setting,
    /// Random seed of the new names
    #[arg(long, value_name = "N", default_value_t = 1)]
    names_seed: u64,
    /// Method
    #[arg(long, default_value = "lime", value_parser = choice::<MethodKind>())]
    method: MethodKind,
    /// Number of LIME samples
    #[arg(long, default_value_t = 1_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    samples: u32,
    /// Random seed of LIME
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Number of seeds over which LIME is repeated to measure its stability [default: 3 for one pair, 1 for several]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    seeds: Option<u32>,
    /// Number of features of LIME's linear model; 0 for all
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    features: u32,
    /// Output explained
    #[arg(long, default_value = "probability", value_parser = choice::<Target>())]
    target: Target,
    /// Integration steps of integrated gradients
    #[arg(long, default_value_t = DEFAULT_STEPS as u32, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: u32,
    /// Feature: a word with all its occurrences, or each occurrence
    #[arg(long, default_value = "word", value_parser = choice::<Grouping>())]
    by: Grouping,
    /// Side to explain
    #[arg(long, default_value = "both", value_parser = choice::<Scope>())]
    side: Scope,
    /// Include operators and punctuation, which the paper's figures leave out
    #[arg(long)]
    operators: bool,
    /// Also explain the model's best-scoring wrong proof
    #[arg(long)]
    pub rival: bool,
    /// Number of other proofs in the softmax
    #[arg(long, default_value_t = 59, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    references: u32,
    /// Number of candidates among which the pair is ranked
    #[arg(long, default_value_t = DEFAULT_CANDIDATES as u32, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub candidates: u32,
    /// Print only the fraction of importance on mathematics, for each model
    #[arg(long)]
    pub summary: bool,
    /// Export each pair: html, svg, latex, json, separated by commas
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = choice::<HeatmapFormat>())]
    export: Vec<HeatmapFormat>,
    /// File name without extension for one pair, folder for several [default: the name of the pair]
    #[arg(short, long, value_name = "PATH", requires = "export")]
    pub output: Option<PathBuf>,
    /// Color palette of exported files
    #[arg(long, default_value = "paper", value_parser = palette())]
    pub palette: Palette,
    #[command(flatten)]
    pub device: DeviceArguments,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

impl Arguments {
    /// Whether several pairs are explained, one line each.
    pub fn is_batch(&self) -> bool {
        self.pairs.is_some() || self.part.is_some() || self.pair.len() > 1
    }

    /// The validated request.
    pub fn request(&self) -> ExplainRequest {
        let lime = LimeSettings {
            samples: self.samples as usize,
            seed: self.seed,
            selection: match self.features {
                0 => FeatureSelection::All,
                most => FeatureSelection::Auto(most as usize),
            },
            target: self.target,
            ..LimeSettings::default()
        };
        let method = self.method.method(lime, self.steps as usize);
        let settings =
            ExplainSettings { method, grouping: self.by, scope: self.side, operators: self.operators };
        let seeds = self.seeds.unwrap_or(if self.is_batch() { 1 } else { 3 }) as usize;
        ExplainRequest { settings, seeds, references: self.references as usize, rival: self.rival }
    }

    pub fn replacer(&self) -> anyhow::Result<Replacer> {
        Ok(Replacer::exact(self.level, Seed(self.names_seed))?)
    }

    /// The requested split, or the given one.
    pub fn split_or(&self, scheme: Scheme, seed: Option<u64>) -> (Scheme, Option<u64>) {
        (self.split.unwrap_or(scheme), self.split_seed.or(seed))
    }

    /// The export formats, each once and in a fixed order.
    pub fn formats(&self) -> Vec<HeatmapFormat> {
        HeatmapFormat::iter().filter(|format| self.export.contains(format)).collect()
    }
}

/// Parses a palette, in either spelling.
fn palette() -> impl TypedValueParser<Value = Palette> {
    let names = [PossibleValue::new("paper"), PossibleValue::new("color-blind").alias("colour-blind")];
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Palette>())
}
