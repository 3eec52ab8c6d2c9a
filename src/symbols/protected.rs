//! Protected symbols: letters with a fixed meaning in a field, which the "+P" levels leave alone.
//!
//! The list is a file, `assets/symbols/protected.toml`, and a user's own file adds to it. It names
//! letters as they are printed, so `P` is protected and `p` is not; a protected letter stays in every
//! font. An article is protected by the lists of all its categories: a cross-listed article uses the
//! notation of both fields.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{letter::Letter, letter_set::LetterSet};
use crate::base::outside;

const BUILT_IN: &str = include_str!("../../assets/symbols/protected.toml");

/// The wildcard for every category.
const EVERYWHERE: &str = "*";

/// Protected letters by arXiv category.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protected {
    categories: BTreeMap<String, LetterSet>,
}

/// Symbols by category, as a file has them.
pub type ProtectedLists = BTreeMap<String, Vec<String>>;

/// Why a file of protected symbols cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProtectedError {
    #[error("cannot read the protected symbols in {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error(
        "cannot parse the protected symbols in {origin}: {message}; write one line for each category, as in \"math.PR\" = [\"P\", \"sigma\"]"
    )]
    Syntax { origin: String, message: String },
    #[error(
        "protected symbols in {origin}: `{symbol}` under {category} is neither a letter nor the TeX name \
         of a Greek letter; write P, σ or sigma"
    )]
    Symbol { origin: String, category: String, symbol: String },
}

impl Protected {
    /// The list that comes with the program.
    pub fn built_in() -> Result<Protected, ProtectedError> {
        Protected::parse(BUILT_IN, "the built-in list")
    }

    /// The built-in list with a user's file on top of it.
    pub fn with_file(path: &Path) -> Result<Protected, ProtectedError> {
        let text = outside::read_text(path, outside::SYMBOLS)
            .map_err(|source| ProtectedError::Read { path: path.to_owned(), source })?;
        let mut protected = Protected::built_in()?;
        protected.merge(&Protected::parse(&text, &path.display().to_string())?);
        Ok(protected)
    }

    /// The built-in list with these on top of it.
    pub fn with_lists(lists: &ProtectedLists, origin: &str) -> Result<Protected, ProtectedError> {
        let mut protected = Protected::built_in()?;
        protected.merge(&Protected::from_lists(lists.clone(), origin)?);
        Ok(protected)
    }

    /// The lists of a user's file, checked, to be stored with a run.
    pub fn read_lists(path: &Path) -> Result<ProtectedLists, ProtectedError> {
        let text = outside::read_text(path, outside::SYMBOLS)
            .map_err(|source| ProtectedError::Read { path: path.to_owned(), source })?;
        let origin = path.display().to_string();
        let lists = parse_lists(&text, &origin)?;
        Protected::from_lists(lists.clone(), &origin)?;
        Ok(lists)
    }

    /// Reads a list; `origin` names it in errors.
    pub fn parse(text: &str, origin: &str) -> Result<Protected, ProtectedError> {
        Protected::from_lists(parse_lists(text, origin)?, origin)
    }

    fn from_lists(lists: ProtectedLists, origin: &str) -> Result<Protected, ProtectedError> {
        let mut protected = Protected::default();
        for (category, symbols) in lists {
            let mut letters = LetterSet::default();
            for symbol in symbols {
                let Some(letter) = parse_letter(&symbol) else {
                    return Err(ProtectedError::Symbol { origin: origin.to_owned(), category, symbol });
                };
                letters.insert(letter);
            }
            protected.categories.insert(category, letters);
        }
        Ok(protected)
    }

    /// Adds another list to this one.
    pub fn merge(&mut self, other: &Protected) {
        for (category, letters) in &other.categories {
            let known = self.categories.entry(category.clone()).or_default();
            *known = known.union(*letters);
        }
    }

    /// The letters that stay in an article with these categories.
    pub fn letters<S: AsRef<str>>(&self, categories: &[S]) -> LetterSet {
        categories
            .iter()
            .map(AsRef::as_ref)
            .chain([EVERYWHERE])
            .filter_map(|category| self.categories.get(category))
            .fold(LetterSet::default(), |all, letters| all.union(*letters))
    }
}

fn parse_lists(text: &str, origin: &str) -> Result<ProtectedLists, ProtectedError> {
    toml::from_str(text).map_err(|error| ProtectedError::Syntax {
        origin: origin.to_owned(),
        message: error.message().to_owned(),
    })
}

/// A letter as it is printed, or the TeX name of a Greek one.
fn parse_letter(written: &str) -> Option<Letter> {
    let name = written.trim().trim_start_matches('\\');
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return Letter::from_char(character);
    }
    let is_capital = name.starts_with(|first: char| first.is_ascii_uppercase());
    let (_, letter) = TEX_NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    let letter = Letter::from_char(*letter)?;
    Some(if is_capital { letter.base().capital() } else { letter })
}

const TEX_NAMES: [(&str, char); 31] = [
    ("alpha", 'α'),
    ("beta", 'β'),
    ("gamma", 'γ'),
    ("delta", 'δ'),
    ("epsilon", 'ϵ'),
    ("zeta", 'ζ'),
    ("eta", 'η'),
    ("theta", 'θ'),
    ("iota", 'ι'),
    ("kappa", 'κ'),
    ("lambda", 'λ'),
    ("mu", 'μ'),
    ("nu", 'ν'),
    ("xi", 'ξ'),
    ("omicron", 'ο'),
    ("pi", 'π'),
    ("rho", 'ρ'),
    ("sigma", 'σ'),
    ("tau", 'τ'),
    ("upsilon", 'υ'),
    ("phi", 'ϕ'),
    ("chi", 'χ'),
    ("psi", 'ψ'),
    ("omega", 'ω'),
    ("varepsilon", 'ε'),
    ("vartheta", 'ϑ'),
    ("varkappa", 'ϰ'),
    ("varpi", 'ϖ'),
    ("varrho", 'ϱ'),
    ("varsigma", 'ς'),
    ("varphi", 'φ'),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn set(letters: &str) -> LetterSet {
        letters.chars().filter_map(Letter::from_char).collect()
    }

    #[test]
    fn the_built_in_list_is_the_papers() {
        let protected = Protected::built_in().unwrap();
        assert_eq!(protected.letters(&["math.PR"]), set("PEVσρ"));
        assert_eq!(protected.letters(&["math.CO", "math.PR"]), set("PEVσρ"));
        assert_eq!(protected.letters(&["math.AG"]), LetterSet::EMPTY);
    }

    #[test]
    fn a_users_list_adds_to_it() {
        let mut protected = Protected::built_in().unwrap();
        let own =
            Protected::parse("\"math.PR\" = ['F', '\\Omega']\n\"*\" = ['φ', \"varepsilon\"]", "own.toml");
        protected.merge(&own.unwrap());
        assert_eq!(protected.letters(&["math.PR"]), set("PEVσρFΩφε"));
        assert_eq!(protected.letters::<&str>(&[]), set("φε"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |text| Protected::parse(text, "own.toml").unwrap_err().to_string();
        assert!(error("\"math.PR\" = ['Pr']").contains("`Pr` under math.PR"));
        assert!(error("math.PR = 3").contains("own.toml"));
        let missing = Protected::with_file(Path::new("/no/such/file.toml")).unwrap_err().to_string();
        assert!(missing.contains("/no/such/file.toml"), "{missing}");
    }
}
