//! `matchbook curves`: plots metrics of runs as text or to a file.

use std::path::PathBuf;

use anyhow::bail;

use super::{choice::choice, global, output::Output, range::real};
use crate::{
    base::{fields::RealRange, output_guard::OutputGuard, workspace::Folder},
    runs::curves::{Horizontal, Library, Marker, Metric, PlotRequest, Raster, Scale, View, ticks},
    runs::metric,
};

/// Plot the metrics of runs, or export them
///
/// Curves are smoothed before they are reduced to columns; each column shows its minimum and maximum.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook curves first second --metric dev/mrr\n  matchbook curves first --smooth 0.9 --log-y -o loss.svg\n  matchbook curves first --metric lr -o lr.csv"
)]
pub struct Arguments {
    /// Names of runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<String>,
    /// Metric: loss, global_loss, lr, gradient_norm, tokens_per_second, dev/mrr, dev/accuracy, ...
    #[arg(long, default_value = metric::LOSS)]
    metric: Metric,
    /// Horizontal axis
    #[arg(long, default_value = "step", value_parser = choice::<Horizontal>())]
    x: Horizontal,
    /// Exponential smoothing factor, from 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "FACTOR", value_parser = real(RealRange::new(0.0, 1.0)))]
    smooth: f64,
    /// Logarithmic horizontal axis
    #[arg(long)]
    log_x: bool,
    /// Logarithmic vertical axis
    #[arg(long)]
    log_y: bool,
    /// Plot marker: braille, block, dot or ascii
    #[arg(long, default_value = "braille", value_parser = choice::<Marker>())]
    marker: Marker,
    /// Print the values as JSON
    #[arg(long, conflicts_with = "output")]
    json: bool,
    /// Write a chart (.svg) or all values (.csv) to a file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Size of the text chart.
const WIDTH: usize = 80;
const HEIGHT: usize = 20;
/// Columns of an image.
const PICTURE: usize = 1200;

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let workspace = global::workspace()?;
    if let Some(path) = &arguments.output {
        let mut guard = OutputGuard::new();
        for run in &arguments.runs {
            guard.reads_folder("a file of a run", &workspace.folder(Folder::Runs).join(run), |_| true);
        }
        guard.writes("-o", path)?;
    }
    let library = Library::new(Some(workspace));
    let marker = arguments.marker;
    let scale = |is_log: bool| if is_log { Scale::Log } else { Scale::Linear };
    let columns = if arguments.output.is_some() { PICTURE } else { WIDTH * marker.dots().0 };
    let request = PlotRequest {
        runs: arguments.runs.into(),
        metric: arguments.metric,
        view: View {
            axis: arguments.x,
            x_scale: scale(arguments.log_x),
            y_scale: scale(arguments.log_y),
            x: None,
            y: None,
            columns,
            smoothing: arguments.smooth,
        },
        groups: Vec::new(),
    };
    let plotted = library.plot_complete(&request);
    if let Some(problem) = plotted.problems.first() {
        bail!("{problem}");
    }
    if plotted.plot.curves.iter().all(|curve| curve.count == 0) {
        let known: Vec<String> = plotted.metrics.iter().map(ToString::to_string).collect();
        bail!("no run has the metric {}; the metrics are {}", request.metric, known.join(", "));
    }
    if let Some(path) = arguments.output {
        library.write(&request, &path)?;
        return output.line(&format!("{} written to {}", request.metric.label(), path.display()));
    }
    if arguments.json {
        return print_json(&library, &request, output);
    }
    let plot = &plotted.plot;
    let order: Vec<usize> = (0..plot.curves.len()).collect();
    let raster = Raster::of(plot, marker, (WIDTH, HEIGHT), &order);
    let numbers = ticks(plot.view.y_scale, plot.y.scaled(request.metric.scale()), 5, false);
    for y in 0..HEIGHT {
        let row = |place: f64| ((1.0 - place) * (HEIGHT - 1) as f64).round() as usize;
        let number =
            numbers.iter().find(|tick| row(tick.position) == y).map_or("", |tick| tick.label.as_str());
        let line: String = (0..WIDTH).map(|x| raster.cell(x, y).map_or(' ', |cell| cell.symbol)).collect();
        output.line(format!("{number:>9} │{line}").trim_end())?;
    }
    let (start, end) = (plot.view.axis.shown(plot.x.start), plot.view.axis.shown(plot.x.end));
    output.line(&format!("{:>9}  {start:<40}{end:>40}", plot.view.axis.name()))?;
    for (index, curve) in plot.curves.iter().enumerate() {
        let sign = if marker == Marker::Ascii { Marker::letter(index).to_string() } else { "━".to_owned() };
        let best = curve.best.as_ref().and_then(|best| {
            let mrr = best.scores.shown(metric::MRR)?;
            Some(format!(", best evaluation: MRR {mrr} after epoch {}", best.scores.shown_epoch()))
        });
        let best = best.unwrap_or_default();
        let gaps =
            if curve.not_finite > 0 { format!(", {} not finite", curve.not_finite) } else { String::new() };
        let shown = |value: Option<f64>| value.map_or("none".to_owned(), |value| request.metric.shown(value));
        output.line(&format!(
            "{sign} {}: {} from {} to {}, last {}{gaps}{best}",
            curve.run,
            request.metric.label(),
            shown(curve.lowest),
            shown(curve.highest),
            shown(curve.last)
        ))?;
    }
    Ok(())
}

/// Prints all values of the metric, unsmoothed: one object per run.
fn print_json(library: &Library, request: &PlotRequest, output: &mut Output) -> anyhow::Result<()> {
    let mut runs = Vec::new();
    for run in request.runs.iter() {
        let lines = library.lines(run)?;
        let values: Vec<_> = lines
            .samples(&request.metric)
            .map(|sample| serde_json::json!({ "step": sample.step, "epoch": sample.epoch, "seconds": sample.time, "value": sample.value }))
            .collect();
        runs.push(serde_json::json!({ "run": run, "metric": request.metric.to_string(), "values": values }));
    }
    output.json(&runs)
}
