//! Laws of the file of metrics as a whole.

use std::{fs, path::PathBuf};

use proptest::prelude::*;

use super::*;
use crate::runs::Timestamp;

fn row(step: u64) -> MetricsRow<'static> {
    let time = Timestamp::from_milliseconds(1_000_000 + step * 20);
    match step % 7 {
        3 => MetricsRow::evaluation("dev", step, 0.5, time).with("mrr", 0.5),
        5 => MetricsRow::step(step, 0.5, time).with("loss", f64::NAN).with("rate", 0.1),
        _ => MetricsRow::step(step, 0.5, time).with("loss", 1.0 / (step + 1) as f64).with("rate", 0.1),
    }
}

fn file_of(steps: impl IntoIterator<Item = u64>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("metrics.jsonl");
    let mut writer = MetricsWriter::resume(&path, None).unwrap();
    steps.into_iter().for_each(|step| writer.append(&row(step)).unwrap());
    drop(writer);
    (folder, path)
}

/// NaN is not equal to itself; its text is.
fn shown(rows: &[MetricsRow<'_>]) -> Vec<String> {
    rows.iter().map(|row| format!("{row:?}")).collect()
}

fn rows(steps: impl IntoIterator<Item = u64>) -> Vec<String> {
    shown(&steps.into_iter().map(row).collect::<Vec<_>>())
}

#[test]
fn a_file_cut_at_any_byte_reads_as_a_beginning_of_itself() {
    let (_folder, path) = file_of(0..12);
    let whole = fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let ends = whole[..cut].iter().filter(|byte| **byte == b'\n').count() as u64;
        assert_eq!(shown(&Tail::read_all(&path).unwrap()), rows(0..ends));
        // And a writer that continues there leaves no trace of the cut.
        let last = ends.checked_sub(1);
        let mut writer = MetricsWriter::resume(&path, last).unwrap();
        (ends..12).for_each(|step| writer.append(&row(step)).unwrap());
        drop(writer);
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn going_on_after_a_step_drops_what_came_later(count in 0u64..60, at in 0u64..70, junk: bool) {
        let (_folder, path) = file_of(0..count);
        if junk {
            let text = fs::read_to_string(&path).unwrap() + "{\"step\":\n{\"torn";
            fs::write(&path, text).unwrap();
        }
        let mut tail = Tail::new(&path);
        tail.read(|_| {}).unwrap();
        let mut writer = MetricsWriter::resume(&path, Some(at)).unwrap();
        writer.append(&row(at + 1)).unwrap();
        drop(writer);
        let kept = (0..count.min(at + 1)).chain([at + 1]);
        prop_assert_eq!(shown(&Tail::read_all(&path).unwrap()), rows(kept));
        let restarted = std::cell::Cell::new(false);
        tail.read(|tailed| restarted.set(restarted.get() || tailed == Tailed::Restarted)).unwrap();
        prop_assert_eq!(restarted.get(), count > at + 2 || junk, "the next line is the one that was there");
        let dropped = fs::read_to_string(path.with_extension("dropped.jsonl")).unwrap_or_default();
        prop_assert_eq!(dropped.lines().count() as u64, count.saturating_sub(at + 1) + u64::from(junk));
        // The stored summary equals the one that reading all lines gives.
        let kept = Summary::open(&path).unwrap();
        fs::remove_file(path.with_extension("summary")).unwrap();
        prop_assert_eq!(format!("{:?}", Summary::open(&path).unwrap()), format!("{kept:?}"));
    }

    #[test]
    fn a_summary_loses_no_spike(values in prop::collection::vec(prop::num::f64::ANY, 1..3000)) {
        let mut summary = Summary::default();
        for (step, value) in values.iter().enumerate() {
            summary.add_line(&MetricsRow::step(step as u64, 0.0, Timestamp::default()).with("loss", *value), b"");
        }
        let [series] = summary.series() else { panic!("one curve") };
        prop_assert!(series.buckets.len() <= summary::MOST_BUCKETS);
        let mut rest = values.as_slice();
        for bucket in &series.buckets {
            let (own, others) = rest.split_at(bucket.count as usize);
            rest = others;
            let finite = || own.iter().copied().filter(|value| value.is_finite());
            prop_assert_eq!(bucket.minimum, finite().fold(f64::INFINITY, f64::min));
            prop_assert_eq!(bucket.maximum, finite().fold(f64::NEG_INFINITY, f64::max));
            prop_assert_eq!(bucket.not_finite as usize, own.len() - finite().count());
            prop_assert_eq!(bucket.last_step - bucket.first_step + 1, bucket.count);
        }
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn a_damaged_summary_is_never_believed(at in 0usize..10_000, bit in 0u8..8) {
        let (_folder, path) = file_of(0..40);
        let beside = path.with_extension("summary");
        let mut bytes = fs::read(&beside).unwrap();
        let expected = format!("{:?}", Summary::open(&path).unwrap());
        let at = at % bytes.len();
        bytes[at] ^= 1 << bit;
        fs::write(&beside, &bytes).unwrap();
        prop_assert!(stored::read(&beside).is_none());
        fs::write(&beside, &bytes[..at]).unwrap();
        prop_assert!(stored::read(&beside).is_none());
        prop_assert_eq!(format!("{:?}", Summary::open(&path).unwrap()), expected);
    }
}

#[test]
fn a_summary_of_another_file_is_not_used() {
    let (_folder, path) = file_of(0..40);
    let (_other, foreign) = file_of(100..180);
    fs::copy(foreign.with_extension("summary"), path.with_extension("summary")).unwrap();
    assert_eq!(Summary::open(&path).unwrap().lines(), 40);
    // Nor is one whose file is gone, cut or not begun.
    fs::write(&path, "").unwrap();
    assert_eq!(Summary::open(&path).unwrap(), Summary::default());
    fs::remove_file(&path).unwrap();
    assert_eq!(Summary::open(&path).unwrap(), Summary::default());
}

#[test]
fn a_summary_follows_a_growing_file() {
    let (_folder, path) = file_of(0..10);
    let mut summary = Summary::open(&path).unwrap();
    let mut tail = Tail::from(&path, summary.anchor().clone());
    let mut writer = MetricsWriter::resume(&path, Some(9)).unwrap();
    (10..20).for_each(|step| writer.append(&row(step)).unwrap());
    writer.flush().unwrap();
    summary.follow(&mut tail).unwrap();
    assert_eq!(summary.lines(), 20);
    drop(writer);
    MetricsWriter::resume(&path, Some(4)).unwrap();
    summary.follow(&mut tail).unwrap();
    assert_eq!(summary.lines(), 5);
}

#[test]
fn lines_wait_half_a_second_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("metrics.jsonl");
    let mut writer = MetricsWriter::resume(&path, None).unwrap();
    let mut lines_after = |step: u64, milliseconds: u64| {
        writer
            .append(&MetricsRow::step(step, 0.0, Timestamp::from_milliseconds(1_000_000 + milliseconds)))
            .unwrap();
        Tail::read_all(&path).unwrap().len()
    };
    assert_eq!([lines_after(0, 0), lines_after(1, 100), lines_after(2, 499)], [1, 1, 1]);
    assert_eq!([lines_after(3, 500), lines_after(4, 600)], [4, 4]);
    let wrong = MetricsRow::step(1, 0.0, Timestamp::default()).with("time", 1.0);
    assert!(writer.append(&wrong).unwrap_err().to_string().contains("metrics.jsonl"));
    drop(writer);
    assert_eq!(Tail::read_all(&path).unwrap().len(), 5);
}

#[test]
fn the_last_rows_are_read_from_the_end() {
    let (_folder, path) = file_of(0..300);
    assert_eq!(shown(&last_rows(&path, 3).unwrap()), rows(297..300));
    assert!(last_rows(&path.with_extension("none"), 3).unwrap().is_empty());
}
