//! The list beside the chart: runs, or groups of runs that are drawn as their mean.

use serde::{Deserialize, Serialize};

use super::Curves;
use crate::{
    base::numbers::counted,
    runs::{
        RunConfig,
        curves::RunGroup,
        jobs::JobRow,
        table::{Differences, GroupedRuns, RunColumn},
    },
    workbench::app::{
        chooser::{Chooser, ChooserItem},
        overlay::{Choice, Overlay},
        pane_host::PaneHost,
    },
};

/// How runs are grouped. Written as an empty text, `seeds`, or the name of a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Grouping {
    /// Every run is a curve.
    #[default]
    None,
    /// Runs that differ in their seed only.
    Seeds,
    /// Runs with the same value of a setting.
    Setting(String),
}

impl From<String> for Grouping {
    fn from(written: String) -> Grouping {
        match written.as_str() {
            "" => Grouping::None,
            "seeds" => Grouping::Seeds,
            _ => Grouping::Setting(written),
        }
    }
}

impl From<Grouping> for String {
    fn from(grouping: Grouping) -> String {
        match grouping {
            Grouping::None => String::new(),
            Grouping::Seeds => "seeds".to_owned(),
            Grouping::Setting(name) => name,
        }
    }
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListItem {
    pub label: String,
    /// One run, or those of the group.
    pub runs: Vec<String>,
}

/// Runs with names that a study made, which end in a hash.
fn is_made_by_study(name: &str) -> bool {
    name.starts_with("study-") || name.starts_with("search-")
}

impl Curves {
    /// The lines of the list, from the newest run to the oldest.
    pub(super) fn make_items(&self, host: &PaneHost) -> Vec<ListItem> {
        let names = host.runs.newest_first();
        let rows: Vec<&JobRow> = names.iter().filter_map(|name| host.runs.line(name)).collect();
        match &self.grouping {
            Grouping::None => single_items(&rows),
            Grouping::Seeds => listed(&GroupedRuns::by_seeds(&rows)),
            Grouping::Setting(name) => {
                let column = RunColumn::Setting(name.clone());
                let mut items = listed(&GroupedRuns::by(&rows, |row| row.setting(name)));
                for item in &mut items {
                    if let Some(line) = item.runs.first().and_then(|run| host.runs.line(run)) {
                        item.label = column.text(line);
                    }
                }
                items
            }
        }
    }

    /// The groups of the drawn runs; none if every run is a curve.
    pub(super) fn groups(&self) -> Vec<RunGroup> {
        if self.grouping == Grouping::None {
            return Vec::new();
        }
        let drawn = |item: &ListItem| {
            let runs: Vec<String> = item.runs.iter().filter(|run| self.is_drawn(run)).cloned().collect();
            (!runs.is_empty()).then(|| RunGroup { name: item.label.clone(), runs })
        };
        self.items.iter().filter_map(drawn).collect()
    }

    /// The name of the curve of a run: its group's, if runs are grouped.
    pub(super) fn curve_name<'a>(&'a self, run: &'a str) -> &'a str {
        match self.grouping {
            Grouping::None => run,
            _ => self.item_of(run).map_or(run, |item| &item.label),
        }
    }

    /// The line of the list that holds a run.
    pub(super) fn item_of(&self, run: &str) -> Option<&ListItem> {
        self.items.iter().find(|item| item.runs.iter().any(|member| member == run))
    }

    pub fn grouping(&self) -> &Grouping {
        &self.grouping
    }

    pub(super) fn choose_grouping(&self, host: &mut PaneHost) {
        let configs: Vec<Option<&RunConfig>> =
            host.runs.lines().iter().map(|row| row.config.as_deref()).collect();
        let item = |label: &str, detail: &str, choice: &str| ChooserItem {
            label: label.to_owned(),
            detail: detail.to_owned(),
            choice: Choice::GroupRuns(choice.to_owned()),
        };
        let mut items = vec![
            item("no groups", "a curve for every run", ""),
            item("seeds", "the mean of runs that differ only in their seed", "seeds"),
        ];
        let settings = Differences::of(&configs).settings;
        items.extend(settings.iter().filter(|(name, _)| name != "seed" && name != "corpus").map(
            |(name, values)| {
                let mut distinct = values.clone();
                distinct.sort_unstable();
                distinct.dedup();
                item(name, &counted(distinct.len(), "value"), name)
            },
        ));
        let now = String::from(self.grouping.clone());
        let place = items.iter().position(|item| item.choice == Choice::GroupRuns(now.clone()));
        host.overlays.push(Overlay::Chooser(Chooser::new("group runs by", items, place.unwrap_or_default())));
    }

    pub(super) fn group_by(&mut self, written: String) {
        self.grouping = Grouping::from(written);
        self.listed_at = None;
    }
}

/// A line for each run. Those of studies are named by what distinguishes them.
fn single_items(rows: &[&JobRow]) -> Vec<ListItem> {
    let of_studies: Vec<&&JobRow> = rows.iter().filter(|row| is_made_by_study(&row.name)).collect();
    let configs: Vec<Option<&RunConfig>> = of_studies.iter().map(|row| row.config.as_deref()).collect();
    let labels = Differences::of(&configs).labels();
    let label = |row: &JobRow| {
        let place = of_studies.iter().position(|other| other.name == row.name)?;
        labels.get(place).filter(|label| !label.is_empty()).cloned()
    };
    let item = |row: &&JobRow| ListItem {
        label: label(row).unwrap_or_else(|| row.name.clone()),
        runs: vec![row.name.clone()],
    };
    rows.iter().map(item).collect()
}

/// A line for each group.
fn listed(groups: &[GroupedRuns<'_>]) -> Vec<ListItem> {
    let item = |group: &GroupedRuns<'_>| ListItem {
        label: group.label.clone(),
        runs: group.runs.iter().map(|row| row.name.clone()).collect(),
    };
    groups.iter().map(item).collect()
}
