//! The one definition of `--device` for commands that do not train.

use crate::train::device::Device;

#[derive(clap::Args)]
pub struct DeviceArguments {
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Auto, help = Device::HELP)]
    pub device: Device,
}
