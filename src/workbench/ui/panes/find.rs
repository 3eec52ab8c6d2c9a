//! Find: results and the texts of the chosen one.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};
use unicode_width::UnicodeWidthStr;

use crate::{
    base::numbers::counted,
    matching::index::Side,
    runs::find::FoundPair,
    workbench::{
        app::{
            App,
            action::ActionId,
            find::{FindLayout, PROBABILITY, RANK, ResultColumns, Slot, Subject},
        },
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, LineBuilder, truncate, wrap},
            widgets::{
                document::DocumentText,
                key,
                panel::{PanelHeader, ScrollPosition, divider},
                row_list::{RowList, row_width},
            },
        },
    },
};

pub struct FindPane<'a> {
    pub app: &'a App,
    pub styles: &'a Styles,
}

impl Widget for FindPane<'_> {
    fn render(self, _: Rect, buf: &mut Buffer) {
        let FindPane { app, styles } = self;
        let pane = &app.find;
        let FindLayout { header, list_header, list, texts, is_wide } = pane.layout();
        let (query, results) = (pane.query(), pane.results());
        let is_list = query.subject == Some(Subject::Duplicates);
        let mut detail = match is_list {
            true => format!("in {}", query.side()),
            false => format!("{} · in {}", query.method, query.side()),
        };
        if results.candidates > 0 {
            let what = if is_list { "near-duplicate" } else { "candidate" };
            detail.push_str(&format!(" · {}", counted(results.candidates, what)));
        }
        if let Some(rank) = results.own_rank {
            detail.push_str(&format!(" · gold proof: rank {rank}"));
        }
        let title = if results.statement.is_empty() { "Find" } else { results.statement.as_str() };
        // The details matter more than the end of a long statement.
        let room = usize::from(header.width).saturating_sub(detail.width() + 5);
        let title = truncate(title, room.max(4));
        PanelHeader { title: &title, detail: &detail, has_focus: true, styles }.render(header.into(), buf);
        let area: Rect = list.into();
        if results.pairs.is_empty() {
            // Nothing is found, so the message has the room of the texts too.
            let area = area.union(list_header.into()).union(texts.into());
            return self.render_message(area, buf);
        }
        let cursor = pane.cursor();
        let visible = || results.pairs.iter().skip(cursor.offset).take(area.height.into());
        let longest = |has_label| {
            visible().map(|found| name(found, has_label).width() as u16).max().unwrap_or_default()
        };
        let has_side = query.has_both_sides();
        let columns = ResultColumns::fitting(row_width(area), (longest(false), longest(true)), has_side);
        self.render_names(list_header.into(), columns, buf);
        let rows = visible().map(|found| self.row(found, columns, row_width(area)));
        let selected = cursor.index.checked_sub(cursor.offset);
        RowList { rows, selected, has_focus: true, styles }.render(area, buf);
        ScrollPosition { offset: cursor.offset, count: results.pairs.len(), styles }.render(area, buf);
        let mut area: Rect = texts.into();
        if is_wide {
            let line = divider(styles);
            let inner = line.inner(area);
            line.render(area, buf);
            area = inner;
        }
        DocumentText { lines: pane.lines(), offset: pane.scroll(), styles }.render_scrolled(area, buf);
    }
}

impl<'a> FindPane<'a> {
    /// The names of the columns, above those of [`FindPane::row`].
    fn render_names(&self, area: Rect, columns: ResultColumns, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let style = self.styles[Scope::UiHeader];
        let is_list = self.app.find.query().subject == Some(Subject::Duplicates);
        let mut line = LineBuilder::new(row_width(area));
        line.push_right(RANK, "rank", style);
        if columns.has_probability {
            line.push_right(PROBABILITY, if is_list { "Jaccard" } else { "prob." }, style);
        }
        line.skip(1).push_until(columns.names, "pair", style);
        if columns.has_side {
            line.skip(1).push_until(columns.side_end(), "in", style);
        }
        line.skip_to(columns.side_end() + 1);
        line.push_truncated("text", style);
        buf.set_line(area.x.saturating_add(1), area.y, &line.build(), row_width(area));
    }

    fn row(&self, found: &'a FoundPair, columns: ResultColumns, width: u16) -> Line<'a> {
        let styles = self.styles;
        let (text, dim, hit) = (styles[Scope::UiText], styles[Scope::UiTextDim], styles[Scope::Hit]);
        let mut row = LineBuilder::new(width);
        row.push_right(RANK, found.rank.to_string(), dim);
        if columns.has_probability {
            row.push_right(PROBABILITY, format!("{:.1} %", 100.0 * found.probability), text);
        }
        row.push_until(columns.names, name(found, columns.has_label), dim);
        if columns.has_side {
            let side = match found.side {
                Side::Statement => "stmt.",
                Side::Proof => "proof",
            };
            row.skip_to(columns.names + 1).push_until(columns.side_end(), side, dim);
        }
        row.skip_to(columns.side_end() + 1);
        let excerpt = &found.excerpt;
        let mut end = 0;
        for range in &excerpt.emphasis {
            row.push(&excerpt.text[end..range.start], text).push(&excerpt.text[range.clone()], hit);
            end = range.end;
        }
        row.push_truncated(&excerpt.text[end..], text);
        row.build()
    }

    fn render_message(&self, area: Rect, buf: &mut Buffer) {
        let (app, styles) = (self.app, self.styles);
        let type_key = key(app, ActionId::TypeStatement);
        let (text, scope) = match (app.find.problem(), app.find.progress()) {
            (_, Some((step, done, total))) => {
                let percent = 100 * done / total.max(1);
                let work = match app.find.query().subject {
                    Some(Subject::Duplicates) => "comparing all texts",
                    _ => "building the index",
                };
                (format!("{work}: {step}, {percent} %"), Scope::UiTextDim)
            }
            (Some(problem), _) => (problem.to_owned(), Scope::UiNoticeWarning),
            (None, None) if app.host.slots.is_waiting(Slot::Find) => {
                ("searching".to_owned(), Scope::UiTextDim)
            }
            (None, None) if app.pane().prompt(false).is_some() => {
                (format!("{} searches", key(app, ActionId::FindAccept)), Scope::UiTextDim)
            }
            (None, None) if app.find.query().subject.is_some() => (
                format!("stopped; {type_key} and {} search again", key(app, ActionId::FindAccept)),
                Scope::UiTextDim,
            ),
            (None, None) => (
                format!(
                    "Press {type_key} to type or paste a statement, with formulas in dollar signs, or {} in Browse to search with the selected pair.",
                    key(app, ActionId::FindSelected)
                ),
                Scope::UiTextDim,
            ),
        };
        for (line, y) in wrap(&text, row_width(area).into()).into_iter().zip(area.y..area.bottom()) {
            let line_area = Rect { y, height: 1, ..area };
            Label::new(line, styles[scope]).render(line_area, buf);
        }
    }
}

/// The id of a pair, with its kind and number if there is room, after a gap.
fn name(found: &FoundPair, has_label: bool) -> String {
    match has_label {
        true => format!(" {} {} {}", found.id, found.kind.abbreviation(), found.label),
        false => format!(" {}", found.id),
    }
}
