//! Heatmap as a LaTeX document that compiles by itself; its body can be copied into a paper.

use super::{Heatmap, Palette, Panel, colour::Colour, formula, side_title, signed, unsigned};
use crate::{
    base::latex::{self, PREAMBLE, escape},
    corpus::{Kind, Run, Token, reading::are_separated, typed::is_harmless_tex},
    explain::{Piece, Side, fragments},
};

pub fn latex(heatmap: &Heatmap<'_>) -> String {
    let mut panels = String::new();
    for panel in &heatmap.panels {
        write_panel(&mut panels, panel, heatmap.palette);
    }
    let mut page = String::from(PREAMBLE);
    page.push_str("\\begin{document}\n");
    page.push_str(
        "% From here to the end of the document; requires amsmath, amssymb, xcolor and T1 fonts.\n",
    );
    if panels.contains("\\importance{") {
        page.push_str(IMPORTANCE);
    }
    page.push_str("\\begingroup\\setlength{\\fboxsep}{1pt}\\setlength{\\parindent}{0pt}\\sloppy\n");
    page.push_str(&format!("\\textbf{{{}}}\\par\n", escape(&heatmap.title)));
    page.push_str(&panels);
    page.push_str("\\endgroup\n\\end{document}\n");
    page
}

/// A part of a formula on a color, in the size that it has there.
const IMPORTANCE: &str = "\\providecommand{\\importancebox}[4]{\\colorbox[HTML]{#1}{\\textcolor[HTML]{#2}{$#3#4$}}}\n\
    \\providecommand{\\importance}[3]{\\mathchoice{\\importancebox{#1}{#2}{\\displaystyle}{#3}}\
    {\\importancebox{#1}{#2}{\\textstyle}{#3}}{\\importancebox{#1}{#2}{\\scriptstyle}{#3}}\
    {\\importancebox{#1}{#2}{\\scriptscriptstyle}{#3}}}\n";

fn write_panel(page: &mut String, panel: &Panel<'_>, palette: Palette) {
    page.push_str(&format!(
        "\n\\medskip\\textbf{{{}}} {}\\par\n",
        escape(panel.name),
        escape(&panel.pair.name)
    ));
    page.push_str(&format!(
        "{{\\footnotesize {}}}\\par\n",
        escape(&panel.facts().replace('\u{b2}', "-squared"))
    ));
    for side in Side::BOTH {
        if !begins_with_heading(panel.pair.side(side), side) {
            page.push_str(&format!("\\emph{{{}.}}\n", side_title(side)));
        }
        write_side(page, panel, side, palette);
        page.push_str("\\par\n");
    }
    page.push_str(&format!(
        "{{\\footnotesize Orange supports the match, {} opposes it; darker is stronger:\n",
        palette.opposing_name()
    ));
    let listed: Vec<String> = panel
        .explanation
        .weights
        .iter()
        .map(|weight| {
            let spread = panel
                .spread(weight)
                .map(|spread| format!("\\ensuremath{{\\pm {}}}", number(&unsigned(spread))));
            format!(
                "{} \\ensuremath{{{}}}{}",
                written(&weight.piece),
                number(&signed(weight.weight)),
                spread.unwrap_or_default()
            )
        })
        .collect();
    page.push_str(&listed.join(",\n"));
    page.push_str("}\\par\n");
}

/// Whether a text begins with its own heading, as those of articles do: `Proposition 1.2.`, `Proof.`
fn begins_with_heading(pieces: &[Piece], side: Side) -> bool {
    let Some(Piece::Word(word)) = pieces.first() else { return false };
    let word = word.trim_end_matches(|letter: char| !letter.is_alphabetic()).to_lowercase();
    match side {
        Side::Statement => word.parse::<Kind>().is_ok_and(|kind| kind != Kind::Other),
        Side::Proof => word == "proof",
    }
}

/// The text of one side: formulas as TeX, words and symbols on the colors of their weights.
fn write_side(page: &mut String, panel: &Panel<'_>, side: Side, palette: Palette) {
    let pieces = panel.pair.side(side);
    let (strongest, weights) =
        (panel.explanation.strongest(), panel.explanation.side_weights(side, pieces.len()));
    let shade = |piece: usize| {
        let weight = weights.get(piece).copied().unwrap_or_default();
        palette.shade(if strongest > 0.0 { weight / strongest } else { 0.0 })
    };
    let Some(passage) = panel.passage(side).filter(|passage| fragments(passage, pieces).is_some()) else {
        for (index, piece) in pieces.iter().enumerate().filter(|(_, piece)| **piece != Piece::End) {
            page.push_str(&in_text(&written(piece), shade(index)));
            page.push('\n');
        }
        return;
    };
    let (mut next, mut before) = (0, None);
    for run in passage.runs() {
        page.push_str(if before.is_some_and(|before| are_separated(before, run)) { "\n" } else { "%\n" });
        before = Some(run);
        match run {
            Run::Text(text) => {
                let words: Vec<String> = text
                    .split_whitespace()
                    .enumerate()
                    .map(|(index, word)| in_text(&escape(word), shade(next + index)))
                    .collect();
                next += words.len();
                page.push_str(&words.join("\n"));
            }
            Run::Math(formula) => {
                let tokens: Vec<Token<'_>> = formula.tokens().collect();
                let is_plain = (0..tokens.len()).all(|index| shade(next + index).is_none());
                let tex = match is_plain && is_harmless_tex(formula.tex) {
                    true => formula.tex.to_owned(),
                    false => formula::formula(&tokens, formula.layout, &|index, tex| {
                        in_math(&tex, shade(next + index))
                    }),
                };
                page.push_str(&format!("\\ensuremath{{{tex}}}"));
                next += tokens.len() + 1;
            }
        }
    }
    page.push('\n');
}

fn in_text(text: &str, shade: Option<Colour>) -> String {
    match shade {
        None => text.to_owned(),
        Some(shade) => {
            let (ground, ink) = (shade.hex().to_uppercase(), shade.ink().hex().to_uppercase());
            format!("\\colorbox[HTML]{{{ground}}}{{\\strut\\textcolor[HTML]{{{ink}}}{{{text}}}}}")
        }
    }
}

fn in_math(tex: &str, shade: Option<Colour>) -> String {
    match shade {
        None => tex.to_owned(),
        Some(shade) => {
            let (ground, ink) = (shade.hex().to_uppercase(), shade.ink().hex().to_uppercase());
            format!("\\importance{{{ground}}}{{{ink}}}{{{tex}}}")
        }
    }
}

pub(super) fn written(piece: &Piece) -> String {
    match piece {
        Piece::Word(word) => escape(word),
        Piece::Symbol(symbol) => match Token::math(symbol) {
            Token::Math { symbol, font } => latex::symbol(symbol, font),
            Token::Text(word) => escape(word),
        },
        Piece::End => String::new(),
    }
}

/// A number in math mode, with an exponent as a power of ten.
fn number(written: &str) -> String {
    match written.split_once('e') {
        Some((digits, power)) => format!("{digits}\\cdot 10^{{{power}}}"),
        None => written.to_owned(),
    }
}
