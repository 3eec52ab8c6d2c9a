//! Articles that are broken, or made to break something.
//!
//! Whatever an article is, the run ends with exit code 0, the article is read or is a counted and named line
//! of the summary, the good articles beside it are extracted, and nothing is written but corpus and report.

use std::{fmt::Write as _, fs, os::unix::fs::FileExt};

use crate::support::{TestDir, demo, html, packing, pair, xhtml};

/// Good articles that stand beside the bad ones.
const GOOD: usize = 3;

/// Extracts one bad article among good ones; its cause must contain `expected`, which is empty for an article
/// that can be read.
fn check_all(articles: &[(&str, Vec<u8>, &str)], options: &[&str]) {
    let dir = TestDir::new();
    dir.write_demo(GOOD);
    for (name, content, _) in articles {
        dir.write(format!("articles/{name}"), content);
    }
    let before = dir.listing();
    let found = dir.extract(&["articles"], options);
    assert_eq!(dir.changes(&before), ["out.corpus", "report.tsv"]);
    found.is_consistent();
    for (name, _, expected) in articles {
        let problem = found.problem(&format!("/{name}"));
        let fits = if expected.is_empty() { problem.is_empty() } else { problem.contains(expected) };
        assert!(fits, "{name}: expected {expected:?}, found {problem:?}");
        let reported: Vec<String> = found.reported(name).into_iter().map(|(_, _, problem)| problem).collect();
        assert_eq!(reported, [problem], "{name}");
    }
    for (name, _) in &demo()[..GOOD] {
        assert!(found.reported(name).iter().all(|(_, kept, _)| *kept >= 5), "{name}");
    }
    let bad = articles.iter().filter(|(_, _, expected)| !expected.is_empty()).count() as u64;
    assert_eq!(found.count("unreadable"), bad);
    assert_eq!(found.count("articles_read"), (GOOD + articles.len()) as u64 - bad);
}

fn utf16(text: &str, encode: fn(u16) -> [u8; 2], mark: bool) -> Vec<u8> {
    let mark = if mark { "\u{feff}" } else { "" };
    format!("{mark}{text}").encode_utf16().flat_map(encode).collect()
}

#[test]
fn encodings() {
    let good = xhtml(&pair("é"));
    let bare = good.replace("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "");
    let latin: Vec<u8> = bare.chars().map(|letter| letter as u8).collect();
    let declared =
        |name: &str| [format!("<?xml version='1.0' encoding='{name}'?>").as_bytes(), &latin].concat();
    let noise: Vec<u8> = (0..5_000u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    check_all(
        &[
            ("mark.xhtml", [b"\xef\xbb\xbf", good.as_bytes()].concat(), ""),
            ("utf16le-mark.xhtml", utf16(&good, u16::to_le_bytes, true), ""),
            ("utf16be-mark.xhtml", utf16(&good, u16::to_be_bytes, true), ""),
            ("utf16le.xhtml", utf16(&good, u16::to_le_bytes, false), ""),
            ("utf16be.xhtml", utf16(&good, u16::to_be_bytes, false), ""),
            (
                "utf16-odd.xhtml",
                [utf16(&good, u16::to_le_bytes, true), vec![b'x']].concat(),
                "not valid UTF-16LE",
            ),
            (
                "utf16-half.xhtml",
                [utf16(&good, u16::to_le_bytes, true), vec![0, 0xd8]].concat(),
                "not valid UTF-16LE",
            ),
            (
                "utf32.xhtml",
                good.chars().flat_map(|letter| (letter as u32).to_le_bytes()).collect(),
                "NUL byte",
            ),
            ("latin.xhtml", latin.clone(), "is not valid UTF-8"),
            ("declared.xhtml", declared("iso-8859-1"), ""),
            ("unknown.xhtml", declared("no-such-thing"), "is not valid UTF-8"),
            ("wrong.xhtml", declared("shift_jis"), "it is not valid Shift_JIS"),
            ("stateful.xhtml", declared("iso-2022-kr"), "it is not valid"),
            ("lies.xhtml", bare.replace("<html", "<?xml version='1.0' encoding='utf-16'?><html").into(), ""),
            ("overlong.xhtml", [bare.as_bytes(), b"\xc0\x80"].concat(), "is not valid UTF-8"),
            ("surrogate.xhtml", [bare.as_bytes(), b"\xed\xa0\x80"].concat(), "is not valid UTF-8"),
            ("nul.xhtml", good.replace("Lemma", "Lem\0ma").into(), "line 3 contains a NUL byte"),
            ("noise.xhtml", noise, "is not valid UTF-8"),
        ],
        &[],
    );
}

#[test]
fn what_is_no_article() {
    let good = xhtml(&pair(""));
    check_all(
        &[
            ("empty.html", Vec::new(), "the file is empty"),
            ("white.html", b" \n\t\r\n ".to_vec(), "the file is empty"),
            ("mark.html", b"\xef\xbb\xbf".to_vec(), "it contains no markup"),
            ("mark16.html", b"\xff\xfe".to_vec(), "it contains no markup"),
            ("paper.html", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj<<>>endobj".to_vec(), "it is a PDF"),
            ("packed.html", packing::gzip(good.as_bytes()), "it is gzip data"),
            ("zipped.html", packing::zip(&[("a.html".into(), good.clone().into())]), "it is a zip archive"),
            ("zstd.html", packing::zstd(good.as_bytes()), "it is zstd data"),
            ("bzip2.html", packing::bzip2(good.as_bytes()), "not valid UTF-8"),
            ("tar.html", packing::tar(&[("a.html".into(), good.into())]), "NUL byte"),
            ("plain.html", b"Dear reader, there is no markup here.".to_vec(), "it contains no markup"),
            ("json.xml", b"{\"a\": [1, 2, \"<\"]}".to_vec(), "ends inside"),
            ("comment.html", b"<!-- nothing -->".to_vec(), "it contains no markup"),
            ("doctype.html", b"<!DOCTYPE html>".to_vec(), "it contains no markup"),
            ("declaration.xml", b"<?xml version='1.0'?>".to_vec(), "it contains no markup"),
            ("root.xml", b"<a/>".to_vec(), ""),
        ],
        &[],
    );
}

#[test]
fn entities_are_never_expanded_and_nothing_outside_is_read() {
    let dir = TestDir::new();
    let secret = dir.write("secret.txt", "CANARY").display().to_string();
    let with = |declarations: &str, inside: &str| {
        format!(
            "<!DOCTYPE html [{declarations}]>\n<html xmlns=\"http://www.w3.org/1999/xhtml\">{}</html>",
            pair(inside)
        )
    };
    let mut laughs = "<!ENTITY a0 \"ha\">".to_owned();
    for level in 1..40 {
        write!(laughs, "<!ENTITY a{level} \"{}\">", format!("&a{};", level - 1).repeat(10)).unwrap();
    }
    let quadratic = format!("<!ENTITY a \"{}\">", "x".repeat(100_000));
    let declared = [
        ("laughs.xhtml", with(&laughs, "&a39;")),
        ("quadratic.xhtml", with(&quadratic, &"&a;".repeat(10_000))),
        ("external.xhtml", with(&format!("<!ENTITY x SYSTEM \"file://{secret}\">"), "&x;")),
        ("passwords.xhtml", with("<!ENTITY x SYSTEM \"file:///etc/passwd\">", "&x;")),
        ("parameter.xhtml", with(&format!("<!ENTITY % x SYSTEM \"file://{secret}\"> %x;"), "")),
        ("spaced.xhtml", with("<!ENTITY\n x\n 'y'>", "&x;")),
        ("html.html", format!("<!DOCTYPE html [<!ENTITY x SYSTEM '{secret}'>]><html>{}</html>", pair("&x;"))),
    ];
    let harmless = [
        ("subset.xhtml", format!("<!DOCTYPE html SYSTEM \"file://{secret}\"><html>{}</html>", pair("&x;"))),
        (
            "include.xhtml",
            xhtml(&pair(&format!(
                "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='{secret}' parse='text'/>"
            ))),
        ),
        (
            "style.xhtml",
            format!("<?xml-stylesheet href='{secret}'?>{}", xhtml(&pair("")).split_once('\n').unwrap().1),
        ),
        ("frame.html", html(&pair(&format!("<iframe src='{secret}'></iframe><img src='file://{secret}'>")))),
        ("undeclared.xhtml", xhtml(&pair("&nobody; &amp;amp; &lt; &#60; &#x0; &#x110000; &#99999999999;"))),
        ("unknown.html", html(&pair("&nobody; AT&T & so on &; &#; &#x; &eacute;"))),
    ];
    for (name, content) in declared.iter().chain(&harmless) {
        dir.write(format!("articles/{name}"), content);
    }
    let found = dir.extract(&["articles"], &["--metadata", &manifest(&dir)]);
    for (name, _) in &declared {
        assert!(found.problem(name).contains("declares its own entities"), "{name}: {}", found.problem(name));
    }
    for (name, _) in &harmless {
        assert_eq!(found.problem(name), "", "{name}");
        assert_eq!(found.reported(name).len(), 1, "{name}");
    }
    let exported = dir.export("out.corpus");
    assert!(!exported.contains("CANARY") && !exported.contains("root:"));
    assert_eq!(exported.lines().count(), harmless.len());
}

/// A manifest in which every field is an attack.
fn manifest(dir: &TestDir) -> String {
    let path = dir
        .write("manifest.tsv", "file\tcategories\ttitle\nframe.html\tmath.AG ../../x\t=cmd|'/c calc'!A1\n");
    path.display().to_string()
}

#[test]
fn markup_that_is_not_well_formed() {
    let good = pair("");
    check_all(
        &[
            (
                "unclosed.xhtml",
                xhtml(&format!("<div>{good}")).into(),
                "</body> closes nothing; </div> was expected",
            ),
            (
                "crossed.xhtml",
                xhtml(&format!("<b><i>{good}</b></i>")).into(),
                "</b> closes nothing; </i> was expected",
            ),
            (
                "stray.xhtml",
                xhtml(&format!("{good}</div>")).into(),
                "</div> closes nothing; </body> was expected",
            ),
            ("stray-html.html", html(&format!("{good}</div></span>")).into(), ""),
            ("unclosed-html.html", html(&format!("<p>{good}<p>one<p>two")).into(), ""),
            ("uppercase.html", html(&good).replace("html>", "HTML>").into(), ""),
            ("tag.xhtml", format!("{}<div class='x", xhtml(&good)).into(), "ends inside"),
            ("comment.xhtml", xhtml(&format!("<!-- never ends {good}")).into(), "ends inside"),
            ("cdata.xhtml", xhtml(&format!("<![CDATA[ never ends {good}")).into(), "ends inside"),
            ("instruction.xhtml", xhtml(&format!("<?php never ends {good}")).into(), "ends inside"),
            ("doctype.xhtml", b"<!DOCTYPE html [ <html>".to_vec(), "ends inside"),
            (
                "math.xhtml",
                xhtml(&pair("<math><annotation-xml><mi>x</mi></math>")).into(),
                "ends inside <annotation-xml>",
            ),
            ("angle.xhtml", xhtml(&pair("a < b and c > d")).into(), "line"),
            ("angle-html.html", html(&pair("a < b and c > d")).into(), ""),
            ("ampersand.xhtml", xhtml(&pair("AT&T & so on")).into(), "line"),
            ("nothing.xhtml", xhtml(&pair("<>x</>")).into(), ""),
            ("brackets.xhtml", b"<<<<<<<<>>>>>>>>".to_vec(), "ends inside"),
            ("ends.xhtml", "</a>".repeat(1000).into(), "</a> closes nothing"),
            (
                "ends-html.html",
                format!("<!DOCTYPE html>{}", "</a>".repeat(1000)).into(),
                "it contains no markup",
            ),
        ],
        &[],
    );
}

#[test]
fn markup_that_is_odd_but_allowed() {
    let tag = |attributes: &str| pair(&format!("<span {attributes}>x</span>"));
    let million = |quote: &str| {
        (0..1_000_000).fold(String::new(), |all, index| all + &format!("a{index}={quote}{quote} "))
    };
    check_all(
        &[
            ("cdata.xhtml", xhtml(&pair("<![CDATA[ <not> &markup; ]] > ]]>")).into(), ""),
            ("end.xhtml", xhtml(&pair("]]> is just text")).into(), ""),
            ("dashes.xhtml", xhtml(&pair("<!-- a -- b --- c -> d --><!----><!-- <div> -->")).into(), ""),
            ("instruction.xhtml", xhtml(&pair("<?php echo '</div>' ?><?x?>")).into(), ""),
            ("space.xhtml", xhtml(&pair("<span\n\tclass = 'x'\n>x</span\n >")).into(), ""),
            ("unquoted-html.html", html(&tag("class=a id=b hidden")).into(), ""),
            ("unquoted.xhtml", xhtml(&tag("class=a id=b hidden")).into(), ""),
            ("twice.xhtml", xhtml(&tag("class='a' class='b'")).into(), ""),
            ("equals.xhtml", xhtml(&tag("= == =' \" ' x= =y")).into(), ""),
            ("greater.xhtml", xhtml(&tag("title='a > b' alt=\">\"")).into(), ""),
            ("million.xhtml", xhtml(&tag(&million("\""))).into(), ""),
            ("million-html.html", html(&tag(&million(""))).into(), ""),
            ("prefixes.xhtml", xhtml(&pair("<a:b:c xmlns:a=''>x</a:b:c><:>x</:>")).into(), ""),
            ("names.xhtml", xhtml(&pair("<é>x</é><𝑥 >x</𝑥 ><é a></é a >")).into(), "closes nothing"),
            (
                "controls.xhtml",
                xhtml(&pair("\u{1}\u{1b}[31m\u{1f}\u{7f}\u{85}\u{202e}\u{feff}\u{fffe}")).into(),
                "",
            ),
            ("returns.xhtml", xhtml(&pair("x")).replace('\n', "\r").into(), ""),
            ("empty.xhtml", xhtml("<div class='theorem'/><div class='proof'/>").into(), ""),
            ("math.xhtml", xhtml(&pair("<math/><math></math><math><mi/></math><math>x</math>")).into(), ""),
        ],
        &[],
    );
}

#[test]
fn an_article_cannot_command_the_terminal_through_show() {
    let dir = TestDir::new();
    dir.write("articles/a.xhtml", xhtml(&pair("&#27;]0;owned&#7; \u{1b}[31m \u{9b}2J")));
    dir.extract(&["articles"], &[]);
    for form in ["readable", "linear", "tex"] {
        let shown = dir.run(&["show", "out.corpus", "a#1", "--form", form]);
        assert!(shown.out.contains("owned"), "{}", shown.out);
        assert!(!shown.out.contains(|letter: char| letter.is_control() && letter != '\n'), "{:?}", shown.out);
    }
}

#[test]
fn limits_on_depth_and_size() {
    let nest = |open: &str, inside: &str, close: &str, depth: usize| {
        format!("{}{inside}{}", open.repeat(depth), close.repeat(depth))
    };
    let deep = 100_000;
    let math = |inside: String| pair(&format!("<math>{inside}</math>"));
    check_all(
        &[
            ("div.xhtml", xhtml(&nest("<div>", &pair(""), "</div>", deep)).into(), "nest deeper than 400"),
            ("div-html.html", html(&nest("<div>", &pair(""), "</div>", deep)).into(), "nest deeper than 400"),
            ("open.html", html(&"<div>".repeat(deep)).into(), "nest deeper than 400"),
            (
                "span.xhtml",
                xhtml(&pair(&nest("<span>", "x", "</span>", deep))).into(),
                "nest deeper than 400",
            ),
            (
                "mrow.xhtml",
                xhtml(&math(nest("<mrow>", "<mi>x</mi>", "</mrow>", deep))).into(),
                "nest deeper than 400",
            ),
            (
                "apply.xhtml",
                xhtml(&math(nest("<apply><plus/>", "<ci>x</ci>", "</apply>", deep))).into(),
                "nest deeper",
            ),
            ("mrow300.xhtml", xhtml(&math(nest("<mrow>", "<mi>x</mi>", "</mrow>", 300))).into(), ""),
            (
                "frac300.xhtml",
                xhtml(&math(nest("<mfrac><mi>a</mi>", "<mi>x</mi>", "</mfrac>", 300))).into(),
                "",
            ),
            (
                "apply300.xhtml",
                xhtml(&math(nest("<apply><minus/>", "<ci>x</ci>", "</apply>", 300))).into(),
                "",
            ),
            ("pairs.xhtml", xhtml(&nest("<div class='theorem proof'>", &pair(""), "</div>", 300)).into(), ""),
            ("skipped.xhtml", xhtml(&nest("<annotation-xml>", "", "</annotation-xml>", deep)).into(), ""),
            ("elements.xhtml", xhtml(&"<p/>".repeat(1_000_001)).into(), "more than 1000000 elements"),
            ("text.xhtml", xhtml(&pair(&"x".repeat(40 << 20))).into(), "larger than 33554432 bytes"),
            ("word.xhtml", xhtml(&pair(&"x".repeat(8 << 20))).into(), ""),
            ("words.xhtml", xhtml(&pair(&"x ".repeat(8 << 20))).into(), ""),
        ],
        &[],
    );
}

#[test]
fn the_limit_on_an_article_is_settable() {
    let article = |megabytes: usize| xhtml(&pair(&"x ".repeat(megabytes << 19))).into_bytes();
    check_all(
        &[("large.xhtml", article(3), "larger than 1048576 bytes; --max-article raises the limit")],
        &["--max-article", "1"],
    );
    check_all(&[("large.xhtml", article(3), "")], &["--max-article", "4"]);
}

#[test]
fn a_gigabyte_of_nothing_is_refused_without_reading_it() {
    let dir = TestDir::new();
    let path = dir.write("articles/huge.xhtml", xhtml(&pair("")));
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(1 << 30).unwrap();
    let found = dir.extract(&["articles"], &[]);
    assert!(found.problem("huge.xhtml").contains("larger than"));
}

#[test]
#[ignore = "reads a gigabyte"]
fn a_text_node_of_a_gigabyte() {
    let dir = TestDir::new();
    let article = xhtml(&pair("@"));
    let (head, tail) = article.split_once('@').unwrap();
    let path = dir.write("articles/huge.xhtml", head);
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    let block = "x ".repeat(1 << 19);
    for at in 0..1024u64 {
        file.write_all_at(block.as_bytes(), head.len() as u64 + (at << 20)).unwrap();
    }
    file.write_all_at(tail.as_bytes(), head.len() as u64 + (1 << 30)).unwrap();
    let found = dir.extract(&["articles"], &["--max-article", "2000"]);
    assert_eq!(found.problem("huge.xhtml"), "");
    assert_eq!(found.summary["discarded"]["too_long"], 1);
}

/// Every proper beginning of an article is refused and named; none becomes a shorter article.
#[test]
fn articles_cut_short() {
    for dialect in ["demo.01", "demo.21", "demo.31"] {
        let (name, whole) = demo().iter().find(|(name, _)| name.starts_with(dialect)).unwrap();
        let end = whole.trim_ascii_end().len();
        let cuts: Vec<usize> =
            (1..60).map(|part| end * part / 60).chain([1, 2, 3, end - 8, end - 1]).collect();
        let dir = TestDir::new();
        for cut in &cuts {
            dir.write(format!("articles/cut{cut}-{name}"), &whole[..*cut]);
        }
        let found = dir.extract(&["articles"], &[]);
        let cuts: std::collections::BTreeSet<usize> = cuts.into_iter().collect();
        assert_eq!(found.count("unreadable"), cuts.len() as u64, "{name}: {}", found.report);
        assert_eq!(found.count("pairs_kept"), 0);
        found.is_consistent();
    }
}

/// Time must grow with the article's size, not with the square of it or worse.
#[test]
fn articles_made_to_take_forever() {
    let formula = |inside: &str| pair(&format!("<math>{inside}</math>"));
    // An operator with a script is written between all its arguments; the script holds such an operator again.
    let mut operator = "<plus/>".to_owned();
    for _ in 0..60 {
        operator = format!(
            "<apply><csymbol>subscript</csymbol><plus/><apply>{operator}<ci>a</ci><ci>b</ci><ci>c</ci></apply></apply>"
        );
    }
    let times = |depth| {
        let mut head = "<times/>".to_owned();
        for _ in 0..depth {
            head = format!(
                "<apply><csymbol>subscript</csymbol><times/><apply>{head}<ci>a</ci><ci>b</ci><ci>c</ci></apply></apply>"
            );
        }
        format!("<apply>{head}<ci>a</ci><ci>b</ci><ci>c</ci></apply>")
    };
    let proofs = "<div class='proof'><h6>Proof of Lemma 1.</h6></div>".repeat(100_000);
    // Every level holds all the levels within it, so everything below is read hundreds of times.
    let nest = |open: &str, close: &str| {
        xhtml(&format!("{}{}{}", open.repeat(190), "x ".repeat(1 << 20), close.repeat(190))).into_bytes()
    };
    check_all(
        &[
            (
                "operators.xhtml",
                xhtml(&formula(&format!("<apply>{operator}<ci>a</ci><ci>b</ci></apply>"))).into(),
                "",
            ),
            ("times.xhtml", xhtml(&formula(&times(60))).into(), ""),
            (
                "neighbours.xhtml",
                xhtml(&"<div class='theorem'/><div class='proof'/>".repeat(150_000)).into(),
                "",
            ),
            ("claims.xhtml", xhtml(&format!("{}{proofs}", pair(""))).into(), ""),
            (
                "siblings.xhtml",
                xhtml(&format!("<div class='theorem'/>{}", "&amp;<!-- -->".repeat(200_000))).into(),
                "",
            ),
            ("proofs.xhtml", nest("<div class='theorem'>a</div><div class='proof'>", "</div>"), ""),
            ("statements.xhtml", nest("<div class='theorem'>", "</div><div class='proof'>a</div>"), ""),
            ("headings.xhtml", nest("<div class='theorem'><h6>", "</h6></div>"), ""),
            ("stray-html.html", html(&format!("{}{}", "<i>".repeat(390), "</b>".repeat(100_000))).into(), ""),
            ("annotations.xhtml", xhtml(&pair(&"<annotation-xml>".repeat(300_000))).into(), "ends inside"),
            (
                "accents.xhtml",
                xhtml(&formula(&"<mover accent='true'><mi>x</mi><mo>^</mo></mover>".repeat(50_000))).into(),
                "",
            ),
            ("joined.xhtml", xhtml(&pair(&"<math><mi>x</mi></math>".repeat(80_000))).into(), ""),
            ("references.xhtml", xhtml(&pair(&"&amp;".repeat(500_000))).into(), ""),
        ],
        &[],
    );
}

/// What an article calls itself goes into a database, into files of four formats and onto a terminal.
#[test]
fn names_made_to_confuse() {
    let ids = [
        "a\nb",
        "x\ty",
        "a#1",
        "a|b",
        "'; DROP TABLE pair; --",
        "../../etc/passwd",
        "\u{1f}",
        "=1+1",
        "\"",
        "𝕏\u{202e}",
    ];
    let dir = TestDir::new();
    for (index, id) in ids.iter().enumerate() {
        let id = id.replace('&', "&amp;").replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;");
        let meta = format!("<meta arxivid=\"{id}\" category=\"math.AG &#10; &#31;x\" title=\"{id}\"/>");
        dir.write(format!("articles/{index}.xhtml"), xhtml(&(meta + &pair("x"))));
    }
    dir.write("articles/line\nbreak\t\u{1b}[31m.html", "broken");
    let found = dir.extract(&["articles"], &[]);
    found.is_consistent();
    assert_eq!((found.count("pairs_kept"), found.count("unreadable")), (ids.len() as u64, 1));
    let before = dir.export("out.corpus");
    for format in ["jsonl", "parquet", "jsonl.zst"] {
        let file = format!("pairs.{format}");
        assert_eq!(dir.run(&["export", "out.corpus", "-o", &file]).code, Some(0), "{format}");
        assert_eq!(dir.run(&["import", &file, "-o", "again.corpus"]).code, Some(0), "{format}");
        assert_eq!(dir.export("again.corpus"), before, "{format}");
    }
    for format in ["match", "csv"] {
        let file = format!("pairs.{format}");
        assert_eq!(dir.run(&["export", "out.corpus", "-o", &file]).code, Some(0), "{format}");
        let answer = dir.run(&["import", &file, "-o", "again.corpus"]);
        assert_eq!(answer.code, Some(0), "{format}: {answer:?}");
    }
    let listed = dir.run(&["extract", "articles", "-o", "out.corpus"]);
    assert!(!listed.out.contains('\u{1b}'), "a file's name can command the terminal: {:?}", listed.out);
    assert!(
        listed.out.lines().any(|line| line.contains("break") && line.contains("contains no markup")),
        "{}",
        listed.out
    );
    let shown = dir.run(&["show", "out.corpus", "=1+1#1"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
}

/// A cause quotes the article, which may be long.
#[test]
fn causes_are_short() {
    let name = "x".repeat(1 << 20);
    let dir = TestDir::new();
    dir.write("articles/end.xhtml", format!("<a></{name}>"));
    dir.write("articles/inside.xhtml", format!("<{name}>"));
    dir.write("articles/lines.xhtml", "<a></b\n\n\u{1b}\t\nc>");
    let found = dir.extract(&["articles"], &[]);
    found.is_consistent();
    for (file, cause) in found.problems() {
        assert!(cause.len() < 500, "{file}: {} bytes", cause.len());
    }
}
