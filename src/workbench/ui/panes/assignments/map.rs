//! The score map: a block for each pair of categories, dark where scores are high, with gold and the assignment marked.

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
    text::Line,
    widgets::Widget,
};

use crate::{
    base::numbers::grouped,
    workbench::{
        app::assignments::{Assignments, MapCell, MapGroup},
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, LineBuilder},
            widgets::{
                panel::PanelHeader,
                row_list::{RowList, row_width},
            },
        },
    },
};

/// Columns of a block: two for the shade, one for the assignment.
const BLOCK: u16 = 3;
/// Columns of a group's number, name and size.
const NAME: u16 = 24;

pub struct ScoreMap<'a> {
    pub pane: &'a Assignments,
    pub styles: &'a Styles,
}

impl Widget for ScoreMap<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let ScoreMap { pane, styles } = self;
        let map = pane.map();
        let has_header = area.height >= 2;
        let rest = area.height - u16::from(has_header);
        let has_note = rest >= 8;
        let has_numbers = rest - u16::from(has_note) >= 3;
        let [header, numbers, body, note] = Layout::vertical([
            Constraint::Length(u16::from(has_header)),
            Constraint::Length(u16::from(has_numbers)),
            Constraint::Fill(1),
            Constraint::Length(u16::from(has_note)),
        ])
        .areas(area);
        let title = match pane.inside() {
            Some(category) => format!("inside {category} · enter goes back"),
            None => "statements (rows) and proofs (columns) by category · enter looks inside".to_owned(),
        };
        PanelHeader { title: &title, detail: "", has_focus: true, styles }.render(header, buf);
        let name_width = NAME.min(area.width / 2);
        let fitting = usize::from(area.width.saturating_sub(name_width + 1) / BLOCK).min(map.groups.len());
        // The diagonal of the selected row stays visible.
        let first = (pane.map_place() + 1).saturating_sub(fitting.max(1));
        let columns = first..first + fitting;
        let x = |column: usize| body.x + name_width + BLOCK * (column - first) as u16;
        if !numbers.is_empty() {
            for column in columns.clone() {
                buf.set_string(x(column), numbers.y, format!("{:>2}", column + 1), styles[Scope::Axis]);
            }
        }
        let offset = (pane.map_place() + 1).saturating_sub(usize::from(body.height).max(1));
        let visible = || map.groups.iter().enumerate().skip(offset).take(body.height.into());
        let names = Rect { width: name_width, ..body };
        let rows = visible().map(|(row, group)| name(row, group, row_width(names), styles));
        let selected = Some(pane.map_place() - offset);
        RowList { rows, selected, has_focus: true, styles }.render(names, buf);
        let steps = map.steps();
        for (area, (row, group)) in body.rows().zip(visible()) {
            let Some(blocks) = map.blocks.get(row) else { continue };
            for column in columns.clone() {
                let Some(block) = blocks.get(column) else { continue };
                let is_gold = row == column;
                let shade = shade(*block, group.statements, is_gold, steps);
                let scope = if is_gold { Scope::Ok } else { Scope::UiHistogram };
                buf.set_string(x(column), area.y, shade, styles[scope]);
                let sign = assignment_sign(*block, group.statements);
                buf.set_string(x(column) + 2, area.y, sign, styles[Scope::UiHistogramChosen]);
            }
        }
        if has_note {
            let shades = match steps {
                Some([half, quarter, tenth, thirtieth]) => {
                    format!("mean score ░ ▒ ▓ █ from {half:.3}, {quarter:.3}, {tenth:.3}, {thirtieth:.3}")
                }
                None => "chosen · ░ ▒ ▓ █ from 0, 2, 10, 30, 60 %".to_owned(),
            };
            let diagonal = if area.width >= 92 { " · diagonal: gold" } else { "" };
            let text = format!("{shades} · assigned ◆ most, ◇ 5 %{diagonal}");
            Label::new(text, styles[Scope::UiTextDim]).render(note, buf);
        }
    }
}

fn name<'a>(row: usize, group: &'a MapGroup, width: u16, styles: &Styles) -> Line<'a> {
    let dim = styles[Scope::UiTextDim];
    let size = grouped(group.statements);
    let fits = 7 + size.len() as u16 <= width;
    let end = if fits { width - size.len() as u16 } else { width };
    let mut line = LineBuilder::new(width);
    line.push_clipped(end, format!("{:>2} ", row + 1), dim);
    line.push_until(end.saturating_sub(1), group.name.as_str(), styles[Scope::Category]);
    if fits {
        line.push_right(width, size, dim);
    }
    line.build()
}

/// How dark a block is: by its mean score among those of all, else by the statements that chose in it.
fn shade(block: MapCell, statements: usize, is_gold: bool, steps: Option<[f32; 4]>) -> &'static str {
    const SHADES: [&str; 5] = ["· ", "░░", "▒▒", "▓▓", "██"];
    if let (Some(mean), Some(steps)) = (block.mean, steps) {
        return match steps.iter().filter(|step| mean >= **step).count() {
            0 if is_gold => "[]",
            0 => "  ",
            reached => SHADES[reached],
        };
    }
    match block.local as f64 / statements.max(1) as f64 {
        share if share <= 0.0 && is_gold => "[]",
        share if share <= 0.0 => "  ",
        share if share < 0.02 => SHADES[0],
        share if share < 0.1 => SHADES[1],
        share if share < 0.3 => SHADES[2],
        share if share < 0.6 => SHADES[3],
        _ => SHADES[4],
    }
}

/// In a large matching every block has some assignments; only large shares are marked.
fn assignment_sign(block: MapCell, statements: usize) -> &'static str {
    match block.global {
        global if 2 * global > statements => "◆",
        global if global > 0 && 20 * global >= statements => "◇",
        _ => " ",
    }
}
