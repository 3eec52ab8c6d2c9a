//! Sessions on the disk: read with care, replaced as a whole, set aside when they cannot be used.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use super::{
    Notice, Session, SessionError, VERSION,
    salvage::{self, NoSession},
};
use crate::base::outside;

/// The result of loading a file.
#[derive(Debug)]
pub struct Loaded {
    /// None when the file was set aside.
    pub session: Option<Session>,
    pub notices: Vec<Notice>,
}

impl Session {
    /// Reads a session. A file that cannot be used is renamed, never removed, and a notice says so.
    pub fn load(path: &Path) -> Result<Loaded, SessionError> {
        let read = match outside::read_text(path, outside::SESSION) {
            Ok(text) => salvage::read(&text),
            Err(error) if matches!(error.kind(), ErrorKind::FileTooLarge | ErrorKind::InvalidData) => {
                Err(NoSession::Broken(error.to_string()))
            }
            Err(source) => return Err(SessionError::Read { path: path.to_owned(), source }),
        };
        let path = path.to_owned();
        match read {
            Ok((session, left_out)) if left_out.is_empty() => {
                Ok(Loaded { session: Some(session), notices: Vec::new() })
            }
            Ok((session, left_out)) => {
                let aside = set_aside(&path, "broken-", Manner::Copy, "parts of it are invalid")?;
                Ok(Loaded { session: Some(session), notices: vec![Notice::Partly { path, aside, left_out }] })
            }
            Err(NoSession::Broken(why)) => {
                let aside = set_aside(&path, "broken-", Manner::Rename, &why)?;
                Ok(Loaded { session: None, notices: vec![Notice::Broken { path, aside, why }] })
            }
            Err(NoSession::Newer(version)) => {
                let why = format!("it was written by version {version}");
                let aside = set_aside(&path, "newer", Manner::Rename, &why)?;
                Ok(Loaded { session: None, notices: vec![Notice::Newer { path, aside, version }] })
            }
        }
    }

    /// Saves the session: afterwards the file is the new one, or, if that fails, the old one.
    pub fn save(&self, path: &Path) -> Result<(), SessionError> {
        let text = self.to_toml()?;
        outside::replace(path, outside::SESSION, text.as_bytes())
            .map_err(|source| SessionError::Save { path: path.to_owned(), source })
    }

    /// The text of the file.
    pub fn to_toml(&self) -> Result<String, SessionError> {
        let current = Session { version: VERSION, ..self.clone() };
        toml::to_string(&current).map_err(|error| SessionError::Encode(error.to_string()))
    }
}

/// Whether the file keeps its name as well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Rename,
    Copy,
}

/// Renames or copies a file to a free name: `last.broken-1`, `last.broken-2`; `last.newer`, `last.newer-2`.
fn set_aside(path: &Path, suffix: &str, manner: Manner, why: &str) -> Result<PathBuf, SessionError> {
    let error = |source| SessionError::SetAside { path: path.to_owned(), why: why.to_owned(), source };
    for number in 1..=u32::MAX {
        let extension = match (suffix.ends_with('-'), number) {
            (true, _) => format!("{suffix}{number}"),
            (false, 1) => suffix.to_owned(),
            (false, _) => format!("{suffix}-{number}"),
        };
        let aside = path.with_extension(extension);
        if manner == Manner::Copy && is_same(path, &aside) {
            return Ok(aside);
        }
        match take_name(path, &aside, manner) {
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {}
            Err(other) => return Err(error(other)),
            Ok(()) => return Ok(aside),
        }
    }
    Err(error(io::ErrorKind::AlreadyExists.into()))
}

/// Takes a name only if nothing has it: a plain rename would replace what is there.
fn take_name(path: &Path, aside: &Path, manner: Manner) -> io::Result<()> {
    match manner {
        Manner::Copy => {
            let mut copy = fs::File::create_new(aside)?;
            io::copy(&mut outside::open(path)?, &mut copy)?;
            copy.sync_all()
        }
        Manner::Rename => match fs::hard_link(path, aside) {
            Ok(()) => fs::remove_file(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // Not every file system has links.
            Err(_) if aside.exists() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(path, aside),
        },
    }
}

fn is_same(path: &Path, other: &Path) -> bool {
    match (outside::read(path, outside::SESSION), outside::read(other, outside::SESSION)) {
        (Ok(first), Ok(second)) => first == second,
        _ => false,
    }
}
