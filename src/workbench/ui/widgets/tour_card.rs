//! The card of the tour, in lines of its own above the hints.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use crate::workbench::{
    app::{App, tour::TourStep},
    theme::Scope,
    ui::{
        styles::Styles,
        text::{Label, LineBuilder, wrap},
    },
};

pub struct TourCard<'a> {
    pub app: &'a App,
    pub styles: &'a Styles,
}

impl Widget for TourCard<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let TourCard { app, styles } = self;
        let (Some(tour), Some(text)) = (app.tour(), app.tour_text()) else { return };
        if area.is_empty() {
            return;
        }
        buf.set_style(area, styles[Scope::UiHelp]);
        let rows: Vec<Rect> = area.rows().collect();
        let (prompt, rest) = match rows.split_last() {
            Some((prompt, rest)) => (*prompt, rest),
            None => return,
        };
        let texts = match rest.split_first() {
            Some((title, texts)) => {
                self.render_title(*title, &tour.step().number(), buf);
                texts
            }
            None => rest,
        };
        let lines = wrap(&text, area.width.saturating_sub(3).into());
        let hidden = lines.len().saturating_sub(texts.len());
        for (index, (row, line)) in texts.iter().zip(&lines).enumerate() {
            let is_last = index + 1 == texts.len() && hidden > 0;
            let text = if is_last { format!("{line} …") } else { line.clone() };
            Label::new(text, styles[Scope::UiHelp]).render(*row, buf);
        }
        self.render_prompt(prompt, buf);
    }
}

impl TourCard<'_> {
    fn render_title(&self, area: Rect, number: &str, buf: &mut Buffer) {
        let mut line = LineBuilder::new(area.width);
        line.push("─ tour ", self.styles[Scope::UiTitle]);
        line.push(format!("{number} "), self.styles[Scope::UiTextDim]);
        let rest = usize::from(area.width.saturating_sub(line.used()));
        line.push("─".repeat(rest), self.styles[Scope::UiBorderFocused]);
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }

    fn render_prompt(&self, area: Rect, buf: &mut Buffer) {
        let (Some(tour), Some(key)) = (self.app.tour(), self.app.tour_key()) else { return };
        let mut line = LineBuilder::new(area.width);
        line.skip(1).push("press ", self.styles[Scope::UiTextDim]);
        line.push(key, self.styles[Scope::UiHintKey]).skip(1);
        line.push_truncated(tour.step().prompt(), self.styles[Scope::UiText]);
        if tour.step() == TourStep::Importance {
            self.push_legend(&mut line);
        }
        buf.set_line(area.x, area.y, &line.build(), area.width);
    }

    /// What the heatmap's colors mean, in the colors of the theme.
    fn push_legend(&self, line: &mut LineBuilder<'_>) {
        const LEGEND: [(&str, Scope); 2] =
            [(" supports ", Scope::ImportanceFor5), (" opposes ", Scope::ImportanceAgainst5)];
        let length: usize = LEGEND.iter().map(|(text, _)| text.len() + 1).sum();
        if usize::from(line.used()) + length + 1 > usize::from(line.width()) {
            return;
        }
        line.skip(1);
        for (text, scope) in LEGEND {
            line.skip(1).push(text, self.styles[scope]);
        }
    }
}
