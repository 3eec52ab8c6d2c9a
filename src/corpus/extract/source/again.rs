//! Reading one article again, from the location that a corpus stores.
//!
//! A corpus file is untrusted, so the same limits apply as in an extraction: no pipes, no devices, no article beyond
//! the limits.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use super::{Inputs, Limits};
use crate::{
    base::task::CancelToken,
    corpus::extract::{decode::decode, problem::Unreadable},
};

/// Why an article cannot be read again.
#[derive(Debug, thiserror::Error)]
pub enum AgainError {
    #[error("the article no longer exists: {location}")]
    Gone { location: String },
    #[error("cannot read the article {location} again: {cause}")]
    Unreadable { location: String, cause: Unreadable },
    #[error("stopped before the article was found")]
    Stopped,
}

/// Returns the text of an article. `source` is a path, or an archive's path, `!` and the entry. A relative path is
/// resolved against the working folder, then against `beside`.
pub fn read_again(
    source: &str,
    beside: Option<&Path>,
    limits: Limits,
    cancel: &CancelToken,
) -> Result<String, AgainError> {
    let gone = || AgainError::Gone { location: source.to_owned() };
    let (path, entry) = locate(source, beside).ok_or_else(gone)?;
    let inputs = Inputs::open(&[path]).map_err(|_| gone())?;
    let mut found = None;
    inputs.each(limits, &mut |item| {
        let is_it =
            entry.is_none_or(|entry| item.source.rsplit_once('!').is_some_and(|(_, name)| name == entry));
        if cancel.is_cancelled() {
            return ControlFlow::Break(());
        }
        if !is_it {
            return ControlFlow::Continue(());
        }
        found = Some(item.content);
        ControlFlow::Break(())
    });
    if cancel.is_cancelled() {
        return Err(AgainError::Stopped);
    }
    let unreadable = |cause| AgainError::Unreadable { location: source.to_owned(), cause };
    let content = found.ok_or_else(gone)?.map_err(unreadable)?;
    let text = decode(&content).map_err(unreadable)?;
    Ok(text.into_owned())
}

/// Returns the file to open and, for an archive, the entry; none if it is gone.
pub fn locate<'a>(source: &'a str, beside: Option<&Path>) -> Option<(PathBuf, Option<&'a str>)> {
    let is_file = |path: &Path| path.metadata().is_ok_and(|data| data.is_file());
    let folders = [Some(Path::new("")), beside.filter(|_| Path::new(source).is_relative())];
    for folder in folders.into_iter().flatten() {
        let whole = folder.join(source);
        if is_file(&whole) {
            return Some((whole, None));
        }
        // Both names may contain exclamation marks.
        for (at, _) in source.match_indices('!') {
            let archive = folder.join(&source[..at]);
            if is_file(&archive) {
                return Some((archive, Some(&source[at + 1..])));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_article_is_found_again_or_said_to_be_gone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a!b.xhtml"), "<p>é</p>").unwrap();
        let read =
            |source: &str| read_again(source, Some(folder.path()), Limits::default(), &CancelToken::new());
        assert_eq!(read("a!b.xhtml").unwrap(), "<p>é</p>");
        assert_eq!(read(&folder.path().join("a!b.xhtml").to_string_lossy()).unwrap(), "<p>é</p>");
        for gone in ["c.xhtml", "", "a!c", "/nowhere/x!y"] {
            assert!(matches!(read(gone), Err(AgainError::Gone { .. })), "{gone}");
        }
        let small = Limits { article: 3, ..Limits::default() };
        assert!(matches!(
            read_again("a!b.xhtml", Some(folder.path()), small, &CancelToken::new()),
            Err(AgainError::Unreadable { .. })
        ));
    }

    #[test]
    fn an_entry_of_an_archive_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.tar");
        let mut archive = tar::Builder::new(fs::File::create(&path).unwrap());
        for (name, text) in [("x/a.xhtml", "<p>a</p>"), ("x/b.xhtml", "<p>b</p>")] {
            let mut header = tar::Header::new_ustar();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
        archive.into_inner().unwrap();
        let read = |entry: &str| {
            read_again(&format!("{}!{entry}", path.display()), None, Limits::default(), &CancelToken::new())
        };
        assert_eq!(read("x/b.xhtml").unwrap(), "<p>b</p>");
        assert!(matches!(read("x/c.xhtml"), Err(AgainError::Gone { .. })));
    }
}
