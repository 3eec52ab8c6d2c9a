//! The GPUs of this machine, without opening them.

use nvml_wrapper::Nvml;

use crate::{
    model::{ComputeDevice, DeviceInfo},
    train::device::Device,
};

/// A GPU of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDevice {
    pub device: ComputeDevice,
    pub info: DeviceInfo,
}

/// Lists the GPUs. NVML lists those of NVIDIA for every build; without it, this build's driver does.
pub fn find() -> Vec<FoundDevice> {
    let found = by_nvml().unwrap_or_default();
    if !found.is_empty() {
        return found;
    }
    let describe = |device: ComputeDevice| {
        let info = device.open().ok().and_then(|opened| opened.first().map(DeviceInfo::of));
        FoundDevice { device, info: info.unwrap_or_default() }
    };
    ComputeDevice::available().into_iter().map(describe).collect()
}

/// The GPU that a run on `device` would compute on, with the number of them; none for the processor.
pub fn chosen<'a>(found: &'a [FoundDevice], device: &Device) -> Option<(&'a FoundDevice, usize)> {
    match device {
        // only what this build supports is used
        Device::Auto => found.iter().find(|found| found.device.is_built()).map(|found| (found, 1)),
        Device::On(ComputeDevice::Cuda(numbers)) => {
            let first = ComputeDevice::Cuda(numbers.first().copied().into_iter().collect());
            found.iter().find(|found| found.device == first).map(|found| (found, numbers.len()))
        }
        Device::On(ComputeDevice::Metal) => {
            found.iter().find(|found| found.device == ComputeDevice::Metal).map(|found| (found, 1))
        }
        Device::On(ComputeDevice::Cpu) => None,
    }
}

fn by_nvml() -> Option<Vec<FoundDevice>> {
    let nvml = Nvml::init().ok()?;
    let visible = visible_devices();
    let count = match &visible {
        Some(visible) => visible.len() as u32,
        None => nvml.device_count().ok()?,
    };
    let describe = |number: u32| {
        let gpu = nvml.device_by_index(physical(visible.as_deref(), number)).ok()?;
        let info = DeviceInfo {
            model: gpu.name().unwrap_or_default(),
            memory: gpu.memory_info().ok().map(|memory| memory.total),
            has_tf32: gpu.cuda_compute_capability().is_ok_and(|capability| capability.major >= 8),
        };
        Some(FoundDevice { device: ComputeDevice::Cuda(vec![number as usize]), info })
    };
    Some((0..count).filter_map(describe).collect())
}

/// The devices that CUDA_VISIBLE_DEVICES lists; none if it is not set.
pub fn visible_devices() -> Option<Vec<u32>> {
    let list = std::env::var("CUDA_VISIBLE_DEVICES").ok()?;
    Some(list.split(',').filter_map(|number| number.trim().parse().ok()).collect())
}

/// CUDA numbers the visible devices; NVML numbers all of them.
pub fn physical(visible: Option<&[u32]>, number: u32) -> u32 {
    visible.and_then(|visible| visible.get(number as usize)).copied().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_computes_on_the_first_of_its_gpus() {
        let gpu = |number| FoundDevice {
            device: ComputeDevice::Cuda(vec![number]),
            info: DeviceInfo { model: format!("GPU {number}"), ..DeviceInfo::default() },
        };
        let found = [gpu(0), gpu(1)];
        let model = |name: &str| {
            chosen(&found, &name.parse().unwrap()).map(|(found, count)| (found.info.model.as_str(), count))
        };
        assert_eq!(model("cuda"), Some(("GPU 0", 1)));
        assert_eq!(model("cuda:1"), Some(("GPU 1", 1)));
        assert_eq!(model("cuda:0,1"), Some(("GPU 0", 2)));
        assert_eq!((model("cuda:7"), model("cpu"), model("metal")), (None, None, None));
    }

    #[test]
    fn cuda_numbers_what_is_visible() {
        assert_eq!((physical(None, 1), physical(Some(&[3, 2]), 1), physical(Some(&[]), 1)), (1, 2, 1));
    }
}
