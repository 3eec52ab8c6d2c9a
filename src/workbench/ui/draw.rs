//! A whole screen: tabs, the pane, hints, and the overlays above.

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{StatefulWidget, Widget},
};
use unicode_width::UnicodeWidthStr;

use super::{
    panes::{
        assignments::AssignmentsPane, browse::BrowsePane, compare::ComparePane, curves::CurvesPane,
        find::FindPane, importance::ImportancePane, log::LogPane, studies::StudiesPane,
        training::TrainingPane,
    },
    styles::Styles,
    widgets::{Cursor, hint_bar::HintBar, overlays::OverlayView, tabs::TabBar, tour_card::TourCard},
};
use crate::{
    base::printable,
    workbench::{
        app::{App, overlay::Overlay, pane::PaneId},
        theme::Scope,
    },
};

/// Draws the state. The same state always gives the same screen.
pub fn draw(app: &App, styles: &Styles, frame: &mut Frame<'_>) {
    let screen = Rect::new(0, 0, app.size.width, app.size.height);
    let view = WorkbenchView { app, styles };
    let mut cursor = None;
    if screen.intersection(frame.area()) == screen {
        view.render(screen, frame.buffer_mut(), &mut cursor);
    } else {
        // While a resize is on its way, and in a replay, the terminal may be smaller than the screen of the state.
        let mut whole = Buffer::empty(screen);
        view.render(screen, &mut whole, &mut cursor);
        copy_visible(&whole, frame.buffer_mut());
    }
    make_printable(frame.buffer_mut());
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

/// Replaces cells that would control the terminal: the last step before it, whatever a pane has drawn. Ratatui drops
/// control characters, but adds characters without a width, such as changes of direction, to the cell before.
fn make_printable(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        // Nearly every cell is a single byte.
        if cell.symbol().len() > 1 && cell.symbol().contains(printable::is_hostile) {
            let symbol: String =
                cell.symbol().chars().filter(|letter| !printable::is_hostile(*letter)).collect();
            cell.set_symbol(if symbol.is_empty() { " " } else { &symbol });
        }
    }
}

fn copy_visible(whole: &Buffer, visible: &mut Buffer) {
    let area = whole.area.intersection(visible.area);
    for position in area.positions() {
        let Position { x, .. } = position;
        let cell = &whole[position];
        if usize::from(area.right() - x) >= cell.symbol().width() {
            visible[position] = cell.clone();
        }
    }
}

/// The workbench as a widget. Areas come from `app`, which needs them to know what the mouse hits.
struct WorkbenchView<'a> {
    app: &'a App,
    styles: &'a Styles,
}

impl StatefulWidget for WorkbenchView<'_> {
    type State = Cursor;

    fn render(self, area: Rect, buf: &mut Buffer, cursor: &mut Cursor) {
        let WorkbenchView { app, styles } = self;
        let parts = app.frame();
        buf.set_style(area, styles[Scope::UiBackground]);
        TabBar { app, styles }.render(parts.tabs.into(), buf);
        let body = parts.body.into();
        match app.pane {
            PaneId::Browse => BrowsePane { browse: &app.browse, styles }.render(body, buf),
            PaneId::Compare => ComparePane { app, styles }.render(body, buf, cursor),
            PaneId::Train => TrainingPane { app, styles }.render(body, buf, cursor),
            PaneId::Curves => CurvesPane { app, styles }.render(body, buf),
            PaneId::Assignments => AssignmentsPane { app, styles }.render(body, buf),
            PaneId::Importance => ImportancePane { app, styles }.render(body, buf),
            PaneId::Studies => StudiesPane { app, styles }.render(body, buf),
            PaneId::Log => LogPane { app, styles }.render(body, buf),
            PaneId::Find => FindPane { app, styles }.render(body, buf),
        }
        TourCard { app, styles }.render(parts.card.into(), buf);
        HintBar { app, styles }.render(parts.hints.into(), buf, cursor);
        let last = app.host.overlays.len().saturating_sub(1);
        for (index, overlay) in app.host.overlays.iter().enumerate() {
            // A question waits until what is above it is closed.
            if index < last && matches!(overlay, Overlay::Confirm { .. } | Overlay::Decide { .. }) {
                continue;
            }
            OverlayView { overlay, styles }.render(overlay.area(app.size).into(), buf, cursor);
        }
    }
}
