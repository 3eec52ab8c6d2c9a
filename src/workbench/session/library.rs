//! The sessions of a workspace, and those that come with the program.

use std::{fs, path::PathBuf, time::SystemTime};

use super::{Loaded, Session, SessionError, salvage};
use crate::base::{
    temporary,
    workspace::{Folder, Workspace},
};

/// The session that is saved on leaving and opened on coming back.
pub const LAST: &str = "last";

/// Sessions that open the demo at something worth seeing.
const SHIPPED: [(&str, &str); 2] = [
    ("demo-browse", include_str!("../../../sessions/demo-browse.toml")),
    ("demo-compare", include_str!("../../../sessions/demo-compare.toml")),
];

/// The sessions that can be opened.
#[derive(Clone, Debug)]
pub struct Sessions {
    workspace: Workspace,
}

/// A session that can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    pub name: String,
    pub source: SessionSource,
}

/// Where a session comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionSource {
    Shipped,
    File { path: PathBuf, modified: Option<SystemTime> },
}

impl Sessions {
    pub fn of(workspace: &Workspace) -> Sessions {
        Sessions { workspace: workspace.clone() }
    }

    /// The user's own, the newest first, then those that come with the program and are not replaced by one.
    pub fn list(&self) -> Vec<ListedSession> {
        let mut own = self.own();
        own.sort_by(|first, second| second.1.cmp(&first.1).then_with(|| first.0.cmp(&second.0)));
        let shipped: Vec<String> = SHIPPED
            .iter()
            .map(|&(name, _)| name.to_owned())
            .filter(|name| !own.iter().any(|(other, ..)| other == name))
            .collect();
        let own = own.into_iter().map(|(name, modified, path)| ListedSession {
            name,
            source: SessionSource::File { path, modified },
        });
        own.chain(shipped.into_iter().map(|name| ListedSession { name, source: SessionSource::Shipped }))
            .collect()
    }

    /// Opens a session: the user's of that name, else the one that comes with the program.
    pub fn load(&self, name: &str) -> Result<Loaded, SessionError> {
        let path = self.path(name)?;
        if path.exists() {
            return Session::load(&path);
        }
        let shipped = SHIPPED.iter().find(|&&(known, _)| known == name);
        let session = shipped.and_then(|&(_, text)| salvage::read(text).ok()).map(|(session, _)| session);
        match session {
            Some(session) => Ok(Loaded { session: Some(session), notices: Vec::new() }),
            None => Err(SessionError::NoSession(name.to_owned())),
        }
    }

    /// The session of the last time, if there was one.
    pub fn last(&self) -> Result<Option<Loaded>, SessionError> {
        match self.load(LAST) {
            Ok(loaded) => Ok(Some(loaded)),
            Err(SessionError::NoSession(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Saves a session under a name and returns its file.
    pub fn save(&self, name: &str, session: &Session) -> Result<PathBuf, SessionError> {
        let path = self.path(name)?;
        self.workspace.make(Folder::Sessions).map_err(|error| SessionError::Save {
            path: path.clone(),
            source: std::io::Error::other(error),
        })?;
        session.save(&path)?;
        Ok(path)
    }

    /// The file of a session, whether it is there or not.
    pub fn path(&self, name: &str) -> Result<PathBuf, SessionError> {
        let is_fit = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
        if name.trim() != name || name.is_empty() || name.len() > 100 || !name.chars().all(is_fit) {
            return Err(SessionError::Name(name.to_owned()));
        }
        Ok(self.workspace.folder(Folder::Sessions).join(format!("{name}.toml")))
    }

    fn own(&self) -> Vec<(String, Option<SystemTime>, PathBuf)> {
        let folder = self.workspace.folder(Folder::Sessions);
        temporary::sweep(&folder);
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let named = |entry: fs::DirEntry| {
            let path = entry.path();
            let is_session = path.extension().is_some_and(|extension| extension == "toml");
            let name = path.file_stem().filter(|_| is_session)?.to_str()?.to_owned();
            // A name that cannot be opened is not offered.
            self.path(&name).ok()?;
            let modified = entry.metadata().and_then(|data| data.modified()).ok();
            Some((name, modified, path))
        };
        entries.flatten().filter_map(named).collect()
    }
}
