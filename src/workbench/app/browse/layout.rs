//! The layout of Browse's panels.
//!
//! A wide terminal has them side by side; a narrower one has categories above the list, beside the pair;
//! a small one shows the panel that has the focus and nothing else. The symbols of the pair, when they are shown,
//! take the lower part of the pair's panel.

use serde::{Deserialize, Serialize};

use super::Focus;
use crate::workbench::app::area::Area;

/// The parts of the width and height that panels take, in thousandths. Dividers change them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Fractions", into = "Fractions")]
pub struct Shares {
    /// Of the width, for the categories, when the three are side by side.
    pub tree: u16,
    /// Of the width, for the list, when the three are side by side.
    pub list: u16,
    /// Of the width, for categories and list, when they are one above the other.
    pub left: u16,
    /// Of the height, for the categories, when they are above the list.
    pub top: u16,
}

impl Default for Shares {
    fn default() -> Shares {
        Shares { tree: 210, list: 350, left: 440, top: 360 }
    }
}

/// [`Shares`] as session files have them: `browse = [0.21, 0.35]`.
#[derive(Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Fractions {
    browse: Vec<f64>,
    browse_stacked: Vec<f64>,
}

impl Default for Fractions {
    fn default() -> Fractions {
        Shares::default().into()
    }
}

impl From<Shares> for Fractions {
    fn from(Shares { tree, list, left, top }: Shares) -> Fractions {
        let fraction = |thousandths: u16| f64::from(thousandths) / 1000.0;
        Fractions {
            browse: [tree, list].map(fraction).into(),
            browse_stacked: [left, top].map(fraction).into(),
        }
    }
}

/// A fraction that is missing or outside of 0 to 1 has its default.
impl From<Fractions> for Shares {
    fn from(fractions: Fractions) -> Shares {
        let thousandths = |fractions: &[f64], index: usize, default: u16| {
            let fraction = fractions.get(index).filter(|fraction| (0.0..=1.0).contains(*fraction));
            fraction.map_or(default, |fraction| (fraction * 1000.0).round() as u16)
        };
        let Shares { tree, list, left, top } = Shares::default();
        Shares {
            tree: thousandths(&fractions.browse, 0, tree),
            list: thousandths(&fractions.browse, 1, list),
            left: thousandths(&fractions.browse_stacked, 0, left),
            top: thousandths(&fractions.browse_stacked, 1, top),
        }
    }
}

/// What can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divider {
    TreeAndList,
    ListAndReader,
    LeftAndReader,
    TreeAboveList,
}

/// A panel: a line that names it, and what it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Panel {
    /// Empty when it does not fit.
    pub header: Area,
    pub body: Area,
}

/// The panels; those not shown are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrowseLayout {
    pub tree: Panel,
    pub list: Panel,
    /// The line that names the columns of the list; empty when it does not fit.
    pub columns: Area,
    pub reader: Panel,
    pub symbols: Panel,
    pub dividers: Vec<(Divider, Area)>,
}

/// From this width on, three panels are side by side.
const WIDE: u16 = 110;
/// From this width on, there are two columns.
const MEDIUM: u16 = 56;
/// From this height on, two panels fit above each other.
const TALL: u16 = 14;
/// No panel is dragged narrower or lower than this.
const LEAST_WIDTH: u16 = 14;
const LEAST_HEIGHT: u16 = 3;

/// From this height on, the columns of the list are named.
const NAMED_COLUMNS: u16 = 8;

/// The height of the symbols below the pair.
const FEWEST_SYMBOLS: u16 = 5;
const MOST_SYMBOLS: u16 = 12;

pub fn layout(area: Area, shares: Shares, focus: Focus, has_symbols: bool) -> BrowseLayout {
    let mut layout = BrowseLayout::default();
    if area.width >= WIDE {
        let (left, rest) = split_columns(area, share(area.width, shares.tree), 2);
        let (middle, right) = split_columns(rest, share(area.width, shares.list), 1);
        layout.dividers.push((Divider::TreeAndList, gap(left, rest)));
        layout.dividers.push((Divider::ListAndReader, gap(middle, right)));
        layout.tree = panel(left);
        layout.list = panel(middle);
        (layout.reader, layout.symbols) = reading(right, focus, has_symbols);
    } else if area.width >= MEDIUM {
        let (left, right) = split_columns(area, share(area.width, shares.left), 1);
        layout.dividers.push((Divider::LeftAndReader, gap(left, right)));
        (layout.reader, layout.symbols) = reading(right, focus, has_symbols);
        if area.height >= TALL {
            let most = area.height - LEAST_HEIGHT;
            let (upper, lower) = left.split_top(share(area.height, shares.top).clamp(LEAST_HEIGHT, most));
            layout.tree = panel(upper);
            layout.list = panel(lower);
            layout.dividers.push((Divider::TreeAboveList, layout.list.header));
        } else if focus == Focus::Tree {
            layout.tree = panel(left);
        } else {
            layout.list = panel(left);
        }
    } else {
        match focus {
            Focus::Tree => layout.tree = panel(area),
            Focus::List => layout.list = panel(area),
            Focus::Reader | Focus::Symbols => {
                (layout.reader, layout.symbols) = reading(area, focus, has_symbols);
            }
        }
    }
    let named = u16::from(layout.list.body.height >= NAMED_COLUMNS);
    (layout.columns, layout.list.body) = layout.list.body.split_top(named);
    layout
}

/// The pair and its symbols: one above the other, or only the focused one when both do not fit.
fn reading(area: Area, focus: Focus, has_symbols: bool) -> (Panel, Panel) {
    if !has_symbols {
        return (panel(area), Panel::default());
    }
    if area.height < 2 * FEWEST_SYMBOLS {
        return match focus {
            Focus::Symbols => (Panel::default(), panel(area)),
            _ => (panel(area), Panel::default()),
        };
    }
    let lower = (area.height / 3).clamp(FEWEST_SYMBOLS, MOST_SYMBOLS);
    let (upper, lower) = area.split_top(area.height - lower);
    (panel(upper), panel(lower))
}

impl Shares {
    /// Moves a divider to where the pointer is.
    pub fn drag(&mut self, divider: Divider, area: Area, x: u16, y: u16) {
        let thousandths = |part: u16, whole: u16| {
            (u32::from(part) * 1000).div_ceil(u32::from(whole.max(1))).min(1000) as u16
        };
        let column = thousandths(x.saturating_sub(area.x), area.width);
        match divider {
            Divider::TreeAndList => {
                // The line between list and pair stays where it is.
                let sum = self.tree + self.list;
                self.tree = column.min(sum);
                self.list = sum - self.tree;
            }
            Divider::ListAndReader => self.list = column.saturating_sub(self.tree),
            Divider::LeftAndReader => self.left = column,
            Divider::TreeAboveList => self.top = thousandths(y.saturating_sub(area.y), area.height),
        }
    }
}

fn share(whole: u16, thousandths: u16) -> u16 {
    (u32::from(whole) * u32::from(thousandths) / 1000).min(u32::from(whole)) as u16
}

/// A column, a gap for the divider, and the rest, in which `others` columns must still fit.
fn split_columns(area: Area, width: u16, others: u16) -> (Area, Area) {
    let most = area.width.saturating_sub(others * (LEAST_WIDTH + 1)).max(LEAST_WIDTH);
    let (column, rest) = area.split_left(width.clamp(LEAST_WIDTH, most));
    (column, rest.split_left(1).1)
}

fn gap(left: Area, right: Area) -> Area {
    Area { x: left.right(), width: right.x - left.right(), ..left }
}

fn panel(area: Area) -> Panel {
    let (header, body) = area.split_top(u16::from(area.height > LEAST_HEIGHT));
    Panel { header, body }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Panels stay on the screen and apart, however the dividers are dragged.
        #[test]
        fn panels_never_overlap(
            (width, height, y) in (0u16..300, 0u16..80, 0u16..2),
            shares in prop::array::uniform4(0u16..=1000),
            focus in prop::sample::select(vec![Focus::Tree, Focus::List, Focus::Reader, Focus::Symbols]),
            has_symbols: bool,
        ) {
            let area = Area::new(0, y, width, height);
            let [tree, list, left, top] = shares;
            let found = layout(area, Shares { tree, list, left, top }, focus, has_symbols);
            let parts = [found.tree, found.list, found.reader, found.symbols].map(|panel| [panel.header, panel.body]);
            let parts: Vec<Area> = parts.into_iter().flatten().chain([found.columns]).filter(|part| !part.is_empty()).collect();
            for (index, part) in parts.iter().enumerate() {
                prop_assert!(part.right() <= area.right() && part.bottom() <= area.bottom());
                for other in &parts[index + 1..] {
                    let apart = part.right() <= other.x || other.right() <= part.x
                        || part.bottom() <= other.y || other.bottom() <= part.y;
                    prop_assert!(apart, "{:?} and {:?}", part, other);
                }
            }
            if !area.is_empty() {
                prop_assert!(!parts.is_empty());
            }
        }
    }
}
