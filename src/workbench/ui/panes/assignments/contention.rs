//! Contention: how many statements chose how many proofs, beside the paper's table, and the most chosen proofs.

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
    text::Line,
    widgets::Widget,
};

use crate::{
    base::numbers::grouped,
    matching::{
        evaluation::Evaluation,
        metrics::{Bucket, ContestedProof},
    },
    workbench::{
        app::assignments::Assignments,
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, LineBuilder},
            widgets::{
                panel::{PanelHeader, ScrollPosition},
                row_list::{RowList, row_width},
            },
        },
    },
};

/// All proofs of the paper's table: each is in exactly one of these buckets.
fn paper_total() -> usize {
    [Bucket::Two, Bucket::One, Bucket::None].map(Bucket::paper).iter().sum()
}

/// Columns before the bar: the bucket, our count and share, those of the paper.
const FIGURES: u16 = 42;
/// The longest bar.
const MAX_BAR: u16 = 60;

pub struct Contention<'a> {
    pub pane: &'a Assignments,
    pub evaluation: &'a Evaluation,
    pub styles: &'a Styles,
}

impl Widget for Contention<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        // On a small screen the proofs matter more than the paper.
        let rows = Bucket::ALL.len() as u16;
        let has_table = area.height > rows + 3;
        let has_note = area.height > rows + 8;
        let [heading, table, note, header, proofs] = Layout::vertical([
            Constraint::Length(u16::from(has_table)),
            Constraint::Length(if has_table { rows } else { 0 }),
            Constraint::Length(u16::from(has_note)),
            Constraint::Length(u16::from(area.height >= 2)),
            Constraint::Fill(1),
        ])
        .areas(area);
        self.render_distribution(heading, table, buf);
        if has_note {
            let total = grouped(paper_total());
            let text = match area.width {
                0..90 => format!("█ here · │ in the paper (its table has {total} proofs, not 18,408)"),
                _ => format!("█ here · │ in the paper, whose table adds up to {total} proofs, not 18,408"),
            };
            Label::new(text, self.styles[Scope::UiTextDim]).render(note, buf);
        }
        let (title, detail) = ("most-chosen proofs", "enter lists its statements");
        PanelHeader { title, detail, has_focus: true, styles: self.styles }.render(header, buf);
        self.render_proofs(proofs, buf);
    }
}

impl<'a> Contention<'a> {
    /// A row per bucket: our share as a bar, the paper's as a stroke.
    fn render_distribution(&self, heading: Rect, table: Rect, buf: &mut Buffer) {
        if heading.is_empty() {
            return;
        }
        PanelHeader { title: "", detail: "", has_focus: false, styles: self.styles }.render(heading, buf);
        let headings = format!("{:>8}{:>9}{:>8}{:>9}{:>8}", "chosen", "proofs", "%", "paper", "%");
        let mut line = LineBuilder::new(heading.width);
        line.push_truncated(headings, self.styles[Scope::UiTableHeader]);
        buf.set_line(heading.x, heading.y, &line.build(), heading.width);
        let total = self.evaluation.distribution.proofs.max(1);
        for (row, (bucket, count)) in table.rows().zip(&self.evaluation.distribution.counts) {
            let share = *count as f64 / total as f64;
            let paper = bucket.paper() as f64 / paper_total() as f64;
            let figures = format!(
                "{:>8}{:>9}{:>8.1}{:>9}{:>8.1}",
                bucket.name(),
                grouped(*count),
                100.0 * share,
                grouped(bucket.paper()),
                100.0 * paper
            );
            let mut line = LineBuilder::new(row.width);
            line.push_truncated(figures, self.styles[Scope::UiText]).skip_to(FIGURES + 2);
            self.push_bar(share, paper, &mut line);
            buf.set_line(row.x, row.y, &line.build(), row.width);
        }
    }

    fn push_bar(&self, share: f64, paper: f64, line: &mut LineBuilder<'_>) {
        let room = line.width().saturating_sub(line.used() + 1).min(MAX_BAR);
        if room < 8 {
            return;
        }
        let length = |share: f64| (share.clamp(0.0, 1.0) * f64::from(room)).round() as u16;
        let bar = length(share).max(u16::from(share > 0.0));
        let stroke = length(paper).min(room - 1);
        let bar_style = self.styles[Scope::UiHistogram];
        let start = line.used();
        line.push("█".repeat(bar.min(stroke).into()), bar_style).skip_to(start + stroke);
        line.push("│", self.styles[Scope::UiHistogramChosen]);
        line.push("█".repeat(bar.saturating_sub(stroke + 1).into()), bar_style);
    }

    fn render_proofs(&self, area: Rect, buf: &mut Buffer) {
        let styles = self.styles;
        let proofs = &self.evaluation.most_contested;
        if proofs.is_empty() {
            let text = "no proof is chosen by more than one statement";
            return Label::new(text, styles[Scope::UiTextDim]).render(area, buf);
        }
        let height = usize::from(area.height).max(1);
        let offset = (self.pane.wanted() + 1).saturating_sub(height);
        let visible = proofs.iter().skip(offset).take(height);
        let rows = visible.map(|wanted| self.proof(wanted, row_width(area)));
        let selected = Some(self.pane.wanted() - offset);
        RowList { rows, selected, has_focus: true, styles }.render(area, buf);
        ScrollPosition { offset, count: proofs.len(), styles }.render(area, buf);
    }

    /// A proof with the statements that chose it; a mark shows its own statement.
    fn proof(&self, wanted: &ContestedProof, width: u16) -> Line<'a> {
        let verdicts = &self.evaluation.verdicts;
        let name = |index: u32| verdicts.get(index as usize).map_or("", |verdict| verdict.pair.as_str());
        let statements: Vec<&str> = wanted
            .statements
            .iter()
            .map(|&statement| if statement == wanted.proof { "✓ its own" } else { name(statement) })
            .collect();
        let mut line = LineBuilder::new(width);
        line.push(format!("{:>5}× ", wanted.statements.len()), self.styles[Scope::UiTitle]);
        line.push_truncated(name(wanted.proof), self.styles[Scope::UiText]).skip(1);
        line.push_truncated(format!("by {}", statements.join(", ")), self.styles[Scope::UiTextDim]);
        line.build()
    }
}
