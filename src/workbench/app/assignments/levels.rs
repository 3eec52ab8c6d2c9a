//! The levels view: every method at every level, and what follows from it.
//!
//! The cursor of the table is the form itself: its row is the method, its column the level. Whatever is cheap is
//! computed when the view is opened; the rest when enter or the key for all is pressed.

use super::{Assignments, Effort, MatchMethod, MatchSettings, Request, Slot, View, models::methods};
use crate::{
    corpus::split::{Part, Scheme},
    matching::{
        decoders::Decoder,
        evaluation::{LevelCell, LevelRow, LevelTable, Measure},
    },
    symbols::{Level, LevelName, Naming, Setting, Share},
    workbench::app::{
        action::ActionId,
        area::Area,
        list_cursor::{moved, offset_in_sight},
        pane_host::PaneHost,
    },
};

/// What the table covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelsQuery {
    pub part: Part,
    pub scheme: Scheme,
    pub decoder: Decoder,
    /// The methods in the order of the rows, each with a description that changes when its model does.
    pub methods: Vec<(MatchMethod, String)>,
}

impl LevelsQuery {
    /// The settings of a cell.
    pub fn settings(&self, method: &MatchMethod, level: Level) -> MatchSettings {
        let LevelsQuery { part, scheme, decoder, .. } = *self;
        MatchSettings { method: method.clone(), part, scheme, level, decoder }
    }

    /// Whether the cells of both are comparable.
    fn has_the_cells_of(&self, other: &LevelsQuery) -> bool {
        (self.part, self.scheme, self.decoder) == (other.part, other.scheme, other.decoder)
    }
}

/// The table, as far as it is computed.
#[derive(Debug, Default)]
pub struct LevelsView {
    table: LevelTable,
    asked: Option<LevelsQuery>,
    /// The number of cells checked so far and in total, while the request runs.
    progress: Option<(usize, usize)>,
    offset: usize,
    /// Something else on the screen shows the finding.
    hides_finding: bool,
}

/// Where the parts of the table are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelsLayout {
    pub header: Area,
    pub body: Area,
    /// The finding below the table.
    pub finding: Area,
    pub name_width: u16,
    pub label_width: u16,
    pub cell_width: u16,
    /// The levels in sight, by index.
    pub first_level: usize,
    pub levels: usize,
    /// The first method in sight.
    pub first_row: usize,
    /// Lines of a method: its measures, and a blank one if there is room.
    pub row_lines: u16,
}

/// A narrower table has no names of measures.
const NARROWEST_WITH_LABELS: u16 = 60;
/// The widest name of a method.
const NAME: u16 = 24;
/// The width of a number, and the minimum width of the bar after it.
const LEAST_CELL: u16 = 6;
/// Columns of a finding with two long names, when it is written on one line.
const FINDING: u16 = 190;

impl LevelsView {
    pub fn table(&self) -> &LevelTable {
        &self.table
    }

    pub fn progress(&self) -> Option<(usize, usize)> {
        self.progress
    }

    /// Receives a cell, unless the table has changed in the meantime.
    pub fn take(&mut self, settings: &MatchSettings, cell: LevelCell) {
        let LevelsQuery { part, scheme, decoder, .. } = match &self.asked {
            Some(asked) => asked,
            None => return,
        };
        if (settings.part, settings.scheme, settings.decoder) == (*part, *scheme, *decoder) {
            self.table.set(&settings.method.to_string(), Setting::from(settings.level), cell);
        }
    }

    pub fn set_progress(&mut self, progress: Option<(usize, usize)>) {
        self.progress = progress;
    }

    fn query(settings: &MatchSettings, host: &PaneHost) -> LevelsQuery {
        let MatchSettings { part, scheme, decoder, .. } = *settings;
        let mut methods = methods(host);
        if !methods.iter().any(|(method, _)| *method == settings.method) {
            methods.push((settings.method.clone(), String::new()));
        }
        LevelsQuery { part, scheme, decoder, methods }
    }

    /// Makes a table for the query; cells that are still right stay.
    fn begin(&mut self, query: &LevelsQuery) {
        let names = query.methods.iter().map(|(method, _)| method.to_string());
        let fresh = LevelTable::new(Level::ALL.map(Setting::from).to_vec(), names);
        let before = std::mem::replace(&mut self.table, fresh);
        if self.asked.as_ref().is_some_and(|asked| asked.has_the_cells_of(query)) {
            for row in before.rows {
                for (level, cell) in before.levels.iter().zip(row.cells) {
                    if let Some(cell) = cell {
                        self.table.set(&row.method, *level, cell);
                    }
                }
            }
        }
        self.asked = Some(query.clone());
    }
}

impl Assignments {
    pub fn levels(&self) -> &LevelsView {
        &self.levels
    }

    /// The row of the method that the form names.
    pub fn level_row(&self) -> Option<usize> {
        let name = self.settings.method.to_string();
        self.levels.table.rows.iter().position(|row| row.method == name)
    }

    /// The column of the level that the form names.
    pub fn level_column(&self) -> usize {
        Level::ALL.iter().position(|level| *level == self.settings.level).unwrap_or_default()
    }

    /// Requests the table when it is seen and something about it has changed.
    pub(in crate::workbench::app) fn ask_for_levels(&mut self, host: &mut PaneHost) {
        if self.levels.progress.is_some() && !host.slots.is_waiting(Slot::Levels) {
            self.levels.progress = None;
        }
        if self.view != View::Levels || !host.runs.is_known() {
            return;
        }
        let query = LevelsView::query(&self.settings, host);
        if self.levels.asked.as_ref() != Some(&query) {
            self.levels.begin(&query);
            host.request(Request::Levels { query, effort: Effort::Quick });
        }
    }

    /// Computes every cell that is missing, however long it takes.
    pub(super) fn match_all(&mut self, host: &mut PaneHost) {
        self.view = View::Levels;
        let query = LevelsView::query(&self.settings, host);
        self.levels.begin(&query);
        self.levels.progress = Some((0, query.methods.len() * Level::ALL.len()));
        host.request(Request::Levels { query, effort: Effort::Full });
    }

    /// Gives the lines of the finding to the table, or takes them back.
    pub(in crate::workbench::app) fn hide_finding(&mut self, hide: bool) {
        self.levels.hides_finding = hide;
    }

    /// Shows another view.
    pub(in crate::workbench::app) fn show_view(&mut self, view: View) {
        self.view = view;
    }

    /// Matches with a method at a level.
    pub(in crate::workbench::app) fn match_at(&mut self, method: Option<&str>, level: LevelName) {
        let method = method.map_or_else(|| self.settings.method.clone(), MatchMethod::named);
        let wanted = MatchSettings {
            method,
            level: level.with(Share::HALF, Naming::Stranger),
            ..self.settings.clone()
        };
        self.change_settings(wanted);
    }

    /// Moves from method to method.
    pub(super) fn move_in_levels(&mut self, action: ActionId) {
        let rows = self.levels.table.rows.len();
        let height = self.levels_layout().rows_in_sight();
        let from = self.level_row().unwrap_or_default();
        self.select_in_levels(moved(action, from, height, rows), self.level_column());
    }

    /// Selects a method and a level.
    pub(super) fn select_in_levels(&mut self, row: usize, column: usize) {
        let (Some(row), Some(level)) = (self.levels.table.rows.get(row), Level::ALL.get(column)) else {
            return;
        };
        let wanted =
            MatchSettings { method: MatchMethod::named(&row.method), level: *level, ..self.settings.clone() };
        self.change_settings(wanted);
    }

    pub(super) fn change_settings(&mut self, wanted: MatchSettings) {
        if wanted != self.settings {
            self.settings = wanted;
            (self.is_working, self.progress) = (false, None);
            self.drop_answer();
        }
    }

    pub(super) fn settle_levels(&mut self) {
        let layout = self.levels_layout();
        let (row, rows) = (self.level_row().unwrap_or_default(), self.levels.table.rows.len());
        self.levels.offset = offset_in_sight(self.levels.offset, row, layout.rows_in_sight(), rows);
    }

    pub fn levels_layout(&self) -> LevelsLayout {
        let table = &self.levels.table;
        let names = table.rows.iter().map(|row| row.method.chars().count());
        let notes = table.rows.iter().filter_map(contamination_note).map(|note| note.len());
        let longest = names.chain(notes).max().unwrap_or_default() as u16;
        let measures = table.measures();
        let labels = measures.iter().map(|measure| measure_name(*measure, &measures).len());
        let label = labels.max().unwrap_or_default() as u16;
        let measures = measures.len().max(1) as u16;
        let place = (self.level_column(), self.levels.offset);
        let finding = if self.levels.hides_finding { 0 } else { FINDING };
        layout(self.layout().whole, (longest, label), (measures, table.rows.len() as u16), finding, place)
    }

    /// The method and the level at a place of the screen.
    pub(super) fn level_cell_at(&self, x: u16, y: u16) -> Option<(usize, usize)> {
        let layout = self.levels_layout();
        if !layout.body.contains(x, y) {
            return None;
        }
        let row = layout.first_row + usize::from((y - layout.body.y) / layout.row_lines.max(1));
        let before = layout.body.x + layout.name_width + layout.label_width;
        let column = match x.checked_sub(before) {
            Some(beyond) => layout.first_level + usize::from(beyond / layout.cell_width.max(1)),
            None => self.level_column(),
        };
        let is_there = row < self.levels.table.rows.len() && column < layout.first_level + layout.levels;
        is_there.then_some((row, column))
    }
}

impl LevelsLayout {
    pub fn rows_in_sight(&self) -> usize {
        usize::from(self.body.height / self.row_lines.max(1)).max(1)
    }
}

/// The name of a measure; that of a mean reciprocal rank has its decoder if there are several.
pub fn measure_name(measure: Measure, measures: &[Measure]) -> String {
    let rankings = measures.iter().filter(|measure| measure.is_mrr).count();
    match measure {
        Measure { is_mrr: true, .. } if rankings == 1 => "MRR".to_owned(),
        Measure { is_mrr: true, decoder } => format!("MRR {}", decoder.name()),
        Measure { decoder, .. } => decoder.name().to_owned(),
    }
}

/// What is said below a method whose model was trained on pairs that it matches.
pub fn contamination_note(row: &LevelRow) -> Option<String> {
    (row.trained_on() > 0).then(|| format!("trained on {}/{}", row.trained_on(), row.pairs()))
}

fn layout(
    area: Area,
    (longest, label): (u16, u16),
    (measures, rows): (u16, u16),
    finding: u16,
    (level, first_row): (usize, usize),
) -> LevelsLayout {
    let (header, rest) = area.split_top(u16::from(area.height >= 3));
    let needed = rows * measures;
    // The sentence is never cut; what is left over below the table is for the remark after it.
    let sentence = finding.div_ceil(area.width.saturating_sub(2).max(1)).min(5);
    let note = match rest.height {
        0..8 => 0,
        _ if finding == 0 => 0,
        height => height.saturating_sub(needed).clamp(sentence, sentence + 1),
    };
    let (body, finding) = rest.split_top(rest.height - note);
    // A blank line separates methods, if all of them fit with it, and the finding from the table.
    let row_lines = if body.height >= rows * (measures + 1) { measures + 1 } else { measures };
    let taken = (rows * row_lines + u16::from(row_lines == measures)).min(body.height);
    let (body, below) = body.split_top(taken);
    let finding = Area { y: finding.y - below.height, ..finding };
    let name_width = (longest + 2).min(NAME).min(area.width / 3);
    let label_width = if area.width >= NARROWEST_WITH_LABELS { label.max(6) + 1 } else { 0 };
    let room = area.width.saturating_sub(name_width + label_width);
    let levels = usize::from(room / LEAST_CELL).clamp(1, Level::ALL.len());
    let first_level = (level + 1).saturating_sub(levels);
    let cell_width = (room / levels as u16).min(36);
    let (levels, row_lines) = (levels, row_lines.min(body.height).max(1));
    LevelsLayout {
        header,
        body,
        finding,
        name_width,
        label_width,
        cell_width,
        first_level,
        levels,
        first_row,
        row_lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_inside_at_any_size_and_the_chosen_level_is_in_sight() {
        for (width, height) in
            (0..200).step_by(7).flat_map(|width| (0..50).map(move |height| (width, height)))
        {
            let area = Area::new(0, 3, width, height);
            for level in 0..Level::ALL.len() {
                let parts = layout(area, (17, 12), (3, 4), FINDING, (level, 0));
                for part in [parts.header, parts.body, parts.finding] {
                    assert!(
                        part.is_empty() || part.right() <= area.right() && part.bottom() <= area.bottom()
                    );
                }
                assert!((parts.first_level..parts.first_level + parts.levels).contains(&level));
            }
        }
    }
}
