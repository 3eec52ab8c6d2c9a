//! The table of a study: a number for every run setting and measure, with those of the paper to compare.

use std::ops::Range;

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};
use unicode_width::UnicodeWidthStr;

use crate::{
    study::{CellContent, CellStage},
    workbench::{
        app::studies::{COLUMN, LONGEST, Studies, StudyPicture},
        theme::{Direction, Scope},
        ui::{
            styles::Styles,
            text::LineBuilder,
            widgets::{
                panel::ScrollPosition,
                row_list::{RowList, row_width},
            },
        },
    },
};

/// A difference of this many points has the strongest color.
const STRONGEST: f64 = 25.0;

pub struct StudyGrid<'a> {
    pub studies: &'a Studies,
    pub picture: &'a StudyPicture,
    pub styles: &'a Styles,
}

/// The columns that are shown, and how wide the names of the rows are.
struct VisibleColumns {
    names: u16,
    columns: Range<usize>,
}

impl VisibleColumns {
    /// Where a column starts.
    fn start(&self, column: usize) -> u16 {
        self.names + COLUMN * (column - self.columns.start) as u16
    }
}

/// A line of the grid: the name of a group of rows, or a row.
#[derive(PartialEq, Eq)]
enum GridLine<'a> {
    Group(&'a str),
    Row(usize),
}

impl Widget for StudyGrid<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let columns = self.visible_columns(area.width);
        // Two lines of headings, or one where there is little room.
        let headings = if area.height >= 5 { 2 } else { u16::from(area.height >= 2) };
        self.render_headings(&columns, Rect { height: headings, ..area }, buf);
        let body = Rect { y: area.y + headings, height: area.height - headings, ..area };
        let lines = self.lines();
        let (row, _) = self.studies.place();
        let cursor = lines.iter().position(|line| *line == GridLine::Row(row)).unwrap_or_default();
        let height = usize::from(body.height);
        let centered = cursor.saturating_sub(height / 2).min(lines.len().saturating_sub(height));
        let offset = (cursor + 1).saturating_sub(height).max(centered);
        let visible = lines.iter().skip(offset).take(height);
        let rows = visible.map(|line| self.line(line, &columns, row_width(body)));
        let selected = lines.get(cursor).filter(|line| **line == GridLine::Row(row)).map(|_| cursor - offset);
        RowList { rows, selected, has_focus: true, styles: self.styles }.render(body, buf);
        ScrollPosition { offset, count: lines.len(), styles: self.styles }.render(body, buf);
    }
}

impl<'a> StudyGrid<'a> {
    /// The columns around the cursor that fit.
    fn visible_columns(&self, width: u16) -> VisibleColumns {
        let plan = &self.picture.plan;
        let (_, column) = self.studies.place();
        let names = plan.rows.iter().map(|row| row.name.width() + 2).chain([plan.corner.width() + 1]);
        let longest = u16::try_from(names.max().unwrap_or_default()).unwrap_or(LONGEST);
        let names = longest.min(LONGEST).min(width.saturating_sub(COLUMN + 1)).max(width.min(6));
        let fitting = usize::from(width.saturating_sub(names + 1) / COLUMN).max(1);
        let first = (column + 1).saturating_sub(fitting).min(plan.columns.len().saturating_sub(1));
        VisibleColumns { names, columns: first..(first + fitting).min(plan.columns.len()) }
    }

    fn lines(&self) -> Vec<GridLine<'a>> {
        let mut lines = Vec::new();
        let mut group = "";
        for (index, row) in self.picture.plan.rows.iter().enumerate() {
            if row.group != group {
                lines.push(GridLine::Group(&row.group));
                group = &row.group;
            }
            lines.push(GridLine::Row(index));
        }
        lines
    }

    /// The names of groups of columns, and below them those of the measures.
    fn render_headings(&self, visible: &VisibleColumns, area: Rect, buf: &mut Buffer) {
        let plan = &self.picture.plan;
        let style = self.styles[Scope::UiTableHeader];
        let (mut groups, mut measures) = (LineBuilder::new(area.width), LineBuilder::new(area.width));
        measures.skip(1).push_until(visible.names, plan.corner, style);
        let mut group = "";
        for index in visible.columns.clone() {
            let (column, start) = (&plan.columns[index], visible.start(index));
            if column.group != group {
                let rest = &plan.columns[index..visible.columns.end];
                let same = rest.iter().take_while(|other| other.group == column.group).count();
                let end = start + COLUMN * u16::try_from(same).unwrap_or(1);
                let name = fitting_name(&column.group, (end - start).saturating_sub(2));
                groups.skip_to(start + 2).push_until(end, name, style);
                group = &column.group;
            }
            measures.push_right((start + COLUMN).min(area.width), column.measure, style);
        }
        let lines = [groups.build(), measures.build()];
        for (row, line) in area.rows().zip(&lines[usize::from(area.height < 2)..]) {
            buf.set_line(row.x, row.y, line, row.width);
        }
    }

    fn line(&self, line: &GridLine<'a>, visible: &VisibleColumns, width: u16) -> Line<'a> {
        let mut drawn = LineBuilder::new(width);
        match *line {
            GridLine::Group(name) => drop(drawn.push_truncated(name, self.styles[Scope::UiTitle])),
            GridLine::Row(row) => {
                let name = self.picture.plan.rows[row].name.as_str();
                drawn.skip(1).push_until(visible.names - 1, name, self.styles[Scope::UiText]);
                for column in visible.columns.clone() {
                    // The sign of the selection takes the first column of the row.
                    self.push_cell((row, column), visible.start(column) - 1, &mut drawn);
                }
            }
        }
        drawn.build()
    }

    /// A number, or a sign for why there is none. Color is never the only difference.
    fn push_cell(&self, (row, column): (usize, usize), start: u16, line: &mut LineBuilder<'a>) {
        let cells = self.picture.filled.cells.get(row);
        let Some(shown) = cells.and_then(|cells| cells.get(column)) else { return };
        let (text, scope) = match shown {
            CellContent::Blank => (String::new(), Scope::UiTextDim),
            CellContent::Missing { stage, .. } => missing(*stage),
            CellContent::Value(value) if self.studies.shows_differences() => {
                match self.picture.plan.rows[row].cells[column].paper {
                    None => ("no ref".to_owned(), Scope::UiTextDim),
                    Some(paper) => {
                        let difference = value.mean - paper;
                        let direction = if difference < 0.0 { Direction::Against } else { Direction::For };
                        let scope = Scope::importance(direction, difference.abs() / STRONGEST);
                        (format!("{difference:+.1}"), scope.unwrap_or(Scope::UiText))
                    }
                }
            }
            CellContent::Value(value) => {
                let sign = if value.seeds < value.of { "*" } else { "" };
                let is_best = is_best(self.picture, row, column);
                let scope = if is_best { Scope::UiTableBest } else { Scope::UiText };
                (format!("{sign}{:.1}", value.mean), scope)
            }
        };
        let end = (start + COLUMN).min(line.width());
        let is_fitting = start + 1 + text.width() as u16 <= end;
        let text_start = if is_fitting { end - text.width() as u16 } else { end };
        if (row, column) == self.studies.place() {
            let sign = text_start.saturating_sub(1).max(start).min(end.saturating_sub(1));
            line.skip_to(sign).push_clipped(end, "▸", self.styles[Scope::UiHeaderFocused]);
        }
        if is_fitting {
            line.push_right(end, text, self.styles[scope]);
        }
    }
}

/// The name of a group of columns; that of a level has a short form for a group of which one column is in sight.
fn fitting_name(name: &str, room: u16) -> &str {
    match name {
        _ if name.width() <= usize::from(room) => name,
        "Conservation" => "Cons.",
        "Partial" => "Part.",
        "Transposition" => "Trans.",
        _ => name,
    }
}

fn missing(stage: CellStage) -> (String, Scope) {
    match stage {
        CellStage::Never => ("—".to_owned(), Scope::UiTextDim),
        CellStage::NotBegun => ("·".to_owned(), Scope::UiTextDim),
        CellStage::Waits => ("pending".to_owned(), Scope::RunWaiting),
        CellStage::Training(share) => (format!("{:.0} %", 100.0 * share), Scope::RunRunning),
        CellStage::Failed => ("failed".to_owned(), Scope::Bad),
    }
}

/// Whether no number of the column is better in the same group of rows.
fn is_best(picture: &StudyPicture, row: usize, column: usize) -> bool {
    let number = |row: usize| picture.filled.cells.get(row)?.get(column)?.value().map(|value| value.mean);
    let group = &picture.plan.rows[row].group;
    let Some(own) = number(row) else { return false };
    let others: Vec<f64> = (0..picture.plan.rows.len())
        .filter(|other| *other != row && picture.plan.rows[*other].group == *group)
        .filter_map(number)
        .collect();
    !others.is_empty() && others.iter().all(|other| *other <= own)
}
