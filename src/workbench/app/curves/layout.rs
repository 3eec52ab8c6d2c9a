//! The layout of Curves.

use crate::workbench::app::area::Area;

/// The areas; one without space is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurvesLayout {
    pub header: Area,
    /// Everything between the header and the list: one chart with its axes, or the grid.
    pub charts: Area,
    /// The chart without its axes.
    pub plot: Area,
    /// The labels left of it and below it.
    pub y_axis: Area,
    pub x_axis: Area,
    pub divider: Area,
    pub list_header: Area,
    pub list: Area,
}

/// From this width on the runs are listed beside the chart.
const WIDE: u16 = 100;
const LIST_WIDTH: u16 = 40;
/// From this height on they are listed below it.
const TALL: u16 = 14;
/// The width of the axis labels.
const NUMBERS: u16 = 8;

pub fn layout(area: Area, runs: usize) -> CurvesLayout {
    let (header, rest) = area.split_top(u16::from(area.height >= 5));
    let mut parts = CurvesLayout { header, ..CurvesLayout::default() };
    let chart = if rest.width >= WIDE {
        let (chart, beside) = rest.split_left(rest.width - LIST_WIDTH);
        let (divider, list) = beside.split_left(1);
        parts.divider = divider;
        (parts.list_header, parts.list) = list.split_top(u16::from(list.height >= 2));
        chart
    } else if rest.height >= TALL {
        let rows = (runs as u16).clamp(1, (rest.height - 8) / 2).saturating_add(1);
        let (chart, list) = rest.split_top(rest.height - rows);
        (parts.list_header, parts.list) = list.split_top(1);
        chart
    } else {
        rest
    };
    parts.charts = chart;
    let (upper, x_axis) = chart.split_top(chart.height - u16::from(chart.height >= 4));
    let numbers = if chart.width >= 40 { NUMBERS } else { 0 };
    let (y_axis, plot) = upper.split_left(numbers);
    parts.x_axis = x_axis.split_left(numbers.min(x_axis.width)).1;
    CurvesLayout { plot, y_axis, ..parts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_inside_and_the_chart_is_there_at_any_size() {
        for (width, height) in
            (0..220).step_by(7).flat_map(|width| (0..60).map(move |height| (width, height)))
        {
            let area = Area::new(0, 1, width, height);
            for runs in [0, 1, 5, 300] {
                let parts = layout(area, runs);
                let all =
                    [parts.header, parts.plot, parts.y_axis, parts.x_axis, parts.divider, parts.list_header];
                for part in all.into_iter().chain([parts.list]) {
                    assert!(
                        part.is_empty() || part.right() <= area.right() && part.bottom() <= area.bottom()
                    );
                }
                assert!(area.is_empty() || !parts.plot.is_empty(), "{width} {height}");
            }
        }
    }
}
