//! Assignments: the form, a summary, and one of four views.

mod contention;
mod levels;
mod map;
mod statements;

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
    widgets::Widget,
};
use strum::IntoEnumIterator;
use unicode_width::UnicodeWidthStr;

use self::{contention::Contention, levels::LevelsTable, map::ScoreMap, statements::StatementTable};
use crate::{
    base::numbers::{counted, grouped},
    base::task::Progress,
    matching::{
        decoders::Decoder,
        evaluation::{Contamination, Evaluation},
        metrics::Metrics,
    },
    workbench::{
        app::{
            App,
            action::ActionId,
            assignments::{Focus, View},
        },
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, Labels, LineBuilder},
            widgets::{
                document::DocumentText,
                form_line, gauge, key,
                panel::{PanelHeader, divider},
            },
        },
    },
};

pub struct AssignmentsPane<'a> {
    pub app: &'a App,
    pub styles: &'a Styles,
}

impl Widget for AssignmentsPane<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let AssignmentsPane { app, styles } = self;
        let pane = &app.assignments;
        let parts = pane.layout();
        self.render_form(parts.form.into(), buf);
        if pane.view() == View::Levels {
            self.render_levels_summary(parts.summary.into(), buf);
            let (enter, all) = (key(app, ActionId::MatchOrOpen), key(app, ActionId::MatchAll));
            let invitation =
                format!("· not computed yet: {enter} matches the selected cell, {all} all of them");
            let table = LevelsTable { pane, invitation: &invitation, styles };
            return table.render(parts.whole.into(), buf);
        }
        let Some(evaluation) = pane.evaluation() else {
            let below = Rect { y: parts.form.bottom(), height: area.height - parts.form.height, ..area };
            return match pane.working() {
                Some(progress) => self.render_progress(progress, below, buf),
                None => self.render_invitation(below, buf),
            };
        };
        self.render_summary(evaluation, parts.summary.into(), buf);
        match pane.view() {
            View::Levels => {}
            View::Statements => {
                StatementTable { pane, evaluation, header: parts.list_header.into(), styles }
                    .render(parts.list.into(), buf);
                divider(styles).render(parts.divider.into(), buf);
                self.render_detail(parts.detail_header.into(), parts.detail.into(), buf);
            }
            View::Contention => Contention { pane, evaluation, styles }.render(parts.whole.into(), buf),
            View::Map => ScoreMap { pane, styles }.render(parts.whole.into(), buf),
        }
    }
}

impl AssignmentsPane<'_> {
    fn render_form(&self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let pane = &self.app.assignments;
        let states = match (pane.evaluation(), pane.working()) {
            (_, Some(_)) => vec!["matching ".to_owned()],
            (Some(evaluation), None) => {
                let count = evaluation.verdicts.len();
                vec![
                    format!("{} matched ", counted(count, "statement")),
                    format!("{} matched ", grouped(count)),
                ]
            }
            (None, None) => vec![format!("{} matches ", key(self.app, ActionId::MatchOrOpen))],
        };
        let fields = pane.settings().fields().map(|(action, value)| match action {
            ActionId::MatchPart => (action, format!("{value} part")),
            ActionId::MatchSplit => (action, format!("{value} split")),
            _ => (action, value),
        });
        let mut line = form_line(self.app, self.styles, area.width, fields);
        let room = usize::from(area.width.saturating_sub(line.used()));
        if let Some(state) = states.into_iter().find(|state| state.width() <= room) {
            line.push_right(area.width, state, self.styles[Scope::UiTextDim]);
        }
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }

    /// What the table is about, for a reader who has not seen it before.
    fn render_levels_summary(&self, area: Rect, buf: &mut Buffer) {
        let enter = key(self.app, ActionId::MatchOrOpen);
        let text = format!("proofs found as their symbols are replaced · {enter} opens a matching");
        Label::new(text, self.styles[Scope::UiTextDim]).render(area, buf);
    }

    fn render_invitation(&self, area: Rect, buf: &mut Buffer) {
        let key = |action| key(self.app, action);
        let [baseline, part, split, level, decoder] =
            self.app.assignments.settings().fields().map(|(action, _)| key(action));
        let lines = [
            "Every statement of a part is scored against every proof of that part.".to_owned(),
            String::new(),
            format!(
                "{baseline}  scoring method: tfidf, dice, a trained model ({} lists all)",
                key(ActionId::ChooseModel)
            ),
            format!("{part}  part to match: train, dev, test"),
            format!("{split}  split: by pair (mixed) or by article (unmixed)"),
            format!("{level}  level of symbol replacement in the proofs"),
            format!("{decoder}  decoder to compare with local decoding"),
            String::new(),
            format!(
                "{}  starts the matching; earlier results are reopened immediately",
                key(ActionId::MatchOrOpen)
            ),
        ];
        let gap = (area.height > 9).then(String::new);
        let dim = self.styles[Scope::UiTextDim];
        Labels(gap.into_iter().chain(lines).map(|line| Label::new(line, dim))).render(area, buf);
    }

    fn render_progress(&self, progress: Option<Progress>, area: Rect, buf: &mut Buffer) {
        let [_, text_area, bar, _] = Layout::vertical([
            Constraint::Length(area.height / 3),
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Fill(1),
        ])
        .areas(area);
        let (step, share) = progress.map_or(("reading", 0.0), |progress| {
            (progress.step, progress.done as f64 / progress.total.max(1) as f64)
        });
        let stop = key(self.app, ActionId::StopWork);
        let text = format!("{step} {:>3.0} %   {stop} stops", 100.0 * share.clamp(0.0, 1.0));
        Label::new(text, self.styles[Scope::UiText]).render(text_area, buf);
        let width = bar.width.saturating_sub(1).min(61);
        gauge(share, self.styles).render(Rect { width, ..bar }, buf);
    }

    /// `local 61.54 · global 76.92 · MRR 70.12   8 of 13 · fixed by global · by margin`
    fn render_summary(&self, evaluation: &Evaluation, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let pane = &self.app.assignments;
        let mut outcomes = Vec::new();
        for decoder in Decoder::iter() {
            let is_shown =
                matches!(decoder, Decoder::Local | Decoder::Global) || decoder == pane.settings().decoder;
            if let Some(outcome) = evaluation.outcome(decoder).filter(|_| is_shown) {
                let mrr = outcome.metrics.mrr;
                let mrr = mrr.map_or(String::new(), |mrr| format!(" (MRR {:.2})", 100.0 * mrr));
                outcomes.push(format!("{decoder} {:.2}{mrr}", 100.0 * outcome.metrics.accuracy));
            }
        }
        let (order, is_reversed) = pane.order();
        let mut listed = format!("{} of {}", grouped(pane.list().len()), grouped(evaluation.verdicts.len()));
        // What is more important than the defaults takes their room.
        let is_default = (pane.shown(), order, is_reversed) == Default::default();
        if !pane.is_elsewhere() || !is_default {
            let arrow = if is_reversed { " ↓" } else { "" };
            listed.push_str(&format!(" · {} · {}{arrow}", pane.shown().label(), order.label()));
        }
        let search = pane.search();
        match search.wanted {
            Some(_) => listed.push_str(&format!(" · choosing the proof of {}", search.text)),
            None if !search.text.is_empty() => listed.push_str(&format!(" · /{}", search.text)),
            None => {}
        }
        if pane.is_elsewhere() {
            listed = format!("selected pair: not in this part · {listed}");
        }
        let mut line = LineBuilder::new(area.width);
        line.skip(1).push_truncated(outcomes.join(" · "), self.styles[Scope::UiTitle]).skip(3);
        if let Some(banner) = evaluation.contamination.as_ref().and_then(banner) {
            line.push_truncated(banner, self.styles[Scope::Bad]).skip(3);
        }
        line.push_truncated(listed, self.styles[Scope::UiTextDim]);
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }

    fn render_detail(&self, header: Rect, area: Rect, buf: &mut Buffer) {
        let pane = &self.app.assignments;
        let title = pane.verdict().map_or("", |verdict| verdict.pair.as_str());
        let detail = match pane.scroll() {
            0 => String::new(),
            scroll => format!("line {}/{}", scroll + 1, pane.lines().len()),
        };
        let has_focus = pane.focus() == Focus::Detail;
        PanelHeader { title, detail: &detail, has_focus, styles: self.styles }.render(header, buf);
        DocumentText { lines: pane.lines(), offset: pane.scroll(), styles: self.styles }
            .render_scrolled(area, buf);
    }
}

/// A caveat to read before the score: the model has seen the pairs.
fn banner(found: &Contamination) -> Option<String> {
    if found.unchecked.is_some() {
        return Some("trained on unknown pairs".to_owned());
    }
    let clean = |metrics: &Metrics| {
        let mrr = metrics.mrr.map_or(String::new(), |mrr| format!(" (MRR {:.2})", 100.0 * mrr));
        format!(", clean {:.2}{mrr}", 100.0 * metrics.accuracy)
    };
    let clean = found.clean(Decoder::Local).map_or_else(|| ", none clean".to_owned(), clean);
    (found.trained_on > 0).then(|| format!("trained on {} of {}{clean}", found.trained_on, found.of))
}
