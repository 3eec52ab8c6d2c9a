//! Metadata from a file beside the articles: a TSV manifest, or arXiv's own snapshot in JSON Lines.
//!
//! The snapshot has millions of lines, too many for memory, so the rows go into a temporary SQLite table (which spills
//! to disk by itself) and are looked up one by one.

use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OptionalExtension, params};
use serde::Deserialize;

use super::own_metadata::{Metadata, split_categories, without_version};
use crate::base::outside;

/// The name of the manifest that lies beside the demo's articles and beside generated ones, and its header.
pub const FILE_NAME: &str = "manifest.tsv";
pub const HEADER: &str = "file\tarxiv_id\tcategories\ttitle";

/// The longest lines of arXiv's snapshot have some 20,000 bytes.
const LONGEST_LINE: usize = 1 << 20;

/// The manifest in a folder of articles, if it has one of that name.
pub fn beside_articles(input: &Path) -> Option<PathBuf> {
    Some(input.join(FILE_NAME)).filter(|path| input.is_dir() && path.is_file())
}

/// Metadata by file name and by arXiv id.
pub struct Manifest {
    table: Connection,
}

/// Why a manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("cannot read the metadata in {}: {cause}", path.display())]
    Read { path: PathBuf, cause: std::io::Error },
    #[error("{} line {line}: {cause}", path.display())]
    Line { path: PathBuf, line: usize, cause: String },
    #[error("cannot store the metadata of {}: {cause}", path.display())]
    Keep { path: PathBuf, cause: rusqlite::Error },
}

/// A line of arXiv's snapshot; it has many more fields.
#[derive(Deserialize)]
struct SnapshotLine {
    id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    categories: String,
}

impl Manifest {
    /// Reads a manifest; lines that begin with `{` make it JSON Lines, anything else a TSV with a header.
    pub fn read(path: &Path) -> Result<Manifest, ManifestError> {
        let read_error = |cause| ManifestError::Read { path: path.to_owned(), cause };
        let (file, _) = outside::open_sized(path, outside::METADATA).map_err(read_error)?;
        Manifest::parse(file, path)
    }

    /// Reads a manifest from any reader; `path` is used in error messages.
    pub fn parse(content: impl Read, path: &Path) -> Result<Manifest, ManifestError> {
        let read_error = |cause| ManifestError::Read { path: path.to_owned(), cause };
        let keep_error = |cause| ManifestError::Keep { path: path.to_owned(), cause };
        // A database without a name is private, temporary, and on disk only when it grows.
        let table = Connection::open("").map_err(keep_error)?;
        table
            .execute_batch(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;
                 CREATE TABLE entry (key TEXT PRIMARY KEY, id TEXT, categories TEXT, title TEXT) WITHOUT ROWID;
                 BEGIN;",
            )
            .map_err(keep_error)?;
        let manifest = Manifest { table };
        let mut columns: Option<Columns> = None;
        let mut reader = BufReader::new(content);
        let mut bytes = Vec::new();
        for line in 1.. {
            bytes.clear();
            let limit = LONGEST_LINE as u64 + 1;
            if reader.by_ref().take(limit).read_until(b'\n', &mut bytes).map_err(read_error)? == 0 {
                break;
            }
            let line_error = |cause| ManifestError::Line { path: path.to_owned(), line, cause };
            if bytes.len() > LONGEST_LINE {
                return Err(line_error(format!(
                    "it is longer than {LONGEST_LINE} bytes, so this is not a table"
                )));
            }
            let text = std::str::from_utf8(&bytes).map_err(|error| {
                line_error(format!("byte {} is not valid UTF-8", error.valid_up_to() + 1))
            })?;
            let text = text.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']);
            if text.trim().is_empty() {
                continue;
            }
            if text.starts_with('{') {
                let entry: SnapshotLine =
                    serde_json::from_str(text).map_err(|error| line_error(error.to_string()))?;
                manifest.keep(&entry.id, &entry.id, &entry.categories, &entry.title).map_err(keep_error)?;
                continue;
            }
            match &columns {
                None => columns = Some(Columns::from_header(text).map_err(line_error)?),
                Some(columns) => {
                    let fields: Vec<&str> = text.split('\t').collect();
                    let (file, id) = (columns.file(&fields), columns.id(&fields));
                    for key in [file, id].into_iter().filter(|key| !key.is_empty()) {
                        manifest
                            .keep(key, id, columns.categories(&fields), columns.title(&fields))
                            .map_err(keep_error)?;
                    }
                }
            }
        }
        manifest.table.execute_batch("COMMIT;").map_err(keep_error)?;
        Ok(manifest)
    }

    /// Looks up an article by its file name or its id.
    pub fn find(&self, file: &str, id: &str) -> Result<Option<Metadata>, rusqlite::Error> {
        let stem = without_version(stem_of(file));
        // Old identifiers have a slash, which file names lose: math0511162, math_0511162, math-0511162.
        let slashed = with_slash(stem);
        for key in [file, id, stem, slashed.as_deref().unwrap_or("")] {
            if key.is_empty() {
                continue;
            }
            let found = self
                .table
                .prepare_cached("SELECT id, categories, title FROM entry WHERE key = ?1")?
                .query_row([key], |row| {
                    let categories: String = row.get(1)?;
                    Ok(Metadata {
                        id: row.get(0)?,
                        categories: split_categories(&categories),
                        title: row.get(2)?,
                    })
                })
                .optional()?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn keep(&self, key: &str, id: &str, categories: &str, title: &str) -> Result<(), rusqlite::Error> {
        // Titles in the snapshot are broken over lines.
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        self.table
            .prepare_cached("INSERT OR IGNORE INTO entry VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![key, id, categories, title])?;
        Ok(())
    }
}

/// The file's name without folder and extension.
pub fn stem_of(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    ["xhtml", "html", "htm", "xml"]
        .iter()
        .find_map(|extension| name.strip_suffix(extension)?.strip_suffix('.'))
        .unwrap_or(name)
}

fn with_slash(stem: &str) -> Option<String> {
    let digits = stem.len().checked_sub(7)?;
    let number = stem.get(digits..)?;
    let archive = stem.get(..digits)?.trim_end_matches(['_', '-']);
    let is_old = !archive.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && archive.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-.".contains(&byte));
    is_old.then(|| format!("{archive}/{number}"))
}

/// The columns of a TSV.
struct Columns {
    file: Option<usize>,
    id: Option<usize>,
    categories: Option<usize>,
    title: Option<usize>,
}

impl Columns {
    fn from_header(header: &str) -> Result<Columns, String> {
        let names: Vec<String> = header.split('\t').map(|name| name.trim().to_lowercase()).collect();
        let find = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
        let columns = Columns {
            file: find(&["file", "filename", "path"]),
            id: find(&["arxiv_id", "id", "arxivid", "arxiv"]),
            categories: find(&["categories", "category"]),
            title: find(&["title"]),
        };
        if columns.file.is_none() && columns.id.is_none() {
            return Err(
                "the first line must name the columns, `file` or `arxiv_id` among them, separated by tabs"
                    .to_owned(),
            );
        }
        Ok(columns)
    }

    fn file<'a>(&self, fields: &[&'a str]) -> &'a str {
        let path = field(fields, self.file);
        path.rsplit('/').next().unwrap_or(path)
    }

    fn id<'a>(&self, fields: &[&'a str]) -> &'a str {
        field(fields, self.id)
    }

    fn categories<'a>(&self, fields: &[&'a str]) -> &'a str {
        field(fields, self.categories)
    }

    fn title<'a>(&self, fields: &[&'a str]) -> &'a str {
        field(fields, self.title)
    }
}

fn field<'a>(fields: &[&'a str], column: Option<usize>) -> &'a str {
    column.and_then(|column| fields.get(column)).map_or("", |field| field.trim())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn manifest(text: &str) -> Result<Manifest, ManifestError> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        Manifest::read(file.path())
    }

    #[test]
    fn a_table_is_queried_by_file_or_id() {
        let table =
            manifest("file\tarxiv_id\tcategories\ttitle\na.xhtml\t9901.1\tmath.AG math.AC\tOn  rings\n")
                .unwrap();
        let found = table.find("a.xhtml", "").unwrap().unwrap();
        assert_eq!((found.id.as_str(), found.title.as_str()), ("9901.1", "On rings"));
        assert_eq!(found.categories, ["math.AG", "math.AC"]);
        assert!(table.find("", "9901.1").unwrap().is_some());
        assert!(table.find("b.xhtml", "").unwrap().is_none());
    }

    #[test]
    fn the_snapshot_is_queried_by_the_id_in_a_file_name() {
        let line = r#"{"id":"math/0511162","title":"On\n  groups","categories":"math.GR","extra":[1]}"#;
        let snapshot = manifest(&format!("{line}\n{}\n", line.replace("math/0511162", "0704.0001"))).unwrap();
        for file in ["math0511162.xhtml", "math_0511162v2.html", "0704.0001v1.html", "0704.0001.xhtml"] {
            assert_eq!(
                snapshot.find(file, "").unwrap().map(|found| found.title).as_deref(),
                Some("On groups"),
                "{file}"
            );
        }
    }

    #[test]
    fn invalid_manifests_are_errors() {
        assert!(matches!(manifest("just\ttext\n"), Err(ManifestError::Line { line: 1, .. })));
        assert!(matches!(manifest("{\"id\": 3}\n"), Err(ManifestError::Line { line: 1, .. })));
        assert!(matches!(Manifest::read(Path::new("/no/such/file")), Err(ManifestError::Read { .. })));
    }
}
