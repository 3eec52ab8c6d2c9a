//! The symbols of the pair: each with how often statement and proof have it.

use super::browse::select;
use crate::{
    workbench::app::{
        area::Area,
        browse::{Browse, Panel, SymbolRow},
        document::{Form, Role},
    },
    workbench::theme::Scope,
    workbench::ui::{canvas::Canvas, styles::scope_of, widgets::panel},
};

pub fn draw(browse: &Browse, place: Panel, has_focus: bool, canvas: &mut Canvas<'_>) {
    let symbols = &browse.symbols;
    let shared = symbols.rows().iter().filter(|row| row.statement > 0 && row.proof > 0).count();
    let title = format!("{} symbols", symbols.rows().len());
    // The article's own markup does not say which of its letters are tokens.
    let note = match browse.reader.form {
        Form::Xhtml => "not lit up in XHTML".to_owned(),
        _ => format!("{shared} in both"),
    };
    panel::header(canvas, place.header, &title, &note, has_focus);
    let area = place.body;
    if symbols.rows().is_empty() && !area.is_empty() {
        canvas.text_cut(
            area.x + 1,
            area.y,
            area.right(),
            "the pair has none",
            canvas.style(Scope::UiTextDim),
        );
    }
    let most = symbols.rows().iter().map(|row| row.statement.max(row.proof)).max().unwrap_or(1);
    for (y, (index, row)) in
        (area.y..area.bottom()).zip(symbols.rows().iter().enumerate().skip(symbols.offset()))
    {
        let line = Area::new(area.x, y, area.width.saturating_sub(1), 1);
        let is_chosen = index == symbols.cursor();
        if is_chosen {
            select(canvas, line, has_focus);
        }
        draw_row(row, is_chosen, most, line, canvas);
    }
    panel::scrollbar(canvas, area, symbols.offset(), symbols.rows().len());
}

/// `λ    4 statement ▇▇▇▇       9 proof ▇▇▇▇▇▇▇▇▇`
fn draw_row(row: &SymbolRow, is_chosen: bool, most: usize, line: Area, canvas: &mut Canvas<'_>) {
    let role = match row.colour {
        _ if is_chosen => Role::Chosen,
        Some(colour) => Role::Symbol(colour),
        None => Role::Math,
    };
    let (text, dim) = (canvas.style(Scope::UiText), canvas.style(Scope::UiTextDim));
    let symbol = row.symbol.styled().encode_utf8(&mut [0; 4]).to_owned();
    canvas.text(line.x + 2, line.y, line.right(), &symbol, canvas.style(scope_of(role)));
    let half = line.width.saturating_sub(5) / 2;
    for (index, (count, name)) in [(row.statement, "statement"), (row.proof, "proof")].into_iter().enumerate()
    {
        let start = line.x + 5 + half * index as u16;
        let end = (start + half).min(line.right());
        let style = if count == 0 { dim } else { text };
        let x = canvas.text(start, line.y, end, &format!("{count:>3} "), style);
        let name = if half > 24 { format!("{name:<10}") } else { format!("{} ", &name[..1]) };
        let x = canvas.text(x, line.y, end, &name, dim);
        // The bar takes what room is left, the largest count all of it.
        let room = usize::from(end.saturating_sub(x).saturating_sub(2)).min(20);
        let width = (count * room).div_ceil(most.max(1));
        canvas.text(x, line.y, end, &"▇".repeat(width), canvas.style(Scope::UiHistogram));
    }
}
