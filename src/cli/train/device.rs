//! Where training computes.

use anyhow::bail;
use clap::ValueEnum;

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

/// Refuses a device that this program cannot train on, and says what to do.
pub fn check(device: Device) -> anyhow::Result<()> {
    let (name, is_built) = match device {
        Device::Auto | Device::Cpu => return Ok(()),
        Device::Cuda => ("cuda", cfg!(feature = "cuda")),
        Device::Metal => ("metal", cfg!(feature = "metal")),
    };
    if is_built {
        bail!(
            "training runs on the processor in this version, also in a build with {name}; say --device cpu"
        );
    }
    bail!(
        "this matchbook was built without {name}; build it with cargo install --features {name} \
         (the vendor's toolkit is needed), or say --device cpu"
    );
}
