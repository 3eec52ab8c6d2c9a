//! The form that starts a run: the table of settings, a name, and where it is to run.

use serde::Deserialize;

use crate::{
    app::{
        desk::Desk,
        line_editor::LineEditor,
        work::{LaunchWish, PlaceWish, Question, Slot},
    },
    jobs::JobLine,
    runs::{CorpusReference, RunName},
    train::{
        Estimate, Preset, Settings,
        fields::{self, FIELDS, Field},
    },
};

/// A form being filled in.
#[derive(Debug)]
pub struct Form {
    pub(super) name: String,
    pub(super) place: PlaceWish,
    pub(super) settings: Settings,
    /// The corpus of the run that this one is like; none for the one that is open.
    pub(super) corpus: Option<CorpusReference>,
    /// What the corpus is called.
    corpus_words: String,
    /// The run that this one is like.
    pub like: Option<String>,
    pub(super) row: usize,
    offset: usize,
    pub(super) line: Option<LineEditor>,
    estimate: Option<Estimate>,
    estimated: Option<Settings>,
}

/// A row of the form.
#[derive(Clone, Copy)]
pub enum FormRow {
    Name,
    Place,
    Preset,
    Setting(&'static Field),
}

impl Form {
    /// For a new run on the open corpus, beginning with the preset that shows something soonest.
    pub fn new(corpus: &str, desk: &Desk) -> Form {
        Form {
            name: free_name("run", desk),
            place: PlaceWish::Here,
            settings: Preset::Tiny.settings(),
            corpus: None,
            corpus_words: corpus.to_owned(),
            like: None,
            row: 0,
            offset: 0,
            line: None,
            estimate: None,
            estimated: None,
        }
    }

    /// For a run like another one, to be changed.
    pub fn like(line: &JobLine, desk: &Desk) -> Result<Form, String> {
        let (settings, corpus) = settings_of(line)?;
        Ok(Form {
            name: free_name(&line.name, desk),
            settings,
            corpus_words: corpus.path.display().to_string(),
            corpus: Some(corpus),
            like: Some(line.name.clone()),
            row: 3,
            ..Form::new("", desk)
        })
    }

    pub fn rows() -> impl ExactSizeIterator<Item = FormRow> {
        let count = 3 + FIELDS.len();
        (0..count).map(|row| match row {
            0 => FormRow::Name,
            1 => FormRow::Place,
            2 => FormRow::Preset,
            row => FormRow::Setting(&FIELDS[row - 3]),
        })
    }

    pub fn row(&self) -> FormRow {
        Form::rows().nth(self.row).unwrap_or(FormRow::Name)
    }

    pub fn place(&self) -> usize {
        self.row
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn is_typing(&self) -> bool {
        self.line.is_some()
    }

    pub fn line(&self) -> Option<&LineEditor> {
        self.line.as_ref()
    }

    pub fn estimate(&self) -> Option<&Estimate> {
        self.estimate.as_ref()
    }

    pub fn corpus(&self) -> &str {
        &self.corpus_words
    }

    /// What a row says.
    pub fn value(&self, row: FormRow) -> String {
        match row {
            FormRow::Name => self.name.clone(),
            FormRow::Place => self.place.word().to_owned(),
            FormRow::Preset => {
                let preset = Preset::nearest(&self.settings);
                match fields::flags_from(preset, &self.settings).is_empty() {
                    true => preset.name().to_owned(),
                    false => format!("{} with changes", preset.name()),
                }
            }
            FormRow::Setting(field) => field.get(&self.settings),
        }
    }

    /// Whether a row differs from its preset.
    pub fn is_changed(&self, row: FormRow) -> bool {
        match row {
            FormRow::Setting(field) => {
                field.get(&self.settings) != field.get(&Preset::nearest(&self.settings).settings())
            }
            _ => false,
        }
    }

    /// What is wrong with the row as it is typed now.
    pub fn problem_of_row(&self, desk: &Desk) -> Option<String> {
        let line = self.line.as_ref()?;
        match self.row() {
            FormRow::Name => name_problem(line.text(), desk),
            FormRow::Place | FormRow::Preset => None,
            FormRow::Setting(field) => {
                let mut settings = self.settings.clone();
                match field.set(&mut settings, line.text()) {
                    Ok(()) => settings.check().err().map(|error| error.0),
                    Err(problem) => Some(problem),
                }
            }
        }
    }

    /// What keeps the run from being started.
    pub fn problem(&self, desk: &Desk) -> Option<String> {
        self.problem_of_row(desk)
            .or_else(|| name_problem(&self.name, desk))
            .or_else(|| self.settings.check().err().map(|error| error.0))
    }

    /// The command that does the same.
    pub fn command(&self) -> String {
        let more: &[&str] = match self.place {
            PlaceWish::Here => &["--detach"],
            PlaceWish::Queue => &["--queue"],
            PlaceWish::Slurm => &["--on", "slurm"],
        };
        fields::command(&self.corpus_words, &self.name, &self.settings, more)
    }

    pub(super) fn launch(&self) -> LaunchWish {
        LaunchWish {
            name: self.name.clone(),
            place: self.place,
            settings: self.settings.clone(),
            corpus: self.corpus.clone(),
            corpus_name: self.corpus_words.clone(),
        }
    }

    pub(super) fn take_estimate(&mut self, settings: &Settings, estimate: Estimate) {
        if *settings == self.settings {
            self.estimate = Some(estimate);
        }
    }

    pub(super) fn settle(&mut self, height: usize, desk: &mut Desk) {
        self.row = self.row.min(Form::rows().len() - 1);
        self.offset = self.offset.clamp((self.row + 1).saturating_sub(height), self.row);
        self.offset = self.offset.min(Form::rows().len().saturating_sub(height));
        if self.estimated.as_ref() != Some(&self.settings) {
            self.estimated = Some(self.settings.clone());
            self.estimate = None;
            if self.settings.check().is_ok() {
                desk.ask(Slot::Estimate, Question::Estimate(Box::new(self.settings.clone())));
            }
        }
    }
}

/// Settings and corpus of a run, as the trainer reads them.
fn settings_of(line: &JobLine) -> Result<(Settings, CorpusReference), String> {
    let config =
        line.config.as_ref().ok_or_else(|| format!("the settings of {} cannot be read", line.name))?;
    let settings = Settings::deserialize(config.settings.clone())
        .map_err(|error| format!("the settings of {}: {}", line.name, error.message()))?;
    Ok((Settings { seed: config.seed, ..settings }, config.corpus.clone()))
}

/// The command that would train a run again.
pub(super) fn command_of(line: &JobLine) -> Result<String, String> {
    let (settings, corpus) = settings_of(line)?;
    Ok(fields::command(&corpus.path.display().to_string(), &line.name, &settings, &[]))
}

fn name_problem(name: &str, desk: &Desk) -> Option<String> {
    match name.trim().parse::<RunName>() {
        Err(error) => Some(error.to_string()),
        Ok(_) if desk.runs.line(name.trim()).is_some() => {
            Some(format!("there is a run {} already", name.trim()))
        }
        Ok(_) => None,
    }
}

/// `run-1`, `run-2`: the first that no run has.
fn free_name(like: &str, desk: &Desk) -> String {
    let (stem, number) = match like.rsplit_once('-') {
        Some((stem, number)) if !stem.is_empty() => (stem, number.parse::<u64>().ok()),
        _ => (like, None),
    };
    let stem = if number.is_some() { stem } else { like };
    let first = number.map_or(1, |number| number.saturating_add(1));
    let mut names = (first..).map(|number| format!("{stem}-{number}"));
    names.find(|name| desk.runs.line(name).is_none()).unwrap_or_else(|| like.to_owned())
}
