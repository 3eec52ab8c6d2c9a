//! The paper's numbers, from its tables.

use std::{collections::HashMap, sync::LazyLock};

use super::{CellMeasure, Study};

/// One number per line.
const NUMBERS: &str = include_str!("numbers.tsv");

/// The paper's number for a row and a column of a study, in percent.
///
/// Rows are named `npt-local-global` (main), `npt/text` (input), `mixed/partial` (cross), `partial+p` (protected),
/// `>=20` (assignment); columns are levels.
pub fn number(study: Study, row: &str, column: &str, measure: CellMeasure) -> Option<f64> {
    static TABLE: LazyLock<HashMap<[&str; 4], f64>> = LazyLock::new(|| lines().collect());
    TABLE.get(&[study.name(), row, column, measure.name()]).copied()
}

fn lines() -> impl Iterator<Item = ([&'static str; 4], f64)> {
    NUMBERS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut fields = line.split('\t');
        let key = [fields.next()?, fields.next()?, fields.next()?, fields.next()?];
        Some((key, fields.next()?.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_known_numbers_are_where_they_belong() {
        assert_eq!(lines().count(), NUMBERS.lines().count() - 1);
        assert_eq!(lines().count(), 48 + 24 + 64 + 20 + 6);
        assert!(lines().all(|(_, value)| (0.0..=100.0).contains(&value)));
        let check = |study, row, column, measure, expected| {
            assert_eq!(number(study, row, column, measure), expected, "{row} {column}");
        };
        check(Study::Main, "npt-local-local", "full", CellMeasure::Mrr, Some(40.36));
        check(Study::Main, "scratchbert-local-global", "conservation", CellMeasure::Global, Some(74.68));
        check(Study::Main, "mathbert-global-global", "transposition", CellMeasure::Mrr, None);
        check(Study::Cross, "unmixed/conservation", "full", CellMeasure::Mrr, Some(7.09));
        check(Study::Cross, "mixed/partial", "conservation", CellMeasure::Local, Some(67.96));
        check(Study::Input, "scratchbert/math", "full", CellMeasure::Local, Some(34.01));
        check(Study::Protected, "full+p", "partial+p", CellMeasure::Local, Some(44.84));
    }
}
