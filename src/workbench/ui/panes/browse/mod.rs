//! Browse: categories, pairs, the reader, symbols, and the ranges above them.

mod pair_list;
mod ranges;
mod symbols;
mod tree;

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use self::{pair_list::PairListView, ranges::RangesDialog, symbols::SymbolList, tree::TreeView};
use crate::base::numbers::counted;
use crate::workbench::{
    app::browse::{Browse, Focus},
    ui::{
        styles::Styles,
        widgets::{
            document::DocumentText,
            panel::{PanelHeader, divider},
        },
    },
};

pub struct BrowsePane<'a> {
    pub browse: &'a Browse,
    pub styles: &'a Styles,
}

impl Widget for BrowsePane<'_> {
    fn render(self, _: Rect, buf: &mut Buffer) {
        let BrowsePane { browse, styles } = self;
        let layout = browse.layout();
        for (_, area) in layout.dividers.iter().filter(|(_, area)| area.width == 1) {
            divider(styles).render((*area).into(), buf);
        }
        let focus = |focus| browse.focus == focus && browse.search.is_none();
        let header = |title: &str, detail: &str, panel, area: Rect, buf: &mut Buffer| {
            PanelHeader { title, detail, has_focus: focus(panel), styles }.render(area, buf);
        };
        let tree = layout.tree;
        header("categories", "", Focus::Tree, tree.header.into(), buf);
        TreeView { tree: &browse.tree, has_focus: focus(Focus::Tree), styles }.render(tree.body.into(), buf);
        let list = layout.list;
        header(&list_title(browse), &browse.description(), Focus::List, list.header.into(), buf);
        PairListView { browse, has_focus: focus(Focus::List), header: layout.columns.into(), styles }
            .render(list.body.into(), buf);
        let reader = layout.reader;
        let form = browse.reader.form.name();
        header(&reader_title(browse), form, Focus::Reader, reader.header.into(), buf);
        DocumentText { lines: browse.reader.lines(), offset: browse.reader.scroll(), styles }
            .render_scrolled(reader.body.into(), buf);
        let symbols = layout.symbols;
        SymbolList { browse, has_focus: focus(Focus::Symbols), header: symbols.header.into(), styles }
            .render(symbols.body.into(), buf);
        RangesDialog { browse, styles }.render_if_open(buf);
    }
}

fn list_title(browse: &Browse) -> String {
    let count = browse.list.len();
    let found =
        if browse.search_text.is_empty() { String::new() } else { format!(" /{}", browse.search_text) };
    let marks = if browse.marks.is_empty() { String::new() } else { format!(" ●{}", browse.marks.len()) };
    let annotated = if browse.annotated.is_some() { " ✎" } else { "" };
    format!("{}{found}{marks}{annotated}", counted(count, "pair"))
}

fn reader_title(browse: &Browse) -> String {
    let Some(loaded) = browse.reader.pair() else { return "pair".to_owned() };
    let is_elsewhere = browse.list.current() != loaded.row;
    let note = if is_elsewhere { " (not in the list)" } else { "" };
    format!("{}{note}", loaded.pair.id)
}
