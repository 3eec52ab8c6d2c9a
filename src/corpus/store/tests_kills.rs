//! Corpora that a killed writer left.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use super::{
    PairSpans, Store, StoreError, StoreWriter,
    tests::{article, pair, small},
};
use crate::corpus::split::Scheme;

/// A corpus with a hot journal, as a process leaves it that was killed while it added a split in place. Returns the bytes
/// of the corpus before.
fn interrupted(folder: &Path) -> (PathBuf, Vec<u8>) {
    let (path, copy) = (folder.join("a.corpus"), folder.join("copy"));
    small(StoreWriter::create(&path).unwrap()).finish().unwrap();
    let before = fs::read(&path).unwrap();
    let connection = Connection::open(&path).unwrap();
    // A cache of no pages spills the change to the file before it is committed.
    connection
        .execute_batch("PRAGMA cache_size = 0; BEGIN; UPDATE split SET parts = zeroblob(100000)")
        .unwrap();
    for suffix in ["", "-journal"] {
        fs::copy(with(&path, suffix), with(&copy, suffix)).unwrap();
    }
    drop(connection);
    for suffix in ["", "-journal"] {
        fs::rename(with(&copy, suffix), with(&path, suffix)).unwrap();
    }
    assert_ne!(fs::read(&path).unwrap(), before);
    (path, before)
}

fn with(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

#[test]
fn a_hot_journal_is_rolled_back() {
    let folder = tempfile::tempdir().unwrap();
    let (path, before) = interrupted(folder.path());
    let store = Store::open(&path).unwrap();
    assert_eq!((store.pair_count(), store.stored_splits().unwrap().len()), (5, 2));
    assert!(fs::read(&path).unwrap() == before && !with(&path, "-journal").exists());
    let split = store.split(Scheme::Mixed, Some(7)).unwrap();
    store.keep_split(&split).unwrap();
    assert_eq!(Store::open(&path).unwrap().stored_splits().unwrap().len(), 3);
}

/// The folder is not made read-only, since the superuser could still write: SQLite fails at the file that it locks.
#[test]
#[cfg(unix)]
fn where_nothing_can_be_written_a_copy_is_rolled_back() {
    let folder = tempfile::tempdir().unwrap();
    let (path, before) = interrupted(folder.path());
    let torn = fs::read(&path).unwrap();
    let copy = super::journal::settle_copy(&path).unwrap();
    assert_eq!(fs::read(copy.path()).unwrap(), before);
    assert_eq!(fs::read(&path).unwrap(), torn);
    let place = copy.path();
    drop(copy);
    assert!(!place.exists());
}

#[test]
fn a_new_corpus_takes_nothing_of_the_old_one_along() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = interrupted(folder.path());
    fs::write(with(&path, "-wal"), "old").unwrap();
    let fingerprint = small(StoreWriter::create(&path).unwrap()).finish().unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(Store::open(&path).unwrap().fingerprint(), fingerprint);
}

#[test]
fn a_write_ahead_log_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    small(StoreWriter::create(&path).unwrap()).finish().unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    drop(connection);
    assert_eq!(Store::open(&path).unwrap().pair_count(), 5);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// SQLite deletes the file that such a journal names.
#[test]
fn a_journal_that_names_another_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = interrupted(folder.path());
    let thesis = folder.path().join("thesis.tex");
    fs::write(&thesis, "years of work").unwrap();
    let name = thesis.display().to_string();
    let mut journal = fs::read(with(&path, "-journal")).unwrap();
    let sum: u32 = name.bytes().map(u32::from).sum();
    // The page number that marks the record: that of the page which holds the lock byte at 1 GB.
    journal.extend(((1_u32 << 30) / 16_384 + 1).to_be_bytes());
    journal.extend(name.as_bytes());
    journal.extend((name.len() as u32).to_be_bytes());
    journal.extend(sum.to_be_bytes());
    journal.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    fs::write(with(&path, "-journal"), journal).unwrap();
    let error = Store::open(&path).err().unwrap();
    assert!(
        matches!(&error, StoreError::Damaged { what, .. } if what.contains("names another file")),
        "{error}"
    );
    assert!(thesis.exists());
}

#[test]
fn writers_of_one_corpus_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    small(StoreWriter::create(&path).unwrap()).finish().unwrap();
    std::thread::scope(|scope| {
        for seed in 1..=8 {
            let path = &path;
            scope.spawn(move || {
                let store = Store::open(path).unwrap();
                store.keep_split(&store.split(Scheme::Mixed, Some(seed)).unwrap()).unwrap();
            });
        }
    });
    let store = Store::open(&path).unwrap();
    assert_eq!(store.stored_splits().unwrap().len(), 2 + 8);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_split_is_not_added_to_another_corpus_of_the_same_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    small(StoreWriter::create(&path).unwrap()).finish().unwrap();
    let store = Store::open(&path).unwrap();
    let split = store.split(Scheme::Mixed, Some(3)).unwrap();
    let mut other = StoreWriter::create(&path).unwrap();
    let article = other.add_article(&article("0704.0004", &["math.NT"])).unwrap();
    other.add_pair(article, &pair("0704.0004", 1, "A prime", "Euclid"), PairSpans::default()).unwrap();
    other.finish().unwrap();
    assert!(matches!(store.keep_split(&split), Err(StoreError::Replaced { .. })));
}

#[test]
fn a_corpus_without_pairs_replaces_none_with_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    StoreWriter::create(&path).unwrap().finish().unwrap();
    small(StoreWriter::create(&path).unwrap()).finish().unwrap();
    let refused = StoreWriter::create(&path).unwrap().finish();
    assert!(matches!(refused, Err(StoreError::NoPairs { .. })), "{refused:?}");
    assert_eq!(Store::open(&path).unwrap().pair_count(), 5);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
