//! The device and the engine of a training.

use super::EngineKind;
use crate::model::{ComputeDevice, Engine, ModelError};

/// The device that computes.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
    strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub enum Device {
    /// The best device available.
    #[default]
    Auto,
    Cpu,
    Cuda,
    Metal,
}

/// A device cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    #[error(
        "this matchbook was built without {0}; build it with cargo install --path . --features {0} \
         (the vendor's toolkit is needed), or say --device cpu"
    )]
    NotBuilt(&'static str),
    #[error("the native engine computes on the processor; leave --engine native out with --device {0}")]
    NativeOn(&'static str),
    #[error(
        "the run was started with the native engine, which computes on the processor; leave --device {0} out, \
         or start another run with --config"
    )]
    NativeRun(&'static str),
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl Device {
    /// Returns the device with this name; `Auto` for an unknown one.
    pub fn named(name: &str) -> Device {
        name.parse().unwrap_or_default()
    }

    /// Checks whether this build supports the device, without opening it.
    pub fn check(self) -> Result<(), DeviceError> {
        match self {
            Device::Auto => Ok(()),
            other => other.compute_device().map(drop),
        }
    }

    /// Returns the GPU to use, if any. Fails if this build does not support it.
    fn compute_device(self) -> Result<Option<ComputeDevice>, DeviceError> {
        let compute_device = match self {
            Device::Cpu => return Ok(None),
            // train on the CPU if the GPU that this program was built for is absent
            Device::Auto => {
                return Ok([ComputeDevice::Cuda, ComputeDevice::Metal].into_iter().find(|compute_device| {
                    compute_device.is_built() && Engine::candle(*compute_device).is_ok()
                }));
            }
            Device::Cuda => ComputeDevice::Cuda,
            Device::Metal => ComputeDevice::Metal,
        };
        match compute_device.is_built() {
            true => Ok(Some(compute_device)),
            false => Err(DeviceError::NotBuilt(compute_device.name())),
        }
    }
}

/// Returns the engine of a new run: the requested one, else the one that the device needs.
pub fn engine(
    device: Device,
    requested: Option<EngineKind>,
    otherwise: EngineKind,
) -> Result<EngineKind, DeviceError> {
    match (requested, device.compute_device()?) {
        (Some(EngineKind::Native), Some(compute_device)) if device != Device::Auto => {
            Err(DeviceError::NativeOn(compute_device.name()))
        }
        (Some(requested), _) => Ok(requested),
        (None, Some(_)) => Ok(EngineKind::Candle),
        (None, None) => Ok(otherwise),
    }
}

/// Opens the engine of a run on a device.
pub fn open(device: Device, engine: EngineKind) -> Result<Engine, DeviceError> {
    match (engine, device.compute_device()?) {
        (EngineKind::Native, None) => Ok(Engine::Native),
        (EngineKind::Native, Some(_)) if device == Device::Auto => Ok(Engine::Native),
        (EngineKind::Native, Some(compute_device)) => Err(DeviceError::NativeRun(compute_device.name())),
        (EngineKind::Candle, compute_device) => {
            Ok(Engine::candle(compute_device.unwrap_or(ComputeDevice::Cpu))?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_brings_its_engine_and_one_that_is_not_built_says_how() {
        let choose = |device, requested| engine(device, requested, EngineKind::Native);
        assert_eq!(choose(Device::Cpu, None).unwrap(), EngineKind::Native);
        assert_eq!(choose(Device::Cpu, Some(EngineKind::Candle)).unwrap(), EngineKind::Candle);
        assert!(matches!(open(Device::Cpu, EngineKind::Candle), Ok(Engine::Candle(_))));
        assert!(matches!(open(Device::Cpu, EngineKind::Native), Ok(Engine::Native)));
        if !ComputeDevice::Cuda.is_built() {
            let error = choose(Device::Cuda, None).unwrap_err().to_string();
            assert!(error.contains("--features cuda"), "{error}");
            assert!(Device::Cuda.check().is_err() && Device::Auto.check().is_ok());
        }
        assert_eq!(Device::named("metal"), Device::Metal);
    }
}
