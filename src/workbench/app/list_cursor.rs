//! The cursor of a list and the part of the list that is in sight, for every list of the workbench.
//!
//! The methods take the number of lines in sight and the number of items, since both belong to the list.

use super::action::{ActionId, Context};

/// Which item is selected, and which is the first in sight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListCursor {
    pub index: usize,
    pub offset: usize,
}

impl ListCursor {
    /// Selects an item, or the last one when there are fewer.
    pub fn select(&mut self, index: usize, count: usize) {
        self.index = index.min(count.saturating_sub(1));
    }

    /// Moves the selection as a movement action demands.
    pub fn move_by(&mut self, action: ActionId, height: usize, count: usize) {
        self.index = moved(action, self.index, height, count);
    }

    /// Scrolls, and moves the selection only when it would go out of sight.
    pub fn scroll(&mut self, lines: isize, height: usize, count: usize) {
        self.offset = self.offset.saturating_add_signed(lines).min(count.saturating_sub(height));
        let end = (self.offset + height).saturating_sub(1).max(self.offset);
        self.select(self.index.clamp(self.offset, end), count);
    }

    /// Keeps the selection within the list and in sight.
    pub fn settle(&mut self, height: usize, count: usize) {
        self.select(self.index, count);
        self.offset = offset_in_sight(self.offset, self.index, height, count);
    }
}

/// The offset closest to `offset` at which `index` is in sight and no line below the last item is empty that could be
/// filled.
pub fn offset_in_sight(offset: usize, index: usize, height: usize, count: usize) -> usize {
    let height = height.max(1);
    offset.clamp((index + 1).saturating_sub(height), index).min(count.saturating_sub(height))
}

/// The index that a movement action leads to, of `count` items of which `height` are in sight.
pub fn moved(action: ActionId, from: usize, height: usize, count: usize) -> usize {
    let page = height.saturating_sub(1).max(1);
    let half = (height / 2).max(1);
    let to = match action {
        ActionId::Down => from.saturating_add(1),
        ActionId::Up => from.saturating_sub(1),
        ActionId::HalfDown => from.saturating_add(half),
        ActionId::HalfUp => from.saturating_sub(half),
        ActionId::PageDown => from.saturating_add(page),
        ActionId::PageUp => from.saturating_sub(page),
        ActionId::Top => 0,
        ActionId::Bottom => usize::MAX,
        _ => from,
    };
    to.min(count.saturating_sub(1))
}

/// Whether [`moved`] handles the action.
pub fn is_movement(action: ActionId) -> bool {
    action.action().context == Context::Moving
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_stays_within_the_list_and_in_sight() {
        let mut cursor = ListCursor::default();
        cursor.move_by(ActionId::Bottom, 10, 100);
        cursor.settle(10, 100);
        assert_eq!(cursor, ListCursor { index: 99, offset: 90 });
        cursor.scroll(-50, 10, 100);
        cursor.settle(10, 100);
        assert_eq!(cursor, ListCursor { index: 49, offset: 40 });
        cursor.settle(300, 100);
        assert_eq!(cursor.offset, 0);
        cursor.settle(10, 5);
        assert_eq!(cursor, ListCursor { index: 4, offset: 0 });
        cursor.settle(10, 0);
        assert_eq!(cursor, ListCursor::default());
    }
}
