//! K-means: centroids of vectors, and the nearest centroid of each.

use rayon::prelude::*;

use super::build::{CellsError, Steps};
use crate::{
    base::{
        rng::Rng,
        task::{Cancelled, Task},
    },
    matching::scores::Packed,
};

/// Rounds of k-means; the recall hardly changes after them.
const ROUNDS: usize = 8;
/// Vectors per cell that k-means looks at.
const SAMPLE: usize = 64;
/// Vectors that are compared with the centroids at a time.
const BLOCK: usize = 64;

/// Lloyd's algorithm on a sample; each round is a step.
pub fn centroids(
    vectors: &[f32],
    width: usize,
    cells: usize,
    steps: &Steps<'_>,
    task: &Task<'_>,
) -> Result<Vec<f32>, CellsError> {
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
        let are_possible = |moved: &[f32]| moved.len() == centroids.len();
        centroids = steps.values(&format!("centroids-{round}"), are_possible, || {
            let cell_of = nearest(&sample, width, &Packed::new(&centroids, width), task)?;
            let mut moved = centroids.clone();
            let mut sizes = move_to_means(&mut moved, &sample, width, &cell_of);
            split_largest(&mut moved, &mut sizes, width);
            Ok(moved)
        })?;
    }
    Ok(centroids)
}

/// Moves each centroid to the mean of the vectors of its cell. Returns the sizes of the cells; the centroid of an empty
/// one stays where it is.
pub fn move_to_means(centroids: &mut [f32], vectors: &[f32], width: usize, cell_of: &[u32]) -> Vec<usize> {
    let cells = centroids.len() / width.max(1);
    let (mut sums, mut sizes) = (vec![0.0f64; cells * width], vec![0usize; cells]);
    for (vector, &cell) in vectors.chunks_exact(width.max(1)).zip(cell_of) {
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
    sizes
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
pub fn nearest(
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
