//! The device and the engine of a training run, an evaluation or an explanation, decided where it runs.

use std::{fmt, str::FromStr};

use super::EngineKind;
use crate::{
    base::numbers::counted,
    model::{ComputeDevice, Engine, ModelError, Precision},
};

/// The device that a user asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// A GPU if this build supports one and it is there, otherwise the CPU.
    #[default]
    Auto,
    On(ComputeDevice),
}

/// An engine, and why it is this one.
#[derive(Default)]
pub struct OpenedEngine {
    pub engine: Engine,
    pub reason: String,
}

/// Why a device cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    #[error("{0}")]
    Unknown(String),
    #[error(
        "this matchbook was built without {0}; install matchbook-{0} beside it, or build with \
         cargo install --path . --features {0}, or use --device cpu"
    )]
    NotBuilt(&'static str),
    #[error("cannot compute on {device}: this machine has {}", counted(*.count as u64, "CUDA device"))]
    Missing { device: ComputeDevice, count: usize },
    #[error("--engine native runs on the CPU only; leave out --device {0}, or --engine")]
    NativeOn(ComputeDevice),
    #[error("the native engine computes in f32 or bf16; use --precision f32 or bf16, or --engine candle")]
    NativePrecision,
    #[error("pre-training is not supported on Metal; use --device cpu")]
    PretrainOnMetal,
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl fmt::Display for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => formatter.write_str("auto"),
            Self::On(device) => device.fmt(formatter),
        }
    }
}

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" | "" => Ok(Self::Auto),
            _ => text.parse().map(Self::On),
        }
    }
}

impl Device {
    /// The values that help texts and forms list.
    pub const CHOICES: [&'static str; 4] = ["auto", "cpu", "cuda", "metal"];
    pub const HELP: &'static str = "Device: auto, cpu, cuda, cuda:1, cuda:0,1 or metal";

    /// Reads a device that a file or a flag names.
    pub fn named(name: &str) -> Result<Device, DeviceError> {
        name.parse().map_err(DeviceError::Unknown)
    }

    /// Checks whether this build supports the device, without opening it.
    pub fn check(&self) -> Result<(), DeviceError> {
        match self {
            Self::On(device) if !device.is_built() => Err(DeviceError::NotBuilt(device.feature())),
            _ => Ok(()),
        }
    }

    /// Checks whether this machine has the GPUs, without opening them, as far as this build can tell.
    pub fn find(&self) -> Result<(), DeviceError> {
        let Self::On(device @ ComputeDevice::Cuda(numbers)) = self else { return Ok(()) };
        let count = if device.is_built() { ComputeDevice::available().len() } else { usize::MAX };
        match numbers.iter().all(|number| *number < count) {
            true => Ok(()),
            false => Err(DeviceError::Missing { device: device.clone(), count }),
        }
    }
}

/// Opens the engine of a run on a device.
pub fn open(device: &Device, engine: EngineKind, precision: Precision) -> Result<OpenedEngine, DeviceError> {
    device.check()?;
    match (device, engine) {
        (Device::On(device), EngineKind::Native) if !device.is_cpu() => {
            Err(DeviceError::NativeOn(device.clone()))
        }
        (Device::On(device), _) if !device.is_cpu() => {
            let reason = format!("--device {device}");
            Ok(OpenedEngine { engine: Engine::candle(device, precision)?, reason })
        }
        (Device::On(_), engine) => on_cpu(engine, precision, "--device cpu".to_owned()),
        (Device::Auto, EngineKind::Native) => on_cpu(engine, precision, "--engine native".to_owned()),
        (Device::Auto, _) => match first_gpu(precision) {
            Ok(opened) => Ok(opened),
            Err(reason) => on_cpu(engine, precision, reason),
        },
    }
}

/// The first GPU of this machine, or why there is none.
fn first_gpu(precision: Precision) -> Result<OpenedEngine, String> {
    if !cfg!(any(feature = "cuda", feature = "metal")) {
        return Err("this build supports no GPU".to_owned());
    }
    let available = ComputeDevice::available();
    let Some(device) = available.first() else {
        let first = ComputeDevice::Cuda(vec![0]);
        return Err(match first.is_built().then(|| first.open()) {
            Some(Err(ModelError::Device { reason, .. })) => format!("no GPU was found: {reason}"),
            _ => "no GPU was found".to_owned(),
        });
    };
    match Engine::candle(device, precision) {
        Ok(engine) => {
            let reason = match available.len() {
                1 => "this machine's GPU".to_owned(),
                count => format!("the first of {count} GPUs; see --device cuda:0,1"),
            };
            Ok(OpenedEngine { engine, reason })
        }
        Err(error) => Err(error.to_string()),
    }
}

fn on_cpu(engine: EngineKind, precision: Precision, mut reason: String) -> Result<OpenedEngine, DeviceError> {
    let engine = match engine {
        EngineKind::Candle => Engine::candle(&ComputeDevice::Cpu, precision)?,
        EngineKind::Auto | EngineKind::Native => match precision {
            Precision::Tf32 => return Err(DeviceError::NativePrecision),
            Precision::Auto | Precision::F32 | Precision::Bf16 => Engine::native(precision),
        },
    };
    if matches!(engine, Engine::Native(used) if precision == Precision::Bf16 && used != precision) {
        reason += "; this processor has no AVX512-BF16, so products are computed in f32";
    }
    Ok(OpenedEngine { engine, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_brings_its_engine_and_one_that_is_not_built_says_how() {
        let choose = |device: &str, engine| open(&device.parse().unwrap(), engine, Precision::Auto);
        let native = |device, engine| matches!(choose(device, engine).unwrap().engine, Engine::Native(_));
        assert!(native("cpu", EngineKind::Auto) && native("cpu", EngineKind::Native));
        assert!(!native("cpu", EngineKind::Candle) && native("auto", EngineKind::Native));
        if !ComputeDevice::Cuda(vec![0]).is_built() {
            let error = choose("cuda:0,1", EngineKind::Auto).err().unwrap().to_string();
            assert!(error.contains("--features cuda") && error.contains("matchbook-cuda"), "{error}");
            assert_eq!(choose("auto", EngineKind::Auto).unwrap().reason, "this build supports no GPU");
        }
        let cpu = Device::On(ComputeDevice::Cpu);
        assert!(open(&cpu, EngineKind::Native, Precision::Tf32).is_err());
        let bf16 = open(&cpu, EngineKind::Native, Precision::Bf16).unwrap();
        assert_eq!(bf16.engine.cpu_precision() == Precision::F32, bf16.reason.contains("AVX512-BF16"));
        assert!(open(&cpu, EngineKind::Candle, Precision::Bf16).is_ok());
        assert_eq!(Device::named("").unwrap(), Device::Auto);
        assert!(Device::named("gpu").unwrap_err().to_string().contains("cuda:0,1"));
        assert_eq!("cuda:1".parse::<Device>().unwrap().to_string(), "cuda:1");
    }
}
