//! The list of statements with what they want and what they get.

use unicode_width::UnicodeWidthStr;

use crate::{
    matching::{
        decoders::Decoder,
        evaluation::{Evaluation, Verdict},
    },
    workbench::app::{
        area::Area,
        assignments::{Assignments, Focus},
    },
    workbench::theme::Scope,
    workbench::ui::{
        canvas::Canvas,
        panes::browse::select,
        widgets::{panel, tabs::grouped},
    },
};

/// A column of the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Local,
    Global,
    Rank,
    Score,
    Margin,
}

/// The columns in the order in which they get room.
const BY_NEED: [Column; 5] = [Column::Rank, Column::Margin, Column::Local, Column::Global, Column::Score];
/// The same as they stand on the screen.
const AS_SHOWN: [Column; 5] = [Column::Local, Column::Global, Column::Rank, Column::Score, Column::Margin];
/// Names longer than this are cut.
const LONGEST: usize = 18;
/// Words are shown when they have this many columns.
const FEWEST_WORDS: u16 = 12;
/// The sign of the selection and the two marks.
const MARKS: u16 = 5;

pub fn draw(pane: &Assignments, evaluation: &Evaluation, canvas: &mut Canvas<'_>) {
    let parts = pane.layout();
    let area = parts.list;
    if area.is_empty() {
        return;
    }
    let has_focus = pane.focus() == Focus::List;
    let list = pane.list();
    let in_sight: Vec<&Verdict> = list
        .in_sight(area.height.into())
        .iter()
        .filter_map(|statement| evaluation.verdicts.get(*statement as usize))
        .collect();
    let table = Table::fitting(pane, evaluation, &in_sight, area.width);
    table.draw_header(parts.list_header, has_focus, canvas);
    if list.is_empty() {
        let told = "no statement is so; f shows others, esc all";
        canvas.text_cut(area.x + 2, area.y, area.right(), told, canvas.style(Scope::UiTextDim));
        return;
    }
    for (index, (y, verdict)) in (area.y..area.bottom()).zip(in_sight).enumerate() {
        let line = Area::new(area.x, y, area.width.saturating_sub(1), 1);
        if list.offset() + index == list.cursor() {
            select(canvas, line, has_focus);
        }
        let x = table.draw_row(verdict, line, canvas) + 2;
        if let Some(words) = pane.preview(verdict.row).filter(|_| x + FEWEST_WORDS <= line.right()) {
            canvas.text_cut(x, y, line.right(), words, canvas.style(Scope::UiTextDim));
        }
    }
    panel::scrollbar(canvas, area, list.offset(), list.len());
}

struct Table<'a> {
    evaluation: &'a Evaluation,
    decoder: Decoder,
    name: u16,
    columns: Vec<(Column, u16)>,
}

impl<'a> Table<'a> {
    /// As many columns as there is room for.
    fn fitting(
        pane: &Assignments,
        evaluation: &'a Evaluation,
        verdicts: &[&Verdict],
        width: u16,
    ) -> Table<'a> {
        let longest =
            |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or_default().min(LONGEST) as u16;
        let name = longest(&mut verdicts.iter().map(|verdict| verdict.pair.width())).max(9);
        let mut table = Table { evaluation, decoder: pane.settings().decoder, name, columns: Vec::new() };
        let mut room = width.saturating_sub(MARKS + name + 1);
        let mut fitting = Vec::new();
        for column in BY_NEED {
            let texts = verdicts.iter().map(|verdict| table.text(column, verdict).width());
            let needed = longest(&mut texts.chain([table.heading(column).width()]));
            if needed < room {
                room -= needed + 1;
                fitting.push((column, needed));
            }
        }
        let shown = |column: &Column| fitting.iter().find(|(fits, _)| fits == column).copied();
        table.columns = AS_SHOWN.iter().filter_map(shown).collect();
        table
    }

    fn heading(&self, column: Column) -> String {
        match (column, self.decoder) {
            (Column::Local, _) => "local".to_owned(),
            (Column::Global, _) => "global".to_owned(),
            (Column::Rank, Decoder::Sinkhorn | Decoder::Csls) => format!("rank>{}", self.decoder),
            (Column::Rank, _) => "rank".to_owned(),
            (Column::Score, _) => "score".to_owned(),
            (Column::Margin, _) => "margin".to_owned(),
        }
    }

    fn text(&self, column: Column, verdict: &Verdict) -> String {
        let proof = |proof: Option<u32>| match proof {
            None => "·".to_owned(),
            Some(proof) if proof == verdict.gold => "gold".to_owned(),
            Some(proof) => {
                self.evaluation.verdicts.get(proof as usize).map_or_else(String::new, |of| of.pair.clone())
            }
        };
        let rank = |rank: u32| grouped(rank as usize);
        match column {
            Column::Local if verdict.local == verdict.gold && !verdict.is_found_locally() => {
                "tied".to_owned()
            }
            Column::Local => proof(Some(verdict.local)),
            Column::Global => proof(verdict.global),
            Column::Rank => {
                let other = match self.decoder {
                    Decoder::Sinkhorn => verdict.sinkhorn_rank,
                    Decoder::Csls => verdict.csls_rank,
                    Decoder::Local | Decoder::Global => None,
                };
                other.map_or_else(
                    || rank(verdict.rank),
                    |other| format!("{}>{}", rank(verdict.rank), rank(other)),
                )
            }
            Column::Score => format!("{:.4}", verdict.gold_score),
            Column::Margin => format!("{:+.4}", verdict.margin),
        }
    }

    fn draw_header(&self, area: Area, has_focus: bool, canvas: &mut Canvas<'_>) {
        if area.is_empty() {
            return;
        }
        panel::header(canvas, area, "LG statement", "", has_focus);
        let style = canvas.style(if has_focus { Scope::UiHeaderFocused } else { Scope::UiHeader });
        let mut x = area.x + MARKS + self.name;
        for &(column, width) in &self.columns {
            let heading = self.heading(column);
            match column {
                Column::Local | Column::Global => {
                    canvas.text(x + 1, area.y, x + 1 + width, &heading, style);
                }
                _ => {
                    canvas.text_right(x, area.y, x + 1 + width, &heading, style);
                }
            }
            x += width + 1;
        }
    }

    /// Draws a line and returns where it ends.
    fn draw_row(&self, verdict: &Verdict, line: Area, canvas: &mut Canvas<'_>) -> u16 {
        let local = Some(verdict.is_found_locally());
        let global = verdict.global.map(|_| verdict.is_found_globally());
        let mut x = line.x + 1;
        for mark in [local, global] {
            x = draw_mark(mark, x, line, canvas);
        }
        let (text, dim) = (canvas.style(Scope::UiText), canvas.style(Scope::UiTextDim));
        let end = (line.x + MARKS + self.name - 1).min(line.right());
        canvas.text_cut(x + 1, line.y, end, &verdict.pair, text);
        let mut x = line.x + MARKS + self.name;
        for &(column, width) in &self.columns {
            let shown = self.text(column, verdict);
            let (start, end) = (x + 1, (x + 1 + width).min(line.right()));
            let is_wrong = matches!(column, Column::Local if local == Some(false))
                || matches!(column, Column::Global if global == Some(false));
            match column {
                Column::Local | Column::Global => {
                    let style = if is_wrong { canvas.style(Scope::Bad) } else { dim };
                    canvas.text_cut(start, line.y, end, &shown, style);
                }
                _ => {
                    canvas.text_right(x, line.y, end, &shown, text);
                }
            }
            x += width + 1;
        }
        x
    }
}

/// Right or wrong by sign, and by colour for those who see it.
fn draw_mark(is_right: Option<bool>, x: u16, line: Area, canvas: &mut Canvas<'_>) -> u16 {
    let (sign, scope) = match is_right {
        Some(true) => ("✓", Scope::Ok),
        Some(false) => ("✗", Scope::Bad),
        None => ("·", Scope::UiTextDim),
    };
    canvas.text(x, line.y, line.right(), sign, canvas.style(scope))
}
