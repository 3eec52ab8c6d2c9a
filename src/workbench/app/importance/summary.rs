//! Sentences about the token under the cursor and about the effect of an edit.

use strum::VariantArray;

use super::Importance;
use crate::{
    base::numbers::{decimal, signed},
    explain::importance::PairRanking,
    explain::{PiecePair, Side},
};

/// How much a sentence has: what does not fit is left out, the names of the models last, whose panels have the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Detail {
    All,
    /// Without spreads, and without all but the most important change.
    Numbers,
    /// Without how often a token occurs.
    Names,
    /// Without the names of the models.
    Short,
}

impl Detail {
    fn of_model(self, name: &str, text: &str) -> String {
        match self {
            Detail::Short => format!(" · {text}"),
            Detail::All | Detail::Numbers | Detail::Names => format!(" · {name} {text}"),
        }
    }
}

impl Importance {
    /// `module · text · 1× statement, 2× proof`, and each model's weight for it, as a narrow screen needs it.
    pub fn token_summary(&self, detail: Detail) -> Option<String> {
        let scene = self.scene()?;
        let (pair, place) = self.under_cursor()?;
        let piece = pair.side(place.side).get(place.index)?;
        let count = |side: Side| pair.side(side).iter().filter(|other| *other == piece).count();
        let kind = if piece.is_math() { "math" } else { "text" };
        let mut summary = format!("{} · {kind}", piece.shown());
        if detail != Detail::Names {
            let (statement, proof) = (count(Side::Statement), count(Side::Proof));
            summary.push_str(&format!(" · {statement}× statement, {proof}× proof"));
        }
        for (name, panel) in self.query.models().into_iter().zip(&self.panels) {
            let Some(explanation) = panel.explanation() else { continue };
            // With rivals, the other panel may have another piece at this index.
            if panel.pair(scene).side(place.side).get(place.index) != Some(piece) {
                continue;
            }
            let found =
                explanation.weights.iter().enumerate().find(|(_, weight)| weight.places.contains(&place));
            let text = match found {
                None => "no weight".to_owned(),
                Some((rank, weight)) => {
                    let steady = panel.steadiness(weight).filter(|_| detail == Detail::All);
                    let spread = steady.map_or(String::new(), |steady| format!(" ±{:.4}", steady.spread));
                    let doubt = if steady.is_some_and(|steady| !steady.keeps_its_sign()) {
                        ", sign uncertain"
                    } else {
                        ""
                    };
                    format!("{}{spread} (#{}){doubt}", signed(weight.weight, 4), rank + 1)
                }
            };
            summary.push_str(&detail.of_model(name, &text));
        }
        Some(summary)
    }

    /// What was dropped and renamed, and the ranking of each model after it; on a narrow screen only the change that
    /// matters most.
    pub fn what_if_summary(&self, detail: Detail) -> Option<String> {
        if self.edit.is_empty() {
            return None;
        }
        let pair = &self.scene()?.case.pair;
        let mut summary = format!("what if {}", self.edit_summary(pair));
        let Some(after) = self.what_if.as_ref().filter(|_| self.what_if_for.as_ref() == Some(&self.edit))
        else {
            summary.push_str(" …");
            return Some(summary);
        };
        for ((name, panel), after) in self.query.models().into_iter().zip(&self.panels).zip(after) {
            let text = match panel.ranking() {
                None => place_words(after),
                Some(before) if detail == Detail::All => change_words(before, after),
                Some(before) => lead_words(before, after),
            };
            summary.push_str(&detail.of_model(name, &text));
        }
        Some(summary)
    }

    /// What dropping a token does to each model, in a sentence, once they have ranked the pair again.
    pub fn drop_sentence(&self) -> Option<String> {
        let pair = &self.scene()?.case.pair;
        let after = self.what_if.as_ref().filter(|_| self.what_if_for.as_ref() == Some(&self.edit))?;
        let place = self.edit.dropped.iter().next()?;
        let dropped = pair.side(place.side).get(place.index)?.shown();
        let mut changes = Vec::new();
        for ((name, panel), after) in self.query.models().into_iter().zip(&self.panels).zip(after) {
            let before = panel.ranking()?;
            let rank =
                if before.rank == after.rank { String::new() } else { format!(" (rank {})", after.rank) };
            let (from, to) = (before.lead(), after.lead());
            changes.push(format!("from {} to {}{rank} in {name}", signed(from, 2), signed(to, 2)));
        }
        let changes = changes.join(", and ");
        Some(format!(
            "Without {dropped}, the lead of the gold proof over the best other proof changes {changes}."
        ))
    }

    fn edit_summary(&self, pair: &PiecePair) -> String {
        let mut text: Vec<String> = Vec::new();
        for place in &self.edit.dropped {
            if let Some(piece) = pair.side(place.side).get(place.index) {
                text.push(format!("−{}", piece.shown()));
            }
        }
        for (place, name) in &self.edit.renamed {
            if let Some(piece) = pair.side(place.side).get(place.index) {
                let renamed = crate::explain::Piece::Symbol(name.clone());
                text.push(format!("{}→{}", piece.shown(), renamed.shown()));
            }
        }
        text.dedup();
        let more = text.len().saturating_sub(MOST);
        text.truncate(MOST);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", text.join(" "))
    }
}

/// The number of changes that are listed.
const MOST: usize = 6;

fn place_words(after: &PairRanking) -> String {
    let (score, lead) = (decimal(after.score, 2), signed(after.lead(), 2));
    format!("rank {} of {}, score {score}, lead {lead}", after.rank, after.candidates)
}

fn lead_words(before: &PairRanking, after: &PairRanking) -> String {
    let rank = match before.rank == after.rank {
        true => String::new(),
        false => format!("rank {} → {}, ", before.rank, after.rank),
    };
    format!("{rank}lead {} → {}", signed(before.lead(), 2), signed(after.lead(), 2))
}

fn change_words(before: &PairRanking, after: &PairRanking) -> String {
    let rank = match before.rank == after.rank {
        true => format!("rank {} as before", after.rank),
        false => format!("rank {} → {}", before.rank, after.rank),
    };
    format!(
        "{rank}, score {} → {}, lead {} → {}",
        decimal(before.score, 2),
        decimal(after.score, 2),
        signed(before.lead(), 2),
        signed(after.lead(), 2)
    )
}
