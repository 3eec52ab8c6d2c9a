//! A baseline together with the names of symbols that it reads.

use std::{fmt, str::FromStr};

use super::{Baseline, SymbolNames, Weighting};
use crate::symbols::ReplaceMode;

/// A baseline and what it sees of symbols. Its name is `tfidf` for literal names, and `tfidf-renamed` or `tfidf-both` otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaselineMethod {
    pub baseline: Baseline,
    pub symbols: SymbolNames,
}

impl BaselineMethod {
    /// The methods that are offered beside trained models. `tfidf-plain` exists for comparisons and is not among them.
    pub const OFFERED: [BaselineMethod; 4] = [
        BaselineMethod { baseline: Baseline::Tfidf, symbols: SymbolNames::Literal },
        BaselineMethod { baseline: Baseline::Tfidf, symbols: SymbolNames::Renamed },
        BaselineMethod { baseline: Baseline::Tfidf, symbols: SymbolNames::Both },
        BaselineMethod { baseline: Baseline::Dice, symbols: SymbolNames::Literal },
    ];

    /// TF-IDF up to renaming.
    pub const RENAMED: BaselineMethod = BaselineMethod::OFFERED[1];

    /// How it weighs what it counts, outside of the compatibility mode.
    pub fn weighting(self) -> Weighting {
        Weighting::new(self.baseline, self.baseline.tokens(ReplaceMode::Exact))
    }
}

impl Default for BaselineMethod {
    fn default() -> BaselineMethod {
        BaselineMethod::OFFERED[0]
    }
}

impl fmt::Display for BaselineMethod {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.symbols {
            SymbolNames::Literal => write!(out, "{}", self.baseline),
            symbols => write!(out, "{}-{symbols}", self.baseline),
        }
    }
}

/// Why a text is not the name of a baseline.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a baseline")]
pub struct BaselineMethodError(String);

impl FromStr for BaselineMethod {
    type Err = BaselineMethodError;

    fn from_str(name: &str) -> Result<BaselineMethod, BaselineMethodError> {
        let found = || {
            if let Ok(baseline) = name.parse() {
                return Some(BaselineMethod { baseline, symbols: SymbolNames::Literal });
            }
            let (baseline, symbols) = name.rsplit_once('-')?;
            Some(BaselineMethod { baseline: baseline.parse().ok()?, symbols: symbols.parse().ok()? })
        };
        found().ok_or_else(|| BaselineMethodError(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_read_as_it_is_written() {
        for method in BaselineMethod::OFFERED {
            assert_eq!(method.to_string().parse::<BaselineMethod>().unwrap(), method);
        }
        let plain: BaselineMethod = "tfidf-plain".parse().unwrap();
        assert_eq!((plain.baseline, plain.symbols), (Baseline::TfidfPlain, SymbolNames::Literal));
        assert!("tfidf-7".parse::<BaselineMethod>().is_err());
    }
}
