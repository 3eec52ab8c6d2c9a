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
