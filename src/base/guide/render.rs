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
/// links lose their targets, and images disappear together with the blank line after them.
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
            lines.push_blank();
        } else {
            let mark = item_mark(line);
            let mut paragraph = line.to_owned();
            while let Some(next) = source.next_if(|next| continues(next, mark.is_some())) {
                paragraph = format!("{paragraph} {}", next.trim());
            }
            let indent = " ".repeat(mark.unwrap_or_default());
            for (index, text) in wrap(&inline(&paragraph), width - indent.len()).into_iter().enumerate() {
                let indent = if index > 0 { indent.as_str() } else { "" };
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

    /// Adds a blank line, unless there is one already.
    fn push_blank(&mut self) {
        if self.0.last().is_some_and(|last| !last.text.is_empty()) {
            self.push(LineStyle::Text, String::new());
        }
    }
}

/// The width of the mark of a list item: `- `, or a number as in `1. `.
fn item_mark(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let mark = if digits == 0 { "- " } else { ". " };
    (digits < 4 && line[digits..].starts_with(mark)).then_some(digits + mark.len())
}

/// Whether a line belongs to the paragraph or list item before it. Inside a paragraph, only the number 1 begins a list: a
/// wrapped sentence may begin its line with any other number.
fn continues(line: &str, is_item: bool) -> bool {
    let is_other = ["```", "#", "|", "!["].iter().any(|start| line.starts_with(start));
    let is_next_item =
        item_mark(line).is_some() && (is_item || line.starts_with("- ") || line.starts_with("1. "));
    !line.trim().is_empty() && !is_other && !is_next_item
}

fn cells(row: &str) -> Vec<String> {
    row.trim().trim_matches('|').split('|').map(|cell| inline(cell.trim())).collect()
}

/// The text of a line without the marks of emphasis and links. Code keeps its backticks, and formulas their dollars.
fn inline(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let (before, rest) = text.split_at(at);
        let found = match letter {
            '`' | '$' => verbatim(rest).map(|length| (rest[..length].to_owned(), length)),
            '[' => link(rest).map(|(label, length)| (inline(label), length)),
            '*' => emphasized(before, rest).map(|(inside, length)| (inline(inside), length)),
            _ => None,
        };
        let (shown, length) = found.unwrap_or_else(|| (letter.to_string(), letter.len_utf8()));
        plain.push_str(&shown);
        at += length;
    }
    plain
}

/// The length of the code or the formula that a text begins with.
fn verbatim(text: &str) -> Option<usize> {
    if text.starts_with('`') {
        let marks = text.len() - text.trim_start_matches('`').len();
        let inside = text[marks..].find(&text[..marks])?;
        return Some(marks + inside + marks);
    }
    let (inside, behind) = text.strip_prefix('$')?.split_once('$')?;
    // two prices are no formula
    let is_formula = !inside.is_empty() && inside.trim() == inside;
    (is_formula && !behind.starts_with(|letter: char| letter.is_ascii_digit())).then_some(inside.len() + 2)
}

/// The label of the link that a text begins with, and the length of the link.
fn link(text: &str) -> Option<(&str, usize)> {
    let (label, behind) = text.strip_prefix('[')?.split_once("](")?;
    let (target, _) = behind.split_once(')')?;
    (!label.contains('[')).then_some((label, label.len() + target.len() + "[]()".len()))
}

/// What stands between the asterisks that a text begins with and those that end the emphasis, and the length of all.
/// An asterisk next to a space, or a single one inside a word, is a letter like others.
fn emphasized<'a>(before: &str, text: &'a str) -> Option<(&'a str, usize)> {
    let marks = asterisks(text);
    let inside = &text[marks..];
    let is_in_word = marks == 1 && before.ends_with(char::is_alphanumeric);
    if is_in_word || inside.starts_with(char::is_whitespace) {
        return None;
    }
    let mut at = 0;
    while let Some(letter) = inside[at..].chars().next() {
        let (before, rest) = inside.split_at(at);
        let length = match letter {
            '`' | '$' => verbatim(rest).unwrap_or(1),
            '*' => asterisks(rest),
            _ => letter.len_utf8(),
        };
        let behind = &rest[length..];
        let is_end = letter == '*' && length == marks && !before.ends_with(char::is_whitespace);
        if is_end && (marks > 1 || !behind.starts_with(char::is_alphanumeric)) {
            return Some((before, marks + at + marks));
        }
        at += length;
    }
    None
}

/// The number of asterisks that a text begins with.
fn asterisks(text: &str) -> usize {
    text.len() - text.trim_start_matches('*').len()
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
    fn numbered_items_are_lines_of_their_own_with_a_hanging_indent() {
        check(
            "Steps:\n1. one two three\n   four five\n2. six\n10. seven eight nine ten",
            20,
            &["Steps:", "1. one two three", "   four five", "2. six", "10. seven eight", "    nine ten"],
        );
        check("1. one\n\n2. two", 20, &["1. one", "", "2. two"]);
        check("The score rose to\n12. Then it fell.", 40, &["The score rose to 12. Then it fell."]);
    }

    #[test]
    fn marks_of_emphasis_are_removed_but_not_other_asterisks() {
        for (markdown, expected) in [
            ("an *important* word, *two words*.", "an important word, two words."),
            ("**bold with *both* and `code`**, ***all***", "bold with both and `code`, all"),
            ("`a * b` and `c * d` and `**`", "`a * b` and `c * d` and `**`"),
            ("*the pattern `*.xml`*", "the pattern `*.xml`"),
            ("$a*b*c$ and $x^*$, *so* $y^*$", "$a*b*c$ and $x^*$, so $y^*$"),
            ("2 * 3 * 4, MREC*.tar and ar5iv*.zip", "2 * 3 * 4, MREC*.tar and ar5iv*.zip"),
            ("`[a](b)` and [`c` *d*](e.md)", "`[a](b)` and `c` d"),
            ("an open *mark, an open `mark", "an open *mark, an open `mark"),
        ] {
            assert_eq!(inline(markdown), expected);
        }
    }

    #[test]
    fn an_image_leaves_one_blank_line() {
        check("one\n\n![a](a.svg)\n![b](b.svg)\n\ntwo", 20, &["one", "", "two"]);
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
