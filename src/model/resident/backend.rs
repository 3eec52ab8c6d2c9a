//! A device and the kernels of `kernels.cu` on it. On a CPU the operations in [`super::ops`] are loops instead.

use candle_core::{DType, Device, Result, Shape, Tensor};

/// Where operations run, and the type of rows.
pub struct Backend {
    pub device: Device,
    /// The type of rows and their gradients; weights, sums and losses are always f32.
    pub kind: DType,
    #[cfg(feature = "cuda")]
    kernels: Option<super::cuda::Kernels>,
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
    pub fn new(device: Device, kind: DType) -> Result<Self> {
        let kernels = match &device {
            Device::Cuda(cuda) => Some(super::cuda::Kernels::compile(cuda, kind)?),
            _ => None,
        };
        Ok(Self { device, kind, kernels })
    }

    #[cfg(not(feature = "cuda"))]
    pub fn new(device: Device, kind: DType) -> Result<Self> {
        Ok(Self { device, kind })
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

/// All values of a tensor.
pub fn values(tensor: &Tensor) -> Result<Vec<f32>> {
    tensor.flatten_all()?.to_dtype(DType::F32)?.to_vec1()
}

/// A tensor on another device. Streams of different devices do not wait for each other, so both are waited for: the first
/// until the tensor is complete, the second until it is copied and its memory may be used again.
pub fn transfer(tensor: &Tensor, device: &Device) -> Result<Tensor> {
    if tensor.device().same_device(device) {
        return Ok(tensor.clone());
    }
    tensor.device().synchronize()?;
    let copy = tensor.to_device(device)?;
    device.synchronize()?;
    Ok(copy)
}
