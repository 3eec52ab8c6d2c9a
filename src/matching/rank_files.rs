//! Assignments from rank files, which another program or an earlier evaluation wrote.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

use super::{
    assignment::{Assignment, AssignmentError, Graph, Objective, lapmod},
    ranking::Shortlists,
};
use crate::{
    base::atomic,
    corpus::formats::ranks::{self, RankRow},
};

/// Writes the best proofs of each statement as a rank file, atomically.
pub fn write(shortlists: &Shortlists, path: &Path) -> io::Result<()> {
    atomic::write_output_with(path, |out| {
        let mut out = BufWriter::new(out);
        for row in 0..shortlists.rows() {
            let (proofs, scores) = shortlists.row(row);
            ranks::write_row(&mut out, row as u32, proofs, scores)?;
        }
        out.flush()
    })
}

/// The assignment of a rank file, with the statement and proof numbers of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct RankAssignment {
    /// Each statement with its proof and their score, sorted by statement.
    pub pairs: Vec<(u32, Option<(u32, f32)>)>,
    /// The number of different proofs in the file.
    pub proofs: usize,
    pub value: f64,
}

/// Assigns one of its listed proofs to each statement so that the sum of scores is maximal. With `reject`, a statement
/// may remain unmatched at that score; otherwise all of the smaller side must be matched.
pub fn assign(mut rows: Vec<RankRow>, reject: Option<f64>) -> Result<RankAssignment, AssignmentError> {
    rows.sort_by_key(|row| row.statement);
    // Proofs that no statement lists cannot be assigned and must not count as unmatched.
    let mut proofs: Vec<u32> = rows.iter().flat_map(|row| row.proofs.iter().copied()).collect();
    proofs.sort_unstable();
    proofs.dedup();
    let (mut starts, mut targets, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in &rows {
        let mut edges: Vec<(u32, f32)> = row
            .proofs
            .iter()
            .zip(&row.scores)
            .filter_map(|(proof, &score)| Some((proofs.binary_search(proof).ok()? as u32, score)))
            .collect();
        edges.sort_unstable_by_key(|edge| edge.0);
        targets.extend(edges.iter().map(|edge| edge.0));
        values.extend(edges.iter().map(|edge| edge.1));
        starts.push(targets.len());
    }
    let graph = Graph::new(proofs.len(), starts, targets, values)?;
    let assignment: Assignment = lapmod::solve(&graph, Objective::Maximize, reject)?;
    let given = |row: usize| {
        let column = assignment.column_of_row[row]?;
        Some((proofs[column], graph.at(row, column)? as f32))
    };
    let pairs = rows.iter().enumerate().map(|(row, ranks)| (ranks.statement, given(row))).collect();
    Ok(RankAssignment { pairs, proofs: proofs.len(), value: assignment.value })
}

impl RankAssignment {
    pub fn unmatched(&self) -> usize {
        self.pairs.iter().filter(|(_, given)| given.is_none()).count()
    }

    /// Writes `i TAB j TAB score` for each statement, with dashes for an unmatched one.
    pub fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        for (statement, given) in &self.pairs {
            match given {
                Some((proof, score)) => writeln!(out, "{statement}\t{proof}\t{score}")?,
                None => writeln!(out, "{statement}\t-\t-")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(statement: u32, proofs: &[u32], scores: &[f32]) -> RankRow {
        RankRow { statement, proofs: proofs.to_vec(), scores: scores.to_vec() }
    }

    fn written(rows: Vec<RankRow>, reject: Option<f64>) -> String {
        let mut out = Vec::new();
        assign(rows, reject).unwrap().write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_sum_counts() {
        let rows = vec![row(7, &[10, 30], &[0.75, 0.5]), row(2, &[10, 30], &[1.0, 0.25])];
        assert_eq!(written(rows, None), "2\t10\t1\n7\t30\t0.5\n");
    }

    #[test]
    fn sides_of_different_size_leave_somebody_over() {
        let rows = vec![row(0, &[5], &[0.5]), row(1, &[5], &[0.75])];
        assert_eq!(written(rows.clone(), None), "0\t-\t-\n1\t5\t0.75\n");
        assert_eq!(assign(rows.clone(), Some(0.9)).unwrap().unmatched(), 2, "both are better off rejected");
        let crowded = [rows, vec![row(2, &[8, 9], &[0.1, 0.2])]].concat();
        let error = assign(crowded, None).unwrap_err().to_string();
        assert!(error.starts_with("no assignment exists"), "{error}");
    }
}
