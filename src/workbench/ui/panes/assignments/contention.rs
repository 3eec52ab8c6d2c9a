//! Contention: how many statements want how many proofs, beside the paper's table, and the most wanted proofs.

use crate::{
    matching::{
        evaluation::Evaluation,
        metrics::{Bucket, ContestedProof},
    },
    workbench::app::{area::Area, assignments::Assignments},
    workbench::theme::Scope,
    workbench::ui::{
        canvas::Canvas,
        panes::browse::select,
        widgets::{panel, tabs::grouped},
    },
};

/// All proofs of the paper's table: at least two, one and none hold each proof once.
fn paper_total() -> usize {
    [Bucket::Two, Bucket::One, Bucket::None].map(Bucket::paper).iter().sum()
}

/// Columns before the bar: the bucket, ours in number and percent, the paper's in number and percent.
const FIGURES: u16 = 42;

pub fn draw(pane: &Assignments, evaluation: &Evaluation, area: Area, canvas: &mut Canvas<'_>) {
    let wanted = draw_distribution(evaluation, area, canvas);
    draw_wanted(pane, evaluation, wanted, canvas);
}

/// Draws table and bars; returns what is left below.
fn draw_distribution(evaluation: &Evaluation, area: Area, canvas: &mut Canvas<'_>) -> Area {
    // On a small screen the proofs matter more than the paper.
    let rows = Bucket::ALL.len() as u16;
    let has_note = area.height > rows + 8;
    let height = if area.height > rows + 3 { rows + 1 + u16::from(has_note) } else { 0 };
    let (table, rest) = area.split_top(height);
    if table.is_empty() {
        return rest;
    }
    let heading = format!("{:>8}{:>9}{:>8}{:>9}{:>8}", "wanted", "proofs", "%", "paper", "%");
    panel::header(canvas, Area { height: 1, ..table }, "", "", false);
    canvas.text_cut(table.x, table.y, table.right(), &heading, canvas.style(Scope::UiTableHeader));
    let total = evaluation.distribution.proofs.max(1);
    for (y, (bucket, count)) in (table.y + 1..table.bottom()).zip(&evaluation.distribution.counts) {
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
        canvas.text_cut(table.x, y, table.right(), &figures, canvas.style(Scope::UiText));
        draw_bar(share, paper, Area { x: table.x + FIGURES + 2, y, ..table }, table.right(), canvas);
    }
    if has_note {
        let note = format!(
            "█ ours · │ the paper's, whose table adds up to {} proofs and not to the 18,408 of a dev part",
            grouped(paper_total())
        );
        canvas.text_cut(
            table.x + 1,
            table.bottom() - 1,
            table.right(),
            &note,
            canvas.style(Scope::UiTextDim),
        );
    }
    rest
}

/// Our share as a bar, the paper's as a stroke.
fn draw_bar(share: f64, paper: f64, at: Area, end: u16, canvas: &mut Canvas<'_>) {
    let room = end.saturating_sub(at.x + 1).min(60);
    if room < 8 {
        return;
    }
    let place = |share: f64| (share.clamp(0.0, 1.0) * f64::from(room)).round() as u16;
    let bar = "█".repeat(place(share).max(u16::from(share > 0.0)).into());
    canvas.text(at.x, at.y, end, &bar, canvas.style(Scope::UiHistogram));
    let x = at.x + place(paper).min(room - 1);
    canvas.text(x, at.y, end, "│", canvas.style(Scope::UiHistogramChosen));
}

/// The most wanted proofs, each with those who want it: who it belongs to is told by a mark.
fn draw_wanted(pane: &Assignments, evaluation: &Evaluation, area: Area, canvas: &mut Canvas<'_>) {
    let (header, area) = area.split_top(u16::from(area.height >= 2));
    let count = evaluation.most_contested.len();
    panel::header(canvas, header, "most wanted proofs", "enter lists who wants it", true);
    if count == 0 {
        let told = "no proof is wanted by more than one statement";
        canvas.text_cut(area.x + 1, area.y, area.right(), told, canvas.style(Scope::UiTextDim));
        return;
    }
    let height = usize::from(area.height).max(1);
    let offset = (pane.wanted() + 1).saturating_sub(height);
    for (index, (y, wanted)) in
        (area.y..area.bottom()).zip(evaluation.most_contested.iter().skip(offset)).enumerate()
    {
        let line = Area::new(area.x, y, area.width.saturating_sub(1), 1);
        if offset + index == pane.wanted() {
            select(canvas, line, true);
        }
        draw_proof(evaluation, wanted, line, canvas);
    }
    panel::scrollbar(canvas, area, offset, count);
}

fn draw_proof(evaluation: &Evaluation, wanted: &ContestedProof, line: Area, canvas: &mut Canvas<'_>) {
    let name =
        |index: u32| evaluation.verdicts.get(index as usize).map_or("", |verdict| verdict.pair.as_str());
    let (text, dim) = (canvas.style(Scope::UiText), canvas.style(Scope::UiTextDim));
    let count = format!("{:>5}× ", wanted.statements.len());
    let x = canvas.text(line.x + 1, line.y, line.right(), &count, canvas.style(Scope::UiTitle));
    let x = canvas.text_cut(x, line.y, line.right(), name(wanted.proof), text);
    let by: Vec<String> = wanted
        .statements
        .iter()
        .map(|&statement| match statement == wanted.proof {
            true => "✓ its own".to_owned(),
            false => name(statement).to_owned(),
        })
        .collect();
    canvas.text_cut(x + 1, line.y, line.right(), &format!("by {}", by.join(", ")), dim);
}
