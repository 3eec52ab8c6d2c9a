//! Baselines as arguments, by the names that reports and the workbench give them.

use anyhow::bail;
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};

use crate::matching::baseline::{Baseline, BaselineMethod, SymbolNames};

/// A baseline, with how it reads symbols if its name says so: `tfidf-renamed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedBaseline {
    baseline: Baseline,
    symbols: Option<SymbolNames>,
}

const NAMES: [&str; 5] = ["tfidf", "tfidf-renamed", "tfidf-both", "tfidf-plain", "dice"];

/// Parses a name. Help and error messages list all names.
pub fn named_baseline() -> impl TypedValueParser<Value = NamedBaseline> {
    PossibleValuesParser::new(NAMES).try_map(|name| name.parse().map(NamedBaseline::from_method))
}

impl NamedBaseline {
    fn from_method(BaselineMethod { baseline, symbols }: BaselineMethod) -> NamedBaseline {
        NamedBaseline { baseline, symbols: (symbols != SymbolNames::Literal).then_some(symbols) }
    }

    /// The method, where `flag` may say how symbols are read.
    pub fn method(self, flag: Option<SymbolNames>) -> anyhow::Result<BaselineMethod> {
        let NamedBaseline { baseline, symbols } = self;
        match (symbols, flag) {
            (Some(symbols), Some(other)) if symbols != other => {
                bail!(
                    "{baseline}-{symbols} and symbols that are {other} contradict each other; leave one out"
                )
            }
            _ => Ok(BaselineMethod { baseline, symbols: symbols.or(flag).unwrap_or_default() }),
        }
    }
}

/// The baseline of a search: up to renaming unless the user wants otherwise.
#[derive(Args, Clone, Copy)]
pub struct SearchBaseline {
    /// Baseline to score with
    #[arg(long, default_value = "tfidf", value_parser = named_baseline())]
    baseline: NamedBaseline,
    /// Compare symbols literally instead of up to renaming
    #[arg(long)]
    literal: bool,
}

impl SearchBaseline {
    pub fn method(self) -> anyhow::Result<BaselineMethod> {
        let flag = match self.baseline {
            _ if self.literal => Some(SymbolNames::Literal),
            // Only n-grams and windows have a form up to renaming.
            NamedBaseline { baseline: Baseline::Tfidf, symbols: None } => Some(SymbolNames::Renamed),
            _ => None,
        };
        self.baseline.method(flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_a_flag_may_not_contradict_each_other() {
        let parse = |name: &str| NamedBaseline::from_method(name.parse().unwrap());
        let check = |name: &str, flag, expected: &str| {
            assert_eq!(parse(name).method(flag).unwrap().to_string(), expected);
        };
        check("tfidf", None, "tfidf");
        check("tfidf", Some(SymbolNames::Both), "tfidf-both");
        check("tfidf-renamed", None, "tfidf-renamed");
        check("tfidf-renamed", Some(SymbolNames::Renamed), "tfidf-renamed");
        assert!(parse("tfidf-renamed").method(Some(SymbolNames::Literal)).is_err());
        let search = |name, literal| SearchBaseline { baseline: parse(name), literal }.method();
        assert_eq!(search("tfidf", false).unwrap(), BaselineMethod::RENAMED);
        assert_eq!(search("tfidf", true).unwrap(), BaselineMethod::default());
        assert_eq!(search("dice", false).unwrap().to_string(), "dice");
        assert!(search("tfidf-renamed", true).is_err());
    }
}
