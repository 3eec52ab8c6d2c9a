//! Where training computes, and with what.

use anyhow::bail;
use clap::ValueEnum;

use crate::{
    model::{Engine, Place},
    train::EngineKind,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// The best that there is.
    #[default]
    Auto,
    Cpu,
    Cuda,
    Metal,
}

impl Device {
    /// As on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Device::Auto => "auto",
            Device::Cpu => "cpu",
            Device::Cuda => "cuda",
            Device::Metal => "metal",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArgument {
    /// Written out for the processor: the fast one there
    Native,
    /// candle's operations: the one for GPUs, slow on a processor
    Candle,
}

/// The engine of a new run: the one that was asked for, else the one that the device needs.
pub fn engine(
    device: Device,
    asked: Option<EngineArgument>,
    otherwise: EngineKind,
) -> anyhow::Result<EngineKind> {
    let asked = asked.map(|engine| match engine {
        EngineArgument::Native => EngineKind::Native,
        EngineArgument::Candle => EngineKind::Candle,
    });
    let place = place(device)?;
    match (asked, place) {
        (Some(EngineKind::Native), Some(place)) if device != Device::Auto => {
            bail!(
                "the native engine computes on the processor; leave --engine native out with --device {}",
                place.name()
            )
        }
        (Some(asked), _) => Ok(asked),
        (None, Some(_)) => Ok(EngineKind::Candle),
        (None, None) => Ok(otherwise),
    }
}

/// Opens what a run computes with.
pub fn open(device: Device, engine: EngineKind) -> anyhow::Result<Engine> {
    match (engine, place(device)?) {
        (EngineKind::Native, None) => Ok(Engine::Native),
        (EngineKind::Native, Some(_)) if device == Device::Auto => Ok(Engine::Native),
        (EngineKind::Native, Some(place)) => bail!(
            "the run was started with the native engine, which computes on the processor; leave --device {} out, \
             or start another run with --config",
            place.name()
        ),
        (EngineKind::Candle, place) => Ok(Engine::candle(place.unwrap_or(Place::Cpu))?),
    }
}

/// The GPU that is meant, if one is. Says how to build for it where this program cannot.
fn place(device: Device) -> anyhow::Result<Option<Place>> {
    let place = match device {
        Device::Cpu => return Ok(None),
        // a GPU that was built for and is not there is no reason not to train
        Device::Auto => {
            return Ok([Place::Cuda, Place::Metal]
                .into_iter()
                .find(|place| place.is_built() && Engine::candle(*place).is_ok()));
        }
        Device::Cuda => Place::Cuda,
        Device::Metal => Place::Metal,
    };
    let name = place.name();
    if !place.is_built() {
        bail!(
            "this matchbook was built without {name}; build it with cargo install --path . --features {name} \
             (the vendor's toolkit is needed), or say --device cpu"
        );
    }
    Ok(Some(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_brings_its_engine_and_one_that_is_not_built_says_how() {
        let choose = |device, asked| engine(device, asked, EngineKind::Native);
        assert_eq!(choose(Device::Cpu, None).unwrap(), EngineKind::Native);
        assert_eq!(choose(Device::Cpu, Some(EngineArgument::Candle)).unwrap(), EngineKind::Candle);
        assert!(matches!(open(Device::Cpu, EngineKind::Candle), Ok(Engine::Candle(_))));
        assert!(matches!(open(Device::Cpu, EngineKind::Native), Ok(Engine::Native)));
        if !Place::Cuda.is_built() {
            let error = choose(Device::Cuda, None).unwrap_err().to_string();
            assert!(error.contains("--features cuda"), "{error}");
        }
    }
}
