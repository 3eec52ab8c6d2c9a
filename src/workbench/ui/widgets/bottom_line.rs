//! The last line: the search being typed, a notice, or hints about keys.

use crate::{
    workbench::app::{
        App, action::ActionId, area::Area, line_editor::LineEditor, pane::PaneId, prompt::Prompt,
    },
    workbench::theme::Scope,
    workbench::ui::{canvas::Canvas, widgets::tabs::grouped},
};

const SPINNER: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠧", "⠇", "⠏"];

pub fn draw(app: &App, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let mut end = area.right();
    if app.host.slots.is_slow(app.host.now) {
        let sign = SPINNER[(app.host.now / 100) as usize % SPINNER.len()];
        let key = app.keymap.keys(ActionId::StopWork).first();
        let stops = key.map_or(String::new(), |key| format!(" {key} stops"));
        let text = format!(" {sign}{stops}");
        end = canvas.text_right(area.x, area.y, end, &text, canvas.style(Scope::UiSpinner));
    } else if !app.pressed.is_empty() {
        let keys: Vec<String> = app.pressed.iter().map(ToString::to_string).collect();
        end = canvas.text_right(
            area.x,
            area.y,
            end,
            &format!(" {} …", keys.join(" ")),
            canvas.style(Scope::UiHintKey),
        );
    }
    let is_narrow = app.size.width < 60 || app.host.notice().is_some();
    let prompt = app.pane().prompt(is_narrow);
    let is_searching = app.pane == PaneId::Browse && app.browse.search.is_some();
    if is_searching && app.host.overlays.is_empty() {
        draw_search(app, Area { width: end - area.x, ..area }, canvas);
    } else if let Some((asked, line)) = prompt.filter(|_| app.host.overlays.is_empty()) {
        draw_prompt(app, asked, line, Area { width: end - area.x, ..area }, canvas);
    } else if let Some(notice) = app.host.notice() {
        let style = canvas.style(if notice.is_error { Scope::UiNoticeError } else { Scope::UiNotice });
        canvas.text_cut(area.x + 1, area.y, end, &notice.text, style);
    } else {
        draw_hints(app, Area { width: end - area.x, ..area }, canvas);
    }
}

fn draw_prompt(app: &App, asked: &str, line: &LineEditor, area: Area, canvas: &mut Canvas<'_>) {
    let (key, text) = (canvas.style(Scope::UiHintKey), canvas.style(Scope::UiInput));
    // What is wrong with the name stands beside it, as much of it as fits.
    let mut end = area.right();
    if let Some(notice) = app.host.notice() {
        let style = canvas.style(if notice.is_error { Scope::UiNoticeError } else { Scope::UiNotice });
        let start = area.x + area.width * 2 / 5;
        canvas.text_cut(start, area.y, end, &notice.text, style);
        end = start.saturating_sub(1);
    }
    let x = canvas.text_cut(area.x, area.y, end, asked, key);
    type_line(canvas, x, area.y, end, (line.before_cursor(), line.text()), text);
}

fn draw_search(app: &App, area: Area, canvas: &mut Canvas<'_>) {
    let Some(Prompt { line, .. }) = &app.browse.search else { return };
    let found = match app.browse.query.is_empty() {
        true => String::new(),
        false => format!(" {} found", grouped(app.browse.list.len())),
    };
    let (key, text, dim) =
        (canvas.style(Scope::UiHintKey), canvas.style(Scope::UiInput), canvas.style(Scope::UiTextDim));
    let end = canvas.text_right(area.x + 12, area.y, area.right(), &found, dim);
    let x = canvas.text(area.x, area.y, end, "/", key);
    type_line(canvas, x, area.y, end, (line.before_cursor(), line.text()), text);
    if line.text().is_empty() {
        canvas.text_cut(x + 2, area.y, end, "words, \"a phrase\", proof:word, -without", dim);
    }
}

/// Draws a line being typed so that the cursor is in sight, and puts the terminal's cursor there.
pub fn type_line(
    canvas: &mut Canvas<'_>,
    x: u16,
    y: u16,
    end: u16,
    (before, text): (&str, &str),
    style: ratatui::style::Style,
) {
    use unicode_segmentation::UnicodeSegmentation;
    use unicode_width::UnicodeWidthStr;
    let room = usize::from(end.saturating_sub(x)).saturating_sub(1);
    // Letters at the start are left out until the cursor has room.
    let mut skipped = 0;
    let mut width = before.width();
    for letter in before.graphemes(true) {
        if width <= room {
            break;
        }
        width -= letter.width();
        skipped += letter.len();
    }
    canvas.text(x, y, end, &text[skipped..], style);
    canvas.cursor = Some((x + width as u16, y));
}

fn draw_hints(app: &App, area: Area, canvas: &mut Canvas<'_>) {
    use unicode_width::UnicodeWidthStr;
    let (key_style, word_style) = (canvas.style(Scope::UiHintKey), canvas.style(Scope::UiHintWords));
    let mut x = area.x + 1;
    for (key, word) in app.hints() {
        // A hint is shown whole or not at all; a shorter one after it may still fit.
        let width = (key.width() + word.width() + 1) as u16;
        if x + width > area.right() {
            continue;
        }
        x = canvas.text(x, area.y, area.right(), key, key_style);
        x = canvas.text(x + 1, area.y, area.right(), word, word_style) + 2;
    }
}
