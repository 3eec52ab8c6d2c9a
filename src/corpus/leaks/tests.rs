use super::*;
use crate::{
    base::rng::Rng,
    corpus::{
        Article, Formula, Kind, Pair, Passage,
        split::Scheme,
        store::{PairSpans, StoreWriter},
    },
};

/// A text of `length` words that depends on the seed alone.
fn text(seed: u64, length: usize) -> Vec<String> {
    let mut rng = Rng::new(seed);
    (0..length).map(|_| format!("w{}", rng.below(900))).collect()
}

fn passage(words: &[String]) -> Passage {
    let mut passage = Passage::new();
    passage.push_text(&words.join(" "));
    passage.push_formula(Formula { linear: "x = y", ..Formula::default() });
    passage
}

/// A corpus with an article for each given statement and proof, and their parts.
fn corpus(texts: Vec<(&str, Part, Vec<String>, Vec<String>)>) -> (Store, Split) {
    let mut writer = StoreWriter::in_memory().unwrap();
    let mut parts = Vec::new();
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    for (article, part, statement, proof) in texts {
        let number = numbers.entry(article).or_default();
        *number += 1;
        let key = writer.article_key(article).unwrap();
        let key = key.unwrap_or_else(|| {
            writer.add_article(&Article { id: article.to_owned(), ..Article::default() }).unwrap()
        });
        let pair = Pair {
            id: PairId { article: article.to_owned(), number: *number },
            kind: Kind::Lemma,
            label: String::new(),
            title: String::new(),
            anchor: String::new(),
            statement: passage(&statement),
            proof: passage(&proof),
        };
        writer.add_pair(key, &pair, PairSpans::default()).unwrap();
        parts.push(part);
    }
    (writer.into_store().unwrap(), Split { scheme: Scheme::Mixed, seed: None, parts })
}

/// A stand-in for shingles up to renaming: `zz` before a word renames it.
fn lettered(passage: &Passage) -> Shingled {
    let mut renamed = Passage::new();
    for run in passage.runs() {
        if let crate::corpus::Run::Text(text) = run {
            let tail: Vec<&str> = text.split_whitespace().map(|word| word.trim_start_matches("zz")).collect();
            renamed.push_text(&tail.join(" "));
        }
    }
    literal_shingles(&renamed)
}

fn of_kind(report: &LeakReport, kind: LeakKind) -> &Leak {
    report.leaks.iter().find(|leak| leak.kind == kind).unwrap()
}

fn counts(report: &LeakReport, kind: LeakKind) -> [usize; 3] {
    let leak = of_kind(report, kind);
    [leak.train_dev, leak.train_test, leak.dev_test]
}

#[test]
fn each_kind_of_leak_is_found_and_distinguished() {
    let changed = |mut words: Vec<String>, place: usize| {
        words[place] = "changed".to_owned();
        words
    };
    let shouted = text(1, 80).into_iter().map(|word| word.to_uppercase() + ",").collect();
    let (store, split) = corpus(vec![
        ("a", Part::Train, text(1, 80), text(2, 200)),
        ("a", Part::Dev, text(3, 80), text(4, 200)),
        ("b", Part::Test, shouted, text(5, 200)),
        ("c", Part::Test, text(6, 80), changed(text(2, 200), 70)),
        ("d", Part::Test, changed(text(3, 80), 40), text(4, 200)),
        ("e", Part::Train, text(7, 80), text(8, 200)),
    ]);
    let report = LeakReport::of(&store, &split, lettered).unwrap();
    assert_eq!(counts(&report, LeakKind::SameArticle), [1, 0, 0]);
    assert_eq!(counts(&report, LeakKind::SameStatement), [0, 1, 0]);
    assert_eq!(counts(&report, LeakKind::SameProof), [0, 0, 1]);
    assert_eq!(counts(&report, LeakKind::NearStatement), [0, 0, 1]);
    assert_eq!(counts(&report, LeakKind::NearProof), [0, 1, 0]);
    let example = &of_kind(&report, LeakKind::NearProof).examples[0];
    assert_eq!((example.pair.to_string().as_str(), example.twin.to_string().as_str()), ("c#1", "a#1"));
    assert!((0.9..1.0).contains(&example.similarity), "{}", example.similarity);
    assert!(serde_json::to_string(&report).unwrap().contains(r#""pair":"c#1""#));
}

#[test]
fn renamed_twins_are_found_and_counted_once() {
    let renamed = |words: Vec<String>| words.into_iter().map(|word| format!("zz{word}")).collect::<Vec<_>>();
    let (store, split) = corpus(vec![
        ("a", Part::Train, text(1, 80), text(2, 200)),
        ("b", Part::Test, renamed(text(1, 80)), text(3, 200)),
        ("c", Part::Test, text(1, 80), renamed(text(2, 200))),
    ]);
    let report = LeakReport::of(&store, &split, lettered).unwrap();
    assert_eq!(counts(&report, LeakKind::RenamedStatement), [0, 1, 0]);
    assert_eq!(counts(&report, LeakKind::RenamedProof), [0, 1, 0]);
    assert_eq!(counts(&report, LeakKind::SameStatement), [0, 1, 0]);
    assert_eq!(counts(&report, LeakKind::NearProof), [0, 0, 0]);
}

#[test]
fn duplicates_are_found_over_the_whole_corpus() {
    let mut near = text(2, 200);
    near[100] = "changed".to_owned();
    let (store, _) = corpus(vec![
        ("a", Part::Train, text(1, 80), text(2, 200)),
        ("b", Part::Train, text(4, 80), near),
        ("c", Part::Test, text(1, 80), text(5, 200)),
        ("d", Part::Test, text(6, 80), text(7, 200)),
    ]);
    let request = DuplicateRequest {
        sides: vec![Side::Statement, Side::Proof],
        least: 0.8,
        shingler: literal_shingles,
    };
    let found = find_duplicates(&store, &request, &crate::base::task::Task::unobserved()).unwrap();
    let ids: Vec<(Side, u32, u32)> = found.iter().map(|one| (one.side, one.row, one.twin)).collect();
    assert_eq!(ids, [(Side::Statement, 2, 0), (Side::Proof, 1, 0)]);
    assert_eq!(found[0].similarity, 1.0);
}

#[test]
fn a_split_without_twins_is_clean() {
    let texts = (0..60).map(|index| {
        let part = Part::ALL[index as usize % 3];
        (["a", "b", "c"][index as usize % 3], part, text(2 * index + 100, 60), text(2 * index + 101, 120))
    });
    let (store, split) = corpus(texts.collect());
    let report = LeakReport::of(&store, &split, lettered).unwrap();
    assert!(LeakKind::ALL.iter().all(|&kind| counts(&report, kind) == [0; 3]), "{report:?}");
}

#[test]
fn copies_of_one_text_count_one_by_one() {
    let mut texts = vec![("a", Part::Train, text(1, 50), text(2, 90)); 40];
    let mut near = text(2, 90);
    near[10] = "other".to_owned();
    texts.extend(vec![("b", Part::Test, text(3, 50), near); 30]);
    let (store, split) = corpus(texts);
    let report = LeakReport::of(&store, &split, lettered).unwrap();
    assert_eq!(counts(&report, LeakKind::NearProof), [0, 30, 0]);
    assert_eq!(counts(&report, LeakKind::SameProof), [0, 0, 0]);
}

/// The sketches find nearly all twins, also among short texts.
#[test]
fn few_twins_are_missed() {
    for (length, changes, start) in [(25, 1, 0), (52, 1, 26), (100, 2, 30), (400, 8, 40)] {
        let mut texts = Vec::new();
        for seed in 0..200 {
            let original = text(seed + 1000, length);
            let mut copy = original.clone();
            for change in 0..changes {
                copy[start + change * length / (changes + 1)] = format!("c{change}");
            }
            texts.push(("a", Part::Train, original, text(seed + 9000, 40)));
            texts.push(("b", Part::Test, copy, text(seed + 19000, 40)));
        }
        let alike = texts.chunks(2).filter(|two| {
            let sets = [&two[0].2, &two[1].2].map(|words| literal_shingles(&passage(words)).set());
            sketch::similarity(&sets[0], &sets[1]) >= NEARLY_THE_SAME
        });
        let alike = alike.count();
        assert!(alike > 190, "{length}: {alike}");
        let (store, split) = corpus(texts);
        let report = LeakReport::of(&store, &split, lettered).unwrap();
        let [_, found, _] = counts(&report, LeakKind::NearStatement);
        assert!(found <= alike && found * 100 >= alike * 97, "{length}: {found} of {alike}");
    }
}
