//! Arguments of `matchbook explain`.

use std::path::PathBuf;

use strum::IntoEnumIterator;

use crate::{
    cli::{choice::choice, device::DeviceArguments},
    corpus::split::{Part, Scheme},
    explain::export::{HeatmapFormat, Palette},
    explain::importance::{DEFAULT_CANDIDATES, ExplainRequest},
    explain::{
        DEFAULT_STEPS, ExplainSettings, FeatureSelection, Grouping, LimeSettings, MethodKind, Scope, Target,
    },
    symbols::{Replacer, Seed, Setting},
};

/// Which words and symbols made a model match a pair
///
/// LIME leaves words out, scores what remains and fits a linear model, as in the paper's figures: a positive weight
/// supports the match, a negative one opposes it. gradients is gradient times input, integrated averages it on the way
/// from no words at all, occlusion leaves out one word at a time; these take milliseconds. The probability of a match is
/// that of the training softmax against other proofs of the pair's part.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook explain --run demo-conservation --against demo-full --pair demo.01#1\n  matchbook explain --run first --pair demo.01#1 --rival --export html,latex -o figure\n  matchbook explain --run first --against second --part test --summary\n  grep 0704 pairs.txt | matchbook explain --run first --pairs - --method integrated --json"
)]
pub struct Arguments {
    /// The trained model: a run of the workspace, or one of the demo's models
    #[arg(long, value_name = "NAME")]
    pub run: String,
    /// A second model on the same pairs
    #[arg(long, value_name = "RUN2")]
    pub against: Option<String>,
    /// The pair: article, #, number; several with commas
    #[arg(long, value_name = "ID", value_delimiter = ',', required_unless_present_any = ["pairs", "part"])]
    pub pair: Vec<String>,
    /// A file that names a pair on each line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "pair")]
    pub pairs: Option<PathBuf>,
    /// Every pair of a part
    #[arg(long, conflicts_with_all = ["pair", "pairs"], value_parser = choice::<Part>())]
    pub part: Option<Part>,
    /// At most so many pairs, evenly taken
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// A corpus file, or `demo`; the corpus that the model was trained on if none is given
    #[arg(long)]
    pub corpus: Option<PathBuf>,
    /// Which split: by pair or by article; that of the model's training if none is given
    #[arg(long, value_parser = choice::<Scheme>())]
    split: Option<Scheme>,
    /// The split's seed; otherwise the split that the corpus comes with
    #[arg(long, value_name = "N")]
    split_seed: Option<u64>,
    /// Replace the proofs' symbols first: conservation, partial, full, transposition, with +p
    #[arg(long, value_name = "LEVEL", default_value = "conservation")]
    level: Setting,
    /// The seed of the new names
    #[arg(long, value_name = "N", default_value_t = 1)]
    names_seed: u64,
    /// How a pair is explained
    #[arg(long, default_value = "lime", value_parser = choice::<MethodKind>())]
    method: MethodKind,
    /// How many variants LIME scores
    #[arg(long, default_value_t = 1_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    samples: u32,
    /// The seed of LIME's variants
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Over how many seeds LIME is repeated, to see how steady it is: 3 for one pair, 1 for several
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    seeds: Option<u32>,
    /// How many features LIME's linear model has; 0 is all
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    features: u32,
    /// What LIME's weights are differences of
    #[arg(long, default_value = "probability", value_parser = choice::<Target>())]
    target: Target,
    /// How many steps integrated gradients take
    #[arg(long, default_value_t = DEFAULT_STEPS as u32, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: u32,
    /// Leave out a word everywhere at once, or each occurrence for itself
    #[arg(long, default_value = "word", value_parser = choice::<Grouping>())]
    by: Grouping,
    /// Which side is explained
    #[arg(long, default_value = "both", value_parser = choice::<Scope>())]
    side: Scope,
    /// Operators and punctuation count, too; they do not in the paper's figures
    #[arg(long)]
    operators: bool,
    /// Explain the wrong proof that the model likes best, too
    #[arg(long)]
    pub rival: bool,
    /// How many other proofs the probability is taken against
    #[arg(long, default_value_t = 59, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    references: u32,
    /// Among how many proofs of the part a pair is ranked
    #[arg(long, default_value_t = DEFAULT_CANDIDATES as u32, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub candidates: u32,
    /// Only the sum: the share of importance on mathematics, for each model
    #[arg(long)]
    pub summary: bool,
    /// Write each pair as a file: html, svg, latex, json; several with commas
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = choice::<HeatmapFormat>())]
    export: Vec<HeatmapFormat>,
    /// Where to: a name without its ending for one pair, a folder for several; the pair's name otherwise
    #[arg(short, long, value_name = "PATH", requires = "export")]
    pub output: Option<PathBuf>,
    /// The colours of exported files
    #[arg(long, default_value = "paper", value_parser = choice::<Palette>())]
    pub palette: Palette,
    #[command(flatten)]
    pub device: DeviceArguments,
    /// The workspace; otherwise MATCHBOOK_WORKSPACE or the platform's data directory
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
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
