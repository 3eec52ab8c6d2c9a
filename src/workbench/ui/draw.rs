//! A whole screen: tabs, the pane, hints, and whatever lies above.

use ratatui::Frame;

use super::{canvas::Canvas, panes, styles::Styles, widgets};
use crate::workbench::{
    app::{App, area::Area, layout, pane::PaneId},
    theme::Scope,
};

/// Draws the state. The same state always gives the same screen.
pub fn draw(app: &App, styles: &Styles, frame: &mut Frame<'_>) {
    let parts = layout::frame(app.size);
    let mut canvas = Canvas::new(frame.buffer_mut(), styles);
    canvas.paint(Area::new(0, 0, app.size.width, app.size.height), canvas.style(Scope::UiBackground));
    widgets::tabs::draw(app, parts.tabs, &mut canvas);
    match app.pane {
        PaneId::Browse => panes::browse::draw(&app.browse, &mut canvas),
        PaneId::Compare => panes::compare::draw(&app.compare, &mut canvas),
        PaneId::Train => panes::training::draw(app, &mut canvas),
        PaneId::Curves => panes::curves::draw(app, &mut canvas),
        PaneId::Assignments => panes::assignments::draw(app, &mut canvas),
        PaneId::Importance => panes::importance::draw(app, &mut canvas),
        PaneId::Studies => panes::studies::draw(app, &mut canvas),
        PaneId::Log => panes::log::draw(app, &mut canvas),
    }
    widgets::bottom_line::draw(app, parts.hints, &mut canvas);
    for overlay in &app.host.overlays {
        widgets::overlays::draw(app, overlay, &mut canvas);
    }
    if let Some(cursor) = canvas.cursor {
        frame.set_cursor_position(cursor);
    }
}
