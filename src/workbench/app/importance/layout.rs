//! The layout of Importance.

use crate::workbench::app::area::Area;

/// The areas; one without space is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportanceLayout {
    pub form: Area,
    /// The name of the pair.
    pub title: Area,
    /// One for each model; the second is empty if there is one model, or space for one only.
    pub panels: [PanelAreas; 2],
    pub divider: Area,
    /// The token under the cursor, and the effect of an edit.
    pub token: Area,
    pub what_if: Area,
}

/// The areas of a model's panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PanelAreas {
    pub header: Area,
    /// Rank, probability, fit.
    pub facts: Area,
    pub texts: Area,
    pub bars: Area,
}

/// From this width on two models are shown side by side.
const WIDE: u16 = 78;
/// From this width on a panel's bars are beside its texts.
const BESIDE: u16 = 74;
/// The width of bars beside the texts.
const BAR_WIDTH: u16 = 34;
/// From this height on a narrow panel has bars below its texts.
const LEAST_WITH_BARS: u16 = 12;
/// The largest number of bars below the texts.
const BARS: u16 = 11;

pub fn layout(area: Area, models: usize, focus: usize) -> ImportanceLayout {
    let (form, rest) = area.split_top(u16::from(area.height >= 2));
    let (title, rest) = rest.split_top(u16::from(area.height >= 10));
    let below = match area.height {
        0..8 => 0,
        8..14 => 1,
        _ => 2,
    };
    let (middle, bottom) = rest.split_top(rest.height.saturating_sub(below));
    let (token, what_if) = bottom.split_top(1);
    let mut parts = ImportanceLayout { form, title, token, what_if, ..ImportanceLayout::default() };
    if models < 2 || middle.width < WIDE {
        parts.panels[focus.min(1)] = panel(middle);
        return parts;
    }
    let (left, after) = middle.split_left((middle.width - 1) / 2);
    let (divider, right) = after.split_left(1);
    parts.divider = divider;
    parts.panels = [panel(left), panel(right)];
    parts
}

fn panel(area: Area) -> PanelAreas {
    let (header, rest) = area.split_top(u16::from(area.height >= 3));
    let (facts, rest) = rest.split_top(u16::from(area.height >= 6));
    let (texts, bars) = if rest.width >= BESIDE {
        rest.split_left(rest.width - BAR_WIDTH)
    } else if rest.height >= LEAST_WITH_BARS {
        let bars = BARS.min(rest.height * 2 / 5);
        rest.split_top(rest.height - bars)
    } else {
        (rest, Area::default())
    };
    PanelAreas { header, facts, texts, bars }
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
            for (models, focus) in [(1, 0), (2, 0), (2, 1)] {
                let parts = layout(area, models, focus);
                let panels = parts.panels.into_iter();
                let all = panels.flat_map(|panel| [panel.header, panel.facts, panel.texts, panel.bars]);
                for part in all.chain([parts.form, parts.title, parts.divider, parts.token, parts.what_if]) {
                    assert!(
                        part.is_empty() || part.right() <= area.right() && part.bottom() <= area.bottom()
                    );
                }
            }
        }
    }
}
