//! The strongest tokens as bars: to the right what speaks for the match, with a sign and another filling against it.

use ratatui::style::Style;

use super::heatmap::weight_scope;
use crate::{
    workbench::app::{
        area::Area,
        importance::{Importance, Panel, sheet},
    },
    workbench::theme::Scope,
    workbench::ui::canvas::Canvas,
};

/// Columns of a bar at most.
const LONGEST: u16 = 10;

pub fn draw(pane: &Importance, shown: &Panel, area: Area, canvas: &mut Canvas<'_>) {
    let (Some(explanation), Some(scene)) = (shown.explanation(), pane.scene()) else { return };
    if area.width < 16 || area.is_empty() {
        return;
    }
    let here = sheet::place(shown.pair(scene), pane.cursor());
    let strongest = explanation.strongest();
    // a pair that is sure, or hopeless, has small weights, which three digits would show as zeros
    let digits = if strongest < 0.01 { 5 } else { 3 };
    let height = usize::from(area.height);
    let at =
        here.and_then(|here| explanation.weights.iter().position(|weight| weight.places.contains(&here)));
    // the list follows the cursor
    let first = at.map_or(0, |at| (at + 1).saturating_sub(height));
    for (y, weight) in (area.y..area.bottom()).zip(explanation.weights.iter().skip(first)) {
        let strength = if strongest > 0.0 { weight.weight / strongest } else { 0.0 };
        let is_here = here.is_some_and(|here| weight.places.contains(&here));
        if is_here {
            let row = Area { y, height: 1, x: area.x, width: area.width };
            canvas.choose(row, canvas.style(Scope::UiSelectionInactive));
        }
        let sign = if is_here { "›" } else { " " };
        let x = canvas.text(area.x, y, area.right(), sign, canvas.style(Scope::UiText));
        let number = match shown.steadiness(weight) {
            Some(steady) => {
                let doubt = if steady.keeps_its_sign() { ' ' } else { '?' };
                format!("{:+.digits$}±{:.digits$}{doubt}", weight.weight, steady.spread)
            }
            None => format!("{:+.digits$} ", weight.weight),
        };
        let x = canvas.text(x, y, area.right(), &number, canvas.style(Scope::UiText));
        let room = area.right().saturating_sub(x + 1);
        let longest = LONGEST.min(room / 3).max(1);
        let length = (strength.abs() * f64::from(longest)).round().max(1.0) as usize;
        let bar = if weight.weight < 0.0 { "▒" } else { "█" }.repeat(length);
        let ground = weight_scope(strength).and_then(|scope| canvas.style(scope).bg);
        let style = ground.map_or_else(|| canvas.style(Scope::UiText), |ground| Style::new().fg(ground));
        canvas.text(x, y, area.right(), &bar, style);
        let x = x + longest + 1;
        let kind = if weight.piece.is_math() { Scope::Math } else { Scope::Text };
        let mut name = weight.piece.shown();
        if weight.places.len() > 1 {
            name.push_str(&format!(" ×{}", weight.places.len()));
        }
        canvas.text_cut(x, y, area.right(), &name, canvas.style(kind));
    }
}
