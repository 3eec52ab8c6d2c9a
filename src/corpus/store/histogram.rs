//! Histograms of the lengths of pairs and of their share of mathematics, for range filters.
//!
//! Each histogram counts the pairs that match everything but its own range, so that it shows the effect of moving the
//! range. All three come from one pass over the `pair` table, about 35 ms for 200,000 pairs.

use super::{Filter, Store, StoreError};

/// Tokens per bar.
pub const TOKEN_STEP: u32 = 10;
/// Percent per bar.
pub const SHARE_STEP: u32 = 5;
/// Longer pairs are counted in the last bar.
const LONGEST: u32 = 2000;

/// Bars, the first from 0 on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histograms {
    /// By tokens, [`TOKEN_STEP`] to a bar, without empty bars at the end.
    pub statement: Vec<u32>,
    pub proof: Vec<u32>,
    /// By the share of mathematics, [`SHARE_STEP`] percent per bar.
    pub math: Vec<u32>,
}

impl Store {
    /// The histograms of the matching pairs, or of those in `among`, which must be sorted.
    pub fn histograms(&self, filter: &Filter, among: Option<&[u32]>) -> Result<Histograms, StoreError> {
        let others =
            Filter { statement_tokens: None, proof_tokens: None, math_share: None, ..filter.clone() };
        let mut found = Histograms {
            statement: vec![0; (LONGEST / TOKEN_STEP) as usize + 1],
            proof: vec![0; (LONGEST / TOKEN_STEP) as usize + 1],
            math: vec![0; (100 / SHARE_STEP) as usize],
        };
        let mut count = || {
            let conditions = others.conditions();
            let mut statement = self.connection.prepare_cached(&format!(
                "SELECT row, statement_text, statement_math, proof_text, proof_math FROM pair{}",
                conditions.sql
            ))?;
            let mut rows = statement.query(conditions.parameters())?;
            while let Some(row) = rows.next()? {
                if among
                    .is_some_and(|among| row.get(0).is_ok_and(|row: u32| among.binary_search(&row).is_err()))
                {
                    continue;
                }
                let [statement_text, statement_math, proof_text, proof_math] =
                    [row.get::<_, u32>(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
                found.add(filter, (statement_text, statement_math), (proof_text, proof_math));
            }
            Ok(())
        };
        count().map_err(StoreError::database("measuring the pairs of", self.path()))?;
        for bars in [&mut found.statement, &mut found.proof] {
            bars.truncate(bars.iter().rposition(|&bar| bar > 0).map_or(0, |last| last + 1));
        }
        Ok(found)
    }
}

impl Histograms {
    /// Counts a pair, its sides given by their text and mathematical tokens.
    fn add(&mut self, filter: &Filter, statement: (u32, u32), proof: (u32, u32)) {
        let [long_statement, long_proof] = [statement, proof].map(|(text, math)| text.saturating_add(math));
        let all = u64::from(long_statement) + u64::from(long_proof);
        let math = u64::from(statement.1) + u64::from(proof.1);
        // As the filter computes it.
        let share = math as f64 / all.max(1) as f64;
        let fits_statement =
            filter.statement_tokens.as_ref().is_none_or(|range| range.contains(&long_statement));
        let fits_proof = filter.proof_tokens.as_ref().is_none_or(|range| range.contains(&long_proof));
        let fits_share = filter.math_share.as_ref().is_none_or(|range| range.contains(&share));
        if fits_proof && fits_share {
            self.statement[(long_statement.min(LONGEST) / TOKEN_STEP) as usize] += 1;
        }
        if fits_statement && fits_share {
            self.proof[(long_proof.min(LONGEST) / TOKEN_STEP) as usize] += 1;
        }
        if fits_statement && fits_proof {
            let bar = (math * 100 / all.max(1)) as usize / SHARE_STEP as usize;
            let last = self.math.len() - 1;
            self.math[bar.min(last)] += 1;
        }
    }
}
