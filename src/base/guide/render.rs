//! Markdown as lines for a terminal: the small subset that the guide uses.

use unicode_width::UnicodeWidthStr;

/// How a line is emphasized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    Heading,
    Code,
    Text,
}

/// A line that fits the width it was made for, except for code, which is never wrapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuideLine {
    pub style: LineStyle,
    pub text: String,
}

/// Renders Markdown at a width: paragraphs and list items are wrapped, tables get aligned columns whose cells are wrapped,
/// links lose their targets and images disappear.
pub fn render(markdown: &str, width: usize) -> Vec<GuideLine> {
    let width = width.max(20);
    let mut lines = Lines::default();
    let mut source = markdown.lines().peekable();
    while let Some(line) = source.next() {
        if line.starts_with("```") {
            for code in source.by_ref().take_while(|code| !code.starts_with("```")) {
                lines.push(LineStyle::Code, format!("    {code}"));
            }
        } else if line.starts_with('#') {
            lines.push(LineStyle::Heading, inline(line.trim_start_matches(['#', ' '])));
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(row) = source.next_if(|row| row.starts_with('|')) {
                if !row.trim_matches(['|', '-', ':', ' ']).is_empty() {
                    rows.push(cells(row));
                }
            }
            table(&rows, width, &mut lines);
        } else if line.starts_with("![") || line.starts_with("<!--") {
            continue;
        } else if line.trim().is_empty() {
            lines.push(LineStyle::Text, String::new());
        } else {
            let mut paragraph = line.to_owned();
            while let Some(next) = source.next_if(|next| continues(next)) {
                paragraph = format!("{paragraph} {}", next.trim());
            }
            let indent = if paragraph.starts_with("- ") { "  " } else { "" };
            for (index, text) in wrap(&inline(&paragraph), width - indent.len()).into_iter().enumerate() {
                let indent = if index > 0 { indent } else { "" };
                lines.push(LineStyle::Text, format!("{indent}{text}"));
            }
        }
    }
    lines.0
}

#[derive(Default)]
struct Lines(Vec<GuideLine>);

impl Lines {
    fn push(&mut self, style: LineStyle, text: String) {
        self.0.push(GuideLine { style, text });
    }
}

/// Whether a line belongs to the paragraph or list item before it.
fn continues(line: &str) -> bool {
    !line.trim().is_empty() && !["```", "#", "|", "- ", "!["].iter().any(|start| line.starts_with(start))
}

fn cells(row: &str) -> Vec<String> {
    row.trim().trim_matches('|').split('|').map(|cell| inline(cell.trim())).collect()
}

/// The text of a line without the marks of bold text and links. Code keeps its backticks.
fn inline(text: &str) -> String {
    let text = text.replace("**", "");
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        match after.split_once("](").and_then(|(label, target)| Some((label, target.split_once(')')?.1))) {
            Some((label, behind)) if !label.contains('[') => {
                plain.push_str(label);
                rest = behind;
            }
            _ => {
                plain.push('[');
                rest = after;
            }
        }
    }
    plain + rest
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        match line.is_empty() {
            true => line.push_str(word),
            false if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            false => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Columns as wide as their content; when that is too much, the widest ones give way.
fn table(rows: &[Vec<String>], width: usize, lines: &mut Lines) {
    const GAP: usize = 2;
    const NARROWEST: usize = 8;
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..count)
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0)
        })
        .collect();
    while widths.iter().sum::<usize>() + GAP * count.saturating_sub(1) > width {
        match widths.iter_mut().max() {
            Some(widest) if *widest > NARROWEST => *widest -= 1,
            _ => break,
        }
    }
    for (index, row) in rows.iter().enumerate() {
        let wrapped: Vec<Vec<String>> =
            row.iter().zip(&widths).map(|(cell, width)| wrap(cell, *width)).collect();
        for line in 0..wrapped.iter().map(Vec::len).max().unwrap_or(0) {
            let mut text = String::new();
            for (column, (cell, &width)) in wrapped.iter().zip(&widths).enumerate() {
                let part = cell.get(line).map_or("", String::as_str);
                text.push_str(part);
                if column + 1 < wrapped.len() {
                    text.push_str(&" ".repeat(width.saturating_sub(part.width()) + GAP));
                }
            }
            let style = if index == 0 { LineStyle::Heading } else { LineStyle::Text };
            lines.push(style, text.trim_end().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str, width: usize, expected: &[&str]) {
        let lines: Vec<String> = render(markdown, width).into_iter().map(|line| line.text).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn paragraphs_are_wrapped_and_marks_removed() {
        check(
            "# A [title](x.md)\n\nOne **two** three\nfour five.",
            20,
            &["A title", "", "One two three four", "five."],
        );
        check("An index a[i] stays.", 40, &["An index a[i] stays."]);
        check("- one two three four five\n- six", 20, &["- one two three", "  four five", "- six"]);
    }

    #[test]
    fn code_is_indented_and_not_wrapped() {
        check(
            "```sh\nmatchbook stats demo --json | head\n```",
            20,
            &["    matchbook stats demo --json | head"],
        );
    }

    #[test]
    fn cells_of_a_wide_table_are_wrapped() {
        check(
            "| a | what |\n|---|---|\n| `x` | one two three four |",
            20,
            &["a    what", "`x`  one two three", "     four"],
        );
    }

    #[test]
    fn every_chapter_fits_eighty_columns_except_for_code() {
        for chapter in crate::base::guide::CHAPTERS {
            for line in render(chapter.text, 80) {
                let fits = line.style == LineStyle::Code || line.text.width() <= 80;
                assert!(fits, "{}: {}", chapter.name, line.text);
            }
        }
    }
}
