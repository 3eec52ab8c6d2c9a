//! The outline of a run: the buckets stored beside its metrics, read quickly however long the run is.

use std::path::Path;

use super::{Metric, Sample};
use crate::runs::{RunError, RunScores, Summary, Tail, Timestamp};

/// The curves of a run in a few hundred buckets each, following the file.
#[derive(Clone, Debug)]
pub struct Outline {
    summary: Summary,
    tail: Tail,
}

impl Outline {
    pub fn open(path: &Path) -> Result<Outline, RunError> {
        let summary = Summary::open(path)?;
        let tail = Tail::from(path, summary.anchor().clone());
        Ok(Outline { summary, tail })
    }

    /// Reads what was appended.
    pub fn follow(&mut self) -> Result<(), RunError> {
        self.summary.follow(&mut self.tail)
    }

    /// The best and the last evaluation, if the buckets hold single evaluations.
    pub fn scores(&self) -> Option<RunScores> {
        RunScores::of_summary(&self.summary)
    }

    #[cfg(test)]
    pub fn lines(&self) -> u64 {
        self.summary.lines()
    }

    pub fn metrics(&self) -> impl Iterator<Item = Metric> {
        let series = self.summary.series().iter();
        series.map(|series| Metric { evaluation: series.evaluation.clone(), name: series.name.clone() })
    }

    /// The values of a metric; each sample represents the lines of a bucket.
    pub fn samples(&self, metric: &Metric) -> impl Iterator<Item = Sample> {
        let start = self.start();
        let is = |series: &&crate::runs::Series| metric.is(series.evaluation.as_deref(), &series.name);
        let series = self.summary.series().iter().find(is);
        series.into_iter().flat_map(|series| &series.buckets).map(move |bucket| Sample {
            step: bucket.last_step as f64,
            epoch: bucket.epoch,
            time: bucket.time.since(start).as_secs_f64(),
            value: bucket.mean().unwrap_or(f64::NAN),
            first: bucket.mean().unwrap_or(f64::NAN),
            low: bucket.minimum,
            high: bucket.maximum,
            count: bucket.count,
            not_finite: bucket.not_finite,
        })
    }

    /// The last value of a metric.
    #[cfg(test)]
    pub fn last(&self, evaluation: Option<&str>, name: &str) -> Option<f64> {
        let is =
            |series: &&crate::runs::Series| series.name == name && series.evaluation.as_deref() == evaluation;
        self.summary.series().iter().find(is)?.last()
    }

    /// The approximate start of the run: a bucket has only the time of its end.
    fn start(&self) -> Timestamp {
        let first = self.summary.series().iter().filter_map(|series| series.buckets.first());
        first.map(|bucket| bucket.time).min().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::{MetricsRow, MetricsWriter};

    #[test]
    fn an_outline_has_every_spike_and_follows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let mut writer = MetricsWriter::resume(&path, None).unwrap();
        let mut write = |steps: std::ops::RangeInclusive<u64>| {
            for step in steps {
                let loss = if step == 1234 { 50.0 } else { 1.0 };
                let time = Timestamp::from_milliseconds(step * 1000);
                writer.append(&MetricsRow::step(step, 0.0, time).with("loss", loss)).unwrap();
            }
            writer.flush().unwrap();
        };
        write(1..=3000);
        let mut outline = Outline::open(&path).unwrap();
        let metric = Metric::training("loss");
        let samples: Vec<Sample> = outline.samples(&metric).collect();
        assert!(samples.len() <= 512);
        assert_eq!(samples.iter().map(|sample| sample.count).sum::<u64>(), 3000);
        assert_eq!(samples.iter().map(|sample| sample.high).fold(0.0, f64::max), 50.0);
        write(3001..=3010);
        outline.follow().unwrap();
        assert_eq!((outline.lines(), outline.last(None, "loss")), (3010, Some(1.0)));
    }
}
