//! Heatmap as a LaTeX document that compiles by itself; its body can be copied into a paper.

use super::{Cell, Heatmap, Palette, Panel, side_title, signed, unsigned};
use crate::{
    base::latex::{self, PREAMBLE, escape},
    corpus::Token,
    explain::{Piece, Side},
};

pub fn latex(heatmap: &Heatmap<'_>) -> String {
    let mut page = String::from(PREAMBLE);
    page.push_str("\\begin{document}\n");
    page.push_str("% From here to the end of the document: needs amssymb and xcolor, T1 fonts.\n");
    page.push_str("\\begingroup\\setlength{\\fboxsep}{1pt}\\setlength{\\parindent}{0pt}\\sloppy\n");
    page.push_str(&format!("\\textbf{{{}}}\\par\n", escape(&heatmap.title)));
    for panel in &heatmap.panels {
        write_panel(&mut page, panel, heatmap.palette);
    }
    page.push_str("\\endgroup\n\\end{document}\n");
    page
}

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
        page.push_str(&format!("\\emph{{{}.}}\n", side_title(side)));
        for cell in panel.cells(side) {
            page.push_str(&shown(&cell, palette));
            page.push('\n');
        }
        page.push_str("\\par\n");
    }
    page.push_str(
        "{\\footnotesize Orange supports the match, the other colour opposes it, darker is stronger:\n",
    );
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

fn shown(cell: &Cell<'_>, palette: Palette) -> String {
    let text = written(cell.piece);
    match palette.shade(cell.strength) {
        None => text,
        Some(shade) => {
            let (ground, ink) = (shade.hex().to_uppercase(), shade.ink().hex().to_uppercase());
            format!("\\colorbox[HTML]{{{ground}}}{{\\strut\\textcolor[HTML]{{{ink}}}{{{text}}}}}")
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
