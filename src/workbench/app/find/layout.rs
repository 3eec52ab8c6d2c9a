//! Where the parts of the pane are.

use crate::workbench::app::area::Area;

/// The parts of the pane; the texts are below the list on narrow screens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FindLayout {
    pub header: Area,
    /// The names of the list's columns, where there is room.
    pub list_header: Area,
    pub list: Area,
    /// With its line on the left, on wide screens.
    pub texts: Area,
    pub is_wide: bool,
}

/// The columns of a result before its text: a text of some words matters more than the kind and the number of its pair,
/// which stand beside the list too, and more than its probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultColumns {
    /// A result of a search in both sides says whether it is a statement or a proof.
    pub has_side: bool,
    pub has_probability: bool,
    pub has_label: bool,
    /// Where the names of the pairs end.
    pub names: u16,
}

/// Where the columns of a result end: rank, probability.
pub const RANK: u16 = 4;
pub const PROBABILITY: u16 = 12;
/// The width of a side, with the gap before it.
pub const SIDE: u16 = 6;
/// The least room of a text and the side before it, if columns can be left out for them.
const TEXT: u16 = 32;

impl ResultColumns {
    /// The columns of rows of a width; `ids` is the width of the longest id and `labels` that of the longest id with kind
    /// and number.
    pub fn fitting(width: u16, (ids, labels): (u16, u16), has_side: bool) -> ResultColumns {
        let with = |has_probability, has_label| {
            let before = if has_probability { PROBABILITY } else { RANK };
            let name = if has_label { labels } else { ids };
            ResultColumns { has_side, has_probability, has_label, names: before + name.min(width / 3) }
        };
        let choices = [with(true, true), with(true, false), with(false, false)];
        let last = choices[choices.len() - 1];
        choices.into_iter().find(|columns| width >= columns.names + 1 + TEXT).unwrap_or(last)
    }

    /// Where the side ends, and the text begins after a space.
    pub fn side_end(self) -> u16 {
        self.names + if self.has_side { SIDE } else { 0 }
    }

    /// The columns of the text.
    pub fn text(self, width: u16) -> u16 {
        width.saturating_sub(self.side_end() + 1)
    }
}

/// Narrower panes have the texts below the list.
const WIDE: u16 = 100;
/// A lower list has no column names.
const LOWEST_WITH_HEADER: u16 = 4;

pub fn layout(area: Area) -> FindLayout {
    let (header, body) = area.split_top(u16::from(area.height >= 2));
    let is_wide = area.width >= WIDE;
    let (list, texts) = match is_wide {
        true => body.split_left(body.width / 2),
        false => body.split_top(body.height.div_ceil(2)),
    };
    let (list_header, list) = list.split_top(u16::from(list.height >= LOWEST_WITH_HEADER));
    FindLayout { header, list_header, list, texts, is_wide }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_list_keeps_its_texts() {
        let of = |width| {
            let columns = ResultColumns::fitting(width, (10, 18), false);
            let with_side = ResultColumns::fitting(width, (10, 18), true);
            assert_eq!(with_side.text(width), columns.text(width).saturating_sub(SIDE));
            (columns.has_probability, columns.has_label, columns.text(width))
        };
        assert_eq!(
            [80, 59, 49, 30].map(of),
            [(true, true, 49), (true, false, 36), (false, false, 34), (false, false, 15)]
        );
    }
}
