//! A single-line text editor.
//!
//! The cursor is always at a grapheme boundary, so that an accent is never separated from its letter.

use unicode_segmentation::UnicodeSegmentation;

use super::action::ActionId;

/// A line and its cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineEditor {
    text: String,
    /// A byte position at a grapheme boundary.
    cursor: usize,
    /// The whole text is selected: what is typed next replaces it.
    is_selected: bool,
}

/// The longest line in bytes; a longer paste is cut.
const LONGEST: usize = 2000;

impl LineEditor {
    pub fn new(text: &str) -> LineEditor {
        LineEditor { text: text.to_owned(), cursor: text.len(), is_selected: false }
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
    pub fn insert(&mut self, text: &str) {
        if std::mem::take(&mut self.is_selected) {
            (self.text, self.cursor) = (String::new(), 0);
        }
        for letter in text.chars() {
            if self.text.len() + letter.len_utf8() > LONGEST {
                break;
            }
            let letter = if letter.is_control() { ' ' } else { letter };
            self.text.insert(self.cursor, letter);
            self.cursor += letter.len_utf8();
        }
        // A combining mark may have joined the text after the cursor.
        self.cursor = self.border_at_or_after(self.cursor);
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
        line.insert("1");
        assert_eq!(line.text(), "1");
        let mut line = LineEditor::selected("0.5");
        line.edit(ActionId::TypingLeft);
        line.insert("2");
        assert_eq!(line.text(), "0.25");
        let mut line = LineEditor::selected("0.5");
        line.edit(ActionId::DeleteBackward);
        assert_eq!((line.text(), line.is_selected()), ("", false));
    }

    #[test]
    fn a_line_is_edited_by_graphemes_and_words() {
        let mut line = LineEditor::new("compact  groups");
        line.edit(ActionId::DeleteWord);
        assert_eq!(line.text(), "compact  ");
        line.insert("e\u{301}");
        line.edit(ActionId::DeleteBackward);
        assert_eq!(line.text(), "compact  ");
        line.edit(ActionId::TypingStart);
        line.insert("a\nb");
        assert_eq!((line.text(), line.before_cursor()), ("a bcompact  ", "a b"));
        line.edit(ActionId::DeleteForward);
        line.edit(ActionId::DeleteLine);
        assert_eq!(line.text(), "ompact  ");
    }
}
