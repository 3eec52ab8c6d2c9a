//! Presentation mode, for talks and recordings: margins around the workbench, fewer hints, and the key that was pressed.

use super::{App, area::Size, key::KeyPress};

/// Whether the mode is on, and the key to show.
#[derive(Debug, Default)]
pub struct Presentation {
    is_on: bool,
    /// The keys that were pressed last, and until when they are shown.
    pressed: Option<(String, u64)>,
}

/// Milliseconds for which a key is shown.
const SHOWN: u64 = 1500;
/// Columns and lines of the margin on each side, and the smallest screen that has one.
const MARGIN: (u16, u16) = (4, 1);
const LEAST: Size = Size { width: 70, height: 20 };

impl App {
    pub fn is_presenting(&self) -> bool {
        self.presentation.is_on
    }

    pub fn present(&mut self, is_on: bool) {
        self.presentation = Presentation { is_on, pressed: None };
        self.lay_out();
    }

    /// The key to show.
    pub fn presented_key(&self) -> Option<&str> {
        self.presentation.pressed.as_ref().map(|(keys, _)| keys.as_str())
    }

    /// The margin around the workbench.
    pub(super) fn margin(&self) -> (u16, u16) {
        let is_large = self.size.width >= LEAST.width && self.size.height >= LEAST.height;
        if self.presentation.is_on && is_large { MARGIN } else { (0, 0) }
    }

    /// Notes a key to be shown; the keys of one sequence are shown together.
    pub(super) fn present_key(&mut self, key: KeyPress) {
        if self.presentation.is_on {
            let mut keys: Vec<String> = self.pressed.iter().map(ToString::to_string).collect();
            keys.push(key.to_string());
            self.presentation.pressed = Some((keys.join(" "), self.host.now + SHOWN));
        }
    }

    /// Removes a key whose time is over; `true` when there was one.
    pub(super) fn expire_presented_key(&mut self) -> bool {
        let now = self.host.now;
        self.presentation.pressed.take_if(|(_, until)| *until <= now).is_some()
    }
}
