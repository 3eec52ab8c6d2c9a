//! A device and the kernels of `kernels.cu` on it. On a CPU the operations in [`super::ops`] are loops instead.

use std::sync::{Mutex, MutexGuard, PoisonError};

use candle_core::{DType, Device, Result, Shape, Tensor};

use super::super::Precision;

/// Where operations run, and the type of rows.
pub struct Backend {
    pub device: Device,
    /// The type of rows and their gradients; weights, sums and losses are always f32.
    pub kind: DType,
    precision: Precision,
    #[cfg(feature = "cuda")]
    kernels: Option<std::sync::Arc<super::cuda::Kernels>>,
}

/// An argument of a kernel.
#[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "only CUDA reads them"))]
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    /// The address of a contiguous tensor, which the kernel may write.
    Tensor(&'a Tensor),
    /// No address.
    Null,
    /// `u32`
    Integer(usize),
    /// `u64`
    Long(u64),
    Float(f32),
}

impl<'a> From<&'a Tensor> for Argument<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Self::Tensor(tensor)
    }
}

impl<'a> From<Option<&'a Tensor>> for Argument<'a> {
    fn from(tensor: Option<&'a Tensor>) -> Self {
        tensor.map_or(Self::Null, Self::Tensor)
    }
}

impl From<usize> for Argument<'_> {
    fn from(value: usize) -> Self {
        Self::Integer(value)
    }
}

impl From<u64> for Argument<'_> {
    fn from(value: u64) -> Self {
        Self::Long(value)
    }
}

impl From<f32> for Argument<'_> {
    fn from(value: f32) -> Self {
        Self::Float(value)
    }
}

/// How the work of a kernel is divided.
#[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "only CUDA reads it"))]
#[derive(Clone, Copy)]
pub enum Grid {
    /// A thread for each element.
    Elements(usize),
    /// A block for each row.
    Rows(usize),
}

impl Backend {
    #[cfg(feature = "cuda")]
    pub fn new(device: Device, precision: Precision) -> Result<Self> {
        let kind = row_kind(precision);
        let kernels = match &device {
            Device::Cuda(cuda) => Some(super::cuda::Kernels::of(cuda, kind)?),
            _ => None,
        };
        Ok(Self { device, kind, precision, kernels })
    }

    #[cfg(not(feature = "cuda"))]
    pub fn new(device: Device, precision: Precision) -> Result<Self> {
        Ok(Self { device, kind: row_kind(precision), precision })
    }

    /// Waits until no other thread computes on a GPU, and sets the precision of products. All threads share a GPU's cuBLAS, and
    /// candle's precision applies to the whole process. A CPU need not wait.
    pub fn take_turn(&self) -> Option<MutexGuard<'static, ()>> {
        static TURN: Mutex<()> = Mutex::new(());
        if self.is_cpu() {
            return None;
        }
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        self.precision.apply();
        Some(turn)
    }

    pub fn is_cpu(&self) -> bool {
        self.device.is_cpu()
    }

    /// Launches a kernel.
    #[cfg(feature = "cuda")]
    pub fn launch(&self, kernel: &'static str, grid: Grid, arguments: &[Argument]) -> Result<()> {
        match &self.kernels {
            Some(kernels) => kernels.launch(kernel, grid, arguments),
            None => candle_core::bail!("{kernel} has no implementation for this device"),
        }
    }

    #[cfg(not(feature = "cuda"))]
    pub fn launch(&self, kernel: &'static str, _grid: Grid, _arguments: &[Argument]) -> Result<()> {
        candle_core::bail!("{kernel} has no implementation for this device")
    }

    /// A tensor that a kernel will fill.
    pub fn fresh(&self, shape: impl Into<Shape>, kind: DType) -> Result<Tensor> {
        #[cfg(feature = "cuda")]
        return super::cuda::fresh(shape.into(), kind, &self.device);
        #[cfg(not(feature = "cuda"))]
        Tensor::zeros(shape, kind, &self.device)
    }

    /// Values of the host on the device.
    pub fn upload(&self, values: &[f32], shape: impl Into<Shape>) -> Result<Tensor> {
        Tensor::from_slice(values, shape, &self.device)
    }

    /// Rows computed on a CPU.
    pub fn rows(&self, values: Vec<f32>, shape: impl Into<Shape>) -> Result<Tensor> {
        Tensor::from_vec(values, shape, &self.device)?.to_dtype(self.kind)
    }

    /// `left right`, where either may be a transposed view.
    pub fn product(&self, left: &Tensor, right: &Tensor) -> Result<Tensor> {
        if self.is_cpu() && self.kind != DType::F32 {
            let product = left.to_dtype(DType::F32)?.matmul(&right.to_dtype(DType::F32)?)?;
            return product.to_dtype(self.kind);
        }
        left.matmul(right)
    }
}

fn row_kind(precision: Precision) -> DType {
    match precision {
        Precision::Auto | Precision::F32 | Precision::Tf32 => DType::F32,
        Precision::Bf16 => DType::BF16,
    }
}

/// All values of a tensor.
pub fn values(tensor: &Tensor) -> Result<Vec<f32>> {
    tensor.flatten_all()?.to_dtype(DType::F32)?.to_vec1()
}

/// Tensors on another device. The copies wait for what computes the tensors; they are waited for, because memory that is freed
/// here may be used again there.
pub fn transfer(tensors: &[Tensor], device: &Device) -> Result<Vec<Tensor>> {
    let is_there = |tensor: &Tensor| tensor.device().same_device(device);
    let copies = tensors.iter().map(|tensor| tensor.to_device(device)).collect::<Result<_>>()?;
    if !tensors.iter().all(is_there) {
        device.synchronize()?;
    }
    Ok(copies)
}
