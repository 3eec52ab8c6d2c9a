//! Weights as safetensors, the format of candle and of Python's libraries. The shape is stored in the header.

use std::{collections::HashMap, path::Path};

use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use super::{EncoderShape, Family, ModelError, Weights, layout::WORDS};
use crate::base::outside;

/// The header's entries that hold the shape of an NPT, a BERT and a bag of windows.
const SHAPES: [&str; 3] = ["matchbook.npt", "matchbook.bert", "matchbook.windows"];

impl Weights {
    /// The content of a weights file; the same weights always give the same bytes.
    pub fn to_safetensors(&self) -> Result<Vec<u8>, ModelError> {
        let unable = |error: String| ModelError::Write { path: "memory".into(), reason: error };
        let shape = serde_json::to_string(self.shape()).map_err(|error| unable(error.to_string()))?;
        let bytes: Vec<(&str, &[usize], Vec<u8>)> =
            self.tensors().iter().map(|(name, shape, values)| (*name, *shape, to_bytes(values))).collect();
        let mut views = Vec::new();
        for (name, shape, bytes) in &bytes {
            let view = TensorView::new(Dtype::F32, shape.to_vec(), bytes);
            views.push((*name, view.map_err(|error| unable(error.to_string()))?));
        }
        let entry = match self.shape().family {
            Family::Npt => SHAPES[0],
            Family::Bert(_) => SHAPES[1],
            Family::Windows => SHAPES[2],
        };
        let header = HashMap::from([(entry.to_owned(), shape)]);
        safetensors::serialize(views, Some(header)).map_err(|error| unable(error.to_string()))
    }

    /// Reads a weights file. `path` is for messages.
    pub fn from_safetensors(path: &Path, bytes: &[u8]) -> Result<Self, ModelError> {
        let unreadable = |reason: String| ModelError::Read { path: path.to_owned(), reason };
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| unreadable(error.to_string()))?;
        let entries = header.metadata().as_ref();
        let entry = SHAPES.into_iter().find_map(|name| Some((name, entries?.get(name)?)));
        let (name, shape) =
            entry.ok_or_else(|| unreadable(format!("its header has no entry {}", SHAPES.join(" or "))))?;
        let shape: EncoderShape =
            serde_json::from_str(shape).map_err(|error| unreadable(format!("its entry {name}: {error}")))?;
        shape.check()?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| unreadable(error.to_string()))?;
        // before allocating: a shape that does not fit the file could be huge
        let words = [shape.vocabulary, shape.width];
        let words = take(&tensors, WORDS, &words)?;
        let mut weights = Self::zeros(&shape)?;
        weights.words = words;
        for parameter in &weights.layout().parameters.clone() {
            let values = take(&tensors, &parameter.name, &parameter.shape)?;
            weights.dense[parameter.range.clone()].copy_from_slice(&values);
        }
        Ok(weights)
    }

    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let bytes = outside::read(path, outside::WEIGHTS)
            .map_err(|error| ModelError::Read { path: path.to_owned(), reason: error.to_string() })?;
        Self::from_safetensors(path, &bytes)
    }

    /// Every parameter with its name and shape, the word table first.
    pub fn tensors(&self) -> Vec<(&str, &[usize], &[f32])> {
        let dense = self.layout().parameters.iter();
        let dense = dense.map(|each| (each.name.as_str(), &each.shape[..], &self.dense[each.range.clone()]));
        std::iter::once((WORDS, &self.words_shape()[..], &self.words[..])).chain(dense).collect()
    }
}

fn to_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn take(tensors: &SafeTensors, name: &str, expected: &[usize]) -> Result<Vec<f32>, ModelError> {
    let tensor = tensors
        .tensor(name)
        .map_err(|_| ModelError::MissingTensor { name: name.to_owned(), expected: expected.to_vec() })?;
    if tensor.dtype() != Dtype::F32 {
        let found = format!("{:?}", tensor.dtype());
        return Err(ModelError::TensorType { name: name.to_owned(), found });
    }
    if tensor.shape() != expected {
        let (expected, found) = (expected.to_vec(), tensor.shape().to_vec());
        return Err(ModelError::TensorShape { name: name.to_owned(), expected, found });
    }
    let (words, _) = tensor.data().as_chunks::<4>();
    let values: Vec<f32> = words.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    match values.iter().copied().find(|value| !value.is_finite()) {
        Some(value) => Err(ModelError::NotFinite { name: name.to_owned(), value }),
        None => Ok(values),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::NptShape, *};

    fn read(bytes: &[u8]) -> Result<Weights, String> {
        Weights::from_safetensors(Path::new("w"), bytes).map_err(|error| error.to_string())
    }

    #[test]
    fn weights_come_back_as_they_were_and_damage_is_told() {
        let weights = Weights::new(&NptShape::tiny(30), 2).unwrap();
        let bytes = weights.to_safetensors().unwrap();
        assert_eq!(read(&bytes).unwrap(), weights);
        assert_eq!(bytes, weights.to_safetensors().unwrap());
        assert!(read(&bytes[..bytes.len() / 2]).unwrap_err().starts_with("cannot read weights from w: "));
        assert!(read(b"nothing").is_err());
    }

    #[test]
    fn weights_that_are_not_finite_are_refused_by_name() {
        for value in [f32::NAN, f32::INFINITY] {
            let mut weights = Weights::new(&NptShape::tiny(30), 2).unwrap();
            weights.dense[0] = value;
            let error = read(&weights.to_safetensors().unwrap()).unwrap_err();
            let first = &weights.layout().parameters[0].name;
            assert!(
                error.starts_with(&format!(
                    "the tensor {first} has values that are not finite, such as {value}"
                ))
            );
        }
    }

    #[test]
    fn a_tensor_of_another_shape_is_named_with_both_shapes() {
        let bytes = Weights::new(&NptShape::tiny(30), 2).unwrap().to_safetensors().unwrap();
        let text = |from: &str, to: &str| {
            let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
            let mut changed = bytes.clone();
            changed[at..at + from.len()].copy_from_slice(to.as_bytes());
            read(&changed).unwrap_err()
        };
        let error = text("\\\"feed_forward\\\":64", "\\\"feed_forward\\\":65");
        assert_eq!(error, "the tensor layers.0.feed.up.weight should have shape [65, 64], found [64, 64]");
        let error = text("layers.0.feed.up.bias", "layers.0.feed.xx.bias");
        assert_eq!(error, "the weights lack the tensor layers.0.feed.up.bias; expected one of shape [64]");
    }
}
