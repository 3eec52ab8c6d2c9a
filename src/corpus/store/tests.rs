//! The store from outside: round trips, and the rejection of other files.

use std::{fs, path::Path};

use super::*;
use crate::base::task::CancelToken;
use crate::corpus::{
    Article, Dialect, Formula, Kind, Pair, PairId, Passage,
    split::{Part, Scheme, Split},
};

pub(crate) fn article(id: &str, categories: &[&str]) -> Article {
    Article {
        id: id.to_owned(),
        title: format!("On {id}"),
        categories: categories.iter().map(|code| (*code).to_owned()).collect(),
        file: format!("{id}.xhtml"),
        source: format!("/somewhere/{id}.xhtml"),
        dialect: Dialect::Xhtml,
    }
}

pub(crate) fn passage(text: &str, linear: &str) -> Passage {
    let mut passage = Passage::new();
    passage.push_text(text);
    if !linear.is_empty() {
        passage.push_formula(Formula { linear, ..Formula::default() });
    }
    passage
}

pub(crate) fn pair(article: &str, number: u32, statement: &str, proof: &str) -> Pair {
    Pair {
        id: PairId { article: article.to_owned(), number },
        kind: Kind::Lemma,
        label: format!("1.{number}"),
        title: String::new(),
        anchor: format!("S1.Thm{number}"),
        statement: passage(statement, "x = y____bold"),
        proof: passage(proof, "dim V"),
    }
}

/// Three articles, five pairs, one of them out of order.
pub(super) fn small(mut writer: StoreWriter) -> StoreWriter {
    let first = writer.add_article(&article("0704.0001", &["math.AG", "math.AC"])).unwrap();
    let second = writer.add_article(&article("0704.0002", &["math.PR"])).unwrap();
    writer.add_article(&article("0704.0003", &["math.AG"])).unwrap();
    let spans = PairSpans { statement: Some(Span { start: 10, end: 20 }), proof: None };
    writer.add_pair(first, &pair("0704.0001", 1, "Every compact space is nice", "Clear"), spans).unwrap();
    let mut titled = pair("0704.0002", 1, "A martingale converges", "By Doob");
    titled.title = "Hölder's inequality".to_owned();
    titled.kind = Kind::Theorem;
    writer.add_pair(second, &titled, PairSpans::default()).unwrap();
    for (number, statement, proof) in [
        (2, "A Cohen–Macaulay ring is compact", "By induction on the dimension"),
        (4, "Let it be a group", "Use the compact case"),
        (3, "The étale topology", "Not compact, not nice, by induction"),
    ] {
        let pair = pair("0704.0001", number, statement, proof);
        writer.add_pair(first, &pair, PairSpans::default()).unwrap();
    }
    writer.set_meta("articles_read", "7").unwrap();
    writer
}

fn store() -> Store {
    small(StoreWriter::in_memory().unwrap()).into_store().unwrap()
}

#[test]
fn what_goes_in_comes_out() {
    let store = store();
    assert_eq!((store.pair_count(), store.article_count(), store.articles_with_pairs()), (5, 3, 2));
    assert_eq!(store.meta("articles_read").unwrap().as_deref(), Some("7"));
    assert_eq!(store.meta("nothing").unwrap(), None);
    let (found, first) = store.pair_at(0).unwrap().unwrap();
    assert_eq!(found, article("0704.0001", &["math.AG", "math.AC"]));
    assert_eq!(first, pair("0704.0001", 1, "Every compact space is nice", "Clear"));
    assert_eq!(store.spans(0).unwrap().statement, Some(Span { start: 10, end: 20 }));
    assert_eq!(store.spans(1).unwrap(), PairSpans::default());
    assert!(store.pair_at(5).unwrap().is_none());

    let id: PairId = "0704.0001#3".parse().unwrap();
    assert_eq!(store.row_of(&id).unwrap(), Some(4));
    assert_eq!(store.pair(&id).unwrap().unwrap().1.id, id);
    assert_eq!(store.row_of(&"0704.0009#1".parse().unwrap()).unwrap(), None);
    assert_eq!(store.article("0704.0002").unwrap(), Some(article("0704.0002", &["math.PR"])));
    let counts: Vec<u32> = store.articles().unwrap().into_iter().map(|count| count.pairs).collect();
    assert_eq!(counts, [4, 1, 0]);
}

#[test]
fn pairs_are_read_in_order_and_reading_can_stop() {
    #[derive(Debug, thiserror::Error)]
    enum Stop {
        #[error("enough")]
        Enough,
        #[error(transparent)]
        Store(#[from] StoreError),
    }
    let store = store();
    let mut seen = Vec::new();
    let result: Result<(), Stop> = store.for_each_pair(None, |row, article, pair| {
        assert_eq!(article.id, pair.id.article);
        seen.push((row, pair.id.to_string()));
        if row == 3 { Err(Stop::Enough) } else { Ok(()) }
    });
    assert!(matches!(result, Err(Stop::Enough)), "{result:?}");
    let expected = ["0704.0001#1", "0704.0002#1", "0704.0001#2", "0704.0001#4"];
    assert_eq!(seen, (0..4).zip(expected.map(str::to_owned)).collect::<Vec<_>>());
}

#[test]
fn categories_count_articles_with_pairs() {
    let shown: Vec<String> = store()
        .categories()
        .unwrap()
        .into_iter()
        .map(|c| format!("{} {} {} {} {}", c.code, c.articles, c.pairs, c.all_articles, c.all_pairs))
        .collect();
    assert_eq!(shown, ["math.AG 1 4 1 4", "math.PR 1 1 1 1", "math.AC 0 0 1 4"]);
}

#[test]
fn filters_choose_and_sort() {
    let store = store();
    let check = |filter: Filter, rows: &[u32]| {
        assert_eq!(store.rows(&filter, Sort::default()).unwrap(), rows, "{filter:?}");
        assert_eq!(store.count(&filter).unwrap() as usize, rows.len(), "{filter:?}");
    };
    let category = |category| Filter { category: Some(category), ..Filter::default() };
    check(Filter::default(), &[0, 1, 2, 3, 4]);
    check(category(CategoryFilter::Primary("math.AG".into())), &[0, 2, 3, 4]);
    check(category(CategoryFilter::Primary("math.AC".into())), &[]);
    check(category(CategoryFilter::Any("math.AC".into())), &[0, 2, 3, 4]);
    check(category(CategoryFilter::Archive("math".into())), &[0, 1, 2, 3, 4]);
    check(category(CategoryFilter::Primary("' OR 1=1 --".into())), &[]);
    check(Filter { kinds: vec![Kind::Theorem, Kind::Claim], ..Filter::default() }, &[1]);
    check(Filter { article: Some("0704.0002".into()), ..Filter::default() }, &[1]);
    check(Filter { statement_tokens: Some(8..=8), ..Filter::default() }, &[0, 2, 3]);
    check(Filter { proof_tokens: Some(7..=90), ..Filter::default() }, &[2, 4]);
    check(Filter { math_share: Some(0.5..=1.0), ..Filter::default() }, &[1]);

    let sort = |by, descending| store.rows(&Filter::default(), Sort { by, descending }).unwrap();
    assert_eq!(sort(SortBy::Row, true), [4, 3, 2, 1, 0]);
    assert_eq!(sort(SortBy::ProofTokens, false), [0, 1, 3, 2, 4]);
    assert_eq!(sort(SortBy::StatementTokens, true), [0, 2, 3, 1, 4]);
}

#[test]
fn a_list_shows_how_a_statement_begins() {
    let list = store().list(&Filter::default(), Sort::default(), 1, 2).unwrap();
    assert_eq!(list.len(), 2);
    assert_eq!(list[0].id.to_string(), "0704.0002#1");
    assert_eq!((list[0].category.as_str(), list[0].kind), ("math.PR", Kind::Theorem));
    assert_eq!(list[0].first_words, "A martingale converges x = 𝐲");
    assert_eq!((list[0].statement.text, list[0].statement.math), (3, 3));
}

#[test]
fn searches_find_words_phrases_and_places() {
    let store = store();
    let check = |typed: &str, expected: &[u32]| {
        let page =
            store.search(&Query::parse(typed), &Filter::default(), 0, 100, &CancelToken::new()).unwrap();
        let mut rows: Vec<u32> = page.hits.iter().map(|hit| hit.row).collect();
        rows.sort_unstable();
        assert_eq!(rows, expected, "{typed}");
        assert_eq!(page.total, expected.len(), "{typed}");
    };
    check("compact", &[0, 2, 3, 4]);
    check("comp", &[0, 2, 3, 4]);
    check("comp ", &[]);
    check("COMPACT induction", &[2, 4]);
    check("statement:compact", &[0, 2]);
    check("proof:compact", &[3, 4]);
    check("\"compact space\"", &[0]);
    check("cohen-macaulay", &[2]);
    check("etale", &[4]);
    check("Étale", &[4]);
    check("holder", &[1]);
    check("title:holder", &[1]);
    check("\"let G be a group\"", &[]);
    check("\"let it be a group\"", &[3]);
    check("dim", &[0, 1, 2, 3, 4]);
    check("compact -nice", &[2, 3]);
    check("-compact", &[1]);
    for nothing in ["", "x", "-", "\"\"", "nosuchword", "statement:"] {
        check(nothing, &[]);
    }
}

#[test]
fn searches_are_paged_ranked_and_filtered() {
    let store = store();
    let query = Query::parse("compact");
    let cancel = CancelToken::new();
    let page = store.search(&query, &Filter::default(), 0, 2, &cancel).unwrap();
    assert_eq!((page.hits.len(), page.total, page.order), (2, 4, HitOrder::Relevance));
    assert!(page.hits[0].score >= page.hits[1].score);
    let rest = store.search(&query, &Filter::default(), 2, 10, &cancel).unwrap();
    assert!(rest.hits.iter().all(|hit| !page.hits.contains(hit)) && rest.hits.len() == 2);
    let filter = Filter { proof_tokens: Some(7..=90), ..Filter::default() };
    assert_eq!(store.search(&query, &filter, 0, 10, &cancel).unwrap().total, 2);
}

/// Each row is read by a statement of its own, which an interrupt would not reach.
#[test]
fn a_cancelled_search_for_a_formula_stops() {
    let store = store();
    let query = Query::parse("-$nosuchformula$");
    let cancel = CancelToken::new();
    let mut rows: Vec<u32> = (0..store.pair_count()).collect();
    let condition = &query.conditions()[0];
    condition.retain(&store.connection, &mut rows, &cancel).unwrap();
    cancel.cancel();
    let stopped = condition.retain(&store.connection, &mut rows, &cancel).unwrap_err();
    assert_eq!(stopped.sqlite_error_code(), Some(rusqlite::ErrorCode::OperationInterrupted));
    let stopped = store.search(&query, &Filter::default(), 0, 10, &cancel);
    assert!(matches!(stopped, Err(StoreError::Cancelled(_))), "{stopped:?}");
}

proptest::proptest! {
    /// A search returns for any text.
    #[test]
    fn no_query_is_an_error(typed in "[ -~\\PC\"*:()^{}+-]{0,40}") {
        thread_local!(static STORE: Store = store());
        let (query, cancel) = (Query::parse(&typed), CancelToken::new());
        STORE.with(|store| store.search(&query, &Filter::default(), 0, 5, &cancel)).unwrap();
    }
}

#[test]
fn the_fingerprint_is_of_what_a_user_sees() {
    let base = store().fingerprint();
    assert_eq!(base.short().len(), 16);
    assert_eq!(base.to_string().parse::<Fingerprint>().unwrap(), base);
    let with = |change: &dyn Fn(&mut Article, &mut Pair), note: &str| {
        let mut writer = StoreWriter::in_memory().unwrap();
        let (mut article, mut pair) = (article("a", &["math.AG"]), pair("a", 1, "One", "Two"));
        change(&mut article, &mut pair);
        let key = writer.add_article(&article).unwrap();
        writer.add_pair(key, &pair, PairSpans::default()).unwrap();
        writer.set_meta("note", note).unwrap();
        writer.into_store().unwrap().fingerprint()
    };
    let plain = with(&|_, _| {}, "");
    assert_eq!(plain, with(&|article, _| article.source = "elsewhere".into(), "another note"));
    assert_ne!(plain, with(&|article, _| article.title.push('!'), ""));
    assert_ne!(plain, with(&|article, _| article.categories.push("math.AC".into()), ""));
    assert_ne!(plain, with(&|_, pair| pair.kind = Kind::Claim, ""));
    assert_ne!(plain, with(&|_, pair| pair.proof.push_text("more"), ""));
    assert_ne!(plain, with(&|_, pair| std::mem::swap(&mut pair.label, &mut pair.title), ""));
}

#[test]
fn splits_come_with_the_corpus_and_can_be_added() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.corpus");
    let mut writer = small(StoreWriter::create(&path).unwrap());
    let given = vec![Part::Test, Part::Train, Part::Dev, Part::Train, Part::Train];
    writer.set_parts(Scheme::Mixed, given.clone());
    let fingerprint = writer.finish().unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.fingerprint(), fingerprint);
    let split = store.split(Scheme::Mixed, None).unwrap();
    assert_eq!((split.seed, &split.parts), (None, &given));
    assert_eq!(store.split(Scheme::Unmixed, None).unwrap().seed, Some(0));
    assert_eq!(store.stored_splits().unwrap(), [(Scheme::Mixed, None), (Scheme::Unmixed, Some(0))]);

    let computed = store.split(Scheme::Mixed, Some(u64::MAX)).unwrap();
    store.keep_split(&computed).unwrap();
    store.keep_split(&computed).unwrap();
    let again = Store::open(&path).unwrap();
    assert_eq!(again.stored_splits().unwrap().len(), 3);
    assert_eq!(again.split(Scheme::Mixed, Some(u64::MAX)).unwrap(), computed);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let short = Split { parts: vec![Part::Dev], ..computed };
    assert!(matches!(store.keep_split(&short), Err(StoreError::WrongParts { given: 1, pairs: 5, .. })));

    let mut seen = Vec::new();
    let part = Some((&split, Part::Train));
    store
        .for_each_pair(part, |row, _, _| {
            seen.push(row);
            Ok::<(), StoreError>(())
        })
        .unwrap();
    assert_eq!(seen, [1, 3, 4]);
}

#[test]
fn an_in_memory_corpus_can_be_opened_by_other_threads() {
    let store = store();
    let other = store.reopen().unwrap();
    let count = std::thread::spawn(move || other.pair_at(4).unwrap().is_some()).join().unwrap();
    assert!(count);
    let split = store.split(Scheme::Mixed, Some(9)).unwrap();
    store.keep_split(&split).unwrap();
    assert_eq!(store.stored_splits().unwrap().len(), 3);
}

#[test]
fn doubles_are_refused_and_harm_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    let mut writer = small(StoreWriter::create(&path).unwrap());
    let again = writer.add_article(&article("0704.0001", &[]));
    assert!(matches!(again, Err(StoreError::DuplicateArticle { id, .. }) if id == "0704.0001"));
    let key = writer.article_key("0704.0001").unwrap().unwrap();
    assert_eq!(writer.article_key("nobody").unwrap(), None);
    let again = writer.add_pair(key, &pair("0704.0001", 2, "A", "B"), PairSpans::default());
    assert!(matches!(again, Err(StoreError::DuplicatePair { id, .. }) if id == "0704.0001#2"));
    let foreign = writer.add_pair(key, &pair("0704.0002", 9, "A", "B"), PairSpans::default());
    assert!(matches!(foreign, Err(StoreError::WrongArticle { .. })));
    let fingerprint = writer.finish().unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(fingerprint, self::store().fingerprint());
    let verdict: String = store.connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}

#[test]
fn the_old_corpus_stays_until_the_new_one_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    let files = || fs::read_dir(folder.path()).unwrap().count();
    small(StoreWriter::create(&path).unwrap()).finish().unwrap();
    let before = fs::read(&path).unwrap();

    let writer = small(StoreWriter::create(&path).unwrap());
    assert_eq!(files(), 2);
    drop(writer);
    assert_eq!((files(), fs::read(&path).unwrap() == before), (1, true));

    let mut writer = small(StoreWriter::create(&path).unwrap());
    writer.set_parts(Scheme::Mixed, vec![Part::Dev]);
    assert!(matches!(writer.finish(), Err(StoreError::WrongParts { .. })));
    assert_eq!((files(), fs::read(&path).unwrap() == before), (1, true));
}

#[test]
fn what_is_no_corpus_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    let refuse = |path: &Path| match Store::open(path) {
        Err(error) => error.to_string().replace(&folder.path().display().to_string(), ""),
        Ok(_) => panic!("{} was opened", path.display()),
    };
    assert_eq!(refuse(&path), "cannot open the corpus /a.corpus: there is no such file");
    let advice = "; create one with `matchbook extract` or `matchbook import`";
    assert_eq!(refuse(folder.path()), format!(" is not a corpus: it is a folder{advice}"));
    let refuse_bytes = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        refuse(&path)
    };
    assert_eq!(refuse_bytes(b""), format!("/a.corpus is not a corpus: it is empty{advice}"));
    assert_eq!(refuse_bytes(b"short"), format!("/a.corpus is not a corpus: it is too short{advice}"));
    let other = format!("/a.corpus is not a corpus: it is another kind of file{advice}");
    assert_eq!(refuse_bytes(&[b'x'; 5000]), other);
    fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    assert!(refuse(&path).contains("the database of another program"));

    fs::remove_file(&path).unwrap();
    small(StoreWriter::create(&path).unwrap()).finish().unwrap();
    let whole = fs::read(&path).unwrap();
    assert!(refuse_bytes(&whole[..whole.len() / 2]).contains("is truncated"));
    let mut newer = whole.clone();
    newer[63] = 2;
    assert!(refuse_bytes(&newer).contains("format 2, written by a newer matchbook"));
    for damage in (100..whole.len()).step_by(5003) {
        // Damage may be unnoticed or an error, but never a panic.
        let mut damaged = whole.clone();
        damaged[damage..].iter_mut().take(64).for_each(|byte| *byte = 0xFF);
        fs::write(&path, damaged).unwrap();
        if let Ok(store) = Store::open(&path) {
            let _ = store.rows(&Filter::default(), Sort { by: SortBy::MathShare, descending: true });
            let _ = store.search(&Query::parse("compact"), &Filter::default(), 0, 10, &CancelToken::new());
            let _ = store.for_each_pair(None, |_, _, _| Ok::<(), StoreError>(()));
        }
    }
}

#[test]
fn equal_corpora_are_equal_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        let path = folder.path().join(name);
        small(StoreWriter::create(&path).unwrap()).finish().unwrap();
        fs::read(path).unwrap()
    };
    assert!(write("a.corpus") == write("b.corpus"));
}

#[test]
fn a_corpus_needs_a_folder_to_lie_in() {
    let folder = tempfile::tempdir().unwrap();
    let message = match StoreWriter::create(&folder.path().join("nowhere/a.corpus")) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("a corpus in no folder"),
    };
    assert!(message.starts_with("while creating the corpus") && message.contains("nowhere"), "{message}");
    assert!(matches!(StoreWriter::create(folder.path()), Err(StoreError::NotACorpus { .. })));
}

#[test]
fn an_unfinished_corpus_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    let writer = small(StoreWriter::create(&path).unwrap());
    let temporary = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    assert!(matches!(Store::open(&temporary), Err(StoreError::Unfinished { .. })));
    // Also under an innocent name.
    let copy = folder.path().join("copy.corpus");
    fs::copy(&temporary, &copy).unwrap();
    assert!(matches!(Store::open(&copy), Err(StoreError::Unfinished { .. })));
    drop(writer);
}

#[test]
fn a_full_disk_leaves_the_old_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    small(StoreWriter::create(&path).unwrap()).finish().unwrap();
    let before = fs::read(&path).unwrap();
    let mut writer = StoreWriter::create(&path).unwrap();
    // A limit on the file's size fails as a full disk does.
    writer.limit_pages(40).unwrap();
    let key = writer.add_article(&article("a", &[])).unwrap();
    let long = "word ".repeat(2000);
    let failed = (1..200).find_map(|number| {
        writer.add_pair(key, &pair("a", number, &long, &long), PairSpans::default()).err()
    });
    let message = failed.unwrap().to_string();
    assert!(message.contains("full") && message.contains("a.corpus"), "{message}");
    assert!(writer.finish().is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn a_category_lists_its_articles_with_pairs() {
    let mut writer = small(StoreWriter::in_memory().unwrap());
    let bare = writer.add_article(&article("0704.0004", &[])).unwrap();
    writer.add_pair(bare, &pair("0704.0004", 1, "A statement", "A proof"), PairSpans::default()).unwrap();
    let store = writer.into_store().unwrap();
    let listed = |category: CategoryFilter| {
        let lines = store.articles_of(&category).unwrap();
        lines.into_iter().map(|line| (line.id, line.title, line.pairs)).collect::<Vec<_>>()
    };
    let line = |id: &str, pairs| (id.to_owned(), format!("On {id}"), pairs);
    assert_eq!(listed(CategoryFilter::Primary("math.AG".to_owned())), [line("0704.0001", 4)]);
    assert_eq!(
        listed(CategoryFilter::Archive("math".to_owned())),
        [line("0704.0001", 4), line("0704.0002", 1)]
    );
    assert_eq!(listed(CategoryFilter::Primary(String::new())), [line("0704.0004", 1)]);
    assert!(listed(CategoryFilter::Primary("hep-th".to_owned())).is_empty());
}

#[test]
fn a_histogram_counts_what_fits_all_but_its_own_range() {
    let store = store();
    let all = store.histograms(&Filter::default(), None).unwrap();
    assert_eq!((all.statement.iter().sum::<u32>(), all.statement.len(), all.math.len()), (5, 1, 20));
    assert_eq!(all.math.iter().sum::<u32>(), 5);
    // Proofs of 3 tokens at most: one of a single word, with its formula of two tokens.
    let filter = Filter { proof_tokens: Some(0..=3), ..Filter::default() };
    let cut = store.histograms(&filter, None).unwrap();
    assert_eq!(
        cut.statement.iter().sum::<u32>() as usize,
        store.rows(&filter, Sort::default()).unwrap().len()
    );
    assert_eq!(cut.proof, all.proof, "its own range does not hide what lies outside");
    let among = store.histograms(&Filter::default(), Some(&[1, 3])).unwrap();
    assert_eq!(among.proof.iter().sum::<u32>(), 2);
}

/// A database is a program, too: a view that never ends in the place of a table would hang whatever reads it.
#[test]
fn a_corpus_with_views_or_triggers_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, program) in [
        (
            "view",
            "ALTER TABLE header RENAME TO old;
             CREATE VIEW header AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
             SELECT count(*) AS pairs, 0 AS articles, 0 AS articles_with_pairs, '' AS fingerprint FROM n",
        ),
        ("trigger", "CREATE TRIGGER t AFTER INSERT ON split BEGIN DELETE FROM pair; END"),
    ] {
        let path = folder.path().join(name);
        small(StoreWriter::create(&path).unwrap()).finish().unwrap();
        Store::open(&path).unwrap();
        rusqlite::Connection::open(&path).unwrap().execute_batch(program).unwrap();
        let error = Store::open(&path).err().unwrap().to_string();
        assert!(error.contains("views or triggers"), "{name}: {error}");
    }
}
