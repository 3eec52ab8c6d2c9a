//! Importance.

mod snapshot;

pub use snapshot::ImportanceSnapshot;

use super::{
    action::{ActionId, Context},
    area::Area,
    desk::Desk,
    message::Mouse,
    overlay::Choice,
    pane::Pane,
    work::Reply,
};

#[derive(Debug, Default)]
pub struct Importance {
    area: Area,
}

impl Importance {
    pub fn area(&self) -> Area {
        self.area
    }
}

impl Pane for Importance {
    fn contexts(&self) -> Vec<Context> {
        vec![Context::Importance, Context::Moving, Context::Workbench]
    }

    fn start(&mut self, _desk: &mut Desk) {}

    fn act(&mut self, _action: ActionId, _desk: &mut Desk) {}

    fn typed(&mut self, _text: &str, _desk: &mut Desk) {}

    fn mouse(&mut self, _mouse: Mouse, _desk: &mut Desk) {}

    fn chosen(&mut self, _choice: Choice, _desk: &mut Desk) {}

    fn answered(&mut self, _reply: Reply, _desk: &mut Desk) {}

    fn resize(&mut self, area: Area) {
        self.area = area;
    }

    fn settle(&mut self, _desk: &mut Desk) {}
}
