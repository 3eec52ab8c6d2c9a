//! Articles in a tar stream.

use std::{cell::Cell, io::Read, ops::ControlFlow, path::Path, rc::Rc};

use super::{
    ArticleLocation, Item, Limits, file_name, is_inner_archive, is_listed, is_safe,
    packed::{broken, cause_of},
    stream::read_bounded,
};
use crate::corpus::{extract::problem::Unreadable, unpacking::Metered};

/// Limit on the headers of an entry, including names; names on disk have at most 4 KB.
const LONGEST_NAMES: u64 = 1 << 20;

/// A tar archive that is being read.
pub struct Tarball<'a> {
    pub input: u32,
    pub path: &'a Path,
    /// Progress when the archive began.
    pub before: u64,
    /// How much of the file has been read.
    pub packed: Rc<Cell<u64>>,
}

impl Tarball<'_> {
    /// Reads the entries in the archive's order. A damaged archive yields the entries before the damage.
    pub fn each(
        &self,
        stream: impl Read,
        limits: Limits,
        take: &mut dyn FnMut(Item) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (stream, allowance) = Metered::limited(stream);
        let mut archive = tar::Archive::new(stream);
        let mut entries = match archive.entries() {
            Ok(entries) => entries,
            Err(error) => {
                return take(broken(self.input, self.path, self.progress(), cause_of(&error, limits)));
            }
        };
        let mut unread = 0;
        loop {
            // Before an entry come the unread rest of the previous one, and long names, which are read whole.
            allowance.set(LONGEST_NAMES.saturating_add(unread));
            let entry = match entries.next() {
                Some(Ok(entry)) => entry,
                Some(Err(error)) => {
                    return take(broken(self.input, self.path, self.progress(), cause_of(&error, limits)));
                }
                None => return ControlFlow::Continue(()),
            };
            allowance.set(u64::MAX);
            let is_sparse = entry.header().entry_type().is_gnu_sparse();
            unread = if is_sparse { entry.header().entry_size().unwrap_or(0) } else { entry.size() };
            if let Some(item) = self.read(entry, limits) {
                take(item)?;
            }
        }
    }

    fn read(&self, entry: tar::Entry<'_, impl Read>, limits: Limits) -> Option<Item> {
        let kind = entry.header().entry_type();
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if !is_listed(&name) || (kind.is_dir() && is_safe(&name)) {
            return None;
        }
        let size = entry.size();
        let content = if !is_safe(&name) {
            Err(Unreadable::UnsafeName)
        } else if kind.is_symlink() || kind.is_hard_link() {
            Err(Unreadable::Link)
        } else if !(kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse()) {
            return None;
        } else if is_inner_archive(&name) {
            Err(Unreadable::InnerArchive)
        } else if size > limits.article {
            Err(Unreadable::TooLarge { limit: limits.article })
        } else {
            read_bounded(entry, size, limits.article)
        };
        let name = name.trim_start_matches("./");
        Some(Item {
            location: ArticleLocation {
                input: self.input,
                name: file_name(name.trim_end_matches('/')).to_owned(),
                path: name.to_owned(),
            },
            source: format!("{}!{name}", self.path.display()),
            content,
            progress: self.progress(),
        })
    }

    fn progress(&self) -> u64 {
        self.before + self.packed.get()
    }
}
