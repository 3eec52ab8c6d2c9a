//! How Log looks.

use unicode_segmentation::UnicodeSegmentation;

use crate::{
    runs::LogLevel,
    workbench::app::{App, action::ActionId, area::Area, log::LogLine},
    workbench::theme::Scope,
    workbench::ui::{
        canvas::Canvas,
        panes::{browse::select, training::state_sign},
        widgets::{panel, tabs::grouped},
    },
};

pub fn draw(app: &App, canvas: &mut Canvas<'_>) {
    let pane = &app.log;
    let (header, area) = pane.parts();
    let Some(run) = pane.run() else { return draw_invitation(app, canvas) };
    let lines = pane.lines();
    let state = app.host.runs.line(run).map(|line| line.state);
    let words = state.map_or("", |state| state.word());
    let mut detail = format!("{} of {} lines", grouped(lines.shown_count()), grouped(lines.count()));
    detail.push_str(&format!(" · {}", lines.shown()));
    if !pane.search().is_empty() {
        detail.push_str(&format!(" · /{}", pane.search()));
    }
    if pane.follows() {
        detail.push_str(" · follows");
    }
    let sign = state.map_or(" ", |state| state_sign(state).0);
    panel::header(canvas, header, &format!("{sign} {run}  {words}"), &detail, true);
    if lines.shown_count() == 0 {
        let told = if lines.count() == 0 {
            "nothing was said yet"
        } else {
            "no line is of this level; f shows others"
        };
        canvas.text_cut(area.x + 1, area.y, area.right(), told, canvas.style(Scope::UiTextDim));
        return;
    }
    for (y, place) in (area.y..area.bottom()).zip(pane.offset()..) {
        let Some(line) = lines.get(place) else { break };
        let row = Area::new(area.x, y, area.width.saturating_sub(1), 1);
        if place == pane.cursor() {
            select(canvas, row, true);
        }
        draw_line(line, row, pane.left(), pane.search(), canvas);
    }
    panel::scrollbar(canvas, area, pane.offset(), lines.shown_count());
}

/// A line from its `left`th letter on; what is searched lights up.
fn draw_line(line: &LogLine, row: Area, left: usize, search: &str, canvas: &mut Canvas<'_>) {
    let scope = match line.level {
        LogLevel::Info => Scope::UiText,
        LogLevel::Warning => Scope::UiNoticeWarning,
        LogLevel::Error => Scope::Bad,
    };
    let (style, hit) = (canvas.style(scope), canvas.style(Scope::Hit));
    let start = line.text.grapheme_indices(true).nth(left).map_or(line.text.len(), |(at, _)| at);
    let text = &line.text[start..];
    let mut x = row.x + 1;
    let mut rest = text;
    while !rest.is_empty() {
        match find(rest, search) {
            Some((at, length)) => {
                x = canvas.text(x, row.y, row.right(), &rest[..at], style);
                x = canvas.text(x, row.y, row.right(), &rest[at..at + length], hit);
                rest = &rest[at + length..];
            }
            None => {
                canvas.text_cut(x, row.y, row.right(), rest, style);
                break;
            }
        }
    }
}

/// Where a text has some words, whatever their case; letters whose cases differ in length are compared as they are.
fn find(text: &str, words: &str) -> Option<(usize, usize)> {
    if words.is_empty() {
        return None;
    }
    let wanted = words.to_lowercase();
    text.char_indices().find_map(|(at, _)| {
        let candidate = text.get(at..at + words.len())?;
        (candidate.to_lowercase() == wanted).then_some((at, words.len()))
    })
}

fn draw_invitation(app: &App, canvas: &mut Canvas<'_>) {
    let area = app.log.area();
    let key = |action: ActionId| app.keymap.keys(action).first().cloned().unwrap_or_default();
    let words = match app.host.runs.is_known() {
        true => format!(
            "There are no runs yet. {} shows the Train pane; {} there starts one.",
            key(ActionId::ShowTrain),
            key(ActionId::NewRun)
        ),
        false => "looking for runs".to_owned(),
    };
    canvas.text_cut(area.x + 1, area.y, area.right(), &words, canvas.style(Scope::UiTextDim));
}
