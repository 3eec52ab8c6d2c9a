//! Where training computes, and with what.

use super::EngineKind;
use crate::model::{ComputeDevice, Engine, ModelError};

/// Where to compute.
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
    /// The best that there is.
    #[default]
    Auto,
    Cpu,
    Cuda,
    Metal,
}

/// Why nothing can be computed there.
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

    /// Whether this program can compute there at all, without trying it.
    pub fn check(self) -> Result<(), DeviceError> {
        match self {
            Device::Auto => Ok(()),
            other => other.place().map(drop),
        }
    }

    /// The GPU that is meant, if one is. Says how to build for it where this program cannot.
    fn place(self) -> Result<Option<ComputeDevice>, DeviceError> {
        let place = match self {
            Device::Cpu => return Ok(None),
            // a GPU that was built for and is not there is no reason not to train
            Device::Auto => {
                return Ok([ComputeDevice::Cuda, ComputeDevice::Metal]
                    .into_iter()
                    .find(|place| place.is_built() && Engine::candle(*place).is_ok()));
            }
            Device::Cuda => ComputeDevice::Cuda,
            Device::Metal => ComputeDevice::Metal,
        };
        match place.is_built() {
            true => Ok(Some(place)),
            false => Err(DeviceError::NotBuilt(place.name())),
        }
    }
}

/// The engine of a new run: the one that was asked for, else the one that the device needs.
pub fn engine(
    device: Device,
    asked: Option<EngineKind>,
    otherwise: EngineKind,
) -> Result<EngineKind, DeviceError> {
    match (asked, device.place()?) {
        (Some(EngineKind::Native), Some(place)) if device != Device::Auto => {
            Err(DeviceError::NativeOn(place.name()))
        }
        (Some(asked), _) => Ok(asked),
        (None, Some(_)) => Ok(EngineKind::Candle),
        (None, None) => Ok(otherwise),
    }
}

/// Opens what a run computes with.
pub fn open(device: Device, engine: EngineKind) -> Result<Engine, DeviceError> {
    match (engine, device.place()?) {
        (EngineKind::Native, None) => Ok(Engine::Native),
        (EngineKind::Native, Some(_)) if device == Device::Auto => Ok(Engine::Native),
        (EngineKind::Native, Some(place)) => Err(DeviceError::NativeRun(place.name())),
        (EngineKind::Candle, place) => Ok(Engine::candle(place.unwrap_or(ComputeDevice::Cpu))?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_brings_its_engine_and_one_that_is_not_built_says_how() {
        let choose = |device, asked| engine(device, asked, EngineKind::Native);
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
