//! The hints of the bottom line, and where they are, so that they can be clicked.

use unicode_width::UnicodeWidthStr;

use super::{
    App,
    action::{ACTIONS, Action, ActionId, Context},
};

/// A key and a word for what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint<'a> {
    pub action: ActionId,
    pub key: &'a str,
    pub label: &'static str,
    /// The column of its key, and its width.
    pub x: u16,
    pub width: u16,
}

/// Columns before the first hint, and between two of them.
const MARGIN: u16 = 1;
const GAP: u16 = 2;
/// Hints of the pane that a presentation shows.
const PRESENTED: usize = 3;
/// Shown at the right end of the bottom line while the pane is pinned.
pub const PIN_SIGN: &str = " pinned ";
/// What leads to everything else is always in sight.
const FIRST: [ActionId; 2] = [ActionId::Help, ActionId::Palette];

impl App {
    /// The columns at the right end of the bottom line that tell that the pane is pinned.
    pub fn pin_width(&self) -> u16 {
        if self.is_pinned() { PIN_SIGN.width() as u16 } else { 0 }
    }

    /// The hints that fit a width: those that lead to all others first, then the innermost context. A hint is shown whole
    /// or not at all; a shorter one after it may still fit.
    pub fn hints(&self, width: u16) -> Vec<Hint<'_>> {
        let contexts = self.contexts();
        let of_context = |context: Context| ACTIONS.iter().filter(move |action| action.context == context);
        let first =
            FIRST.map(ActionId::action).into_iter().filter(|action| contexts.contains(&action.context));
        let rest = contexts
            .iter()
            .copied()
            .flat_map(of_context)
            .filter(|action| !FIRST.contains(&action.id) && !action.hint.is_empty());
        let rest = rest.take(if self.is_presenting() { PRESENTED } else { usize::MAX });
        let mut hints = Vec::new();
        let mut x = MARGIN;
        for Action { id, hint, .. } in first.chain(rest).filter(|action| !action.hint.is_empty()) {
            // A key that an inner context takes for itself is not offered for the outer action.
            let is_reached = |key: &&String| self.keymap.means(&contexts, key) == Some(*id);
            let Some(key) = self.keymap.keys(*id).iter().find(is_reached) else { continue };
            let taken = (key.width() + 1 + hint.width()) as u16;
            if x + taken <= width {
                hints.push(Hint { action: *id, key, label: hint, x, width: taken });
                x += taken + GAP;
            }
        }
        hints
    }
}

#[cfg(test)]
mod tests {
    use crate::workbench::app::{App, CorpusInfo, area::Size, keymap::Keymap, pane::PaneId};

    #[test]
    fn no_key_is_shown_twice() {
        let mut app = App::new(CorpusInfo::default(), Keymap::default(), Size { width: 200, height: 24 });
        for pane in <PaneId as strum::IntoEnumIterator>::iter() {
            app.pane = pane;
            let mut keys: Vec<&str> = app.hints(400).iter().map(|hint| hint.key).collect();
            let shown = keys.len();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), shown, "{pane:?}: {keys:?}");
        }
    }

    #[test]
    fn help_and_palette_come_first_and_no_hint_is_cut() {
        let app = App::new(CorpusInfo::default(), Keymap::default(), Size { width: 80, height: 24 });
        for width in 0..200 {
            let hints = app.hints(width);
            assert!(hints.iter().all(|hint| hint.x + hint.width <= width));
            assert!(hints.windows(2).all(|two| two[0].x + two[0].width < two[1].x));
            if width >= 20 {
                assert_eq!(hints[..2].iter().map(|hint| hint.key).collect::<Vec<_>>(), ["?", ":"]);
            }
        }
    }
}
