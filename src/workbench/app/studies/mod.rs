//! Studies: the paper's tables, filled while their runs train.
//!
//! A worker reads the run directories once a second and sends the whole table; the pane keeps the newest and a cursor. So
//! it does not matter where runs train: on this machine, on a cluster, or in a `matchbook study` in another terminal.

mod curve;
mod detail;
mod options;
mod request;
mod snapshot;

pub use curve::{CellCurve, CurveLayout};
pub use detail::{Fact, facts};
pub use options::time_text;
pub use request::{Request, Response, Slot};
pub use snapshot::StudiesSnapshot;

use std::sync::Arc;

use strum::VariantArray;

use super::{
    App, CorpusInfo,
    action::{ActionId, Context},
    area::Area,
    cycle::cycled,
    message::{Mouse, MouseEvent},
    overlay::Choice,
    pane::{Pane, PaneId},
    pane_host::PaneHost,
    work::PaneReply,
};
use crate::{
    corpus::demo::DEMO,
    runs::curves::PlotRequest,
    study::{
        CellSource, FilledTable, Plan, PlannedRunState, Preset, Study, StudyEncoder, StudyProgress,
        StudyRequest, UncountedRun,
        job::{StudyJobState, StudyOptions},
    },
    symbols::Setting,
};

/// The state of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyPicture {
    pub plan: Plan,
    pub standing: StudyProgress,
    pub filled: FilledTable,
    /// The cell of the request, and its value by category: code, mean over seeds, number of pairs.
    pub cell: (usize, usize),
    pub categories: Vec<(String, f64, usize)>,
    /// Existing runs that do not count.
    pub others: Vec<UncountedRun>,
    /// Whether its runs are part of the program.
    pub is_built_in: bool,
    /// The process that was started for it, and the last line of its output.
    pub job: StudyJobState,
    pub last_line: Option<String>,
}

impl StudyPicture {
    /// Whether a process of this machine works on the study.
    pub fn is_running(&self) -> bool {
        matches!(self.job, StudyJobState::Running { .. })
    }

    /// The runs of a cell as indices into the plan: those that are evaluated, after the pre-training that they start from.
    pub fn runs_of(&self, (row, column): (usize, usize)) -> Vec<usize> {
        let cell = self.plan.rows.get(row).and_then(|row| row.cells.get(column));
        let Some(CellSource::Evaluations(wanted)) = cell.map(|cell| &cell.source) else { return Vec::new() };
        let own: Vec<usize> = wanted.iter().map(|each| each.run).collect();
        let mut runs: Vec<usize> = own.iter().filter_map(|run| self.plan.runs.get(*run)?.after).collect();
        runs.dedup();
        runs.extend(own);
        runs
    }
}

/// The parameters of a request.
#[derive(Clone, Debug, PartialEq)]
struct LookParameters {
    request: StudyRequest,
    cell: (usize, usize),
}

/// The state of the pane.
#[derive(Debug)]
pub struct Studies {
    area: Area,
    study: Study,
    preset: Preset,
    /// None for the default number.
    seeds: Option<u64>,
    /// Empty for those of the study.
    encoders: Vec<StudyEncoder>,
    levels: Vec<Setting>,
    /// Where a study is started.
    options: StudyOptions,
    /// The seconds that a study still takes on this machine, once they were measured.
    estimate: Option<(StudyRequest, f64)>,
    curve: Option<CellCurve>,
    curve_requested: Option<(PlotRequest, u64)>,
    row: usize,
    column: usize,
    /// Whether differences from the paper are shown instead of values.
    shows_differences: bool,
    picture: Option<Arc<StudyPicture>>,
    /// Why there is no picture.
    problem: Option<String>,
    /// The last request and its time.
    requested: Option<(LookParameters, u64)>,
    scroll: usize,
}

/// Milliseconds between two requests.
const LOOK: u64 = 1_000;
/// From this width on the facts are beside the grid.
const WIDE: u16 = 150;
/// The least and the largest width of the facts beside the grid.
const FACTS: (u16, u16) = (62, 84);
/// The width of a cell, with the sign before the value and the space after it.
pub const COLUMN: u16 = 8;
/// Longer row names are cut.
pub const LONGEST: u16 = 30;

/// The layout of Studies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StudiesLayout {
    pub form: Area,
    pub grid: Area,
    pub divider: Area,
    pub facts_header: Area,
    pub facts: Area,
    /// The chart of the cell's runs, below the facts.
    pub curve: CurveLayout,
}

impl Default for Studies {
    /// With the preset that finishes within minutes.
    fn default() -> Studies {
        Studies {
            area: Area::default(),
            study: Study::default(),
            preset: Preset::Tiny,
            seeds: None,
            encoders: Vec::new(),
            levels: Vec::new(),
            options: StudyOptions::default(),
            estimate: None,
            curve: None,
            curve_requested: None,
            row: 0,
            column: 0,
            shows_differences: false,
            picture: None,
            problem: None,
            requested: None,
            scroll: 0,
        }
    }
}

impl Studies {
    /// With the study that comes with the demo, or the first study of another corpus.
    pub fn new(corpus: &CorpusInfo) -> Studies {
        let mut studies = Studies::default();
        if corpus.name == DEMO {
            let built_in = StudyRequest::built_in();
            (studies.study, studies.preset) = (built_in.study, built_in.preset);
            (studies.seeds, studies.encoders) = (Some(built_in.seeds), built_in.encoders);
        }
        studies
    }

    pub fn area(&self) -> Area {
        self.area
    }

    pub fn study(&self) -> Study {
        self.study
    }

    pub fn preset(&self) -> Preset {
        self.preset
    }

    pub fn place(&self) -> (usize, usize) {
        (self.row, self.column)
    }

    pub fn shows_differences(&self) -> bool {
        self.shows_differences
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// The table, if it is that of the shown study.
    pub fn picture(&self) -> Option<&StudyPicture> {
        let picture = self.picture.as_deref()?;
        (picture.plan.request == self.request()).then_some(picture)
    }

    /// Why the shown study has no table.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// The names of the cell's training runs that have started.
    pub fn runs_with_curves(&self) -> Vec<String> {
        let Some(picture) = self.picture() else { return Vec::new() };
        let has_curves = |run: &usize| {
            let state = picture.standing.runs.get(*run);
            !picture.plan.runs[*run].is_pretraining()
                && !matches!(state, None | Some(PlannedRunState::Missing | PlannedRunState::Waiting))
        };
        let runs = picture.runs_of(self.place()).into_iter().filter(has_curves);
        runs.map(|run| picture.plan.runs[run].name.to_string()).collect()
    }

    /// The facts about the cell under the cursor.
    pub fn facts(&self) -> Vec<Fact> {
        self.picture().map(|picture| facts(picture, self.place())).unwrap_or_default()
    }

    pub fn layout(&self) -> StudiesLayout {
        let form_height = match self.area.height {
            0 | 1 => 0,
            2..12 => 1,
            _ => 2,
        };
        let (form, rest) = self.area.split_top(form_height);
        let has_curve = !self.runs_with_curves().is_empty();
        if rest.width >= WIDE {
            let columns = self.picture().map_or(0, |picture| picture.plan.columns.len());
            let needed = LONGEST + 2 + COLUMN.saturating_mul(u16::try_from(columns).unwrap_or(u16::MAX));
            let facts = rest.width.saturating_sub(needed).clamp(FACTS.0, FACTS.1);
            let (grid, after) = rest.split_left(rest.width - facts);
            let (divider, facts) = after.split_left(1);
            let (facts_header, facts) = facts.split_top(1);
            let (facts, curve) = curve::split(facts, has_curve);
            return StudiesLayout { form, grid, divider, facts_header, facts, curve };
        }
        // The grid takes what it needs, the facts get the rest.
        let rows = self.picture().map_or(0, |picture| picture.plan.rows.len() + groups(&picture.plan));
        let needed = u16::try_from(rows + 2).unwrap_or(u16::MAX);
        let most = if rest.height >= 12 { rest.height * 3 / 5 } else { rest.height };
        let (grid, facts) = rest.split_top(needed.max(3).min(most));
        let (facts_header, facts) = facts.split_top(u16::from(facts.height >= 2));
        let (facts, curve) = curve::split(facts, has_curve);
        StudiesLayout { form, grid, divider: Area::default(), facts_header, facts, curve }
    }

    /// The study as the command line would request it.
    pub fn request(&self) -> StudyRequest {
        let usual = StudyRequest::new(self.study, self.preset);
        StudyRequest {
            seeds: self.seeds.unwrap_or(usual.seeds),
            encoders: self.encoders.clone(),
            levels: self.levels.clone(),
            ..usual
        }
    }

    /// The seconds that the shown study still takes, if they were measured.
    pub fn estimate(&self) -> Option<f64> {
        let (request, seconds) = self.estimate.as_ref()?;
        (*request == self.request()).then_some(*seconds)
    }

    fn show(&mut self, study: Study, preset: Preset) {
        (self.study, self.preset) = (study, preset);
        (self.scroll, self.problem) = (0, None);
    }

    fn step_study(&mut self, by: isize) {
        // What the built-in study is restricted to says nothing about another study.
        if self.request() == StudyRequest::built_in() {
            (self.seeds, self.encoders) = (None, Vec::new());
        }
        self.show(cycled(Study::VARIANTS, &self.study, by), self.preset);
    }

    fn next_preset(&mut self) {
        self.show(self.study, cycled(&[Preset::Tiny, Preset::Small, Preset::Paper], &self.preset, 1));
    }

    fn move_by(&mut self, rows: isize, columns: isize) {
        self.row = self.row.saturating_add_signed(rows);
        self.column = self.column.saturating_add_signed(columns);
        self.scroll = 0;
    }

    fn look_again(&mut self, host: &mut PaneHost) {
        let wanted = LookParameters { request: self.request(), cell: self.place() };
        let is_due = match &self.requested {
            None => true,
            Some((requested, when)) => {
                *requested != wanted || host.now >= when + LOOK && !host.slots.is_waiting(Slot::Look)
            }
        };
        if is_due {
            let cell = wanted.cell;
            self.requested = Some((wanted, host.now));
            host.request(Request::Look { request: Box::new(self.request()), cell });
        }
    }

    pub(super) fn receive(&mut self, reply: PaneReply<Slot, Response>, host: &mut PaneHost) {
        if !host.slots.close(&reply) {
            return;
        }
        match reply.result {
            Ok(Response::Picture(picture)) => (self.picture, self.problem) = (picture, None),
            Ok(Response::Exported(words)) => host.notify(words),
            Ok(Response::Changed(words)) => {
                host.notify(words);
                self.requested = None;
            }
            Ok(Response::Estimated { request, seconds }) => self.estimate = Some((*request, seconds)),
            Ok(Response::Curve { runs, mut plotted }) => {
                let raster = plotted.raster.take().map(|(raster, _)| raster);
                self.curve = Some(CellCurve { plot: plotted.plot, raster, runs });
            }
            // The request is repeated every second, so the pane shows the error instead.
            Err(error) if reply.slot == Slot::Look => self.problem = Some(error),
            Err(_) if reply.slot == Slot::Curve => {}
            Err(error) => host.report_error(error),
        }
    }
}

/// The number of headings that group the rows.
pub fn groups(plan: &Plan) -> usize {
    let mut count = 0;
    let mut last = "";
    for row in &plan.rows {
        count += usize::from(row.group != last);
        last = &row.group;
    }
    count
}

impl Pane for Studies {
    fn contexts(&self) -> Vec<Context> {
        vec![Context::Studies, Context::Moving, Context::Workbench]
    }

    fn act(&mut self, action: ActionId, host: &mut PaneHost) {
        let page = isize::from(i16::try_from(self.layout().grid.height.max(2) - 1).unwrap_or(i16::MAX));
        match action {
            ActionId::NextStudy => self.step_study(1),
            ActionId::PreviousStudy => self.step_study(-1),
            ActionId::StudyPreset => self.next_preset(),
            ActionId::StudyDifferences => self.shows_differences = !self.shows_differences,
            ActionId::CellLeft => self.move_by(0, -1),
            ActionId::CellRight => self.move_by(0, 1),
            ActionId::Down => self.move_by(1, 0),
            ActionId::Up => self.move_by(-1, 0),
            ActionId::HalfDown => self.move_by(page / 2, 0),
            ActionId::HalfUp => self.move_by(-page / 2, 0),
            ActionId::PageDown => self.move_by(page, 0),
            ActionId::PageUp => self.move_by(-page, 0),
            ActionId::Top => self.row = 0,
            ActionId::Bottom => self.row = usize::MAX,
            ActionId::FactsDown => self.scroll = self.scroll.saturating_add(1),
            ActionId::FactsUp => self.scroll = self.scroll.saturating_sub(1),
            ActionId::StudySeeds => self.next_seeds(),
            ActionId::StudyEncoders => self.choose_encoders(0, host),
            ActionId::StudyLevels => self.choose_levels(0, host),
            ActionId::StudyDevice => self.next_device(),
            ActionId::StudyTarget => self.next_target(),
            ActionId::StudyEstimate => self.ask_for_estimate(host),
            ActionId::StartStudy => self.ask_to_start(host),
            ActionId::StopStudy => drop(host.request(Request::Stop { request: Box::new(self.request()) })),
            ActionId::StudyExport => {
                host.request(Request::Export { request: Box::new(self.request()) });
            }
            _ => {}
        }
    }

    fn mouse(&mut self, mouse: Mouse, _host: &mut PaneHost) {
        let parts = self.layout();
        let is_facts = parts.facts.contains(mouse.x, mouse.y);
        match mouse.event {
            MouseEvent::WheelDown if is_facts => self.scroll = self.scroll.saturating_add(3),
            MouseEvent::WheelUp if is_facts => self.scroll = self.scroll.saturating_sub(3),
            MouseEvent::WheelDown => self.move_by(1, 0),
            MouseEvent::WheelUp => self.move_by(-1, 0),
            _ => {}
        }
    }

    fn resize(&mut self, area: Area) {
        self.area = area;
    }

    fn chosen(&mut self, choice: Choice, host: &mut PaneHost) {
        match choice {
            Choice::StartStudy => self.start_study(host),
            Choice::StudyEncoder(name) => self.toggle_encoder(&name, host),
            Choice::StudyLevel(name) => self.toggle_level(&name, host),
            _ => {}
        }
    }

    fn settle(&mut self, host: &mut PaneHost) {
        // Curves shows the runs of a cell, so they must be known when enter is pressed.
        host.refresh_runs();
        if let Some(picture) = self.picture() {
            let (rows, columns) = (picture.plan.rows.len(), picture.plan.columns.len());
            self.row = self.row.min(rows.saturating_sub(1));
            self.column = self.column.min(columns.saturating_sub(1));
        }
        let most = self.facts().len().saturating_sub(usize::from(self.layout().facts.height).max(1));
        self.scroll = self.scroll.min(most);
        self.look_again(host);
        self.ask_for_curve(host);
    }
}

/// Navigation from a cell to its runs.
impl App {
    pub(in crate::workbench::app) fn show_curves_of_cell(&mut self) {
        let runs = self.studies.runs_with_curves();
        let [first, others @ ..] = &runs[..] else {
            self.host.notify("no run of this cell has started");
            return;
        };
        self.curves.show_only(first);
        others.iter().for_each(|run| self.curves.show(run));
        self.pane = PaneId::Curves;
    }
}
