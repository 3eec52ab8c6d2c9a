//! The devices that candle computes on.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fmt,
    str::FromStr,
    sync::{Mutex, PoisonError},
};

use candle_core::Device;

use super::{ModelError, error::first_line};

/// One device, or several GPUs of a machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComputeDevice {
    Cpu,
    /// By number, in ascending order.
    Cuda(Vec<usize>),
    Metal,
}

/// Properties of an open device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceInfo {
    /// `NVIDIA A100-SXM4-80GB`; empty if the driver does not report it.
    pub model: String,
    /// Bytes of each device.
    pub memory: Option<u64>,
    /// Whether there are tensor cores for tf32 and bf16.
    pub has_tf32: bool,
}

impl fmt::Display for ComputeDevice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => formatter.write_str("cpu"),
            Self::Metal => formatter.write_str("metal"),
            Self::Cuda(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
                write!(formatter, "cuda:{}", numbers.join(","))
            }
        }
    }
}

impl FromStr for ComputeDevice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "cpu" => return Ok(Self::Cpu),
            "metal" => return Ok(Self::Metal),
            "cuda" => return Ok(Self::Cuda(vec![0])),
            _ => {}
        }
        let wrong = || format!("`{text}` is not a device; use cpu, cuda, cuda:1, cuda:0,1 or metal");
        let list = text.strip_prefix("cuda:").ok_or_else(wrong)?;
        let mut numbers = list
            .split(',')
            .map(|number| number.trim().parse().ok().filter(|number| *number < Self::MOST))
            .collect::<Option<Vec<usize>>>()
            .ok_or_else(wrong)?;
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Self::Cuda(numbers))
    }
}

impl ComputeDevice {
    /// An upper bound on the GPUs of one machine.
    pub const MOST: usize = 1024;

    /// The name of the feature that supports the device.
    pub fn feature(&self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda(_) => "cuda",
            Self::Metal => "metal",
        }
    }

    /// Whether this build supports the device, which may still be absent.
    pub fn is_built(&self) -> bool {
        match self {
            Self::Cpu => true,
            Self::Cuda(_) => cfg!(feature = "cuda"),
            Self::Metal => cfg!(feature = "metal"),
        }
    }

    pub fn is_cpu(&self) -> bool {
        *self == Self::Cpu
    }

    /// Opens the device, or each of them. A CUDA device stays open until the process ends.
    pub fn open(&self) -> Result<Vec<Device>, ModelError> {
        let devices = match self {
            Self::Cpu => Ok(vec![Device::Cpu]),
            Self::Cuda(numbers) => numbers.iter().map(|&number| opened_cuda(number)).collect(),
            Self::Metal => Device::new_metal(0).map(|device| vec![device]),
        };
        let failed = |error: candle_core::Error| ModelError::Device {
            name: self.to_string(),
            reason: first_line(&error.to_string()),
        };
        devices.map_err(failed)
    }

    /// The GPUs that this build can use on this machine.
    pub fn available() -> Vec<ComputeDevice> {
        let mut found = cuda_devices();
        if cfg!(feature = "metal") && Device::new_metal(0).is_ok() {
            found.push(Self::Metal);
        }
        found
    }
}

/// A CUDA device, opened by the first caller: its context, its cuBLAS and its kernels take seconds.
fn opened_cuda(number: usize) -> candle_core::Result<Device> {
    static OPENED: Mutex<BTreeMap<usize, Device>> = Mutex::new(BTreeMap::new());
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(match opened.entry(number) {
        Entry::Occupied(entry) => entry.get().clone(),
        Entry::Vacant(entry) => entry.insert(Device::new_cuda(number)?).clone(),
    })
}

#[cfg(feature = "cuda")]
fn cuda_devices() -> Vec<ComputeDevice> {
    use candle_core::cuda_backend::cudarc::driver::CudaContext;
    let count = CudaContext::device_count().unwrap_or_default();
    (0..usize::try_from(count).unwrap_or_default()).map(|number| ComputeDevice::Cuda(vec![number])).collect()
}

#[cfg(not(feature = "cuda"))]
fn cuda_devices() -> Vec<ComputeDevice> {
    Vec::new()
}

impl DeviceInfo {
    /// Queries the driver about a device.
    pub fn of(device: &Device) -> DeviceInfo {
        match device {
            #[cfg(feature = "cuda")]
            Device::Cuda(cuda) => {
                let stream = cuda.cuda_stream();
                let context = stream.context();
                DeviceInfo {
                    model: context.name().unwrap_or_default(),
                    memory: context.total_mem().ok().map(|bytes| bytes as u64),
                    has_tf32: context.compute_capability().is_ok_and(|(major, _)| major >= 8),
                }
            }
            _ => DeviceInfo::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_written_as_they_are_read() {
        for text in ["cpu", "metal", "cuda:0", "cuda:1", "cuda:0,1"] {
            assert_eq!(text.parse::<ComputeDevice>().unwrap().to_string(), text);
        }
        assert_eq!("cuda".parse::<ComputeDevice>().unwrap().to_string(), "cuda:0");
        assert_eq!("cuda:1,0,1".parse::<ComputeDevice>().unwrap(), ComputeDevice::Cuda(vec![0, 1]));
        for wrong in ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:0,,1", "cuda:99999999"] {
            assert!(wrong.parse::<ComputeDevice>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_device_is_opened_once() {
        if std::env::var_os("MATCHBOOK_TEST_CUDA").is_some() {
            let open = || ComputeDevice::Cuda(vec![0]).open().unwrap();
            assert!(open()[0].same_device(&open()[0]));
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_named_in_one_line() {
        if !ComputeDevice::Metal.is_built() {
            let error = ComputeDevice::Metal.open().err().unwrap().to_string();
            assert!(error.contains("metal") && error.lines().count() == 1, "{error}");
        }
    }
}
