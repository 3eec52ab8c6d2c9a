//! The dialog of the ranges: three small histograms, each with the range of lengths that passes.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{Sparkline, SparklineBar, Widget},
};

use crate::{
    base::numbers::counted,
    workbench::{
        app::browse::{
            Browse,
            ranges::{Measure, RangeEnd, RangeRow, bars, column_of, longest},
        },
        theme::Scope,
        ui::{styles::Styles, text::LineBuilder, widgets::dialog::Dialog},
    },
};

pub struct RangesDialog<'a> {
    pub browse: &'a Browse,
    pub styles: &'a Styles,
}

impl RangesDialog<'_> {
    pub fn render_if_open(self, buf: &mut Buffer) {
        let Some(parts) = self.browse.range_box() else { return };
        let title = format!("lengths · {}", counted(self.browse.list.len(), "pair"));
        Dialog { title: &title, has_border: parts.has_border, styles: self.styles }
            .render(parts.frame.into(), buf);
        for measure in Measure::ALL {
            self.render_measure(measure, &parts.rows[measure as usize], buf);
        }
    }

    fn render_measure(&self, measure: Measure, row: &RangeRow, buf: &mut Buffer) {
        if row.title.is_empty() {
            return;
        }
        let moving = self.browse.range_editor.as_ref().filter(|editor| editor.measure == measure);
        let moving = moving.map(|editor| editor.end);
        self.render_title(measure, moving, row.title.into(), buf);
        let longest = longest(measure, &self.browse.histograms);
        let bounds = self.browse.ranges.get(measure);
        let (least, most) = (bounds.least.unwrap_or(0), bounds.most.unwrap_or(longest));
        self.render_histogram(measure, (least, most, longest), row.bars.into(), buf);
        if !row.marks.is_empty() {
            let ends = [least, most].map(|value| column_of(value, row.marks.width, longest));
            self.render_range(ends, moving, row.marks.into(), buf);
        }
    }

    fn render_histogram(
        &self,
        measure: Measure,
        (least, most, longest): (u32, u32, u32),
        area: Rect,
        buf: &mut Buffer,
    ) {
        let (plain, chosen) = (self.styles[Scope::UiHistogram], self.styles[Scope::UiHistogramChosen]);
        let counts = bars(measure, &self.browse.histograms);
        let tallest = u64::from(counts.iter().copied().max().unwrap_or(0).max(1));
        let full = u64::from(area.height) * 8;
        let bar = |column: u16| {
            let bar =
                u64::from(column) * u64::from(longest) / u64::from(area.width) / u64::from(measure.step());
            let count = u64::from(counts.get(bar as usize).copied().unwrap_or(0));
            let (start, end) = (bar as u32 * measure.step(), (bar as u32 + 1) * measure.step());
            let style = if start <= most && end > least { chosen } else { plain };
            // In eighths of a row. A bar that is not empty is always visible.
            let eighths = (full * count).div_ceil(tallest).max(u64::from(count > 0));
            SparklineBar::from(eighths).style(Some(style))
        };
        Sparkline::default().data((0..area.width).map(bar)).max(full).render(area, buf);
    }

    /// `▸statement length   20–120 tokens`, with the end that moves between signs.
    fn render_title(&self, measure: Measure, moving: Option<RangeEnd>, area: Rect, buf: &mut Buffer) {
        let (text, key, dim) =
            (self.styles[Scope::UiHelp], self.styles[Scope::UiHintKey], self.styles[Scope::UiTextDim]);
        let bounds = self.browse.ranges.get(measure);
        let longest = longest(measure, &self.browse.histograms);
        let mut line = LineBuilder::new(area.width);
        line.push(if moving.is_some() { "▸" } else { " " }, key);
        let name = if area.width < 36 { measure.short() } else { measure.name() };
        line.push_truncated(name, text).skip(2);
        let ends =
            [(bounds.least.unwrap_or(0), RangeEnd::Least), (bounds.most.unwrap_or(longest), RangeEnd::Most)];
        for (index, (value, end)) in ends.into_iter().enumerate() {
            if index == 1 {
                line.push(" – ", dim);
            }
            match moving == Some(end) {
                true => line.push(format!("‹{value}›"), key),
                false => line.push(value.to_string(), text),
            };
        }
        line.skip(1).push(measure.unit(), dim);
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }

    /// `├─────▲`: the range below the bars, with the end that moves.
    fn render_range(&self, [from, to]: [u16; 2], moving: Option<RangeEnd>, area: Rect, buf: &mut Buffer) {
        let (line, key) = (self.styles[Scope::UiHistogramChosen], self.styles[Scope::UiHintKey]);
        for column in from..=to.max(from).min(area.width - 1) {
            buf.set_string(area.x + column, area.y, "─", line);
        }
        for (column, sign, end) in [(from, "├", RangeEnd::Least), (to, "┤", RangeEnd::Most)] {
            let (sign, style) = if moving == Some(end) { ("▲", key) } else { (sign, line) };
            if column < area.width {
                buf.set_string(area.x + column, area.y, sign, style);
            }
        }
    }
}
