//! Styles as plain data: two colors and a set of modifiers. The user interface turns them into those of its terminal
//! library.

use super::Color;

/// The style of a scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub fg: Option<Color>,
    pub bg: Option<Color>,
    pub modifiers: Modifiers,
}

impl Style {
    /// This style, overridden by everything that another one sets.
    #[must_use]
    pub fn patch(self, over: Style) -> Style {
        Style {
            fg: over.fg.or(self.fg),
            bg: over.bg.or(self.bg),
            modifiers: self.modifiers.union(over.modifiers),
        }
    }
}

/// What a terminal can do to text besides coloring it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "kebab-case", ascii_case_insensitive)]
pub enum Modifier {
    Bold,
    Dim,
    Italic,
    #[strum(serialize = "underlined", serialize = "underline")]
    Underlined,
    #[strum(serialize = "reversed", serialize = "reverse")]
    Reversed,
    CrossedOut,
}

/// A set of modifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers(u8);

impl Modifiers {
    pub fn contains(self, modifier: Modifier) -> bool {
        self.0 & 1 << modifier as u8 != 0
    }

    pub fn insert(&mut self, modifier: Modifier) {
        self.0 |= 1 << modifier as u8;
    }

    #[must_use]
    pub fn union(self, other: Modifiers) -> Modifiers {
        Modifiers(self.0 | other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Modifier> {
        use strum::VariantArray;
        Modifier::VARIANTS.iter().copied().filter(move |&modifier| self.contains(modifier))
    }
}

impl FromIterator<Modifier> for Modifiers {
    fn from_iter<I: IntoIterator<Item = Modifier>>(modifiers: I) -> Modifiers {
        let mut set = Modifiers::default();
        modifiers.into_iter().for_each(|modifier| set.insert(modifier));
        set
    }
}
