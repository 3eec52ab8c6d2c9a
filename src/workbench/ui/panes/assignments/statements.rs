//! The table of statements: the proof that each decoder chose, the rank of the gold proof, its score and margin.

use std::borrow::Cow;

use ratatui::{
    buffer::Buffer,
    layout::{Alignment, Rect},
    style::Style,
    text::Line,
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use crate::{
    base::numbers::grouped,
    matching::{
        decoders::Decoder,
        evaluation::{Evaluation, Verdict},
    },
    workbench::{
        app::assignments::{Assignments, Focus},
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, LineBuilder},
            widgets::{
                column_table::{Column, ColumnTable},
                panel::{PanelHeader, ScrollPosition},
            },
        },
    },
};

/// The least and the largest width of names; longer ones are truncated.
const NAME: (usize, usize) = (9, 18);
/// The beginning of the statement is shown if it has this many columns.
const FEWEST_WORDS: u16 = 12;
/// The two marks, and blanks around the name.
const MARKS: u16 = 4;

pub struct StatementTable<'a> {
    pub pane: &'a Assignments,
    pub evaluation: &'a Evaluation,
    pub header: Rect,
    pub styles: &'a Styles,
}

impl Widget for StatementTable<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let StatementTable { pane, evaluation, header, styles } = self;
        let has_focus = pane.focus() == Focus::List;
        let list = pane.list();
        let visible = list.in_sight(area.height.into()).iter();
        let verdicts: Vec<&Verdict> =
            visible.filter_map(|statement| evaluation.verdicts.get(*statement as usize)).collect();
        let longest = verdicts.iter().map(|verdict| verdict.pair.width()).max().unwrap_or_default();
        let first_width = MARKS + longest.clamp(NAME.0, NAME.1) as u16;
        let preview =
            |verdict: &&Verdict| (pane.preview(verdict.row).unwrap_or_default(), styles[Scope::UiTextDim]);
        PanelHeader { title: "LG statement", detail: "", has_focus, styles }.render(header, buf);
        ColumnTable {
            first: verdicts.iter().map(|verdict| self.name(verdict, first_width - 1)).collect(),
            first_width,
            columns: self.columns(&verdicts),
            last: verdicts.iter().map(preview).collect(),
            last_width: FEWEST_WORDS,
            selected: list.cursor().checked_sub(list.offset()),
            has_focus,
            header,
            styles,
        }
        .render(area, buf);
        if list.is_empty() {
            let text = " no statement matches; f changes the filter, esc clears it";
            Label::new(text, styles[Scope::UiTextDim]).render(area, buf);
        }
        ScrollPosition { offset: list.offset(), count: list.len(), styles }.render(area, buf);
    }
}

impl<'a> StatementTable<'a> {
    /// The columns after the name, in the order in which they are shown.
    fn columns(&self, verdicts: &[&Verdict]) -> Vec<Column<'a>> {
        let (text, decoder) = (self.styles[Scope::UiText], self.pane.settings().decoder);
        let found = |is_found: Option<bool>| {
            self.styles[if is_found == Some(false) { Scope::Bad } else { Scope::UiTextDim }]
        };
        let column = |heading: Cow<'static, str>,
                      priority,
                      alignment,
                      cell: &dyn Fn(&Verdict) -> (String, Style)| Column {
            heading,
            priority,
            alignment,
            cells: verdicts.iter().map(|verdict| cell(verdict)).collect(),
        };
        let local = |verdict: &Verdict| {
            let is_tied = verdict.local == verdict.gold && !verdict.is_found_locally();
            let proof = if is_tied { "tied".to_owned() } else { self.proof(verdict, Some(verdict.local)) };
            (proof, found(local_mark(verdict)))
        };
        let global = |verdict: &Verdict| (self.proof(verdict, verdict.global), found(global_mark(verdict)));
        let rank_heading = match decoder {
            Decoder::Sinkhorn | Decoder::Csls => format!("rank>{decoder}").into(),
            Decoder::Local | Decoder::Global => "rank".into(),
        };
        vec![
            column("local".into(), 2, Alignment::Left, &local),
            column("global".into(), 3, Alignment::Left, &global),
            column(rank_heading, 0, Alignment::Right, &|verdict| (rank(verdict, decoder), text)),
            column("score".into(), 4, Alignment::Right, &|verdict| {
                (format!("{:.4}", verdict.gold_score), text)
            }),
            column("margin".into(), 1, Alignment::Right, &|verdict| {
                (format!("{:+.4}", verdict.margin), text)
            }),
        ]
    }

    fn proof(&self, verdict: &Verdict, proof: Option<u32>) -> String {
        match proof {
            None => "·".to_owned(),
            Some(proof) if proof == verdict.gold => "gold".to_owned(),
            Some(proof) => {
                let other = self.evaluation.verdicts.get(proof as usize);
                other.map_or_else(String::new, |other| other.pair.clone())
            }
        }
    }

    fn name<'v>(&self, verdict: &'v Verdict, width: u16) -> Line<'v> {
        let mut line = LineBuilder::new(width);
        for mark in [local_mark(verdict), global_mark(verdict)] {
            // Right or wrong, as a sign and as a color.
            let (sign, scope) = match mark {
                Some(true) => ("✓", Scope::Ok),
                Some(false) => ("✗", Scope::Bad),
                None => ("·", Scope::UiTextDim),
            };
            line.push(sign, self.styles[scope]);
        }
        line.skip(1).push_truncated(verdict.pair.as_str(), self.styles[Scope::UiText]);
        line.build()
    }
}

fn local_mark(verdict: &Verdict) -> Option<bool> {
    Some(verdict.is_found_locally())
}

/// None if the global assignment leaves the statement without a proof.
fn global_mark(verdict: &Verdict) -> Option<bool> {
    verdict.global.map(|_| verdict.is_found_globally())
}

/// The rank of the gold proof, and the one after the decoder's correction of the scores.
fn rank(verdict: &Verdict, decoder: Decoder) -> String {
    let corrected = match decoder {
        Decoder::Sinkhorn => verdict.sinkhorn_rank,
        Decoder::Csls => verdict.csls_rank,
        Decoder::Local | Decoder::Global => None,
    };
    let rank = grouped(verdict.rank as usize);
    match corrected {
        Some(corrected) => format!("{rank}>{}", grouped(corrected as usize)),
        None => rank,
    }
}
