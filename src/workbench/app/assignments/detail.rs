//! A statement beside its candidate proofs, and why it was assigned the one it has.

use unicode_width::UnicodeWidthStr;

use super::overlap::{WordOverlap, WordSet};
use crate::{
    base::numbers::counted,
    matching::{
        evaluation::{Evaluation, Verdict},
        explanation::AssignmentExplanation,
    },
    workbench::app::{
        document::{Overlap, Role, StyledText, TextLine, TextSpan, ruled_heading, wrap},
        work::LoadedPair,
    },
};

/// The data of the detail panel.
pub struct StatementDetail<'a> {
    pub evaluation: &'a Evaluation,
    pub verdict: &'a Verdict,
    /// The pair itself and those whose proofs were chosen, in any order.
    pub texts: &'a [LoadedPair],
    /// `None` when it was not computed.
    pub explanation: Option<&'a AssignmentExplanation>,
}

/// A proof with what it is to the statement: `gold`, `local choice`, `global`.
struct Candidate<'a> {
    name: String,
    detail: String,
    pair: &'a LoadedPair,
}

/// Proofs are shown side by side when each gets at least this many columns.
const NARROWEST: usize = 30;

impl StatementDetail<'_> {
    /// Everything as lines that fit the width.
    pub fn lines(&self, width: usize) -> Vec<TextLine> {
        let Some(own) = self.text(self.verdict.gold) else { return Vec::new() };
        let (gold, predicted) = (WordSet::of(&own.pair.proof), self.predicted_words());
        let statement = WordSet::of(&own.pair.statement);
        let overlaps = WordOverlap { statement: &statement, gold: &gold, predicted: &predicted };
        let mut lines = vec![ruled_heading("statement", &self.verdict.category, width)];
        lines.extend(wrap(&overlaps.shown(&own.pair.statement), &[], width));
        let candidates = self.candidates(own);
        let columns = match candidates.len() * (NARROWEST + SEPARATOR.width()) <= width + SEPARATOR.width() {
            true => candidates.len(),
            false => 1,
        };
        let column = (width + SEPARATOR.width()) / columns.max(1) - SEPARATOR.width();
        let texts: Vec<Vec<TextLine>> = candidates
            .iter()
            .map(|candidate| {
                let words = WordSet::of(&candidate.pair.pair.proof);
                let is_gold = std::ptr::eq(candidate.pair, own);
                // A wrong proof is compared with the gold one, and the gold one with what was predicted.
                let predicted = if is_gold { &predicted } else { &words };
                let overlaps = WordOverlap { statement: &statement, gold: &gold, predicted };
                let mut lines = vec![ruled_heading(&candidate.name, &candidate.detail, column)];
                lines.extend(wrap(&overlaps.shown(&candidate.pair.pair.proof), &[], column));
                lines
            })
            .collect();
        lines.push(TextLine::default());
        for row in texts.chunks(columns.max(1)) {
            lines.extend(beside(row, column));
        }
        lines.push(TextLine::default());
        lines.push(legend());
        lines.push(ruled_heading("why", "", width));
        for sentence in self.why() {
            lines.extend(wrap(&StyledText::plain(&sentence, Role::Text), &[], width));
        }
        lines
    }

    fn name(&self, proof: u32) -> &str {
        self.evaluation.verdicts.get(proof as usize).map_or("", |verdict| verdict.pair.as_str())
    }

    fn text(&self, proof: u32) -> Option<&LoadedPair> {
        let row = self.evaluation.verdicts.get(proof as usize)?.row;
        self.texts.iter().find(|text| text.row == Some(row))
    }

    /// The words of the wrong proof, the one that global decoding gave first; of the gold one when all are right.
    fn predicted_words(&self) -> WordSet {
        let wrong = |proof: &u32| *proof != self.verdict.gold;
        let proof = self.verdict.global.filter(wrong).or(Some(self.verdict.local).filter(wrong));
        self.text(proof.unwrap_or(self.verdict.gold))
            .map(|text| WordSet::of(&text.pair.proof))
            .unwrap_or_default()
    }

    /// The proofs, each once however often it was chosen.
    fn candidates<'a>(&'a self, own: &'a LoadedPair) -> Vec<Candidate<'a>> {
        let verdict = self.verdict;
        let score = |score: f32| format!("{score:.4}");
        let mut names = vec![(verdict.gold, "gold", score(verdict.gold_score))];
        names.push((verdict.local, "local", score(verdict.local_score)));
        if let (Some(global), Some(value)) = (verdict.global, verdict.global_score) {
            names.push((global, "global", score(value)));
        }
        let mut candidates: Vec<(u32, Candidate<'a>)> = Vec::new();
        for (proof, name, score) in names {
            if let Some((_, known)) = candidates.iter_mut().find(|(known, _)| *known == proof) {
                known.name = format!("{} = {name}", known.name);
                continue;
            }
            let Some(pair) = (if proof == verdict.gold { Some(own) } else { self.text(proof) }) else {
                continue;
            };
            let mark = if proof == verdict.gold { "✓" } else { "✗" };
            let detail = format!("{} {score}", pair.pair.id);
            candidates.push((proof, Candidate { name: format!("{mark} {name}"), detail, pair }));
        }
        candidates.into_iter().map(|(_, candidate)| candidate).collect()
    }

    /// The chain of swaps in words.
    fn why(&self) -> Vec<String> {
        let verdict = self.verdict;
        let rank = match verdict.rank {
            1 => "The gold proof has rank 1".to_owned(),
            rank if verdict.local == verdict.gold => {
                format!(
                    "The gold proof shares the best score with {} (ties are pessimistic)",
                    counted(rank - 1, "other")
                )
            }
            rank => format!("The gold proof has rank {rank} of {}", self.evaluation.distribution.proofs),
        };
        let mut told = vec![format!("{rank}, margin {:+.4}.", verdict.margin)];
        let Some(global) = verdict.global else {
            told.push("Local decoding only: press d for an assignment.".to_owned());
            return told;
        };
        if global == verdict.local {
            told.push(format!(
                "The statement prefers the proof of {} and is assigned it.",
                self.name(global)
            ));
            return told;
        }
        told.push(format!(
            "The statement prefers the proof of {} ({:.4}) but is assigned that of {} ({:.4}).",
            self.name(verdict.local),
            verdict.local_score,
            self.name(global),
            verdict.global_score.unwrap_or_default()
        ));
        match self.explanation {
            None => told.push("Press w to see what assigning the preferred proof would cost.".to_owned()),
            Some(found) if found.swaps.is_empty() => {
                told.push(
                    "No chain of swaps among the kept pairs makes this assignment possible.".to_owned(),
                );
            }
            Some(found) => told.extend(self.chain(found)),
        }
        told
    }

    fn chain(&self, found: &AssignmentExplanation) -> Vec<String> {
        let proof = |proof: Option<u32>| match proof {
            Some(proof) => format!("the proof of {}", self.name(proof)),
            None => "no proof".to_owned(),
        };
        let mut told = vec!["If it were assigned its preferred proof, at best:".to_owned()];
        for (index, swap) in found.swaps.iter().enumerate() {
            told.push(format!(
                "{}. {} goes from {} to {}: {:+.4}",
                index + 1,
                self.name(swap.statement),
                proof(swap.from),
                proof(swap.to),
                swap.worth
            ));
        }
        told.push(format!("In total {:+.4}, so global decoding does not do this.", found.total));
        told
    }
}

/// Between two proofs.
const SEPARATOR: &str = " │ ";

/// Texts side by side, each in its column.
fn beside(texts: &[Vec<TextLine>], column: usize) -> Vec<TextLine> {
    let height = texts.iter().map(Vec::len).max().unwrap_or_default();
    let row = |index: usize| {
        let mut spans = Vec::new();
        for (place, text) in texts.iter().enumerate() {
            let line = text.get(index).cloned().unwrap_or_default();
            let mut taken = 0;
            for span in line.spans {
                taken += span.text.width();
                spans.push(span);
            }
            if place + 1 < texts.len() {
                // A space may hang over the edge of its line, where it was not seen.
                while taken > column && spans.last_mut().is_some_and(|span| span.text.pop().is_some()) {
                    taken -= 1;
                }
                spans.push(span(&" ".repeat(column.saturating_sub(taken)), Role::Text));
                spans.push(span(SEPARATOR, Role::Rule));
            }
        }
        TextLine { spans }
    };
    (0..height).map(row).collect()
}

/// The legend of the colors.
fn legend() -> TextLine {
    let of = |overlap, text| span(text, Role::Overlap(overlap));
    let spans = vec![
        span("words of the statement: ", Role::Meta),
        of(Overlap::Both, "in both proofs"),
        span(" · ", Role::Meta),
        of(Overlap::OnlyPredicted, "only predicted"),
        span(" · ", Role::Meta),
        of(Overlap::OnlyGold, "only gold"),
    ];
    TextLine { spans }
}

fn span(text: &str, role: Role) -> TextSpan {
    TextSpan { text: text.to_owned(), role, is_hit: false }
}
