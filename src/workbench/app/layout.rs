//! The frame around the panes: tabs above, hints below. Small terminals lose first the one, then the other.

use strum::IntoEnumIterator;

use super::{
    area::{Area, Size},
    pane::PaneId,
};

/// The parts of the screen; one that does not fit is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub tabs: Area,
    pub body: Area,
    /// The card of the tour.
    pub card: Area,
    pub hints: Area,
}

/// The parts of a screen with a card of `card` lines, inside a margin.
pub fn frame(size: Size, card: u16, (x, y): (u16, u16)) -> Frame {
    let inside = (size.width.saturating_sub(2 * x), size.height.saturating_sub(2 * y));
    let screen = Area::new(x, y, inside.0, inside.1);
    let (tabs, rest) = screen.split_top(u16::from(size.height >= 5));
    let hint_rows = u16::from(size.height >= 3);
    let (rest, hints) = rest.split_top(rest.height - hint_rows);
    let (body, card) = rest.split_top(rest.height.saturating_sub(card));
    Frame { tabs, body, card, hints }
}

/// Columns that are left for the name of the corpus before the tabs get wider.
const CORPUS: usize = 24;

/// Where each tab is on its line, and what is written there: on narrow lines less, but all of them.
pub fn tabs(line: Area, shown: PaneId) -> Vec<(PaneId, Area, String)> {
    let wide = |number: usize, pane: PaneId| format!(" {number} {} ", pane.name());
    let close = |number: usize, pane: PaneId| format!(" {number} {}", pane.name());
    let short = |number: usize, pane: PaneId| format!(" {number} {}", pane.short_name());
    let narrow = |number: usize, pane: PaneId| match pane == shown {
        true => format!(" {number} {}", pane.name()),
        false => format!(" {number}"),
    };
    let write = |text: &dyn Fn(usize, PaneId) -> String| -> Vec<(PaneId, String)> {
        PaneId::iter().enumerate().map(|(index, pane)| (pane, text(index + 1, pane))).collect()
    };
    let fits = |tabs: &Vec<(PaneId, String)>| {
        tabs.iter().map(|(_, text)| text.len()).sum::<usize>() <= usize::from(line.width)
    };
    let has_room = |tabs: &Vec<(PaneId, String)>| {
        tabs.iter().map(|(_, text)| text.len()).sum::<usize>() + CORPUS <= usize::from(line.width)
    };
    let texts = Some(write(&wide)).filter(has_room);
    let texts = texts.or_else(|| [write(&close), write(&short)].into_iter().find(fits));
    let texts = texts.unwrap_or_else(|| write(&narrow));
    let mut tabs = Vec::new();
    let mut rest = line;
    for (pane, text) in texts {
        let (tab, after) = rest.split_left(text.chars().count() as u16);
        tabs.push((pane, tab, text));
        rest = after;
    }
    tabs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_covers_the_screen_at_any_size() {
        for height in 0..40 {
            let frame = frame(Size { width: 30, height }, 0, (0, 0));
            assert_eq!(frame.tabs.height + frame.body.height + frame.hints.height, height);
            assert!(height == 0 || frame.body.height > 0);
        }
    }

    #[test]
    fn every_tab_has_a_place_down_to_thirty_columns() {
        for width in 30..120 {
            let tabs = tabs(Area::new(0, 0, width, 1), PaneId::Assignments);
            assert!(tabs.iter().all(|(_, area, text)| usize::from(area.width) == text.len()), "{width}");
        }
    }
}
