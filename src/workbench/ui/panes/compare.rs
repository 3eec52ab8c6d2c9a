//! Compare: the statement, and the proof at several levels side by side.

use crate::{
    workbench::app::{
        area::Area,
        compare::{ColumnLayout, Compare},
        document::{Role, TextLine},
        text_field::TextField,
    },
    workbench::theme::Scope,
    workbench::ui::{
        canvas::Canvas,
        styles::scope_of,
        widgets::{overlays, panel},
    },
};

pub fn draw(compare: &Compare, canvas: &mut Canvas<'_>) {
    match compare.pair() {
        Some(_) => draw_pair(compare, canvas),
        None => {
            let area = compare.area();
            let told = "no pair yet: choose one in Browse (1) and press c, or type one with e";
            canvas.text_cut(area.x + 1, area.y, area.right(), told, canvas.style(Scope::UiTextDim));
        }
    }
    draw_editor(compare, canvas);
}

fn draw_pair(compare: &Compare, canvas: &mut Canvas<'_>) {
    let area = compare.area();
    let layout = compare.layout();
    let text = compare.text();
    draw_lines(&text.statement, layout.statement_offset, layout.statement, canvas);
    for column in &layout.columns {
        draw_header(compare, column, canvas);
        let Some(text) = text.columns.get(column.index) else { continue };
        if !column.leakage.is_empty() {
            draw_line(&text.leakage, column.leakage, canvas);
        }
        draw_lines(&text.lines, layout.column_offset, column.body, canvas);
    }
    for divider in layout.dividers {
        panel::divider(canvas, divider);
    }
    panel::scrollbar(canvas, area, compare.scroll(), compare.line_count());
}

/// The box in which a pair is typed.
fn draw_editor(compare: &Compare, canvas: &mut Canvas<'_>) {
    let Some((editor, places)) = compare.editor() else { return };
    match places.has_border {
        true => overlays::frame(canvas, places.frame, "a pair of your own · $…$ is mathematics"),
        false => canvas.clear(places.frame, canvas.style(Scope::UiHelp)),
    }
    let (name, body) = places.statement;
    draw_field("statement", &editor.statement, !editor.in_proof, name, body, canvas);
    let (name, body) = places.proof;
    draw_field("proof", &editor.proof, editor.in_proof, name, body, canvas);
}

fn draw_field(
    called: &str,
    field: &TextField,
    has_focus: bool,
    name: Area,
    body: Area,
    canvas: &mut Canvas<'_>,
) {
    if body.is_empty() {
        return;
    }
    panel::header(canvas, name, called, "", has_focus);
    let laid = field.lay(body.width.into());
    let (line, column) = laid.cursor;
    // The line with the cursor is in sight; a field that is left shows its beginning.
    let first = if has_focus { (line + 1).saturating_sub(body.height.into()) } else { 0 };
    let style = canvas.style(Scope::UiInput);
    for (y, text) in (body.y..body.bottom()).zip(laid.lines.iter().skip(first)) {
        canvas.text(body.x, y, body.right(), text, style);
    }
    if has_focus {
        let x = body.x + (column as u16).min(body.width.saturating_sub(1));
        canvas.cursor = Some((x, body.y + (line - first) as u16));
    }
}

fn draw_header(compare: &Compare, place: &ColumnLayout, canvas: &mut Canvas<'_>) {
    let Some(column) = compare.columns().get(place.index) else { return };
    let mut details = Vec::new();
    let (shown, count) = (compare.layout().columns.len(), compare.columns().len());
    if shown < count {
        details.push(format!("{}/{count}", place.index + 1));
    }
    let typed = compare.typed_seed().filter(|_| place.index == compare.focus());
    if let Some(typed) = typed {
        details = vec![format!("seed {typed}▏")];
    } else if column.has_seed() {
        details.push(format!("seed {}", column.seed));
    }
    panel::header(
        canvas,
        place.header,
        &column.title(),
        &details.join(" · "),
        place.index == compare.focus(),
    );
}

fn draw_lines(lines: &[TextLine], offset: usize, area: Area, canvas: &mut Canvas<'_>) {
    for (y, line) in (area.y..area.bottom()).zip(lines.iter().skip(offset)) {
        draw_line(line, Area { y, height: 1, ..area }, canvas);
    }
}

/// A line with a margin on its left.
fn draw_line(line: &TextLine, area: Area, canvas: &mut Canvas<'_>) {
    let mut x = area.x.saturating_add(1);
    for span in &line.spans {
        let style = canvas.style(scope_of(span.role));
        let style = match span.role {
            Role::Changed(_) => style.patch(canvas.style(Scope::Changed)),
            _ => style,
        };
        // Words about symbols are not wrapped; texts are, but for a space that may hang over the edge.
        x = match span.role {
            Role::Meta => canvas.text_cut(x, area.y, area.right(), &span.text, style),
            _ => canvas.text(x, area.y, area.right(), &span.text, style),
        };
    }
}
