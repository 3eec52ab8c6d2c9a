//! Which program trains a run. A build with CUDA does not start on a machine without a driver, such as the login node of a
//! cluster. There the plain build launches, and `matchbook-cuda`, a build of the same version, trains.

use std::path::{Path, PathBuf};

use super::{JobError, Jobs, RunOptions, local};
use crate::train::device::{Device, DeviceError};

/// Set for a program that another one starts: the version that it has to have.
pub const EXPECTED_VERSION: &str = "MATCHBOOK_EXPECTED_VERSION";

impl Jobs {
    /// The program for a device: this one, or the build that supports the device.
    pub fn program_for(&self, options: &RunOptions) -> Result<PathBuf, JobError> {
        let device = Device::named(&options.device).map_err(|error| JobError::Device(error.to_string()))?;
        match device.check() {
            Ok(()) => Ok(self.program.clone()),
            Err(error) => self.gpu_program(&error).ok_or_else(|| JobError::Device(error.to_string())),
        }
    }

    /// The build that supports what this one does not: named in `config.toml`, beside this program, or on the path.
    pub fn gpu_program(&self, error: &DeviceError) -> Option<PathBuf> {
        let DeviceError::NotBuilt(feature) = error else { return None };
        let name = format!("matchbook-{feature}{}", std::env::consts::EXE_SUFFIX);
        let beside = self.program.parent().map(|folder| folder.join(&name));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = std::env::split_paths(&path).map(|folder| folder.join(&name));
        let named = self.settings().programs.get(*feature).map(PathBuf::from);
        named.into_iter().chain(beside).chain(on_path).find(|path| is_program(path))
    }
}

/// Checks that the program that started this one has the same version.
pub fn check_version(expected: Option<&str>) -> Result<(), String> {
    let own = env!("CARGO_PKG_VERSION");
    match expected {
        Some(expected) if expected != own => Err(format!(
            "{} is matchbook {own}, but was started by matchbook {expected}; install the same version of both",
            local::this_program().display()
        )),
        _ => Ok(()),
    }
}

fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::workspace::Workspace;

    #[test]
    fn another_build_is_found_beside_this_one_or_by_its_name_in_the_settings() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config");
        std::fs::create_dir(&config).unwrap();
        let workspace = Workspace::at(folder.path(), &config);
        let missing = DeviceError::NotBuilt("cuda");
        let jobs = || Jobs::new(&workspace).with_program(folder.path().join("matchbook"));
        assert_eq!(jobs().gpu_program(&missing), None);
        let beside = folder.path().join(format!("matchbook-cuda{}", std::env::consts::EXE_SUFFIX));
        std::fs::write(&beside, "").unwrap();
        assert_eq!(jobs().gpu_program(&missing).as_ref(), Some(&beside));
        let named = folder.path().join("elsewhere");
        std::fs::write(&named, "").unwrap();
        let text = format!("[programs]\ncuda = {:?}\n", named.to_str().unwrap());
        std::fs::write(config.join("config.toml"), text).unwrap();
        assert_eq!(jobs().gpu_program(&missing).as_ref(), Some(&named));
        assert!(check_version(None).is_ok() && check_version(Some(env!("CARGO_PKG_VERSION"))).is_ok());
        assert!(check_version(Some("0.0.0")).unwrap_err().contains("same version"));
    }
}
