//! A corpus being built in the background: an extraction of articles, or an import of pairs.
//!
//! The builder is a thread of its own, so that opening another corpus meanwhile does not stop it. One corpus is built at
//! a time.

use super::{
    App, Effect,
    line_editor::LineEditor,
    overlay::{HelpPage, InputPurpose, Overlay},
};
use crate::base::numbers::counted;

/// What a corpus is built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum BuildKind {
    /// Articles: a folder, an archive or a file.
    #[strum(serialize = "extraction")]
    Extraction,
    /// A file of pairs.
    #[strum(serialize = "import")]
    Import,
}

/// A corpus to be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildRequest {
    pub kind: BuildKind,
    /// As the user typed it.
    pub input: String,
    /// A path, or a name in the workspace's folder of corpora.
    pub output: String,
}

/// What the builder reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildReport {
    Progress {
        percent: u64,
        articles: u64,
    },
    /// The corpus is written; a summary, line by line.
    Finished {
        corpus: String,
        summary: Vec<String>,
    },
    Failed(String),
}

/// The corpus that is being built, or was built last.
#[derive(Clone, Debug)]
pub struct Build {
    pub request: BuildRequest,
    /// The last report; none before the first.
    pub report: Option<BuildReport>,
}

impl Build {
    pub fn is_running(&self) -> bool {
        matches!(self.report, None | Some(BuildReport::Progress { .. }))
    }

    /// `extraction 43 %`
    pub fn status(&self) -> String {
        match self.report {
            Some(BuildReport::Progress { percent, .. }) if self.request.kind == BuildKind::Extraction => {
                format!("{} {percent} %", self.request.kind)
            }
            _ => format!("{} …", self.request.kind),
        }
    }
}

impl App {
    /// The corpus that is being built, or was built last.
    pub fn build(&self) -> Option<&Build> {
        self.build.as_ref()
    }

    /// Takes over the corpus that another workbench of this process is building.
    pub fn adopt_build(&mut self, other: &mut App) {
        self.build = other.build.take();
    }

    /// Asks for the name of the corpus that is built from an input.
    pub(super) fn name_corpus(&mut self, kind: BuildKind, input: String) {
        if self.build.as_ref().is_some_and(Build::is_running) {
            return self.host.report_error("another corpus is being built; wait for it, or stop it");
        }
        let stem = input.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let stem = stem.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("my");
        let line = LineEditor::selected(&format!("{stem}.corpus"));
        let purpose = InputPurpose::Corpus { kind, input };
        self.host.overlays.push(Overlay::Input { line, purpose });
    }

    pub(super) fn start_build(&mut self, kind: BuildKind, input: String, output: &str) {
        let output = output.trim();
        if output.is_empty() {
            return self.host.notify("a corpus needs a name");
        }
        let output = match output.ends_with(".corpus") {
            true => output.to_owned(),
            false => format!("{output}.corpus"),
        };
        let request = BuildRequest { kind, input, output };
        self.host.notify(format!("the {kind} has started; `background work` in the palette shows it"));
        self.build = Some(Build { request: request.clone(), report: None });
        self.host.effect(Effect::Build(request));
    }

    pub(super) fn take_build_report(&mut self, report: BuildReport) {
        let Some(build) = &mut self.build else { return };
        build.report = Some(report.clone());
        let kind = build.request.kind;
        match report {
            BuildReport::Progress { .. } => {}
            BuildReport::Failed(problem) => self.host.report_error(problem),
            // What the user is typing is not interrupted.
            BuildReport::Finished { corpus, .. } if self.is_busy() => {
                self.host.notify(format!("the {kind} is done: {corpus} was written"));
            }
            BuildReport::Finished { .. } => self.show_build(),
        }
    }

    fn is_busy(&self) -> bool {
        let is_typing = self.contexts().contains(&super::action::Context::Typing);
        !self.host.overlays.is_empty() || self.tour.is_some() || is_typing
    }

    /// Shows the summary above the offer to open the corpus, or asks whether to stop what is running.
    pub(super) fn show_build(&mut self) {
        let Some(build) = &self.build else {
            return self
                .host
                .notify("no corpus has been built yet; `extract` and `import` in the palette build one");
        };
        let Build { request: BuildRequest { kind, input, .. }, report } = build;
        match report {
            Some(BuildReport::Failed(problem)) => self.host.report_error(problem.clone()),
            Some(BuildReport::Finished { corpus, summary }) => {
                // The summary has the whole path.
                let name = corpus.rsplit('/').next().unwrap_or(corpus);
                let question = format!("Open {name} now?");
                let page = HelpPage::text("summary", summary.iter().cloned());
                self.host
                    .overlays
                    .push(Overlay::Confirm { question, then: Effect::OpenCorpus(corpus.clone()) });
                self.host.overlays.push(Overlay::Help(page));
            }
            None | Some(BuildReport::Progress { .. }) => {
                let read = match report {
                    Some(BuildReport::Progress { articles, .. }) if *kind == BuildKind::Extraction => {
                        format!(", {} read", counted(*articles, "article"))
                    }
                    _ => String::new(),
                };
                let question = format!("{} of {input}{read}. Stop it?", build.status());
                self.host.overlays.push(Overlay::Confirm { question, then: Effect::StopBuild });
            }
        }
    }
}
