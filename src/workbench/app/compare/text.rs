//! The text of the pane as lines: the statement once, and the columns below it.
//!
//! The columns are kept level: all tables begin on the same line, and a symbol has the same line in all of
//! them, so that one can read across.

use std::sync::Arc;

use unicode_width::UnicodeWidthStr;

use super::{
    proof::{Proof, SymbolOutcome, coloured},
    symbol_colors::SymbolColors,
};
use crate::{
    symbols::{KeptReason, Symbol},
    workbench::app::{
        browse::name,
        document::{Role, TextLine, TextSpan, ruled_heading, wrap},
        work::LoadedPair,
    },
};

/// The lines of the pane.
#[derive(Debug, Default)]
pub struct ComparedText {
    /// Over the whole width, with a heading.
    pub statement: Vec<TextLine>,
    pub columns: Vec<ColumnText>,
}

#[derive(Debug, Default)]
pub struct ColumnText {
    /// What statement and proof still have in common.
    pub leakage: TextLine,
    pub lines: Vec<TextLine>,
}

impl ComparedText {
    pub fn new(
        loaded: &LoadedPair,
        colours: &SymbolColors,
        proofs: &[Arc<Proof>],
        full_width: usize,
        column_width: usize,
    ) -> ComparedText {
        let rows = table_rows(colours, proofs);
        let longest = proofs.iter().map(|proof| proof.lines.len()).max().unwrap_or(0);
        let column = |proof: &Arc<Proof>| {
            let mut lines = proof.lines.clone();
            lines.resize_with(longest + 1, TextLine::default);
            lines.push(ruled_heading("symbols", &changed(proof.changed_places()), column_width));
            lines.extend(rows.iter().map(|symbol| fate_line(*symbol, proof, colours)));
            if rows.is_empty() {
                lines.push(plain("statement and proof share none", Role::Meta));
            }
            if proof.mentions > 0 {
                lines.push(plain(&format!("unchanged in the prose: {}", proof.mentions), Role::Meta));
            }
            ColumnText { leakage: leakage(proof, colours, column_width), lines }
        };
        ComparedText {
            statement: statement(loaded, colours, full_width),
            columns: proofs.iter().map(column).collect(),
        }
    }

    /// How many lines the longest column has.
    pub fn height(&self) -> usize {
        self.columns.iter().map(|column| column.lines.len()).max().unwrap_or(0)
    }
}

fn statement(loaded: &LoadedPair, colours: &SymbolColors, width: usize) -> Vec<TextLine> {
    let LoadedPair { article, pair, .. } = loaded;
    let name = name(loaded);
    let short = format!("{} · {}", pair.id, article.categories.join(" "));
    let long = format!("{} · {short}", article.title);
    let fits = !article.title.is_empty() && name.width() + long.width() + 4 <= width;
    let mut lines = vec![ruled_heading(&name, if fits { &long } else { &short }, width)];
    lines.extend(wrap(&coloured(&pair.statement, colours), &[], width));
    lines
}

/// The symbols of both sides, and those that changed with them in some column.
fn table_rows(colours: &SymbolColors, proofs: &[Arc<Proof>]) -> Vec<Symbol> {
    let has_moved =
        |symbol| proofs.iter().any(|proof| matches!(proof.fate(symbol), SymbolOutcome::Became { .. }));
    let symbols = colours.symbols().iter().copied();
    symbols.filter(|symbol| colours.is_shared(*symbol) || has_moved(*symbol)).collect()
}

/// `λ → θ  9×` or `σ kept   protected`.
fn fate_line(symbol: Symbol, proof: &Proof, colours: &SymbolColors) -> TextLine {
    let colour = colours.colour(symbol).unwrap_or_default();
    let mut spans = vec![span(symbol.styled().to_string(), Role::Symbol(colour))];
    match proof.fate(symbol) {
        SymbolOutcome::Became { symbol: image, places } => {
            spans.push(span(" → ".to_owned(), Role::Meta));
            spans.push(span(image.styled().to_string(), Role::Changed(colour)));
            let along = if colours.is_shared(symbol) { "" } else { "  companion" };
            spans.push(span(format!("{places:>5}×{along}"), Role::Meta));
        }
        SymbolOutcome::Stayed(reason) => spans.push(span(format!(" kept   {}", words(reason)), Role::Meta)),
        SymbolOutcome::NotShared => spans.push(span(" kept   not shared".to_owned(), Role::Meta)),
    }
    TextLine { spans }
}

/// `leaks 2 of 5: σ ℙ`.
fn leakage(proof: &Proof, colours: &SymbolColors, width: usize) -> TextLine {
    let (count, before) = (proof.leaks.len(), colours.shared_count());
    let colon = if count == 0 { "" } else { ":" };
    let told = format!("leaks {count} of {before}{colon}");
    let mut taken = told.width();
    let mut spans = vec![span(told, Role::Meta)];
    for (index, symbol) in proof.leaks.iter().enumerate() {
        // A sign for the rest must fit as well, unless there is no rest.
        let is_last = index + 1 == count;
        if taken + 2 + if is_last { 0 } else { 2 } > width {
            spans.push(span(" …".to_owned(), Role::Meta));
            break;
        }
        spans.push(span(" ".to_owned(), Role::Meta));
        let role = colours.colour(*symbol).map_or(Role::Math, Role::Symbol);
        spans.push(span(symbol.styled().to_string(), role));
        taken += 2;
    }
    TextLine { spans }
}

fn changed(places: usize) -> String {
    match places {
        0 => "nothing changed".to_owned(),
        1 => "1 place changed".to_owned(),
        places => format!("{places} places changed"),
    }
}

/// Why a symbol kept its name, in a few words.
fn words(reason: KeptReason) -> &'static str {
    match reason {
        KeptReason::Constant => "a constant",
        KeptReason::Protected => "protected",
        KeptReason::DoubleStruck => "double-struck",
        KeptReason::Name => "spells a name",
        KeptReason::Coincidence => "shared by chance",
        KeptReason::Exhausted => "no unused name left",
        KeptReason::Alone => "none to swap with",
        KeptReason::Level => "by the level",
        KeptReason::Missed => "missed",
        KeptReason::Reused => "reused",
        KeptReason::Unknown => "unexplained",
    }
}

fn span(text: String, role: Role) -> TextSpan {
    TextSpan { text, role, is_hit: false }
}

fn plain(text: &str, role: Role) -> TextLine {
    TextLine { spans: vec![span(text.to_owned(), role)] }
}
