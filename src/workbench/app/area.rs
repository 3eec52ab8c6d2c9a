//! Rectangles of terminal cells, for layouts and for finding what was clicked.

use serde::{Deserialize, Serialize};

/// Columns and rows of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    pub width: u16,
    pub height: u16,
}

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

impl Area {
    pub fn new(x: u16, y: u16, width: u16, height: u16) -> Area {
        Area { x, y, width, height }
    }

    pub fn right(self) -> u16 {
        self.x.saturating_add(self.width)
    }

    pub fn bottom(self) -> u16 {
        self.y.saturating_add(self.height)
    }

    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    pub fn contains(self, x: u16, y: u16) -> bool {
        (self.x..self.right()).contains(&x) && (self.y..self.bottom()).contains(&y)
    }

    /// What is left inside a border.
    pub fn inside_border(self) -> Area {
        Area {
            x: self.x.saturating_add(1.min(self.width)),
            y: self.y.saturating_add(1.min(self.height)),
            width: self.width.saturating_sub(2),
            height: self.height.saturating_sub(2),
        }
    }

    /// The left part of the given width, and the rest.
    pub fn split_left(self, width: u16) -> (Area, Area) {
        let width = width.min(self.width);
        (Area { width, ..self }, Area { x: self.x + width, width: self.width - width, ..self })
    }

    /// The upper part of the given height, and the rest.
    pub fn split_top(self, height: u16) -> (Area, Area) {
        let height = height.min(self.height);
        (Area { height, ..self }, Area { y: self.y + height, height: self.height - height, ..self })
    }

    /// An area of at most this size in the middle.
    pub fn centred(self, width: u16, height: u16) -> Area {
        let (width, height) = (width.min(self.width), height.min(self.height));
        Area { x: self.x + (self.width - width) / 2, y: self.y + (self.height - height) / 2, width, height }
    }
}
