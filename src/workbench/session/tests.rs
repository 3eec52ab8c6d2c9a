//! What holds for sessions: they are read as they were written, and nothing is ever lost.

use std::{collections::BTreeMap, fs, path::Path};

use proptest::{collection::vec, option, prelude::*};

use super::*;
use crate::{
    base::workspace::Workspace,
    corpus::demo,
    corpus::{
        Kind,
        store::{Query, Store},
    },
    symbols::{Seed, Share},
};

fn pair_id() -> impl Strategy<Value = PairId> {
    ("\\PC{0,12}", 1u32..).prop_map(|(article, number)| PairId { article, number })
}

fn column() -> impl Strategy<Value = Column> {
    let level = prop_oneof![
        Just(LevelName::Conservation),
        Just(LevelName::Partial),
        Just(LevelName::Full),
        Just(LevelName::Transposition)
    ];
    (level, 0u32..=1_000_000, any::<bool>(), any::<u64>()).prop_map(|(level, share, protect, seed)| Column {
        level,
        share: Share::new(f64::from(share) / 1e6).unwrap(),
        protect,
        seed: Seed(seed),
    })
}

fn filters() -> impl Strategy<Value = Filters> {
    let category = prop_oneof![
        ".*".prop_map(Category::Primary),
        ".*".prop_map(Category::Any),
        ".*".prop_map(Category::Archive)
    ];
    (
        ".*",
        vec(prop::sample::select(Kind::ALL), 0..4),
        option::of(".*"),
        option::of(any::<[u32; 2]>()),
        option::of(any::<[u32; 2]>()),
        option::of([0.0..=1.0f64, 0.0..=1.0f64]),
        option::of(category),
    )
        .prop_map(|(search, kinds, article, statement_tokens, proof_tokens, math_share, category)| {
            Filters { search, kinds, article, statement_tokens, proof_tokens, math_share, category }
        })
}

fn session() -> impl Strategy<Value = Session> {
    let pane = prop_oneof![Just(Pane::Browse), Just(Pane::Compare), Just(Pane::Studies)];
    let form = prop_oneof![Just(Form::Readable), Just(Form::Linear), Just(Form::Tex), Just(Form::Xhtml)];
    let by = prop_oneof![Just(SortKey::Corpus), Just(SortKey::ProofTokens), Just(SortKey::MathShare)];
    let fingerprint = option::of(any::<[u8; 32]>().prop_map(|bytes| {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        digits.parse::<Fingerprint>().unwrap()
    }));
    let more = vec(("later_[a-z]{1,5}", any::<i64>(), any::<bool>()), 0..3);
    (
        (pane, option::of(".*"), option::of(pair_id()), form, option::of(".*"), vec(".*", 0..3)),
        (".*", vec(pair_id(), 0..4), ".*", fingerprint, filters(), by, any::<bool>()),
        (vec(column(), 0..4), any::<u32>(), more),
        prop::collection::btree_map(".*", vec(0.0..1.0f64, 0..4), 0..3),
    )
        .prop_map(|(first, second, third, layout)| {
            let (pane, focus, cursor, form, theme, runs) = first;
            let (about, marked, path, fingerprint, filters, by, descending) = second;
            let (columns, scroll, more) = third;
            let more = more.into_iter().map(|(key, value, is_section)| {
                let section = || toml::Table::from_iter([("x".to_owned(), value.into())]);
                (key, if is_section { section().into() } else { toml::Value::Integer(value) })
            });
            Session {
                version: VERSION,
                about,
                pane,
                focus,
                cursor,
                form,
                theme,
                runs,
                marked,
                corpus: CorpusReference { path, fingerprint },
                filters,
                sort: Sort { by, descending },
                compare: Compare { pair: None, focus: 0, scroll, columns },
                layout,
                more: more.collect(),
            }
        })
}

proptest! {
    #[test]
    fn a_session_is_read_as_it_was_written(session in session()) {
        let text = session.to_toml().unwrap();
        let (read, left_out) = salvage::read(&text).unwrap();
        prop_assert_eq!(left_out, [""; 0]);
        prop_assert_eq!(read, session);
    }

    #[test]
    fn a_filter_survives_the_session(filters in filters()) {
        let filter = filters.filter();
        prop_assert_eq!(Filters::of(&filter, &filters.search), filters);
    }

    #[test]
    fn no_bytes_make_it_panic_or_disappear(bytes in vec(any::<u8>(), 0..300)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("last.toml");
        fs::write(&path, &bytes).unwrap();
        let loaded = Session::load(&path).unwrap();
        prop_assert!(loaded.session.is_none());
        prop_assert_eq!(fs::read(folder.path().join("last.broken-1")).unwrap(), bytes);
        prop_assert!(!path.exists());
    }

    #[test]
    fn a_damaged_session_is_kept(session in session(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("last.toml");
        let mut bytes = session.to_toml().unwrap().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        fs::write(&path, &bytes).unwrap();
        let loaded = Session::load(&path).unwrap();
        let kept = fs::read_dir(folder.path()).unwrap().flatten().any(|entry| fs::read(entry.path()).unwrap() == bytes);
        prop_assert!(kept);
        prop_assert_eq!(loaded.session.is_none(), !path.exists());
    }
}

fn written(folder: &Path, text: &str) -> std::path::PathBuf {
    let path = folder.join("last.toml");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_wrong_value_costs_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let text = "version = 1\npane = \"kitchen\"\ncursor = \"demo.16#3\"\n\
                [filters]\nsearch = \"compact\"\nkinds = [\"lemma\", \"poem\"]\n[train]\nspeed = 3\n";
    let path = written(folder.path(), text);
    for _ in 0..2 {
        let loaded = Session::load(&path).unwrap();
        let session = loaded.session.unwrap();
        assert_eq!(session.pane, Pane::Browse);
        assert_eq!(session.cursor.unwrap().to_string(), "demo.16#3");
        assert_eq!((session.filters.search.as_str(), session.filters.kinds.len()), ("compact", 0));
        assert_eq!(session.more["train"]["speed"].as_integer(), Some(3));
        let aside = folder.path().join("last.broken-1");
        assert_eq!(fs::read_to_string(&aside).unwrap(), text);
        let left_out = vec!["filters.kinds".to_owned(), "pane".to_owned()];
        assert_eq!(loaded.notices, [Notice::Partly { path: path.clone(), aside, left_out }]);
    }
    // The same file read twice is kept once.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn newer_and_broken_ones_are_set_aside_under_free_names() {
    let folder = tempfile::tempdir().unwrap();
    for (text, aside) in [
        ("version = 2\n", "last.newer"),
        ("version = 99999999999\n", "last.newer-2"),
        ("version = \"1\"\n", "last.broken-1"),
        ("", "last.broken-2"),
        ("version = 1\n[", "last.broken-3"),
    ] {
        let path = written(folder.path(), text);
        let loaded = Session::load(&path).unwrap();
        assert!(loaded.session.is_none() && !path.exists());
        assert_eq!(fs::read_to_string(folder.path().join(aside)).unwrap(), text);
        assert!(loaded.notices[0].to_string().contains(aside), "{}", loaded.notices[0]);
    }
}

#[test]
fn a_save_that_fails_leaves_the_old_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("last.toml");
    let old = Session { about: "old".to_owned(), ..Session::default() };
    old.save(&path).unwrap();
    let text = old.to_toml().unwrap();
    for cut in 0..text.len() {
        let failed = crate::base::atomic::replace_with(&path, |out| {
            out.write_all(&text.as_bytes()[..cut])?;
            Err(std::io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
        assert_eq!(Session::load(&path).unwrap().session.as_ref(), Some(&old));
    }
    let missing = old.save(&folder.path().join("nowhere/last.toml")).unwrap_err().to_string();
    assert!(missing.contains("nowhere") && missing.contains("cannot save"), "{missing}");
}

#[test]
fn sessions_are_listed_by_time_and_shipped_ones_last() {
    let home = tempfile::tempdir().unwrap();
    let sessions = Sessions::of(&Workspace::at(home.path(), home.path()));
    assert!(sessions.last().unwrap().is_none());
    let names = || sessions.list().into_iter().map(|listed| listed.name).collect::<Vec<_>>();
    assert_eq!(names(), ["demo-browse", "demo-compare"]);
    for (name, age) in [("old one", 60), (LAST, 30), ("demo-compare", 10)] {
        let path = sessions.save(name, &Session::default()).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
    }
    fs::write(home.path().join("sessions/old.broken-1"), "x").unwrap();
    assert_eq!(names(), ["demo-compare", LAST, "old one", "demo-browse"]);
    assert_eq!(sessions.last().unwrap().unwrap().session, Some(Session::default()));
    for wrong in ["", "../x", "a/b", ".x", " x", "a.b", "x\0"] {
        assert!(matches!(sessions.load(wrong), Err(SessionError::Name(_))), "{wrong}");
    }
    assert!(matches!(sessions.load("nope"), Err(SessionError::NoSession(_))));
}

#[test]
fn the_shipped_sessions_open_at_something() {
    let home = tempfile::tempdir().unwrap();
    let sessions = Sessions::of(&Workspace::at(home.path(), home.path()));
    let corpus: Store = demo::corpus().unwrap();
    for listed in sessions.list() {
        let session = sessions.load(&listed.name).unwrap().session.unwrap();
        assert!(!session.about.is_empty() && session.corpus.path().is_none());
        assert!(session.corpus.agrees_with(corpus.fingerprint()));
        let row = corpus.row_of(&session.cursor.unwrap()).unwrap().unwrap();
        let filter = session.filters.filter();
        assert!(corpus.rows(&filter, session.sort.into()).unwrap().contains(&row));
        if !session.filters.search.is_empty() {
            let page = corpus.search(&Query::parse(&session.filters.search), &filter, 0, 100).unwrap();
            assert!(page.hits.iter().any(|hit| hit.row == row), "{}", listed.name);
        }
        assert!((2..=4).contains(&session.compare.columns.len()));
    }
}

#[test]
fn a_session_is_fit_to_be_read_by_people() {
    let session = Session {
        pane: Pane::Compare,
        cursor: Some("demo.15#2".parse().unwrap()),
        theme: Some("light".to_owned()),
        filters: Filters {
            search: "compact".to_owned(),
            kinds: vec![Kind::Lemma],
            math_share: Some([0.1, 0.5]),
            category: Some(Category::Archive("math".to_owned())),
            ..Filters::default()
        },
        layout: BTreeMap::from([("browse".to_owned(), vec![0.25, 0.75])]),
        ..Session::default()
    };
    insta::assert_snapshot!(session.to_toml().unwrap());
}
