//! The thread that builds a corpus: an extraction, or an import. It calls what `matchbook extract` and `matchbook import`
//! call, with their defaults.

use std::{
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::files::expand_home;
use crate::{
    base::{
        numbers::counted,
        output_guard::{OutputError, OutputGuard},
        task::{CancelToken, Task, Throttle},
        workspace::{Folder, Workspace, WorkspaceError},
    },
    corpus::{
        exchange::{ImportFailed, Importer},
        extract::{
            self, ExtractError, ExtractProgress, ExtractRequest,
            manifest::{self, Manifest},
            options::Options,
            source::{self, InputError, Inputs, Limits},
        },
        store::{StoreError, StoreWriter},
    },
    workbench::app::{
        build::{BuildKind, BuildReport, BuildRequest},
        message::Report,
    },
};

/// The shortest time between two reports of progress.
const PROGRESS: Duration = Duration::from_millis(200);

/// The builder and its channel.
pub struct Builder {
    sender: Sender<Report>,
    pub reports: Receiver<Report>,
    work: Option<(CancelToken, JoinHandle<()>)>,
}

#[derive(Debug, thiserror::Error)]
enum BuildError {
    #[error("{} already exists; choose another name", .0.display())]
    Exists(PathBuf),
    #[error("there is no workspace for corpora; give the path of the corpus")]
    NoWorkspace,
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Extract(#[from] ExtractError),
    #[error(transparent)]
    Import(#[from] ImportFailed),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Default for Builder {
    fn default() -> Builder {
        let (sender, reports) = unbounded();
        Builder { sender, reports, work: None }
    }
}

impl Builder {
    /// Starts to build a corpus, unless one is being built.
    pub fn start(&mut self, request: BuildRequest, workspace: Option<Workspace>) -> std::io::Result<()> {
        if self.work.as_ref().is_some_and(|(_, thread)| !thread.is_finished()) {
            return Ok(());
        }
        let (cancel, sender) = (CancelToken::new(), self.sender.clone());
        let token = cancel.clone();
        let work = move || {
            let report = match build(&request, workspace.as_ref(), &token, &sender) {
                Ok((corpus, summary)) => {
                    BuildReport::Finished { corpus: corpus.display().to_string(), summary }
                }
                Err(error) => BuildReport::Failed(format!("the {}: {error}", request.kind)),
            };
            let _ = sender.send(Report::Build(report));
        };
        let thread = thread::Builder::new().name("builder".to_owned()).spawn(work)?;
        self.work = Some((cancel, thread));
        Ok(())
    }

    pub fn stop(&self) {
        if let Some((cancel, _)) = &self.work {
            cancel.cancel();
        }
    }
}

/// What is unfinished is cancelled and its temporary file removed before the process ends.
impl Drop for Builder {
    fn drop(&mut self) {
        self.stop();
        if let Some((_, thread)) = self.work.take() {
            let _ = thread.join();
        }
    }
}

/// Builds a corpus; returns its path and a summary.
fn build(
    request: &BuildRequest,
    workspace: Option<&Workspace>,
    cancel: &CancelToken,
    sender: &Sender<Report>,
) -> Result<(PathBuf, Vec<String>), BuildError> {
    let input = expand_home(&request.input);
    let output = output_path(&request.output, workspace)?;
    let started = Instant::now();
    let mut guard = OutputGuard::new();
    match input.is_dir() {
        true => guard.reads_folder("one of the articles", &input, source::is_input),
        false => guard.reads("the input", &input),
    };
    guard.writes_corpus("the corpus", &output)?;
    let mut summary = match request.kind {
        BuildKind::Extraction => extract(&input, &output, cancel, sender, started)?,
        BuildKind::Import => import(&input, &output, cancel)?,
    };
    summary.push(format!("{} was written", output.display()));
    Ok((output, summary))
}

/// A name without a folder is in the workspace's folder of corpora. Nothing is replaced.
fn output_path(name: &str, workspace: Option<&Workspace>) -> Result<PathBuf, BuildError> {
    let path = match name.contains('/') {
        true => expand_home(name),
        false => workspace.ok_or(BuildError::NoWorkspace)?.make(Folder::Corpora)?.join(name),
    };
    if path.exists() { Err(BuildError::Exists(path)) } else { Ok(path) }
}

fn extract(
    input: &Path,
    output: &Path,
    cancel: &CancelToken,
    sender: &Sender<Report>,
    started: Instant,
) -> Result<Vec<String>, BuildError> {
    let throttle = Throttle::new(PROGRESS);
    let observe = |progress: ExtractProgress| {
        if throttle.is_due() {
            let percent = 100 * progress.done / progress.total.max(1);
            let report = BuildReport::Progress { percent: percent.min(100), articles: progress.articles };
            let _ = sender.send(Report::Build(report));
        }
    };
    // The command has a flag for it; here, there is only the folder. Another program may have a file of that name.
    let (manifest, about_manifest) = match manifest::beside_articles(input) {
        Some(path) => match Manifest::read(&path) {
            Ok(manifest) => (Some(manifest), Some(format!("titles and categories from {}", path.display()))),
            Err(error) => (None, Some(format!("{error}; it was not used"))),
        },
        None => (None, None),
    };
    let request = ExtractRequest {
        inputs: Inputs::open(&[input.to_owned()])?,
        options: Options::default(),
        limits: Limits::default(),
        threads: thread::available_parallelism().map_or(1, usize::from),
        manifest,
        report: None,
    };
    let (writer, summary) =
        extract::extract(request, StoreWriter::create(output)?, &Task::new(cancel, &observe))?;
    let mut lines = summary.lines(started.elapsed());
    lines.extend(about_manifest);
    extract::finish(writer, &summary)?;
    Ok(lines)
}

fn import(input: &Path, output: &Path, cancel: &CancelToken) -> Result<Vec<String>, BuildError> {
    let mut importer = Importer::new(StoreWriter::create(output)?).cancelled_by(cancel.clone());
    let report = importer.file(input, None)?;
    importer.finish()?.finish()?;
    let warnings = report.warnings.to_string();
    let mut lines = vec![format!("{}: {}", input.display(), counted(report.pairs, "pair"))];
    lines.extend(warnings.lines().map(str::to_owned));
    Ok(lines)
}
