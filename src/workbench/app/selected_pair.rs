//! The pair that is selected in Browse and its neighbors, for the panes that show a single pair.

use super::{App, browse::Focus};

impl App {
    /// The row of the selected pair: the one being read if the reader has the focus, else the one in the list.
    pub(super) fn selected_row(&self) -> Option<u32> {
        let (listed, read) = (self.browse.list.current(), self.browse.reader.row());
        match self.browse.focus {
            Focus::Reader | Focus::Symbols => read.or(listed),
            Focus::Tree | Focus::List => listed.or(read),
        }
    }

    /// The row after or before this one in Browse's list, whose cursor follows. A pair that is not in the list has the
    /// neighbors that it has in the corpus. Notifies the user if there is none.
    pub(super) fn neighbour_row(&mut self, row: u32, forward: bool) -> Option<u32> {
        let step = |from: usize| if forward { from.checked_add(1) } else { from.checked_sub(1) };
        let next = match self.browse.list.place_of(row) {
            Some(place) => step(place).and_then(|place| {
                let row = self.browse.list.row(place)?;
                self.browse.list.go_to(place);
                Some(row)
            }),
            None => step(row as usize)
                .and_then(|row| u32::try_from(row).ok())
                .filter(|row| *row < self.corpus.pairs),
        };
        if next.is_none() {
            let end = if forward { "last" } else { "first" };
            self.host.notify(format!("this is the {end} pair in the list"));
        }
        next
    }
}
