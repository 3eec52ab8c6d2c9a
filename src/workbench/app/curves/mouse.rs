//! The mouse in Curves: a press moves the cursor or draws a run, the wheel zooms or scrolls.

use super::Curves;
use crate::workbench::app::message::{Mouse, MouseEvent};

impl Curves {
    pub(super) fn point(&mut self, mouse: Mouse) {
        let parts = self.layout();
        if parts.plot.contains(mouse.x, mouse.y) {
            let place = (f64::from(mouse.x - parts.plot.x) + 0.5) / f64::from(parts.plot.width.max(1));
            match mouse.event {
                MouseEvent::Press | MouseEvent::Drag => self.put_cursor(place),
                MouseEvent::WheelUp => self.zoom(0.8),
                MouseEvent::WheelDown => self.zoom(1.25),
                MouseEvent::Release => {}
            }
        } else if parts.list.contains(mouse.x, mouse.y) {
            let place = self.place();
            let to = match mouse.event {
                MouseEvent::WheelDown => place + 3,
                MouseEvent::WheelUp => place.saturating_sub(3),
                MouseEvent::Press => self.offset + usize::from(mouse.y - parts.list.y),
                MouseEvent::Drag | MouseEvent::Release => return,
            };
            let is_press = mouse.event == MouseEvent::Press;
            if is_press && to >= self.listed.len() {
                return;
            }
            self.run = self.listed.get(to.min(self.listed.len().saturating_sub(1))).cloned();
            if let Some(run) = self.run.clone().filter(|_| is_press) {
                self.toggle(&run);
            }
        }
    }
}
