//! Importance: the form, a heatmap and bars for each model, and what is under the cursor.

mod bars;
mod heatmap;

use crate::{
    explain::share::of_pair,
    workbench::app::{
        App,
        action::ActionId,
        area::Area,
        importance::{Importance, Panel},
    },
    workbench::theme::Scope,
    workbench::ui::{
        canvas::Canvas,
        widgets::{panel, tabs::grouped},
    },
};

pub fn draw(app: &App, canvas: &mut Canvas<'_>) {
    let pane = &app.importance;
    let parts = pane.layout();
    draw_form(app, parts.form, canvas);
    draw_title(pane, parts.title, canvas);
    if pane.scene().is_none() {
        let below =
            Area { y: parts.form.bottom(), height: pane.area().height.saturating_sub(1), ..pane.area() };
        return draw_invitation(app, below, canvas);
    }
    panel::divider(canvas, parts.divider);
    for (number, name) in pane.query().models().into_iter().enumerate() {
        let (Some(shown), Some(areas)) = (pane.panels().get(number), parts.panels.get(number)) else {
            continue;
        };
        let has_keys = number == pane.focus();
        panel::header(canvas, areas.header, name, &share_words(shown), has_keys);
        draw_facts(app, shown, areas.facts, canvas);
        heatmap::draw(pane, shown, has_keys, areas.texts, canvas);
        bars::draw(pane, shown, areas.bars, canvas);
    }
    draw_bottom(app, canvas);
}

/// What is asked, each with the key that changes it.
fn draw_form(app: &App, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let (key_style, value) = (canvas.style(Scope::UiHintKey), canvas.style(Scope::UiText));
    let mut x = area.x + 1;
    for (action, text) in app.importance.query().fields() {
        let key = app.keymap.keys(action).first().map_or("", String::as_str);
        x = canvas.text(x, area.y, area.right(), key, key_style) + 1;
        x = canvas.text_cut(x, area.y, area.right(), &text, value) + 2;
    }
}

/// `demo.01#1  Lemma 3.1 ─ test part`
fn draw_title(pane: &Importance, area: Area, canvas: &mut Canvas<'_>) {
    let Some(scene) = pane.scene().filter(|_| !area.is_empty()) else { return };
    let x = canvas.text_cut(
        area.x + 1,
        area.y,
        area.right(),
        &scene.case.pair.name,
        canvas.style(Scope::UiTitle),
    );
    let words = format!("{}  {} part", scene.title, scene.part);
    canvas.text_cut(x + 2, area.y, area.right(), &words, canvas.style(Scope::UiTextDim));
}

/// What there is to see before anything was explained.
fn draw_invitation(app: &App, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let key = app.keymap.keys(ActionId::ExplainPair).first().cloned().unwrap_or_default();
    let (words, scope) = match (app.importance.problem(), app.importance.is_working()) {
        (Some(problem), _) => (problem.to_owned(), Scope::UiNoticeError),
        (None, true) => ("reading the pair and the proofs to choose from".to_owned(), Scope::UiTextDim),
        (None, false) => (format!("choose a pair in Browse and press {key}"), Scope::UiTextDim),
    };
    canvas.text_cut(area.x + 1, area.y + area.height.min(2) / 2, area.right(), &words, canvas.style(scope));
}

/// `71 % math`: how much of the importance lies on mathematics.
fn share_words(shown: &Panel) -> String {
    let share = shown.explanation().and_then(of_pair);
    share.map_or_else(String::new, |share| format!("{:.0} % on math", 100.0 * share))
}

/// Rank, probability and fit; while it is worked out, how far it is.
fn draw_facts(app: &App, shown: &Panel, area: Area, canvas: &mut Canvas<'_>) {
    if area.is_empty() {
        return;
    }
    let mut x = area.x + 1;
    if let Some((done, total)) = shown.progress {
        let width: u16 = 12;
        let filled = (done * usize::from(width) / total.max(1)).min(width.into());
        let bar = format!("{}{}", "█".repeat(filled), "░".repeat(usize::from(width) - filled));
        x = canvas.text(x, area.y, area.right(), &bar, canvas.style(Scope::UiGauge));
        let key = app.keymap.keys(ActionId::StopWork).first().cloned().unwrap_or_default();
        let stop =
            if app.importance.is_working() { format!(", {key} stops") } else { ", stopped".to_owned() };
        let words = format!(" {} of {}{stop}  ", grouped(done), grouped(total));
        x = canvas.text_cut(x, area.y, area.right(), &words, canvas.style(Scope::UiTextDim));
    }
    let mut facts = Vec::new();
    if let Some(ranking) = shown.ranking() {
        facts.push(format!("rank {}/{}", ranking.rank, ranking.candidates));
    }
    if let Some(explanation) = shown.explanation() {
        facts.push(format!("P {:.3}", explanation.probability));
        if let Some(r_squared) = explanation.fit.and_then(|fit| fit.r_squared) {
            facts.push(format!("R² {r_squared:.2}"));
        }
    }
    let stability = shown.finding.as_ref().map(|finding| &finding.stability);
    if let Some(stability) = stability.filter(|stability| stability.seeds.len() > 1 && !shown.shows_rival()) {
        facts.push(format!("{:.0} % steady", 100.0 * stability.agreement));
    }
    if let Some(rival) = shown.ranking().and_then(|ranking| Some((ranking.rank, ranking.rival.as_ref()?))) {
        let (rank, rival) = rival;
        facts.push(format!("{} {}", if rank == 1 { "then" } else { "prefers" }, rival.pair));
    }
    canvas.text_cut(x, area.y, area.right(), &facts.join(" · "), canvas.style(Scope::UiText));
}

/// The token under the cursor, and what an edit changed, or the name of a file being typed.
fn draw_bottom(app: &App, canvas: &mut Canvas<'_>) {
    let (pane, parts) = (&app.importance, app.importance.layout());
    if let Some(words) = pane.token_summary().filter(|_| !parts.token.is_empty()) {
        let area = parts.token;
        canvas.text_cut(area.x + 1, area.y, area.right(), &words, canvas.style(Scope::UiText));
    }
    let area = parts.what_if;
    if area.is_empty() {
        return;
    }
    match pane.what_if_summary() {
        Some(words) => {
            canvas.text_cut(area.x + 1, area.y, area.right(), &words, canvas.style(Scope::UiTitle));
        }
        None => {
            let key = |action| app.keymap.keys(action).first().cloned().unwrap_or_default();
            let words = format!(
                "what if: {} drops the token, {} renames the symbol",
                key(ActionId::DropToken),
                key(ActionId::RenameSymbol)
            );
            canvas.text_cut(area.x + 1, area.y, area.right(), &words, canvas.style(Scope::UiTextDim));
        }
    }
}
