//! The lines of a run's metrics as columns of numbers, following the file as it grows.

use std::path::{Path, PathBuf};

use super::{Metric, Sample, plot::Columns};
use crate::runs::{MetricsRow, RunError, RunScores, Tail, Tailed, Timestamp};

/// A run with more names than this has numbers in its names; further ones are ignored.
const MOST_SERIES: usize = 64;

/// All values of a run, in single precision.
#[derive(Clone, Debug)]
pub struct Lines {
    path: PathBuf,
    tail: Tail,
    /// The time of the first line.
    start: Option<Timestamp>,
    steps: Vec<u32>,
    epochs: Vec<f32>,
    /// Seconds since the first line.
    times: Vec<f32>,
    series: Vec<Series>,
    /// Whether no line was earlier than the one before it, along any axis.
    is_ascending: bool,
    scores: RunScores,
    unreadable: u64,
}

#[derive(Clone, Debug)]
struct Series {
    metric: Metric,
    /// Where values of consecutive lines begin: the index of the value, and its line.
    stretches: Vec<(u32, u32)>,
    values: Vec<f32>,
    /// Summaries of the full blocks of values.
    blocks: Vec<Block>,
}

/// Consecutive values that are drawn together when they fall into one column.
#[derive(Clone, Copy, Debug)]
struct Block {
    low: f32,
    high: f32,
}

/// Values of a block: a chart of 100 columns of a run of 100,000 lines has a thousand lines in a column.
const BLOCK: usize = 64;

impl Lines {
    /// A metrics file that is yet to be read.
    pub fn new(path: &Path) -> Lines {
        Lines {
            path: path.to_owned(),
            tail: Tail::new(path),
            start: None,
            steps: Vec::new(),
            epochs: Vec::new(),
            times: Vec::new(),
            series: Vec::new(),
            is_ascending: true,
            scores: RunScores::default(),
            unreadable: 0,
        }
    }

    /// Reads the complete lines; `true` when there were any.
    pub fn follow(&mut self) -> Result<bool, RunError> {
        let mut tail = self.tail.clone();
        let mut is_changed = false;
        let read = tail.read(|tailed| {
            is_changed = true;
            match tailed {
                Tailed::Restarted => self.forget(),
                Tailed::Row(row) => self.add(&row),
                Tailed::Unreadable(_) => self.unreadable += 1,
            }
        });
        match read {
            Ok(()) => self.tail = tail,
            // The next read starts from the beginning, so nothing may stay that it would read twice.
            Err(_) => *self = Lines::new(&self.path.clone()),
        }
        read.map(|()| is_changed)
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The best and the last evaluation.
    pub fn scores(&self) -> &RunScores {
        &self.scores
    }

    /// Complete lines that are not metrics.
    #[cfg(test)]
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    pub fn metrics(&self) -> impl Iterator<Item = &Metric> {
        self.series.iter().map(|series| &series.metric)
    }

    /// Its size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        let of = |series: &Series| {
            4 * series.values.capacity() + 8 * (series.stretches.capacity() + series.blocks.capacity())
        };
        let series: usize = self.series.iter().map(of).sum();
        4 * (self.steps.capacity() + self.epochs.capacity() + self.times.capacity()) + series
    }

    /// Gives back the memory beyond the values, after a long file was read.
    pub fn shrink(&mut self) {
        self.steps.shrink_to_fit();
        self.epochs.shrink_to_fit();
        self.times.shrink_to_fit();
        for series in &mut self.series {
            series.values.shrink_to_fit();
            series.stretches.shrink_to_fit();
            series.blocks.shrink_to_fit();
        }
    }

    /// The values of a metric, in the order of the file.
    pub fn samples(&self, metric: &Metric) -> impl Iterator<Item = Sample> {
        self.samples_in(metric, None)
    }

    /// The values of a metric for the columns of a chart: those of a block come together if they fall into one column.
    pub fn samples_in(&self, metric: &Metric, columns: Option<Columns>) -> impl Iterator<Item = Sample> {
        let series = self.series.iter().find(|series| series.metric == *metric);
        let columns = columns.filter(|_| self.is_ascending);
        series.into_iter().flat_map(move |series| SeriesSamples {
            lines: self,
            series,
            columns,
            next: 0,
            stretch: 0,
            is_inside: true,
        })
    }

    /// The first and the last value of a metric, if no line was earlier than the one before it.
    pub fn ends(&self, metric: &Metric) -> Option<[Sample; 2]> {
        let series = self.series.iter().find(|series| series.metric == *metric)?;
        let last = series.values.len().checked_sub(1)?;
        let (start, line) = *series.stretches.last()?;
        let ends = [(0, series.stretches.first()?.1), (last, line + (last as u32 - start))];
        self.is_ascending.then(|| ends.map(|(value, line)| self.sample(line, series.values[value])))
    }

    fn sample(&self, line: u32, value: f32) -> Sample {
        let (line, value) = (line as usize, f64::from(value));
        Sample {
            step: f64::from(self.steps[line]),
            epoch: f64::from(self.epochs[line]),
            time: f64::from(self.times[line]),
            value,
            first: value,
            low: value,
            high: value,
            count: 1,
            not_finite: u64::from(!value.is_finite()),
        }
    }

    fn forget(&mut self) {
        self.start = None;
        self.steps.clear();
        self.epochs.clear();
        self.times.clear();
        self.series.clear();
        self.is_ascending = true;
        self.scores = RunScores::default();
        self.unreadable = 0;
    }

    pub(super) fn add(&mut self, row: &MetricsRow<'_>) {
        let Ok(line) = u32::try_from(self.steps.len()) else { return };
        let start = *self.start.get_or_insert(row.time);
        let place = (
            u32::try_from(row.step).unwrap_or(u32::MAX),
            row.epoch as f32,
            row.time.since(start).as_secs_f32(),
        );
        let is_later = self.steps.last().is_none_or(|step| *step <= place.0)
            && self.epochs.last().is_none_or(|epoch| *epoch <= place.1)
            && self.times.last().is_none_or(|time| *time <= place.2);
        self.is_ascending &= is_later && place.1.is_finite();
        self.steps.push(place.0);
        self.epochs.push(place.1);
        self.times.push(place.2);
        self.scores.add_row(row);
        for (position, (name, value)) in row.values.iter().enumerate() {
            if let Some(series) = self.series_of(row.evaluation.as_deref(), name, position) {
                series.add(line, *value as f32);
            }
        }
    }

    /// Lines mostly have the same names in the same order, so the search starts where the name was last time.
    fn series_of(&mut self, evaluation: Option<&str>, name: &str, position: usize) -> Option<&mut Series> {
        let is = |series: &Series| series.metric.is(evaluation, name);
        let found = match self.series.get(position).is_some_and(is) {
            true => Some(position),
            false => self.series.iter().position(is),
        };
        if found.is_none() && self.series.len() < MOST_SERIES {
            let metric = Metric { evaluation: evaluation.map(str::to_owned), name: name.to_owned() };
            self.series.push(Series::new(metric));
            return self.series.last_mut();
        }
        self.series.get_mut(found?)
    }
}

impl Series {
    fn new(metric: Metric) -> Series {
        Series { metric, stretches: Vec::new(), values: Vec::new(), blocks: Vec::new() }
    }

    fn add(&mut self, line: u32, value: f32) {
        let place = self.values.len() as u32;
        if self.stretches.last().is_none_or(|(start, first)| line != first + (place - start)) {
            self.stretches.push((place, line));
        }
        self.values.push(value);
        if self.values.len().is_multiple_of(BLOCK) {
            let values = &self.values[self.values.len() - BLOCK..];
            // A value that is not finite makes the block one that is never drawn together.
            let is_finite = values.iter().all(|value| value.is_finite());
            let low = values.iter().copied().fold(f32::INFINITY, f32::min);
            let high = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            self.blocks.push(Block { low: if is_finite { low } else { f32::NAN }, high });
        }
    }
}

/// The values of a series, one by one or in blocks.
struct SeriesSamples<'a> {
    lines: &'a Lines,
    series: &'a Series,
    columns: Option<Columns>,
    /// The index of the next value, and of the stretch that has it.
    next: usize,
    stretch: usize,
    /// Whether the value before the next block is visible, or there is none.
    is_inside: bool,
}

impl SeriesSamples<'_> {
    /// The line of a value that is not before the next one.
    fn line(&self, value: usize) -> u32 {
        let stretches = &self.series.stretches[self.stretch..];
        let later = stretches.iter().skip(1).take_while(|(start, _)| *start as usize <= value).count();
        let (start, line) = stretches[later];
        line + (value as u32 - start)
    }

    /// The block that begins here, if all of it falls into one column and the curve does not enter the chart with it.
    fn block(&self) -> Option<Sample> {
        let columns = self.columns?;
        if !self.next.is_multiple_of(BLOCK) || !self.is_inside {
            return None;
        }
        let block = self.series.blocks.get(self.next / BLOCK)?;
        if !columns.takes_together(f64::from(block.low)) {
            return None;
        }
        let values = &self.series.values[self.next..self.next + BLOCK];
        let first = self.lines.sample(self.line(self.next), values[0]);
        let last = self.lines.sample(self.line(self.next + BLOCK - 1), values[BLOCK - 1]);
        let column = columns.of(&first)?;
        (columns.of(&last) == Some(column)).then_some(Sample {
            first: first.value,
            low: f64::from(block.low),
            high: f64::from(block.high),
            count: BLOCK as u64,
            not_finite: 0,
            ..last
        })
    }
}

impl Iterator for SeriesSamples<'_> {
    type Item = Sample;

    fn next(&mut self) -> Option<Sample> {
        let value = *self.series.values.get(self.next)?;
        while self
            .series
            .stretches
            .get(self.stretch + 1)
            .is_some_and(|(start, _)| *start as usize <= self.next)
        {
            self.stretch += 1;
        }
        if let Some(block) = self.block() {
            self.next += BLOCK;
            return Some(block);
        }
        let (start, line) = self.series.stretches[self.stretch];
        let sample = self.lines.sample(line + (self.next as u32 - start), value);
        self.next += 1;
        if self.next.is_multiple_of(BLOCK) {
            self.is_inside = self.columns.is_some_and(|columns| columns.of(&sample).is_some());
        }
        Some(sample)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;
    use crate::runs::MetricsWriter;

    fn row(step: u64) -> MetricsRow<'static> {
        let time = Timestamp::from_milliseconds(1_000_000 + step * 500);
        MetricsRow::step(step, step as f64 / 10.0, time).with("loss", 1.0 / step as f64).with("lr", 0.1)
    }

    #[test]
    fn a_growing_file_is_followed_and_a_torn_line_waits_for_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let mut lines = Lines::new(&path);
        assert!(!lines.follow().unwrap() && lines.len() == 0);
        let mut writer = MetricsWriter::resume(&path, None).unwrap();
        (1..=3).for_each(|step| writer.append(&row(step)).unwrap());
        writer
            .append(
                &MetricsRow::evaluation("dev", 3, 0.3, Timestamp::from_milliseconds(1_002_000))
                    .with("mrr", 0.5),
            )
            .unwrap();
        drop(writer);
        assert!(lines.follow().unwrap());
        assert_eq!((lines.len(), lines.metrics().count()), (4, 3));
        let mut file = fs::File::options().append(true).open(&path).unwrap();
        file.write_all(b"{\"step\":4,\"time\":1003,\"loss\":\"Na").unwrap();
        lines.follow().unwrap();
        assert_eq!(lines.len(), 4);
        file.write_all(b"N\"}\nwhat\n").unwrap();
        assert!(lines.follow().unwrap() && !lines.follow().unwrap());
        let loss: Vec<Sample> = lines.samples(&Metric::training("loss")).collect();
        assert_eq!((loss.len(), loss[1].step, loss[1].time, loss[3].not_finite), (4, 2.0, 0.5, 1));
        assert_eq!((lines.unreadable(), lines.samples(&"dev/mrr".parse().unwrap()).count()), (1, 1));
        // A run that was resumed at an earlier step starts again.
        drop(MetricsWriter::resume(&path, Some(2)).unwrap());
        lines.follow().unwrap();
        assert_eq!((lines.len(), lines.unreadable()), (2, 0));
    }

    /// Every column is the same whether values come one by one or in blocks.
    #[test]
    fn blocks_draw_the_same_columns_as_single_values() {
        use crate::runs::curves::{Horizontal, Range, Scale, View, plot, plot::Source};

        let mut lines = Lines::new(Path::new("none"));
        let metric = Metric::training("loss");
        for step in 1..=5000u64 {
            let value = match step {
                700 | 701 => f64::NAN,
                2900 => -3.0,
                _ => 2.0 + (step as f64 / 70.0).sin() + if step == 4000 { 50.0 } else { 0.0 },
            };
            let time = Timestamp::from_milliseconds(step * 500);
            lines.add(&MetricsRow::step(step, step as f64 / 10.0, time).with("loss", value).with("lr", 0.1));
            if step % 50 == 0 {
                lines.add(&MetricsRow::evaluation("dev", step, step as f64 / 10.0, time).with("mrr", 0.5));
            }
        }
        let zoomed = Some(Range { start: 611.0, end: 3777.0 });
        for (x, columns) in [(None, 10), (None, 37), (zoomed, 13), (zoomed, 400)] {
            for (y_scale, smoothing) in [(Scale::Linear, 0.0), (Scale::Log, 0.0), (Scale::Linear, 0.9)] {
                for axis in [Horizontal::Step, Horizontal::Epoch, Horizontal::Time] {
                    let x = x.filter(|_| axis == Horizontal::Step);
                    let x_scale = Scale::Linear;
                    let view = View { axis, x_scale, y_scale, x, y: None, columns, smoothing };
                    let drawn = |is_blocked: bool| {
                        let (lines, metric) = (&lines, &metric);
                        let source = Source {
                            run: "one",
                            samples: Box::new(move |columns: Option<Columns>| {
                                Box::new(lines.samples_in(metric, columns.filter(|_| is_blocked)))
                            }),
                            ends: lines.ends(metric).filter(|_| is_blocked),
                            best: None,
                            is_outline: false,
                        };
                        plot(view, &[source])
                    };
                    assert_eq!(drawn(true), drawn(false), "{view:?}");
                }
            }
        }
        let visited = {
            let view = View {
                axis: Horizontal::Step,
                x_scale: Scale::Linear,
                y_scale: Scale::Linear,
                x: None,
                y: None,
                columns: 10,
                smoothing: 0.0,
            };
            let counted = std::cell::Cell::new(0);
            let (lines, metric, counted_ref) = (&lines, &metric, &counted);
            let source = Source {
                run: "one",
                samples: Box::new(move |columns: Option<Columns>| {
                    let samples = lines.samples_in(metric, columns);
                    Box::new(samples.inspect(move |_| counted_ref.set(counted_ref.get() + 1)))
                }),
                ends: lines.ends(metric),
                best: None,
                is_outline: false,
            };
            plot(view, &[source]);
            counted.get()
        };
        assert!(visited < 1000, "{visited} samples were visited for 5000 lines");
    }
}
