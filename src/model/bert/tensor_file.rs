//! `model.safetensors`, read tensor by tensor.
//!
//! The header says which tensors there are and where; it is checked against the size of the file before anything else is
//! read, and only the tensors that a model needs are. So the file of another model costs its header, whatever its size.

use std::{
    cell::RefCell,
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use safetensors::{
    Dtype,
    tensor::{Metadata, TensorInfo},
};

use super::pickle;
use crate::base::outside;

/// The header of BERT-large has 50 KB.
const LARGEST_HEADER: u64 = 16 << 20;
/// The number that precedes the header: its length.
const LENGTH: u64 = 8;

pub struct TensorFile {
    file: RefCell<File>,
    header: Metadata,
    /// Where the tensors begin.
    start: u64,
    /// Their size together.
    size: u64,
}

impl TensorFile {
    pub fn open(path: &Path) -> Result<TensorFile, String> {
        let (mut file, size) =
            outside::open_sized(path, outside::WEIGHTS).map_err(|error| error.to_string())?;
        let mut length = [0; LENGTH as usize];
        file.read_exact(&mut length).map_err(|_| "it is too short for safetensors".to_owned())?;
        let length = u64::from_le_bytes(length);
        if length > LARGEST_HEADER || length + LENGTH > size {
            return Err(format!(
                "its header should have {length} bytes, so it is not a safetensors file, or it is truncated"
            ));
        }
        let mut header = vec![0; length as usize];
        file.read_exact(&mut header).map_err(|error| error.to_string())?;
        let header: Metadata =
            serde_json::from_slice(&header).map_err(|error| format!("its header: {error}"))?;
        let start = LENGTH + length;
        let expected = header.tensors().values().map(|info| info.data_offsets.1 as u64).max().unwrap_or(0);
        if expected.checked_add(start) != Some(size) {
            let found = size - start;
            return Err(format!("its tensors should have {expected} bytes, found {found}: it is truncated"));
        }
        Ok(TensorFile { file: RefCell::new(file), header, start, size: expected })
    }

    pub fn shape(&self, name: &str) -> Option<Vec<usize>> {
        self.header.info(name).map(|info| info.shape.clone())
    }

    /// The values of a tensor, of any type of floats.
    pub fn read(&self, name: &str) -> Result<Vec<f32>, String> {
        let info = self.header.info(name).ok_or("it is missing")?;
        let bytes = self.bytes(info)?;
        Ok(match info.dtype {
            Dtype::F32 => widen::<4>(&bytes, f32::from_le_bytes),
            Dtype::F64 => widen::<8>(&bytes, |value| f64::from_le_bytes(value) as f32),
            Dtype::F16 => widen::<2>(&bytes, pickle::half),
            Dtype::BF16 => widen::<2>(&bytes, pickle::brain_half),
            other => return Err(format!("it holds {other:?}, not floats")),
        })
    }

    fn bytes(&self, info: &TensorInfo) -> Result<Vec<u8>, String> {
        let (start, end) = info.data_offsets;
        let values = info.shape.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
        let expected =
            values.and_then(|values| values.checked_mul(info.dtype.bitsize())).map(|bits| bits / 8);
        if start > end || end as u64 > self.size || expected != Some(end - start) {
            return Err(format!("its shape {:?} does not match its bytes {start} to {end}", info.shape));
        }
        let mut file = self.file.borrow_mut();
        let mut bytes = vec![0; end - start];
        file.seek(SeekFrom::Start(self.start + start as u64))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}

fn widen<const N: usize>(bytes: &[u8], from: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks::<N>().0.iter().map(|value| from(*value)).collect()
}
