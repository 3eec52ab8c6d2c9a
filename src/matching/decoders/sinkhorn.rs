//! Sinkhorn's scaling (Sinkhorn and Knopp 1967; Cuturi, "Sinkhorn Distances", 2013), in the log domain.
//!
//! exp(score / temperature) is scaled by rows and by columns alternately until all row sums are one and all column
//! sums are equal. The result is a ranking that respects the constraint: a softened
//! assignment. In the log domain a scaling is an addition, so proofs are ranked by
//! `score / temperature + column potential`, and the matrix is never in memory.
//!
//! The potentials are computed on the k best edges of rows and of columns, which hold nearly all the mass. The
//! temperature is a fraction of the spread of the scores (the median over statements of the best score minus the tenth
//! best), because cosines, counts and neural scores have different scales. Iterations stop early when no
//! potential changes by more than a thousandth.

use std::borrow::Cow;

use rayon::prelude::*;

use super::DecodeError;
use crate::base::task::Task;
use crate::matching::{
    assignment::{
        Graph, Objective,
        prune::{Keep, prune},
    },
    ranking::{self, Ranking, Shortlists},
    scores::{Adjusted, ScoreSource},
};
use crate::model::{exponential, vectorised};

/// Settings of Sinkhorn decoding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SinkhornSettings {
    /// A fraction of the spread of the scores.
    pub temperature: f64,
    pub iterations: usize,
}

impl Default for SinkhornSettings {
    /// Chosen on the dev parts of a corpus of real articles and on the demo's dev and train parts.
    fn default() -> SinkhornSettings {
        SinkhornSettings { temperature: 0.1, iterations: 100 }
    }
}

/// Convergence threshold: smaller changes of a potential hardly change a rank.
const STILL: f64 = 1e-3;
/// The logarithm of a share of mass that hardly changes a sum: a thousand edges of this share hold a hundred-millionth.
const NEGLIGIBLE: f64 = -25.0;
/// The index in the shortlist whose score measures the spread.
const TENTH: usize = 9;

/// Ranks by balanced scores. `lists` are the best proofs of each statement; as many edges of each side are used, which
/// `pruned` has if they are known.
pub fn rank(
    source: &dyn ScoreSource,
    gold: &[u32],
    lists: &Shortlists,
    pruned: Option<&Graph<f32>>,
    keep: usize,
    settings: &SinkhornSettings,
    task: &Task<'_>,
) -> Result<Ranking, DecodeError> {
    let temperature = (settings.temperature * spread(lists)).max(f64::from(f32::EPSILON));
    let (rows, columns) = match pruned {
        Some(graph) => potentials(graph, temperature, settings.iterations, task)?,
        None => {
            let graph = prune(source, Keep::both(lists.keep), Objective::Maximize, task)?;
            potentials(&graph, temperature, settings.iterations, task)?
        }
    };
    let adjusted = Adjusted::new(source, (1.0 / temperature) as f32, rows, columns);
    Ok(ranking::rank(&adjusted, gold, keep, task, "sinkhorn")?)
}

fn spread(lists: &Shortlists) -> f64 {
    let mut gaps: Vec<f32> = (0..lists.rows())
        .map(|row| lists.row(row).1)
        .filter_map(|scores| Some(scores.first()? - scores[TENTH.min(scores.len() - 1)]))
        .collect();
    gaps.sort_unstable_by(f32::total_cmp);
    match gaps.get(gaps.len() / 2) {
        Some(&gap) if gap > 0.0 => f64::from(gap),
        _ => 1.0,
    }
}

/// The potentials that rows and columns add to score / temperature, so that the sums of each are equal.
///
/// Most edges hold next to no mass. Iterations run on the others, until a pass over all edges confirms the result or finds
/// that potentials moved enough to choose the edges again.
fn potentials(
    graph: &Graph<f32>,
    temperature: f64,
    iterations: usize,
    task: &Task<'_>,
) -> Result<(Vec<f32>, Vec<f32>), DecodeError> {
    let all = Edges::new(Cow::Borrowed(graph), temperature);
    let mut potentials = Potentials { rows: vec![0.0; graph.rows()], columns: vec![0.0; graph.columns()] };
    let mut done = 0;
    while done < iterations {
        let is_still = all.balance(&mut potentials, task)?;
        done += 1;
        if is_still {
            break;
        }
        let heavy = all.heavy(&potentials);
        // the last iteration is one over all edges
        while done + 1 < iterations {
            task.step("balancing", done, iterations);
            done += 1;
            if heavy.balance(&mut potentials, task)? {
                break;
            }
        }
    }
    let narrow = |potentials: Vec<f64>| potentials.into_iter().map(|potential| potential as f32).collect();
    Ok((narrow(potentials.rows), narrow(potentials.columns)))
}

struct Potentials {
    rows: Vec<f64>,
    columns: Vec<f64>,
}

/// Edges by row and by column.
struct Edges<'a> {
    by_row: Cow<'a, Graph<f32>>,
    by_column: Graph<f32>,
    temperature: f64,
}

impl<'a> Edges<'a> {
    fn new(by_row: Cow<'a, Graph<f32>>, temperature: f64) -> Edges<'a> {
        Edges { by_column: by_row.transposed(), by_row, temperature }
    }

    /// Balances rows, then columns. Returns whether no potential of a column moved.
    fn balance(&self, potentials: &mut Potentials, task: &Task<'_>) -> Result<bool, DecodeError> {
        task.check()?;
        potentials.rows = balance(&self.by_row, self.temperature, &potentials.columns);
        let columns = balance(&self.by_column, self.temperature, &potentials.rows);
        let moved = columns.iter().zip(&potentials.columns).map(|(new, old)| (new - old).abs());
        let is_still = moved.fold(0.0, f64::max) < STILL;
        potentials.columns = columns;
        Ok(is_still)
    }

    /// The edges that hold more than a negligible share of their row's mass.
    fn heavy(&self, potentials: &Potentials) -> Edges<'static> {
        let scale = 1.0 / self.temperature;
        let heavy = self.by_row.filtered(|row, column, score| {
            f64::from(score) * scale + potentials.rows[row] + potentials.columns[column as usize] > NEGLIGIBLE
        });
        Edges::new(Cow::Owned(heavy), self.temperature)
    }
}

/// The negative logarithm of each row's sum.
fn balance(graph: &Graph<f32>, temperature: f64, others: &[f64]) -> Vec<f64> {
    (0..graph.rows())
        .into_par_iter()
        .map_init(Vec::new, |logarithms: &mut Vec<f64>, row| {
            logarithms.clear();
            let edges = graph.targets(row).iter().zip(graph.values(row));
            let scale = 1.0 / temperature;
            logarithms
                .extend(edges.map(|(&other, &score)| f64::from(score) * scale + others[other as usize]));
            if logarithms.is_empty() { 0.0 } else { -log_sum_exp(logarithms) }
        })
        .collect()
}

/// The logarithm of a sum of exponentials. These are computed in single precision, which is a thousand times finer than
/// the threshold of convergence.
fn log_sum_exp(logarithms: &[f64]) -> f64 {
    const LANES: usize = 16;
    vectorised(
        #[inline(always)]
        || {
            let mut most = [f64::NEG_INFINITY; LANES];
            let (chunks, rest) = logarithms.as_chunks::<LANES>();
            for chunk in chunks {
                for lane in 0..LANES {
                    most[lane] = if chunk[lane] > most[lane] { chunk[lane] } else { most[lane] };
                }
            }
            let most = most.into_iter().chain(rest.iter().copied()).fold(f64::NEG_INFINITY, f64::max);
            let mut sums = [0.0f32; LANES];
            for chunk in chunks {
                for lane in 0..LANES {
                    sums[lane] += exponential((chunk[lane] - most) as f32);
                }
            }
            let rest = rest.iter().map(|logarithm| exponential((logarithm - most) as f32));
            let sum: f64 = sums.into_iter().chain(rest).map(f64::from).sum();
            most + sum.ln()
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::scores::Matrix;

    #[test]
    fn the_logarithm_of_a_sum_is_that_of_double_precision() {
        for count in [1, 15, 16, 50] {
            let values: Vec<f64> = (0..count).map(|at| f64::from(at * 37 % 101) - 60.0).collect();
            let exact = values.iter().map(|value| value.exp()).sum::<f64>().ln();
            assert!((log_sum_exp(&values) - exact).abs() < 1e-6);
        }
    }

    #[test]
    fn beliefs_are_balanced_on_both_sides() {
        let value = |row: usize, column: usize| ((row * 37 + column * 11) % 13) as f32 / 13.0;
        let rows: Vec<Vec<f32>> =
            (0..9).map(|row| (0..9).map(|column| value(row, column)).collect()).collect();
        let scores = Matrix::new(&rows);
        let task = Task::unobserved();
        let graph = prune(&scores, Keep::both(9), Objective::Maximize, &task).unwrap();
        let (row_potentials, column_potentials) = potentials(&graph, 0.5, 500, &task).unwrap();
        let belief = |row: usize, column: usize| {
            (rows[row][column] / 0.5 + row_potentials[row] + column_potentials[column]).exp()
        };
        for index in 0..9 {
            let given: f32 = (0..9).map(|column| belief(index, column)).sum();
            let received: f32 = (0..9).map(|row| belief(row, index)).sum();
            assert!((given - 1.0).abs() < 0.01 && (received - 1.0).abs() < 0.01, "{given} {received}");
        }
    }
}
