//! Exporting a corpus, or a part of one, to a file of pairs.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::header_key;
use crate::{
    base::{
        atomic::PendingFile,
        task::{CancelToken, Cancelled},
    },
    corpus::formats::{self, FormatError, Head, MatchHeader, NamedFormat, Report},
    corpus::{
        Article, Pair,
        annotations::Annotations,
        split::{Part, Split},
        store::{Store, StoreError},
    },
};

/// Transforms a pair before it is written.
pub type Transform<'a> = dyn Fn(&Article, &Pair) -> Pair + 'a;

/// Which pairs to write, and in which form.
#[derive(Clone, Copy, Default)]
pub struct Selection<'a> {
    /// Only these rows, in order; all rows if `None`.
    pub rows: Option<&'a [u32]>,
    pub part: Option<(&'a Split, Part)>,
    /// Applied to each pair before it is written: a level replaces the symbols of its proof.
    pub transform: Option<&'a Transform<'a>>,
    /// Labels and notes about the pairs, for the formats that have a place for them.
    pub annotations: Option<&'a Annotations>,
}

/// Why the export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("cannot write {}: {cause}", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Writes a file, which appears complete or not at all; never after a cancellation.
pub fn export(
    store: &Store,
    path: &Path,
    format: NamedFormat,
    selection: &Selection<'_>,
    cancel: &CancelToken,
) -> Result<Report, ExportError> {
    let name = path.display().to_string();
    let failed = |cause| ExportError::Write { path: path.to_owned(), cause };
    let mut file = PendingFile::create_output(path).map_err(failed)?;
    let report = export_to(store, &mut file, &name, format, selection, cancel)?;
    file.commit().map_err(failed)?;
    Ok(report)
}

/// Writes the pairs to any writer; `name` is used in error messages.
pub fn export_to(
    store: &Store,
    out: impl Write + Send,
    name: &str,
    format: NamedFormat,
    selection: &Selection<'_>,
    cancel: &CancelToken,
) -> Result<Report, ExportError> {
    let (header, articles) = head(store, format, selection, cancel)?;
    let head = match &header {
        Some(header) => Head::Kept(header),
        None => Head::Articles(&articles),
    };
    let mut writer = formats::create(out, name, format, head)?;
    for_each_selected(store, selection, cancel, |article, pair| {
        let transformed = selection.transform.map(|transform| transform(article, pair));
        let written = transformed.as_ref().unwrap_or(pair);
        let annotation =
            selection.annotations.and_then(|annotations| annotations.pairs.get(&pair.id.to_string()));
        match annotation {
            Some(annotation) => writer.annotated_pair(article, written, annotation)?,
            None => writer.pair(article, written)?,
        }
        Ok(())
    })?;
    let report = writer.finish()?;
    // It may have been cancelled while the end was written.
    cancel.check()?;
    Ok(report)
}

/// Reads a few rows one by one, and a part in one pass over the corpus.
fn for_each_selected(
    store: &Store,
    selection: &Selection<'_>,
    cancel: &CancelToken,
    mut visit: impl FnMut(&Article, &Pair) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut visit = |article: &Article, pair: &Pair| {
        cancel.check()?;
        visit(article, pair)
    };
    let Some(rows) = selection.rows else {
        return store.for_each_pair(selection.part, |_, article, pair| visit(article, pair));
    };
    let is_in_part = |row: u32| selection.part.is_none_or(|(split, part)| split.part(row) == Some(part));
    for row in rows.iter().copied().filter(|row| is_in_part(*row)) {
        if let Some((article, pair)) = store.pair_at(row)? {
            visit(&article, &pair)?;
        }
    }
    Ok(())
}

/// A released file begins with its articles: as in the imported file, or those of the pairs.
fn head(
    store: &Store,
    format: NamedFormat,
    selection: &Selection<'_>,
    cancel: &CancelToken,
) -> Result<(Option<MatchHeader>, Vec<Article>), ExportError> {
    if format.format != formats::Format::Match {
        return Ok((None, Vec::new()));
    }
    let origin =
        selection.part.filter(|(split, _)| split.seed.is_none()).map(|(split, part)| (split.scheme, part));
    if selection.rows.is_none() && (selection.part.is_none() || origin.is_some()) {
        let kept = store.meta(&header_key(origin))?;
        if let Some(header) = kept.and_then(|encoded| serde_json::from_str(&encoded).ok()) {
            return Ok((Some(header), Vec::new()));
        }
    }
    let mut articles = BTreeMap::new();
    for_each_selected(store, selection, cancel, |article, _| {
        if !articles.contains_key(&article.id) {
            articles.insert(article.id.clone(), article.clone());
        }
        Ok(())
    })?;
    Ok((None, articles.into_values().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{annotations::Annotation, demo, exchange::read_pair_from, formats::Format};

    #[test]
    fn labels_and_notes_are_written_where_the_format_has_a_place_for_them() {
        let store = demo::corpus().unwrap();
        let (_, noted) = store.pair_at(3).unwrap().unwrap();
        let annotation = Annotation { label: "wrong".to_owned(), note: "uses \"Fatou\"".to_owned() };
        let annotations = Annotations { pairs: [(noted.id.to_string(), annotation)].into() };
        let written = |format, annotations| {
            let selection = Selection { rows: Some(&[3, 4]), annotations, ..Selection::default() };
            let format = NamedFormat { format, compressed: false };
            let mut out = Vec::new();
            export_to(&store, &mut out, "out", format, &selection, &CancelToken::new()).unwrap();
            String::from_utf8(out).unwrap()
        };
        let lines = written(Format::JsonLines, Some(&annotations));
        let found: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let expected = serde_json::json!({ "label": "wrong", "note": "uses \"Fatou\"" });
        assert_eq!((found[0].get("annotation"), found[1].get("annotation")), (Some(&expected), None));
        let (_, again) = read_pair_from(lines.as_bytes()).unwrap();
        assert_eq!(again, noted);
        for format in [Format::Csv, Format::Match] {
            assert_eq!(written(format, Some(&annotations)), written(format, None));
        }
    }
}
