//! The mouse in Browse: a press chooses, the wheel scrolls, dividers can be dragged.

use super::{
    Browse, Divider, Focus, Panel,
    ranges::{self, Measure},
};
use crate::{
    corpus::store::Histograms,
    workbench::app::{
        action::ActionId,
        message::{Mouse, MouseEvent},
        pane_host::PaneHost,
    },
};

/// Lines that the wheel scrolls at a time.
const WHEEL: isize = 3;
/// Thousandths by which a key moves a divider.
const STEP: u16 = 30;

impl Browse {
    pub(super) fn point(&mut self, mouse: Mouse, host: &mut PaneHost) {
        if self.range_editor.is_some() {
            return self.point_at_ranges(mouse, host);
        }
        match mouse.event {
            MouseEvent::Press => self.press(mouse.x, mouse.y, host),
            MouseEvent::Drag => {
                if let Some(divider) = self.dragged {
                    self.shares.drag(divider, self.area, mouse.x, mouse.y);
                }
            }
            MouseEvent::Release => self.dragged = None,
            MouseEvent::WheelDown => self.wheel(mouse, WHEEL),
            MouseEvent::WheelUp => self.wheel(mouse, -WHEEL),
        }
    }

    fn press(&mut self, x: u16, y: u16, host: &mut PaneHost) {
        let layout = self.layout();
        let divider = layout.dividers.iter().find(|(_, area)| area.contains(x, y));
        self.dragged = divider.map(|(divider, _)| *divider);
        let inside = |panel: Panel| panel.body.contains(x, y) || panel.header.contains(x, y);
        let line = |panel: Panel| y.checked_sub(panel.body.y).map(usize::from);
        if inside(layout.tree) {
            self.focus = Focus::Tree;
            if let Some(line) = line(layout.tree)
                && self.tree.offset() + line < self.tree.rows().len()
            {
                self.press_category(self.tree.offset() + line, host);
            }
        } else if inside(layout.list) {
            self.focus = Focus::List;
            if let Some(line) = line(layout.list)
                && self.list.offset() + line < self.list.len()
            {
                self.list.go_to(self.list.offset() + line);
            }
        } else if inside(layout.symbols) {
            self.focus = Focus::Symbols;
            if let Some(line) = line(layout.symbols) {
                self.symbols.go_to(self.symbols.offset() + line);
            }
        } else if inside(layout.reader) {
            self.focus = Focus::Reader;
        }
    }

    /// A press on a bar moves the nearer end of the range there and drags it; one outside closes the box.
    fn point_at_ranges(&mut self, mouse: Mouse, host: &mut PaneHost) {
        let (Some(place), Some(editor)) = (self.range_box(), &mut self.range_editor) else { return };
        let row_of = |measure: Measure| place.rows[measure as usize];
        let value_of = |measure: Measure, histograms: &Histograms| {
            let bars = row_of(measure).bars;
            let column = mouse.x.clamp(bars.x, bars.right().saturating_sub(1).max(bars.x)) - bars.x;
            ranges::value_at(column, bars.width, ranges::longest(measure, histograms), measure.step())
        };
        let before = self.ranges;
        match mouse.event {
            MouseEvent::Press => {
                let is_pressed = |measure: &Measure| {
                    let row = row_of(*measure);
                    [row.title, row.bars, row.marks].iter().any(|part| part.contains(mouse.x, mouse.y))
                };
                match Measure::ALL.into_iter().find(is_pressed) {
                    Some(measure) => {
                        let value = value_of(measure, &self.histograms);
                        editor.take_nearer(measure, value, &self.ranges, &self.histograms);
                        if !row_of(measure).title.contains(mouse.x, mouse.y) {
                            editor.dragged = Some(measure);
                            editor.set(value, &mut self.ranges, &self.histograms);
                        }
                    }
                    None if !place.frame.contains(mouse.x, mouse.y) => self.range_editor = None,
                    None => {}
                }
            }
            MouseEvent::Drag => {
                if let Some(measure) = editor.dragged {
                    editor.set(value_of(measure, &self.histograms), &mut self.ranges, &self.histograms);
                }
            }
            MouseEvent::Release => editor.dragged = None,
            MouseEvent::WheelUp => {
                editor.change(ActionId::RangeMore, &mut self.ranges, &self.histograms);
            }
            MouseEvent::WheelDown => {
                editor.change(ActionId::RangeLess, &mut self.ranges, &self.histograms);
            }
        }
        if self.ranges != before {
            self.ask_listing_here(host);
        }
    }

    /// The first press chooses a category, a second one opens or closes it.
    fn press_category(&mut self, place: usize, host: &mut PaneHost) {
        if place == self.tree.cursor() {
            self.tree.set_open(!self.tree.is_open());
        } else {
            self.tree.go_to(place);
            self.ask_listing_here(host);
        }
    }

    fn wheel(&mut self, mouse: Mouse, lines: isize) {
        let layout = self.layout();
        let inside = |panel: Panel| panel.body.contains(mouse.x, mouse.y);
        if inside(layout.tree) {
            self.tree.scroll(lines, layout.tree.body.height.into());
        } else if inside(layout.list) {
            self.list.scroll(lines, layout.list.body.height.into());
        } else if inside(layout.symbols) {
            self.symbols.scroll(lines, layout.symbols.body.height.into());
        } else if inside(layout.reader) {
            self.reader.scroll_by(lines, layout.reader.body.height.into());
        }
    }

    /// Moves the divider on the right of the panel that has the focus (or on its left, for the last one).
    pub(super) fn widen(&mut self, wider: bool) {
        let layout = self.layout();
        let is_there = |divider| layout.dividers.iter().any(|(other, _)| *other == divider);
        let share = if is_there(Divider::LeftAndReader) {
            &mut self.shares.left
        } else if self.focus == Focus::Tree {
            &mut self.shares.tree
        } else {
            &mut self.shares.list
        };
        *share = if wider { (*share + STEP).min(800) } else { share.saturating_sub(STEP).max(100) };
    }
}
