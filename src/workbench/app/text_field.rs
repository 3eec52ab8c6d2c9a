//! A multi-line text editor.
//!
//! Lines break at spaces, or within long words. The lines contain the whole text, with the spaces at their ends,
//! so that the position of the cursor on the screen follows from its position in the text.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::{
    action::ActionId,
    line_editor::{LONGEST_TEXT, TextTooLong},
};

/// A text and its cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextField {
    text: String,
    /// A byte position at a grapheme boundary.
    cursor: usize,
}

/// The wrapped text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Laid<'a> {
    pub lines: Vec<&'a str>,
    /// Line and column of the cursor.
    pub cursor: (usize, usize),
    /// The start of each line in the text.
    starts: Vec<usize>,
}

impl TextField {
    pub fn new(text: &str) -> TextField {
        let mut field = TextField::default();
        field.put(&cleaned(text));
        field
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Inserts text at the cursor; line breaks stay, other control characters become spaces.
    pub fn insert(&mut self, text: &str) -> Result<(), TextTooLong> {
        let text = cleaned(text);
        let bytes = self.text.len() + text.len();
        if bytes > LONGEST_TEXT {
            return Err(TextTooLong { bytes, most: LONGEST_TEXT });
        }
        self.put(&text);
        Ok(())
    }

    fn put(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor = self.border_at_or_after(self.cursor + text.len());
    }

    /// Carries out an editing action in lines of this width; returns false for other actions.
    pub fn edit(&mut self, action: ActionId, width: usize) -> bool {
        match action {
            ActionId::TypingLeft => self.cursor = self.before(),
            ActionId::TypingRight => self.cursor = self.after(),
            ActionId::TypingStart => self.cursor = self.line_start(),
            ActionId::TypingEnd => {
                let rest = &self.text[self.cursor..];
                self.cursor += rest.find('\n').unwrap_or(rest.len());
            }
            ActionId::DeleteBackward => self.remove(self.before(), self.cursor),
            ActionId::DeleteForward => self.remove(self.cursor, self.after()),
            ActionId::DeleteWord => self.remove(self.word_start(), self.cursor),
            ActionId::DeleteLine => self.remove(self.line_start(), self.cursor),
            ActionId::EditorNewLine => self.put("\n"),
            ActionId::EditorUp => self.go_to_line(-1, width),
            ActionId::EditorDown => self.go_to_line(1, width),
            _ => return false,
        }
        true
    }

    /// Wraps the text into lines of at most `width` columns.
    pub fn lay(&self, width: usize) -> Laid<'_> {
        let width = width.max(1);
        let mut laid = Laid::default();
        let (mut start, mut taken) = (0, 0);
        // The position after the last space of the line, and the width up to there.
        let mut last_space = None;
        for (at, letter) in self.text.grapheme_indices(true) {
            if letter == "\n" {
                laid.push(&self.text, start, at);
                (start, taken, last_space) = (at + 1, 0, None);
                continue;
            }
            // A space may exceed the width.
            if letter != " " && taken + letter.width() > width && at > start {
                let (border, before) = last_space.unwrap_or((at, taken));
                laid.push(&self.text, start, border);
                (start, taken, last_space) = (border, taken - before, None);
            }
            taken += letter.width();
            if letter == " " {
                last_space = Some((at + 1, taken));
            }
        }
        laid.push(&self.text, start, self.text.len());
        let line = laid.starts.iter().rposition(|&start| start <= self.cursor).unwrap_or(0);
        let column = self.text[laid.starts[line]..self.cursor].width();
        laid.cursor = (line, column.min(width));
        laid
    }

    fn go_to_line(&mut self, lines: isize, width: usize) {
        let laid = self.lay(width);
        let (line, column) = laid.cursor;
        let wanted = line.saturating_add_signed(lines).min(laid.lines.len() - 1);
        if wanted == line {
            return;
        }
        let (start, text) = (laid.starts[wanted], laid.lines[wanted]);
        let mut taken = 0;
        let mut at = text.len();
        for (place, letter) in text.grapheme_indices(true) {
            if taken >= column {
                at = place;
                break;
            }
            taken += letter.width();
        }
        self.cursor = start + at;
    }

    fn remove(&mut self, start: usize, end: usize) {
        self.text.replace_range(start..end, "");
        self.cursor = self.border_at_or_after(start);
    }

    fn before(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        self.cursor + self.text[self.cursor..].graphemes(true).next().map_or(0, str::len)
    }

    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }

    fn word_start(&self) -> usize {
        let trimmed = self.text[..self.cursor].trim_end();
        let is_space = |(_, letter): &(usize, char)| letter.is_whitespace();
        trimmed.char_indices().rev().find(is_space).map_or(0, |(at, letter)| at + letter.len_utf8())
    }

    fn border_at_or_after(&self, position: usize) -> usize {
        let mut borders = self.text.grapheme_indices(true).map(|(at, _)| at);
        borders.find(|&at| at >= position).unwrap_or(self.text.len())
    }
}

fn cleaned(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace('\r', "\n")
        .replace(|letter: char| letter.is_control() && letter != '\n', " ")
}

impl<'a> Laid<'a> {
    fn push(&mut self, text: &'a str, start: usize, end: usize) {
        self.starts.push(start);
        self.lines.push(&text[start..end]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_break_and_the_cursor_follows() {
        let mut field = TextField::new("abcdef\nx\u{302}y");
        assert_eq!(field.lay(4).lines, ["abcd", "ef", "x\u{302}y"]);
        assert_eq!(field.lay(4).cursor, (2, 2));
        field.edit(ActionId::EditorUp, 4);
        assert_eq!(field.lay(4).cursor, (1, 2));
        field.edit(ActionId::EditorUp, 4);
        field.edit(ActionId::EditorUp, 4);
        assert_eq!(field.lay(4).cursor, (0, 2));
        field.edit(ActionId::DeleteLine, 4);
        field.edit(ActionId::TypingEnd, 4);
        field.edit(ActionId::EditorNewLine, 4);
        assert_eq!(field.text(), "cdef\n\nx\u{302}y");
        assert_eq!(TextField::new("let x be given").lay(6).lines, ["let x ", "be ", "given"]);
    }

    proptest! {
        /// After any keys the cursor is in the text and on the screen.
        #[test]
        fn the_cursor_stays_in_the_text(
            text in "[a-c é漢\u{301}\n]{0,30}", steps in prop::collection::vec(0usize..11, 0..30), width in 1usize..12,
        ) {
            let actions = [
                ActionId::TypingLeft, ActionId::TypingRight, ActionId::TypingStart, ActionId::TypingEnd,
                ActionId::DeleteBackward, ActionId::DeleteForward, ActionId::DeleteWord, ActionId::DeleteLine,
                ActionId::EditorNewLine, ActionId::EditorUp, ActionId::EditorDown,
            ];
            let mut field = TextField::new(&text);
            for step in steps {
                field.edit(actions[step], width);
                let laid = field.lay(width);
                prop_assert!(laid.cursor.0 < laid.lines.len());
                prop_assert!(laid.cursor.1 <= width.max(2));
                prop_assert!(field.text().is_char_boundary(field.cursor));
            }
        }
    }
}
