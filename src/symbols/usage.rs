//! How often mathematicians use each symbol: the table behind names that a stranger would choose.
//!
//! For every symbol the table has the number of statements and of proofs that use it. It comes with the program, in
//! `assets/symbols/usage.tsv`, and was counted in the demo articles: `matchbook replace demo --usage`. A fixed table
//! keeps a level a function of the pair. Statistics of the corpus at hand would give a pair other names as soon as an
//! article is added, and a pair typed by a user belongs to no corpus. The price is that the overlap of strangers is
//! met on average over mathematics, not exactly in each corpus; `matchbook replace CORPUS --audit` measures the rest.

use std::{fmt, sync::LazyLock};

use crate::corpus::{
    Font, Pair,
    store::{Store, StoreError},
};

use super::{
    constants,
    letter::{LETTERS, Letter, Symbol},
    letter_set::{FONTS, SymbolSet},
    reading::{Reading, letter_token},
};

const TABLE: &str = include_str!("../../assets/symbols/usage.tsv");

/// The number of pairs, and of statements and proofs among them that use each symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    pairs: u32,
    statements: Box<[[u32; LETTERS]; FONTS]>,
    proofs: Box<[[u32; LETTERS]; FONTS]>,
}

/// The symbols of a text that overlap is about: every letter in its font that a level may rename. Double-struck letters, `π`
/// and the letters of spelled names (`d i m`) keep their names at every level. That a statement and a proof share them is
/// what the texts are about, not how their author names things.
pub fn symbols(reading: &Reading) -> SymbolSet {
    let constants = constants::always();
    let is_name = |symbol: &Symbol| symbol.font != Font::DoubleStruck && !constants.contains(symbol.letter);
    reading.free.iter().filter(is_name).collect()
}

impl Usage {
    /// The table that comes with the program.
    pub fn built_in() -> &'static Usage {
        static BUILT_IN: LazyLock<Usage> = LazyLock::new(|| Usage::parse(TABLE));
        &BUILT_IN
    }

    /// Counts the symbols of a corpus.
    pub fn of(store: &Store) -> Result<Usage, StoreError> {
        let mut usage = Usage::empty();
        store.for_each_pair(None, |_, _, pair| {
            usage.add(pair);
            Ok::<(), StoreError>(())
        })?;
        Ok(usage)
    }

    fn empty() -> Usage {
        let counts = || Box::new([[0; LETTERS]; FONTS]);
        Usage { pairs: 0, statements: counts(), proofs: counts() }
    }

    fn add(&mut self, pair: &Pair) {
        self.pairs += 1;
        for (passage, counts) in [(&pair.statement, &mut self.statements), (&pair.proof, &mut self.proofs)] {
            for symbol in symbols(&Reading::of(passage)).iter() {
                counts[symbol.font as usize][symbol.letter.index()] += 1;
            }
        }
    }

    /// Lines of symbol, statements and proofs; the line `pairs` has the number of both. Other lines are comments.
    fn parse(table: &str) -> Usage {
        let mut usage = Usage::empty();
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let mut fields = line.split('\t');
            let name = fields.next().unwrap_or_default();
            let mut count = || fields.next().and_then(|count| count.parse().ok()).unwrap_or(0);
            if name == "pairs" {
                usage.pairs = count();
            } else if let Some((symbol, _)) = name.chars().next().and_then(|first| letter_token(name, first))
            {
                usage.statements[symbol.font as usize][symbol.letter.index()] = count();
                usage.proofs[symbol.font as usize][symbol.letter.index()] = count();
            }
        }
        usage
    }

    /// The symbols that occur, with the odds that a statement uses them.
    pub fn statement_odds(&self) -> impl Iterator<Item = (Symbol, f64)> {
        let used = self.symbols().filter(|(_, statements, _)| *statements > 0);
        used.map(move |(symbol, statements, _)| {
            (symbol, f64::from(statements) / f64::from(self.pairs.saturating_sub(statements).max(1)))
        })
    }

    /// The odds that a statement uses a symbol that the table lacks.
    pub fn rare_odds(&self) -> f64 {
        0.1 / f64::from(self.pairs.max(1))
    }

    /// The mean number of symbols of a statement, and of a proof.
    pub fn sizes(&self) -> (f64, f64) {
        let pairs = f64::from(self.pairs.max(1));
        let (statements, proofs) = self
            .symbols()
            .fold((0, 0), |sums, (_, statements, proofs)| (sums.0 + statements, sums.1 + proofs));
        (f64::from(statements) / pairs, f64::from(proofs) / pairs)
    }

    /// How often each letter is a name, in statements and proofs together and in any font. No letter is impossible.
    pub fn letters(&self) -> [f64; LETTERS] {
        let mut weights = [0.3; LETTERS];
        for (symbol, statements, proofs) in self.symbols() {
            weights[symbol.letter.index()] += f64::from(statements + proofs);
        }
        weights
    }

    /// Each symbol that occurs with its counts in statements and proofs.
    fn symbols(&self) -> impl Iterator<Item = (Symbol, u32, u32)> {
        super::letter_set::ALL_FONTS.into_iter().flat_map(move |font| {
            (0..LETTERS).filter_map(move |index| {
                let (statements, proofs) =
                    (self.statements[font as usize][index], self.proofs[font as usize][index]);
                let symbol = Symbol { letter: Letter::from_index(index)?, font };
                (statements + proofs > 0).then_some((symbol, statements, proofs))
            })
        })
    }
}

/// The form of the built-in table.
impl fmt::Display for Usage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "# symbol, statements and proofs that use it: matchbook replace demo --usage")?;
        writeln!(out, "pairs\t{0}\t{0}", self.pairs)?;
        for (symbol, statements, proofs) in self.symbols() {
            writeln!(out, "{symbol}\t{statements}\t{proofs}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_was_counted_in_the_demo() {
        let counted = Usage::of(&crate::corpus::demo::corpus().unwrap()).unwrap();
        assert_eq!(counted, *Usage::built_in());
        assert_eq!(Usage::parse(&counted.to_string()), counted);
        let (statement, proof) = counted.sizes();
        assert!((4.0..7.0).contains(&statement) && (6.0..10.0).contains(&proof), "{statement} {proof}");
    }
}
