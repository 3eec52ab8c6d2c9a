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
    let visible = VisibleGpus::from_environment();
    let count = match &visible.0 {
        Some(visible) => visible.len() as u32,
        None => nvml.device_count().ok()?,
    };
    let describe = |number: u32| {
        let gpu = visible.find(&nvml, number)?;
        let info = DeviceInfo {
            model: gpu.name().unwrap_or_default(),
            memory: gpu.memory_info().ok().map(|memory| memory.total),
            has_tf32: gpu.cuda_compute_capability().is_ok_and(|capability| capability.major >= 8),
        };
        Some(FoundDevice { device: ComputeDevice::Cuda(vec![number as usize]), info })
    };
    Some((0..count).filter_map(describe).collect())
}

/// The GPUs that CUDA numbers from 0, in their order; all of them if there is no list.
pub struct VisibleGpus(Option<Vec<VisibleGpu>>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum VisibleGpu {
    /// The number that NVML gives it, too.
    Number(u32),
    /// The start of its identifier, as in `GPU-8932f937`.
    Identifier(String),
}

impl VisibleGpus {
    pub fn from_environment() -> VisibleGpus {
        VisibleGpus(std::env::var("CUDA_VISIBLE_DEVICES").ok().map(|list| Self::parse(&list)))
    }

    /// A list ends where CUDA stops to read it: at what names no GPU.
    fn parse(list: &str) -> Vec<VisibleGpu> {
        let read = |name: &str| match name.trim() {
            name if name.starts_with("GPU-") => Some(VisibleGpu::Identifier(name.to_owned())),
            number => number.parse().ok().map(VisibleGpu::Number),
        };
        list.split(',').map_while(read).collect()
    }

    /// The GPU that CUDA calls `number`.
    pub fn find<'nvml>(&self, nvml: &'nvml Nvml, number: u32) -> Option<nvml_wrapper::Device<'nvml>> {
        let Some(list) = &self.0 else { return nvml.device_by_index(number).ok() };
        match list.get(number as usize)? {
            VisibleGpu::Number(number) => nvml.device_by_index(*number).ok(),
            VisibleGpu::Identifier(start) => (0..nvml.device_count().ok()?)
                .filter_map(|number| nvml.device_by_index(number).ok())
                .find(|gpu| gpu.uuid().is_ok_and(|uuid| uuid.starts_with(start))),
        }
    }
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
        use VisibleGpu::{Identifier, Number};
        assert_eq!(VisibleGpus::parse("3, 2"), [Number(3), Number(2)]);
        assert_eq!(VisibleGpus::parse("1,-1,0"), [Number(1)]);
        assert_eq!(VisibleGpus::parse("GPU-89,0"), [Identifier("GPU-89".to_owned()), Number(0)]);
        assert!(VisibleGpus::parse("").is_empty());
    }
}
