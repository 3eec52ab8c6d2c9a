//! Detecting the format of a file by its name, else by its first bytes.

use std::path::Path;

use super::{error::FormatError, input, released::ReleasedName};

/// A file format for pairs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::EnumString, strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
pub enum Format {
    /// The released MATcH text.
    Match,
    #[strum(serialize = "jsonl")]
    JsonLines,
    Parquet,
    Csv,
}

/// The format according to a file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedFormat {
    pub format: Format,
    /// The name ends in `.zst`.
    pub compressed: bool,
}

/// How much of a file is examined.
const HEAD: u64 = 64 << 10;

impl Format {
    pub const ALL: [Format; 4] = [Format::Match, Format::JsonLines, Format::Parquet, Format::Csv];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The format according to the file's name, if the name is conclusive.
    pub fn from_file_name(path: &Path) -> Option<NamedFormat> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let (name, compressed) = match name.strip_suffix(".zst") {
            Some(name) => (name, true),
            None => (name.as_str(), false),
        };
        let format = match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("jsonl" | "ndjson") => Format::JsonLines,
            Some("parquet") => Format::Parquet,
            Some("csv") => Format::Csv,
            Some("match") => Format::Match,
            _ if ReleasedName::parse(name).is_some() => Format::Match,
            _ => return None,
        };
        Some(NamedFormat { format, compressed })
    }

    /// The format of an existing file, by its name, else by its content.
    pub fn of(path: &Path) -> Result<Format, FormatError> {
        if let Some(named) = Format::from_file_name(path) {
            return Ok(named.format);
        }
        let head = input::head(path, HEAD)?;
        Format::from_content(&head)
            .ok_or_else(|| FormatError::UnknownFormat { file: path.display().to_string() })
    }

    /// The format of a file with these first bytes.
    pub fn from_content(head: &[u8]) -> Option<Format> {
        if head.starts_with(b"PAR1") {
            return Some(Format::Parquet);
        }
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('{') {
            return Some(Format::JsonLines);
        }
        let mut lines = text.lines();
        let first = lines.next()?;
        let columns: Vec<&str> = first.split(',').map(|column| column.trim_matches(['"', ' '])).collect();
        if columns.contains(&"theory") && columns.contains(&"proof") {
            return Some(Format::Csv);
        }
        let is_count =
            first.trim().parse::<u64>().is_ok() && lines.next().is_none_or(|line| line.trim().is_empty());
        let has_separator = text.lines().any(|line| line == super::match_text::SEPARATOR);
        (is_count || has_separator).then_some(Format::Match)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_determine_the_format() {
        let check = |name: &str, expected: Option<(Format, bool)>| {
            let found = Format::from_file_name(Path::new(name)).map(|named| (named.format, named.compressed));
            assert_eq!(found, expected, "{name}");
        };
        check("a/b.jsonl", Some((Format::JsonLines, false)));
        check("b.JSONL.zst", Some((Format::JsonLines, true)));
        check("x.parquet", Some((Format::Parquet, false)));
        check("x.csv", Some((Format::Csv, false)));
        check("match/mixed_full_train", Some((Format::Match, false)));
        check("mixed_full_train.csv", Some((Format::Csv, false)));
        check("pairs.txt", None);
        check("..", None);
    }

    #[test]
    fn content_determines_the_format() {
        let check =
            |head: &str, expected| assert_eq!(Format::from_content(head.as_bytes()), expected, "{head}");
        check("PAR1....", Some(Format::Parquet));
        check("\n {\"id\":1}", Some(Format::JsonLines));
        check(",theory,proof,meta\n", Some(Format::Csv));
        check("12\n\n0704.0001\tmath.AG\tTitle\n", Some(Format::Match));
        check("0704.0001|x\n____________\ntext\ta\n", Some(Format::Match));
        check("Dear reader", None);
        check("", None);
    }

    #[test]
    fn formats_are_found_by_their_names() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
    }
}
