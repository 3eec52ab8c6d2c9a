//! The position of each token of a formula: on the line, in a subscript, or in an exponent.
//!
//! The linear form of a formula cannot say whether `e x` is a product or a power; its
//! [`layout`] can. Two questions need it: whether an `e` or an `i` is a constant, and
//! whether two letters are really adjacent.

use crate::corpus::layout;

/// The position of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Inside a subscript or an underscript, at any depth.
    pub in_subscript: bool,
    /// Inside a superscript: the token that carries it, if the layout names one.
    pub exponent_of: Exponent,
    pub has_subscript: bool,
    pub has_superscript: bool,
    /// Something other than the next place on the line separates it from the token before.
    pub apart: bool,
}

/// What a superscript around a token belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exponent {
    /// There is no superscript around the token.
    #[default]
    None,
    /// The superscript of this token of the formula.
    Of(u32),
    /// The superscript of a bracket or a fraction.
    OfGroup,
}

/// Fills `places` for a formula of `count` tokens; false, and no places, when the layout is missing or
/// does not fit.
pub fn places(layout: &str, count: usize, places: &mut Vec<Place>) -> bool {
    places.clear();
    if layout.is_empty() || layout.chars().filter(|&mark| layout::is_token(mark)).count() != count {
        return false;
    }
    let mut scripts: Vec<Script> = vec![Script::default()];
    let mut apart = false;
    for mark in layout.chars() {
        let inner = scripts.last().copied().unwrap_or_default();
        match mark {
            layout::TOKEN => {
                places.push(Place {
                    in_subscript: inner.in_subscript,
                    exponent_of: inner.exponent_of,
                    apart,
                    ..Place::default()
                });
                apart = false;
                if let Some(script) = scripts.last_mut() {
                    script.carrier = Some(places.len() - 1);
                }
                continue;
            }
            // An accent belongs to its base, which may carry scripts too; a hidden token has no position.
            layout::ACCENT | layout::ACCENT_BELOW | layout::HIDDEN => places.push(Place {
                in_subscript: inner.in_subscript,
                exponent_of: inner.exponent_of,
                apart: true,
                ..Place::default()
            }),
            layout::SUBSCRIPT | layout::SUPERSCRIPT | layout::DEGREE => {
                let mut script = Script { carrier: None, ..inner };
                if mark == layout::SUPERSCRIPT {
                    script.exponent_of =
                        inner.carrier.map_or(Exponent::OfGroup, |token| Exponent::Of(token as u32));
                } else {
                    script.in_subscript = true;
                }
                if let Some(carrier) = inner.carrier.and_then(|token| places.get_mut(token)) {
                    carrier.has_superscript |= mark == layout::SUPERSCRIPT;
                    carrier.has_subscript |= mark == layout::SUBSCRIPT;
                }
                scripts.push(script);
            }
            layout::CLOSE if scripts.len() > 1 => {
                scripts.pop();
            }
            _ => {
                if let Some(script) = scripts.last_mut() {
                    script.carrier = None;
                }
            }
        }
        apart = true;
    }
    true
}

/// The script that is open, and the last token on its line.
#[derive(Clone, Copy, Default)]
struct Script {
    in_subscript: bool,
    exponent_of: Exponent,
    carrier: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(layout: &str) -> Vec<Place> {
        let mut found = Vec::new();
        let count = layout.chars().filter(|&mark| mark == '.').count();
        assert!(places(layout, count, &mut found));
        found
    }

    #[test]
    fn scripts_have_a_base() {
        // e^{-x} y
        let found = read(".^..}.");
        assert!(found[0].has_superscript && !found[0].has_subscript);
        assert_eq!([found[1].exponent_of, found[2].exponent_of], [Exponent::Of(0); 2]);
        assert_eq!(found[3].exponent_of, Exponent::None);
        assert!(found[1].apart && !found[2].apart && found[3].apart);
        // x_i^2: the superscript belongs to x as well.
        let found = read("._.}^.}");
        assert!(found[0].has_superscript && found[0].has_subscript && found[1].in_subscript);
        assert_eq!(found[2].exponent_of, Exponent::Of(0));
        // ((a+b)/c)^n
        assert_eq!(read("((...)/.)^.}")[4].exponent_of, Exponent::OfGroup);
        // a_{n^2}
        let found = read("._.^.}}");
        assert!(found[2].in_subscript && found[2].exponent_of == Exponent::Of(1));
    }

    #[test]
    fn a_layout_that_does_not_fit_says_nothing() {
        let mut found = Vec::new();
        assert!(!places("", 2, &mut found) && found.is_empty());
        assert!(!places("...", 2, &mut found) && found.is_empty());
        assert!(places("..}}}", 2, &mut found));
    }
}
