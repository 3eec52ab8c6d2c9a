//! The corpora that were opened lately: a file of paths in the workspace, the newest first.

use std::path::{Path, PathBuf};

use crate::{
    base::{atomic, outside, workspace::Workspace},
    corpus::demo::DEMO,
};

/// Older ones are forgotten.
const MOST: usize = 20;

fn file(workspace: &Workspace) -> PathBuf {
    workspace.root().join("recent-corpora.txt")
}

/// The paths of the corpora that still exist.
pub fn corpora(workspace: &Workspace) -> Vec<String> {
    let text = outside::read_text(&file(workspace), outside::SETTINGS).unwrap_or_default();
    let paths = text.lines().filter(|path| Path::new(path).is_file());
    paths.take(MOST).map(str::to_owned).collect()
}

/// Puts a corpus first. The list is a convenience, so failures to write it are ignored.
pub fn remember(workspace: &Workspace, corpus: &str) {
    let Ok(path) = Path::new(corpus).canonicalize() else { return };
    let path = path.display().to_string();
    let known = corpora(workspace);
    if corpus == DEMO || path.contains('\n') || known.first() == Some(&path) {
        return;
    }
    let others = known.into_iter().filter(|other| *other != path);
    let lines: Vec<String> = std::iter::once(path.clone()).chain(others).take(MOST).collect();
    let _ = atomic::replace(&file(workspace), (lines.join("\n") + "\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_first_and_what_is_gone_is_not_listed() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        let path = |name: &str| home.path().canonicalize().unwrap().join(name).display().to_string();
        for name in ["a.corpus", "b.corpus"] {
            std::fs::write(path(name), "").unwrap();
            remember(&workspace, &path(name));
        }
        remember(&workspace, DEMO);
        remember(&workspace, &path("a.corpus"));
        assert_eq!(corpora(&workspace), [path("a.corpus"), path("b.corpus")]);
        std::fs::remove_file(path("a.corpus")).unwrap();
        assert_eq!(corpora(&workspace), [path("b.corpus")]);
    }
}
