//! Help, palette and pickers, questions.

use ratatui::style::Style;

use super::bottom_line::type_line;
use crate::{
    workbench::app::{
        App,
        area::Area,
        chooser::Chooser,
        overlay::{HelpLine, HelpPage, Overlay},
    },
    workbench::theme::Scope,
    workbench::ui::{canvas::Canvas, widgets::panel},
};

pub fn draw(app: &App, overlay: &Overlay, canvas: &mut Canvas<'_>) {
    let area = overlay.area(app.size);
    let title = match overlay {
        Overlay::Help(page) => page.title,
        Overlay::Chooser(chooser) => chooser.title,
        Overlay::Confirm { .. } | Overlay::Decide { .. } => "",
        Overlay::SessionName(_) => " save this session as ",
    };
    frame(canvas, area, title);
    let inside = area.inside_border();
    match overlay {
        Overlay::Help(page) => draw_help(page, inside, canvas),
        Overlay::Chooser(chooser) => draw_chooser(chooser, inside, canvas),
        Overlay::SessionName(line) => {
            let style = canvas.style(Scope::UiInput);
            let x = canvas.text(inside.x, inside.y, inside.right(), "› ", canvas.style(Scope::UiHintKey));
            type_line(canvas, x, inside.y, inside.right(), (line.before_cursor(), line.text()), style);
        }
        Overlay::Confirm { question, .. } | Overlay::Decide { question, .. } => {
            let (text, key) = (canvas.style(Scope::UiHelp), canvas.style(Scope::UiHintKey));
            canvas.text_cut(inside.x + 1, inside.y, inside.right(), question, text);
            let x = canvas.text(inside.x + 1, inside.y + 2, inside.right(), "y", key);
            let x = canvas.text(x, inside.y + 2, inside.right(), " yes   ", text);
            let x = canvas.text(x, inside.y + 2, inside.right(), "n", key);
            canvas.text(x, inside.y + 2, inside.right(), " no", text);
        }
    }
}

/// A box over whatever is below.
pub fn frame(canvas: &mut Canvas<'_>, area: Area, title: &str) {
    let style = canvas.style(Scope::UiBorderFocused);
    canvas.clear(area, canvas.style(Scope::UiHelp));
    if area.width < 2 || area.height < 2 {
        return;
    }
    let (last_x, last_y) = (area.right() - 1, area.bottom() - 1);
    let line = "─".repeat(usize::from(area.width - 2));
    for (y, left, right) in [(area.y, "╭", "╮"), (last_y, "╰", "╯")] {
        canvas.text(area.x, y, area.right(), left, style);
        canvas.text(area.x + 1, y, last_x, &line, style);
        canvas.text(last_x, y, area.right(), right, style);
    }
    for y in area.y + 1..last_y {
        canvas.text(area.x, y, area.right(), "│", style);
        canvas.text(last_x, y, area.right(), "│", style);
    }
    if !title.is_empty() {
        canvas.text(area.x + 2, area.y, last_x, &format!(" {} ", title.trim()), style);
    }
}

/// Columns for the keys.
const KEYS: u16 = 22;

fn draw_help(page: &HelpPage, area: Area, canvas: &mut Canvas<'_>) {
    let (key, words, heading) =
        (canvas.style(Scope::UiHintKey), canvas.style(Scope::UiHelp), canvas.style(Scope::UiTitle));
    let indent = KEYS.min(area.width / 3);
    for (y, line) in (area.y..area.bottom()).zip(page.lines.iter().skip(page.offset)) {
        match line {
            HelpLine::Blank => {}
            HelpLine::Text(text) => {
                canvas.text_cut(area.x + 1, y, area.right().saturating_sub(1), text, words);
            }
            HelpLine::Heading(name) => {
                canvas.text_cut(area.x + 1, y, area.right(), name, heading);
            }
            HelpLine::Key { keys, description: what } => {
                canvas.text_cut(area.x + 2, y, area.x + indent, keys, key);
                canvas.text_cut(area.x + indent + 1, y, area.right().saturating_sub(1), what, words);
            }
        }
    }
    panel::scrollbar(canvas, area, page.offset, page.lines.len());
}

fn draw_chooser(chooser: &Chooser, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let (key, text) = (canvas.style(Scope::UiHintKey), canvas.style(Scope::UiInput));
    let x = canvas.text(area.x, area.y, area.right(), "› ", key);
    type_line(canvas, x, area.y, area.right(), (chooser.line.before_cursor(), chooser.line.text()), text);
    let list = area.split_top(1).1;
    if let Some(words) = chooser.command_description() {
        canvas.choose(Area { height: list.height.min(1), ..list }, canvas.style(Scope::UiSelection));
        canvas.text_cut(list.x + 2, list.y, list.right(), &words, canvas.style(Scope::UiInput));
        return;
    }
    for (y, (place, item, found)) in (list.y..list.bottom()).zip(chooser.in_sight()) {
        let is_selected = place == chooser.selected();
        if is_selected {
            canvas.choose(Area::new(list.x, y, list.width, 1), canvas.style(Scope::UiSelection));
            canvas.text(list.x, y, list.right(), "▌", canvas.style(Scope::UiBorderFocused));
        }
        let end = canvas.text_right(list.x + 2, y, list.right().saturating_sub(2), &item.detail, key);
        let letters = Letters {
            chosen: &found.letters,
            plain: Style { bg: None, ..canvas.style(Scope::UiPalette) },
            hit: canvas.style(Scope::UiPaletteMatch),
        };
        draw_letters(canvas, (list.x + 2, y, end.saturating_sub(1)), &item.label, &letters);
    }
    if chooser.shown_count() == 0 {
        canvas.text(list.x + 2, list.y, list.right(), "nothing fits", canvas.style(Scope::UiTextDim));
    }
    panel::scrollbar(canvas, list, chooser.offset(), chooser.shown_count());
}

/// Which letters of a line were typed, and how the two sorts look.
struct Letters<'a> {
    chosen: &'a [u32],
    plain: Style,
    hit: Style,
}

fn draw_letters(canvas: &mut Canvas<'_>, (x, y, end): (u16, u16, u16), text: &str, letters: &Letters<'_>) {
    let mut x = x;
    for (index, letter) in text.chars().enumerate() {
        let is_hit = letters.chosen.binary_search(&(index as u32)).is_ok();
        let style = if is_hit { letters.hit } else { letters.plain };
        x = canvas.text(x, y, end, letter.encode_utf8(&mut [0; 4]), style);
    }
}
