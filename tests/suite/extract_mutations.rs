//! Real articles and real files of pairs, spoiled at random: reading them always ends, soon, and without a panic.
//!
//! `MATCHBOOK_MUTATIONS` sets how many cases each law is tried with. For a long run:
//!
//! ```text
//! MATCHBOOK_MUTATIONS=100000 cargo test --release --test suite extract_mutations
//! ```

use std::{
    convert::Infallible,
    fs,
    sync::LazyLock,
    time::{Duration, Instant},
};

use crate::support::{demo, pair, xhtml};
use matchbook::{
    base::task::CancelToken,
    corpus::exchange::{Selection, export},
    corpus::extract::{
        article::ArticleReader,
        options::{Linearization, Options},
    },
    corpus::formats::{Format, Import, NamedFormat, Sink},
    corpus::{
        Article, Pair, Passage, readable,
        store::{Filter, Query, SearchField},
    },
};
use proptest::{prelude::*, sample::Index};

/// Nothing takes longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

fn cases(usual: u32) -> ProptestConfig {
    let requested = std::env::var("MATCHBOOK_MUTATIONS").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: requested.unwrap_or(usual),
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(400))]
    #[test]
    fn whole_articles(article in any::<Index>(), changes in changes(), options in options()) {
        read(mutated(&article.get(demo()).1, &changes), &options);
    }
}

proptest! {
    #![proptest_config(cases(3_000))]
    #[test]
    fn short_articles(article in any::<Index>(), changes in changes(), options in options()) {
        read(mutated(article.get::<Vec<u8>>(&SHORT), &changes), &options);
    }

    #[test]
    fn nothing_but_fragments(fragments in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..40), html: bool) {
        let body = pair(&fragments.concat());
        let article = if html { crate::support::html(&body) } else { xhtml(&body) };
        read(article.into_bytes(), &Options::default());
        read(fragments.concat().into_bytes(), &Options::default());
    }
}

proptest! {
    #![proptest_config(cases(300))]
    #[test]
    fn files_of_pairs(format in prop::sample::select(&[Format::Match, Format::JsonLines, Format::Csv, Format::Parquet][..]), changes in changes()) {
        let (_, content) = FILES.iter().find(|(known, _)| *known == format).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), mutated(content, &changes)).unwrap();
        let begin = Instant::now();
        // Whether it can be read does not matter; that there is an answer does.
        let _ = Import::default().file(file.path(), Some(format), &mut Nowhere);
        let _ = Format::of(file.path());
        prop_assert!(begin.elapsed() < PATIENCE * 5, "{:?}", begin.elapsed());
    }
}

proptest! {
    #![proptest_config(cases(3_000))]
    #[test]
    fn queries(typed in "\\PC{0,40}|[a-z\"\\-: *()^.]{0,60}|(AND|OR|NOT|NEAR|statement:|proof:|\"|-|\\*| |ring|é){0,12}", text in "\\PC{0,60}") {
        thread_local! {
            static STORE: matchbook::corpus::store::Store = matchbook::corpus::demo::corpus().unwrap();
        }
        let query = Query::parse(&typed);
        for range in query.highlights(SearchField::Proof, &text) {
            prop_assert!(text.get(range).is_some());
        }
        STORE.with(|store| store.search(&query, &Filter::default(), 0, 5, &CancelToken::new())).unwrap();
    }
}

/// Something that happens to a file.
#[derive(Clone, Debug)]
enum Change {
    Flip(Index, u8),
    Delete(Index, usize),
    Insert(Index, &'static str),
    /// Inserted before a tag, so that what was well-formed often stays so.
    InsertElement(Index, &'static str),
    /// Every element of one name becomes one of another.
    Rename(&'static str, &'static str),
    Copy(Index, Index, usize),
    Repeat(Index, usize, usize),
    Truncate(Index),
    /// The prolog goes and the rules of HTML hold.
    AsHtml,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let place = any::<Index>;
    let fragment = || prop::sample::select(FRAGMENTS);
    let name = || prop::sample::select(NAMES);
    let change = prop_oneof![
        3 => (place(), any::<u8>()).prop_map(|(at, bits)| Change::Flip(at, bits)),
        2 => (place(), 0usize..200).prop_map(|(at, length)| Change::Delete(at, length)),
        2 => (place(), fragment()).prop_map(|(at, text)| Change::Insert(at, text)),
        4 => (place(), fragment()).prop_map(|(at, text)| Change::InsertElement(at, text)),
        6 => (name(), name()).prop_map(|(old, new)| Change::Rename(old, new)),
        2 => (place(), place(), 0usize..2_000).prop_map(|(from, to, length)| Change::Copy(from, to, length)),
        1 => (place(), 0usize..60, 0usize..500).prop_map(|(at, length, times)| Change::Repeat(at, length, times)),
        1 => place().prop_map(Change::Truncate),
        3 => Just(Change::AsHtml),
    ];
    prop::collection::vec(change, 1..8)
}

fn mutated(original: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for change in changes {
        let length = bytes.len();
        let at = |index: &Index| index.index(length + 1);
        let part = |from: usize, size: usize| from..(from + size).min(length);
        match change {
            Change::Flip(index, bits) => bytes.get_mut(at(index)).into_iter().for_each(|byte| *byte ^= bits),
            Change::Delete(index, size) => drop(bytes.drain(part(at(index), *size))),
            Change::Insert(index, text) => insert(&mut bytes, at(index), text.as_bytes()),
            Change::InsertElement(index, text) => {
                let from = at(index);
                let tag = memchr::memchr(b'<', &bytes[from..]).map_or(length, |found| from + found);
                insert(&mut bytes, tag, text.as_bytes());
            }
            Change::Rename(old, new) => bytes = renamed(&bytes, old, new),
            Change::Copy(from, to, size) => {
                let copied = bytes[part(at(from), *size)].to_vec();
                insert(&mut bytes, at(to), &copied);
            }
            Change::Repeat(index, size, times) => {
                let repeated = bytes[part(at(index), *size)].repeat(*times);
                insert(&mut bytes, at(index), &repeated);
            }
            Change::Truncate(index) => bytes.truncate(at(index)),
            Change::AsHtml => {
                let root = memchr::memmem::find(&bytes, b"<html").unwrap_or(0);
                bytes = [b"<!DOCTYPE html>", &bytes[root..]].concat();
                bytes = String::from_utf8_lossy(&bytes)
                    .replace("xmlns=\"http://www.w3.org/1999/xhtml\"", "")
                    .into();
            }
        }
    }
    bytes
}

fn insert(bytes: &mut Vec<u8>, at: usize, inserted: &[u8]) {
    drop(bytes.splice(at..at, inserted.iter().copied()));
}

fn renamed(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    for (before, after) in
        [("<", ">"), ("<", " "), ("<", "/>"), ("</", ">"), ("<m:", ">"), ("<m:", " "), ("</m:", ">")]
    {
        text = text.replace(&format!("{before}{old}{after}"), &format!("{before}{new}{after}"));
    }
    text.into_bytes()
}

fn options() -> impl Strategy<Value = Options> {
    let all = Linearization { structure: true, typed: true, ..Linearization::default() };
    let loose = Options { shortest: 0, longest: 100_000, any_language: true, ..Options::default() };
    prop::sample::select(vec![
        Options::default(),
        Options::reference(),
        Options { linearization: all, ..loose.clone() },
        loose,
    ])
}

/// Reads an article and looks at everything that comes of it.
fn read(article: Vec<u8>, options: &Options) {
    let time = || {
        let begin = Instant::now();
        let outcome = ArticleReader::default().read(&article, options);
        (begin.elapsed(), outcome)
    };
    let (mut elapsed, outcome) = time();
    // On a busy machine the clock also counts what others do.
    for _ in 0..3 {
        if elapsed > PATIENCE {
            elapsed = elapsed.min(time().0);
        }
    }
    assert!(elapsed < PATIENCE, "{elapsed:?} for {} bytes", article.len());
    match outcome {
        Err(cause) => assert!(!cause.shortened().to_string().contains('\n')),
        Ok(found) => {
            assert!(found.pairs.len() as u64 <= found.raw_pairs);
            for pair in &found.pairs {
                for (passage, span) in
                    [(&pair.statement, pair.statement_span), (&pair.proof, pair.proof_span)]
                {
                    assert!(span.0 < span.1);
                    assert_eq!(passage.counts().total(), passage.tokens().count());
                    assert!(passage.counts().total() <= options.longest + 1_000);
                    assert_eq!(&Passage::from_encoded(passage.encoded().to_owned()), passage);
                    std::hint::black_box(readable(passage));
                }
            }
        }
    }
}

/// Short articles with the formulas of the demo in them.
static SHORT: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    demo()
        .iter()
        .map(|(_, content)| {
            let text = String::from_utf8_lossy(content);
            let starts = text.match_indices("<math ").chain(text.match_indices("<m:math "));
            let formulas = starts.step_by(9).take(8).filter_map(|(from, _)| {
                let end = ["</math>", "</m:math>"]
                    .iter()
                    .filter_map(|end| Some(text[from..].find(end)? + end.len()))
                    .min()?;
                Some(&text[from..from + end])
            });
            xhtml(&pair(&formulas.collect::<Vec<_>>().join(" and "))).into_bytes()
        })
        .collect()
});

/// A part of the demo corpus in every format.
static FILES: LazyLock<Vec<(Format, Vec<u8>)>> = LazyLock::new(|| {
    let store = matchbook::corpus::demo::corpus().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let selection = Selection::default();
    let write = |format: Format| {
        let path = folder.path().join(format.name());
        export(&store, &path, NamedFormat { format, compressed: false }, &selection, &CancelToken::new())
            .unwrap();
        (format, fs::read(path).unwrap())
    };
    Format::ALL.into_iter().map(write).collect()
});

/// Takes everything and keeps nothing.
struct Nowhere;

impl Sink for Nowhere {
    type Error = Infallible;

    fn article(&mut self, _: Article) -> Result<(), Infallible> {
        Ok(())
    }

    fn pair(&mut self, pair: Pair) -> Result<(), Infallible> {
        std::hint::black_box((readable(&pair.statement), readable(&pair.proof)));
        Ok(())
    }
}

const NAMES: &[&str] = &[
    "div",
    "p",
    "span",
    "h6",
    "a",
    "math",
    "semantics",
    "annotation",
    "annotation-xml",
    "mrow",
    "mi",
    "mo",
    "mn",
    "mtext",
    "msub",
    "msup",
    "msubsup",
    "munder",
    "mover",
    "munderover",
    "mmultiscripts",
    "mprescripts",
    "mfrac",
    "msqrt",
    "mroot",
    "mfenced",
    "mtable",
    "mtr",
    "mtd",
    "apply",
    "bind",
    "ci",
    "cn",
    "csymbol",
    "cerror",
    "share",
    "set",
    "list",
    "interval",
    "vector",
    "matrix",
    "matrixrow",
    "piecewise",
    "piece",
    "otherwise",
    "lambda",
    "bvar",
    "condition",
    "lowlimit",
    "uplimit",
    "degree",
    "eq",
    "plus",
    "minus",
    "times",
    "divide",
    "power",
    "root",
    "sum",
    "int",
    "limit",
    "forall",
    "and",
    "in",
    "script",
    "style",
    "title",
    "h1",
    "meta",
    "link",
    "pair",
    "theorem",
    "proof",
    "table",
    "br",
];

const FRAGMENTS: &[&str] = &[
    "<",
    ">",
    "</",
    "/>",
    "&",
    ";",
    "\"",
    "'",
    "=",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?x",
    "?>",
    "<!DOCTYPE",
    "<!ENTITY x 'y'>",
    "&x;",
    "&amp;",
    "&#0;",
    "&#x10FFFF;",
    "&#xD800;",
    "&;",
    "&nbsp;",
    "\0",
    "\u{1}",
    "\u{1f}",
    "\u{2061}",
    "\u{2062}",
    "\u{feff}",
    "\u{202e}",
    "𝐱",
    "ℎ",
    "é",
    "____",
    "____bold",
    "\n",
    "\t",
    "\u{a0}",
    "<a>",
    "</a>",
    "<a/>",
    "<p>",
    "</p>",
    "<br>",
    "<br/>",
    "</div>",
    "<div class=\"theorem\">",
    "<div class=\"proof\">",
    "<div class=\"theorem proof\"/>",
    "<div class='theorem'><h6>Lemma 1</h6></div><div class='proof'/>",
    "<h6>Proof of Lemma 1</h6>",
    "<math>",
    "</math>",
    "<math/>",
    "<math><mi>x</mi></math>",
    "<mrow/>",
    "<mi/>",
    "<mo>^</mo>",
    "<msub/>",
    "<msub><mi>x</mi></msub>",
    "<msubsup><mi/><mi/><mi/><mi/></msubsup>",
    "<mover accent='true'/>",
    "<mover accent='true'><mi>x</mi><mo>ab</mo></mover>",
    "<mmultiscripts/>",
    "<mmultiscripts><mprescripts/></mmultiscripts>",
    "<mfrac/>",
    "<mfrac><mi>a</mi></mfrac>",
    "<mfrac linethickness='0'><mi/></mfrac>",
    "<msqrt/>",
    "<mroot/>",
    "<mfenced/>",
    "<mfenced separators=''><mi/><mi/></mfenced>",
    "<mfenced open='&#x1D431;' close='\u{2061}' separators=' ;,'><mi/><mi/><mi/><mi/></mfenced>",
    "<mtable/>",
    "<mtable><mtr/><mtr><mtd/></mtr></mtable>",
    "<apply/>",
    "<apply><apply/></apply>",
    "<apply><plus/></apply>",
    "<apply><minus/></apply>",
    "<apply><minus/><ci/></apply>",
    "<apply><ci>¯</ci><ci/></apply>",
    "<apply><ci>normal-</ci><ci>x</ci></apply>",
    "<apply><csymbol>delimited-</csymbol><ci/></apply>",
    "<apply><csymbol>delimited-⟨⟩⟩</csymbol></apply>",
    "<apply><csymbol>conditional-set</csymbol></apply>",
    "<apply><csymbol>evaluated-at</csymbol></apply>",
    "<apply><csymbol>subscript</csymbol></apply>",
    "<apply><csymbol>binomial</csymbol></apply>",
    "<apply><root/></apply>",
    "<apply><root/><degree/></apply>",
    "<apply><sum/><bvar/><lowlimit/><uplimit/></apply>",
    "<apply><int/><bvar/></apply>",
    "<apply><limit/><condition/></apply>",
    "<apply><and/><apply/><apply><share/></apply></apply>",
    "<apply><divide/></apply>",
    "<apply><power/></apply>",
    "<cn type='rational'>1<sep/></cn>",
    "<cn type='e-notation'><sep/></cn>",
    "<cn/>",
    "<set><bvar/></set>",
    "<interval/>",
    "<piecewise><piece/><otherwise/></piecewise>",
    "<matrix><matrixrow/></matrix>",
    "<lambda/>",
    "<bind/>",
    "<cerror/>",
    "<annotation-xml>",
    "<annotation-xml/>",
    "<annotation>a&lt;b</annotation>",
    "<semantics/>",
    "<script>",
    "<title>",
    "<pair><theorem/><proof/></pair>",
    "<pair><theorem><p/></theorem><proof><p/></proof></pair>",
    "<meta arxivid=''/>",
    "<link rel='canonical' href='/html/'/>",
    "<div id='watermark-tr'>arXiv: [</div>",
    "<h1 class='title_document'/>",
    "<title>[] </title>",
];
