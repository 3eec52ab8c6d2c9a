//! The map: a block for each pair of categories, dark where scores are high, with gold and the assignment marked.

use crate::{
    workbench::app::{
        area::Area,
        assignments::{Assignments, MapCell, MapGroup},
    },
    workbench::theme::Scope,
    workbench::ui::{
        canvas::Canvas,
        panes::browse::select,
        widgets::{panel, tabs::grouped},
    },
};

/// Columns of a block: two for the shade, one for the assignment.
const BLOCK: u16 = 3;
/// Columns of a group's name, its size and its place.
const NAME: u16 = 24;

pub fn draw(pane: &Assignments, area: Area, canvas: &mut Canvas<'_>) {
    let map = pane.map();
    let (header, rest) = area.split_top(u16::from(area.height >= 2));
    let title = match pane.inside() {
        Some(category) => format!("{category}, in parts · enter goes back"),
        None => {
            "scores of statements (rows) with proofs (columns), by category · enter looks inside".to_owned()
        }
    };
    panel::header(canvas, header, &title, "", true);
    let steps = map.steps();
    let has_note = rest.height >= 8;
    let (rest, note) = rest.split_top(rest.height - u16::from(has_note));
    let (numbers, body) = rest.split_top(u16::from(rest.height >= 3));
    let height = usize::from(body.height).max(1);
    let offset = (pane.map_place() + 1).saturating_sub(height);
    let name_width = NAME.min(area.width / 2);
    let shown = usize::from(body.width.saturating_sub(name_width + 1) / BLOCK).min(map.groups.len());
    // The diagonal of the chosen row stays in sight.
    let first = (pane.map_place() + 1).saturating_sub(shown.max(1));
    for (index, x) in (first..first + shown).zip((body.x + name_width..).step_by(BLOCK.into())) {
        let number = format!("{:>2}", index + 1);
        canvas.text(x, numbers.y, numbers.right(), &number, canvas.style(Scope::Axis));
    }
    for (y, (row, group)) in (body.y..body.bottom()).zip(map.groups.iter().enumerate().skip(offset)) {
        let names = Area::new(body.x, y, name_width.saturating_sub(1), 1);
        if row == pane.map_place() {
            select(canvas, names, true);
        }
        draw_name(row, group, names, canvas);
        let Some(blocks) = map.blocks.get(row) else { continue };
        for (column, x) in (first..first + shown).zip((body.x + name_width..).step_by(BLOCK.into())) {
            if let Some(block) = blocks.get(column) {
                let shade = shade(*block, group.statements, row == column, steps);
                draw_block(*block, (shade, row == column), group.statements, (x, y), body.right(), canvas);
            }
        }
    }
    if has_note {
        let shades = match steps {
            Some([half, quarter, tenth, thirtieth]) => {
                format!("mean scores: ░ ▒ ▓ █ from {half:.3}, {quarter:.3}, {tenth:.3}, {thirtieth:.3}")
            }
            None => "where a row's statements choose: · ░ ▒ ▓ █ from 0, 2, 10, 30, 60 %".to_owned(),
        };
        let told = format!("{shades} · assigned: ◆ most, ◇ 5 % · diagonal: gold");
        canvas.text_cut(note.x + 1, note.y, note.right(), &told, canvas.style(Scope::UiTextDim));
    }
}

fn draw_name(row: usize, group: &MapGroup, line: Area, canvas: &mut Canvas<'_>) {
    let dim = canvas.style(Scope::UiTextDim);
    let end = canvas.text_right(line.x + 8, line.y, line.right(), &grouped(group.statements), dim);
    let x = canvas.text(line.x + 1, line.y, end, &format!("{:>2} ", row + 1), dim);
    canvas.text_cut(x, line.y, end.saturating_sub(1), &group.name, canvas.style(Scope::Category));
}

/// How dark a block is: by its mean score among those of all; else by what was chosen in it.
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

fn draw_block(
    block: MapCell,
    (shade, is_gold): (&str, bool),
    statements: usize,
    (x, y): (u16, u16),
    end: u16,
    canvas: &mut Canvas<'_>,
) {
    let scope = if is_gold { Scope::Ok } else { Scope::UiHistogram };
    let x = canvas.text(x, y, end, shade, canvas.style(scope));
    // In a large matching something is everywhere; only what is many says something.
    let sign = match block.global {
        global if 2 * global > statements => "◆",
        global if global > 0 && 20 * global >= statements => "◇",
        _ => " ",
    };
    canvas.text(x, y, end, sign, canvas.style(Scope::UiHistogramChosen));
}
