//! What a run uses of its machine: processor time and memory, and what NVML reports of its GPUs.

use std::time::Instant;

use nvml_wrapper::{Nvml, enum_wrappers::device::TemperatureSensor};

use crate::{
    model::ComputeDevice,
    runs::{devices::VisibleGpus, metric},
};

/// Measures this process and its GPUs.
pub struct SystemMonitor {
    cores: f64,
    /// When it was measured last, and the processor time until then.
    last: Option<(Instant, f64)>,
    /// Loaded only where the driver is.
    nvml: Option<Nvml>,
    gpus: Vec<u32>,
}

impl SystemMonitor {
    pub fn new(device: &ComputeDevice) -> SystemMonitor {
        let gpus: Vec<u32> = match device {
            ComputeDevice::Cuda(numbers) => {
                numbers.iter().filter_map(|&number| number.try_into().ok()).collect()
            }
            ComputeDevice::Cpu | ComputeDevice::Metal => vec![],
        };
        let nvml = if gpus.is_empty() { None } else { Nvml::init().ok() };
        let cores = std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
        SystemMonitor {
            cores,
            last: processor_seconds().map(|seconds| (Instant::now(), seconds)),
            nvml,
            gpus,
        }
    }

    /// The values since the last call, each with its name in the metrics.
    pub fn sample(&mut self) -> Vec<(&'static str, f64)> {
        let mut values = Vec::new();
        if let (Some((at, before)), Some(seconds)) = (self.last, processor_seconds()) {
            let elapsed = at.elapsed().as_secs_f64().max(1e-3);
            values.push((metric::CPU_UTILIZATION, 100.0 * (seconds - before) / (elapsed * self.cores)));
            self.last = Some((Instant::now(), seconds));
        }
        values.extend(resident_bytes().map(|bytes| (metric::MEMORY, bytes)));
        values.extend(self.gpu_values());
        values
    }

    fn gpu_values(&self) -> Vec<(&'static str, f64)> {
        let Some(nvml) = &self.nvml else { return vec![] };
        let visible = VisibleGpus::from_environment();
        let devices: Vec<_> = self.gpus.iter().filter_map(|&gpu| visible.find(nvml, gpu)).collect();
        let collect = |of: &dyn Fn(&nvml_wrapper::Device<'_>) -> Option<f64>| -> Vec<f64> {
            devices.iter().filter_map(of).collect()
        };
        let busy = collect(&|gpu| gpu.utilization_rates().ok().map(|rates| f64::from(rates.gpu)));
        let memory = collect(&|gpu| gpu.memory_info().ok().map(|memory| memory.used as f64));
        let power = collect(&|gpu| gpu.power_usage().ok().map(|milliwatts| f64::from(milliwatts) / 1e3));
        let heat = collect(&|gpu| gpu.temperature(TemperatureSensor::Gpu).ok().map(f64::from));
        let sum = |values: &[f64]| (!values.is_empty()).then(|| values.iter().sum::<f64>());
        [
            (metric::GPU_UTILIZATION, sum(&busy).map(|sum| sum / busy.len() as f64)),
            (metric::GPU_MEMORY, sum(&memory)),
            (metric::GPU_POWER, sum(&power)),
            (metric::GPU_TEMPERATURE, heat.into_iter().reduce(f64::max)),
        ]
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| (name, value)))
        .collect()
    }
}

/// The processor time of this process, where the system has `/proc`.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // the name of the program, in parentheses, may hold anything
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let [user, system]: [f64; 2] = [fields.next()?.parse().ok()?, fields.next()?.parse().ok()?];
    // Linux counts hundredths of a second here on every architecture
    Some((user + system) / 100.0)
}

fn resident_bytes() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_measures_its_own_time_and_memory() {
        let mut monitor = SystemMonitor::new(&ComputeDevice::Cpu);
        let start = Instant::now();
        while start.elapsed().as_millis() < 60 {
            std::hint::black_box((0..1000).sum::<u64>());
        }
        let values = monitor.sample();
        let value = |name: &str| values.iter().find(|(known, _)| *known == name).unwrap().1;
        assert!(value(metric::CPU_UTILIZATION) > 0.0, "{values:?}");
        assert!(value(metric::MEMORY) > 1e6, "{values:?}");
        assert_eq!(values.len(), 2, "a CPU run has no GPU values");
    }
}
