//! What the grids are built with.

use std::collections::HashMap;

use super::{Cell, Column, Measure, Plan, PlanError, PlannedRun, Row, Source, Wanted};
use crate::{
    corpus::split::Part,
    runs::{CorpusReference, RunError},
    study::{Study, StudyEncoder, StudyRequest, name::run_name, paper},
    symbols::Setting,
    train::Settings,
};

/// A plan in the making.
pub(in crate::study) struct Builder<'a> {
    pub request: &'a StudyRequest,
    /// The corpus of the runs that are added.
    pub corpus: CorpusReference,
    pub corner: &'static str,
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    pub notes: Vec<String>,
    runs: Vec<PlannedRun>,
    places: HashMap<String, usize>,
    problem: Option<RunError>,
}

/// The runs of one configuration, one for each seed, or why there are none.
pub(in crate::study) type Runs = Result<Vec<usize>, String>;

impl<'a> Builder<'a> {
    pub fn new(request: &'a StudyRequest, corpus: CorpusReference) -> Builder<'a> {
        Builder {
            request,
            corpus,
            corner: "",
            columns: Vec::new(),
            rows: Vec::new(),
            notes: Vec::new(),
            runs: Vec::new(),
            places: HashMap::new(),
            problem: None,
        }
    }

    /// The runs of an encoder with its preset's settings, changed.
    pub fn runs(&mut self, encoder: StudyEncoder, change: impl Fn(&mut Settings)) -> Runs {
        let mut settings = self.request.settings(encoder)?;
        change(&mut settings);
        settings.check().map_err(|error| error.to_string())?;
        Ok((1..=self.request.seeds).map(|seed| self.run(Settings { seed, ..settings.clone() })).collect())
    }

    fn run(&mut self, settings: Settings) -> usize {
        let name = match run_name(&settings, &self.corpus.fingerprint) {
            Ok(name) => name,
            Err(error) => {
                self.problem = Some(error);
                return 0;
            }
        };
        if let Some(&place) = self.places.get(name.as_str()) {
            return place;
        }
        let place = self.runs.len();
        self.places.insert(name.to_string(), place);
        self.runs.push(PlannedRun { name, settings, corpus: self.corpus.clone() });
        place
    }

    /// A cell of the evaluation of some runs at a level.
    pub fn cell(
        &self,
        runs: &Runs,
        measure: Measure,
        level: Setting,
        part: Part,
        paper: Option<f64>,
    ) -> Cell {
        let source = match runs {
            Ok(runs) => Source::Evaluations(runs.iter().map(|&run| Wanted { run, level, part }).collect()),
            Err(why) => Source::Missing(why.clone()),
        };
        Cell { measure, source, paper }
    }

    /// Mean reciprocal rank and accuracy under local decoding on the test part.
    pub fn both_measures(&self, runs: &Runs, level: Setting, paper: (Study, &str)) -> [Cell; 2] {
        [Measure::Mrr, Measure::Local].map(|measure| {
            let beside = paper::number(paper.0, paper.1, &level.to_string(), measure);
            self.cell(runs, measure, level, Part::Test, beside)
        })
    }

    /// Two columns for each level.
    pub fn level_columns(&mut self, levels: &[Setting]) {
        for level in levels {
            for measure in [Measure::Mrr, Measure::Local] {
                self.columns.push(Column { group: level_title(*level), measure: measure.short() });
            }
        }
    }

    pub fn finish(self) -> Result<Plan, PlanError> {
        if let Some(problem) = self.problem {
            return Err(problem.into());
        }
        let Builder { request, corner, columns, rows, runs, notes, .. } = self;
        Ok(Plan { request: request.clone(), corner, columns, rows, runs, notes })
    }
}

/// `Partial+P`
pub(in crate::study) fn level_title(level: Setting) -> String {
    let written = Setting { protect: false, ..level }.to_string();
    let mut letters = written.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}{}", letters.as_str(), if level.protect { "+P" } else { "" })
}
