//! Heatmap as a self-contained HTML page: no scripts, no external resources, and a policy that forbids them.

use super::{Cell, Heatmap, Palette, Panel, side_title, signed, unsigned};
use crate::{
    base::markup::{Attribute, Markup},
    explain::{Fragment, Piece, Side},
};

pub fn html(heatmap: &Heatmap<'_>) -> String {
    let mut page = Markup::new();
    page.raw(HEAD).element("title", &[], &heatmap.title);
    page.raw("\n<style>\n").raw(&style(heatmap.palette)).raw("</style>\n</head>\n<body>\n");
    page.element("h1", &[], &heatmap.title).line().raw(LEGEND).raw("<div class=\"panels\">\n");
    for panel in &heatmap.panels {
        write_panel(&mut page, panel, heatmap.palette);
    }
    page.raw("</div>\n</body>\n</html>\n");
    page.finish()
}

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

const LEGEND: &str = "<p class=\"legend\"><span class=\"for\">solid underline: supports the match</span> \
<span class=\"against\">dashed underline: opposes it</span> darker is stronger; all weights are in the tables</p>\n";

fn style(palette: Palette) -> String {
    format!(
        "body {{ font: 16px/1.7 Georgia, 'Times New Roman', serif; color: #000; background: #fff; margin: 2em auto; \
         max-width: 80em; padding: 0 1em; }}\n\
         h1 {{ font-size: 1.4em; }} h2 {{ font-size: 1.15em; }} h3 {{ font-size: 1em; margin-bottom: 0; }}\n\
         .panels {{ display: flex; flex-wrap: wrap; gap: 2em; }} .panel {{ flex: 1 1 32em; min-width: 0; overflow-x: auto; }}\n\
         .facts, .legend, table {{ font: 13px/1.5 system-ui, sans-serif; }}\n\
         .text {{ overflow-wrap: anywhere; }} .math {{ font-style: italic; }}\n\
         .for, .against {{ padding: 0 .15em; border-radius: .2em; text-decoration: underline; \
         text-underline-offset: .2em; }}\n\
         .against {{ text-decoration-style: dashed; }}\n\
         .legend .for {{ border: 2px solid #{supports}; }} .legend .against {{ border: 2px solid #{opposes}; }}\n\
         table {{ border-collapse: collapse; }} td, th {{ padding: .1em .6em; text-align: left; }}\n\
         td.number {{ text-align: right; font-variant-numeric: tabular-nums; }}\n\
         .bar {{ display: inline-block; height: .8em; }}\n",
        supports = palette.supports().hex(),
        opposes = palette.opposes().hex(),
    )
}

fn write_panel(page: &mut Markup, panel: &Panel<'_>, palette: Palette) {
    page.raw("<section class=\"panel\">\n");
    page.element("h2", &[], &format!("{} \u{2014} {}", panel.name, panel.pair.name)).line();
    page.element("p", &[("class", &"facts")], &panel.facts()).line();
    for side in Side::BOTH {
        page.element("h3", &[], side_title(side)).raw("\n<p class=\"text\">");
        for cell in panel.cells(side) {
            write_cell(page, &cell, palette);
        }
        page.raw("</p>\n");
    }
    write_table(page, panel, palette);
    page.raw("</section>\n");
}

/// One piece. `bdi` keeps right-to-left letters from reordering their neighbors.
fn write_cell(page: &mut Markup, cell: &Cell, palette: Palette) {
    let Fragment { text, piece, is_math } = &cell.fragment;
    let math = if *is_math { "math" } else { "" };
    match palette.shade(cell.strength) {
        None if piece.is_none() && !is_math => page.text(text),
        None if !is_math => page.element("bdi", &[], text),
        None => page.element("bdi", &[("class", &math)], text),
        Some(shade) => {
            let sign = if cell.weight > 0.0 { "for" } else { "against" };
            let (background, ink) = (shade.hex(), shade.ink().hex());
            page.element(
                "bdi",
                &[
                    ("class", &format_args!("{sign} {math}")),
                    ("style", &format_args!("background:#{background};color:#{ink}")),
                    ("title", &signed(cell.weight)),
                ],
                text,
            )
        }
    };
}

fn write_table(page: &mut Markup, panel: &Panel<'_>, palette: Palette) {
    const NUMBER: &[Attribute<'_>] = &[("class", &"number")];
    let with_spread = panel.stability.is_some_and(|stability| stability.seeds.len() > 1);
    let spread_head = if with_spread { "<th>spread</th>" } else { "" };
    page.raw("<table>\n<tr><th>token</th><th>kind</th><th>weight</th>").raw(spread_head);
    page.raw("<th>occurrences</th><th></th></tr>\n");
    let strongest = panel.explanation.strongest();
    for weight in &panel.explanation.weights {
        let strength = if strongest > 0.0 { weight.weight / strongest } else { 0.0 };
        page.raw("<tr><td>").element("bdi", &[], &weight.piece.shown()).raw("</td>");
        page.element("td", &[], if matches!(weight.piece, Piece::Symbol(_)) { "math" } else { "text" });
        page.element("td", NUMBER, &signed(weight.weight));
        if let Some(spread) = panel.spread(weight) {
            page.element("td", NUMBER, &format!("\u{b1}{}", unsigned(spread)));
        } else if with_spread {
            page.element("td", &[], "");
        }
        page.element("td", NUMBER, &weight.places.len().to_string());
        let end = if strength < 0.0 { palette.opposes() } else { palette.supports() };
        let bar = format!("width:{:.1}em;background:#{}", 8.0 * strength.abs(), end.hex());
        page.raw("<td>").element("span", &[("class", &"bar"), ("style", &bar)], "").raw("</td></tr>\n");
    }
    page.raw("</table>\n");
}
