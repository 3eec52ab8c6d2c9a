//! The sections of the form: what most runs set is open, the rest is folded.

use strum::{IntoStaticStr, VariantArray};

use super::{Form, FormRow};

/// A group of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Section {
    Essential,
    Optimizer,
    Model,
    Data,
    Cluster,
}

impl Section {
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn help(self) -> &'static str {
        match self {
            Section::Essential => "The settings that most runs change",
            Section::Optimizer => "Learning rates, regularization, and when the model is evaluated",
            Section::Model => "The sizes of the encoder, and its initialization",
            Section::Data => "What the model reads, and the seeds of splits and names",
            Section::Cluster => "Device and cluster options of the run",
        }
    }

    /// The section of a training setting, by its flag.
    fn of_setting(flag: &str) -> Section {
        match flag {
            "encoder" | "objective" | "level" | "split" | "epochs" | "batch" | "lr" | "init" | "freeze" => {
                Section::Essential
            }
            "input" | "symbols" | "rename" | "leave-out" | "seed" | "level-seed" | "fresh-names"
            | "split-seed" | "start" | "masked" | "longest" | "compat" => Section::Data,
            "width" | "layers" | "heads" | "key" | "value" | "feed-forward" | "dropout" | "pooling"
            | "untrained" | "engine" | "vocabulary" => Section::Model,
            _ => Section::Optimizer,
        }
    }
}

impl Form {
    pub fn section(&self, row: FormRow) -> Section {
        match row {
            FormRow::Section(section) => section,
            FormRow::Name | FormRow::Work | FormRow::Place | FormRow::Preset | FormRow::Protected => {
                Section::Essential
            }
            FormRow::Setting(row) => Section::of_setting(self.draft.about(row).flag),
            // where there are GPUs, choosing one is not a detail
            FormRow::Option(_) if self.about(row).flag == "device" && self.has_gpus() => Section::Essential,
            FormRow::Slurm(_) | FormRow::Option(_) => Section::Cluster,
        }
    }

    pub fn is_open(&self, section: Section) -> bool {
        !self.folded.contains(&section)
    }

    /// The rows in sight: the name of each section, and its settings if it is open.
    pub fn rows(&self) -> Vec<FormRow> {
        let all = self.all_rows();
        let mut rows = Vec::new();
        for section in Section::VARIANTS.iter().copied() {
            let mut inside = all.iter().copied().filter(|row| self.section(*row) == section).peekable();
            if inside.peek().is_none() {
                continue;
            }
            rows.push(FormRow::Section(section));
            if self.is_open(section) {
                rows.extend(inside);
            }
        }
        rows
    }

    /// The number of values of a section that differ from the preset.
    pub fn changes_in(&self, section: Section) -> usize {
        let is_changed = |row: &FormRow| self.section(*row) == section && self.is_changed(*row);
        self.all_rows().iter().filter(|row| is_changed(row)).count()
    }

    /// Opens or closes the section of the selected row, whose name becomes the selected row.
    pub(super) fn toggle_section(&mut self) {
        let section = self.section(self.row());
        match self.folded.iter().position(|folded| *folded == section) {
            Some(place) => drop(self.folded.remove(place)),
            None => self.folded.push(section),
        }
        self.select_row(FormRow::Section(section));
    }

    /// Opens all sections, or closes all but the first if they are open.
    pub(super) fn toggle_sections(&mut self) {
        let row = self.row();
        self.folded = match self.folded.is_empty() {
            true => folded_at_first(),
            false => Vec::new(),
        };
        match self.rows().contains(&row) {
            true => self.select_row(row),
            false => self.select_row(FormRow::Section(self.section(row))),
        }
    }

    fn select_row(&mut self, row: FormRow) {
        let place = self.rows().iter().position(|known| *known == row);
        self.row = place.unwrap_or(self.row);
    }
}

/// All sections but the first.
pub(super) fn folded_at_first() -> Vec<Section> {
    Section::VARIANTS.iter().copied().filter(|section| *section != Section::Essential).collect()
}
