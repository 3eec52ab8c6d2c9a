//! Sorting the vectors of a dense index into cells.

use std::io;

use bytemuck::Pod;
use rayon::prelude::*;

use super::{
    BEST, CENTROIDS, CellsHeader, ORDER, PANELS, SCATTER, STARTS, SideHeader, TARGET, best_first, clusters,
    named,
};
use crate::{
    base::task::{Cancelled, Task},
    matching::{
        index::{
            Container, ContainerError, ContainerWriter, DenseIndex, IndexKey, Scratch, ScratchError, Side,
            sparse::ROWS,
        },
        ranking::Selector,
        scores::Packed,
    },
};

/// Vectors whose products are summed as single-precision numbers.
const SCATTER_BLOCK: usize = 4096;
/// Blocks whose sums are in memory at a time.
const SCATTER_BLOCKS: usize = 32;
/// Vectors that are sorted into cells in one step, a few seconds for a corpus of a million pairs.
const STEP: usize = 1 << 17;
/// The array of a step.
const VALUES: &str = "values";

/// Sorts the vectors of a dense index into cells and writes them. For each side there are queries that choose the number of
/// visited cells, each with a column that is no candidate for it. The inner error is that of `out`.
pub fn write_cells(
    exact: &DenseIndex,
    queries: &[Vec<CalibrationQuery>; 2],
    key: IndexKey,
    scratch: &Scratch,
    task: &Task<'_>,
    out: &mut dyn io::Write,
) -> Result<io::Result<()>, CellsError> {
    let width = exact.width();
    let mut built = Vec::new();
    for (side, queries) in Side::ALL.into_iter().zip(queries) {
        let steps = Steps { scratch, key: &key, side };
        built.push(BuiltSide::new(exact, side, queries, &steps, task)?);
    }
    let header = CellsHeader { key, width, sides: [built[0].header, built[1].header] };
    let mut writer = ContainerWriter::new();
    writer.array(ROWS, exact.rows());
    for (side, built) in Side::ALL.into_iter().zip(&built) {
        writer.array(named(side, CENTROIDS), &built.centroids);
        writer.array(named(side, STARTS), &built.starts);
        writer.array(named(side, ORDER), &built.order);
        writer.array(named(side, PANELS), &built.panels);
        writer.array(named(side, SCATTER), &built.scatter);
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
    Scratch(#[from] ScratchError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The steps of a side that a later attempt can use.
pub struct Steps<'a> {
    scratch: &'a Scratch,
    key: &'a IndexKey,
    side: Side,
}

impl Steps<'_> {
    /// The values of a step, from an earlier attempt if they are possible, or computed now.
    pub fn values<T: Pod>(
        &self,
        name: &str,
        are_possible: impl Fn(&[T]) -> bool,
        compute: impl FnOnce() -> Result<Vec<T>, CellsError>,
    ) -> Result<Vec<T>, CellsError> {
        let is_accepted = |part: &Container| part.array(VALUES).is_ok_and(|values| are_possible(&values));
        let part = self.scratch.part(&named(self.side, name), self.key, is_accepted, || {
            let (values, mut bytes) = (compute()?, Vec::new());
            let mut writer = ContainerWriter::new();
            writer.array(VALUES, &values);
            writer.write(self.key, &mut bytes).map_err(ContainerError::from)?;
            Ok::<_, CellsError>(bytes)
        })?;
        Ok(part.array(VALUES)?)
    }
}

struct BuiltSide {
    header: SideHeader,
    centroids: Vec<f32>,
    starts: Vec<u32>,
    order: Vec<u32>,
    panels: Vec<f32>,
    scatter: Vec<f32>,
}

impl BuiltSide {
    fn new(
        exact: &DenseIndex,
        side: Side,
        queries: &[CalibrationQuery],
        steps: &Steps<'_>,
        task: &Task<'_>,
    ) -> Result<BuiltSide, CellsError> {
        let width = exact.width();
        let vectors = exact.vectors(side)?;
        let count = exact.rows().len();
        let cells = cell_count(count);
        let mut centroids = clusters::centroids(&vectors, width, cells, steps, task)?;
        let packed = Packed::new(&centroids, width);
        let mut cell_of: Vec<u32> = Vec::with_capacity(count);
        for (number, vectors) in vectors.chunks(STEP * width.max(1)).enumerate() {
            task.step("sorting into cells", cell_of.len(), count);
            let count = vectors.len() / width.max(1);
            let are_possible =
                |found: &[u32]| found.len() == count && found.iter().all(|&cell| (cell as usize) < cells);
            let compute = || Ok(clusters::nearest(vectors, width, &packed, task)?);
            cell_of.extend(steps.values(&format!("cells-{number:04}"), are_possible, compute)?);
        }
        // The mean score of a cell is that of its centroid, which probabilities rely on.
        clusters::move_to_means(&mut centroids, &vectors, width, &cell_of);
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
        let scatter = steps.values(
            "scatter",
            |values| values.len() == width * width,
            || Ok(scatter(&vectors, width, &centroids, &cell_of)),
        )?;
        drop(vectors);
        let packed = Packed::new(&centroids, width);
        let are_possible =
            |values: &[f64]| matches!(values, [probes, _] if (1.0..=cells as f64).contains(probes));
        let visits = steps.values("recall", are_possible, || {
            let (probes, recall) = calibrated(exact, side, &packed, &cell_of, queries, task)?;
            Ok(vec![probes as f64, recall])
        })?;
        let header = SideHeader { cells, probes: visits[0] as usize, recall: visits[1] };
        Ok(BuiltSide { header, centroids, starts, order, panels, scatter })
    }
}

/// Four times the square root: a query compares itself with about as many centroids as candidates.
fn cell_count(count: usize) -> usize {
    (4 * count.isqrt()).clamp(1, count.max(1))
}

/// The mean over all vectors of the products of their coordinates' distances from the centroid, row by row: the variance
/// of any query's scores within the cells.
fn scatter(vectors: &[f32], width: usize, centroids: &[f32], cell_of: &[u32]) -> Vec<f32> {
    let width = width.max(1);
    let product = |(vectors, cell_of): (&[f32], &[u32])| {
        let count = cell_of.len();
        let mut transposed = vec![0.0; count * width];
        for (at, (vector, &cell)) in vectors.chunks_exact(width).zip(cell_of).enumerate() {
            let centroid = &centroids[cell as usize * width..][..width];
            for (row, (value, mean)) in vector.iter().zip(centroid).enumerate() {
                transposed[row * count + at] = value - mean;
            }
        }
        let mut products = vec![0.0; width * width];
        Packed::new(&transposed, count).multiply(&transposed, &mut products);
        products
    };
    let blocks: Vec<(&[f32], &[u32])> =
        vectors.chunks(SCATTER_BLOCK * width).zip(cell_of.chunks(SCATTER_BLOCK)).collect();
    let mut sums = vec![0.0f64; width * width];
    for blocks in blocks.chunks(SCATTER_BLOCKS) {
        let parts: Vec<Vec<f32>> = blocks.par_iter().copied().map(product).collect();
        // In the order of the vectors, so that the number of threads changes no bit.
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += f64::from(part));
        }
    }
    sums.into_iter().map(|sum| (sum / cell_of.len().max(1) as f64) as f32).collect()
}

/// The fewest visited cells that find [`TARGET`] of the best candidates of the queries, and the fraction that they find.
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
        best_first(&products, cells)
            .into_iter()
            .enumerate()
            .for_each(|(place, cell)| places[cell as usize] = place);
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
