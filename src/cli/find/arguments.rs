//! Arguments of `matchbook find`, and what they select.

use std::{
    io::{self, Read},
    ops::RangeInclusive,
    path::PathBuf,
};

use anyhow::{Context, bail};
use clap::builder::PossibleValuesParser;

use crate::cli::global;
use crate::{
    base::workspace::Workspace,
    cli::{baseline::SearchBaseline, choice::choice, device::DeviceArguments, models},
    corpus::{
        Kind, PairId,
        article::year_of,
        split::{Part, Scheme},
        store::{CategoryFilter, Filter, Sort, Store},
    },
    matching::index::Selection,
    runs::find::{CandidatePart, FindMethod, Finder, LONGEST_STATEMENT, Question, SearchIn},
};

/// Find the pairs, proofs or statements of a corpus that match a statement
///
/// TEXT is a statement: words, and formulas between dollar signs, in TeX or Unicode. By default formulas are compared up to
/// renaming, so the letters do not matter. The first search of a corpus builds an index beside it (or in the workspace if that
/// folder is read-only); later searches use it. Every candidate is scored: the search is exact, unless --approximate is given.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook find demo 'every bounded sequence of reals has a convergent subsequence'\n  matchbook find demo 'Let $f : X \\to Y$ be continuous and $X$ compact' --in both\n  matchbook find demo --like demo.01#1 --in statements\n  matchbook find my.corpus - --run first --category math.PR < statement.txt\n  matchbook find my.corpus --batch < statements.jsonl > found.jsonl"
)]
pub struct Arguments {
    /// Corpus file, or `demo`
    pub corpus: PathBuf,
    /// The statement; `-` reads it from standard input
    #[arg(required_unless_present_any = ["like", "batch"], conflicts_with_all = ["like", "batch"])]
    pub text: Option<String>,
    /// Search with the statement of a pair of the corpus, and report the rank of its own proof
    #[arg(long, value_name = "PAIR")]
    pub like: Option<PairId>,
    /// Read one JSON object per line, with `text` or `like` and optionally `name`, and answer each on one line
    #[arg(long, conflicts_with = "like")]
    pub batch: bool,
    /// What to rank: proofs, statements, both together, or pairs by statement and proof [default: pairs, and proofs with
    /// --like or --approximate]
    #[arg(long = "in", value_name = "SIDE", value_parser = choice::<SearchIn>())]
    pub side: Option<SearchIn>,
    /// Number of results
    #[arg(long, short, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub k: u32,
    /// Score with the trained model of a run instead of a baseline
    #[arg(long, value_name = "NAME", conflicts_with_all = ["baseline", "literal"])]
    pub run: Option<String>,
    /// Score only the candidates near the statement, for a corpus with millions of pairs
    #[arg(long, requires = "run")]
    pub approximate: bool,
    #[command(flatten)]
    pub baseline: SearchBaseline,
    /// Only pairs in this category (math.PR) or archive (math)
    #[arg(long, value_name = "CATEGORY")]
    pub category: Option<String>,
    /// Only pairs of this kind; repeat for several
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    pub kind: Vec<String>,
    /// Only pairs from articles of this year (2007) or range of years (2005-2010), by arXiv id
    #[arg(long, value_name = "YEARS", value_parser = years)]
    pub year: Option<RangeInclusive<u16>>,
    /// Only pairs from this article
    #[arg(long, value_name = "ID")]
    pub article: Option<String>,
    /// Only pairs in this part of the split, with the document frequencies of that part, as in `evaluate`
    #[arg(long, value_parser = choice::<Part>())]
    pub part: Option<Part>,
    /// Split of --part
    #[arg(long, default_value = "mixed", value_parser = choice::<Scheme>(), requires = "part")]
    pub split: Scheme,
    /// Random seed of the split [default: the stored split]
    #[arg(long, value_name = "N", requires = "part")]
    pub split_seed: Option<u64>,
    #[command(flatten)]
    pub device: DeviceArguments,
    /// Print the results as JSON
    #[arg(long, conflicts_with = "batch")]
    pub json: bool,
}

fn kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(Kind::ALL.iter().map(|kind| kind.name()))
}

fn years(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
        _ => Err("write a year as 2007, and a range of years as 2005-2010".to_owned()),
    }
}

impl Arguments {
    /// The workspace, without which only a run cannot be found.
    pub fn workspace(&self) -> anyhow::Result<Option<Workspace>> {
        let found = global::workspace();
        if self.run.is_some() { Ok(Some(found?)) } else { Ok(found.ok()) }
    }

    pub fn method(&self, workspace: Option<&Workspace>) -> anyhow::Result<FindMethod> {
        if let Some(name) = &self.run {
            let device = match workspace {
                Some(workspace) => self.device.open(workspace)?,
                None => &self.device.device,
            };
            return Ok(FindMethod::Run(Box::new(models::open(workspace, name)?.on(device)?)));
        }
        Ok(FindMethod::Baseline(self.baseline.method()?))
    }

    pub fn part(&self) -> Option<CandidatePart> {
        self.part.map(|part| CandidatePart { scheme: self.split, seed: self.split_seed, part })
    }

    /// What is searched for, when it is not a batch.
    pub fn question(&self, store: &Store) -> anyhow::Result<Question> {
        match (&self.like, self.text.as_deref()) {
            (Some(id), _) => Ok(Question::like(store, id)?),
            (None, Some("-")) => {
                let mut bytes = Vec::new();
                io::stdin()
                    .take(LONGEST_STATEMENT as u64 + 1)
                    .read_to_end(&mut bytes)
                    .context("cannot read standard input")?;
                Ok(Question::typed(&String::from_utf8_lossy(&bytes))?)
            }
            (None, Some(text)) => Ok(Question::typed(text)?),
            (None, None) => bail!("give a statement, or name a pair with --like"),
        }
    }

    /// The candidates that pass the filters.
    pub fn selection(&self, store: &Store, finder: &Finder) -> anyhow::Result<Selection> {
        let kinds = self.kind.iter().filter_map(|name| name.parse().ok()).collect();
        let filter = Filter {
            category: self.category.as_deref().map(category),
            kinds,
            article: self.article.clone(),
            ..Filter::default()
        };
        if filter.is_everything() && self.year.is_none() {
            return Ok(Selection::All);
        }
        let mut rows = store.rows(&filter, Sort::default())?;
        if let Some(years) = &self.year {
            let fits = |id: &str| year_of(id).is_some_and(|year| years.contains(&year));
            let of_years = store.rows_of_articles(fits)?;
            rows.retain(|row| of_years.binary_search(row).is_ok());
        }
        Ok(finder.select(&rows))
    }
}

/// `math.PR` is a category, `math` an archive with all its categories.
fn category(code: &str) -> CategoryFilter {
    match code.contains('.') {
        true => CategoryFilter::Any(code.to_owned()),
        false => CategoryFilter::Archive(code.to_owned()),
    }
}
