//! The form that starts a run.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::Line,
    widgets::{StatefulWidget, Widget},
};

use crate::{
    base::numbers::{bytes, counted, grouped},
    runs::curves::span,
    workbench::{
        app::{
            App,
            training::{Form, FormRow, Section},
        },
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, Labels, LineBuilder, wrap},
            widgets::{
                Cursor,
                input_line::InputLine,
                panel::{PanelHeader, ScrollPosition},
                row_list::{RowList, row_width, selection_style, text_on_selection},
            },
        },
    },
};

/// Columns of the names of settings, and of their values.
const NAMES: u16 = 19;
const VALUES: u16 = 24;

pub struct RunFormView<'a> {
    pub app: &'a App,
    pub form: &'a Form,
    pub styles: &'a Styles,
}

impl StatefulWidget for RunFormView<'_> {
    type State = Cursor;

    fn render(self, _: Rect, buf: &mut Buffer, cursor: &mut Cursor) {
        let RunFormView { app, form, styles } = self;
        let parts = app.training.form_parts();
        let title = match form.model() {
            Some(run) => format!(" a copy of {run}, on {}", form.corpus()),
            None => format!(" a new run on {}", form.corpus()),
        };
        let rows = form.rows();
        let detail = format!("{}/{}", form.place() + 1, rows.len());
        PanelHeader { title: &title, detail: &detail, has_focus: true, styles }
            .render(parts.header.into(), buf);
        let area: Rect = parts.rows.into();
        let selected = form.place().checked_sub(form.offset());
        let visible = rows.iter().enumerate().skip(form.offset()).take(area.height.into());
        let lines = visible.map(|(index, row)| self.row(*row, index == form.place(), row_width(area)));
        RowList { rows: lines, selected, has_focus: true, styles }.render(area, buf);
        ScrollPosition { offset: form.offset(), count: rows.len(), styles }.render(area, buf);
        if let (Some(editor), Some(row)) = (form.line(), selected.and_then(|row| area.rows().nth(row))) {
            let row = Rect { width: area.width.saturating_sub(1), ..row };
            let start = NAMES.min(row.width / 2);
            let width = VALUES.min(row.width - start);
            let style = text_on_selection(styles[Scope::UiInput], selection_style(styles, true));
            InputLine { editor, style }.render(Rect { x: row.x + start, width, ..row }, buf, cursor);
        }
        let foot_area: Rect = parts.foot.into();
        let lines = foot(app, form, foot_area);
        Labels(lines.into_iter().map(|(scope, text)| Label::new(text, styles[scope]))).render(foot_area, buf);
    }
}

impl RunFormView<'_> {
    /// A setting: its name, its value and its description.
    fn row<'a>(&self, row: FormRow, is_selected: bool, width: u16) -> Line<'a> {
        let (form, styles) = (self.form, self.styles);
        if let FormRow::Section(section) = row {
            return self.section(section, width);
        }
        let (text, dim) = (styles[Scope::UiText], styles[Scope::UiTextDim]);
        let about = form.about(row);
        // Columns are counted from the one after the sign of the selection.
        let value_start = NAMES.min(width.div_ceil(2)).saturating_sub(1);
        let description_start = value_start + VALUES + 1;
        let has_description = description_start + 20 < width;
        let value_end = if has_description { description_start - 1 } else { width };
        let mut line = LineBuilder::new(width);
        line.push(if form.is_changed(row) { "*" } else { " " }, styles[Scope::Mark]);
        line.push_until(value_start, about.flag, dim).skip_to(value_start);
        if !is_selected || form.line().is_none() {
            let value = form.value(row);
            let shown = match (value.is_empty(), row) {
                (false, _) => value,
                (true, FormRow::Slurm(_)) => "as in config.toml".to_owned(),
                (true, _) => "none".to_owned(),
            };
            line.push_until(value_end, shown, text);
            if is_selected && about.kind.choices().len() > 1 {
                line.skip(1).push_clipped(value_end, "‹ ›", styles[Scope::UiHintKey]);
            }
        }
        if has_description {
            line.skip_to(description_start).push_truncated(form.help(row), dim);
        }
        line.build()
    }
}

impl RunFormView<'_> {
    /// `▸ optimizer  2 changed`
    fn section<'a>(&self, section: Section, width: u16) -> Line<'a> {
        let (form, styles) = (self.form, self.styles);
        let mut line = LineBuilder::new(width);
        line.push(if form.is_open(section) { "▾ " } else { "▸ " }, styles[Scope::UiTextDim]);
        line.push(section.name(), styles[Scope::UiTitle]).skip(2);
        line.push_truncated(form.value(FormRow::Section(section)), styles[Scope::Mark]);
        line.build()
    }
}

/// What is wrong or the estimate, the command that does the same, and a description that did not fit its row.
fn foot(app: &App, form: &Form, area: Rect) -> Vec<(Scope, String)> {
    let mut lines: Vec<(Scope, String)> = Vec::new();
    match form.problem(&app.host) {
        Some(problem) => lines.push((Scope::UiNoticeError, problem)),
        None => match form.estimate() {
            Some(estimate) => {
                let (device, guess, whose) = match form.gpu() {
                    Some(gpu) => (format!(" on {}", gpu.device), " (a rough guess)", "its memory"),
                    None => (
                        String::new(),
                        " (a rough guess: nothing has been trained on this machine yet)",
                        "memory",
                    ),
                };
                let guess = if estimate.is_guess { guess } else { "" };
                if let Some(warning) = form.memory_warning() {
                    lines.push((Scope::UiNoticeWarning, warning));
                }
                lines.push((
                    Scope::UiText,
                    format!(
                        "trains on {} of {}, {}, about {}{device}{guess}, about {} of {whose}",
                        grouped(estimate.pairs as usize),
                        counted(app.corpus.pairs, "pair"),
                        counted(estimate.steps, "step"),
                        span(estimate.seconds.max(1.0).round()),
                        bytes(estimate.bytes)
                    ),
                ));
            }
            None if form.is_estimated() => {
                lines.push((Scope::UiTextDim, "no estimate: another corpus is open".to_owned()));
            }
            None => lines.push((Scope::UiTextDim, "estimating".to_owned())),
        },
    }
    let width = usize::from(area.width.saturating_sub(4)).max(8);
    // The description of the selected row comes before the command, of which a low screen shows the beginning.
    let row = form.row();
    let words = wrap(&form.help(row), width);
    lines.extend(words.into_iter().map(|text| (Scope::UiTextDim, text)));
    lines.extend(wrap(&form.command(), width).into_iter().enumerate().map(|(index, text)| {
        (Scope::SyntaxCommand, format!("{} {text}", if index == 0 { "$" } else { " " }))
    }));
    lines
}
