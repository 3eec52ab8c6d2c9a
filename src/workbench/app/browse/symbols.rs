//! The symbols of the pair being read, with how often each side has them. The one under the cursor is highlighted in
//! statement and proof.

use crate::{
    symbols::{Symbol, reading::Reading},
    workbench::app::{action::ActionId, compare::SymbolColors, list_cursor::ListCursor, work::LoadedPair},
};

/// The panel below the pair's text.
#[derive(Debug, Default)]
pub struct SymbolPanel {
    pub is_open: bool,
    rows: Vec<SymbolRow>,
    cursor: ListCursor,
    /// The pair that the rows are of.
    made_for: Option<u32>,
}

/// A symbol and how often it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolRow {
    pub symbol: Symbol,
    pub statement: usize,
    pub proof: usize,
    /// The color in Compare, for symbols of both sides.
    pub colour: Option<u8>,
}

impl SymbolPanel {
    pub fn rows(&self) -> &[SymbolRow] {
        &self.rows
    }

    pub fn cursor(&self) -> usize {
        self.cursor.index
    }

    pub fn offset(&self) -> usize {
        self.cursor.offset
    }

    /// The symbol that is highlighted.
    pub fn chosen(&self) -> Option<Symbol> {
        self.rows.get(self.cursor.index).filter(|_| self.is_open).map(|row| row.symbol)
    }

    pub fn move_by(&mut self, action: ActionId, height: usize) {
        self.cursor.move_by(action, height, self.rows.len());
    }

    pub fn go_to(&mut self, place: usize) {
        self.cursor.select(place, self.rows.len());
    }

    pub fn scroll(&mut self, lines: isize, height: usize) {
        self.cursor.scroll(lines, height, self.rows.len());
    }

    /// Counts again for another pair, staying on the symbol if that has it, and keeps the cursor in sight.
    pub fn settle(&mut self, pair: Option<&LoadedPair>, height: usize) {
        let row = pair.and_then(|pair| pair.row);
        if self.is_open && self.made_for != row {
            let before = self.chosen();
            self.rows = pair.map_or(Vec::new(), rows);
            self.cursor.index = self.rows.iter().position(|row| Some(row.symbol) == before).unwrap_or(0);
            self.made_for = row;
        }
        self.cursor.settle(height, self.rows.len());
    }
}

/// First the symbols of both sides, as the statement brings them, then the statement's own, then the proof's.
fn rows(loaded: &LoadedPair) -> Vec<SymbolRow> {
    let colours = SymbolColors::of(&loaded.pair);
    let mut rows: Vec<SymbolRow> = Vec::new();
    for (index, passage) in [&loaded.pair.statement, &loaded.pair.proof].into_iter().enumerate() {
        for sighting in Reading::of(passage).free_sightings() {
            let symbol = sighting.symbol;
            let place = rows.iter().position(|row| row.symbol == symbol).unwrap_or_else(|| {
                rows.push(SymbolRow { symbol, statement: 0, proof: 0, colour: None });
                rows.len() - 1
            });
            let row = &mut rows[place];
            *(if index == 0 { &mut row.statement } else { &mut row.proof }) += 1;
        }
    }
    rows.sort_by_key(|row| (row.statement == 0 || row.proof == 0, row.statement == 0));
    for row in &mut rows {
        row.colour = colours.colour(row.symbol).filter(|_| row.statement > 0 && row.proof > 0);
    }
    rows
}
