//! Laws that hold for every format.

use std::{io::Write, path::Path};

use proptest::prelude::*;

use super::{
    Format, Head, Import, ImportError, Limits, NamedFormat, create,
    samples::{Collected, corpora},
};
use crate::corpus::{Article, Pair};

fn write(named: NamedFormat, corpus: &[(Article, Pair)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let articles: Vec<Article> = corpus.iter().map(|(article, _)| article.clone()).collect();
    let mut writer = create(&mut bytes, "some file", named, Head::Articles(&articles)).unwrap();
    for (article, pair) in corpus {
        writer.pair(article, pair).unwrap();
    }
    writer.finish().unwrap();
    bytes
}

fn read(format: Format, bytes: &[u8]) -> Result<Collected, String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let mut collected = Collected::default();
    let limits = Limits { line: 1 << 20, pair: 1 << 20, header: 1 << 20 };
    match Import::new(limits).file(file.path(), Some(format), &mut collected) {
        Ok(_) => Ok(collected),
        Err(ImportError::Format(error)) => Err(error.to_string()),
    }
}

fn rows(collected: &Collected) -> Vec<(Article, Pair)> {
    collected.pairs.iter().map(|pair| (collected.article_of(pair).clone(), pair.clone())).collect()
}

fn named(format: Format, compressed: bool) -> NamedFormat {
    NamedFormat { format, compressed }
}

proptest! {
    /// What is written comes back equal, and is written again with the same bytes.
    #[test]
    fn nothing_is_lost(corpus in corpora(), compressed: bool) {
        for format in [Format::JsonLines, Format::Parquet] {
            let named = named(format, compressed);
            let bytes = write(named, &corpus);
            let again = rows(&read(format, &bytes).unwrap());
            prop_assert_eq!(&again, &corpus);
            prop_assert_eq!(write(named, &again), bytes);
        }
    }

    /// A released file keeps articles, ids and runs, and comes back byte for byte.
    #[test]
    fn released_text_is_stable(corpus in corpora(), compressed: bool) {
        let named = named(Format::Match, compressed);
        let bytes = write(named, &corpus);
        let collected = read(Format::Match, &bytes).unwrap();
        prop_assert_eq!(collected.pairs.len(), corpus.len());
        for (pair, (_, original)) in collected.pairs.iter().zip(&corpus) {
            prop_assert_eq!(&pair.id, &original.id);
            prop_assert!(pair.statement.tokens().eq(original.statement.tokens()));
            prop_assert!(pair.proof.tokens().eq(original.proof.tokens()));
        }
        let mut again = Vec::new();
        let mut writer = create(&mut again, "some file", named, Head::Kept(&collected.headers[0])).unwrap();
        for pair in &collected.pairs {
            writer.pair(collected.article_of(pair), pair).unwrap();
        }
        writer.finish().unwrap();
        prop_assert_eq!(again, bytes);
    }

    /// Wrong blank lines and line ends never merge or split the pairs of a released file.
    #[test]
    fn sloppy_copies_keep_every_pair(corpus in corpora(), blanks in 0usize..4, windows: bool, cut: bool) {
        let bytes = write(named(Format::Match, false), &corpus);
        let mut text = String::from_utf8(bytes).unwrap();
        let clean = read(Format::Match, text.as_bytes()).unwrap();
        text = text.replace("\n\n", &"\n".repeat(blanks + 1));
        if cut {
            text.truncate(text.trim_end_matches('\n').len());
        }
        if windows {
            text = text.replace('\n', "\r\n");
        }
        let sloppy = read(Format::Match, text.as_bytes()).unwrap();
        prop_assert_eq!(sloppy.pairs, clean.pairs);
    }

    /// A table of words has one row per pair; reading and writing it again changes no byte.
    #[test]
    fn csv_is_stable(corpus in corpora()) {
        let bytes = write(named(Format::Csv, false), &corpus);
        let collected = read(Format::Csv, &bytes).unwrap();
        prop_assert_eq!(collected.pairs.len(), corpus.len());
        prop_assert_eq!(write(named(Format::Csv, false), &rows(&collected)), bytes);
    }

    /// A reader returns for any bytes.
    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), text in "[0-9a|_\t\r\n{}\",.text]{0,200}") {
        for format in Format::ALL {
            let _ = read(format, &bytes);
            let _ = read(format, text.as_bytes());
            let _ = read(format, &[b"PAR1".as_slice(), &bytes, b"PAR1"].concat());
        }
        let _ = Format::from_content(&bytes);
    }

    /// A damaged file is read or rejected, without a panic.
    #[test]
    fn damaged_files_never_panic(
        corpus in corpora(),
        compressed: bool,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..4), 1..6),
    ) {
        for format in Format::ALL {
            let mut bytes = write(named(format, compressed), &corpus);
            for (place, byte, edit) in &edits {
                if bytes.is_empty() {
                    break;
                }
                let at = place.index(bytes.len());
                match edit {
                    0 => bytes[at] = *byte,
                    1 => { bytes.remove(at); }
                    2 => bytes.insert(at, *byte),
                    _ => bytes.truncate(at),
                }
            }
            let _ = read(format, &bytes);
        }
    }
}

#[test]
fn names_of_files_that_do_not_exist_are_told() {
    let error =
        Import::default().file(Path::new("/nowhere/x.jsonl"), None, &mut Collected::default()).unwrap_err();
    assert!(error.to_string().starts_with("cannot open /nowhere/x.jsonl: "), "{error}");
}
