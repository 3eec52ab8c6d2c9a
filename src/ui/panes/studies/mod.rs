//! How Studies looks.

use crate::{
    app::App,
    ui::{canvas::Canvas, theme::Scope},
};

pub fn draw(app: &App, canvas: &mut Canvas<'_>) {
    let area = app.studies.area();
    canvas.text_cut(
        area.x + 1,
        area.y,
        area.right(),
        "Studies: not built yet",
        canvas.style(Scope::UiTextDim),
    );
}
