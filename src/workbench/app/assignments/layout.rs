//! Where the parts of the pane are.

use super::{Focus, View};
use crate::workbench::app::area::Area;

/// The parts; one that does not fit is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssignmentsLayout {
    pub form: Area,
    /// Numbers about the whole, and what is listed.
    pub summary: Area,
    pub list_header: Area,
    pub list: Area,
    pub divider: Area,
    pub detail_header: Area,
    pub detail: Area,
    /// Contention and map have all that is left.
    pub whole: Area,
}

/// From this width on, the texts are beside the list.
const WIDE: u16 = 150;
/// Width of the list beside the texts.
const LIST_WIDTH: u16 = 76;
/// From this height on list and texts are both in sight.
const TALL: u16 = 12;

pub fn layout(area: Area, view: View, focus: Focus) -> AssignmentsLayout {
    let (form, rest) = area.split_top(u16::from(area.height >= 2));
    let (summary, rest) = rest.split_top(u16::from(area.height >= 6));
    let mut parts = AssignmentsLayout { form, summary, ..AssignmentsLayout::default() };
    if view != View::Statements {
        return AssignmentsLayout { whole: rest, ..parts };
    }
    let (list, detail) = if rest.width >= WIDE {
        let (list, after) = rest.split_left(LIST_WIDTH);
        let (divider, detail) = after.split_left(1);
        parts.divider = divider;
        (list, detail)
    } else if rest.height >= TALL {
        rest.split_top(rest.height * 2 / 5)
    } else {
        match focus {
            Focus::List => (rest, Area::default()),
            Focus::Detail => (Area::default(), rest),
        }
    };
    let header = |panel: Area| panel.split_top(u16::from(panel.height >= 2));
    (parts.list_header, parts.list) = header(list);
    (parts.detail_header, parts.detail) = header(detail);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_inside_at_any_size() {
        for (width, height) in
            (0..200).step_by(7).flat_map(|width| (0..50).map(move |height| (width, height)))
        {
            let area = Area::new(0, 1, width, height);
            for (view, focus) in
                [(View::Statements, Focus::List), (View::Statements, Focus::Detail), (View::Map, Focus::List)]
            {
                let parts = layout(area, view, focus);
                let all = [parts.form, parts.summary, parts.list_header, parts.list, parts.detail_header];
                for part in all.into_iter().chain([parts.detail, parts.divider, parts.whole]) {
                    assert!(
                        part.is_empty() || part.right() <= area.right() && part.bottom() <= area.bottom()
                    );
                }
            }
        }
    }
}
