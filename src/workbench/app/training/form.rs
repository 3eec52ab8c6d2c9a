//! The form that starts a run: its name, where it runs, and tables of settings.

use std::path::PathBuf;

use super::{
    Draft, FileContents, LaunchRequest, Machine, Planned, Request, TargetKind,
    form_sections::{Section, folded_at_first},
};
use crate::{
    base::{
        fields::{FieldInfo, FieldKind, Fields, flags},
        numbers::{bytes, counted},
        shell,
    },
    corpus::CorpusReference,
    model::ComputeDevice,
    runs::devices::{FoundDevice, chosen},
    runs::jobs::{JobRow, RunOptions, SlurmOptions},
    runs::{RunName, layout},
    symbols::protected::ProtectedLists,
    train::{
        Estimate,
        device::{Device, DeviceError},
    },
    workbench::app::{line_editor::LineEditor, list_cursor::offset_in_sight, pane_host::PaneHost},
};

/// A form being edited.
#[derive(Debug, Default)]
pub struct Form {
    pub(super) name: String,
    pub(super) place: TargetKind,
    pub(super) draft: Draft,
    pub(super) options: RunOptions,
    pub(super) slurm: SlurmOptions,
    /// A file of protected symbols.
    pub(super) protected: String,
    /// The corpus of the run that was duplicated; none for the open corpus.
    corpus: Option<CorpusReference>,
    /// The corpus as the user would write it on the command line.
    corpus_name: String,
    like: Option<Like>,
    /// The sections whose settings are hidden.
    pub(super) folded: Vec<Section>,
    pub(super) row: usize,
    offset: usize,
    /// The input of the row: of a number or a choice once it is typed, of a text as soon as it has the focus.
    pub(super) line: Option<LineEditor>,
    /// The values of [`FIRST_ROWS`] when the form was opened.
    begun_with: [String; 4],
    estimate: Option<Estimate>,
    estimated: Option<Planned>,
    /// What the run could compute on; none before it is known.
    machine: Option<Machine>,
    /// Whether the estimate has arrived; there may be none.
    is_estimated: bool,
    /// The files that were last requested, and their contents.
    requested: Files,
    contents: Option<FileContents>,
}

/// The run that was duplicated.
#[derive(Debug)]
struct Like {
    name: String,
    config: PathBuf,
    draft: Draft,
}

/// Files that settings are read from, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// The initial weights of a BERT.
    pub init: String,
    pub protected: String,
}

/// A row of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormRow {
    /// The name of a section.
    Section(Section),
    Name,
    Work,
    Place,
    /// A row of the Slurm options.
    Slurm(usize),
    Preset,
    /// A row of the training settings.
    Setting(usize),
    /// A file of protected symbols.
    Protected,
    /// A row of the run options.
    Option(usize),
}

/// Rows that no preset has a value for.
const FIRST_ROWS: [FormRow; 4] = [FormRow::Name, FormRow::Work, FormRow::Place, FormRow::Preset];

const NAME: FieldInfo =
    FieldInfo { flag: "name", help: "Name of the run and of its folder", kind: FieldKind::Text("NAME") };
const WORK: FieldInfo = FieldInfo {
    flag: "task",
    help: "Train a matching model, or pre-train a BERT",
    kind: FieldKind::Choice(&["train", "pretrain"]),
};
const PLACE: FieldInfo = FieldInfo {
    flag: "where",
    help: "Start now, when the device is free, or on a cluster",
    kind: FieldKind::Choice(&["here, now", "here, in the queue", "on Slurm"]),
};
const PRESET: FieldInfo = FieldInfo {
    flag: "preset",
    help: "Preset of sizes and hyperparameters",
    kind: FieldKind::Choice(&["first", "next", "last"]),
};
const PROTECTED: FieldInfo = FieldInfo {
    flag: "protected",
    help: "File with additional protected symbols by category; the run keeps a copy",
    kind: FieldKind::Text("FILE"),
};

impl Form {
    /// For a new run on the open corpus, which has this number of pairs.
    pub fn new(corpus: &str, pairs: u32, host: &PaneHost) -> Form {
        let mut form = Form {
            name: free_name("run", host),
            corpus_name: corpus.to_owned(),
            draft: Draft::fitting(pairs),
            folded: folded_at_first(),
            ..Form::default()
        };
        form.begin_at(|row| *row == FormRow::Preset);
        form
    }

    /// Remembers the values that leaving the form would not lose, and focuses a row.
    fn begin_at(&mut self, is_first: impl Fn(&FormRow) -> bool) {
        self.begun_with = FIRST_ROWS.map(|row| self.value(row));
        self.row = self.rows().iter().position(is_first).unwrap_or_default();
    }

    /// For a duplicate of another run.
    pub fn like(line: &JobRow, host: &PaneHost) -> Result<Form, String> {
        let (draft, corpus) = Draft::of(line)?;
        let mut form = Form {
            name: free_name(&line.name, host),
            corpus_name: corpus.path.display().to_string(),
            corpus: Some(corpus),
            like: Some(Like {
                name: line.name.clone(),
                config: line.path.join(layout::CONFIG),
                draft: draft.clone(),
            }),
            options: line.options.clone(),
            draft,
            folded: folded_at_first(),
            ..Form::default()
        };
        form.begin_at(|row| matches!(row, FormRow::Setting(_)));
        Ok(form)
    }

    /// The settings that are relevant with the other values as they are, folded or not.
    pub(super) fn all_rows(&self) -> Vec<FormRow> {
        let mut rows = vec![FormRow::Name, FormRow::Work, FormRow::Place];
        if self.place == TargetKind::Slurm {
            rows.extend((0..SlurmOptions::FIELDS.len()).map(FormRow::Slurm));
        }
        rows.push(FormRow::Preset);
        let keeps_symbols = self.draft.training().is_some_and(|settings| settings.level.protect);
        for row in self.draft.rows() {
            rows.push(FormRow::Setting(row));
            if keeps_symbols && self.draft.about(row).flag == "level" {
                rows.push(FormRow::Protected);
            }
        }
        rows.extend((0..RunOptions::FIELDS.len()).map(FormRow::Option));
        rows
    }

    pub fn row(&self) -> FormRow {
        self.rows().get(self.row).copied().unwrap_or(FormRow::Name)
    }

    pub fn about(&self, row: FormRow) -> FieldInfo {
        match row {
            FormRow::Section(section) => FieldInfo {
                flag: section.name(),
                help: section.help(),
                kind: FieldKind::Choice(&["open", "folded"]),
            },
            FormRow::Name => NAME,
            FormRow::Work => WORK,
            FormRow::Place => PLACE,
            FormRow::Preset => PRESET,
            FormRow::Protected => PROTECTED,
            FormRow::Setting(row) => self.draft.about(row),
            FormRow::Slurm(row) => SlurmOptions::FIELDS[row].info(),
            FormRow::Option(row) => RunOptions::FIELDS[row].info(),
        }
    }

    /// The help of a row, or what was found in its file.
    pub fn help(&self, row: FormRow) -> String {
        let about = self.about(row);
        match (row, self.draft.training()) {
            (FormRow::Setting(_), Some(settings))
                if about.flag == "init" && settings.shape.bert.is_some() =>
            {
                let shape = &settings.shape;
                let [layers, heads] = [(shape.layers, "layer"), (shape.heads, "head")]
                    .map(|(count, noun)| counted(count as u64, noun));
                format!("{layers} of width {}, {heads}", shape.width)
            }
            (FormRow::Option(_), _) if about.flag == "device" => match self.device_list() {
                Some(list) => format!("auto, cpu, or {list}"),
                None => about.help.to_owned(),
            },
            _ => about.help.to_owned(),
        }
    }

    /// `cuda:0 NVIDIA A100, 80 GB` for each GPU of this machine, if it has any; none on a cluster, whose GPUs are its own.
    fn device_list(&self) -> Option<String> {
        let machine = self.machine.as_ref().filter(|_| self.place != TargetKind::Slurm)?;
        let described = |found: &FoundDevice| {
            let memory = found.info.memory.map(|memory| format!(", {}", bytes(memory)));
            format!("{} {}{}", found.device, found.info.model, memory.unwrap_or_default())
        };
        let list: Vec<String> = machine.gpus.iter().map(described).collect();
        (!list.is_empty()).then(|| list.join("; "))
    }

    /// The devices to choose from: those of this machine, or every kind where that is not known.
    pub(super) fn device_choices(&self) -> Vec<String> {
        let gpus = match &self.machine {
            Some(machine) if self.place != TargetKind::Slurm => &machine.gpus[..],
            _ => &[],
        };
        if gpus.is_empty() {
            return Device::CHOICES.map(str::to_owned).to_vec();
        }
        let mut choices: Vec<String> = ["auto", "cpu"].map(str::to_owned).to_vec();
        choices.extend(gpus.iter().map(|found| found.device.to_string()));
        if gpus.len() > 1 && gpus.iter().all(|found| matches!(found.device, ComputeDevice::Cuda(_))) {
            choices.push(ComputeDevice::Cuda((0..gpus.len()).collect()).to_string());
        }
        choices
    }

    /// Whether this machine has GPUs.
    pub fn has_gpus(&self) -> bool {
        self.machine.as_ref().is_some_and(|machine| !machine.gpus.is_empty())
    }

    /// The GPU that the run would compute on, or the first of several.
    pub fn gpu(&self) -> Option<&FoundDevice> {
        let machine = self.machine.as_ref().filter(|_| self.place != TargetKind::Slurm)?;
        let device = Device::named(&self.options.device).ok()?;
        chosen(&machine.gpus, &device).map(|(found, _)| found)
    }

    /// What will happen if the batch does not fit into the memory of the GPU.
    pub fn memory_warning(&self) -> Option<String> {
        let (gpu, estimate) = (self.gpu()?, self.estimate.as_ref()?);
        let memory = gpu.info.memory.filter(|memory| estimate.bytes > *memory)?;
        Some(format!(
            "too large for the {} of {}, so fewer documents are processed at a time; consider setting chunk, batch or precision",
            bytes(memory),
            gpu.device
        ))
    }

    /// The value of a row.
    pub fn value(&self, row: FormRow) -> String {
        match row {
            FormRow::Section(section) => match self.changes_in(section) {
                0 => String::new(),
                changed => format!("{changed} changed"),
            },
            FormRow::Name => self.name.clone(),
            FormRow::Work => self.draft.work().name().to_owned(),
            FormRow::Place => self.place.to_string(),
            FormRow::Preset => self.draft.preset(),
            FormRow::Protected => self.protected.clone(),
            FormRow::Setting(row) => self.draft.get(row),
            FormRow::Slurm(row) => SlurmOptions::FIELDS[row].get(&self.slurm),
            FormRow::Option(row) => RunOptions::FIELDS[row].get(&self.options),
        }
    }

    /// Sets the value of a row of a table, or returns what is wrong with it.
    pub(super) fn set(&mut self, row: FormRow, text: &str) -> Result<(), String> {
        match row {
            FormRow::Setting(row) => self.draft.set(row, text),
            FormRow::Slurm(row) => SlurmOptions::FIELDS[row].set(&mut self.slurm, text),
            FormRow::Option(row) => RunOptions::FIELDS[row].set(&mut self.options, text),
            FormRow::Protected => {
                text.trim().clone_into(&mut self.protected);
                Ok(())
            }
            FormRow::Name => {
                text.trim().clone_into(&mut self.name);
                Ok(())
            }
            FormRow::Section(_) | FormRow::Work | FormRow::Place | FormRow::Preset => Ok(()),
        }
    }

    /// Whether a row differs from its preset.
    pub fn is_changed(&self, row: FormRow) -> bool {
        match row {
            FormRow::Setting(row) => self.draft.is_changed(row),
            FormRow::Option(row) => {
                RunOptions::FIELDS[row].get(&self.options)
                    != RunOptions::FIELDS[row].get(&RunOptions::default())
            }
            FormRow::Slurm(_) | FormRow::Protected => !self.value(row).is_empty(),
            _ => false,
        }
    }

    /// Whether leaving the form would lose something that was set in it.
    pub fn has_changes(&self) -> bool {
        let is_changed = |row: FormRow| match (row, &self.like) {
            (FormRow::Setting(row), Some(like)) if like.draft.work() == self.draft.work() => {
                self.draft.get(row) != like.draft.get(row)
            }
            _ => self.is_changed(row),
        };
        FIRST_ROWS.map(|row| self.value(row)) != self.begun_with
            || self.all_rows().into_iter().any(is_changed)
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
        &self.corpus_name
    }

    /// The run that was duplicated.
    pub fn model(&self) -> Option<&str> {
        self.like.as_ref().map(|like| like.name.as_str())
    }

    /// What is wrong with the current input of the row.
    pub fn problem_of_row(&self, host: &PaneHost) -> Option<String> {
        let text = self.line.as_ref()?.text();
        match self.row() {
            FormRow::Name => name_problem(text, host),
            FormRow::Setting(row) => {
                let mut draft = self.draft.clone();
                draft.set(row, text).err().or_else(|| draft.problem())
            }
            FormRow::Slurm(row) => {
                let mut slurm = self.slurm.clone();
                SlurmOptions::FIELDS[row].set(&mut slurm, text).err().or_else(|| slurm_problem(&slurm))
            }
            FormRow::Option(row) => RunOptions::FIELDS[row].set(&mut self.options.clone(), text).err(),
            FormRow::Section(_) | FormRow::Work | FormRow::Place | FormRow::Preset | FormRow::Protected => {
                None
            }
        }
    }

    /// Why the run cannot be started.
    pub fn problem(&self, host: &PaneHost) -> Option<String> {
        let device = || {
            let error = Device::named(&self.options.device).and_then(|device| device.check()).err()?;
            let supported = self.machine.as_ref().map_or(&[][..], |machine| &machine.supported);
            let has_program = matches!(error, DeviceError::NotBuilt(kind) if supported.contains(&kind));
            (!has_program).then(|| error.to_string())
        };
        let slurm = || (self.place == TargetKind::Slurm).then(|| slurm_problem(&self.slurm)).flatten();
        self.problem_of_row(host)
            .or_else(|| name_problem(&self.name, host))
            .or_else(|| self.draft.problem())
            .or_else(device)
            .or_else(slurm)
            .or_else(|| self.problem_of_files())
    }

    fn problem_of_files(&self) -> Option<String> {
        let files = self.files();
        if files == Files::default() {
            return None;
        }
        match self.contents.as_ref().filter(|contents| contents.files == files) {
            None => {
                Some(format!("reading {}", if files.init.is_empty() { files.protected } else { files.init }))
            }
            Some(contents) => {
                let beginning = contents.beginning.as_ref().and_then(|found| found.as_ref().err());
                let protected = contents.protected.as_ref().and_then(|found| found.as_ref().err());
                beginning.or(protected).cloned()
            }
        }
    }

    /// The files that have to be read. A duplicate has their contents already.
    fn files(&self) -> Files {
        let Some(settings) = self.draft.training() else { return Files::default() };
        let init = settings.init.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let of_like = self.like.as_ref().and_then(|like| like.draft.training()?.init.clone());
        let is_known = !settings.encoder.is_bert() || (settings.init == of_like && !settings.is_unseen());
        let protected = if settings.level.protect { self.protected.clone() } else { String::new() };
        Files { init: if is_known { String::new() } else { init }, protected }
    }

    /// Receives the contents of the requested files.
    pub(super) fn take_files(&mut self, contents: FileContents) {
        if contents.files != self.requested {
            return;
        }
        if let Some(settings) = self.draft.training_mut() {
            if let Some(Ok(beginning)) = contents.beginning.as_ref().filter(|_| settings.is_unseen()) {
                settings.begin_with(beginning.shape.clone());
            }
            if let Some(Ok(lists)) = &contents.protected {
                settings.protected.clone_from(lists);
            }
        }
        self.contents = Some(contents);
    }

    /// The equivalent command.
    pub fn command(&self) -> String {
        let mut more = Vec::new();
        if self.draft.training().is_some_and(|settings| settings.level.protect) && !self.protected.is_empty()
        {
            more.extend(["--protected".to_owned(), self.protected.clone()]);
        }
        more.extend(flags(&RunOptions::default(), &self.options));
        match self.place {
            TargetKind::Here => more.push("--detach".to_owned()),
            TargetKind::Queue => more.push("--queue".to_owned()),
            TargetKind::Slurm => {
                more.extend(["--on".to_owned(), "slurm".to_owned()]);
                more.extend(flags(&SlurmOptions::default(), &self.slurm));
            }
        }
        // The protected symbols of a duplicated run are only in its `run.toml`.
        let kept = self.draft.training().is_some_and(|settings| !settings.protected.is_empty());
        let like = self.like.as_ref().filter(|_| kept && self.protected.is_empty());
        if let Some((like, changes)) = like.and_then(|like| Some((like, self.draft.flags_from(&like.draft)?)))
        {
            let config = like.config.display().to_string();
            let head = ["matchbook", self.draft.work().name(), "--config", &config, "--run", &self.name];
            let words = head.into_iter().map(str::to_owned).chain(changes).chain(more);
            return shell::join(words);
        }
        self.draft.command(&self.corpus_name, &self.name, &more)
    }

    pub(super) fn launch(&self) -> LaunchRequest {
        let mut draft = self.draft.clone();
        if let (Some(settings), Some(contents)) = (draft.training_mut(), &self.contents)
            && let Some(Ok(beginning)) =
                contents.beginning.as_ref().filter(|_| contents.files == self.files())
        {
            // An absolute path, which is valid in every directory.
            settings.init = Some(beginning.folder.clone());
        }
        LaunchRequest {
            name: self.name.clone(),
            target: self.place,
            draft,
            options: self.options.clone(),
            slurm: self.slurm.clone(),
            corpus: self.corpus.clone(),
            corpus_name: self.corpus_name.clone(),
        }
    }

    pub(super) fn take_estimate(&mut self, plan: &Planned, estimate: Option<Estimate>, machine: Machine) {
        self.machine = Some(machine);
        if self.estimated.as_ref() == Some(plan) {
            self.estimate = estimate;
            self.is_estimated = true;
        }
    }

    /// Whether the estimate has arrived.
    pub fn is_estimated(&self) -> bool {
        self.is_estimated
    }

    pub(super) fn settle(&mut self, height: usize, host: &mut PaneHost) {
        let count = self.rows().len();
        self.row = self.row.min(count - 1);
        if self.line.is_none() && self.is_text() {
            self.line = Some(LineEditor::selected(&self.value(self.row())));
        }
        self.offset = offset_in_sight(self.offset, self.row, height, count);
        self.ask_for_files(host);
        let device = (self.place != TargetKind::Slurm).then(|| self.options.device.clone());
        let plan = Planned { load: self.draft.load(), split: self.draft.split(), device };
        if self.estimated.as_ref() != Some(&plan) {
            (self.estimate, self.is_estimated) = (None, false);
            let is_unseen = self.draft.training().is_some_and(crate::train::TrainSettings::is_unseen);
            self.estimated = (!is_unseen && self.draft.problem().is_none()).then(|| plan.clone());
            if self.estimated.is_some() {
                let corpus = self.corpus.as_ref().map(|corpus| corpus.fingerprint.clone());
                host.request(Request::Estimate { plan: Box::new(plan), corpus });
            }
        }
    }

    fn ask_for_files(&mut self, host: &mut PaneHost) {
        let files = self.files();
        if files == self.requested {
            return;
        }
        self.requested = files.clone();
        if files.protected.is_empty()
            && let Some(settings) = self.draft.training_mut()
        {
            let of_like = self.like.as_ref().and_then(|like| like.draft.training());
            settings.protected = of_like.map_or_else(ProtectedLists::new, |like| like.protected.clone());
        }
        if files != Files::default() {
            host.request(Request::Files(files));
        }
    }
}

/// The command that repeats a run.
pub(super) fn command_of(line: &JobRow) -> Result<String, String> {
    let (draft, corpus) = Draft::of(line)?;
    if draft.training().is_some_and(|settings| !settings.protected.is_empty()) {
        let config = line.path.join(layout::CONFIG).display().to_string();
        return Ok(format!(
            "matchbook train --config {} --run {}",
            shell::quote(&config),
            shell::quote(&line.name)
        ));
    }
    Ok(draft.command(&corpus.path.display().to_string(), &line.name, &line.options.flags()))
}

fn slurm_problem(options: &SlurmOptions) -> Option<String> {
    options.check().err().map(|error| error.to_string())
}

fn name_problem(name: &str, host: &PaneHost) -> Option<String> {
    match name.trim().parse::<RunName>() {
        Err(error) => Some(error.to_string()),
        Ok(_) if host.runs.line(name.trim()).is_some() => {
            Some(format!("the run {} already exists; choose another name", name.trim()))
        }
        Ok(_) => None,
    }
}

/// The first free name of the series `run-1`, `run-2`.
fn free_name(like: &str, host: &PaneHost) -> String {
    let (stem, number) = match like.rsplit_once('-') {
        Some((stem, number)) if !stem.is_empty() => (stem, number.parse::<u64>().ok()),
        _ => (like, None),
    };
    let stem = if number.is_some() { stem } else { like };
    let first = number.map_or(1, |number| number.saturating_add(1));
    let mut names = (first..).map(|number| format!("{stem}-{number}"));
    names.find(|name| host.runs.line(name).is_none()).unwrap_or_else(|| like.to_owned())
}
