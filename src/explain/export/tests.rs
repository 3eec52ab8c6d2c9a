//! What holds for every format, with hostile tokens.

use proptest::prelude::*;

use super::*;
use crate::base::{latex as tex, markup, task::Task};
use crate::explain::{ExplainError, ExplainMethod, ExplainSettings, PairScorer, Piece, Variant, explain};

/// Prefers the first piece and dislikes the second.
struct Places;

impl PairScorer for Places {
    fn log_odds(&self, _: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ExplainError> {
        let score =
            |kept: &[bool]| kept.iter().zip([2.0, -1.0]).filter(|(kept, _)| **kept).map(|(_, by)| by).sum();
        Ok(variants.iter().map(|variant| score(&variant.statement)).collect())
    }
}

fn heatmap(pair: &PiecePair, format: HeatmapFormat, palette: Palette) -> String {
    let settings =
        ExplainSettings { method: ExplainMethod::Occlusion, operators: true, ..ExplainSettings::default() };
    let explanation = explain(pair, &Places, &settings, &Task::unobserved()).unwrap();
    let panel = Panel { name: "model <1>", pair, texts: None, explanation: &explanation, stability: None };
    format.write(&Heatmap { title: "A & B".into(), panels: vec![panel, panel], palette })
}

fn pair() -> PiecePair {
    PiecePair {
        name: "0704.0001#3".into(),
        statement: vec![Piece::Symbol("R____double-struck".into()), Piece::Word("module".into()), Piece::End],
        proof: vec![Piece::Word("the".into()), Piece::Symbol("∈".into()), Piece::Word("50%_of".into())],
    }
}

#[test]
fn every_format_has_the_papers_colours_and_the_weights_as_numbers() {
    for format in [HeatmapFormat::Html, HeatmapFormat::Svg, HeatmapFormat::Latex] {
        let written = heatmap(&pair(), format, Palette::Paper);
        assert!(written.to_lowercase().contains("ff7f0e"), "{format:?}");
        assert!(written.contains("+2.0000") && written.contains("-1.0000"), "{format:?}");
        let other = heatmap(&pair(), format, Palette::ColorBlind);
        assert!(other.to_lowercase().contains("e08214") && !other.to_lowercase().contains("ff7f0e"));
    }
    let data: serde_json::Value =
        serde_json::from_str(&heatmap(&pair(), HeatmapFormat::Json, Palette::Paper)).unwrap();
    let first = &data["panels"][0]["explanation"]["weights"][0];
    assert_eq!(first["piece"]["text"], "R____double-struck");
    assert_eq!(
        (first["weight"].as_f64(), first["places"][0]["side"].as_str()),
        (Some(2.0), Some("statement"))
    );
}

#[test]
fn a_font_is_shown_and_a_formulas_end_is_not() {
    let page = heatmap(&pair(), HeatmapFormat::Html, Palette::Paper);
    assert!(page.contains(">ℝ</bdi>") && !page.contains("____"));
    let figure = heatmap(&pair(), HeatmapFormat::Latex, Palette::Paper);
    assert!(figure.contains("\\ensuremath{\\mathbb{R}}") && figure.contains("\\ensuremath{\\in}"));
    assert!(figure.contains("50\\%\\_of"));
    assert_eq!(tex::escape("Hölder’s 𝔖"), "Hölder\\textquoteright{}s \\ensuremath{\\mathfrak{S}}");
    assert_eq!(tex::escape("שx"), "\\texttt{U+05E9}x");
    assert_eq!([signed(1.5), signed(-2e-5), signed(0.0)], ["+1.5000", "-2.0e-5", "+0.0000"]);
}

#[test]
fn an_explanation_without_weights_has_no_colours() {
    struct Same;
    impl PairScorer for Same {
        fn log_odds(&self, _: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ExplainError> {
            Ok(vec![0.3; variants.len()])
        }
    }
    let pair = pair();
    let settings = ExplainSettings { method: ExplainMethod::Occlusion, ..ExplainSettings::default() };
    let explanation = explain(&pair, &Same, &settings, &Task::unobserved()).unwrap();
    let panel = Panel { name: "same", pair: &pair, texts: None, explanation: &explanation, stability: None };
    let map = Heatmap { title: String::new(), panels: vec![panel], palette: Palette::Paper };
    assert!(!html(&map).contains("style=\"background:#ff"));
    assert!(!latex(&map).contains("\\colorbox"));
}

#[test]
fn formulas_are_shown_as_they_are_read() {
    let mut statement = Passage::new();
    statement.push_text("Let");
    let squares = crate::corpus::Formula {
        linear: "a 2 + b 2",
        layout: ".^.}..^.}",
        tex: "a^{2}+b^{2}",
        ..Default::default()
    };
    statement.push_formula(squares);
    let mut proof = Passage::new();
    proof.push_formula(crate::corpus::Formula { linear: "c 2 + d 2", tex: "c^{2}+d^{2}", ..squares });
    let pair = PiecePair::new("p", &statement, &proof);
    let settings = ExplainSettings { method: ExplainMethod::Occlusion, ..ExplainSettings::default() };
    let explanation = explain(&pair, &Places, &settings, &Task::unobserved()).unwrap();
    let texts = Some([&statement, &proof]);
    let panel = Panel { name: "m", pair: &pair, texts, explanation: &explanation, stability: None };
    let map = Heatmap { title: String::new(), panels: vec![panel], palette: Palette::Paper };
    let text: String =
        html(&map).split('<').filter_map(|tag| tag.split_once('>')).map(|(_, text)| text).collect();
    assert!(text.contains("Let a² + b²"), "{text}");
    let figure = latex(&map);
    // `a` has a weight in the statement; the proof has none, and keeps the article's TeX.
    assert!(figure.contains("\\importance{") && figure.contains("}^{2}+"), "{figure}");
    assert!(figure.contains("\\ensuremath{c^{2}+d^{2}}"), "{figure}");
}

#[test]
fn a_figure_repeats_no_heading_of_its_text() {
    let headings = |statement: &str, proof: &str| {
        let words = |text: &str| text.split(' ').map(|word| Piece::Word(word.into())).collect();
        let pair = PiecePair { name: "p".into(), statement: words(statement), proof: words(proof) };
        let figure = heatmap(&pair, HeatmapFormat::Latex, Palette::Paper);
        ["Statement", "Proof"].map(|title| figure.contains(&format!("\\emph{{{title}.}}")))
    };
    assert_eq!(headings("Proposition 1.2. Let it be.", "Proof. It is."), [false, false]);
    assert_eq!(headings("Corollary: clear.", "Proof of the lemma."), [false, false]);
    assert_eq!(headings("Let it be.", "It is."), [true, true]);
    assert_eq!(headings("Other sets are open.", "Proofread."), [true, true]);
}

/// A symbol as the figure writes it.
fn written(symbol: &str) -> String {
    super::latex::written(&Piece::Symbol(symbol.to_owned()))
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[<>&\"'\\\\{}$%#_^~|`a\u{202e}\u{0}\u{b}\u{fffe}\n-]{0,12}",
        Just("</title><script>alert(1)</script>".to_owned()),
        Just("\\input{/etc/passwd}".to_owned()),
        Just("^^5cinput".to_owned()),
    ]
}

proptest! {
    #[test]
    fn markup_is_undone_by_its_five_entities_and_holds_no_control(text in hostile()) {
        let written = markup::escape(&text);
        prop_assert!(!written.contains(['<', '>', '"', '\'']));
        prop_assert!(!written.chars().any(char::is_control));
        let undone = ["lt;<", "gt;>", "quot;\"", "#39;'", "amp;&"].iter().fold(written, |written, entity| {
            let (name, letter) = entity.split_at(entity.len() - 1);
            written.replace(&format!("&{name}"), letter)
        });
        let expected: Vec<char> = text.chars().collect();
        let found: Vec<char> = undone.chars().collect();
        prop_assert_eq!(found.len(), expected.len());
        let same = found.iter().zip(&expected).all(|(found, expected)| found == expected || *found == '\u{fffd}');
        prop_assert!(same);
    }

    /// After the commands that escaping itself writes are taken away, nothing is left that TeX acts upon.
    #[test]
    fn latex_acts_upon_nothing_that_a_token_holds(text in hostile(), is_symbol: bool) {
        let written = if is_symbol { written(&text) } else { tex::escape(&text) };
        let (mut depth, mut letters) = (0, written.chars().peekable());
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => {
                    if letters.next_if(|next| "{}$&#_%".contains(*next)).is_none() {
                        let mut name = String::new();
                        while let Some(next) = letters.next_if(char::is_ascii_alphabetic) {
                            name.push(next);
                        }
                        prop_assert!(!name.is_empty() && name != "input", "{}", written);
                        // every command takes its own braces or stands inside those of ensuremath
                        prop_assert!(matches!(letters.peek(), Some('{' | '}')), "{}", written);
                    }
                }
                '{' => depth += 1,
                '}' => depth -= 1,
                letter => {
                    prop_assert!(!"$&#_%^~".contains(letter), "{}", written);
                    prop_assert!(matches!(letter, ' '..='~') || ('À'..='ÿ').contains(&letter), "{:?}", letter);
                }
            }
            prop_assert!(depth >= 0);
        }
        prop_assert_eq!(depth, 0);
    }

    #[test]
    fn a_page_has_the_same_elements_whatever_the_tokens(text in hostile()) {
        prop_assume!(text.chars().any(|letter| !letter.is_whitespace()));
        let with = |text: &str| {
            let piece = Piece::Word(text.to_owned());
            let pair = PiecePair { name: text.to_owned(), statement: vec![piece.clone()], proof: vec![Piece::Word("another word".into()), piece] };
            heatmap(&pair, HeatmapFormat::Html, Palette::Paper).matches('<').count()
        };
        prop_assert_eq!(with(&text), with("plain"));
    }
}
