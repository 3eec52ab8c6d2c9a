//! Groups of runs as one curve: the mean, with a band of a standard deviation around it.

use super::{Column, Curve, Plot, plot::heights};

/// Runs that are drawn as one curve, such as the seeds of one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunGroup {
    pub name: String,
    pub runs: Vec<String>,
}

/// Replaces the curves of runs by those of their groups.
pub(super) fn grouped(plot: Plot, groups: &[RunGroup]) -> Plot {
    let curves: Vec<Curve> = groups.iter().map(|group| mean_curve(&plot, group)).collect();
    let y = plot.view.y.map_or_else(|| heights(plot.view, &curves), |_| plot.y);
    Plot { y, curves, has_bands: true, ..plot }
}

fn mean_curve(plot: &Plot, group: &RunGroup) -> Curve {
    let members: Vec<&Curve> = plot.curves.iter().filter(|curve| group.runs.contains(&curve.run)).collect();
    let values: Vec<Vec<Option<(f64, f64)>>> = members.iter().map(|curve| interpolated(curve)).collect();
    let width = members.iter().map(|curve| curve.columns.len()).max().unwrap_or_default();
    let mut columns = vec![Column::default(); width];
    for (place, column) in columns.iter_mut().enumerate() {
        let here: Vec<(f64, f64)> =
            values.iter().filter_map(|values| values.get(place).copied().flatten()).collect();
        let Some((mean, deviation)) = moments(here.iter().map(|(_, value)| *value)) else { continue };
        let (first, last, low, high) = (mean, mean, mean, mean);
        *column = Column {
            count: here.len() as u64,
            x: here.iter().map(|(x, _)| x).sum::<f64>() / here.len() as f64,
            first,
            last,
            low,
            high,
            raw_low: mean - deviation,
            raw_high: mean + deviation,
            is_after_gap: false,
            not_finite: 0,
        };
    }
    let last = moments(members.iter().filter_map(|curve| curve.last));
    let means = || columns.iter().filter(|column| column.count > 0).map(|column| column.last);
    Curve {
        run: group.name.clone(),
        count: members.iter().map(|curve| curve.count).sum(),
        not_finite: members.iter().map(|curve| curve.not_finite).sum(),
        last: last.map(|(mean, _)| mean),
        deviation: last.map(|(_, deviation)| deviation),
        lowest: means().reduce(f64::min),
        highest: means().reduce(f64::max),
        is_outline: members.iter().any(|curve| curve.is_outline),
        columns,
        ..Curve::default()
    }
}

/// The mean and the sample standard deviation, which is 0 for a single value.
fn moments(values: impl Iterator<Item = f64> + Clone) -> Option<(f64, f64)> {
    let count = values.clone().count();
    if count == 0 {
        return None;
    }
    let mean = values.clone().sum::<f64>() / count as f64;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    Some((mean, (squares / (count.max(2) - 1) as f64).sqrt()))
}

/// The position and the value of a run in every column between its first and its last: between two columns with values
/// a straight line, since runs are not evaluated at the same steps.
fn interpolated(curve: &Curve) -> Vec<Option<(f64, f64)>> {
    let mut values = vec![None; curve.columns.len()];
    let mut before: Option<usize> = None;
    for (place, column) in curve.columns.iter().enumerate().filter(|(_, column)| column.count > 0) {
        if let Some(start) = before {
            let from = &curve.columns[start];
            for (step, value) in values[start + 1..place].iter_mut().enumerate() {
                let share = (step + 1) as f64 / (place - start) as f64;
                let at = |one: f64, other: f64| one + share * (other - one);
                *value = Some((at(from.x, column.x), at(from.last, column.last)));
            }
        }
        values[place] = Some((column.x, column.last));
        before = Some(place);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::curves::{Horizontal, Range, Scale, View};

    fn curve(run: &str, values: &[Option<f64>]) -> Curve {
        let column = |(place, value): (usize, &Option<f64>)| match value {
            Some(value) => Column {
                count: 1,
                x: place as f64,
                first: *value,
                last: *value,
                low: *value,
                high: *value,
                raw_low: *value,
                raw_high: *value,
                ..Column::default()
            },
            None => Column::default(),
        };
        let columns = values.iter().enumerate().map(column).collect();
        Curve {
            run: run.to_owned(),
            columns,
            last: values.iter().flatten().last().copied(),
            ..Curve::default()
        }
    }

    #[test]
    fn a_group_is_the_mean_of_its_runs_with_a_band() {
        let view = View {
            axis: Horizontal::Step,
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            x: None,
            y: None,
            columns: 3,
            smoothing: 0.0,
        };
        let range = Range { start: 0.0, end: 2.0 };
        let curves = vec![
            curve("a", &[Some(1.0), None, Some(3.0)]),
            curve("b", &[Some(3.0), Some(4.0), None]),
            curve("c", &[Some(9.0), Some(9.0), Some(9.0)]),
        ];
        let plot = Plot { view, x: range, y: range, curves, has_bands: false };
        let groups = [
            RunGroup { name: "seeds".to_owned(), runs: vec!["a".to_owned(), "b".to_owned()] },
            RunGroup { name: "c".to_owned(), runs: vec!["c".to_owned()] },
        ];
        let grouped = grouped(plot, &groups);
        let [seeds, single] = grouped.curves.as_slice() else { panic!("two groups") };
        let means: Vec<f64> = seeds.columns.iter().map(|column| column.last).collect();
        // Between its two values a run lies on a line; after its last value it does not count.
        assert_eq!(means, [2.0, 3.0, 3.0]);
        let spread = 2f64.sqrt();
        assert_eq!((seeds.columns[0].raw_low, seeds.columns[0].raw_high), (2.0 - spread, 2.0 + spread));
        assert!((seeds.columns[0].deviation() - spread).abs() < 1e-12 && seeds.columns[2].deviation() == 0.0);
        assert_eq!((seeds.last, single.last, single.deviation), (Some(3.5), Some(9.0), Some(0.0)));
        assert!(grouped.has_bands && grouped.y.end > 9.0);
    }
}
