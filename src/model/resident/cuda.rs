//! The kernels on CUDA. NVRTC compiles them when a device is opened, for the architecture that it finds, so that a build
//! needs no kernels of its own and runs on every GPU that its version of CUDA supports.
#![expect(unsafe_code, reason = "what a kernel does to memory is outside of what the compiler can check")]

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use candle_core::{
    CudaDevice, DType, Device, Error, Result, Shape, Storage, Tensor,
    cuda_backend::{
        CudaStorageSlice, DeviceId, WrapErr,
        cudarc::{
            driver::{CudaFunction, CudaModule, DevicePtr, LaunchConfig, PushKernelArg},
            nvrtc::{CompileOptions, compile_ptx_with_opts},
        },
    },
};

use super::backend::{Argument, Grid};

const SOURCE: &str = include_str!("kernels.cu");

/// Threads of a block; `THREADS` of the kernels.
const THREADS: usize = 128;

/// The compiled kernels of one device and one type of rows.
pub struct Kernels {
    device: CudaDevice,
    module: Arc<CudaModule>,
    functions: Mutex<HashMap<&'static str, CudaFunction>>,
}

impl Kernels {
    /// The kernels of a device for a type of rows, compiled by the first caller.
    pub fn of(device: &CudaDevice, kind: DType) -> Result<Arc<Self>> {
        static COMPILED: Mutex<Vec<(DeviceId, DType, Arc<Kernels>)>> = Mutex::new(Vec::new());
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        let id = device.id();
        if let Some((_, _, kernels)) = compiled.iter().find(|known| (known.0, known.1) == (id, kind)) {
            return Ok(kernels.clone());
        }
        let kernels = Arc::new(Self::compile(device, kind)?);
        compiled.push((id, kind, kernels.clone()));
        Ok(kernels)
    }

    /// Takes about a second.
    fn compile(device: &CudaDevice, kind: DType) -> Result<Self> {
        let stream = device.cuda_stream();
        let (major, minor) = stream.context().compute_capability().w()?;
        let mut options = vec![format!("--gpu-architecture=compute_{major}{minor}")];
        if kind == DType::BF16 {
            options.push("-DBF16".to_owned());
        }
        let options = CompileOptions { options, ..CompileOptions::default() };
        let ptx = compile_ptx_with_opts(SOURCE, options)
            .map_err(|error| Error::Msg(format!("NVRTC cannot compile the kernels: {error}")))?;
        let module = stream.context().load_module(ptx).w()?;
        // One stream uses the memory, in order: the events that would protect several streams cost time in every launch.
        // SAFETY: a model is complete before another thread sees it, everything else is used by the thread that made it, and
        // a copy to another device is waited for.
        unsafe { device.disable_event_tracking() };
        Ok(Self { device: device.clone(), module, functions: Mutex::default() })
    }

    pub fn launch(&self, kernel: &'static str, grid: Grid, arguments: &[Argument]) -> Result<()> {
        let function = self.function(kernel)?;
        let values = arguments.iter().map(|argument| self.value(argument)).collect::<Result<Vec<Value>>>()?;
        let stream = self.device.cuda_stream();
        let mut builder = stream.launch_builder(&function);
        for value in &values {
            match value {
                Value::Long(value) => builder.arg(value),
                Value::Integer(value) => builder.arg(value),
                Value::Float(value) => builder.arg(value),
            };
        }
        let blocks = match grid {
            Grid::Elements(count) => count.div_ceil(THREADS),
            Grid::Rows(count) => count,
        };
        let config = LaunchConfig {
            grid_dim: (u32::try_from(blocks.clamp(1, 1 << 30)).map_err(Error::wrap)?, 1, 1),
            block_dim: (THREADS as u32, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the callers in `ops` pass what the kernel of that name declares, and tensors of the sizes that it
        // derives from its other arguments.
        unsafe { builder.launch(config) }.w()?;
        Ok(())
    }

    fn function(&self, kernel: &'static str) -> Result<CudaFunction> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(kernel) {
            return Ok(function.clone());
        }
        let function = self.module.load_function(kernel).w()?;
        functions.insert(kernel, function.clone());
        Ok(function)
    }

    fn value(&self, argument: &Argument) -> Result<Value> {
        Ok(match argument {
            Argument::Null => Value::Long(0),
            Argument::Long(value) => Value::Long(*value),
            Argument::Integer(value) => Value::Integer(u32::try_from(*value).map_err(Error::wrap)?),
            Argument::Float(value) => Value::Float(*value),
            Argument::Tensor(tensor) => Value::Long(self.address(tensor)?),
        })
    }

    fn address(&self, tensor: &Tensor) -> Result<u64> {
        let (storage, layout) = tensor.storage_and_layout();
        let Storage::Cuda(storage) = &*storage else { candle_core::bail!("a tensor is not on the GPU") };
        if !layout.is_contiguous() {
            candle_core::bail!("a tensor of shape {:?} is not contiguous", layout.dims());
        }
        let stream = self.device.cuda_stream();
        let start = match &storage.slice {
            CudaStorageSlice::F32(slice) => slice.device_ptr(&stream).0,
            CudaStorageSlice::BF16(slice) => slice.device_ptr(&stream).0,
            CudaStorageSlice::U32(slice) => slice.device_ptr(&stream).0,
            CudaStorageSlice::I64(slice) => slice.device_ptr(&stream).0,
            _ => candle_core::bail!("no kernel reads {:?}", tensor.dtype()),
        };
        Ok(start + (layout.start_offset() * tensor.dtype().size_in_bytes()) as u64)
    }
}

/// An argument as a kernel receives it.
enum Value {
    Long(u64),
    Integer(u32),
    Float(f32),
}

pub fn fresh(shape: Shape, kind: DType, device: &Device) -> Result<Tensor> {
    // SAFETY: the kernel that the tensor is made for writes every element before anything reads it.
    unsafe { Tensor::empty(shape, kind, device) }
}
