//! The tree of categories and articles, each with its number of pairs.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    base::numbers::grouped,
    workbench::{
        app::browse::{CategoryTree, TreeRow, TreeRowKind},
        theme::Scope,
        ui::{
            styles::Styles,
            text::LineBuilder,
            widgets::{
                panel::ScrollPosition,
                row_list::{RowList, row_width},
            },
        },
    },
};

pub struct TreeView<'a> {
    pub tree: &'a CategoryTree,
    pub has_focus: bool,
    pub styles: &'a Styles,
}

impl Widget for TreeView<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let TreeView { tree, has_focus, styles } = self;
        let visible = tree.rows().iter().skip(tree.offset()).take(area.height.into());
        let rows = visible.map(|row| category(row, tree.count(row), row_width(area), styles));
        let selected = tree.cursor().checked_sub(tree.offset());
        RowList { rows, selected, has_focus, styles }.render(area, buf);
        ScrollPosition { offset: tree.offset(), count: tree.rows().len(), styles }.render(area, buf);
    }
}

fn category<'a>(row: &'a TreeRow, pairs: u32, width: u16, styles: &Styles) -> Line<'a> {
    let (dim, name) = (styles[Scope::UiTextDim], styles[Scope::Category]);
    let mut line = LineBuilder::new(width);
    let count = grouped(pairs as usize);
    // The count is left out where it would leave no room for a name.
    let fits = count.len() as u16 + 5 <= width;
    let end = if fits { width - count.len() as u16 } else { width };
    if row.depth > 0 {
        let sign = match row.is_open {
            Some(true) => "▾ ",
            Some(false) => "▸ ",
            None => "  ",
        };
        // Each level is indented by two columns, to below the name of the one that contains it.
        line.skip_to(2 * row.depth - 2).push_clipped(end, sign, dim);
    }
    // The title of an article says more than its id.
    let texts = [&*row.code, &*row.name];
    let [first, second] = if row.sort == TreeRowKind::Article { [texts[1], texts[0]] } else { texts };
    let (first, second) = if first.is_empty() { (second, "") } else { (first, second) };
    line.push_until(end.saturating_sub(1), first, name);
    if line.used() + 4 < end && !second.is_empty() {
        line.skip(1).push_until(end - 1, second, dim);
    }
    if fits {
        line.push_right(width, count, dim);
    }
    line.build()
}
