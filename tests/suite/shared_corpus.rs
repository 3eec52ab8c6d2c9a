//! The real articles that lie beside the project, where they do; without them every test here says that it
//! was skipped. An independent program counted the pairs of each article: ours must agree.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    find::ranks,
    support::{TestDir, program},
};
use matchbook::{
    corpus::{Pair, PairId, store::Store},
    symbols::{
        LetterSet, Level, Naming, ReplaceMode, Replacer, Seed, Setting, Strangers, canonical, corpus_audit,
        overlap, rewrite::rewrite, shortcut,
    },
};

#[test]
fn pairs_are_those_that_an_independent_program_counted() {
    let Some(shared) = shared() else { return };
    // Content-only formulas were not counted there for MREC, so only what the rule finds can be compared.
    for (archive, part, compare_kept) in [
        ("articles.tar.zst", "articles", true),
        ("dialects.tar.zst", "html5", true),
        ("dialects.tar.zst", "mrec", false),
    ] {
        let expected = counts(&shared.join(format!("{part}.counts.tsv")));
        let folder = tempfile::tempdir().unwrap();
        unpack(&shared.join(archive), folder.path());
        let report = folder.path().join("report.tsv");
        let corpus = folder.path().join("a.corpus");
        extract(
            &folder.path().join(part),
            &corpus,
            &["--compat", "reference", "--report", report.to_str().unwrap()],
        );
        let found = counts(&report);
        assert_eq!(found.len(), expected.len(), "{part}");
        for (file, (raw, kept)) in &expected {
            let (our_raw, our_kept) = found[file];
            assert_eq!(our_raw, *raw, "{file}");
            if compare_kept {
                assert_eq!(our_kept, *kept, "{file}");
            }
        }
    }
}

#[test]
fn no_level_collides_or_leaks_and_all_can_be_undone() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    let metadata = shared.join("articles.manifest.tsv");
    extract(&shared.join("articles.tar.zst"), &path, &["--metadata", metadata.to_str().unwrap()]);
    let store = Store::open(&path).unwrap();
    assert!(store.pair_count() > 3_000);
    let strangers = Strangers::of(&store).unwrap();
    for level in Level::ALL.into_iter().chain([Level::Full(Naming::Disjoint)]) {
        for protect in [false, true] {
            let replacer = Replacer::exact(Setting { level, protect }, Seed(1)).unwrap();
            let replacer = replacer.in_corpus(&store).unwrap();
            let total = corpus_audit(&store, &replacer).unwrap().total;
            assert_eq!((total.collisions, total.torn, total.unexplained), (0, 0, 0), "{}", replacer.setting);
        }
        for row in (0..store.pair_count()).step_by(7) {
            let (_, pair) = store.pair_at(row).unwrap().unwrap();
            check_laws(&pair, level, &strangers);
        }
    }
}

#[test]
fn the_rank_of_a_proof_by_find_is_its_rank_in_an_evaluation() {
    let Some(shared) = shared() else { return };
    let dir = TestDir::new();
    let metadata = shared.join("articles.manifest.tsv");
    let path = dir.path("real.corpus");
    extract(&shared.join("articles.tar.zst"), &path, &["--metadata", metadata.to_str().unwrap()]);
    for (evaluate, find) in [
        (
            &["--baseline", "tfidf", "--symbols", "renamed", "--split", "unmixed"][..],
            &["--split", "unmixed"][..],
        ),
        (&["--baseline", "tfidf"], &["--literal"]),
    ] {
        let [expected, found] = ranks(&dir, "real.corpus", evaluate, find);
        assert!(expected.len() > 300);
        assert_eq!(found, expected, "{find:?}");
    }
}

#[test]
fn full_replacement_gives_nothing_away_and_the_other_rules_do() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    let metadata = shared.join("articles.manifest.tsv");
    extract(&shared.join("articles.tar.zst"), &path, &["--metadata", metadata.to_str().unwrap()]);
    let store = Store::open(&path).unwrap();
    let full = Replacer::exact(Level::FULL.into(), Seed(1)).unwrap().in_corpus(&store).unwrap();
    let disjoint = Replacer::exact(Level::Full(Naming::Disjoint).into(), Seed(1)).unwrap();
    let reference = Replacer { mode: ReplaceMode::Reference, ..full.clone() };
    let found = overlap(&store, &full).unwrap();
    assert!(found.letters.is_neutral() && found.symbols.is_neutral(), "{found:?}");
    let probe = shortcut(&store, &full).unwrap();
    assert!(probe.is_chance(), "{probe:?}");
    for other in [disjoint, reference] {
        let known = overlap(&store, &other).unwrap();
        assert!(!known.letters.is_neutral() && !known.symbols.is_neutral(), "{known:?}");
        let known = shortcut(&store, &other).unwrap();
        assert!(!known.is_chance() && probe.mrr < known.mrr, "{known:?}");
    }
}

/// Only names changed, and the way back restores them.
fn check_laws(pair: &Pair, level: Level, strangers: &Strangers) {
    let replaced = matchbook::symbols::replace(pair, level, Seed(1), LetterSet::EMPTY, strangers);
    let PairId { article, number } = &pair.id;
    assert!(canonical(&pair.proof) == canonical(&replaced.proof), "{article}#{number} at {level}");
    assert_eq!(pair.proof.counts(), replaced.proof.counts());
    let (restored, _) = rewrite(&replaced.proof, &replaced.mapping.inverse());
    assert!(restored.tokens().eq(pair.proof.tokens()), "{article}#{number} at {level}");
}

/// The folder of real articles, or `None` with a word on standard error.
fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if folder.join("articles.tar.zst").exists() {
        return Some(folder);
    }
    eprintln!("SKIPPED: there are no real articles in {}", folder.display());
    None
}

fn extract(input: &Path, corpus: &Path, more: &[&str]) {
    let output =
        Command::new(program()).arg("extract").arg(input).arg("-o").arg(corpus).args(more).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Raw and kept pairs by file.
fn counts(path: &Path) -> BTreeMap<String, (u64, u64)> {
    let text = std::fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[0].to_owned(), (fields[1].parse().unwrap(), fields[2].parse().unwrap()))
    };
    text.lines().skip(1).map(row).collect()
}

fn unpack(archive: &Path, folder: &Path) {
    let packed = std::fs::File::open(archive).unwrap();
    tar::Archive::new(zstd::Decoder::new(packed).unwrap()).unpack(folder).unwrap();
}
