//! The levels view: a row for each method, a column for each level, and the finding in a sentence.

use ratatui::{buffer::Buffer, layout::Rect, style::Style, widgets::Widget};

use crate::{
    matching::{
        decoders::Decoder,
        evaluation::{LevelCell, LevelRow, Measure},
    },
    workbench::{
        app::assignments::{Assignments, LevelsLayout, contamination_note, measure_name},
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, Labels, LineBuilder, wrap},
            widgets::{
                panel::{PanelHeader, ScrollPosition},
                row_list::{selection_sign, selection_style},
            },
        },
    },
};

/// A share that is shown as 100 %.
const WHOLE: f64 = 0.9995;
/// Columns of a number: `93.5` and `100`, with a blank before.
const NUMBER: u16 = 5;

pub struct LevelsTable<'a> {
    pub pane: &'a Assignments,
    /// What to do about cells that were not computed.
    pub invitation: &'a str,
    pub styles: &'a Styles,
}

impl Widget for LevelsTable<'_> {
    fn render(self, _area: Rect, buf: &mut Buffer) {
        let layout = self.pane.levels_layout();
        self.render_header(&layout, buf);
        let table = self.pane.levels().table();
        let measures = match table.measures() {
            measures if measures.is_empty() => vec![Measure { decoder: Decoder::Local, is_mrr: false }],
            measures => measures,
        };
        let body: Rect = layout.body.into();
        let mut y = body.y;
        for (index, row) in table.rows.iter().enumerate().skip(layout.first_row) {
            let lines = layout.row_lines.min(body.bottom().saturating_sub(y));
            if lines == 0 {
                break;
            }
            let area = Rect { y, height: lines, ..body };
            self.render_row(&layout, (index, row), &measures, area, buf);
            y += layout.row_lines;
        }
        let position = ScrollPosition {
            offset: layout.first_row * usize::from(layout.row_lines),
            count: table.rows.len() * usize::from(layout.row_lines),
            styles: self.styles,
        };
        position.render(body, buf);
        self.render_finding(layout.finding.into(), buf);
    }
}

impl LevelsTable<'_> {
    fn render_header(&self, layout: &LevelsLayout, buf: &mut Buffer) {
        let styles = self.styles;
        let area: Rect = layout.header.into();
        if area.is_empty() {
            return;
        }
        PanelHeader { title: "proofs found, %", detail: "", has_focus: true, styles }.render(area, buf);
        let levels = self.pane.levels().table().levels.iter().enumerate();
        for (column, level) in levels.skip(layout.first_level).take(layout.levels) {
            let cell = cell_area(layout, area, column);
            // Names that are cut keep away from the next one.
            let gap = u16::from(column + 1 < layout.first_level + layout.levels);
            let mut line = LineBuilder::new(cell.width.saturating_sub(gap));
            line.push_truncated(level.to_string(), styles[Scope::UiHeaderFocused]);
            buf.set_line(cell.x, cell.y, &line.build(), cell.width);
        }
    }

    fn render_row(
        &self,
        layout: &LevelsLayout,
        (index, row): (usize, &LevelRow),
        measures: &[Measure],
        area: Rect,
        buf: &mut Buffer,
    ) {
        let (styles, is_chosen) = (self.styles, self.pane.level_row() == Some(index));
        for (line_area, measure) in area.rows().zip(measures) {
            let mut line = LineBuilder::new(layout.name_width + layout.label_width);
            line.skip(1);
            if *measure == measures[0] {
                let scope = if is_chosen { Scope::UiTitle } else { Scope::UiText };
                line.push_until(layout.name_width.saturating_sub(1), row.method.as_str(), styles[scope]);
            } else if let Some(note) = contamination_note(row)
                && measures.get(1) == Some(measure)
            {
                line.push_until(layout.name_width.saturating_sub(1), note, styles[Scope::Bad]);
            }
            line.skip_to(layout.name_width);
            line.push_truncated(measure_name(*measure, measures), styles[Scope::UiTextDim]);
            buf.set_line(line_area.x, line_area.y, &line.build(), line_area.width);
            if is_chosen {
                buf.set_line(line_area.x, line_area.y, &selection_sign(styles, true), 1);
            }
            for (column, cell) in row.cells.iter().enumerate().skip(layout.first_level).take(layout.levels) {
                let is_selected = is_chosen && column == self.pane.level_column();
                let area = cell_area(layout, line_area, column);
                self.render_cell(cell.as_ref(), *measure, is_selected, area, buf);
            }
        }
    }

    /// `93.5 ▄▄▄▄▄▄▄▄▖`
    fn render_cell(
        &self,
        cell: Option<&LevelCell>,
        measure: Measure,
        is_selected: bool,
        area: Rect,
        buf: &mut Buffer,
    ) {
        let styles = self.styles;
        let value = cell.and_then(|cell| cell.value(measure));
        let text = match (value, cell) {
            (Some(value), _) if value >= WHOLE => format!("{:>4}", 100),
            (Some(value), _) => format!("{:>4.1}", 100.0 * value),
            (None, Some(_)) => String::new(),
            (None, None) => format!("{:>4}", "·"),
        };
        let number_style = match is_selected {
            true => selection_style(styles, true),
            false => styles[Scope::UiText],
        };
        let mut line = LineBuilder::new(area.width);
        line.push(text, number_style);
        let room = area.width.saturating_sub(NUMBER + 1);
        if let (Some(value), true) = (value, room >= 3) {
            line.skip_to(NUMBER).push(bar(value, room), self.bar_style(is_selected));
        }
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }

    fn bar_style(&self, is_selected: bool) -> Style {
        self.styles[if is_selected { Scope::UiHistogramChosen } else { Scope::UiHistogram }]
    }

    fn render_finding(&self, area: Rect, buf: &mut Buffer) {
        let view = self.pane.levels();
        let missing = view.table().rows.iter().any(|row| row.cells.iter().any(Option::is_none));
        let mut lines = Vec::new();
        if let Some(finding) = view.table().finding() {
            let text = finding.to_string();
            lines.extend(wrap(&text, area.width.saturating_sub(2).into()));
        }
        let title = lines.len();
        if let Some((done, total)) = view.progress() {
            lines.push(format!("{done} of {total} computed"));
        } else if missing {
            lines.push(self.invitation.to_owned());
        }
        let style = |index: usize| self.styles[if index < title { Scope::UiTitle } else { Scope::UiTextDim }];
        Labels(lines.into_iter().enumerate().map(|(index, line)| Label::new(line, style(index))))
            .render(area, buf);
    }
}

fn cell_area(layout: &LevelsLayout, row: Rect, column: usize) -> Rect {
    let before = layout.name_width + layout.label_width;
    let x = row.x + before + layout.cell_width * (column - layout.first_level) as u16;
    let width = layout.cell_width.min(row.right().saturating_sub(x));
    Rect { x, width, height: 1, ..row }
}

/// A bar of a share, to half a column; only a number shown as 100 % fills the room. It is half as high as its line, so
/// that the bars of adjacent lines are apart.
fn bar(share: f64, room: u16) -> String {
    let full = 2.0 * f64::from(room);
    let most = if share >= WHOLE { full } else { full - 1.0 };
    let halves = (share * full).round().clamp(0.0, most.max(0.0)) as usize;
    format!("{}{}", "▄".repeat(halves / 2), if halves % 2 == 1 { "▖" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_exact_to_half_a_column() {
        assert_eq!([0.0, 0.5, 0.6, 1.0, 2.0].map(|share| bar(share, 4)), ["", "▄▄", "▄▄▖", "▄▄▄▄", "▄▄▄▄"]);
        assert_eq!(bar(0.98, 4), "▄▄▄▖");
    }
}
