//! How Log looks.

use crate::{
    app::App,
    ui::{canvas::Canvas, theme::Scope},
};

pub fn draw(app: &App, canvas: &mut Canvas<'_>) {
    let area = app.log.area();
    canvas.text_cut(area.x + 1, area.y, area.right(), "Log: not built yet", canvas.style(Scope::UiTextDim));
}
