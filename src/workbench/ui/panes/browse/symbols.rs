//! The symbols of the pair, each with its numbers of occurrences in statement and proof.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    base::numbers::counted,
    workbench::{
        app::{
            browse::{Browse, SymbolRow},
            document::{Form, Role},
        },
        theme::Scope,
        ui::{
            styles::Styles,
            text::{Label, LineBuilder},
            widgets::{
                panel::{PanelHeader, ScrollPosition},
                row_list::{RowList, row_width},
            },
        },
    },
};

pub struct SymbolList<'a> {
    pub browse: &'a Browse,
    pub has_focus: bool,
    pub header: Rect,
    pub styles: &'a Styles,
}

impl Widget for SymbolList<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let SymbolList { browse, has_focus, header, styles } = self;
        let symbols = &browse.symbols;
        let shared = symbols.rows().iter().filter(|row| row.statement > 0 && row.proof > 0).count();
        let title = counted(symbols.rows().len(), "symbol");
        // The markup of the article does not say which of its letters are tokens.
        let detail = match browse.reader.form {
            Form::Xhtml => "not highlighted in XHTML".to_owned(),
            _ => format!("{shared} in both"),
        };
        PanelHeader { title: &title, detail: &detail, has_focus, styles }.render(header, buf);
        if symbols.rows().is_empty() {
            Label::new("the pair has none", styles[Scope::UiTextDim]).render(area, buf);
        }
        let most = symbols.rows().iter().map(|row| row.statement.max(row.proof)).max().unwrap_or(1);
        let visible = symbols.rows().iter().enumerate().skip(symbols.offset()).take(area.height.into());
        let rows = visible.map(|(index, row)| {
            let role = match row.colour {
                _ if index == symbols.cursor() => Role::Chosen,
                Some(color) => Role::Symbol(color),
                None => Role::Math,
            };
            symbol_row(row, role, most, row_width(area), styles)
        });
        let selected = symbols.cursor().checked_sub(symbols.offset());
        RowList { rows, selected, has_focus, styles }.render(area, buf);
        ScrollPosition { offset: symbols.offset(), count: symbols.rows().len(), styles }.render(area, buf);
    }
}

/// `λ    4 statement ▇▇▇▇       9 proof ▇▇▇▇▇▇▇▇▇`
fn symbol_row<'a>(row: &SymbolRow, role: Role, most: usize, width: u16, styles: &Styles) -> Line<'a> {
    let (text, dim) = (styles[Scope::UiText], styles[Scope::UiTextDim]);
    let mut line = LineBuilder::new(width);
    line.skip(1).push(row.symbol.styled().to_string(), styles.of_role(role));
    let half = width.saturating_sub(4) / 2;
    for (index, (count, name)) in [(row.statement, "statement"), (row.proof, "proof")].into_iter().enumerate()
    {
        let start = 4 + half * index as u16;
        let end = start + half;
        let style = if count == 0 { dim } else { text };
        line.skip_to(start).push_clipped(end, format!("{count:>3} "), style);
        let name = if half > 24 { format!("{name:<10}") } else { format!("{} ", &name[..1]) };
        line.push_clipped(end, name, dim);
        // The bar of the largest count takes all the room that is left.
        let room = usize::from(end.min(width).saturating_sub(line.used() + 2)).min(20);
        let length = (count * room).div_ceil(most.max(1));
        line.push_clipped(end, "▇".repeat(length), styles[Scope::UiHistogram]);
    }
    line.build()
}
