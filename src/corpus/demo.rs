//! The embedded demo: forty short articles of our own, so that everything works without any files.
//!
//! The articles are stored as LaTeXML wrote them, compressed. The corpus is extracted from them in memory each time,
//! which takes some tens of milliseconds and goes through the same code as any other article.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{
    base::{atomic, outside, task::Task},
    corpus::extract::{
        ExtractError, ExtractRequest,
        decode::decode,
        manifest::{FILE_NAME as MANIFEST, Manifest},
        options::Options,
        source::{Inputs, Limits},
    },
    corpus::store::{ARTICLES, Store, StoreError, StoreWriter},
};

/// The name of the demo corpus on the command line, in sessions and in run files.
pub const DEMO: &str = "demo";

/// Built by `assets/demo/convert.sh`.
const PACKED: &[u8] = include_bytes!("../../assets/demo/articles.tar.zst");

/// Why the demo is not available.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    #[error("the embedded articles are damaged: {0}")]
    Damaged(io::Error),
    #[error("cannot write {}: {cause}", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error("{} already exists and is not from the demo; choose another folder", path.display())]
    Occupied { path: PathBuf },
    #[error("there is no embedded article {0}")]
    NoArticle(String),
    #[error(transparent)]
    Extract(#[from] ExtractError),
}

/// Extracts the demo corpus in memory.
pub fn corpus() -> Result<Store, DemoError> {
    let Unpacked { manifest, articles } = unpack()?;
    let request = ExtractRequest {
        inputs: Inputs::loaded(articles),
        options: Options::default(),
        limits: Limits::default(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        manifest: Some(Manifest::parse(&manifest[..], Path::new(MANIFEST)).map_err(ExtractError::from)?),
        report: None,
    };
    let writer = StoreWriter::in_memory().map_err(ExtractError::from)?;
    let (mut writer, _) = crate::corpus::extract::extract(request, writer, &Task::unobserved())?;
    // Its articles are read again from here and not from files.
    writer.set_meta(ARTICLES, DEMO).map_err(ExtractError::from)?;
    Ok(writer.into_store().map_err(ExtractError::from)?)
}

/// Whether a corpus was extracted from the embedded articles.
pub fn is_demo(store: &Store) -> Result<bool, StoreError> {
    Ok(store.meta(ARTICLES)?.as_deref() == Some(DEMO))
}

/// Returns the text of an embedded article, given its file name.
pub fn article(file: &str) -> Result<String, DemoError> {
    let found = articles()?.into_iter().find(|(name, _)| name == file);
    let (_, content) = found.ok_or_else(|| DemoError::NoArticle(file.to_owned()))?;
    let text = decode(&content).map_err(|cause| DemoError::Damaged(io::Error::other(cause.to_string())))?;
    Ok(text.into_owned())
}

/// Returns the embedded articles with their file names.
pub(crate) fn articles() -> Result<Vec<(String, Vec<u8>)>, DemoError> {
    Ok(unpack()?.articles)
}

/// Writes articles and manifest to a folder; returns the number of articles.
pub fn write(folder: &Path) -> Result<u64, DemoError> {
    let Unpacked { manifest, articles } = unpack()?;
    let error = |path: &Path| {
        let path = path.to_owned();
        move |cause| DemoError::Write { path, cause }
    };
    fs::create_dir_all(folder).map_err(error(folder))?;
    let count = articles.len() as u64;
    for (name, content) in articles.into_iter().chain([(MANIFEST.to_owned(), manifest)]) {
        let path = folder.join(name);
        // A file of the same name is the user's own, unless an earlier call wrote it.
        if path.exists() && !outside::read(&path, outside::SETTINGS).is_ok_and(|found| found == content) {
            return Err(DemoError::Occupied { path });
        }
        atomic::replace(&path, &content).map_err(error(&path))?;
    }
    Ok(count)
}

/// The decompressed archive.
struct Unpacked {
    manifest: Vec<u8>,
    /// With their file names.
    articles: Vec<(String, Vec<u8>)>,
}

fn unpack() -> Result<Unpacked, DemoError> {
    let unpacked = zstd::stream::decode_all(PACKED).map_err(DemoError::Damaged)?;
    let mut archive = tar::Archive::new(&unpacked[..]);
    let (mut manifest, mut articles) = (Vec::new(), Vec::new());
    for entry in archive.entries().map_err(DemoError::Damaged)? {
        let mut entry = entry.map_err(DemoError::Damaged)?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(DemoError::Damaged)?;
        match name == MANIFEST {
            true => manifest = content,
            false => articles.push((name, content)),
        }
    }
    Ok(Unpacked { manifest, articles })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::corpus::Dialect;

    #[test]
    fn the_demo_is_what_the_readme_promises() {
        let store = corpus().unwrap();
        let articles = store.articles().unwrap();
        assert_eq!(articles.len(), 40);
        for found in &articles {
            assert!((5..=9).contains(&found.pairs), "{} has {} pairs", found.article.id, found.pairs);
            assert!(!found.article.title.is_empty());
        }
        let primary: BTreeSet<&str> = articles.iter().map(|found| found.article.primary()).collect();
        assert!(primary.len() >= 12, "{primary:?}");
        let dialects: BTreeSet<Dialect> = articles.iter().map(|found| found.article.dialect).collect();
        assert_eq!(dialects.into_iter().collect::<Vec<_>>(), [Dialect::Mrec, Dialect::Xhtml, Dialect::Html5]);
    }
}
