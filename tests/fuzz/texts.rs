//! Articles, MathML and typed TeX.

use super::Target;
use crate::corpus::{
    demo,
    extract::{article::ArticleReader, options::Options},
    readable, typed,
};

fn articles() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    demo::write(folder.path()).unwrap();
    let mut files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension != "tsv"));
    files.sort();
    files.iter().take(12).map(|path| std::fs::read(path).unwrap()).collect()
}

fn read_article(input: &[u8]) -> String {
    let options = Options { any_language: true, ..Options::default() };
    match ArticleReader::default().read(input, &options) {
        Ok(found) => {
            for pair in &found.pairs {
                for passage in [&pair.statement, &pair.proof] {
                    readable(passage);
                    passage.counts();
                }
                assert!(
                    pair.statement_span.0 <= pair.statement_span.1 && pair.proof_span.0 <= pair.proof_span.1
                );
            }
            format!("{:?} {:?} {}", found.dialect, found.discarded, found.pairs.len() / 4)
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn article() {
    let words = &[
        "<div class=\"ltx_proof\">",
        "</div>",
        "<p>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "&#x1b;",
        "&lt;",
        "&nbsp;",
        "<?xml",
        "<!DOCTYPE",
        "<math>",
        "</math>",
        "class=\"ltx_theorem ltx_theorem_lemma\"",
        "xmlns=\"",
        "<script>",
    ];
    Target { name: "article", examples: articles(), words }.fuzz(|input, _| read_article(input));
}

#[test]
fn mathml() {
    let math = [
        "<semantics><mrow><mi>x</mi><mo>=</mo><msup><mi>y</mi><mn>2</mn></msup></mrow><annotation-xml \
         encoding=\"MathML-Content\"><apply><eq/><ci>x</ci><apply><power/><ci>y</ci><cn>2</cn></apply></apply>\
         </annotation-xml><annotation encoding=\"application/x-tex\">x=y^{2}</annotation></semantics>",
        "<mfrac><msqrt><mi mathvariant=\"bold\">a</mi></msqrt><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover></mfrac>",
        "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mover><mi>b</mi><mo>^</mo></mover></mtd></mtr></mtable>",
        "<mmultiscripts><mi>F</mi><mn>1</mn><none/><mprescripts/><mn>2</mn><none/></mmultiscripts><mtext>if</mtext>",
    ];
    let words = &[
        "<mi>",
        "</mi>",
        "<mrow>",
        "</mrow>",
        "<apply>",
        "</apply>",
        "<csymbol cd=\"latexml\">",
        "<msub>",
        "<bind>",
        "<share/>",
        "<mprescripts/>",
        "mathvariant=\"fraktur\"",
        "&InvisibleTimes;",
        "<annotation-xml>",
        "<cerror>",
        "\u{2062}",
    ];
    let examples = math.map(|inside| inside.as_bytes().to_vec()).to_vec();
    Target { name: "mathml", examples, words }.fuzz(|input, _| {
        let sentence = "Let the group act on the compact space such that every orbit of the action is closed and the quotient";
        let math = String::from_utf8_lossy(input);
        let page = format!(
            "<!DOCTYPE html><html><body><div class=\"ltx_theorem ltx_theorem_lemma\"><p>{sentence} <math>{math}</math>.\
             </p></div><div class=\"ltx_proof\"><p>{sentence} {sentence} <math>{math}</math>.</p></div></body></html>"
        );
        read_article(page.as_bytes())
    });
}

#[test]
fn tex() {
    let examples = [
        "Let $x \\in \\mathbb{R}^{n}$ and $\\sum_{i=1}^{n} a_i^2 \\leq \\frac{1}{2}$.\n\nProof. \\[ x = \\sqrt[3]{y} \\] and \\(z\\).",
        "Every $\\mathbf{G}$-module \\text{is} free.\n---\n$$\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}$$",
        "a % comment\nb $\\alpha\\,\\beta\\left( x \\right)'$",
    ];
    let words = &[
        "$",
        "$$",
        "\\[",
        "\\]",
        "\\(",
        "{",
        "}",
        "^",
        "_",
        "\\frac",
        "\\mathbb{",
        "\\begin{",
        "\\end{",
        "\\\\",
        "%",
        "&",
    ];
    let examples = examples.map(|text| text.as_bytes().to_vec()).to_vec();
    Target { name: "tex", examples, words }.fuzz(|input, _| {
        let text = String::from_utf8_lossy(input);
        let passage = typed::passage(&text);
        readable(&passage);
        let written = typed::text(&passage);
        typed::passage(&written);
        match typed::split(&text).and_then(|[statement, proof]| typed::pair(&statement, &proof)) {
            Ok((_, pair)) => {
                format!("{} {}", pair.statement.runs().count() / 8, pair.proof.runs().count() / 8)
            }
            Err(error) => error.to_string(),
        }
    });
}
