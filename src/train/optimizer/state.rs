//! The state of an optimizer as a file: tensors in safetensors, and scalars in its header.
//!
//! Scalars of double precision are stored as their bits, so that a resumed run continues with exactly the same values.

use std::collections::HashMap;

use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};

use super::{
    Optimizer, OptimizerConfig, PerWeight,
    ledger::{Ledger, Stamp},
};
use crate::model::Weights;

/// Why a file is not the state of this optimizer.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("the optimizer's state is damaged: {0}")]
    Damaged(String),
    #[error("the optimizer's state belongs to {found}, but the run uses {expected}")]
    Method { expected: &'static str, found: String },
    #[error("the optimizer's state has {found} values in {name}, but the model needs {expected}")]
    Size { name: &'static str, expected: usize, found: usize },
}

/// The entry of the header.
const ENTRY: &str = "matchbook.optimizer";
const MOMENTS: [[&str; 2]; 2] = [["first.words", "first.dense"], ["second.words", "second.dense"]];
const AVERAGE: [&str; 2] = ["average.words", "average.dense"];
const STAMPS: &str = "rows";

#[derive(Serialize, Deserialize)]
struct Scalars {
    method: String,
    steps: u64,
    eta: u64,
    logarithm: u64,
    sum: u64,
    terms: u64,
    average: bool,
}

impl Optimizer {
    /// Returns the content of the file; equal states have equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, StateError> {
        let damaged = |error: &dyn std::fmt::Display| StateError::Damaged(error.to_string());
        let scalars = Scalars {
            method: self.config.name().to_owned(),
            steps: self.steps,
            eta: self.eta.to_bits(),
            logarithm: self.ledger.logarithm.to_bits(),
            sum: self.ledger.sum.to_bits(),
            terms: self.ledger.terms,
            average: self.average.is_some(),
        };
        let header = serde_json::to_string(&scalars).map_err(|error| damaged(&error))?;
        let mut tensors: Vec<(&str, Dtype, Vec<u8>)> = Vec::new();
        let stamps = self.ledger.rows.iter().flat_map(|stamp| {
            [stamp.logarithm.to_bits(), stamp.sum.to_bits(), stamp.terms].map(u64::to_le_bytes)
        });
        tensors.push((STAMPS, Dtype::U64, stamps.flatten().collect()));
        let moments = self.moments.iter().flatten().zip(MOMENTS);
        for (copy, names) in moments.chain(self.average.iter().map(|average| (average, AVERAGE))) {
            for (name, values) in names.into_iter().zip([&copy.words, &copy.dense]) {
                tensors.push((
                    name,
                    Dtype::F32,
                    values.iter().flat_map(|value| value.to_le_bytes()).collect(),
                ));
            }
        }
        let mut views = Vec::new();
        for (name, kind, bytes) in &tensors {
            let size = if *kind == Dtype::U64 { 8 } else { 4 };
            let view = TensorView::new(*kind, vec![bytes.len() / size], bytes);
            views.push((*name, view.map_err(|error| damaged(&error))?));
        }
        let header = HashMap::from([(ENTRY.to_owned(), header)]);
        safetensors::serialize(views, Some(header)).map_err(|error| damaged(&error))
    }

    /// Reads the state of an optimizer of these weights.
    pub fn from_bytes(
        config: OptimizerConfig,
        weights: &Weights,
        bytes: &[u8],
    ) -> Result<Optimizer, StateError> {
        let damaged = |error: &dyn std::fmt::Display| StateError::Damaged(error.to_string());
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| damaged(&error))?;
        let entry = header.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
        let entry = entry.ok_or_else(|| damaged(&format_args!("its header has no entry {ENTRY}")))?;
        let scalars: Scalars = serde_json::from_str(entry).map_err(|error| damaged(&error))?;
        if scalars.method != config.name() {
            return Err(StateError::Method { expected: config.name(), found: scalars.method });
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| damaged(&error))?;
        let copy = |[words, dense]: [&'static str; 2]| {
            Ok::<PerWeight, StateError>(PerWeight {
                words: floats(&tensors, words, weights.words.len())?,
                dense: floats(&tensors, dense, weights.dense.len())?,
            })
        };
        let moments = match config {
            OptimizerConfig::AdamW(_) => Some([copy(MOMENTS[0])?, copy(MOMENTS[1])?]),
            _ => None,
        };
        let vocabulary = weights.shape().vocabulary;
        let (fields, _) = take(&tensors, STAMPS, Dtype::U64, 3 * vocabulary)?.as_chunks::<8>();
        let fields: Vec<u64> = fields.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let (stamps, _) = fields.as_chunks::<3>();
        let stamp = |&[logarithm, sum, terms]: &[u64; 3]| Stamp {
            logarithm: f64::from_bits(logarithm),
            sum: f64::from_bits(sum),
            terms,
        };
        let ledger = Ledger {
            logarithm: f64::from_bits(scalars.logarithm),
            sum: f64::from_bits(scalars.sum),
            rows: stamps.iter().map(stamp).collect(),
            terms: scalars.terms,
        };
        let average = if scalars.average { Some(copy(AVERAGE)?) } else { None };
        Ok(Optimizer {
            config,
            steps: scalars.steps,
            eta: f64::from_bits(scalars.eta),
            ledger,
            moments,
            average,
            frozen: 0,
        })
    }
}

fn floats(tensors: &SafeTensors, name: &'static str, expected: usize) -> Result<Vec<f32>, StateError> {
    let (values, _) = take(tensors, name, Dtype::F32, expected)?.as_chunks::<4>();
    Ok(values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

fn take<'a>(
    tensors: &SafeTensors<'a>,
    name: &'static str,
    kind: Dtype,
    expected: usize,
) -> Result<&'a [u8], StateError> {
    let tensor = tensors.tensor(name).map_err(|error| StateError::Damaged(format!("{name}: {error}")))?;
    if tensor.dtype() != kind {
        return Err(StateError::Damaged(format!("{name} has another data type")));
    }
    let found = tensor.shape().iter().product();
    if found != expected {
        return Err(StateError::Size { name, expected, found });
    }
    Ok(tensor.data())
}
