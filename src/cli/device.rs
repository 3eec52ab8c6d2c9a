//! The one definition of `--device` for commands that do not train, and the other build that a device may need.

use crate::{
    base::workspace::Workspace,
    runs::jobs::{EXPECTED_VERSION, Jobs, check_version},
    train::device::Device,
};

#[derive(clap::Args)]
pub struct DeviceArguments {
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Auto, help = Device::HELP)]
    pub device: Device,
}

impl DeviceArguments {
    /// The device, unless this build lacks it and another one takes over.
    pub fn open(&self, workspace: &Workspace) -> anyhow::Result<&Device> {
        delegate(&Jobs::new(workspace), &self.device)?;
        Ok(&self.device)
    }
}

/// Checks that the device can be used by this build, or by another one that is installed and that processes which this one
/// starts will replace themselves with.
pub fn check(jobs: &Jobs, device: &Device) -> anyhow::Result<()> {
    match device.check() {
        Err(error) if jobs.gpu_program(&error).is_none() => Err(error.into()),
        _ => Ok(()),
    }
}

/// Replaces this process with the build that supports the device, passing the same arguments, if this one does not and such
/// a build exists. Otherwise returns: opening the device reports what is missing.
pub fn delegate(jobs: &Jobs, device: &Device) -> anyhow::Result<()> {
    let expected = std::env::var(EXPECTED_VERSION).ok();
    check_version(expected.as_deref()).map_err(anyhow::Error::msg)?;
    let Err(error) = device.check() else { return Ok(()) };
    // A program that was started for the device and lacks it would start itself again and again.
    if expected.is_some() {
        return Ok(());
    }
    let Some(program) = jobs.gpu_program(&error) else { return Ok(()) };
    let mut command = std::process::Command::new(&program);
    command.args(std::env::args_os().skip(1)).env(EXPECTED_VERSION, env!("CARGO_PKG_VERSION"));
    replace_process(command).map_err(|error| anyhow::anyhow!("cannot start {}: {error}", program.display()))
}

#[cfg(unix)]
fn replace_process(mut command: std::process::Command) -> std::io::Result<()> {
    Err(std::os::unix::process::CommandExt::exec(&mut command))
}

#[cfg(not(unix))]
fn replace_process(mut command: std::process::Command) -> std::io::Result<()> {
    std::process::exit(command.status()?.code().unwrap_or(1));
}
