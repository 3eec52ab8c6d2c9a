//! The box of the ranges: three small histograms, and what is let through of each.

use crate::{
    workbench::app::{
        area::Area,
        browse::{
            Browse,
            ranges::{Measure, RangeEnd, RangeRow, bars, column_of, longest},
        },
    },
    workbench::theme::Scope,
    workbench::ui::{
        canvas::Canvas,
        widgets::{overlays, tabs::grouped},
    },
};

/// Heights of a bar within one line, in eighths.
const EIGHTHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

pub fn draw(browse: &Browse, canvas: &mut Canvas<'_>) {
    let Some(place) = browse.range_box() else { return };
    let title = format!("lengths · {} pairs", grouped(browse.list.len()));
    match place.has_border {
        true => overlays::frame(canvas, place.frame, &title),
        false => canvas.clear(place.frame, canvas.style(Scope::UiHelp)),
    }
    for measure in Measure::ALL {
        draw_measure(browse, measure, &place.rows[measure as usize], canvas);
    }
}

fn draw_measure(browse: &Browse, measure: Measure, row: &RangeRow, canvas: &mut Canvas<'_>) {
    if row.title.is_empty() {
        return;
    }
    let has_focus = browse.range_editor.as_ref().is_some_and(|editor| editor.measure == measure);
    draw_title(browse, measure, row.title, has_focus, canvas);
    let longest = longest(measure, &browse.histograms);
    let bounds = browse.ranges.get(measure);
    let (least, most) = (bounds.least.unwrap_or(0), bounds.most.unwrap_or(longest));
    let counts = bars(measure, &browse.histograms);
    let tallest = counts.iter().copied().max().unwrap_or(0).max(1);
    let (plain, chosen) = (canvas.style(Scope::UiHistogram), canvas.style(Scope::UiHistogramChosen));
    for column in 0..row.bars.width {
        let bar =
            u64::from(column) * u64::from(longest) / u64::from(row.bars.width) / u64::from(measure.step());
        let count = counts.get(bar as usize).copied().unwrap_or(0);
        let (start, end) = (bar as u32 * measure.step(), (bar as u32 + 1) * measure.step());
        let style = if start <= most && end > least { chosen } else { plain };
        // A bar that is not empty is always seen.
        let eighths = u64::from(row.bars.height) * 8 * u64::from(count);
        let eighths = eighths.div_ceil(u64::from(tallest)).max(u64::from(count > 0));
        for line in 0..row.bars.height {
            let below = u64::from(row.bars.height - 1 - line) * 8;
            let filled = eighths.saturating_sub(below).min(8) as usize;
            let (x, y) = (row.bars.x + column, row.bars.y + line);
            canvas.text(x, y, row.bars.right(), EIGHTHS[filled], style);
        }
    }
    if !row.marks.is_empty() {
        let ends = [least, most].map(|value| column_of(value, row.marks.width, longest));
        let end = browse.range_editor.as_ref().filter(|_| has_focus).map(|editor| editor.end);
        draw_marks(row.marks, ends, end, canvas);
    }
}

/// `▸statement length   20–120 tokens`, the end that moves between signs.
fn draw_title(browse: &Browse, measure: Measure, area: Area, has_focus: bool, canvas: &mut Canvas<'_>) {
    let (text, key, dim) =
        (canvas.style(Scope::UiHelp), canvas.style(Scope::UiHintKey), canvas.style(Scope::UiTextDim));
    let bounds = browse.ranges.get(measure);
    let moving = browse.range_editor.as_ref().filter(|_| has_focus).map(|editor| editor.end);
    let longest = longest(measure, &browse.histograms);
    let sign = if has_focus { "▸" } else { " " };
    let x = canvas.text(area.x, area.y, area.right(), sign, key);
    let name = if area.width < 36 { measure.short() } else { measure.name() };
    let mut x = canvas.text_cut(x, area.y, area.right(), name, text) + 2;
    let least = bounds.least.map_or("0".to_owned(), |least| least.to_string());
    let most = bounds.most.map_or(longest.to_string(), |most| most.to_string());
    for (index, (value, end)) in [(least, RangeEnd::Least), (most, RangeEnd::Most)].into_iter().enumerate() {
        if index == 1 {
            x = canvas.text(x, area.y, area.right(), " – ", dim);
        }
        let (shown, style) = match moving == Some(end) {
            true => (format!("‹{value}›"), key),
            false => (value, text),
        };
        x = canvas.text(x, area.y, area.right(), &shown, style);
    }
    canvas.text(x + 1, area.y, area.right(), measure.unit(), dim);
}

/// `├─────▲`: the range below the bars, with the end that moves.
fn draw_marks(area: Area, [from, to]: [u16; 2], moving: Option<RangeEnd>, canvas: &mut Canvas<'_>) {
    let (line, key) = (canvas.style(Scope::UiHistogramChosen), canvas.style(Scope::UiHintKey));
    let y = area.y;
    canvas.text(area.x + from, y, area.right(), &"─".repeat(usize::from(to.saturating_sub(from)) + 1), line);
    for (column, sign, end) in [(from, "├", RangeEnd::Least), (to, "┤", RangeEnd::Most)] {
        match moving == Some(end) {
            true => canvas.text(area.x + column, y, area.right(), "▲", key),
            false => canvas.text(area.x + column, y, area.right(), sign, line),
        };
    }
}
