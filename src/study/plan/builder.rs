//! Builds the grids.

use std::collections::HashMap;

use super::{
    CellMeasure, CellSource, Plan, PlanCell, PlanColumn, PlanError, PlanRow, PlannedEvaluation, PlannedRun,
    planned::PlannedWork,
};
use crate::{
    base::workspace::{Folder, Workspace},
    corpus::CorpusReference,
    corpus::split::Part,
    model::Pooling,
    runs::{RunError, RunName, layout},
    study::{
        Study, StudyEncoder, StudyRequest,
        name::{pretraining_name, run_name},
        paper,
    },
    symbols::Setting,
    train::{ShapeSettings, TrainSettings, bert, pretrain::PretrainSettings},
};

/// A plan under construction.
pub(in crate::study) struct Builder<'a> {
    pub request: &'a StudyRequest,
    workspace: &'a Workspace,
    /// The corpus of the runs that are added.
    pub corpus: CorpusReference,
    pub corner: &'static str,
    pub columns: Vec<PlanColumn>,
    pub rows: Vec<PlanRow>,
    pub notes: Vec<String>,
    runs: Vec<PlannedRun>,
    places: HashMap<String, usize>,
    /// The sizes of the user's MathBERT, once they were read.
    mathbert: Option<Result<ShapeSettings, String>>,
    problem: Option<RunError>,
}

/// The runs of one configuration, one for each seed, or why there are none.
pub(in crate::study) type Runs = Result<Vec<usize>, String>;

impl<'a> Builder<'a> {
    pub fn new(request: &'a StudyRequest, corpus: CorpusReference, workspace: &'a Workspace) -> Builder<'a> {
        Builder {
            request,
            workspace,
            corpus,
            corner: "",
            columns: Vec::new(),
            rows: Vec::new(),
            notes: Vec::new(),
            runs: Vec::new(),
            places: HashMap::new(),
            mathbert: None,
            problem: None,
        }
    }

    /// The runs of an encoder with its preset's settings, changed.
    pub fn runs(&mut self, encoder: StudyEncoder, change: impl Fn(&mut TrainSettings)) -> Runs {
        let mut settings = self.request.settings(encoder);
        change(&mut settings);
        let is_pretrained = matches!(encoder, StudyEncoder::ScratchBert | StudyEncoder::MathBert);
        if is_pretrained && !settings.symbols.is_literal() {
            return Err(format!(
                "{} was pre-trained on literal symbol names and cannot use others",
                encoder.title()
            ));
        }
        let after = match encoder {
            StudyEncoder::Npt | StudyEncoder::Windows => None,
            StudyEncoder::ScratchBert => self.begin_with_pretraining(&mut settings),
            StudyEncoder::MathBert => {
                settings.init = self.request.mathbert.clone();
                settings.shape = self.mathbert()?;
                None
            }
        };
        settings.check().map_err(|error| error.to_string())?;
        let seeds = 1..=self.request.seeds;
        Ok(seeds.map(|seed| self.run(TrainSettings { seed, ..settings.clone() }, after)).collect())
    }

    /// Plans the pre-training of a ScratchBERT, one for each corpus and split, as the paper does: it reads texts as they
    /// are, so levels, inputs and seeds share it.
    fn begin_with_pretraining(&mut self, settings: &mut TrainSettings) -> Option<usize> {
        let TrainSettings { split, split_seed, .. } = *settings;
        let pretraining = PretrainSettings { split, split_seed, ..self.request.pretraining() };
        let name = self.known(pretraining_name(&pretraining, &self.corpus.fingerprint))?;
        settings.shape = bert::shape_after(&pretraining, Pooling::Cls, bert::LONGEST);
        // where the run will save its best model
        let best = self
            .workspace
            .folder(Folder::Runs)
            .join(name.as_str())
            .join(layout::CHECKPOINTS)
            .join(layout::BEST);
        settings.init = Some(std::path::absolute(&best).unwrap_or(best));
        Some(self.add(name, PlannedWork::Pretrain(Box::new(pretraining)), None))
    }

    /// The sizes of the MathBERT that the user has, or why there are none.
    fn mathbert(&mut self) -> Result<ShapeSettings, String> {
        let Some(folder) = &self.request.mathbert else {
            return Err(
                "MathBERT does not come with matchbook; give its folder with --mathbert DIR".to_owned()
            );
        };
        let look = || bert::read_shape(folder, Pooling::Cls, bert::LONGEST, None);
        let found = self.mathbert.get_or_insert_with(|| look().map_err(|error| error.to_string()));
        found.clone()
    }

    fn run(&mut self, settings: TrainSettings, after: Option<usize>) -> usize {
        let before = after.and_then(|place| self.runs.get(place)).map(|run| &run.name);
        let name = run_name(&settings, &self.corpus.fingerprint, before);
        match self.known(name) {
            Some(name) => self.add(name, PlannedWork::Train(Box::new(settings)), after),
            None => 0,
        }
    }

    /// A name; an error is kept for the end.
    fn known(&mut self, name: Result<RunName, RunError>) -> Option<RunName> {
        name.map_err(|error| self.problem = Some(error)).ok()
    }

    fn add(&mut self, name: RunName, work: PlannedWork, after: Option<usize>) -> usize {
        if let Some(&place) = self.places.get(name.as_str()) {
            return place;
        }
        let place = self.runs.len();
        self.places.insert(name.to_string(), place);
        self.runs.push(PlannedRun { name, work, corpus: self.corpus.clone(), after });
        place
    }

    /// A cell of the evaluation of some runs at a level.
    pub fn cell(
        &self,
        runs: &Runs,
        measure: CellMeasure,
        level: Setting,
        part: Part,
        paper: Option<f64>,
    ) -> PlanCell {
        let source = match runs {
            Ok(runs) => CellSource::Evaluations(
                runs.iter().map(|&run| PlannedEvaluation { run, level, part }).collect(),
            ),
            Err(why) => CellSource::Missing(why.clone()),
        };
        PlanCell { measure, source, paper }
    }

    /// Mean reciprocal rank and accuracy under local decoding on the test part.
    pub fn both_measures(&self, runs: &Runs, level: Setting, paper: (Study, &str)) -> [PlanCell; 2] {
        [CellMeasure::Mrr, CellMeasure::Local].map(|measure| {
            let beside = paper::number(paper.0, paper.1, &level.to_string(), measure);
            self.cell(runs, measure, level, Part::Test, beside)
        })
    }

    /// Two columns for each level.
    pub fn level_columns(&mut self, levels: &[Setting]) {
        for level in levels {
            for measure in [CellMeasure::Mrr, CellMeasure::Local] {
                self.columns.push(PlanColumn { group: level_title(*level), measure: measure.short() });
            }
        }
    }

    pub fn finish(self) -> Result<Plan, PlanError> {
        if let Some(problem) = self.problem {
            return Err(problem.into());
        }
        let Builder { request, corner, columns, rows, runs, mut notes, .. } = self;
        if runs.iter().any(PlannedRun::is_pretraining) {
            notes.push(
                "ScratchBERT is pre-trained once for each corpus and split, on the unchanged texts of the training part; all levels, inputs and seeds share it."
                    .to_owned(),
            );
        }
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
