use std::fs;

use super::{
    build::IndexRequest,
    files::open_or_build,
    shard::{self, ShardKey},
    *,
};
use crate::{
    base::task::{CancelToken, Progress, Task},
    corpus::{PairId, demo, store::Store, typed},
    matching::{
        baseline::BaselineMethod,
        index::{IndexKey, Selection, Side},
    },
    runs::trained,
};

fn finder(store: &Store, method: FindMethod) -> Finder {
    Finder::open(store, method, None, &IndexPlaces::default(), &Task::unobserved()).unwrap()
}

fn renamed() -> FindMethod {
    FindMethod::Baseline(BaselineMethod::RENAMED)
}

fn all(side: SearchIn) -> FindRequest {
    FindRequest { side: Some(side), k: 5, selection: Selection::All }
}

#[test]
fn an_interrupted_build_continues_and_gives_the_same_index() {
    let store = demo::corpus().unwrap();
    let rows: Vec<u32> = (0..store.pair_count()).collect();
    let method = renamed();
    let request = IndexRequest {
        store: &store,
        method: &method,
        key: IndexKey {
            corpus: store.fingerprint().to_string(),
            method: "renamed".to_owned(),
            candidates: "all".to_owned(),
        },
        name: "test".to_owned(),
        rows: &rows,
        shard: 40,
    };
    let [interrupted, whole] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let cancel = CancelToken::new();
    let stop = |progress: Progress| {
        if progress.done >= 120 {
            cancel.cancel();
        }
    };
    let places = IndexPlaces::in_folder(interrupted.path());
    let error = open_or_build(&request, &places, &Task::new(&cancel, &stop)).unwrap_err();
    assert!(matches!(error, FindError::Cancelled(_)), "{error}");
    let shards = interrupted.path().join("test.building");
    assert_eq!(fs::read_dir(&shards).unwrap().count(), 4);
    // A shard that was cut off is made again.
    fs::write(shards.join("000001"), b"cut off").unwrap();
    let build = |folder| open_or_build(&request, &IndexPlaces::in_folder(folder), &Task::unobserved());
    build(interrupted.path()).unwrap();
    build(whole.path()).unwrap();
    let read = |folder: &tempfile::TempDir| fs::read(folder.path().join("test.idx")).unwrap();
    assert!(read(&interrupted) == read(&whole));
    assert!(!shards.exists());
}

#[test]
fn interrupted_cells_continue_and_are_the_same() {
    let store = demo::corpus().unwrap();
    let [interrupted, whole] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let approximate = |folder: &tempfile::TempDir, task: &Task<'_>| {
        let places = IndexPlaces::in_folder(folder.path());
        let model = FindMethod::Run(Box::new(trained::open(None, "demo-full").unwrap()));
        let exact = Finder::open(&store, model, None, &places, &Task::unobserved())?;
        let name = format!("{}-cells", exact.name);
        exact.approximate(&store, &places, task).map(|_| name)
    };
    let is_at_recall = |progress: &Progress| progress.step == "measuring recall";
    let cancel = CancelToken::new();
    let stop = |progress: Progress| {
        if is_at_recall(&progress) {
            cancel.cancel();
        }
    };
    let error = approximate(&interrupted, &Task::new(&cancel, &stop)).unwrap_err();
    assert!(matches!(error, FindError::Cancelled(_)), "{error}");
    let name = approximate(&whole, &Task::unobserved()).unwrap();
    let parts = interrupted.path().join(format!("{name}.building"));
    assert_eq!(
        fs::read_dir(&parts).unwrap().count(),
        10,
        "eight rounds, the cells of the vectors, the scatter"
    );
    fs::write(parts.join("proof.centroids-3"), b"cut off").unwrap();
    let written = |part: &str| fs::metadata(parts.join(part)).and_then(|data| data.modified()).unwrap();
    let before = written("proof.centroids-2");
    let checks = std::sync::atomic::AtomicUsize::new(0);
    let check = |progress: Progress| {
        if is_at_recall(&progress) {
            assert_eq!(written("proof.centroids-2"), before, "it was made again");
            assert_ne!(fs::read(parts.join("proof.centroids-3")).unwrap(), b"cut off");
            checks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    };
    approximate(&interrupted, &Task::new(&CancelToken::new(), &check)).unwrap();
    assert!(checks.into_inner() > 0);
    let read = |folder: &tempfile::TempDir| fs::read(folder.path().join(format!("{name}.idx"))).unwrap();
    assert!(read(&interrupted) == read(&whole));
    assert!(!parts.exists());
}

/// A folder of shards may come with a downloaded corpus.
#[test]
fn a_shard_of_other_pairs_is_made_again() {
    let store = demo::corpus().unwrap();
    let rows: Vec<u32> = (0..store.pair_count()).collect();
    let model = trained::open(None, "demo-full").unwrap();
    for method in [renamed(), FindMethod::Run(Box::new(model))] {
        let key = IndexKey { corpus: "c".to_owned(), method: "m".to_owned(), candidates: "all".to_owned() };
        let shard_key = ShardKey { index: key.clone(), first: 0, count: rows.len() };
        let empty = shard::encode(&method, &shard_key, &[]).unwrap();
        let request = IndexRequest {
            store: &store,
            method: &method,
            key,
            name: "test".to_owned(),
            rows: &rows,
            shard: rows.len(),
        };
        let folder = tempfile::tempdir().unwrap();
        let shards = folder.path().join("test.building");
        fs::create_dir(&shards).unwrap();
        fs::write(shards.join("000000"), empty).unwrap();
        let places = IndexPlaces::in_folder(folder.path());
        let (index, _) = open_or_build(&request, &places, &Task::unobserved()).unwrap();
        assert_eq!(index.rows(), rows);
    }
}

#[test]
fn several_processes_may_build_the_same_index() {
    let folder = tempfile::tempdir().unwrap();
    let places = IndexPlaces::in_folder(folder.path());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let store = demo::corpus().unwrap();
                Finder::open(&store, renamed(), None, &places, &Task::unobserved()).unwrap();
            });
        }
    });
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_statement_finds_its_proof_and_not_itself() {
    let store = demo::corpus().unwrap();
    let id: PairId = "demo.04#6".parse().unwrap();
    let question = Question::like(&store, &id).unwrap();
    for method in [
        renamed(),
        FindMethod::Baseline(BaselineMethod::default()),
        FindMethod::Baseline("dice".parse().unwrap()),
    ] {
        let finder = finder(&store, method);
        let found = finder.find(&question, &all(SearchIn::Proofs)).unwrap();
        assert_eq!(found.gold.map(|gold| gold.row), question.row);
        assert_eq!((found.results.len(), found.candidates), (5, store.pair_count() as usize));
        assert!(found.results.is_sorted_by(|one, other| one.score >= other.score && one.rank <= other.rank));
        let total: f64 = found.results.iter().map(|one| one.probability).sum();
        assert!((0.0..=1.0 + 1e-9).contains(&total), "{total}");
        let statements = finder.find(&question, &all(SearchIn::Statements)).unwrap();
        assert!(statements.results.iter().all(|one| Some(one.row) != question.row));
        assert_eq!(statements.candidates + 1, found.candidates);
        let both = finder.find(&question, &all(SearchIn::Both)).unwrap();
        assert_eq!(both.candidates, found.candidates + statements.candidates);
    }
}

#[test]
fn renamed_symbols_change_nothing_unless_they_are_read_literally() {
    let store = demo::corpus().unwrap();
    let [one, other] = ["Let $K \\subseteq H$ and $K + H = K$.", "Let $A \\subseteq B$ and $A + B = A$."]
        .map(|text| Question::typed(text).unwrap());
    let finder_up_to_renaming = finder(&store, renamed());
    let search = |question| finder_up_to_renaming.find(question, &all(SearchIn::Both)).unwrap();
    assert_eq!(search(&one), search(&other));
    let literal = finder(&store, FindMethod::Baseline(BaselineMethod::default()));
    let search = |question| literal.find(question, &all(SearchIn::Both)).unwrap();
    assert_ne!(search(&one), search(&other));
}

/// The same formulas with other plain letters; names and commands stay.
fn with_other_letters(typed: &str) -> String {
    let (mut other, mut rest, mut is_math) = (String::new(), typed, false);
    while let Some(letter) = rest.chars().next() {
        let next = |base: u8| char::from(base + (letter as u8 - base + 7) % 26);
        let command = rest.strip_prefix('\\').filter(|_| is_math).map(|rest| {
            let end = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
            let is_name = ["mathrm", "operatorname", "text"].contains(&&rest[..end]);
            1 + end + if is_name { rest[end..].find('}').unwrap_or_default() } else { 0 }
        });
        match (command, letter) {
            (Some(length), _) => {
                other.push_str(&rest[..length]);
                rest = &rest[length..];
                continue;
            }
            (None, 'a'..='z') if is_math => other.push(next(b'a')),
            (None, 'A'..='Z') if is_math => other.push(next(b'A')),
            _ => other.push(letter),
        }
        is_math ^= letter == '$';
        rest = &rest[letter.len_utf8()..];
    }
    other
}

/// The first thing that a user tries.
#[test]
fn every_statement_of_the_demo_typed_with_other_letters_finds_its_pair_first() {
    let store = demo::corpus().unwrap();
    let finder = finder(&store, renamed());
    let request = FindRequest { side: None, k: 2, selection: Selection::All };
    for row in 0..store.pair_count() {
        let (_, pair) = store.pair_at(row).unwrap().unwrap();
        let typed = with_other_letters(&typed::text(&pair.statement));
        let found = finder.find(&Question::typed(&typed).unwrap(), &request).unwrap();
        assert_eq!(found.side, SearchIn::Pairs);
        assert_eq!((found.results[0].row, found.results[0].rank), (row, 1), "{}: {typed}", pair.id);
    }
}

#[test]
fn a_trained_model_scores_as_it_evaluates() {
    let store = demo::corpus().unwrap();
    let model = trained::open(None, trained::embedded::NAMES[0]).unwrap();
    let bilinear = model.bilinear().unwrap();
    let finder = finder(&store, FindMethod::Run(Box::new(model.clone())));
    let (_, pair) = store.pair_at(3).unwrap().unwrap();
    let mut scores = Vec::new();
    finder.score(&pair.statement, Side::Proof, &mut scores).unwrap();
    let encode = |passage| model.encode(&[passage]).unwrap().values;
    let left = bilinear.project(&encode(&pair.statement));
    let product: f32 = left.iter().zip(encode(&pair.proof)).map(|(one, other)| one * other).sum();
    assert!((scores[3] - product - bilinear.bias).abs() < 1e-3, "{} {product}", scores[3]);
    let both =
        finder.find(&Question { statement: pair.statement, row: Some(3) }, &all(SearchIn::Both)).unwrap();
    assert_eq!(both.results.len(), 5);
}

#[test]
fn an_approximate_search_finds_nearly_what_an_exact_one_finds() {
    let store = demo::corpus().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let places = IndexPlaces::in_folder(folder.path());
    let task = Task::unobserved();
    let open = || {
        let model = trained::open(None, trained::embedded::NAMES[0]).unwrap();
        Finder::open(&store, FindMethod::Run(Box::new(model)), None, &places, &task).unwrap()
    };
    let (exact, near) = (open(), open().approximate(&store, &places, &task).unwrap());
    let (mut found, mut wanted, mut scored) = (0, 0, 0);
    let odd = Selection::Some((0..store.pair_count()).map(|row| row % 2 == 1).collect());
    for side in [SearchIn::Proofs, SearchIn::Statements, SearchIn::Both] {
        for row in (0..store.pair_count()).step_by(7) {
            let is_filtered = row % 3 == 0;
            let selection = if is_filtered { odd.clone() } else { Selection::All };
            let (_, pair) = store.pair_at(row).unwrap().unwrap();
            let question = Question { statement: pair.statement, row: Some(row) };
            let request = FindRequest { side: Some(side), k: 10, selection };
            let exact = exact.find(&question, &request).unwrap();
            let near = near.find(&question, &request).unwrap();
            assert_eq!(near.candidates, exact.candidates);
            let approximation = near.approximation.unwrap();
            assert!(approximation.recall >= 0.95);
            if !is_filtered {
                scored += approximation.scored * 100 / exact.candidates;
            }
            for one in &near.results {
                let same = exact.results.iter().find(|other| (other.row, other.side) == (one.row, one.side));
                if let Some(same) = same {
                    found += 1;
                    assert!((same.score - one.score).abs() < 1e-4, "{same:?} {one:?}");
                    assert!(one.rank <= same.rank, "{same:?} {one:?}");
                    assert!((one.probability - same.probability).abs() < 0.05, "{same:?} {one:?}");
                }
            }
            wanted += exact.results.len();
        }
    }
    assert!(found as f64 >= 0.9 * wanted as f64, "{found} of {wanted}");
    assert!(scored < 90 * 3 * 30, "{scored}");
    // The file is kept, and a damaged one is replaced.
    let path = places.files(&format!("{}-cells", near.name)).next().unwrap();
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    drop(open().approximate(&store, &places, &task).unwrap());
    assert!(fs::read(&path).unwrap() == bytes);
    let stopped = CancelToken::new();
    stopped.cancel();
    fs::remove_file(&path).unwrap();
    let ended = open().approximate(&store, &places, &Task::silent(&stopped));
    assert!(matches!(ended, Err(FindError::Cancelled(_))) && !path.exists());
    let pairs = near.find(&Question::typed("a compact space").unwrap(), &all(SearchIn::Pairs));
    assert!(matches!(pairs, Err(FindError::PairsInCells)));
    let baseline = Finder::open(&store, renamed(), None, &places, &task).unwrap();
    assert!(matches!(baseline.approximate(&store, &places, &task), Err(FindError::NotDense)));
}

#[test]
fn an_excerpt_shows_what_matches() {
    let store = demo::corpus().unwrap();
    let finder = finder(&store, renamed());
    let question = Question::typed("a Sylow $q$-subgroup of a finite group and its normalizer").unwrap();
    let emphasis = finder.emphasis(&question.statement).unwrap();
    let (_, pair) = store.pair(&"demo.04#6".parse().unwrap()).unwrap().unwrap();
    for width in [10, 40, 80, 10_000] {
        let excerpt = emphasis.excerpt(&pair.statement, width);
        let emphasized: Vec<&str> =
            excerpt.emphasis.iter().map(|range| &excerpt.text[range.clone()]).collect();
        assert!(excerpt.text.chars().count() <= width + 2, "{excerpt:?}");
        assert!(width < 40 || emphasized.iter().any(|text| text.contains("Sylow")), "{excerpt:?}");
    }
    let whole = emphasis.excerpt(&pair.statement, usize::MAX);
    assert_eq!(whole.text, crate::corpus::readable(&pair.statement));
    let written = serde_json::to_value(&whole).unwrap();
    let characters: Vec<char> = whole.text.chars().collect();
    for (range, bytes) in written["emphasis"].as_array().unwrap().iter().zip(&whole.emphasis) {
        let [start, end] = [0, 1].map(|side| range[side].as_u64().unwrap() as usize);
        assert_eq!(characters[start..end].iter().collect::<String>(), whole.text[bytes.clone()]);
    }
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let store = demo::corpus().unwrap();
    let refused = |text: &str| {
        let question = Question::typed(text)?;
        finder(&store, renamed()).find(&question, &all(SearchIn::Proofs)).map(|_| ())
    };
    assert!(matches!(refused(" "), Err(FindError::EmptyStatement)));
    assert!(matches!(refused("... !"), Err(FindError::NothingToSearch)));
    assert!(matches!(refused("zzxqjw"), Err(FindError::NothingInCommon)));
    assert!(matches!(refused(&"x ".repeat(LONGEST_STATEMENT)), Err(FindError::TooLong { .. })));
    assert!(matches!(Question::like(&store, &"a#1".parse().unwrap()), Err(FindError::NoPair(_))));
}
