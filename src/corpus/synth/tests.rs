//! What a run promises, checked with the extractor.

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::Path,
};

use super::*;
use crate::{
    base::task::{CancelToken, Task},
    corpus::extract::{
        article::{ArticleReader, Extraction},
        filters::Discarded,
        manifest::Manifest,
        options::{Options, PairRule},
    },
    corpus::synth::plan::{Item, Promise},
    corpus::{Dialect, Passage, Token, categories, passage::Counts},
};

fn read(text: &str) -> Extraction {
    ArticleReader::default().read(text.as_bytes(), &Options::default()).unwrap()
}

fn articles(seed: u64, numbers: impl Iterator<Item = u64>) -> impl Iterator<Item = Extraction> {
    let generator = Generator::new(seed, Markup::Lean);
    let mut formulas = FormulaWriter::default();
    numbers.map(move |number| {
        let mut text = String::new();
        generator.write(number, &generator.plan(number), &mut formulas, &mut text);
        read(&text)
    })
}

fn run(folder: &Path, pairs: u64, markup: Markup) -> Result<Summary, SynthError> {
    let request = Request { pairs, seed: 5, markup };
    write(folder, request, &Task::unobserved())
}

/// Every file below a folder, by its path.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn every_passage_has_exactly_the_planned_tokens() {
    let generator = Generator::new(9, Markup::Full);
    // Without filters every pair comes back, also those that a plan means to be left out.
    let options = Options { shortest: 0, longest: usize::MAX, any_language: true, ..Options::default() };
    for number in 1..=60 {
        let plan = generator.plan(number);
        let mut text = String::new();
        generator.write(number, &plan, &mut FormulaWriter::default(), &mut text);
        let found = ArticleReader::default().read(text.as_bytes(), &options).unwrap();
        let lengths = |passage: &Passage| passage.counts().total();
        let found: Vec<_> =
            found.pairs.iter().map(|pair| (lengths(&pair.statement), lengths(&pair.proof))).collect();
        let planned = plan.items.iter().filter_map(|item| match item {
            Item::Pair { statement, proof, .. } => Some((*statement, *proof)),
            _ => None,
        });
        assert_eq!(found, planned.collect::<Vec<_>>(), "article {number}");
    }
}

#[test]
fn full_and_lean_markup_hold_the_same_pairs() {
    let mut sizes = (0, 0);
    for number in 1..=20 {
        let plan = Generator::new(2, Markup::Full).plan(number);
        let [full, lean] = [Markup::Full, Markup::Lean].map(|markup| {
            let mut text = String::new();
            Generator::new(2, markup).write(number, &plan, &mut FormulaWriter::default(), &mut text);
            text
        });
        sizes = (sizes.0 + full.len(), sizes.1 + lean.len());
        let spanless = |text: &str| {
            let mut found = read(text);
            found.pairs.iter_mut().for_each(|pair| (pair.statement_span, pair.proof_span) = ((0, 0), (0, 0)));
            found
        };
        assert_eq!(spanless(&full), spanless(&lean));
    }
    assert!((3..6).contains(&(sizes.0 / sizes.1)), "{sizes:?}");
}

#[test]
fn an_article_is_marked_as_generated_and_reads_as_latexml() {
    let text = article(1, 12);
    let found = read(&text);
    assert_eq!(found.dialect, Dialect::Xhtml);
    assert!(found.metadata.title.starts_with("Generated article 12: "), "{}", found.metadata.title);
    assert!(text.contains("<meta name=\"generator\" content=\"matchbook synth\"/>"));
    assert!(found.pairs.iter().all(|pair| !pair.label.is_empty() && !pair.anchor.is_empty()));
}

#[test]
fn ids_are_unique_and_every_reference_leads_somewhere() {
    for number in 1..=10 {
        let text = article(3, number);
        let values = |attribute: &str| -> Vec<String> {
            let start = format!(" {attribute}=\"");
            text.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
        };
        let ids = values("id");
        let known: HashSet<&String> = ids.iter().collect();
        assert_eq!(known.len(), ids.len(), "article {number}");
        let links = values("href").into_iter().filter_map(|link| link.strip_prefix('#').map(str::to_owned));
        for reference in values("xref").into_iter().chain(links) {
            assert!(known.contains(&reference), "article {number}: nothing has the id {reference}");
        }
    }
}

#[test]
fn a_run_keeps_its_promise() {
    let folder = tempfile::tempdir().unwrap();
    for pairs in [1, 7, 300] {
        let summary = run(folder.path(), pairs, Markup::Lean).unwrap();
        let mut files = files(folder.path());
        let manifest = String::from_utf8(files.remove("manifest.tsv").unwrap()).unwrap();
        let table = Manifest::read(&folder.path().join("manifest.tsv")).unwrap();
        let (mut promise, mut strict) = (Promise::default(), 0);
        for (name, bytes) in &files {
            for rule in [PairRule::Named, PairRule::Strict] {
                let options = Options { rule, ..Options::default() };
                let found = ArticleReader::default().read(bytes, &options).unwrap();
                let kept = found.pairs.len() as u64;
                assert_eq!(found.raw_pairs, kept + left_out(&found.discarded));
                if rule == PairRule::Named {
                    let discarded = found.discarded;
                    promise.add(&Promise { pairs_found: found.raw_pairs, pairs_kept: kept, discarded });
                    let line = format!("{name}\t{}\t", &name[5..18]);
                    assert!(manifest.contains(&line));
                    let beside = table.find(&name[5..], "").unwrap().unwrap();
                    assert_eq!((beside.id.as_str(), beside.title), (&name[5..18], found.metadata.title));
                    assert!(beside.categories.iter().all(|code| categories::name(code).is_some()));
                } else {
                    strict += kept;
                }
            }
        }
        assert_eq!(strict, pairs, "both rules keep the same");
        assert_eq!((promise.pairs_kept, summary.pairs_kept), (pairs, pairs));
        assert_eq!((promise.pairs_found, promise.discarded), (summary.pairs_found, summary.discarded));
        assert_eq!(summary.articles, files.len() as u64);
        assert_eq!(summary.articles, manifest.lines().count() as u64 - 1);
        assert_eq!(summary.bytes, files.values().map(|bytes| bytes.len() as u64).sum::<u64>());
    }
}

fn left_out(discarded: &Discarded) -> u64 {
    discarded.short_statement + discarded.short_proof + discarded.too_long + discarded.not_english
}

#[test]
fn lengths_are_those_of_the_paper() {
    let mut statements = Vec::new();
    let mut proofs = Vec::new();
    for found in articles(11, 1..=400) {
        assert_eq!(found.discarded.not_english, 0);
        for pair in found.pairs {
            statements.push(pair.statement.counts());
            proofs.push(pair.proof.counts());
        }
    }
    let check = |counts: &[Counts], value: fn(&Counts) -> f64, mean: f64, deviation: f64| {
        let values: Vec<f64> = counts.iter().map(value).collect();
        let found = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|value| (value - found).powi(2)).sum::<f64>() / values.len() as f64;
        assert!((found / mean - 1.0).abs() < 0.08, "mean {found:.1}, the paper has {mean}");
        let spread = variance.sqrt();
        assert!((spread / deviation - 1.0).abs() < 0.15, "deviation {spread:.1}, the paper has {deviation}");
    };
    let share = |counts: &Counts| 100.0 * counts.math as f64 / counts.total() as f64;
    check(&statements, |counts| counts.total() as f64, 80.0, 57.0);
    check(&proofs, |counts| counts.total() as f64, 210.0, 127.0);
    check(&statements, share, 58.0, 20.0);
    check(&proofs, share, 56.0, 21.0);
}

/// Matching must be possible, and not trivial.
#[test]
fn a_proof_shares_more_with_its_statement_than_with_others() {
    let pairs: Vec<_> = articles(4, 1..=80).flat_map(|found| found.pairs).collect();
    let tokens = |passage: &Passage| -> HashSet<String> {
        let is_telling = |token: &Token<'_>| match token {
            Token::Text(word) => word.len() > 4,
            Token::Math { symbol, .. } => symbol.chars().all(char::is_alphabetic),
        };
        passage.tokens().filter(is_telling).map(|token| token.to_string()).collect()
    };
    let sets: Vec<_> = pairs.iter().map(|pair| (tokens(&pair.statement), tokens(&pair.proof))).collect();
    let overlap = |one: &HashSet<String>, other: &HashSet<String>| {
        one.intersection(other).count() as f64 / one.len().max(1) as f64
    };
    let mean = |distance: usize| {
        let with = |index: usize| overlap(&sets[index].0, &sets[(index + distance) % sets.len()].1);
        (0..sets.len()).map(with).sum::<f64>() / sets.len() as f64
    };
    let (own, neighbour, stranger) = (mean(0), mean(1), mean(sets.len() / 2));
    assert!(own > neighbour * 1.1 && neighbour > stranger * 1.1, "{own:.3} {neighbour:.3} {stranger:.3}");
}

#[test]
fn the_bytes_do_not_depend_on_threads_and_a_longer_run_only_adds_articles() {
    let folder = tempfile::tempdir().unwrap();
    let run_on = |threads, name: &str, pairs| {
        let path = folder.path().join(name);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let summary = pool.install(|| run(&path, pairs, Markup::Full)).unwrap();
        (files(&path), summary)
    };
    let (alone, summary) = run_on(1, "alone", 60);
    assert_eq!((&alone, summary), (&run_on(5, "many", 60).0, run_on(3, "again", 60).1));
    let (longer, _) = run_on(2, "longer", 90);
    for (name, bytes) in alone.iter().filter(|(name, _)| !name.starts_with("manifest")) {
        let is_last = name.contains(&generator::id(summary.articles));
        assert!(is_last || bytes == &longer[name], "{name}");
        let number = name[11..18].parse().unwrap();
        assert!(is_last || bytes == article(5, number).as_bytes(), "{name}");
    }
}

#[test]
fn the_generator_never_changes() {
    // Whoever changes the generator changes every load test; this says so.
    let digests = [article(1, 1), article(1, 2), article(2, 1)]
        .map(|text| blake3::hash(text.as_bytes()).to_hex()[..12].to_owned());
    assert_eq!(digests, ["2e0b65f2bafa", "11f9b05658ac", "e0e67731082a"]);
}

#[test]
fn a_folder_with_anything_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), 30, Markup::Lean).unwrap();
    let shorter = run(folder.path(), 10, Markup::Lean).unwrap();
    assert_eq!(files(folder.path()).len() as u64, shorter.articles + 1);
    let before = files(folder.path());
    for name in ["notes.txt", "0000/synth.0000001.xhtml.bak", "0000/synth.1.xhtml"] {
        let path = folder.path().join(name);
        fs::write(&path, "mine").unwrap();
        let error = run(folder.path(), 10, Markup::Lean).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        fs::remove_file(path).unwrap();
        assert_eq!(files(folder.path()), before);
    }
}

#[test]
fn errors_name_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.join("below"), file] {
        let error = run(&path, 1, Markup::Lean).unwrap_err();
        assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
    }
}

#[test]
fn a_stopped_run_says_so_and_leaves_no_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let request = Request { pairs: 3_000, seed: 1, markup: Markup::Lean };
    let cancel = CancelToken::new();
    let stop = |_| cancel.cancel();
    let error = write(folder.path(), request, &Task::new(&cancel, &stop)).unwrap_err();
    assert!(matches!(error, SynthError::Cancelled { articles: 200, .. }), "{error}");
    assert!(!folder.path().join("manifest.tsv").exists());
    run(folder.path(), 1, Markup::Lean).unwrap();
}
