//! How the workbench comes to its first screen: settings, a session, a corpus, a theme.
//!
//! Only what the user asked for by name can fail here. Everything that is remembered or set may be broken,
//! and is then told on the first screen.

use std::path::{Path, PathBuf};

use super::{UiError, looks::Looks, theme::Depth};
use crate::{
    base::workspace::{Workspace, settings::Settings},
    corpus::store::Store,
    symbols::{Protected, Seed, Setting},
    workbench::app::{App, AppSnapshot, CorpusInfo, area::Size, keymap::Keymap, recording::Recording},
    workbench::session::{Loaded, Session, Sessions},
};

/// What the user asked for on the command line.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// A corpus file, or `demo`; else the session's.
    pub corpus: Option<String>,
    /// The name or the file of a session.
    pub session: Option<String>,
    pub theme: Option<String>,
    pub depth: Option<Depth>,
    pub record: Option<PathBuf>,
    pub replay: Option<Replay>,
    pub opening: Opening,
}

/// What the workbench opens with beside a corpus.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// A pair of the user's own, to be compared at once.
    pub compare: Option<Compared>,
    /// A list of protected symbols, and the file it came from.
    pub protected: Option<(Protected, String)>,
}

/// A file that holds a pair, and a level to see it at.
#[derive(Clone, Debug)]
pub struct Compared {
    pub file: String,
    pub column: Option<(Setting, Seed)>,
}

/// A recording to be replayed.
#[derive(Clone, Debug)]
pub struct Replay {
    pub recording: Recording,
    /// How many times as fast as it was recorded.
    pub speed: f64,
    /// Leave when it is over, instead of leaving the workbench to the user.
    pub then_quit: bool,
}

/// Where the workbench finds things.
pub struct Surroundings<'a> {
    /// None when there is no home directory: then nothing is remembered.
    pub workspace: Option<Workspace>,
    /// Opens a corpus by what it is called on the command line.
    pub open_corpus: &'a dyn Fn(&str) -> Result<Store, String>,
}

/// The workbench, ready for its first screen.
pub struct Begun {
    pub app: App,
    pub store: Store,
    pub looks: Looks,
}

/// The name of the corpus that is always there.
const DEMO: &str = "demo";

impl Surroundings<'_> {
    pub fn sessions(&self) -> Option<Sessions> {
        self.workspace.as_ref().map(Sessions::of)
    }

    /// Makes the workbench that the user asked for.
    pub fn begin(&self, wishes: &Wishes, size: Size) -> Result<Begun, UiError> {
        let mut problems = Vec::new();
        let settings = self.settings(&mut problems);
        let (keymap, clashes) = Keymap::new(&settings.keys);
        problems.extend(clashes);
        let session = self.session(wishes, &mut problems)?;
        let (name, store, session) = self.corpus(wishes, session, &mut problems)?;
        let session = session.or_else(|| self.last_of(wishes, &store));
        let depth = Depth::detect(wishes.depth, |variable| std::env::var(variable).ok());
        let looks = Looks::new(self.workspace.as_ref(), depth);
        let corpus = CorpusInfo { name, pairs: store.pair_count(), articles: store.articles_with_pairs() };
        let mut app = App::new(corpus, keymap, size);
        app.look = looks.offer();
        if let Some(session) = &session {
            app.restore(&restored(session, &store, &mut problems));
            app.memory.name.clone_from(&wishes.session);
        }
        if let Some((protected, file)) = &wishes.opening.protected {
            app.compare.protect(protected.clone(), file);
        }
        if let Some(compared) = &wishes.opening.compare {
            app.compare_file(&compared.file, compared.column);
        }
        if let Some(theme) = settings.theme {
            app.look.default = theme;
        }
        let wanted = wishes.theme.clone().or(app.look.chosen.take());
        app.look.chosen = wanted.or_else(|| self.theme_of_last(wishes));
        // What is replayed is a show, and not the user's own session.
        app.memory.is_kept = self.workspace.is_some() && wishes.replay.is_none();
        app.desk.complain_of(&problems);
        Ok(Begun { app, store, looks })
    }

    fn settings(&self, problems: &mut Vec<String>) -> Settings {
        let file = self.workspace.as_ref().and_then(Workspace::config_file);
        let (settings, told) = file.map(|file| Settings::read(&file)).unwrap_or_default();
        problems.extend(told);
        settings
    }

    /// The session that was asked for, else the last one, unless a corpus was asked for.
    fn session(&self, wishes: &Wishes, problems: &mut Vec<String>) -> Result<Option<Session>, UiError> {
        if let Some(replay) = &wishes.replay {
            let session = Some(replay.recording.header.session.as_str()).filter(|text| !text.is_empty());
            return Ok(session.and_then(|text| toml::from_str(text).ok()));
        }
        let loaded = match (&wishes.session, &wishes.corpus, self.sessions()) {
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

    /// The corpus that was asked for, else the session's, else the demo.
    fn corpus(
        &self,
        wishes: &Wishes,
        session: Option<Session>,
        problems: &mut Vec<String>,
    ) -> Result<(String, Store, Option<Session>), UiError> {
        let open = |name: &str| (self.open_corpus)(name);
        if let Some(name) = &wishes.corpus {
            return Ok((name.clone(), open(name).map_err(UiError::Corpus)?, session));
        }
        let Some(session) = session else {
            return Ok((DEMO.to_owned(), open(DEMO).map_err(UiError::Corpus)?, None));
        };
        let name = session.corpus.path.clone();
        match open(&name) {
            Ok(store) => Ok((name, store, Some(session))),
            Err(error) => {
                problems.push(format!("the corpus of this session is gone: {error}; this is the demo"));
                self.put_by(&session, problems);
                Ok((DEMO.to_owned(), open(DEMO).map_err(UiError::Corpus)?, None))
            }
        }
    }

    /// Keeps a session whose corpus is gone under a name of its own: it may come back.
    fn put_by(&self, session: &Session, problems: &mut Vec<String>) {
        const NAME: &str = "without its corpus";
        let saved = self.sessions().map(|sessions| sessions.save(NAME, session));
        problems.push(match saved {
            Some(Ok(_)) => format!("the session is kept as `{NAME}`"),
            Some(Err(error)) => error.to_string(),
            None => return,
        });
    }

    /// Whoever opens the corpus of the last time again goes on where the last time ended.
    fn last_of(&self, wishes: &Wishes, store: &Store) -> Option<Session> {
        let is_fresh = wishes.replay.is_some() || wishes.opening.compare.is_some();
        self.last(wishes).filter(|last| !is_fresh && last.corpus.fingerprint == Some(store.fingerprint()))
    }

    /// Whoever opens another corpus wants to see it in the colours of the last time.
    fn theme_of_last(&self, wishes: &Wishes) -> Option<String> {
        self.last(wishes)?.workbench.theme
    }

    /// The last session, for whoever asked for a corpus; if it cannot be read, nothing is lost and nothing is told.
    fn last(&self, wishes: &Wishes) -> Option<Session> {
        wishes.corpus.as_ref()?;
        let path = self.sessions()?.path(crate::workbench::session::LAST).ok()?;
        toml::from_str(&std::fs::read_to_string(path).ok()?).ok()
    }
}

fn load(name: &str, sessions: Option<Sessions>) -> Result<Loaded, UiError> {
    let path = Path::new(name);
    if path.extension().is_some_and(|extension| extension == "toml") && path.is_file() {
        return Ok(Session::load(path)?);
    }
    let sessions = sessions.ok_or(UiError::NoWorkspace)?;
    Ok(sessions.load(name)?)
}

/// Where the session left off. A corpus that has changed may have lost some of it.
fn restored(session: &Session, store: &Store, problems: &mut Vec<String>) -> AppSnapshot {
    let snapshot = session.workbench.clone().map_pairs(|id| store.row_of(id).ok().flatten());
    if !session.corpus.agrees_with(store.fingerprint()) {
        let lost = session.workbench.marked.len() - snapshot.marked.len();
        let marks = match lost {
            0 => String::new(),
            1 => ", and 1 marked pair is no longer there".to_owned(),
            lost => format!(", and {lost} marked pairs are no longer there"),
        };
        problems.push(format!("the corpus {} has changed since this session{marks}", session.corpus.path));
    }
    snapshot
}
