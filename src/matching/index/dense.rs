//! A dense index: the vectors of an encoder, packed for the matrix product.
//!
//! Proofs are stored as the encoder made them, for the bilinear score; statements are stored at unit length, for the cosine
//! with another statement. Columns are packed in pieces, which the cores multiply at the same time.

use std::{io, sync::OnceLock};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    Blob, Container, ContainerError, ContainerWriter, IndexKey, Side, candidates::temperature, sparse::ROWS,
};
use crate::matching::scores::{Bilinear, BilinearScores, Packed, ScoreSource};

/// Columns per piece, a multiple of the panels' width: 3 MB of vectors of 384 numbers.
const PIECE: usize = 2_064;
/// No encoder has longer vectors, and products with this do not overflow.
pub(super) const WIDEST: usize = 1 << 20;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct DenseHeader {
    key: IndexKey,
    width: usize,
    temperature: f64,
}

/// The vectors of both sides, concatenated.
#[derive(Clone, Debug, Default)]
pub struct DenseVectors {
    pub width: usize,
    pub rows: Vec<u32>,
    pub proofs: Vec<f32>,
    pub statements: Vec<f32>,
}

/// A dense index, open for queries from several threads.
#[derive(Debug)]
pub struct DenseIndex {
    container: Container,
    header: DenseHeader,
    rows: Vec<u32>,
    /// The pieces of each side, read when first needed.
    pieces: [OnceLock<Vec<Packed>>; 2],
}

/// Writes an index of vectors. The statements of some columns, with their proofs, calibrate probabilities.
pub fn write_dense(
    vectors: &DenseVectors,
    bilinear: &Bilinear,
    key: IndexKey,
    calibration: &[u32],
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let width = vectors.width;
    let temperature = temperature(&calibration_scores(vectors, bilinear, calibration)?);
    let unit: Vec<f32> = vectors
        .statements
        .chunks(width.max(1))
        .flat_map(|vector| {
            let length = norm(vector);
            vector.iter().map(move |value| if length > 0.0 { value / length } else { 0.0 })
        })
        .collect();
    let panels = [&vectors.proofs, &unit].map(|side| {
        let pieces = side.chunks((PIECE * width).max(1));
        pieces.flat_map(|piece| Packed::new(piece, width).into_panels()).collect::<Vec<f32>>()
    });
    let mut writer = ContainerWriter::new();
    writer.array(ROWS, &vectors.rows);
    for (side, panels) in Side::ALL.iter().zip(&panels) {
        writer.array(side.name(), panels);
    }
    writer.write(DenseHeader { key, width, temperature }, out)
}

/// The scores of some statements with all proofs, each with the column of its own proof.
fn calibration_scores(
    vectors: &DenseVectors,
    bilinear: &Bilinear,
    columns: &[u32],
) -> io::Result<Vec<(Vec<f32>, usize)>> {
    let width = vectors.width;
    let statements: Vec<f32> = columns
        .iter()
        .flat_map(|&column| &vectors.statements[column as usize * width..][..width])
        .copied()
        .collect();
    let source = BilinearScores::new(&statements, vectors.proofs.clone(), width, bilinear)
        .map_err(io::Error::other)?;
    let scores = |(row, &column): (usize, &u32)| {
        let mut scores = vec![0.0; source.columns()];
        source.fill(row, &mut scores);
        (scores, column as usize)
    };
    Ok(columns.iter().enumerate().map(scores).collect())
}

/// The Euclidean norm.
pub(super) fn norm(vector: &[f32]) -> f32 {
    vector.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>().sqrt() as f32
}

impl DenseIndex {
    pub fn open(blob: Blob) -> Result<DenseIndex, ContainerError> {
        let (container, header) = Container::open::<DenseHeader>(blob)?;
        if header.width > WIDEST {
            return Err(ContainerError::Damaged("its vectors are too long"));
        }
        let rows: Vec<u32> = container.array(ROWS)?;
        let panels: usize =
            piece_lengths(rows.len()).map(|columns| Packed::panel_values(columns, header.width)).sum();
        if Side::ALL.iter().any(|side| container.len::<f32>(side.name()) != panels as u64) {
            return Err(ContainerError::Damaged("its vectors do not match its pairs"));
        }
        Ok(DenseIndex { container, header, rows, pieces: Default::default() })
    }

    pub fn key(&self) -> &IndexKey {
        &self.header.key
    }

    pub fn temperature(&self) -> f64 {
        self.header.temperature
    }

    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The dimension of the vectors.
    pub fn width(&self) -> usize {
        self.header.width
    }

    /// The vectors of a side, concatenated: proofs as the encoder made them, statements at unit length.
    pub fn vectors(&self, side: Side) -> Result<Vec<f32>, ContainerError> {
        Ok(self.load(side)?.iter().flat_map(Packed::vectors).collect())
    }

    /// Reads the vectors of a side, if they are not in memory yet.
    pub fn load(&self, side: Side) -> Result<&[Packed], ContainerError> {
        let cell = &self.pieces[side as usize];
        if let Some(pieces) = cell.get() {
            return Ok(pieces);
        }
        let width = self.header.width;
        let mut first = 0;
        let ranges: Vec<(u64, usize)> = piece_lengths(self.rows.len())
            .map(|columns| {
                let start = first;
                first += Packed::panel_values(columns, width) as u64;
                (start, columns)
            })
            .collect();
        let read = |&(start, columns): &(u64, usize)| {
            let mut panels = Vec::new();
            let count = Packed::panel_values(columns, width) as u64;
            self.container.read(side.name(), start, count, &mut panels)?;
            Ok(Packed::from_panels(columns, width, panels))
        };
        let pieces = ranges.par_iter().map(read).collect::<Result<Vec<Packed>, ContainerError>>()?;
        Ok(cell.get_or_init(|| pieces))
    }

    /// Fills `out` with the products of a vector with all vectors of a side, plus `bias`.
    pub fn scores(
        &self,
        vector: &[f32],
        bias: f32,
        side: Side,
        out: &mut Vec<f32>,
    ) -> Result<(), ContainerError> {
        if vector.len() != self.header.width {
            return Err(ContainerError::Damaged("the dimension of its vectors does not match the model"));
        }
        let pieces = self.load(side)?;
        out.clear();
        out.resize(self.rows.len(), 0.0);
        out.par_chunks_mut(PIECE).zip(pieces).for_each(|(scores, piece)| {
            piece.multiply(vector, scores);
            scores.iter_mut().for_each(|score| *score += bias);
        });
        Ok(())
    }
}

fn piece_lengths(columns: usize) -> impl Iterator<Item = usize> {
    (0..columns).step_by(PIECE).map(move |start| PIECE.min(columns - start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u64) -> Vec<f32> {
        let mut rng = crate::base::rng::Rng::new(seed);
        (0..count).map(|_| (rng.next_u64() >> 40) as f32 / (1u64 << 24) as f32 - 0.5).collect()
    }

    #[test]
    fn scores_have_the_bits_of_an_evaluation() {
        let (width, count) = (7, PIECE + 50);
        let vectors = DenseVectors {
            width,
            rows: (0..count as u32).collect(),
            proofs: numbers(count * width, 1),
            statements: numbers(count * width, 2),
        };
        let key = IndexKey { corpus: "c".into(), method: "m".into(), candidates: "all".into() };
        let bilinear = Bilinear { weight: numbers(width * width, 3), bias: 0.25 };
        let mut bytes = Vec::new();
        write_dense(&vectors, &bilinear, key.clone(), &[1, 2, 3], &mut bytes).unwrap();
        let index = DenseIndex::open(Blob::Memory(bytes.clone())).unwrap();
        assert_eq!(index.key(), &key);
        let source =
            BilinearScores::new(&vectors.statements, vectors.proofs.clone(), width, &bilinear).unwrap();
        let mut found = Vec::new();
        for row in [0, 5, count - 1] {
            let left = bilinear.project(&vectors.statements[row * width..(row + 1) * width]);
            index.scores(&left, bilinear.bias, Side::Proof, &mut found).unwrap();
            let mut expected = vec![0.0; count];
            source.fill(row, &mut expected);
            assert!(found == expected);
            let statement = &vectors.statements[row * width..(row + 1) * width];
            index.scores(statement, 0.0, Side::Statement, &mut found).unwrap();
            assert!((found[row] - norm(statement)).abs() < 1e-5);
        }
        bytes.truncate(bytes.len() - 64);
        assert!(DenseIndex::open(Blob::Memory(bytes)).is_err());
    }
}
