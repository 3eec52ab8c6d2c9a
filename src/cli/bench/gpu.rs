//! `matchbook bench gpu`.

use std::path::PathBuf;

use super::BenchOptions;
use crate::{
    bench::{self, GpuMeasurement, GpuModel},
    cli::{
        choice::choice,
        device::DeviceArguments,
        global,
        output::{Output, counted},
    },
    model::Precision,
};

/// Training steps of the resident engine: host time, and the counts of a software GPU
///
/// With the software GPU of tests/softgpu, which reports to SOFTGPU_LOG, prints what a step demands of a GPU and estimates
/// the time of the paper's training. tests/softgpu/run.sh runs all of it.
#[derive(clap::Args)]
pub struct Arguments {
    /// The paper's encoder with 100,000 words, BERT base, or formula windows with 400,000 features
    #[arg(long, default_value = "npt", value_parser = choice::<GpuModel>())]
    model: GpuModel,
    /// Precision of matrix products
    #[arg(long, default_value = "auto", value_parser = choice::<Precision>())]
    precision: Precision,
    #[command(flatten)]
    device: DeviceArguments,
}

pub fn run(arguments: &Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let log = std::env::var_os("SOFTGPU_LOG").map(PathBuf::from);
    let Arguments { model, precision, device } = arguments;
    let rounds = options.rounds();
    let device = device.open(&global::workspace()?)?;
    let measured = bench::gpu(*model, device, *precision, rounds, log.as_deref())?;
    options.print(&measured, output, print)
}

fn print(measured: &GpuMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "{}, {} of 200 tokens or features",
        measured.engine,
        counted(measured.documents as u64, "document")
    ))?;
    let bounds = &measured.bounds;
    let (best, median) = (1e3 * measured.step.best(), 1e3 * measured.step.median());
    let most = bounds.host_ms;
    output
        .line(&format!("host time of a step   {best:.1} ms best, {median:.1} ms median; bound {most:.0}"))?;
    if let Some(lowered) = measured.lowered {
        output.line(&format!(
            "memory ran out        steps continued with {} at a time",
            counted(lowered as u64, "document")
        ))?;
    }
    let Some(counts) = &measured.counted else { return Ok(()) };
    let all = counts.launches + counts.products;
    let (launches, products, most) = (counts.launches, counts.products, bounds.launches);
    output.line(&format!(
        "launches              {all:.0}: {launches:.0} kernels, {products:.0} products; bound {most:.0}"
    ))?;
    if counts.span < all {
        output.line(&format!(
            "longest path          {:.0}: launches on several devices at the same time count once",
            counts.span
        ))?;
    }
    output.line(&format!("floating point        {:.0} GFLOP", counts.gflop))?;
    output.line(&format!("host to device        {:.3} MB; bound {}", counts.upload_mb, bounds.upload_mb))?;
    let (down, most) = (counts.download_kb, bounds.download_kb);
    output.line(&format!("device to host        {down:.3} kB; bound {most}"))?;
    output.line(&format!("waits                 {:.0}; bound {}", counts.waits, bounds.waits))?;
    let (peak, most) = (counts.peak_mb / 1e3, bounds.peak_mb / 1e3);
    output.line(&format!("peak memory           {peak:.2} GB; bound {most:.0}"))?;
    for estimate in &measured.estimates {
        output.line(&format!(
            "estimate for {:<11} {:.0} ms per step, {:.1} hours for the paper's training",
            estimate.gpu,
            1e3 * estimate.step_seconds,
            estimate.hours
        ))?;
    }
    if !measured.estimates.is_empty() {
        output.line(
            "assumed: half of peak f32, a third of the peak of tensor cores, 75 % of memory bandwidth, 5 us per launch, none of \
             them overlapping; 147,000 pairs, 200 tokens per document; NPT 400 epochs, BERT 60, windows 10; no evaluation",
        )?;
    }
    Ok(())
}
