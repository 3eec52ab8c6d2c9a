//! A study as a document: its table, or its findings, with the facts below, in every format.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use strum::VariantArray;

use super::{
    FilledTable, Plan, Results, Study, StudyFacts, StudyProgress, StudyRequest,
    findings::{self, Finding},
    study_page::study_sections,
    table::{Table, TableFormat, csv, html, json, latex, markdown},
};
use crate::{
    base::atomic,
    base::workspace::Workspace,
    corpus::store::{Store, StoreError},
};

/// A table or findings, ready to be written.
pub struct Report<'a> {
    plan: &'a Plan,
    facts: StudyFacts,
    filled: FilledTable,
    /// Only for the study of findings.
    findings: Option<Vec<Finding>>,
    /// What an HTML page has below the table.
    sections: String,
}

/// Why a report cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("cannot write the table as CSV: {0}")]
    Csv(#[from] ::csv::Error),
    #[error("cannot write the table as JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("cannot write {}: {cause}", path.display())]
    File { path: PathBuf, cause: io::Error },
}

impl<'a> Report<'a> {
    /// Gathers the content. `seed` is that of the bootstrap, and `open` opens a corpus of the plan by its path.
    pub fn new<E: From<StoreError>>(
        plan: &'a Plan,
        progress: &StudyProgress,
        results: &mut Results,
        workspace: &Workspace,
        seed: u64,
        open: impl Fn(&Path) -> Result<Store, E>,
    ) -> Result<Report<'a>, E> {
        let facts = StudyFacts::new(plan, true, open)?;
        let filled = FilledTable::new(plan, progress, results, workspace);
        let is_findings = plan.request.study == Study::Findings;
        let findings = is_findings.then(|| findings::check(plan, results, workspace, seed));
        Ok(Report { plan, facts, filled, findings, sections: String::new() })
    }

    /// With settings, curves, the assignment distribution, confusions and runs on the HTML page. `store` is the corpus of
    /// the study.
    #[must_use]
    pub fn with_sections(self, workspace: &Workspace, store: &Store) -> Report<'a> {
        Report { sections: study_sections(self.plan, workspace, store), ..self }
    }

    pub fn written(&self, format: TableFormat) -> Result<String, ReportError> {
        let table = Table { plan: self.plan, filled: &self.filled, facts: &self.facts };
        let pretty =
            |document: &serde_json::Value| serde_json::to_string_pretty(document).map(|text| text + "\n");
        let Some(found) = &self.findings else {
            return Ok(match format {
                TableFormat::Markdown => markdown(&table),
                TableFormat::Latex => latex(&table),
                TableFormat::Csv => csv(&table)?,
                TableFormat::Html => html(&table, &self.sections),
                TableFormat::Json => pretty(&json(&table))?,
            });
        };
        let (notes, facts) = (&self.plan.notes, &self.facts);
        Ok(match format {
            TableFormat::Markdown => findings::markdown(found, notes, facts),
            TableFormat::Latex => findings::latex(found, notes, facts),
            TableFormat::Csv => findings::csv(found)?,
            TableFormat::Html => findings::html(found, notes, facts, &self.sections),
            TableFormat::Json => {
                let mut document = json(&table);
                document["findings"] = serde_json::to_value(found)?;
                pretty(&document)?
            }
        })
    }

    /// Writes it in every format into a folder, which is created.
    pub fn write_all(&self, folder: &Path) -> Result<(), ReportError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |cause| ReportError::File { path, cause }
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        for (&format, path) in TableFormat::VARIANTS.iter().zip(Report::files(&self.plan.request, folder)) {
            atomic::replace(&path, self.written(format)?.as_bytes()).map_err(failed(&path))?;
        }
        Ok(())
    }

    /// The files that [`Report::write_all`] writes, in the order of the formats.
    pub fn files(request: &StudyRequest, folder: &Path) -> impl Iterator<Item = PathBuf> {
        let path = |format: &TableFormat| folder.join(format!("{}.{}", request.study, format.extension()));
        TableFormat::VARIANTS.iter().map(path)
    }
}
