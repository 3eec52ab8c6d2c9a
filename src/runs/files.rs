//! Small files of a run: read with a size limit, written atomically.

use std::path::Path;

use serde::Serialize;

use super::RunError;
use crate::base::{atomic, outside, temporary};

/// Reads a small text file of a run.
pub fn read(path: &Path) -> Result<String, RunError> {
    outside::read_text(path, outside::SETTINGS).map_err(RunError::file("read", path))
}

/// Replaces the content of a file atomically.
pub fn write(path: &Path, content: &[u8]) -> Result<(), RunError> {
    atomic::replace(path, content).map_err(RunError::file("write", path))
}

/// Replaces the content of a small file atomically, if [`read`] can read it again.
pub fn write_small(path: &Path, content: &[u8]) -> Result<(), RunError> {
    outside::replace(path, outside::SETTINGS, content).map_err(RunError::file("write", path))
}

pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RunError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| RunError::content(path, error))?;
    text.push(b'\n');
    write_small(path, &text)
}

/// Forces the names in a folder to the disk. Not every system can, so failures are ignored.
pub fn sync_folder(path: &Path) {
    let _ = temporary::sync_folder(path);
}

/// Whether a name is a single path component on every system, and has no invisible characters.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];
    let device = |stem: &str| {
        RESERVED.contains(&stem)
            || ["com", "lpt"].iter().any(|port| {
                stem.strip_prefix(port)
                    .is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
            })
    };
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    match name {
        "" => Err("it is empty"),
        _ if name.len() > 100 => Err("it has more than 100 bytes"),
        _ if name.chars().any(is_invisible) => Err("it has control characters or invisible characters"),
        _ if name.contains(['/', '\\']) => Err("it has a path separator"),
        _ if name.contains(['<', '>', ':', '"', '|', '?', '*']) => Err("it has one of < > : \" | ? *"),
        _ if name.starts_with('.') => Err("it starts with a period"),
        _ if name.starts_with('-') => Err("it starts with a dash, as an option does"),
        _ if name.ends_with('.') || name.trim() != name => Err("it starts or ends with a space or a period"),
        _ if device(&stem) => Err("some systems reserve that name for a device"),
        _ => Ok(()),
    }
}

/// Control characters, and those that hide or reorder their neighbors.
fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
