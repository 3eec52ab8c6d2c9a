//! A single-line text editor.
//!
//! The cursor is always at a grapheme boundary, so that an accent is never separated from its letter.

use unicode_segmentation::UnicodeSegmentation;

use super::action::ActionId;
use crate::base::numbers::grouped;

/// A line and its cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineEditor {
    text: String,
    /// A byte position at a grapheme boundary.
    cursor: usize,
    /// The whole text is selected: what is typed next replaces it.
    is_selected: bool,
    /// The text may be as long as that of a [`TextField`](super::text_field::TextField).
    is_long: bool,
}

/// The longest line in bytes, and the longest text of several lines or of a long line.
const LONGEST_LINE: usize = 2000;
pub const LONGEST_TEXT: usize = 64 << 10;

/// Why a text was not inserted. A text that is cut would be another text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text is too long: {} bytes (maximum {})", grouped(*.bytes as u64), grouped(*.most as u64))]
pub struct TextTooLong {
    pub bytes: usize,
    pub most: usize,
}

impl LineEditor {
    pub fn new(text: &str) -> LineEditor {
        LineEditor { text: text.to_owned(), cursor: text.len(), ..LineEditor::default() }
    }

    /// A line for texts that may have many sentences.
    pub fn long(text: &str) -> LineEditor {
        LineEditor { is_long: true, ..LineEditor::new(text) }
    }

    /// A line whose text is replaced by what is typed first, and kept if the cursor is moved first.
    pub fn selected(text: &str) -> LineEditor {
        LineEditor { is_selected: !text.is_empty(), ..LineEditor::new(text) }
    }

    pub fn is_selected(&self) -> bool {
        self.is_selected
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before the cursor.
    pub fn before_cursor(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Inserts text at the cursor; line breaks and other control characters become spaces.
    pub fn insert(&mut self, text: &str) -> Result<(), TextTooLong> {
        let text = text.replace(char::is_control, " ");
        let kept = if self.is_selected { 0 } else { self.text.len() };
        let (bytes, most) = (kept + text.len(), if self.is_long { LONGEST_TEXT } else { LONGEST_LINE });
        if bytes > most {
            return Err(TextTooLong { bytes, most });
        }
        if std::mem::take(&mut self.is_selected) {
            (self.text, self.cursor) = (String::new(), 0);
        }
        self.text.insert_str(self.cursor, &text);
        // A combining mark may have joined the text after the cursor.
        self.cursor = self.border_at_or_after(self.cursor + text.len());
        Ok(())
    }

    /// Carries out an editing action; returns false for other actions.
    pub fn edit(&mut self, action: ActionId) -> bool {
        let deletes = matches!(
            action,
            ActionId::DeleteBackward | ActionId::DeleteForward | ActionId::DeleteWord | ActionId::DeleteLine
        );
        if std::mem::take(&mut self.is_selected) && deletes {
            (self.text, self.cursor) = (String::new(), 0);
            return true;
        }
        match action {
            ActionId::TypingLeft => self.cursor = self.before(),
            ActionId::TypingRight => self.cursor = self.after(),
            ActionId::TypingStart => self.cursor = 0,
            ActionId::TypingEnd => self.cursor = self.text.len(),
            ActionId::DeleteBackward => self.remove(self.before(), self.cursor),
            ActionId::DeleteForward => self.remove(self.cursor, self.after()),
            ActionId::DeleteWord => self.remove(self.word_start(), self.cursor),
            ActionId::DeleteLine => self.remove(0, self.cursor),
            _ => return false,
        }
        true
    }

    fn remove(&mut self, start: usize, end: usize) {
        self.text.replace_range(start..end, "");
        self.cursor = self.border_at_or_after(start);
    }

    fn before(&self) -> usize {
        self.before_cursor().grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        let next = self.text[self.cursor..].graphemes(true).next().map_or(0, str::len);
        self.cursor + next
    }

    fn word_start(&self) -> usize {
        let trimmed = self.before_cursor().trim_end();
        trimmed
            .char_indices()
            .rev()
            .find(|(_, letter)| letter.is_whitespace())
            .map_or(0, |(at, letter)| at + letter.len_utf8())
    }

    fn border_at_or_after(&self, position: usize) -> usize {
        self.text
            .grapheme_indices(true)
            .map(|(at, _)| at)
            .find(|&at| at >= position)
            .unwrap_or(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selected_text_is_replaced_or_kept() {
        let mut line = LineEditor::selected("0.5");
        line.insert("1").unwrap();
        assert_eq!(line.text(), "1");
        let mut line = LineEditor::selected("0.5");
        line.edit(ActionId::TypingLeft);
        line.insert("2").unwrap();
        assert_eq!(line.text(), "0.25");
        let mut line = LineEditor::selected("0.5");
        line.edit(ActionId::DeleteBackward);
        assert_eq!((line.text(), line.is_selected()), ("", false));
    }

    #[test]
    fn a_text_is_inserted_whole_or_not_at_all() {
        let mut line = LineEditor::new("x");
        let refused = line.insert(&"é".repeat(1000)).unwrap_err();
        assert_eq!(refused.to_string(), "the text is too long: 2,001 bytes (maximum 2,000)");
        assert_eq!(line.text(), "x");
        assert!(LineEditor::long("x").insert(&"é".repeat(1000)).is_ok());
        assert!(
            LineEditor::selected("x").insert(&"é".repeat(1000)).is_ok(),
            "what is replaced does not count"
        );
        assert_eq!(LineEditor::long("").insert(&"x".repeat(1 << 20)).unwrap_err().most, LONGEST_TEXT);
    }

    #[test]
    fn a_line_is_edited_by_graphemes_and_words() {
        let mut line = LineEditor::new("compact  groups");
        line.edit(ActionId::DeleteWord);
        assert_eq!(line.text(), "compact  ");
        line.insert("e\u{301}").unwrap();
        line.edit(ActionId::DeleteBackward);
        assert_eq!(line.text(), "compact  ");
        line.edit(ActionId::TypingStart);
        line.insert("a\nb").unwrap();
        assert_eq!((line.text(), line.before_cursor()), ("a bcompact  ", "a b"));
        line.edit(ActionId::DeleteForward);
        line.edit(ActionId::DeleteLine);
        assert_eq!(line.text(), "ompact  ");
    }
}
