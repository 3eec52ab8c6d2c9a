//! Importance: the form, a heatmap and bars for each model, and facts about the token under the cursor.

mod bars;
mod heatmap;

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use strum::VariantArray;
use unicode_width::UnicodeWidthStr;

use self::{bars::WeightBars, heatmap::Heatmap};
use crate::{
    base::numbers::grouped,
    explain::share::of_pair,
    workbench::{
        app::{
            App,
            action::ActionId,
            importance::{Detail, Panel},
        },
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, LineBuilder},
            widgets::{
                form_line, gauge, key,
                panel::{PanelHeader, divider},
            },
        },
    },
};

pub struct ImportancePane<'a> {
    pub app: &'a App,
    pub styles: &'a Styles,
}

impl Widget for ImportancePane<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let ImportancePane { app, styles } = self;
        let pane = &app.importance;
        let parts = pane.layout();
        let form: Rect = parts.form.into();
        if !form.is_empty() {
            let line = form_line(app, styles, form.width, pane.query().fields());
            buf.set_line(form.x, form.y, &line.build(), form.width);
        }
        self.render_title(parts.title.into(), buf);
        if pane.scene().is_none() {
            let below = Rect { y: form.bottom(), height: area.height.saturating_sub(1), ..area };
            return self.render_invitation(below, buf);
        }
        divider(styles).render(parts.divider.into(), buf);
        for (index, name) in pane.query().models().into_iter().enumerate() {
            let (Some(panel), Some(areas)) = (pane.panels().get(index), parts.panels.get(index)) else {
                continue;
            };
            let has_focus = index == pane.focus();
            let room = areas.header.width.saturating_sub(name.width() as u16 + 4);
            PanelHeader { title: name, detail: &math_share(panel, room), has_focus, styles }
                .render(areas.header.into(), buf);
            self.render_facts(panel, areas.facts.into(), buf);
            Heatmap { importance: pane, panel, has_focus, styles }.render(areas.texts.into(), buf);
            WeightBars { importance: pane, panel, styles }.render(areas.bars.into(), buf);
        }
        self.render_token(parts.token.into(), buf);
        self.render_what_if(parts.what_if.into(), buf);
    }
}

/// `71 % of weight on math`: the share of the importance on mathematics, in as many words as fit.
fn math_share(panel: &Panel, room: u16) -> String {
    let Some(share) = panel.explanation().and_then(of_pair) else { return String::new() };
    let texts = ["% of the weight is on mathematics", "% of weight on math", "% on math"];
    // Adding zero turns -0 into 0.
    let percent = (100.0 * share).round() + 0.0;
    let texts = texts.map(|text| format!("{percent:.0} {text}"));
    texts.into_iter().find(|text| text.width() <= usize::from(room)).unwrap_or_default()
}

/// Columns of the progress bar.
const PROGRESS: u16 = 12;

impl ImportancePane<'_> {
    /// `demo.01#1  Lemma 3.1 ─ test part`
    fn render_title(&self, area: Rect, buf: &mut Buffer) {
        let Some(scene) = self.app.importance.scene().filter(|_| !area.is_empty()) else { return };
        let mut line = LineBuilder::new(area.width);
        line.skip(1).push_truncated(scene.case.pair.name.as_str(), self.styles[Scope::UiTitle]).skip(2);
        line.push_truncated(format!("{}  {} part", scene.title, scene.part), self.styles[Scope::UiTextDim]);
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }

    fn render_invitation(&self, area: Rect, buf: &mut Buffer) {
        let pane = &self.app.importance;
        let (text, scope) = match (pane.problem(), pane.is_working()) {
            (Some(problem), _) => (problem.to_owned(), Scope::UiNoticeError),
            (None, true) => ("reading the pair and the candidate proofs".to_owned(), Scope::UiTextDim),
            (None, false) => {
                let key = key(self.app, ActionId::ExplainPair);
                (format!("choose a pair in Browse and press {key}"), Scope::UiTextDim)
            }
        };
        let row = area.rows().nth(usize::from(area.height.min(2) / 2));
        row.into_iter().for_each(|row| Label::new(text.as_str(), self.styles[scope]).render(row, buf));
    }

    /// Rank, probability and fit; during the computation, its progress.
    fn render_facts(&self, panel: &Panel, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let mut line = LineBuilder::new(area.width);
        line.skip(1);
        if let Some((done, total)) = panel.progress {
            let stop = match self.app.importance.is_working() {
                true => format!(", {} stops", key(self.app, ActionId::StopWork)),
                false => ", stopped".to_owned(),
            };
            let text = format!(" {} of {}{stop}  ", grouped(done), grouped(total));
            line.skip(PROGRESS).push_truncated(text, self.styles[Scope::UiTextDim]);
        }
        // A fact is shown whole or not at all.
        let room = usize::from(area.width - line.used());
        let is_long = facts(panel, true).join(" · ").width() <= room;
        for (place, fact) in facts(panel, is_long).into_iter().enumerate() {
            let fact = if place == 0 { fact } else { format!(" · {fact}") };
            if line.used() + fact.width() as u16 <= area.width {
                line.push(fact, self.styles[Scope::UiText]);
            }
        }
        buf.set_line(area.x, area.y, &line.build(), area.width);
        if let Some((done, total)) = panel.progress {
            let bar = Rect { width: area.width.min(PROGRESS + 1), ..area };
            gauge(done as f64 / total.max(1) as f64, self.styles).render(bar, buf);
        }
    }

    fn render_token(&self, area: Rect, buf: &mut Buffer) {
        let pane = &self.app.importance;
        let summary = longest_fitting(area.width, |detail| pane.token_summary(detail));
        if let Some(text) = summary {
            Label::new(text, self.styles[Scope::UiText]).render(area, buf);
        }
    }

    /// What an edit changed, or how to make one.
    fn render_what_if(&self, area: Rect, buf: &mut Buffer) {
        let pane = &self.app.importance;
        let summary = longest_fitting(area.width, |detail| pane.what_if_summary(detail));
        let label = match summary {
            Some(text) => Label::new(text, self.styles[Scope::UiTitle]),
            None => {
                let text = format!(
                    "what if: {} drops the token, {} renames the symbol",
                    key(self.app, ActionId::DropToken),
                    key(self.app, ActionId::RenameSymbol)
                );
                Label::new(text, self.styles[Scope::UiTextDim])
            }
        };
        label.render(area, buf);
    }
}

/// A sentence with as much detail as fits after a margin of one column.
fn longest_fitting(width: u16, sentence: impl Fn(Detail) -> Option<String>) -> Option<String> {
    let fits = |text: &String| text.width() < usize::from(width);
    let sentences = Detail::VARIANTS.iter().map(|detail| sentence(*detail));
    sentences.flatten().find(fits).or_else(|| sentence(Detail::Short))
}

/// `rank 1/31 · P 0.999`; with room, the stability says over what.
fn facts(panel: &Panel, is_long: bool) -> Vec<String> {
    let mut facts = Vec::new();
    if let Some(ranking) = panel.ranking() {
        let whose = if panel.shows_rival() { "gold " } else { "" };
        facts.push(format!("{whose}rank {}/{}", ranking.rank, ranking.candidates));
    }
    if panel.finding.as_ref().is_some_and(|finding| finding.trained_on_pair) {
        facts.push(if is_long { "trained on this pair" } else { "trained on it" }.to_owned());
    }
    if let Some(explanation) = panel.explanation() {
        let whose = if panel.shows_rival() { "rival " } else { "" };
        facts.push(format!("{whose}P {:.3}", explanation.probability));
        if let Some(r_squared) = explanation.fit.and_then(|fit| fit.r_squared) {
            facts.push(format!("R² {r_squared:.2}"));
        }
    }
    let stability = panel.finding.as_ref().map(|finding| &finding.stability);
    if let Some(stability) = stability.filter(|stability| stability.seeds.len() > 1 && !panel.shows_rival()) {
        let over = if is_long { format!(" over {} seeds", stability.seeds.len()) } else { String::new() };
        facts.push(format!("{:.0} % stable{over}", 100.0 * stability.agreement));
    }
    if let Some(ranking) = panel.ranking()
        && let Some(rival) = &ranking.rival
    {
        facts.push(format!("{} {}", if ranking.rank == 1 { "runner-up" } else { "prefers" }, rival.pair));
    }
    facts
}
