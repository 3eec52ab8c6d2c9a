//! Filters of the run table: `level:full state:finished best-mrr>50 -tag:old words`.
//!
//! Terms are separated by spaces and must all hold. `column:text` holds when the column contains the text, whatever its
//! case; `column=text` when it is the text; `<`, `<=`, `>` and `>=` compare numbers; `a,b` are alternatives; a leading
//! `-` negates a term. A word without a column is looked for in the name, the tags, the note and all settings.

use std::{fmt, str::FromStr};

use super::{RunColumn, UnknownColumn, settings_of};
use crate::runs::jobs::JobRow;

/// A parsed filter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFilter {
    terms: Vec<Term>,
    text: String,
}

#[derive(Clone, Debug, PartialEq)]
struct Term {
    is_negated: bool,
    test: Test,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    /// In lower case.
    Word(String),
    Contains(RunColumn, Vec<String>),
    Equals(RunColumn, Vec<String>),
    Compares(RunColumn, Comparison, f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Below,
    AtMost,
    Above,
    AtLeast,
}

/// Longer operators first, so that `>=` is not read as `>`.
const COMPARISONS: [(&str, Comparison); 4] = [
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Below),
    (">", Comparison::Above),
];

impl RunFilter {
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Checks that the columns of all terms exist.
    pub fn check(&self, runs: &[JobRow]) -> Result<(), UnknownColumn> {
        let columns = self.terms.iter().filter_map(|term| match &term.test {
            Test::Word(_) => None,
            Test::Contains(column, _) | Test::Equals(column, _) | Test::Compares(column, ..) => Some(column),
        });
        columns.into_iter().try_for_each(|column| column.check(runs))
    }

    pub fn accepts(&self, run: &JobRow) -> bool {
        self.terms.iter().all(|term| term.test.accepts(run) != term.is_negated)
    }
}

impl Test {
    fn accepts(&self, run: &JobRow) -> bool {
        match self {
            Test::Word(word) => {
                let holds = |text: &str| text.to_lowercase().contains(word);
                holds(&run.name)
                    || holds(&run.notes.note)
                    || run.notes.tags.iter().any(|tag| holds(tag))
                    || holds(run.state.name())
                    || holds(&run.corpus_name())
                    || run
                        .config
                        .as_ref()
                        .is_some_and(|config| settings_of(config).any(|(_, value)| holds(&value)))
            }
            Test::Contains(column, values) => {
                let text = column.text(run).to_lowercase();
                values.iter().any(|value| text.contains(value.as_str()))
            }
            Test::Equals(RunColumn::Tags, values) => {
                run.notes.tags.iter().any(|tag| values.contains(&tag.to_lowercase()))
            }
            Test::Equals(column, values) => {
                let text = column.text(run).to_lowercase();
                let number = column.number(run);
                values
                    .iter()
                    .any(|value| text == *value || number.is_some_and(|number| value.parse() == Ok(number)))
            }
            Test::Compares(column, comparison, value) => {
                column.number(run).is_some_and(|number| match comparison {
                    Comparison::Below => number < *value,
                    Comparison::AtMost => number <= *value,
                    Comparison::Above => number > *value,
                    Comparison::AtLeast => number >= *value,
                })
            }
        }
    }
}

impl FromStr for RunFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<RunFilter, String> {
        let text = text.trim();
        // An open quotation mark is a filter that is still being typed.
        let words =
            shlex::split(text).unwrap_or_else(|| text.split_whitespace().map(str::to_owned).collect());
        let terms = words.iter().map(|word| term(word)).collect::<Result<_, _>>()?;
        Ok(RunFilter { terms, text: text.to_owned() })
    }
}

fn term(word: &str) -> Result<Term, String> {
    let (is_negated, word) = match word.strip_prefix('-') {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, word),
    };
    let column = |name: &str| -> RunColumn {
        let Ok(column) = name.parse();
        column
    };
    let values = |text: &str| -> Vec<String> { text.split(',').map(str::to_lowercase).collect() };
    for (operator, comparison) in COMPARISONS {
        if let Some((name, value)) = word.split_once(operator).filter(|(name, _)| is_name(name)) {
            let number = value.parse().map_err(|_| format!("`{value}` in `{word}` is not a number"))?;
            return Ok(Term { is_negated, test: Test::Compares(column(name), comparison, number) });
        }
    }
    let test = match word.split_once([':', '=']).filter(|(name, _)| is_name(name)) {
        Some((name, value)) if word.as_bytes().get(name.len()) == Some(&b'=') => {
            Test::Equals(column(name), values(value))
        }
        Some((name, value)) => Test::Contains(column(name), values(value)),
        None => Test::Word(word.to_lowercase()),
    };
    Ok(Term { is_negated, test })
}

/// Whether a word before an operator can be the name of a column.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/'))
}

impl fmt::Display for RunFilter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}
