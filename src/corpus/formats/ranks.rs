//! Rank files: for each statement the best proofs and their scores, `i TAB j j j TAB score score score`.
//!
//! Statements and proofs are numbered from 0 in the order of their part. The reader accepts blank lines, comments after
//! `#`, commas or several spaces between numbers, CRLF. Anything else is an error with line and cause, because a rank
//! that is dropped silently changes a result.

use std::{
    collections::HashSet,
    io::{BufRead, Write},
    path::Path,
};

use super::{error::FormatError, input, lines::Lines};
use crate::base::numbers::counted;

/// A row may list every proof; this is enough for two million of them.
const LONGEST_LINE: usize = 64 << 20;

/// The ranks of one statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankRow {
    pub statement: u32,
    /// The proofs, best first.
    pub proofs: Vec<u32>,
    pub scores: Vec<f32>,
}

/// Reads a rank file, compressed or not.
pub fn read(path: &Path) -> Result<Vec<RankRow>, FormatError> {
    read_from(input::open(path)?, &path.display().to_string())
}

/// Reads ranks from any reader; `file` is used in error messages.
pub fn read_from(input: impl BufRead, file: &str) -> Result<Vec<RankRow>, FormatError> {
    let mut lines = Lines::new(input, file, LONGEST_LINE);
    let (mut rows, mut seen) = (Vec::new(), HashSet::new());
    while lines.advance()? {
        let line = lines.line();
        let text = line.text.as_str();
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let malformed =
            |problem| FormatError::Malformed { file: file.to_owned(), line: line.number, problem };
        let row = parse(text).map_err(malformed)?;
        if !seen.insert(row.statement) {
            return Err(malformed(format!("statement {} already has a line", row.statement)));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(FormatError::Unreadable { file: file.to_owned(), problem: "it has no ranks".to_owned() });
    }
    Ok(rows)
}

/// Writes one line.
pub fn write_row(
    out: &mut (impl Write + ?Sized),
    row: u32,
    proofs: &[u32],
    scores: &[f32],
) -> std::io::Result<()> {
    write!(out, "{row}\t")?;
    for (place, proof) in proofs.iter().enumerate() {
        write!(out, "{}{proof}", if place > 0 { " " } else { "" })?;
    }
    write!(out, "\t")?;
    for (place, score) in scores.iter().enumerate() {
        write!(out, "{}{score}", if place > 0 { " " } else { "" })?;
    }
    writeln!(out)
}

fn parse(text: &str) -> Result<RankRow, String> {
    let fields: Vec<&str> = text.split('\t').collect();
    let [statement, proofs, scores] = fields[..] else {
        return Err(format!(
            "{} where three are expected: statement, proofs and scores, with tabs between them",
            counted(fields.len(), "field")
        ));
    };
    let statement = number(statement.trim())?;
    let proofs = words(proofs).map(number).collect::<Result<Vec<u32>, String>>()?;
    let scores = words(scores).map(score).collect::<Result<Vec<f32>, String>>()?;
    if proofs.len() != scores.len() {
        return Err(format!("{} but {}", counted(proofs.len(), "proof"), counted(scores.len(), "score")));
    }
    let mut sorted = proofs.clone();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("proof {} is listed twice", twice[0]));
    }
    Ok(RankRow { statement, proofs, scores })
}

fn words(field: &str) -> impl Iterator<Item = &str> {
    field.split(|letter: char| letter == ',' || letter.is_whitespace()).filter(|word| !word.is_empty())
}

fn number(word: &str) -> Result<u32, String> {
    word.parse().map_err(|_| format!("`{}` is not the number of a statement or a proof", shortened(word)))
}

fn score(word: &str) -> Result<f32, String> {
    let found: f32 = word.parse().map_err(|_| format!("`{}` is not a score", shortened(word)))?;
    if found.is_finite() { Ok(found) } else { Err(format!("the score `{}` is not finite", shortened(word))) }
}

/// Shortens a word for an error message.
fn shortened(word: &str) -> String {
    word.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Vec<RankRow>, String> {
        read_from(text.as_bytes(), "r.tsv").map_err(|error| error.to_string())
    }

    #[test]
    fn liberal_files_are_read() {
        let rows = read("# made by hand\r\n0\t1 0\t0.5 2.5e-1\r\n\r\n2\t 3,4 \t-1, 0  \n1\t\t\n").unwrap();
        assert_eq!(rows[0], RankRow { statement: 0, proofs: vec![1, 0], scores: vec![0.5, 0.25] });
        assert_eq!(rows[1], RankRow { statement: 2, proofs: vec![3, 4], scores: vec![-1.0, 0.0] });
        assert!(rows[2].proofs.is_empty());
    }

    #[test]
    fn errors_name_line_and_cause() {
        let check = |text: &str, cause: &str| {
            let error = read(text).unwrap_err();
            assert!(error.contains(cause), "{text:?}: {error}");
        };
        check("0\t1\t0.5\n1 2 0.5\n", "r.tsv: line 2: 1 field where three are expected");
        check("0\t1 2\t0.5\n", "line 1: 2 proofs but 1 score");
        check("0\t1\tNaN\n", "line 1: the score `NaN` is not finite");
        check("0\t1\thigh\n", "`high` is not a score");
        check("0\t-1\t0.5\n", "`-1` is not the number of a statement or a proof");
        check("0\t1\t0.5\n0\t2\t0.5\n", "line 2: statement 0 already has a line");
        check("0\t1 1\t0.5 0.4\n", "proof 1 is listed twice");
        check("\n", "it has no ranks");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(scores in prop::collection::vec(-1e6f32..1e6, 1..20)) {
            let proofs: Vec<u32> = (0..scores.len() as u32).collect();
            let mut file = Vec::new();
            write_row(&mut file, 7, &proofs, &scores).unwrap();
            let rows = read(std::str::from_utf8(&file).unwrap()).unwrap();
            prop_assert_eq!(rows, vec![RankRow { statement: 7, proofs, scores }]);
        }
    }
}
