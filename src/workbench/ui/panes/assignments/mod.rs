//! Assignments: the form, numbers about the whole, and one of three views.

mod contention;
mod list;
mod map;

use strum::IntoEnumIterator;

use crate::{
    base::task::Progress,
    matching::{decoders::Decoder, evaluation::Evaluation},
    workbench::app::{
        App,
        action::ActionId,
        area::Area,
        assignments::{Assignments, Focus, View},
    },
    workbench::theme::Scope,
    workbench::ui::{
        canvas::Canvas,
        styles::scope_of,
        widgets::{panel, tabs::grouped},
    },
};

pub fn draw(app: &App, canvas: &mut Canvas<'_>) {
    let pane = &app.assignments;
    let parts = pane.layout();
    draw_form(app, parts.form, canvas);
    let Some(evaluation) = pane.evaluation() else {
        let below =
            Area { height: pane.area().height - parts.form.height, y: parts.form.bottom(), ..pane.area() };
        return match pane.working() {
            Some(progress) => draw_progress(app, progress, below, canvas),
            None => draw_invitation(app, below, canvas),
        };
    };
    draw_summary(pane, evaluation, parts.summary, canvas);
    match pane.view() {
        View::Statements => {
            list::draw(pane, evaluation, canvas);
            panel::divider(canvas, parts.divider);
            draw_detail(pane, canvas);
        }
        View::Contention => contention::draw(pane, evaluation, parts.whole, canvas),
        View::Map => map::draw(pane, parts.whole, canvas),
    }
}

/// What is matched, each with the key that changes it.
fn draw_form(app: &App, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let (key_style, value) = (canvas.style(Scope::UiHintKey), canvas.style(Scope::UiText));
    let mut x = area.x + 1;
    for (action, text) in app.assignments.settings().fields() {
        let key = app.keymap.keys(action).first().map_or("", String::as_str);
        x = canvas.text(x, area.y, area.right(), key, key_style) + 1;
        x = canvas.text_cut(x, area.y, area.right(), &text, value) + 2;
    }
    let told = match (app.assignments.evaluation(), app.assignments.working()) {
        (_, Some(_)) => "matching",
        (Some(_), None) => "matched",
        (None, None) => "enter matches",
    };
    canvas.text_right(x, area.y, area.right(), &format!("{told} "), canvas.style(Scope::UiTextDim));
}

fn draw_invitation(app: &App, area: Area, canvas: &mut Canvas<'_>) {
    let key = |action: ActionId| app.keymap.keys(action).first().cloned().unwrap_or_default();
    let [baseline, part, split, level, decoder] =
        app.assignments.settings().fields().map(|(action, _)| key(action));
    let lines = [
        "Every statement of a part is scored with every proof of it.".to_owned(),
        String::new(),
        format!(
            "{baseline}  what scores them: tfidf, dice, a trained model ({} chooses)",
            key(ActionId::ChooseModel)
        ),
        format!("{part}  which part is matched: train, dev, test"),
        format!("{split}  split by pair (mixed) or by article (unmixed)"),
        format!("{level}  at which level the symbols of proofs are replaced"),
        format!("{decoder}  what local decoding is compared with"),
        String::new(),
        format!("{}  matches; what was matched before is reopened at once", key(ActionId::MatchOrOpen)),
    ];
    let style = canvas.style(Scope::UiTextDim);
    for (y, line) in (area.y + u16::from(area.height > 9)..area.bottom()).zip(lines) {
        canvas.text_cut(area.x + 1, y, area.right(), &line, style);
    }
}

fn draw_progress(app: &App, progress: Option<Progress>, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let y = area.y + area.height / 3;
    let (step, share) = progress.map_or(("reading", 0.0), |progress| {
        (progress.step, progress.done as f64 / progress.total.max(1) as f64)
    });
    let key = app.keymap.keys(ActionId::StopWork).first().cloned().unwrap_or_default();
    let text = format!("{step} {:>3.0} %   {key} stops", 100.0 * share.clamp(0.0, 1.0));
    canvas.text_cut(area.x + 1, y, area.right(), &text, canvas.style(Scope::UiText));
    let width = area.width.saturating_sub(2).min(60);
    let filled = (f64::from(width) * share.clamp(0.0, 1.0)).round() as usize;
    if y + 1 < area.bottom() {
        let bar = format!("{}{}", "█".repeat(filled), "░".repeat(usize::from(width).saturating_sub(filled)));
        canvas.text(area.x + 1, y + 1, area.right(), &bar, canvas.style(Scope::UiGauge));
    }
}

/// `local 61.54 · global 76.92 · MRR 70.12 · 8 of 13 · fixed by global · by margin`
fn draw_summary(pane: &Assignments, evaluation: &Evaluation, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let mut parts = Vec::new();
    for decoder in Decoder::iter() {
        let is_asked =
            matches!(decoder, Decoder::Local | Decoder::Global) || decoder == pane.settings().decoder;
        if let Some(outcome) = evaluation.outcome(decoder).filter(|_| is_asked) {
            let mrr = outcome.metrics.mrr.map_or(String::new(), |mrr| format!(" (MRR {:.2})", 100.0 * mrr));
            parts.push(format!("{decoder} {:.2}{mrr}", 100.0 * outcome.metrics.accuracy));
        }
    }
    let (order, is_reversed) = pane.order();
    let mut listed = format!("{} of {}", grouped(pane.list().len()), grouped(evaluation.verdicts.len()));
    listed.push_str(&format!(
        " · {} · {}{}",
        pane.shown().label(),
        order.label(),
        if is_reversed { " ↓" } else { "" }
    ));
    let search = pane.search();
    match search.wanted {
        Some(_) => listed.push_str(&format!(" · want the proof of {}", search.text)),
        None if !search.text.is_empty() => listed.push_str(&format!(" · /{}", search.text)),
        None => {}
    }
    let x =
        canvas.text_cut(area.x + 1, area.y, area.right(), &parts.join(" · "), canvas.style(Scope::UiTitle));
    if x + 3 < area.right() {
        canvas.text_cut(x + 3, area.y, area.right(), &listed, canvas.style(Scope::UiTextDim));
    }
}

fn draw_detail(pane: &Assignments, canvas: &mut Canvas<'_>) {
    let parts = pane.layout();
    let (header, area) = (parts.detail_header, parts.detail);
    let name = pane.verdict().map_or("", |verdict| verdict.pair.as_str());
    let place = match pane.scroll() {
        0 => String::new(),
        scroll => format!("line {}/{}", scroll + 1, pane.lines().len()),
    };
    panel::header(canvas, header, name, &place, pane.focus() == Focus::Detail);
    for (y, line) in (area.y..area.bottom()).zip(pane.lines().iter().skip(pane.scroll())) {
        let mut x = area.x.saturating_add(1);
        for span in &line.spans {
            x = canvas.text(x, y, area.right(), &span.text, canvas.style(scope_of(span.role)));
        }
    }
    panel::scrollbar(canvas, area, pane.scroll(), pane.lines().len());
}
