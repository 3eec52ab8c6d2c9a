//! Markdown tables.

/// A row of cells.
pub fn row<Cell: AsRef<str>>(cells: impl IntoIterator<Item = Cell>) -> String {
    let mut row = String::from("|");
    for cell in cells {
        row.push(' ');
        row.push_str(cell.as_ref());
        row.push_str(" |");
    }
    row.push('\n');
    row
}

/// Text for a cell.
pub fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_stays_in_its_cell() {
        assert_eq!(row([escape("a|b"), escape("<1")]), "| a\\|b | &lt;1 |\n");
    }
}
