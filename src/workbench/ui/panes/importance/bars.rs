//! The strongest tokens as bars, with a sign and a filling that tell evidence for the match from evidence against it.

use ratatui::{buffer::Buffer, layout::Rect, style::Style, text::Line, widgets::Widget};

use super::heatmap::weight_scope;
use crate::{
    base::numbers::signed,
    workbench::{
        app::importance::{Importance, Panel, sheet},
        theme::Scope,
        ui::{
            styles::Styles,
            text::LineBuilder,
            widgets::row_list::{on_selection, selection_style},
        },
    },
};

/// Columns of a bar at most.
const MAX_BAR: u16 = 10;

pub struct WeightBars<'a> {
    pub importance: &'a Importance,
    pub panel: &'a Panel,
    pub styles: &'a Styles,
}

impl Widget for WeightBars<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let WeightBars { importance, panel, styles } = self;
        let (Some(explanation), Some(scene)) = (panel.explanation(), importance.scene()) else { return };
        if area.width < 16 || area.is_empty() {
            return;
        }
        let cursor = sheet::place(panel.pair(scene), importance.cursor());
        let strongest = explanation.strongest();
        // Very likely and very unlikely pairs have small weights, which three digits would show as zeros.
        let digits = if strongest < 0.01 { 5 } else { 3 };
        let selected = cursor
            .and_then(|place| explanation.weights.iter().position(|weight| weight.places.contains(&place)));
        // The list follows the cursor once it has left the first token; before, it shows the strongest ones.
        let is_moved = panel.sheet().spots().first().is_some_and(|spot| spot.piece != importance.cursor());
        let first = selected
            .filter(|_| is_moved)
            .map_or(0, |selected| (selected + 1).saturating_sub(area.height.into()));
        for (row, weight) in area.rows().zip(explanation.weights.iter().skip(first)) {
            let strength = if strongest > 0.0 { weight.weight / strongest } else { 0.0 };
            let is_selected = cursor.is_some_and(|place| weight.places.contains(&place));
            let number = match panel.steadiness(weight) {
                Some(steady) => {
                    let doubt = if steady.keeps_its_sign() { ' ' } else { '?' };
                    format!("{}±{:.digits$}{doubt}", signed(weight.weight, digits), steady.spread)
                }
                None => format!("{} ", signed(weight.weight, digits)),
            };
            let mut name = weight.piece.shown();
            if weight.places.len() > 1 {
                name.push_str(&format!(" ×{}", weight.places.len()));
            }
            let name_scope = if weight.piece.is_math() { Scope::Math } else { Scope::Text };
            let mut line = LineBuilder::new(area.width);
            line.push(if is_selected { "›" } else { " " }, styles[Scope::UiText]);
            line.push(number, styles[Scope::UiText]);
            let length = MAX_BAR.min(area.width.saturating_sub(line.used() + 1) / 3).max(1);
            let end = line.used() + length + 1;
            let mut style = bar_style(strength, styles);
            if is_selected {
                // On a background of its own the bar keeps its color.
                style.bg = selection_style(styles, false).bg;
            }
            line.push(bar(strength, length), style);
            line.skip_to(end).push_truncated(name, styles[name_scope]);
            render_row(line.build(), is_selected, styles, row, buf);
        }
    }
}

fn render_row(line: Line<'_>, is_selected: bool, styles: &Styles, row: Rect, buf: &mut Buffer) {
    let mut line = line;
    if is_selected {
        let selection = selection_style(styles, false);
        buf.set_style(row, selection);
        line = on_selection(line, selection);
    }
    buf.set_line(row.x, row.y, &line, row.width);
}

fn bar(strength: f64, longest: u16) -> String {
    let length = (strength.abs() * f64::from(longest)).round().max(1.0) as usize;
    if strength < 0.0 { "▒" } else { "█" }.repeat(length)
}

/// The background of the heatmap as the color of the bar.
fn bar_style(strength: f64, styles: &Styles) -> Style {
    let background = weight_scope(strength).and_then(|scope| styles[scope].bg);
    background.map_or(styles[Scope::UiText], |color| Style::new().fg(color))
}
