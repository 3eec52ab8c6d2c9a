//! An approximate index: the vectors of a dense index, sorted into cells around centroids.
//!
//! This is the inverted file of Jégou, Douze and Schmid ("Product Quantization for Nearest Neighbor Search", 2011) without
//! the quantization: vectors are clustered by k-means, and a query visits only the cells whose centroids score highest with
//! it. What is visited is scored exactly, with the bits of the dense index, so only a candidate in a cell that was not
//! visited can be missed. Cells are read from the file when they are visited; nothing but the centroids stays in memory,
//! so an index may be larger than the memory.
//!
//! The number of visited cells is chosen when the index is built: the fewest with which statements of the dev part find
//! [`TARGET`] of their ten best candidates. The recall that was measured is stored with the index.

use std::io;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    Blob, Container, ContainerError, ContainerWriter, DenseIndex, IndexKey, Side, dense::WIDEST, sparse::ROWS,
};
use crate::{
    base::{
        rng::Rng,
        task::{Cancelled, Task},
    },
    matching::{ranking::Selector, scores::Packed},
};

/// Incremented when the cells of the same vectors are made otherwise.
pub const VERSION: u32 = 1;
/// The share of the [`BEST`] candidates that a search is to find.
pub const TARGET: f64 = 0.95;
/// The number of best candidates that recall is measured with.
pub const BEST: usize = 10;

/// Rounds of k-means; the recall hardly changes after them.
const ROUNDS: usize = 8;
/// Vectors per cell that k-means looks at.
const SAMPLE: usize = 64;
/// Vectors that are compared with the centroids at a time.
const BLOCK: usize = 64;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct CellsHeader {
    key: IndexKey,
    width: usize,
    sides: [SideHeader; 2],
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct SideHeader {
    cells: usize,
    /// The number of cells that a search visits.
    probes: usize,
    recall: f64,
}

/// An approximate index, open for queries from several threads.
#[derive(Debug)]
pub struct CellIndex {
    container: Container,
    header: CellsHeader,
    columns: usize,
    sides: [Cells; 2],
}

/// The cells of a side.
#[derive(Debug)]
struct Cells {
    centroids: Packed,
    /// Where each cell begins among the vectors in the order of the cells, and the end of the last.
    starts: Vec<u32>,
    /// The column of each vector in the dense index.
    order: Vec<u32>,
    /// The first value of each cell's panels.
    panels: Vec<u64>,
    mean: Vec<f32>,
    /// The second moments of the coordinates, row by row.
    moments: Packed,
}

/// What a search visited.
#[derive(Clone, Debug, Default)]
pub struct Visited {
    /// Columns of the dense index with their scores.
    pub columns: Vec<u32>,
    pub scores: Vec<f32>,
    /// Mean and standard deviation of the scores of all vectors, visited or not.
    pub mean: f64,
    pub deviation: f64,
    /// The sizes of the cells that were not visited, with the scores of their centroids.
    pub rest: Vec<(u32, f32)>,
}

/// Sorts the vectors of a dense index into cells and writes them. For each side there are queries that choose the number of
/// visited cells, each with a column that is no candidate for it.
pub fn write_cells(
    exact: &DenseIndex,
    queries: &[Vec<CalibrationQuery>; 2],
    key: IndexKey,
    task: &Task<'_>,
    out: &mut dyn io::Write,
) -> Result<io::Result<()>, CellsError> {
    let width = exact.width();
    let mut built = Vec::new();
    for (side, queries) in Side::ALL.into_iter().zip(queries) {
        built.push(BuiltSide::new(exact, side, queries, task)?);
    }
    let header = CellsHeader { key, width, sides: [built[0].header, built[1].header] };
    let mut writer = ContainerWriter::new();
    writer.array(ROWS, exact.rows());
    for (side, built) in Side::ALL.into_iter().zip(&built) {
        writer.array(named(side, CENTROIDS), &built.centroids);
        writer.array(named(side, STARTS), &built.starts);
        writer.array(named(side, ORDER), &built.order);
        writer.array(named(side, PANELS), &built.panels);
        writer.array(named(side, MEAN), &built.mean);
        writer.array(named(side, MOMENTS), &built.moments);
    }
    Ok(writer.write(header, out))
}

/// A query that chooses how many cells are visited.
#[derive(Clone, Debug)]
pub struct CalibrationQuery {
    pub vector: Vec<f32>,
    /// A column that does not count, such as the query itself.
    pub without: Option<u32>,
}

/// Why cells could not be built.
#[derive(Debug, thiserror::Error)]
pub enum CellsError {
    #[error(transparent)]
    Index(#[from] ContainerError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

const CENTROIDS: &str = "centroids";
const STARTS: &str = "starts";
const ORDER: &str = "order";
const PANELS: &str = "panels";
const MEAN: &str = "mean";
const MOMENTS: &str = "moments";

fn named(side: Side, array: &str) -> String {
    format!("{side}.{array}")
}

struct BuiltSide {
    header: SideHeader,
    centroids: Vec<f32>,
    starts: Vec<u32>,
    order: Vec<u32>,
    panels: Vec<f32>,
    mean: Vec<f32>,
    moments: Vec<f32>,
}

impl BuiltSide {
    fn new(
        exact: &DenseIndex,
        side: Side,
        queries: &[CalibrationQuery],
        task: &Task<'_>,
    ) -> Result<BuiltSide, CellsError> {
        let width = exact.width();
        let vectors = exact.vectors(side)?;
        let count = exact.rows().len();
        let cells = cell_count(count);
        let centroids = centroids(&vectors, width, cells, task)?;
        let packed = Packed::new(&centroids, width);
        task.step("sorting into cells", 0, count);
        let cell_of = nearest(&vectors, width, &packed, task)?;
        let mut starts = vec![0u32; cells + 1];
        cell_of.iter().for_each(|&cell| starts[cell as usize + 1] += 1);
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut order = vec![0u32; count];
        for (column, &cell) in (0u32..).zip(&cell_of) {
            order[next[cell as usize] as usize] = column;
            next[cell as usize] += 1;
        }
        let mut panels = Vec::new();
        for range in starts.windows(2) {
            task.check()?;
            let members = &order[range[0] as usize..range[1] as usize];
            let values: Vec<f32> = members
                .iter()
                .flat_map(|&column| &vectors[column as usize * width..][..width])
                .copied()
                .collect();
            panels.extend(Packed::new(&values, width).into_panels());
        }
        let (mean, moments) = moments(&vectors, width);
        drop(vectors);
        let (probes, recall) = calibrated(exact, side, &packed, &cell_of, queries, task)?;
        let header = SideHeader { cells, probes, recall };
        Ok(BuiltSide { header, centroids, starts, order, panels, mean, moments })
    }
}

/// Four times the square root: a query compares itself with about as many centroids as candidates.
fn cell_count(count: usize) -> usize {
    (4 * count.isqrt()).clamp(1, count.max(1))
}

/// The mean, and the second moments of the coordinates, which give the deviation of any query's scores.
fn moments(vectors: &[f32], width: usize) -> (Vec<f32>, Vec<f32>) {
    let count = (vectors.len() / width.max(1)).max(1) as f64;
    let parts: Vec<(Vec<f64>, Vec<f64>)> = vectors
        .par_chunks((1 << 14) * width.max(1))
        .map(|vectors| {
            let (mut sum, mut squares) = (vec![0.0f64; width], vec![0.0f64; width * width]);
            for vector in vectors.chunks_exact(width.max(1)) {
                for (row, &value) in vector.iter().enumerate() {
                    sum[row] += f64::from(value);
                    for (square, &other) in squares[row * width..][..width].iter_mut().zip(vector) {
                        *square += f64::from(value * other);
                    }
                }
            }
            (sum, squares)
        })
        .collect();
    // In the order of the vectors, so that the number of threads changes no bit.
    let (mut sum, mut squares) = (vec![0.0f64; width], vec![0.0f64; width * width]);
    for (part, part_squares) in parts {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        squares.iter_mut().zip(part_squares).for_each(|(sum, part)| *sum += part);
    }
    let scaled = |values: Vec<f64>| values.into_iter().map(|value| (value / count) as f32).collect();
    (scaled(sum), scaled(squares))
}

/// Lloyd's algorithm on a sample.
fn centroids(vectors: &[f32], width: usize, cells: usize, task: &Task<'_>) -> Result<Vec<f32>, Cancelled> {
    let count = vectors.len() / width.max(1);
    let mut rng = Rng::new(1);
    let mut chosen: Vec<u32> = (0..count as u32).collect();
    let sampled = (cells * SAMPLE).min(count);
    for place in 0..sampled {
        let other = place + (rng.next_u64() % (count - place) as u64) as usize;
        chosen.swap(place, other);
    }
    chosen.truncate(sampled);
    let sample: Vec<f32> =
        chosen.iter().flat_map(|&column| &vectors[column as usize * width..][..width]).copied().collect();
    let mut centroids: Vec<f32> = sample[..cells.min(sampled) * width].to_vec();
    for round in 0..ROUNDS {
        task.step("clustering", round, ROUNDS);
        let cell_of = nearest(&sample, width, &Packed::new(&centroids, width), task)?;
        let (mut sums, mut sizes) = (vec![0.0f64; cells * width], vec![0usize; cells]);
        for (vector, &cell) in sample.chunks_exact(width.max(1)).zip(&cell_of) {
            sizes[cell as usize] += 1;
            let sum = &mut sums[cell as usize * width..][..width];
            sum.iter_mut().zip(vector).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        for (cell, &size) in sizes.iter().enumerate() {
            let sum = &sums[cell * width..][..width];
            if size > 0 {
                let target = &mut centroids[cell * width..][..width];
                target.iter_mut().zip(sum).for_each(|(target, sum)| *target = (sum / size as f64) as f32);
            }
        }
        split_largest(&mut centroids, &mut sizes, width);
    }
    Ok(centroids)
}

/// Gives every empty cell half of the largest one: both centroids move a little apart.
fn split_largest(centroids: &mut [f32], sizes: &mut [usize], width: usize) {
    for empty in 0..sizes.len() {
        if sizes[empty] > 0 {
            continue;
        }
        let Some(largest) = (0..sizes.len()).max_by_key(|&cell| (sizes[cell], usize::MAX - cell)) else {
            return;
        };
        if sizes[largest] < 2 {
            return;
        }
        for place in 0..width {
            let value = centroids[largest * width + place];
            let apart = if place % 2 == 0 { 1.0 + 1.0 / 1024.0 } else { 1.0 - 1.0 / 1024.0 };
            centroids[empty * width + place] = value * apart;
            centroids[largest * width + place] = value * (2.0 - apart);
        }
        sizes[empty] = sizes[largest] / 2;
        sizes[largest] -= sizes[empty];
    }
}

/// The centroid with the least distance to each vector.
fn nearest(
    vectors: &[f32],
    width: usize,
    centroids: &Packed,
    task: &Task<'_>,
) -> Result<Vec<u32>, Cancelled> {
    let cells = centroids.columns();
    let halves = half_squares(centroids);
    let blocks: Vec<Vec<u32>> = vectors
        .par_chunks(BLOCK * width.max(1))
        .map(|block| {
            task.check()?;
            let rows = block.len() / width.max(1);
            let mut products = vec![0.0; rows * cells];
            centroids.multiply(block, &mut products);
            let best = |row: &[f32]| {
                let mut best = (0, f32::NEG_INFINITY);
                for ((cell, product), half) in (0u32..).zip(row).zip(&halves) {
                    if product - half > best.1 {
                        best = (cell, product - half);
                    }
                }
                best.0
            };
            Ok(products.chunks_exact(cells.max(1)).map(best).collect())
        })
        .collect::<Result<_, Cancelled>>()?;
    Ok(blocks.concat())
}

fn half_squares(centroids: &Packed) -> Vec<f32> {
    let vectors = centroids.vectors();
    let square = |vector: &[f32]| vector.iter().map(|value| value * value).sum::<f32>() / 2.0;
    vectors.chunks_exact(centroids.width().max(1)).map(square).collect()
}

/// The fewest visited cells that find [`TARGET`] of the best candidates of the queries, and the share that they find.
fn calibrated(
    exact: &DenseIndex,
    side: Side,
    centroids: &Packed,
    cell_of: &[u32],
    queries: &[CalibrationQuery],
    task: &Task<'_>,
) -> Result<(usize, f64), CellsError> {
    let cells = centroids.columns();
    let mut needed = vec![0usize; cells];
    let (mut scores, mut products) = (Vec::new(), vec![0.0; cells]);
    for (number, query) in queries.iter().enumerate() {
        task.check()?;
        task.step("measuring recall", number, queries.len());
        exact.scores(&query.vector, 0.0, side, &mut scores)?;
        if let Some(score) = query.without.and_then(|column| scores.get_mut(column as usize)) {
            *score = f32::NEG_INFINITY;
        }
        centroids.multiply(&query.vector, &mut products);
        let mut places = vec![0usize; cells];
        descending(&products).into_iter().enumerate().for_each(|(place, cell)| places[cell as usize] = place);
        Selector::new(BEST.min(scores.len())).select(&scores, |column, score| {
            if score > f32::NEG_INFINITY {
                needed[places[cell_of[column as usize] as usize]] += 1;
            }
        });
    }
    let total: usize = needed.iter().sum();
    let mut found = 0;
    for (place, count) in needed.iter().enumerate() {
        found += count;
        if total > 0 && found as f64 >= TARGET * total as f64 {
            return Ok((place + 1, found as f64 / total as f64));
        }
    }
    // Without a measurement every cell is visited.
    Ok((cells, 1.0))
}

/// Positions by their values, the greatest first.
fn descending(values: &[f32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by(|&one, &other| {
        values[other as usize].total_cmp(&values[one as usize]).then(one.cmp(&other))
    });
    order
}

impl CellIndex {
    pub fn open(blob: Blob) -> Result<CellIndex, ContainerError> {
        let (container, header) = Container::open::<CellsHeader>(blob)?;
        let columns = container.len::<u32>(ROWS) as usize;
        // What follows allocates and multiplies these numbers.
        let is_sensible = |side: &SideHeader| side.cells <= columns.max(1) && side.probes <= side.cells;
        if header.width > WIDEST || !header.sides.iter().all(is_sensible) {
            return Err(ContainerError::Damaged("its header does not match its pairs"));
        }
        let [proofs, statements] =
            Side::ALL.map(|side| Cells::read(&container, side, header.sides[side as usize], header.width));
        let sides = [proofs?, statements?];
        if sides.iter().any(|cells| cells.order.len() != columns) {
            return Err(ContainerError::Damaged("its cells do not match its pairs"));
        }
        Ok(CellIndex { container, header, columns, sides })
    }

    pub fn key(&self) -> &IndexKey {
        &self.header.key
    }

    /// The number of vectors of a side.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The share of the ten best candidates that statements of the dev part found when the index was built.
    pub fn recall(&self, side: Side) -> f64 {
        self.header.sides[side as usize].recall
    }

    /// Scores the candidates in the cells that score highest with a vector. Cells are visited until as many candidates are
    /// scored as an average search visits, so that filters do not lessen the recall.
    pub fn search(
        &self,
        vector: &[f32],
        bias: f32,
        side: Side,
        is_candidate: &(dyn Fn(u32) -> bool + Sync),
    ) -> Result<Visited, ContainerError> {
        let width = self.header.width;
        if vector.len() != width {
            return Err(ContainerError::Damaged("the dimension of its vectors is not the model's"));
        }
        let (cells, header) = (&self.sides[side as usize], self.header.sides[side as usize]);
        let mut products = vec![0.0; header.cells];
        cells.centroids.multiply(vector, &mut products);
        let order = descending(&products);
        let enough = (self.columns * header.probes).div_ceil(header.cells.max(1));
        let mut visited = Visited::default();
        let mut next = 0;
        while next < order.len() && (next < header.probes || visited.columns.len() < enough) {
            let probes = &order[next..(next + header.probes.max(1)).min(order.len())];
            next += probes.len();
            let found = probes
                .par_iter()
                .map(|&cell| self.visit(vector, bias, side, cell as usize))
                .collect::<Result<Vec<_>, ContainerError>>()?;
            for (members, scores) in found {
                for (&column, score) in members.iter().zip(scores) {
                    if is_candidate(column) {
                        visited.columns.push(column);
                        visited.scores.push(score);
                    }
                }
            }
        }
        visited.rest = order[next..]
            .iter()
            .map(|&cell| (cells.members(cell as usize).len() as u32, products[cell as usize] + bias))
            .collect();
        (visited.mean, visited.deviation) = cells.distribution(vector, bias);
        Ok(visited)
    }

    /// The columns of a cell and their scores.
    fn visit(
        &self,
        vector: &[f32],
        bias: f32,
        side: Side,
        cell: usize,
    ) -> Result<(&[u32], Vec<f32>), ContainerError> {
        let cells = &self.sides[side as usize];
        let members = cells.members(cell);
        let width = self.header.width;
        let mut panels = Vec::new();
        let values = Packed::panel_values(members.len(), width) as u64;
        self.container.read(&named(side, PANELS), cells.panels[cell], values, &mut panels)?;
        let mut scores = vec![0.0; members.len()];
        Packed::from_panels(members.len(), width, panels).multiply(vector, &mut scores);
        scores.iter_mut().for_each(|score| *score += bias);
        Ok((members, scores))
    }
}

impl Cells {
    fn read(
        container: &Container,
        side: Side,
        header: SideHeader,
        width: usize,
    ) -> Result<Cells, ContainerError> {
        let centroids: Vec<f32> = container.array(&named(side, CENTROIDS))?;
        let starts: Vec<u32> = container.array(&named(side, STARTS))?;
        let order: Vec<u32> = container.array(&named(side, ORDER))?;
        let mean: Vec<f32> = container.array(&named(side, MEAN))?;
        let moments: Vec<f32> = container.array(&named(side, MOMENTS))?;
        let mut panels = Vec::with_capacity(header.cells);
        let mut first = 0;
        for range in starts.windows(2) {
            panels.push(first);
            first += Packed::panel_values(range[1].saturating_sub(range[0]) as usize, width) as u64;
        }
        let is_whole = centroids.len() == header.cells * width
            && panels.len() == header.cells
            && starts.is_sorted()
            && starts.last().copied() == Some(order.len() as u32)
            && order.iter().all(|&column| (column as usize) < order.len())
            && mean.len() == width
            && moments.len() == width * width
            && container.len::<f32>(&named(side, PANELS)) == first;
        if !is_whole {
            return Err(ContainerError::Damaged("its cells do not match"));
        }
        let (centroids, moments) = (Packed::new(&centroids, width), Packed::new(&moments, width));
        Ok(Cells { centroids, starts, order, panels, mean, moments })
    }

    fn members(&self, cell: usize) -> &[u32] {
        &self.order[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// The mean and the standard deviation of a query's scores with all vectors.
    fn distribution(&self, vector: &[f32], bias: f32) -> (f64, f64) {
        let product = |one: &[f32], other: &[f32]| -> f64 {
            one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
        };
        let mean = product(&self.mean, vector);
        let mut projected = vec![0.0; vector.len()];
        self.moments.multiply(vector, &mut projected);
        let deviation = (product(&projected, vector) - mean * mean).max(0.0).sqrt();
        (mean + f64::from(bias), deviation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::{
        index::{DenseVectors, write_dense},
        scores::Bilinear,
    };

    const WIDTH: usize = 12;

    /// Vectors around a few points, and the key of their index.
    fn clustered(count: usize, seed: u64) -> Vec<f32> {
        let mut rng = Rng::new(seed);
        let mut number = || (rng.next_u64() >> 40) as f32 / (1u64 << 24) as f32 - 0.5;
        let centers: Vec<f32> = (0..20 * WIDTH).map(|_| number()).collect();
        let around = |vector: usize| centers[(vector % 20) * WIDTH..][..WIDTH].to_vec();
        (0..count)
            .flat_map(|vector| {
                around(vector).into_iter().map(|value| value + 0.3 * number()).collect::<Vec<_>>()
            })
            .collect()
    }

    fn key() -> IndexKey {
        IndexKey { corpus: "c".into(), method: "m".into(), candidates: "all".into() }
    }

    fn dense(count: usize) -> DenseIndex {
        let vectors = DenseVectors {
            width: WIDTH,
            rows: (0..count as u32).collect(),
            proofs: clustered(count, 1),
            statements: clustered(count, 2),
        };
        let mut weight = vec![0.0; WIDTH * WIDTH];
        weight.iter_mut().step_by(WIDTH + 1).for_each(|value| *value = 1.0);
        let mut bytes = Vec::new();
        write_dense(&vectors, &Bilinear { weight, bias: 0.0 }, key(), &[1, 2, 3], &mut bytes).unwrap();
        DenseIndex::open(Blob::Memory(bytes)).unwrap()
    }

    fn queries(index: &DenseIndex, step: usize) -> [Vec<CalibrationQuery>; 2] {
        Side::ALL.map(|side| {
            let vectors = index.vectors(side).unwrap();
            let query = |vector: &[f32]| CalibrationQuery { vector: vector.to_vec(), without: None };
            vectors.chunks(WIDTH).step_by(step).map(query).collect()
        })
    }

    fn written(index: &DenseIndex) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_cells(index, &queries(index, 31), key(), &Task::unobserved(), &mut bytes).unwrap().unwrap();
        bytes
    }

    #[test]
    fn what_is_visited_has_the_scores_of_the_dense_index_and_nearly_all_best_are_visited() {
        let dense = dense(4_000);
        let cells = CellIndex::open(Blob::Memory(written(&dense))).unwrap();
        let (mut found, mut wanted, mut scored) = (0, 0, 0);
        let mut exact = Vec::new();
        for query in queries(&dense, 57)[0].iter().skip(1) {
            dense.scores(&query.vector, 0.5, Side::Proof, &mut exact).unwrap();
            let visited = cells.search(&query.vector, 0.5, Side::Proof, &|_| true).unwrap();
            for (&column, score) in visited.columns.iter().zip(&visited.scores) {
                assert_eq!(exact[column as usize], *score);
            }
            scored += visited.columns.len();
            let rest: u32 = visited.rest.iter().map(|(count, _)| count).sum();
            assert_eq!(visited.columns.len() + rest as usize, 4_000);
            let best = descending(&exact);
            found += best[..BEST].iter().filter(|column| visited.columns.contains(column)).count();
            wanted += BEST;
            let mean = exact.iter().map(|&score| f64::from(score)).sum::<f64>() / 4_000.0;
            let square = exact.iter().map(|&score| (f64::from(score) - mean).powi(2)).sum::<f64>() / 4_000.0;
            assert!((visited.mean - mean).abs() < 1e-4 && (visited.deviation - square.sqrt()).abs() < 1e-3);
        }
        assert!(found as f64 >= 0.9 * wanted as f64, "{found} of {wanted}");
        assert!(cells.recall(Side::Proof) >= TARGET);
        assert!(scored < wanted / BEST * 2_000, "{scored} of {wanted} times 400 were scored");
    }

    #[test]
    fn filters_are_searched_until_enough_candidates_are_scored() {
        let dense = dense(2_000);
        let cells = CellIndex::open(Blob::Memory(written(&dense))).unwrap();
        let query = &queries(&dense, 500)[0][1];
        let visited = cells.search(&query.vector, 0.0, Side::Proof, &|column| column % 100 == 3).unwrap();
        let mut columns = visited.columns.clone();
        columns.sort_unstable();
        // Twenty candidates are fewer than a search scores, so every cell was visited.
        assert_eq!(columns, (0..20).map(|place| 100 * place + 3).collect::<Vec<u32>>());
    }

    #[test]
    fn the_same_vectors_give_the_same_cells_with_any_number_of_threads() {
        let dense = dense(1_500);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert!(one.install(|| written(&dense)) == written(&dense));
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let mut bytes = written(&dense(300));
        assert_eq!(CellIndex::open(Blob::Memory(bytes.clone())).unwrap().key(), &key());
        bytes.truncate(bytes.len() - 64);
        assert!(CellIndex::open(Blob::Memory(bytes)).is_err());
    }

    #[test]
    fn cells_of_equal_vectors_and_of_one_vector_are_searched() {
        for count in [1, 2, 50] {
            let vectors = DenseVectors {
                width: 2,
                rows: (0..count as u32).collect(),
                proofs: [1.0, 2.0].repeat(count),
                statements: [0.0, 1.0].repeat(count),
            };
            let mut bytes = Vec::new();
            let bilinear = Bilinear { weight: vec![1.0, 0.0, 0.0, 1.0], bias: 0.0 };
            write_dense(&vectors, &bilinear, key(), &[0], &mut bytes).unwrap();
            let dense = DenseIndex::open(Blob::Memory(bytes)).unwrap();
            let mut bytes = Vec::new();
            let none = [Vec::new(), Vec::new()];
            write_cells(&dense, &none, key(), &Task::unobserved(), &mut bytes).unwrap().unwrap();
            let cells = CellIndex::open(Blob::Memory(bytes)).unwrap();
            let visited = cells.search(&[1.0, 1.0], 0.0, Side::Proof, &|_| true).unwrap();
            assert!(visited.scores.iter().all(|&score| score == 3.0) && !visited.scores.is_empty());
        }
    }
}
