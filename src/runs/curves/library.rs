//! The runs whose curves are open, and what is kept of them in memory.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    Best, Lines, Metric, Outline, Plot, Range, Raster, RasterOptions, RunGroup, Sample, View, group,
    plot::{Columns, Source, whole},
};
use crate::{
    base::{task::CancelToken, workspace::Workspace},
    runs::{RunDirectory, RunError, RunName, RunScores},
};

/// The memory limit of the lines of all open runs.
const MOST_BYTES: usize = 80 << 20;
/// A metrics file up to this length is read at once; for a longer one its outline comes first.
const SHORT: u64 = 1 << 20;
/// A line of metrics is more than four times as long as its numbers.
const TEXT_PER_BYTE: u64 = 4;
/// Outlines that stay open; they are small, and opening one again takes a millisecond.
const MOST_OUTLINES: usize = 256;

/// Which curves to plot, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotRequest {
    /// By name, in the order of their colors. All charts of a grid share them.
    pub runs: Arc<[String]>,
    pub metric: Metric,
    pub view: View,
    /// Groups of runs that are drawn as their mean; every run is a curve if there are none.
    pub groups: Vec<RunGroup>,
}

/// The requested curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Plotted {
    pub plot: Plot,
    /// Every metric that one of the runs has.
    pub metrics: Vec<Metric>,
    /// Problems of runs, each with the name of its run.
    pub problems: Vec<String>,
    /// Runs that are shown in outline and could be read completely.
    pub unread: Vec<String>,
    /// The rasterized plot, if requested.
    pub raster: Option<(Raster, RasterOptions)>,
}

impl Plotted {
    /// With the rasterized plot: the slowest part of a frame, done here so that drawing need not do it.
    #[must_use]
    pub fn in_cells(mut self, look: RasterOptions) -> Plotted {
        self.raster = Some((Raster::made(&self.plot, &look), look));
        self
    }
}

/// Open runs, by name.
#[derive(Default)]
pub struct Library {
    /// None without a workspace.
    workspace: Option<Workspace>,
    most_bytes: usize,
    shelf: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    runs: HashMap<String, Opened>,
    /// Counts uses, to find the least recently used run.
    clock: u64,
}

/// An open run.
struct Opened {
    path: PathBuf,
    curves: Curves,
    used: u64,
}

enum Curves {
    Outline(Outline),
    Lines(Box<Lines>),
}

impl Library {
    pub fn new(workspace: Option<Workspace>) -> Library {
        Library { workspace, most_bytes: MOST_BYTES, shelf: Mutex::default() }
    }

    /// Reads what is new in the runs and puts their curves into columns.
    pub fn plot(&self, request: &PlotRequest) -> Plotted {
        let mut plotted = self.plot_all(std::slice::from_ref(request));
        plotted.swap_remove(0)
    }

    /// Plots several charts at once; those that show everything get the same range along x, so that a cursor means the
    /// same in all of them.
    pub fn plot_all(&self, requests: &[PlotRequest]) -> Vec<Plotted> {
        let mut problems = Vec::new();
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.clock += 1;
        let now = shelf.clock;
        let names: BTreeSet<&String> = requests.iter().flat_map(|request| request.runs.iter()).collect();
        for &name in &names {
            if let Err(error) = self.follow(&mut shelf, name, now) {
                shelf.runs.remove(name);
                problems.push(format!("{name}: {error}"));
            }
        }
        shelf.forget_outlines(now);
        let all_scores: HashMap<&str, RunScores> = names
            .into_iter()
            .filter_map(|name| Some((name.as_str(), shelf.runs.get(name)?.curves.scores()?)))
            .collect();
        let bests: HashMap<&str, Best> = all_scores
            .iter()
            .filter_map(|(name, scores)| Some((*name, shelf.runs.get(*name)?.curves.best(scores)?)))
            .collect();
        let charts: Vec<(&PlotRequest, Vec<Source<'_>>)> = requests
            .iter()
            .map(|request| {
                let open = request.runs.iter().filter_map(|name| Some((name, &shelf.runs.get(name)?.curves)));
                let sources = open.map(|(name, curves)| Source {
                    run: name,
                    samples: Box::new(move |columns| curves.samples(&request.metric, columns)),
                    ends: curves.ends(&request.metric),
                    best: bests.get(name.as_str()).cloned(),
                    is_outline: curves.is_outline(),
                });
                (request, sources.collect())
            })
            .collect();
        let shared = shared_range(&charts);
        charts
            .iter()
            .map(|(request, sources)| {
                let open =
                    || request.runs.iter().filter_map(|name| Some((name, &shelf.runs.get(name)?.curves)));
                let mut metrics: Vec<Metric> = Vec::new();
                for metric in open().flat_map(|(_, curves)| curves.metrics()) {
                    if !metrics.contains(&metric) {
                        metrics.push(metric);
                    }
                }
                metrics.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
                let view = View { x: request.view.x.or(shared), ..request.view };
                let mut plot = super::plot(view, sources);
                for curve in &mut plot.curves {
                    // Lines are kept in single precision; a score is shown as it was measured.
                    let scores = all_scores.get(curve.run.as_str());
                    let of_metric = scores.filter(|scores| request.metric.is_of(&scores.on));
                    let exact = of_metric.and_then(|scores| scores.last.as_ref()?.get(&request.metric.name));
                    curve.last = exact.or(curve.last);
                }
                if !request.groups.is_empty() {
                    plot = group::grouped(plot, &request.groups);
                }
                let unread = open().filter(|(_, curves)| curves.is_outline());
                let unread = unread.map(|(name, _)| name.clone()).collect();
                Plotted { plot, metrics, problems: problems.clone(), unread, raster: None }
            })
            .collect()
    }

    /// Plots after reading all lines of long runs, for callers that need no quick preview.
    pub fn plot_complete(&self, request: &PlotRequest) -> Plotted {
        let outline = self.plot(request);
        match self.read(&request.runs, &CancelToken::new()) {
            true => self.plot(request),
            false => outline,
        }
    }

    /// Reads the lines of runs that are shown in outline, as far as memory allows; `true` when one was read. Other requests are
    /// served meanwhile.
    pub fn read(&self, runs: &[String], cancel: &CancelToken) -> bool {
        let mut is_changed = false;
        for name in runs {
            let Some(path) = self.room_for(name, runs) else { continue };
            if cancel.is_cancelled() {
                break;
            }
            let mut lines = Lines::new(&path);
            if lines.follow().is_err() {
                continue;
            }
            lines.shrink();
            let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(opened) = shelf.runs.get_mut(name) {
                opened.curves = Curves::Lines(Box::new(lines));
                is_changed = true;
            }
        }
        is_changed
    }

    /// The memory that lines use now.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner).bytes()
    }

    /// The lines of a run, independent of the open runs.
    pub fn lines(&self, name: &str) -> Result<Lines, RunError> {
        let mut lines = Lines::new(&self.path(name)?);
        lines.follow()?;
        Ok(lines)
    }

    fn path(&self, name: &str) -> Result<PathBuf, RunError> {
        let name: RunName = name.parse()?;
        let missing = || RunError::Missing { name: name.to_string(), folder: PathBuf::new() };
        let workspace = self.workspace.as_ref().ok_or_else(missing)?;
        Ok(RunDirectory::open(workspace, &name)?.metrics_path())
    }

    fn follow(&self, shelf: &mut Shelf, name: &str, now: u64) -> Result<(), RunError> {
        if let Some(opened) = shelf.runs.get_mut(name) {
            opened.used = now;
            return match &mut opened.curves {
                Curves::Outline(outline) => outline.follow(),
                Curves::Lines(lines) => lines.follow().map(|_| ()),
            };
        }
        let path = self.path(name)?;
        let length = length(&path);
        let has_room = shelf.bytes() + (length / TEXT_PER_BYTE) as usize <= self.most_bytes;
        let curves = if length <= SHORT && has_room {
            let mut lines = Lines::new(&path);
            lines.follow()?;
            Curves::Lines(Box::new(lines))
        } else {
            Curves::Outline(Outline::open(&path)?)
        };
        shelf.runs.insert(name.to_owned(), Opened { path, curves, used: now });
        Ok(())
    }

    /// The file of a run whose lines are to be read, once there is memory for them: the least recently used runs
    /// are closed.
    fn room_for(&self, name: &str, shown: &[String]) -> Option<PathBuf> {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = shelf.runs.get(name)?;
        if matches!(opened.curves, Curves::Lines(_)) {
            return None;
        }
        let path = opened.path.clone();
        let needed = (length(&path) / TEXT_PER_BYTE) as usize;
        while shelf.bytes() + needed > self.most_bytes {
            let others = shelf.runs.iter().filter(|(other, opened)| {
                !shown.contains(other) && matches!(opened.curves, Curves::Lines(_))
            });
            let oldest = others.min_by_key(|(_, opened)| opened.used).map(|(other, _)| other.clone())?;
            shelf.runs.remove(&oldest);
        }
        Some(path)
    }
}

/// The range along x of several charts that show everything.
fn shared_range(charts: &[(&PlotRequest, Vec<Source<'_>>)]) -> Option<Range> {
    if charts.len() < 2 {
        return None;
    }
    let ranges = charts
        .iter()
        .filter(|(request, _)| request.view.x.is_none())
        .map(|(request, sources)| whole(request.view, sources))
        .filter(|range| range.start.is_finite() && range.end.is_finite());
    ranges.reduce(|one, other| Range { start: one.start.min(other.start), end: one.end.max(other.end) })
}

fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |data| data.len())
}

impl Shelf {
    fn bytes(&self) -> usize {
        let lines = self.runs.values().map(|opened| match &opened.curves {
            Curves::Lines(lines) => lines.bytes(),
            Curves::Outline(_) => 0,
        });
        lines.sum()
    }

    fn forget_outlines(&mut self, now: u64) {
        let is_outline = |opened: &Opened| matches!(opened.curves, Curves::Outline(_));
        if self.runs.values().filter(|opened| is_outline(opened)).count() > MOST_OUTLINES {
            self.runs.retain(|_, opened| opened.used == now || !is_outline(opened));
        }
    }
}

impl Curves {
    fn metrics(&self) -> Vec<Metric> {
        match self {
            Curves::Outline(outline) => outline.metrics().collect(),
            Curves::Lines(lines) => lines.metrics().cloned().collect(),
        }
    }

    fn samples<'a>(
        &'a self,
        metric: &'a Metric,
        columns: Option<Columns>,
    ) -> Box<dyn Iterator<Item = Sample> + 'a> {
        match self {
            Curves::Outline(outline) => Box::new(outline.samples(metric)),
            Curves::Lines(lines) => Box::new(lines.samples_in(metric, columns)),
        }
    }

    fn ends(&self, metric: &Metric) -> Option<[Sample; 2]> {
        match self {
            Curves::Outline(_) => None,
            Curves::Lines(lines) => lines.ends(metric),
        }
    }

    fn is_outline(&self) -> bool {
        matches!(self, Curves::Outline(_))
    }

    fn scores(&self) -> Option<RunScores> {
        match self {
            Curves::Outline(outline) => outline.scores(),
            Curves::Lines(lines) => Some(lines.scores().clone()),
        }
    }

    /// The best evaluation, and when it was.
    fn best(&self, scores: &RunScores) -> Option<Best> {
        let best = scores.best.clone()?;
        let evaluated = |metric: &Metric| metric.evaluation.as_deref() == Some(scores.on.as_str());
        let metric = self.metrics().into_iter().find(evaluated)?;
        let sample = self.samples(&metric, None).find(|sample| sample.step == best.step as f64);
        Some(Best { time: sample.map_or(0.0, |sample| sample.time), scores: best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::CorpusReference,
        runs::curves::{Curve, Horizontal, Scale},
        runs::{MetricsRow, RunConfig, Timestamp},
    };

    fn workspace_with(runs: &[(&str, u64)]) -> (tempfile::TempDir, Workspace) {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        let config = RunConfig::new(1, CorpusReference::default(), toml::Table::new());
        for (name, steps) in runs {
            let run =
                RunDirectory::create(&workspace, &name.parse().unwrap(), &config, Timestamp::now()).unwrap();
            let mut metrics = run.lock().unwrap().metrics_after(None).unwrap();
            for step in 1..=*steps {
                let time = Timestamp::from_milliseconds(step * 100);
                let row = MetricsRow::step(step, step as f64 / 100.0, time)
                    .with("loss", 1.0 / step as f64)
                    .with("lr", 0.1);
                metrics.append(&row).unwrap();
                if step % 100 == 0 {
                    let mrr = 1.0 - (step as f64 - 300.0).abs() / 1000.0;
                    metrics
                        .append(
                            &MetricsRow::evaluation("dev", step, step as f64 / 100.0, time).with("mrr", mrr),
                        )
                        .unwrap();
                }
            }
        }
        (home, workspace)
    }

    fn request(runs: &[&str], metric: &str) -> PlotRequest {
        let view = View {
            axis: Horizontal::Step,
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            x: None,
            y: None,
            columns: 100,
            smoothing: 0.0,
        };
        let runs = runs.iter().map(|run| (*run).to_owned()).collect();
        PlotRequest { runs, metric: metric.parse().unwrap(), view, groups: Vec::new() }
    }

    #[test]
    fn runs_are_overlaid_and_what_is_wrong_is_said() {
        let (_home, workspace) = workspace_with(&[("a", 500), ("b", 200)]);
        let library = Library::new(Some(workspace));
        let plotted = library.plot(&request(&["a", "gone", "b"], "loss"));
        assert_eq!(
            plotted.metrics.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["loss", "dev/mrr", "lr"]
        );
        assert_eq!(plotted.plot.curves.len(), 2);
        assert!(plotted.problems[0].contains("gone"), "{:?}", plotted.problems);
        let [a, b] = plotted.plot.curves.as_slice() else { panic!("two curves") };
        let best = |curve: &Curve| curve.best.as_ref().map(|best| best.along(Horizontal::Step));
        assert_eq!((best(a), best(b)), (Some(300.0), Some(200.0)));
        assert_eq!((a.count, b.count, a.is_outline), (500, 200, false));
    }

    #[test]
    fn long_runs_are_in_outline_first_and_have_no_more_room_than_there_is() {
        let (_home, workspace) = workspace_with(&[("a", 15_000), ("b", 15_000)]);
        let mut library = Library::new(Some(workspace));
        let plotted = library.plot(&request(&["a", "b"], "loss"));
        assert_eq!(plotted.unread, ["a", "b"]);
        assert_eq!(plotted.plot.curves[0].count, 15_000);
        let cancel = CancelToken::new();
        assert!(library.read(&plotted.unread, &cancel));
        let read = library.plot(&request(&["a", "b"], "loss"));
        assert!(read.unread.is_empty() && !read.plot.curves[1].is_outline);
        // The columns are the same, except where a bucket ends.
        let ends = |plotted: &Plotted| (plotted.plot.curves[0].lowest, plotted.plot.curves[0].count);
        assert!((ends(&plotted).0.unwrap() - ends(&read).0.unwrap()).abs() < 1e-6);
        assert_eq!(ends(&plotted).1, ends(&read).1);
        let bytes = library.bytes();
        assert!(bytes > 15_000 * 2 * 20 && bytes < 15_000 * 2 * 80, "{bytes}");
        library = Library { most_bytes: bytes / 2 + 1000, ..Library::new(library.workspace.clone()) };
        library.plot(&request(&["a", "b"], "loss"));
        library.read(&["a".to_owned(), "b".to_owned()], &cancel);
        let half = library.plot(&request(&["a", "b"], "loss"));
        assert_eq!(half.unread, ["b"]);
        // A run that is no longer shown is closed.
        library.plot(&request(&["b"], "loss"));
        assert!(library.read(&["b".to_owned()], &cancel));
    }
}
