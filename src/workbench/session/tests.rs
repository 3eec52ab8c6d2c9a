//! What holds for sessions: they are read as they were written, and nothing is ever lost.

use std::{fs, path::Path};

use proptest::{collection::vec, option, prelude::*};

use super::*;
use crate::{
    base::{task::CancelToken, workspace::Workspace},
    corpus::demo,
    corpus::{
        Kind,
        store::{CategoryFilter, Filter, Query, Sort, SortBy, Store},
    },
    runs::curves::Range,
    symbols::{LevelName, Naming, Seed, Share},
    workbench::app::{
        browse::{Focus, ListFilter, Shares, TreeChoice},
        compare::{Column, CompareSnapshot},
        document::Form,
        pane::PaneId,
    },
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
    let naming = prop_oneof![Just(Naming::Stranger), Just(Naming::Disjoint)];
    (level, 0u32..=1_000_000, naming, any::<bool>(), any::<u64>()).prop_map(
        |(level, share, naming, protect, seed)| Column {
            level,
            share: Share::new(f64::from(share) / 1e6).unwrap(),
            naming,
            protect,
            seed: Seed(seed),
        },
    )
}

fn filters() -> impl Strategy<Value = ListFilter> {
    let category = prop_oneof![
        ".*".prop_map(CategoryFilter::Primary),
        ".*".prop_map(CategoryFilter::Any),
        ".*".prop_map(CategoryFilter::Archive)
    ];
    let tokens = || option::of(any::<[u32; 2]>().prop_map(|[least, most]| least..=most));
    (
        ".*",
        vec(prop::sample::select(Kind::ALL), 0..4),
        option::of(".*"),
        tokens(),
        tokens(),
        option::of((0.0..=1.0f64, 0.0..=1.0f64).prop_map(|(least, most)| least..=most)),
        option::of(category),
    )
        .prop_map(|(search, kinds, article, statement_tokens, proof_tokens, math_share, category)| {
            let filter = Filter { category, kinds, article, statement_tokens, proof_tokens, math_share };
            ListFilter { search, filter }
        })
}

fn session() -> impl Strategy<Value = Session> {
    let pane = prop_oneof![Just(PaneId::Browse), Just(PaneId::Compare), Just(PaneId::Studies)];
    let focus = prop_oneof![Just(Focus::Tree), Just(Focus::List), Just(Focus::Symbols)];
    let form = prop_oneof![Just(Form::Readable), Just(Form::Linear), Just(Form::Tex), Just(Form::Xhtml)];
    let by = prop_oneof![Just(SortBy::Row), Just(SortBy::ProofTokens), Just(SortBy::MathShare)];
    let fingerprint = option::of(any::<[u8; 32]>().prop_map(|bytes| {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        digits.parse::<Fingerprint>().unwrap()
    }));
    let more = vec(("later_[a-z]{1,5}", any::<i64>(), any::<bool>()), 0..3);
    (
        (pane, focus, option::of(pair_id()), form, option::of(".*"), any::<u64>()),
        (".*", vec(pair_id(), 0..4), ".*", fingerprint, filters(), by, any::<bool>()),
        (vec(column(), 0..4), any::<u32>(), more),
        prop::array::uniform4(0u16..=1000),
    )
        .prop_map(|(first, second, third, [tree, list, left, top])| {
            let (pane, focus, cursor, form, theme, seed) = first;
            let (about, marked, path, fingerprint, filters, by, descending) = second;
            let (columns, scroll, more) = third;
            let more = more.into_iter().map(|(key, value, is_section)| {
                let section = || toml::Table::from_iter([("x".to_owned(), value.into())]);
                (key, if is_section { section().into() } else { toml::Value::Integer(value) })
            });
            let mut workbench = AppSnapshot {
                pane,
                focus,
                cursor,
                form,
                theme,
                marked,
                filters,
                sort: Sort { by, descending },
                compare: CompareSnapshot { pair: None, focus: 0, scroll: scroll as usize, columns },
                layout: Shares { tree, list, left, top },
                ..AppSnapshot::default()
            };
            workbench.panes.importance.inquiry.seed = seed;
            let corpus = SessionCorpus { path, fingerprint };
            Session { version: VERSION, about, corpus, workbench, more: more.collect() }
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
        let written = toml::to_string(&filters).unwrap();
        prop_assert_eq!(toml::from_str::<ListFilter>(&written).unwrap(), filters);
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
        let ListFilter { search, filter } = &session.workbench.filters;
        assert_eq!(session.workbench.pane, PaneId::Browse);
        assert_eq!(session.workbench.cursor.unwrap().to_string(), "demo.16#3");
        assert_eq!((search.as_str(), filter.kinds.len()), ("compact", 0));
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
        let AppSnapshot { cursor, filters: ListFilter { search, filter }, sort, compare, .. } =
            session.workbench;
        let row = corpus.row_of(&cursor.unwrap()).unwrap().unwrap();
        assert!(corpus.rows(&filter, sort).unwrap().contains(&row));
        if !search.is_empty() {
            let page = corpus.search(&Query::parse(&search), &filter, 0, 100, &CancelToken::new()).unwrap();
            assert!(page.hits.iter().any(|hit| hit.row == row), "{}", listed.name);
        }
        assert!((2..=4).contains(&compare.columns.len()));
    }
}

/// A session in which every field differs from its default, or could.
fn full_session() -> Session {
    let column = |level, share, protect, seed| Column {
        level,
        share: Share::new(share).unwrap(),
        // The rule of the versions that wrote such a file.
        naming: Naming::Disjoint,
        protect,
        seed: Seed(seed),
    };
    let pair = |number| PairId { article: "demo.15".to_owned(), number };
    let mut workbench = AppSnapshot {
        pane: PaneId::Studies,
        focus: Focus::Symbols,
        cursor: Some(pair(7)),
        form: Form::Tex,
        theme: Some("light".to_owned()),
        marked: vec![pair(1), pair(7)],
        filters: ListFilter {
            search: "compact".to_owned(),
            filter: Filter {
                category: Some(CategoryFilter::Primary("math.PR".to_owned())),
                kinds: vec![Kind::Lemma],
                article: Some("demo.15".to_owned()),
                statement_tokens: Some(20..=u32::MAX),
                proof_tokens: Some(0..=300),
                math_share: Some(0.0..=0.35),
            },
        },
        sort: Sort { by: SortBy::ProofTokens, descending: true },
        compare: CompareSnapshot {
            pair: Some(pair(9)),
            focus: 2,
            scroll: 4,
            columns: vec![
                column(LevelName::Conservation, 0.3, false, 1),
                column(LevelName::Partial, 0.3, true, u64::MAX),
                column(LevelName::Full, 0.5, false, 5),
            ],
        },
        layout: Shares { tree: 240, ..Shares::default() },
        ..AppSnapshot::default()
    };
    let panes = &mut workbench.panes;
    panes.without_mouse = true;
    panes.browse.category =
        Some(TreeChoice::Article { category: "math.PR".to_owned(), id: "demo.15".to_owned() });
    panes.browse.open_archives = vec!["math".to_owned()];
    panes.browse.open_categories = vec!["math.PR".to_owned(), "math.AG".to_owned()];
    (panes.browse.only_marked, panes.browse.symbols) = (true, true);
    (panes.browse.list_offset, panes.browse.scroll) = (3, 5);
    panes.compare.own = Some(["let $x$".to_owned(), "so $y$".to_owned()]);
    panes.training.run = Some("small".to_owned());
    panes.curves.runs = Some(vec!["a".to_owned(), "b".to_owned()]);
    panes.curves.run = Some("a".to_owned());
    panes.curves.reference = Some("b".to_owned());
    panes.curves.metric = "dev/mrr".to_owned();
    panes.curves.smoothing = 0.9;
    panes.curves.cursor = Some(120.0);
    panes.curves.x = Some(Range { start: 1.0, end: 2.5 });
    panes.curves.y = Some(Range { start: 0.0, end: 1.0 });
    panes.assignments.inquiry = "tfidf test mixed conservation global".to_owned();
    panes.assignments.search = "norm".to_owned();
    panes.assignments.statement = Some("demo.01#1".to_owned());
    panes.assignments.scroll = 2;
    panes.importance.pair = Some("demo.01#1".to_owned());
    (panes.importance.piece, panes.importance.tokens) = (6, true);
    panes.studies.study = "main".to_owned();
    panes.studies.preset = "tiny".to_owned();
    panes.studies.row = 1;
    panes.assignments.view = crate::workbench::app::assignments::View::Statements;
    panes.log.run = Some("small".to_owned());
    panes.log.search = "warn".to_owned();
    let fingerprint = Some("3f".repeat(32).parse().unwrap());
    let corpus = SessionCorpus { path: "demo".to_owned(), fingerprint };
    Session { corpus, workbench, ..Session::default() }
}

/// The text that versions 0.1 wrote for [`full_session`] when the file had types of its own.
const WRITTEN_BEFORE: &str = include_str!("tests/full.toml");

#[test]
fn the_format_of_the_file_is_the_one_of_earlier_versions() {
    let session = full_session();
    assert_eq!(session.to_toml().unwrap(), WRITTEN_BEFORE);
    assert_eq!(salvage::read(WRITTEN_BEFORE).unwrap(), (session, Vec::new()));
}

#[test]
fn a_wrong_value_in_the_section_of_a_pane_costs_that_section() {
    let text = WRITTEN_BEFORE
        .replace("axis = \"step\"", "axis = \"sideways\"")
        .replace("level = \"full\"", "level = \"ful\"");
    let (read, left_out) = salvage::read(&text).unwrap();
    assert_eq!(left_out, ["compare.columns", "panes.curves"]);
    let mut expected = full_session();
    expected.workbench.compare.columns = CompareSnapshot::<PairId>::default().columns;
    expected.workbench.panes.curves = Default::default();
    assert_eq!(read, expected);
}

#[test]
fn a_session_is_fit_to_be_read_by_people() {
    let session = Session {
        workbench: AppSnapshot {
            pane: PaneId::Compare,
            cursor: Some("demo.15#2".parse().unwrap()),
            theme: Some("light".to_owned()),
            filters: ListFilter {
                search: "compact".to_owned(),
                filter: Filter {
                    kinds: vec![Kind::Lemma],
                    math_share: Some(0.1..=0.5),
                    category: Some(CategoryFilter::Archive("math".to_owned())),
                    ..Filter::default()
                },
            },
            layout: Shares { tree: 250, list: 750, ..Shares::default() },
            ..AppSnapshot::default()
        },
        ..Session::default()
    };
    insta::assert_snapshot!(session.to_toml().unwrap());
}
