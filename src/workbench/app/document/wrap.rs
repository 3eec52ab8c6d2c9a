//! Breaking text into lines.
//!
//! Widths are counted by grapheme, as terminals draw them: a combining mark takes no column, a wide letter
//! two. Lines break at spaces and line breaks; a word longer than a line breaks where it must.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::{Role, StyledText, TextLine, TextSpan};

/// Breaks prose into lines of at most `width` columns; `hits` are the byte ranges that a search found.
pub fn wrap(prose: &StyledText, hits: &[Range<usize>], width: usize) -> Vec<TextLine> {
    if width == 0 {
        return Vec::new();
    }
    let letters = letters(prose, hits);
    let mut lines = Vec::new();
    let mut rest = &letters[..];
    while !rest.is_empty() {
        let (line, after) = break_line(rest, width);
        lines.push(join(line));
        rest = after;
    }
    lines
}

/// A grapheme and what is known of it.
struct Letter<'a> {
    text: &'a str,
    width: usize,
    role: Role,
    is_hit: bool,
}

impl Letter<'_> {
    fn is_break(&self) -> bool {
        self.text == "\n"
    }

    fn is_space(&self) -> bool {
        self.text.chars().all(|letter| letter.is_whitespace() && letter != '\u{a0}')
    }
}

fn letters<'a>(prose: &'a StyledText, hits: &[Range<usize>]) -> Vec<Letter<'a>> {
    let mut stretches = prose.stretches.iter().peekable();
    let mut hits = hits.iter().peekable();
    let mut letters = Vec::with_capacity(prose.text.len());
    for (at, text) in prose.text.grapheme_indices(true) {
        while stretches.next_if(|(end, _)| *end <= at).is_some() {}
        while hits.next_if(|range| range.end <= at).is_some() {}
        let role = stretches.peek().map_or(Role::Text, |(_, role)| *role);
        let is_hit = hits.peek().is_some_and(|range| range.contains(&at));
        // A control character would take the terminal's cursor somewhere else.
        let text = match text {
            "\n" | "\r\n" => "\n",
            text if text.chars().any(char::is_control) => " ",
            text => text,
        };
        letters.push(Letter { text, width: text.width(), role, is_hit });
    }
    letters
}

/// The letters of the first line, and those of the lines after it.
fn break_line<'a, 'b>(letters: &'b [Letter<'a>], width: usize) -> (&'b [Letter<'a>], &'b [Letter<'a>]) {
    let mut taken = 0;
    let mut last_space = None;
    for (index, letter) in letters.iter().enumerate() {
        if letter.is_break() {
            return (&letters[..index], &letters[index + 1..]);
        }
        // A space may hang over the edge, where it is invisible.
        if letter.is_space() {
            last_space = Some(index);
        } else if taken + letter.width > width {
            return match last_space {
                Some(space) => (&letters[..space], &letters[space + 1..]),
                // Even a letter that is wider than the line must go somewhere.
                None => letters.split_at(index.max(1)),
            };
        }
        taken += letter.width;
    }
    (letters, &[])
}

fn join(letters: &[Letter<'_>]) -> TextLine {
    let mut spans: Vec<TextSpan> = Vec::new();
    for letter in letters {
        match spans.last_mut() {
            Some(span) if span.role == letter.role && span.is_hit == letter.is_hit => {
                span.text.push_str(letter.text);
            }
            _ => spans.push(TextSpan {
                text: letter.text.to_owned(),
                role: letter.role,
                is_hit: letter.is_hit,
            }),
        }
    }
    TextLine { spans }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, width: usize, expected: &[&str]) {
        let lines = wrap(&StyledText::plain(text, Role::Text), &[], width);
        assert_eq!(lines.iter().map(TextLine::text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_where_they_must() {
        check("let x be given", 6, &["let x", "be", "given"]);
        check("abcdefgh ij", 3, &["abc", "def", "gh", "ij"]);
        check("x\u{302}\u{302} y", 1, &["x\u{302}\u{302}", "y"]);
        check("漢字", 3, &["漢", "字"]);
        check("漢", 1, &["漢"]);
        check("", 5, &[]);
        check("one\n\ntwo \r\nthree", 6, &["one", "", "two ", "three"]);
    }

    #[test]
    fn hits_are_pieces_of_their_own() {
        let lines = wrap(&StyledText::plain("compact group", Role::Text), std::slice::from_ref(&(8..13)), 40);
        let pieces: Vec<_> = lines[0].spans.iter().map(|span| (span.text.as_str(), span.is_hit)).collect();
        assert_eq!(pieces, [("compact ", false), ("group", true)]);
    }

    proptest! {
        /// Nothing but spaces is lost, and no line is too wide.
        #[test]
        fn wrapping_loses_nothing(text in "[a-zé漢\u{301} ]{0,60}", width in 2usize..20) {
            let lines = wrap(&StyledText::plain(&text, Role::Text), &[], width);
            let strip = |text: &str| text.split_whitespace().collect::<String>();
            let joined: String = lines.iter().map(TextLine::text).collect();
            prop_assert_eq!(strip(&joined), strip(&text));
            for line in &lines {
                prop_assert!(line.text().trim_end().width() <= width, "{:?}", line.text());
            }
        }
    }
}
