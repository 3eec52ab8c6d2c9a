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

mod build;
mod clusters;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use build::{CalibrationQuery, CellsError, write_cells};

use super::{Blob, Container, ContainerError, IndexKey, Selection, Side, dense::WIDEST, sparse::ROWS};
use crate::matching::scores::Packed;

/// Incremented when the same vectors would be sorted into different cells.
pub const VERSION: u32 = 2;
/// The fraction of the [`BEST`] candidates that a search should find.
pub const TARGET: f64 = 0.95;
/// The number of best candidates that recall is measured with.
pub const BEST: usize = 10;
/// This many vectors are scored in a few milliseconds, and a filter may select too few of them for estimates.
const SMALL: usize = 1 << 14;

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
    /// The covariance of the coordinates within cells, row by row.
    scatter: Packed,
}

/// What a search visited.
#[derive(Clone, Debug, Default)]
pub struct Visited {
    /// Columns of the dense index with their scores.
    pub columns: Vec<u32>,
    pub scores: Vec<f32>,
    /// The cells that were not visited: the number of candidates in each, and the mean score of its vectors.
    pub rest: Vec<(u32, f32)>,
    /// The variance of the scores within those cells.
    pub variance: f64,
}

const CENTROIDS: &str = "centroids";
const STARTS: &str = "starts";
const ORDER: &str = "order";
const PANELS: &str = "panels";
const SCATTER: &str = "scatter";

fn named(side: Side, array: &str) -> String {
    format!("{side}.{array}")
}

/// Orders positions by their values, the greatest first.
fn by_value(values: &[f32]) -> impl Fn(&u32, &u32) -> Ordering {
    move |one, other| values[*other as usize].total_cmp(&values[*one as usize]).then(one.cmp(other))
}

/// Positions, of which the first `count` are those of the greatest values in order.
fn best_first(values: &[f32], count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    if (1..order.len()).contains(&count) {
        order.select_nth_unstable_by(count - 1, by_value(values));
    }
    order[..count.min(values.len())].sort_by(by_value(values));
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

    /// The fraction of the ten best candidates that statements of the dev part found when the index was built.
    pub fn recall(&self, side: Side) -> f64 {
        self.header.sides[side as usize].recall
    }

    /// Scores the candidates in the cells that score highest with a vector. Cells are visited until as many candidates are
    /// scored as an average search visits, so that filters do not lessen the recall; in a small index a filtered search
    /// visits all. A column may be left out besides.
    pub fn search(
        &self,
        vector: &[f32],
        bias: f32,
        side: Side,
        selection: &Selection,
        without: Option<u32>,
    ) -> Result<Visited, ContainerError> {
        let width = self.header.width;
        if vector.len() != width {
            return Err(ContainerError::Damaged("the dimension of its vectors does not match the model"));
        }
        let (cells, header) = (&self.sides[side as usize], self.header.sides[side as usize]);
        let mut products = vec![0.0; header.cells];
        cells.centroids.multiply(vector, &mut products);
        let mut order = best_first(&products, header.probes);
        let enough = match selection {
            Selection::Some(_) if self.columns <= SMALL => self.columns,
            _ => (self.columns * header.probes).div_ceil(header.cells.max(1)),
        };
        let mut visited = Visited::default();
        let (mut next, mut squares) = (0, 0.0);
        while next < order.len() && (next < header.probes || visited.columns.len() < enough) {
            if next == header.probes {
                order[next..].sort_by(by_value(&products));
            }
            let probes = &order[next..(next + header.probes.max(1)).min(order.len())];
            next += probes.len();
            let found = probes
                .par_iter()
                .map(|&cell| self.visit(vector, bias, side, cell as usize))
                .collect::<Result<Vec<_>, ContainerError>>()?;
            for (&cell, (members, scores)) in probes.iter().zip(found) {
                let mean = products[cell as usize] + bias;
                for (&column, score) in members.iter().zip(scores) {
                    squares += f64::from(score - mean).powi(2);
                    if selection.contains(column as usize) && without != Some(column) {
                        visited.columns.push(column);
                        visited.scores.push(score);
                    }
                }
            }
        }
        let rest = &order[next..];
        let unvisited: usize = rest.iter().map(|&cell| cells.members(cell as usize).len()).sum();
        let squares = cells.variance(vector) * self.columns as f64 - squares;
        visited.variance = squares.max(0.0) / unvisited.max(1) as f64;
        let counted = |&cell: &u32| {
            let members = cells.members(cell as usize);
            let candidates = match selection {
                Selection::All => members.len(),
                Selection::Some(_) => {
                    members.iter().filter(|&&column| selection.contains(column as usize)).count()
                }
            };
            (candidates as u32, products[cell as usize] + bias)
        };
        visited.rest = match selection {
            Selection::All => rest.iter().map(counted).collect(),
            Selection::Some(_) => rest.par_iter().map(counted).collect(),
        };
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
        let scatter: Vec<f32> = container.array(&named(side, SCATTER))?;
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
            && scatter.len() == width * width
            && container.len::<f32>(&named(side, PANELS)) == first;
        if !is_whole {
            return Err(ContainerError::Damaged("its cells do not match"));
        }
        let (centroids, scatter) = (Packed::new(&centroids, width), Packed::new(&scatter, width));
        Ok(Cells { centroids, starts, order, panels, scatter })
    }

    fn members(&self, cell: usize) -> &[u32] {
        &self.order[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// The variance of a query's scores within the cells.
    fn variance(&self, vector: &[f32]) -> f64 {
        let mut projected = vec![0.0; vector.len()];
        self.scatter.multiply(vector, &mut projected);
        projected.iter().zip(vector).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
    }
}
