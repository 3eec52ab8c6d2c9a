//! Filter, order and columns of the run table.

use super::{Request, Training, Typing};
use crate::{
    runs::table::{RunColumn, RunFilter, SavedFilters},
    workbench::app::{
        chooser::{Chooser, ChooserItem},
        overlay::{Choice, Overlay},
        pane_host::PaneHost,
        prompt::Prompt,
    },
};

impl Training {
    pub(super) fn edit_filter(&mut self) {
        self.filter_before = self.filter.clone();
        self.typing = Some(Prompt::new(self.filter.text(), Typing::Filter));
    }

    /// Applies what is typed as far as it is a filter.
    pub(super) fn filter_typed(&mut self) {
        let typed = self.typing.as_ref().filter(|prompt| prompt.purpose == Typing::Filter);
        if let Some(filter) = typed.and_then(|prompt| prompt.text().parse().ok()) {
            self.filter = filter;
        }
    }

    pub(super) fn accept_filter(&mut self, text: &str, host: &mut PaneHost) {
        let checked = text.parse::<RunFilter>().and_then(|filter| {
            filter.check(host.runs.lines()).map_err(|unknown| unknown.to_string())?;
            Ok(filter)
        });
        match checked {
            Ok(filter) => self.filter = filter,
            Err(problem) => {
                self.filter = self.filter_before.clone();
                host.report_error(problem);
            }
        }
    }

    pub(super) fn clear_filter(&mut self) {
        self.filter = RunFilter::default();
    }

    pub(super) fn save_filter(&mut self, host: &mut PaneHost) {
        match self.filter.is_empty() {
            true => host.notify("no filter is set; / sets one"),
            false => self.typing = Some(Prompt::new("", Typing::FilterName)),
        }
    }

    pub(super) fn accept_filter_name(&self, name: &str, host: &mut PaneHost) {
        if !name.trim().is_empty() {
            let filter = self.filter.text().to_owned();
            host.request(Request::SaveFilter { name: name.trim().to_owned(), filter });
        }
    }

    pub(super) fn offer_filters(saved: &SavedFilters, host: &mut PaneHost) {
        let item = |(name, text): (&String, &String)| ChooserItem {
            label: name.clone(),
            detail: text.clone(),
            choice: Choice::RunFilter(text.clone()),
        };
        let all = ChooserItem {
            label: "all runs".to_owned(),
            detail: "no filter".to_owned(),
            choice: Choice::RunFilter(String::new()),
        };
        let items = std::iter::once(all).chain(saved.filters.iter().map(item)).collect();
        host.overlays.push(Overlay::Chooser(Chooser::new("saved filters", items, 0)));
    }

    pub(super) fn choose_order(&self, host: &mut PaneHost) {
        let offered = RunColumn::offered(host.runs.lines());
        let place = offered.iter().position(|column| *column == self.order.column).unwrap_or_default();
        let item = |column: RunColumn| ChooserItem {
            label: column.to_string(),
            detail: if column.is_ascending() { "ascending" } else { "descending" }.to_owned(),
            choice: Choice::RunOrder(column.to_string()),
        };
        let items = offered.into_iter().map(item).collect();
        host.overlays.push(Overlay::Chooser(Chooser::new("sort by", items, place)));
    }

    pub(super) fn choose_columns(&self, selected: usize, host: &mut PaneHost) {
        let shown = self.columns();
        let item = |column: RunColumn| ChooserItem {
            detail: if shown.contains(&column) { "shown" } else { "" }.to_owned(),
            label: column.to_string(),
            choice: Choice::RunColumn(column.to_string()),
        };
        let usual = ChooserItem {
            label: "the default columns".to_owned(),
            detail: String::new(),
            choice: Choice::RunColumn(String::new()),
        };
        let offered = RunColumn::offered(host.runs.lines()).into_iter();
        let offered = offered.filter(|column| *column != RunColumn::Name).map(item);
        let items = std::iter::once(usual).chain(offered).collect();
        host.overlays.push(Overlay::Chooser(Chooser::new("columns", items, selected)));
    }

    /// Shows or hides a column, and offers the next one.
    pub(super) fn toggle_column(&mut self, name: &str, host: &mut PaneHost) {
        self.first_column = 0;
        if name.is_empty() {
            self.columns = None;
            return;
        }
        let Ok(column) = name.parse::<RunColumn>();
        let mut columns = self.columns();
        match columns.iter().position(|shown| *shown == column) {
            Some(place) => drop(columns.remove(place)),
            // After those that were added before, where every screen has room for it.
            None => {
                let usual = RunColumn::usual();
                let is_leading = |each: &RunColumn| *each == RunColumn::State || !usual.contains(each);
                let place = columns.iter().take_while(|each| is_leading(each)).count();
                columns.insert(place, column.clone());
            }
        }
        self.columns = Some(columns);
        let offered = RunColumn::offered(host.runs.lines());
        let place = offered.iter().filter(|each| **each != RunColumn::Name).position(|each| *each == column);
        self.choose_columns(place.map_or(0, |place| place + 1), host);
    }

    /// The shown columns after the name.
    pub fn columns(&self) -> Vec<RunColumn> {
        self.columns.clone().unwrap_or_else(RunColumn::usual)
    }
}
