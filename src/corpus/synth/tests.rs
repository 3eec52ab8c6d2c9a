//! What a run promises, checked with the extractor.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    path::Path,
    sync::LazyLock,
};

use super::{
    folder::{SynthError, SynthSummary},
    generator::{CATEGORIES, Generator, Item, draw_categories, id},
    *,
};
use crate::{
    base::{
        rng::Rng,
        task::{CancelToken, Task},
    },
    corpus::{
        Dialect, Font, Passage, Token, categories,
        extract::{
            article::{ArticleReader, Extraction},
            manifest::Manifest,
            options::{Options, PairRule},
        },
        passage::Counts,
    },
};

static FULL: LazyLock<Generator> = LazyLock::new(|| Generator::new(5, Markup::Full).unwrap());
static LEAN: LazyLock<Generator> = LazyLock::new(|| Generator::new(5, Markup::Lean).unwrap());

fn article(generator: &Generator, number: u64) -> String {
    let mut text = String::new();
    generator.write(number, &generator.plan(number), &mut text);
    text
}

fn read(text: &str) -> Extraction {
    ArticleReader::default().read(text.as_bytes(), &Options::default()).unwrap()
}

fn articles(numbers: impl Iterator<Item = u64>) -> impl Iterator<Item = Extraction> {
    numbers.map(|number| read(&article(&LEAN, number)))
}

fn run(folder: &Path, pairs: u64, markup: Markup) -> Result<SynthSummary, SynthError> {
    let request = SynthRequest { pairs, seed: 5, markup };
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
fn every_pair_is_kept_or_discarded_as_planned() {
    for number in 1..=120 {
        let plan = LEAN.plan(number);
        let count = |item| plan.iter().filter(|planned| **planned == item).count() as u64;
        let found = read(&article(&LEAN, number));
        assert_eq!(found.pairs.len() as u64, count(Item::Pair), "article {number}");
        assert_eq!(found.discarded.short_proof, count(Item::ShortProof), "article {number}");
        assert_eq!(found.discarded.too_long, count(Item::LongProof), "article {number}");
        assert!(found.discarded.no_proof >= count(Item::Unproved), "article {number}");
        assert_eq!((found.discarded.short_statement, found.discarded.not_english), (0, 0));
    }
}

#[test]
fn plans_have_the_papers_number_of_pairs() {
    let pairs = |number| LEAN.plan(number).iter().filter(|item| **item == Item::Pair).count();
    let pairs: Vec<usize> = (1..=20_000).map(pairs).collect();
    let with_pairs = pairs.iter().filter(|count| **count > 0).count();
    let mean = pairs.iter().sum::<usize>() as f64 / with_pairs as f64;
    assert!((6.4..6.8).contains(&mean), "{mean} pairs in an article");
    assert!((0.85..0.95).contains(&(with_pairs as f64 / pairs.len() as f64)));
}

#[test]
fn full_and_lean_markup_hold_the_same_pairs() {
    let mut sizes = (0, 0);
    for number in 1..=20 {
        let [full, lean] = [&FULL, &LEAN].map(|generator| article(generator, number));
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
    let text = article(&FULL, 12);
    let found = read(&text);
    assert_eq!(found.dialect, Dialect::Xhtml);
    assert!(found.metadata.title.starts_with("Generated article 12: "), "{}", found.metadata.title);
    assert!(text.contains("<meta name=\"generator\" content=\"matchbook synth\"/>"));
    assert!(found.pairs.iter().all(|pair| !pair.label.is_empty() && !pair.anchor.is_empty()));
}

#[test]
fn ids_are_unique_and_every_reference_leads_somewhere() {
    for number in 1..=10 {
        let text = article(&FULL, number);
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
fn letters_are_renamed_alike_in_presentation_content_and_tex() {
    for number in 1..=20 {
        let text = article(&FULL, number);
        // LaTeXML writes no TeX for a zero.
        for formula in text.split("<math ").filter(|formula| formula.contains("application/x-tex")) {
            let between =
                |start: &str, end: &str| formula.split(start).nth(1).unwrap().split(end).next().unwrap();
            let attribute = between("alttext=\"", "\"").replace("&#10;", "\n");
            assert_eq!(attribute, between("application/x-tex\">", "</annotation>"));
            let (presentation, content) = formula.split_once("<annotation-xml").unwrap();
            let letters = |markup: &str, element: &str| {
                let texts = markup.split(element).skip(1).filter_map(|rest| rest.split(['>', '<']).nth(1));
                let letter =
                    |text: &str| Some(Font::split(text.chars().next()?).0).filter(char::is_ascii_alphabetic);
                let mut found: Vec<char> =
                    texts.filter(|text| text.chars().count() == 1).filter_map(letter).collect();
                found.sort_unstable();
                found
            };
            // Content has each repeated term once, and some operators of its own.
            let (shown, meant) = (letters(presentation, "<mi "), letters(content, "<ci "));
            assert!(shown.iter().all(|letter| attribute.contains(*letter)), "{formula}");
            assert!(
                meant.iter().all(|letter| shown.contains(letter) || formula.contains("xrightarrow")),
                "{formula}"
            );
        }
    }
}

#[test]
fn generated_pairs_differ() {
    let mut seen = HashSet::new();
    for pair in articles(1..=200).flat_map(|found| found.pairs) {
        let text = |passage: &Passage| passage.encoded().to_owned();
        assert!(seen.insert((text(&pair.statement), text(&pair.proof))), "{:?}", pair.statement);
    }
    assert!(seen.len() > 1_000);
}

#[test]
fn a_run_keeps_its_promise() {
    let folder = tempfile::tempdir().unwrap();
    for pairs in [1, 7, 300] {
        let summary = run(folder.path(), pairs, Markup::Lean).unwrap();
        let mut files = files(folder.path());
        let manifest = String::from_utf8(files.remove("manifest.tsv").unwrap()).unwrap();
        let table = Manifest::read(&folder.path().join("manifest.tsv")).unwrap();
        let mut kept = BTreeMap::<_, u64>::new();
        for (name, bytes) in &files {
            for rule in [PairRule::Named, PairRule::Strict] {
                let options = Options { rule, ..Options::default() };
                let found = ArticleReader::default().read(bytes, &options).unwrap();
                *kept.entry(rule == PairRule::Strict).or_default() += found.pairs.len() as u64;
                let line = format!("{name}\t{}\t", &name[5..18]);
                assert!(manifest.contains(&line));
                let beside = table.find(&name[5..], "").unwrap().unwrap();
                assert_eq!((beside.id.as_str(), beside.title), (&name[5..18], found.metadata.title));
                assert!(beside.categories.iter().all(|code| categories::name(code).is_some()));
            }
        }
        assert_eq!(kept.into_values().collect::<Vec<_>>(), [pairs, pairs], "both rules keep the same");
        assert_eq!(summary, SynthSummary { articles: files.len() as u64, pairs });
        assert_eq!(summary.articles, manifest.lines().count() as u64 - 1);
    }
}

#[test]
fn algebraic_geometry_leads_and_every_category_occurs() {
    assert!(CATEGORIES.iter().all(|code| categories::name(code).is_some()));
    let mut rng = Rng::new(3);
    let (mut first, mut all) = (HashMap::<_, u32>::new(), 0);
    for _ in 0..20_000 {
        let drawn = draw_categories(&mut rng);
        *first.entry(drawn[0]).or_default() += 1;
        all += drawn.len();
    }
    assert_eq!(first.len(), CATEGORIES.len());
    assert!(first.values().all(|&count| count <= first["math.AG"]));
    assert!((33_000..35_000).contains(&all), "{all}");
}

#[test]
fn lengths_are_about_those_of_the_paper() {
    let pairs: Vec<_> = articles(1..=150).flat_map(|found| found.pairs).collect();
    let (statements, proofs): (Vec<Counts>, Vec<Counts>) =
        pairs.iter().map(|pair| (pair.statement.counts(), pair.proof.counts())).unzip();
    let check = |counts: &[Counts], mean: f64, deviation: f64, math_share: f64| {
        let moments = |value: &dyn Fn(&Counts) -> f64| {
            let average = counts.iter().map(value).sum::<f64>() / counts.len() as f64;
            let squares = counts.iter().map(|count| (value(count) - average).powi(2)).sum::<f64>();
            (average, (squares / counts.len() as f64).sqrt())
        };
        let (found, spread) = moments(&|counts| counts.total() as f64);
        let (share, _) = moments(&|counts| 100.0 * counts.math as f64 / counts.total() as f64);
        assert!((found / mean - 1.0).abs() < 0.25, "mean {found:.1}, the paper has {mean}");
        assert!((spread / deviation - 1.0).abs() < 0.4, "deviation {spread:.1}, the paper has {deviation}");
        assert!(
            (share / math_share - 1.0).abs() < 0.15,
            "{share:.1} % mathematics, the paper has {math_share}"
        );
    };
    check(&statements, 80.0, 57.0, 58.0);
    check(&proofs, 210.0, 127.0, 56.0);
}

/// Matching must be possible, and not trivial.
#[test]
fn a_proof_shares_more_with_its_statement_than_with_others() {
    let pairs: Vec<_> = articles(1..=80).flat_map(|found| found.pairs).collect();
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
    let (own, neighbor, distant) = (mean(0), mean(1), mean(sets.len() / 2));
    assert!(own > neighbor * 1.1 && neighbor > distant * 1.1, "{own:.3} {neighbor:.3} {distant:.3}");
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
        let is_last = name.contains(&id(summary.articles));
        assert!(is_last || bytes == &longer[name], "{name}");
        let number = name[11..18].parse().unwrap();
        assert!(is_last || bytes == article(&FULL, number).as_bytes(), "{name}");
    }
}

#[test]
fn the_generator_never_changes() {
    // A change of the generator changes every load test.
    let other_seed = Generator::new(6, Markup::Full).unwrap();
    let digests = [article(&FULL, 1), article(&FULL, 2), article(&other_seed, 1)]
        .map(|text| blake3::hash(text.as_bytes()).to_hex()[..12].to_owned());
    assert_eq!(digests, ["64868136133e", "adcf9e478dd3", "63ca31b488ef"]);
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
    let request = SynthRequest { pairs: 3_000, seed: 1, markup: Markup::Lean };
    let cancel = CancelToken::new();
    let stop = |_| cancel.cancel();
    let error = write(folder.path(), request, &Task::new(&cancel, &stop)).unwrap_err();
    assert!(matches!(error, SynthError::Cancelled { articles: 200, .. }), "{error}");
    assert!(!folder.path().join("manifest.tsv").exists());
    run(folder.path(), 1, Markup::Lean).unwrap();
}
