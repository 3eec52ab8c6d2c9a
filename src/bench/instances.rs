//! Assignment problems for benchmarks: read from another program's files, or generated.

use std::f64::consts::TAU;

use rayon::prelude::*;

use super::assign::Instance;
use crate::{
    base::{rng::Rng, task::Task},
    corpus::formats::ranks::RankRow,
    matching::assignment::{
        AssignmentError, Graph, Objective,
        prune::{Keep, prune},
    },
    matching::scores::ScoreSource,
};

/// Size of the paper's dev part, and number of edges that its authors keep per row.
pub const SIZE: usize = 18_408;
pub const BEST: usize = 500;
/// Width of the vectors whose products are the scores.
pub const WIDTH: usize = 64;

/// Uniform between zero and one, never zero.
fn positive(rng: &mut Rng) -> f64 {
    rng.uniform() + f64::EPSILON / 4.0
}

/// Normal, after Box and Muller.
fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * positive(rng).ln()).sqrt() * (TAU * positive(rng)).cos()
}

/// The costs of a dense problem, row by row.
pub fn dense(instance: Instance, size: usize) -> Vec<f64> {
    let mut rng = Rng::new(0);
    let mut whole = |below: f64| (0..size * size).map(|_| (rng.uniform() * below).floor()).collect();
    match instance {
        Instance::Integer(_) => whole(100.0),
        Instance::Ties(_) => whole(5.0),
        Instance::Diagonal(_) => diagonal(size),
        Instance::Geometric(_) => {
            let points: Vec<[f64; 2]> = (0..2 * size).map(|_| [rng.uniform(), rng.uniform()]).collect();
            let (rows, columns) = points.split_at(size);
            let distance = |row: &[f64; 2], column: &[f64; 2]| (row[0] - column[0]).hypot(row[1] - column[1]);
            rows.iter().flat_map(|row| columns.iter().map(|column| distance(row, column))).collect()
        }
        Instance::Product(_) => {
            let factors: Vec<f64> = (0..2 * size).map(|_| rng.uniform()).collect();
            let (rows, columns) = factors.split_at(size);
            rows.iter().flat_map(|row| columns.iter().map(move |column| row * column)).collect()
        }
        Instance::Random(_) | Instance::SparseDiagonal | Instance::SparseHubby | Instance::Ranks(_) => {
            (0..size * size).map(|_| -positive(&mut rng)).collect()
        }
    }
}

pub fn diagonal(size: usize) -> Vec<f64> {
    let mut rng = Rng::new(0);
    let better = |place: usize| if place / size == place % size { 3.0 } else { 0.0 };
    (0..size * size).map(|place| -normal(&mut rng) - better(place)).collect()
}

/// Parses the edges of a dump: columns, then costs.
pub fn sparse(dump: &[u8]) -> Result<Graph<f64>, AssignmentError> {
    let (targets, costs) = dump.split_at((SIZE * BEST * 4).min(dump.len()));
    let targets: Vec<u32> = targets.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
    Graph::new(SIZE, (0..=SIZE).map(|row| row * BEST).collect(), targets, floats(costs))
}

pub fn floats(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect()
}

/// The scores of a rank file as costs: how far each is below the best.
pub fn ranked(rows: &[RankRow]) -> Result<Graph<f64>, AssignmentError> {
    let columns = rows.iter().flat_map(|row| &row.proofs).max().map_or(0, |&most| most as usize + 1);
    let best = rows.iter().flat_map(|row| &row.scores).copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sorted: Vec<&RankRow> = rows.iter().collect();
    sorted.sort_by_key(|row| row.statement);
    let (mut starts, mut targets, mut costs) = (vec![0], Vec::new(), Vec::new());
    for row in sorted {
        let mut edges: Vec<(u32, f32)> = row.proofs.iter().copied().zip(row.scores.iter().copied()).collect();
        edges.sort_unstable_by_key(|edge| edge.0);
        targets.extend(edges.iter().map(|edge| edge.0));
        costs.extend(edges.iter().map(|edge| f64::from(best) - f64::from(edge.1)));
        starts.push(targets.len());
    }
    Graph::new(columns, starts, targets, costs)
}

/// A graph as another program reads it: where rows start, columns (both u32), costs.
pub fn bytes(graph: &Graph<f64>) -> Vec<u8> {
    let rows = 0..graph.rows();
    let ends = rows.clone().scan(0u32, |end, row| {
        *end += graph.targets(row).len() as u32;
        Some(*end)
    });
    let targets = rows.clone().flat_map(|row| graph.targets(row)).copied();
    let words = std::iter::once(0).chain(ends).chain(targets);
    let costs = rows.flat_map(|row| graph.values(row)).flat_map(|cost| cost.to_le_bytes());
    words.flat_map(u32::to_le_bytes).chain(costs).collect()
}

/// The best edges per row of scores without hubs, as costs.
pub fn own_sparse() -> Result<Graph<f64>, AssignmentError> {
    let scores = HubScores::new(SIZE, WIDTH, 0.0, Rng::new(1));
    let graph =
        prune(&scores, Keep { per_row: BEST, per_column: 0 }, Objective::Maximize, &Task::unobserved())?;
    let (mut starts, mut targets, mut costs) = (vec![0], Vec::new(), Vec::new());
    for row in 0..graph.rows() {
        targets.extend_from_slice(graph.targets(row));
        costs.extend(graph.values(row).iter().map(|&score| -f64::from(score)));
        starts.push(targets.len());
    }
    Graph::new(SIZE, starts, targets, costs)
}

/// Scores of statements that resemble their proofs, with hubs: proofs that score high with every statement.
pub struct HubScores {
    size: usize,
    statements: Vec<f32>,
    /// One row per dimension.
    proofs: Vec<f32>,
    hub_scores: Vec<f32>,
    arch: pulp::Arch,
}

impl HubScores {
    pub fn new(size: usize, width: usize, hubs: f64, mut rng: Rng) -> Self {
        let mut statements = vec![0.0; size * width];
        let mut proofs = vec![0.0; size * width];
        for index in 0..size {
            for dimension in 0..width {
                let proof = normal(&mut rng);
                proofs[dimension * size + index] = proof as f32;
                let statement = (proof * 0.35 + normal(&mut rng)) / (width as f64).sqrt();
                statements[index * width + dimension] = statement as f32;
            }
        }
        let mut hub_score = || ((positive(&mut rng).powf(-1.0 / 1.5) - 1.0) * 0.25).min(6.0) * hubs;
        let hub_scores = (0..size).map(|_| hub_score() as f32).collect();
        Self { size, statements, proofs, hub_scores, arch: pulp::Arch::new() }
    }
}

impl ScoreSource for HubScores {
    fn rows(&self) -> usize {
        self.size
    }

    fn columns(&self) -> usize {
        self.size
    }

    fn fill(&self, first: usize, scores: &mut [f32]) {
        let width = self.statements.len() / self.size.max(1);
        scores.par_chunks_mut(self.size).enumerate().for_each(|(index, scores)| {
            let row = first + index;
            let statement = &self.statements[row * width..(row + 1) * width];
            self.arch.dispatch(|| products(statement, &self.proofs, &self.hub_scores, scores));
        });
    }
}

/// A statement's products with all proofs, in tiles that stay in the cache.
#[inline(always)]
fn products(statement: &[f32], proofs: &[f32], hub_scores: &[f32], scores: &mut [f32]) {
    const TILE: usize = 512;
    let size = scores.len();
    for (place, scores) in scores.chunks_mut(TILE).enumerate() {
        let left = place * TILE;
        scores.copy_from_slice(&hub_scores[left..left + scores.len()]);
        for (dimension, &weight) in statement.iter().enumerate() {
            let start = dimension * size + left;
            for (score, proof) in scores.iter_mut().zip(&proofs[start..start + TILE.min(size - left)]) {
                *score += weight * proof;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_become_costs_below_the_best_and_bytes_that_numpy_reads() {
        let row = |statement, proofs: &[u32], scores: &[f32]| RankRow {
            statement,
            proofs: proofs.to_vec(),
            scores: scores.to_vec(),
        };
        let graph = ranked(&[row(1, &[1, 0], &[3.0, 1.0]), row(0, &[0], &[2.0])]).unwrap();
        assert_eq!((graph.rows(), graph.columns()), (2, 2));
        assert_eq!((graph.targets(0), graph.values(0)), (&[0][..], &[1.0][..]));
        assert_eq!((graph.targets(1), graph.values(1)), (&[0, 1][..], &[2.0, 0.0][..]));
        let bytes = bytes(&graph);
        let words: Vec<u32> =
            bytes[..24].as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
        assert_eq!(words, [0, 1, 3, 0, 0, 1]);
        assert_eq!(floats(&bytes[24..]), [1.0, 2.0, 0.0]);
    }
}
