//! Opening the workbench: settings, session, corpus and theme become the state of the first screen.
//!
//! Only what the user requested by name can fail here. Remembered or configured values that are broken
//! are reported on the first screen instead.

use std::path::{Path, PathBuf};

use super::{recent, themes::TerminalThemes};
use crate::{
    base::{
        outside,
        workspace::{Workspace, user_settings::UserSettings},
    },
    corpus::{
        demo::DEMO,
        store::{Store, StoreError},
    },
    symbols::{Protected, Seed, Setting},
    train::device::Device,
    workbench::app::{App, AppSnapshot, CorpusInfo, area::Size, keymap::Keymap, recording::Recording},
    workbench::session::{Loaded, Session, SessionError, Sessions},
    workbench::theme::ColorDepth,
};

/// How the workbench is to be opened.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// A corpus file, or `demo`; by default the session's.
    pub corpus: Option<String>,
    /// The name or the file of a session.
    pub session: Option<String>,
    pub theme: Option<String>,
    pub depth: Option<ColorDepth>,
    /// The file to record to.
    pub record: Option<PathBuf>,
    pub replay: Option<Replay>,
    /// A pair file to open in the Compare pane.
    pub compare: Option<PairFile>,
    /// Begin with the tour.
    pub tour: bool,
    /// The workbench was open before, in another workspace: its user has seen the tour.
    pub is_change: bool,
    /// Begin in presentation mode.
    pub present: bool,
    /// Where models of the panes compute.
    pub device: Device,
    /// A list of protected symbols, and the file it was read from.
    pub protected: Option<(Protected, String)>,
}

/// A file with a pair, and the level of a second column.
#[derive(Clone, Debug)]
pub struct PairFile {
    pub path: String,
    pub column: Option<(Setting, Seed)>,
}

/// A recording to replay.
#[derive(Clone, Debug)]
pub struct Replay {
    pub recording: Recording,
    /// Factor on the recorded speed.
    pub speed: f64,
    /// Quit at the end, instead of handing the workbench over to the user.
    pub then_quit: bool,
}

/// Where the workbench finds the user's files and corpora.
#[derive(Clone)]
pub struct Environment<'a> {
    /// None if there is no home directory; then nothing is saved.
    pub workspace: Option<Workspace>,
    /// Opens a corpus by its name on the command line.
    pub open_corpus: &'a dyn Fn(&str) -> Result<Store, String>,
}

/// The workbench before its first screen.
pub struct OpenedWorkbench {
    pub app: App,
    pub store: Store,
    pub themes: TerminalThemes,
    /// Whether the workspace gets the built-in runs, which belong to the demo.
    pub has_built_in: bool,
}

/// Why the workbench could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("{0}")]
    Corpus(String),
    #[error("there is no home directory for sessions; choose a folder with --workspace DIR")]
    NoWorkspace,
}

impl Environment<'_> {
    pub fn sessions(&self) -> Option<Sessions> {
        self.workspace.as_ref().map(Sessions::of)
    }

    /// Opens the workbench on a screen of the given size.
    pub fn open(&self, options: &OpenOptions, size: Size) -> Result<OpenedWorkbench, OpenError> {
        let mut problems = Vec::new();
        let settings = self.settings(&mut problems);
        let (keymap, clashes) = Keymap::new(&settings.keys);
        problems.extend(clashes.into_iter().map(|problem| format!("config.toml, [keys]: {problem}")));
        let session = self.session(options, &mut problems)?;
        let (name, store, session) = self.corpus(options, session, &mut problems)?;
        let session = session.or_else(|| self.last_on_same_corpus(options, &store));
        let depth = ColorDepth::detect(options.depth, |variable| std::env::var(variable).ok());
        let themes = TerminalThemes::new(self.workspace.as_ref(), depth);
        let corpus = CorpusInfo { name, pairs: store.pair_count(), articles: store.articles_with_pairs() };
        let mut app = App::new(corpus, keymap, size);
        app.theme = themes.choices();
        if let Some(session) = &session {
            app.restore(&snapshot(session, &store, &mut problems));
            app.session.name.clone_from(&options.session);
        }
        if let Some((protected, file)) = &options.protected {
            app.compare.protect(protected.clone(), file);
        }
        if let Some(pair) = &options.compare {
            app.compare_file(&pair.path, pair.column);
        }
        if let Some(theme) = settings.theme {
            app.theme.default = theme;
        }
        let theme = options.theme.clone().or(app.theme.chosen.take());
        // Another corpus opens in the theme of the last session.
        app.theme.chosen = theme.or_else(|| self.last(options)?.workbench.theme);
        // A replay is not the user's own session.
        app.session.is_kept = self.workspace.is_some() && options.replay.is_none();
        if let Some(workspace) = self.workspace.as_ref().filter(|_| options.replay.is_none()) {
            recent::remember(workspace, &app.corpus.name);
        }
        app.host.report_problems(&problems);
        if options.present {
            app.present(true);
        }
        let is_first_start = session.is_none() && app.session.is_kept && self.is_first_start(options);
        if options.tour || is_first_start {
            app.start_tour(is_first_start);
        }
        let has_built_in = app.corpus.name == DEMO && options.replay.is_none();
        Ok(OpenedWorkbench { app, store, themes, has_built_in })
    }

    /// Whether the workbench is opened for the first time, and on nothing in particular.
    fn is_first_start(&self, options: &OpenOptions) -> bool {
        let is_plain = !options.is_change
            && options.corpus.is_none()
            && options.session.is_none()
            && options.compare.is_none()
            && options.record.is_none();
        let last = self.sessions().and_then(|sessions| sessions.path(crate::workbench::session::LAST).ok());
        // A session that could not be read was renamed, so the folder tells more than the file.
        let has_sessions =
            |folder: &Path| folder.read_dir().is_ok_and(|mut entries| entries.next().is_some());
        is_plain && last.is_some_and(|last| !last.parent().is_some_and(has_sessions))
    }

    fn settings(&self, problems: &mut Vec<String>) -> UserSettings {
        let file = self.workspace.as_ref().and_then(Workspace::config_file);
        let (settings, warnings) = file.map(|file| UserSettings::read(&file)).unwrap_or_default();
        problems.extend(warnings);
        settings
    }

    /// Returns the requested session, or the last one unless a corpus was requested.
    fn session(
        &self,
        options: &OpenOptions,
        problems: &mut Vec<String>,
    ) -> Result<Option<Session>, OpenError> {
        if let Some(replay) = &options.replay {
            let session = Some(replay.recording.header.session.as_str()).filter(|text| !text.is_empty());
            return Ok(session.and_then(|text| toml::from_str(text).ok()));
        }
        let loaded = match (&options.session, &options.corpus, self.sessions()) {
            (Some(name), _, sessions) => Some(load(name, sessions)?),
            (None, None, Some(sessions)) => match sessions.last() {
                Ok(last) => last,
                Err(error) => {
                    problems.push(error.to_string());
                    None
                }
            },
            _ => None,
        };
        Ok(loaded.and_then(|loaded| {
            problems.extend(loaded.notices.iter().map(ToString::to_string));
            loaded.session
        }))
    }

    /// Opens the requested corpus, or the session's, or the demo.
    fn corpus(
        &self,
        options: &OpenOptions,
        session: Option<Session>,
        problems: &mut Vec<String>,
    ) -> Result<(String, Store, Option<Session>), OpenError> {
        let open = |name: &str| (self.open_corpus)(name);
        if let Some(name) = &options.corpus {
            return Ok((name.clone(), open(name).map_err(OpenError::Corpus)?, session));
        }
        let Some(session) = session else {
            return Ok((DEMO.to_owned(), open(DEMO).map_err(OpenError::Corpus)?, None));
        };
        let name = session.corpus.path.clone();
        match open(&name) {
            Ok(store) => Ok((name, store, Some(session))),
            Err(error) => {
                problems
                    .push(format!("the corpus of this session is gone: {error}; the demo is shown instead"));
                self.save_orphan(&session, problems);
                Ok((DEMO.to_owned(), open(DEMO).map_err(OpenError::Corpus)?, None))
            }
        }
    }

    /// Saves a session whose corpus is gone under a separate name: the corpus may come back.
    fn save_orphan(&self, session: &Session, problems: &mut Vec<String>) {
        const NAME: &str = "without its corpus";
        let saved = self.sessions().map(|sessions| sessions.save(NAME, session));
        problems.push(match saved {
            Some(Ok(_)) => format!("the session is saved as `{NAME}`"),
            Some(Err(error)) => error.to_string(),
            None => return,
        });
    }

    /// Opening the corpus of the last session again continues that session.
    fn last_on_same_corpus(&self, options: &OpenOptions, store: &Store) -> Option<Session> {
        let is_fresh = options.replay.is_some() || options.compare.is_some();
        self.last(options).filter(|last| !is_fresh && last.corpus.fingerprint == Some(store.fingerprint()))
    }

    /// Returns the last session if a corpus was requested. A file that cannot be read is not worth a message here.
    fn last(&self, options: &OpenOptions) -> Option<Session> {
        options.corpus.as_ref()?;
        let path = self.sessions()?.path(crate::workbench::session::LAST).ok()?;
        toml::from_str(&outside::read_text(&path, outside::SESSION).ok()?).ok()
    }
}

fn load(name: &str, sessions: Option<Sessions>) -> Result<Loaded, OpenError> {
    let path = Path::new(name);
    if path.extension().is_some_and(|extension| extension == "toml") && path.is_file() {
        return Ok(Session::load(path)?);
    }
    let sessions = sessions.ok_or(OpenError::NoWorkspace)?;
    Ok(sessions.load(name)?)
}

/// Returns the state that a session saved. Pairs that a changed corpus no longer has are dropped.
fn snapshot(session: &Session, store: &Store, problems: &mut Vec<String>) -> AppSnapshot {
    let snapshot = session.workbench.clone().map_pairs(|id| store.row_of(id).ok().flatten());
    if !session.corpus.agrees_with(store.fingerprint()) {
        let lost = session.workbench.marked.len() - snapshot.marked.len();
        let marks = match lost {
            0 => String::new(),
            1 => ", and 1 marked pair no longer exists".to_owned(),
            lost => format!(", and {lost} marked pairs no longer exist"),
        };
        problems.push(format!("the corpus {} has changed since this session{marks}", session.corpus.path));
    }
    snapshot
}
