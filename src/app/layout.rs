//! The frame around the panes: tabs above, hints below. Small terminals lose first the one, then the other.

use super::{
    area::{Area, Size},
    pane::PaneId,
};

/// Where the parts of the screen are; a part that found no room is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub tabs: Area,
    pub body: Area,
    pub hints: Area,
}

pub fn frame(size: Size) -> Frame {
    let screen = Area::new(0, 0, size.width, size.height);
    let (tabs, rest) = screen.split_top(u16::from(size.height >= 5));
    let hint_rows = u16::from(size.height >= 3);
    let (body, hints) = rest.split_top(rest.height - hint_rows);
    Frame { tabs, body, hints }
}

/// Where each tab is on its line, and what is written there.
pub fn tabs(line: Area) -> Vec<(PaneId, Area, String)> {
    let mut tabs = Vec::new();
    let mut rest = line;
    for (index, pane) in PaneId::ALL.into_iter().enumerate() {
        let text = format!(" {} {} ", index + 1, pane.name());
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
            let frame = frame(Size { width: 30, height });
            assert_eq!(frame.tabs.height + frame.body.height + frame.hints.height, height);
            assert!(height == 0 || frame.body.height > 0);
        }
    }
}
