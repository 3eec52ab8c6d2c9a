//! The layout of the statement and the columns.
//!
//! Everything scrolls as one document: first the statement, over the whole width, then the columns. When
//! the statement has gone out of sight, the columns' headers stay at the top. A low terminal has them at the
//! top from the beginning and does without the line on leakage.

use crate::workbench::app::area::Area;

/// No column is narrower than this while it could be left out instead.
const LEAST_WIDTH: u16 = 24;
/// From this height on, headers fit between statement and columns.
const TALL: u16 = 10;

/// The parts of the pane that are in sight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompareLayout {
    pub statement: Area,
    /// The statement's first line in sight.
    pub statement_offset: usize,
    pub columns: Vec<ColumnLayout>,
    /// The columns' first line in sight.
    pub column_offset: usize,
    pub dividers: Vec<Area>,
}

/// Where a column is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnLayout {
    /// Which of the columns it is.
    pub index: usize,
    pub header: Area,
    /// Empty when it does not fit.
    pub leakage: Area,
    pub body: Area,
}

/// The widths for which text is wrapped: of the statement and of a column. Text has a margin on its left
/// and, where a divider follows, one on its right.
pub fn widths(area: Area, columns: usize) -> (usize, usize) {
    let all = inside(area);
    let column = columns_of(all, columns).first().map_or(0, |column| column.width);
    let margins = if column < all.width { 2 } else { 1 };
    (usize::from(all.width.saturating_sub(1)), usize::from(column.saturating_sub(margins)))
}

/// Lines that headers take.
pub fn header_lines(area: Area) -> usize {
    if area.height >= TALL { 2 } else { usize::from(area.height > 1) }
}

/// How many lines there are to scroll through.
pub fn document_lines(area: Area, statement: usize, columns: usize) -> usize {
    statement_lines(area, statement) + header_lines(area) + columns
}

/// The columns of `count` in sight, so that the focused one is among them, and the lines from `scroll` on.
pub fn layout(area: Area, count: usize, focus: usize, statement: usize, scroll: usize) -> CompareLayout {
    let all = inside(area);
    let statement = statement_lines(area, statement);
    let gone = scroll.min(statement);
    let shown = u16::try_from(statement - gone).unwrap_or(u16::MAX);
    let headers = header_lines(area) as u16;
    let (statement_area, header, body) = match area.height >= TALL {
        true => {
            // However long the statement is, the headers stay in sight.
            let (statement, rest) = all.split_top(shown.min(all.height.saturating_sub(headers + 1)));
            let (header, body) = rest.split_top(headers);
            (statement, header, body)
        }
        false => {
            let (header, rest) = all.split_top(headers);
            let (statement, body) = rest.split_top(shown);
            (statement, header, body)
        }
    };
    let places = columns_of(all, count);
    let first = (focus + 1).saturating_sub(places.len()).min(count.saturating_sub(places.len()));
    let within = |column: &Area, part: Area| Area { x: column.x, width: column.width, ..part };
    let columns = places.iter().enumerate().map(|(place, column)| {
        let (header, leakage) = within(column, header).split_top(1);
        ColumnLayout { index: first + place, header, leakage, body: within(column, body) }
    });
    // On a low terminal the statement is between headers and texts.
    let top = if area.height >= TALL { header.y } else { body.y };
    let divider = |column: &Area| Area::new(column.right(), top, 1, body.bottom().saturating_sub(top));
    CompareLayout {
        statement: statement_area,
        statement_offset: gone,
        columns: columns.collect(),
        column_offset: scroll - gone,
        dividers: places[..places.len().saturating_sub(1)].iter().map(divider).collect(),
    }
}

/// Without the bar of scrolling on the right.
fn inside(area: Area) -> Area {
    Area { width: area.width.saturating_sub(1), ..area }
}

/// The statement and, where it fits, an empty line after it.
fn statement_lines(area: Area, lines: usize) -> usize {
    if area.height >= TALL && lines > 0 { lines + 1 } else { lines }
}

/// As many columns of equal width as fit, a divider between them.
fn columns_of(area: Area, count: usize) -> Vec<Area> {
    let fitting = usize::from((area.width + 1) / (LEAST_WIDTH + 1)).clamp(1, count.max(1)) as u16;
    let width = (area.width + 1) / fitting;
    let mut columns = Vec::new();
    let mut rest = area;
    for _ in 1..fitting {
        let (column, after) = rest.split_left(width);
        columns.push(Area { width: column.width.saturating_sub(1), ..column });
        rest = after;
    }
    // What division leaves over goes to the last; its text wraps as the others' do all the same.
    columns.push(rest);
    columns
}
