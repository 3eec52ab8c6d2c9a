//! Released text, as the reference writes it and as users have it.

use super::*;
use crate::{
    corpus::Kind,
    corpus::formats::{
        Import, Limits, Output, PairWriter, Report, Warning, Warnings,
        samples::{Collected, example},
    },
};

/// As the reference writes it.
const RELEASED: &str = "2

0704.0001\tmath.AG|math.AC\tOn modules
math/0511162\tmath.PR\tOn   chance

0704.0001|S1.Thmlemma1
____________
text\tLet
math\tx____bold = y
text\tbe given.
____________
text\tClear.

math/0511162|None
____________
math\tP
____________
text\tToss.

0704.0001|Thmthm2
____________
text\tAgain.
____________
math\t____________ = ____________

";

fn read_text(text: &str) -> (Collected, Warnings) {
    let mut collected = Collected::default();
    let report = read(text.as_bytes(), "some file", &mut Import::default(), &mut collected).unwrap();
    assert_eq!(report.pairs as usize, collected.pairs.len());
    (collected, report.warnings)
}

fn write_text(collected: &Collected) -> String {
    let mut bytes = Vec::new();
    let head = Head::Kept(&collected.headers[0]);
    let mut writer = Box::new(MatchWriter::create(Output::plain(&mut bytes, "some file"), head).unwrap());
    for pair in &collected.pairs {
        writer.pair(collected.article_of(pair), pair).unwrap();
    }
    writer.finish().unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Names and passages, one line per pair: `a#1 anchor: statement / proof`, runs separated by `+`.
fn show(collected: &Collected) -> Vec<String> {
    let passage = |encoded: &str| encoded.replace(['\n', '\u{1f}'], "+").replace("++", "");
    collected
        .pairs
        .iter()
        .map(|pair| {
            let (statement, proof) = (passage(pair.statement.encoded()), passage(pair.proof.encoded()));
            format!("{} {}: {statement} / {proof}", pair.id, pair.anchor)
        })
        .collect()
}

/// What is read, and which warnings there are with their first line.
fn check(text: &str, pairs: &[&str], warnings: &[(Warning, u64)]) {
    let (collected, found) = read_text(text);
    assert_eq!(show(&collected), pairs, "{text}");
    let found: Vec<_> = found.iter().map(|(warning, tally)| (warning, tally.places[0])).collect();
    assert_eq!(found, warnings, "{text}");
    assert_stable(&collected);
}

/// After one round trip, further ones change nothing.
fn assert_stable(collected: &Collected) {
    let written = write_text(collected);
    let (again, _) = read_text(&written);
    assert_eq!(show(&again), show(collected));
    assert_eq!(write_text(&again), written);
}

#[test]
fn what_the_reference_writes_comes_back_byte_for_byte() {
    let (collected, warnings) = read_text(RELEASED);
    assert!(warnings.is_empty(), "{warnings}");
    assert_eq!(
        show(&collected),
        [
            "0704.0001#1 S1.Thmlemma1: TLet+M-+x____bold = y+Tbe given. / TClear.",
            "math/0511162#1 : M-+P / TToss.",
            "0704.0001#2 Thmthm2: TAgain. / M-+____________ = ____________",
        ]
    );
    assert_eq!(collected.articles.len(), 2);
    assert_eq!(collected.articles[0].categories, ["math.AG", "math.AC"]);
    assert_eq!(collected.articles[1].title, "On   chance");
    assert_eq!(collected.pairs[0].kind, Kind::Lemma);
    assert_eq!(collected.pairs[2].kind, Kind::Theorem);
    assert_eq!(write_text(&collected), RELEASED);
}

#[test]
fn every_shape_the_reference_has_comes_back_byte_for_byte() {
    for text in [
        "0\n\n\n17|None\n____________\ntext\ta\n____________\nmath\tb\n\n",
        "1\n\n\n17|x|None\n____________\ntext\ta\n____________\n\n",
        "1\n\n\n17\n____________\n____________\n\n17\n____________\n____________\ntext\ta\n\n",
        "0\n\n\n",
        "1\n\na\t\tt\twith tab\n\na|x y\n____________\ntext\t____________\n____________\ntext\t_____________\n\n",
    ] {
        assert_eq!(write_text(&read_text(text).0), text);
    }
}

#[test]
fn unusual_heads_are_read() {
    let pair = "a|x\n____________\ntext\ts\n____________\ntext\tp\n\n";
    let read = "a#1 x: Ts / Tp";
    check(&format!("1\n\n\n{pair}"), &[read], &[]);
    check(&format!("0\n\n\n{pair}"), &[read], &[]);
    check(&format!("1\n\n{pair}"), &[read], &[]);
    check(&format!("5\n\n\n{pair}"), &[read], &[(Warning::WrongCount, 1)]);
    check(&format!("2\n\na\tc\tt\n\n{pair}"), &[read], &[(Warning::WrongCount, 1)]);
    check(pair, &[read], &[(Warning::NoHeader, 1)]);
    check(&format!("\u{feff}1\n\n\n{pair}"), &[read], &[(Warning::ByteOrderMark, 1)]);
    check(
        &format!("2\n\na\tc\tone\ntwo\nb\tc\tx\ty\n\n{pair}"),
        &[read],
        &[(Warning::MetadataLine, 4), (Warning::TabInTitle, 5), (Warning::ArticleWithoutPair, 5)],
    );
    check(
        &format!("1\n\nb\tc\tt\n\n{pair}"),
        &[read],
        &[(Warning::ArticleNotListed, 5), (Warning::ArticleWithoutPair, 3)],
    );
}

#[test]
fn pairs_are_neither_lost_nor_merged() {
    use Warning::*;
    let (s, p) = ("____________\ntext\ts\n", "____________\ntext\tp\n");
    let two = ["a#1 x: Ts / Tp", "a#2 y: Ts / Tp"];
    check(&format!("1\n\n\na|x\n{s}{p}a|y\n{s}{p}\n"), &two, &[(NoBlankLine, 9)]);
    check(&format!("1\n\n\na|x\n{s}{p}\n\n\na|y\n{s}{p}\n"), &two, &[(BlankLine, 10)]);
    check(&format!("1\n\n\na|x\n{s}\n{p}\na|y\n\n{s}{p}\n"), &two, &[(BlankLine, 8)]);
    check(&format!("1\n\n\na|x\n{s}\na|y\n{s}{p}\n"), &["a#1 x: Ts / ", "a#2 y: Ts / Tp"], &[(NoProof, 4)]);
    check(&format!("1\n\n\na|x\ntext\ts\n{p}\na|y\n{s}{p}\n"), &two, &[(NoSeparator, 5)]);
    check(
        &format!("2\n\n\na|x\n{s}{p}\n{s}{p}\n"),
        &["a#1 x: Ts / Tp", "unknown#1 : Ts / Tp"],
        &[(NoName, 10)],
    );
    check(&format!("2\n\n\na|x\n{s}{p}{s}{p}\n"), &["a#1 x: Ts / Tp", "unknown#1 : Ts / Tp"], &[(NoName, 9)]);
    check(
        &format!("2\n\n\na|x\n{s}{p}\n|y\n{s}{p}\n"),
        &["a#1 x: Ts / Tp", "unknown#1 y: Ts / Tp"],
        &[(NoName, 10)],
    );
    check(&format!("1\n\n\na|x\n{s}{p}"), &two[..1], &[(NoFinalBlank, 8)]);
    check(
        &format!("1\n\n\na|x\n{s}____________\ntext\tp"),
        &two[..1],
        &[(NoFinalNewline, 8), (NoFinalBlank, 8)],
    );
    check(&format!("1\n\n\na|x\n{s}{p}\njunk\n"), &two[..1], &[(NoFinalBlank, 10), (LineOutside, 10)]);
    check(&format!("1\n\n\na|x\n{s}{p}\ntext\tq\n\n"), &["a#1 x: Ts / Tp+Tq"], &[(BlankLine, 10)]);
    check(&format!("1\n\n\na|x\n{s}{p}broken run\n\n"), &["a#1 x: Ts / Tp+Tbroken run"], &[(StrayLine, 9)]);
    check(&format!("1\n\n\na|x\n{s}broken\n{p}\n"), &["a#1 x: Ts+Tbroken / Tp"], &[(StrayLine, 7)]);
    check(
        &format!("1\n\n\na|x\n{s}{p}\na\n{s}{p}\n"),
        &["a#1 x: Ts / Tp", "a#2 : Ts / Tp"],
        &[(NoStatementId, 10)],
    );
}

#[test]
fn odd_lines_are_kept_and_counted() {
    use Warning::*;
    let text = |run: &str| format!("1\n\n\na|x\n____________\n{run}\n____________\ntext\tp\n\n");
    check(&text("text\ta  b "), &["a#1 x: Ta  b  / Tp"], &[(IrregularSpace, 6)]);
    check(&text("text\ta\tb"), &["a#1 x: Ta\tb / Tp"], &[(IrregularSpace, 6)]);
    check(&text("math\t____________"), &["a#1 x: M-+____________ / Tp"], &[]);
    check(&text("text\ta\u{1f}b"), &["a#1 x: Ta b / Tp"], &[(ControlCharacter, 6)]);
    check(&text("text\t"), &["a#1 x: T / Tp"], &[]);
    check(&text("text"), &["a#1 x: Ttext / Tp"], &[(StrayLine, 6)]);
    check(&text("text\ta").replace('\n', "\r\n"), &["a#1 x: Ta / Tp"], &[(CarriageReturn, 1)]);
    check(&text("text\ta").replace("__\n", "__ \n"), &["a#1 x: Ta / Tp"], &[(IrregularSpace, 5)]);
}

#[test]
fn parts_read_together_go_on_counting() {
    let (mut import, mut collected) = (Import::default(), Collected::default());
    for file in ["mixed_full_train", "mixed_full_dev"] {
        read(RELEASED.as_bytes(), file, &mut import, &mut collected).unwrap();
    }
    assert_eq!(collected.headers.len(), 2);
    assert_eq!(collected.articles.len(), 2);
    let names: Vec<_> = collected.pairs.iter().map(|pair| pair.id.to_string()).collect();
    assert_eq!(names[3..], ["0704.0001#3", "math/0511162#2", "0704.0001#4"]);
}

#[test]
fn a_head_is_made_when_none_was_kept() {
    let (article, pair) = example();
    let odd =
        crate::corpus::Article { id: "0|1".to_owned(), title: "Two\nlines".to_owned(), ..Default::default() };
    let mut bytes = Vec::new();
    let output = Output::plain(&mut bytes, "some file");
    let mut writer = Box::new(
        MatchWriter::create(output, Head::Articles(&[article.clone(), odd, article.clone()])).unwrap(),
    );
    writer.pair(&article, &pair).unwrap();
    let Report { pairs, warnings } = writer.finish().unwrap();
    assert_eq!((pairs, warnings.count(Warning::CannotStand)), (1, 2));
    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        "2\n\n0704.0001\tmath.AG|math.AC\tOn modules\n0_1\t\tTwo lines\n\n0704.0001|S1.Thmlemma1\n____________\n\
         text\tLet\nmath\tx____bold = y\ntext\t-module, \"so\"\n____________\ntext\tClear.\nmath\t____________\n\n"
    );
}

#[test]
fn what_cannot_be_read_says_why() {
    let fails = |bytes: &[u8], words: &str| {
        let limits = Limits { line: 40, pair: 60, header: 80 };
        let error =
            read(bytes, "some file", &mut Import::new(limits), &mut Collected::default()).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    fails(b"", "this is not MATcH text");
    fails(b"Dear reader,\n\nhello\n", "this is not MATcH text");
    fails(b"0\n\n\na|x\n____________\ntext\t\xff\n", "line 6 is not UTF-8 (byte offset 26)");
    fails(&[b"0\n\n\na|x\n____________\ntext\t".as_slice(), &[b'x'; 99]].concat(), "line 6 is longer");
    fails(
        format!("0\n\n\na|x\n____________\n{}", "text\tabc\n".repeat(99)).as_bytes(),
        "longer than the limit of 60",
    );
    fails(format!("0\n\n{}", "a\tb\tc\n".repeat(99)).as_bytes(), "longer than the limit of 80");
}
