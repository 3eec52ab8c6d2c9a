//! Heatmap as a self-contained HTML page: no scripts, no external resources, and a policy that forbids them.

use std::fmt::Write;

use super::{Cell, Heatmap, Palette, Panel, side_title, signed, unsigned};
use crate::{
    base::escape::markup,
    explain::{Piece, Side},
};

pub fn html(heatmap: &Heatmap<'_>) -> String {
    let title = markup(&heatmap.title);
    let mut page = String::new();
    page.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
    );
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.push_str(&format!(
        "<title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        style(heatmap.palette)
    ));
    page.push_str(&format!("<h1>{title}</h1>\n{LEGEND}<div class=\"panels\">\n"));
    for panel in &heatmap.panels {
        write_panel(&mut page, panel, heatmap.palette);
    }
    page.push_str("</div>\n</body>\n</html>\n");
    page
}

const LEGEND: &str = "<p class=\"legend\"><span class=\"for\">whole underline: supports the match</span> \
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

fn write_panel(page: &mut String, panel: &Panel<'_>, palette: Palette) {
    page.push_str("<section class=\"panel\">\n");
    page.push_str(&format!("<h2>{} \u{2014} {}</h2>\n", markup(panel.name), markup(&panel.pair.name)));
    page.push_str(&format!("<p class=\"facts\">{}</p>\n", markup(&panel.facts())));
    for side in Side::BOTH {
        page.push_str(&format!("<h3>{}</h3>\n<p class=\"text\">", side_title(side)));
        let cells: Vec<String> = panel.cells(side).iter().map(|cell| shown(cell, palette)).collect();
        page.push_str(&cells.join(" "));
        page.push_str("</p>\n");
    }
    write_table(page, panel, palette);
    page.push_str("</section>\n");
}

/// One piece. `bdi` keeps right-to-left letters from reordering their neighbors.
fn shown(cell: &Cell<'_>, palette: Palette) -> String {
    let text = markup(&cell.piece.shown());
    let math = if cell.piece.is_math() { "math" } else { "" };
    match palette.shade(cell.strength) {
        None if math.is_empty() => format!("<bdi>{text}</bdi>"),
        None => format!("<bdi class=\"{math}\">{text}</bdi>"),
        Some(shade) => {
            let sign = if cell.weight > 0.0 { "for" } else { "against" };
            let (ground, ink) = (shade.hex(), shade.ink().hex());
            format!(
                "<bdi class=\"{sign} {math}\" style=\"background:#{ground};color:#{ink}\" title=\"{}\">{text}</bdi>",
                signed(cell.weight)
            )
        }
    }
}

fn write_table(page: &mut String, panel: &Panel<'_>, palette: Palette) {
    let with_spread = panel.stability.is_some_and(|stability| stability.seeds.len() > 1);
    let spread_head = if with_spread { "<th>spread</th>" } else { "" };
    page.push_str(&format!(
        "<table>\n<tr><th>token</th><th>kind</th><th>weight</th>{spread_head}<th>occurrences</th><th></th></tr>\n"
    ));
    let strongest = panel.explanation.strongest();
    for weight in &panel.explanation.weights {
        let strength = if strongest > 0.0 { weight.weight / strongest } else { 0.0 };
        let kind = if matches!(weight.piece, Piece::Symbol(_)) { "math" } else { "text" };
        let spread = match panel.spread(weight) {
            Some(spread) => format!("<td class=\"number\">\u{b1}{}</td>", unsigned(spread)),
            None if with_spread => "<td></td>".to_owned(),
            None => String::new(),
        };
        let end = if strength < 0.0 { palette.opposes() } else { palette.supports() };
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "<tr><td><bdi>{}</bdi></td><td>{kind}</td><td class=\"number\">{}</td>{spread}<td class=\"number\">{}</td>\
             <td><span class=\"bar\" style=\"width:{:.1}em;background:#{}\"></span></td></tr>",
            markup(&weight.piece.shown()),
            signed(weight.weight),
            weight.places.len(),
            8.0 * strength.abs(),
            end.hex(),
        );
    }
    page.push_str("</table>\n");
}
