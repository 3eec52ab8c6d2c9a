//! The lines of a run's metrics as columns of numbers, following the file as it grows.

use std::path::{Path, PathBuf};

use super::{Metric, Sample};
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
    scores: RunScores,
    unreadable: u64,
}

#[derive(Clone, Debug)]
struct Series {
    metric: Metric,
    /// The line of each value.
    lines: Vec<u32>,
    values: Vec<f32>,
}

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
        let series: usize =
            self.series.iter().map(|series| 4 * (series.lines.capacity() + series.values.capacity())).sum();
        4 * (self.steps.capacity() + self.epochs.capacity() + self.times.capacity()) + series
    }

    /// The values of a metric, in the order of the file.
    pub fn samples(&self, metric: &Metric) -> impl Iterator<Item = Sample> {
        let series = self.series.iter().find(|series| series.metric == *metric);
        series.into_iter().flat_map(|series| {
            series.lines.iter().zip(&series.values).map(|(line, value)| {
                let line = *line as usize;
                let value = f64::from(*value);
                Sample {
                    step: f64::from(self.steps[line]),
                    epoch: f64::from(self.epochs[line]),
                    time: f64::from(self.times[line]),
                    value,
                    low: value,
                    high: value,
                    count: 1,
                    not_finite: u64::from(!value.is_finite()),
                }
            })
        })
    }

    fn forget(&mut self) {
        self.start = None;
        self.steps.clear();
        self.epochs.clear();
        self.times.clear();
        self.series.clear();
        self.scores = RunScores::default();
        self.unreadable = 0;
    }

    pub(super) fn add(&mut self, row: &MetricsRow<'_>) {
        let Ok(line) = u32::try_from(self.steps.len()) else { return };
        let start = *self.start.get_or_insert(row.time);
        self.steps.push(u32::try_from(row.step).unwrap_or(u32::MAX));
        self.epochs.push(row.epoch as f32);
        self.times.push(row.time.since(start).as_secs_f32());
        self.scores.add_row(row);
        for (position, (name, value)) in row.values.iter().enumerate() {
            if let Some(series) = self.series_of(row.evaluation.as_deref(), name, position) {
                series.lines.push(line);
                series.values.push(*value as f32);
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
            self.series.push(Series { metric, lines: Vec::new(), values: Vec::new() });
            return self.series.last_mut();
        }
        self.series.get_mut(found?)
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
}
