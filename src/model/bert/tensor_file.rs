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

use super::{floats::read_floats, pickle};
use crate::base::{outside, task::CancelToken};

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
    cancel: CancelToken,
}

impl TensorFile {
    /// Opens a file. Once the token is cancelled, no tensor can be read.
    pub fn open(path: &Path, cancel: &CancelToken) -> Result<TensorFile, String> {
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
        Ok(TensorFile { file: RefCell::new(file), header, start, size: expected, cancel: cancel.clone() })
    }

    pub fn shape(&self, name: &str) -> Option<Vec<usize>> {
        self.header.info(name).map(|info| info.shape.clone())
    }

    /// The values of a tensor, of any type of floats.
    pub fn read(&self, name: &str) -> Result<Vec<f32>, String> {
        let info = self.header.info(name).ok_or("it is missing")?;
        let (start, count) = self.place(info)?;
        let mut file = self.file.borrow_mut();
        file.seek(SeekFrom::Start(start)).map_err(|error| error.to_string())?;
        let input = &mut outside::Stoppable::new(&mut *file, &self.cancel);
        let values = match info.dtype {
            Dtype::F32 => read_floats::<4>(input, count, f32::from_le_bytes),
            Dtype::F64 => read_floats::<8>(input, count, |value| f64::from_le_bytes(value) as f32),
            Dtype::F16 => read_floats::<2>(input, count, pickle::half),
            Dtype::BF16 => read_floats::<2>(input, count, pickle::brain_half),
            other => return Err(format!("it holds {other:?}, not floats")),
        };
        values.map_err(|error| error.to_string())
    }

    /// Where a tensor begins in the file, and how many values it has.
    fn place(&self, info: &TensorInfo) -> Result<(u64, usize), String> {
        let (start, end) = info.data_offsets;
        let values = info.shape.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
        let expected =
            values.and_then(|values| values.checked_mul(info.dtype.bitsize())).map(|bits| bits / 8);
        if start > end || end as u64 > self.size || expected != Some(end - start) {
            return Err(format!("its shape {:?} does not match its bytes {start} to {end}", info.shape));
        }
        Ok((self.start + start as u64, values.unwrap_or_default()))
    }
}
