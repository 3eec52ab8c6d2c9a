//! A mapping: what each symbol of the proof became.

use serde::{Serialize, Serializer, ser::SerializeSeq};

use super::{
    letter::{LETTERS, Letter, Symbol},
    letter_set::{FONTS, SymbolSet},
};

/// The symbols that changed, in the order of the alphabet. A font never changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    changes: Vec<(Symbol, Letter)>,
}

/// A mapping laid out for one lookup per token.
pub struct Table {
    letters: [[u8; LETTERS]; FONTS],
}

impl Mapping {
    /// The mapping of these changes; what does not change is left out.
    pub fn new(changes: impl IntoIterator<Item = (Symbol, Letter)>) -> Mapping {
        let mut changes: Vec<_> =
            changes.into_iter().filter(|(symbol, letter)| symbol.letter != *letter).collect();
        changes.sort_unstable();
        changes.dedup();
        Mapping { changes }
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Each symbol that changed, with what it became.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, Symbol)> {
        self.changes.iter().map(|&(from, letter)| (from, Symbol { letter, font: from.font }))
    }

    /// The letters that changed, whatever their font, for a legend: `a → x, A → X`.
    pub fn letters(&self) -> Vec<(Letter, Letter)> {
        let mut letters: Vec<_> = self.changes.iter().map(|&(from, letter)| (from.letter, letter)).collect();
        letters.dedup();
        letters
    }

    /// What a symbol became.
    pub fn image(&self, symbol: Symbol) -> Symbol {
        match self.changes.binary_search_by_key(&symbol, |change| change.0) {
            Ok(place) => Symbol { letter: self.changes[place].1, font: symbol.font },
            Err(_) => symbol,
        }
    }

    /// The way back. Only an injective mapping has one that restores the proof.
    pub fn inverse(&self) -> Mapping {
        Mapping::new(self.iter().map(|(from, to)| (to, from.letter)))
    }

    /// Whether different symbols of a text stay different.
    pub fn is_injective_on(&self, symbols: &SymbolSet) -> bool {
        symbols.iter().map(|symbol| self.image(symbol)).collect::<SymbolSet>().len() == symbols.len()
    }

    pub fn table(&self) -> Table {
        let mut letters = [IDENTITY; FONTS];
        for (from, to) in &self.changes {
            letters[from.font as usize][from.letter.index()] = to.index() as u8;
        }
        Table { letters }
    }
}

/// Each letter under its own index.
const IDENTITY: [u8; LETTERS] = {
    let mut letters = [0; LETTERS];
    let mut place = 0;
    while place < LETTERS {
        letters[place] = place as u8;
        place += 1;
    }
    letters
};

impl Table {
    pub fn image(&self, symbol: Symbol) -> Symbol {
        let index = self.letters[symbol.font as usize][symbol.letter.index()];
        Symbol { letter: Letter::from_index(usize::from(index)).unwrap_or(symbol.letter), font: symbol.font }
    }
}

/// As a list of `{"from": "x____bold", "to": "y____bold"}`.
impl Serialize for Mapping {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Change {
            from: Symbol,
            to: Symbol,
        }
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for (from, to) in self.iter() {
            list.serialize_element(&Change { from, to })?;
        }
        list.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Font;

    fn symbol(character: char, font: Font) -> Symbol {
        Symbol { letter: Letter::from_char(character).unwrap(), font }
    }

    #[test]
    fn a_mapping_knows_its_images_and_its_inverse() {
        let (a, b, x) = ('a', 'b', Letter::from_char('x').unwrap());
        let bold = symbol(a, Font::Bold);
        let mapping = Mapping::new([(bold, x), (symbol(a, Font::Plain), x), (symbol(b, Font::Plain), x)]);
        assert_eq!(mapping.image(bold), symbol('x', Font::Bold));
        assert_eq!(mapping.image(symbol('c', Font::Plain)), symbol('c', Font::Plain));
        assert_eq!(mapping.table().image(bold), mapping.image(bold));
        let all: SymbolSet = [bold, symbol(a, Font::Plain), symbol(b, Font::Plain)].into_iter().collect();
        assert!(!mapping.is_injective_on(&all));
        assert!(mapping.is_injective_on(&[bold, symbol(a, Font::Plain)].into_iter().collect()));
        let inverse = Mapping::new([(bold, x)]).inverse();
        assert_eq!(inverse.image(symbol('x', Font::Bold)), bold);
        let json = serde_json::to_string(&Mapping::new([(bold, x)])).unwrap();
        assert_eq!(json, r#"[{"from":"a____bold","to":"x____bold"}]"#);
    }
}
